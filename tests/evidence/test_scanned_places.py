"""Every place of a column or pair: the best of all, and its bounds."""

import numpy as np
import pytest

from fairgroups.evidence.dealt_outcomes import Dealt
from fairgroups.evidence.scanned_places import Places, ScannedAxis, place_of
from fairgroups.measures import RATES
from fairgroups.rows.column_kinds import Column
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


def test_who_is_not_known_lies_in_no_cell():
    axis = ScannedAxis.of(np.array([1.0, 5.0, np.nan, 3.0]), None, np.array([1.0, 3.0]))
    assert axis.codes.tolist() == [0, 1, 2, 1]
    assert axis.held((0, 2)).tolist() == [True, True, False, True]
    levels = ScannedAxis.of(np.array([0.0, 2.0, np.nan]), 3, None)
    assert levels.held((0b101, 0)).tolist() == [True, True, False]


def test_the_order_of_people_follows_from_their_cells():
    rng = np.random.default_rng(0)
    axes, outcome = columns(rng, 50), (rng.random(50) < 0.4).astype(float)
    coarse = [axis if axis.categorical else ScannedAxis(axis.codes // 3, 4, False) for axis in axes]
    place, first = place_of(axes, coarse, outcome)
    order = rng.permutation(50)

    def mixed(some):
        return [ScannedAxis(axis.codes[order], axis.size, axis.categorical) for axis in some]

    assert np.array_equal(place[order], place_of(mixed(axes), mixed(coarse), outcome[order])[0])
    back, last = place_of(axes[::-1], coarse[::-1], outcome)
    assert np.array_equal(place, back)
    assert [axes[i].size for i in first] == [axes[::-1][i].size for i in last]


def test_names_of_levels_and_directions_of_numbers_do_not_decide_where_people_stand():
    rng = np.random.default_rng(1)
    axes, outcome = columns(rng, 200), (rng.random(200) < 0.4).astype(float)
    coarse = [axis if axis.categorical else ScannedAxis(axis.codes // 3, 4, False) for axis in axes]

    def turned(some):  # the other way round, levels by another alphabet
        codes = [(axis.size - 1 - axis.codes).astype(np.uint16) for axis in some]
        return [ScannedAxis(code, axis.size, axis.categorical) for code, axis in zip(codes, some, strict=True)]

    assert np.array_equal(place_of(axes, coarse, outcome)[0], place_of(turned(axes), turned(coarse), outcome)[0])
