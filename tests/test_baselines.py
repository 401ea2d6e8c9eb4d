"""Audits against earlier ones."""

import json

import numpy as np
import pytest

from fairgroups import InputError, SchemaError, audit
from fairgroups.baselines import Baseline, changes


def people(seed, depth, n=8000):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n)
    return {"age": age, "hired": (rng.random(n) < 0.5 - depth * (age < 35)).astype(int)}


def run(table, **options):
    return audit(table, sensitive="age", outcome="hired", checks=False, **options)


def test_what_became_worse_is_told(tmp_path):
    run(people(0, 0.1), partition=[35]).to_json(tmp_path / "old.json")
    old = Baseline.read(tmp_path / "old.json")
    same, worse, better = (
        [c.verdict for c in changes(run(people(1, depth), partition=old.partition), old)] for depth in (0.1, 0.25, 0.0)
    )
    assert same == ["no change shown"] * 2
    assert worse == ["worse", "better"]
    assert better[0] == "better"
    allowed = changes(run(people(1, 0.25), partition=old.partition), old, tolerance=0.2)
    assert [c.verdict for c in allowed] == ["no change shown", "better"]
    harm = changes(run(people(1, 0.25), partition=old.partition), old)[0]
    assert harm.low < harm.harm < harm.high
    assert harm.harm == pytest.approx(harm.before - harm.after)


def test_no_alarm_without_a_change():
    """Of data sets alike, at most one in twenty raises an alarm; the intervals are those of a band, so far fewer do."""
    alarms = 0
    for seed in range(60):
        old = Baseline.from_dict(run(people(seed, 0.1, 2000), partition=[35]).to_dict())
        new = run(people(1000 + seed, 0.1, 2000), partition=old.partition)
        alarms += any(change.verdict == "worse" for change in changes(new, old))
    assert alarms <= 3


def test_what_is_no_baseline_is_refused(tmp_path):
    found = run(people(0, 0.1), partition=[35])
    data = found.to_dict()
    cases = [
        ("{", "is no JSON"),
        (json.dumps({"schema": "else"}), "is no audit"),
        (json.dumps({**data, "schema_version": 99}), "schema version 99"),
        (json.dumps({key: value for key, value in data.items() if key != "groups"}), "damaged"),
    ]
    for i, (text, said) in enumerate(cases):
        (tmp_path / f"{i}.json").write_text(text, encoding="utf-8")
        with pytest.raises(SchemaError, match=said):
            Baseline.read(tmp_path / f"{i}.json")
    with pytest.raises(InputError, match="there is no file"):
        Baseline.read(tmp_path / "none.json")
    old = Baseline.from_dict(data)
    with pytest.raises(InputError, match="not of the baseline's groups"):
        changes(run(people(1, 0.1), partition=[30]), old)
    with pytest.raises(InputError, match="the measure"):
        changes(run(people(1, 0.1), partition=[35], measure="mean"), old)
