"""How far two partitions say the same about a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.partition.partition import Partition

__all__ = ["adjusted_rand_index", "rand_index"]

Array = NDArray[np.float64]


def rand_index(first: Any, second: Any, sensitive: Any = None, *, count: Any = None, weight: Any = None) -> float:
    """Return the share of pairs of people on which two partitions agree: together in both, or apart in both.

    Parameters
    ----------
    first, second : Partition or array-like
        Partitions, or each person's group.
    sensitive : array-like, frame or mapping, optional
        The sample on which partitions are compared; needed for partitions.
    count : array-like, optional
        How many people each row stands for; one each by default.
    weight : array-like, optional
        How much each row weighs: pairs count by the product of their weights. Only ratios matter.

    Returns
    -------
    float

    Examples
    --------
    >>> from fairgroups import Partition, rand_index
    >>> rand_index(Partition.from_edges([30]), Partition.from_edges([40]), [20, 35, 50, 60])
    0.5
    """
    pairs = _contingency(first, second, sensitive, count, weight)
    if pairs.every <= 0:
        return 1.0
    return float((pairs.every + 2 * pairs.both - pairs.first - pairs.second) / pairs.every)


def adjusted_rand_index(
    first: Any, second: Any, sensitive: Any = None, *, count: Any = None, weight: Any = None
) -> float:
    """Return the Rand index corrected for chance: 0 for unrelated partitions, 1 for equal ones.

    Takes the same arguments as `rand_index`.

    Examples
    --------
    >>> from fairgroups import Partition, adjusted_rand_index
    >>> adjusted_rand_index(Partition.from_edges([30]), Partition.from_edges([30]), [20, 35, 50, 60])
    1.0
    """
    pairs = _contingency(first, second, sensitive, count, weight)
    if pairs.every <= 0:
        return 1.0
    expected, most = pairs.first * pairs.second / pairs.every, (pairs.first + pairs.second) / 2
    return float((pairs.both - expected) / (most - expected)) if most > expected else 1.0


@dataclass(frozen=True)
class _Pairs:
    """Pairs of people, by weight: together in both, in the first, in the second, and all."""

    both: float
    first: float
    second: float
    every: float


def _contingency(first: Any, second: Any, sensitive: Any, count: Any, weight: Any) -> _Pairs:
    codes = []
    for groups in (first, second):
        if isinstance(groups, Partition):
            if sensitive is None:
                raise InputError("two partitions are compared on a sample.", "pass the sensitive values as well.")
            groups = groups.assign(sensitive)  # noqa: PLW2901
        codes.append(np.unique(np.asarray(groups), return_inverse=True)[1].ravel())
    a, b = codes
    people, mass = (np.ones(a.size) if x is None else np.asarray(x, dtype=np.float64) for x in (count, weight))
    if not a.size == b.size == people.size == mass.size:
        raise InputError(
            f"both groupings need one entry per row; got {a.size}, {b.size}, {people.size} counts, {mass.size} weights."
        )
    if np.any(people < 0) or np.any(mass < 0):
        raise InputError("counts and weights must not be negative.")
    if a.size == 0:
        raise InputError("there are no rows to compare on.")
    # Two people weigh the product of their weights, and nobody makes a pair with oneself.
    weighed, squares = people * mass, people * mass**2

    def pairs(codes: NDArray[np.intp]) -> float:
        return float(np.sum(np.bincount(codes, weighed) ** 2 - np.bincount(codes, squares)) / 2)

    return _Pairs(pairs(a * (int(b.max()) + 1) + b), pairs(a), pairs(b), pairs(np.zeros_like(a)))
