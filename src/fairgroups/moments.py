"""Moments: the sums of a measure by cell or group, from which every rate, interval and effective size follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from fairgroups.rows import Rows

__all__ = ["Moments", "dispersion_of", "products", "sum_by"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of one measure over the rows of each cell, weights included.

    `low` and `high` are the smallest and largest rate a/b of any one row: between 0 and 1 the measure is a rate in
    the strict sense. Where rows belong to clusters, a row's b is multiplied by its whole cluster's in `bb`, and so on:
    rows of one person count as repetitions. `dispersion` takes back what they are found not to repeat: 1 when they say
    the same, less when they differ.
    """

    b: Array
    a: Array
    bb: Array
    ab: Array
    aa: Array
    low: float
    high: float
    dispersion: float = 1.0

    def __add__(self, other: Moments) -> Moments:
        b, a, bb, ab, aa = (getattr(self, x) + getattr(other, x) for x in ("b", "a", "bb", "ab", "aa"))
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Moments(b, a, bb, ab, aa, low, high, max(self.dispersion, other.dispersion))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moments) and all(
            np.array_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]

    def group(self, codes: NDArray[np.intp], n_groups: int) -> Moments:
        """Add up cells that share a code; negative codes are left out."""
        kept = codes >= 0
        if not kept.all():
            return self.map(lambda x: sum_by(codes[kept], x[kept], n_groups))
        return self.map(lambda x: sum_by(codes, x, n_groups))

    def map(self, sums: Callable[[Array], Array]) -> Moments:
        """Apply a function to each array, once where several are the same (as without weights)."""
        done: dict[int, Array] = {}
        arrays = [getattr(self, x) for x in ("b", "a", "bb", "ab", "aa")]
        for array in arrays:
            if id(array) not in done:
                done[id(array)] = sums(array)
        b, a, bb, ab, aa = (done[id(array)] for array in arrays)
        return Moments(b, a, bb, ab, aa, self.low, self.high, self.dispersion)

    @property
    def bounded(self) -> bool:
        """Say whether every row's rate lies between 0 and 1."""
        return self.low >= 0 and self.high <= 1

    @property
    def effective_size(self) -> Array:
        """Count the rows that carry weight in B: (Σb)²/Σb², which is the number of rows when weights are equal."""
        return np.divide(self.b**2, self.noise, out=np.zeros_like(self.b), where=self.bb > 0)

    @property
    def noise(self) -> Array:
        """Give Σb², less what the rows of a cluster do not repeat: the effective size is (Σb)² over it."""
        return self.bb if self.dispersion == 1 else self.bb * self.dispersion

    @property
    def size(self) -> float:
        """Give the effective size of everybody."""
        return float(self.b.sum() ** 2 / self.noise.sum())


def products(a: Array, b: Array, cluster: NDArray[np.intp] | None) -> tuple[Array, Array, Array]:
    """Give b², ab and a² of each row; with clusters each row is multiplied by its whole cluster.

    Summed over whole clusters they are then squares and products of the clusters' sums, and over part of one no less
    than these: an effective size made of them is never too large.
    """
    if cluster is None:
        return b * b, a * b, a * a
    b_all, a_all = (np.bincount(cluster, x)[cluster] for x in (b, a))
    return b * b_all, (a * b_all + b * a_all) / 2, a * a_all


def dispersion_of(a: Array, b: Array, rows: Rows) -> float:
    """Estimate how much of a cluster's rows is repetition: 1 if all, down to the share that independent rows have.

    It is the variance of clusters' sums over that of yes/no sums that repeat fully: an upper bound, two standard
    errors up, and the largest over five parts of the attribute, for rows may resemble each other more in some places.
    """
    used = b > 0
    if rows.cluster is None or (a[used] < 0).any() or (a[used] > b[used]).any():
        return 1.0
    n = int(rows.cluster.max()) + 1
    b_sum, a_sum, rows_of = (np.bincount(rows.cluster, x, n) for x in (b, a, np.ones(rows.n)))
    place = np.bincount(rows.cluster, np.nan_to_num(rows.sensitive), n) / np.maximum(rows_of, 1)
    known = np.flatnonzero(b_sum > 0)
    worst = 0.0
    for part in np.array_split(known[np.argsort(place[known], kind="stable")], 5):
        if part.size < 30:
            return 1.0
        rate = a_sum[part].sum() / b_sum[part].sum()
        squares = (a_sum[part] - rate * b_sum[part]) ** 2
        full = np.sum(b_sum[part] ** 2) * rate * (1 - rate)
        if full <= 0 or squares.sum() <= 0:
            return 1.0
        margin = 2 * squares.std() / (squares.mean() * np.sqrt(part.size))
        worst = max(worst, float(squares.sum() / full * (1 + margin)))
    independent = float(np.sum(b * b) / np.sum(b_sum**2))
    return min(1.0, max(worst, independent))


def sum_by(codes: NDArray[np.intp], column: Array, n: int) -> Array:
    """Add up values that share a code."""
    return np.bincount(codes, column, n).astype(np.float64, copy=False)
