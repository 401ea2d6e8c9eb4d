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

from fairgroups.cells.exact_sums import pieces_of
from fairgroups.engines.cell_keys import HEAVY, CellKeys
from fairgroups.engines.columns import (
    LABELS,
    as_float,
    check_columns,
    check_kinds,
    collect,
    is_number,
    under_names,
    with_digits,
)
from fairgroups.engines.counts import CellCounts
from fairgroups.engines.ranges import Ranges, find_ranges
from fairgroups.errors import NeedsRows
from fairgroups.options import cells_of
from fairgroups.rows.person_keys import LOTS
from fairgroups.rows.roles import Roles
from fairgroups.rows.rows import Rows

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["count_rows", "known_number", "place_of"]

Array = NDArray[np.float64]
DIGITS = "fairgroups_digits"
Borders = Sequence[Array]


def count_rows(
    data: Any,
    roles: Roles,
    *,
    n_cells: int | None = None,
    borders: Borders = (),
    finer: Array | None = None,
    seed: int = 0,
    most_levels: int = 63,
) -> Rows:
    """Count the people of each kind in each cell, and return them as rows that stand for several.

    Parameters
    ----------
    data : lazy frame
        Anything that narwhals takes.
    roles : Roles
        Which column is what.
    n_cells : int, optional
        Cells of each attribute: up to 65 536 for one, fewer for several.
    borders : sequence of arrays
        For each attribute the borders of groups that are to be judged: no cell lies across one.
    finer : array, optional
        Of one attribute: cells that hold these values are counted value by value.
    seed : int
        With people's keys it decides which part each person is dealt into.
    most_levels : int
        The most levels that a category may have.

    Returns
    -------
    Rows

    Raises
    ------
    NeedsRows
        Where counts cannot answer: the rows themselves are needed.
    """
    import narwhals as nw

    schema = nw.from_native(data).collect_schema()
    check_columns(schema, roles.columns)
    if roles.cluster is not None:
        raise NeedsRows("rows that belong together cannot be told apart by counts")
    if roles.by is not None:
        raise NeedsRows("periods are judged one by one")
    if roles.error is not None:
        raise NeedsRows("errors of single values cannot be told from counts")
    if n_cells is not None:
        cells_of(n_cells)
    named = {role: name for role, name in roles.named.items() if role != "cluster"}
    ours = {f"x{d}": name for d, name in enumerate(roles.sensitive)} | named | ({"who": roles.key} if roles.key else {})
    frame = under_names(data, ours)
    kinds = {new: schema[old] for new, old in ours.items()}
    numeric = check_kinds(kinds, ours, len(roles.sensitive))
    if roles.key is not None:
        frame = with_digits(frame, "who", kinds["who"], seed, DIGITS)
    table = nw.from_native(frame)
    frame = _known_values(table, kinds, numeric, nans=not _is_sqlite(table.to_native()))
    ranges = find_ranges(frame, roles.sensitive, numeric, kinds, named, n_cells, roles.missing)
    if ranges.complete:  # what is not there need not be looked for again, in every row
        frame = _known_values(table, kinds, numeric, nans=False)
    _refuse_numbers(ranges, named)
    weighted = roles.weight is not None
    if weighted:
        frame = frame.filter(nw.col("weight") > 0)
    asked = _Counting(named, [x.tolist() for x in borders], finer, weighted)
    counted = _count_finely(frame, ranges, asked, refine=n_cells is None)
    rows = counted.rows(roles, most_levels)
    if not ranges.unweighted:
        return rows
    return replace(rows, dropped={**rows.dropped, named["weight"]: ranges.unweighted})


def _refuse_numbers(ranges: Ranges, named: dict[str, str]) -> None:
    """Say where amounts beside other columns cannot be told from their sums."""
    if ranges.is_number.get("truth"):
        raise NeedsRows(f"the true label {named['truth']!r} holds numbers other than 0 and 1")
    if ranges.is_number.get("base"):
        raise NeedsRows(f"{named['base']!r}, which is compared with, holds numbers other than 0 and 1")
    if "weight" in named and ranges.is_number.get("outcome"):
        raise NeedsRows("weights with an outcome of numbers cannot be told from sums")


@dataclass(frozen=True)
class _Counting:
    """What is counted: roles, borders that no cell crosses, cells to be told apart value by value."""

    named: dict[str, str]
    borders: list[list[float]]
    finer: Array | None
    weighted: bool


def _count_finely(frame: Any, ranges: Ranges, asked: _Counting, *, refine: bool) -> CellCounts:
    """Count, and where cells of one attribute hold too many people, once more with finer ones there."""
    counted = _count(frame, ranges, asked)
    (keys, *others) = ranges.keys
    if keys is None or others or not refine or counted.heaviest() <= HEAVY:
        return counted
    if keys.far(*counted.cells(0)):
        keys = replace(keys, unit=_size(frame, "x0"))
        counted = _count(frame, replace(ranges, keys=[keys]), asked)
    if counted.heaviest() > HEAVY:
        finer = keys.refined(*counted.cells(0))
        counted = _count(frame, replace(ranges, keys=[finer]), asked)
    return counted


def _known_values(frame: Any, kinds: dict[str, Any], numeric: list[bool], *, nans: bool) -> Any:
    """Return numbers as numbers, null where they are not known, and text as text."""
    import narwhals as nw

    chosen: list[Any] = []
    for new, kind in kinds.items():
        if new == "who":
            continue
        column = nw.col(new)
        attribute = new[1:].isdigit()
        if kind == nw.Boolean and attribute and not numeric[int(new[1:])]:
            truth = nw.when(column).then(nw.lit("True")).otherwise(nw.lit("False"))  # as Python writes it
            chosen.append(nw.when(~column.is_null()).then(truth).alias(new))
        elif is_number(kind) and (not attribute or numeric[int(new[1:])]):
            exact = kind.is_integer() or kind == nw.Boolean
            chosen.append(_known(column, nans=nans and not exact).alias(new))
        elif new in LABELS and not is_number(kind):
            chosen.append(column)
        else:
            chosen.append(column.cast(nw.String).alias(new))
    if DIGITS in frame.collect_schema().names():
        chosen.append(nw.col(DIGITS))
    return frame.select(*chosen)


