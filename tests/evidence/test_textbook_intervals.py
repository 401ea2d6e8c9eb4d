"""Intervals of two rates against textbook figures and exact coverage."""

import numpy as np
import pytest
from scipy.stats import binom

from fairgroups.evidence.textbook_intervals import difference_interval, rate_interval, ratio_interval

Z = 1.959964


def newcombe(rate_1, n_1, rate_2, n_2):
    (low_1, high_1), (low_2, high_2) = rate_interval(rate_1, n_1, Z), rate_interval(rate_2, n_2, Z)
    gap = rate_1 - rate_2
    return gap - np.hypot(rate_1 - low_1, high_2 - rate_2), gap + np.hypot(high_1 - rate_1, rate_2 - low_2)


def every_outcome(n_1, n_2):
    x_1, x_2 = (x.ravel().astype(float) for x in np.meshgrid(np.arange(n_1 + 1), np.arange(n_2 + 1), indexing="ij"))
    return (x_1 / n_1, np.full_like(x_1, n_1), x_2 / n_2, np.full_like(x_2, n_2))


def coverage(bounds, n_1, n_2, p_1, p_2):
    low, high = bounds(*every_outcome(n_1, n_2))
    chance = np.outer(binom.pmf(np.arange(n_1 + 1), n_1, p_1), binom.pmf(np.arange(n_2 + 1), n_2, p_2)).ravel()
    inside = (low <= p_1 - p_2 + 1e-12) & (high >= p_1 - p_2 - 1e-12)
    return float(np.sum(chance * inside)), float(np.sum(chance * (high - low)))


def ours(*rates):
    return difference_interval(*rates, Z)


def test_the_textbook_example():
    """Newcombe (1998), table II, 56/70 against 48/80: 0.0524 to 0.3339 by his method 10."""
    low, high = newcombe(np.array([56 / 70]), np.array([70.0]), np.array([48 / 80]), np.array([80.0]))
    assert (low[0], high[0]) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    low, high = ours(np.array([56 / 70]), np.array([70.0]), np.array([48 / 80]), np.array([80.0]))
    assert (low[0], high[0]) == pytest.approx((0.052, 0.338), abs=2e-3)  # Miettinen and Nurminen's upper end is 0.3377


@pytest.mark.parametrize(("n_1", "n_2"), [(20, 20), (10, 60), (30, 30), (25, 200), (60, 400)])
def test_coverage_is_kept_also_for_small_counts(n_1, n_2):
    rng = np.random.default_rng(0)
    rates = np.concatenate([rng.random((40, 2)), 0.1 * rng.random((40, 2)), [[0.02, 0.02], [0.3, 0.3], [0.02, 0.05]]])
    found = np.array([coverage(ours, n_1, n_2, *pair)[0] for pair in rates])
    assert np.mean(found >= 0.945) >= 0.95
    assert found.min() >= 0.915
    assert found.mean() >= 0.955


@pytest.mark.parametrize(("n_1", "n_2"), [(30, 30), (25, 200), (100, 100)])
def test_hardly_wider_than_newcombe(n_1, n_2):
    for p_1, p_2 in [(0.02, 0.02), (0.3, 0.3), (0.1, 0.4), (0.5, 0.5), (0.05, 0.2)]:
        width, usual = coverage(ours, n_1, n_2, p_1, p_2)[1], coverage(newcombe, n_1, n_2, p_1, p_2)[1]
        assert width <= 1.05 * usual


def test_rates_of_nobody_and_of_everybody():
    rate, n = np.array([0.0, 1.0, 0.0, 1.0]), np.array([5.0, 5.0, 1.0, 400.0])
    low, high = rate_interval(rate, n, Z)
    assert np.all((low >= 0) & (low <= rate) & (rate <= high) & (high <= 1))
    low, high = difference_interval(rate, n, rate[::-1].copy(), n[::-1].copy(), Z)
    assert np.all((low >= -1 - 1e-9) & (high <= 1 + 1e-9) & (low <= high))


def test_the_ratio_agrees_with_the_difference():
    rng = np.random.default_rng(1)
    n_1, n_2 = (rng.integers(5, 200, 500).astype(float) for _ in range(2))
    rate_1, rate_2 = rng.binomial(n_1.astype(int), 0.3) / n_1, rng.binomial(n_2.astype(int), 0.4) / n_2
    gap = difference_interval(rate_1, n_1, rate_2, n_2, Z)
    ends = rate_interval(rate_1, n_1, Z), rate_interval(rate_2, n_2, Z)
    low, high = ratio_interval(rate_1, ends[0], rate_2, ends[1], gap)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = rate_1 / rate_2
    known = np.isfinite(ratio)
    assert np.all((low <= ratio + 1e-9)[known] & (ratio <= high + 1e-9)[known])
    assert np.array_equal((gap[0] > 0) | (gap[1] < 0), (low > 1) | (high < 1))
