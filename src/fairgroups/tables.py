"""From what a user has to plain columns: frames, series, lists, and CSV or Parquet files.

Takes lists, NumPy arrays, any series or frame that narwhals knows, a mapping of columns, or a file.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import ColumnError, InputError

__all__ = [
    "Table",
    "column_of_numbers",
    "holds_categories",
    "is_missing",
    "numbers",
    "one_column",
    "read_table",
    "shorten",
]

Array = NDArray[np.float64]
_NOT_A_VALUE = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]
_CSV_TYPES = ["BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR"]


@dataclass(frozen=True)
class Table:
    """Columns of a user's table, and how to give a table back in the same library."""

    columns: Mapping[str, Any]
    build: Callable[[dict[str, list[Any]]], Any]


def read_table(data: Any, names: list[str]) -> Table:
    """Read the named columns of a frame, a mapping of columns, or a CSV or Parquet file.

    Tables given back come in the caller's own library; for a mapping or a file, as a plain dict of lists.
    """
    if isinstance(data, str | Path):
        return Table(_read_file(Path(data), names), dict)
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


def column_of_numbers(values: Any, name: str) -> Array:
    """Convert one column to floats, NaN where a value is missing."""
    return numbers(one_column(values), name)


def _read_file(path: Path, names: list[str]) -> dict[str, NDArray[Any]]:
    import duckdb

    if not path.exists():
        raise InputError(f"there is no file {str(path)!r}.", "check the path; quote it if it holds spaces.")
    if not path.is_file():
        raise InputError(f"{str(path)!r} is not a file.", "name a .csv, .tsv or .parquet file.")
    if path.stat().st_size == 0:
        raise InputError(f"{path.name!r} is empty.")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    wanted = list(dict.fromkeys(names))
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in wanted)
    try:
        with duckdb.connect() as connection:
            if suffixes[-1:] in ([".parquet"], [".pq"]):
                relation = connection.read_parquet(_literal(path))
            elif {".csv", ".tsv", ".txt"} & set(suffixes[-2:]):
                relation = _read_csv(connection, path, wanted)
            else:
                raise InputError(
                    f"cannot tell the format of {path.name!r}.",
                    "give a .csv, .tsv or .parquet file (.csv.gz is fine).",
                )
            for name in wanted:
                if name not in relation.columns:
                    raise ColumnError(name, relation.columns)
            return dict(relation.project(quoted).fetchnumpy())
    except duckdb.Error as error:
        raise InputError(
            f"cannot read {path.name!r}: {' '.join(str(error).split())[:300]}", "check that the file is complete."
        ) from error


def _literal(path: Path) -> str:
    """Write a path so that DuckDB takes it as it is, not as a pattern."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def _read_csv(connection: Any, path: Path, wanted: list[str]) -> Any:
    """Read a CSV file: types from all of it, yes/no left as text so that `positive` can name it."""
    import duckdb

    options: dict[str, Any] = {"sample_size": -1, "na_values": _NOT_A_VALUE, "auto_type_candidates": _CSV_TYPES}
    try:
        relation = connection.read_csv(_literal(path), **options)
    except duckdb.Error as error:
        if "utf-8" not in str(error).lower():
            raise
        raise InputError(
            f"{path.name!r} is not written in UTF-8.", f"convert it: iconv -f latin1 -t utf-8 {path.name!r} > new.csv"
        ) from error
    if set(wanted) <= set(relation.columns) or path.suffix.lower() == ".gz":
        return relation
    _name_bad_row(path)
    return relation


def _name_bad_row(path: Path) -> None:
    """Say which row does not fit the header: it has misled the guess of the delimiter."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        header = file.readline()
        delimiter = max(",;\t|", key=header.count)
        file.seek(0)
        rows = csv.reader(file, delimiter=delimiter)
        width = len(next(rows, []))
        for row in rows:
            if width > 1 and row and len(row) != width:
                raise InputError(
                    f"line {rows.line_num} of {path.name!r} has {len(row)} fields, the header has {width}.",
                    "correct or remove that line.",
                )


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
            else "clean the column, or encode it as numbers.",
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
