"""The maps of a fitted repair: from a group's score to its level, and from the level to the fair score. Arrays only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.repair.axes import Axis
from fairgroups.repair.score_distribution import levels_along
from fairgroups.repair.score_table import ScoreTable
from fairgroups.repair.transport import Cost, Distribution, Targets, largest_gap, relaxed_targets

__all__ = ["LOWEST", "Maps", "learn", "learn_along"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
LOWEST = 1e-9  # the lowest level; T is not defined at 0
DIGITS = 8  # of levels, which are shares
MANY = 20  # people in a cell whose shared scores are told
FEW, STEPS = 32, 2048  # knots of maps by the exact attribute up to which T is exact, and its steps beyond


@dataclass(frozen=True)
class Maps:
    """What the scores of each group, or of each cell of the attributes, become.

    Attributes
    ----------
    groups : array
        The numbers of the groups or cells that were seen, in order; row i of `lower` and `upper` belongs to
        ``groups[i]``.
    low, high : float
        The range of the scores that were seen; others are moved to its ends.
    knots : array
        Scores at which levels are stored.
    lower, upper : array, groups by knots
        The level just below and at a knot; equal where at most one person has that score.
    targets : Targets
        T: where levels go.
    step : float
        The share of the way that scores move; below 1 for the geodesic relaxation.
    axes : tuple of Axis, or None
        For maps by the exact attribute: where its cells are.
    heaviest : float
        The largest share of a group with one score, or with one row of great weight.
    """

    groups: Codes
    low: float
    high: float
    knots: Array
    lower: Array
    upper: Array
    targets: Targets
    step: float = 1.0
    axes: tuple[Axis, ...] | None = None
    heaviest: float = 0.0

    @property
    def atoms(self) -> Array:
        """Return the scores that several people of one group share."""
        return self.knots[np.any(self.upper > self.lower, axis=0)]

    @property
    def shared(self) -> bool:
        """Whether several people of one group share a score."""
        return bool(np.any(self.upper > self.lower))

    def level(self, at: int, score: Array, chance: Array) -> Array:
        """Return each score's level in a group; inside an atom, anywhere in it."""
        knots, lower, upper = self.knots, self.lower[at], self.upper[at]
        right = np.minimum(np.searchsorted(knots, score, side="left"), knots.size - 1)
        on = knots[right] == score
        left = np.maximum(right - 1, 0)
        width = knots[right] - knots[left]
        part = np.divide(score - knots[left], width, out=np.zeros_like(score), where=width > 0)
        between = upper[left] + part * (lower[right] - upper[left])
        level: Array = np.where(on, lower[right] + chance * (upper[right] - lower[right]), between)
        return level

    def level_between(self, cells: Sequence[tuple[Codes, Array]], score: Array, chance: Array) -> Array:
        """Return the level of people who stand between several rows of the maps, each with a share."""
        last = self.knots.size - 1
        right = np.minimum(np.searchsorted(self.knots, score, side="left"), last)
        on = self.knots[right] == score
        left = np.maximum(right - 1, 0)
        width = self.knots[right] - self.knots[left]
        part = np.divide(score - self.knots[left], width, out=np.zeros_like(score), where=width > 0)
        level = np.zeros(score.size)
        for cell, share in cells:
            before, lower, upper = self.upper[cell, left], self.lower[cell, right], self.upper[cell, right]
            level += share * np.where(on, lower + chance * (upper - lower), before + part * (lower - before))
        return level

    def move(self, score: Array, level: Array) -> Array:
        """Return the fair score of a score at a level."""
        least, most = self.targets.limits(np.clip(level, LOWEST, 1.0))
        moved = np.clip(score, least, most)
        if self.step < 1:
            moved = score + self.step * (moved - score)
        fair: Array = np.clip(moved, self.low, self.high)
        return fair

    def to_dict(self) -> dict[str, Any]:
        """Return the maps as plain data."""
        return {
            "groups": [int(k) for k in self.groups],
            "range": [self.low, self.high],
            "knots": self.knots.tolist(),
            "atoms": np.flatnonzero(np.any(self.upper > self.lower, axis=0)).tolist(),
            "lower": self.lower[:, np.any(self.upper > self.lower, axis=0)].tolist(),
            "upper": self.upper.tolist(),
            "levels": self.targets.levels.tolist(),
            "targets": [x if np.isfinite(x) else None for x in self.targets.values.tolist()],
            "target_gap": self.targets.gap,
            "slack": self.targets.slack,
            "heaviest": self.heaviest,
            "step": self.step,
            "axes": None if self.axes is None else [axis.to_dict() for axis in self.axes],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], n_groups: int) -> Maps:
        """Build maps for some of `n_groups` groups from what `to_dict` gave; ValueError where they do not fit."""
        groups = np.array(data["groups"], dtype=np.intp)
        knots, upper = (np.array(data[name], dtype=np.float64) for name in ("knots", "upper"))
        levels = np.array(data["levels"], dtype=np.float64)
        targets = np.array([np.inf if x is None else x for x in data["targets"]], dtype=np.float64)
        axes = None if data["axes"] is None else tuple(Axis.from_dict(one) for one in data["axes"])
        low, high = (float(x) for x in data["range"])
        sizes = (groups.size, knots.size)
        if 0 in (*sizes, levels.size) or upper.shape != sizes or levels.shape != targets.shape:
            raise ValueError("its lists are of different lengths")
        atoms = np.array(data["atoms"], dtype=np.intp)
        if atoms.size and (atoms.min() < 0 or atoms.max() >= knots.size or np.unique(atoms).size < atoms.size):
            raise ValueError("its shared scores are none of its knots")
        lower = upper.copy()
        lower[:, atoms] = np.array(data["lower"], dtype=np.float64).reshape(groups.size, atoms.size)
        if np.isnan(targets).any() or (lower < 0).any() or (upper > 1).any() or (lower > upper).any():
            raise ValueError("its levels or targets are out of range")
        most = n_groups if axes is None else prod(axis.size for axis in axes) + 1
        if groups[0] < 0 or groups[-1] >= most or (axes is not None and groups.size < most - 1):
            raise ValueError("its maps are not those of its groups")
        rising = (groups, knots, levels)
        if any((np.diff(x) <= 0).any() for x in rising) or (np.diff(targets[np.isfinite(targets)]) < 0).any():
            raise ValueError("its lists are not in order")
        if not all(np.isfinite(x).all() for x in (knots, lower, upper, levels)) or (low, high) != (knots[0], knots[-1]):
            raise ValueError("it holds a number that is not finite, or its range is not that of its knots")
        gap, step, slack, heaviest = (float(data[name]) for name in ("target_gap", "step", "slack", "heaviest"))
        if not all(0 <= x <= 1 for x in (gap, step, slack, heaviest)):
            raise ValueError("its gap, step, slack or heaviest share is not between 0 and 1")
        return cls(groups, low, high, knots, lower, upper, Targets(levels, targets, gap, slack), step, axes, heaviest)


