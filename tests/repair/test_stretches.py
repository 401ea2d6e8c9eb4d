from itertools import combinations

import numpy as np
import pytest

from fairgroups.repair.score_table import ScoreTable
from fairgroups.repair.stretches import _costs, borders_of, partition_of
from fairgroups.rows.column_kinds import Column


def test_the_best_groups_are_found_as_by_trying_all():
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = rng.integers(0, 8, 400).astype(float)
        score = rng.normal((x > rng.integers(1, 7)) * 1.5, 1)
        table = ScoreTable.of([Column("x", x)], score, [np.ones(400)], 64)
        marks = np.unique(np.linspace(0, table.knots.size - 1, min(64, table.knots.size)).round().astype(int))
        share = np.diff(np.cumsum(table.share)[marks], prepend=0.0)
        mass = table.weight[0] / 400
        cost = _costs(mass, mass[:, None] * table.at[0][:, marks], table.people[0], share, 0.02)
        found = borders_of(table, 0, 3, 0.02)
        k = len(found)
        tried = {ends: sum(cost[a, b] for a, b in zip((0, *ends), (*ends, 8), strict=True))
                 for ends in combinations(range(1, 8), k)}  # fmt: skip
        assert min(tried, key=tried.get) == tuple(int(border) for border in found)


def test_equal_means_are_told_apart_by_their_distributions():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 100, 4000)
    score = rng.normal(0, np.where(x < 40, 0.3, 2.0))
    table = ScoreTable.of([Column("x", x)], score, [np.ones(4000)], 512)
    assert borders_of(table, 0, 8, 0.05) == pytest.approx([40], abs=1)


def test_chance_makes_no_groups():
    alarms = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        table = ScoreTable.of([Column("x", rng.random(1000))], rng.random(1000), [np.ones(1000)], 512)
        alarms += bool(borders_of(table, 0, 8, 0.05))
    assert alarms <= 8


def test_groups_of_several_attributes_are_crossed():
    rng = np.random.default_rng(2)
    x, sex = rng.uniform(0, 100, 3000), rng.integers(0, 2, 3000).astype(float)
    columns = [Column("x", x), Column("sex", sex, ("f", "m"))]
    table = ScoreTable.of(columns, rng.normal((x > 50) * 2.0, 1), [np.ones(3000)], 512)
    groups = partition_of(table, 8, 0.05, "drop")
    assert groups.n_groups == 4
    assert groups.columns == ("x", "sex")
    lone = ScoreTable.of([columns[1]], x, [np.ones(3000)], 512)
    assert partition_of(lone, 8, 0.05, "error").n_groups == 2
