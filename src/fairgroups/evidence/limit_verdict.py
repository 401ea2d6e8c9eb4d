"""Whether a limit on differences, on harm or on ratios is kept, by intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.evidence.band import Band
from fairgroups.evidence.bounds import Bounds
from fairgroups.measures import Direction

__all__ = ["LimitVerdict", "limit_of_groups", "limit_of_harm", "limit_of_ratios", "wide_ranges", "worst_limit"]

Array = NDArray[np.float64]
LimitVerdict = Literal["kept", "exceeded", "not enough evidence"]


def limit_of_groups(low: Array, high: Array, max_gap: float) -> LimitVerdict:
    """Whether every group's |Φ| keeps to `max_gap`.

    Exceeded if some group's lower bound of |Φ| is above it, kept if every upper bound is at most it, else not enough
    evidence.
    """
    smallest = np.maximum(np.maximum(low, -high), 0.0)
    largest = np.maximum(np.abs(low), np.abs(high))
    return _three(smallest, largest, max_gap)


def limit_of_harm(low: Array, high: Array, direction: Direction, max_harm: float) -> LimitVerdict:
    """Whether no group's difference is to its harm by more than `max_harm`; advantages do not count."""
    return _three(low, high, max_harm) if direction == "worse" else _three(-high, -low, max_harm)


def limit_of_ratios(low: Array, high: Array, min_ratio: float) -> LimitVerdict:
    """Whether the smaller of two rates is at least `min_ratio` of the larger one, for each group and the best."""
    with np.errstate(divide="ignore"):
        up = np.where(high > 1, np.minimum(1 / np.maximum(low, 1e-300), 1.0), high)  # a rate above the best one's
        down = np.minimum(low, np.where(high > 0, 1 / high, 1.0))
    up = np.where((low <= 1) & (high >= 1), 1.0, up)
    return _three(-up, -down, -min_ratio)


def _three(smallest: Array, largest: Array, most: float) -> LimitVerdict:
    if np.any(smallest > most):
        return "exceeded"
    return "kept" if np.all(largest <= most) else "not enough evidence"


def wide_ranges(band: Band) -> Bounds | None:
    """Return the intervals of ranges or boxes with a tenth of the people or more; see `Band.wide_regions`."""
    _, bounds = band.judge(band.wide_regions())
    known = np.isfinite(bounds.low) & np.isfinite(bounds.high)
    return bounds.at(known) if known.any() else None


def worst_limit(verdicts_on_limit: Sequence[LimitVerdict | None]) -> LimitVerdict | None:
    """Return the worst of several answers: exceeded, then not enough evidence, then kept."""
    order: list[LimitVerdict] = ["exceeded", "not enough evidence", "kept"]
    return next((one for one in order if one in verdicts_on_limit), None)
