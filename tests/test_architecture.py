"""The house: rooms that import only from rooms before them, tests that mirror the tree, a map that is true."""

import ast
import inspect
import re
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.main import get_command

import fairgroups as fg
from fairgroups.audits.options import AuditOptions
from fairgroups.cells.cells import Cells
from fairgroups.cli import app
from fairgroups.cli.config import config_schema
from fairgroups.cli.job import JobOptions

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/fairgroups"
ROOMS = (
    (
        "errors options output progress quoting words measures | sources rows cells partition engines reading | "
        "search evidence grouping checks | audits scans repair | charts report | "
        "skin datasets faces paper results | app cli"
    )
    .replace("| ", "")
    .split()
)
# Methods such as Audit.to_html, which import their renderer when they are called.
FACADES = {
    ("audits", "report"),
    ("audits", "charts"),
    ("scans", "report"),
    ("scans", "charts"),
    ("repair", "charts"),
    ("cells", "reading"),
}
# Modules without a test file of their own, tested through others; the list may only shrink.
TESTED_THROUGH_OTHERS = (ROOT / "tests/tested_through_others.txt").read_text(encoding="utf-8").split()


BELOW, ABOVE = (
    fg.Partition.from_edges([50.0], name="x").ranges(0)[0],
    fg.Partition.from_edges([50.0], name="x").ranges(1)[0],
)


def modules():
    return sorted(path for path in SOURCE.rglob("*.py") if path.stem not in ("__init__", "__main__"))


