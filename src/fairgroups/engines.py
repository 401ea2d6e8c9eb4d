"""Counting people where they are: lazy frames of Polars, DuckDB, Ibis, Dask, PySpark and whatever else narwhals takes.

Two small aggregations leave the engine: the range of each column, and the people of each kind in each cell. No row
does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.boxes import BoxPartition
from fairgroups.errors import ColumnError, InputError
from fairgroups.keys import HEAVY, MOST_KEYS, Keys
from fairgroups.partition import Partition
from fairgroups.rows import Column, Missing, Rows, check_finite
from fairgroups.tables import numbers

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["column_names", "count_rows", "is_lazy"]

Array = NDArray[np.float64]
LABELS = ("outcome", "truth", "base")
KEYS_OF_AXIS = {1: MOST_KEYS, 2: 512, 3: 64}
FEWEST_KEYS = 16


def is_lazy(data: Any) -> bool:
    """Say whether data is a frame that is computed elsewhere, or later."""
    if isinstance(data, dict | list | tuple | str | np.ndarray):
        return False
    import narwhals as nw

    return isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)


def column_names(data: Any) -> list[str]:
    """Give the names of a frame's columns."""
    import narwhals as nw

    return list(nw.from_native(data).collect_schema().names())


@dataclass(frozen=True)
class _Ranges:
    """What the first aggregation found."""

    n: int
    keys: list[Keys | None]  # None for a category
    is_number: dict[str, bool]  # of those of outcome, truth and base that are no text: other numbers than 0 and 1


def count_rows(
    data: Any,
    attributes: Sequence[str],
    roles: dict[str, str | None],
    *,
    positive: Any = None,
    missing: Missing = "error",
    n_cells: int | None = None,
    given: Partition | BoxPartition | None = None,
) -> Rows:
    """Count the people of each kind in each cell, and give them as rows that stand for several.

    Parameters
    ----------
    data : lazy frame
        Anything that narwhals takes.
    attributes : sequence of str
        The sensitive columns.
    roles : dict
        Column names of outcome, truth, base and weight.
    positive, missing
        See `audit`.
    n_cells : int, optional
        Cells of each attribute: up to 65 536 for one, fewer for several.
    given : Partition, optional
        Groups to be judged: no cell lies across one of their borders.
    """
    import narwhals as nw

    frame = nw.from_native(data)
    schema = frame.collect_schema()
    named = {role: name for role, name in roles.items() if name is not None}
    if "cluster" in named:
        raise InputError("rows that belong together cannot be told apart by counts.", "collect the table first.")
    for name in (*attributes, *named.values()):
        if name not in schema.names():
            raise ColumnError(name, schema.names())
    numeric = [_is_numeric(schema[name]) for name in attributes]
    if len(attributes) == 1 and not numeric[0]:
        raise InputError(
            f"{attributes[0]!r} must hold numbers; it holds {schema[attributes[0]]}.", "cast the column to a number."
        )
    kinds = {role: _is_numeric(schema[named[role]]) for role in LABELS if role in named}
    frame = _selected(frame, attributes, numeric, kinds, named)
    ranges = _ranges(frame, attributes, numeric, kinds, named, n_cells)
    weighted = "weight" in named
    if ranges.is_number.get("truth"):
        raise InputError(f"the true label {named['truth']!r} must be yes or no.", "make it 0 and 1.")
    if ranges.is_number.get("base"):
        named = {role: name for role, name in named.items() if role != "base"}
    if weighted:
        if ranges.is_number.get("outcome"):
            raise InputError("weights with an outcome of numbers need the rows themselves.", "collect the table first.")
        frame = frame.filter(nw.col("weight") > 0)
    counted = _count(frame, ranges, named, given, weighted=weighted)
    (keys, *others) = ranges.keys
    if keys is not None and not others and n_cells is None and counted.heaviest() > HEAVY:
        if keys.far(*counted.cells(0)):
            keys = replace(keys, unit=_size(frame, "x0"))
            counted = _count(frame, replace(ranges, keys=[keys]), named, given, weighted=weighted)
        if counted.heaviest() > HEAVY:
            finer = keys.refined(*counted.cells(0))
            counted = _count(frame, replace(ranges, keys=[finer]), named, given, weighted=weighted)
    return counted.rows(attributes, roles=named, positive=positive, missing=missing, weighted=weighted)


