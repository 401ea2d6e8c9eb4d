from pathlib import Path

import pytest

import fairgroups as fg
from fairgroups.app.jobs import arguments_of
from fairgroups.app.tables import DroppedTable


def test_options_are_never_taken_for_others():
    table = DroppedTable(Path("a.xlsx"), {"sheet": "--json", "na": ["-9", "?"]})
    asked = {"sensitive": ["--out=x", "b"], "outcome": "-q", "given": [], "favourable": "bad", "title": ""}
    assert arguments_of(asked, table) == [
        "--sensitive=--out=x",
        "--sensitive=b",
        "--outcome=-q",
        "--unfavourable",
        "--sheet=--json",
        "--na=-9,?",
    ]


def test_paths_cannot_be_asked_for():
    for name in ("out", "json", "baseline", "where", "sql", "data", "memory_limit", "charts"):
        with pytest.raises(fg.InputError, match="may not"):
            arguments_of({"sensitive": ["a"], "outcome": "b", name: "x"}, DroppedTable(Path("a.csv")))
