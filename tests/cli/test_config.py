"""fairgroups.toml and fairgroups run."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from typer.testing import CliRunner

from fairgroups import InputError
from fairgroups.cli import app
from fairgroups.cli.config import config_schema, read_config

CONFIG = """
[defaults]
data = "people.csv"
sensitive = "age"
outcome = "hired"
checks = false

[[audits]]
name = "first"
max_gap = 0.9
json = "first.json"

[[audits]]
name = "second"
max_gap = 0.01
out = "second.html"
scales = { law = [30, 40] }
"""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, 4000)
    hired = (rng.random(4000) < 0.3 + 0.3 * (age > 40)).astype(int)
    lines = ["age,hired", *(f"{a},{h}" for a, h in zip(age, hired, strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(lines))
    (tmp_path / "fairgroups.toml").write_text(CONFIG)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, ["run", *map(str, arguments)])


def test_all_audits_run_and_the_worst_decides(folder):
    done = run(folder / "fairgroups.toml", "--junit", folder / "tests.xml")
    assert done.exit_code == 1
    assert "2 audit(s) and scan(s): 1 kept, 1 exceeded or worse" in done.output
    assert json.loads((folder / "first.json").read_text())["limits"][0]["verdict"] == "kept"
    assert "fairgroups run fairgroups.toml --only" in (folder / "second.html").read_text()
    assert [suite.get("name") for suite in ET.parse(folder / "tests.xml").getroot()] == ["first", "second"]
    assert run(folder / "fairgroups.toml", "--only", "first", "-q").exit_code == 0


def test_one_that_fails_does_not_stop_the_others(folder):
    (folder / "fairgroups.toml").write_text(CONFIG.replace('name = "first"', 'name = "first"\noutcome = "hird"'))
    done = run(folder / "fairgroups.toml", "--junit", folder / "tests.xml")
    assert done.exit_code == 2
    assert "1 failed" in done.output
    assert ET.parse(folder / "tests.xml").getroot()[0][0][0].tag == "error"
    assert (folder / "second.html").exists()


def test_a_baseline(folder):
    run(folder / "fairgroups.toml")
    (folder / "fairgroups.toml").write_text(CONFIG.replace('json = "first.json"', 'baseline = "first.json"'))
    done = run(folder / "fairgroups.toml", "--only", "first")
    assert done.exit_code == 0
    assert "No group is shown to be worse off" in done.output
    rng = np.random.default_rng(1)
    age = rng.integers(20, 60, 4000)
    hired = (rng.random(4000) < 0.1 + 0.7 * (age > 40)).astype(int)
    lines = ["age,hired", *(f"{a},{h}" for a, h in zip(age, hired, strict=True))]
    (folder / "people.csv").write_text("\n".join(lines))
    done = run(folder / "fairgroups.toml", "--only", "first")
    assert done.exit_code == 1
    assert "Worse than the baseline" in done.output


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("max_gap = 0.9", "max_gaps = 0.9"), "did you mean 'max_gap'"),
        (("max_gap = 0.9", "max_gap = -1"), "audits.0.max_gap"),
        (("max_gap = 0.9", 'missing = "ignore"'), "is not one of"),
        (('name = "second"', 'name = "first"'), "give each a name"),
        (('sensitive = "age"\n', ""), "has no 'sensitive'"),
        (("[[audits]]", "[[audit]]"), "audits"),
        (("max_gap = 0.9", "max_gap = "), "not valid TOML"),
        (("max_gap = 0.9", "max_change = nan"), "no number"),
        (("max_gap = 0.9", "max_gap = inf"), "no number"),
    ],
)
def test_mistakes_are_told_before_anything_runs(folder, change, said):
    (folder / "fairgroups.toml").write_text(CONFIG.replace(*change))
    with pytest.raises(InputError, match=said):
        read_config(folder / "fairgroups.toml")
    assert not (folder / "first.json").exists()


def test_without_a_limit_nothing_is_kept(folder):
    (folder / "fairgroups.toml").write_text(CONFIG.replace("max_gap = 0.9", "").replace("max_gap = 0.01", ""))
    done = run(folder / "fairgroups.toml", "-q")
    assert done.exit_code == 0
    assert "2 audit(s) and scan(s): 2 without a limit." in done.output


@pytest.mark.parametrize(
    "change",
    [
        ('json = "first.json"', 'json = "people.csv"'),
        ('json = "first.json"', 'json = "second.html"'),
        ('json = "first.json"', 'json = "first.json"\nbaseline = "first.json"'),
        ('json = "first.json"', 'json = "people.csv/first.json"'),
    ],
)
def test_nothing_is_written_over_what_is_needed(folder, change):
    before = (folder / "people.csv").read_text()
    (folder / "fairgroups.toml").write_text(CONFIG.replace(*change))
    done = run(folder / "fairgroups.toml")
    assert isinstance(done.exception, InputError)
    assert (folder / "people.csv").read_text() == before
    assert not (folder / "second.html").exists()


def test_unknown_names_and_files(folder):
    with pytest.raises(InputError, match="there is no file"):
        read_config(folder / "none.toml")
    assert isinstance(run(folder / "fairgroups.toml", "--only", "third").exception, InputError)


def test_the_schema_knows_every_option_and_no_other():
    import inspect
    from dataclasses import fields
    from importlib.resources import files

    from fairgroups import audit
    from fairgroups.cli.job import JobOptions

    known = set(config_schema()["$defs"]["audit"]["properties"]) - {"name"}
    taken = set(inspect.signature(audit).parameters) - {"verbose", "explore"}
    assert known == taken | {field.name for field in fields(JobOptions)}
    held = files("fairgroups.cli").joinpath("config.schema.json").read_text(encoding="utf-8")
    assert json.loads(held) == config_schema(), "run scripts/schemas.py"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"holds no audit and no scan.*\[\[audits\]\]"),
        ("partition = 25", r"audits.0.partition: 25 is not what this may be.*a list, such as \[25, 45\]"),
        ("n_groups = 'many'", '"auto" or a whole number'),
    ],
)
def test_what_an_option_may_be_is_said(tmp_path, text, said):
    job = "[[audits]]\nname = 'a'\ndata = 'x.csv'\nsensitive = 'age'\noutcome = 'y'\n" if text else ""
    path = tmp_path / "fairgroups.toml"
    path.write_text(job + text)
    with pytest.raises(InputError, match=f"(?s){said}"):
        read_config(path)
