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

from fairgroups.cells.exact_sums import pieces_of
from fairgroups.engines.cell_keys import HEAVY, MOST_KEYS, Keys
from fairgroups.engines.columns import under_names
from fairgroups.engines.counts import LABELS, Counted, Ranges, object_column
from fairgroups.errors import ColumnError, InputError, MissingValuesError
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.rows.person_keys import LOTS, with_digits
from fairgroups.rows.rows import Missing, Rows, check_size, check_weight
from fairgroups.search.limits import whole_number

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

    schema = nw.from_native(data).collect_schema()
    named = {role: name for role, name in roles.items() if name is not None}
    if "cluster" in named:
        raise InputError("rows that belong together cannot be told apart by counts.", "collect the table first.")
    for name in (*attributes, *named.values(), *([who] if who else [])):
        if name not in schema.names():
            raise ColumnError(name, schema.names())
    if not attributes:
        raise InputError("no column is left to be the sensitive attribute.", "select it too.")
    if n_cells is not None:
        whole_number(n_cells, "n_cells")
    ours = {f"x{d}": name for d, name in enumerate(attributes)} | named | ({"who": who} if who else {})
    frame = under_names(data, ours)
    kinds = {new: schema[old] for new, old in ours.items()}
    numeric = [_is_numeric(schema[name]) for name in attributes]
    _check_kinds(kinds, ours, numeric)
    if who is not None:
        frame = with_digits(frame, "who", kinds["who"], seed, DIGITS)
    table = nw.from_native(frame)
    frame = _known_values(table, kinds, numeric, nans=not _is_sqlite(table.to_native()))
    is_number = {role: _is_numeric(kinds[role]) for role in LABELS if role in named}
    whole = {role for role in is_number if kinds[role].is_integer()}
    ranges = _ranges(frame, attributes, numeric, is_number, named, n_cells, missing, whole)
    weighted = "weight" in named
    if ranges.complete:  # what is not there need not be looked for again, in every row
        frame = _known_values(table, kinds, numeric, nans=False)
    if ranges.is_number.get("truth"):
        raise InputError(f"the true label {named['truth']!r} must be yes or no.", "make it 0 and 1.")
    if ranges.is_number.get("base"):
        raise InputError(
            f"comparing with {named['base']!r}, which holds numbers other than 0 and 1, needs the rows themselves.",
            "collect the table first, or compare with decisions.",
        )
    if weighted:
        if ranges.is_number.get("outcome"):
            raise InputError("weights with an outcome of numbers need the rows themselves.", "collect the table first.")
        frame = frame.filter(nw.col("weight") > 0)
    counted = _count_finely(frame, ranges, named, given, weighted=weighted, refine=n_cells is None)
    rows = counted.rows(attributes, roles=named, positive=positive, missing=missing, weighted=weighted)
    if not ranges.unweighted:
        return rows
    return replace(rows, dropped={**rows.dropped, named["weight"]: ranges.unweighted})


def _count_finely(
    frame: Any,
    ranges: Ranges,
    named: dict[str, str],
    given: Partition | BoxPartition | None,
    *,
    weighted: bool,
    refine: bool,
) -> Counted:
    """Count, and where cells of one attribute hold too many people, once more with finer ones there."""
    counted = _count(frame, ranges, named, given, weighted=weighted)
    (keys, *others) = ranges.keys
    if keys is None or others or not refine or counted.heaviest() <= HEAVY:
        return counted
    if keys.far(*counted.cells(0)):
        keys = replace(keys, unit=_size(frame, "x0"))
        counted = _count(frame, replace(ranges, keys=[keys]), named, given, weighted=weighted)
    if counted.heaviest() > HEAVY:
        finer = keys.refined(*counted.cells(0))
        counted = _count(frame, replace(ranges, keys=[finer]), named, given, weighted=weighted)
    return counted


def _check_kinds(kinds: dict[str, Any], ours: dict[str, str], numeric: list[bool]) -> None:
    """Refuse columns that hold something else than numbers, yes/no or text."""
    import narwhals as nw

    if len(numeric) == 1 and not numeric[0]:
        raise InputError(f"{ours['x0']!r} must hold numbers; it holds {kinds['x0']}.", "cast the column to a number.")
    if "weight" in kinds and not _is_numeric(kinds["weight"]):
        raise InputError(f"the weights {ours['weight']!r} must be numbers; it holds {kinds['weight']}.")
    for new, kind in kinds.items():
        text = kind in (nw.String, nw.Categorical, nw.Object) or isinstance(kind, nw.Enum)
        if not (_is_numeric(kind) or text):
            raise InputError(
                f"{ours[new]!r} holds {kind}, which can be neither counted nor compared.", "cast it to numbers or text."
            )


def _known_values(frame: Any, kinds: dict[str, Any], numeric: list[bool], *, nans: bool) -> Any:
    """Give numbers as numbers, null where they are not known, and text as text."""
    import narwhals as nw

    chosen: list[Any] = []
    for new, kind in kinds.items():
        if new == "who":
            continue
        column = nw.col(new)
        if _is_numeric(kind) and (new not in (f"x{d}" for d in range(len(numeric))) or numeric[int(new[1:])]):
            exact = kind.is_integer() or kind == nw.Boolean
            chosen.append(_known(column, nans=nans and not exact).alias(new))
        elif new in LABELS and not _is_numeric(kind):
            chosen.append(column)
        else:
            chosen.append(column.cast(nw.String).alias(new))
    if DIGITS in frame.collect_schema().names():
        chosen.append(nw.col(DIGITS))
    return frame.select(*chosen)


