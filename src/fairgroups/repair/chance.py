"""What measures of dependence and gaps show where there is none: drawn from their normal limits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairgroups.repair.dependence import hgr, hgr_floor
from fairgroups.repair.left import COARSE, FINE, bins_of
from fairgroups.repair.quality import People
from fairgroups.rows.column_kinds import Column

__all__ = ["chance_shows"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
DRAWS, MARKS, KDE_DEALS = 199, 200, 19


def chance_shows(people: People, fair: Array, *, kde: bool = False) -> tuple[dict[str, float], dict[str, float]]:
    """Return what dependence and gaps show if the attribute has nothing to do with the scores: 95% quantile and mean.

    The distribution functions of groups of n people each, drawn from one, differ like independent Brownian bridges over
    the root of n, looked at where scores change; rates like normal numbers. Gaps are means over folds, so these are.

    Parameters
    ----------
    people : People
        Those who are judged.
    fair : array
        Their scores.
    kde : bool
        Whether the density estimate of HGR is among the measures: for it scores are dealt out again.

    Returns
    -------
    tuple of two dicts
    """
    rng = np.random.default_rng(0)
    drawn: dict[str, Array] = {}
    folds = np.unique(people.fold)
    known = people.codes >= 0
    for fold in folds:
        here = np.flatnonzero((people.fold == fold) & known)
        share = people.weight[here].sum() / people.weight[known].sum()
        for name, values in _gaps(people, fair, here, rng).items():
            drawn[name] = drawn.get(name, np.zeros(DRAWS)) + share * values
    quantile = {name: float(np.quantile(values, 0.95)) for name, values in drawn.items()}
    mean = {name: float(np.mean(values)) for name, values in drawn.items()}
    for column in people.attributes:
        used = ~np.isnan(column.values)
        x, y, weight = column.values[used], fair[used], people.weight[used]
        if people.threshold is not None:
            one = Column(column.name, x, column.levels)
            for name, value in _along(one, y >= people.threshold, weight, rng).items():
                quantile[name] = max(quantile.get(name, 0.0), value)
        if column.levels is not None:
            continue
        if x.min() == x.max() or y.min() == y.max():
            continue
        floor = {"hgr": hgr_floor(x, y, weight)}
        if people.threshold is not None:
            floor["decision_dependence"] = hgr_floor(x, (y >= people.threshold).astype(np.float64), weight)
        if kde:
            floor["hgr_kde"] = hgr(x, y, weight=weight, method="kde", n_permutations=KDE_DEALS).floor
        for name, value in floor.items():
            quantile[name] = max(quantile.get(name, 0.0), value)
    return quantile, mean


def _gaps(people: People, fair: Array, rows: Codes, rng: np.random.Generator) -> dict[str, Array]:
    """Draw the gaps of one fold."""
    codes, score, weight = people.codes[rows], fair[rows], people.weight[rows]
    out = {"score_gap": _widest(_sizes(codes, weight), _times(score, weight), rng)}
    if people.threshold is not None:
        decision = score >= people.threshold
        out["parity_gap"] = _range(_sizes(codes, weight), float(np.average(decision, weights=weight)), rng)
        if people.label is not None and people.yes_or_no:
            positive = people.label[rows] == 1
            if weight[positive].sum() > 0:
                rate = float(np.average(decision[positive], weights=weight[positive]))
                out["opportunity_gap"] = _range(_sizes(codes[positive], weight[positive]), rate, rng)
            else:
                out["opportunity_gap"] = np.zeros(DRAWS)
    return out


def _along(column: Column, yes: NDArray[np.bool_], weight: Array, rng: np.random.Generator) -> dict[str, float]:
    """Draw the spread of the share of yes along an attribute, noise taken off, and its gap between tenths."""
    rate = float(np.average(yes, weights=weight))
    out = {}
    for name, n_bins in (("selection_sd", FINE), ("selection_gap", COARSE)):
        code = bins_of(column, n_bins)
        sizes = _sizes(code, weight)
        if name == "selection_gap":
            out[name] = float(np.quantile(_range(sizes, rate, rng), 0.95))
            continue
        drawn = rng.normal(size=(DRAWS, sizes.size)) * np.sqrt(rate * (1 - rate) / sizes)
        share = sizes / sizes.sum()
        spread = drawn**2 @ share - (drawn @ share) ** 2 - rate * (1 - rate) * float(share @ (1 / sizes))
        out[name] = float(np.sqrt(max(np.quantile(spread, 0.95), 0.0)))
    return out


def _sizes(codes: Codes, weight: Array) -> Array:
    """Return how many people of equal weight each group holds."""
    mass, squares = np.bincount(codes, weight), np.bincount(codes, weight**2)
    return mass[squares > 0] ** 2 / squares[squares > 0]


def _times(score: Array, weight: Array) -> Array:
    """Return the shares of people at or below the scores at which groups are compared, the last one apart."""
    order = np.argsort(score, kind="stable")
    last = np.append(np.diff(score[order]) > 0, True)
    reached = np.cumsum(weight[order])[last] / weight.sum()
    return np.unique(np.round(reached[:-1] * MARKS) / MARKS) if reached.size > MARKS else reached[:-1]


def _widest(sizes: Array, times: Array, rng: np.random.Generator) -> Array:
    """Draw the largest difference between any two of several bridges."""
    if sizes.size < 2 or times.size == 0:
        return np.zeros(DRAWS)
    steps = np.sqrt(np.maximum(np.diff(np.concatenate([[0.0], times, [1.0]])), 0.0))
    out = np.empty(DRAWS)
    for i in range(DRAWS):
        walk = np.cumsum(rng.normal(size=(sizes.size, steps.size)) * steps, axis=1)
        bridge = (walk[:, :-1] - walk[:, -1:] * times) / np.sqrt(sizes)[:, None]
        out[i] = np.max(np.ptp(bridge, axis=0))
    return out


def _range(sizes: Array, rate: float, rng: np.random.Generator) -> Array:
    """Draw the largest difference of the groups' rates."""
    if sizes.size < 2:
        return np.zeros(DRAWS)
    drawn = rng.normal(size=(DRAWS, sizes.size)) * np.sqrt(rate * (1 - rate) / sizes)
    return np.asarray(np.ptp(drawn, axis=1))
