"""Filling cells, the only pass over the rows: which cell each value belongs to, and the sums of measures by cell."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.design_effect import noise_of
from fairgroups.cells.exact_sums import exact_sums
from fairgroups.cells.moments import SUMS, Moments, sum_by
from fairgroups.errors import InputError
from fairgroups.measures import RATES, Measure
from fairgroups.options import cells_of, one_of
from fairgroups.rows.rows import Rows

__all__ = ["Bins", "Filling", "Spacing", "from_counts"]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Spacing = Literal["quantile", "width"]


class Bins:
    """Which cell each row belongs to: one for each distinct value, or cells of equal weight or width, or given ones."""

    def __init__(self, edges: Array, *, order: Any = None, starts: Any = None, codes: Any = None) -> None:
        self.edges = edges + 0.0 if edges[0] <= 0 <= edges[-1] else edges  # no −0
        self.order = order
        self.starts = starts
        self.codes = codes
        self.distinct = codes is None

    @classmethod
    def build(cls, values: Array, n_cells: int | None, spacing: Spacing, edges: Any) -> Bins:
        """Put values into cells; see `Cells.from_rows` for the options."""
        if edges is not None:
            return cls._on(_check_edges(edges), values)
        if n_cells is None:
            order = np.argsort(values)
            ordered = values[order]
            new = np.empty(values.size, dtype=bool)
            new[0] = True
            np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
            if new.all():
                return cls(ordered, order=order)
            starts = np.flatnonzero(new)
            return cls(ordered[starts], order=order, starts=starts)
        cells_of(n_cells)
        one_of(spacing, "spacing", ("quantile", "width"))
        if spacing == "quantile":
            lower = np.unique(np.quantile(values, np.arange(n_cells) / n_cells, method="higher"))
        else:
            lower = np.unique(np.linspace(values.min(), values.max(), n_cells + 1)[:-1])
        return cls._on(lower, values)

    @classmethod
    def _on(cls, edges: Array, values: Array) -> Bins:
        codes = np.searchsorted(edges, values, side="right") - 1
        return cls(edges, codes=np.maximum(codes, 0))

    def sum(self, column: Array) -> tuple[Array, Array]:
        """Add up a column over the rows of each cell; return the sums and what rounding took off them."""
        if not self.distinct:
            return exact_sums(column, lambda x: sum_by(self.codes, x, self.edges.size))
        ordered = column[self.order]
        if self.starts is None:
            return ordered, np.zeros_like(ordered)
        return exact_sums(ordered, lambda x: np.add.reduceat(x, self.starts))

    def ends(self, values: Array, which: np.ufunc, start: float) -> Array:
        """Return the smallest or largest value in each cell; its lower edge where there is none."""
        if self.distinct:
            ordered = values[self.order] + 0.0  # no −0
            return ordered if self.starts is None else which.reduceat(ordered, self.starts)
        found = np.full(self.edges.size, start)
        which.at(found, self.codes, values)
        return np.where(np.isinf(found), self.edges, found)

    @property
    def row_counts(self) -> NDArray[np.int64]:
        """Count the rows of each cell."""
        if self.distinct and self.starts is None:
            return np.ones(self.order.size, dtype=np.int64)
        if self.distinct:
            sizes = np.diff(self.starts, append=self.order.size)
        else:
            sizes = np.bincount(self.codes, minlength=self.edges.size)
        counts: NDArray[np.int64] = sizes.astype(np.int64)
        return counts


class Filling:
    """Rows on their way into cells; those whose attribute is missing go into one more cell at the end."""

    def __init__(self, rows: Rows, bins: Bins, present: NDArray[np.bool_]) -> None:
        self.rows, self.bins, self.present = rows, bins, present
        self.some_missing = not present.all()
        if rows.count is not None:
            self.rows_of_cells = self.total(np.ones(rows.size))[0].round().astype(np.int64)
        elif self.some_missing:
            self.rows_of_cells = np.append(bins.row_counts, int((~present).sum()))
        else:
            self.rows_of_cells = bins.row_counts

    def total(self, column: Array) -> tuple[Array, Array]:
        """Return the sums of a column by cell, and what rounding took off them."""
        column = self.rows.times(column)
        if not self.some_missing:
            return self.bins.sum(column)
        sums = self.bins.sum(column[self.present])
        absent = exact_sums(column[~self.present], lambda x: x.sum(keepdims=True))
        return np.append(sums[0], absent[0]), np.append(sums[1], absent[1])

    def counts(self) -> Counts | None:
        """Count people by cell, truth and outcome, where both are yes or no."""
        rows, truth = self.rows, self.rows.truth
        if truth is None or not rows.outcome_is_binary or not _is_zero_one(truth):
            return None
        people = self.rows_of_cells
        yes, true, both = (
            self.total(x)[0].round().astype(np.int64) for x in (rows.outcome, truth, truth * rows.outcome)
        )
        return np.stack([np.stack([people - yes - true + both, yes - both], -1), np.stack([true - both, both], -1)], 1)

    def moments(self, measure: Measure) -> tuple[Moments, Moments]:
        """Return the sums of a measure by cell, and what rounding took off them."""
        rows = self.rows
        a, b = rows.sums(measure)
        low, high = _ends(a, b)
        offset = rows.offset_of(measure)
        simple = bool((b == 1).all())
        if simple and rows.weight is None and rows.cluster is None and rows.blur is None:
            people = self.rows_of_cells.astype(np.float64), np.zeros(self.rows_of_cells.size)
            sums = self.total(a)
            squares = sums if _is_zero_one(a) else self.total(a * a)
            parts: list[tuple[Array, Array]] = [people, sums, people, sums, squares, people, people]
        else:
            if rows.weight is not None:
                a, b = a * rows.weight, b * rows.weight
                if not (b > 0).any():
                    raise InputError("no row that counts in this measure has a positive weight.")
            noise = noise_of(a, b, rows)
            bb = self.total(b * b)
            parts = [self.total(b), self.total(a), bb, self.total(a * b), self.total(a * a)]
            parts += [bb, bb] if noise is None else [self.total(one) for one in noise]
        sums_of, tails = (
            Moments(**dict(zip(SUMS, sums, strict=True)), low=low, high=high, offset=offset)
            for sums in zip(*parts, strict=True)
        )
        return sums_of, tails


def from_counts(counts: Counts, measure: Measure) -> Moments | None:
    """Return the sums of a measure that follow from counts by truth and outcome; None where they do not.

    Measures of one's own are summed from the rows: what they do to a row may depend on the others.
    """
    if RATES.get(measure.name) != measure:
        return None
    truth, outcome = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])
    people = counts.reshape(-1, 4)
    a, b = measure.sums(outcome, truth)
    seen = (people.sum(axis=0) > 0) & (b > 0)
    if not seen.any():
        return None
    rates = a[seen] / b[seen]
    sums_b, sums_a = _weighed(people, b), _weighed(people, a)
    aa = sums_a if np.array_equal(a * a, a) else _weighed(people, a * a)
    return Moments(sums_b, sums_a, sums_b, sums_a, aa, float(rates.min()), float(rates.max()), sums_b)


def _weighed(people: NDArray[np.int64], values: Array) -> Array:
    """Add up the people of each kind, each as much as its value; quicker than to make floats of all of them first."""
    total = np.zeros(len(people))
    for kind in np.flatnonzero(values):
        total += people[:, kind] if values[kind] == 1 else people[:, kind] * values[kind]
    return total


def _ends(a: Array, b: Array) -> tuple[float, float]:
    """Return the smallest and the largest rate of any one row that counts."""
    used = b > 0
    if not used.any():
        raise InputError("no row counts in this measure: its denominator B is 0 everywhere.")
    rates = a if bool((b == 1).all()) else a[used] / b[used]
    return float(rates.min()), float(rates.max())


def _is_zero_one(values: Array) -> bool:
    return bool(np.all((values == 0) | (values == 1)))


def _check_edges(edges: Any) -> Array:
    array = np.asarray(edges, dtype=np.float64)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or not (np.diff(array) > 0).all():
        raise InputError("`edges` must be finite numbers in increasing order, at least one.")
    return array
