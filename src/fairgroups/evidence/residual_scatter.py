"""How far values scatter around their rate: everywhere, and around a range."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from fairgroups.cells.moments import Moments

__all__ = [
    "LocalSpread",
    "coarse",
    "residual_scale",
    "scatter_of",
    "spread_of_most",
    "standard_deviation",
    "upper_scale",
]

Array = NDArray[np.float64]
FAR = 2.0  # times as far as most rows: a few extreme values do that


def residual_scale(moments: Moments) -> float:
    """Estimate the standard deviation of a row's value around the mean at its place, weights aside.

    It is an upper 95% bound for normal values, so that few rows do not promise precision; infinite for too few.
    """
    bins = coarse(moments)
    rate = bins.a / bins.b
    squares = float(np.sum(bins.aa - 2 * rate * bins.ab + rate**2 * bins.bb))
    return upper_scale(squares, float(bins.bb.sum()), float(np.sum(bins.effective_size - 1)))


def upper_scale(squares: float, total: float, freedom: float) -> float:
    """Return an upper 95% bound for a standard deviation of normal values from their sum of squares."""
    if freedom < 1:
        return float("inf")
    variance = max(squares / total, 0.0)  # Σ b² (value − mean)² over Σ b²
    return float(np.sqrt(variance * (freedom + 1) / chdtri(freedom, 0.95)))


def scatter_of(sums: Moments, least: float) -> Array:
    """Return an upper bound of the standard deviation in each group, and never less than `least`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = sums.a / sums.b
        squares = np.maximum(sums.aa - 2 * rate * sums.ab + rate**2 * sums.bb, 0.0)
    sizes = zip(squares, sums.bb, sums.effective_size, strict=True)
    found = [upper_scale(float(q), float(t), float(n) - 1) if t > 0 else np.inf for q, t, n in sizes]
    scatter: Array = np.fmax(np.array(found), least)
    return scatter


@dataclass(frozen=True)
class LocalSpread:
    """How far values scatter around a range: outcomes may vary more in some places than in others.

    `sums` are running sums over the cells, with a zero in front.
    """

    sums: Moments
    overall: float

    def of_ranges(self, start: NDArray[np.intp], stop: NDArray[np.intp]) -> tuple[Array, Array]:
        """Return the scatter in each range and in its complement, each widened by some forty rows.

        The larger of the two sides counts, as an upper bound, and never less than everybody's.
        """
        rows = np.cumsum(np.concatenate([[0.0], np.diff(self.sums.b) ** 2 / np.maximum(np.diff(self.sums.bb), 1e-300)]))
        last = np.full(start.shape, rows.size - 1)
        zero = np.zeros_like(start)
        left = np.maximum(np.searchsorted(rows, rows[start] - 40, side="right") - 1, 0)
        right = np.minimum(np.searchsorted(rows, rows[stop] + 40), last)
        own = np.fmax(self._within(rows, left, stop), self._within(rows, start, right))
        # The complement is what lies before and after, each reaching forty rows into the range if need be.
        before = np.minimum(np.searchsorted(rows, rows[start] + 40), last)
        after = np.maximum(np.searchsorted(rows, rows[stop] - 40, side="right") - 1, 0)
        rest = np.fmax(
            np.where(start > 0, self._within(rows, zero, before), 0.0),
            np.where(stop < last, self._within(rows, after, last), 0.0),
        )
        return np.fmax(own, self.overall), np.fmax(rest, self.overall)

    def _within(self, rows: Array, start: NDArray[np.intp], stop: NDArray[np.intp]) -> Array:
        own = self.sums.map(lambda x: x[stop] - x[start])
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = own.a / own.b
            squares = np.maximum(own.aa - 2 * rate * own.ab + rate**2 * own.bb, 0.0)
        sizes = zip(squares, own.bb, rows[stop] - rows[start], strict=True)
        return np.array([upper_scale(float(s), float(t), float(n) - 1) if t > 0 else np.inf for s, t, n in sizes])


def coarse(moments: Moments) -> Moments:
    """Join neighbouring cells into about n^(1/3) bins of equal B."""
    n_bins = max(2, round(moments.size ** (1 / 3)))
    below = np.cumsum(moments.b) - moments.b
    first = np.unique(np.searchsorted(below, below[-1] * np.arange(n_bins) / n_bins))
    first[0] = 0
    bins = moments.map(lambda x: np.add.reduceat(x, first))
    keep = bins.b > 0
    return bins if keep.all() else bins.map(lambda x: x[keep])


def spread_of_most(moments: Moments) -> float:
    """Return the standard deviation of a row's value, where a few extreme ones make it that of the others.

    It is that of the median of about n^(1/3) bins, where all together scatter more than twice as far.
    """
    bins = coarse(moments)
    centre = _middle(bins.a / bins.b, bins.b)  # which they do not move
    squares = np.maximum(bins.aa - 2 * centre * bins.ab + centre**2 * bins.bb, 0.0) / bins.bb
    middle = _middle(squares, bins.bb)
    whole = standard_deviation(moments)
    return math.sqrt(middle) if 0 < middle < whole**2 / FAR**2 else whole


def _middle(values: Array, weight: Array) -> float:
    """Return the weighted median."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2)])


def standard_deviation(sums: Moments) -> float:
    """Return the standard deviation of a row's value around everybody's rate."""
    mean = sums.overall
    squares = float(np.sum(sums.aa - 2 * mean * sums.ab + mean**2 * sums.bb))
    return float(np.sqrt(max(squares, 0.0) / sums.bb.sum()))
