"""The band at equal factors: how far every range or box is from comparable people, for all of them at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fairgroups.cells.cells import Cells
from fairgroups.cells.matching import Matching
from fairgroups.cells.moments import Moments
from fairgroups.cells.space import SpaceCells
from fairgroups.evidence.band import Band, RangeEvidence
from fairgroups.evidence.band_width import FEW_CELLS_PENALTY, ROUNDING, Quantiles, quantile_of
from fairgroups.evidence.bounds import Bounds
from fairgroups.evidence.every_region import EveryRegion
from fairgroups.evidence.likelihood import POWER
from fairgroups.evidence.matched_width import largest_by_chance
from fairgroups.evidence.regions import Many, Region, as_many
from fairgroups.measures import Measure
from fairgroups.options import BandWidth

__all__ = ["MatchedBand", "bounds_at_equal"]

Array = NDArray[np.float64]
DRAWS_OF_LINE, DRAWS_OF_BOXES = 2048, 768
LEAST_WEIGHT = 5.0  # a region is passed over whose comparison rests on less: too few on one of its sides


@dataclass(frozen=True)
class _Statistics:
    """U, V and weight of every region of some cells, with what small ones are charged."""

    every: EveryRegion
    residual: Array
    variance: Array
    weight: Array
    most: float
    pooled: Array  # what draws vary by

    @classmethod
    def of(cls, matching: Matching, every: EveryRegion, most: float | None = None) -> _Statistics:
        cells = slice(None, every.n_cells)
        pooled = every.forms(matching.variance[cells, cells])
        variance = pooled if matching.pooled else np.maximum(pooled, every.forms(matching.own_variance[cells, cells]))
        weight = every.forms(matching.weight[cells, cells])
        found = float(weight.max(initial=1e-300)) if most is None else most
        return cls(every, every.sums(matching.residual[cells]), variance, weight, found, pooled)

    def times(self, unit: float, *, drawn: bool = False) -> Array:
        """Return 1/√V, of the data or of draws; 0 where a region is passed over."""
        variance = self.pooled if drawn else self.variance
        use = (self.weight > LEAST_WEIGHT * unit) & (self.pooled > 1e-9 * max(self.pooled.max(initial=0.0), 1e-300))
        return np.divide(1.0, np.sqrt(np.maximum(variance, 1e-300)), out=np.zeros_like(self.weight), where=use)

    def charge(self, penalty: float) -> Array:
        """Return what regions are charged for being small."""
        return _charge(self.weight, self.most, penalty)


def _charge(weight: Array, most: float, penalty: float) -> Array:
    ratio = np.maximum(most / np.maximum(weight, 1e-300), 1.0)
    charged: Array = penalty * np.sqrt(2 * (1 + np.log(ratio)))
    return charged


class MatchedBand(Band):
    """Simultaneous intervals of what is left unexplained at equal factors, for all ranges or boxes.

    The same methods as `Band`; Φ is here the difference of a region's rate from what people alike in the factors have.
    Its cells are those of `Sample.cells` or `Sample.space` of rows that `rows.strata.at_equal` made.
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
        name = measure if isinstance(measure, str) else measure.name
        self.matching = cells.matching[name]
        observed = replace(cells, moments={name: self.matching.raw}, matching={})
        self.raw = Band(observed, measure, level=level, band_width="table", seed=seed)
        super().__init__(cells, measure, level=level, band_width=band_width, seed=seed)
        self.overall, self.bounded = self.raw.overall, self.raw.bounded

    def __repr__(self) -> str:
        strata = self.matching.sums.b.shape[1]
        return f"MatchedBand({self.cells.name or 'x'!r}, level={self.level}, {self.n:,.0f} rows, {strata:,} strata)"

    @cached_property
    def every(self) -> EveryRegion:
        """Every region of the cells."""
        if isinstance(self.cells, SpaceCells):
            return EveryRegion(tuple((axis.size, axis.levels is not None) for axis in self.cells.axes))
        return EveryRegion(((len(self.cells), False),))

    @property
    def _charged(self) -> float:
        return FEW_CELLS_PENALTY if len(self.every.axes) == 1 else 1.0

    @cached_property
    def _unit(self) -> float:
        """What an ordinary row weighs."""
        return float(self._moments.noise.sum() / self._moments.b.sum())

    @cached_property
    def _statistics(self) -> _Statistics:
        return _Statistics.of(self.matching, self.every)

    @cached_property
    def _by_chance(self) -> NDArray[np.float32]:
        found = self._statistics
        n_draws = DRAWS_OF_LINE if len(self.every.axes) == 1 else DRAWS_OF_BOXES
        times, charge = found.times(self._unit, drawn=True), found.charge(self._charged)
        return largest_by_chance(self.matching, self.every, times, charge, n_draws)

    def _widths(self) -> Quantiles:
        phi = quantile_of(self._by_chance.astype(np.float64), self.level) + ROUNDING
        strata = self.matching.sums.b.shape[1]
        return Quantiles(self.raw.quantiles.rate, phi, f"outcomes dealt within {strata:,} strata", self._charged)

    def _set_level(self, level: float) -> None:
        super()._set_level(level)
        self.raw = self.raw.at_level(level)

    def root(self, weight: Array) -> Array:
        """Return how many standard errors a region with this weight may be off by chance."""
        allowed = self.quantiles.phi + _charge(weight, self._statistics.most, self.quantiles.penalty)
        return np.maximum(allowed, float(ndtri((1 + self.level) / 2)))

    def judge(self, regions: Many | Sequence[Region]) -> tuple[Moments, Bounds]:
        """Return sums and bounds of regions of cells; see `Band.judge`."""
        many = regions if isinstance(regions, np.ndarray) else as_many(regions)
        own, _ = self._regions.sums(many)
        _, rates = self.raw.judge(many)
        together = self.matching.joined(
            np.array([self._held(region) for region in many]).reshape(len(many), self.matching.n_cells)
        )
        _, weight, _, _ = together.compared()
        return own, bounds_at_equal(together, self.root(weight), rates)

    def _held(self, region: Any) -> Array:
        """Return which cells a region holds, as 0 and 1."""
        held = np.ones(1)
        for (size, categorical), (low, high) in zip(self.every.axes, region, strict=True):
            at = np.arange(size)
            side = (int(low) >> at) & 1 if categorical else (at >= low) & (at < high)
            held = np.multiply.outer(held, side.astype(np.float64)).ravel()
        out = np.zeros(self.matching.n_cells)
        out[: held.size] = held
        if not held.any():  # those who miss a value
            out[held.size :] = 1.0
        return out

    def largest_excess(
        self,
        within: Region | None = None,
        *,
        min_rows: float = 1,
        min_b: float = 0.0,
        marks: NDArray[np.intp] | None = None,
        decide: bool = False,
    ) -> tuple[float, Region]:
        """Find the region inside a region of cells that differs most from comparable people in the rest of it."""
        del marks, decide
        whole = within is None or within == self.whole
        within = self.whole if within is None else within
        cells = np.flatnonzero(self._held(within)[: self.every.n_cells])
        if cells.size < 2:
            return -math.inf, within
        axes = tuple(
            (int(low).bit_count() if categorical else high - low, categorical)
            for (_, categorical), (low, high) in zip(self.every.axes, within, strict=True)
        )
        every = self.every if whole else EveryRegion(axes)
        found = self._statistics if whole else _Statistics.of(self.matching.within(cells), every, self._statistics.most)
        root = np.abs(found.residual) * found.times(self._unit)
        excess = root - self.quantiles.phi - found.charge(self.quantiles.penalty)
        b, rows = (every.sums(x[cells]) for x in (self._moments.b, self.cells.rows.astype(np.float64)))
        enough = (np.minimum(b, b.max() - b) >= min_b) & (np.minimum(rows, rows.max() - rows) >= min_rows)
        excess = np.where(enough & (root > 0), excess, -np.inf)
        at = int(np.argmax(np.round(excess, 9)))
        if excess[at] == -np.inf:
            return -math.inf, within
        region = every.region(at)
        (low, high), (size, categorical) = region[0], every.axes[0]
        if len(every.axes) == 1 and not categorical and high == size:  # what lies before it differs as much
            region = ((0, low),)
        return float(excess[at]), self._outer(region, within)

    def _outer(self, region: Region, within: Region) -> Region:
        """Return a region of some cells as one of all cells."""
        out = []
        for (low, high), (start, _), (_, categorical) in zip(region, within, self.every.axes, strict=True):
            if categorical:
                levels = [i for i in range(64) if start >> i & 1]
                out.append((sum(1 << level for i, level in enumerate(levels) if low >> i & 1), 0))
            else:
                out.append((start + low, start + high))
        return tuple(out)

    def evidence(self, region: Region) -> RangeEvidence:
        """Judge the people of a region of cells."""
        raw = self.raw.evidence(region)
        own, bounds = self.judge([region])
        phi = float(own.a[0] / own.b[0])
        return replace(raw, phi=phi, low=float(bounds.low[0]), high=float(bounds.high[0]))

    def detectable(self, share: float) -> float:
        """Return the smallest difference from comparable people that is noticed in 80% of samples, for such a share.

        NaN where no rates differ so much.
        """
        found = self._statistics
        b = self.every.sums(self._moments.b[: self.every.n_cells])
        near = np.abs(np.log(np.maximum(b, 1e-300) / (share * b.max())))
        some = (near <= max(0.2, float(near.min()))) & (found.times(self._unit) > 0)
        if not some.any():
            return math.nan
        root = self.root(found.weight[some]) + POWER
        least = float(np.quantile(root * np.sqrt(found.variance[some]) / found.weight[some], 0.75))
        most = max(self.overall, 1 - self.overall) / (1 - share)  # from all others, of rates
        return math.nan if self.bounded and least > min(most, 1.0) else least


def bounds_at_equal(matching: Matching, root: Array, rates: Bounds) -> Bounds:
    """Return intervals of what is left unexplained in regions, or groups, with their rates' own intervals.

    Parameters
    ----------
    matching : Matching
        Sums by region and stratum.
    root : array
        How many standard errors are allowed.
    rates : Bounds
        The intervals of the rates.

    Returns
    -------
    Bounds
    """
    residual, weight, null, seen = matching.compared()
    b = matching.sums.b.sum(axis=1)
    error = root * np.sqrt(np.maximum(null, seen))
    most = np.full_like(error, np.inf)
    if matching.pooled:  # yes or no: few people may vary more than they show (Bernstein), and no rate goes beyond 1
        error = error + root**2 / 6 * float(matching.strata.bb.sum() / matching.strata.b.sum())
        most = weight
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = [np.where(b > 0, np.clip(x, -most, most) / b, np.nan) for x in (residual - error, residual + error)]
        least = np.where(b > 0, error * (1 + POWER / root) / b, np.nan)
    return replace(rates, low=ends[0], high=ends[1], least_below=least, least_above=least)
