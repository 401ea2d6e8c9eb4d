"""Reliability from several measurements of each person, held against known spreads."""

import numpy as np
import pytest

from fairgroups import InputError
from fairgroups.evidence.reliability import Reliability, reliability_of


def measured(seed, between, within, size):
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(len(size)), size)
    return rng.normal(60, between, len(size))[person] + rng.normal(0, within, person.size), person


@pytest.mark.parametrize(("between", "within"), [(4.8, 8.9), (5.0, 5.0), (8.0, 3.0)])
def test_it_is_recovered_from_uneven_numbers(between, within):
    size = np.random.default_rng(0).integers(1, 31, 900)
    found = reliability_of(*measured(1, between, within, size))
    assert found.value == pytest.approx(between**2 / (between**2 + within**2), abs=0.03)
    assert found.within == pytest.approx(within, rel=0.03)
    assert found.between == pytest.approx(between, rel=0.06)
    assert found.low < found.value < found.high


@pytest.mark.parametrize(("people", "times"), [(30, 4), (10, 20)])
def test_the_interval_holds(people, times):
    held = []
    for seed in range(400):
        found = reliability_of(*measured(seed, 6.0, 6.0, np.full(people, times)))
        held.append(found.low <= 0.5 <= found.high)
    assert 0.925 <= np.mean(held) <= 0.975  # exact for normal people and equal numbers: 0.95


def test_ten_people_with_twenty_photographs():
    """Known tones: within .05 as often as 200 photographs allow; without bias."""
    tones = np.linspace(30, 75, 10)
    spread = tones.std(ddof=1)
    for wanted, often in ((0.5, 0.6), (0.7, 0.85), (0.9, 0.99)):
        within = spread * np.sqrt((1 - wanted) / wanted)
        off = []
        for seed in range(200):
            rng = np.random.default_rng(seed)
            person = np.repeat(np.arange(10), 20)
            off.append(reliability_of(tones[person] + rng.normal(0, within, 200), person).value - wanted)
        assert abs(np.mean(off)) < 0.01
        assert np.mean(np.abs(off) <= 0.05) >= often


def test_means_of_several_photographs():
    one = Reliability(0.22, 0.2, 0.24, 8.9, 4.7, 988, 950, 17_453)
    assert one.of_mean(1) == pytest.approx(0.22)
    assert one.of_mean(one.needed(0.8)) >= 0.8 > one.of_mean(one.needed(0.8) - 1)
    assert Reliability(0.0, 0.0, 0.1, 9.0, 0.0, 9, 9, 99).needed() is None
    with pytest.raises(InputError, match="between 0 and 1"):
        one.needed(1.2)
    with pytest.raises(InputError, match="at least one"):
        one.of_mean(0)


def test_what_says_nothing_is_refused():
    with pytest.raises(InputError, match="at least 5 are needed"):
        reliability_of(np.arange(20.0), np.arange(20))
    with pytest.raises(InputError, match="the same"):
        reliability_of(np.ones(20), np.repeat(np.arange(10), 2))
    exact = reliability_of(np.repeat(np.arange(10.0), 3), np.repeat(np.arange(10), 3))
    assert (exact.value, exact.within) == (1.0, 0.0)
