"""Many numbers written as a few: as many of them, with the same sum, sum of squares and range.

What an engine knows of the numbers in a cell is how many there are, their sum, the sum of their squares, the smallest
and the largest. Rows that stand for them must have all of these, or rates and intervals would change.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["few_values"]

Array = NDArray[np.float64]
CLOSE = 1e-9


def few_values(
    n: Array, sums: Array, squares: Array, least: Array, most: Array
) -> tuple[NDArray[np.intp], Array, Array]:
    """Give, for each cell, values and how many people have each.

    Two values do where the numbers do not crowd at both ends of their range: k people at m − s √((n − k)/k) and the
    others at m + s √(k/(n − k)), m being their mean and s their standard deviation. Else some are at the ends, two lie
    in between, and what scatter is left is taken by others at one more value.

    Returns
    -------
    index, count, values : arrays
        The cell, the people and the value of each entry.
    """
    span = np.where(most > least, most - least, 1.0)
    total = np.clip((sums - n * least) / span, 0.0, n)  # of the numbers as shares of the range
    square = (squares - 2 * least * sums + n * least**2) / span**2
    inside = np.clip(total - square, 0.0, n / 4)  # Σ z (1 − z)
    mean = total / n
    spread = np.sqrt(np.maximum(mean - mean**2 - inside / n, 0.0))
    one = (n < 2) | (most <= least) | (spread <= 1e-9)
    k, two = _split(n, mean, spread)
    entries = [(np.flatnonzero(one), n[one], mean[one])]
    several = np.flatnonzero(~one & ~two)
    found, solved = _at_the_ends(n[several], total[several], inside[several])
    entries += [(several[solved][count > 0], count[count > 0], value[count > 0]) for count, value in found]
    rest = np.flatnonzero(~one & (two | np.isin(np.arange(n.size), several[~solved])))
    k, m, s, all_of = k[rest], mean[rest], spread[rest], n[rest]
    entries += [(rest, k, m - s * np.sqrt((all_of - k) / k)), (rest, all_of - k, m + s * np.sqrt(k / (all_of - k)))]
    index, count, value = (np.concatenate([entry[i] for entry in entries]) for i in range(3))
    value = np.where(two[index] | ~np.isin(index, rest), np.clip(value, 0.0, 1.0), value)
    return index.astype(np.intp), count, least[index] + value * np.where(most > least, span, 0.0)[index]


def _split(n: Array, mean: Array, spread: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return how many people take the lower of two values, and whether both lie within the range."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lowest = np.ceil(np.nan_to_num(n * spread**2 / (spread**2 + mean**2)) - CLOSE)
        highest = np.floor(np.nan_to_num(n * (1 - mean) ** 2 / (spread**2 + (1 - mean) ** 2)) + CLOSE)
    lowest, highest = np.maximum(lowest, 1), np.minimum(highest, n - 1)
    k = np.clip(np.floor(n / 2), lowest, np.maximum(highest, lowest))
    return np.clip(k, 1, np.maximum(n - 1, 1)), lowest <= highest


def _at_the_ends(n: Array, total: Array, inside: Array) -> tuple[list[tuple[Array, Array]], NDArray[np.bool_]]:
    """Put people at 0 and 1, two at values in between, and, where these scatter too little, others at one more value.

    Returns counts and values of each, for those cells where it is possible, and which they are.
    """
    best = [np.zeros((5, n.size)), np.zeros((5, n.size))]
    solved = np.zeros(n.size, dtype=bool)
    more = np.where(inside > 0.375, np.ceil(4 * (inside - 0.3)), 0.0)  # at v, with v (1 − v) = (inside − 0.3)/more
    each = np.divide(inside - 0.3, more, out=np.zeros_like(inside), where=more > 0)
    for side in (-1.0, 1.0):
        v = (1 + side * np.sqrt(np.maximum(1 - 4 * each, 0.0))) / 2
        left, still = total - more * v, np.where(more > 0, 0.3, inside)
        whole = np.floor(left + CLOSE)
        for ones, pair in ((whole, left - whole), (whole - 1, left - whole + 1)):
            gap = 2 * (pair - still) - pair**2  # (v₁ − v₂)²
            low, high = ((pair + sign * np.sqrt(np.maximum(gap, 0.0))) / 2 for sign in (-1, 1))
            zeros = n - 2 - more - ones
            fits = (gap >= -CLOSE) & (low >= -CLOSE) & (high <= 1 + CLOSE) & (ones >= 0) & (zeros >= 0) & ~solved
            alone = np.ones_like(n)
            for where, rows in zip(
                best, ([zeros, ones, alone, alone, more], [0 * n, alone, low, high, v]), strict=True
            ):
                where[:, fits] = np.stack(rows)[:, fits]
            solved |= fits
    return [(count[solved], value[solved]) for count, value in zip(*best, strict=True)], solved