def _known(column: nw.Expr, *, nans: bool) -> nw.Expr:
    """Return numbers, null where they are not known."""
    import narwhals as nw

    number = column.cast(nw.Float64)
    return nw.when(~number.is_nan()).then(number) if nans else number


def known_number(frame: Any, column: str) -> nw.Expr:
    """Return a column as numbers, null where they are not known."""
    import narwhals as nw

    kind = frame.collect_schema()[column]
    exact = kind.is_integer() or kind == nw.Boolean
    return _known(nw.col(column), nans=not exact and not _is_sqlite(frame.to_native()))


def _is_sqlite(native: Any) -> bool:
    """Whether an Ibis table lies in SQLite, which has no NaN and no word for it."""
    return type(native).__module__.startswith("ibis") and native.get_backend().name == "sqlite"


def _size(frame: Any, column: str) -> float | None:
    """Return about how large the values of a column are: a power of two near their geometric mean."""
    import narwhals as nw

    x = nw.col(column)
    logs = frame.with_columns(nw.when(x.abs() > 0).then(x.abs().log()).alias("log"))
    mean = as_float(collect(logs.select(nw.col("log").mean().alias("mean")))["mean"][0])
    # A power of two: engines add in different orders, and the last digits of a mean must not matter.
    return 2.0 ** np.floor(mean / np.log(2)) if np.isfinite(mean) else None


def _count(frame: Any, ranges: Ranges, asked: _Counting) -> CellCounts:
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
        x = nw.col(f"x{d}")
        key = _key(x, keys, complete=ranges.complete)
        prepared.append(key.alias(f"k{d}"))
        if asked.finer is not None and asked.finer.size:
            fine = sorted(set(keys(asked.finer).tolist()))
            prepared.append(nw.when(key.is_in(fine)).then(x).alias(f"fine{d}"))
            by.append(f"fine{d}")
        if d < len(asked.borders) and asked.borders[d]:
            prepared.append(place_of(x, asked.borders[d]).alias(f"side{d}"))
            by.append(f"side{d}")
        found |= {f"first{d}": nw.col(f"x{d}").min(), f"last{d}": nw.col(f"x{d}").max()}
    if DIGITS in frame.collect_schema().names():
        prepared.append(_lot(nw.col(DIGITS)).alias("lot"))
        by.append("lot")
    for role in LABELS:
        if role not in asked.named:
            continue
        if ranges.is_number.get(role):
            y, far = nw.col(role), ranges.reach(role)
            by.append("unknown")
            prepared.append(nw.when(y.is_null()).then(1).otherwise(0).alias("unknown"))
            near = y - ranges.centre(role)
            for name, number, largest in (("sum", near, far), ("squares", near * near, far**2)):
                _add_pieces(name, number, largest, prepared, found)
            found |= {"least": y.min(), "most": y.max()}
        else:
            by.append(role)
            if role in ranges.is_number:  # numbers that are all 0 or 1: whole numbers are quicker keys
                known = nw.col(role) if ranges.complete else nw.col(role).fill_null(-1)
                prepared.append(known.cast(nw.Int64).alias(role))
    if asked.weighted:
        weight, far = nw.col("weight"), ranges.reach("weight")
        for name, number, largest in (("weights", weight, far), ("weights2", weight * weight, far**2)):
            _add_pieces(name, number, largest, prepared, found)
        found |= {"lightest": weight.min(), "heaviest": weight.max()}
    wanted = [expression.alias(name) for name, expression in found.items()]
    return CellCounts(collect(frame.with_columns(*prepared).group_by(*by).agg(*wanted)), ranges)


def _key(x: nw.Expr, keys: CellKeys, *, complete: bool) -> nw.Expr:
    """Return the key of each value, −1 where it is missing."""
    import narwhals as nw

    if complete:
        return keys.expression(x)
    return nw.when(x.is_null()).then(-1).otherwise(keys.expression(x.fill_null(keys.low))).cast(nw.Int64)


def _lot(digits: nw.Expr) -> nw.Expr:
    """Return which of equal parts of 000000 to ffffff some digits fall into; −1 where there are none."""
    import narwhals as nw

    starts = [-((LOTS - 2 * 16**6 * i) // (2 * LOTS)) for i in range(1, LOTS)]  # the middle of a digit decides
    return nw.when(~digits.is_null()).then(place_of(digits, [f"{start:06x}" for start in starts])).otherwise(-1)


def place_of(column: nw.Expr, starts: Sequence[Any]) -> nw.Expr:
    """Count the starts, in rising order, that a value has reached."""
    import narwhals as nw

    def between(low: int, high: int) -> nw.Expr:
        if low == high:
            return nw.lit(low)
        middle = (low + high) // 2
        return nw.when(column < starts[middle]).then(between(low, middle)).otherwise(between(middle + 1, high))

    return between(0, len(starts))


def _add_pieces(name: str, number: nw.Expr, largest: float, prepared: list[Any], found: dict[str, Any]) -> None:
    """Ask for a sum in pieces, which no order of adding changes."""
    import narwhals as nw

    for i, piece in enumerate(pieces_of(number, largest)):
        prepared.append(piece.alias(f"{name}{i}"))
        found[f"{name}{i}"] = nw.col(f"{name}{i}").sum()
