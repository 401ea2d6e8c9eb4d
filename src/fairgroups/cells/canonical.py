"""An order of cells that does not depend on the order of attributes, the direction of numbers, or the names of levels.

Whatever is drawn for cells in this order is drawn alike for age and for the year of birth, for age × income and for
income × age, and whatever the levels of a category are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

__all__ = ["canonical_order"]

Array = NDArray[np.float64]
MOST_AXES = 5


def canonical_order(mass: Array, directed: Sequence[bool]) -> NDArray[np.intp]:
    """Return the cells of a grid, by number, in the order that is the same however its axes are turned.

    Parameters
    ----------
    mass : array
        What each cell weighs, an axis for each attribute.
    directed : sequence of bool
        Which axes have no direction: categories, whose levels are taken in the order of what they weigh.

    Returns
    -------
    array of int
        Of the turns that put the cells into another order, the one whose weights come first in the alphabet.
    """
    number = np.arange(mass.size).reshape(mass.shape)
    if mass.ndim > MOST_AXES:
        return number.ravel()
    share = np.round(mass / mass.sum(), 12)
    for d in (d for d in range(mass.ndim) if directed[d]):
        cells = np.sort(np.moveaxis(share, d, 0).reshape(mass.shape[d], -1), axis=1)
        by_weight = np.lexsort((*cells.T, np.round(cells.sum(axis=1), 10)))
        number, share = np.take(number, by_weight, axis=d), np.take(share, by_weight, axis=d)
    best: tuple[tuple[int, ...], list[float], NDArray[np.intp]] | None = None
    for order in permutations(range(mass.ndim)):
        for turned in product(*([False] if directed[d] else [False, True] for d in order)):
            at = tuple(slice(None, None, -1) if turn else slice(None) for turn in turned)
            cells = np.transpose(number, order)[at]
            here = (cells.shape, np.transpose(share, order)[at].ravel().tolist())
            if best is None or here < best[:2]:
                best = (*here, cells.ravel())
    assert best is not None
    return np.asarray(best[2])
