"""FairClassifier: a classifier whose probabilities are made fair, by maps learnt on people its models have not seen."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from fairgroups.errors import InputError
from fairgroups.options import Missing
from fairgroups.repair.calibration import Calibration
from fairgroups.repair.fair_model import AtPredict, FairModel
from fairgroups.repair.inputs import read_weights
from fairgroups.repair.score_repair import Condition, Relaxation
from fairgroups.repair.transport import Cost
from fairgroups.rows.column_values import is_missing, one_column

__all__ = ["FairClassifier"]

Array = NDArray[np.float64]


class FairClassifier(ClassifierMixin, FairModel):  # type: ignore[misc]
    """Wrap a yes/no classifier so that people get alike probabilities whatever their sensitive attribute is.

    Models are fitted on folds, and every person's probability comes from one that has not seen the person. On these the
    repair is learnt, so it belongs to the very models that are used: `predict_proba` is the mean of their repaired
    probabilities. A last map, the same for everybody, makes the probabilities come true again.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba`` or ``decision_function``.
    sensitive : str or int, list of these, or None
        Column of X that holds the attribute, by name or position, or several; it is withheld from the model unless
        `use_sensitive` says otherwise. With None, the attribute is passed to `fit` and `predict` as ``sensitive=``.
    partition, max_gap, cost, relaxation, condition, missing
        See `ScoreRepair`.
    at_predict : {"with", "without"}
        Whether the attribute is known when the model is used. ``"without"``: it is needed for `fit` only, and guessed
        from the features afterwards; see `BlindRepair` for what that can reach, and `left_` for what it does.
    group_estimator : classifier, optional
        With ``at_predict="without"``: what guesses the groups of the attribute; by default another `estimator`.
    use_sensitive : bool
        Whether the model may use the sensitive columns of X.
    calibrate : bool
        Whether the fair probabilities are made to come true, by a rising map.
    threshold : float
        Probability from which on `predict` says the second class.
    cv : int, splitter, float or "prefit"
        Folds, or a splitter of scikit-learn's: a model for each. A share of the people, such as 0.3: one model, fitted
        on the others; they are left for the repair. ``"prefit"``: `estimator` is fitted already, on people other than
        those passed to `fit`.
    judge : bool
        Whether all is fitted once more without a fifth of the people, to tell on these what is left (`left_`).
    random_state : int
        Seed of the folds, and for people who share a probability.

    Attributes
    ----------
    estimators_ : list
        The models.
    repair_ : ScoreRepair or BlindRepair
        The maps.
    partition_ : Partition
        The groups by which the repair is told and judged.
    left_ : Left
        What is left of the dependence on the attribute in the final probabilities, on people left out of everything.
    calibration_ : Calibration
        The last map.
    classes_ : array
        The two classes.

    Notes
    -----
    People with the same probability are told apart by their features (a hash of the row), or by `key`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairgroups import FairClassifier
    >>> rng = np.random.default_rng(0)
    >>> age = rng.uniform(20, 60, 2000)
    >>> X = rng.normal(age[:, None] / 20, 1, (2000, 2))
    >>> y = rng.random(2000) < 1 / (1 + np.exp(3 - X[:, 0]))
    >>> model = FairClassifier(LogisticRegression()).fit(X, y, sensitive=age)
    >>> p = model.predict_proba(X, sensitive=age)[:, 1]
    >>> bool(abs(p[age < 40].mean() - p[age >= 40].mean()) < 0.03)
    True
    """

    def __init__(
        self,
        estimator: Any,
        *,
        sensitive: str | int | list[str] | list[int] | None = None,
        partition: Any = "auto",
        max_gap: float = 0.0,
        cost: Cost = "w2",
        relaxation: Relaxation = "gap",
        condition: Condition | None = None,
        missing: Missing = "error",
        at_predict: AtPredict = "with",
        group_estimator: Any = None,
        use_sensitive: bool = False,
        calibrate: bool = True,
        threshold: float = 0.5,
        cv: Any = 5,
        judge: bool = True,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.sensitive = sensitive
        self.partition = partition
        self.max_gap = max_gap
        self.cost = cost
        self.relaxation = relaxation
        self.condition = condition
        self.missing = missing
        self.at_predict = at_predict
        self.group_estimator = group_estimator
        self.use_sensitive = use_sensitive
        self.calibrate = calibrate
        self.threshold = threshold
        self.cv = cv
        self.judge = judge
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the models and learn the repair on people that each has not seen.

        Parameters
        ----------
        X : array-like or frame
            Features.
        y : array-like
            Two classes.
        sensitive : array-like or frame, optional
            The sensitive attribute, where it is not a column of X.
        sample_weight : array-like, optional
            Weights, for the models and for the repair.
        groups : array-like, optional
            What a splitter such as ``GroupKFold`` keeps together.

        Returns
        -------
        the estimator itself
        """
        column = one_column(y)
        if any(is_missing(value) for value in column.tolist()):
            raise InputError("y holds missing values.", "leave these rows out.")
        classes, label = np.unique(column, return_inverse=True)
        if classes.size != 2:
            raise InputError(
                f"y must hold two classes; it holds {classes.size}.",
                "FairClassifier is for yes/no: of several classes, make one question for each (this class or another)."
                if classes.size > 2
                else "fit it on people of both classes.",
            )
        self.classes_ = classes
        known = getattr(self.estimator, "classes_", None)
        if isinstance(self.cv, str) and known is not None and list(known) not in (list(classes), [0, 1]):
            raise InputError(f"the fitted estimator tells {list(known)} apart; y holds {list(classes)}.")
        if isinstance(self.threshold, bool) or not isinstance(self.threshold, int | float | np.number):
            raise InputError(f"`threshold` must be a number; got {self.threshold!r}.", "0.5")
        fair, rows = self._learn(X, label.ravel(), sensitive, sample_weight, groups)
        weight = np.ones(rows.size) if sample_weight is None else read_weights(sample_weight, label.size)[rows]
        told = ~np.isnan(fair)
        self.calibration_ = Calibration()
        if self.calibrate:
            self.calibration_ = Calibration.of(fair[told], label.ravel()[rows][told].astype(np.float64), weight[told])
        self._judge(X, y, sensitive, sample_weight, groups)
        return self

    def fair_scores(self, X: Any, *, sensitive: Any = None, key: Any = None) -> Array:
        """Return the fair probability of the second class; see `predict_proba`."""
        repaired = self._repaired(X, sensitive, key)
        return np.asarray(np.mean([self.calibration_(score) for score in repaired], axis=0))

    def predict_proba(self, X: Any, *, sensitive: Any = None, key: Any = None) -> Array:
        """Return fair probabilities of the two classes.

        Parameters
        ----------
        X : array-like or frame
            Features.
        sensitive : array-like or frame, optional
            The sensitive attribute, where it is not a column of X and is known at all.
        key : array-like, optional
            Who each row is, to tell people with the same probability apart; by default their features.

        Returns
        -------
        array
        """
        fair = self.fair_scores(X, sensitive=sensitive, key=key)
        return np.stack([1 - fair, fair], axis=1)

    def predict(self, X: Any, *, sensitive: Any = None, key: Any = None) -> NDArray[Any]:
        """Return the class; see `predict_proba` for the arguments. People whose attribute is missing are refused."""
        fair = self.predict_proba(X, sensitive=sensitive, key=key)[:, 1]
        if np.isnan(fair).any():
            raise InputError(
                f"{int(np.isnan(fair).sum())} people have no fair score, as their attribute is missing.",
                "leave them out, or fit with missing='group'.",
            )
        return np.asarray(self.classes_[(fair >= self.threshold).astype(np.intp)])

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, sensitive: Any = None) -> float:
        """Return the share of classes that are right; see `predict` for the arguments."""
        right = self.predict(X, sensitive=sensitive) == one_column(y)
        return float(np.average(right, weights=sample_weight))

    def __sklearn_tags__(self) -> Any:
        """Return the tags: this is for two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
