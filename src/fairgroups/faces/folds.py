"""Folds with the same share of every tone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError

__all__ = ["stratified_folds"]


def stratified_folds(values: NDArray[np.float64], n_folds: int, n_bins: int, seed: int) -> NDArray[np.int64]:
    """Deal people into folds so that each has the same share of every bin of a number.

    Bins are equally large; which of several people with the same value comes first is left to chance. No fold has more
    than one person more of a bin than another.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.faces.folds import stratified_folds
    >>> folds = stratified_folds(np.arange(100.0), 5, 10, seed=0)
    >>> np.bincount(folds[:10]).tolist()
    [2, 2, 2, 2, 2]
    """
    if values.size < n_folds * n_bins:
        raise InputError(
            f"{values.size} images are too few for {n_folds} folds of {n_bins} bins.", "use more images, or fewer bins."
        )
    rng = np.random.default_rng([seed, 1])
    order = np.lexsort([rng.random(values.size), values])
    folds = np.empty(values.size, dtype=np.int64)
    start = 0
    for members in np.array_split(order, n_bins):
        # Going on where the last bin stopped keeps the folds' sizes within one of each other.
        folds[rng.permutation(members)] = (start + np.arange(members.size)) % n_folds
        start += members.size
    return folds
