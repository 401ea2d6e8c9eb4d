"""Groups for measures that do not add up over groups: each group against the rest, and several rates at once.

Notes
-----
*Against the rest*: P(Y = 1 | k) − P(Y = 1 | not k) = Φ(k)/(1 − w_k). Its variance is Σf − (Σg)² with f and g sums over
groups, so the best groups are looked for among lists of candidates over Σg (see kernels/frontier.cpp). The result
comes with a certificate: no groups of these cells have a larger variance than (1 + gap) times the one found. While the
lists are short nothing is lost and the gap is 0.

*Several rates at once* (equalized odds): the variances add up, each with its own weights; exact on the cells.

On the line the cells are at most 200 (against the rest) or 512 (several rates) of equal weight, and every border is
then moved over all values; in several dimensions they are those of a grid, cut from side to side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups import _kernels
from fairgroups.cells.cells import Cells
from fairgroups.cells.grid import Points, SpaceGrid
from fairgroups.errors import InputError
from fairgroups.measures import Measure
from fairgroups.partition.partition import Partition
from fairgroups.rows.rows import Rows
from fairgroups.rows.weights import weighted_sums
from fairgroups.search.layout import from_grid
from fairgroups.search.path import GroupPath, Limits

__all__ = [
    "WIDTH_BOXES",
    "BoxFrontier",
    "best_frontier_boxes",
    "best_frontier_path",
    "cells_within_budget",
    "frontier_variance",
]

Array = NDArray[np.float64]
Progress = Callable[[float], object]
CELLS_AGAINST_REST = 200
CELLS_JOINT = 512
WIDTH = 2000  # candidates kept apart for each part of the attribute
WIDTH_BOXES = 500
BUDGET_BOXES = 5e7  # candidates looked at, about


def frontier_variance(a: Array, b: Array, *, against_rest: bool) -> float:
    """Return the variance of groups from their sums; `a` and `b` hold one row for each rate."""
    a, b = np.atleast_2d(a), np.atleast_2d(b)
    weight = b / b.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        phi = a / b - a.sum(axis=1, keepdims=True) / b.sum(axis=1, keepdims=True)
        if against_rest:
            phi = np.where(weight < 1, phi / (1 - weight), 0.0)
        phi = np.where(b > 0, phi, 0.0)
    mean = np.sum(weight * phi, axis=1, keepdims=True)
    return float(np.sum(weight * (phi - mean) ** 2))


def best_frontier_path(
    cells: Cells,
    measures: Sequence[Measure],
    n_groups: int,
    limits: Limits,
    *,
    against_rest: bool,
    progress: Progress | None = None,
) -> tuple[GroupPath, Array]:
    """Find groups of one attribute, for 1 up to `n_groups`, and say for each number how much may be missed."""
    n = len(cells)
    sums = np.stack([[cells[m].a[:n], cells[m].b[:n]] for m in measures])  # rate, A or B, cell
    rows = cells.rows[:n].astype(np.float64)
    most = CELLS_AGAINST_REST if against_rest else CELLS_JOINT
    starts = _joined(sums[:, 1], most)
    coarse, coarse_rows = np.add.reduceat(sums, starts, axis=2), np.add.reduceat(rows, starts)
    pairs = [(np.ascontiguousarray(a), np.ascontiguousarray(b)) for a, b in coarse]
    least = (limits.rows, limits.b)
    found = _kernels.best_frontiers(
        pairs,
        coarse_rows,
        [(starts.size, False)],
        min(n_groups, starts.size),
        *least,
        against_rest,
        WIDTH,
        progress or _quiet,
    )
    fine = _joined(sums[:, 1], n)
    running = np.concatenate([np.zeros((len(measures), 2, 1)), np.cumsum(sums, axis=2)], axis=2)
    rows_below = np.concatenate([[0.0], np.cumsum(rows)])
    borders, variance, gaps = [], [], []
    for on_cells, bound, boxes in found:
        if not boxes:
            break
        total = on_cells
        gaps.append(max(bound / total - 1, 0.0) if total > 0 else 0.0)
        cut = starts[sorted(box[0][0] for box in boxes)[1:]]
        if fine.size > starts.size:
            cut, total = _polish(cut, fine, running, rows_below, limits, against_rest=against_rest, total=total)
        borders.append(cut)
        variance.append(max(total, 0.0))
    name = "+".join(m.name for m in measures)
    exact = bool(fine.size == starts.size and max(gaps, default=0.0) < 1e-9)
    return GroupPath(cells, name, tuple(borders), np.array(variance), exact=exact), np.array(gaps)


def _joined(b: Array, n_units: int) -> NDArray[np.intp]:
    """Join cells until at most about `n_units` are left; those that count in no rate join on the left."""
    share = (b / b.sum(axis=1, keepdims=True)).mean(axis=0)
    first = np.flatnonzero(share > 0)
    if first.size == 0:
        raise InputError("no row with a known sensitive value counts in this measure: B is 0 everywhere.")
    if first.size > n_units:
        first = np.unique(np.searchsorted(np.cumsum(share), np.arange(n_units) / n_units, side="right"))
    first[0] = 0
    return first


def _polish(
    cut: NDArray[np.intp],
    fine: NDArray[np.intp],
    running: Array,
    rows_below: Array,
    limits: Limits,
    *,
    against_rest: bool,
    total: float,
) -> tuple[NDArray[np.intp], float]:
    """Move one border after the other over all cells until nothing improves."""
    ends = [0, *(int(x) for x in cut), running.shape[2] - 1]
    all_b = running[:, 1, -1]
    rate = running[:, 0, -1] / all_b

    def parts(sums: Array) -> tuple[Array, Array]:
        a, b = sums[:, 0] - rate[:, None] * sums[:, 1], sums[:, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = 1 - b / all_b[:, None] if against_rest else np.ones_like(b)
            f, g = a**2 / b / all_b[:, None] / rest**2, a / all_b[:, None] / rest
        return f.sum(axis=0), g.sum(axis=0) if against_rest else np.zeros(b.shape[1])

    for _ in range(20):
        before = total
        for i in range(1, len(ends) - 1):
            at = fine[(fine > ends[i - 1]) & (fine < ends[i + 1])]
            if at.size < 2:
                continue
            fixed = [(ends[k], ends[k + 1]) for k in range(len(ends) - 1) if k not in (i - 1, i)]
            others = np.stack([running[:, :, e] - running[:, :, s] for s, e in fixed], axis=2) if fixed else None
            f0, g0 = (np.zeros(1), np.zeros(1)) if others is None else parts(others)
            left, right = (
                running[:, :, at] - running[:, :, [ends[i - 1]]],
                running[:, :, [ends[i + 1]]] - running[:, :, at],
            )
            (f1, g1), (f2, g2) = parts(left), parts(right)
            value = f0.sum() + f1 + f2 - (g0.sum() + g1 + g2) ** 2
            rows_left, rows_right = rows_below[at] - rows_below[ends[i - 1]], rows_below[ends[i + 1]] - rows_below[at]
            ok = (np.minimum(rows_left, rows_right) >= limits.rows) & np.isfinite(value)
            ok &= np.minimum(left[:, 1].min(axis=0), right[:, 1].min(axis=0)) >= max(limits.b, 1e-300)
            best = int(np.argmax(np.where(ok, value, -np.inf)))
            if ok[best] and value[best] > total * (1 + 1e-12):
                ends[i], total = int(at[best]), float(value[best])
        if total <= before * (1 + 1e-12):
            break
    return np.array(ends[1:-1], dtype=np.intp), total


@dataclass(frozen=True)
class BoxFrontier:
    """Groups of several attributes for each number of groups, their variances, and what may be missed."""

    partitions: list[Partition]
    variance: Array
    gaps: Array


def best_frontier_boxes(
    rows: Rows,
    measures: Sequence[Measure],
    n_groups: int,
    limits: Limits,
    *,
    against_rest: bool,
    n_cells: int | None = None,
    progress: Progress | None = None,
) -> BoxFrontier:
    """Find boxes of several attributes, for 1 up to `n_groups`, on a grid and by successive cuts."""
    present = rows.take(np.flatnonzero(~rows.absent)) if rows.absent.any() else rows
    pairs = [(present.times(a), present.times(b)) for a, b in (weighted_sums(present, m) for m in measures)]
    people = present.people
    if any(b.sum() <= 0 for _, b in pairs):
        raise InputError("no row with known sensitive values counts in this measure: B is 0 everywhere.")
    numeric = sum(c.levels is None for c in present.columns)
    cells = n_cells or cells_within_budget(numeric, n_groups, against_rest=against_rest)
    grids = SpaceGrid.sums(present.columns, pairs, cells, people)
    axes = [(size, c.levels is not None) for size, c in zip(grids[0].shape, present.columns, strict=True)]
    found = _kernels.best_frontiers(
        [(grid.a, grid.b) for grid in grids],
        grids[0].rows,
        axes,
        min(n_groups, present.n),
        limits.rows,
        limits.b,
        against_rest,
        WIDTH_BOXES,
        progress or _quiet,
    )
    points = Points(present.columns, *pairs[0], people)
    reached = [(total, bound, from_grid(grids[0], boxes, points)) for total, bound, boxes in found if boxes]
    if not reached:
        raise InputError(f"the rows do not make one group of at least {limits.said}.")
    return BoxFrontier(
        [layout.partition(points, "error") for _, _, layout in reached],
        np.array([max(total, 0.0) for total, _, _ in reached]),
        np.array([max(bound / total - 1, 0.0) if total > 0 else 0.0 for total, bound, _ in reached]),
    )


def cells_within_budget(numeric: int, n_groups: int, *, against_rest: bool) -> int:
    """Choose the cells along each axis so that the work stays within the budget."""
    width = 50.0 if against_rest else 1.0
    for cells in (32, 24, 16, 12, 8, 6, 5):
        cuts = float(numeric * cells)
        if cuts ** max(n_groups - 1, 1) * (width if n_groups > 3 else 1.0) / 6 <= BUDGET_BOXES:
            return cells
    return 4


def _quiet(_: float) -> None:
    return None
