"""What FairClassifier and FairRegressor share: models, scores of people they have not seen, the repair of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, StratifiedKFold, check_cv, train_test_split
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from fairgroups.errors import InputError, MissingValuesError
from fairgroups.options import one_of
from fairgroups.repair.blind_repair import BlindRepair
from fairgroups.repair.inputs import check_options, found_already, read_partition, read_weights
from fairgroups.repair.left import Left, left_of, warn_of
from fairgroups.repair.row_keys import row_keys
from fairgroups.repair.score_repair import KNOTS, MOST_NAMED, SMALLEST_NAMED, ScoreRepair
from fairgroups.repair.score_table import ScoreTable
from fairgroups.repair.scored import Scored
from fairgroups.repair.stretches import partition_of
from fairgroups.rows.column_values import one_column
from fairgroups.sources.frames import column_names

__all__ = ["AtPredict", "FairModel"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
AtPredict = Literal["with", "without"]
FOLDS = 5


class FairModel(BaseEstimator):  # type: ignore[misc]
    """A model whose scores are repaired; see `FairClassifier` and `FairRegressor` for what it takes."""

    estimators_: list[Any]
    repair_: ScoreRepair | BlindRepair
    left_: Left | None
    classes_: NDArray[Any]

    def _learn(
        self, X: Any, label: NDArray[Any], sensitive: Any, sample_weight: Any, groups: Any
    ) -> tuple[Array, Codes]:
        """Fit models and repair; return the fair scores of people left out, and which rows they are."""
        one_of(self.at_predict, "at_predict", ("with", "without"))
        if isinstance(X, Mapping) or (hasattr(X, "columns") and not hasattr(X, "__len__")):
            raise InputError("X must be an array, or a frame in memory.", "collect it first.")
        wished = ScoreRepair(
            self.partition,
            max_gap=self.max_gap,
            cost=self.cost,
            relaxation=self.relaxation,
            condition=getattr(self, "condition", None),
            missing=self.missing,
            random_state=self.random_state,
        )
        check_options(wished)
        self.n_features_in_ = 1 if np.ndim(X) < 2 else int(np.shape(X)[1])
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.array([str(name) for name in column_names(X)], dtype=object)
        features, attribute = self._apart(X, sensitive)
        n = label.size
        weight = None if sample_weight is None else read_weights(sample_weight, n)
        keys = row_keys(features)
        if keys.size != n:
            raise InputError(f"X has {keys.size} rows and y has {n}.", "pass one label for each row.")
        known = label if is_classifier(self) else None
        everybody = Scored.read(np.zeros(n), known, attribute, weight, keys)  # checked before long work
        score, rows = self._score_people(features, label, weight, groups)
        people = replace(everybody, score=np.nan_to_num(score)).take(rows)
        if self.at_predict == "without":
            fair = self._learn_blind(_safe_indexing(features, rows), people)
        else:
            wished.fit_without_judgement(people)
            wished.left_ = None
            self.repair_ = wished
            self.partition_ = self.repair_.partition_
            fair = self.repair_.fair_where_known(people)
        return fair, rows

    def _judge(self, X: Any, y: Any, sensitive: Any, sample_weight: Any, groups: Any) -> None:
        """Judge all of it, the mean over models and the last map included, on a fifth of the people left out."""
        self.left_ = None
        if not self.judge:
            return
        features, attribute = self._apart(X, sensitive)
        target = one_column(y)
        weight = np.ones(target.size) if sample_weight is None else one_column(sample_weight)
        known = (target == self.classes_[1]).astype(np.float64) if is_classifier(self) else None
        people = Scored.read(np.zeros(target.size), known, attribute, weight, row_keys(features))
        part = people.deal(FOLDS, self.random_state)[0]
        rest = np.setdiff1d(np.arange(target.size), part)
        one = clone(self).set_params(judge=False, partition=found_already(self.partition))
        if isinstance(self.cv, str):
            one.estimator = self.estimator  # a clone forgets what it learnt
        given = {
            "sensitive": None if sensitive is None else people.take(rest).sensitive,
            "sample_weight": None if sample_weight is None else weight[rest],
            "groups": None if groups is None else one_column(groups)[rest],
        }
        try:
            one.fit(_safe_indexing(X, rest), target[rest], **given)
            asked = _safe_indexing(X, part)
            own = None if sensitive is None or self.at_predict == "without" else people.take(part).sensitive
            fair = one.fair_scores(asked, sensitive=own)
            before = np.mean([one.score_of(model, one.features_of(asked)) for model in one.estimators_], axis=0)
        except (InputError, ValueError):  # too few people to leave some out
            return
        some = replace(people.take(part), score=np.asarray(before))
        threshold = getattr(self, "threshold", None)
        self.left_ = left_of(some, fair, getattr(self, "condition", None), float(self.max_gap), threshold)
        warn_of(self.left_, condition=getattr(self, "condition", None), shared=0.0, keys=True)

    def _score_people(
        self, features: Any, label: NDArray[Any], weight: Array | None, groups: Any
    ) -> tuple[Array, Codes]:
        """Fit the models; return scores from models that have not seen the person, and which rows have one."""
        everybody = np.arange(label.size)
        score = np.full(label.size, np.nan)
        target = self.classes_[label] if is_classifier(self) else label
        if isinstance(self.cv, str):
            one_of(self.cv, "cv", ("prefit",))
            try:
                check_is_fitted(self.estimator)
            except NotFittedError as error:
                raise InputError(
                    "cv='prefit' needs an estimator that is fitted already.", "fit it on other people first."
                ) from error
            self.estimators_ = [self.estimator]
            return self.score_of(self.estimator, features), everybody
        stratified = is_classifier(self)
        splits: Iterable[Any]
        if isinstance(self.cv, bool):
            raise InputError(f"`cv` must be folds, a splitter, a share or 'prefit'; got {self.cv!r}.", "cv=5")
        if isinstance(self.cv, float):
            if not 0 < self.cv < 1:
                raise InputError(f"`cv` as a share must be between 0 and 1; got {self.cv!r}.", "cv=0.3")
            kept = label if stratified else None
            try:
                splits = [train_test_split(everybody, test_size=self.cv, random_state=self.random_state, stratify=kept)]
            except ValueError as error:
                raise InputError(f"a share of {self.cv} leaves too few people: {error}", "cv=0.3") from error
        elif isinstance(self.cv, int | np.integer):
            fewest = int(np.bincount(label).min()) if stratified else label.size
            if not 2 <= self.cv <= fewest:
                raise InputError(f"`cv` must be between 2 and {fewest}, as many as the rarer class; got {self.cv!r}.")
            kind = StratifiedKFold if stratified else KFold
            splits = kind(int(self.cv), shuffle=True, random_state=self.random_state).split(everybody, label)
        else:
            splits = check_cv(self.cv, label, classifier=stratified).split(everybody, label, groups)
        self.estimators_ = []
        for train, test in splits:
            if stratified and np.unique(label[train]).size < 2:
                raise InputError("a part of the people holds one class only.", "use fewer folds.")
            model = clone(self.estimator)
            if weight is None:
                model.fit(_safe_indexing(features, train), target[train])
            else:
                try:
                    model.fit(_safe_indexing(features, train), target[train], sample_weight=weight[train])
                except (TypeError, ValueError) as error:
                    raise InputError(
                        f"{type(model).__name__} could not be fitted with weights: {error}", "leave sample_weight out."
                    ) from error
            score[test] = self.score_of(model, _safe_indexing(features, test))
            self.estimators_.append(model)
        rows = np.flatnonzero(~np.isnan(score))
        if rows.size == 0:
            raise InputError("`cv` leaves nobody out, so nobody's score is from a model that has not seen them.")
        return score, rows

    def _learn_blind(self, features: Any, people: Scored) -> Array:
        """Learn a repair that needs no attribute; return the fair scores of people left out."""
        if getattr(self, "condition", None) is not None:
            raise InputError(
                "without the attribute at prediction, everybody's scores are made alike.", "leave condition out."
            )
        if self.missing == "error" and any(np.isnan(column.values).any() for column in people.columns):
            raise MissingValuesError("some attributes are missing (NaN).", "missing='drop' learns from the others.")
        if isinstance(self.partition, str):
            table = ScoreTable.of(people.columns, people.score, [people.weight], KNOTS)
            self.partition_ = partition_of(table, MOST_NAMED, SMALLEST_NAMED, "drop")
        else:
            self.partition_ = read_partition(self.partition, people.score, people.sensitive, people.weight)
        held = people.sensitive
        codes = self.partition_.assign(held)
        seen, inverse = np.unique(codes[codes >= 0], return_inverse=True)
        groups = np.full(codes.size, -1)
        groups[codes >= 0] = inverse.ravel()
        self.group_estimators_: list[Any] = []
        chances = np.ones((codes.size, seen.size))
        if seen.size > 1:
            known = np.flatnonzero(groups >= 0)
            chances = np.zeros((codes.size, seen.size))
            kind = self.group_estimator if self.group_estimator is not None else self._usual_groups()
            for train, test in KFold(FOLDS, shuffle=True, random_state=self.random_state).split(groups):
                train = train[np.isin(train, known)]  # noqa: PLW2901
                model = clone(kind).fit(_safe_indexing(features, train), groups[train])
                chances[test] = _of_groups(model, _safe_indexing(features, test), seen.size)
                self.group_estimators_.append(model)
        fair = np.empty(codes.size)
        for part in people.deal(FOLDS, self.random_state):
            rest = np.setdiff1d(np.arange(codes.size), part)
            one = BlindRepair(max_gap=self.max_gap).fit(
                people.score[rest], groups=groups[rest], chances=chances[rest], sample_weight=people.weight[rest]
            )
            fair[part] = one.transform(people.score[part], chances=chances[part])
        self.repair_ = BlindRepair(max_gap=self.max_gap).fit(
            people.score, groups=groups, chances=chances, sample_weight=people.weight
        )
        return fair

    def _usual_groups(self) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        if is_classifier(self.estimator) and hasattr(self.estimator, "predict_proba"):
            return self.estimator
        return HistGradientBoostingClassifier(max_iter=60, random_state=self.random_state)

    def _repaired(self, X: Any, sensitive: Any, key: Any) -> list[Array]:
        """Return the repaired scores of each model."""
        check_is_fitted(self, "repair_")
        if isinstance(self.repair_, BlindRepair):
            features = self.features_of(X)
            scores = [self.score_of(model, features) for model in self.estimators_]
            chances = np.ones((scores[0].size, 1))
            if self.group_estimators_:
                size = self.repair_.shares_.size
                chances = np.mean([_of_groups(model, features, size) for model in self.group_estimators_], axis=0)
            return [self.repair_.transform(score, chances=chances) for score in scores]
        features, attribute = self._apart(X, sensitive)
        keys = row_keys(features) if key is None and self.repair_.maps_.shared else key
        return [
            self.repair_.transform(self.score_of(model, features), sensitive=attribute, key=keys)
            for model in self.estimators_
        ]

    def score_of(self, model: Any, features: Any) -> Array:
        """Return the scores of one model."""
        if not is_classifier(self):
            return np.asarray(model.predict(features), dtype=np.float64).ravel()
        if hasattr(model, "predict_proba"):
            known = list(getattr(model, "classes_", self.classes_))
            at = known.index(self.classes_[1]) if self.classes_[1] in known else 1
            return np.asarray(model.predict_proba(features), dtype=np.float64)[:, at]
        if hasattr(model, "decision_function"):
            return np.asarray(expit(model.decision_function(features)), dtype=np.float64)
        raise InputError(f"{type(model).__name__} gives neither probabilities nor a decision function.")

    def _names(self) -> list[Any]:
        return list(self.sensitive) if isinstance(self.sensitive, list | tuple) else [self.sensitive]

    def _apart(self, X: Any, sensitive: Any) -> tuple[Any, Any]:
        """Take the sensitive columns out of X."""
        if self.sensitive is None:
            if sensitive is None:
                raise InputError(
                    "the sensitive attribute is needed.", "name its column (sensitive='age'), or pass sensitive=…"
                )
            plain = hasattr(sensitive, "ndim") or hasattr(sensitive, "columns") or isinstance(sensitive, Mapping)
            return X, sensitive if plain else np.asarray(sensitive)
        if sensitive is not None:
            raise InputError("the sensitive attribute is a column of X and was passed as well.", "give it once.")
        names = self._names()
        if all(isinstance(name, int | np.integer) and not isinstance(name, bool) for name in names):
            return self._apart_by_position(X, [int(name) for name in names])
        if not hasattr(X, "columns"):
            raise InputError(
                f"X must be a frame with the columns {names}.",
                "pass a frame, a position (sensitive=3), or sensitive=….",
            )
        absent = [name for name in names if name not in list(X.columns)]
        if absent:
            raise InputError(f"X has no column {absent[0]!r}; it has {[str(c) for c in X.columns][:10]}.")
        attribute = X[names[0]] if len(names) == 1 else X[names]
        return self.features_of(X), attribute

    def _apart_by_position(self, X: Any, places: list[int]) -> tuple[Any, Any]:
        if hasattr(X, "toarray"):
            raise InputError("X is sparse: its columns have no position to name.", "pass the attribute: sensitive=…")
        table = X if hasattr(X, "columns") else np.asarray(X)
        if getattr(table, "ndim", 2) != 2 or not all(-table.shape[1] <= place < table.shape[1] for place in places):
            raise InputError(f"X has no column at {places}; its shape is {np.shape(X)}.", "positions begin at 0.")
        if hasattr(X, "columns"):
            attribute = X[[X.columns[place] for place in places]] if len(places) > 1 else X[X.columns[places[0]]]
        else:
            attribute = table[:, places[0]] if len(places) == 1 else table[:, places]
        return self.features_of(X), attribute

    def features_of(self, X: Any) -> Any:
        """Return what the model sees of X; the sensitive columns may be missing from it."""
        if self.sensitive is None or self.use_sensitive:
            return X
        names = self._names()
        if hasattr(X, "columns"):
            columns = list(X.columns)
            hidden = [columns[name] if isinstance(name, int | np.integer) else name for name in names]
            return X[[name for name in columns if name not in hidden]]
        table = np.asarray(X)
        if table.shape[1] < self.n_features_in_ if hasattr(self, "n_features_in_") else False:
            return table  # without the sensitive columns already
        return np.delete(table, names, axis=1)

    @property
    def estimator_(self) -> Any:
        """The model, where there is one."""
        check_is_fitted(self, "estimators_")
        if len(self.estimators_) > 1:
            raise AttributeError("there are several models, whose fair scores are averaged: see estimators_.")
        return self.estimators_[0]


def _of_groups(model: Any, features: Any, size: int) -> Array:
    """Return the chance of each group, 0 for those that a model has not seen."""
    found = np.zeros((len(row_keys(features)) if not hasattr(features, "shape") else features.shape[0], size))
    found[:, np.asarray(model.classes_, dtype=np.intp)] = model.predict_proba(features)
    return found
