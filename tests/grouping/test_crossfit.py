import numpy as np
import pandas as pd
import pytest

import fairgroups as fg
from fairgroups import InputError
from fairgroups.rows.rows import Rows
from fairgroups.rows.split import deal_rows


def test_parts_are_alike_in_the_attributes():
    rng = np.random.default_rng(0)
    x, z = rng.random(2000), rng.choice(["a", "b"], 2000)
    rows = Rows.from_arrays({"x": x, "z": z}, np.zeros(2000))
    parts = deal_rows(rows, 4, 1)
    assert sorted(np.concatenate(parts)) == list(range(2000))
    for part in parts:
        assert len(part) == 500
        assert np.quantile(x[part], [0.1, 0.5, 0.9]) == pytest.approx([0.1, 0.5, 0.9], abs=0.03)
        assert np.mean(z[part] == "a") == pytest.approx(np.mean(z == "a"), abs=0.01)
    small = np.flatnonzero(x < 0.01)
    assert all(np.isin(small, part).any() for part in parts)
    for one, two in zip(parts, deal_rows(rows, 4, 1), strict=True):
        assert (one == two).all()


def test_the_outcome_plays_no_role_and_clusters_stay_whole():
    rng = np.random.default_rng(0)
    x = rng.random(300)
    one, two = (deal_rows(Rows.from_arrays(x, y), 2, 0) for y in (np.zeros(300), rng.integers(0, 2, 300)))
    assert all((a == b).all() for a, b in zip(one, two, strict=True))
    people = np.repeat(np.arange(100), 3)
    parts = deal_rows(Rows.from_arrays(x, np.zeros(300), cluster=people), 2, 0)
    assert not set(people[parts[0]]) & set(people[parts[1]])
    with pytest.raises(InputError, match="need at least as many clusters"):
        deal_rows(Rows.from_arrays([1.0, 2.0], [0, 1], cluster=["a", "a"]), 2, 0)


def corner(seed, n=2000, depth=0.3):
    rng = np.random.default_rng(seed)
    x, z = rng.random(n), rng.random(n)
    p = np.where((x < 0.5) & (z < 0.5), 0.5 - depth, 0.5)
    return {"x": x, "z": z, "y": rng.random(n) < p}, p


def test_both_halves_are_told():
    found = fg.audit(corner(0)[0], sensitive=["x", "z"], outcome="y", favourable=True, inference="crossfit")
    worst = min(found.records, key=lambda r: r.phi)
    assert worst.verdict == "disadvantaged"
    other = found.replication
    assert min(r.phi for r in other.records) < -0.15
    assert other.rand > 0.6  # a corner may be cut out in two ways
    assert found.data.rows_judged == 1000
    assert any("Each half of the rows" in note for note in found.notes)
    assert found.to_dict()["replication"]["rand"] == other.rand


@pytest.mark.parametrize("depth", [0.0, 0.3])
def test_all_groups_of_both_halves_are_covered_at_once(depth):
    held, named = [], []
    for seed in range(80):
        table, p = corner(seed, 1000, depth)
        options = {"n_groups": 4, "n_cells": 10, "checks": False, "inference": "crossfit", "seed": seed}
        found = fg.audit(table, sensitive=["x", "z"], outcome="y", **options)
        ok = True
        for records, partition in (
            (found.records, found.partition),
            (found.replication.records, found.replication.partition),
        ):
            codes = partition.assign(np.column_stack([table["x"], table["z"]]))
            for k, r in enumerate(records):
                truth = p[codes == k].mean() - p.mean()
                ok &= r.low - 0.01 <= truth <= r.high + 0.01  # the halves' people are not quite all people
        held.append(ok)
        named.append(any(r.verdict in ("advantaged", "disadvantaged") for r in found.records))
    assert np.mean(held) >= 0.93
    if depth == 0:
        assert np.mean(named) <= 0.07


def test_no_discrimination_in_the_plane_is_found_by_default():
    found = fg.audit(corner(3, depth=0.0)[0], sensitive=["x", "z"], outcome="y", checks=False)
    assert len(found.records) == 1
    assert found.conclusion.startswith(("No difference found", "Not enough evidence"))


def test_ids_decide_who_is_in_which_half():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, 3000).astype(float)
    people = {"age": age, "y": (rng.random(3000) < 0.3 + 0.3 * (age > 40)).astype(int), "who": np.arange(3000) + 7}
    options = {"sensitive": "age", "outcome": "y", "inference": "crossfit", "checks": False}
    one = fg.audit(people, **options, key="who")
    order = rng.permutation(3000)
    again = fg.audit({name: values[order] for name, values in people.items()}, **options, key="who")
    assert one.records == again.records
    assert fg.audit(people, **options, key="who", seed=1).records != one.records
    rows = Rows.from_arrays(age, people["y"], lot=np.array([0.1, 0.9] * 1500))
    assert [part.size for part in deal_rows(rows, 2, 0)] == [1500, 1500]
    with pytest.raises(InputError, match="leave the id out"):
        deal_rows(Rows.from_arrays(age, people["y"], lot=np.full(3000, 0.1)), 2, 0)


@pytest.mark.parametrize("seed", range(4))
def test_the_half_that_is_told_holds_enough_in_every_group(seed):
    rng = np.random.default_rng(seed)
    n = (150, 300, 600, 300)[seed]
    table = {"a": rng.integers(18, 80, n), "b": rng.lognormal(8, 1, n).round()}
    table["y"] = (rng.random(n) < np.where(table["a"] < 30, 0.6, 0.3)).astype(int)
    found = fg.audit(table, sensitive=["a", "b"], outcome="y", inference="crossfit", n_groups=5, checks=False)
    told = [*found.records, *(found.replication.records if found.replication else ())]
    assert min(record.n for record in told) >= 10


def many_levels(n, levels, seed=0):
    rng = np.random.default_rng(seed)
    codes = {name: rng.integers(0, k, n) for name, k in zip("abc", levels, strict=False)}
    return codes, {name: np.array([f"{name}{i:02d}" for i in range(64)])[code] for name, code in codes.items()}, rng


@pytest.mark.long
def test_a_box_of_many_levels_is_named():
    """417 of 5,000 people by 20 points: more than one group need not be shown to be better before others judge it."""
    named = 0
    for seed in range(6):
        codes, table, rng = many_levels(5000, (12, 12), seed)
        apart = (codes["a"] < 3) & (codes["b"] >= 8)
        table["y"] = (rng.random(5000) < 0.3 + 0.2 * apart).astype(int)
        found = fg.audit(table, sensitive=["a", "b"], outcome="y", checks=False)
        assert found.settings.inference == "crossfit"
        named += bool(found.finding.groups)
    assert named >= 3


@pytest.mark.parametrize("levels", [pytest.param((8, 8, 8), marks=pytest.mark.long), (20, 20), (40, 3)])
def test_categories_of_many_levels_are_judged_by_others_in_seconds(levels):
    _, table, rng = many_levels(3000, levels)
    names = list(table)
    table["y"] = (rng.random(3000) < 0.3).astype(int)
    found = fg.audit(table, sensitive=names, outcome="y")
    if levels != (40, 3):
        assert any("people set aside" in note for note in found.notes)
        assert found.checks.permutation.n_draws == 999
    assert found.finding.verdict == "not enough evidence"
    fg.FairGroups(2).fit(pd.DataFrame(table)[names], table["y"])
