"""Copies: columns of a table that say the same as its outcome, or as one another."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairgroups.rows.rows import quantiles
from fairgroups.scans.columns import ScannedColumn
from fairgroups.words import amount

__all__ = ["without_copies"]

Array = NDArray[np.float64]
COPY = 0.9  # the share of the outcome's variance that a copy of it explains
SAME = 0.99  # the rank correlation of two numbers, or the share of rows by which two columns tell each other
MOST_ROWS, MOST_PAIRED = 200_000, 40_000
CELLS = 64
FEWEST, EACH = 5, 10  # people in a cell that tells something, and about so many in cells of a number


def without_copies(
    columns: Sequence[ScannedColumn], outcome: Array, name: str, asked: Collection[str] = ()
) -> list[ScannedColumn]:
    """Mark columns that all but are the outcome, and columns that say the same as another one.

    Of those that say the same one that was asked for is kept, else a number before a date and a date before a category,
    the one that fewer miss, the one of more values, then of the smaller numbers, and last the first in the table.

    Protected attributes and columns that were asked for are looked at whatever they decide: where a rule parts people
    by sex, sex decides the outcome.

    Parameters
    ----------
    columns : sequence of ScannedColumn
        All columns.
    outcome : array
        The outcome of the same rows.
    name : str
        What the outcome is called.
    asked : collection of str
        Columns that somebody named.

    Returns
    -------
    list of ScannedColumn
        The same columns, some of which are left out.
    """
    step = max(1, -(-outcome.size // MOST_ROWS))
    some, every = slice(None, None, step), slice(None, None, max(1, -(-outcome.size // step // MOST_PAIRED)))
    out = {column.name: column for column in columns}
    kept: list[tuple[ScannedColumn, NDArray[np.intp], Array]] = []
    for column in sorted(columns, key=lambda column: _rank(column, asked)):
        if not column.check.used:
            continue
        codes, ranks = _coded(column.values[some], column.levels is not None)
        explained = _explained(codes, outcome[some])
        if explained >= COPY:
            why = f"it decides {amount(explained, percent=True)} of {name}, as a copy of it would."
            if column.check.protected is None and column.name not in asked:
                out[column.name] = replace(column, check=column.check.left_out(why, name))
                continue
            told = f"{column.check.told} {why[0].upper()}{why[1:]}".strip()
            column = replace(column, check=replace(column.check, told=told))  # noqa: PLW2901
        codes, ranks = codes[every], ranks[every] if ranks.size else ranks
        same = next((one.name for one, other, order in kept if _same(codes, ranks, other, order)), None)
        if same is not None:
            check = column.check.left_out(f"it says the same as {same}.", same)
            out[column.name] = replace(column, check=check)
            continue
        kept.append((column, codes, ranks))
        out[column.name] = column
    return list(out.values())


def _rank(column: ScannedColumn, asked: Collection[str]) -> tuple[bool, int, int, int, float]:
    """Return which of two columns that say the same is kept: the lower one; of age and year of birth, age."""
    check, kinds = column.check, {"number": 0, "date": 1}
    known = column.values[~np.isnan(column.values)]
    size = 0.0 if column.levels is not None or not known.size else float(np.median(np.abs(known)))
    return column.name not in asked, kinds.get(check.kind, 2), check.missing, -check.distinct, size


def _coded(values: Array, categorical: bool) -> tuple[NDArray[np.intp], Array]:
    """Return cells, those not known last, and ranks of a number; no ranks of a category."""
    absent = np.isnan(values)
    if categorical:
        codes = np.nan_to_num(values).astype(np.intp)
        codes[absent] = int(codes.max(initial=0)) + 1
        return codes, np.empty(0)
    known = values[~absent]
    if not known.size:
        return np.zeros(values.size, dtype=np.intp), np.empty(0)
    lower = np.unique(known)
    most = max(min(CELLS, known.size // EACH), 2)
    if lower.size > most:
        lower = np.unique(quantiles(known, np.arange(most) / most, None))
    codes = np.searchsorted(lower, values, side="right") - 1
    codes[absent] = lower.size
    ranks = np.full(values.size, np.nan)
    _, place, times = np.unique(known, return_inverse=True, return_counts=True)
    ranks[~absent] = (np.cumsum(times) - (times - 1) / 2)[np.ravel(place)]
    return codes, ranks


def _explained(codes: NDArray[np.intp], outcome: Array) -> float:
    few = np.bincount(codes)[codes] < FEWEST  # who is alone in a cell decides anything
    codes = np.where(few, codes.max() + 1, codes)
    n = np.bincount(codes).astype(np.float64)
    mean = outcome.mean()
    sums = np.bincount(codes, outcome - mean)
    total = float(np.sum((outcome - mean) ** 2))
    used = n > 0
    left = outcome.size - int(np.count_nonzero(used))
    within = max(total - float(np.sum(sums[used] ** 2 / n[used])), 0.0)
    return 1 - within / total * (outcome.size - 1) / left if total > 0 and left > 0 else 0.0


def _same(codes: NDArray[np.intp], ranks: Array, other: NDArray[np.intp], order: Array) -> bool:
    if ranks.size and order.size:
        both = ~np.isnan(ranks) & ~np.isnan(order)
        if np.count_nonzero(np.isnan(ranks) != np.isnan(order)) > (1 - SAME) * ranks.size:
            return False  # who misses one of them is something else to say
        x, y = (ranks, order) if both.all() else (ranks[both], order[both])
        x, y = x - x.mean(), y - y.mean()
        size = float(np.sqrt((x @ x) * (y @ y)))
        return size > 0 and abs(float(x @ y)) / size >= SAME
    table = np.bincount(
        codes * (int(other.max()) + 1) + other, minlength=(int(codes.max()) + 1) * (int(other.max()) + 1)
    )
    crossed = table.reshape(int(codes.max()) + 1, -1)
    n = crossed.sum()
    tells = min(crossed.max(axis=1).sum(), crossed.max(axis=0).sum()) / n
    usual = max(crossed.sum(axis=0).max(), crossed.sum(axis=1).max()) / n  # most rows may have one value anyway
    return bool(tells >= SAME and tells - usual > 0.5 * (1 - usual))
