"""The band: intervals of rate and Φ that hold for every range of the attribute at once.

Because they hold for all ranges together, they hold for the groups that a search picked on the same rows, and for any
range that a reader picks after looking at the picture.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from fairgroups._kernels import most_different
from fairgroups.cells.cells import Cells
from fairgroups.cells.moments import Moments
from fairgroups.errors import InputError
from fairgroups.evidence.band_width import Quantiles, from_table, simulated
from fairgroups.evidence.bounds import Bounds, interval_bounds
from fairgroups.evidence.likelihood import smallest_shown
from fairgroups.evidence.rates import GroupRates
from fairgroups.evidence.scatter import LocalSpread, residual_scale
from fairgroups.measures import Measure
from fairgroups.options import BAND_WIDTHS, BandWidth, one_of, share_of

__all__ = ["Band", "RangeEvidence"]

Array = NDArray[np.float64]
FEW_CELLS = 200
# How far the root of a difference must lie beyond what chance allows to be noticed in 80% of samples, by a share of the
# people; with few cells hardly any other range but the very one is there to be noticed (simulated; docs/how-many.md).
SHARES, POWER_OF_FEW_CELLS, POWER_OF_MANY_CELLS = (0.05, 0.1, 0.25, 0.5), (0.7, 0.6, 0.25, 0.2), 0.0


@dataclass(frozen=True)
class RangeEvidence:
    """What is known of the people in one range of the attribute.

    `low` and `high` bound Φ; `rate_low` and `rate_high` the rate. `first` and `last` are the ends of the cells that
    the range covers.
    """

    first: float
    last: float
    n: int
    rate: float
    rate_low: float
    rate_high: float
    phi: float
    low: float
    high: float


class Band:
    """Simultaneous intervals for all ranges of a sensitive attribute.

    Parameters
    ----------
    cells : Cells
        The data.
    measure : Measure or str
        Which rate.
    level : float
        How often all intervals are to hold at once.
    band_width : {"auto", "table", "simulate"}
        Where the width comes from: a table that is safe for any cells, or a simulation on these very cells, which is
        sharper when there are few. ``"auto"`` simulates for up to 200 cells of unweighted yes/no outcomes.
    seed : int
        For the simulation.

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
        cells: Cells,
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
        self._sums = moments.map(lambda x: np.concatenate([[0.0], np.cumsum(x)]))
        self._moments = moments
        self.n = moments.size
        self.overall = moments.overall + moments.offset
        self._seed, self._band_width = seed, band_width
        self._weight = float(self._sums.noise[-1] / self._sums.b[-1])
        self.equal_weights = bool(np.allclose(moments.noise, moments.b * self._weight, rtol=1e-9))
        self._counts = cells.rows.astype(np.float64)
        self._rows = np.concatenate([[0.0], np.cumsum(cells.rows)])
        self.scale = None if self.bounded else residual_scale(moments)
        self._spread = None if self.scale is None else LocalSpread(self._sums, self.scale)
        self._set_level(level)

    def _set_level(self, level: float) -> None:
        self.level = share_of(level, "level", "0.95 is customary.")
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
        one = float(m.bb.sum() / m.b.sum())  # each row's weight, where all are equal
        plain = self.equal_weights and bool(np.allclose(m.aa, m.a * one, rtol=1e-9))  # 0/1
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

    def cell_ranges(self, start: NDArray[np.intp], stop: NDArray[np.intp]) -> tuple[Moments, Bounds]:
        """Return sums and bounds for ranges of cells, from `start` up to, not including, `stop`."""
        own = self._sums.map(lambda x: x[stop] - x[start])
        b, a, noise = (getattr(self._sums, x)[-1] - getattr(own, x) for x in ("b", "a", "noise"))
        n = np.minimum(own.effective_size, self.n)
        rest = np.divide(b**2, noise, out=np.zeros_like(b), where=noise > 0)
        rows = self._rows[stop] - self._rows[start]
        rest_rows = self._rows[-1] - rows
        # With few cells and rare events the quantile may be small: never less than Chernoff's bound for one range.
        rate_root = np.maximum(self.quantiles.rate + self._penalty(n, rows), self._least_root)
        phi_penalty = self._penalty(np.minimum(n, rest), np.minimum(rows, rest_rows))
        phi_root = np.maximum(self.quantiles.phi + phi_penalty, self._least_root)
        scale = None if self._spread is None else self._spread.of_ranges(start, stop)
        return own, interval_bounds(own, n, (a, b, noise), rate_root, phi_root, scale)

    def _penalty(self, n: Array, rows: Array) -> Array:
        ratio = self.n / np.maximum(n, 1e-9)
        if not self.equal_weights:  # light rows make many ranges, however little they weigh
            ratio = np.maximum(ratio, self._rows[-1] / np.maximum(rows, 1.0))
        penalty: Array = self.quantiles.penalty * np.sqrt(2 * (1 + np.log(np.maximum(ratio, 1.0))))
        return penalty

    def most_different(
        self,
        start: int,
        stop: int,
        *,
        min_rows: float = 1,
        min_b: float = 0.0,
        marks: NDArray[np.intp] | None = None,
        decide: bool = False,
    ) -> tuple[float, int, int]:
        """Find the range inside a range of cells that differs most from the rest of it.

        Returns by how much its likelihood root exceeds what chance allows, over all ranges at once, and its cells: up
        to 0 the range of cells is homogeneous as far as this data can tell. Ranges with fewer than `min_rows` rows or
        less B than `min_b`, or that leave less, are passed over; with `marks` only those between these cells are
        looked at, and with `decide` any that differs will do, which is quicker. For unweighted yes/no outcomes the
        whole attribute is homogeneous exactly when no range's interval of Φ excludes 0.
        """
        holds = self._moments.b[start:stop] > 0
        starts = start + np.flatnonzero(holds)
        if marks is not None:
            starts = np.unique(np.append(marks[(marks > start) & (marks < stop)], start))
        if starts.size < 2:
            return -math.inf, start, stop
        a, b, bb, rows = (
            np.concatenate([[0.0], np.cumsum(np.add.reduceat(x[start:stop], starts - start))])
            for x in (self._moments.a, self._moments.b, self._moments.noise, self._counts)
        )
        scale = 0.0 if self.scale is None else self.scale
        rule = (
            self.quantiles.phi,
            self.quantiles.penalty,
            self._least_root,
            self.n,
            self._rows[-1],
            self.equal_weights,
            scale,
        )
        excess, i, j = most_different(
            a, b, bb, rows, 0, starts.size, *rule, float(min_rows), min_b, decide and self._spread is None
        )
        first, last = int(starts[i]) if i else start, int(starts[j]) if j < starts.size else stop
        if last == stop and first > start:  # what lies before it differs as much, and rounding must not choose
            first, last, i, j = start, first, 0, i
        if self._spread is not None and excess > 0:  # values may scatter more here than elsewhere
            own, rest = (float(x[0]) for x in self._spread.of_ranges(np.array([first]), np.array([last])))
            if first == start and last < stop:  # nor may it choose which of the two is the range
                swapped = self._spread.of_ranges(np.array([last]), np.array([stop]))
                own, rest = max(own, float(swapped[1][0])), max(rest, float(swapped[0][0]))
            n = (b[j] - b[i]) ** 2 / (bb[j] - bb[i])
            n_rest = (b[-1] - b[j] + b[i]) ** 2 / (bb[-1] - bb[j] + bb[i])
            difference = abs((a[j] - a[i]) / (b[j] - b[i]) - (a[-1] - a[j] + a[i]) / (b[-1] - b[j] + b[i]))
            supposed = scale * math.sqrt(1 / n + 1 / n_rest)
            excess += difference / math.sqrt(own**2 / n + rest**2 / n_rest) - difference / supposed
        return excess, first, last

    def interval(self, low: float | None = None, high: float | None = None) -> RangeEvidence:
        """Judge the people whose attribute lies between `low` and `high`, both included; None leaves an end open.

        The interval holds whatever the reason for picking the range, also after looking at the data. On a grid of
        cells the range is widened to whole cells.
        """
        low, high = -math.inf if low is None else low, math.inf if high is None else high
        if not low <= high:
            raise InputError(f"the range from {low!r} to {high!r} is empty.", "give the smaller end first.")
        edges = self.cells.edges
        if self.cells.distinct:
            start = int(np.searchsorted(edges, low, side="left"))
        else:
            start = max(int(np.searchsorted(edges, low, side="right")) - 1, 0)
        stop = int(np.searchsorted(edges, high, side="right"))
        if start >= stop:
            raise InputError(
                f"nobody has a value between {low!r} and {high!r}.",
                f"the values run from {self.cells.low!r} to {self.cells.high!r}.",
            )
        if not self._moments.b[start:stop].sum() > 0:
            raise InputError(f"nobody between {low!r} and {high!r} counts in this measure: B is 0.")
        return self.of_cells(start, stop)

    def of_cells(self, start: int, stop: int) -> RangeEvidence:
        """Judge the people of some neighbouring cells, from `start` up to, not including, `stop`."""
        edges = self.cells.edges
        own, bounds = self.cell_ranges(np.array([start]), np.array([stop]))
        rate = float(own.rate[0])
        last = edges[stop - 1] if self.cells.distinct else (edges[stop] if stop < edges.size else self.cells.high)
        return RangeEvidence(
            first=float(edges[start]),
            last=float(last),
            n=int(self.cells.rows[start:stop].sum()),
            rate=rate,
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
        starts = [groups.runs for groups in several]
        stops = [np.append(start[1:], self.cells.rows.size) for start in starts]
        own, parts = self.cell_ranges(np.concatenate(starts), np.concatenate(stops))
        ends = np.cumsum([start.size for start in starts])
        out = []
        for groups, end in zip(several, ends.tolist(), strict=True):
            mine = slice(end - groups.runs.size, end)
            cut = Bounds(*(getattr(parts, field.name)[mine] for field in fields(Bounds)))
            out.append(self._together(groups, own.b[mine], cut))
        return out

    @staticmethod
    def _together(groups: GroupRates, b: Array, parts: Bounds) -> Bounds:
        owner = groups.owners
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
