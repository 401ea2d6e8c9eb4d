"""Whether the rate rises or falls with the attribute, wherever the line may lie: one test without any border.

People are scored by their rank, the mean of the rank itself and of its normal score, so that neither the unit nor a
rising transformation of the attribute matters. The statistic is the sum of score times outcome, over the root of its
variance when the rate is the same everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from fairgroups.cells.cells import Cells
from fairgroups.measures import Measure

__all__ = ["Trend", "trend_test"]

Array = NDArray[np.float64]
QUARTER, TENTH, FEWEST = 0.25, 0.1, 5


@dataclass(frozen=True)
class Trend:
    """How the rate goes with the attribute.

    Attributes
    ----------
    direction : {"rises", "falls"}
        Which way.
    statistic : float
        Standard normal where the rate does not depend on the attribute.
    p_value : float
        Two-sided, and adjusted for the share of the error that the test is given: it is shown where this is at most
        1 − level.
    lower_rate, upper_rate : float
        The rates at the two ends of the attribute.
    lower_share, upper_share : float
        Which share of the people these ends are: a quarter, as nearly as the values allow.
    attribute : str
        Which attribute it is of.
    shown : bool
        Whether the audit may say so, at its level.
    reach, reach_error : float
        How far the rate of the tenth of the people at an end lies from everybody's by this trend, at the end where that
        is more, and its standard error.
    """

    direction: Literal["rises", "falls"]
    statistic: float
    p_value: float
    lower_rate: float
    upper_rate: float
    lower_share: float
    upper_share: float
    attribute: str = ""
    shown: bool = False
    reach: float = 0.0
    reach_error: float = 0.0

    def is_within(self, gap: float, level: float) -> bool:
        """Return whether the trend is shown, at this level, to take no end further than this gap from everybody."""
        return self.reach + float(ndtri((1 + level) / 2)) * self.reach_error <= gap


def trend_test(cells: Cells, measure: Measure | str, share: float = 1.0) -> Trend | None:
    """Test whether the rate goes with the attribute.

    Parameters
    ----------
    cells : Cells
        The people.
    measure : Measure or str
        Which rate.
    share : float
        Which share of the error the test is given; its p-value is divided by it.

    Returns
    -------
    Trend or None
        None where everybody has the same value or the same outcome.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups import Cells
    >>> from fairgroups.evidence.trend import trend_test
    >>> age = np.arange(18, 68)
    >>> trend_test(Cells.from_arrays(age, age > 40), "statistical_parity").direction
    'rises'
    """
    moments = cells[measure].map(lambda x: x[: len(cells)])
    used = moments.b > 0
    moments = moments.map(lambda x: x[used])
    if moments.b.size < 2 or moments.size < FEWEST:  # or a few weigh as much as all others
        return None
    b = moments.b / moments.b.sum()
    rank = np.cumsum(b) - b / 2
    score = math.sqrt(12) * (rank - 0.5) + ndtri(rank)
    score -= np.sum(b * score)
    rate = moments.overall
    name = measure if isinstance(measure, str) else measure.name
    if name in cells.matching:  # among people alike in the factors
        at = np.flatnonzero(used)
        variance = float(score @ cells.matching[name].variance[np.ix_(at, at)] @ score)
    else:
        squares = np.maximum(moments.aa - 2 * rate * moments.ab + rate**2 * moments.bb, 0.0)
        variance = float(np.sum(score**2 * squares * moments.design_effect))
    if not variance > 0:
        return None
    statistic = float(np.sum(score * (moments.a - rate * moments.b))) / math.sqrt(variance)
    below = np.cumsum(b)
    start = int(np.argmin(np.abs(below[:-1] - QUARTER))) + 1
    stop = int(np.argmin(np.abs(1 - below[:-1] - QUARTER))) + 1
    ends = [slice(None, start), slice(stop, None)]
    lower, upper = (float(moments.a[end].sum() / moments.b[end].sum()) + moments.offset for end in ends)
    if name in cells.matching:  # what is left of the rate, on top of everybody's
        everybody = cells.matching[name].raw
        lower, upper = (end + everybody.overall + everybody.offset for end in (lower, upper))
    p_value = min(1.0, 2 * float(ndtr(-abs(statistic))) / share)
    first, last = (float(b[end].sum()) for end in ends)
    # The fitted rate goes with the score, so that its ends lie as far out as the mean scores of their people.
    sums = np.append(0.0, np.cumsum(b * score))
    ends_score = [
        sums[-1] - np.interp(1 - TENTH, np.append(0.0, below), sums),
        np.interp(TENTH, np.append(0.0, below), sums),
    ]
    per_statistic = math.sqrt(variance) / float(np.sum(moments.b * score**2)) * float(max(map(abs, ends_score))) / TENTH
    return Trend(
        "rises" if statistic > 0 else "falls",
        statistic,
        p_value,
        lower,
        upper,
        first,
        last,
        cells.name,
        reach=abs(statistic) * per_statistic,
        reach_error=per_statistic,
    )
