"""From a user's data to clean arrays: the columns of an audit, row by row.

Takes lists, NumPy arrays, any series or frame that narwhals knows, a mapping of columns, or a CSV or Parquet file.
Nothing is dropped in silence: missing values follow one policy, and what was left out is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import ColumnError, InputError, MissingValuesError

__all__ = ["Missing", "Rows", "Table", "column_of_numbers", "read_table"]

_NOT_A_VALUE = ["", "NA", "N/A", "NaN", "nan", "null", "NULL"]
_CSV_TYPES = ["BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR"]

Array = NDArray[np.float64]
Missing = Literal["error", "drop", "group"]


@dataclass(frozen=True)
class Rows:
    """The columns of an audit as arrays of numbers, checked and of equal length.

    `sensitive` is NaN only under ``missing="group"``; every other value is finite.
    """

    sensitive: Array
    outcome: Array
    truth: Array | None = None
    weight: Array | None = None
    name: str = ""
    outcome_is_binary: bool = True
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Count the rows that are kept."""
        return int(self.sensitive.size)

    def take(self, index: NDArray[np.intp]) -> Rows:
        """Give some of the rows."""
        pick: Callable[[Array | None], Array | None] = lambda x: None if x is None else x[index]  # noqa: E731
        return replace(
            self,
            sensitive=self.sensitive[index],
            outcome=self.outcome[index],
            truth=pick(self.truth),
            weight=pick(self.weight),
        )

    @classmethod
    def from_arrays(
        cls,
        sensitive: Any,
        outcome: Any,
        *,
        truth: Any = None,
        weight: Any = None,
        positive: Any = None,
        missing: Missing = "error",
        names: Mapping[str, str] | None = None,
    ) -> Rows:
        """Check and convert the columns.

        Parameters
        ----------
        sensitive, outcome, truth, weight : array-like
            One value per row. `outcome` and `truth` may be boolean, 0/1, two labels, or numbers.
        positive : label, optional
            Which of two labels counts as 1.
        missing : {"error", "drop", "group"}
            What to do with missing values. ``"group"`` keeps rows whose `sensitive` value is missing as a group of
            their own.
        names : mapping, optional
            What each role's column is called, for messages and labels.
        """
        if missing not in ("error", "drop", "group"):
            raise InputError(f"`missing` must be 'error', 'drop' or 'group'; got {missing!r}.")
        named = {"sensitive": "sensitive", "outcome": "outcome", "truth": "truth", "weight": "weight"}
        named |= dict(names or {})
        columns: dict[str, Array] = {"sensitive": _numbers(_one_column(sensitive), named["sensitive"])}
        columns["outcome"], binary = _outcome(_one_column(outcome), named["outcome"], positive)
        if truth is not None:
            columns["truth"], _ = _outcome(_one_column(truth), named["truth"], positive, optional_positive=True)
        if weight is not None:
            columns["weight"] = _numbers(_one_column(weight), named["weight"])
        _check_lengths(columns, named)
        for role, values in columns.items():
            _check_finite(values, named[role])
        if weight is not None:
            _check_weight(columns["weight"], named["weight"])
        columns, dropped = _apply_missing(columns, named, missing)
        if columns["sensitive"].size == 0:
            raise InputError(
                "no rows are left after dropping those with missing values.",
                "check the columns named: one of them may be empty.",
            )
        return cls(
            sensitive=columns["sensitive"],
            outcome=columns["outcome"],
            truth=columns.get("truth"),
            weight=columns.get("weight"),
            name=(names or {}).get("sensitive", ""),
            outcome_is_binary=binary,
            dropped=dropped,
        )


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
    existing = frame.collect_schema().names()
    for name in names:
        if name not in existing:
            raise ColumnError(name, existing)
    frame = frame.select(*dict.fromkeys(names))
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    backend = eager.implementation
    return Table(
        {name: eager[name] for name in names},
        lambda columns: nw.from_dict(columns, backend=backend).to_native(),
    )


def column_of_numbers(values: Any, name: str) -> Array:
    """Convert one column to floats, NaN where a value is missing."""
    return _numbers(_one_column(values), name)


def _read_file(path: Path, names: list[str]) -> dict[str, NDArray[Any]]:
    import duckdb

    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}.", "check the path; quote it if it holds spaces.")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    connection = duckdb.connect()
    try:
        if suffixes[-1:] in ([".parquet"], [".pq"]):
            relation = connection.read_parquet(str(path))
        elif {".csv", ".tsv", ".txt"} & set(suffixes[-2:]):
            # Types from the whole file, not its first rows; yes/no stays text, so that --positive can name it.
            relation = connection.read_csv(
                str(path), sample_size=-1, na_values=_NOT_A_VALUE, auto_type_candidates=_CSV_TYPES
            )
        else:
            raise InputError(
                f"cannot tell the format of {path.name!r}.",
                "give a .csv, .tsv or .parquet file (.csv.gz is fine).",
            )
        for name in names:
            if name not in relation.columns:
                raise ColumnError(name, relation.columns)
        wanted = list(dict.fromkeys(names))
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in wanted)
        found = relation.project(quoted).fetchnumpy()
    except duckdb.Error as error:
        raise InputError(
            f"cannot read {path.name!r}: {str(error).splitlines()[0]}", "check that the file is complete."
        ) from error
    finally:
        connection.close()
    return {name: found[name] for name in wanted}


def _one_column(values: Any) -> NDArray[Any]:
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