def _selected(
    frame: Any, attributes: Sequence[str], numeric: list[bool], kinds: dict[str, bool], named: dict[str, str]
) -> Any:
    """Take the columns that are needed, under names of our own."""
    import narwhals as nw

    chosen: list[Any] = []
    schema, nans = frame.collect_schema(), not _is_sqlite(frame.to_native())
    for d, (name, is_number) in enumerate(zip(attributes, numeric, strict=True)):
        column = nw.col(name)
        exact = schema[name].is_integer()
        chosen.append((_known(column, nans=nans and not exact) if is_number else column.cast(nw.String)).alias(f"x{d}"))
    for role, is_number in kinds.items():
        column = nw.col(named[role])
        exact = schema[named[role]].is_integer()
        chosen.append((_known(column, nans=nans) if is_number and not exact else column).alias(role))
    if "weight" in named:
        chosen.append(nw.col(named["weight"]).cast(nw.Float64).alias("weight"))
    return frame.select(*chosen)


def _is_numeric(kind: Any) -> bool:
    return bool(kind.is_numeric()) or str(kind).startswith("Decimal")


def _known(column: nw.Expr, *, nans: bool) -> nw.Expr:
    """Give numbers, null where they are not known."""
    import narwhals as nw

    number = column.cast(nw.Float64)
    return nw.when(~number.is_nan()).then(number) if nans else number


def _is_sqlite(native: Any) -> bool:
    """Say whether an Ibis table lies in SQLite, which has no NaN and no word for it."""
    return type(native).__module__.startswith("ibis") and native.get_backend().name == "sqlite"


def _collect(frame: Any) -> dict[str, NDArray[Any]]:
    """Bring a small result into memory, with as few packages as the engine allows."""
    native = frame.to_native()
    if type(native).__name__ == "DuckDBPyRelation":
        return dict(native.fetchnumpy())
    if type(native).__module__.startswith("pyspark"):
        names, rows = native.columns, native.collect()
        return {name: _column([row[i] for row in rows]) for i, name in enumerate(names)}
    eager = frame.collect()
    return {name: _column(eager[name].to_list()) for name in eager.columns}


def _column(values: list[Any]) -> NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _ranges(
    frame: Any,
    attributes: Sequence[str],
    numeric: list[bool],
    kinds: dict[str, bool],
    named: dict[str, str],
    n_cells: int | None,
) -> _Ranges:
    import narwhals as nw

    prepared: list[Any] = []
    asked: list[Any] = [nw.len().alias("n")]
    for d, is_number in enumerate(numeric):
        if is_number:
            x = nw.col(f"x{d}")
            asked += [x.min().alias(f"low_{d}"), x.max().alias(f"high_{d}")]
    for role, is_number in kinds.items():
        if is_number:
            y = nw.col(role)
            prepared.append((y * (y - 1)).alias(f"odd_{role}"))  # 0 for 0 and 1 only
            for name, column in ((role, y), (f"odd_{role}", nw.col(f"odd_{role}"))):
                asked += [column.min().alias(f"low_{name}"), column.max().alias(f"high_{name}")]
    if "weight" in named:
        prepared.append(nw.when(nw.col("weight") >= 0).then(0).otherwise(1).alias("bad"))
        asked.append(nw.col("bad").max().alias("bad"))
    ready = frame.with_columns(*prepared) if prepared else frame
    one = {name: values[0] for name, values in _collect(ready.select(*asked)).items()}
    _check_counts(one, named)
    keys: list[Keys | None] = []
    for d, is_number in enumerate(numeric):
        if not is_number:
            keys.append(None)
            continue
        low, high = one[f"low_{d}"], one[f"high_{d}"]
        if low is None or np.ma.is_masked(low) or np.isnan(float(low)):
            raise InputError(f"every value of {attributes[d]!r} is missing.", "check the column.")
        check_finite(np.array([low, high], dtype=np.float64), attributes[d])
        most = n_cells or KEYS_OF_AXIS.get(sum(numeric), FEWEST_KEYS)
        keys.append(Keys(float(low), float(high), int(most)))
    is_number_of = {}
    for role in (role for role, is_number in kinds.items() if is_number):
        odd = [_float(one[f"{end}_odd_{role}"]) for end in ("low", "high")]
        is_number_of[role] = any(x != 0 for x in odd if np.isfinite(x))
        check_finite(numbers(_column([one[f"low_{role}"], one[f"high_{role}"]]), named[role]), named[role])
    return _Ranges(int(one["n"]), keys, is_number_of)


def _check_counts(one: dict[str, Any], named: dict[str, str]) -> None:
    if not one["n"]:
        raise InputError("there are no rows.")
    if "weight" in named and one["bad"]:
        raise InputError(f"the weights {named['weight']!r} must be numbers of at least 0, none missing.")


