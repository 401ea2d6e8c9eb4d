"""The rate over the plane of two attributes: what maps draw, and what a reader may draw boxes on.

Nothing in it stands for fewer people than allowed: cells of few people are joined with their neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.moments import Moments
from fairgroups.cells.space import GridAxis, SpaceCells
from fairgroups.measures import Measure

__all__ = ["Plane", "PlaneCell", "rate_plane"]

Array = NDArray[np.float64]
Ends = list[tuple[float, float]] | list[tuple[str, str]]
ROOMY = 30  # people that a cell holds on average
MOST_CELLS, MOST_SLICES = 24, 3


@dataclass(frozen=True)
class PlaneCell:
    """A cell of the plane of two attributes, in one slice of a third: its ends, or its level, its people and rate."""

    rate: float
    n: int
    x_low: float | str
    x_high: float | str
    y_low: float | str = 0.0
    y_high: float | str = 1.0
    z_low: float | str | None = None
    z_high: float | str | None = None


@dataclass(frozen=True)
class Plane:
    """Cells of the plane, and of slices of a third attribute; none of few people.

    Attributes
    ----------
    ends : list
        For each attribute the first and last values of its cells, or its levels.
    places : array
        Of each cell that is drawn the place along each attribute, from the first up to, not including, the second.
    n : array
        Its people.
    sums : Moments
        Its sums.
    margins : list
        For each of the two attributes alone: place, people and rate of its cells.
    """

    ends: list[Ends]
    places: NDArray[np.intp]
    n: NDArray[np.int64]
    sums: Moments
    margins: list[list[tuple[int, int, float]]]

    @classmethod
    def of(cls, cells: SpaceCells, measure: Measure | str, min_cell: int) -> Plane:
        """Lay out the first two attributes, or three, and join cells of few people."""
        axes = cells.axes[:3]
        size, people = len(cells), cells.rows
        shape = cells.shape
        beyond = tuple(range(len(axes), len(shape)))
        slices = _slices(axes)
        everybody = int(people[:size].sum())
        most = int(np.clip(np.sqrt(everybody / slices / ROOMY), 4, MOST_CELLS))
        most = max(min(most, everybody // (2 * min_cell)), 1)
        counts = people[:size].reshape(shape).sum(axis=beyond)
        starts = [
            _stretches(
                axis, counts.sum(axis=tuple(i for i in range(len(axes)) if i != d)), most if d < 2 else MOST_SLICES
            )
            for d, axis in enumerate(axes)
        ]

        def joined(x: Array) -> Array:
            grid: Any = x[:size].reshape(shape).sum(axis=beyond)
            for d, first in enumerate(starts):
                grid = np.add.reduceat(grid, first, axis=d)
            out: Array = grid
            return out

        sums, n = cells[measure].map(joined), joined(people.astype(np.float64))
        margins = [_margin(sums, n, d, min_cell) for d in (0, 1)]
        if len(axes) == 2:
            sums, n = sums.map(lambda x: x[..., None]), n[..., None]
        along = next((d for d in (1, 0) if axes[d].levels is None), None)
        places = _runs(np.minimum(n, sums.effective_size), along, min_cell)
        held = [tuple(slice(int(i), int(j)) for i, j in place) for place in places]
        total = sums.map(lambda x: np.array([x[where].sum() for where in held]))
        drawn = np.array([n[where].sum() for where in held]).round().astype(np.int64)
        # Everybody less the cells would tell of a few who are left out.
        if 0 < everybody - int(drawn.sum()) < min_cell and drawn.size > 1:
            kept = np.arange(drawn.size) != int(np.argmin(drawn))
            places, drawn, total = places[kept], drawn[kept], total.map(lambda x: x[kept])
        margins = [_unrevealing(m, places[:, d], drawn, min_cell) for d, m in enumerate(margins)]
        return cls([_ends(a, first) for a, first in zip(axes, starts, strict=True)], places, drawn, total, margins)

    @property
    def cells(self) -> list[PlaneCell]:
        """The cells as charts draw them."""
        out = []
        for place, n, rate in zip(self.places, self.n, self.sums.rate, strict=True):
            corners = {}
            for key, ends, (i, j) in zip("xyz", self.ends, place, strict=False):
                corners[f"{key}_low"], corners[f"{key}_high"] = ends[i][0], ends[j - 1][1]
            out.append(PlaneCell(float(rate), int(n), **corners))
        return out


def rate_plane(cells: SpaceCells, measure: Measure | str, min_cell: int = 10) -> list[PlaneCell]:
    """Return the rate over the plane of the first two attributes, for charts.

    A third attribute makes one plane for each of its levels, or thirds. A category's cells carry its level's name.

    Parameters
    ----------
    cells : SpaceCells
        The people.
    measure : Measure or str
        Which rate.
    min_cell : int
        Cells of fewer people are joined with their neighbours; levels of fewer are left out.

    Returns
    -------
    list of PlaneCell
    """
    return Plane.of(cells, measure, min_cell).cells


def _margin(sums: Moments, n: Array, d: int, min_cell: int) -> list[tuple[int, int, float]]:
    others = tuple(i for i in range(n.ndim) if i != d)
    rate, people = sums.map(lambda x: x.sum(axis=others)).rate, n.sum(axis=others)
    counted = sums.map(lambda x: x.sum(axis=others)).effective_size
    kept = np.flatnonzero((np.minimum(people, counted) >= min_cell) & np.isfinite(rate))
    return [(int(i), round(float(people[i])), float(rate[i])) for i in kept]


def _unrevealing(
    margin: list[tuple[int, int, float]], places: NDArray[np.intp], n: NDArray[np.int64], min_cell: int
) -> list[tuple[int, int, float]]:
    """Return the margin, or nothing where some of it, less the cells that are drawn, would tell of a few people."""
    alone = places[:, 1] - places[:, 0] == 1
    drawn = np.bincount(places[alone, 0], n[alone], max((i for i, _, _ in margin), default=0) + 1)
    return [] if any(0 < people - drawn[i] < min_cell for i, people, _ in margin) else margin


def _slices(axes: Sequence[GridAxis]) -> int:
    return 1 if len(axes) < 3 else axes[2].size if axes[2].levels is not None else MOST_SLICES


def _stretches(axis: GridAxis, people: NDArray[np.int64], most: int) -> NDArray[np.intp]:
    """Return the first cell of each of at most `most` stretches of about equally many people."""
    if axis.levels is not None or axis.size <= most:
        return np.arange(axis.size, dtype=np.intp)
    below = np.cumsum(people) - people
    return np.unique(np.searchsorted(below, below[-1] * np.arange(most) / most, side="right") - 1).clip(0)


def _ends(axis: GridAxis, starts: NDArray[np.intp]) -> Ends:
    if axis.levels is not None:
        return [(level, level) for level in axis.levels]
    first = axis.first[starts]
    span = float(axis.last[-1] - axis.first[0])
    last = max(float(axis.last[-1]), float(first[-1]) + span / (2 * first.size))
    return list(zip(first.tolist(), [*first[1:].tolist(), last], strict=True))


def _runs(people: Array, along: int | None, min_cell: int) -> NDArray[np.intp]:
    """Join cells along one attribute until each holds enough people who count; what then still has few is left out."""
    found = []
    shape = people.shape
    across = [d for d in range(3) if d != along]
    for outer in np.ndindex(*(shape[d] for d in across)):
        place = [[0, 1]] * 3
        for d, i in zip(across, outer, strict=True):
            place[d] = [i, i + 1]
        if along is None:
            found += [place] if people[outer] >= min_cell else []
            continue
        line = tuple(slice(None) if d == along else place[d][0] for d in range(3))
        runs: list[list[int]] = []
        first, held = 0, 0.0
        for i, n in enumerate(people[line].tolist()):
            held += n
            if held >= min_cell:
                runs.append([first, i + 1])
                first, held = i + 1, 0.0
        if runs and first < shape[along]:
            runs[-1][1] = shape[along]  # the few that are left over join the last
        found += [[run if d == along else place[d] for d in range(3)] for run in runs]
    return np.array(found, dtype=np.intp).reshape(-1, 3, 2)
