"""Who is compared with whom: people alike in some factors, in strata of these or of a model's scores.

Models are cross-fitted: each person's scores come from people set aside. One model says which outcome the factors let
expect, which is taken off a person's own; another which attribute, and people are put into strata by that. An error of
the first model then matters only where the second errs, too, and in the same direction (Neyman's orthogonality). People
are not put into strata by the first score: among those whom it takes for alike, those it takes for too little would be
those of the higher attribute.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.moments import moments_by
from fairgroups.cells.sample import Sample
from fairgroups.errors import InputError
from fairgroups.measures import Measure
from fairgroups.options import HOW
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows
from fairgroups.rows.strata import Factor, Strata, nothing_to_compare, refuse_names, strata_of
from fairgroups.rows.weights import weighted_sums

__all__ = ["Alike", "MatchedBy", "check_how", "find_alike", "without_each"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
MatchedBy = Literal["strata", "model"]
MOST_FITS = 1_000_000  # rows times factors, up to which models are fitted again without each factor
FEWEST_OF_FOLD = 50
ROWS_FOR_THREADS = 50_000
USUAL_CLARITY = 0.55  # of yes and no
MOST_PRODUCTS = 8  # numbers whose products a linear model knows
STEPS = 80  # of boosting, at most


@dataclass(frozen=True)
class Alike:
    """Who is alike, and how that was found.

    `predicted` holds, by measure, what a model expects of each row; None where strata are of the factors themselves.
    """

    strata: Strata
    how: MatchedBy
    predicted: Mapping[str, Array] | None = None

    def sample(self, sample: Sample, measures: Sequence[Measure], borders: Array | None = None) -> Sample:
        """Return the people less what those alike have."""
        return sample.at_equal(measures, self.strata, self.predicted, borders)


def check_how(how: Any) -> None:
    """Refuse what is neither a word nor an estimator."""
    if isinstance(how, str) and how in HOW:
        return
    from sklearn.base import is_classifier, is_regressor

    if isinstance(how, type | str) or not (hasattr(how, "fit") and (is_classifier(how) or is_regressor(how))):
        raise InputError(
            f"`how` must be one of {', '.join(map(repr, HOW))}, or a classifier or regressor, an estimator with fit "
            f"and predict; got {how!r}."
        )


def find_alike(rows: Rows, measures: Sequence[Measure], how: Any) -> Alike:
    """Find out who is alike in the factors.

    Parameters
    ----------
    rows : Rows
        The people, with their factors.
    measures : sequence of Measure
        Which rates a model is to expect.
    how : {"auto", "strata", "model"} or estimator
        ``"auto"``: strata of the factors, unless people are too few for that; then a model's scores.

    Returns
    -------
    Alike
    """
    check_how(how)
    columns = _columns(rows)
    refuse_names(columns, rows.n)
    _refuse_copies(rows, columns)
    if isinstance(how, str) and how != "model":
        strata = _strata(rows, columns, measures)
        if how == "strata" or not strata.thin or not rows.factors:
            return Alike(strata, "strata")
    scores = _scores(rows, columns, measures, how)
    names = tuple(Factor(column.name, "score", 0) for column in columns)
    return Alike(replace(scores.strata(rows), factors=names), "model", scores.expected)


def _refuse_copies(rows: Rows, columns: Sequence[Column]) -> None:
    """Refuse factors that decide the outcome: at equal ones nobody could be treated differently."""
    strata = strata_of(columns, rows.people)
    first = np.full(strata.n, np.nan)
    first[strata.codes[::-1]] = rows.outcome[::-1]
    same = bool(np.all(rows.outcome == first[strata.codes]))
    if same and strata.n <= rows.size / 4 and bool(np.any(rows.outcome != rows.outcome[0])):
        raise nothing_to_compare([column.name for column in columns])


def without_each(rows: Rows, measures: Sequence[Measure], alike: Alike, how: Any) -> list[Alike] | None:
    """Return who would be alike without each of the factors; None where that would take too long."""
    columns = _columns(rows)
    if alike.how == "model" and rows.size * len(columns) > MOST_FITS:
        return None
    out = []
    for i, _ in enumerate(columns):
        others = [column for j, column in enumerate(columns) if j != i]
        if not others:
            everybody = Strata(np.zeros(rows.size, dtype=np.intp), 1, ())
            out.append(Alike(everybody, alike.how))
        elif alike.how == "strata":
            out.append(Alike(_strata(rows, others, measures), "strata"))
        else:
            scores = _scores(rows, others, measures, how, brief=True)
            out.append(Alike(scores.strata(rows), "model", scores.expected))
    return out


def _strata(rows: Rows, columns: Sequence[Column], measures: Sequence[Measure]) -> Strata:
    """Return strata; with more bins where the factors explain so much that what is left of them in a bin would show."""
    strata = strata_of(columns, rows.people)
    if not any(factor.kind == "bins" for factor in strata.factors):
        return strata
    clear = max(_clarity(rows, measure, strata) for measure in measures)
    if clear <= USUAL_CLARITY:
        return strata
    return strata_of(columns, rows.people, finer=clear / USUAL_CLARITY)


def _clarity(rows: Rows, measure: Measure, strata: Strata) -> float:
    """Return how far the rates of strata lie apart, over how far rows scatter around them."""
    sums = moments_by(rows, measure, strata.codes, strata.n)
    known = sums.b > 0
    rate, share = sums.a[known] / sums.b[known], sums.b[known] / sums.b.sum()
    between = float(np.sum(share * (rate - np.sum(share * rate)) ** 2))
    inside = float(np.sum((sums.aa - sums.ab**2 / np.where(sums.bb > 0, sums.bb, 1.0))[known]) / sums.bb.sum())
    return math.sqrt(between / inside) if inside > 0 else 0.0


def _columns(rows: Rows) -> list[Column]:
    """Return the factors, and what the user's own model expects as one more."""
    columns = list(rows.factors)
    if rows.expected is not None:
        columns.append(Column("expected", rows.expected))
    return columns


