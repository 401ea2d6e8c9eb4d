"""Every region of a grid at once: sums and quadratic forms over all ranges of one attribute, or all boxes of several.

Along a number a side is a range of cells; of a category a set of levels, or a single level where they are many.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.space import ALL_SETS
from fairgroups.evidence.regions import Region

__all__ = ["EveryRegion"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class EveryRegion:
    """The regions of a grid; each axis has a size, and may be a category."""

    axes: tuple[tuple[int, bool], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The cells along each axis."""
        return tuple(size for size, _ in self.axes)

    @property
    def n_cells(self) -> int:
        """Count the cells."""
        return math.prod(self.shape)

    @cached_property
    def sides(self) -> list[NDArray[np.int64]]:
        """The sides of each axis: first and last cell of a range, or the levels of a set as bits."""
        out = []
        for size, categorical in self.axes:
            if not categorical:
                low, high = np.triu_indices(size + 1, 1)
                out.append(np.stack([low, high], axis=1).astype(np.int64))
                continue
            every = range(1, 2**size) if size <= ALL_SETS else [*(1 << i for i in range(size)), (1 << size) - 1]
            bits = np.array([(held, 0) for held in every], dtype=np.uint64)
            out.append(bits.view(np.int64))  # the 64th level is the sign
        return out

    @property
    def n(self) -> int:
        """Count the regions."""
        return math.prod(len(side) for side in self.sides)

    def region(self, at: int) -> Region:
        """Return one region."""
        places = np.unravel_index(at, [len(side) for side in self.sides])
        return tuple((int(side[i][0]), int(side[i][1])) for side, i in zip(self.sides, places, strict=True))

    def open_side(self, people: Array, most: float) -> NDArray[np.bool_]:
        """Whether some side of each region holds more than such a share of the people, who are counted by cell."""
        grid, out = people.reshape(self.shape), np.zeros(1, dtype=bool)
        for d, axis in enumerate(self.axes):
            along = grid.sum(axis=tuple(i for i in range(grid.ndim) if i != d))
            wide = EveryRegion((axis,)).sums(along) > most * along.sum()
            out = (out[:, None] | wide[None, :]).ravel()
        return out

    def _held(self, axis: int) -> Array:
        size = self.axes[axis][0]
        return np.array([[int(held) >> i & 1 for i in range(size)] for held, _ in self.sides[axis]], dtype=np.float64)

    def sums(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return the sum over every region of arrays whose first axis runs over the cells."""
        rest = cells.shape[1:]
        grid = cells.reshape(1, *self.shape, *rest)
        for d, (_, categorical) in enumerate(self.axes):
            if categorical:
                held = self._held(d).astype(grid.dtype)
                done = np.stack([grid[:, row > 0].sum(axis=1) for row in held], axis=1)
            else:
                running = _running(grid)
                done = running[:, self.sides[d][:, 1]] - running[:, self.sides[d][:, 0]]
            grid = done.reshape(-1, *done.shape[2:])
        return grid.reshape(-1, *rest)

    def forms(self, matrix: Array) -> Array:
        """Return 1_G' M 1_G for every region G."""
        tensor = matrix.reshape(1, *self.shape, *self.shape)
        for d, (_, categorical) in enumerate(self.axes):
            left = len(self.axes) - d
            pair = np.moveaxis(tensor, 1 + left, 2)  # the two copies of the axis side by side
            if categorical:
                held = self._held(d)
                half = np.tensordot(pair, held, axes=([2], [1]))  # the set comes last
                half = np.moveaxis(half, -1, 2)
                done = np.einsum("sl,fls...->fs...", held, half)
            else:
                running = np.moveaxis(_running(np.moveaxis(_running(pair), 2, 1)), 1, 2)
                low, high = self.sides[d][:, 0], self.sides[d][:, 1]
                done = running[:, high, high] - running[:, low, high] - running[:, high, low] + running[:, low, low]
            tensor = done.reshape(-1, *done.shape[2:])
        found: Array = tensor.reshape(-1)
        return found


def _running(cells: NDArray[Any]) -> NDArray[Any]:
    """Return sums of the cells before each along the second axis, and of all: plane by plane, as memory lies."""
    out = np.zeros((cells.shape[0], cells.shape[1] + 1, *cells.shape[2:]), dtype=cells.dtype)
    for i in range(cells.shape[1]):
        np.add(out[:, i], cells[:, i], out=out[:, i + 1])
    return out
