"""Attributes and factors: columns of numbers, or of levels, as people are told apart by them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError, MissingValuesError
from fairgroups.rows.column_values import (
    are_numbers,
    is_missing,
    numbers,
    one_column,
    reads_as_numbers,
    refuse_dates,
    shorten,
)
from fairgroups.rows.labels import category_levels, refuse_sums
from fairgroups.rows.ordered_levels import are_bands
from fairgroups.sources.frames import read_table

__all__ = [
    "MOST_LEVELS",
    "Column",
    "attribute",
    "category",
    "factor",
    "lone_attribute",
    "mixed_columns",
    "number_column",
    "of_array",
    "refuse_missing",
]

Array = NDArray[np.float64]
MOST_LEVELS = 5000  # of a factor


@dataclass(frozen=True)
class Column:
    """One sensitive attribute: numbers, or codes of levels where it is a category. NaN is missing."""

    name: str
    values: Array
    levels: tuple[str, ...] | None = None
    last: Array | None = None  # where a row stands for several values: the largest of them, `values` the smallest

    @property
    def told(self) -> list[str]:
        """What was decided about it, in words."""
        if self.levels is None or self.levels == tuple(sorted(self.levels)):
            return []
        what = "bands" if are_bands(self.levels) else "levels"
        return [f"{self.name}: its {len(self.levels)} {what} are classes in order, from {self.levels[0]} on."]

    @property
    def whole(self) -> bool:
        """Whether it holds whole numbers only."""
        return self.levels is None and bool(np.all(np.isnan(self.values) | (self.values % 1 == 0)))

    @property
    def numbers(self) -> bool | tuple[float, float]:
        """Whether its numbers are whole, or its two values where it has two that are neighbours, as 0 and 1."""
        if not self.whole or np.isnan(self.values).all():
            return self.whole
        low, high = float(np.nanmin(self.values)), float(np.nanmax(self.values if self.last is None else self.last))
        return (low, high) if high - low == 1 else True

    @property
    def text(self) -> NDArray[np.object_]:
        """Return a category's values as text, None where missing."""
        names = np.array([*(self.levels or ()), None], dtype=object)
        return names[np.nan_to_num(self.values, nan=-1.0).astype(np.intp)]


def mixed_columns(X: Any, names: list[str]) -> list[Column]:
    """Read numbers and categories side by side."""
    if isinstance(X, np.ndarray):
        return [attribute(of_array(X[:, d]), name) for d, name in enumerate(names)]
    table = read_table(X, names).columns
    return [attribute(one_column(table[name]), name) for name in names]


def of_array(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column of an array of anything; text with holes stays what it is."""
    items = column.tolist()
    return column if any(isinstance(item, str) for item in items) else np.array(items)


def attribute(values: NDArray[Any], name: str) -> Column:
    """Read one of several attributes: numbers, or categories where the values are text or true/false."""
    data = np.asarray(values.data) if isinstance(values, np.ma.MaskedArray) else values
    if data.dtype.kind in "iufMm":
        return number_column(values, name)
    if _is_truth(values):
        return category(values, name)
    if any(isinstance(x, dt.date) for x in values.tolist()):
        refuse_dates(name)
    if are_numbers(values):
        return number_column(values, name)
    return number_column(values, name) if _written_as_numbers(values, name) else category(values, name)


def _written_as_numbers(values: NDArray[Any], name: str) -> bool:
    """Whether text is numbers, as it is where it stands alone."""
    first = next((x for x in values.tolist() if not is_missing(x)), None)
    if not isinstance(first, str):
        return False
    try:
        float(first)
        numbers(values, name)
    except (ValueError, InputError):
        return False
    return not are_bands({x for x in values.tolist() if isinstance(x, str)})


def factor(values: NDArray[Any], name: str) -> Column:
    """Read what people are compared at equal values of: numbers, or levels, of which there may be many."""
    data = np.asarray(values.data) if isinstance(values, np.ma.MaskedArray) else values
    if data.dtype.kind in "iuf" or (data.dtype.kind not in "bMm" and are_numbers(values)):
        return number_column(values, name)
    return category(values, name, most=MOST_LEVELS)


def lone_attribute(values: NDArray[Any], name: str) -> Column:
    """Read the only attribute: numbers, also as text, or else a category such as sex, or true and false."""
    if _is_truth(values):
        return category(values, name)
    try:
        found = numbers(values, name or "sensitive")
    except InputError:
        data = np.asarray(values.data) if isinstance(values, np.ma.MaskedArray) else values
        if data.dtype.kind not in "OUST":
            raise
        if reads_as_numbers(values) and not are_bands({x for x in values.tolist() if isinstance(x, str)}):
            raise
        return category(values, name)
    refuse_sums(found, name or "sensitive")
    return Column(name, found)


def _is_truth(values: NDArray[Any]) -> bool:
    """Whether all that is known is true or false."""
    data = np.asarray(values.data) if isinstance(values, np.ma.MaskedArray) else values
    if data.dtype.kind != "O":
        return data.dtype.kind == "b"
    kinds = {type(x) for x in values.tolist() if not is_missing(x)}
    return bool(kinds) and kinds <= {bool, np.bool_}


def number_column(values: NDArray[Any], name: str) -> Column:
    """Read an attribute of numbers."""
    found = numbers(values, name)
    refuse_sums(found, name)
    return Column(name, found)


def category(values: NDArray[Any], name: str, most: int = 63) -> Column:
    """Read an attribute of levels, whatever their kind."""
    items = values.tolist()  # None where masked
    try:
        kinds = set(items)
    except TypeError:
        raise InputError(
            f"{name!r} holds lists or tables, such as {shorten(items[0])}, and no levels.",
            "make one value of each, or leave the column out.",
        ) from None
    if not all(isinstance(x, str) or is_missing(x) for x in kinds):  # True and 1 are equal, and not alike
        items = [None if is_missing(x) else str(x) for x in items]
        kinds = set(items)
    levels = category_levels(name, {x for x in kinds if isinstance(x, str)}, most)
    place = {level: float(i) for i, level in enumerate(levels)}
    code = {x: place.get(x, np.nan) if isinstance(x, str) else np.nan for x in kinds}
    return Column(name, np.fromiter((code[x] for x in items), np.float64, len(items)), levels)


def refuse_missing(column: Column) -> None:
    """Refuse missing values of an attribute."""
    absent = np.isnan(column.values)
    if absent.any():
        raise MissingValuesError(
            f"{column.name or 'X'!r} holds {absent.sum()} missing value(s) (NaN), the first in ⟨row⟩.",
            "missing='drop' leaves these rows out and counts them; missing='group' makes them a group of their own.",
            row=int(absent.argmax()),
        )
