"""The best boxes of two and more attributes.

Notes
-----
What is exact over which family. On the cells of the grid the boxes are the best of all that successive cuts from side
to side can make. Every tiling of the plane by up to four rectangles is of that kind; with five, only the two pinwheels
are not, and they are tried as well: so up to five groups of two numeric attributes are the best of *all* tilings by
rectangles. Then every border moves over the data's own values, the layout kept. The result is never worse than the
greedy tree with free thresholds. Beyond the budget a beam search takes over; the best grouping of the cells into as
many groups of any shape bounds from above what it may have missed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from fairgroups import _kernels
from fairgroups.cells.grid import Points, SpaceGrid
from fairgroups.cells.space import ALL_SETS
from fairgroups.errors import InputError
from fairgroups.options import Missing
from fairgroups.partition.partition import Partition
from fairgroups.search.layout import Layout, from_grid, greedy, polish
from fairgroups.search.path import Limits

__all__ = ["BoxSearch", "beam_width", "best_boxes", "loss_bound", "seconds_needed"]

Array = NDArray[np.float64]
GRIDS = (100, 64, 48, 32, 24, 16, 12, 8)
MOST_BYTES = 1.6e9
MOST_BEAMS, FEWEST_BEAMS, BEAMS_OF_GROUPS = 200, 20, 4000
MOST_AXES = 8


@dataclass(frozen=True)
class BoxSearch:
    """What a search in several dimensions found.

    Attributes
    ----------
    layout : Layout
        The boxes.
    steps : tuple of Layout
        The boxes of the grid with 1, 2, … groups, before their borders were moved.
    variance : array
        The variance of Φ with 1, 2, … groups; the last is that of the layout, the others are of the grid.
    exact : bool
        Whether the boxes are proven best on the grid.
    gap : float
        How much larger, as a share, the variance on the grid could at most be; 0 when exact.
    n_cells : int or None
        Cells along each numeric axis; None where no grid was used.
    """

    points: Points
    layout: Layout
    steps: tuple[Layout, ...]
    variance: Array
    exact: bool
    gap: float
    n_cells: int | None

    def __len__(self) -> int:
        return len(self.layout.boxes)

    def partition(self, missing: Missing = "error") -> Partition:
        """Return the groups."""
        return self.layout.partition(self.points, missing)

    @property
    def partitions(self) -> list[Partition]:
        """Return the groups for each number of them."""
        return [layout.partition(self.points, "error") for layout in self.steps]


def best_boxes(
    points: Points,
    n_groups: int,
    limits: Limits,
    *,
    n_cells: int | None = None,
    budget: float = 10.0,
    progress: Callable[[float], object] | None = None,
) -> BoxSearch:
    """Find the boxes with the largest variance of Φ.

    Parameters
    ----------
    points : Points
        The rows.
    n_groups : int
        How many boxes; fewer if no more of the least allowed size exist.
    limits : Limits
        The least that a group must hold.
    n_cells : int, optional
        Cells along each numeric axis; by default the finest grid that the budget allows, at most 100.
    budget : float
        About how many seconds the exact search may take; beyond it, a beam search.
    progress : callable, optional
        Called with the share of the work done.

    Returns
    -------
    BoxSearch
    """
    distinct = [len(c.levels) if c.levels is not None else int(np.unique(c.values).size) for c in points.columns]
    categorical = [c.levels is not None for c in points.columns]
    chosen, exact = _choose_grid(distinct, categorical, n_groups, n_cells, budget)
    if chosen is None:
        return _greedy_alone(points, n_groups, limits)
    grid = SpaceGrid.of(points, chosen)
    axes = list(zip(grid.shape, categorical, strict=True))
    found = _kernels.best_boxes(
        grid.a,
        grid.b,
        grid.rows,
        axes,
        n_groups,
        limits.rows,
        limits.b,
        0 if exact else beam_width(n_groups),
        progress or _quiet,
    )
    feasible = [(total, boxes) for total, boxes in found if boxes]
    if not feasible:
        raise InputError(f"the rows do not make one group of at least {limits.said}.")
    on_grid = max(feasible, key=lambda f: (len(f[1]), f[0]))
    layouts = [from_grid(grid, on_grid[1], points), greedy(points, n_groups, limits)]
    most = max(len(layout.boxes) for layout in layouts)
    polished = [polish(points, layout, limits) for layout in layouts if len(layout.boxes) == most]
    best = max(polished, key=lambda layout: layout.total)
    weight = points.b.sum()
    variance = np.array([total for total, _ in feasible][:most], dtype=np.float64) / weight
    variance = np.append(np.maximum(variance[: most - 1], 0.0), best.total / weight)
    gap = 0.0 if exact else loss_bound(grid.a, grid.b, len(best.boxes), best.total)
    steps = tuple(from_grid(grid, boxes, points) for _, boxes in feasible[: most - 1])
    return BoxSearch(points, best, (*steps, best), variance, exact, gap, chosen)


def beam_width(n_groups: int) -> int:
    """Return how many tilings a search beyond the budget follows: fewer where each has many groups."""
    return max(FEWEST_BEAMS, min(MOST_BEAMS, BEAMS_OF_GROUPS // n_groups))


def _greedy_alone(points: Points, n_groups: int, limits: Limits) -> BoxSearch:
    """Serve where no grid is coarse enough: many attributes at once."""
    layouts = [greedy(points, k, limits) for k in range(1, n_groups + 1)]
    layouts = [layout for k, layout in enumerate(layouts, 1) if len(layout.boxes) == k]
    best = polish(points, layouts[-1], limits)
    variance = np.array([*(max(layout.total, 0.0) for layout in layouts[:-1]), best.total]) / points.b.sum()
    steps = (*layouts[:-1], best)
    return BoxSearch(
        points, best, steps, variance, False, loss_bound(points.a, points.b, len(best.boxes), best.total), None
    )


def seconds_needed(shape: list[int], categorical: list[bool], n_groups: int) -> float:
    """Estimate how long the exact search takes; infinite where it would not fit in memory."""
    if len(shape) == 2 and not any(categorical) and n_groups >= 5:
        boxes = prod(m * (m + 1) / 2 for m in shape)
        levels = n_groups - 3
        if boxes * 8 * levels > MOST_BYTES:
            return float("inf")
        return boxes * (sum(shape) / 3 * levels * (levels - 1) / 2 / 2e9 + 4e-8)
    # Boxes with at most f cut sides: per axis none, one, or both of its sides are cuts.
    counts = [1.0]
    for m, is_category in zip(shape, categorical, strict=True):
        sides = (
            [1.0, 2.0 ** min(m, ALL_SETS) + m * m * (m > ALL_SETS)]
            if is_category
            else [1.0, 2.0 * (m - 1), (m - 1) * (m - 2) / 2]
        )
        counts = list(np.convolve(counts, sides))
    cuts = sum(2 ** (m - 1) if c and m <= ALL_SETS else m for m, c in zip(shape, categorical, strict=True))
    steps = 0.0
    for k in range(2, n_groups):
        boxes = sum(counts[: n_groups - k + 1])
        if boxes * 120 > MOST_BYTES:
            return float("inf")
        steps += boxes * cuts * (k - 1)
    return steps * 2.0 ** len(shape) / 1e8


def _choose_grid(
    distinct: list[int], categorical: list[bool], n_groups: int, n_cells: int | None, budget: float
) -> tuple[int | None, bool]:
    """Take the finest grid that can be searched exactly within the budget, else one for the beam, else none."""
    if len(distinct) > MOST_AXES:
        return None, False
    for cells in GRIDS if n_cells is None else (n_cells,):
        shape = [m if c else min(m, cells) for m, c in zip(distinct, categorical, strict=True)]
        if prod(shape) <= 2_000_000 and seconds_needed(shape, categorical, n_groups) <= budget:
            return cells, True
    if n_cells is not None:
        return n_cells, False
    fits = (
        cells
        for cells in GRIDS
        if prod(m if c else min(m, cells) for m, c in zip(distinct, categorical, strict=True)) <= 500_000
    )
    return next(fits, None), False


def loss_bound(a: Array, b: Array, n_groups: int, total: float) -> float:
    """Bound the loss: no boxes beat the best groups of the cells of any shape, which sort by rate."""
    holds = b > 0
    rates, where = np.unique(a[holds] / b[holds], return_inverse=True)
    mass = np.bincount(where, b[holds]).astype(np.float64)
    cuts = _kernels.best_segments(rates * mass, mass, mass, min(n_groups, rates.size), 0.0, 0.0)[-1]
    starts = np.concatenate([[0], np.asarray(cuts, dtype=np.intp)])
    bound = np.sum(np.add.reduceat(rates * mass, starts) ** 2 / np.add.reduceat(mass, starts))
    return float(max(bound / total - 1, 0.0)) if total > 0 else float("inf")


def _quiet(_: float) -> None:
    return None
