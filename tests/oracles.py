"""Slow and obviously right: what the solvers are held against."""

from __future__ import annotations

import itertools

import numpy as np


def segments(cuts, n):
    ends = [0, *cuts, n]
    return list(itertools.pairwise(ends))


def total(a, b, cuts):
    return sum(a[i:j].sum() ** 2 / b[i:j].sum() for i, j in segments(cuts, len(a)))


def variance(a, b, cuts):
    return total(a, b, cuts) / b.sum() - (a.sum() / b.sum()) ** 2


def brute_force(a, b, rows, n_groups, *, min_rows=0.0, min_b=0.0, direction=0):
    """Best variance over all ways to cut, or None; direction +1 (−1) asks for strictly rising (falling) rates."""
    best = None
    for cuts in itertools.combinations(range(1, len(a)), n_groups - 1):
        parts = segments(cuts, len(a))
        sums = np.array([(a[i:j].sum(), b[i:j].sum(), rows[i:j].sum()) for i, j in parts])
        if (sums[:, 2] < min_rows).any() or (sums[:, 1] < min_b - 1e-12).any() or (sums[:, 1] <= 0).any():
            continue
        if direction and not (direction * np.diff(sums[:, 0] / sums[:, 1]) > 1e-10).all():
            continue
        value = np.sum(sums[:, 0] ** 2 / sums[:, 1]) / b.sum() - (a.sum() / b.sum()) ** 2
        if best is None or value > best:
            best = value
    return best


def quadratic_programme(a, b, n_groups):
    """Best variance for each number of groups by the O(K M²) dynamic programme."""
    a = a - b * (a.sum() / b.sum())
    A, B = np.concatenate([[0], np.cumsum(a)]), np.concatenate([[0], np.cumsum(b)])
    n = len(a)
    value = np.full(n + 1, -np.inf)
    value[1:] = A[1:] ** 2 / B[1:]
    out = [value[n]]
    for _ in range(n_groups - 1):
        new = np.full(n + 1, -np.inf)
        for j in range(1, n + 1):
            new[j] = np.max(value[:j] + np.divide((A[j] - A[:j]) ** 2, B[j] - B[:j]))
        value = new
        out.append(value[n])
    return np.array(out) / b.sum()


def all_clusterings(values, weights, n_groups):
    """Least within-cluster sum of squares over every way to colour the values."""
    best = np.inf
    for colours in itertools.product(range(n_groups), repeat=len(values)):
        c = np.array(colours)
        if len(set(colours)) < n_groups:
            continue
        cost = 0.0
        for k in range(n_groups):
            v, w = values[c == k], weights[c == k]
            cost += np.sum(w * (v - np.average(v, weights=w)) ** 2)
        best = min(best, cost)
    return best


def all_tilings(shape, n_boxes):
    """Every way to tile a grid with exactly n_boxes boxes, each box as a tuple of (low, high) per axis."""

    def place(covered, boxes):
        free = np.argwhere(~covered)
        if len(free) == 0:
            if len(boxes) == n_boxes:
                yield tuple(boxes)
            return
        if len(boxes) == n_boxes:
            return
        corner = free[0]
        for high in itertools.product(*(range(c + 1, m + 1) for c, m in zip(corner, shape, strict=True))):
            block = tuple(slice(int(c), h) for c, h in zip(corner, high, strict=True))
            if covered[block].any():
                continue
            covered[block] = True
            yield from place(covered, [*boxes, tuple((s.start, s.stop) for s in block)])
            covered[block] = False

    yield from place(np.zeros(shape, dtype=bool), [])


def brute_force_boxes(a, b, rows, n_boxes, *, min_rows=0.0):
    """Best sum of centred A²/B over all tilings, or None."""
    a = a - b * (a.sum() / b.sum())
    best = None
    for tiling in all_tilings(a.shape, n_boxes):
        total = 0.0
        for box in tiling:
            block = tuple(slice(*side) for side in box)
            if b[block].sum() <= 1e-12 or rows[block].sum() < min_rows:
                break
            total += a[block].sum() ** 2 / b[block].sum()
        else:
            best = total if best is None else max(best, total)
    return best


def all_boxes(axes):
    """Every box of a grid, as an index: ranges of cells, or sets of levels; `axes` are (size, is it a category)."""

    def sides(size, categorical):
        if categorical:
            return [[i for i in range(size) if held >> i & 1] for held in range(1, 2**size)]
        return [list(range(i, j)) for i in range(size) for j in range(i + 1, size + 1)]

    for box in itertools.product(*(sides(*axis) for axis in axes)):
        yield np.ix_(*box)


def kullback_leibler(p, q):
    p = min(max(p, 0.0), 1.0)
    return sum(x * np.log(x / y) for x, y in ((p, q), (1 - p, 1 - q)) if x > 0)
