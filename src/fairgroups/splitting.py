"""Dealing rows into parts: for groups that are found on some people and judged on others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.rows import Rows

__all__ = ["split_rows"]


def split_rows(rows: Rows, n_parts: int, seed: int, strata: NDArray[np.intp] | None = None) -> list[NDArray[np.intp]]:
    """Deal rows into parts at random, alike in their sensitive attributes: small groups appear in each.

    Rows are put in order of their attributes and each run of `n_parts` is dealt out. The outcome plays no role: parts
    that were alike in it too would repeat each other's chance findings. Rows of one cluster stay together.

    Parameters
    ----------
    rows : Rows
        At least `n_parts` rows, or clusters.
    n_parts, seed : int
        How many parts, and the seed.
    strata : array of int, optional
        Rows to be dealt separately, such as those that count in the measure and those that do not.
    """
    keys = [np.zeros(rows.n) if strata is None else strata.astype(np.float64)]
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
