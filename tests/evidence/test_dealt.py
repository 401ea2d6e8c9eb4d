"""People whose outcomes are dealt out again: sums, scales and intervals of regions."""

import numpy as np
import pytest

from fairgroups.evidence.dealt import Dealt
from fairgroups.evidence.every_region import EveryRegion
from fairgroups.measures import RATES
from fairgroups.rows.attributes import Column
from fairgroups.rows.rows import Rows

PARITY, MEAN = RATES["statistical_parity"], RATES["mean"]


def dealt_of(outcome, strata=None, measure=PARITY, **more):
    n = len(outcome)
    rows = Rows.from_columns([Column("", np.zeros(n))], np.asarray(outcome, dtype=float), **more)
    strata = np.zeros(n, dtype=int) if strata is None else strata
    place = np.random.default_rng(5).integers(0, 2**63, n).astype(np.uint64)
    return Dealt.of(rows, measure, strata, place)


def test_what_is_left_adds_up_to_nothing_in_every_stratum():
    rng = np.random.default_rng(0)
    strata = rng.integers(0, 4, 300)
    dealt = dealt_of(rng.random(300) < 0.3, strata)
    assert np.allclose(np.bincount(dealt.strata, dealt.left), 0)
    assert np.all(np.diff(dealt.strata) >= 0)
    assert dealt.yes.sum() == round(300 * np.mean(dealt.left[0] >= -1) * 0) + dealt.yes.sum()


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(1)
    outcome, strata, codes = rng.random(200) < 0.4, rng.integers(0, 3, 200), rng.integers(0, 6, 200)
    rows = Rows.from_columns([Column("", np.zeros(200))], outcome.astype(float))
    place = codes.astype(np.uint64)
    one = Dealt.of(rows, PARITY, strata, place)
    order = rng.permutation(200)
    other = Dealt.of(rows.take(order), PARITY, strata[order], place[order])
    assert np.array_equal(one.left, other.left)
    assert np.array_equal(codes[one.rows], codes[order][other.rows])


@pytest.mark.parametrize("kind", ["yes", "amounts", "weights"])
def test_few_and_many_strata_are_summed_to_the_same(kind):
    rng = np.random.default_rng(2)
    n = 400
    outcome = rng.random(n) < 0.3 if kind == "yes" else rng.gamma(2, size=n)
    more = {"weight": rng.uniform(0.5, 2, n)} if kind == "weights" else {}
    dealt = dealt_of(outcome, rng.integers(0, 4, n), PARITY if kind == "yes" else MEAN, **more)
    every = EveryRegion(((5, False), (3, True)))
    crossed = dealt.crossed(rng.integers(0, 16, n), 15)
    for few, many in zip(crossed._few(every), crossed._many(every), strict=True):
        assert np.allclose(few, many, atol=1e-9)


def test_the_variance_is_that_of_deals():
    rng = np.random.default_rng(3)
    n, strata = 240, np.repeat([0, 1, 2], 80)
    outcome = rng.random(n) < np.array([0.2, 0.5, 0.7])[strata]
    dealt = dealt_of(outcome, strata)
    codes = rng.integers(0, 4, n)
    every = EveryRegion(((4, False),))
    variance, _ = dealt.crossed(dealt.cells(codes), 4)._few(every)
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


def test_of_very_many_people_some_stand_for_all():
    rng = np.random.default_rng(6)
    dealt = dealt_of(rng.random(400_000) < 0.5, rng.integers(0, 2, 400_000))
    some = dealt.some()
    assert some.n < 200_000
    assert some.yes.sum() / some.n == pytest.approx(0.5, abs=0.01)
    small = dealt_of(rng.random(1000) < 0.5)
    assert small.some() is small
