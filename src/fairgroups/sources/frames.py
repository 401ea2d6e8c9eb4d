"""Tables in memory, of any data-frame library: columns by name, and small tables given back in the same library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairgroups.errors import ColumnError, InputError
from fairgroups.options import column_of
from fairgroups.sources.ages import AgeColumn, age_column, ages_of
from fairgroups.sources.source import Source, read_columns

__all__ = ["Table", "ages_asked", "build_table", "column_names", "is_lazy", "library_beside", "read_table", "with_ages"]


@dataclass(frozen=True)
class Table:
    """Columns of a user's table, the library that it came in ("" for a mapping or a file), and what was decided."""

    columns: Mapping[str, Any]
    library: str
    told: tuple[str, ...] = ()


def build_table(rows: Sequence[Mapping[str, Any]], library: str) -> Any:
    """Return a small table of records in the library of that name; "": as a dict of lists."""
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    if not library:
        return columns
    import narwhals as nw

    backend: Any = library
    return nw.from_dict(columns, backend=backend).to_native()


def read_table(data: Any, names: list[str], *, text: Sequence[str] = ()) -> Table:
    """Read the named columns of a frame, a mapping of columns, or a CSV or Parquet file.

    `text` columns of a CSV file are left as they are written. Tables given back come in the caller's own library; for a
    mapping or a file, as a plain dict of lists.
    """
    for name in names:
        column_of(name, "name")
    if isinstance(data, str | Path | Source):
        source = data if isinstance(data, Source) else Source(data)
        if source.is_database:
            raise InputError(f"{source.name!r} is read by audit() only.", "export the table to Parquet first.")
        return Table(read_columns(source, names, text=text)[0], "")
    if isinstance(data, Mapping):
        ages = ages_asked(names, data)
        for name in [name for name in names if name not in ages] + [age.birth for age in ages.values()]:
            if name not in data:
                raise ColumnError(name, data.keys())
        return with_ages({name: data[ages[name].birth if name in ages else name] for name in names}, "", ages)
    import narwhals as nw

    try:
        frame = nw.from_native(data)
    except TypeError:
        raise InputError(
            f"cannot read a table from {type(data).__name__!r}.",
            "pass a data frame, a mapping of column names to values, or the path of a CSV or Parquet file.",
        ) from None
    except nw.exceptions.NarwhalsError as error:
        raise _unreadable(error) from error
    try:
        existing = frame.collect_schema().names()
        ages = ages_asked(names, existing)
        needed = {name: ages[name].birth if name in ages else name for name in names}
        for name in needed.values():
            if name not in existing:
                raise ColumnError(name, existing)
        frame = frame.select(*dict.fromkeys(needed.values()))
        eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    except nw.exceptions.NarwhalsError as error:
        raise _unreadable(error) from error
    return with_ages({name: eager[column] for name, column in needed.items()}, str(eager.implementation), ages)


def ages_asked(names: Sequence[str], existing: Any) -> dict[str, AgeColumn]:
    """Return the names that ask for an age of people whose date of birth is known."""
    return {name: age for name in names if name not in existing and (age := age_column(name))}


def with_ages(columns: dict[str, Any], library: str, ages: Mapping[str, AgeColumn]) -> Table:
    """Return columns with dates of birth as the ages that are asked for."""
    told: list[str] = []
    for name, age in ages.items():
        values = columns[name]
        columns[name], said = ages_of(values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values), age)
        told += said
    return Table(columns, library, tuple(told))


def library_beside(frame: Any) -> str:
    """Return the library of small tables beside a lazy frame: Polars beside Polars, pandas beside Dask, else none."""
    import narwhals as nw

    kind = nw.from_native(frame).implementation
    return {nw.Implementation.POLARS: "polars", nw.Implementation.DASK: "pandas"}.get(kind, "")


def is_lazy(data: Any) -> bool:
    """Whether data is a frame that is computed elsewhere, or later."""
    if isinstance(data, dict | list | tuple | str) or type(data).__module__ == "numpy":
        return False
    import narwhals as nw

    try:
        return isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)
    except nw.exceptions.NarwhalsError as error:
        raise _unreadable(error) from error


def _unreadable(error: Exception) -> InputError:
    said = " ".join(str(error).split())[:200]
    return InputError(f"cannot read the table: {said}", "column names must be text, each used once.")


def column_names(data: Any) -> list[str]:
    """Return the names of a frame's columns."""
    import narwhals as nw

    return list(nw.from_native(data).collect_schema().names())
