"""A look at many columns at once: one error over all, and what is found where something is planted."""

import numpy as np
import pytest

from fairgroups.evidence.dealt import Dealt
from fairgroups.evidence.look import Places, ScannedAxis, look_at
from fairgroups.measures import RATES
from fairgroups.rows.attributes import Column
from fairgroups.rows.rows import Rows


def people(outcome, measure="statistical_parity", strata=None):
    n = len(outcome)
    rows = Rows.from_columns([Column("", np.zeros(n))], np.asarray(outcome, dtype=float))
    strata = np.zeros(n, dtype=int) if strata is None else strata
    return Dealt.of(rows, RATES[measure], strata, np.arange(n, dtype=np.uint64))


def columns(rng, n, numbers=3, levels=(2, 5)):
    made = [ScannedAxis(rng.integers(0, 12, n).astype(np.uint16), 12, False) for _ in range(numbers)]
    return made + [ScannedAxis(rng.integers(0, k, n).astype(np.uint16), k, True) for k in levels]


def test_the_best_region_is_the_best_of_all():
    rng = np.random.default_rng(0)
    axes = columns(rng, 500, 1, (4,))
    dealt = people(rng.random(500) < 0.4)
    places = Places.of(dealt, axes, 10)
    found, region = places.best()
    largest = -np.inf
    for low in range(12):
        for high in range(low + 1, 13):
            for held in range(1, 16):
                inside = axes[0].held((low, high)) & axes[1].held((held, 0))
                n = inside.sum()
                sides = axes[0].held((low, high)).sum(), axes[1].held((held, 0)).sum()
                if min(n, 500 - n) < 10 or max(sides) > 450:
                    continue
                sums = np.full(places.every.n, dealt.left[inside[dealt.rows]].sum())
                at = next(i for i in range(places.every.n) if places.every.region(i) == ((low, high), (held, 0)))
                largest = max(largest, places.scale.of(sums)[at])
    assert found == pytest.approx(largest, abs=1e-4)
    assert axes[0].held(region[0]).any()


@pytest.mark.parametrize("pairs", [0, 3, None])
@pytest.mark.parametrize("measure", ["statistical_parity", "mean"])
def test_false_alarms_are_as_rare_as_asked(pairs, measure):
    alarms, runs = 0, 60
    for seed in range(runs):
        rng = np.random.default_rng([seed, 1])
        axes = columns(rng, 600)
        outcome = rng.random(600) < 0.3 if measure == "statistical_parity" else rng.gamma(2, size=600)
        found = look_at(people(outcome, measure), axes, axes, most_pairs=pairs, level=0.8, n_draws=256)
        alarms += found.first.excess > 0
    assert alarms <= 21  # 20 of 100 asked for; more than 21 of 60 in one of a thousand cases


def test_a_planted_range_and_a_planted_box_are_found():
    rng = np.random.default_rng(2)
    n = 3000
    axes = columns(rng, n)
    box = (axes[0].codes < 5) & (axes[4].codes < 2)
    found = look_at(people(rng.random(n) < 0.3 + 0.25 * box), axes, axes, most_pairs=None, level=0.95).first
    assert found.columns == (0, 4)
    assert found.region == ((0, 5), (3, 0))
    line = (axes[1].codes >= 9).astype(float)
    found = look_at(people(rng.random(n) < 0.3 + 0.2 * line), axes, axes, most_pairs=3, level=0.95).first
    assert found.columns == (1,)
    assert found.p_value < 0.01


def test_the_harmful_side_is_told_if_it_is_shown():
    rng = np.random.default_rng(3)
    axis = ScannedAxis(rng.integers(0, 10, 4000).astype(np.uint16), 10, False)
    rate = 0.5 + 0.35 * (axis.codes == 9) - 0.2 * (axis.codes == 0)
    dealt = people(rng.random(4000) < rate)
    for side, place in ((-1, (0, 1)), (1, (9, 10))):
        found = look_at(dealt, [axis], [], most_pairs=0, level=0.95, side=side).singles[0]
        assert found.region == (place,)
    places = Places.of(dealt, [axis], 10)
    assert ((0, 1),) in places.further(((9, 10),), found.root, 3)


def test_bounds_of_every_region_hold_what_is_judged():
    rng = np.random.default_rng(4)
    axis = ScannedAxis(rng.integers(0, 6, 800).astype(np.uint16), 6, False)
    dealt = people(rng.random(800) < 0.2 + 0.1 * axis.codes)
    places = Places.of(dealt, [axis], 10)
    low, high, wide = places.bounds(2.0, 0.1)
    for at in np.flatnonzero(wide):
        (ends,) = places.every.region(at)
        found = dealt.judge(axis.held(ends)[dealt.rows], 2.0)
        assert low[at] <= found.value <= high[at]
        assert abs((high[at] - low[at]) - (found.high - found.low)) < 0.35 * (high[at] - low[at])
