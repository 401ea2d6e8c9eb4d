"""Dealing rows into parts: for groups that are found on some people and judged on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.rows.rows import Rows

__all__ = ["deal_rows", "split_rows"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


def split_rows(rows: Rows, n_parts: int, seed: int, strata: Codes | None = None) -> list[tuple[Rows, Rows]]:
    """Deal people into parts at random, alike in their sensitive attributes; return each part with all the others.

    Parameters
    ----------
    rows, n_parts, seed, strata
        See `deal_rows`, which deals rows that stand for one person each. Those of rows that stand for several go the
        same ways.

    Returns
    -------
    list of pairs of Rows
    """
    if rows.count is not None and rows.lot is None:
        drawn = _draw(rows, n_parts, seed, strata)
        return [(_counted(rows, part), _counted(rows, rows.count - part)) for part in drawn]
    parts = deal_rows(rows, n_parts, seed, strata)
    every = np.arange(rows.size)
    return [
        (_alone(rows.take(part), k, n_parts), rows.take(np.setdiff1d(every, part, assume_unique=True)))
        for k, part in enumerate(parts)
    ]


def _alone(rows: Rows, part: int, n_parts: int) -> Rows:
    """Spread the lots of one part's people over all numbers again, so that they may be dealt once more."""
    return rows if rows.lot is None else replace(rows, lot=np.clip(rows.lot * n_parts - part, 0.0, 1.0))


def _counted(rows: Rows, count: Array) -> Rows:
    kept = np.flatnonzero(count > 0)
    return replace(rows, count=count).take(kept)


def deal_rows(rows: Rows, n_parts: int, seed: int, strata: Codes | None = None) -> list[NDArray[np.intp]]:
    """Deal rows into parts at random, alike in their sensitive attributes: small groups appear in each.

    People stand in order of their attributes and each run of `n_parts` is dealt out. Which of those with equal
    attributes stands where is drawn at random: by hypergeometric draws of how many of each kind, so that it is enough
    to know how many there are, and the draw is the same wherever they were counted. The outcome plays no other role:
    parts that were alike in it too would repeat each other's chance findings. Rows of one cluster stay together. Where
    people have lots, drawn from their id, these decide: a person is in the same part whatever the table.

    Parameters
    ----------
    rows : Rows
        At least `n_parts` rows, or clusters.
    n_parts, seed : int
        How many parts, and the seed.
    strata : array of int, optional
        Rows to be dealt separately, such as those that count in the measure and those that do not.

    Returns
    -------
    list of arrays of int
    """
    if rows.lot is not None:
        part_of = np.minimum(np.floor(rows.lot * n_parts), n_parts - 1)
        dealt_by_lot = [np.flatnonzero(part_of == part) for part in range(n_parts)]
        if not all(part.size for part in dealt_by_lot):
            raise InputError(f"the ids give no {n_parts} parts with people in each.", "leave the id out.")
        return dealt_by_lot
    people = rows.size if rows.cluster is None else np.unique(rows.cluster).size
    if people < n_parts:
        what = "rows" if rows.cluster is None else "clusters"
        raise InputError(
            f"{n_parts} parts need at least as many {what}; there are {people}.", "audit a table with more people."
        )
    labels = [x for x in (rows.outcome, rows.truth, rows.base) if x is not None]
    if rows.weight is None and rows.cluster is None and all(np.isin(x, (0.0, 1.0)).all() for x in labels):
        return [np.flatnonzero(part) for part in _draw(rows, n_parts, seed, strata)]
    return _deal_one_by_one(rows, n_parts, seed, strata)


