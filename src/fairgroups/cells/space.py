"""Cells of several attributes: sums over the rows of each cell of one grid, which searches and the band share.

Borders of boxes lie between its cells, so that what is printed is what the band covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.grid import SpaceGrid, axis_edges
from fairgroups.cells.matching import Matching, matchings
from fairgroups.cells.moments import Moments, moments_by
from fairgroups.errors import InputError
from fairgroups.measures import Measure, resolve_measure
from fairgroups.options import Missing
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows, check_measure

__all__ = ["MOST_BANDED", "MOST_BOXES", "GridAxis", "SpaceCells"]

Array = NDArray[np.float64]
MOST_BOXES = 120_000  # of a grid that is laid without being asked for: 25 × 25, 9 × 9 × 9, 61 × 63 sets of levels …
BOXES_OF_ONE, FEWEST_BOXES = 20, 1500  # for each row: with few rows, more boxes would widen the band and show no more
FINEST = 100
MOST_BANDED = 4_000_000  # of a grid for which the band is simulated, in some ten seconds
ALL_SETS = 8  # levels of which every set is a side; of more, the sets of the lowest and of the highest rates


@dataclass(frozen=True)
class GridAxis:
    """One attribute of a grid: the first and last values of its cells, or the levels of a category."""

    name: str
    first: Array
    last: Array
    levels: tuple[str, ...] | None = None

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.levels) if self.levels is not None else int(self.first.size)

    @property
    def sides(self) -> int:
        """How many sides a box may have here: ranges of cells, or sets of levels."""
        return _sides(self.size, categorical=self.levels is not None)

    @property
    def distinct(self) -> bool:
        """Whether each cell is a single value."""
        return self.levels is not None or bool(np.all(self.first == self.last))

    def codes(self, values: Array) -> NDArray[np.intp]:
        """Return the cell of each value."""
        if self.levels is not None:
            return values.astype(np.intp)
        return np.maximum(np.searchsorted(self.first, values, side="right") - 1, 0)


@dataclass(frozen=True, eq=False)
class SpaceCells:
    """Sums over the rows of each cell of a grid of several attributes, in C order.

    If `missing` is true, one more cell at the end of every sum holds the rows that miss a value. Build it with
    `from_arrays`.

    Examples
    --------
    >>> from fairgroups import Band, SpaceCells
    >>> people = {"age": [20, 30, 20, 30] * 50, "sex": ["f", "f", "m", "m"] * 50}
    >>> cells = SpaceCells.from_arrays(people, [0, 1, 1, 1] * 50)
    >>> cells.shape, cells.n_boxes
    ((2, 2), 9)
    >>> Band(cells, "statistical_parity").interval(age=(None, 25), sex="f").rate
    0.0
    """

    axes: tuple[GridAxis, ...]
    rows: NDArray[np.int64]
    measures: Mapping[str, Measure]
    moments: Mapping[str, Moments]
    missing: bool
    matching: Mapping[str, Matching] = field(default_factory=dict)  # where people are compared at equal factors

    @classmethod
    def from_arrays(
        cls,
        sensitive: Mapping[str, Any],
        outcome: Any,
        *,
        truth: Any = None,
        weight: Any = None,
        cluster: Any = None,
        measure: str | Measure | Iterable[str | Measure] = "auto",
        positive: Any = None,
        missing: Missing = "error",
        n_cells: int | None = None,
    ) -> SpaceCells:
        """Fill cells from columns of values: `sensitive` maps names to columns; see `from_rows` for the grid."""
        options: dict[str, Any] = {"truth": truth, "weight": weight, "cluster": cluster, "positive": positive}
        rows = Rows.from_arrays(dict(sensitive), outcome, **options, missing=missing)
        asked = [measure] if isinstance(measure, str | Measure) else list(measure)
        measures = [resolve_measure(one, outcome_is_binary=rows.outcome_is_binary) for one in asked]
        return cls.from_rows(rows.centred(), [check_measure(one, rows) for one in measures], n_cells)

    @classmethod
    def from_rows(
        cls, rows: Rows, measures: Sequence[Measure], n_cells: int | None = None, like: SpaceCells | None = None
    ) -> SpaceCells:
        """Lay a grid over the people and sum them up.

        Parameters
        ----------
        rows : Rows
            The people.
        measures : sequence of Measure
            What is summed.
        n_cells : int, optional
            At most so many cells along each number; by default as many as keep the number of boxes at 120 000, and at
            20 for each row, and at most 100. A number with no more distinct values has one cell for each.
        like : SpaceCells, optional
            The cells of more people, whose grid is to be used.

        Returns
        -------
        SpaceCells
        """
        known = ~rows.absent
        if not known.any():
            raise InputError(
                "every row misses a sensitive value.", "check the columns named: one of them may be empty."
            )
        values = [column.values[known] for column in rows.columns]
        people = rows.people[known]
        if like is not None:
            axes = like.axes
        else:
            limit = n_cells or _fitting(rows.columns, values, float(people.sum()))
            axes = tuple(_axis(column, known, limit, people) for column in rows.columns)
        shape = [axis.size for axis in axes]
        SpaceGrid.check_size(shape)
        n = prod(shape)
        codes = np.full(rows.size, n, dtype=np.intp)
        codes[known] = np.ravel_multi_index([a.codes(v) for a, v in zip(axes, values, strict=True)], shape)
        missing = not bool(known.all())
        counted = np.bincount(codes, rows.people, n + missing).round().astype(np.int64)
        moments = {m.name: moments_by(rows, m, codes, n + missing) for m in measures}
        matching = {} if rows.strata is None else matchings(rows, measures, codes, n + missing)
        return cls(axes, counted, {m.name: m for m in measures}, moments, missing, matching)

    def __len__(self) -> int:
        return prod(self.shape)

    def __getitem__(self, measure: Measure | str) -> Moments:
        return self.moments[measure if isinstance(measure, str) else measure.name]

    @property
    def name(self) -> str:
        """The attributes' names, joined."""
        return " × ".join(axis.name for axis in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of cells along each attribute."""
        return tuple(axis.size for axis in self.axes)

    @property
    def n_boxes(self) -> int:
        """How many boxes the grid has."""
        return prod(axis.sides for axis in self.axes)

    @property
    def can_be_banded(self) -> bool:
        """Whether every box can be looked at: at most one category has many levels, and there are not too many sets."""
        many = sum(axis.levels is not None and axis.size > ALL_SETS for axis in self.axes)
        return many <= 1 and prod(axis.sides for axis in self.axes if axis.levels is not None) <= MOST_BANDED

    def grid(self, measure: Measure | str) -> SpaceGrid:
        """Return the cells as a search sees them."""
        n, moments = len(self), self[measure]
        a, b = moments.a[:n], moments.b[:n]
        edges = tuple(None if axis.levels is not None else axis.first for axis in self.axes)
        return SpaceGrid(edges, self.shape, a - b * (a.sum() / b.sum()), b, self.rows[:n].astype(np.float64))


def _sides(size: int, *, categorical: bool) -> int:
    if not categorical:
        return size * (size + 1) // 2
    return 2**size - 1 if size <= ALL_SETS else 16 * size  # those of many levels are sorted anew in every draw


def _fitting(columns: Sequence[Column], values: Sequence[Array], people: float) -> int:
    """Return how many cells each number may have so that there are not too many boxes."""
    most = min(max(BOXES_OF_ONE * people, FEWEST_BOXES), MOST_BOXES)
    distinct = [
        len(c.levels) if c.levels is not None else int(np.unique(x).size) for c, x in zip(columns, values, strict=True)
    ]

    def boxes(cells: int) -> float:
        shape = zip(columns, distinct, strict=True)
        return prod(_sides(m if c.levels else min(m, cells), categorical=c.levels is not None) for c, m in shape)

    return max((cells for cells in range(2, FINEST + 1) if boxes(cells) <= most), default=2)


def _axis(column: Column, known: NDArray[np.bool_], n_cells: int, people: Array) -> GridAxis:
    none = np.empty(0)
    if column.levels is not None:
        return GridAxis(column.name, none, none, column.levels)
    values = column.values[known]
    first = axis_edges(values, n_cells, people)
    highest = values if column.last is None else column.last[known]
    last = np.full(first.size, -np.inf)
    np.maximum.at(last, np.searchsorted(first, values, side="right") - 1, highest)
    return GridAxis(column.name, first, last)
