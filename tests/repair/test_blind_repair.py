import json

import duckdb
import numpy as np
import pandas as pd
import pytest

from fairgroups import BlindRepair, InputError, SchemaError


def people(n=6000, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    weight = np.column_stack([np.zeros(n), x[:, 0], 2 * x[:, 0]])
    chances = np.exp(weight) / np.exp(weight).sum(axis=1, keepdims=True)
    groups = (rng.random(n)[:, None] > np.cumsum(chances, axis=1)).sum(axis=1)
    score = 1 / (1 + np.exp(-(0.8 * x[:, 0] + x[:, 1])))
    return score, groups, chances


def gap(fair, groups, at=0.5):
    return np.ptp([np.mean(fair[groups == k] >= at) for k in range(3)])


@pytest.mark.parametrize("allowed", [0.0, 0.1, 0.2])
def test_groups_that_are_not_known_are_treated_alike(allowed):
    score, groups, chances = people()
    repair = BlindRepair(max_gap=allowed).fit(score, groups=groups, chances=chances)
    other, of, given = people(seed=1)
    fair = repair.transform(other, chances=given)
    assert gap(other, of) > 0.3
    for at in (0.3, 0.5, 0.7):
        assert gap(fair, of, at) < allowed + 0.05
    assert gap(fair, of) > allowed - 0.08  # no more is given up than must be
    assert repair.transform(other[:1], chances=given[:1])[0] == pytest.approx(fair[0], abs=1e-12)


def test_a_linear_programme_does_no_better():
    """At one threshold, decisions of the largest E[d(s − t)] with the gap kept, over all decisions that see x alone."""
    from scipy.optimize import linprog

    score, groups, chances = people(1500)
    repair = BlindRepair(max_gap=0.1).fit(score, groups=groups, chances=chances)
    yes = repair.transform(score, chances=chances) >= 0.5
    shares = np.bincount(groups) / groups.size
    q = chances / shares - 1
    best = linprog(-(score - 0.5) / 1500, A_ub=np.vstack([q.T, -q.T]) / 1500, b_ub=np.full(6, 0.05), bounds=(0, 1))
    gained = np.mean(yes * (score - 0.5))
    assert gained > -best.fun - 0.004
    assert np.abs(q.T @ yes / 1500).max() < 0.1


def test_what_tells_nothing_of_a_group_changes_nothing_much():
    """Two groups of equal chances, dealt out at random: nothing can or need be done about them."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=3000)
    old = 1 / (1 + np.exp(-2 * x))
    group = np.where(rng.random(3000) < old, 2, rng.integers(0, 2, 3000))
    score = 1 / (1 + np.exp(-x - rng.normal(size=3000)))
    chances = np.column_stack([(1 - old) / 2, (1 - old) / 2, old])
    fair = BlindRepair().fit(score, groups=group, chances=chances).transform(score, chances=chances)
    assert fair.std() > 0.1
    assert np.corrcoef(score, fair)[0, 1] > 0.5
    noise = rng.integers(0, 3, 3000)
    flat = np.full((3000, 3), 1 / 3) + rng.normal(0, 0.01, (3000, 3))
    kept = BlindRepair().fit(score, groups=noise, chances=flat).transform(score, chances=flat)
    assert np.corrcoef(score, kept)[0, 1] > 0.98


def test_json_and_sql():
    score, groups, chances = people(2000)
    repair = BlindRepair(max_gap=0.05).fit(score, groups=groups, chances=chances)
    fair = repair.transform(score, chances=chances)
    again = BlindRepair.from_json(repair.to_json())
    assert (again.transform(score, chances=chances) == fair).all()
    rows = pd.DataFrame({"id": range(2000), "s": score, "a": chances[:, 0], 'b"': chances[:, 1], "c": chances[:, 2]})
    assert len(rows) == 2000
    there = duckdb.sql(repair.to_sql("rows", score="s", chances=["a", 'b"', "c"], columns=["id"])).df()
    assert there.sort_values("id")["fair_score"].to_numpy() == pytest.approx(fair, abs=1e-12)
    data = repair.to_dict()
    for change in ({"schema": "x"}, {"schema_version": 9}, {"shares": [1]}, {"thresholds": [2, 1]}, {"prices": None}):
        with pytest.raises(SchemaError):
            BlindRepair.from_json(json.dumps({**data, **change}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"chances": [[0.5, 0.5]]}, "a row for each of 4"),
        ({"chances": [[2, 0]] * 4}, "between 0 and 1"),
        ({"chances": [["a", "b"]] * 4}, "numbers"),
        ({"groups": [0, 1, 2, 0]}, "a group 2"),
        ({"groups": [0, 0, 0, 0]}, "nobody is in group 1"),
        ({"groups": [0, 1]}, "4 scores and 2 groups"),
        ({"groups": [-1] * 4}, "nobody's group"),
    ],
)
def test_bad_input(change, message):
    given = {"groups": [0, 1, 0, 1], "chances": [[0.5, 0.5]] * 4, **change}
    with pytest.raises(InputError, match=message):
        BlindRepair().fit([0.1, 0.2, 0.3, 0.4], **given)
    fitted = BlindRepair().fit([0.1, 0.2, 0.3, 0.4], groups=[0, 1, 0, 1], chances=[[0.5, 0.5]] * 4)
    with pytest.raises(InputError, match="by 2 groups"):
        fitted.transform([0.1], chances=[[1.0]])
