"""Whether anything differs along the attribute: the band over all ranges and the trend share one error.

A range that differs is looked for with half of the error, a trend with the other half, so that together they err no more
often than the level allows (docs/how-many.md has the simulations). Once either has
found something, the intervals need only hold at once, and the band is shown at its own level; where neither has, it is
shown as it was asked, so that no interval contradicts the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fairgroups.evidence.band import Band
from fairgroups.evidence.trend import Trend, trend_test

__all__ = ["AnyDifference", "any_difference"]

BAND_SHARE = 0.5
TREND_SHARE = 0.5


@dataclass(frozen=True)
class AnyDifference:
    """What the band and the trend say together.

    Attributes
    ----------
    found : bool
        Whether the rate is shown to depend on the attribute.
    trend : Trend or None
        The test of a trend.
    band : Band
        The band as it may be shown.
    cells : pair of int or None
        Where the band shows it: the cells of the range that differs most.
    """

    found: bool
    trend: Trend | None
    band: Band
    cells: tuple[int, int] | None


def any_difference(band: Band) -> AnyDifference:
    """Decide whether anything differs, with the error of the band's level.

    Parameters
    ----------
    band : Band
        The band of the people at the level of the audit.

    Returns
    -------
    AnyDifference
    """
    n, error = len(band.cells), 1 - band.level
    trend = trend_test(band.cells, band.measure, TREND_SHARE)
    if trend is not None:
        trend = replace(trend, shown=trend.p_value <= error)
    strict = band.at_level(1 - BAND_SHARE * error)
    excess, *_ = strict.if_none_differs().most_different(0, n)
    found = excess > 0 or (trend is not None and trend.shown)
    if not found:
        return AnyDifference(False, trend, strict, None)
    excess, *where = band.most_different(0, n)  # which need only hold at its own level
    if excess <= 0 and not (trend is not None and trend.shown):  # nothing could be named
        return AnyDifference(False, trend, strict, None)
    return AnyDifference(True, trend, band, (where[0], where[1]) if excess > 0 else None)
