"""The test of a trend: its level, its power, and that units do not matter."""

import numpy as np
import pytest
from scipy.special import ndtr

from fairgroups import Cells
from fairgroups.evidence.trend import trend_test


def trend(x, y, measure="statistical_parity"):
    return trend_test(Cells.from_arrays(x, y), measure)


@pytest.mark.parametrize(("n", "rate"), [(500, 0.3), (500, 0.02), (2000, 0.3)])
def test_its_level(n, rate):
    rng = np.random.default_rng(0)
    runs = 800
    alarms = sum(
        (found := trend(rng.random(n), (rng.random(n) < rate).astype(float))) is not None and found.p_value <= 0.05
        for _ in range(runs)
    )
    assert alarms / runs <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_power_is_that_of_a_logistic_regression(kind):
    rng = np.random.default_rng(1)
    n, runs, ours, theirs = 1500, 500, 0, 0
    for _ in range(runs):
        x = rng.random(n) if kind == "uniform" else rng.standard_normal(n)
        standard = (x - x.mean()) / x.std()
        y = (rng.random(n) < 1 / (1 + np.exp(0.6 - 0.155 * standard))).astype(float)
        ours += trend(np.round(x, 3), y).p_value <= 0.05
        score = np.sum(standard * (y - y.mean())) / np.sqrt(n * y.mean() * (1 - y.mean()))
        theirs += 2 * ndtr(-abs(score)) <= 0.05  # the score test of a logistic regression
    assert ours >= theirs - 0.03 * runs


def test_units_and_rising_transformations_do_not_matter():
    rng = np.random.default_rng(2)
    x, y = rng.lognormal(size=400), rng.normal(size=400)
    first = trend(x, y, "mean")
    for other in (trend(np.log(x), y, "mean"), trend(3 * x + 7, 100 * y - 50, "mean")):
        assert other.statistic == pytest.approx(first.statistic)
    assert trend(-x, y, "mean").statistic == pytest.approx(-first.statistic)


def test_what_it_tells():
    x = np.repeat(np.arange(8), 100)
    y = np.tile(np.arange(100), 8) < 10 + 5 * x
    found = trend(x, y.astype(float))
    assert (found.direction, found.lower_share, found.upper_share) == ("rises", 0.25, 0.25)
    assert (found.lower_rate, found.upper_rate) == pytest.approx((0.125, 0.425))
    assert trend(x, np.ones(800)) is None
    assert trend(np.zeros(8), np.arange(8) % 2.0) is None


def test_how_far_a_trend_reaches():
    """The fitted line at the tenths at both ends, and an interval that covers it."""
    held, reaches = 0, []
    for seed in range(200):
        rng = np.random.default_rng([seed, 11])
        x = rng.random(2000)
        found = trend_test(Cells.from_arrays(x, rng.random(2000) < 0.5 + 0.2 * (x - 0.5)), "statistical_parity")
        reaches.append(found.reach)
        held += abs(found.reach - 0.09) <= 1.96 * found.reach_error
        assert found.is_within(1.0, 0.95)
        assert not found.is_within(found.reach, 0.95)
    assert np.mean(reaches) == pytest.approx(0.095, abs=0.01)  # normal scores bend the line a little outwards
    assert held >= 180