def _numbers(values: NDArray[Any], name: str) -> Array:
    """Convert to floats, NaN where a value is missing."""
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        filled = _numbers(np.asarray(values.data)[~mask], name)
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
    for i, value in enumerate(values.tolist()):
        if _is_missing(value):
            out[i] = np.nan
        elif isinstance(value, Real | Decimal):
            out[i] = float(value)
        else:
            raise InputError(
                f"{name!r} must hold numbers; row {i} holds {_shorten(value)}.",
                "clean the column, or encode it as numbers.",
            )
    return out


def _outcome(values: NDArray[Any], name: str, positive: Any, *, optional_positive: bool = False) -> tuple[Array, bool]:
    """Convert an outcome to floats and say whether it is yes/no."""
    data = np.asarray(values.data) if isinstance(values, np.ma.MaskedArray) else values
    if data.dtype.kind in "biufMm" or all(
        _is_missing(value) or isinstance(value, Real | Decimal) for value in data.tolist()
    ):
        numbers = _numbers(values, name)
        binary = bool(np.all((numbers == 0) | (numbers == 1) | np.isnan(numbers)))
        if positive is None or (binary and optional_positive):
            return numbers, binary
        try:
            wanted = float(positive)
        except (TypeError, ValueError):
            wanted = np.nan
        levels = np.unique(numbers[~np.isnan(numbers)])
        if levels.size <= 2 and wanted in levels:
            return np.where(np.isnan(numbers), np.nan, (numbers == wanted).astype(np.float64)), True
        if levels.size <= 2 and optional_positive:
            return numbers, binary
        raise InputError(
            f"`positive` must be one of two values of {name!r}; got {positive!r}, "
            f"and {name!r} has {levels.size} distinct values, such as {levels[:5].tolist()}."
        )
    if isinstance(values, np.ma.MaskedArray):
        values = values.filled(None)
    items = [None if _is_missing(value) else str(value) for value in values.tolist()]
    labels = sorted({item for item in items if item is not None})
    if positive is None and labels and {label.lower() for label in labels} <= {"true", "false"}:
        positive = next((label for label in labels if label.lower() == "true"), "true")
        labels = sorted({*labels, positive})
    shown = ", ".join(_shorten(label) for label in labels[:5]) + (", …" if len(labels) > 5 else "")
    if len(labels) > 2:
        raise InputError(
            f"{name!r} holds {len(labels)} different labels ({shown}); an outcome has two, or is a number.",
            "make a yes/no column of it first.",
        )
    if positive is None or str(positive) not in labels:
        said = "" if positive is None else f" `positive` is {positive!r}, which is neither."
        raise InputError(
            f"{name!r} holds the labels {shown}; it must be known which one counts as 1.{said}",
            f"say positive={labels[0]!r} (--positive on the command line).",
        )
    codes = [np.nan if item is None else float(item == str(positive)) for item in items]
    return np.asarray(codes, dtype=np.float64), True


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, float):
        return value != value  # noqa: PLR0124
    return type(value).__name__ in ("NAType", "NaTType")


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…" + text[0]


def _check_lengths(columns: Mapping[str, Array], named: Mapping[str, str]) -> None:
    lengths = {named[role]: values.size for role, values in columns.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name!r} has {length}" for name, length in lengths.items())
        raise InputError(f"all columns must have the same number of rows; {said}.")
    if not columns["sensitive"].size:
        raise InputError("there are no rows.", "check that the table is not empty and the filter not too strict.")


def _check_finite(values: Array, name: str) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        raise InputError(
            f"{name!r} holds {infinite.sum()} infinite value(s) (inf), the first in row {infinite.argmax()}.",
            "remove these rows or replace the values; infinite is not treated as missing.",
        )


def _check_weight(weight: Array, name: str) -> None:
    negative = weight < 0
    if negative.any():
        raise InputError(
            f"weights must not be negative; {name!r} holds {negative.sum()} negative value(s), "
            f"the first in row {negative.argmax()}: {weight[negative.argmax()]!r}."
        )
    if not np.any(weight > 0):
        raise InputError(f"all weights in {name!r} are zero.", "give at least some rows a positive weight.")


def _apply_missing(
    columns: dict[str, Array], named: Mapping[str, str], missing: Missing
) -> tuple[dict[str, Array], dict[str, int]]:
    absent = {role: np.isnan(values) for role, values in columns.items()}
    counts = {role: int(mask.sum()) for role, mask in absent.items() if mask.any()}
    refused = {
        role: n for role, n in counts.items() if missing == "error" or (missing == "group" and role != "sensitive")
    }
    if refused:
        said = "; ".join(
            f"{named[role]!r} holds {n} missing value(s) (NaN), the first in row {absent[role].argmax()}"
            for role, n in refused.items()
        )
        hint = "missing='drop' leaves these rows out and counts them"
        if "sensitive" in refused and len(refused) == 1:
            hint += "; missing='group' makes them a group of their own"
        raise MissingValuesError(f"{said}.", f"{hint} (--missing on the command line).")
    if missing != "drop" or not counts:
        return columns, {}
    keep = np.ones(columns["sensitive"].size, dtype=bool)
    dropped: dict[str, int] = {}
    for role in counts:
        lost = keep & absent[role]
        if lost.any():
            dropped[named[role]] = int(lost.sum())
        keep &= ~absent[role]
    return {role: values[keep] for role, values in columns.items()}, dropped