def learn(
    groups: Mapping[int, tuple[Array, Array, NDArray[Any]]],
    shares: Array,
    *,
    max_gap: float,
    cost: Cost,
    geodesic: bool,
    n_levels: int | None,
) -> Maps:
    """Learn maps from the scores of each group.

    Parameters
    ----------
    groups : mapping from a group's number to (scores, mass, people)
        Each group's scores from low to high, the mass of each in the distributions to be made alike, and how many
        people each stands for.
    shares : array
        The groups' weights in the cost.
    max_gap, cost, geodesic, n_levels
        See `ScoreRepair`.

    Returns
    -------
    Maps
    """
    knots = _knots(list(groups.values()), shares / shares.sum(), n_levels)
    lower, upper, reached = [], [], []
    heaviest = 0.0
    steps = None if n_levels is None or knots.size <= n_levels else 4 * n_levels
    for values, mass, count in groups.values():
        below = np.concatenate([[0.0], np.cumsum(mass)])
        below /= below[-1]
        counted = np.concatenate([[0], np.cumsum(count)])
        first, last = (np.searchsorted(values, knots, side=side) for side in ("left", "right"))
        low, high = below[first], below[last]
        alone = counted[last] - counted[first] <= 1
        great = (high - low) * counted[-1] > 3  # a row of so much weight is like several
        heaviest = max(heaviest, float(np.max(np.where(~alone | great, high - low, 0.0))))
        middle = (low + high) / 2
        lower.append(np.where(alone, middle, low))
        upper.append(np.where(alone, middle, high))
        reached.append(high)
    return _assembled(
        np.array(list(groups), dtype=np.intp),
        (knots, np.stack(lower), np.stack(upper), np.stack(reached)),
        shares,
        steps,
        heaviest,
        max_gap=max_gap,
        cost=cost,
        geodesic=geodesic,
    )


