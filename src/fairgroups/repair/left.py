"""What a repair leaves, by the exact attribute, on people who took no part in learning it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fairgroups.cells.grid import axis_edges
from fairgroups.errors import FairnessWarning, InputError
from fairgroups.repair.dependence import hgr, hgr_floor
from fairgroups.repair.inputs import found_already
from fairgroups.repair.scored import Scored
from fairgroups.repair.transport import largest_gap
from fairgroups.rows.column_kinds import Column
from fairgroups.words import amount, thousands

if TYPE_CHECKING:
    from fairgroups.repair.score_repair import ScoreRepair

__all__ = ["Left", "Reach", "Stretch", "bins_of", "judge", "left_of", "reach_of", "stretches_of", "warn_of"]

Array = NDArray[np.float64]
FOLDS, MOST_PEOPLE, FEWEST = 5, 200_000, 100
FINE, COARSE, RANGES = 20, 10, 5  # bins of the attribute for the spread, the gap, and whole distributions
CELLS, LEAST = 64, 50  # of which stretches are made, and people in one
DRAWS, ALARM = 400, 0.01
WORTH_TELLING = 0.03
MAPS_ERR = 2.0  # maps learnt on others err about as much again as the people judged vary
SHARED = 0.05
NEXT_TO_NOTHING = 0.005
TELLING, TOLD, NOISE = 1.5, 0.15, 6.0  # times the floor, at least, times 1/√n: a maximal correlation worth telling


@dataclass(frozen=True)
class Reach:
    """How far a score goes with the attribute.

    Attributes
    ----------
    sd : float
        The standard deviation, over twenty stretches of the attribute, of the share of people who reach the threshold;
        what noise adds is taken off.
    gap : float
        The largest difference of that share between two tenths of the people in order of the attribute.
    ks : float
        The largest difference of the distribution functions of two fifths.
    hgr, floor : float
        The maximal correlation, and the 95% quantile of what chance alone shows.
    """

    sd: float
    gap: float
    ks: float
    hgr: float
    floor: float


@dataclass(frozen=True)
class Stretch:
    """People of a range of the attribute, or of a level, who are still treated differently.

    Attributes
    ----------
    said : str
        Who they are, such as ``age 21 to 22``.
    people : int
        How many were judged.
    threshold : float
        The score that is looked at.
    share, everybody : float
        The share of them, and of everybody, who reach it.
    """

    said: str
    people: int
    threshold: float
    share: float
    everybody: float


@dataclass(frozen=True)
class Left:
    """What is left of the dependence on the attribute, on people left out.

    Attributes
    ----------
    people : int
        How many were judged, each by maps learnt on others.
    threshold : float
        The score that counts as a yes in `before` and `after`: 0.5, or the middle score.
    before, after : Reach
        How far the score went with the attribute, and how far the fair score does.
    stretches : tuple of Stretch
        Where more is left than chance and the allowed gap explain, and at least 3 points; the worst first.
    max_gap : float
        The gap that was allowed.
    comparable : bool
        Whether scores are told by where they stand among comparable people: the share of them below.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups import ScoreRepair
    >>> rng = np.random.default_rng(0)
    >>> age = rng.uniform(20, 60, 2000)
    >>> left = ScoreRepair().fit(rng.normal(age / 20, 1), sensitive=age).left_
    >>> left.before.ks > 0.5 > 0.1 > left.after.ks
    True
    """

    people: int
    threshold: float
    before: Reach
    after: Reach
    stretches: tuple[Stretch, ...]
    max_gap: float = 0.0
    comparable: bool = False

    def said(self, one: Stretch) -> str:
        """Say how many of a stretch are still treated differently, and how."""
        reach = f"reach {one.threshold:.3g}"
        if self.comparable:
            reach = f"stand above {100 * one.threshold:.0f}% of those comparable with them"
        return (
            f"{amount(one.share, percent=True)} {reach} after the repair, of everybody "
            f"{amount(one.everybody, percent=True)}."
        )

    @property
    def telling(self) -> bool:
        """Whether the fair score tells clearly more of the attribute than chance and the allowed gap explain."""
        least = max(TELLING * self.after.floor, TOLD, NOISE / np.sqrt(self.people))
        return bool(self.after.hgr > least and self.max_gap == 0)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Left:
        """Build it from plain data; TypeError or ValueError where they do not fit."""
        before, after = (Reach(**{name: float(x) for name, x in data[key].items()}) for key in ("before", "after"))
        stretches = tuple(Stretch(**one) for one in data["stretches"])
        ends = int(data["people"]), float(data["threshold"])
        return cls(*ends, before, after, stretches, float(data["max_gap"]), bool(data.get("comparable", False)))


def judge(repair: ScoreRepair, people: Scored) -> Left | None:
    """Judge a fitted repair by maps learnt on four fifths of the people, for the others in turn.

    Parameters
    ----------
    repair : ScoreRepair
        Fitted.
    people : Scored
        Those it was fitted on.

    Returns
    -------
    Left, or None for fewer than a hundred people
    """
    parts = people.deal(FOLDS, repair.random_state)
    if people.score.size > MOST_PEOPLE:
        people = people.take(people.deal(-(-people.score.size // MOST_PEOPLE), repair.random_state)[0])
        parts = people.deal(FOLDS, repair.random_state)
    if people.score.size < FEWEST:
        return None
    fair = np.full(people.score.size, np.nan)
    everybody = np.arange(people.score.size)
    for part in parts:
        one: ScoreRepair = clone(repair).set_params(partition=found_already(repair.partition))
        try:
            one.fit_without_judgement(people.take(np.setdiff1d(everybody, part)))
            fair[part] = one.fair_where_known(people.take(part))
        except InputError:  # the others are too few for this repair: these people are not judged
            continue
    return left_of(people, fair, repair.condition, float(repair.max_gap))


def left_of(
    people: Scored, fair: Array, condition: str | None, max_gap: float, threshold: float | None = None
) -> Left | None:
    """Measure what is left among people who got their fair scores from maps learnt on others; None of too few."""
    kinds = [np.flatnonzero(mass > 0) for mass in people.masses(condition)]
    at = _threshold(people.score) if threshold is None else threshold
    before, after, found = [], [], []
    for rows in kinds:
        for column in people.columns:
            here = rows[~np.isnan(column.values[rows]) & ~np.isnan(fair[rows])]
            if here.size < FEWEST:
                continue
            one = Column(column.name, column.values[here], column.levels)
            before.append(reach_of(one, people.score[here], people.weight[here], at))
            after.append(reach_of(one, fair[here], people.weight[here], at))
            found += stretches_of(one, fair[here], people.weight[here], at, max_gap)
    if not after:
        return None
    worst = sorted(found, key=lambda one: -abs(one.share - one.everybody))
    return Left(int(sum(rows.size for rows in kinds)), at, _worst(before), _worst(after), tuple(worst[:5]), max_gap)


def reach_of(column: Column, score: Array, weight: Array, threshold: float, *, whole: bool = True) -> Reach:
    """Measure how far a score goes with one attribute; its whole distribution, or the decisions only."""
    yes = (score >= threshold).astype(np.float64)
    _, rates, n = _rates(column, yes, weight, FINE)
    spread = float(np.average((rates - np.average(rates, weights=n)) ** 2, weights=n))
    noise = float(np.average(rates * (1 - rates) / np.maximum(n - 1, 1), weights=n))
    _, coarse, _ = _rates(column, yes, weight, COARSE)
    sd = float(np.sqrt(max(spread - noise, 0.0)))
    if not whole:
        return Reach(sd, float(np.ptp(coarse)), float("nan"), float("nan"), float("nan"))
    codes, _, _ = _rates(column, yes, weight, RANGES)
    told = hgr(column.values, score, weight=weight, n_permutations=0).value
    return Reach(
        sd,
        float(np.ptp(coarse)),
        largest_gap(score, codes, weight),
        told,
        hgr_floor(column.values, score, weight),
    )


def stretches_of(column: Column, score: Array, weight: Array, threshold: float, max_gap: float) -> list[Stretch]:
    """Return the ranges of the attribute, or levels, whose people reach a score more or less often than everybody.

    All ranges of cells are looked at, at the threshold and at the quarters of the scores; the limit is the quantile of
    the largest of all such differences where there is none, drawn from its normal limit. Of ranges that overlap the
    one that stands out most is told.
    """
    n_cells = max(1, min(CELLS, score.size // LEAST))
    if column.levels is not None:
        code, names = column.values.astype(np.intp), [f"{column.name or 'x'} {level}" for level in column.levels]
    else:
        edges = axis_edges(column.values, n_cells, np.ones(score.size))
        code, names = np.searchsorted(edges, column.values, side="right") - 1, None
    size = int(code.max()) + 1
    mass = np.bincount(code, weight, size).astype(np.float64)
    effective = float(weight.sum() ** 2 / np.sum(weight**2)) / weight.sum()  # people by weight
    alone = names is not None
    limit = _limit(mass / mass.sum(), ranges=not alone)
    marks = [threshold, *np.quantile(score, (0.25, 0.5, 0.75)).tolist()]
    out: list[tuple[float, int, int, Stretch]] = []
    for mark in dict.fromkeys(marks):
        yes = (score >= mark).astype(np.float64)
        everybody = float(np.average(yes, weights=weight))
        if not 0 < everybody < 1:
            continue
        low, high, share, part = _ranges(mass, np.bincount(code, weight * yes, size).astype(np.float64), alone=alone)
        error = np.sqrt(
            MAPS_ERR * everybody * (1 - everybody) * np.maximum(1 - part, 0) / (part * mass.sum() * effective)
        )
        beyond = np.abs(share - everybody) - max_gap
        strength = np.divide(beyond, error, out=np.zeros_like(beyond), where=error > 0)
        for i in np.flatnonzero((strength > limit) & (beyond > WORTH_TELLING)).tolist():
            people = int(np.count_nonzero((code >= low[i]) & (code <= high[i])))
            said = names[low[i]] if names is not None else _said(column, code, low[i], high[i])
            told = Stretch(said, people, float(mark), float(share[i]), everybody)
            out.append((float(strength[i]), int(low[i]), int(high[i]), told))
    chosen: list[tuple[float, int, int, Stretch]] = []
    for one in sorted(out, key=lambda x: -x[0]):
        if all(one[2] < other[1] or one[1] > other[2] for other in chosen):
            chosen.append(one)
    return [one[3] for one in chosen]


def warn_of(left: Left | None, *, condition: str | None, shared: float, keys: bool) -> None:
    """Warn where more is left than chance and the allowed gap explain."""
    if left is None or not (left.stretches or left.telling):
        return
    among = "" if condition is None else " with the same true label"
    if left.stretches:
        one = left.stretches[0]
        said = (
            f"more is left than chance explains: of {thousands(one.people)} people left out with {one.said}{among}, "
            f"{left.said(one)}"
        )
        if len(left.stretches) > 1:
            said += f" Also: {'; '.join(other.said for other in left.stretches[1:])}."
    else:
        chance = f"up to {left.after.floor:.2f}" if left.after.floor >= NEXT_TO_NOTHING else "next to nothing"
        said = (
            f"the fair score still tells of the attribute: their maximal correlation{among} is {left.after.hgr:.2f} on "
            f"people left out; chance alone shows {chance}."
        )
    if shared > SHARED and not keys:
        said += (
            f" Up to {100 * shared:.0f}% of those of one value share one score and stay together; keys tell them "
            "apart: pass key= to fit and transform."
        )
    warnings.warn(said, FairnessWarning, stacklevel=3)


def _threshold(score: Array) -> float:
    if score.min() >= 0 and score.max() <= 1 and 0.01 < np.mean(score >= 0.5) < 0.99:
        return 0.5
    return float(np.median(score))


def _rates(column: Column, yes: Array, weight: Array, n_bins: int) -> tuple[NDArray[np.intp], Array, Array]:
    """Return bins, their rates, and how many people of equal weight each holds."""
    code = bins_of(column, n_bins)
    mass = np.bincount(code, weight)
    held = mass > 0
    rates = np.bincount(code, weight * yes)[held] / mass[held]
    return code, rates, mass[held] ** 2 / np.bincount(code, weight**2)[held]


def bins_of(column: Column, n_bins: int) -> NDArray[np.intp]:
    """Return the bin of each person: bins of about equally many people, or levels."""
    if column.levels is not None:
        return column.values.astype(np.intp)
    edges = axis_edges(column.values, n_bins, np.ones(column.values.size))
    return np.asarray(np.searchsorted(edges, column.values, side="right") - 1)


def _ranges(mass: Array, yes: Array, *, alone: bool) -> tuple[NDArray[np.intp], NDArray[np.intp], Array, Array]:
    """Return the first and last cell of each range (or of each cell alone), its share of yes, and of all people."""
    if alone:
        low = high = np.flatnonzero(mass > 0)
    else:
        low, high = np.triu_indices(mass.size)
    reached, counted = np.concatenate([[0.0], np.cumsum(mass)]), np.concatenate([[0.0], np.cumsum(yes)])
    held = reached[high + 1] - reached[low]
    return low, high, (counted[high + 1] - counted[low]) / held, held / reached[-1]


def _limit(share: Array, *, ranges: bool) -> float:
    """Return the limit of the largest standardised difference of any range from everybody, at four thresholds."""
    rng = np.random.default_rng(0)
    steps = rng.normal(size=(DRAWS, share.size)) * np.sqrt(share)
    steps -= steps.sum(axis=1, keepdims=True) * share
    if not ranges:
        part = np.maximum(share * (1 - share), 1e-12)
        largest = np.max(np.abs(steps) / np.sqrt(part), axis=1)
    else:
        reached = np.concatenate([np.zeros((DRAWS, 1)), np.cumsum(steps, axis=1)], axis=1)
        low, high = np.triu_indices(share.size)
        held = np.concatenate([[0.0], np.cumsum(share)])
        part = held[high + 1] - held[low]
        inner = part * (1 - part) > 1e-9
        scale = np.sqrt((part * (1 - part))[inner])
        low, high = low[inner], high[inner]
        largest = np.array([np.max(np.abs(one[high + 1] - one[low]) / scale, initial=0.0) for one in reached])
    return float(np.quantile(largest, 1 - ALARM / 4))


def _said(column: Column, code: NDArray[np.intp], low: int, high: int) -> str:
    inside = column.values[(code >= low) & (code <= high)]
    first, last = float(inside.min()), float(inside.max())
    name = column.name or "the attribute"
    return f"{name} {first:g}" if first == last else f"{name} {first:g} to {last:g}"


def _worst(found: list[Reach]) -> Reach:
    """Take the largest of each; the floor is that of the largest correlation."""
    floor = max(found, key=lambda one: one.hgr - one.floor).floor
    return Reach(max(r.sd for r in found), max(r.gap for r in found), max(r.ks for r in found),
                 max(r.hgr for r in found), floor)  # fmt: skip
