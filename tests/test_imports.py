"""What gets imported, and what is public."""

import subprocess
import sys

import fairgroups

HEAVY = ["sklearn", "scipy", "pandas", "polars", "pyarrow", "duckdb", "altair", "jinja2", "vl_convert", "torch"]


def loaded_by(code):
    script = (
        f"{code}\nimport sys\nprint(*(m for m in {HEAVY + ['narwhals', 'rich.table', 'numpy']} if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing():
    assert loaded_by("import fairgroups") == set()


def test_the_command_line_loads_nothing_heavy():
    assert loaded_by("import fairgroups.cli") & {*HEAVY, "narwhals", "numpy"} == set()


def test_the_core_knows_arrays_only():
    core = "import fairgroups.cells.cells, fairgroups.search.group_limits, fairgroups.evidence.band"
    assert loaded_by(core) <= {"numpy", "scipy"}


def test_every_public_name_resolves_and_says_what_it_does():
    for name in fairgroups.__all__:
        value = getattr(fairgroups, name)
        assert name in dir(fairgroups)
        if callable(value):
            assert value.__doc__, name


def test_unknown_names():
    assert not hasattr(fairgroups, "nonsense")
