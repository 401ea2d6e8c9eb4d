"""Whole-number keys for the cells of a number column, computed where the data lives: arithmetic only, no join.

A key is the number of an equal-width cell, on the values themselves, or on their logarithm where tails are heavy. Where
a first count shows that some cells hold too many people, the line is stretched there, piece by piece, and counted
again.
NumPy and any engine behind narwhals follow the same formula, so a value has the same key everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["HEAVY", "MOST_KEYS", "CellKeys"]

Array = NDArray[np.float64]
MOST_KEYS = 65_536
HEAVY = 1 / 8192  # the largest share of the people in a cell of several values
FAR = 64  # so many standard deviations from end to end call for logarithms
PIECES = 48


@dataclass(frozen=True)
class CellKeys:
    """A rising map from numbers to keys 0, 1, …, n_keys − 1.

    Attributes
    ----------
    low, high : float
        The range of the values.
    n_keys : int
        How many keys.
    unit : float or None
        With a number c: keys are of equal width in ± log(1 + |x|/c), else in x.
    pieces : tuple of (start, slope, first key)
        Where the line is stretched: from `start` on, on the scale of `unit`, so many keys per unit. Empty: one piece.
    """

    low: float
    high: float
    n_keys: int = MOST_KEYS
    unit: float | None = None
    pieces: tuple[tuple[float, float, int], ...] = ()

    def far(self, first: Array, last: Array, people: Array) -> bool:
        """Whether the values of these cells reach so far beyond most people that logarithms are called for."""
        middle = first / 2 + last / 2
        mean = float(np.average(middle, weights=people))
        spread = float(np.sqrt(np.average((middle - mean) ** 2, weights=people)))
        return self.high - self.low > FAR * spread > 0

    def scale(self, values: Array) -> Array:
        """Return values on the scale of the keys."""
        if self.unit is None:
            return values
        return np.sign(values) * np.log(np.abs(values) / self.unit + 1.0)

    def __call__(self, values: Array) -> NDArray[np.int64]:
        """Return each value's key."""
        u = self.scale(values)
        found = np.zeros(u.shape, dtype=np.int64)
        pieces = self._pieces()
        which = np.searchsorted([start for start, _, _ in pieces[1:]], u, side="right")
        for i, (start, slope, first) in enumerate(pieces):
            here = which == i
            top = pieces[i + 1][2] - 1 if i + 1 < len(pieces) else self.n_keys - 1
            found[here] = np.clip(np.floor((u[here] - start) * slope) + first, first, top).astype(np.int64)
        return found

    def expression(self, column: nw.Expr) -> nw.Expr:
        """Write the same for an engine."""
        import narwhals as nw

        u = column
        if self.unit is not None:
            size = (column.abs() / self.unit + 1.0).log()
            u = nw.when(column < 0).then(-size).otherwise(size)
        pieces = self._pieces()

        def between(first: int, last: int) -> nw.Expr:
            if first == last:
                start, slope, offset = pieces[first]
                top = pieces[first + 1][2] - 1 if first + 1 < len(pieces) else self.n_keys - 1
                key = ((u - start) * slope).floor()
                if self.unit is None and not self.pieces:  # u − low is never below 0; one comparison less in every row
                    return nw.when(key < top).then(key).otherwise(top)
                return (key + offset).clip(offset, top)
            middle = (first + last) // 2
            left, right = between(first, middle), between(middle + 1, last)
            return nw.when(u < pieces[middle + 1][0]).then(left).otherwise(right)

        return between(0, len(pieces) - 1).cast(nw.Int64)

    def refined(self, first: Array, last: Array, people: Array) -> CellKeys:
        """Stretch the line where cells of several values hold many people; `first` and `last` values of each cell."""
        u = self.scale(first)
        share = people / people.sum()
        starts = _starts(u, people)
        edges = np.append(u[starts], self.scale(last[-1:]))
        width = np.diff(edges)
        # As many keys as bring the fullest cell of a piece to half of what is heavy, were people spread evenly in it;
        # a single value that holds many is not known as such and must not take all keys.
        fullest = np.maximum.reduceat(np.where(last > first, share, 0.0), starts)
        needed = np.minimum(width * self._pieces()[0][1] * fullest / (HEAVY / 2), self.n_keys / 4)
        left = self.n_keys - 2 * starts.size
        if needed.sum() < left:
            needed += np.add.reduceat(share, starts) * (left - needed.sum())
        keys = np.maximum(np.floor(needed / needed.sum() * left), 2)
        firsts = np.concatenate([[0], np.cumsum(keys)[:-1]]).astype(int)
        slopes = keys / np.where(width > 0, width, 1.0)
        pieces = tuple((float(x), float(slope), int(k)) for x, slope, k in zip(edges[:-1], slopes, firsts, strict=True))
        return CellKeys(self.low, self.high, int(keys.sum()), self.unit, pieces)

    def _pieces(self) -> tuple[tuple[float, float, int], ...]:
        if self.pieces:
            return self.pieces
        low, high = (float(x) for x in self.scale(np.array([self.low, self.high])))
        return ((low, self.n_keys / (high - low) if high > low else 1.0, 0),)


def _starts(u: Array, people: Array) -> NDArray[np.intp]:
    """Choose the first cell of each piece: equal shares of the people, and ever smaller ones towards both ends."""
    below = (np.cumsum(people) - people) / people.sum()
    tails = 2.0 ** -np.arange(6, 22)
    marks = np.concatenate([np.arange(1, PIECES) / PIECES, tails, 1 - tails])
    starts = np.unique(np.concatenate([[0], np.searchsorted(below, np.sort(marks))]))
    starts = starts[starts < u.size]
    rising: NDArray[np.intp] = starts[np.concatenate([[True], np.diff(u[starts]) > 0])]
    return rising
