"""How far apart groups are: from the lowest rate to the highest, and the variance of Φ, with intervals.

Both intervals follow from those of Φ, which hold for all groups at once: whatever the groups were picked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups.evidence.bounds import Bounds
from fairgroups.evidence.rates import GroupRates
from fairgroups.options import Against

__all__ = ["Spread", "rate_range", "variance_of_phi"]

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
    return Spread(float(np.ptp(phi)), float(max(apart.max(), 0.0)), float(at_most.max()))


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
