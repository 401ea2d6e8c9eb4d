"""Counting people where they are: lazy frames of Polars, DuckDB, Ibis, Dask, PySpark and whatever else narwhals takes.

Two small aggregations leave the engine: the range of each column, and the people of each kind in each cell. No row
does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.boxes import BoxPartition
from fairgroups.counted import LABELS, Counted, Ranges, object_column
from fairgroups.errors import ColumnError, InputError
from fairgroups.identity import LOTS, with_digits
from fairgroups.keys import HEAVY, MOST_KEYS, Keys
from fairgroups.partition import Partition
from fairgroups.rows import Missing, Rows, check_finite
from fairgroups.sums import pieces_of
from fairgroups.tables import numbers

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["column_names", "count_rows", "is_lazy"]

Array = NDArray[np.float64]
DIGITS = "fairgroups_digits"
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


def count_rows(
    data: Any,
    attributes: Sequence[str],
    roles: dict[str, str | None],
    *,
    positive: Any = None,
    missing: Missing = "error",
    n_cells: int | None = None,
    given: Partition | BoxPartition | None = None,
    who: str | None = None,
    seed: int = 0,
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
    who, seed : str, int
        Column of people's ids, by which, with the seed, they are dealt into parts.
    """
    import narwhals as nw

    frame = nw.from_native(data)
    schema = frame.collect_schema()
    named = {role: name for role, name in roles.items() if name is not None}
    if "cluster" in named:
        raise InputError("rows that belong together cannot be told apart by counts.", "collect the table first.")
    for name in (*attributes, *named.values(), *([who] if who else [])):
        if name not in schema.names():
            raise ColumnError(name, schema.names())
    numeric = [_is_numeric(schema[name]) for name in attributes]
    if len(attributes) == 1 and not numeric[0]:
        raise InputError(
            f"{attributes[0]!r} must hold numbers; it holds {schema[attributes[0]]}.", "cast the column to a number."
        )
    kinds = {role: _is_numeric(schema[named[role]]) for role in LABELS if role in named}
    if who is not None:
        frame = nw.from_native(with_digits(data, who, schema[who], seed, DIGITS))
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
    if DIGITS in schema.names():
        chosen.append(nw.col(DIGITS))
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
        return {name: object_column([row[i] for row in rows]) for i, name in enumerate(names)}
    eager = frame.collect()
    return {name: object_column(eager[name].to_list()) for name in eager.columns}


def _ranges(
    frame: Any,
    attributes: Sequence[str],
    numeric: list[bool],
    kinds: dict[str, bool],
    named: dict[str, str],
    n_cells: int | None,
) -> Ranges:
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
        asked += [nw.col("bad").max().alias("bad"), nw.col("weight").max().alias("high_weight")]
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
        check_finite(numbers(object_column([one[f"low_{role}"], one[f"high_{role}"]]), named[role]), named[role])
    ends = {role: (f"low_{role}", f"high_{role}") for role in (*is_number_of, "weight")}
    largest = {
        role: max((abs(_float(one[end])) for end in both if end in one), default=0.0) for role, both in ends.items()
    }
    return Ranges(int(one["n"]), keys, is_number_of, largest)


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
    ranges: Ranges,
    named: dict[str, str],
    given: Partition | BoxPartition | None,
    *,
    weighted: bool,
) -> Counted:
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
    if DIGITS in frame.collect_schema().names():
        prepared.append(_lot(nw.col(DIGITS)).alias("lot"))
        by.append("lot")
    if isinstance(given, Partition):
        prepared.append(_place(nw.col("x0"), given.firsts()[0].tolist()).alias("side"))
        by.append("side")
    for role in LABELS:
        if role not in named:
            continue
        if ranges.is_number.get(role):
            y, far = nw.col(role), ranges.largest[role]
            by.append("unknown")
            prepared.append(y.is_null().alias("unknown"))
            for name, number, largest in (("sum", y, far), ("squares", y * y, far**2)):
                _add_pieces(name, number, largest, prepared, found)
            found |= {"least": y.min(), "most": y.max()}
        else:
            by.append(role)
            if role in ranges.is_number:  # numbers that are all 0 or 1: whole numbers are quicker keys
                prepared.append(nw.col(role).cast(nw.Int64).alias(role))
    if weighted:
        weight, far = nw.col("weight"), ranges.largest["weight"]
        for name, number, largest in (("weights", weight, far), ("weights2", weight * weight, far**2)):
            _add_pieces(name, number, largest, prepared, found)
        found["lightest"] = weight.min()
    wanted = [expression.alias(name) for name, expression in found.items()]
    return Counted(_collect(frame.with_columns(*prepared).group_by(*by).agg(*wanted)), ranges)


def _lot(digits: nw.Expr) -> nw.Expr:
    """Give which of equal parts of the numbers from 000000 to ffffff some digits fall into; −1 where there are none."""
    import narwhals as nw

    starts = [-((LOTS - 2 * 16**6 * i) // (2 * LOTS)) for i in range(1, LOTS)]  # the middle of a digit decides
    return nw.when(~digits.is_null()).then(_place(digits, [f"{start:06x}" for start in starts])).otherwise(-1)


def _place(column: nw.Expr, starts: Sequence[Any]) -> nw.Expr:
    """Count the starts that a value has reached."""
    import narwhals as nw

    place = nw.lit(0)
    for start in starts:
        place = place + nw.when(column >= start).then(1).otherwise(0)
    return place


def _add_pieces(name: str, number: nw.Expr, largest: float, prepared: list[Any], found: dict[str, Any]) -> None:
    """Ask for a sum in pieces, which no order of adding changes."""
    import narwhals as nw

    for i, piece in enumerate(pieces_of(number, largest)):
        prepared.append(piece.alias(f"{name}{i}"))
        found[f"{name}{i}"] = nw.col(f"{name}{i}").sum()
