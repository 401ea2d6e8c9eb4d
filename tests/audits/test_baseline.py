"""Audits against earlier ones."""

import json

import numpy as np
import pytest

from fairgroups import InputError, SchemaError, audit
from fairgroups.audits.baseline import compare_to_baseline
from fairgroups.audits.result import Audit


def people(seed, depth, n=8000):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n)
    return {"age": age, "hired": (rng.random(n) < 0.5 - depth * (age < 35)).astype(int)}


def run(table, **options):
    asked = {"sensitive": "age", "outcome": "hired", "checks": False, "favourable": True, **options}
    return audit(table, **asked)


def test_what_became_worse_is_told(tmp_path):
    run(people(0, 0.1), partition=[35]).to_json(tmp_path / "old.json")
    old = Audit.read(tmp_path / "old.json")
    same, worse, better = (
        [c.verdict for c in compare_to_baseline(run(people(1, depth), partition=old.partition), old)]
        for depth in (0.1, 0.25, 0.0)
    )
    assert same == ["no change shown"] * 2
    assert worse == ["worse", "better"]
    assert better[0] == "better"
    allowed = compare_to_baseline(run(people(1, 0.25), partition=old.partition), old, tolerance=0.2)
    assert [c.verdict for c in allowed] == ["no change shown", "better"]
    harm = compare_to_baseline(run(people(1, 0.25), partition=old.partition), old)[0]
    assert harm.low < harm.harm < harm.high
    assert harm.harm == pytest.approx(harm.before - harm.after)


def test_no_alarm_without_a_change():
    """Of data sets alike, at most one in twenty raises an alarm; the intervals are those of a band, so far fewer do."""
    alarms = 0
    for seed in range(60):
        old = Audit.from_dict(run(people(seed, 0.1, 2000), partition=[35]).to_dict())
        new = run(people(1000 + seed, 0.1, 2000), partition=old.partition)
        alarms += any(change.verdict == "worse" for change in compare_to_baseline(new, old))
    assert alarms <= 3


def test_what_is_no_baseline_is_refused(tmp_path):
    found = run(people(0, 0.1), partition=[35])
    data = found.to_dict()
    cases = [
        ("{", "not JSON"),
        (json.dumps({"schema": "else"}), "no audit"),
        (json.dumps({**data, "schema_version": 99}), "schema version 99"),
        (json.dumps({key: value for key, value in data.items() if key != "records"}), "records is missing"),
    ]
    for i, (text, said) in enumerate(cases):
        (tmp_path / f"{i}.json").write_text(text, encoding="utf-8")
        with pytest.raises(SchemaError, match=said):
            Audit.read(tmp_path / f"{i}.json")
    with pytest.raises(InputError, match="there is no file"):
        Audit.read(tmp_path / "none.json")
    old = Audit.from_dict(data)
    with pytest.raises(InputError, match="not of the baseline's groups"):
        compare_to_baseline(run(people(1, 0.1), partition=[30]), old)
    with pytest.raises(InputError, match="name is 'mean'"):
        compare_to_baseline(run(people(1, 0.1), partition=[35], measure="mean"), old)
    with pytest.raises(InputError, match="direction is 'worse'"):
        compare_to_baseline(run(people(1, 0.1), partition=[35], favourable=False), old)


def test_harm_that_no_old_group_sets_apart_is_seen():
    for partition in (None, [40]):  # a fair baseline of one group, and one whose groups hide what happens inside
        old = Audit.from_dict(run(people(0, 0.0), partition=partition).to_dict())
        table = people(1, 0.3)
        again, own = run(table, partition=old.partition), run(table)
        told = [change for change in compare_to_baseline(again, old, own=own) if change.verdict == "worse"]
        assert told
        assert "age under 35" in [change.label for change in told]
        fair = people(2, 0.0)
        quiet = compare_to_baseline(run(fair, partition=old.partition), old, own=run(fair))
        assert "worse" not in [change.verdict for change in quiet]


def test_groups_of_nobody_cannot_be_compared():
    old = Audit.from_dict(run(people(0, 0.1), partition=[35]).to_dict())
    table = people(1, 0.1)
    some = {name: values[table["age"] >= 35] for name, values in table.items()}
    assert compare_to_baseline(run(some, partition=old.partition), old)[0].verdict == "not comparable"


def test_several_attributes():
    rng = np.random.default_rng(0)
    tables = []
    for depth in (0.0, 0.4):
        x, z = rng.random(4000), rng.random(4000)
        tables.append({"x": x, "z": z, "y": (rng.random(4000) < 0.6 - depth * ((x < 0.4) & (z < 0.5))).astype(int)})
    options = {"sensitive": ["x", "z"], "outcome": "y", "checks": False, "n_cells": 8, "favourable": True}
    old = Audit.from_dict(audit(tables[0], **options).to_dict())
    again = audit(tables[1], **options, partition=old.partition)
    assert "worse" in [change.verdict for change in compare_to_baseline(again, old, own=audit(tables[1], **options))]


def test_audits_of_several_rates_have_no_baseline():
    rng = np.random.default_rng(0)
    table = {"x": rng.integers(18, 70, 2000), "y": rng.integers(0, 2, 2000), "t": rng.integers(0, 2, 2000)}
    both = audit(table, sensitive="x", outcome="y", truth="t", measure="equalized_odds", checks=False)
    with pytest.raises(InputError, match="rate by rate"):
        compare_to_baseline(both, both)
    assert len(compare_to_baseline(both.parts[0], both.parts[0])) == both.partition.n_groups
