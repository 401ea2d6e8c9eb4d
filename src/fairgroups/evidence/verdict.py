"""What may be said of a group, and whether a limit is kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.evidence.band import Band
from fairgroups.measures import Direction

__all__ = ["DIFFERENT", "LimitVerdict", "Verdict", "limit_of_groups", "limit_of_ranges", "verdicts", "worst_limit"]

Array = NDArray[np.float64]
Verdict = Literal[
    "disadvantaged",
    "advantaged",
    "above",
    "below",
    "no relevant difference",
    "no discrimination found",
    "not enough evidence",
]
LimitVerdict = Literal["kept", "exceeded", "not enough evidence"]
DIFFERENT: tuple[Verdict, ...] = ("disadvantaged", "advantaged", "below", "above")  # shown to be treated differently

_NAMES: dict[Direction, tuple[Verdict, Verdict]] = {  # a rate shown to be lower, and higher
    "better": ("disadvantaged", "advantaged"),
    "worse": ("advantaged", "disadvantaged"),
    "neutral": ("below", "above"),
}


def verdicts(low: Array, high: Array, direction: Direction, relevant_gap: float) -> list[Verdict]:
    """Judge each group by the interval of its Φ.

    Disadvantaged or advantaged (below or above for a neutral measure) where the interval excludes 0; no relevant
    difference where it lies within ± `relevant_gap`; otherwise, and for groups without an interval, not enough
    evidence.
    """
    lower, higher = _NAMES[direction]

    def one(lo: float, hi: float) -> Verdict:
        if hi < 0:
            return lower
        if lo > 0:
            return higher
        known = math.isfinite(lo) and math.isfinite(hi)
        within = known and -relevant_gap <= lo and hi <= relevant_gap
        return "no relevant difference" if within else "not enough evidence"

    return [one(float(lo), float(hi)) for lo, hi in zip(low, high, strict=True)]


def limit_of_groups(low: Array, high: Array, max_gap: float) -> LimitVerdict:
    """Whether every group's |Φ| keeps to `max_gap`.

    Exceeded if some group's lower bound of |Φ| is above it, kept if every upper bound is at most it, else not enough
    evidence.
    """
    smallest = np.maximum(np.maximum(low, -high), 0.0)
    largest = np.maximum(np.abs(low), np.abs(high))
    if np.any(smallest > max_gap):
        return "exceeded"
    return "kept" if np.all(largest <= max_gap) else "not enough evidence"


def limit_of_ranges(band: Band | None, max_gap: float) -> LimitVerdict:
    """Whether a limit is kept where no groups were found: by every range with a tenth of the people or more.

    The ranges begin and end at fortieths of the people. Without a band nothing can be said.
    """
    if band is None:
        return "not enough evidence"
    below = np.concatenate([[0.0], np.cumsum(band.cells[band.measure].b[: len(band.cells)])])
    ends = np.unique(np.searchsorted(below, below[-1] * np.arange(41) / 40))
    start, stop = (x.ravel() for x in np.meshgrid(ends, ends, indexing="ij"))
    share = (below[stop] - below[start]) / below[-1]
    wide = (share >= 0.1) & (share < 1)
    _, bounds = band.cell_ranges(start[wide], stop[wide])
    known = np.isfinite(bounds.low) & np.isfinite(bounds.high)
    if not known.any():
        return "not enough evidence"
    return limit_of_groups(bounds.low[known], bounds.high[known], max_gap)


def worst_limit(verdicts_on_limit: Sequence[LimitVerdict | None]) -> LimitVerdict | None:
    """Return the worst of several answers: exceeded, then not enough evidence, then kept."""
    order: list[LimitVerdict] = ["exceeded", "not enough evidence", "kept"]
    return next((one for one in order if one in verdicts_on_limit), None)
