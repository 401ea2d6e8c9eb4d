"""People counted by cells of the attributes and by score: all that a repair by the exact attribute is learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.grid import axis_edges
from fairgroups.errors import InputError
from fairgroups.repair.axes import Axis
from fairgroups.rows.column_kinds import Column

__all__ = ["ScoreTable", "cells_along"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
MOST_CELLS, ALONE = 324, 128  # in all, and of one number
LEAST = 10  # people in a cell of one number
FEW, OFTEN, MOST_SHARED = 5, 0.02, 300  # of a cell's people one score: a knot of its own
BLOCKS, PER_BLOCK = 16, 12  # stretches of people whose own quantiles are knots too


@dataclass(frozen=True)
class ScoreTable:
    """How the scores of the people of each cell are distributed.

    Attributes
    ----------
    axes : tuple of Axis
        The attributes; cells are numbered with the last one running fastest. Where some people's attributes are
        missing, they are one more cell at the end.
    first : tuple of (array or None)
        For each number the smallest value of each cell.
    knots : array
        The scores at which people are counted, rising.
    atoms : array of bool
        Which of them several people share.
    weight, people : array, parts by cells
        What the people of a cell weigh, and how many equally heavy ones tell as much. There are two parts where true
        yes and true no are to be treated alike, each in itself.
    at, below : array, parts by cells by knots
        The share of a cell at or below a knot, and below it.
    share : array
        The pooled share of people between a knot and the one before.
    """

    axes: tuple[Axis, ...]
    first: tuple[Array | None, ...]
    knots: Array
    atoms: NDArray[np.bool_]
    weight: Array
    people: Array
    at: Array
    below: Array
    share: Array

    @classmethod
    def of(cls, columns: Sequence[Column], score: Array, masses: Sequence[Array], n_levels: int) -> ScoreTable:
        """Count people.

        Parameters
        ----------
        columns : sequence of Column
            The attributes.
        score : array
            The scores.
        masses : sequence of array
            What each person weighs in each part.
        n_levels : int
            About how many knots there may be.

        Returns
        -------
        ScoreTable
        """
        total = np.sum(masses, axis=0)
        used = np.flatnonzero(total > 0)
        columns = [Column(c.name, c.values[used], c.levels) for c in columns]
        score, masses, total = score[used], [mass[used] for mass in masses], total[used]
        absent = np.any([np.isnan(c.values) for c in columns], axis=0)
        if absent.all():
            raise InputError("nobody's attribute is known.", "name another column.")
        axes, first, known = cells_along([Column(c.name, c.values[~absent], c.levels) for c in columns])
        cell = np.full(score.size, prod(axis.size for axis in axes))
        cell[~absent] = known
        n_cells = int(cell.max()) + 1 if absent.any() else prod(axis.size for axis in axes)
        order = np.argsort(score, kind="stable")
        knots, atoms = _knots(score, total, cell, order, n_levels)
        place = np.empty(score.size, dtype=np.intp)
        place[order] = np.searchsorted(knots, score[order], side="left")
        on = knots[place] == score
        size = (n_cells, knots.size)
        at, below, weight, people = [], [], [], []
        for mass in masses:
            held = np.bincount(cell * knots.size + place, mass, n_cells * knots.size).reshape(size)
            exact = np.bincount((cell * knots.size + place)[on], mass[on], n_cells * knots.size).reshape(size)
            n = held.sum(axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                reached = np.nan_to_num(np.cumsum(held, axis=1) / n[:, None])
                before = reached - np.nan_to_num(exact / n[:, None])
                squares = np.bincount(cell, mass**2, n_cells)
                people.append(np.nan_to_num(n**2 / squares))
            at.append(reached)
            below.append(np.where(atoms, np.maximum(before, 0.0), reached))
            weight.append(n)
        pooled = np.bincount(place, total, knots.size)
        return cls(
            tuple(axes),
            tuple(first),
            knots,
            atoms,
            np.stack(weight),
            np.stack(people),
            np.stack(at),
            np.stack(below),
            pooled / pooled.sum(),
        )

    @property
    def n_cells(self) -> int:
        """How many cells the attributes have, that of missing ones apart."""
        return prod(axis.size for axis in self.axes)

    @property
    def absent(self) -> bool:
        """Whether the attributes of some people are missing."""
        return bool(self.weight.shape[1] > self.n_cells)


def cells_along(
    columns: Sequence[Column], most: int = MOST_CELLS, alone: int = ALONE
) -> tuple[list[Axis], list[Array | None], Codes]:
    """Cut numbers into cells of about equally many people; return axes, cells' smallest values, everybody's cell."""
    n = columns[0].values.size
    numbers = sum(column.levels is None for column in columns)
    fixed = prod(len(column.levels) for column in columns if column.levels is not None)
    if fixed > most:
        raise InputError(
            f"the categories make {fixed:,} groups; at most {most} are told apart.", "use fewer, or give a partition."
        )
    each = max(2, int((most / fixed) ** (1 / numbers) + 1e-9)) if numbers else 1
    each = min(each, alone, max(1, n // LEAST))
    axes: list[Axis] = []
    first: list[Array | None] = []
    cell: Codes = np.zeros(n, dtype=np.intp)
    for column in columns:
        if column.levels is not None:
            axes.append(Axis(column.name, levels=column.levels))
            first.append(None)
            code, size = column.values.astype(np.intp), len(column.levels)
        else:
            edges = _not_too_small(column.values, axis_edges(column.values, each, np.ones(n)))
            code = np.searchsorted(edges, column.values, side="right") - 1
            size = edges.size
            above = np.bincount(code, column.values - edges[code], size) / np.bincount(code, minlength=size)
            mean = edges + above  # a cell of one value has that very value as its centre
            axes.append(Axis(column.name, centres=mean))
            first.append(edges)
        cell = cell * size + code
    return axes, first, cell


def _not_too_small(values: Array, edges: Array) -> Array:
    """Join cells of very few people with those after them, the last ones with the one before."""
    count = np.bincount(np.searchsorted(edges, values, side="right") - 1, minlength=edges.size)
    kept, held = [0], 0
    for i, people in enumerate(count.tolist()):
        if held >= LEAST:
            kept.append(i)
            held = 0
        held += people
    if held < LEAST and len(kept) > 1:
        kept.pop()
    return edges[kept]


def _knots(score: Array, weight: Array, cell: Codes, order: Codes, n_levels: int) -> tuple[Array, NDArray[np.bool_]]:
    """Choose the scores to count at, all or quantiles of everybody and of stretches, and which several people share."""
    ordered = score[order]
    new = np.concatenate([[True], np.diff(ordered) > 0])
    distinct = ordered[new]
    count = np.diff(np.append(np.flatnonzero(new), ordered.size))
    place = np.cumsum(new) - 1
    shared = count >= max(2, 0.0005 * score.size)
    heavy = _heavy(cell[order], place, distinct.size)
    shared |= heavy
    if distinct.size <= n_levels:
        return distinct, shared
    chosen = [distinct[[0, -1]], distinct[heavy]]
    chosen.append(_quantiles(ordered, weight[order], max(n_levels - BLOCKS * PER_BLOCK, 16)))
    if cell.max() > 0:
        people = np.bincount(cell)
        middle = (np.cumsum(people) - people / 2) / score.size
        block = np.minimum(middle * BLOCKS, BLOCKS - 1).astype(np.intp)[cell[order]]
        for b in range(BLOCKS):
            mine = block == b
            if mine.any():
                chosen.append(_quantiles(ordered[mine], weight[order][mine], PER_BLOCK))
    knots = np.unique(np.concatenate(chosen))
    return knots, shared[np.searchsorted(distinct, knots)]


def _heavy(cell: Codes, place: Codes, n_scores: int) -> NDArray[np.bool_]:
    """Return which scores so many of some cell's people share that they must be told apart."""
    pair, count = np.unique(cell * n_scores + place, return_counts=True)
    share = count / np.bincount(cell)[pair // n_scores]
    often = np.flatnonzero((count >= FEW) & (share >= OFTEN))
    often = often[np.argsort(-count[often], kind="stable")][:MOST_SHARED]
    out = np.zeros(n_scores, dtype=bool)
    out[pair[often] % n_scores] = True
    return out


def _quantiles(ordered: Array, weight: Array, n: int) -> Array:
    reached = np.cumsum(weight)
    at = np.searchsorted(reached, reached[-1] * np.arange(1, n) / n)
    found: Array = ordered[np.minimum(at, ordered.size - 1)]
    return found
