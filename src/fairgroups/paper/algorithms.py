"""The paper's own algorithms, as it gives them: slow, on a grid, and what our search is held against."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

__all__ = ["counts_of_ranges", "exhaustive_search", "psi_of_ranges"]

Array = NDArray[np.float64]


def counts_of_ranges(by_bin: Array) -> Array:
    """Add up every range of bins from the range before it: the paper's Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.paper.algorithms import counts_of_ranges
    >>> counts_of_ranges(np.array([1.0, 2.0, 4.0])).tolist()
    [[1.0, 3.0, 7.0], [0.0, 2.0, 6.0], [0.0, 0.0, 4.0]]
    """
    m = len(by_bin)
    out = np.zeros((m, m))
    out[0, 0] = by_bin[0]
    for j in range(1, m):
        out[0, j] = out[0, j - 1] + by_bin[j]
    for i in range(1, m):
        for j in range(i, m):
            out[i, j] = out[i - 1, j] - by_bin[i - 1]
    return out


def psi_of_ranges(outcome: Array, sensitive: Array, grid: Array) -> tuple[Array, Array]:
    """Return Ψ of every range of a grid, and the share of people in it: the paper's Algorithm 2."""
    code = np.clip(np.searchsorted(grid, sensitive, side="right") - 1, 0, len(grid) - 2)
    people = counts_of_ranges(np.bincount(code, minlength=len(grid) - 1).astype(np.float64))
    positive = counts_of_ranges(np.bincount(code, outcome, minlength=len(grid) - 1).astype(np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        return positive / people - outcome.mean(), people / len(outcome)


def exhaustive_search(psi: Array, share: Array, n_groups: int) -> tuple[float, tuple[int, ...]]:
    """Try every partition of the grid: the largest variance, and where it cuts."""
    m = len(psi)
    best: float = -1.0
    best_cuts: tuple[int, ...] = ()
    for cuts in itertools.combinations(range(1, m), n_groups - 1):
        parts = list(itertools.pairwise((0, *cuts, m)))
        mean = sum(share[i, j - 1] * psi[i, j - 1] for i, j in parts)
        value = sum(share[i, j - 1] * (psi[i, j - 1] - mean) ** 2 for i, j in parts)
        if value > best:
            best, best_cuts = float(value), cuts
    return best, best_cuts
