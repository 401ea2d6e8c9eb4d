"""Tables in memory, of any data-frame library: their columns by name, and small tables given back in the same library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairgroups.errors import ColumnError, InputError
from fairgroups.sources.source import Source, read_columns

__all__ = ["Table", "lazy_builder", "read_table"]


@dataclass(frozen=True)
class Table:
    """Columns of a user's table, and how to give a table back in the same library."""

    columns: Mapping[str, Any]
    build: Callable[[dict[str, list[Any]]], Any]


def read_table(data: Any, names: list[str], *, text: Sequence[str] = ()) -> Table:
    """Read the named columns of a frame, a mapping of columns, or a CSV or Parquet file.

    `text` columns of a CSV file are left as they are written. Tables given back come in the caller's own library; for a
    mapping or a file, as a plain dict of lists.
    """
    if isinstance(data, str | Path | Source):
        source = data if isinstance(data, Source) else Source(data)
        if source.is_database:
            raise InputError(f"{source.name!r} is read by audit() only.", "export the table to Parquet first.")
        return Table(read_columns(source, names, text=text)[0], dict)
    if isinstance(data, Mapping):
        for name in names:
            if name not in data:
                raise ColumnError(name, data.keys())
        return Table({name: data[name] for name in names}, dict)
    import narwhals as nw

    try:
        frame = nw.from_native(data)
    except TypeError:
        raise InputError(
            f"cannot read a table from {type(data).__name__!r}.",
            "pass a data frame, a mapping of column names to values, or the path of a CSV or Parquet file.",
        ) from None
    try:
        existing = frame.collect_schema().names()
        for name in names:
            if name not in existing:
                raise ColumnError(name, existing)
        frame = frame.select(*dict.fromkeys(names))
        eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    except nw.exceptions.NarwhalsError as error:
        raise InputError(
            f"cannot read the table: {' '.join(str(error).split())[:200]}", "column names must be text, each used once."
        ) from error
    backend = eager.implementation
    return Table(
        {name: eager[name] for name in names},
        lambda columns: nw.from_dict(columns, backend=backend).to_native(),
    )


def lazy_builder(data: Any) -> Callable[[dict[str, list[Any]]], Any]:
    """Say how small tables are given back beside a lazy frame: in Polars beside Polars, in pandas beside Dask."""
    import narwhals as nw

    kind = nw.from_native(data).implementation
    if kind is nw.Implementation.POLARS:
        return lambda columns: nw.from_dict(columns, backend="polars").to_native()
    if kind is nw.Implementation.DASK:
        return lambda columns: nw.from_dict(columns, backend="pandas").to_native()
    return dict
