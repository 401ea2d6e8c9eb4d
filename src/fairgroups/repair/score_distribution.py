"""How the distribution of the score changes along the attributes, as smoothly as the people bear out.

Notes
-----
The share of people at or below a score, given the attributes, is estimated by local lines: near a cell all cells count,
the less the further away, and a line through them (which, unlike a mean, is right at the ends and on slopes) says what
holds there. How wide "near" is, and whether it is counted in people or in the attribute's own unit, is decided by
leaving out: each person in turn is foretold by all others, and the width with the least error over all scores wins (the
continuous ranked probability score on ranks); of one attribute also stretch by stretch. For local lines that needs no
second fit: what a person adds to the own estimate is known. Nothing is drawn at random, and the order of rows does not
matter. Levels of a category lend each other a share that is chosen the same way. Where nothing beats one distribution
for all, there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups.repair.axes import Axis
from fairgroups.repair.score_table import ScoreTable

__all__ = ["Width", "levels_along", "nearness_of"]

Array = NDArray[np.float64]
WIDE = 0.9
STEPS = 18  # each width is √2 of the next one
LENT = (1.0, 0.3, 0.1, 0.03, 0.01, 0.0)  # what another level of a category counts
RIDGE = 1e-3
LOOKED_AT = 64  # scores at which the error is summed
SWEEPS = 3
NOTHING = 2.0  # what the best of all widths saves by chance where nothing changes, in 95 of 100 cases
ENOUGH = 30  # people of equal weight that an estimate must rest on
AROUND, CHARGE = 0.05, 1.0  # how far around a cell another width may be borne out, and what it must save


@dataclass(frozen=True)
class Width:
    """How far people count as near along one attribute.

    Attributes
    ----------
    size : float
        For a number a share of its range; for a category what another level counts.
    people : bool
        Whether the range is counted in people or in the attribute's unit.
    """

    size: float
    people: bool = True


def nearness_of(table: ScoreTable) -> list[Array] | None:
    """Choose by leaving out how much each cell counts for each other one; None where all may count alike.

    Parameters
    ----------
    table : ScoreTable
        The people.

    Returns
    -------
    list of arrays, or None
        For each part of the people the weight of each cell (column) in the estimate of each (row).
    """
    if np.all([axis.size == 1 for axis in table.axes]):
        return None
    look = _Look(table)
    widths = [Width(0.05) if axis.levels is None else Width(0.1) for axis in table.axes]
    best = np.inf
    for _ in range(1 if len(widths) == 1 else SWEEPS):
        before = best
        for d, axis in enumerate(table.axes):
            for width in _candidates(axis):
                tried = [*widths[:d], width, *widths[d + 1 :]]
                error = look.error(tried)
                if error < best * (1 - 1e-9):
                    best, widths = error, tried
        if best >= before * (1 - 1e-6):
            break
    if best >= look.error(None) - NOTHING * look.variance / look.people.sum():
        return None
    if len(widths) == 1 and table.axes[0].levels is None:
        return _locally(look, widths[0])
    return [near.weights(widths) for near in look.near]


def _locally(look: _Look, usual: Width) -> list[Array]:
    """Take another width where the people around a cell clearly bear it out, as where scores change from year to year.

    The error around a cell is a mean over its neighbours; a width is taken instead of the usual one where it saves more
    than so many times what one free number more would save by chance.
    """
    tried = [usual, *(Width(WIDE * 2 ** (-i / 2), usual.people) for i in range(STEPS))]
    errors = np.stack([look.errors([width]) for width in tried])
    around = look.near[0].weights([Width(AROUND)], lines=False)
    nearby = errors @ around.T
    people = np.maximum(look.people.sum(axis=0), 1e-12)
    effective = 1 / (around**2 @ (1 / people))
    saved = nearby[0] - nearby.min(axis=0)
    chosen = np.where(saved > CHARGE * look.variance / effective, nearby.argmin(axis=0), 0)
    found = []
    for near, counted in zip(look.near, look.people, strict=True):
        rows = np.empty((people.size, people.size))
        for k in np.unique(chosen):
            mine = chosen == k
            rows[mine] = near.weights([tried[k]])[mine]
        found.append(_of_enough(rows, near, counted, usual.people))
    return found


def _of_enough(rows: Array, near: _Near, people: Array, unit: bool) -> Array:
    """Widen the look of cells whose estimate rests on too few people, until it does not."""
    held = np.divide(1.0, people, out=np.zeros_like(people), where=people > 0)
    for i in range(STEPS - 1, -1, -1):
        poor = rows**2 @ held > 1 / ENOUGH
        if not poor.any():
            break
        wider = near.weights([Width(WIDE * 2 ** (-i / 2), unit)])
        better = poor & (wider**2 @ held < rows**2 @ held)
        rows = np.where(better[:, None], wider, rows)
    return rows


def levels_along(table: ScoreTable, nearness: Sequence[Array] | None) -> tuple[Array, Array]:
    """Return the level just below and at each knot in each cell, made smooth along the attributes and rising.

    Parameters
    ----------
    table : ScoreTable
        The people.
    nearness : sequence of array, or None
        See `nearness_of`; None where all are alike.

    Returns
    -------
    tuple of two arrays, cells by knots
    """
    below: list[Array] = []
    at: list[Array] = []
    n = table.n_cells
    for part in range(table.weight.shape[0]):
        weights = _Near(table, part).weights(None) if nearness is None else nearness[part]
        for levels, seen in ((below, table.below[part]), (at, table.at[part])):
            levels.append(np.concatenate([_rising(weights @ seen[:n]), seen[n:]]))
    upper = np.mean(at, axis=0)
    upper[:, -1] = 1.0
    lower = np.minimum(np.where(table.atoms, np.mean(below, axis=0), upper), upper)
    return lower, upper


def _candidates(axis: Axis) -> list[Width]:
    if axis.levels is not None:
        return [Width(share) for share in LENT]
    return [Width(WIDE * 2 ** (-i / 2), people) for people in (True, False) for i in range(STEPS)]


class _Near:
    """How much each cell counts for each other one, in one part."""

    def __init__(self, table: ScoreTable, part: int) -> None:
        sizes = [axis.size for axis in table.axes]
        index = np.indices(sizes).reshape(len(sizes), -1)
        self.n = table.weight[part, : table.n_cells]
        grid = self.n.reshape(sizes)
        self.apart: list[dict[bool, Array] | NDArray[np.bool_]] = []
        for d, axis in enumerate(table.axes):
            if axis.centres is None:
                self.apart.append(index[d][:, None] == index[d][None, :])
                continue
            others = tuple(i for i in range(len(sizes)) if i != d)
            mass = grid.sum(axis=others)
            rank = (np.cumsum(mass) - mass / 2) / mass.sum()
            spread = float(np.ptp(axis.centres)) or 1.0
            value = (axis.centres - axis.centres[0]) / spread
            self.apart.append({people: _apart(z, index[d]) for people, z in ((True, rank), (False, value))})

    def weights(self, widths: Sequence[Width] | None, *, lines: bool = True) -> Array:
        """Return the weight of each cell (column) in the estimate of each (row): of local lines, or of local means."""
        pooled = np.broadcast_to(self.n / self.n.sum(), (self.n.size, self.n.size))
        if widths is None:
            return pooled
        near = np.broadcast_to(self.n, (self.n.size, self.n.size)).copy()
        slopes = [np.ones_like(near)]
        for apart, width in zip(self.apart, widths, strict=True):
            if isinstance(apart, dict):
                scaled = apart[width.people] / width.size
                near *= np.exp(-0.5 * scaled**2)
                if lines:
                    slopes.append(scaled)
            else:
                near *= np.where(apart, 1.0, width.size)
        sums = np.empty((self.n.size, len(slopes), len(slopes)))
        for i, one in enumerate(slopes):
            for j, other in enumerate(slopes[: i + 1]):
                sums[:, i, j] = sums[:, j, i] = np.sum(near * one * other, axis=1)
        nobody = sums[:, 0, 0] <= 1e-12 * self.n.sum()
        sums[nobody] = np.eye(len(slopes))
        diagonal = np.arange(1, len(slopes))
        sums[:, diagonal, diagonal] += RIDGE * sums[:, :1, 0]
        first = np.zeros((self.n.size, len(slopes), 1))
        first[:, 0] = 1.0
        factor = np.linalg.solve(sums, first)[:, :, 0]
        found: Array = near * sum(factor[:, i : i + 1] * slope for i, slope in enumerate(slopes))
        return np.where(nobody[:, None], pooled, found)


class _Look:
    """The error of people foretold by all others."""

    def __init__(self, table: ScoreTable) -> None:
        reached = np.cumsum(table.share)
        marks = np.searchsorted(reached, (np.arange(LOOKED_AT) + 0.5) / LOOKED_AT)
        marks, times = np.unique(np.minimum(marks, table.knots.size - 1), return_counts=True)
        self.at = table.at[:, : table.n_cells, marks]
        self.share = times / times.sum()
        self.near = [_Near(table, part) for part in range(table.weight.shape[0])]
        self.people = table.people[:, : table.n_cells]
        self.mass = np.sum([near.n / near.n.sum() for near in self.near], axis=0)
        pooled = reached[marks]
        self.variance = float((pooled * (1 - pooled)) @ self.share)

    def error(self, widths: Sequence[Width] | None) -> float:
        """Return the error of everybody."""
        return float(self.mass @ self.errors(widths))

    def errors(self, widths: Sequence[Width] | None) -> Array:
        """Return the mean error in each cell."""
        total = np.zeros(self.mass.size)
        for near, seen, people in zip(self.near, self.at, self.people, strict=True):
            weights = near.weights(widths)
            told = weights @ seen
            own = np.divide(np.diag(weights), people, out=np.zeros_like(people), where=people > 0)
            # the mean over a cell's people of (told − [score ≤ t])², were each of them left out
            error = (told**2 - 2 * told * seen + seen) @ self.share / (1 - np.minimum(own, 0.9)) ** 2
            total += near.n / near.n.sum() * error
        mean: Array = np.divide(total, self.mass, out=np.zeros_like(total), where=self.mass > 0)
        return mean


def _apart(place: Array, index: NDArray[np.intp]) -> Array:
    here: Array = place[index]
    return here[None, :] - here[:, None]


def _rising(levels: Array) -> Array:
    """Make levels rise with the score: half-way between the least that do and the most."""
    inside = np.clip(levels, 0.0, 1.0)
    up = np.maximum.accumulate(inside, axis=1)
    down = np.minimum.accumulate(inside[:, ::-1], axis=1)[:, ::-1]
    half: Array = (up + down) / 2
    return half
