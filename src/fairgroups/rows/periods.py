"""Periods: a column that says when, or for which part, each row is; in order, and not too many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError, MissingValuesError
from fairgroups.rows.bands import in_order
from fairgroups.rows.columns import is_missing

__all__ = ["read_periods"]

MOST = 60
LONG = 3 * 366  # days beyond which dates are taken by year


def read_periods(values: NDArray[Any], name: str) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Return the place of each row's period among all, and what they are called, in order.

    Numbers are in the order of numbers, dates are taken by month, or by year where they span more than three years.

    Parameters
    ----------
    values : array
        The column.
    name : str
        What it is called.

    Returns
    -------
    array of int, tuple of str
    """
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else np.zeros(values.shape, dtype=bool)
    data = np.asarray(values)
    if data.dtype.kind == "M":
        mask = mask | np.isnat(data)
        days = data.astype("datetime64[D]")
        span = (days[~mask].max() - days[~mask].min()).astype(int) if (~mask).any() else 0
        texts = data.astype("datetime64[Y]" if span > LONG else "datetime64[M]").astype(str).tolist()
    else:
        items = data.tolist()
        if data.dtype == object and any(hasattr(x, "isoformat") for x in items if x is not None):
            return read_periods(np.array([None if is_missing(x) else x for x in items], dtype="datetime64[us]"), name)
        mask = mask | np.array([is_missing(x) for x in items], dtype=bool)
        texts = [_text(x) for x in items]
    if mask.any():
        raise MissingValuesError(
            f"{name!r}, which periods are told by, holds {mask.sum()} missing value(s), the first in {{row}}.",
            "leave these rows out: --where",
            row=int(mask.argmax()),
        )
    found = set(texts)
    if len(found) > MOST:
        raise InputError(
            f"{name!r} has {len(found):,} values; at most {MOST} periods can be compared.",
            "use longer ones, such as years.",
        )
    order = _ordered(found)
    place = {text: i for i, text in enumerate(order)}
    return np.fromiter((place[text] for text in texts), np.intp, len(texts)), order


def _text(x: Any) -> str:
    return str(int(x)) if isinstance(x, float) and x.is_integer() else str(x)


def _ordered(found: set[str]) -> tuple[str, ...]:
    try:
        return tuple(sorted(found, key=float))
    except ValueError:
        return in_order(found)
