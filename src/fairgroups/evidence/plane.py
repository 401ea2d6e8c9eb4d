"""The rate over the plane of two attributes: what maps draw, and what a reader may draw boxes on.

Nothing in it stands for fewer people than allowed: cells of few people are joined with their neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.moments import Moments
from fairgroups.cells.space import GridAxis, SpaceCells
from fairgroups.evidence.disclosure import Figures, classes_of, rounded_ends
from fairgroups.evidence.regions import Region
from fairgroups.measures import Measure
from fairgroups.options import FEWEST_TOLD
from fairgroups.partition.partition import Partition
from fairgroups.rows.column_kinds import Column

__all__ = ["Plane", "PlaneCell", "rate_plane", "tells_of_few"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Ends = list[tuple[float, float]] | list[tuple[str, str]]
ROOMY = 30  # people that a cell holds on average
MOST_CELLS, MOST_SLICES = 24, 3


@dataclass(frozen=True)
class PlaneCell:
    """A cell of the plane of two attributes, in one slice of a third: its ends, or its level, its people and rate."""

    rate: float
    n: int
    x_low: float | str
    x_high: float | str
    y_low: float | str = 0.0
    y_high: float | str = 1.0
    z_low: float | str | None = None
    z_high: float | str | None = None


@dataclass(frozen=True)
class Plane:
    """Cells of the plane, and of slices of a third attribute; none of few people.

    Attributes
    ----------
    ends : list
        For each attribute the first and last values of its cells, or its levels.
    places : array
        Of each cell that is drawn the place along each attribute, from the first up to, not including, the second.
    n : array
        Its people.
    sums : Moments
        Its sums.
    margins : list
        For each of the two attributes alone: place, people and rate of its cells.
    hidden : list
        Places of cells that hold people and are not drawn.
    at : list
        For each cell of the grid, the one of the map's cells along each of its attributes.
    counted : array
        For each cell of the grid, how many people count.
    cuts : list of Cuts
        The partitions that may be told, as they cut the grid, and the range that is.
    """

    ends: list[Ends]
    places: NDArray[np.intp]
    n: NDArray[np.int64]
    sums: Moments
    margins: list[list[tuple[int, int, float]]]
    hidden: list[tuple[int, int]]
    at: list[Codes]
    counted: Array
    cuts: list[Cuts]

    @classmethod
    def of(
        cls,
        cells: SpaceCells,
        measure: Measure | str,
        min_cell: int,
        partitions: Sequence[Partition] = (),
        named: Region | None = None,
    ) -> Plane:
        """Lay out the first two attributes, or three, and join cells of few people.

        Of several partitions the first is told, as is the range that a conclusion has `named`, and those after it by
        which, with those before, nothing of few people could be worked out; and no cell is drawn by which it could.
        """
        axes = cells.axes[:3]
        size, people = len(cells), cells.rows
        shape = cells.shape
        beyond = tuple(range(len(axes), len(shape)))
        slices = _slices(axes)
        counted = np.minimum(people[:size], cells[measure].map(lambda x: x[:size]).effective_size)
        cuts = _told(cells, partitions, named, counted, min_cell)
        everybody = int(people[:size].sum())
        most = int(np.clip(np.sqrt(everybody / slices / ROOMY), 4, MOST_CELLS))
        most = max(min(most, everybody // (2 * min_cell)), 1)
        counts = people[:size].reshape(shape).sum(axis=beyond)
        starts = [
            _stretches(
                axis,
                counts.sum(axis=tuple(i for i in range(len(axes)) if i != d)),
                most if d < 2 else MOST_SLICES,
                [one.segments[d] for one in cuts],
            )
            for d, axis in enumerate(axes)
        ]

        def joined(x: Array) -> Array:
            grid: Any = x[:size].reshape(shape).sum(axis=beyond)
            for d, first in enumerate(starts):
                grid = np.add.reduceat(grid, first, axis=d)
            out: Array = grid
            return out

        sums, n = cells[measure].map(joined), joined(people.astype(np.float64))
        margins = [_margin(sums, n, d, min_cell) for d in (0, 1)]
        if len(axes) == 2:
            sums, n = sums.map(lambda x: x[..., None]), n[..., None]
        along = next((d for d in (1, 0) if axes[d].levels is None), None)
        group = np.zeros(n.shape, dtype=np.intp)
        if cuts and not beyond:
            group = classes_of(*(one.group for one in cuts)).reshape(shape)[np.ix_(*starts)].reshape(n.shape)
        places = _runs(np.minimum(n, sums.effective_size), along, min_cell, group)
        held = [tuple(slice(int(i), int(j)) for i, j in place) for place in places]
        total = sums.map(lambda x: np.array([x[where].sum() for where in held]))
        drawn = np.array([n[where].sum() for where in held]).round().astype(np.int64)
        # Everybody less the cells would tell of a few who are left out.
        if 0 < everybody - int(drawn.sum()) < min_cell and drawn.size > 1:
            kept = np.arange(drawn.size) != int(np.argmin(drawn))
            places, drawn, total = places[kept], drawn[kept], total.map(lambda x: x[kept])
        at = [
            np.searchsorted(first, x, side="right") - 1
            for first, x in zip(starts, np.unravel_index(np.arange(size), shape), strict=False)
        ]
        if cuts:
            kept = _unrevealing(_drawn_at(places, at), cuts, counted, drawn, min_cell)
            places, drawn, total = places[kept], drawn[kept], total.map(lambda x: x[kept])
        shown = np.zeros(n.shape, dtype=bool)
        for place in places:
            shown[tuple(slice(int(i), int(j)) for i, j in place)] = True
        hidden = sorted({(int(i), int(j)) for i, j, _ in np.argwhere(~shown & (n > 0))})
        ends = []
        for d, (axis, first) in enumerate(zip(axes, starts, strict=True)):
            along = people[:size].reshape(shape).sum(axis=tuple(i for i in range(len(shape)) if i != d))
            ends.append(_ends(axis, first, (along[0] >= min_cell, along[-1] >= min_cell)))
        return cls(ends, places, drawn, total, margins, hidden, at, counted, cuts)

    @property
    def drawn_at(self) -> Codes:
        """The cell that is drawn for each cell of the grid; −1 where none is."""
        return _drawn_at(self.places, self.at)

    def ends_along(self, d: int) -> list[float]:
        """Return where places along a number begin, and where the last ends; nothing of a category."""
        return [float(low) for low, _ in self.ends[d]] + [float(self.ends[d][-1][1])] if self.is_number(d) else []

    def is_number(self, d: int) -> bool:
        """Whether an attribute is a number."""
        return not isinstance(self.ends[d][0][0], str)

    def drawn_along(self, d: int) -> list[tuple[int, int, float]]:
        """Return place, people and rate of one attribute alone, of the cells drawn there that lie nowhere else."""
        first, stop = self.places[:, d].T
        out = []
        for i in range(len(self.ends[d])):
            here = (first <= i) & (i < stop)
            if here.any() and np.all(stop[here] - first[here] == 1):
                some = np.flatnonzero(here)
                rate = float(self.sums.map(lambda x: np.add.reduceat(x[some], [0])).rate[0])  # noqa: B023  called here
                out.append((i, int(self.n[here].sum()), rate))
        return out

    @property
    def cells(self) -> list[PlaneCell]:
        """The cells as charts draw them."""
        out = []
        for place, n, rate in zip(self.places, self.n, self.sums.rate, strict=True):
            corners = {}
            for key, ends, (i, j) in zip("xyz", self.ends, place, strict=False):
                corners[f"{key}_low"], corners[f"{key}_high"] = ends[i][0], ends[j - 1][1]
            out.append(PlaneCell(float(rate), int(n), **corners))
        return out


def rate_plane(
    cells: SpaceCells,
    measure: Measure | str,
    min_cell: int = FEWEST_TOLD,
    partitions: Sequence[Partition] = (),
    named: Region | None = None,
) -> list[PlaneCell]:
    """Return the rate over the plane of the first two attributes, for charts.

    A third attribute makes one plane for each of its levels, or thirds. A category's cells carry its level's name.

    Parameters
    ----------
    cells : SpaceCells
        The people.
    measure : Measure or str
        Which rate.
    min_cell : int
        Cells of fewer people are joined with their neighbours; levels of fewer are left out.
    partitions : sequence of Partition
        Groups that are told beside the map: no cell is drawn by which something of fewer people could be worked out.
    named : Region, optional
        The range that is told beside it.

    Returns
    -------
    list of PlaneCell
    """
    return Plane.of(cells, measure, min_cell, partitions, named).cells


def tells_of_few(cells: SpaceCells, measure: Measure | str, partition: Partition, named: Region, min_cell: int) -> bool:
    """Whether groups and a range that are told together tell of few people."""
    counted = np.minimum(cells.rows, cells[measure].effective_size)[: len(cells)]
    some = counted > 0
    groups, box = Cuts.of(cells, partition), Cuts.of_range(cells, named)
    if groups is None:
        return False
    nothing = np.full(int(some.sum()), -1, dtype=np.intp)
    figures = Figures([nothing, groups.group[some], box.group[some]], counted[some], min_cell)
    return not (figures.tell(groups.group[some]) and figures.tell(box.group[some]))


def _margin(sums: Moments, n: Array, d: int, min_cell: int) -> list[tuple[int, int, float]]:
    others = tuple(i for i in range(n.ndim) if i != d)
    rate, people = sums.map(lambda x: x.sum(axis=others)).rate, n.sum(axis=others)
    counted = sums.map(lambda x: x.sum(axis=others)).effective_size
    kept = np.flatnonzero((np.minimum(people, counted) >= min_cell) & np.isfinite(rate))
    return [(int(i), round(float(people[i])), float(rate[i])) for i in kept]


def _drawn_at(places: Codes, at: Sequence[Codes]) -> Codes:
    """Return which of the cells that are drawn each cell of the grid lies in; −1 where in none."""
    found = np.full(at[0].size, -1, dtype=np.intp)
    for k, place in enumerate(places):
        inside = [(x >= i) & (x < j) for x, (i, j) in zip(at, place, strict=False)]
        found[np.logical_and.reduce(inside)] = k
    return found


@dataclass(frozen=True)
class Cuts:
    """How groups cut a grid: the group of each cell, and the cells of each attribute between their borders.

    `partition` is None where it is not groups that cut, but a range and all others.
    """

    partition: Partition | None
    group: Codes
    segments: list[Codes]

    @classmethod
    def of(cls, cells: SpaceCells, partition: Partition) -> Cuts | None:
        """Return the cuts; None where a border lies inside a cell."""
        places = np.unravel_index(np.arange(len(cells)), cells.shape)
        ends: list[list[Column]] = [[], []]
        for axis, at in zip(cells.axes, places, strict=True):
            for columns, values in zip(ends, (axis.first, axis.last), strict=True):
                of = at.astype(np.float64) if axis.levels is not None else values[at]
                columns.append(Column(axis.name, of, axis.levels))
        group, other = (partition.codes(columns) for columns in ends)
        if not np.array_equal(group, other):
            return None
        return cls(partition, group, _between_borders(group.reshape(cells.shape)))

    @classmethod
    def of_range(cls, cells: SpaceCells, named: Region) -> Cuts:
        """Return the cuts of a range."""
        inside = np.zeros(cells.shape, dtype=np.intp)
        inside[tuple(slice(first, stop) for first, stop in named)] = 1
        return cls(None, inside.ravel(), _between_borders(inside))

    def all(self) -> list[Codes]:
        """Return for each cell its group, and where it lies along each attribute between the groups' borders."""
        places = np.unravel_index(np.arange(self.group.size), tuple(one.size for one in self.segments))
        return [self.group, *(one[at] for one, at in zip(self.segments, places, strict=True))]


