"""Layouts: boxes over the points themselves, whose borders may lie at any value of the data.

`greedy` grows boxes by the best next cut; `polish` moves each border, with the layout kept, until nothing improves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.grid import Points, SpaceGrid
from fairgroups.options import Missing
from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Interval, Levels, Side
from fairgroups.search.path import Limits

__all__ = ["Layout", "from_grid", "greedy", "polish"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Range = tuple[float, float]  # values from the first up to, not including, the second
Codes = frozenset[int]  # levels of a category
Box = tuple[Range | Codes, ...]


@dataclass(frozen=True)
class Layout:
    """Boxes that tile the space, and the sum of A²/B over them."""

    boxes: tuple[Box, ...]
    total: float

    def partition(self, points: Points, missing: Missing) -> Partition:
        """Return the layout as the value that everything else passes on, groups ordered by their lower corners."""

        def side(d: int, part: Range | Codes) -> Side:
            levels = points.columns[d].levels
            if isinstance(part, frozenset):
                assert levels is not None
                return Levels(tuple(levels[i] for i in sorted(part)))
            return Interval(part[0], part[1])

        groups = [tuple(side(d, part) for d, part in enumerate(box)) for box in self.boxes]

        def corner(box: Sequence[Side]) -> list[tuple[float, tuple[str, ...]]]:
            return [(0.0, s.names) if isinstance(s, Levels) else (s.low, ()) for s in box]

        return Partition.from_boxes([c.name for c in points.columns], sorted(groups, key=corner), missing=missing)


def from_grid(grid: SpaceGrid, found: Sequence[Sequence[tuple[int, int]]], points: Points) -> Layout:
    """Turn boxes of cells into boxes of values."""

    def side(d: int, low: int, high: int) -> Range | Codes:
        edges = grid.edges[d]
        if edges is None:
            return frozenset(i for i in range(grid.shape[d]) if low >> i & 1)
        return (-math.inf if low == 0 else float(edges[low]), math.inf if high == edges.size else float(edges[high]))

    boxes = tuple(tuple(side(d, *ends) for d, ends in enumerate(box)) for box in found)
    return Layout(boxes, _total(points, boxes))


def _inside(part: Range | Codes, values: Array) -> Mask:
    if isinstance(part, frozenset):
        return np.isin(values, [float(i) for i in part])
    inside: Mask = np.ones(values.shape, dtype=bool)
    if part[0] > -math.inf:
        inside &= values >= part[0]
    if part[1] < math.inf:
        inside &= values < part[1]
    return inside


def _member(points: Points, box: Box, *, but: int = -1) -> Mask:
    """Return which points lie in a box, one axis left aside if asked."""
    inside: Mask = np.ones(points.n, dtype=bool)
    for d, part in enumerate(box):
        if d != but:
            inside &= _inside(part, points.columns[d].values)
    return inside


def _gain(a: Array, b: Array) -> Array:
    return np.divide(a * a, b, out=np.full_like(a, -np.inf), where=b > 0)


def _total(points: Points, boxes: Sequence[Box]) -> float:
    members = [_member(points, box) for box in boxes]
    a, b = np.array([points.a[m].sum() for m in members]), np.array([points.b[m].sum() for m in members])
    return float(_gain(a, b).sum())


def greedy(points: Points, n_groups: int, limits: Limits) -> Layout:
    """Grow boxes by the cut that gains most, one after the other, thresholds at any value."""
    whole: Box = tuple(
        frozenset(range(len(c.levels))) if c.levels is not None else (-math.inf, math.inf) for c in points.columns
    )
    orders = [np.argsort(c.values, kind="stable") for c in points.columns]
    boxes: list[Box] = [whole]
    cuts = {whole: _best_cut(points, whole, limits, orders)}
    while len(boxes) < n_groups:
        box = max(boxes, key=lambda x: cuts[x][0])
        gain, left, right = cuts[box]
        if gain == -math.inf or left is None or right is None:
            break
        at = boxes.index(box)
        boxes[at : at + 1] = [left, right]
        for part in (left, right):
            cuts[part] = _best_cut(points, part, limits, orders)
    return Layout(tuple(boxes), _total(points, boxes))


def _best_cut(
    points: Points, box: Box, limits: Limits, orders: list[NDArray[np.intp]]
) -> tuple[float, Box | None, Box | None]:
    inside = _member(points, box)
    best: tuple[float, Box | None, Box | None] = (-math.inf, None, None)
    all_a, all_b, all_n = points.a[inside].sum(), points.b[inside].sum(), float(points.people[inside].sum())
    for d, part in enumerate(box):
        order = orders[d][inside[orders[d]]]
        values = points.columns[d].values[order]
        if isinstance(part, frozenset):  # in order of rate, which is best for one cut
            codes = values.astype(np.intp)
            size = max(part) + 1
            a_by, b_by = np.bincount(codes, points.a[order], size), np.bincount(codes, points.b[order], size)
            levels = sorted(part, key=lambda i: a_by[i] / b_by[i] if b_by[i] > 0 else 0.0)
            rank = np.empty(size, dtype=np.intp)
            rank[levels] = np.arange(len(levels))
            again = np.argsort(rank[codes], kind="stable")
            order, values = order[again], rank[codes][again].astype(np.float64)
        if values.size < 2:
            continue
        a, b = np.cumsum(points.a[order])[:-1], np.cumsum(points.b[order])[:-1]
        n = np.cumsum(points.people[order])[:-1]
        ok = (values[1:] > values[:-1]) & (np.minimum(n, all_n - n) >= limits.rows)
        ok &= np.minimum(b, all_b - b) >= max(limits.b, 1e-12 * all_b)
        if not ok.any():
            continue
        gain = np.where(ok, _gain(a, b) + _gain(all_a - a, all_b - b), -np.inf)
        at = int(np.argmax(gain))
        more = float(gain[at] - all_a**2 / all_b)
        if more > best[0]:
            if isinstance(part, frozenset):
                first = frozenset(levels[: int(values[at]) + 1])
                halves: tuple[Range | Codes, Range | Codes] = (first, part - first)
            else:
                border = float(values[at + 1])
                halves = ((part[0], border), (border, part[1]))
            left, right = ((*box[:d], half, *box[d + 1 :]) for half in halves)
            best = (more, left, right)
    return best


def polish(points: Points, layout: Layout, limits: Limits, *, rounds: int = 20) -> Layout:
    """Move every border over the values of the data, the layout kept, until nothing improves."""
    orders = [np.argsort(c.values, kind="stable") for c in points.columns]
    for _ in range(rounds):
        before = layout.total
        for axis, value in sorted({(d, x) for box in layout.boxes for d, x in _borders(box)}):
            for left, right in _walls(layout.boxes, axis, value):
                layout = _move(points, layout, axis, left, right, limits, orders[axis])
        if layout.total <= before * (1 + 1e-12):
            break
    return replace(layout, total=_total(points, layout.boxes))


def _borders(box: Box) -> list[tuple[int, float]]:
    return [(d, part[0]) for d, part in enumerate(box) if not isinstance(part, frozenset) and part[0] > -math.inf]


def _walls(boxes: Sequence[Box], axis: int, value: float) -> list[tuple[list[int], list[int]]]:
    """Return the walls at a border: boxes that end there and boxes that begin there, as far as they touch."""
    left = [i for i, box in enumerate(boxes) if not isinstance(box[axis], frozenset) and box[axis][1] == value]  # type: ignore[index]
    right = [i for i, box in enumerate(boxes) if not isinstance(box[axis], frozenset) and box[axis][0] == value]  # type: ignore[index]
    walls: list[tuple[set[int], set[int]]] = []
    for i in left:
        touched = {j for j in right if _touch(boxes[i], boxes[j], axis)}
        joined = [w for w in walls if w[1] & touched]
        walls = [w for w in walls if not w[1] & touched]
        walls.append(({i}.union(*(w[0] for w in joined)), touched.union(*(w[1] for w in joined))))
    return [(sorted(a), sorted(b)) for a, b in walls]


def _touch(one: Box, two: Box, axis: int) -> bool:
    for d, (p, q) in enumerate(zip(one, two, strict=True)):
        if d == axis:
            continue
        if isinstance(p, frozenset) or isinstance(q, frozenset):
            if not (p & q):  # type: ignore[operator]
                return False
        elif max(p[0], q[0]) >= min(p[1], q[1]):
            return False
    return True


def _move(
    points: Points,
    layout: Layout,
    axis: int,
    left: list[int],
    right: list[int],
    limits: Limits,
    order: NDArray[np.intp],
) -> Layout:
    """Put one wall where the total is largest."""
    boxes = layout.boxes
    low = max(boxes[i][axis][0] for i in left)  # type: ignore[index]
    high = min(boxes[j][axis][1] for j in right)  # type: ignore[index]
    x = points.columns[axis].values
    side = np.full((2, points.n), -1, dtype=np.intp)
    for row, members in enumerate((left, right)):
        for i in members:
            side[row, _member(points, boxes[i], but=axis)] = i
    strip = (side[0] >= 0) & (side[1] >= 0) & _inside((low, high), x)
    rows = order[strip[order]]
    if rows.size < 2:
        return layout
    values, a, b = x[rows], points.a[rows], points.b[rows]
    total = np.zeros(rows.size)
    ok = np.concatenate([[values[0] > low], values[1:] > values[:-1]])
    for row, members in enumerate((left, right)):
        for i in members:
            mine = side[row, rows] == i
            outside = _member(points, boxes[i]) & ~strip
            # Sums with the first m points of the strip on the left; m = 0, 1, …
            sums = []
            for column, whole in ((a, points.a), (b, points.b), (points.people[rows], points.people)):
                base = float(whole[outside].sum())
                moved = np.concatenate([[0.0], np.cumsum(np.where(mine, column, 0.0))])
                sums.append(base + (moved[:-1] if row == 0 else moved[-1] - moved[:-1]))
            total += _gain(sums[0], np.where(sums[1] > 1e-12 * points.b.sum(), sums[1], 0.0))
            ok &= (sums[2] >= limits.rows) & (sums[1] >= limits.b)
    if not ok.any():
        return layout
    best = int(np.argmax(np.where(ok, total, -np.inf)))
    now = int(np.searchsorted(values, boxes[right[0]][axis][0]))  # type: ignore[index]
    if now < rows.size and total[best] <= total[now] + 1e-12 * abs(layout.total):
        return layout
    border = float(values[best])
    moved_boxes = list(boxes)
    for i in left:
        moved_boxes[i] = (*boxes[i][:axis], (boxes[i][axis][0], border), *boxes[i][axis + 1 :])  # type: ignore[index]
    for j in right:
        moved_boxes[j] = (*boxes[j][:axis], (border, boxes[j][axis][1]), *boxes[j][axis + 1 :])  # type: ignore[index]
    gained = total[best] - total[now] if now < rows.size else 0.0
    if now >= rows.size:
        again = _total(points, moved_boxes)
        return Layout(tuple(moved_boxes), again) if again > layout.total else layout
    return Layout(tuple(moved_boxes), float(layout.total + gained))
