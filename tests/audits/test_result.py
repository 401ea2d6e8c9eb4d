"""A result stands alone: JSON and back, pages without the rows, tables in the caller's library."""

import dataclasses
import json
import pickle
import re
import typing

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fairgroups as fg
from fairgroups import results
from fairgroups.audits.result import SCHEMA_VERSION, audit_schema

DATA = fg.make_synthetic(3000, seed=5)
RNG = np.random.default_rng(0)
TABLE = {
    "tone": DATA.sensitive,
    "approved": DATA.outcome,
    "merited": RNG.integers(0, 2, 3000),
    "sex": RNG.choice(["f", "m"], 3000),
    "amount": RNG.normal(1000, 10, 3000),
}
KINDS = {
    "line": {},
    "truth": {"truth": "merited"},
    "odds": {"truth": "merited", "measure": "equalized_odds"},
    "plane": {"sensitive": ["tone", "sex"]},
    "amount": {"outcome": "amount"},
    "crossfit": {"inference": "crossfit"},
    "one group": {"n_groups": 1, "checks": False},
    "limit": {"partition": [30], "max_gap": 0.1, "against": "rest"},
}


def run(**options):
    return fg.audit(TABLE, **{"sensitive": "tone", "outcome": "approved", "explore": True, **options})


SHORT = ("line", "odds")


@pytest.mark.parametrize("kind", [k if k in SHORT else pytest.param(k, marks=pytest.mark.long) for k in KINDS])
def test_json_and_back(kind, tmp_path):
    found = run(**KINDS[kind])
    path = tmp_path / "audit.json"
    text = found.to_json(path)
    again = type(found).from_json(text)
    assert again == found == type(found).read(path) == fg.read_audit(path) == pickle.loads(pickle.dumps(found))
    assert again.to_json() == text
    assert "NaN" not in text
    strip = lambda page: re.sub(r"\d{4}-\d\d-\d\d|gradient_\d+", "", page)
    assert strip(again.to_html()) == strip(found.to_html())
    assert again.to_markdown() == found.to_markdown()
    assert again.to_csv() == found.to_csv()
    for part in again.parts:
        assert part._repr_html_()
        assert part.plot().to_dict()
        assert part.plot("differences").to_dict()


def test_the_schema_is_that_of_the_records():
    from importlib.resources import files

    held = files("fairgroups.audits").joinpath("audit.schema.json").read_text(encoding="utf-8")
    assert json.loads(held) == audit_schema(), "run scripts/schemas.py"


def test_an_older_schema_is_told_to_run_again():
    old = {**run(checks=False).to_dict(), "schema_version": SCHEMA_VERSION - 1}
    with pytest.raises(fg.SchemaError, match="run the audit again"):
        fg.Audit.from_dict(old)
    with pytest.raises(fg.SchemaError, match="no audit"):
        fg.Audit.from_dict({"schema": "other"})
    with pytest.raises(fg.SchemaError, match="not JSON"):
        fg.Audit.from_json("audit.json")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["records", 0, "verdict"], "guilty", r"records\[0\].verdict is 'guilty'"),
        (["records", 0, "rate"], "high", r"records\[0\].rate must be of type"),
        (["overall"], [], "overall must be of type"),
        (["settings"], None, "settings must be of type dict"),
        (["partition", "groups"], [], "partition"),
    ],
)
def test_damage_is_placed(path, value, message):
    data = json.loads(run(checks=False).to_json())
    at = data
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    with pytest.raises(fg.InputError, match=message):
        fg.Audit.from_dict(data)


def test_an_audit_of_several_rates_is_not_its_first():
    found = run(**KINDS["odds"])
    assert isinstance(found, fg.JointAudit)
    for name in ("measure", "records", "overall", "groups", "rate_range"):
        assert not hasattr(found, name)
    with pytest.raises(fg.SchemaError):
        fg.Audit.from_json(found.to_json())


@pytest.mark.parametrize(
    ("library", "kind"), [(pd.DataFrame, pd.DataFrame), (pl.DataFrame, pl.DataFrame), (dict, dict)]
)
def test_tables_are_the_callers(library, kind):
    found = fg.audit(library(TABLE), sensitive="tone", outcome="approved", truth="merited")
    assert {type(table) for table in found.tables.values()} == {kind}
    assert set(found.tables) == {"groups", "selection", "detectable", "borders", "amplification", "rates"}


def held_by(kind, seen):
    """Every dataclass of ours that a type holds."""
    for inner in typing.get_args(kind):
        held_by(inner, seen)
    if dataclasses.is_dataclass(kind) and kind not in seen:
        seen.add(kind)
        for inner in typing.get_type_hints(kind).values():
            held_by(inner, seen)
    return seen


def test_every_type_that_an_audit_holds_is_in_one_place():
    held = {kind.__name__ for kind in held_by(fg.Audit, set())}
    elsewhere = {
        "Interval",
        "Levels",
        "Partition",
        "Cells",
        "Band",
        "Matching",
        "Measure",
        "Moments",
    }  # in fairgroups, or inside
    assert held - elsewhere <= set(results.__all__)


def test_every_returned_type_has_one_place():
    assert len(set(results.__all__)) == len(results.__all__)
    for name in results.__all__:
        assert getattr(results, name).__doc__, name


def test_ends_that_few_people_share_are_rounded_away():
    age = np.concatenate([np.repeat(np.arange(20, 60), 20), [17, 96.3]])
    table = {"age": age, "y": np.resize([0, 1, 1], age.size)}
    found = fg.audit(table, sensitive="age", outcome="y", checks=False, explore=True)
    attribute = found.data.attributes[0]
    assert (attribute.low, attribute.high) == (15, 100)
    assert "96.3" not in found.to_json()
    assert "96.3" not in found.to_html()
    exact = fg.audit(table, sensitive="age", outcome="y", checks=False, min_cell=1).data.attributes[0]
    assert (exact.low, exact.high) == (17, 96.3)