def _between_borders(grid: Codes) -> list[Codes]:
    """Return for each attribute which of its cells no border of groups parts."""
    slices = (np.moveaxis(grid, d, 0).reshape(n, -1) for d, n in enumerate(grid.shape))
    return [np.unique(one, axis=0, return_inverse=True)[1].ravel() for one in slices]


def _told(
    cells: SpaceCells, partitions: Sequence[Partition], named: Region | None, counted: Array, min_cell: int
) -> list[Cuts]:
    """Return the partitions that may be told, the first and the range in any case; none where borders lie in cells."""
    found = [Cuts.of(cells, one) for one in partitions]
    if not found or found[0] is None:
        return []
    box = [] if named is None else [Cuts.of_range(cells, named)]
    some, every = counted > 0, [found[0], *box, *(one for one in found[1:] if one is not None)]
    sure = 1 + len(box)
    nothing = np.full(int(some.sum()), -1, dtype=np.intp)
    figures = Figures([nothing, *(cut[some] for one in every for cut in one.all())], counted[some], min_cell)
    for one in every[:sure]:
        figures.add(one.group[some])
    return [*every[:sure], *(one for one in every[sure:] if figures.tell(one.group[some]))]


def _unrevealing(
    drawn_at: Codes, cuts: Sequence[Cuts], counted: Array, n: NDArray[np.int64], min_cell: int
) -> NDArray[np.bool_]:
    """Return which cells may be drawn beside groups: the smallest are hidden until nothing tells of few."""
    kept = np.ones(n.size, dtype=bool)
    some = counted > 0
    people, every = counted[some], [cut[some] for one in cuts for cut in one.all()]
    groups = [one.group[some] for one in (cuts[0], *cuts[:0:-1])]  # those of the most groups first
    while some.any() and kept.any():
        cell = np.where(drawn_at[some] >= 0, drawn_at[some], -1)
        cell = np.where((cell >= 0) & kept[cell], cell, -1)
        figures = Figures([cell, *every], people, min_cell)
        for group in groups:
            figures.add(group)
        few = figures.of_few()
        if not few.any():
            break
        beside: set[int] = set()
        for group in groups:  # of the audit's own, where cells of the same group are drawn
            for part in np.unique(group[few]).tolist():
                cells = np.unique(cell[(group == part) & (cell >= 0)])
                beside |= {int(cells[np.argmin(n[cells])])} if cells.size else set()
            if beside:
                break
        if not beside:
            break
        kept[list(beside)] = False
    return kept


