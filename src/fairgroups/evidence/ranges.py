"""Ranges of one attribute, as a band sees them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups._kernels import most_different
from fairgroups.cells.cells import Cells
from fairgroups.cells.moments import Moments
from fairgroups.errors import InputError
from fairgroups.evidence.rates import GroupRates
from fairgroups.evidence.regions import (
    WIDE,
    ExcessAt,
    Least,
    Many,
    Region,
    Rule,
    beyond,
    ends_between,
    more_spread,
    pair_of,
)
from fairgroups.evidence.residual_scatter import LocalSpread, residual_scale
from fairgroups.partition.sides import Box, Interval

__all__ = ["Ranges"]

Array = NDArray[np.float64]


class Ranges:
    """Ranges of one attribute."""

    def __init__(self, cells: Cells, moments: Moments) -> None:
        self.cells, self.moments = cells, moments
        self._sums = moments.map(lambda x: np.concatenate([[0.0], np.cumsum(x)]))
        self._rows = np.concatenate([[0.0], np.cumsum(cells.rows)])
        self._counts = cells.rows.astype(np.float64)

    @property
    def whole(self) -> Region:
        """See `Regions`."""
        return ((0, len(self.cells)),)

    @cached_property
    def scale(self) -> float:
        """See `Regions`."""
        return residual_scale(self.moments)

    def sums(self, many: Many) -> tuple[Moments, Array]:
        """See `Regions`."""
        start, stop = many[:, 0, 0], many[:, 0, 1]
        return self._sums.map(lambda x: x[stop] - x[start]), self._rows[stop] - self._rows[start]

    def spread(self, many: Many, scale: float) -> tuple[Array, Array]:
        """See `Regions`."""
        return LocalSpread(self._sums, scale).of_ranges(many[:, 0, 0], many[:, 0, 1])

    def most_different(
        self, within: Region, rule: Rule, least: Least, marks: NDArray[np.intp] | None, *, decide: bool
    ) -> ExcessAt:
        """See `Regions`; with `marks` only ranges between these cells are looked at, with `decide` any will do."""
        ((start, stop),) = within
        moments = self.moments
        starts = start + np.flatnonzero(moments.b[start:stop] > 0)
        if marks is not None:
            starts = np.unique(np.append(marks[(marks > start) & (marks < stop)], start))
        if starts.size < 2:
            return -math.inf, within
        a, b, bb, rows = (
            np.concatenate([[0.0], np.cumsum(np.add.reduceat(x[start:stop], starts - start))])
            for x in (moments.a, moments.b, moments.noise, self._counts)
        )
        excess, i, j = most_different(
            a, b, bb, rows, 0, starts.size, *rule.numbers, least.rows, least.b, decide and rule.scale == 0
        )
        first, last = int(starts[i]) if i else start, int(starts[j]) if j < starts.size else stop
        if last == stop and first > start:  # what lies before it differs as much, and rounding must not choose
            first, last, i, j = start, first, 0, i
        if rule.scale > 0 and excess > 0:  # values may scatter more here than elsewhere
            own, rest = (float(x[0]) for x in self.spread(np.array([[[first, last]]]), rule.scale))
            if first == start and last < stop:  # nor may it choose which of the two is the range
                swapped = self.spread(np.array([[[last, stop]]]), rule.scale)
                own, rest = max(own, float(swapped[1][0])), max(rest, float(swapped[0][0]))
            sums = (a[j] - a[i], b[j] - b[i], bb[j] - bb[i]), (a[-1], b[-1], bb[-1])
            excess += more_spread(*sums, own, rest, rule.scale)
        return excess, ((first, last),)

    def wide(self) -> Many:
        """See `Regions`."""
        below = self._sums.b[: len(self.cells) + 1]
        marks = np.searchsorted(below, below[-1] * np.arange(41) / 40)
        ends = np.unique(np.minimum(marks, below.size - 1))  # rounding may put the last one past the end
        start, stop = (x.ravel() for x in np.meshgrid(ends, ends, indexing="ij"))
        share = (below[stop] - below[start]) / below[-1]
        wide = (share >= WIDE) & (share < 1)
        return np.stack([start[wide], stop[wide]], axis=1)[:, None, :]

    def all_but(self, region: Region) -> Region | None:
        """See `Regions`."""
        side = beyond(region[0], len(self.cells))
        return None if side is None else (side,)

    def of_groups(self, groups: GroupRates) -> tuple[Many, NDArray[np.intp]]:
        """See `Regions`."""
        stops = np.append(groups.runs[1:], self.cells.rows.size)
        return np.stack([groups.runs, stops], axis=1)[:, None, :], groups.owners

    def sides(self, region: Region) -> Box:
        """See `Regions`."""
        ((start, stop),) = region
        edges = self.cells.edges
        last = edges[stop - 1] if self.cells.distinct else (edges[stop] if stop < edges.size else self.cells.high)
        return (Interval(float(edges[start]), float(last), high_closed=True),)

    def asked(self, ends: tuple[Any, ...], named: Mapping[str, Any]) -> Region:
        """See `Regions`."""
        ends = ends or next((pair_of(name, x) for name, x in named.items() if name == self.cells.name), ())
        if any(name != self.cells.name for name in named):
            raise InputError(f"the band is of {self.cells.name!r}; got {', '.join(named)}.")
        low, high = ends_between(*((*ends, None, None)[:2]))
        edges = self.cells.edges
        start = int(np.searchsorted(edges, low, side="left"))
        if not self.cells.distinct:
            start = max(int(np.searchsorted(edges, low, side="right")) - 1, 0)
        stop = int(np.searchsorted(edges, high, side="right"))
        if start >= stop:
            raise InputError(
                f"nobody has a value between {low!r} and {high!r}.",
                f"the values run from {self.cells.low!r} to {self.cells.high!r}.",
            )
        return ((start, stop),)
