"""How far apart groups are: from the lowest rate to the highest, the variance of Φ, how much of all dependence it is.

The intervals of the first two follow from those of Φ, which hold for all groups at once: whatever the groups were
picked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
from fairgroups.cells.moments import Moments, moments_by
from fairgroups.evidence.bounds import Bounds
from fairgroups.evidence.rates import GroupRates
from fairgroups.evidence.residual_scatter import coarse
from fairgroups.measures import Measure
from fairgroups.options import Against
from fairgroups.rows.rows import Rows, quantiles

__all__ = ["Spread", "explained_share", "rate_range", "variance_of_phi"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """A value and the interval in which it lies when the intervals of Φ hold."""

    value: float
    low: float
    high: float


def rate_range(groups: GroupRates, bounds: Bounds) -> Spread:
    """Return the difference between the highest and the lowest rate of the groups."""
    known = np.isfinite(bounds.low) & np.isfinite(bounds.high) & np.isfinite(groups.phi)
    phi, low, high = groups.phi[known], bounds.low[known], bounds.high[known]
    if phi.size < 2:
        return Spread(0.0, float("nan"), float("nan"))  # nothing is compared
    apart = low[:, None] - high[None, :]
    at_most = high[:, None] - low[None, :]
    np.fill_diagonal(apart, -np.inf)
    np.fill_diagonal(at_most, -np.inf)
    most = float(at_most.max())
    # Everybody's rate is the mean of the groups': who is apart from it is as far from some group, at least.
    least = max(float(apart.max()), float(low.max()), float(-high.min()), 0.0)
    return Spread(float(np.ptp(phi)), least, min(most, 1.0) if groups.bounded else most)


def variance_of_phi(groups: GroupRates, bounds: Bounds, against: Against = "everyone") -> Spread:
    """Return Var Φ; its interval runs over all Φ inside theirs."""
    share = groups.share
    value = groups.variance_against(against)
    if np.count_nonzero(share > 0) < 2:
        return Spread(value, float("nan"), float("nan"))
    if against == "rest":  # the mean of Φ is not 0: two groups apart by d make a variance of at least w v/(w + v) d²
        rest = np.maximum(1 - share, 1e-12)
        low_ends, high_ends = bounds.low / rest, bounds.high / rest
        apart = np.maximum(np.nan_to_num(low_ends[:, None] - high_ends[None, :]), 0.0)
        both = share[:, None] * share[None, :] / np.maximum(share[:, None] + share[None, :], 1e-12)
        most = np.nansum(share * np.maximum(np.abs(low_ends), np.abs(high_ends)) ** 2)
        return Spread(value, float(np.max(both * apart**2)), float(most))
    nearest = np.maximum(np.maximum(bounds.low, -bounds.high), 0.0)
    furthest = np.maximum(np.abs(bounds.low), np.abs(bounds.high))
    low, high = np.nansum(share * nearest**2), np.nansum(share * furthest**2)
    return Spread(value, float(low), float(high))


def explained_share(people: Cells | Rows, measure: Measure, variance: float) -> float:
    """Return the share of the dependence that groups with this variance of Φ capture.

    The dependence is estimated on about n^(1/3) bins of equal weight, a grid of them for several attributes, with the
    noise taken off; NaN where none is left above the noise.
    """
    if isinstance(people, Cells):
        return _explained(coarse(people[measure]), variance)
    return _explained(_bins(people, measure), variance)


def _explained(bins: Moments, variance: float) -> float:
    total = bins.b.sum()
    rate, share = bins.a / bins.b, bins.b / total
    between = np.sum(share * (rate - bins.a.sum() / total) ** 2)
    n = bins.effective_size
    squares = bins.aa - 2 * rate * bins.ab + rate**2 * bins.bb
    unbiased = np.divide(n, n - 1, out=np.zeros_like(n), where=n > 1)
    noise = np.sum(share * (1 - share) * squares * bins.design_effect / bins.b**2 * unbiased)
    dependence = between - noise
    # Between b bins noise alone gives about `noise`, give or take √(2/(b − 1)) of it.
    chance = 2 * noise * np.sqrt(2 / max(share.size - 1, 1))
    return float(min(variance / dependence, 1.0)) if dependence > max(chance, 1e-12 * between) else float("nan")


def _bins(rows: Rows, measure: Measure) -> Moments:
    present = ~rows.absent
    n = float(rows.times(np.ones(rows.size))[present].sum())
    n_bins = max(2, round(n ** (1 / (3 * len(rows.columns)))))
    flat = np.zeros(rows.size, dtype=np.intp)
    for column in rows.columns:
        values = np.nan_to_num(column.values)
        if column.levels is None:
            several = None if rows.count is None else rows.count[present]
            lower = np.unique(quantiles(values[present], np.arange(n_bins) / n_bins, several))
            flat = flat * lower.size + np.maximum(np.searchsorted(lower, values, side="right") - 1, 0)
        else:
            flat = flat * len(column.levels) + values.astype(np.intp)
    codes = np.where(present, np.unique(flat, return_inverse=True)[1].ravel(), -1)
    bins = moments_by(rows, measure, codes, int(codes.max()) + 1)
    keep = bins.b > 0
    return bins.map(lambda x: x[keep])
