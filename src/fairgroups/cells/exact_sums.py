"""Sums that come out the same in whatever order, and in however many parts, numbers are added.

Numbers are cut into pieces of 26 bits each, on a scale that all share. Pieces are whole multiples of one unit, so that
a hundred million of them add without rounding. The sum is kept as two doubles, the nearest one and what it lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["PIECES", "add_pairs", "exact_sums", "pieces_of", "put_together"]

Array = NDArray[np.float64]
BITS = 26
PIECES = 3
SMALLEST = -996  # of exponents: the last unit must not vanish


def exact_sums(values: Array, add: Callable[[Array], Array]) -> tuple[Array, Array]:
    """Add up numbers; return the sums, rounded once, and what rounding took off them.

    Parameters
    ----------
    values : array
        Finite numbers.
    add : callable
        Adds up such an array by cell.

    Returns
    -------
    pair of arrays
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    most = largest * values.size
    if not np.isfinite(most) or (most < 2.0**53 and np.array_equal(values, np.rint(values))):
        whole = add(values)
        return whole, np.zeros_like(whole)
    sums, rest = [], values
    for unit in _units(largest):
        piece = np.floor(rest / unit)
        rest = rest - piece * unit
        sums.append(add(piece))
    return put_together(sums, largest)


def pieces_of(number: nw.Expr, largest: float) -> list[nw.Expr]:
    """Cut numbers in an engine into pieces: whole numbers, whose sums `put_together` takes."""
    pieces, rest = [], number
    for unit in _units(largest):
        pieces.append((rest / unit).floor())
        rest = rest - pieces[-1] * unit
    return pieces


def put_together(sums: Sequence[Array], largest: float) -> tuple[Array, Array]:
    """Return the sum of all pieces, rounded once, and what rounding took off."""
    first, second, third = (x * unit for x, unit in zip(sums, _units(largest), strict=True))
    return add_pairs((first, np.zeros_like(first)), _two_sum(second, third))


def add_pairs(one: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
    """Add sums that are kept as two doubles."""
    total, lost = _two_sum(one[0], other[0])
    return _two_sum(total, lost + (one[1] + other[1]))


def _units(largest: float) -> list[float]:
    """Return the units of the pieces of numbers up to this size: powers of two."""
    top = max(int(np.frexp(largest)[1]), SMALLEST)
    return [float(np.ldexp(1.0, top - BITS * (i + 1))) for i in range(PIECES)]


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Add two doubles and give what rounding took off."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)
