"""Columns of a lazy frame in its own engine: kinds, names of our own, people's keys as digits, small results.

Each engine has its own words for these; a function here holds one table of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import ColumnError, InputError, NeedsRows
from fairgroups.quoting import quoted
from fairgroups.rows.column_values import is_missing, refuse_dates
from fairgroups.rows.person_keys import digits_of

__all__ = [
    "LABELS",
    "as_float",
    "check_columns",
    "check_kinds",
    "collect",
    "is_number",
    "object_column",
    "under_names",
    "with_digits",
]

LABELS = ("outcome", "truth", "base")


def is_number(kind: Any) -> bool:
    """Whether a column of this type holds numbers, or true and false, which count as 1 and 0."""
    return bool(kind.is_numeric()) or str(kind).startswith(("Decimal", "Boolean"))


def is_category(kind: Any) -> bool:
    """Whether a column of this type holds levels, beside other attributes: text, or true and false."""
    import narwhals as nw

    return kind in (nw.String, nw.Categorical, nw.Object, nw.Boolean) or isinstance(kind, nw.Enum)


def check_columns(schema: Any, wanted: Iterable[str]) -> None:
    """Refuse columns that a table has not."""
    for name in wanted:
        if name not in schema.names():
            raise ColumnError(name, schema.names())


def check_kinds(kinds: Mapping[str, Any], names: Mapping[str, str], n_attributes: int) -> list[bool]:
    """Return which attributes are numbers; refuse columns that hold neither numbers, yes and no, nor text.

    What rows in memory would be taken for decides: true and false are levels of a category; text that stands alone may
    still read as numbers.
    """
    import narwhals as nw

    for new, kind in kinds.items():
        if kind.is_temporal():
            refuse_dates(names[new])
        if not (is_number(kind) or is_category(kind)):
            raise InputError(
                f"{names[new]!r} holds {kind}, which can be neither counted nor compared.", "cast it first."
            )
    for d in range(n_attributes):
        if kinds[f"x{d}"] == nw.Object:
            raise NeedsRows(f"only the values of {names[f'x{d}']!r} tell whether they are numbers or text")
    if n_attributes == 1 and not is_number(kinds["x0"]):
        raise NeedsRows(f"{names['x0']!r} holds text, which may read as numbers")
    if "weight" in kinds and not is_number(kinds["weight"]):
        raise NeedsRows(f"the weights {names['weight']!r} hold text, which may read as numbers")
    return [not is_category(kinds[f"x{d}"]) for d in range(n_attributes)]


def object_column(values: list[Any]) -> NDArray[Any]:
    """Return values of any kind as an array."""
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def as_float(value: Any) -> float:
    """Return a number of an engine; NaN where it has none."""
    return float("nan") if value is None or np.ma.is_masked(value) else float(value)


def collect(frame: Any) -> dict[str, NDArray[Any]]:
    """Bring a small result into memory, with as few packages as the engine allows."""
    native = frame.to_native()
    if type(native).__name__ == "DuckDBPyRelation":
        return dict(native.fetchnumpy())
    if type(native).__module__.startswith("pyspark"):
        names, rows = native.columns, native.collect()
        return {name: object_column([row[i] for row in rows]) for i, name in enumerate(names)}
    eager = frame.collect()
    return {name: object_column(eager[name].to_list()) for name in eager.columns}


def under_names(frame: Any, names: Mapping[str, str]) -> Any:
    """Return the columns that `names` maps our names to, in the frame's own engine.

    Parameters
    ----------
    frame : lazy frame
        Anything that narwhals takes.
    names : mapping
        New names, and the columns they stand for; a column may stand under several.

    Returns
    -------
    frame of the same library
    """
    import narwhals as nw

    table = nw.from_native(frame)
    engine = table.implementation
    if engine is nw.Implementation.POLARS:
        import polars.selectors as cs

        return frame.select(*(cs.by_name(old).as_expr().alias(new) for new, old in names.items()))
    if engine is nw.Implementation.DUCKDB:
        return frame.project(", ".join(f'{quoted(old)} AS "{new}"' for new, old in names.items()))
    if engine is nw.Implementation.IBIS:
        return frame.select(**{new: frame[old] for new, old in names.items()})
    columns = list(table.collect_schema().names())
    at = {new: f"c{columns.index(old)}" for new, old in names.items()}
    if engine is nw.Implementation.PYSPARK:
        from pyspark.sql import functions as f

        placed = frame.toDF(*(f"c{i}" for i in range(len(columns))))
        return placed.select(*(f.col(place).alias(new) for new, place in at.items()))
    if engine is nw.Implementation.DASK:
        used = sorted(set(names.values()))
        placed = frame[used].rename(columns={old: f"c{columns.index(old)}" for old in used})
        return placed.assign(**{new: placed[place] for new, place in at.items()})[list(names)]
    return table.select(*(nw.col(old).alias(new) for new, old in names.items())).to_native()


def with_digits(frame: Any, column: str, kind: Any, seed: int, into: str) -> Any:
    """Return a lazy frame with the digits of `uniform_of` as one more column of text, computed where the data is."""
    import narwhals as nw

    if not (kind.is_integer() or kind == nw.String):
        raise InputError(f"ids must be text or whole numbers; {column!r} holds {kind}.", "cast the column to text.")
    engine = nw.from_native(frame).implementation
    if engine is nw.Implementation.DUCKDB:
        name = column.replace('"', '""')
        return frame.project(f"*, substr(md5('{int(seed)}:' || CAST(\"{name}\" AS VARCHAR)), 1, 6) AS {into}")
    if engine is nw.Implementation.PYSPARK:
        from pyspark.sql import functions as f

        text = f.col("`" + column.replace("`", "``") + "`").cast("string")
        return frame.withColumn(into, f.substring(f.md5(f.concat(f.lit(f"{int(seed)}:"), text)), 1, 6))
    if engine is nw.Implementation.IBIS:
        return frame.mutate(**{into: _ibis_digits(frame, column, seed)})

    def digits(values: Any) -> list[str | None]:
        return [None if is_missing(value) else digits_of(seed, str(value)) for value in values]

    if engine is nw.Implementation.POLARS:
        import polars as pl

        new = pl.col(column).map_batches(lambda s: pl.Series(digits(s.to_list()), dtype=pl.String), pl.String)
        return frame.with_columns(new.alias(into))
    if engine is nw.Implementation.DASK:
        return frame.assign(**{into: frame[column].map_partitions(_of_pandas, digits, meta=(into, "string"))})
    raise InputError(f"ids in a {engine.name.lower()} frame cannot be used.", "leave the id out, or collect the table.")


def _of_pandas(series: Any, digits: Any) -> Any:
    return series.astype("object").map(lambda value: digits([value])[0]).astype("string")


def _ibis_digits(frame: Any, column: str, seed: int) -> Any:
    """Write the digits for a database: by its own MD5 sum, or ours where it has none."""
    import ibis

    def md5(text: str) -> str:
        return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()

    scalar = ibis.udf.scalar
    of = scalar.python(md5) if frame.get_backend().name == "sqlite" else scalar.builtin(md5)
    return of(ibis.literal(f"{int(seed)}:") + frame[column].cast("string")).substr(0, 6)
