"""FairClassifier: a classifier whose probabilities are made fair, by groups and maps learnt on held-out people."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils.validation import check_is_fitted

from fairgroups.errors import InputError
from fairgroups.grouping.fair_groups import FairGroups
from fairgroups.repair.score_repair import Condition, Relaxation, ScoreRepair
from fairgroups.repair.transport import Cost
from fairgroups.rows.columns import is_missing, one_column

__all__ = ["FairClassifier"]

Array = NDArray[np.float64]


class FairClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Wrap a yes/no classifier so that groups of a sensitive attribute get alike probabilities.

    The model is cross-fitted: every person's probability comes from a model that has not seen the person. On these the
    groups are found and the repair is learnt, so both are held-out by construction. The final model is trained on all.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba``.
    sensitive : str, list of str, or None
        Column of X that holds the attribute, or several; it is withheld from the model unless `use_sensitive` says
        otherwise. With None, the attribute is passed to `fit` and `predict` as ``sensitive=``.
    n_groups : int or "auto"
        How many groups to find, on the mean probability; ``"auto"`` as in `ScoreRepair`.
    max_gap : float
        See `ScoreRepair`.
    cost, relaxation, smooth, condition
        See `ScoreRepair`.
    partition : Partition, optional
        Use these groups instead of searching.
    min_group_size : int or float
        With a number of groups: least people in one, or their share.
    use_sensitive : bool
        Whether the model may use the sensitive columns of X.
    threshold : float
        Probability from which on `predict` says the second class.
    cv : int
        Folds of the cross-fitting.
    random_state : int
        Seed of the folds, and for people who share a probability.

    Attributes
    ----------
    estimator_ : classifier
        The model, trained on all rows.
    repair_ : ScoreRepair
        The maps; `repair_.partition_` are the groups.
    classes_ : array
        The two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairgroups import FairClassifier
    >>> rng = np.random.default_rng(0)
    >>> age = rng.uniform(20, 60, 2000)
    >>> X = rng.normal(age[:, None] / 20, 1, (2000, 2))
    >>> y = rng.random(2000) < 1 / (1 + np.exp(3 - X[:, 0]))
    >>> model = FairClassifier(LogisticRegression(), n_groups=3).fit(X, y, sensitive=age)
    >>> p = model.predict_proba(X, sensitive=age)[:, 1]
    >>> bool(abs(p[age < 40].mean() - p[age >= 40].mean()) < 0.1)
    True
    """

    def __init__(
        self,
        estimator: Any,
        *,
        sensitive: str | list[str] | None = None,
        n_groups: int | Literal["auto"] = "auto",
        max_gap: float = 0.0,
        cost: Cost = "w2",
        relaxation: Relaxation = "gap",
        smooth: bool = False,
        condition: Condition | None = None,
        partition: Any = None,
        min_group_size: float = 0.05,
        use_sensitive: bool = False,
        threshold: float = 0.5,
        cv: int = 5,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.sensitive = sensitive
        self.n_groups = n_groups
        self.max_gap = max_gap
        self.cost = cost
        self.relaxation = relaxation
        self.smooth = smooth
        self.condition = condition
        self.partition = partition
        self.min_group_size = min_group_size
        self.use_sensitive = use_sensitive
        self.threshold = threshold
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive: Any = None, sample_weight: Any = None) -> Self:
        """Cross-fit the model, find the groups, learn the maps, and train the model on all rows.

        Parameters
        ----------
        X : array-like or frame
            Features.
        y : array-like
            Two classes.
        sensitive : array-like or frame, optional
            The sensitive attribute, where it is not a column of X.
        sample_weight : array-like, optional
            Weights, for the model and for the repair.

        Returns
        -------
        the estimator itself
        """
        if any(is_missing(value) for value in one_column(y).tolist()):
            raise InputError("y holds missing values.", "leave these rows out.")
        classes, label = np.unique(one_column(y), return_inverse=True)
        label = label.ravel()
        if classes.size != 2:
            raise InputError(f"y must hold two classes; it holds {classes.size}.", "FairClassifier is for yes/no.")
        self.classes_ = classes
        features, attribute = self._apart(X, sensitive)
        folds = StratifiedKFold(self.cv, shuffle=True, random_state=self.random_state)
        given = {} if sample_weight is None else {"sample_weight": one_column(sample_weight)}
        score = cross_val_predict(
            self.estimator, features, label, cv=folds, method="predict_proba", params=given or None
        )[:, 1]
        groups = "auto" if self.n_groups == "auto" else FairGroups(self.n_groups, min_group_size=self.min_group_size)
        self.repair_ = ScoreRepair(
            self.partition if self.partition is not None else groups,
            max_gap=self.max_gap,
            cost=self.cost,
            relaxation=self.relaxation,
            smooth=self.smooth,
            condition=self.condition,
            random_state=self.random_state,
        ).fit(score, label, sensitive=attribute, sample_weight=sample_weight)
        self.estimator_ = clone(self.estimator).fit(features, label, **given)
        return self

    def _apart(self, X: Any, sensitive: Any) -> tuple[Any, Any]:
        """Take the sensitive columns out of X."""
        if self.sensitive is None:
            if sensitive is None:
                raise InputError(
                    "the sensitive attribute is needed.", "name its column (sensitive='age'), or pass sensitive=…"
                )
            return X, sensitive if hasattr(sensitive, "ndim") else np.asarray(sensitive)
        if sensitive is not None:
            raise InputError("the sensitive attribute is a column of X and was passed as well.", "give it once.")
        names = [self.sensitive] if isinstance(self.sensitive, str) else list(self.sensitive)
        if not hasattr(X, "columns"):
            raise InputError(f"X must be a frame with the columns {names}.", "pass a frame, or sensitive=….")
        absent = [name for name in names if name not in list(X.columns)]
        if absent:
            raise InputError(f"X has no column {absent[0]!r}; it has {[str(c) for c in X.columns][:10]}.")
        attribute = X[names[0]] if len(names) == 1 else X[names]
        if self.use_sensitive:
            return X, attribute
        return X[[name for name in X.columns if name not in names]], attribute

    def predict_proba(self, X: Any, *, sensitive: Any = None, key: Any = None) -> Array:
        """Return fair probabilities of the two classes.

        Parameters
        ----------
        X : array-like or frame
            Features.
        sensitive : array-like or frame, optional
            The sensitive attribute, where it is not a column of X.
        key : array-like, optional
            Who each row is, to tell people with the same probability apart; see `ScoreRepair.transform`.

        Returns
        -------
        array
        """
        check_is_fitted(self)
        features, attribute = self._apart(X, sensitive)
        score = self.estimator_.predict_proba(features)[:, 1]
        fair = self.repair_.transform(score, sensitive=attribute, key=key)
        return np.stack([1 - fair, fair], axis=1)

    def predict(self, X: Any, *, sensitive: Any = None, key: Any = None) -> NDArray[Any]:
        """Return the class; see `predict_proba` for the arguments. People whose attribute is missing get none."""
        fair = self.predict_proba(X, sensitive=sensitive, key=key)[:, 1]
        if np.isnan(fair).any():
            raise InputError(
                f"{int(np.isnan(fair).sum())} people have no group, as their attribute is missing, so no decision.",
                "leave them out, or use a partition with missing='group'.",
            )
        return np.asarray(self.classes_[(fair >= self.threshold).astype(np.intp)])

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, sensitive: Any = None) -> float:
        """Return the share of classes that are right; see `predict` for the arguments."""
        right = self.predict(X, sensitive=sensitive) == one_column(y)
        return float(np.average(right, weights=sample_weight))
