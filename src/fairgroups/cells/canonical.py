"""An order of cells that does not depend on the order of attributes nor on the direction of numbers.

Whatever is drawn for cells in this order is drawn alike for age and for the year of birth, for age × income and for
income × age.
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
        Which axes have one direction only: categories.

    Returns
    -------
    array of int
        Of the turns that put the cells into another order, the one whose weights come first in the alphabet.
    """
    number = np.arange(mass.size).reshape(mass.shape)
    if mass.ndim > MOST_AXES:
        return number.ravel()
    share = np.round(mass / mass.sum(), 12)
    best: tuple[tuple[int, ...], list[float], NDArray[np.intp]] | None = None
    for order in permutations(range(mass.ndim)):
        for turned in product(*([False] if directed[d] else [False, True] for d in order)):
            at = tuple(slice(None, None, -1) if turn else slice(None) for turn in turned)
            cells = np.transpose(number, order)[at]
            here = (cells.shape, share.ravel()[cells.ravel()].tolist())
            if best is None or here < best[:2]:
                best = (*here, cells.ravel())
    assert best is not None
    return np.asarray(best[2])
