"""How far sums over regions may go: variances, charges, ends."""

import numpy as np
import pytest

from fairgroups.evidence.dealt_outcomes import Dealt
from fairgroups.evidence.every_region import EveryRegion
from fairgroups.evidence.region_scale import ends_of
from fairgroups.measures import RATES
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows

PARITY, MEAN = RATES["statistical_parity"], RATES["mean"]


def dealt_of(outcome, strata=None, measure=PARITY, **more):
    n = len(outcome)
    rows = Rows.from_columns([Column("", np.zeros(n))], np.asarray(outcome, dtype=float), **more)
    strata = np.zeros(n, dtype=int) if strata is None else strata
    place = np.random.default_rng(5).integers(0, 2**63, n).astype(np.uint64)
    return Dealt.of(rows, measure, strata, place)


@pytest.mark.parametrize("kind", ["yes", "amounts", "weights"])
def test_few_and_many_strata_are_summed_to_the_same(kind, monkeypatch):
    rng = np.random.default_rng(2)
    n = 400
    outcome = rng.random(n) < 0.3 if kind == "yes" else rng.gamma(2, size=n)
    more = {"weight": rng.uniform(0.5, 2, n)} if kind == "weights" else {}
    dealt = dealt_of(outcome, rng.integers(0, 4, n), PARITY if kind == "yes" else MEAN, **more)
    every = EveryRegion(((5, False), (3, True)))
    crossed = dealt.crossed(rng.integers(0, 16, n), 15)
    few = crossed.variance_and_weight(every)
    monkeypatch.setattr("fairgroups.evidence.region_scale.FEW_STRATA", 0)
    for one, other in zip(few, crossed.variance_and_weight(every), strict=True):
        assert np.allclose(one, other, atol=1e-9)


def test_the_variance_is_that_of_deals():
    rng = np.random.default_rng(3)
    n, strata = 240, np.repeat([0, 1, 2], 80)
    outcome = rng.random(n) < np.array([0.2, 0.5, 0.7])[strata]
    dealt = dealt_of(outcome, strata)
    codes = rng.integers(0, 4, n)
    every = EveryRegion(((4, False),))
    variance, _ = dealt.crossed(dealt.cells(codes), 4).variance_and_weight(every)
    sums = []
    left = np.array(dealt.left)
    cells = codes[dealt.rows]
    for _ in range(4000):
        for s in range(3):
            held = slice(*dealt.starts[s : s + 2])
            left[held] = rng.permutation(left[held])
        sums.append(every.sums(np.bincount(cells, left, 4)))
    seen = np.var(sums, axis=0)
    inside = variance > 1e-6
    assert np.allclose(seen[inside] / variance[inside], 1, atol=0.12)
    assert np.all(seen[~inside] < 1e-6)


def test_an_interval_excludes_nothing_exactly_where_the_test_does():
    rng = np.random.default_rng(4)
    for seed in range(60):
        n = 300
        outcome = rng.random(n) < rng.uniform(0.05, 0.95)
        if outcome.all() or not outcome.any():
            continue
        dealt = dealt_of(outcome, rng.integers(0, 1 + seed % 3, n))
        codes = rng.integers(0, 3, n)
        every = EveryRegion(((3, False),))
        crossed = dealt.crossed(dealt.cells(codes), 3)
        scale, left = crossed.scale(every, 5), every.sums(crossed.left)
        root = float(rng.uniform(0.2, 1.5))
        for at in np.flatnonzero(scale.above > 0):
            low, high = every.region(at)[0]
            found = dealt.judge((codes[dealt.rows] >= low) & (codes[dealt.rows] < high), root)
            statistic = scale.of(left)[at]
            if abs(statistic - root) > 1e-3:
                assert (found.low > 0 or found.high < 0) == (statistic > root)
            assert found.low - 1e-9 <= found.value <= found.high + 1e-9


def test_ends_are_finite_and_hold_the_sum_whatever_it_is():
    rng = np.random.default_rng(8)
    left, null, seen = rng.normal(0, 5, 4000), rng.uniform(0, 20, 4000), rng.uniform(0, 20, 4000)
    left[:50] = 10.0 ** -rng.uniform(1, 300, 50)
    for skew in (-2.0, 0.0, 2.0):
        low, high = ends_of(left, null, seen, 4.0, skew, 0.15)
        assert np.all(low <= left + 1e-9)
        assert np.all(left <= high + 1e-9)
        assert np.all(np.abs([low, high]) < 1000)
