"""A repair among comparable people, tried: what it leaves, who gains and who loses, on people left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.repair.effects import Effect, effects_of
from fairgroups.repair.quality import People
from fairgroups.repair.score_repair import ScoreRepair
from fairgroups.repair.scored import Scored
from fairgroups.repair.stratified_repair import StratifiedRepair
from fairgroups.repair.trial import is_label
from fairgroups.rows.column_values import is_missing

__all__ = ["Within", "repair_within"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Within:
    """A repair among comparable people, and what it does.

    Attributes
    ----------
    repair : StratifiedRepair
        Fitted on everybody.
    score, sensitive, given, truth : str, sequences of str, str or None
        The columns.
    rows, unknown : int
        How many people there are, and how many of them lack a factor.
    threshold : float or None
        A score of at least this is a yes; None where there are no decisions.
    effects : list of Effect
        Who gains and who loses, of people left out: each group, and each tenth of the people in order of the attribute.
    up, down : int
        How many of them get a yes instead of a no, and a no instead of a yes.
    right, fair_right : float or None
        The share of decisions that agree with the true label, before and after.
    """

    repair: StratifiedRepair
    score: str
    sensitive: Sequence[str]
    given: Sequence[str]
    truth: str | None
    rows: int
    unknown: int
    threshold: float | None
    effects: list[Effect]
    up: int = 0
    down: int = 0
    right: float | None = None
    fair_right: float | None = None


def repair_within(
    columns: Mapping[str, Any],
    repair: ScoreRepair,
    *,
    score: str,
    sensitive: Sequence[str],
    given: Sequence[str],
    truth: str | None = None,
    weight: str | None = None,
    key: str | None = None,
    positive: Any = None,
    threshold: float | None = None,
    keep_missing: bool = False,
) -> Within:
    """Learn a repair within strata of the factors, and try it on people left out.

    Parameters
    ----------
    columns : mapping
        The people, by column.
    repair : ScoreRepair
        What is done in each stratum.
    score, sensitive, given, truth, weight, key : str, sequences of str, str or None
        The columns.
    positive : label or None
        Which of two true labels counts as yes.
    threshold : float or None
        A score of at least this is a yes: 0.5 for scores between 0 and 1.
    keep_missing : bool
        Whether people without a score or an attribute are left out of the fit; else they are refused.

    Returns
    -------
    Within
    """
    twice = sorted(set(given) & set(sensitive))
    if twice:
        raise InputError(f"{twice[0]!r} is the attribute and held equal at once.", "leave it out of one of the two.")
    if keep_missing:
        there = ~np.any([_missing(columns[name]) for name in (score, *sensitive)], axis=0)
        columns = {name: values[there] for name, values in columns.items()}
    label = None if truth is None else columns[truth]
    if truth is not None and positive is not None:
        label = is_label(label, positive, truth)
    attributes, factors = ({name: columns[name] for name in names} for names in (sensitive, given))
    keys, weights = (None if name is None else columns[name] for name in (key, weight))
    fitted = StratifiedRepair(repair)
    fitted.fit(columns[score], label, sensitive=attributes, given=factors, sample_weight=weights, key=keys)
    people = Scored.read(columns[score], label, attributes, weights, None)
    unknown = int(np.sum(np.any([_missing(columns[name]) for name in given], axis=0)))
    if threshold is None and people.score.min() >= 0 and people.score.max() <= 1:
        threshold = 0.5
    out = (fitted, score, list(sensitive), list(given), truth, people.score.size, unknown, threshold)
    if fitted.left_out_ is None:
        return Within(*out, [])
    there = np.flatnonzero(~np.isnan(fitted.left_out_))
    some, fair = people.take(there), fitted.left_out_[there]
    groups = fitted.others_.partition_
    judged = People(
        score=some.score,
        label=some.label,
        attributes=some.columns,
        weight=some.weight,
        fold=np.zeros(there.size, dtype=np.intp),
        threshold=threshold,
        codes=fitted.others_.assign(some.sensitive),
    )
    effects = effects_of(judged, fair, groups.said(list(sensitive), [column.numbers for column in some.columns]))
    if threshold is None:
        return Within(*out, effects)
    was, now = some.score >= threshold, fair >= threshold
    rights: list[float | None] = [None, None]
    if some.label is not None and judged.yes_or_no:
        rights = [float(np.average(x == some.label, weights=some.weight)) for x in (was, now)]
    return Within(*out, effects, int(np.sum(now & ~was)), int(np.sum(was & ~now)), *rights)


def _missing(values: Any) -> NDArray[np.bool_]:
    """Return who has no value."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return np.asarray(np.ma.getmaskarray(values) | np.isnan(np.ma.getdata(values)))
    return np.array([is_missing(value) for value in values.tolist()], dtype=bool)
