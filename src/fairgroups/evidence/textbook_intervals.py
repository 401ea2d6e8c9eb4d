"""One rate, the difference and the ratio of two, for groups that were named in advance: textbook intervals.

The difference has the wider of Newcombe's and Miettinen and Nurminen's ends. Each alone falls short for some small
counts, the other one where the first does not; together they hold, and are hardly wider than either. All functions
work on arrays; `z` is the normal quantile, and sizes need not be whole, so that weighted rows enter by their effective
number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr

__all__ = ["difference_interval", "rate_interval", "ratio_interval"]

Array = NDArray[np.float64]
Pair = tuple[Array, Array]
FEW = 5  # of the rarer outcome, below which the usual approximations fail


def rate_interval(rate: Array, n: Array, z: Array | float, usual: float = 0.5) -> Pair:
    """Return Wilson's interval of a rate; where few are expected to have the rarer outcome, one that never falls short.

    One person with an outcome that is rare otherwise would else be a finding as often as one has it. `usual` is the
    rate that is expected; where it makes fewer than five of the rarer kind the exact interval (Clopper and Pearson) is
    taken where it is wider.
    """
    inflation = 1 + z**2 / n
    centre = (rate + z**2 / (2 * n)) / inflation
    half = z / inflation * np.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2))
    low, high = np.clip(centre - half, 0.0, rate), np.clip(centre + half, rate, 1.0)
    few = n * min(usual, 1 - usual) < FEW
    if not np.any(few):
        return low, high
    yes, tail = rate * n, ndtr(-np.asarray(z))
    least = np.where(yes > 0, betaincinv(np.maximum(yes, 1e-9), n - yes + 1, tail), 0.0)
    most = np.where(yes < n, betaincinv(yes + 1, np.maximum(n - yes, 1e-9), 1 - tail), 1.0)
    return np.where(few, np.fmin(low, least), low), np.where(few, np.fmax(high, most), high)


def difference_interval(
    rate_1: Array, n_1: Array, rate_2: Array, n_2: Array, z: Array | float, usual: float = 0.5
) -> Pair:
    """Return an interval of μ_1 − μ_2; see `rate_interval`."""
    ends = rate_interval(rate_1, n_1, z, usual), rate_interval(rate_2, n_2, z, usual)
    low, high = _recovered(rate_1, ends[0], rate_2, ends[1])
    by_score = _lower_score(rate_1, n_1, rate_2, n_2, z), -_lower_score(rate_2, n_2, rate_1, n_1, z)
    return np.fmin(low, by_score[0]), np.fmax(high, by_score[1])


def ratio_interval(value_1: Array, ends_1: Pair, value_2: Array, ends_2: Pair, difference: Pair) -> Pair:
    """Return an interval of μ_1/μ_2 from those of both (Donner and Zou), for values of at least 0.

    It holds 1 wherever the interval of the difference holds 0, so that the two never contradict each other.
    """

    def end(own: Array, other: Array, sign: int) -> Array:
        product = value_1 * value_2
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            inner = np.maximum(product**2 - own * other * (2 * value_1 - own) * (2 * value_2 - other), 0.0)
            found: Array = (product + sign * np.sqrt(inner)) / (other * (2 * value_2 - other))
        return found

    low = end(ends_1[0], np.minimum(ends_2[1], 2 * value_2), -1)
    low = np.where((value_1 <= 0) | ~np.isfinite(low), 0.0, np.maximum(low, 0.0))
    high = np.where(ends_2[0] > 0, end(ends_1[1], ends_2[0], 1), np.inf)
    same = (difference[0] <= 0) & (difference[1] >= 0)
    return np.where(same, np.minimum(low, 1.0), low), np.where(same, np.maximum(high, 1.0), high)


def _recovered(value_1: Array, ends_1: Pair, value_2: Array, ends_2: Pair) -> Pair:
    """Return the interval of a difference from those of its two parts (method of variance estimates recovery)."""
    gap = value_1 - value_2
    low = gap - np.hypot(value_1 - ends_1[0], ends_2[1] - value_2)
    return low, gap + np.hypot(ends_1[1] - value_1, value_2 - ends_2[0])


def _lower_score(rate_1: Array, n_1: Array, rate_2: Array, n_2: Array, z: Array | float) -> Array:
    """Return the smallest difference that the score test does not reject (Miettinen and Nurminen 1985)."""
    outside, inside = np.full_like(rate_1, -1.0), rate_1 - rate_2
    for _ in range(50):
        middle = (outside + inside) / 2
        ok = _score(rate_1, n_1, rate_2, n_2, middle) <= z
        inside, outside = np.where(ok, middle, inside), np.where(ok, outside, middle)
    return outside


def _score(rate_1: Array, n_1: Array, rate_2: Array, n_2: Array, gap: Array) -> Array:
    """Return the score statistic of a difference, with the likeliest rates that have it."""
    weight = n_2 / n_1
    a = 1 + weight
    b = -(1 + weight + rate_1 + weight * rate_2 + gap * (weight + 2))
    c = gap**2 + gap * (2 * rate_1 + weight + 1) + rate_1 + weight * rate_2
    d = -rate_1 * gap * (1 + gap)
    v = (b / (3 * a)) ** 3 - b * c / (6 * a**2) + d / (2 * a)
    u = np.where(v < 0, -1.0, 1.0) * np.sqrt(np.maximum((b / (3 * a)) ** 2 - c / (3 * a), 0.0))
    cosine = np.divide(v, u**3, out=np.zeros_like(v), where=u != 0)
    first = 2 * u * np.cos((np.pi + np.arccos(np.clip(cosine, -1.0, 1.0))) / 3) - b / (3 * a)
    first = np.clip(first, np.maximum(gap, 0.0), np.minimum(1.0, 1 + gap))
    second = np.clip(first - gap, 0.0, 1.0)
    variance = (first * (1 - first) / n_1 + second * (1 - second) / n_2) * (n_1 + n_2) / np.maximum(n_1 + n_2 - 1, 1.0)
    score: Array = (rate_1 - rate_2 - gap) / np.sqrt(np.maximum(variance, 1e-300))
    return score