@dataclass(frozen=True)
class _Scores:
    """What is expected of each row: the outcome, by measure, and the attributes, of which strata are made."""

    expected: dict[str, Array]
    attributes: list[Array]

    def strata(self, rows: Rows) -> Strata:
        """Put people of about equal expected attributes together."""
        columns = [Column(str(i), score) for i, score in enumerate(self.attributes)]
        return strata_of(columns, rows.people)


def _scores(
    rows: Rows, columns: Sequence[Column], measures: Sequence[Measure], how: Any, *, brief: bool = False
) -> _Scores:
    """Return what models expect; `brief` for a description only, with fewer folds."""
    features = _Features.of(columns)
    folds = _folds(rows, columns, 2 if brief else 5 if rows.size <= 100_000 else 3 if rows.size <= 400_000 else 2)
    expected = {}
    for measure in measures:
        a, b = weighted_sums(replace(rows, offset=0.0), measure)
        counts = b > 0
        value = np.divide(a, b, out=np.zeros_like(a), where=counts)
        expected[measure.name] = _crossfitted(features, value, b * rows.people, folds, how)
    attributes = []
    for column in rows.columns[:2]:
        known = ~np.isnan(column.values)
        values = np.nan_to_num(column.values)
        target = _ranks(values, known, rows.people) if column.levels is None else _largest(values, known, rows.people)
        attributes.append(_crossfitted(features, target, rows.people * known, folds, "model"))
    return _Scores(expected, attributes)


def _ranks(values: Array, known: NDArray[np.bool_], people: Array) -> Array:
    """Return which share of the people has a smaller value."""
    levels, codes = np.unique(values[known], return_inverse=True)
    counted = np.bincount(np.ravel(codes), people[known], levels.size)
    rank = (np.cumsum(counted) - counted / 2) / counted.sum()
    out = np.zeros(values.size)
    out[known] = rank[np.ravel(codes)]
    return out


def _largest(values: Array, known: NDArray[np.bool_], people: Array) -> Array:
    """Return whether a row has the most frequent level."""
    counted = np.bincount(values[known].astype(np.intp), people[known])
    found: Array = (values == int(np.argmax(counted))).astype(np.float64)
    return found


@dataclass(frozen=True)
class _Features:
    """Factors as a model takes them: as codes with missing values, and all as numbers."""

    codes: Array
    categorical: list[bool]
    numbers: Array

    @cached_property
    def linear(self) -> Array:
        """Numbers about 0 with their squares, for a linear model."""
        centred = self.numbers - self.numbers.mean(axis=0)
        scale = centred.std(axis=0)
        centred = centred / np.where(scale > 0, scale, 1.0)
        several = [d for d in range(centred.shape[1]) if np.unique(centred[:, d]).size > 2]
        near = np.clip(centred, -4, 4)
        pairs = [(d, e) for i, d in enumerate(several) for e in several[i : i + 1 + MOST_PRODUCTS]]
        products = [near[:, [d]] * near[:, [e]] for d, e in pairs]
        return np.concatenate([np.clip(centred, -8, 8), *products], axis=1)

    @classmethod
    def of(cls, columns: Sequence[Column]) -> _Features:
        known = [(~np.isnan(column.values)).any() for column in columns]
        codes = np.stack(
            [c.values if k else np.zeros(c.values.size) for c, k in zip(columns, known, strict=True)], axis=1
        )
        plain: list[Array] = []
        for column in columns:
            missing = np.isnan(column.values)
            if column.levels is None:
                middle = float(np.median(column.values[~missing])) if (~missing).any() else 0.0
                plain.append(np.where(missing, middle, column.values))
                if missing.any():
                    plain.append(missing.astype(np.float64))
            else:
                plain += [(column.values == i).astype(np.float64) for i in range(1, len(column.levels))]
        few = [column.levels is not None and len(column.levels) <= 200 for column in columns]
        numbers = np.stack(plain, axis=1) if plain else np.zeros((codes.shape[0], 1))
        return cls(codes, few, numbers)


