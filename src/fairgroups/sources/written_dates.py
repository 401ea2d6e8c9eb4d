"""Dates as people write them: "31.12.1999", "12/31/1999", "31 Dec 1999"; told apart by the whole column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fairgroups.errors import InputError
from fairgroups.quoting import quoted, sql_text

__all__ = ["NO_DATES", "WAYS", "dates_from_text", "way_of_dates"]

WAYS = {
    "%Y-%m-%d": "year-month-day",
    "%Y/%m/%d": "year/month/day",
    "%d.%m.%Y": "day.month.year",
    "%d/%m/%Y": "day/month/year",
    "%m/%d/%Y": "month/day/year",
    "%d-%m-%Y": "day-month-year",
    "%m-%d-%Y": "month-day-year",
    "%d %b %Y": "day month year",
    "%d %B %Y": "day month year",
    "%b %d, %Y": "month day, year",
    "%B %d, %Y": "month day, year",
    "%Y%m%d": "yearmonthday",
    "%d-%b-%Y": "day-month-year",
    "%Y-%m-%d %H:%M:%S": "year-month-day with a time",
    "%Y-%m-%dT%H:%M:%SZ": "year-month-day with a time",
    "%Y-%m-%dT%H:%M:%S": "year-month-day with a time",
}
NO_DATES = "turn the column into dates first: a spreadsheet counts days unless cells have the format of a date."
_LIKE_A_DATE = "^\\d{1,4}[-./ ]|^[A-Za-z]+ \\d{1,2},"


def dates_from_text(relation: Any, names: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return SQL that reads columns of text as dates, and in words what was decided.

    DuckDB looks for one way of writing dates in a whole file; here each column may have its own.

    Parameters
    ----------
    relation : DuckDB relation
        The table.
    names : sequence of str
        Columns to look at; those that are not text, or not of dates written in one way, are left as they are.

    Returns
    -------
    dict of str, list of str
    """
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    read, told = {}, []
    for name in (name for name in names if kinds.get(name) == "VARCHAR"):
        x = f"trim({quoted(name)})"
        some = relation.filter(f"{x} <> ''").project(f"{x} AS x").limit(1).fetchall()
        (like,) = relation.aggregate(f"bool_and(regexp_matches({x}, {sql_text(_LIKE_A_DATE)}))").fetchall()[0]
        if not some or not like:
            continue
        try:
            way = way_of_dates(relation, name)
        except InputError:
            continue
        read[name] = f"CAST(try_strptime({x}, {sql_text(way)}) AS DATE)"
        if way != "%Y-%m-%d":  # as computers write them
            order = ", ".join(re.findall("day|month|year", WAYS[way]))
            told.append(f"{name}: dates such as {some[0][0]!r} were read as {order}.")
    return read, told


def way_of_dates(relation: Any, name: str) -> str:
    """Return the one way of writing dates that fits a whole column of text; ask where two do."""
    x = f"trim({quoted(name)})"
    # A year of two digits would be read as one of long ago.
    asked = [
        f"count(CASE WHEN regexp_matches({x}, '[0-9]{{4}}') THEN try_strptime({x}, {sql_text(way)}) END)"
        for way in WAYS
    ]
    first = (
        f"min({x}) FILTER (WHERE {x} <> '' AND "
        + " AND ".join(f"try_strptime({x}, {sql_text(way)}) IS NULL" for way in WAYS)
        + ")"
    )
    *counts, n, odd = relation.aggregate(f"{', '.join(asked)}, count(nullif({x}, '')), {first}").fetchall()[0]
    fitting = [way for way, count in zip(WAYS, counts, strict=True) if count == n]
    if not n or (not fitting and odd is not None):
        raise InputError(
            f"{name!r} holds {odd!r}, which is no date that is understood." if odd else f"{name!r} holds no date.",
            NO_DATES if (odd or "").isdigit() else "write dates as year-month-day, with four digits of the year.",
        )
    if not any(counts):
        raise InputError(
            f"{name!r} writes years with two digits, so that nobody can tell 1925 from 2025.",
            "write dates as year-month-day, with four digits of the year.",
        )
    if not fitting:
        raise InputError(
            f"{name!r} writes dates in several ways.", "write them as year-month-day, with four digits of the year."
        )
    if {"%d/%m/%Y", "%m/%d/%Y"} <= set(fitting) or {"%d-%m-%Y", "%m-%d-%Y"} <= set(fitting):
        raise InputError(
            f"{name!r} may write its dates as day/month or as month/day: no value tells.",
            "write them as year-month-day.",
        )
    return fitting[0]
