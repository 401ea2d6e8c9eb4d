"""Places: every range of a column, every set of its levels, every box of a pair, and how far its people are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.evidence.band import MOST_PEOPLE
from fairgroups.evidence.dealt_outcomes import Dealt
from fairgroups.evidence.every_region import EveryRegion
from fairgroups.evidence.region_scale import Crossed, RegionScale, ends_of
from fairgroups.evidence.regions import Region
from fairgroups.progress import on_two_threads

__all__ = ["Places", "ScannedAxis", "place_of"]

TIE = 1e-6  # the others stand out as much as a region does
Array = NDArray[np.float64]


@dataclass(frozen=True)
class ScannedAxis:
    """A column in cells: the cell of each row, `size` where it lies in none; `size` cells; whether they are levels."""

    codes: NDArray[np.uint16]
    size: int
    categorical: bool

    @classmethod
    def of(cls, values: Array, levels: int | None, edges: Array | None) -> ScannedAxis:
        """Put values into cells that begin at `edges`, or codes into so many levels; NaN lies in no cell."""
        absent = np.isnan(values)
        if levels is not None:
            codes, size = np.where(absent, 0.0, values).astype(np.intp), levels
        else:
            assert edges is not None
            codes, size = np.searchsorted(edges, values, side="right") - 1, int(edges.size)
        return cls(np.where(absent, size, codes).astype(np.uint16), size, levels is not None)

    @property
    def axis(self) -> tuple[int, bool]:
        """Size, and whether it is a category."""
        return self.size, self.categorical

    def held(self, side: tuple[int, int]) -> NDArray[np.bool_]:
        """Return which rows lie on a side: cells from the first up to the second, or levels as bits."""
        if not self.categorical:
            return (self.codes >= side[0]) & (self.codes < side[1])
        levels = np.array([bool(side[0] >> i & 1) for i in range(self.size)] + [False])
        return levels[np.minimum(self.codes, self.size)]


def place_of(
    fine: Sequence[ScannedAxis], coarse: Sequence[ScannedAxis], outcome: Array
) -> tuple[NDArray[np.uint64], list[int]]:
    """Return a number from the cells of each row: in its order people lie the same, whichever order they came in.

    It is the same whatever the order of the rows and of the columns, whatever columns and levels are called, and
    whichever way numbers run: columns, levels and directions stand in an order that people and outcomes decide.

    Parameters
    ----------
    fine, coarse : sequences of ScannedAxis
        The columns as they are looked at alone, and in pairs.
    outcome : array
        The outcome of each row.

    Returns
    -------
    array of int, list of int
        And the order of the columns.
    """
    rank = np.unique(outcome, return_inverse=True)[1].ravel().astype(np.float64)
    turned = on_two_threads(lambda axis: _turned(axis, rank), fine)
    first = sorted(range(len(fine)), key=lambda i: turned[i][0])
    found = np.zeros(outcome.size, dtype=np.uint64)
    for (_, order), one, other in ((turned[i], fine[i], coarse[i]) for i in first):
        place = np.full(one.size + 1, one.size, dtype=np.uint64)
        place[order] = np.arange(one.size, dtype=np.uint64)
        if not one.categorical and other is not one:  # a level is itself in pairs as well
            cells = np.arange(other.size + 1, dtype=np.uint64)
            cells[:-1] = cells[:-1][:: 1 if order[0] <= order[-1] else -1]
            found ^= cells[other.codes] << np.uint64(16)
        found = (found ^ place[one.codes]) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
    return found, first


def _turned(axis: ScannedAxis, rank: Array) -> tuple[tuple[int, list[int], list[float]], NDArray[np.intp]]:
    """Return what tells a column from others, and its cells in an order without names and directions."""
    n = axis.size
    people = np.bincount(axis.codes, minlength=n + 1)[:n]
    sums = np.bincount(axis.codes, rank, n + 1)[:n]
    order = np.arange(n)
    if axis.categorical:
        order = np.lexsort((sums, people))
    elif (people[::-1].tolist(), sums[::-1].tolist()) < (people.tolist(), sums.tolist()):
        order = order[::-1]
    return (n, people[order].tolist(), sums[order].tolist()), order


@dataclass(frozen=True)
class Places:
    """Every region of a column or pair: the sum of what is left, its scale, that of deals, B and people."""

    every: EveryRegion
    scale: RegionScale
    drawn: RegionScale
    left: Array
    weight: Array
    people: Array
    crossed: Crossed

    @property
    def n(self) -> int:
        """Count the people, those in no region with them."""
        return self.crossed.n

    @classmethod
    def of(cls, dealt: Dealt, axes: Sequence[ScannedAxis], least: int) -> Places:
        """Sum over every region."""
        every = EveryRegion(tuple(axis.axis for axis in axes))
        crossed = dealt.crossed(_together(dealt, axes), every.n_cells)
        sums = every.sums(np.stack([crossed.left, crossed.weight.sum(axis=1), crossed.people], axis=1))
        left, weight, people = sums.T
        drawn = crossed.scale(every, least)
        scale = drawn if crossed.own is None else crossed.scale(every, least, drawn=False)
        return cls(every, scale, drawn, left, weight, people, crossed)

    def best(self) -> tuple[float, Region]:
        """Return the largest statistic and its region."""
        found, at = self.scale.best(self.left)
        return found, self.every.region(at)

    def told(self, side: int, root: float) -> Region:
        """Return the region to be told: on the harmful side, if one there is shown; else the largest.

        It is most people only where a smaller one would be cut out of it.
        """
        few = np.where(self.people <= MOST_PEOPLE * self.n, self.left, 0.0)
        for wanted in dict.fromkeys((side, 0)):
            found, at = self.scale.best(few, wanted)
            if found > root:
                return self.every.region(self._uncut(at, root))
            found, at = self.scale.best(self.left, wanted)
            if found > root:
                return self.every.region(at)
        return self.best()[1]

    def _uncut(self, part: int, root: float) -> int:
        """Return the most striking region from which this one would be cut: it does not stand out from the rest of it.

        The region itself, where there is none.
        """
        inside = self._inside(self.every.region(part)).astype(np.int64)
        statistics, side = self.scale.of(self.left), np.sign(self.left[part])
        holds = (self.every.sums(inside) == inside.sum()) & (self.scale.above > 0) & (np.sign(self.left) == side)
        at = np.flatnonzero(holds & (statistics > statistics[part] + TIE))
        weight, rest = self.weight[part], self.weight[at] - self.weight[part]
        at, rest = at[rest > 0], rest[rest > 0]
        if not at.size:
            return part
        apart = side * (self.left[part] / weight - (self.left[at] - self.left[part]) / rest)
        scatter = 1.0 / self.scale.above[part] ** 2 / (weight * (1 - weight / float(self.crossed.weight.sum())))
        cut = apart <= root * np.sqrt(scatter * (1 / weight + 1 / rest))
        return int(at[cut][np.argmax(statistics[at[cut]])]) if cut.any() else part

    def further(self, region: Region, root: float, most: int) -> list[Region]:
        """Return regions that are shown to differ, apart from the first and from one another.

        The first of them lies on the other side, if one there is shown: who gains where the first loses.
        """
        found = [region]
        few = (self.scale.above > 0) & (self.people <= MOST_PEOPLE * self.n)  # all the others are no further place
        statistics = np.where(few, self.scale.of(self.left), -np.inf)
        side = np.sign(self.crossed.left[self._inside(region)].sum())
        while len(found) <= most:
            taken = np.zeros(self.every.n_cells, dtype=np.int64)
            for one in found:
                taken[self._inside(one)] = 1
            apart = np.where(self.every.sums(taken) == 0, statistics, -np.inf)
            across = np.where(np.sign(self.left) == -side, apart, -np.inf)
            if len(found) == 1 and across.max(initial=-np.inf) > root:
                apart = across
            at = int(np.argmax(np.round(apart, 6)))
            if apart[at] <= root:
                break
            found.append(self.every.region(at))
        return found[1:]

    def _inside(self, region: Region) -> NDArray[np.bool_]:
        """Return which cells a region holds."""
        inside = np.zeros(self.every.shape, dtype=bool)
        inside[np.ix_(*(_cells(axis, side) for axis, side in zip(self.every.axes, region, strict=True)))] = True
        return inside.ravel()

    def bounds(self, root: float, least_share: float) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return lower and upper ends of every region's difference, and which hold such a share of the people."""
        use = self.scale.above > 0
        spread = np.where(use, 1.0 / np.where(use, np.minimum(self.scale.above, self.scale.below), 1.0), 0.0)
        seen = self.crossed.seen(self.every, self.left, spread**2)
        ends = ends_of(self.left, spread**2, np.maximum(seen, 0.0), root + self.scale.charge, 0.0, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = (np.where(use, x / self.weight, np.nan) for x in ends)
        return low, high, use & (self.people >= least_share * self.people.max(initial=0.0))


def _cells(axis: tuple[int, bool], side: tuple[int, int]) -> NDArray[np.intp]:
    size, categorical = axis
    if not categorical:
        return np.arange(side[0], side[1], dtype=np.intp)
    return np.array([i for i in range(size) if side[0] >> i & 1], dtype=np.intp)


def _together(dealt: Dealt, axes: Sequence[ScannedAxis]) -> NDArray[Any]:
    """Return one cell for each person; one beyond the last where some axis has none."""
    place, outside = np.zeros(dealt.n, dtype=np.int64), np.zeros(dealt.n, dtype=bool)
    n = 1
    for axis in axes:
        codes = axis.codes[dealt.rows].astype(np.int64)
        outside |= codes >= axis.size
        place = place * axis.size + np.minimum(codes, axis.size - 1)
        n *= axis.size
    place[outside] = n
    return place
