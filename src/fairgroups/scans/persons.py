"""Rows of one person: columns that name people who have several rows each, told by what these rows have in common."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.rows.column_values import is_missing
from fairgroups.scans.columns import MANY, TOGETHER, ScannedColumn
from fairgroups.words import listed, thousands

__all__ = ["telling_of_persons"]

Codes = NDArray[np.intp]
MOST_ROWS = 100_000  # that are compared
FEWEST_PAIRS = 50  # of rows of one value
MOST_EACH = 50  # rows of a person
SAME = 0.99  # of these pairs agree
USUAL = 0.9  # of any two rows agree: then it tells nothing
SEVERAL = 2  # columns that agree: then it is left out


def telling_of_persons(
    columns: Sequence[ScannedColumn], raw: Mapping[str, NDArray[Any]], asked: Collection[str]
) -> list[ScannedColumn]:
    """Tell of columns that seem to name people, whose rows agree in other columns; leave out those that clearly do.

    Parameters
    ----------
    columns : sequence of ScannedColumn
        All columns.
    raw : mapping
        Their values as they came.
    asked : collection of str
        Columns that somebody named: they are looked at all the same.

    Returns
    -------
    list of ScannedColumn
        The same columns.
    """
    out = []
    for column in columns:
        codes = _names(column, raw.get(column.name))
        agreeing = [] if codes is None else _agreeing(column, codes, columns)
        if agreeing:
            check = column.check
            said = f"{thousands(check.distinct)} values, whose rows agree in {listed(agreeing[:3])}"
            if len(agreeing) >= SEVERAL and check.used and check.protected is None and column.name not in asked:
                check = check.left_out(f"it seems to name people or things, by {said}. {TOGETHER}")
            else:
                check = check.telling(f"It has {said}. {TOGETHER}")
            column = replace(column, check=check)  # noqa: PLW2901
        out.append(column)
    return out


def _names(column: ScannedColumn, raw: NDArray[Any] | None) -> Codes | None:
    """Return a number for each value of whole numbers or texts that several rows share, −1 where it is missing."""
    check = column.check
    if raw is None or TOGETHER in check.told or check.kind in ("date", "empty", "other") or column.tells_missing:
        return None
    if not (MANY <= check.distinct <= raw.size / 1.5 and raw.size <= MOST_EACH * check.distinct):
        return None
    codes = np.full(raw.size, -1, dtype=np.intp)
    if column.levels is None and check.kind == "number":
        known = ~np.isnan(column.values)
        if not column.whole:
            return None
        codes[known] = np.unique(column.values[known], return_inverse=True)[1]
        return codes
    place: dict[str, int] = {}
    items = np.ma.filled(np.ma.asarray(raw, dtype=object), None).tolist()
    return np.array([-1 if is_missing(x) else place.setdefault(str(x), len(place)) for x in items], dtype=np.intp)


def _agreeing(column: ScannedColumn, codes: Codes, columns: Sequence[ScannedColumn]) -> list[str]:
    """Return columns of fewer values in which rows of one value agree, though other rows do not."""
    n = int(codes.max(initial=-1)) + 1
    step = max(1, -(-codes.size // MOST_ROWS))  # every so many values, with all their rows
    used = np.flatnonzero((codes >= 0) & (codes % step == 0))
    order = used[np.argsort(codes[used], kind="stable")]
    same = codes[order[1:]] == codes[order[:-1]]
    if n < MANY or np.count_nonzero(same) < FEWEST_PAIRS:
        return []
    found = []
    for other in columns:
        known = ~np.isnan(other.values)
        if other.name == column.name or not other.check.used or 2 * other.check.distinct > n or not known.any():
            continue
        values = np.where(known, other.values, -1.0)[order]
        _, people = np.unique(values, return_counts=True)
        if np.sum((people / people.sum()) ** 2) < USUAL and np.mean(values[1:][same] == values[:-1][same]) >= SAME:
            found.append(other.name)
    return found
