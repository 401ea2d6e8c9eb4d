"""Finding boxes of several attributes on the grid that the band covers: as many as asked, or as the band calls for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairgroups import _kernels
from fairgroups.cells.space import SpaceCells
from fairgroups.errors import InputError
from fairgroups.evidence.band import Band
from fairgroups.evidence.boxes import Boxes
from fairgroups.evidence.regions import Region
from fairgroups.grouping.number_of_groups import Selection, SelectionStep
from fairgroups.measures import Measure
from fairgroups.options import Missing
from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Levels, Side
from fairgroups.search.boxes import beam_width, loss_bound, seconds_needed
from fairgroups.search.frontier import WIDTH_BOXES, cells_within_budget
from fairgroups.search.path import Limits

__all__ = ["BRIEF", "MOST_AXES", "GridSearch", "boxes_by_band"]

Array = NDArray[np.float64]
Progress = Callable[[float], object]
STEPS = (4, 5, 6, 8)  # numbers of groups up to which the band asks for more, one after the other
BRIEF = 1.0  # seconds for each, before the search is no longer exact
MOST_AXES = 8


@dataclass
class GridSearch:
    """The best boxes of a grid, for 1, 2, … of them.

    Attributes
    ----------
    cells : SpaceCells
        The people.
    measures : tuple of Measure
        The rates that boxes are to differ in.
    limits : Limits
        The least that a group must hold.
    against_rest : bool
        Whether groups are compared with the rest instead of with everyone.
    budget : float
        About how many seconds an exact search may take.
    progress : callable, optional
        Called with the share of the work done.
    """

    cells: SpaceCells
    measures: tuple[Measure, ...]
    limits: Limits
    against_rest: bool = False
    budget: float = 10.0
    progress: Progress | None = None
    tilings: list[list[Region]] = field(default_factory=list)  # for 1, 2, … boxes
    variance: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)  # how much larger the variance could at most be, as a share
    tried: int = 0

    @cached_property
    def _categorical(self) -> list[bool]:
        return [axis.levels is not None for axis in self.cells.axes]

    def up_to(self, n_groups: int) -> int:
        """Search for up to so many boxes; return how many there are."""
        if n_groups > self.tried:
            self.tried = n_groups
            plain = len(self.measures) == 1 and not self.against_rest
            found = self._additive(n_groups) if plain else self._frontier(n_groups)
            if not found:
                raise InputError(
                    f"the rows do not make one group of at least {self.limits.said}.",
                    "lower min_group_size or min_denominator.",
                )
            self.tilings, self.variance, self.gaps = ([one[i] for one in found] for i in range(3))  # type: ignore[assignment]
        return min(len(self.tilings), n_groups)

    def _additive(self, n_groups: int) -> list[tuple[list[Region], float, float]]:
        grid = self.cells.grid(self.measures[0])
        exact = seconds_needed(list(grid.shape), self._categorical, n_groups) <= self.budget
        axes = list(zip(grid.shape, self._categorical, strict=True))
        least = (self.limits.rows, self.limits.b)
        width = 0 if exact else beam_width(n_groups)
        found = _kernels.best_boxes(grid.a, grid.b, grid.rows, axes, n_groups, *least, width, self.progress or _quiet)
        total = float(grid.b.sum())
        out = []
        for value, boxes in found:
            if not boxes:
                break
            gap = 0.0 if exact or len(boxes) < 2 else loss_bound(grid.a, grid.b, len(boxes), value)
            out.append(([tuple(box) for box in boxes], max(value, 0.0) / total, gap))
        return out

    def _frontier(self, n_groups: int) -> list[tuple[list[Region], float, float]]:
        """Search where variances do not add up over groups: on a coarser grid, with borders of this one."""
        grids = [self.cells.grid(measure) for measure in self.measures]
        numeric = len(self._categorical) - sum(self._categorical)
        most = cells_within_budget(numeric, n_groups, against_rest=self.against_rest)
        starts = [_coarser(axis.size, axis.levels is not None, most) for axis in self.cells.axes]
        shape = grids[0].shape

        def joined(x: Array) -> Array:
            grid = x.reshape(shape)
            for d, first in enumerate(starts):
                grid = np.add.reduceat(grid, first, axis=d)
            return np.ascontiguousarray(grid.ravel())

        found = _kernels.best_frontiers(
            [(joined(grid.a), joined(grid.b)) for grid in grids],
            joined(grids[0].rows),
            [(first.size, c) for first, c in zip(starts, self._categorical, strict=True)],
            n_groups,
            self.limits.rows,
            self.limits.b,
            self.against_rest,
            WIDTH_BOXES,
            self.progress or _quiet,
        )
        ends = [np.append(first, size) for first, size in zip(starts, shape, strict=True)]

        def fine(box: Sequence[tuple[int, int]]) -> Region:
            sides = zip(box, ends, self._categorical, strict=True)
            return tuple(side if c else (int(e[side[0]]), int(e[side[1]])) for side, e, c in sides)

        out = []
        for value, bound, boxes in found:
            if not boxes:
                break
            gap = max(bound / value - 1, 0.0) if value > 0 else 0.0
            out.append(([fine(box) for box in boxes], max(value, 0.0), gap))
        return out

    def partition(self, n_groups: int, missing: Missing) -> Partition:
        """Return the boxes as groups, ordered by their lower corners."""
        regions = Boxes(self.cells, self.cells[self.measures[0]])
        boxes = [regions.sides(region) for region in self.tilings[n_groups - 1]]

        def corner(box: Sequence[Side]) -> list[tuple[float, tuple[str, ...]]]:
            return [(0.0, side.names) if isinstance(side, Levels) else (side.low, ()) for side in box]

        names = [axis.name for axis in self.cells.axes]
        return Partition.from_boxes(names, sorted(boxes, key=corner), missing=missing)


def boxes_by_band(
    search: GridSearch, shown: Sequence[Band], strict: Sequence[Band], *, differs: bool, most: int
) -> Selection:
    """Take the fewest boxes inside which no box is shown to differ from the rest of its own.

    Parameters
    ----------
    search : GridSearch
        Finds the boxes.
    shown, strict : list of Band
        One for each rate: at the level of the intervals, and at that at which more than two groups are asked for.
    differs : bool
        Whether some box is shown to differ: then there are at least two groups.
    most : int
        The largest number of groups to try.

    Returns
    -------
    Selection

    Notes
    -----
    The cells along the borders of a group, where cells join several values, do not ask for more groups: a true border
    that runs through a cell leaves a strip of people of both sides. So boxes are looked for among the other cells of
    the group; and in all of it, where the most different box is not parted from the rest along such a strip. A
    difference that was found must not get lost between groups that cut it in two: if no group is shown to differ, up to
    two more groups are tried; where that is of no avail there is one group, and the box that differs is named.
    """
    known: dict[Region, float] = {}
    boxes = Boxes(search.cells, search.cells[search.measures[0]])

    def excess(region: Region) -> float:
        if region not in known:
            rows, b = search.limits.rows, search.limits.b
            inner = boxes.inside(region)
            found = [band.largest_excess(inner, min_rows=rows, min_b=b)[0] for band in strict]
            if inner != region:
                wider = (band.largest_excess(region, min_rows=rows, min_b=b) for band in strict)
                found += [excess for excess, box in wider if not boxes.is_along_a_border(box, region)]
            known[region] = max(found)
        return known[region]

    def some_shown(tiling: Sequence[Region]) -> bool:
        bounds = [band.judge(tiling)[1] for band in shown]
        return any(bool(np.any((b.low > 0) | (b.high < 0))) for b in bounds)

    search.up_to(1)
    values = [excess(search.tilings[0][0])]
    if not differs or most == 1:
        return _selection(search, values, settled=not differs)
    chosen = 0
    for step in [*(s for s in STEPS if s < most), most]:
        reached = search.up_to(step)
        values += [max(map(excess, search.tilings[k - 1])) for k in range(len(values) + 1, reached + 1)]
        chosen = next((k for k, value in enumerate(values, 1) if value <= 0 and k > 1), 0)
        if chosen or reached < step or step >= most:
            break
    settled = chosen > 0
    chosen = chosen or len(values)
    tried = range(chosen, min(chosen + 3, search.up_to(min(chosen + 2, most)) + 1))
    showing = next((k for k in tried if some_shown(search.tilings[k - 1])), 1)
    for k in range(len(values) + 1, showing + 1):
        values.append(max(map(excess, search.tilings[k - 1])))
    return _selection(search, values[:showing], settled=settled and showing > 1)


def _selection(search: GridSearch, values: list[float], *, settled: bool) -> Selection:
    curve = (SelectionStep(k, search.variance[k - 1], float(value)) for k, value in enumerate(values, 1))
    return Selection("band", len(values), settled, tuple(curve))


def _coarser(size: int, categorical: bool, most: int) -> NDArray[np.intp]:
    """Return the first cell of each of at most `most` stretches of an axis."""
    if categorical or size <= most:
        return np.arange(size, dtype=np.intp)
    return np.unique(np.arange(most) * size // most).astype(np.intp)


def _quiet(_: float) -> None:
    return None
