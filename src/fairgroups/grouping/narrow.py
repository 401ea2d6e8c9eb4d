"""Of many attributes the one or two by which people differ most, before boxes are searched for."""

from __future__ import annotations

import numpy as np

from fairgroups.cells.grid import axis_edges
from fairgroups.evidence.dealt import Dealt
from fairgroups.evidence.look import look_at
from fairgroups.evidence.places import ScannedAxis, place_of
from fairgroups.measures import Measure
from fairgroups.rows.attributes import Column
from fairgroups.rows.rows import Rows

__all__ = ["MANY", "most_striking", "sets_of"]

MANY = 3  # boxes of more attributes are not searched for at once
FINE, COARSE = 64, 16
LEAST = 10


def sets_of(n: int) -> int:
    """Count the sets of one or two of so many attributes."""
    return n + n * (n - 1) // 2


def most_striking(rows: Rows, measures: tuple[Measure, ...], level: float) -> tuple[int, ...]:
    """Return which one or two attributes, over all ranges and boxes, go with the outcome most.

    Parameters
    ----------
    rows : Rows
        The people.
    measures : tuple of Measure
        The rates; the one that differs most decides.
    level : float
        Confidence level.

    Returns
    -------
    tuple of int
    """
    fine, coarse = ([_axis(column, cells, rows) for column in rows.columns] for cells in (FINE, COARSE))
    found = []
    for measure in measures:
        dealt = Dealt.of(rows, measure, np.zeros(rows.size, dtype=np.intp), place_of(fine))
        first = look_at(dealt, fine, coarse, most_pairs=None, level=level, least=LEAST, n_draws=256).first
        if first is not None:
            found.append(first)
    best = max(found, key=lambda one: one.excess)
    return best.columns


def _axis(column: Column, cells: int, rows: Rows) -> ScannedAxis:
    known = ~np.isnan(column.values)
    edges = None if column.levels is not None else axis_edges(column.values[known], cells, rows.people[known])
    return ScannedAxis.of(column.values, None if column.levels is None else len(column.levels), edges)
