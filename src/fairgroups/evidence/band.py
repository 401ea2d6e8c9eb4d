"""The band: intervals of rate and Φ that hold for every range of the attribute at once.

Because they hold for all ranges together, they hold for the groups that a search picked on the same rows, and for any
range that a reader picks after looking at the picture.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
from fairgroups.cells.moments import Moments
from fairgroups.cells.space import SpaceCells
from fairgroups.errors import InputError
from fairgroups.evidence.band_width import Quantiles, from_table, simulated
from fairgroups.evidence.bounds import Bounds, interval_bounds
from fairgroups.evidence.box_width import boxes_from_table, boxes_simulated
from fairgroups.evidence.boxes import Boxes
from fairgroups.evidence.likelihood import smallest_shown
from fairgroups.evidence.ranges import Ranges
from fairgroups.evidence.rates import GroupRates
from fairgroups.evidence.regions import Least, Many, Region, Regions, Rule, as_many
from fairgroups.measures import Measure
from fairgroups.options import BAND_WIDTHS, BandWidth, level_of, one_of
from fairgroups.partition.sides import Interval, Levels

__all__ = ["Band", "RangeEvidence"]

Array = NDArray[np.float64]
FEW_CELLS = 200
MOST_PEOPLE = 2 / 3  # beyond, it is the others who stand out
# How far the root of a difference must lie beyond what chance allows to be noticed in 80% of samples, by a share of the
# people; with few cells hardly any other range but the very one is there to be noticed (simulated; docs/how-many.md).
SHARES, POWER_OF_FEW_CELLS, POWER_OF_MANY_CELLS = (0.05, 0.1, 0.25, 0.5), (0.7, 0.6, 0.25, 0.2), 0.0
POWER_OF_BOXES = (0.45, 0.37, 0.27, 0.2)


@dataclass(frozen=True)
class RangeEvidence:
    """What is known of the people in one range of the attribute, or in one box of several.

    `low` and `high` bound Φ; `rate_low` and `rate_high` the rate. `sides` holds the values, one side for each
    attribute; of one attribute, `first` and `last` are its ends.
    """

    sides: tuple[Interval | Levels, ...]
    n: int
    rate: float
    rate_low: float
    rate_high: float
    phi: float
    low: float
    high: float

    @property
    def first(self) -> float:
        """The lowest value of one attribute."""
        return min(self.sides[0].ends, default=math.nan)

    @property
    def last(self) -> float:
        """The highest value of one attribute."""
        return max(self.sides[0].ends, default=math.nan)


class Band:
    """Simultaneous intervals for all ranges of a sensitive attribute, or for all boxes of several.

    Parameters
    ----------
    cells : Cells or SpaceCells
        The data: cells of one attribute, or of several.
    measure : Measure or str
        Which rate.
    level : float
        How often all intervals are to hold at once.
    band_width : {"auto", "table", "simulate"}
        Where the width comes from: a table that is safe for any cells, or a simulation on these very cells, which is
        sharper when there are few. ``"auto"`` simulates for up to 200 cells of unweighted yes/no outcomes. Over boxes
        ``"auto"`` simulates.
    seed : int
        For the simulation on the line.

    Notes
    -----
    For rates between 0 and 1 the Bernoulli likelihood is used. Other outcomes are taken as sub-Gaussian with an
    estimated scale. Weights enter by the effective number of rows. Rows are taken to be independent.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups import Band, Cells
    >>> age = np.repeat(np.arange(20, 60), 50)
    >>> hired = np.tile([0, 1], 1000) * (age >= 30)
    >>> band = Band(Cells.from_arrays(age, hired), "statistical_parity")
    >>> young = band.interval(20, 29)
    >>> young.rate, young.high < -0.3
    (0.0, True)
    """

    def __init__(
        self,
        cells: Cells | SpaceCells,
        measure: Measure | str,
        *,
        level: float = 0.95,
        band_width: BandWidth = "auto",
        seed: int = 0,
    ) -> None:
        one_of(band_width, "band_width", BAND_WIDTHS)
        moments = cells[measure]
        self.cells = cells
        self.measure = measure
        self.bounded = moments.bounded
        self._moments = moments
        self._regions: Regions = Ranges(cells, moments) if isinstance(cells, Cells) else Boxes(cells, moments)
        self.n = moments.size
        self.overall = moments.overall + moments.offset
        self._seed, self._band_width = seed, band_width
        self._weight = float(moments.noise.sum() / moments.b.sum())
        self.equal_weights = _are_times(moments.noise, moments.b, self._weight)
        self._rows = float(cells.rows.sum())
        self.one = float(moments.b.sum() / max(moments.size, 1.0)) * (1 - 1e-9)  # what a person who counts adds to B
        self.scale = None if self.bounded else self._regions.scale
        self._set_level(level)

    def _set_level(self, level: float) -> None:
        self.level = level_of(level)
        self._least_root = math.sqrt(2 * math.log(2 / (1 - level)))
        self.quantiles = self._widths()

    def at_level(self, level: float) -> Band:
        """Return the band of the same people at another level, without summing anything again."""
        if level == self.level:
            return self
        other = copy.copy(self)
        other._set_level(level)  # noqa: SLF001
        return other

    def __repr__(self) -> str:
        return f"Band({self.cells.name or 'x'!r}, level={self.level}, {self.n:,.0f} rows, {self.quantiles.source})"

    def _widths(self) -> Quantiles:
        m, band_width = self._moments, self._band_width
        if isinstance(self.cells, SpaceCells):
            rate = m.overall if self.bounded else None
            known = boxes_from_table(self.cells, self.n, rate, self.level) if band_width == "table" else None
            rows = self.cells.rows.astype(np.float64)
            return known or boxes_simulated(self.cells, m, rows, self.level, equal_weights=self.equal_weights)
        one = float(m.bb.sum() / m.b.sum())  # each row's weight, where all are equal
        plain = self.equal_weights and _are_times(m.aa, m.a, one)  # 0/1
        can = self.bounded and plain
        if band_width == "simulate" and not can:
            raise InputError(
                "the band's width can be simulated only for unweighted yes/no outcomes.",
                "leave band_width='auto'.",
            )
        few = np.count_nonzero(m.b) <= FEW_CELLS
        if can and (band_width == "simulate" or (band_width == "auto" and few)):
            return simulated(np.rint(m.b / self._weight).astype(np.int64), m.overall, self.level, seed=self._seed)
        return from_table(self.n, m.overall if self.bounded else None, self.level)

    @property
    def whole(self) -> Region:
        """The region of everybody whose attributes are known."""
        return self._regions.whole

    def judge(self, regions: Many | Sequence[Region]) -> tuple[Moments, Bounds]:
        """Return sums and bounds of regions of cells; see `fairgroups.evidence.regions`."""
        many = regions if isinstance(regions, np.ndarray) else as_many(regions)
        own, rows = self._regions.sums(many)
        total = self._moments
        b, a, noise = (float(getattr(total, x).sum()) - getattr(own, x) for x in ("b", "a", "noise"))
        n = np.minimum(own.effective_size, self.n)
        rest = np.divide(b**2, noise, out=np.zeros_like(b), where=noise > 0)
        # With few cells and rare events the quantile may be small: never less than Chernoff's bound for one range.
        rate_root = np.maximum(self.quantiles.rate + self._penalty(n, rows), self._least_root)
        phi_penalty = self._penalty(np.minimum(n, rest), np.minimum(rows, self._rows - rows))
        phi_root = np.maximum(self.quantiles.phi + phi_penalty, self._least_root)
        scale = None if self.scale is None else self._regions.spread(many, self.scale)
        return own, interval_bounds(own, n, (a, b, noise), rate_root, phi_root, scale)

    def _penalty(self, n: Array, rows: Array) -> Array:
        ratio = self.n / np.maximum(n, 1e-9)
        if not self.equal_weights:  # light rows make many ranges, however little they weigh
            ratio = np.maximum(ratio, self._rows / np.maximum(rows, 1.0))
        penalty: Array = self.quantiles.penalty * np.sqrt(2 * (1 + np.log(np.maximum(ratio, 1.0))))
        return penalty

    def most_different(self) -> RangeEvidence:
        """Return the range, or box, that differs most from everybody outside it, beyond what chance allows.

        Returns
        -------
        RangeEvidence
            Its values are in `sides`; `low` and `high` say whether it is shown to differ.

        Examples
        --------
        >>> import fairgroups as fg
        >>> data = fg.make_synthetic(5000)
        >>> audit = fg.audit({"tone": data.sensitive, "yes": data.outcome}, sensitive="tone", outcome="yes")
        >>> found = audit.band.most_different()
        >>> found.low > 0 or found.high < 0
        True
        """
        return self.evidence(self.standing_out(self.largest_excess()[1]))

    def standing_out(self, region: Region) -> Region:
        """Return those who are not in a region of most people, where they make one: it is they who stand out."""
        rest = self._regions.all_but(region)
        if rest is None:
            return region
        _, rows = self._regions.sums(as_many([region, rest]))
        both = abs(float(rows.sum()) - self._rows) < 0.5  # else people of no value are apart from both
        return rest if both and rows[0] > MOST_PEOPLE * self._rows else region

    def largest_excess(
        self,
        within: Region | None = None,
        *,
        min_rows: float = 1,
        min_b: float = 0.0,
        marks: NDArray[np.intp] | None = None,
        decide: bool = False,
    ) -> tuple[float, Region]:
        """Find the region inside a region of cells that differs most from the rest of it.

        Returns by how much its likelihood root exceeds what chance allows, over all regions at once, and its cells: up
        to 0 the region is homogeneous as far as this data can tell. Regions with fewer than `min_rows` rows or less B
        than `min_b`, or that leave less, are passed over; with `marks` only ranges between these cells are looked at,
        and with `decide` any that differs will do, which is quicker. For unweighted yes/no outcomes all the people are
        homogeneous exactly when no region's interval of Φ excludes 0.
        """
        scale = 0.0 if self.scale is None else self.scale
        rule = Rule(
            self.quantiles.phi, self.quantiles.penalty, self._least_root, self.n, self._rows, self.equal_weights, scale
        )
        within = self.whole if within is None else within
        least = Least(float(min_rows), min_b)
        return self._regions.most_different(within, rule, least, marks, decide=decide)

    def wide_regions(self) -> Many:
        """Return the ranges of a tenth of the people or more that begin and end at fortieths of them.

        Of several attributes, boxes between fewer places, some thousands in all.
        """
        return self._regions.wide()

    def interval(self, *ends: float | None, **named: Any) -> RangeEvidence:
        """Judge the people whose attribute lies between two values, both included; None leaves an end open.

        Of several attributes name the sides: ``band.interval(age=(18, 29), income=(None, 20_000), sex="Female")``;
        those not named stay open. The interval holds whatever the reason for picking the range, also after looking at
        the data. On a grid of cells the range is widened to whole cells: rate and interval are those of `sides`.

        Returns
        -------
        RangeEvidence
        """
        if len(ends) > 2:
            raise InputError(f"a range has two ends; got {len(ends)}.")
        region = self._regions.asked(ends, named)
        own, _ = self._regions.sums(as_many([region]))
        if not own.b[0] > 0:
            raise InputError("nobody in this range counts in this measure: B is 0.", "widen the range.")
        return self.evidence(region)

    def evidence(self, region: Region) -> RangeEvidence:
        """Judge the people of a region of cells."""
        own, bounds = self.judge([region])
        _, rows = self._regions.sums(as_many([region]))
        return RangeEvidence(
            sides=self._regions.sides(region),
            n=round(float(rows[0])),
            rate=float(own.rate[0]),
            rate_low=float(bounds.rate_low[0]),
            rate_high=float(bounds.rate_high[0]),
            phi=float(own.a[0] / own.b[0]) - self._moments.overall,
            low=float(bounds.low[0]),
            high=float(bounds.high[0]),
        )

    def bounds(self, groups: GroupRates) -> Bounds:
        """Return intervals for the groups of a partition; a group of several ranges gets the sum of theirs."""
        return self.bounds_of_all([groups])[0]

    def bounds_of_all(self, several: Sequence[GroupRates]) -> list[Bounds]:
        """Return the intervals of several partitions, worked out together."""
        found = [self._regions.of_groups(groups) for groups in several]
        own, parts = self.judge(np.concatenate([many for many, _ in found]))
        out, end = [], 0
        for groups, (many, owners) in zip(several, found, strict=True):
            mine = slice(end, end := end + many.shape[0])
            cut = Bounds(*(getattr(parts, field.name)[mine] for field in fields(Bounds)))
            out.append(self._together(groups, owners, own.b[mine], cut))
        return out

    @staticmethod
    def _together(groups: GroupRates, owner: NDArray[np.intp], b: Array, parts: Bounds) -> Bounds:
        use = (owner >= 0) & (b > 0)
        n_groups = groups.partition.n_groups
        weight = np.bincount(owner[use], b[use], n_groups)

        def combine(ends: Array) -> Array:
            total = np.bincount(owner[use], (b * ends)[use], n_groups)
            mean = np.full(n_groups, np.nan)
            np.divide(total, weight, out=mean, where=weight > 0)
            return mean

        return Bounds(*(combine(getattr(parts, field.name)) for field in fields(Bounds)))

    def detectable(self, share: float) -> float:
        """Return the smallest difference from everybody at which a range with this share is noticed in 80% of samples.

        Wherever the range lies: what is noticed may also be a range that reaches a little further, or a trend, so that
        the range itself need not be shown. NaN where no rate could be far enough. The larger of the two sides, below
        and above everybody.
        """
        few = self.quantiles.penalty < 1
        power = float(np.interp(share, SHARES, POWER_OF_FEW_CELLS)) if few else POWER_OF_MANY_CELLS
        if isinstance(self.cells, SpaceCells):
            power = float(np.interp(share, SHARES, POWER_OF_BOXES))
        n, rest = np.array([share * self.n]), np.array([(1 - share) * self.n])
        root = np.maximum(
            self.quantiles.phi + self.quantiles.penalty * np.sqrt(2 * (1 + np.log(self.n / np.minimum(n, rest)))),
            self._least_root,
        )
        if self.scale is not None:
            return float((1 - share) * (root[0] + power) * self.scale * math.sqrt(1 / n[0] + 1 / rest[0]))
        below, above = smallest_shown(
            np.clip([self._moments.overall], 0.0, 1.0), n, rest, np.array([share]), root, power
        )
        return float(np.fmax(below, above)[0])


def _are_times(many: Array, sums: Array, factor: float) -> bool:
    """Whether the first are the second times one factor; looked at no further where they are the same array."""
    return (many is sums and factor == 1) or bool(np.allclose(many, sums * factor, rtol=1e-9, atol=0))