def _slices(axes: Sequence[GridAxis]) -> int:
    return 1 if len(axes) < 3 else axes[2].size if axes[2].levels is not None else MOST_SLICES


def _stretches(axis: GridAxis, people: NDArray[np.int64], most: int, segments: Sequence[Codes]) -> Codes:
    """Return the first cell of each of at most `most` stretches of about equally many people, and more at borders.

    No stretch lies across a border of the groups.
    """
    if axis.levels is not None or axis.size <= most:
        return np.arange(axis.size, dtype=np.intp)
    below = np.cumsum(people) - people
    even = np.unique(np.searchsorted(below, below[-1] * np.arange(most) / most, side="right") - 1).clip(0)
    if not segments:
        return even
    borders = np.append(0, np.flatnonzero(np.diff(classes_of(*segments))) + 1)
    near = np.abs(below[even][:, None] - below[borders][None, :]).min(axis=1) < below[-1] / (2 * most)
    return np.union1d(borders, even[~near])


def _ends(axis: GridAxis, starts: NDArray[np.intp], enough: tuple[bool, bool]) -> Ends:
    """Return where cells begin and end; the outermost ends tell of nobody, unless enough people have that value."""
    if axis.levels is not None:
        return [(level, level) for level in axis.levels]
    one = bool(axis.first[0] == axis.last[0]), bool(axis.first[-1] == axis.last[-1])
    whole = bool(np.all(axis.first == np.rint(axis.first)) and np.all(axis.last == np.rint(axis.last)))
    shared = enough[0] and one[0], enough[1] and one[1]
    low, high = rounded_ends(float(axis.first[0]), float(axis.last[-1]), shared, whole=whole)
    first = [low, *axis.first[starts][1:].tolist()]
    last = max(high, first[-1] + (high - low) / (2 * len(first)))
    return list(zip(first, [*first[1:], last], strict=True))


