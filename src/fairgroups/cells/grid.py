"""Cells in several dimensions: a grid of quantile cells, or of distinct values where they are few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.measures import Measure
from fairgroups.options import within_memory
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows, quantiles
from fairgroups.rows.weights import weighted_sums

__all__ = ["Points", "SpaceGrid", "axis_edges"]

Array = NDArray[np.float64]
BYTES_OF_CELL = 500  # sums, summed-area tables and what a search keeps


@dataclass(frozen=True)
class Points:
    """Rows as a search in several dimensions sees them: coordinates and what each row adds to A and B.

    Rows that miss a sensitive value, or count nothing in B, are not among them. A is centred: the overall rate times
    B is taken off. `people` says how many a point stands for, in whose name it adds to A and B.
    """

    columns: tuple[Column, ...]
    a: Array
    b: Array
    people: Array

    @classmethod
    def of(cls, rows: Rows, measure: Measure) -> Points:
        """Take the points of a measure."""
        a, b = weighted_sums(rows, measure)
        keep = (b > 0) & ~rows.absent
        if not keep.any():
            raise InputError("no row with known sensitive values counts in this measure: B is 0 everywhere.")
        columns = tuple(Column(c.name, c.values[keep], c.levels) for c in rows.columns)
        a, b = rows.times(a)[keep], rows.times(b)[keep]
        return cls(columns, a - b * (a.sum() / b.sum()), b, rows.people[keep])

    @property
    def n(self) -> int:
        """Count the points."""
        return int(self.b.size)


@dataclass(frozen=True)
class SpaceGrid:
    """Sums by cell of a grid: `edges` holds the lower ends of each numeric axis's cells, None for a category."""

    edges: tuple[Array | None, ...]
    shape: tuple[int, ...]
    a: Array
    b: Array
    rows: Array

    def places(self, columns: Sequence[Column]) -> NDArray[np.intp]:
        """Return the cell of each row, in one number."""
        codes = [
            c.values.astype(np.intp) if e is None else np.searchsorted(e, c.values, side="right") - 1
            for c, e in zip(columns, self.edges, strict=True)
        ]
        return np.ravel_multi_index(codes, self.shape)

    @staticmethod
    def check_size(shape: Sequence[int]) -> None:
        """Refuse a grid of too many cells."""
        within_memory(
            BYTES_OF_CELL * float(prod(shape)),
            f"a grid of {' × '.join(map(str, shape))} cells",
            "lower n_cells, or use fewer attributes",
        )

    @classmethod
    def of(cls, points: Points, n_cells: int) -> SpaceGrid:
        """Lay a grid of at most `n_cells` cells along each numeric axis and sum the points in its cells."""
        return cls.sums(points.columns, [(points.a, points.b)], n_cells, points.people)[0]

    @classmethod
    def sums(
        cls, columns: Sequence[Column], pairs: Sequence[tuple[Array, Array]], n_cells: int, people: Array
    ) -> list[SpaceGrid]:
        """Lay one grid and sum several pairs of A and B, and the people, in its cells."""
        edges: list[Array | None] = []
        codes, shape = [], []
        for column in columns:
            if column.levels is not None:
                edges.append(None)
                codes.append(column.values.astype(np.intp))
                shape.append(len(column.levels))
                continue
            lower = axis_edges(column.values, n_cells, people)
            edges.append(lower)
            codes.append(np.searchsorted(lower, column.values, side="right") - 1)
            shape.append(int(lower.size))
        cls.check_size(shape)
        flat = np.ravel_multi_index(codes, shape)
        n = prod(shape)
        rows = np.bincount(flat, people, n).astype(np.float64)
        return [
            cls(
                tuple(edges),
                tuple(shape),
                np.bincount(flat, a, n).astype(np.float64),
                np.bincount(flat, b, n).astype(np.float64),
                rows,
            )
            for a, b in pairs
        ]


def axis_edges(values: Array, n_cells: int, people: Array) -> Array:
    """Return the first value of each cell of a number: one cell for each value, or cells of equally many people.

    A value that more people share than a cell would hold has a cell of its own, and the others have all other cells: of
    an amount that is 0 for most, those who have some are told apart as finely as there are cells.
    """
    lower, place = np.unique(values, return_inverse=True)
    if lower.size <= n_cells:
        return lower
    several = people if (people != 1).any() else None
    held = np.bincount(np.ravel(place), several, lower.size)
    shared, left = np.zeros(lower.size, dtype=bool), n_cells
    while left > 2:  # each takes up to two cells: its own, and the one that it parts
        more = ~shared & (held > held[~shared].sum() / left)
        if not more.any():
            break
        heaviest = np.flatnonzero(more)[np.argsort(-held[more], kind="stable")][: (left - 1) // 2]
        shared[heaviest] = True
        left = n_cells - 2 * int(shared.sum())
    if not shared.any():
        return np.unique(quantiles(values, np.arange(n_cells) / n_cells, several))
    alone = np.flatnonzero(shared)
    rest = ~shared[np.ravel(place)]
    others = quantiles(values[rest], np.arange(left) / left, None if several is None else several[rest])
    parted = lower[np.minimum(alone + 1, lower.size - 1)]
    return np.unique(np.concatenate([lower[:1], lower[alone], parted, others]))
