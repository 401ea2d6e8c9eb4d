"""The options of a scan, once."""

import inspect
import re
from dataclasses import fields

import pytest
from typer.main import get_command

import fairgroups as fg
from fairgroups.cli import app
from fairgroups.cli.config import config_schema
from fairgroups.cli.job import TableOptions
from fairgroups.errors import InputError
from fairgroups.scans.options import ScanOptions


def test_one_set_of_options():
    names = {field.name for field in fields(ScanOptions)}
    assert set(inspect.signature(fg.scan).parameters) == {"data", *names}
    job = {field.name for field in fields(TableOptions)}
    command = next(c for name, c in get_command(app).commands.items() if name == "scan")
    typed = {parameter.name for parameter in command.params} - {"junit", "quiet", "help"}
    assert typed == (names | job) - {"verbose", "audits"}
    assert set(config_schema()["$defs"]["scan"]["properties"]) == typed | {"name"}
    for name in names:
        assert re.search(rf"\b{name}\b", fg.scan.__doc__), f"{name} is not described"


@pytest.mark.parametrize(
    "wrong",
    [
        {"outcome": 3}, {"pairs": "some"}, {"level": 2}, {"min_cell": 1}, {"max_gap": -1}, {"favourable": "yes"},
        {"unit": " "}, {"label": ["x"]}, {"given": "y"}, {"attributes": []}, {"without": 5}, {"missing": "group"},
    ],
)  # fmt: skip
def test_wrong_options_are_told(wrong):
    with pytest.raises(InputError):
        ScanOptions(**{"outcome": "y", **wrong})


def test_pairs_as_a_word_or_a_truth():
    assert [ScanOptions(outcome="y", pairs=x).which_pairs for x in (True, False, "auto")] == ["all", "none", "auto"]
