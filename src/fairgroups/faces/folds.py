"""Folds with the same share of every tone; and with all photographs of a person in one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError

__all__ = ["folds_by_person", "stratified_folds"]


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


def folds_by_person(
    values: NDArray[np.float64], person: NDArray[Any], n_folds: int, n_bins: int, seed: int
) -> NDArray[np.int64]:
    """Deal persons, with all their photographs, into folds that have about the same share of every bin of a number.

    Parameters
    ----------
    values : array
        The number, such as L, of each photograph.
    person : array of str
        Who is in it; a photograph of nobody known is a person of its own.
    n_folds, n_bins, seed : int
        As for `stratified_folds`; bins are of persons, by their mean.

    Returns
    -------
    array of int

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups.faces.folds import folds_by_person
    >>> who = np.repeat(np.arange(60).astype(str), 3)
    >>> folds = folds_by_person(np.arange(180.0), who, 3, 2, seed=0)
    >>> len({(w, f) for w, f in zip(who, folds)}), np.bincount(folds).tolist()
    (60, [60, 60, 60])
    """
    alone = np.array([f"\0{i}" if not name else str(name) for i, name in enumerate(person.tolist())])
    _, who = np.unique(alone, return_inverse=True)
    size = np.bincount(np.ravel(who))
    if size.size < n_folds * n_bins:
        raise InputError(
            f"{size.size} persons are too few for {n_folds} folds of {n_bins} bins.",
            "use more persons, fewer bins, or deal photographs instead: by_person=False (--folds-by image).",
        )
    mean = np.bincount(who, values) / size
    rng = np.random.default_rng([seed, 1])
    order = np.lexsort([rng.random(size.size), mean])
    below = np.cumsum(size[order])
    bins = np.minimum((below - 1) * n_bins // below[-1], n_bins - 1)
    of_person = np.empty(size.size, dtype=np.int64)
    total = np.zeros(n_folds, dtype=np.int64)
    for k in range(n_bins):
        members = rng.permutation(order[bins == k])
        held = np.zeros(n_folds, dtype=np.int64)
        for one in members[np.argsort(-size[members], kind="stable")]:  # who has most photographs first
            fold = min(range(n_folds), key=lambda f: (held[f], total[f], f))
            of_person[one] = fold
            held[fold] += size[one]
            total[fold] += size[one]
    return of_person[np.ravel(who)]
