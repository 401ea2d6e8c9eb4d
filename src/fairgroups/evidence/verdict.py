"""What may be said of a group."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.measures import Direction

__all__ = [
    "DIFFERENT",
    "USUAL_GAP",
    "Headline",
    "Verdict",
    "usual_gap",
    "verdicts",
]

Array = NDArray[np.float64]
Verdict = Literal[
    "disadvantaged",
    "advantaged",
    "higher",
    "lower",
    "depends",
    "no relevant difference",
    "no difference found",
    "reference",
    "nobody to compare with",
    "not enough evidence",
]
Headline = Literal["different", "depends", "no difference found", "not enough evidence"]
DIFFERENT: tuple[Verdict, ...] = ("disadvantaged", "advantaged", "lower", "higher")  # shown to be treated differently

_NAMES: dict[Direction, tuple[Verdict, Verdict]] = {  # a rate shown to be lower, and higher
    "better": ("disadvantaged", "advantaged"),
    "worse": ("advantaged", "disadvantaged"),
    "neutral": ("lower", "higher"),
}


USUAL_GAP = 0.05  # of rates that are not rare


def usual_gap(*, bounded: bool, overall: float, spread: float) -> float:
    """Return what is of no concern unless somebody says otherwise.

    Of rates 5 points, or a fifth of the rarer of yes and no where that is less: 5 points on top of 2% would be more
    than three times as many. Of other outcomes a fifth of the standard deviation.
    """
    if not bounded:
        return 0.2 * spread
    return min(USUAL_GAP, 0.2 * max(min(overall, 1 - overall), 0.0))


def verdicts(low: Array, high: Array, direction: Direction, relevant_gap: float) -> list[Verdict]:
    """Judge each group by the interval of its Φ.

    Disadvantaged or advantaged (lower or higher where no direction is known) where the interval excludes 0; no relevant
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
