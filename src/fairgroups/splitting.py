"""Dealing rows into parts: for groups that are found on some people and judged on others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.rows import Rows

__all__ = ["deal_rows", "split_rows"]

Array = NDArray[np.float64]


def split_rows(rows: Rows, n_parts: int, seed: int, strata: NDArray[np.intp] | None = None) -> list[tuple[Rows, Rows]]:
    """Deal people into parts at random, alike in their sensitive attributes; give each part with all the others.

    Parameters
    ----------
    rows, n_parts, seed, strata
        See `deal_rows`, which deals rows that stand for one person each. Rows that stand for several are thinned.
    """
    if rows.count is not None:
        return [
            (_counted(rows, part), _counted(rows, rows.count - part)) for part in _thin(rows, rows.count, n_parts, seed)
        ]
    parts = deal_rows(rows, n_parts, seed, strata)
    every = np.arange(rows.size)
    return [(rows.take(part), rows.take(np.setdiff1d(every, part, assume_unique=True))) for part in parts]


def _counted(rows: Rows, count: Array) -> Rows:
    kept = np.flatnonzero(count > 0)
    return replace(rows, count=count).take(kept)


def _thin(rows: Rows, count: Array, n_parts: int, seed: int) -> list[Array]:
    """Deal counted people: those of one cell evenly, which of them by hypergeometric draws, in the order of the cells.

    The draw sees how many people there are of each kind, so it is the same wherever they were counted.
    """
    rng = np.random.default_rng(seed)
    kinds = [rows.outcome, *(x for x in (rows.truth, rows.base, rows.weight) if x is not None)]
    places = [np.nan_to_num(c.values, nan=np.inf) for c in rows.columns]
    order = np.lexsort([*kinds[::-1], *places[::-1]])
    new = np.zeros(order.size, dtype=bool)
    new[0] = True
    for x in places:
        new[1:] |= np.diff(x[order]) != 0
    starts = np.flatnonzero(new)
    sizes = np.diff(starts, append=order.size)
    pool = np.zeros((starts.size, int(sizes.max())), dtype=np.int64)  # a row for each cell, a column for each kind
    cell = np.repeat(np.arange(starts.size), sizes)
    kind = np.arange(order.size) - starts[cell]
    pool[cell, kind] = count[order].round().astype(np.int64)
    total = pool.sum(axis=1)
    before = np.cumsum(total) - total + int(rng.integers(n_parts))
    out = []
    for part in range(n_parts):
        # people stand in a row, cell after cell, and each n-th goes to the part: as many of a cell as fall on it
        wanted = (before + total - part - 1) // n_parts - (before - part - 1) // n_parts
        drawn = np.zeros_like(pool)
        for k in range(pool.shape[1]):
            good, bad = pool[:, k], pool[:, k + 1 :].sum(axis=1)
            drawn[:, k] = rng.hypergeometric(good, bad, np.minimum(wanted, good + bad))
            wanted = wanted - drawn[:, k]
        pool = pool - drawn
        mine = np.zeros(order.size)
        mine[order] = drawn[cell, kind]
        out.append(mine)
    return out


def deal_rows(rows: Rows, n_parts: int, seed: int, strata: NDArray[np.intp] | None = None) -> list[NDArray[np.intp]]:
    """Deal rows into parts at random, alike in their sensitive attributes: small groups appear in each.

    Rows are put in order of their attributes and each run of `n_parts` is dealt out. The outcome plays no role: parts
    that were alike in it too would repeat each other's chance findings. Rows of one cluster stay together. Where people
    have lots, drawn from their id, these decide: a person is in the same part whatever the table.

    Parameters
    ----------
    rows : Rows
        At least `n_parts` rows, or clusters.
    n_parts, seed : int
        How many parts, and the seed.
    strata : array of int, optional
        Rows to be dealt separately, such as those that count in the measure and those that do not.
    """
    if rows.lot is not None:
        part_of = np.minimum(np.floor(rows.lot * n_parts), n_parts - 1)
        dealt_by_lot = [np.flatnonzero(part_of == part) for part in range(n_parts)]
        if not all(part.size for part in dealt_by_lot):
            raise InputError(f"the ids give no {n_parts} parts with people in each.", "leave the id out.")
        return dealt_by_lot
    keys = [np.zeros(rows.size) if strata is None else strata.astype(np.float64)]
    n_bins = max(1, round((rows.n / (8 * n_parts)) ** (1 / len(rows.columns))))
    for column in rows.columns:
        values = np.nan_to_num(column.values, nan=np.inf)
        last = column is rows.columns[-1]
        ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
        keys.append(values if last or column.levels is not None else np.floor(ranks * n_bins / rows.n))
    order = np.lexsort(keys[::-1])
    if rows.cluster is not None:
        order = order[np.sort(np.unique(rows.cluster[order], return_index=True)[1])]  # one row for each cluster
    if order.size < n_parts:
        what = "rows" if rows.cluster is None else "clusters"
        raise InputError(
            f"{n_parts} parts need at least as many {what}; there are {order.size}.", "audit a table with more people."
        )
    rng = np.random.default_rng(seed)
    dealt = rng.permuted(np.tile(np.arange(n_parts), (-(-order.size // n_parts), 1)), axis=1).ravel()[: order.size]
    if rows.cluster is not None:
        of_cluster = np.empty(int(rows.cluster.max()) + 1, dtype=np.intp)
        of_cluster[rows.cluster[order]] = dealt
        return [np.flatnonzero(of_cluster[rows.cluster] == part) for part in range(n_parts)]
    part_of = np.empty(rows.n, dtype=np.intp)
    part_of[order] = dealt
    return [np.flatnonzero(part_of == part) for part in range(n_parts)]