def _runs(people: Array, along: int | None, min_cell: int, group: Codes) -> Codes:
    """Join cells of a group along one attribute until each holds enough people who count; few left over are hidden."""
    found = []
    shape = people.shape
    across = [d for d in range(3) if d != along]
    for outer in np.ndindex(*(shape[d] for d in across)):
        place = [[0, 1]] * 3
        for d, i in zip(across, outer, strict=True):
            place[d] = [i, i + 1]
        if along is None:
            found += [place] if people[outer] >= min_cell else []
            continue
        line = tuple(slice(None) if d == along else place[d][0] for d in range(3))
        ends = [0, *(np.flatnonzero(np.diff(group[line])) + 1).tolist(), shape[along]]
        for first, stop in pairwise(ends):
            runs = _joined(people[line][first:stop].tolist(), first, min_cell)
            found += [[run if d == along else place[d] for d in range(3)] for run in runs]
    return np.array(found, dtype=np.intp).reshape(-1, 3, 2)


def _joined(people: list[float], first: int, min_cell: int) -> list[list[int]]:
    """Return runs of neighbours that hold enough people; the few that are left over join the last."""
    runs: list[list[int]] = []
    stop, held = first + len(people), 0.0
    for i, n in enumerate(people, first):
        held += n
        if held >= min_cell:
            runs.append([first, i + 1])
            first, held = i + 1, 0.0
    if runs:
        runs[-1][1] = stop
    return runs
