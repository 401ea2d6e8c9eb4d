"""What the scikit-learn estimators share: reading their input, assigning people, and the fitted attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from fairgroups.cells.sample import Sample
from fairgroups.errors import InputError
from fairgroups.evidence.rates import GroupRates, group_rates
from fairgroups.evidence.spread_of_groups import explained_share
from fairgroups.measures import JointMeasure, Measure
from fairgroups.options import Against, Missing
from fairgroups.partition.partition import Partition
from fairgroups.rows.column_kinds import Column, mixed_columns, refuse_missing
from fairgroups.rows.column_values import holds_categories
from fairgroups.rows.roles import Roles
from fairgroups.rows.rows import Rows, check_finite
from fairgroups.sources.frames import column_names, is_lazy

__all__ = ["GroupEstimator"]


class GroupEstimator(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator that puts people into groups of one or several sensitive columns."""

    missing: Missing
    measure: str | Measure | JointMeasure
    positive: Any
    partition_: Partition
    n_features_in_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.one_d_labels = True
        tags.transformer_tags.preserves_dtype = []  # labels, whatever the type of X
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def _columns(self, X: Any, *, reset: bool) -> list[Column]:
        """Read the sensitive columns; for one, a plain list or series will do."""
        if is_lazy(X):
            raise InputError(
                "a lazy frame is not collected here.",
                "fit FairGroups to it; groups are computed in it by partition_.expr() or partition_.to_sql().",
            )
        name = ""
        if isinstance(X, np.ma.MaskedArray):
            X = np.ma.filled(X.astype(np.float64), np.nan)
        if getattr(getattr(X, "dtype", None), "kind", "") in ("M", "m"):
            raise InputError(
                "X holds dates or durations, not numbers.", "turn them into numbers first, such as an age."
            )
        if isinstance(X, list | tuple) or (hasattr(X, "to_numpy") and not hasattr(X, "columns")):
            name = str(getattr(X, "name", None) or "")
            X = np.asarray(X)
        if getattr(X, "ndim", 2) == 1 and (reset or self.n_features_in_ == 1):
            X = X.reshape(-1, 1)
        mixed = holds_categories(X)
        if mixed:
            validate_data(self, X, reset=reset, skip_check_array=True)
        else:
            try:
                X = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
            except ValueError as error:
                if "could not convert string" not in str(error):
                    raise
                raise InputError(
                    f"groups are looked for along a number, and X holds text: {error}.",
                    "the levels of a lone category are groups as they are; several attributes may be mixed.",
                ) from error
        if reset:
            p = self.n_features_in_
            given = getattr(self, "feature_names_in_", None)
            self._names = (
                [name] if p == 1 and given is None else [f"x{d}" for d in range(p)] if given is None else list(given)
            )
        columns = (
            mixed_columns(X, self._names) if mixed else [Column(name, X[:, d]) for d, name in enumerate(self._names)]
        )
        for column in columns:
            check_finite(column.values, column.name or "X")
            if self.missing == "error":
                refuse_missing(column)
        return columns

    def _one(self, columns: list[Column]) -> Column:
        if len(columns) > 1 or columns[0].levels is not None:
            what = f"got {len(columns)}" if len(columns) > 1 else "got a category"
            raise InputError(
                f"{type(self).__name__} groups one numeric column; {what}.",
                "pass the column alone, such as df[['age']]; FairGroups takes several.",
            )
        return columns[0]

    def _lazy_roles(self, X: Any, y: Any, truth: Any, weight: Any) -> Roles:
        """Return the roles of a lazy frame's columns; the outcome and what goes with it are named."""
        words = {"outcome": (y, "y"), "truth": (truth, "truth"), "weight": (weight, "sample_weight")}
        for name, word in words.values():
            if name is not None and not isinstance(name, str):
                raise InputError(
                    f"X is a lazy frame, so {word} must be the name of one of its columns; got {type(name).__name__}.",
                    "fit(frame, 'hired')",
                )
        if y is None:
            raise InputError("X is a lazy frame; y must be the name of its outcome column.", "fit(frame, 'hired')")
        named = [name for name, _ in words.values() if name is not None]
        self._names = [name for name in column_names(X) if name not in named]
        if not self._names:
            raise InputError("no column is left to be the sensitive attribute.", "select it too.")
        self.n_features_in_ = len(self._names)
        self.feature_names_in_ = np.array(self._names, dtype=object)
        return Roles.of(self._names, y, truth=truth, weight=weight, positive=self.positive, missing=self.missing)

    def _rows(self, columns: list[Column], y: Any, truth: Any, weight: Any) -> Rows:
        if y is None:
            raise InputError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.",
                "y is the outcome: a decision, a label or a score.",
            )
        rows = Rows.from_columns(
            columns,
            column_or_1d(y, warn=True) if getattr(y, "ndim", 1) == 2 else y,
            truth=truth,
            weight=weight,
            positive=self.positive,
            missing=self.missing,
            names={"outcome": "y", "weight": "sample_weight"},
        )
        return rows.centred()

    def _describe(self, sample: Sample, parts: Sequence[Measure], against: Against = "everyone") -> None:
        """Keep what is known of the groups."""
        people = sample.cells if sample.is_line else sample.rows
        groups = [group_rates(people, self.partition_, part) for part in parts]
        shares = [explained_share(people, part, g.variance) for part, g in zip(parts, groups, strict=True)]
        self.dropped_ = dict(sample.rows.dropped)
        self._take(groups, shares, against)

    def _take(self, groups: list[GroupRates], explained: list[float], against: Against) -> None:
        """Keep what is known of the groups; one column for each rate where there are several."""
        self.n_groups_ = self.partition_.n_groups
        self.rates_ = np.stack([g.rate for g in groups], axis=1).squeeze(axis=1 if len(groups) == 1 else ())
        phi = [g.phi_against(against) for g in groups]
        self.phi_ = phi[0] if len(groups) == 1 else np.stack(phi, axis=1)
        self.variance_ = sum(g.variance_against(against) for g in groups)
        self.explained_ = float(np.mean(explained))

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return the number of each person's group.

        Groups are numbered from 0 in the order of the attribute. A missing value gives −1 under ``missing="drop"``
        and the last group under ``missing="group"``.
        """
        check_is_fitted(self)
        return self.partition_.codes(self._columns(X, reset=False))

    def transform(self, X: Any) -> NDArray[np.object_]:
        """Return the label of each person's group, as one column: ready to be a ``sensitive_features`` elsewhere.

        A missing value gives None under ``missing="drop"``.
        """
        check_is_fitted(self)
        labels = np.array([*self.partition_.labels, None], dtype=object)
        return labels[self.predict(X)].reshape(-1, 1)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the column that `transform` gives: the attribute's name and ``_group``."""
        check_is_fitted(self)
        if input_features is not None and len(input_features) != self.n_features_in_:
            raise InputError(f"input_features should have length equal to number of features, {self.n_features_in_}.")
        fitted = getattr(self, "feature_names_in_", None)
        if input_features is not None and fitted is not None and list(input_features) != list(fitted):
            raise InputError(f"input_features is not equal to feature_names_in_, {list(map(str, fitted))}.")
        given = self._names if input_features is None else [str(name) for name in input_features]
        return np.array([f"{'_'.join(given) or 'x0'}_group"], dtype=object)
