"""Whether anything differs: the band over all ranges, or boxes, and tests without borders share one error.

A range that differs is looked for with half of the error, trends with the other half. Up to 5 000 rows the band keeps a
margin, and the two often err on the same data: there ranges have 0.4 of the error and trends 0.7, or 0.6 each where
there are few values. Of several attributes a quarter of the error is that of the test of unevenness, which sees
differences that many boxes share, and trends have the rest. Together they err about as often as the level allows
(docs/how-many.md has the simulations). Once any has found something, the intervals need only hold at once, and the band
is shown at its own level; where none has, it is shown as it was asked, so that no interval contradicts the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fairgroups.cells.cells import Cells
from fairgroups.cells.space import SpaceCells
from fairgroups.evidence.band import Band
from fairgroups.evidence.regions import Region
from fairgroups.evidence.trend import Trend, trend_test
from fairgroups.evidence.unevenness import Unevenness, unevenness_test

__all__ = ["AnyDifference", "any_difference"]

BAND_SHARE = 0.5
TREND_SHARE = 0.5
FEW, FEW_VALUES = 5000, 64
BAND_AND_TREND_OF_FEW, OF_FEW_VALUES = (0.4, 0.7), (0.6, 0.6)
UNEVENNESS_SHARE = 0.25


@dataclass(frozen=True)
class AnyDifference:
    """What the band and the tests without borders say together.

    Attributes
    ----------
    found : bool
        Whether the rate is shown to depend on the attribute.
    trend : Trend or None
        The test of a trend; of several, the most striking.
    band : Band
        The band as it may be shown.
    region : Region or None
        Where the band shows it: the cells of the range, or box, that differs most.
    unevenness : Unevenness or None
        The test of several attributes together.
    trends : tuple of Trend
        The tests of all trends.
    """

    found: bool
    trend: Trend | None
    band: Band
    region: Region | None
    unevenness: Unevenness | None = None
    trends: tuple[Trend, ...] = ()


def any_difference(band: Band, margins: Sequence[Cells] = (), min_cell: int = 1) -> AnyDifference:
    """Decide whether anything differs, with the error of the band's level.

    Parameters
    ----------
    band : Band
        The band of the people at the level of the audit.
    margins : sequence of Cells
        The people by each number alone, whose trends are tested; of one attribute the band's own cells.
    min_cell : int
        The fewest people who count in a range, or box, of whom it is told that they differ.

    Returns
    -------
    AnyDifference
    """
    error = 1 - band.level
    few, boxes = band.n <= FEW, isinstance(band.cells, SpaceCells)
    of_band, share = BAND_SHARE, TREND_SHARE
    if boxes:
        share -= UNEVENNESS_SHARE
    elif few:
        of_band, share = OF_FEW_VALUES if len(band.cells) <= FEW_VALUES else BAND_AND_TREND_OF_FEW
    tests = (trend_test(cells, band.measure, share / len(margins)) for cells in margins)
    trends = tuple(replace(test, shown=test.p_value <= error) for test in tests if test is not None)
    trend = max(trends, key=lambda test: abs(test.statistic), default=None)
    uneven = unevenness_test(band.cells, band.measure, UNEVENNESS_SHARE) if isinstance(band.cells, SpaceCells) else None
    if uneven is not None:
        uneven = replace(uneven, shown=uneven.p_value <= error)
    strict = band.at_level(1 - of_band * error)
    region = _shown(strict, min_cell)
    if region is None and not any(test is not None and test.shown for test in (trend, uneven)):
        return AnyDifference(False, trend, strict, None, uneven, trends)
    # Found by a test alone, the band need only hold at its own level.
    return AnyDifference(True, trend, band, region or _shown(band, min_cell), uneven, trends)


def _shown(band: Band, min_cell: int) -> Region | None:
    """Return the region that differs most, where its own interval shows it: of everybody, people of no value too."""
    excess, region = band.largest_excess(min_rows=min_cell, min_b=min_cell * band.one)
    apart = isinstance(band.cells, SpaceCells) and band.cells.missing  # of everybody, and in no box
    if not excess > 0 and not apart:
        return None
    region = band.standing_out(region)
    _, bounds = band.judge([region])
    return region if bounds.low[0] > 0 or bounds.high[0] < 0 else None
