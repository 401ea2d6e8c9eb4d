"""Boxes of several attributes on a grid of cells, as a band sees them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups._kernels import most_different_box
from fairgroups.cells.moments import SUMS, Moments
from fairgroups.cells.space import ALL_SETS, GridAxis, SpaceCells
from fairgroups.errors import InputError
from fairgroups.evidence.rates import GroupRates
from fairgroups.evidence.regions import (
    WIDE,
    ExcessAt,
    Least,
    Many,
    Region,
    Rule,
    as_many,
    beyond,
    ends_between,
    more_spread,
    pair_of,
)
from fairgroups.evidence.residual_scatter import scatter_of, upper_scale
from fairgroups.partition.sides import Box, Interval, Levels, Side

__all__ = ["Boxes", "leaf_last"]

Array = NDArray[np.float64]
MOST_WIDE = 3000  # boxes that are looked at for a limit, about


class Boxes:
    """Boxes of several attributes, on a grid of cells."""

    def __init__(self, cells: SpaceCells, moments: Moments) -> None:
        self.cells, self.moments = cells, moments
        self._tensors: dict[str, Array] = {}

    @property
    def whole(self) -> Region:
        """See `Regions`."""
        return tuple((0, a.size) if a.levels is None else ((1 << a.size) - 1, 0) for a in self.cells.axes)

    def _tensor(self, x: Array) -> Array:
        return x[: len(self.cells)].reshape(self.cells.shape)

    @cached_property
    def scale(self) -> float:
        """The scatter around the rates of about n^(1/3) blocks of cells."""
        moments, shape = self.moments, self.cells.shape
        each = max(2, round(moments.size ** (1 / 3 / len(shape))))
        blocks = [np.arange(m) * min(each, m) // m for m in shape]
        codes = np.ravel_multi_index(np.meshgrid(*blocks, indexing="ij"), [int(b[-1]) + 1 for b in blocks]).ravel()
        sums = moments.map(lambda x: x[: len(self.cells)]).group(codes, int(codes.max()) + 1)
        sums = sums.map(lambda x: x[sums.b > 0])
        rate = sums.a / sums.b
        squares = float(np.sum(sums.aa - 2 * rate * sums.ab + rate**2 * sums.bb))
        return upper_scale(squares, float(sums.bb.sum()), float(np.sum(sums.effective_size - 1)))

    def index(self, region: Region) -> tuple[NDArray[np.intp], ...]:
        """Return which cells of each axis a region holds, as an index."""
        return np.ix_(*(_cells_of(axis, ends) for axis, ends in zip(self.cells.axes, region, strict=True)))

    def sums(self, many: Many) -> tuple[Moments, Array]:
        """See `Regions`; a region of no cells stands for the people who miss a value."""
        n = len(self.cells)
        empty = ~np.any(many != 0, axis=(1, 2))
        categories = [d for d, axis in enumerate(self.cells.axes) if axis.levels is not None]
        sets, which = np.unique(many[:, categories, 0], axis=0, return_inverse=True)
        which = np.ravel(which)

        def total(x: Array) -> Array:
            out = np.empty(many.shape[0])
            for k, held in enumerate(sets):
                grid = self._tensor(x)
                for d, levels in zip(categories, held, strict=True):
                    grid = grid.take(_cells_of(self.cells.axes[d], (int(levels), 0)), axis=d).sum(axis=d, keepdims=True)
                mine = which == k
                out[mine] = _box_sums(grid, many[mine], categories)
            out[empty] = x[n:].sum()
            out[np.abs(out) < 1e-13 * np.abs(x).sum()] = 0.0  # what rounding leaves of nobody
            return out

        return self.moments.map(total), total(self.cells.rows.astype(np.float64))

    def spread(self, many: Many, scale: float) -> tuple[Array, Array]:
        """See `Regions`."""
        own, _ = self.sums(many)
        everybody = self.moments.map(lambda x: np.array([x.sum()]))
        others = {x: getattr(everybody, x) - getattr(own, x) for x in SUMS}
        rest = Moments(**others, low=own.low, high=own.high, offset=own.offset)
        return scatter_of(own, scale), scatter_of(rest, scale)

    def most_different(
        self, within: Region, rule: Rule, least: Least, marks: NDArray[np.intp] | None, *, decide: bool
    ) -> ExcessAt:
        """See `Regions`; boxes are few enough for all of them to be looked at."""
        del marks, decide
        axes, order = self.cells.axes, leaf_last(self.cells.axes)
        index = self.index(within)
        held = [_cells_of(axis, ends) for axis, ends in zip(axes, within, strict=True)]
        if max(len(x) for x in held) < 2:
            return -math.inf, within
        moments = self.moments
        grids = [self._tensor(x)[index] for x in (moments.a, moments.b, moments.noise)]
        grids.append(self._tensor(self.cells.rows.astype(np.float64))[index])
        sums = np.stack([np.transpose(x, order).ravel() for x in grids], axis=1)
        shape = [(len(held[d]), axes[d].levels is not None) for d in order]
        excess, found = most_different_box(np.ascontiguousarray(sums), shape, *rule.numbers, least.rows, least.b)
        if excess == -math.inf:
            return -math.inf, within
        region: list[tuple[int, int]] = [(0, 0)] * len(axes)
        for d, (low, high) in zip(order, found, strict=True):
            if axes[d].levels is None:
                region[d] = (int(held[d][0]) + low, int(held[d][0]) + high)
            else:
                region[d] = (sum(1 << int(level) for i, level in enumerate(held[d]) if low >> i & 1), 0)
        if rule.scale > 0 and excess > 0:
            inside, whole = (self.sums(as_many([x]))[0] for x in (tuple(region), within))
            own, rest = (float(x[0]) for x in self.spread(as_many([tuple(region)]), rule.scale))
            held_sums, all_sums = ((float(x.a[0]), float(x.b[0]), float(x.noise[0])) for x in (inside, whole))
            excess += more_spread(held_sums, all_sums, own, rest, rule.scale)
        return excess, tuple(region)

    def wide(self) -> Many:
        """See `Regions`."""
        each = int(MOST_WIDE ** (1 / len(self.cells.axes)))
        sides = [_some_sides(axis, each) for axis in self.cells.axes]
        many = as_many(list(product(*sides)))
        own, _ = self.sums(many)
        share = own.b / self.moments.b.sum()
        wide: Many = many[(share >= WIDE) & (share < 1)]
        return wide

    def all_but(self, region: Region) -> Region | None:
        """See `Regions`."""
        cut = [d for d, (side, whole) in enumerate(zip(region, self.whole, strict=True)) if side != whole]
        if len(cut) != 1:
            return None
        (d,) = cut
        axis, side = self.cells.axes[d], region[d]
        rest = beyond(side, axis.size) if axis.levels is None else (((1 << axis.size) - 1) ^ side[0], 0)
        return None if rest is None else (*region[:d], rest, *region[d + 1 :])

    def of_groups(self, groups: GroupRates) -> tuple[Many, NDArray[np.intp]]:
        """See `Regions`."""
        regions, owners = [], []
        for k, boxes in enumerate(groups.partition.groups):
            for box in boxes:
                ends = [self._ends(axis, side) for axis, side in zip(self.cells.axes, box, strict=True)]
                regions.append(tuple(ends))
                owners.append(k)
        if groups.partition.missing == "group":
            regions.append(((0, 0),) * len(self.cells.axes))
            owners.append(len(groups.partition.groups))
        return as_many(regions), np.array(owners, dtype=np.intp)

    @staticmethod
    def _ends(axis: GridAxis, side: Side) -> tuple[int, int]:
        if isinstance(side, Levels):
            assert axis.levels is not None
            return sum(1 << i for i, level in enumerate(axis.levels) if level in side.names), 0
        ends = []
        for value in (side.low, side.high):
            at = int(np.searchsorted(axis.first, value))
            if 0 < at < axis.size and axis.first[at] != value and axis.last[at - 1] >= value:
                raise InputError(
                    f"the border {value:g} of {axis.name!r} lies inside a cell of the grid, not covered by the band.",
                    "use borders of the grid, or name the groups in advance.",
                )
            ends.append(at)
        return ends[0], ends[1]

    def inside(self, region: Region) -> Region:
        """Return a box without the cells along its inner borders, where cells join several values.

        A true border that runs through a cell leaves a strip of people of both sides.
        """
        out = []
        for axis, (low, high) in zip(self.cells.axes, region, strict=True):
            first, last = low + (low > 0), high - (high < axis.size)
            narrow = axis.levels is not None or axis.distinct or last - first < 2
            out.append((low, high) if narrow else (first, last))
        return tuple(out)

    def is_along_a_border(self, box: Region, region: Region) -> bool:
        """Whether a box parts a region right beside its inner borders, where cells join several values."""
        for axis, (first, last), (low, high) in zip(self.cells.axes, box, region, strict=True):
            if axis.levels is None and not axis.distinct:
                beside = {low + 1} if low > 0 else set()
                beside |= {high - 1} if high < axis.size else set()
                if {first, last} - {low, high} & beside:
                    return True
        return False

    def sides(self, region: Region) -> Box:
        """Return a box in values; a side that holds every cell is open."""
        out: list[Side] = []
        for axis, (low, high) in zip(self.cells.axes, region, strict=True):
            if axis.levels is not None:
                out.append(Levels(tuple(level for i, level in enumerate(axis.levels) if low >> i & 1)))
            else:
                below = -math.inf if low == 0 else float(axis.first[low])
                out.append(Interval(below, math.inf if high == axis.size else float(axis.first[high])))
        return tuple(out)

    def asked(self, ends: tuple[Any, ...], named: Mapping[str, Any]) -> Region:
        """See `Regions`."""
        names = [axis.name for axis in self.cells.axes]
        if ends or any(name not in names for name in named):
            raise InputError(
                f"the band is of {', '.join(names)}; got {', '.join(map(str, (*ends, *named)))}.",
                "name each side: band.interval(age=(18, 29), sex='Female').",
            )
        region = tuple(_asked_ends(axis, named[axis.name]) if axis.name in named else whole
                       for axis, whole in zip(self.cells.axes, self.whole, strict=True))  # fmt: skip
        if not self._tensor(self.cells.rows.astype(np.float64))[self.index(region)].any():
            raise InputError("nobody is in this box.", "open one of its sides.")
        return region


def _some_sides(axis: GridAxis, most: int) -> list[tuple[int, int]]:
    """Return at most about so many sides of an axis, spread over it."""
    if axis.levels is not None:
        sets = (
            range(1, 2**axis.size)
            if axis.size <= ALL_SETS and axis.sides <= most
            else [1 << i for i in range(axis.size)]
        )
        return [(int(held), 0) for held in (*sets, (1 << axis.size) - 1)]
    places = max(int(math.sqrt(2 * most)), 2)
    ends = np.unique(np.arange(places + 1) * axis.size // places).tolist()
    return [(low, high) for i, low in enumerate(ends) for high in ends[i + 1 :]]


def _asked_ends(axis: GridAxis, wanted: Any) -> tuple[int, int]:
    """Return the cells of a side that a reader asked for, widened to whole cells."""
    if axis.levels is not None:
        if wanted is None:  # open
            return (1 << axis.size) - 1, 0
        names = [wanted] if isinstance(wanted, str) or not hasattr(wanted, "__iter__") else list(wanted)
        unknown = [name for name in names if str(name) not in axis.levels]
        if unknown or not names:
            fact = f"{axis.name!r} has no level {unknown}." if unknown else f"no level of {axis.name!r} is named."
            raise InputError(fact, f"its levels are {', '.join(axis.levels)}.")
        return sum(1 << i for i in {axis.levels.index(str(name)) for name in names}), 0
    low, high = ends_between(*pair_of(axis.name, wanted))
    start = max(int(np.searchsorted(axis.last, low, side="left")), 0)
    stop = int(np.searchsorted(axis.first, high, side="right"))
    if start >= stop:
        raise InputError(
            f"nobody has a value of {axis.name!r} between {low!r} and {high!r}.",
            f"the values run from {axis.first[0]:g} to {axis.last[-1]:g}.",
        )
    return start, stop


def _cells_of(axis: GridAxis, ends: Sequence[int]) -> NDArray[np.intp]:
    if axis.levels is None:
        return np.arange(ends[0], ends[1], dtype=np.intp)
    return np.array([i for i in range(axis.size) if int(ends[0]) >> i & 1], dtype=np.intp)


def _box_sums(grid: Array, many: Many, summed: Sequence[int]) -> Array:
    """Sum boxes of a grid by running sums: each box is a sum over its corners, with signs."""
    ends = np.where(np.isin(np.arange(grid.ndim), summed)[None, :, None], np.array([0, 1])[None, None, :], many)
    for d in range(grid.ndim):
        grid = np.cumsum(grid, axis=d)
    running = np.pad(grid, [(1, 0)] * grid.ndim)
    out = np.zeros(many.shape[0])
    for corner in product((0, 1), repeat=grid.ndim):
        at = tuple(ends[:, d, side] for d, side in enumerate(corner))
        out += (-1) ** (grid.ndim - sum(corner)) * running[at]
    return out


def leaf_last(axes: Sequence[GridAxis]) -> list[int]:
    """Return the order in which the kernels take axes: the longest last, and before all a category of many levels."""

    def length(d: int) -> tuple[bool, bool, int]:
        many = axes[d].levels is not None and axes[d].size > ALL_SETS
        return many, axes[d].levels is None, axes[d].size

    return sorted(range(len(axes)), key=length)