def _size(frame: Any, column: str) -> float | None:
    """Give about how large the values of a column are: a power of two near their geometric mean."""
    import narwhals as nw

    x = nw.col(column)
    logs = frame.with_columns(nw.when(x.abs() > 0).then(x.abs().log()).alias("log"))
    mean = _float(_collect(logs.select(nw.col("log").mean().alias("mean")))["mean"][0])
    # A power of two: engines add in different orders, and the last digits of a mean must not matter.
    return 2.0 ** np.floor(mean / np.log(2)) if np.isfinite(mean) else None


def _float(value: Any) -> float:
    return float("nan") if value is None or np.ma.is_masked(value) else float(value)


def _count(
    frame: Any,
    ranges: _Ranges,
    named: dict[str, str],
    given: Partition | BoxPartition | None,
    *,
    weighted: bool,
) -> _Counted:
    """Run the second aggregation."""
    import narwhals as nw

    by: list[str] = []
    prepared: list[Any] = []
    found: dict[str, Any] = {"n": nw.len()}
    for d, keys in enumerate(ranges.keys):
        by.append(f"k{d}")
        if keys is None:
            prepared.append(nw.col(f"x{d}").alias(f"k{d}"))
            continue
        prepared.append(keys.expression(nw.col(f"x{d}")).fill_null(-1).alias(f"k{d}"))
        found |= {f"first{d}": nw.col(f"x{d}").min(), f"last{d}": nw.col(f"x{d}").max()}
    if isinstance(given, Partition):
        side = nw.lit(0)
        for border in given.firsts()[0].tolist():
            side = side + nw.when(nw.col("x0") >= border).then(1).otherwise(0)
        prepared.append(side.alias("side"))
        by.append("side")
    for role in LABELS:
        if role not in named:
            continue
        if ranges.is_number.get(role):
            y = nw.col(role)
            prepared += [y.is_null().alias("unknown"), (y * y).alias("square")]
            by.append("unknown")
            found |= {"sum": y.sum(), "squares": nw.col("square").sum(), "least": y.min(), "most": y.max()}
        else:
            by.append(role)
            if role in ranges.is_number:  # numbers that are all 0 or 1: whole numbers are quicker keys
                prepared.append(nw.col(role).cast(nw.Int64).alias(role))
    if weighted:
        prepared.append((nw.col("weight") * nw.col("weight")).alias("weight2"))
        found |= {
            "weights": nw.col("weight").sum(),
            "weights2": nw.col("weight2").sum(),
            "lightest": nw.col("weight").min(),
        }
    wanted = [expression.alias(name) for name, expression in found.items()]
    return _Counted(_collect(frame.with_columns(*prepared).group_by(*by).agg(*wanted)), ranges)


