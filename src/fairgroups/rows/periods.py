"""Periods: a column that says when, or for which part, each row is; in order, and not too many."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError, MissingValuesError
from fairgroups.rows.column_values import is_missing
from fairgroups.rows.ordered_levels import are_bands, in_order

__all__ = ["read_periods"]

MOST = 60
MONTHS = (  # how their names begin, in some languages
    *(
        ("jan", "ene", "gen", "sty"),
        ("feb", "fév", "fev", "lut"),
        ("mar", "mär", "mrt", "maa"),
        ("apr", "avr", "abr", "kwi"),
    ),
    *(("may", "mai", "mag", "maj", "mei"), ("jun", "juin", "giu", "cze"), ("jul", "juil", "lug", "lip")),
    *(("aug", "aoû", "ago", "sie"), ("sep", "set", "wrz"), ("oct", "okt", "ott", "out", "paź")),
    *(("nov", "lis"), ("dec", "déc", "dez", "dic", "gru")),
)
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
            f"{name!r}, which periods are told by, holds {mask.sum()} missing value(s), the first in ⟨row⟩.",
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
    """Return periods in order: numbers, months and quarters as they come, bands, else by the numbers in their names."""
    try:
        return tuple(sorted(found, key=float))
    except ValueError:
        pass
    if are_bands(found):
        return in_order(found)
    when = {text: _when(text) for text in found}
    if all(when.values()):
        return tuple(sorted(found, key=lambda text: when[text] or (0, 0)))
    if {text.casefold() for text in found} == {"before", "after"}:
        return tuple(sorted(found, reverse=True, key=str.casefold))
    return tuple(sorted(found, key=_natural))


def _when(text: str) -> tuple[int, int] | None:
    """Return year and part of the year of a month or quarter, however it is written; 0 for a year that is not said."""
    plain = text.strip().casefold()
    year = re.search(r"(?<!\d)(\d{4})(?!\d)", plain)
    rest = plain.replace(year[1], " ", 1) if year else plain
    number = re.fullmatch(r"\W*(?:[qhwktm][^\W\d]{0,7}\W*)?(\d{1,2})\W*", rest)
    if number and (year or not number[0].strip().isdigit()):
        return int(year[1]) if year else 0, int(number[1])
    word = re.fullmatch(r"\W*([^\W\d]{3,12})\W*", rest)
    month = next((i for i, names in enumerate(MONTHS, 1) if word and word[1].startswith(names)), None)
    return None if month is None else (int(year[1]) if year else 0, month)


def _natural(text: str) -> list[tuple[int, int, str]]:
    return [(0, int(x), "") if x.isdigit() else (1, 0, x.casefold()) for x in re.findall(r"\d+|\D+", text)]