def _deal_one_by_one(rows: Rows, n_parts: int, seed: int, strata: Codes | None) -> list[NDArray[np.intp]]:
    """Deal rows that all differ, in weights or numbers, or clusters."""
    rng = np.random.default_rng(seed)
    order = np.lexsort(_places(rows, n_parts, strata)[::-1])
    if rows.cluster is not None:
        order = order[np.sort(np.unique(rows.cluster[order], return_index=True)[1])]  # one row for each cluster
    dealt = rng.permuted(np.tile(np.arange(n_parts), (-(-order.size // n_parts), 1)), axis=1).ravel()[: order.size]
    if rows.cluster is not None:
        of_cluster = np.empty(int(rows.cluster.max()) + 1, dtype=np.intp)
        of_cluster[rows.cluster[order]] = dealt
        return [np.flatnonzero(of_cluster[rows.cluster] == part) for part in range(n_parts)]
    part_of = np.empty(rows.size, dtype=np.intp)
    part_of[order] = dealt
    return [np.flatnonzero(part_of == part) for part in range(n_parts)]


def _places(rows: Rows, n_parts: int, strata: Codes | None) -> list[Array]:
    """Return what people are put in order by: strata, coarse bins of all attributes but the last, then all of them."""
    count = np.ones(rows.size) if rows.count is None else rows.count
    n_bins = max(1, round((rows.n / (8 * n_parts)) ** (1 / len(rows.columns))))
    places = [np.zeros(rows.size) if strata is None else strata.astype(np.float64)]
    values = [np.nan_to_num(column.values, nan=np.inf) for column in rows.columns]
    for column, x in zip(rows.columns[:-1], values[:-1], strict=True):
        at, which = np.unique(x, return_inverse=True)
        people = np.bincount(which.ravel(), count, at.size)
        below = (np.cumsum(people) - people)[which.ravel()]
        places.append(x if column.levels is not None else np.floor(below * n_bins / rows.n))
    return [*places, values[-1], *values[:-1]]


def _draw(rows: Rows, n_parts: int, seed: int, strata: Codes | None) -> list[Array]:
    """Draw how many of the people that each row stands for go to each part."""
    rng = np.random.default_rng(seed)
    kinds = [rows.outcome, *(x for x in (rows.truth, rows.base, rows.weight) if x is not None)]
    places = _places(rows, n_parts, strata)
    order = np.lexsort([*kinds[::-1], *places[::-1]])
    count = np.ones(rows.size) if rows.count is None else rows.count
    new_cell = _changes(places, order)
    new_kind = new_cell | _changes(kinds, order)
    entry = np.cumsum(new_kind) - 1  # people of one kind in one cell
    people = np.bincount(entry, count[order]).round().astype(np.int64)
    cell = (np.cumsum(new_cell) - 1)[new_kind]
    starts = np.flatnonzero(new_cell[new_kind])
    kind = np.arange(cell.size) - starts[cell]
    pool = np.zeros((starts.size, int(kind.max()) + 1), dtype=np.int64)  # a row for each cell, a column for each kind
    pool[cell, kind] = people
    wanted = _shares(pool.sum(axis=1), n_parts, rng)
    left = count[order].round().astype(np.int64)
    out = []
    for part in range(n_parts):
        still, drawn = wanted[:, part], np.zeros_like(pool)
        for k in range(pool.shape[1]):
            good, bad = pool[:, k], pool[:, k + 1 :].sum(axis=1)
            drawn[:, k] = rng.hypergeometric(good, bad, np.minimum(still, good + bad))
            still = still - drawn[:, k]
        pool = pool - drawn
        taken = _first(left, entry, drawn[cell, kind])
        left = left - taken
        mine = np.zeros(order.size)
        mine[order] = taken
        out.append(mine)
    return out


def _changes(columns: Sequence[Array], order: NDArray[np.intp]) -> NDArray[np.bool_]:
    new = np.zeros(order.size, dtype=bool)
    new[0] = True
    for x in columns:
        new[1:] |= np.diff(np.nan_to_num(x[order], posinf=np.finfo(float).max)) != 0
    return new


def _shares(people: NDArray[np.int64], n_parts: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return how many people of each cell go to each part: all stand in a row, each run of `n_parts` is dealt out."""
    ends = np.cumsum(people)
    whole = ends // n_parts  # runs that are over where the cell ends
    cut = np.unique(whole)  # runs in which a cell ends: only of these it matters who stands where
    dealt = rng.permuted(np.tile(np.arange(n_parts), (cut.size, 1)), axis=1)[np.searchsorted(cut, whole)]
    upto = whole[:, None] + np.zeros((1, n_parts), dtype=np.int64)
    for slot in range(n_parts - 1):
        here = np.flatnonzero(ends % n_parts > slot)
        upto[here, dealt[here, slot]] += 1
    shares: NDArray[np.int64] = np.diff(upto, axis=0, prepend=0)
    return shares


def _first(left: NDArray[np.int64], entry: NDArray[np.intp], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Take the wanted number of people of each entry from its rows, the first of them first."""
    before = np.cumsum(left) - left
    before = before - before[np.searchsorted(entry, entry)]
    taken: NDArray[np.int64] = np.clip(wanted[entry] - before, 0, left)
    return taken