def room_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports_of(path):
    """Every import of ours in a module: which room, where, and whether it happens when a function is called."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    late = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    typed = {
        id(n)
        for i in ast.walk(tree)
        if isinstance(i, ast.If) and "TYPE_CHECKING" in ast.dump(i.test)
        for n in ast.walk(i)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fairgroups.") and id(node) not in typed:
            yield node.module.split(".")[1], node.lineno, id(node) in late


def test_imports_go_down():
    wrong = []
    for path in modules():
        here = room_of(path)
        for there, line, late in imports_of(path):
            if there not in ROOMS or here not in ROOMS:
                continue
            up = ROOMS.index(there) > ROOMS.index(here)
            if up and not (late and (here, there) in FACADES):
                wrong.append(f"{path.relative_to(SOURCE)}:{line}: {here} → {there}")
    assert not wrong, "\n".join(wrong)


def test_every_module_is_in_a_room():
    assert {room_of(path) for path in modules()} <= set(ROOMS)
    assert len(list(SOURCE.glob("*.py"))) <= 10


def test_tests_mirror_the_source():
    absent = [
        str(path.relative_to(SOURCE))
        for path in modules()
        if not (ROOT / "tests" / path.relative_to(SOURCE).parent / f"test_{path.name}").exists()
    ]
    assert absent == TESTED_THROUGH_OTHERS, "a new module needs a test file; one that has got its own leaves the list"


def test_test_files_belong_to_a_module_or_stand_at_the_top():
    for path in (ROOT / "tests").rglob("test_*.py"):
        parent = path.relative_to(ROOT / "tests").parent
        if str(parent) in (".", "browser"):
            continue
        assert (SOURCE / parent).is_dir(), path


def test_long_tests_exist():
    for name in (ROOT / "tests/long_tests.txt").read_text(encoding="utf-8").split():
        path, function = name.split("::")
        assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), name


def test_the_map_is_true():
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| (.*?) \|$", text, re.MULTILINE)
    assert [name for name, _ in listed] == ROOMS
    for name, sentence in listed:
        path = SOURCE / name / "__init__.py" if (SOURCE / name).is_dir() else SOURCE / f"{name}.py"
        first = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).split("\n\n")[0].replace("\n", " ")
        assert sentence == first, name


def test_no_file_is_long():
    long = {str(p.relative_to(SOURCE)): n for p in modules() if (n := len(p.read_text().splitlines())) > 480}
    assert not long


def public_functions():
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield path, node, ast.get_docstring(node) or ""


def test_docstrings_say_what_is_returned():
    wrong = []
    for path, node, text in public_functions():
        returned = ast.unparse(node.returns) if node.returns else "None"
        nothing = returned in ("None", "NoReturn") or "Iterator" in returned
        if text.startswith(("Give ", "Say whether ")):
            wrong.append(f"{path.name}:{node.lineno} begins with a wrong verb")
        if "Parameters\n---" in text and "Returns\n---" not in text and not nothing:
            wrong.append(f"{path.name}:{node.lineno} has Parameters and no Returns")
    assert not wrong, "\n".join(wrong)


def test_line_and_plane_part_ways_in_the_search_only():
    """Whether groups are ranges or boxes is asked of the partition or the sample, never by the class of anything."""
    for path in modules():
        if room_of(path) in ("search", "partition"):
            continue
        assert not re.search(r"isinstance\([^)]*\b(Interval|BoxPartition)\b", path.read_text()), path


def test_one_set_of_options():
    names = {field.name for field in fields(AuditOptions)}
    assert set(inspect.signature(fg.audit).parameters) == {"data", *names}
    job = {field.name for field in fields(JobOptions)}
    command = next(c for name, c in get_command(app).commands.items() if name == "audit")
    typed = {parameter.name for parameter in command.params} - {"junit", "quiet", "help"}
    assert typed == (names | job) - {"verbose", "explore"}
    assert set(config_schema()["$defs"]["audit"]["properties"]) == typed | {"name"}
    told = fg.audit({"x": [1, 2], "y": [0, 1]}, sensitive="x", outcome="y").settings.asked
    assert set(told) == names - {"verbose"}
    for name in names:
        assert re.search(rf"\b{name}\b", fg.audit.__doc__), f"{name} is not described"


def test_how_to_repeat_it_repeats_it():
    data = fg.make_synthetic(800, seed=2)
    table = {"x": data.sensitive, "y": data.outcome}
    options = {"n_groups": 3, "level": 0.9, "seed": 4, "checks": False, "max_gap": 0.1, "favourable": False}
    found = fg.audit(table, sensitive="x", outcome="y", **options)
    assert eval(found.settings.call, {"fairgroups": fg, "data": table}) == found


@pytest.mark.parametrize(
    "options",
    [
        {"scales": {"law": fg.Partition.from_edges([30, 60], name="x")}},
        {"scales": {"law": [30, 60]}, "partition": fg.Partition.from_edges([50], name="x")},
        {
            "sensitive": ["x", "z"],
            "partition": fg.Partition.from_boxes(["x", "z"], [(BELOW, fg.Interval()), (ABOVE, fg.Interval())]),
        },
    ],
    ids=["scales", "partition", "boxes"],
)
def test_given_groups_are_repeated(options):
    data = fg.make_synthetic(800, seed=2)
    table = {"x": data.sensitive, "z": data.sensitive[::-1].copy(), "y": data.outcome}
    found = fg.audit(table, **{"sensitive": "x", "outcome": "y", "checks": False, **options})
    again = eval(found.settings.call, {"fairgroups": fg, "data": table})
    assert (again.records, again.classes, again.conclusion) == (found.records, found.classes, found.conclusion)


@pytest.mark.parametrize(
    ("options", "fills"),
    [
        ({}, 1),
        ({"truth": "t"}, 1),
        ({"truth": "t", "measure": "equalized_odds", "explore": True}, 1),
        ({"weight": "w", "explore": True}, 1),
        ({"outcome": "amount", "compare_with": "t2", "explore": True}, 1),
        ({"partition": [30, 60], "max_gap": 0.1}, 1),
        ({"against": "rest", "n_groups": 3}, 1),
    ],
)
def test_cells_are_filled_once(options, fills, monkeypatch):
    rng = np.random.default_rng(0)
    data = fg.make_synthetic(3000, seed=2)
    table = pd.DataFrame({"x": data.sensitive, "y": data.outcome, "t": rng.integers(0, 2, 3000), "w": 1.5})
    table["amount"], table["t2"] = rng.normal(100, 5, 3000), rng.normal(90, 5, 3000)
    calls = []
    fill = Cells.from_rows.__func__
    monkeypatch.setattr(Cells, "from_rows", classmethod(lambda cls, *a, **k: calls.append(1) or fill(cls, *a, **k)))
    found = fg.audit(table, **{"sensitive": "x", "outcome": "y", **options})
    found.explore()
    assert len(calls) == fills


def test_a_file_is_opened_once(tmp_path, monkeypatch):
    from fairgroups.sources.source import Source

    pd.DataFrame({"x": range(500), "y": [0, 1] * 250}).to_csv(tmp_path / "people.csv", index=False)
    opened = []
    keep = Source.opened
    monkeypatch.setattr(Source, "opened", lambda self, *a, **k: opened.append(1) or keep(self, *a, **k))
    fg.audit(tmp_path / "people.csv", sensitive="x", outcome="y", checks=False)
    assert len(opened) == 1


def rooms_touched(call):
    files = set()

    def look(frame, event, _):
        if event == "call" and str(SOURCE) in frame.f_code.co_filename:
            files.add(Path(frame.f_code.co_filename))

    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    return {room_of(path) for path in files}, files


def test_an_audit_is_a_short_walk(tmp_path):
    data = fg.make_synthetic(2000)
    table = pd.DataFrame({"x": data.sensitive, "y": data.outcome})
    audit = fg.audit  # loaded before, whichever test ran first
    rooms, files = rooms_touched(lambda: audit(table, sensitive="x", outcome="y"))
    assert len(rooms) <= 15, sorted(rooms)
    assert len(files) <= 55, len(files)