def learn_along(
    table: ScoreTable,
    nearness: Sequence[Array] | None,
    *,
    max_gap: float,
    cost: Cost,
    geodesic: bool,
) -> Maps:
    """Learn maps that follow the exact attribute.

    Parameters
    ----------
    table : ScoreTable
        The people, by cells of the attribute.
    nearness : sequence of array, or None
        See `nearness_of`; None where all are alike.
    max_gap, cost, geodesic
        See `ScoreRepair`.

    Returns
    -------
    Maps
    """
    lower, upper = (np.round(levels, DIGITS) for levels in levels_along(table, nearness))
    shares = table.weight.sum(axis=0)
    axes = table.axes
    if nearness is None:  # one distribution, so one cell, or one for each level
        axes = tuple(_one_cell(axis) for axis in table.axes)
        kept = [*range(prod(axis.size for axis in axes)), *range(table.n_cells, shares.size)]
        mass = shares[: table.n_cells].sum() / (len(kept) - table.absent)
        lower, upper, shares = (
            lower[kept],
            upper[kept],
            np.append(np.full(len(kept) - table.absent, mass), shares[table.n_cells :]),
        )
    many = table.people >= MANY
    atoms = np.where(many[:, :, None] & table.atoms, table.at - table.below, 0.0)  # told as counted, not as estimated
    heaviest = float(atoms.max()) if many.any() else float(np.max(upper - lower))
    steps = None if table.knots.size <= FEW else STEPS
    parts = (table.knots, lower, upper, upper)
    groups = np.arange(shares.size)
    return replace(
        _assembled(groups, parts, shares, steps, heaviest, max_gap=max_gap, cost=cost, geodesic=geodesic), axes=axes
    )


def _one_cell(axis: Axis) -> Axis:
    return axis if axis.centres is None else Axis(axis.name, centres=axis.centres[:1])


def _assembled(
    groups: Codes,
    levels: tuple[Array, Array, Array, Array],
    shares: Array,
    steps: int | None,
    heaviest: float,
    *,
    max_gap: float,
    cost: Cost,
    geodesic: bool,
) -> Maps:
    """Find the targets of levels that are known: at the knots, just below and at each, and the share up to each."""
    knots, lower, upper, reached = levels
    found = []
    for low, high, share in zip(lower, upper, reached, strict=True):
        held = np.diff(share, prepend=0.0) > 0
        # On a grid, scores between two knots lie on a line between their levels, as they will in `Maps.level`.
        line = None if steps is None else (np.stack([low, high], axis=1).ravel(), np.repeat(knots, 2))
        found.append(Distribution(knots[held], share[held], line))
    targets = relaxed_targets(found, shares, 0.0 if geodesic else max_gap, cost, steps)
    return Maps(
        groups=groups,
        low=float(knots[0]),
        high=float(knots[-1]),
        knots=knots,
        lower=lower,
        upper=upper,
        targets=targets,
        step=_least_step(found, targets, max_gap) if geodesic else 1.0,
        heaviest=heaviest,
    )


def _least_step(groups: list[Distribution], targets: Targets, max_gap: float) -> float:
    """Find the least share of the way to parity whose gap is at most `max_gap`."""
    u = (np.arange(4000) + 0.5) / 4000
    before = np.stack([g.quantile(u) for g in groups])
    codes = np.repeat(np.arange(len(groups)), u.size)
    target = targets.at(u)

    def gap(step: float) -> float:
        return largest_gap((before + step * (target - before)).ravel(), codes)

    low, high = 0.0, 1.0
    if len(groups) == 1 or gap(0.0) <= max_gap:
        return 0.0
    for _ in range(14):  # finer than the levels that gaps are told by
        middle = (low + high) / 2
        low, high = (low, middle) if gap(middle) <= max_gap else (middle, high)
    return high


def _knots(groups: list[tuple[Array, Array, NDArray[Any]]], shares: Array, n_levels: int | None) -> Array:
    """Choose where scores are told apart: every distinct one, or about twice `n_levels` quantiles of the groups.

    Half of the quantiles go to groups by their share and half to all alike: so no group, however small, has more than a
    share of K/`n_levels` between two knots.
    """
    ordered = np.sort(np.concatenate([values for values, _, _ in groups]))
    distinct: Array = ordered[np.concatenate([[True], np.diff(ordered) > 0])]
    if n_levels is None or distinct.size <= n_levels:
        return distinct
    chosen = [distinct[[0, -1]]]
    for share, (values, mass, _) in zip(shares, groups, strict=True):
        n = int(np.ceil(n_levels * (share + 1 / len(groups))))
        reached = np.cumsum(mass)
        at = np.searchsorted(reached, reached[-1] * np.arange(1, n) / n)
        chosen.append(values[np.minimum(at, values.size - 1)])
    return np.unique(np.concatenate(chosen))
