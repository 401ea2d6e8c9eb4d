"""The least change of scores after which the distributions of groups differ by at most α. Arrays only.

Notes
-----
Let Q_k be the quantile function of the scores of group k and w_k its weight. Among all ways to change scores such that
no two groups' distribution functions differ by more than α anywhere, the cheapest sends level u of group k to

    clip(Q_k(u), T(u − α), T(u)),

where T(v) is the point that is nearest, on average over groups, to the intervals [Q_k(v), Q_k(v + α)]: the one with
the least Σ w_k d for W1 (a weighted median of the 2K ends), with the least Σ w_k d² for W2. For each v that is a
problem of its own, so nothing is discretised and no solver is needed. T rises with v because medians and means do.
Below level 0 and above 1 − α there is no limit. With α = 0, T is the barycentre: the weighted median, or mean, of the
quantiles.

W1's points form an interval where weights tie; the one nearest to W2's is taken: the least W2 among the W1 optima.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Cost",
    "Distribution",
    "Targets",
    "distribution",
    "largest_gap",
    "least_odds_gap",
    "members",
    "relaxed_targets",
    "transport_cost",
]

Array = NDArray[np.float64]
Cost = Literal["w1", "w2"]
ROUNDING = 1e-12
MOST_MARKS = 20_000


@dataclass(frozen=True)
class Distribution:
    """Scores of one group: `values` rising, `levels` the share of the group at or below each, the last one 1."""

    values: Array
    levels: Array
    line: tuple[Array, Array] | None = None  # levels and values between which quantiles are read, where given

    def quantile(self, u: Array) -> Array:
        """Return the smallest value with at least a share u at or below it, or the value on the line."""
        if self.line is not None:
            between: Array = np.interp(u, *self.line)
            return between
        at = np.searchsorted(self.levels, u - ROUNDING, side="left")
        return self.values[np.minimum(at, self.values.size - 1)]


def distribution(score: Array, weight: Array | None = None, at: Array | None = None) -> Distribution:
    """Sum up the scores of one group, at every distinct value or at the values `at` (a score moves up to the next)."""
    values, where = np.unique(score, return_inverse=True)
    mass: Array = np.bincount(where.ravel(), weight).astype(np.float64)
    if at is not None:
        slot = np.minimum(np.searchsorted(at, values, side="left"), at.size - 1)
        mass = np.bincount(slot, mass, at.size).astype(np.float64)
        values, mass = at[mass > 0], mass[mass > 0]
    else:
        values, mass = values[mass > 0], mass[mass > 0]
    levels = np.cumsum(mass) / mass.sum()
    levels[-1] = 1.0
    return Distribution(values, levels)


@dataclass(frozen=True)
class Targets:
    """T as a step function: `values[i]` for levels above `levels[i − 1]` up to `levels[i]`."""

    levels: Array
    values: Array
    gap: float
    slack: float = 0.0  # on a grid of levels: one step, by which a level may be off either way

    def at(self, v: Array) -> Array:
        """Return T(v): −∞ at and below level 0, ∞ above 1 − α."""
        out = self.values[np.minimum(self._place(v - ROUNDING), self.values.size - 1)]
        if self.gap == 0:
            return out
        out = np.where(v > 1 - self.gap + ROUNDING, np.inf, out)
        return np.where(v <= ROUNDING, -np.inf, out)

    @cached_property
    def equal_steps(self) -> bool:
        """Whether the levels are equal steps up to 1 − α."""
        n = self.levels.size
        return bool(np.array_equal(self.levels, (1 - self.gap) * np.arange(1, n + 1) / n))

    def _place(self, v: Array) -> NDArray[np.intp]:
        """Count the levels below each v."""
        if not self.equal_steps:
            return np.searchsorted(self.levels, v, side="left")
        top, n = 1 - self.gap, self.levels.size
        step = np.floor(v / top * n)
        passed = (top * step / n < v).astype(np.intp) + (top * (step + 1) / n < v)
        place: NDArray[np.intp] = np.maximum(step.astype(np.intp) - 1 + passed, 0)
        return place

    def limits(self, u: Array) -> tuple[Array, Array]:
        """Return the least and the largest score that level u may have."""
        if self.gap == 0 and self.slack == 0:
            both = self.at(u)
            return both, both
        low, high = self.at(u - self.gap - self.slack), self.at(u + self.slack)
        if self.gap == 0:  # T is defined up to both ends
            low = np.where(u - self.slack <= ROUNDING, self.values[0], low)
        return low, high


def relaxed_targets(
    groups: Sequence[Distribution], weights: Array, gap: float, cost: Cost = "w2", n_levels: int | None = None
) -> Targets:
    """Find T, on every level where a quantile jumps, or on `n_levels` equal steps."""
    if gap >= 1 or len(groups) == 1:
        return Targets(np.array([1.0]), np.array([np.inf]), 1.0)
    top = 1 - gap
    if n_levels is None:
        jumps = np.concatenate([np.concatenate([g.levels, g.levels - gap]) for g in groups])
        levels = np.unique(np.append(np.clip(jumps, 0.0, top), top))
        levels = levels[np.append(np.diff(levels) > ROUNDING, True)]
    else:
        levels = top * np.arange(1, n_levels + 1) / n_levels
    levels = levels[levels > ROUNDING]
    low = np.stack([g.quantile(levels) for g in groups])
    high = low if gap == 0 else np.stack([g.quantile(levels + gap) for g in groups])
    share = (weights / weights.sum())[:, None]
    mean = _nearest_squared(low, high, share)
    values = mean if cost == "w2" else np.clip(mean, *_nearest(low, high, share))
    return Targets(levels, np.maximum.accumulate(values), gap, 0.0 if n_levels is None else top / n_levels)


def _nearest_squared(low: Array, high: Array, share: Array) -> Array:
    """Return the point with the least weighted sum of squared distances to intervals, for each column."""
    if low is high:
        mean: Array = np.sum(share * low, axis=0)
        return mean
    left, right = low.min(axis=0), high.max(axis=0)
    for _ in range(60):
        middle = (left + right) / 2
        pull = np.sum(share * (np.maximum(low - middle, 0.0) - np.maximum(middle - high, 0.0)), axis=0)
        left, right = np.where(pull > 0, middle, left), np.where(pull > 0, right, middle)
    middle = (left + right) / 2
    spread = float(high.max() - low.min())
    scale = ROUNDING * spread + 4e-16 * np.abs(middle)
    below, above = low > middle + scale, high < middle - scale
    mass = np.sum(share * (below + above), axis=0)
    exact = np.sum(share * (np.where(below, low, 0.0) + np.where(above, high, 0.0)), axis=0)
    common = low.max(axis=0) <= high.min(axis=0)  # nothing has to move: any point of the common part will do
    exact = np.divide(exact, mass, out=middle.copy(), where=mass > 0)
    near = np.abs(exact - middle) <= 1e-9 * spread + 4e-16 * np.abs(middle)
    point: Array = np.where(common, low.max(axis=0), np.where(near, exact, middle))
    return point


def _nearest(low: Array, high: Array, share: Array) -> tuple[Array, Array]:
    """Return the interval of points with the least weighted sum of distances to intervals: the medians of all ends."""
    ends = np.concatenate([low, high])
    mass = np.broadcast_to(np.concatenate([share, share]), ends.shape)
    order = np.argsort(ends, axis=0, kind="stable")
    ends, mass = np.take_along_axis(ends, order, 0), np.take_along_axis(mass, order, 0)
    below = np.cumsum(mass, axis=0)
    first = np.argmax(below >= 1 - 1e-12, axis=0)  # all ends together weigh 2
    last = np.argmax(below > 1 + 1e-12, axis=0)
    columns = np.arange(ends.shape[1])
    return ends[first, columns], ends[last, columns]


def transport_cost(groups: Sequence[Distribution], weights: Array, targets: Targets, cost: Cost) -> float:
    """Return Σ w_k ∫ |Q_k(u) − clip(Q_k(u), T(u − α), T(u))|^p du, exactly."""
    total = 0.0
    for share, group in zip(weights / weights.sum(), groups, strict=True):
        jumps = np.concatenate([[0.0, targets.gap], group.levels, targets.levels, targets.levels + targets.gap])
        edges = np.unique(np.clip(jumps, 0.0, 1.0))
        u = (edges[1:] + edges[:-1]) / 2
        before = group.quantile(u)
        moved = np.abs(np.clip(before, *targets.limits(u)) - before)
        total += share * float(np.sum(np.diff(edges) * (moved if cost == "w1" else moved**2)))
    return total


def largest_gap(score: Array, codes: NDArray[np.intp], weight: Array | None = None) -> float:
    """Return the largest difference between two groups' distribution functions, anywhere."""
    groups = members(codes)
    if len(groups) < 2:
        return 0.0
    marks = np.unique(score)
    if marks.size > MOST_MARKS:  # a gap between two marks is at most one in so many larger
        marks = marks[np.linspace(0, marks.size - 1, MOST_MARKS).round().astype(np.intp)]
    low, high = np.full(marks.size, np.inf), np.full(marks.size, -np.inf)
    for rows in groups.values():
        order = rows[np.argsort(score[rows])]
        mass = np.concatenate([[0.0], np.cumsum(np.ones(order.size) if weight is None else weight[order])])
        if mass[-1] <= 0:
            continue
        below = mass[np.searchsorted(score[order], marks, side="right")] / mass[-1]
        low, high = np.minimum(low, below), np.maximum(high, below)
    return float(max(np.max(high - low), 0.0))


