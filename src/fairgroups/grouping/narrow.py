"""Of many attributes the one or two by which people differ most, before boxes are searched for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.grid import axis_edges
from fairgroups.evidence.dealt_outcomes import Dealt
from fairgroups.evidence.many_attributes import Look, Looked, look_at
from fairgroups.evidence.scanned_places import Places, ScannedAxis, place_of
from fairgroups.measures import Measure
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows

__all__ = ["MANY", "Narrowed", "sets_of"]

Array = NDArray[np.float64]
MANY = 3  # boxes of more attributes are not searched for at once
FINE, COARSE = 64, 16
LEAST = 10
WIDE = 0.1  # of the people: a limit is kept where every range and box of so many keeps it


def sets_of(n: int) -> int:
    """Count the sets of one or two of so many attributes."""
    return n + n * (n - 1) // 2


@dataclass(frozen=True)
class Narrowed:
    """A look at all ranges and boxes of one or two of many attributes, by each rate.

    Attributes
    ----------
    names : tuple of str
        All the attributes.
    fine, coarse : tuple of ScannedAxis
        They alone, and as one of a pair.
    seen : tuple of (Dealt, Look)
        For each rate the people, and what was seen.
    """

    names: tuple[str, ...]
    fine: tuple[ScannedAxis, ...]
    coarse: tuple[ScannedAxis, ...]
    seen: tuple[tuple[Dealt, Look], ...]

    @classmethod
    def of(cls, rows: Rows, measures: tuple[Measure, ...], level: float) -> Narrowed:
        """Look, with the part of the error that the audit of the chosen ones leaves."""
        fine, coarse = (tuple(_axis(column, cells, rows) for column in rows.columns) for cells in (FINE, COARSE))
        level = 1 - (1 - level) * (1 - 1 / sets_of(len(fine))) / len(measures)
        seen = []
        for measure in measures:
            dealt = Dealt.of(rows, measure, np.zeros(rows.size, dtype=np.intp), place_of(fine, coarse, rows.outcome)[0])
            found = look_at(dealt, fine, coarse, most_pairs=None, level=level, least=LEAST, n_draws=256)
            seen.append((dealt, found))
        return cls(tuple(column.name for column in rows.columns), fine, coarse, tuple(seen))

    @cached_property
    def first(self) -> tuple[Looked, ...]:
        """What is most striking by each rate."""
        found = (look.first for _, look in self.seen)
        return tuple(one for one in found if one is not None)

    @property
    def chosen(self) -> tuple[int, ...]:
        """Which one or two attributes go with the outcome most, by the rate that differs most."""
        return max(self.first, key=lambda one: one.excess).columns

    def ends(self, at: int) -> tuple[Array, Array]:
        """Return lower and upper ends of the differences by one rate of all that limits are about.

        That is every range and box of a tenth of the people, and every level of every category.
        """
        dealt, look = self.seen[at]
        lows, highs = [], []
        for one in (*look.singles, *look.pairs):
            alone = len(one.columns) == 1
            axes = [(self.fine if alone else self.coarse)[i] for i in one.columns]
            share = 0.0 if alone and axes[0].categorical else WIDE
            low, high, wide = Places.of(dealt, axes, LEAST).bounds(one.root, share)
            lows.append(low[wide])
            highs.append(high[wide])
        return np.concatenate(lows), np.concatenate(highs)


def _axis(column: Column, cells: int, rows: Rows) -> ScannedAxis:
    known = ~np.isnan(column.values)
    edges = None if column.levels is not None else axis_edges(column.values[known], cells, rows.people[known])
    return ScannedAxis.of(column.values, None if column.levels is None else len(column.levels), edges)
