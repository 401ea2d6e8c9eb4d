"""How much rates and differences vary between whole clusters, in wide regions of the attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Contrasts"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
BLOCKS, BLOCKS_OF_TWO, MOST_PAIRS = 20, 5, 6
CLUSTERS = 40  # effective ones that a region must hold for their own scatter to be believed


@dataclass(frozen=True)
class _Added:
    """What clusters add to a variance, in multiples of that of independent rows.

    `seen` is what the clusters' own sums show, `expected` what follows from the correlation of their rows. `counted`
    and `most` are what b(b + κ(B − b)) gives when κ is that correlation, and when it is 1.
    """

    seen: float
    expected: float
    counted: float
    most: float


class Contrasts:
    """Regions of some width, and the sums of each cluster in them.

    Parameters
    ----------
    a, b : array
        What each row adds to A and B.
    columns : list of arrays
        The attributes.
    cluster : array of int
        Which cluster each row is of.
    alike : array
        For each row, the correlation of its cluster's rows.
    """

    def __init__(self, a: Array, b: Array, columns: list[Array], cluster: Codes, alike: Array) -> None:
        self.a, self.b, self.cluster, self.alike = a, b, cluster, alike
        self.columns = columns

    def of_differences(self) -> Array:
        """Return each row's κ, so that no difference of a wide region from the rest varies more than is counted."""
        return self._least([one for blocks in _blocks(self.columns) for one in self._added(*blocks)])

    def of_rates(self) -> Array:
        """Return each row's κ, so that everybody's rate does not."""
        everybody = np.zeros(self.a.size, dtype=np.intp)
        return self._least(list(self._added(everybody, 1, [np.zeros(1, dtype=np.intp)])))

    def _least(self, found: list[_Added]) -> Array:
        """Return the correlation of each row's cluster as far as it tells; more where it does not explain all."""
        scale = more = 0.0
        for one in found:
            target = max(one.seen, one.expected)
            if one.counted > 0:
                scale = max(scale, min(1.0, target / one.counted))
            if one.most > one.counted:
                more = max(more, min(1.0, (target - one.counted) / (one.most - one.counted)))
        scaled = scale * self.alike
        return scaled + more * (1 - scaled)

    def _added(self, codes: Codes, size: int, regions: list[Codes]) -> Iterator[_Added]:
        n = int(self.cluster.max()) + 1
        whole = np.bincount(self.cluster, self.b)[self.cluster]
        others = self.b * (whole - self.b)
        cell = self.cluster * size + codes
        of_a, of_b = (np.bincount(cell, x, n * size).reshape(n, size) for x in (self.a, self.b))
        alike = np.zeros(n)
        alike[self.cluster] = self.alike
        a, b = self.a, self.b
        columns = (a, b, b * b, a * b, a * a, others, self.alike * others, self.alike * b * b)
        by_block = np.stack([np.bincount(codes, x, size) for x in columns])
        for held in regions:
            out = np.setdiff1d(np.arange(size), held)
            sides = [(of_a[:, x].sum(axis=1), of_b[:, x].sum(axis=1), by_block[:, x].sum(axis=1)) for x in (held, out)]
            if (found := _of_region(sides if out.size else sides[:1], alike)) is not None:
                yield found


def _of_region(sides: list[tuple[Array, Array, Array]], alike: Array) -> _Added | None:
    """Return what clusters add to the variance of the rate of one side, or of the difference between two."""
    influence = loading = np.zeros(alike.size)
    squares = plain = most = counted = own = 0.0
    clusters = np.inf
    for sign, (of_a, of_b, (a, b, bb, ab, aa, others, alike_others, alike_bb)) in zip((1, -1), sides, strict=False):
        if not b > 0:
            return None
        rate = a / b
        clusters = min(clusters, b**2 / float(np.sum(of_b**2)))
        influence = influence + sign * (of_a - rate * of_b) / b
        loading = loading + sign * of_b / b
        squares += (aa - 2 * rate * ab + rate**2 * bb) / b**2
        plain, most = plain + bb / b**2, most + others / b**2
        counted, own = counted + alike_others / b**2, own + alike_bb / b**2
    if not (squares > 0 and most > 0):
        return None
    expected = (float(np.sum(alike * loading**2)) - own) / plain
    seen = 0.0
    if clusters >= CLUSTERS:
        seen = float(np.sum(influence**2)) / squares * clusters / (clusters - 1) - 1
    return _Added(seen, expected, counted / plain, most / plain)


def _blocks(columns: list[Array]) -> Iterator[tuple[Codes, int, list[Codes]]]:
    """Yield blocks of rows and the regions made of them: ranges of one attribute, boxes of any two."""
    if len(columns) == 1:
        codes, size = _parts(columns[0], BLOCKS)
        yield codes, size, [np.arange(i, j) for i in range(size) for j in range(i + 1, size + 1) if j - i < size]
        return
    coded = [_parts(column, BLOCKS_OF_TWO) for column in columns]
    for (first, n), (second, m) in list(combinations(coded, 2))[:MOST_PAIRS]:
        sides = [[np.arange(i, j) for i in range(k) for j in range(i + 1, k + 1)] for k in (n, m)]
        boxes = [np.ravel(x[:, None] * m + y) for x in sides[0] for y in sides[1]]
        yield first * m + second, n * m, [box for box in boxes if box.size < n * m]


def _parts(x: Array, parts: int) -> tuple[Codes, int]:
    """Return which of some equally large parts each value is in, and how many there are; missing ones are one more."""
    missing = np.isnan(x)
    known = np.sort(x[~missing])
    lower = np.unique(known[(np.arange(parts) * known.size) // parts]) if known.size else np.empty(0)
    codes = np.where(missing, lower.size, np.maximum(np.searchsorted(lower, x, side="right") - 1, 0))
    used, codes = np.unique(codes, return_inverse=True)
    return np.ravel(codes), int(used.size)