def _folds(rows: Rows, columns: Sequence[Column], n_folds: int) -> NDArray[np.intp]:
    """Deal rows into folds by what they hold, so that their order does not matter; a cluster stays together."""
    keys = [rows.outcome, *(np.nan_to_num(c.values, nan=np.inf) for c in (*rows.columns, *columns))]
    if rows.cluster is not None:
        first = np.full(int(rows.cluster.max()) + 1, rows.size)
        place = np.empty(rows.size, dtype=np.intp)
        place[np.lexsort(keys)] = np.arange(rows.size)
        np.minimum.at(first, rows.cluster, place)
        rank = np.argsort(np.argsort(first))
        return rank[rows.cluster] % n_folds
    fold = np.empty(rows.size, dtype=np.intp)
    fold[np.lexsort(keys)] = np.arange(rows.size) % n_folds
    return fold


def _crossfitted(features: _Features, target: Array, weight: Array, folds: NDArray[np.intp], how: Any) -> Array:
    """Return what models expect of each row, each fitted to the rows of the other folds."""
    from threadpoolctl import threadpool_limits

    out = np.empty(target.size)
    n_folds = int(folds.max()) + 1
    # On a machine that others use, threads that wait for each other after every leaf take minutes for few rows.
    with threadpool_limits(1 if target.size < ROWS_FOR_THREADS else None, user_api="openmp"):
        for fold in range(n_folds):
            inside, used = folds == fold, (folds != fold) & (weight > 0)
            y, w = target[used], weight[used]
            if y.size < FEWEST_OF_FOLD or y.min() == y.max():
                out[inside] = np.average(y, weights=w) if y.size else 0.0
                continue
            if how in ("auto", "model"):
                tried = used & (folds == (fold + 1) % n_folds) if n_folds > 2 else None
                out[inside] = _boosted(features, target, weight, used, inside, tried)
            else:
                out[inside] = _of_user(how, features.numbers, used, inside, y, w)
    if not np.isfinite(out).all():
        raise InputError("the estimator in `how` predicts values that are not finite.", "check it, or use how='model'.")
    return out


def _boosted(features: _Features, target: Array, weight: Array, used: Mask, inside: Mask, tried: Mask | None) -> Array:
    """Boost what a linear model leaves: boosting alone falls short of the ends, and always to the same side.

    How far it is boosted is what does best on the rows `tried`, which are set aside for that; not at all, perhaps.
    """
    steps = STEPS
    if tried is not None and tried.any() and (used & ~tried).sum() >= FEWEST_OF_FOLD:
        start, model = _fitted(features, target, weight, used & ~tried, STEPS)
        first = start(tried)
        found = [first, *(first + more for more in model.staged_predict(features.codes[tried]))]
        errors = [np.average((target[tried] - x) ** 2, weights=weight[tried]) for x in found]
        steps = int(np.argmin(errors))
    start, model = _fitted(features, target, weight, used, steps)
    mine: Array = start(inside)
    if model is not None:
        mine = mine + model.predict(features.codes[inside])
    return np.clip(mine, 0.0, 1.0) if _is_binary(target[used]) else mine


def _fitted(features: _Features, target: Array, weight: Array, used: Mask, steps: int) -> tuple[Any, Any]:
    """Fit a linear model, and boosting to what it leaves; None for the latter where no step is taken."""
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.linear_model import LogisticRegression, Ridge

    x, y = features.linear, target[used]
    w = None if (weight[used] == weight[used][0]).all() else weight[used]  # equal ones take scikit-learn long
    if _is_binary(y) and y.min() < y.max():
        logistic = LogisticRegression(C=10.0, max_iter=200).fit(x[used], y, sample_weight=w)

        def start(part: Mask) -> Any:
            return logistic.predict_proba(x[part])[:, 1]
    else:
        ridge = Ridge(alpha=1.0).fit(x[used], y, sample_weight=w)

        def start(part: Mask) -> Any:
            return ridge.predict(x[part])

    if steps == 0:
        return start, None
    model = HistGradientBoostingRegressor(
        max_iter=steps,
        learning_rate=0.1,
        max_leaf_nodes=8,
        min_samples_leaf=40,
        early_stopping=False,
        categorical_features=features.categorical,
        random_state=0,
    )
    return start, model.fit(features.codes[used], y - start(used), sample_weight=w)


def _is_binary(y: Array) -> bool:
    return bool(np.all((y == 0) | (y == 1)))


def _of_user(how: Any, numbers: Array, used: Mask, inside: Mask, y: Array, w: Array) -> Array:
    from sklearn.base import clone, is_classifier
    from sklearn.utils.validation import has_fit_parameter

    if is_classifier(how) and not _is_binary(y):
        raise InputError(
            "`how` is a classifier, and outcomes or attributes are amounts.", "give a regressor, or how='model'."
        )
    model = clone(how)
    weighted = {"sample_weight": w} if has_fit_parameter(model, "sample_weight") and (w != w[0]).any() else {}
    model.fit(numbers[used], y, **weighted)
    if _is_binary(y) and hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(numbers[inside])[:, 1], dtype=np.float64)
    return np.asarray(model.predict(numbers[inside]), dtype=np.float64)
