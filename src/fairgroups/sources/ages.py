"""Ages from dates of birth: the column ``age(dob, 2024-01-01)`` is the age in whole years on that day."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.quoting import quoted, sql_text
from fairgroups.sources.written_dates import NO_DATES, WAYS, way_of_dates

__all__ = ["OLDEST", "AgeColumn", "age_column", "ages_of", "sql_age"]

_ASKED = re.compile(r"\s*age\s*\(\s*(.+?)\s*(?:,\s*([^,()]+?)\s*)?\)\s*", re.IGNORECASE)
OLDEST = 120


@dataclass(frozen=True)
class AgeColumn:
    """An age that is asked for: of which column, on which day, and what the new column is called."""

    name: str
    birth: str
    day: dt.date

    @property
    def label(self) -> str:
        """What it is called in a report."""
        return f"Age (on {self.day:%Y-%m-%d})"


def age_column(name: str, *, sure: bool = True) -> AgeColumn | None:
    """Return what a name such as ``age(dob, 2024-01-01)`` asks for; None where it is the name of a column.

    Parameters
    ----------
    name : str
        As the user wrote it.
    sure : bool
        No column has this name, so that one without a day is refused; else it may be a column, as "age (years)" is.

    Returns
    -------
    AgeColumn or None
    """
    found = _ASKED.fullmatch(name)
    if found is None or (found[2] is None and found[1].isdigit()):  # "age (2)", the second column of that name
        return None
    if found[2] is None and not sure:
        return None
    if found[2] is None:
        raise InputError(
            f"{name!r} does not say on which day the age is meant.",
            f"add it: age({found[1]}, {dt.date.today().year}-01-01)",  # noqa: DTZ011
        )
    try:
        day = dt.date.fromisoformat(found[2])
    except ValueError:
        if not sure:
            return None
        raise InputError(
            f"{name!r} names no day.", f"write it as year-month-day: age({found[1]}, 2024-01-31)"
        ) from None
    return AgeColumn(name, found[1].strip("\"'"), day)


def sql_age(relation: Any, asked: AgeColumn) -> tuple[str, list[str]]:
    """Return SQL for ages, and in words what was decided; dates of birth after the day are not known.

    Parameters
    ----------
    relation : DuckDB relation
        The table, the date of birth left as it is written.
    asked : AgeColumn
        Which age.

    Returns
    -------
    str, list of str
    """
    kind = str(relation.types[relation.columns.index(asked.birth)])
    column, told = quoted(asked.birth), []
    if kind == "VARCHAR":
        way = way_of_dates(relation, asked.birth)
        born = f"CAST(try_strptime(trim({column}), {sql_text(way)}) AS DATE)"
        if way != "%Y-%m-%d":  # as computers write them
            told.append(f"{asked.birth}: dates were read as {WAYS[way]}.")
    elif kind.startswith(("DATE", "TIMESTAMP")):
        born = f"CAST({column} AS DATE)"
    else:
        raise InputError(f"{asked.birth!r} holds {kind.lower()}, no dates of birth.", NO_DATES)
    day = asked.day  # who was born on 29 February is a year older on 1 March, as in memory
    passed = f"(month({born}) * 100 + day({born}) <= {100 * day.month + day.day})"
    years = f"({day.year} - year({born}) - CASE WHEN {passed} THEN 0 ELSE 1 END)"
    late = f"{born} > DATE '{asked.day:%Y-%m-%d}' OR {years} > {OLDEST}"
    (wrong,) = relation.aggregate(f"count(*) FILTER (WHERE {late})").fetchall()[0]
    told += [f"{asked.name}: the age in whole years on that day, from {asked.birth}, as asked."]
    told += _wrong(asked, wrong)
    return f"CAST(CASE WHEN {late} THEN NULL ELSE {years} END AS DOUBLE)", told


def _wrong(asked: AgeColumn, n: int) -> list[str]:
    if not n:
        return []
    return [f"{asked.birth}: {n:,} dates lie after {asked.day:%Y-%m-%d} or over {OLDEST} years before it: not known."]


def ages_of(values: NDArray[Any], asked: AgeColumn) -> tuple[NDArray[np.float64], list[str]]:
    """Return ages of people in memory, NaN where not known, and in words what was decided."""
    born = _days(values, asked.birth)
    years = np.full(born.shape, np.nan)
    known = ~np.isnat(born)
    day = np.datetime64(asked.day, "D")
    parts = (
        born[known].astype("datetime64[M]").astype(int),
        (born[known] - born[known].astype("datetime64[M]")).astype(int),
    )
    month, at = day.astype("datetime64[M]").astype(int), int((day - day.astype("datetime64[M]")).astype(int))
    whole = (month - parts[0] - (at < parts[1])) // 12
    late = (born[known] > day) | (whole > OLDEST)
    years[known] = np.where(late, np.nan, whole)
    told = [f"{asked.name}: the age in whole years on that day, from {asked.birth}, as asked."]
    return years, told + _wrong(asked, int(late.sum()))


def _days(values: NDArray[Any], name: str) -> NDArray[Any]:
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else np.zeros(values.shape, dtype=bool)
    data = np.asarray(values)
    if data.dtype.kind in "biufc":
        raise InputError(f"{name!r} holds numbers, no dates of birth.", NO_DATES)
    if data.dtype.kind != "M":
        items = [None if absent or _is_nothing(x) else x for x, absent in zip(data.tolist(), mask, strict=True)]
        try:
            data = np.array(["NaT" if x is None else np.datetime64(x, "D") for x in items], dtype="datetime64[D]")
        except (TypeError, ValueError):
            raise InputError(f"{name!r} must hold dates of birth.", "turn the column into dates first.") from None
    out = data.astype("datetime64[D]")
    out[mask] = np.datetime64("NaT")
    return out


def _is_nothing(x: Any) -> bool:
    return x is None or x == "" or x != x  # noqa: PLR0124  NaN and NaT differ from themselves
