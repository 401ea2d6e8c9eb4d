"""Which cell each value belongs to: one for each distinct value, or cells of equal weight or width, or given ones."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.exact_sums import exact_sums
from fairgroups.cells.moments import sum_by
from fairgroups.errors import InputError
from fairgroups.options import cells_of, one_of

__all__ = ["Bins", "Spacing"]

Array = NDArray[np.float64]
Spacing = Literal["quantile", "width"]


class Bins:
    """Which cell each row belongs to, and sums over it."""

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


def _check_edges(edges: Any) -> Array:
    array = np.asarray(edges, dtype=np.float64)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or not (np.diff(array) > 0).all():
        raise InputError("`edges` must be finite numbers in increasing order, at least one.")
    return array
