"""Who a person is: keys as text, and numbers drawn from them that are the same wherever and whenever."""

from __future__ import annotations

import hashlib
from typing import Any

from fairgroups.errors import InputError
from fairgroups.rows.columns import is_missing, one_column

__all__ = ["LOTS", "read_keys", "uniform_of", "with_digits"]

LOTS = 20  # people who are counted are counted by twentieths, which make two halves of ten parts each


def read_keys(key: Any, n: int | None = None) -> list[str]:
    """Read keys as text: one for each of n rows, none missing; whole numbers are written without a point."""
    values = one_column(key)
    if n is not None and values.size != n:
        raise InputError(f"there are {n} rows and {values.size} keys.", "pass one key per row.")
    out = []
    for i, value in enumerate(values.tolist()):
        if is_missing(value):
            raise InputError(f"the key of row {i} is missing.", "a key says who a person is: give everybody one.")
        if isinstance(value, float):
            if not value.is_integer():
                raise InputError(
                    f"keys must be text or whole numbers; row {i} has {value!r}.", "turn the column into text."
                )
            value = int(value)  # noqa: PLW2901
        out.append(str(value))
    return out


def uniform_of(seed: int, key: str) -> float:
    """Give a number between 0 and 1 from the first six digits of an MD5 sum, as SQL can too."""
    return (int(_digits(seed, key), 16) + 0.5) / 16**6


def _digits(seed: int, key: str) -> str:
    return hashlib.md5(f"{seed}:{key}".encode(), usedforsecurity=False).hexdigest()[:6]


def with_digits(frame: Any, column: str, kind: Any, seed: int, into: str) -> Any:
    """Give a lazy frame with the digits of `uniform_of` as one more column of text, computed where the data is."""
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
        return [None if is_missing(value) else _digits(seed, str(value)) for value in values]

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
