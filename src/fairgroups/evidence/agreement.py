"""How far two partitions say the same about a sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.partition.partition import Partition

__all__ = ["adjusted_rand_index", "rand_index"]

Array = NDArray[np.float64]


def rand_index(first: Any, second: Any, sensitive: Any = None, *, weight: Any = None) -> float:
    """Give the share of pairs of people on which two partitions agree: together in both, or apart in both.

    Parameters
    ----------
    first, second : Partition or array-like
        Partitions, or each person's group.
    sensitive : array-like, optional
        The sample on which partitions are compared; needed for partitions.
    weight : array-like, optional
        How many people each row stands for.

    Examples
    --------
    >>> from fairgroups import Partition, rand_index
    >>> rand_index(Partition.from_edges([30]), Partition.from_edges([40]), [20, 35, 50, 60])
    0.5
    """
    table, total = _contingency(first, second, sensitive, weight)
    same, rows, columns, pairs = _pairs(table, total)
    return float((pairs + 2 * same - rows - columns) / pairs) if pairs > 0 else 1.0


def adjusted_rand_index(first: Any, second: Any, sensitive: Any = None, *, weight: Any = None) -> float:
    """Give the Rand index corrected for chance: 0 for unrelated partitions, 1 for equal ones.

    Takes the same arguments as `rand_index`.

    Examples
    --------
    >>> from fairgroups import Partition, adjusted_rand_index
    >>> adjusted_rand_index(Partition.from_edges([30]), Partition.from_edges([30]), [20, 35, 50, 60])
    1.0
    """
    table, total = _contingency(first, second, sensitive, weight)
    same, rows, columns, pairs = _pairs(table, total)
    if pairs <= 0:
        return 1.0
    expected, most = rows * columns / pairs, (rows + columns) / 2
    return float((same - expected) / (most - expected)) if most > expected else 1.0


def _contingency(first: Any, second: Any, sensitive: Any, weight: Any) -> tuple[Array, float]:
    codes = []
    for groups in (first, second):
        if isinstance(groups, Partition):
            if sensitive is None:
                raise InputError("two partitions are compared on a sample.", "pass the sensitive values as well.")
            groups = groups.assign(sensitive)  # noqa: PLW2901
        codes.append(np.unique(np.asarray(groups), return_inverse=True)[1].ravel())
    a, b = codes
    w = np.ones(a.size) if weight is None else np.asarray(weight, dtype=np.float64)
    if not a.size == b.size == w.size:
        raise InputError(f"both groupings need one entry per row; got {a.size}, {b.size} and {w.size} weights.")
    if np.any((w > 0) & (w < 1)) or np.any(w < 0):
        raise InputError("weights say how many people a row stands for: 0, or at least 1.", "do not normalise them.")
    if a.size == 0:
        raise InputError("there are no rows to compare on.")
    flat = np.bincount(a * (int(b.max()) + 1) + b, w, (int(a.max()) + 1) * (int(b.max()) + 1))
    return flat.astype(np.float64).reshape(int(a.max()) + 1, -1), float(w.sum())


def _pairs(table: Array, total: float) -> tuple[float, float, float, float]:
    def choose(x: Array) -> float:
        return float(np.sum(x * (x - 1)) / 2)

    return choose(table), choose(table.sum(1)), choose(table.sum(0)), total * (total - 1) / 2
