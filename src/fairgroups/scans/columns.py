"""The columns of a table as a scan takes them: of which kind each is, and what was done with it.

Nothing is left out in silence: constants, ids, copies (`copies.py`), codes such as −9 that stand
for nothing, rare levels: each is told in the words of its `ColumnCheck`.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.grid import axis_edges
from fairgroups.errors import InputError
from fairgroups.evidence.scanned_places import ScannedAxis
from fairgroups.partition.sides import Interval, Levels, Numbers, Side, shortest
from fairgroups.rows.column_values import is_missing, numbers
from fairgroups.rows.missing_codes import codes_of
from fairgroups.scans.protected import looks_protected
from fairgroups.scans.texts import DAY, days_of, form_of, look_like, plain_times, read_texts
from fairgroups.words import how_many, listed, thousands

__all__ = [
    "OTHERS",
    "ColumnCheck",
    "ColumnKind",
    "ScannedColumn",
    "apart",
    "read_column",
    "unknown_column",
    "unreadable",
]

Array = NDArray[np.float64]
ColumnKind = Literal["number", "category", "date", "text", "empty", "other"]
MOST_LEVELS = 32  # of a category; rarer ones are put together
LEAST_LEVEL = 10  # people of a level
TIES = 20  # that chance would make among so many numbers
MANY = 100  # numbers of people, of equally many rows each
TOGETHER = "If rows of one person belong together, say so: cluster= (--cluster)."
OTHERS = "a rarer level"
UNKNOWN, KNOWN = "not known", "known"


@dataclass(frozen=True)
class ColumnCheck:
    """What was seen of a column before the scan, and what was done with it.

    Attributes
    ----------
    name : str
        The column.
    kind : {"number", "category", "date", "text", "empty", "other"}
        How it was read.
    used : bool
        Whether the scan looks at it.
    distinct : int
        How many values it has.
    missing : int
        How many rows miss it, codes not counted.
    codes : tuple of float
        Numbers that stand for something else, taken as not known.
    coded : int
        How many rows hold such a code.
    same_as : str or None
        Another column that says the same.
    looks_like : str
        Of texts that were left out: "numbers" or "dates", if they look like such.
    protected : str or None
        Which protected attribute its name sounds like.
    values : str
        What it holds, in words.
    told : str
        What was done, in a sentence; empty where it was taken as it is.
    """

    name: str
    kind: ColumnKind
    used: bool
    distinct: int
    missing: int
    codes: tuple[float, ...] = ()
    coded: int = 0
    same_as: str | None = None
    protected: str | None = None
    values: str = ""
    told: str = ""
    looks_like: str = ""

    def telling(self, more: str) -> ColumnCheck:
        """Return the check with one more thing that was done."""
        return replace(self, told=f"{self.told} {more}".strip())

    def left_out(self, why: str, same_as: str | None = None) -> ColumnCheck:
        """Return the check of a column that is not looked at."""
        return replace(self.telling(f"Left out: {why}"), used=False, same_as=same_as)


@dataclass(frozen=True)
class ScannedColumn:
    """A column that is looked at: numbers, days since 1970, or codes of levels; NaN where it is not known."""

    check: ColumnCheck
    values: Array = field(repr=False)
    levels: tuple[str, ...] | None = None
    tells_missing: bool = False  # whether it says only if another column, or it itself, is known

    @property
    def name(self) -> str:
        """The column."""
        return self.check.name

    def called(self, name: str) -> str:
        """Return what the attribute is called, if the column is called so."""
        return f"{name} (known or not)" if self.tells_missing else name

    @cached_property
    def whole(self) -> bool:
        """Whether all numbers are whole."""
        known = self.values[~np.isnan(self.values)]
        return self.levels is None and bool(np.all(known == np.rint(known)))

    @cached_property
    def _rising(self) -> Array:
        """The known values, in rising order."""
        return np.unique(self.values[~np.isnan(self.values)])

    def _date(self, days: float) -> str:
        """Write a time with no more than leaves each value before or after it."""
        at = np.searchsorted(self._rising, days)
        text = _time(days)
        for some in (text[:10], text[:16]):
            if np.searchsorted(self._rising, float(days_of(np.array([some], dtype="datetime64[us]"))[0])) == at:
                return some.replace("T", " ")
        return text.replace("T", " ")

    def edges(self, n_cells: int, least: int) -> Array:
        """Return the first value of each cell of a number; so many at least lie in the first and in the last."""
        known = self.values[~np.isnan(self.values)]
        edges = axis_edges(known, n_cells, np.ones(known.size))
        while edges.size > 2 and np.count_nonzero(known >= edges[-1]) < least:
            edges = edges[:-1]
        while edges.size > 2 and np.count_nonzero(known < edges[1]) < least:
            edges = np.delete(edges, 1)
        return edges

    def axis(self, edges: Array | None) -> ScannedAxis:
        """Return the column in cells that begin at these values, or in its levels."""
        return ScannedAxis.of(self.values, None if self.levels is None else len(self.levels), edges)

    def side(self, ends: tuple[int, int], edges: Array | None) -> Side:
        """Return a side of cells in values; one that holds the first or the last cell is open there."""
        if self.levels is not None:
            return Levels(tuple(level for i, level in enumerate(self.levels) if ends[0] >> i & 1))
        assert edges is not None
        low = -np.inf if ends[0] == 0 else float(edges[ends[0]])
        return Interval(low, np.inf if ends[1] >= edges.size else float(edges[ends[1]]))

    def said(self, side: Side, name: str | None = None) -> str:
        """Write a side as it is said: ``age 22 to 24``."""
        name = self.name if name is None else name
        if isinstance(side, Levels):
            others = set(self.levels or ()) - set(side.names)
            long = len(side.names) > 3 and not 0 < len(others) <= 2
            some = Levels((*side.names[:2], f"{len(side.names) - 2} more")) if long else side
            return f"{name} {some.said(among=() if long else self.levels or ())}"
        if not side.ends:
            return f"{name} {KNOWN}"
        if self.check.kind == "date":
            first, last = (self._date(x) if np.isfinite(x) else "" for x in (side.low, side.high))
            if first and last:
                return f"{name} from {first} to before {last}"
            return f"{name} from {first} on" if first else f"{name} before {last}"
        numbers: Numbers = self.whole
        if self.check.distinct == 2 and self.whole:
            numbers = float(np.nanmin(self.values)), float(np.nanmax(self.values))
        between = " = " if side.only(numbers) is not None else " "
        return f"{name}{between}{side.said(shortest(side.ends, self._rising), whole=numbers)}"


def _time(days: float) -> str:
    when = np.datetime64(0, "us") + np.timedelta64(round(days * DAY), "us")
    return str(when.astype("datetime64[s]"))


def _date(days: float) -> str:
    text = _time(days)
    return text[:10] if text.endswith("T00:00:00") else text[:16].replace("T", " ")


def read_column(raw: NDArray[Any], name: str) -> ScannedColumn:
    """Read a column of any kind."""
    try:
        kind, values, levels, told = _read(raw, name)
    except _TooLongError:
        items = raw.tolist()
        absent = sum(is_missing(x) for x in items)
        check = ColumnCheck(name, "text", True, len(set(items)), absent, protected=looks_protected(name))
        why = "its whole numbers are too long to be told apart when computed with, as ids are."
        return ScannedColumn(check.left_out(why), np.full(raw.size, np.nan))
    known = ~np.isnan(values)
    n, distinct = int(values.size), len(set(levels)) if levels is not None else int(np.unique(values[known]).size)
    absent, protected = n - int(np.count_nonzero(known)), looks_protected(name)
    check = ColumnCheck(name, kind, True, distinct, absent, protected=protected, told=told)
    if not known.any():
        return ScannedColumn(replace(check, kind="empty").left_out("no value is known."), values)
    if levels is not None:
        return _category(check, values, levels, n)
    infinite = int(np.count_nonzero(np.isinf(raw))) if raw.dtype.kind == "f" else 0
    if infinite:
        check = check.telling(f"{how_many(infinite, 'infinite value')} taken as not known.")
    if kind == "number":
        check, values = _without_codes(check, values)
    spread = values[~np.isnan(values)]
    distinct = int(np.unique(spread).size)
    low, middle, high = np.quantile(spread, [0.25, 0.5, 0.75], method="inverted_cdf")
    write = _date if kind == "date" else shortest([low, middle, high])
    told = f"mostly {write(middle)}"
    if low != high:
        told = f"median {write(middle)}, middle half {write(low)} to {write(high)}"
    check = replace(check, distinct=distinct, values=told)
    if distinct == 1 and n - spread.size >= LEAST_LEVEL:  # a tick, or nothing
        told = f"It has one value, {write(middle)}, or none."
        category = replace(check, kind="category", told=told)
        return ScannedColumn(category, np.isnan(values).astype(float), (KNOWN, UNKNOWN), tells_missing=True)
    if distinct == 1:
        check = check.left_out("it has one value only.")
    elif kind == "number" and _numbers_rows(spread, n):
        check = check.left_out("it numbers the rows, each with a number of its own.")
    elif kind == "number" and (times := _rows_of_each(spread, distinct)) > 1:
        check = check.left_out(f"it numbers {thousands(distinct)} people or things, with {times} rows each. {TOGETHER}")
    return ScannedColumn(check, values)


def _read(raw: NDArray[Any], name: str) -> tuple[ColumnKind, Array, tuple[str, ...] | None, str]:
    """Return the kind, the values as numbers, the levels of a category, and what was taken as not known."""
    mask = np.ma.getmaskarray(raw) if isinstance(raw, np.ma.MaskedArray) else np.zeros(raw.shape, dtype=bool)
    data = np.asarray(raw.data) if isinstance(raw, np.ma.MaskedArray) else raw
    if data.dtype.kind in "Mm":
        days = days_of(data)
        days[mask] = np.nan
        return ("date" if data.dtype.kind == "M" else "number"), days, None, ""
    if data.dtype.kind in "iuf":
        return "number", _plain_numbers(raw, name), None, ""
    if data.dtype.kind == "c":
        raise InputError(f"{name!r} holds complex numbers.", "leave it out: --without.")
    items = [None if absent or is_missing(x) else x for x, absent in zip(data.tolist(), mask, strict=True)]
    kinds = {type(x) for x in items if x is not None}
    are_numbers = bool not in kinds and all(issubclass(kind, Real | Decimal) for kind in kinds - {str})
    if kinds and are_numbers and str not in kinds:
        return "number", _plain_numbers(np.array(items, dtype=object), name), None, ""
    if kinds and all(issubclass(kind, dt.date) for kind in kinds):
        times, told = plain_times(items)
        return "date", days_of(times), None, told
    said = [None if x is None or (isinstance(x, str) and not x.strip()) else str(x) for x in items]
    read = read_texts(said) if are_numbers else None
    if read is not None:
        return read.kind, read.values, None, read.told
    place: dict[str, float] = {}
    for x in said:
        if x is not None:
            place.setdefault(x, float(len(place)))
    codes = np.array([np.nan if x is None else place[x] for x in said], dtype=np.float64)
    return "category", codes, tuple(place), ""


class _TooLongError(Exception):
    """Whole numbers that floats cannot tell apart."""


def _plain_numbers(values: NDArray[Any], name: str) -> Array:
    """Return numbers as floats, where these can tell them apart; infinite ones are not known."""
    try:
        found = numbers(values, name)
    except InputError as error:
        raise _TooLongError from error
    return np.where(np.isinf(found), np.nan, found)


def _category(check: ColumnCheck, codes: Array, levels: tuple[str, ...], n: int) -> ScannedColumn:
    """Put rare levels together, and leave out what is no category: names and free text."""
    known = ~np.isnan(codes)
    people = np.bincount(codes[known].astype(np.intp), minlength=len(levels))
    order = sorted(range(len(levels)), key=lambda i: (-people[i], levels[i]))
    few = [f"{levels[i]} ({100 * people[i] / n:.0f}%)" for i in order[:3] if people[i] >= LEAST_LEVEL]
    check = replace(check, values=", ".join(few))
    if len(levels) == 1 and check.missing < LEAST_LEVEL:
        return ScannedColumn(check.left_out("it has one value only."), codes, levels)
    names_rows = len(levels) > max(n / 2, 20)
    what = look_like(levels) if names_rows or len(levels) > MOST_LEVELS else ""
    if names_rows or what:
        check = replace(check, kind="text", values="")
        if what:
            why = (
                f"{thousands(len(levels))} texts that look like {what}, written like {form_of(levels)!r}: convert them."
            )
            return ScannedColumn(replace(check.left_out(why), looks_like=what), codes)
        return ScannedColumn(check.left_out(f"{thousands(len(levels))} different texts, as of names or ids."), codes)
    kept = [i for i in order[: MOST_LEVELS - 1] if people[i] >= LEAST_LEVEL]
    if len(kept) == len(order) or (len(order) <= MOST_LEVELS and len(order) - len(kept) <= 1):
        kept = order[:MOST_LEVELS]
    rest = [i for i in order if i not in set(kept)]
    named = sorted(kept, key=lambda i: levels[i])
    place = np.full(len(levels), float(len(named)))
    place[named] = np.arange(len(named))
    names = tuple(levels[i] for i in named) + ((apart(OTHERS, levels),) if rest else ())
    out = np.full(codes.shape, np.nan)
    out[known] = place[codes[known].astype(np.intp)]
    if rest:
        joined = int(people[rest].sum())
        told = f"{thousands(len(rest))} rare levels, {thousands(joined)} rows together, are one."
        check = check.telling(told)
    if check.missing >= LEAST_LEVEL:  # who misses it is one level more
        out[~known] = len(names)
        names = (*names, apart(UNKNOWN, levels))
    if len(names) == 1:
        several = f" {TOGETHER}" if 1.5 * len(levels) <= int(people.sum()) else ""
        return ScannedColumn(check.left_out(f"no two levels have ten rows each.{several}"), out, names)
    return ScannedColumn(check, out, names)


def apart(word: str, levels: tuple[str, ...]) -> str:
    """Return a name for a level of ours that no level of the column has."""
    while word in levels:
        word = f"{word} (empty)" if word.startswith(UNKNOWN) else f"{word} (rare)"
    return word


def _without_codes(check: ColumnCheck, values: Array) -> tuple[ColumnCheck, Array]:
    """Take numbers such as −9 and 999 that many rows share, far from all others, as not known."""
    codes = codes_of(values)
    if not codes:
        return check, values
    found = [code for code, _ in codes]
    coded = sum(n for _, n in codes)
    write = shortest(found)
    are = "are" if len(found) > 1 else "is"
    said = f"{listed([write(x) for x in found])} {are} far from every other value ({how_many(coded, 'row')})"
    out = np.where(np.isin(values, found), np.nan, values)
    return replace(check, codes=tuple(found), coded=coded).telling(f"{said}; taken as missing."), out


def _numbers_rows(values: Array, n: int) -> bool:
    """Whether whole numbers are names of rows: each is another one, where chance would have made some of them equal."""
    if n < 20 or not np.all(values == np.rint(values)) or np.unique(values).size != values.size:
        return False
    span = float(np.ptp(values))
    return span < 1.5 * n or values.size * (values.size - 1) / (2 * span) > TIES


def _rows_of_each(values: Array, distinct: int) -> int:
    """Return how many rows each of many people has, where numbers name people who have equally many; else 0."""
    each, left = divmod(values.size, distinct)
    if left or distinct < MANY or not 1 < each < LEAST_LEVEL:
        return 0
    known, times = np.unique(values, return_counts=True)
    return each if times.min() == times.max() and _numbers_rows(known, distinct) else 0


def unreadable(name: str, n: int) -> ScannedColumn:
    """Return a column whose values are of no kind that can be looked at."""
    check = ColumnCheck(name, "other", True, 0, 0, protected=looks_protected(name))
    return ScannedColumn(check.left_out("its values are no numbers, dates or levels."), np.full(n, np.nan))


def unknown_column(column: ScannedColumn) -> ScannedColumn | None:
    """Return whether a number is known, as a column of its own; None where hardly anybody misses it."""
    absent = np.isnan(column.values)
    missing = int(np.count_nonzero(absent))
    if column.levels is not None or min(missing, absent.size - missing) < LEAST_LEVEL:
        return None
    check = ColumnCheck(column.name, "category", True, 2, 0, protected=column.check.protected)
    return ScannedColumn(check, absent.astype(np.float64), (KNOWN, UNKNOWN), tells_missing=True)
