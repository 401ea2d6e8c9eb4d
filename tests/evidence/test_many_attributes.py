"""A look at many columns at once: one error over all, and what is found where something is planted."""

import numpy as np
import pytest

from fairgroups.evidence.dealt_outcomes import Dealt
from fairgroups.evidence.many_attributes import look_at
from fairgroups.evidence.scanned_places import Places, ScannedAxis
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