def least_odds_gap(score: Array, codes: NDArray[np.intp], label: Array, weight: Array) -> float:
    """Return the least that the larger of the TPR and FPR gaps can be, for maps that keep each group's order.

    Such a map leaves a group's ROC curve as it is and only decides which point of it belongs to a threshold. Both rates
    rise along a curve, so the point of another curve that is nearest in the larger of the two differences is the one
    with the same TPR + FPR. With all groups at the same sum the TPRs differ as much as the FPRs, the other way round.
    """
    curves = []
    for rows in members(codes).values():
        values, where = np.unique(score[rows], return_inverse=True)
        ranks = []
        for y in (0.0, 1.0):
            mass = np.bincount(where.ravel(), weight[rows] * (label[rows] == y), values.size)
            ranks.append(np.concatenate([[0.0], np.cumsum(mass)]) / mass.sum())
        curves.append(((ranks[0] + ranks[1]) / 2, ranks[1]))
    if len(curves) < 2:
        return 0.0
    marks = np.unique(np.concatenate([middle for middle, _ in curves]))
    if marks.size > MOST_MARKS:
        marks = np.linspace(0.0, 1.0, MOST_MARKS)
    rates = np.stack([np.interp(marks, middle, rate) for middle, rate in curves])
    return float(np.max(np.ptp(rates, axis=0)))


def members(codes: NDArray[np.intp]) -> dict[int, NDArray[np.intp]]:
    """Return the rows of each group; negative codes belong to none."""
    if codes.size == 0:
        return {}
    small = codes.astype(np.int16) if codes.max() < 2**15 else codes  # short numbers are sorted by radix
    order = np.argsort(small, kind="stable")
    order = order[np.count_nonzero(codes < 0) :]
    sizes = np.bincount(codes[codes >= 0]) if order.size else np.empty(0, dtype=np.intp)
    parts = np.split(order, np.cumsum(sizes)[:-1]) if order.size else []
    return {k: part for k, part in enumerate(parts) if part.size}
