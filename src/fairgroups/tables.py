"""From what a user has to plain columns: frames, series, lists, mappings; files by way of sources.py.

Takes lists, NumPy arrays, any series or frame that narwhals knows, a mapping of columns, or a file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import ColumnError, InputError
from fairgroups.sources import Source, read_columns

__all__ = [
    "Table",
    "column_of_numbers",
    "holds_categories",
    "is_missing",
    "lazy_builder",
    "numbers",
    "one_column",
    "read_table",
    "shorten",
]

Array = NDArray[np.float64]


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


def column_of_numbers(values: Any, name: str) -> Array:
    """Convert one column to floats, NaN where a value is missing."""
    return numbers(one_column(values), name)


def one_column(values: Any) -> NDArray[Any]:
    """Give one column as an array, whatever it came as."""
    if not isinstance(values, np.ndarray):
        values = _materialise(values)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(
            f"one column of values is needed; got an array of shape {values.shape}.",
            "groups are searched along one sensitive attribute: pass that column alone.",
        )
    return values  # type: ignore[no-any-return]


def _materialise(values: Any) -> NDArray[Any]:
    if isinstance(values, list | tuple):
        try:
            array = np.asarray(values)
        except ValueError:  # rows of different lengths
            array = np.empty(0, dtype=object)
        if array.dtype.kind in "biuf":
            return array
        if array.ndim > 1:
            return array
        mixed = np.empty(len(values), dtype=object)
        mixed[:] = values
        return mixed
    import narwhals as nw

    native = nw.from_native(values, allow_series=True, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    if isinstance(native, nw.Series | nw.DataFrame):
        return np.asarray(native.to_numpy())
    array = np.asarray(values)
    if array.ndim == 0:
        raise InputError(f"a column of values is needed; got {values!r}.")
    return array


def numbers(values: NDArray[Any], name: str) -> Array:
    """Convert to floats, NaN where a value is missing."""
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        filled = numbers(np.asarray(values.data)[~mask], name)
        out = np.full(values.shape, np.nan)
        out[~mask] = filled
        return out
    if values.dtype.kind in "biuf":
        return np.ascontiguousarray(values, dtype=np.float64)
    if values.dtype.kind in "Mm":
        raise InputError(
            f"{name!r} holds dates or durations, not numbers.",
            "turn them into numbers first, such as an age in years.",
        )
    out = np.empty(values.shape)
    wrong: list[tuple[int, Any]] = []
    for i, value in enumerate(values.tolist()):
        try:
            # Text that reads as a number is one: quoted numbers in a CSV file.
            out[i] = np.nan if is_missing(value) else float(value)
        except (TypeError, ValueError, OverflowError):
            wrong.append((i, value))
    if wrong:
        row, value = wrong[0]
        raise InputError(
            f"{name!r} must hold numbers; {len(wrong)} of {out.size} values are not, the first is {shorten(value)} "
            f"in row {row} (the first row is 0).",
            "write numbers with a decimal point, not a comma."
            if isinstance(value, str) and value.replace(",", ".", 1).lstrip("+-").replace(".", "", 1).isdigit()
            else "clean the column, or encode it as numbers; a category can stand beside a number, not alone.",
        )
    return out


def is_missing(value: Any) -> bool:
    """Say whether a value stands for nothing: None, NaN, or a library's own mark."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value  # noqa: PLR0124
    return type(value).__name__ in ("NAType", "NaTType")


def shorten(value: Any) -> str:
    """Write a value for a message, not longer than forty characters."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…" + text[0]


def holds_categories(X: Any) -> bool:
    """Say whether a table of several columns holds text or true/false beside numbers."""
    if isinstance(X, np.ndarray):
        return X.ndim == 2 and X.shape[1] > 1 and X.dtype == object and any(isinstance(v, str) for v in X[:1].ravel())
    if not hasattr(X, "columns"):
        return False
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or len(frame.columns) < 2:
        return False
    return any(not (dtype.is_numeric() or dtype == nw.Object) for dtype in frame.schema.values())
