"""Cells: all that any search or interval needs from the rows, summed by value of the sensitive attribute.

The only pass over rows is the one that fills cells. Cells add up, so the sums of two halves of a data set are those
of the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.filling import Bins, Filling, Spacing, from_counts
from fairgroups.cells.matching import Matching, matchings
from fairgroups.cells.moments import Moments
from fairgroups.errors import InputError
from fairgroups.measures import Measure, resolve_measure
from fairgroups.options import Missing
from fairgroups.rows.rows import Rows, check_measure

__all__ = ["Cells"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cells:
    """Sums over the rows of each cell of a sensitive attribute.

    Cell j holds the values from ``edges[j]`` up to, not including, ``edges[j + 1]``; the outermost cells hold all
    values beyond them. ``first[j]`` and ``last[j]`` are the smallest and largest values seen in it. With ``distinct``
    each cell is a single value. If `missing` is true, one more cell at the end of every sum holds the rows whose value
    is missing.

    Examples
    --------
    >>> from fairgroups import Cells
    >>> cells = Cells.from_arrays([20, 30, 30, 40], [0, 1, 0, 1])
    >>> cells.edges.tolist(), cells.rows.tolist(), cells["statistical_parity"].a.tolist()
    ([20.0, 30.0, 40.0], [1, 2, 1], [0.0, 1.0, 1.0])
    """

    name: str
    edges: Array
    first: Array
    last: Array
    rows: NDArray[np.int64]
    measures: Mapping[str, Measure]
    moments: Mapping[str, Moments]
    tails: Mapping[str, Moments]  # what rounding took off the sums, so that the order of adding does not matter
    counts: NDArray[np.int64] | None
    distinct: bool
    missing: bool
    low: float
    high: float
    dropped: Mapping[str, int]
    matching: Mapping[str, Matching] = field(default_factory=dict)  # where people are compared at equal factors

    @classmethod
    def from_arrays(
        cls,
        sensitive: Any,
        outcome: Any,
        *,
        truth: Any = None,
        weight: Any = None,
        cluster: Any = None,
        measure: str | Measure | Iterable[str | Measure] = "auto",
        positive: Any = None,
        missing: Missing = "error",
        n_cells: int | None = None,
        spacing: Spacing = "quantile",
        edges: Any = None,
    ) -> Cells:
        """Fill cells from columns of values; see `from_rows` for the options."""
        rows = Rows.from_arrays(
            sensitive, outcome, truth=truth, weight=weight, cluster=cluster, positive=positive, missing=missing
        )
        return cls.from_rows(rows, measure=measure, n_cells=n_cells, spacing=spacing, edges=edges)

    @classmethod
    def from_frame(
        cls,
        data: Any,
        *,
        sensitive: str,
        outcome: str,
        truth: str | None = None,
        weight: str | None = None,
        cluster: str | None = None,
        measure: str | Measure | Iterable[str | Measure] = "auto",
        positive: Any = None,
        missing: Missing = "error",
        n_cells: int | None = None,
        spacing: Spacing = "quantile",
        edges: Any = None,
    ) -> Cells:
        """Fill cells from named columns of a frame, a mapping, a file or a `Source`; see `from_rows` for the options.

        A lazy frame is counted where it is, in cells of equal width in the values or their logarithm: up to 65 536, or
        `n_cells`. Where it has fewer distinct values, there is one cell for each.
        """
        from fairgroups.reading import read_rows  # it knows partitions, which know cells
        from fairgroups.rows.roles import Roles

        roles = Roles.of(
            sensitive, outcome, truth=truth, weight=weight, cluster=cluster, positive=positive, missing=missing
        )
        with read_rows(data, roles, n_cells=n_cells) as reading:
            rows = reading.rows
        if rows.count is not None and edges is not None:
            raise InputError("cells of a lazy frame have edges of their own.", "leave edges out.")
        return cls.from_rows(rows, measure=measure, n_cells=n_cells, spacing=spacing, edges=edges)

    @classmethod
    def from_rows(
        cls,
        rows: Rows,
        *,
        measure: str | Measure | Iterable[str | Measure] = "auto",
        n_cells: int | None = None,
        spacing: Spacing = "quantile",
        edges: Any = None,
    ) -> Cells:
        """Fill cells from checked rows.

        Parameters
        ----------
        rows : Rows
            Checked columns.
        measure : str, Measure, or several of them
            What to sum.
        n_cells : int, optional
            Use at most this many cells; by default one per distinct value.
        spacing : {"quantile", "width"}
            With `n_cells`: cells with about equally many rows, or of equal width.
        edges : array-like, optional
            Lower ends of the cells, increasing: to fill cells that will be added to others.

        Returns
        -------
        Cells
        """
        measures = _resolve_measures(measure, rows)
        present = ~np.isnan(rows.sensitive)
        values = rows.sensitive if present.all() else rows.sensitive[present]
        if values.size == 0:
            raise InputError(
                f"every value of {rows.name or 'the sensitive attribute'!r} is missing.", "check the column."
            )
        last = rows.columns[0].last
        last = last[present] if last is not None else None
        # rows that an engine counted are in cells already
        bins = Bins.build(values, n_cells if rows.count is None else None, spacing, edges)
        filling = Filling(rows, bins, present)
        counts = filling.counts()
        plain = rows.weight is None and rows.cluster is None and rows.blur is None and not rows.expectations
        moments, tails = {}, {}
        for name, m in measures.items():
            of_counts = from_counts(counts, m) if counts is not None and plain else None
            moments[name], tails[name] = filling.moments(m) if of_counts is None else (of_counts, of_counts.zeros())
        matching = {}
        if rows.strata is not None:
            codes = np.full(rows.size, bins.edges.size, dtype=np.intp)
            codes[present] = np.maximum(np.searchsorted(bins.edges, values, side="right") - 1, 0)
            matching = matchings(rows, measures.values(), codes, bins.edges.size + int(not present.all()))
        return cls(
            name=rows.name,
            edges=bins.edges,
            first=bins.ends(values, np.minimum, np.inf),
            last=bins.ends(values if last is None else last, np.maximum, -np.inf),
            rows=filling.rows_of_cells,
            measures=measures,
            moments=moments,
            tails=tails,
            counts=None if rows.expectations else counts,
            distinct=bins.distinct and (last is None or bool(np.array_equal(last, values))),
            missing=not present.all(),
            low=float(values.min()),
            high=float((values if last is None else last).max()),
            dropped=rows.dropped,
            matching=matching,
        )

    def also(self, measures: Iterable[Measure]) -> Cells:
        """Return these cells with the sums of more measures, as far as they follow from counts of yes and no.

        Counts are kept where outcome and truth are yes or no; of people who are weighted or repeated nothing follows.
        """
        plain = all(np.array_equal(m.bb, m.b) and np.array_equal(m.noise, m.b) for m in self.moments.values())
        if self.counts is None or not plain:
            return self
        more = {m.name: m for m in measures if m.name not in self.moments}
        sums = {name: from_counts(self.counts, m) for name, m in more.items()}
        known = {name: m for name, m in sums.items() if m is not None}
        return replace(
            self,
            measures={**self.measures, **{name: more[name] for name in known}},
            moments={**self.moments, **known},
            tails={**self.tails, **{name: m.zeros() for name, m in known.items()}},
        )

    def on(self, edges: Array) -> Cells:
        """Return the same people on coarser cells, each of which holds whole cells of these.

        Parameters
        ----------
        edges : array
            Lower ends of the new cells, increasing; a cell belongs to the one that holds its first value.

        Returns
        -------
        Cells
        """
        at = np.maximum(np.searchsorted(edges, self.first, side="right") - 1, 0)
        used, at = np.unique(at, return_inverse=True)
        place = np.append(at, used.size) if self.missing else at
        n = used.size + self.missing

        def joined(x: NDArray[Any]) -> NDArray[Any]:
            out = np.zeros((n, *x.shape[1:]), dtype=x.dtype)
            np.add.at(out, place, x)
            return out

        first, last = np.full(used.size, np.inf), np.full(used.size, -np.inf)
        np.minimum.at(first, at, self.first)
        np.maximum.at(last, at, self.last)
        return replace(
            self,
            edges=edges[used],
            first=first,
            last=last,
            rows=joined(self.rows),
            moments={name: m.map(joined) for name, m in self.moments.items()},
            tails={name: m.map(joined) for name, m in self.tails.items()},
            counts=None if self.counts is None else joined(self.counts),
            distinct=False,
        )

    def loss(self, measure: str | Measure, n_groups: int) -> float:
        """Bound what borders inside cells could add to the variance of Φ, as a share of the variance of the outcome.

        A border inside a cell of people with values y would part them, at best, into those above and those below the
        middle between the rates of the two groups beside it. Keeping the cell whole then costs at most d times the sum
        of the distances of y from their mean, d being the difference of the two rates; that sum is at most n times
        the standard deviation, and for yes/no outcomes 2 n p (1 − p). The rates are taken to be as far apart as any;
        cells of one value cost nothing.
        """
        if self.distinct:
            return 0.0
        moments = self[measure].map(lambda x: x[: len(self)])
        b, total = moments.b, float(moments.b.sum())
        rate = np.divide(moments.a, b, out=np.zeros_like(b), where=b > 0)
        if moments.bounded and np.array_equal(moments.aa, moments.a):
            apart, overall = 2 * rate * (1 - rate), float(moments.a.sum() / total)
            variance = overall * (1 - overall)
        else:
            squares = np.divide(moments.aa, moments.bb, out=np.zeros_like(b), where=moments.bb > 0)
            apart = np.sqrt(np.maximum(squares - rate**2, 0.0))
            variance = float(moments.aa.sum() / moments.bb.sum() - (moments.a.sum() / total) ** 2)
        apart = np.where(self.last > self.first, apart, 0.0)
        costs = np.sort(b / total * apart * (moments.high - moments.low))[::-1]
        return float(costs[: max(n_groups - 1, 0)].sum() / variance) if variance > 0 else 0.0

    def __getitem__(self, measure: str | Measure) -> Moments:
        name = measure.name if isinstance(measure, Measure) else measure
        if name not in self.moments:
            raise InputError(f"these cells hold {', '.join(map(repr, self.moments))}, not {name!r}.")
        return self.moments[name]

    def __len__(self) -> int:
        return int(self.edges.size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cells):
            return NotImplemented
        same_counts = (self.counts is None) == (other.counts is None) and (
            self.counts is None or np.array_equal(self.counts, other.counts)  # type: ignore[arg-type]
        )
        return (
            same_counts
            and np.array_equal(self.edges, other.edges)
            and np.array_equal(self.rows, other.rows)
            and (self.measures, self.moments, self.dropped) == (other.measures, other.moments, other.dropped)
            and (self.name, self.low, self.high) == (other.name, other.low, other.high)
        )

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Cells) -> Cells:
        if not isinstance(other, Cells):
            return NotImplemented
        if not np.array_equal(self.edges, other.edges):
            if not (self.distinct and other.distinct):
                raise InputError(
                    "cells of several values can be added only when their edges are equal.",
                    "fill both with the same edges: Cells.from_arrays(…, edges=first.edges).",
                )
            edges = np.union1d(self.edges, other.edges)
            return self._spread(edges) + other._spread(edges)
        if self.measures != other.measures:
            raise InputError(
                f"cells can be added only when they hold the same measures; one holds {list(self.measures)}, "
                f"the other {list(other.measures)}."
            )
        left, right = (x if x.missing == (self.missing or other.missing) else x._with_missing() for x in (self, other))  # noqa: SLF001
        added = {
            name: left.moments[name].plus(left.tails[name], right.moments[name], right.tails[name])
            for name in left.moments
        }
        return replace(
            left,
            first=np.where(
                left.rows[: len(left)] == 0,
                right.first,
                np.where(right.rows[: len(right)] == 0, left.first, np.minimum(left.first, right.first)),
            ),
            last=np.where(
                left.rows[: len(left)] == 0,
                right.last,
                np.where(right.rows[: len(right)] == 0, left.last, np.maximum(left.last, right.last)),
            ),
            rows=left.rows + right.rows,
            moments={name: sums for name, (sums, _) in added.items()},
            tails={name: rest for name, (_, rest) in added.items()},
            counts=None if left.counts is None or right.counts is None else left.counts + right.counts,
            distinct=left.distinct and right.distinct,
            low=min(left.low, right.low),
            high=max(left.high, right.high),
            dropped={k: left.dropped.get(k, 0) + right.dropped.get(k, 0) for k in {**left.dropped, **right.dropped}},
        )

    def _spread(self, edges: Array) -> Cells:
        """Return the same people on more cells, each of one value."""
        at = np.searchsorted(edges, self.edges)
        if self.missing:
            at = np.append(at, edges.size)
        n = edges.size + self.missing

        def spread(x: NDArray[Any]) -> NDArray[Any]:
            out = np.zeros((n, *x.shape[1:]), dtype=x.dtype)
            out[at] = x
            return out

        return replace(
            self,
            edges=edges,
            first=edges,
            last=edges,
            rows=spread(self.rows),
            moments={name: m.map(spread) for name, m in self.moments.items()},
            tails={name: m.map(spread) for name, m in self.tails.items()},
            counts=None if self.counts is None else spread(self.counts),
        )

    def update(
        self,
        sensitive: Any,
        outcome: Any,
        *,
        truth: Any = None,
        weight: Any = None,
        positive: Any = None,
        missing: Missing = "error",
    ) -> Cells:
        """Return these cells with the people of another batch added; see `from_arrays`.

        Cells of one value each grow by the batch's new values; others keep their edges.
        """
        batch = Cells.from_arrays(
            sensitive,
            outcome,
            truth=truth,
            weight=weight,
            measure=list(self.measures.values()),
            positive=positive,
            missing=missing,
            edges=None if self.distinct else self.edges,
        )
        return self + replace(batch, name=self.name)

    def to_parquet(self, path: str | Path) -> None:
        """Write the cells to a file, to be added to others elsewhere."""
        from fairgroups.cells.parquet import write_cells

        write_cells(self, path)

    @classmethod
    def from_parquet(cls, path: str | Path) -> Cells:
        """Read cells that `to_parquet` wrote."""
        from fairgroups.cells.parquet import read_cells

        return read_cells(path)

    def _with_missing(self) -> Cells:
        """Add an empty cell for missing values."""
        moments, tails = (
            {name: m.map(lambda x: np.append(x, 0.0)) for name, m in sums.items()}
            for sums in (self.moments, self.tails)
        )
        counts = None if self.counts is None else np.concatenate([self.counts, np.zeros((1, 2, 2), np.int64)])
        return replace(self, rows=np.append(self.rows, 0), moments=moments, tails=tails, counts=counts, missing=True)


def _resolve_measures(measure: str | Measure | Iterable[str | Measure], rows: Rows) -> dict[str, Measure]:
    wanted = [measure] if isinstance(measure, str | Measure) else list(measure)
    found = [resolve_measure(m, outcome_is_binary=rows.outcome_is_binary) for m in wanted]
    return {m.name: check_measure(m, rows) for m in found}
