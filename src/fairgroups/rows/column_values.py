"""One column as an array, whatever it came as: lists, series and arrays; numbers, NaN where a value is missing."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from decimal import Decimal
from numbers import Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError

__all__ = [
    "are_numbers",
    "column_of_numbers",
    "holds_categories",
    "is_missing",
    "numbers",
    "one_column",
    "reads_as_numbers",
    "refuse_dates",
    "shorten",
]

Array = NDArray[np.float64]
MOST_DIGITS = 2.0**53
NOTHING = ("NoneType", "NAType", "NaTType")  # types of what stands for nothing, beside NaN


def column_of_numbers(values: Any, name: str) -> Array:
    """Convert one column to floats, NaN where a value is missing."""
    return numbers(one_column(values), name)


def one_column(values: Any) -> NDArray[Any]:
    """Return one column as an array, whatever it came as."""
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
    if isinstance(native, nw.Series) and native.dtype in (nw.Categorical, nw.Enum) and native.null_count():
        mixed = np.empty(len(native), dtype=object)  # an Arrow dictionary would take those missing for its last level
        mixed[:] = native.to_list()
        return mixed
    if isinstance(native, nw.Series) and isinstance(native.dtype, nw.Datetime) and native.dtype.time_zone:
        native = native.dt.replace_time_zone(None)  # as clocks showed it
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
        found = np.ascontiguousarray(values, dtype=np.float64)
        if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
            _refuse_lost_digits(values, found, name)
        return found
    if values.dtype.kind in "Mm":
        refuse_dates(name)
    wrong: list[tuple[int, Any]] = []
    try:  # text that reads as a number is one: quoted numbers in a CSV file
        out = values.astype(object).astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        out, wrong = _one_by_one(values)
    if wrong:
        row, value = wrong[0]
        raise InputError(
            f"{name!r} must hold numbers; {len(wrong)} of {out.size} values are not, the first is {shorten(value)} "
            "in ⟨row⟩.",
            _cure(value),
            row=row,
        )
    if np.nanmax(np.abs(out), initial=0.0) > MOST_DIGITS:
        _refuse_lost_digits(np.array([value for value in values.tolist() if isinstance(value, int)], object), out, name)
    return out


def _one_by_one(values: NDArray[Any]) -> tuple[Array, list[tuple[int, Any]]]:
    """Return floats, and what is no number, with its place."""
    out = np.full(values.shape, np.nan)
    wrong: list[tuple[int, Any]] = []
    for i, value in enumerate(values.tolist()):
        try:
            out[i] = np.nan if is_missing(value) else float(value)
        except (TypeError, ValueError, OverflowError):
            wrong.append((i, value))
    return out, wrong


def _refuse_lost_digits(whole: NDArray[Any], found: Array, name: str) -> None:
    """Refuse whole numbers so large that some of them become the same when they are computed with."""
    if np.nanmax(np.abs(found), initial=0.0) <= MOST_DIGITS or whole.size == 0:
        return
    if len(set(whole.tolist())) > np.unique(found[~np.isnan(found)]).size:
        raise InputError(
            f"{name!r} holds whole numbers beyond 2^53, some of which cannot be told apart when computed with.",
            "take a constant off them, or leave the column out if it names people.",
        )


def _cure(value: Any) -> str:
    """Say how a value becomes a number, without changing it by a thousand."""
    text = value.strip() if isinstance(value, str) else ""
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", text):
        return f"write it without separators: {text.replace(',', '')}."
    if re.fullmatch(r"[+-]?\d*,\d+", text):
        return f"write it with a decimal point: {text.replace(',', '.')}."
    if re.fullmatch(r"[+-]?[\d.,\s]*\d\s*%|[€$£¥]\s*[\d.,]+|[\d.,]+\s*[€$£¥]", text):
        return "write the number alone, without a sign for percent or money."
    if text and not re.search(r"\d", text):
        return f"where it stands for a missing value, say so: na={[text]!r} of Source (--na {shlex.quote(text)})."
    return "clean the column, or encode it as numbers."


def reads_as_numbers(values: NDArray[Any]) -> bool:
    """Whether most texts of a column are meant as numbers, with separators or units that stand in the way."""
    texts = Counter(value.strip() for value in values.tolist() if isinstance(value, str))
    meant = sum(n for text, n in texts.items() if re.fullmatch(r"[<>≤≥+\-€$£¥]*\s*\d[\d.,\s'’]*\s*[%€$£¥+]*", text))
    return not texts or meant > texts.total() / 2


def refuse_dates(name: str) -> NoReturn:
    """Refuse a column of dates."""
    raise InputError(
        f"{name!r} holds dates or durations, not numbers.",
        f"name an age instead: 'age({name}, 2024-01-01)', the age on that day, or turn them into numbers.",
    )


def is_missing(value: Any) -> bool:
    """Whether a value stands for nothing: None, NaN, or a library's own mark."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value  # noqa: PLR0124
    return type(value).__name__ in NOTHING


def are_numbers(values: NDArray[Any]) -> bool:
    """Whether all that is known are numbers, by their types."""
    kinds = set(map(type, values.tolist()))
    return all(issubclass(kind, Real | Decimal) or kind.__name__ in NOTHING for kind in kinds)


def shorten(value: Any) -> str:
    """Write a value for a message, not longer than forty characters."""
    text = repr(re.sub(r"[\u00a0\u202f\u2009]", " ", value) if isinstance(value, str) else value)
    return text if len(text) <= 40 else text[:37] + "…" + text[0]


def holds_categories(X: Any) -> bool:
    """Whether a table of several columns holds text or true/false beside numbers."""
    if isinstance(X, np.ndarray):
        return X.ndim == 2 and X.shape[1] > 1 and X.dtype == object and any(isinstance(v, str) for v in X[:1].ravel())
    if not hasattr(X, "columns"):
        return False
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or len(frame.columns) < 2:
        return False
    return any(not (dtype.is_numeric() or dtype == nw.Object) for dtype in frame.schema.values())