def _is_numeric(kind: Any) -> bool:
    return bool(kind.is_numeric()) or str(kind).startswith(("Decimal", "Boolean"))


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
    missing: Missing,
    whole: set[str],
) -> Ranges:
    import narwhals as nw

    prepared: list[Any] = []
    asked: list[Any] = [nw.len().alias("n")]
    for d, is_number in enumerate(numeric):
        if is_number:
            x = nw.col(f"x{d}")
            asked += [x.min().alias(f"low_{d}"), x.max().alias(f"high_{d}"), x.count().alias(f"known_{d}")]
    for role in (role for role, is_number in kinds.items() if is_number):
        y = nw.col(role)
        asked += [y.min().alias(f"low_{role}"), y.max().alias(f"high_{role}"), y.count().alias(f"known_{role}")]
        if role not in whole:  # whole numbers from 0 to 1 are 0 and 1; of others this is 0 for 0 and 1 only
            prepared.append((y * (y - 1)).alias(f"odd_{role}"))
            odd = nw.col(f"odd_{role}")
            asked += [odd.min().alias(f"low_odd_{role}"), odd.max().alias(f"high_odd_{role}")]
    if "weight" in named:
        prepared += [
            nw.when(nw.col("weight") > 0).then(nw.col("weight")).alias("positive"),
            nw.when(nw.col("weight").is_null()).then(1).otherwise(0).alias("nothing"),
        ]
        asked += [nw.col("nothing").sum().alias("nothing"), nw.col("weight").min().alias("low_weight")]
        asked += [nw.col("weight").max().alias("high_weight"), nw.col("positive").min().alias("least_weight")]
    ready = frame.with_columns(*prepared) if prepared else frame
    one = {name: values[0] for name, values in _collect(ready.select(*asked)).items()}
    if not one["n"]:
        raise InputError("there are no rows.", "check that the table is not empty and the filter not too strict.")
    unweighted = _check_weights(one, named["weight"], missing) if "weight" in named else 0
    keys: list[Keys | None] = []
    for d, is_number in enumerate(numeric):
        if not is_number:
            keys.append(None)
            continue
        low, high = _float(one[f"low_{d}"]), _float(one[f"high_{d}"])
        if np.isnan(low):
            raise InputError(f"every value of {attributes[d]!r} is missing.", "check the column.")
        _check_range(low, high, attributes[d])
        most = n_cells or KEYS_OF_AXIS.get(sum(numeric), FEWEST_KEYS)
        keys.append(Keys(low, high, int(most)))
    is_number_of, ends = _labels_of(one, kinds, named, whole)
    if "weight" in named:
        ends["weight"] = (0.0, _float(one["high_weight"]))
    complete = not unweighted and all(known == one["n"] for name, known in one.items() if name.startswith("known_"))
    return Ranges(int(one["n"]), keys, is_number_of, ends, unweighted, complete=complete)


def _labels_of(
    one: dict[str, Any], kinds: dict[str, bool], named: dict[str, str], whole: set[str]
) -> tuple[dict[str, bool], dict[str, tuple[float, float]]]:
    """Say of each column of numbers whether they are other than 0 and 1, and give its ends."""
    is_number_of, ends = {}, {}
    for role in (role for role, is_number in kinds.items() if is_number):
        low, high = _float(one[f"low_{role}"]), _float(one[f"high_{role}"])
        if role in whole:
            is_number_of[role] = low < 0 or high > 1
        else:
            strange = [_float(one[f"{end}_odd_{role}"]) for end in ("low", "high")]
            is_number_of[role] = any(x != 0 for x in strange if np.isfinite(x))
        if not np.isnan(low):
            _check_range(low, high, named[role])
            check_size(np.array([low, high]), named[role])
        ends[role] = (low, high)
    return is_number_of, ends


def _check_range(low: float, high: float, name: str) -> None:
    """Refuse numbers that are infinite, or so large or close that arithmetic fails."""
    if np.isinf([low, high]).any():
        raise InputError(
            f"{name!r} holds infinite values (inf).",
            "remove these rows or replace the values; infinite is not treated as missing.",
        )
    with np.errstate(over="ignore"):
        if not np.isfinite([high - low, MOST_KEYS / (high - low) if high > low else 0.0]).all():
            raise InputError(
                f"the values of {name!r} run from {low:g} to {high:g}, beyond what can be computed.", "rescale them."
            )


def _check_weights(one: dict[str, Any], name: str, missing: Missing) -> int:
    """Check weights as those of rows in memory are; give how many people have none and are left out."""
    nothing = int(_float(one["nothing"]))
    if nothing and missing != "drop":
        raise MissingValuesError(
            f"{name!r} holds {nothing} missing value(s) (NaN).",
            "missing='drop' leaves these rows out and counts them (--missing on the command line).",
        )
    ends = np.array([_float(one[end]) for end in ("low_weight", "least_weight", "high_weight")])
    check_weight(ends[~np.isnan(ends)], name)
    return nothing


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
        prepared.append(_key(nw.col(f"x{d}"), keys, complete=ranges.complete).alias(f"k{d}"))
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
    if weighted:
        weight, far = nw.col("weight"), ranges.reach("weight")
        for name, number, largest in (("weights", weight, far), ("weights2", weight * weight, far**2)):
            _add_pieces(name, number, largest, prepared, found)
        found |= {"lightest": weight.min(), "heaviest": weight.max()}
    wanted = [expression.alias(name) for name, expression in found.items()]
    return Counted(_collect(frame.with_columns(*prepared).group_by(*by).agg(*wanted)), ranges)


def _key(x: nw.Expr, keys: Keys, *, complete: bool) -> nw.Expr:
    """Give the key of each value, −1 where it is missing."""
    import narwhals as nw

    if complete:
        return keys.expression(x)
    return nw.when(x.is_null()).then(-1).otherwise(keys.expression(x.fill_null(keys.low))).cast(nw.Int64)


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
