"""What scores are worth and how they treat people: accuracy, ranking, calibration, dependence, gaps. Arrays only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.repair.dependence import Dependence, correlation_ratio, hgr
from fairgroups.repair.left import reach_of
from fairgroups.repair.transport import largest_gap
from fairgroups.rows.column_kinds import Column

__all__ = ["BEFORE", "GAPS", "People", "gaps", "quality", "score_quality"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
BEFORE = "no repair"
BINS = 10  # of the calibration error
GAPS = ("score_gap", "parity_gap", "opportunity_gap")


@dataclass(frozen=True)
class People:
    """Who is judged: scores before any repair, true labels, attributes, weights, folds, and their groups.

    Without a threshold there are no decisions to measure.
    """

    score: Array
    label: Array | None
    attributes: list[Column]
    weight: Array
    fold: Codes
    threshold: float | None
    codes: Codes

    @property
    def probable(self) -> bool:
        """Whether scores are between 0 and 1, as chances are."""
        return bool(self.score.min() >= 0 and self.score.max() <= 1)

    @property
    def yes_or_no(self) -> bool:
        """Whether true labels are known, and yes or no."""
        return self.label is not None and bool(np.isin(self.label, (0.0, 1.0)).all())


def quality(people: People, fair: Array, rows: Codes, *, debias: bool = True, kde: bool = False) -> dict[str, float]:
    """Measure scores on some rows, whatever the groups; the noise is taken off dependence unless told otherwise."""
    score, weight, before = fair[rows], people.weight[rows], people.score[rows]
    numeric = [c.values[rows] for c in people.attributes if c.levels is None]
    label = None if people.label is None else people.label[rows]
    out: dict[str, float] = {}
    decision = None if people.threshold is None else (score >= people.threshold).astype(np.float64)
    if label is not None and people.yes_or_no:
        if decision is not None:
            out |= _decided(decision, label, weight)
        out |= _ranked(score, label, weight)
        if people.probable:
            out["calibration_error"] = _calibration_error(score, label, weight)
    elif label is not None:
        out |= _predicted(score, label, weight)
    if numeric:
        out["hgr"] = _dependence(numeric, score, weight, hgr, debias=debias)
        if kde:
            out["hgr_kde"] = _dependence(numeric, score, weight, _density)
    if decision is not None and people.threshold is not None:
        if numeric:
            out["decision_dependence"] = _dependence(numeric, decision, weight, correlation_ratio, debias=debias)
        out |= _along(people, decision, rows)
        out["changed_decisions"] = float(np.average(decision != (before >= people.threshold), weights=weight))
    out["mean_change"] = float(np.average(np.abs(score - before), weights=weight))
    return out


def score_quality(score: Array, label: NDArray[np.bool_]) -> dict[str, float]:
    """Say how good scores between 0 and 1 are: accuracy at a half, the larger class, PR-AUC, ROC-AUC, log loss."""
    weight = np.ones(score.size)
    ranked = _ranked(score, label.astype(np.float64), weight)
    sure = np.clip(np.where(label, score, 1 - score), 1e-12, 1.0)
    larger = float(max(label.mean(), 1 - label.mean()))
    accuracy = float(np.mean((score >= 0.5) == label))
    return {"accuracy": accuracy, "larger_class": larger, **ranked, "log_loss": float(-np.log(sure).mean())}


def gaps(people: People, fair: Array, rows: Codes) -> dict[str, float]:
    """Measure how far groups are apart on some rows: the mean over folds, for each fold's maps err in their own way."""
    found: list[dict[str, float]] = []
    sizes = []
    codes = people.codes
    for fold in np.unique(people.fold[rows]):
        here = rows[(people.fold[rows] == fold) & (codes[rows] >= 0)]
        score, of, weight = fair[here], codes[here], people.weight[here]
        one = {"score_gap": largest_gap(score, of, weight)}
        if people.threshold is not None:
            decision = score >= people.threshold
            one["parity_gap"] = _spread(decision, of, weight)
            if people.label is not None and people.yes_or_no:
                positive = people.label[here] == 1
                one["opportunity_gap"] = _spread(decision[positive], of[positive], weight[positive])
        found.append(one)
        sizes.append(weight.sum())
    return {name: float(np.average([one[name] for one in found], weights=sizes)) for name in found[0]}


def _along(people: People, decision: Array, rows: Codes) -> dict[str, float]:
    """Measure how the share of yes changes along the exact attributes, the largest of each."""
    found = []
    for column in people.attributes:
        known = ~np.isnan(column.values[rows])
        one = Column(column.name, column.values[rows][known], column.levels)
        reach = reach_of(one, decision[known], people.weight[rows][known], 1.0, whole=False)
        found.append((reach.sd, reach.gap))
    return {"selection_sd": max(sd for sd, _ in found), "selection_gap": max(gap for _, gap in found)}


def _decided(decision: Array, label: Array, weight: Array) -> dict[str, float]:
    right = decision == label
    kinds = [label == y for y in (0.0, 1.0) if weight[label == y].sum() > 0]
    return {
        "accuracy": float(np.average(right, weights=weight)),
        "balanced_accuracy": float(np.mean([np.average(right[kind], weights=weight[kind]) for kind in kinds])),
    }


def _ranked(score: Array, label: Array, weight: Array) -> dict[str, float]:
    """Return the areas under the curves of precision and recall, and of true against false positives."""
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)  # people who share a score are passed at once
    yes = np.cumsum(weight[order] * label[order])[last]
    no = np.cumsum(weight[order] * (1 - label[order]))[last]
    if yes[-1] <= 0 or no[-1] <= 0:
        return dict.fromkeys(("pr_auc", "roc_auc"), float("nan"))
    gained, passed = np.diff(yes, prepend=0.0), np.diff(no, prepend=0.0)
    precision = np.divide(yes, yes + no, out=np.zeros_like(yes), where=yes + no > 0)
    area = np.sum(passed * (yes - gained / 2)) / (yes[-1] * no[-1])
    return {"pr_auc": float(np.sum(gained * precision) / yes[-1]), "roc_auc": float(area)}


def _predicted(score: Array, truth: Array, weight: Array) -> dict[str, float]:
    """Return the share of the variance of a number that is explained, and the mean error."""
    mean = np.average(truth, weights=weight)
    total = float(np.average((truth - mean) ** 2, weights=weight))
    error = float(np.average((truth - score) ** 2, weights=weight))
    return {
        "r2": 1 - error / total if total > 0 else float("nan"),
        "mean_error": float(np.average(np.abs(truth - score), weights=weight)),
    }


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