@dataclass(frozen=True)
class _Counted:
    """What the second aggregation found: columns of equal length, one entry for each kind of people in each cell."""

    columns: dict[str, NDArray[Any]]
    ranges: _Ranges

    @property
    def people(self) -> Array:
        return self.columns["n"].astype(np.float64)

    def cells(self, d: int) -> tuple[Array, Array, Array]:
        """Give the first and last value and the people of each cell of an attribute that is known."""
        place, first, last = self._places(d)
        known = place >= 0
        return first, last, np.bincount(place[known], self.people[known], first.size).astype(np.float64)

    def heaviest(self) -> float:
        """Give the largest share of the people in a cell of several values of the first attribute."""
        first, last, people = self.cells(0)
        return float(np.max(np.where(last > first, people, 0.0), initial=0.0) / people.sum())

    def _places(self, d: int) -> tuple[NDArray[np.intp], Array, Array]:
        """Give each entry's cell, −1 where the value is missing, and the cells' first and last values."""
        key = self.columns[f"k{d}"].astype(np.int64)
        side = self.columns["side"].astype(np.int64) if "side" in self.columns else np.zeros_like(key)
        sides = int(side.max()) + 1
        cell, place = np.unique(key * sides + side, return_inverse=True)
        place = place.ravel()
        first, last = (numbers(self.columns[f"{name}{d}"], "") for name in ("first", "last"))
        low, high = np.full(cell.size, np.inf), np.full(cell.size, -np.inf)
        known = key >= 0
        np.minimum.at(low, place[known], first[known])
        np.maximum.at(high, place[known], last[known])
        used = cell >= 0
        number = np.where(used, np.cumsum(used) - 1, -1)
        return number[place], low[used], high[used]

    def rows(
        self, attributes: Sequence[str], *, roles: dict[str, str], positive: Any, missing: Missing, weighted: bool
    ) -> Rows:
        """Give the entries as rows, in an order that does not depend on the engine."""
        columns: list[Column] = []
        order_by: list[NDArray[Any]] = []
        for d, name in enumerate(attributes):
            if self.ranges.keys[d] is None:
                text = self._labels(f"k{d}")
                levels = tuple(sorted({x for x in text.tolist() if x is not None}))
                codes = np.array([np.nan if x is None else levels.index(x) for x in text.tolist()])
                columns.append(Column(name, codes, levels))
            else:
                place, first, last = self._places(d)
                known = place >= 0
                values, ends = np.full(place.size, np.nan), np.full(place.size, np.nan)
                values[known], ends[known] = first[place[known]], last[place[known]]
                columns.append(Column(name, values, None, ends))
            order_by.append(np.nan_to_num(columns[-1].values, nan=np.inf))
        labels = {role: self._labels(role) for role in LABELS if role in roles and role in self.columns}
        count, index = self.people, np.arange(self.people.size)
        extra: dict[str, Array] = {}
        if self.ranges.is_number.get("outcome"):
            index, count, extra["outcome"] = self._two_values()
        if weighted:
            index, count, extra["weight"] = _two_points(
                count, *(self.columns[name].astype(np.float64) for name in ("weights", "weights2", "lightest"))
            )
        data: dict[str, Any] = {role: values[index] for role, values in labels.items()} | extra
        order = np.lexsort([*(_ranks(data[role]) for role in data), *(x[index] for x in order_by[::-1])])
        index, count = index[order], count[order]
        chosen = [Column(c.name, c.values[index], c.levels, None if c.last is None else c.last[index]) for c in columns]
        return Rows.from_columns(
            chosen,
            data["outcome"][order],
            **{role: data[role][order] for role in ("truth", "base", "weight") if role in data},
            count=count,
            positive=positive,
            missing=missing,
            names={role: name for role, name in roles.items() if name is not None},
        )

    def _labels(self, role: str) -> NDArray[Any]:
        return _column([None if np.ma.is_masked(x) else x for x in self.columns[role].tolist()])

    def _two_values(self) -> tuple[NDArray[np.intp], Array, Array]:
        """Give each entry's outcomes as two values with the same number, sum and sum of squares."""
        n = self.people
        known = ~self.columns["unknown"].astype(bool)
        sums, squares, least, most = (
            numbers(self.columns[name], "outcome") for name in ("sum", "squares", "least", "most")
        )
        sums = np.where(known, sums, 0.0)
        index, count, values = _two_points(n, sums, np.where(known, squares, 0.0), np.where(known, least, 0.0))
        values = np.clip(values, np.nanmin(least[known]), np.nanmax(most[known]))
        values[~known[index]] = np.nan
        return index, count, values


def _ranks(values: NDArray[Any]) -> NDArray[Any]:
    """Give numbers by which labels or numbers can be put in order."""
    if values.dtype != object:
        return values
    kinds = {label: i for i, label in enumerate(sorted(set(values.tolist()), key=str))}
    return np.array([kinds[label] for label in values.tolist()])


def _two_points(n: Array, sums: Array, squares: Array, least: Array) -> tuple[NDArray[np.intp], Array, Array]:
    """Write n numbers with a known sum, sum of squares and minimum as two values, each taken by a whole number of them.

    With shares p and 1 − p the values are m − s √((1 − p)/p) and m + s √(p/(1 − p)); p is about a half, or so large
    that the lower value is not below the minimum.
    """
    mean = sums / n
    spread = np.sqrt(np.maximum(squares / n - mean**2, 0.0))
    spread = np.where(spread > 1e-9 * (np.abs(mean) + 1e-300), spread, 0.0)
    apart = (spread > 0) & (n >= 2)
    ratio = np.divide(spread, mean - least, out=np.ones_like(mean), where=apart & (mean > least)) ** 2
    lower = np.clip(np.ceil(n * ratio / (1 + ratio) - 1e-6), np.floor(n / 2), np.maximum(n - 1, 1))
    lower = np.where(apart, np.maximum(lower, 1), n)
    upper = n - lower
    p = lower / n
    low = mean - spread * np.sqrt(np.divide(1 - p, p, out=np.zeros_like(p), where=p > 0))
    high = mean + spread * np.sqrt(np.divide(p, 1 - p, out=np.zeros_like(p), where=upper > 0))
    both = np.flatnonzero(upper > 0)
    index = np.concatenate([np.arange(n.size), both])
    return index, np.concatenate([lower, upper[both]]), np.concatenate([np.where(apart, low, mean), high[both]])
