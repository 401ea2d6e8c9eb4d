"""FairRegressor: a model of numbers whose predictions are made fair, by maps learnt on people it has not seen."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from fairgroups.errors import InputError
from fairgroups.options import Missing
from fairgroups.repair.fair_model import AtPredict, FairModel
from fairgroups.repair.score_repair import Relaxation
from fairgroups.repair.transport import Cost
from fairgroups.rows.column_values import numbers, one_column

__all__ = ["FairRegressor"]

Array = NDArray[np.float64]


class FairRegressor(RegressorMixin, FairModel):  # type: ignore[misc]
    """Wrap a regressor so that people get alike predictions whatever their sensitive attribute is.

    Parameters
    ----------
    estimator : regressor
        With ``predict``.
    sensitive, partition, max_gap, cost, relaxation, missing, at_predict, group_estimator, use_sensitive
        See `FairClassifier`.
    cv, judge, random_state
        See `FairClassifier`.

    Attributes
    ----------
    estimators_, repair_, partition_, left_
        See `FairClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from fairgroups import FairRegressor
    >>> rng = np.random.default_rng(0)
    >>> age = rng.uniform(20, 60, 2000)
    >>> X = rng.normal(age[:, None] / 20, 1, (2000, 2))
    >>> wage = 1000 * X[:, 0] + rng.normal(0, 500, 2000)
    >>> model = FairRegressor(LinearRegression()).fit(X, wage, sensitive=age)
    >>> fair = model.predict(X, sensitive=age)
    >>> bool(abs(fair[age < 40].mean() - fair[age >= 40].mean()) < 60)
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
        missing: Missing = "error",
        at_predict: AtPredict = "with",
        group_estimator: Any = None,
        use_sensitive: bool = False,
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
        self.missing = missing
        self.at_predict = at_predict
        self.group_estimator = group_estimator
        self.use_sensitive = use_sensitive
        self.cv = cv
        self.judge = judge
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the models and learn the repair on people that each has not seen.

        Parameters
        ----------
        X, sensitive, sample_weight, groups
            See `FairClassifier.fit`.
        y : array-like
            Numbers.

        Returns
        -------
        the estimator itself
        """
        values = numbers(one_column(y), "y")
        if not np.isfinite(values).all():
            raise InputError("y holds missing or infinite values.", "leave these rows out.")
        self._learn(X, values, sensitive, sample_weight, groups)
        self._judge(X, y, sensitive, sample_weight, groups)
        return self

    def fair_scores(self, X: Any, *, sensitive: Any = None, key: Any = None) -> Array:
        """Return fair predictions; see `predict`."""
        return np.asarray(np.mean(self._repaired(X, sensitive, key), axis=0))

    def predict(self, X: Any, *, sensitive: Any = None, key: Any = None) -> Array:
        """Return fair predictions; NaN for people whose attribute is missing, where these are not refused.

        Parameters
        ----------
        X, sensitive, key
            See `FairClassifier.predict_proba`.

        Returns
        -------
        array
        """
        return self.fair_scores(X, sensitive=sensitive, key=key)

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, sensitive: Any = None) -> float:
        """Return R², the share of the variance that the predictions explain."""
        from sklearn.metrics import r2_score

        return float(r2_score(one_column(y), self.predict(X, sensitive=sensitive), sample_weight=sample_weight))
