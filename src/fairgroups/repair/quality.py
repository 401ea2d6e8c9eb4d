"""What scores are worth and how they treat groups: accuracy, ranking, calibration, dependence, gaps. Arrays only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.repair.dependence import Dependence, correlation_ratio, hgr
from fairgroups.repair.transport import largest_gap

__all__ = ["BEFORE", "People", "floors", "gaps", "quality"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
BEFORE = "no repair"
BINS = 10  # of the calibration error


@dataclass(frozen=True)
class People:
    """Who is judged: scores before any repair, true labels, attributes that are numbers, weights, folds.

    Without a threshold there are no decisions to measure.
    """

    score: Array
    label: Array | None
    attributes: list[Array]
    weight: Array
    fold: Codes
    threshold: float | None

    @property
    def probable(self) -> bool:
        """Whether scores are between 0 and 1, as chances are."""
        return bool(self.score.min() >= 0 and self.score.max() <= 1)


def quality(people: People, fair: Array, rows: Codes, *, debias: bool = True) -> dict[str, float]:
    """Measure scores on some rows, whatever the groups; the noise is taken off dependence unless told otherwise."""
    score, weight, before = fair[rows], people.weight[rows], people.score[rows]
    attributes = [values[rows] for values in people.attributes]
    out: dict[str, float] = {}
    if people.threshold is not None:
        decision = (score >= people.threshold).astype(np.float64)
        if people.label is not None:
            out |= _decided(decision, people.label[rows], weight)
    if people.label is not None:
        out |= _ranked(score, people.label[rows], weight)
        if people.probable:
            out["calibration_error"] = _calibration_error(score, people.label[rows], weight)
    out["hgr"] = _dependence(attributes, score, weight, hgr, debias=debias)
    out["hgr_kde"] = _dependence(attributes, score, weight, _density)
    if people.threshold is not None:
        out["decision_dependence"] = _dependence(attributes, decision, weight, correlation_ratio, debias=debias)
        out["changed_decisions"] = float(np.average(decision != (before >= people.threshold), weights=weight))
    out["mean_change"] = float(np.average(np.abs(score - before), weights=weight))
    return out


def gaps(people: People, fair: Array, codes: Codes, rows: Codes) -> dict[str, float]:
    """Measure how far groups are apart on some rows: the mean over folds, for each fold's maps err in their own way."""
    found: list[dict[str, float]] = []
    sizes = []
    for fold in np.unique(people.fold[rows]):
        here = rows[(people.fold[rows] == fold) & (codes[rows] >= 0)]
        score, of, weight = fair[here], codes[here], people.weight[here]
        one = {"score_gap": largest_gap(score, of, weight)}
        if people.threshold is not None:
            decision = score >= people.threshold
            one["parity_gap"] = _spread(decision, of, weight)
            if people.label is not None:
                positive = people.label[here] == 1
                one["opportunity_gap"] = _spread(decision[positive], of[positive], weight[positive])
        found.append(one)
        sizes.append(weight.sum())
    return {name: float(np.average([one[name] for one in found], weights=sizes)) for name in found[0]}


def floors(
    people: People, fair: Array, codes: Codes, n_permutations: int, seed: int
) -> tuple[dict[str, float], dict[str, float]]:
    """Return what dependence and gaps show when groups are dealt out at random: 95% quantile and mean."""
    rng = np.random.default_rng(seed)
    everybody = np.arange(fair.size)
    drawn: dict[str, list[float]] = {}
    for _ in range(n_permutations):
        order = rng.permutation(fair.size)
        attributes = [values[order] for values in people.attributes]
        one = gaps(people, fair, rng.permutation(codes), everybody)
        one["hgr"] = _dependence(attributes, fair, people.weight, hgr)
        one["hgr_kde"] = _dependence(attributes, fair, people.weight, _density)
        if people.threshold is not None:
            decision = (fair >= people.threshold).astype(np.float64)
            one["decision_dependence"] = _dependence(attributes, decision, people.weight, correlation_ratio)
        for name, value in one.items():
            drawn.setdefault(name, []).append(value)
    return (
        {name: float(np.quantile(values, 0.95)) for name, values in drawn.items()},
        {name: float(np.mean(values)) for name, values in drawn.items()},
    )


def _decided(decision: Array, label: Array, weight: Array) -> dict[str, float]:
    right = decision == label
    kinds = [label == y for y in (0.0, 1.0) if weight[label == y].sum() > 0]
    return {
        "accuracy": float(np.average(right, weights=weight)),
        "balanced_accuracy": float(np.mean([np.average(right[kind], weights=weight[kind]) for kind in kinds])),
    }


def _ranked(score: Array, label: Array, weight: Array) -> dict[str, float]:
    from sklearn.metrics import average_precision_score, roc_auc_score

    out = dict.fromkeys(("pr_auc", "roc_auc"), float("nan"))
    if all(weight[label == y].sum() > 0 for y in (0.0, 1.0)):
        out["pr_auc"] = float(average_precision_score(label, score, sample_weight=weight))
        out["roc_auc"] = float(roc_auc_score(label, score, sample_weight=weight))
    return out


def _calibration_error(score: Array, label: Array, weight: Array) -> float:
    """Return the mean distance between the mean score and the rate of yes, in bins of equal weight."""
    order = np.argsort(score, kind="stable")
    reached = np.cumsum(weight[order])
    code = np.minimum((reached - weight[order] / 2) / reached[-1] * BINS, BINS - 1).astype(np.intp)
    excess = np.bincount(code, weight[order] * (label - score)[order], BINS)
    return float(np.sum(np.abs(excess)) / reached[-1])


def _dependence(
    attributes: list[Array], values: Array, weight: Array, measure: Callable[..., Dependence], *, debias: bool = True
) -> float:
    """Return the largest dependence on any of the attributes."""
    found = []
    for x in attributes:
        known = ~np.isnan(x)
        one = measure(x[known], values[known], weight=weight[known], debias=debias, n_permutations=0)
        found.append(one.value)
    return max(found, default=float("nan"))


def _density(x: Array, y: Array, **options: Any) -> Dependence:
    return hgr(x, y, method="kde", **options)


def _spread(decision: NDArray[np.bool_], codes: Codes, weight: Array) -> float:
    """Return the largest difference of two groups' rates of yes."""
    total = np.bincount(codes, weight)
    yes = np.bincount(codes, weight * decision, total.size)
    rates = yes[total > 0] / total[total > 0]
    return float(np.ptp(rates)) if rates.size > 1 else 0.0
