"""Sample: rows with the cells that they fill, once, for everybody who needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
from fairgroups.cells.space import SpaceCells
from fairgroups.measures import Measure
from fairgroups.rows.rows import Rows, check_measure
from fairgroups.rows.strata import Strata, as_one, at_equal, in_cells

__all__ = ["Sample", "plain_sums"]

Array = NDArray[np.float64]
CELLS_AT_EQUAL = 160  # of a number where people are compared at equal factors


@dataclass(frozen=True)
class Sample:
    """Rows, the measures that are asked of them, and, for one numeric attribute, their cells.

    Attributes
    ----------
    rows : Rows
        The people.
    measures : tuple of Measure
        What is summed.
    n_cells : int or None
        At most so many cells; by default one for each distinct value.
    whole : Sample or None
        More people, whose grid is used.
    """

    rows: Rows
    measures: tuple[Measure, ...]
    n_cells: int | None = None
    whole: Sample | None = None

    def __post_init__(self) -> None:
        for measure in self.measures:
            check_measure(measure, self.rows)

    @property
    def is_line(self) -> bool:
        """Whether there is one numeric attribute."""
        return self.rows.is_line

    @cached_property
    def space(self) -> SpaceCells:
        """The cells of several attributes."""
        like = None if self.whole is None else self.whole.space
        return SpaceCells.from_rows(self.rows, self.measures, self.n_cells, like)

    @cached_property
    def margins(self) -> tuple[Cells, ...]:
        """The people by each of their numbers alone."""
        if self.is_line:
            return (self.cells,)
        numbers = (column for column in self.rows.columns if column.levels is None)
        alone = [replace(self.rows, columns=(column,)) for column in numbers]
        if self.rows.strata is not None:
            alone = [in_cells(rows, CELLS_AT_EQUAL, np.empty(0)) for rows in alone]
        return tuple(Cells.from_rows(rows, measure=self.measures) for rows in alone)

    @cached_property
    def cells(self) -> Cells:
        """The cells of the one numeric attribute."""
        if self.whole is not None and not self.whole.cells.distinct:
            return Cells.from_rows(self.rows, measure=self.measures, edges=self.whole.cells.edges)
        return Cells.from_rows(self.rows, measure=self.measures, n_cells=self.n_cells)

    def part(self, rows: Rows, measure: Measure) -> Sample:
        """Return some of the rows with one measure, in the cells of all of them: borders between these stay borders."""
        return Sample(rows, (measure,), self.n_cells, self)

    def of(self, rows: Rows) -> Sample:
        """Return the sample of some of the rows."""
        return replace(self, rows=rows)

    def at_equal(
        self,
        measures: Sequence[Measure],
        strata: Strata,
        predicted: Mapping[str, Array] | None = None,
        borders: Array | None = None,
    ) -> Sample:
        """Return the people less what those alike in the factors have.

        Parameters
        ----------
        measures : sequence of Measure
            Which rates.
        strata : Strata
            Who is alike.
        predicted : mapping, optional
            By measure, what a model expects of each row.
        borders : array, optional
            Of one attribute: no cell lies across them.

        Returns
        -------
        Sample
        """
        rows = self.rows
        if self.is_line:
            most = min(self.n_cells or CELLS_AT_EQUAL, CELLS_AT_EQUAL)
            rows = in_cells(rows, most, np.empty(0) if borders is None else borders)
        if predicted is None:
            rows, strata = as_one(rows, strata)
        matched = at_equal(rows, measures, strata, predicted)
        return Sample(matched, tuple(measures), None if self.is_line else self.n_cells)


def plain_sums(sample: Sample, measure: Measure) -> tuple[Array, Array, Array] | None:
    """Return values, yeses and people by value, where cells know all of it: yes or no of people who count once each.

    None of several attributes, weights, clusters, amounts, and a grid of the user's.
    """
    rows = sample.rows
    if not sample.is_line or rows.weight is not None or rows.cluster is not None or sample.n_cells is not None:
        return None
    cells = sample.cells
    moments = cells[measure].map(lambda x: x[: len(cells)])
    if not (moments.aa is moments.a and moments.bb is moments.b and moments.bounded):
        return None
    used = moments.b > 0
    return cells.first[used], moments.a[used], moments.b[used]
