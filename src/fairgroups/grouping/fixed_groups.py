"""FixedGroups: groups that are given, a published scale or a legal age limit, as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, Self

from fairgroups.cells.sample import Sample
from fairgroups.errors import InputError
from fairgroups.grouping.estimator import GroupEstimator
from fairgroups.measures import Measure, resolve_measure
from fairgroups.options import Missing
from fairgroups.partition.given import given_partition
from fairgroups.partition.partition import Partition

__all__ = ["FixedGroups"]


class FixedGroups(GroupEstimator):
    """Use groups that are given: a published scale, a legal age limit.

    Parameters
    ----------
    partition : list of float, or Partition
        Inner borders, or a whole partition, of one attribute or several.
    closed : {"left", "right"}
        Whether a border belongs to the group on its right, [a, b), or on its left, (a, b].
    measure, positive, missing
        See `FairGroups`.

    Attributes
    ----------
    partition_, n_groups_
        See `FairGroups`.
    phi_, rates_, variance_, explained_
        Present when fitted with an outcome.

    Examples
    --------
    >>> from fairgroups import FixedGroups
    >>> FixedGroups([25, 45]).fit([20, 30, 50], [0, 1, 1]).phi_.round(2).tolist()
    [-0.67, 0.33, 0.33]
    """

    measure: str | Measure

    def __init__(
        self,
        partition: Any,
        *,
        closed: Literal["left", "right"] = "left",
        measure: str | Measure = "auto",
        positive: Any = None,
        missing: Missing = "error",
    ) -> None:
        self.partition = partition
        self.closed = closed
        self.measure = measure
        self.positive = positive
        self.missing = missing

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, truth: Any = None) -> Self:
        """Take the groups over and, where y is given, measure Φ on them; see `FairGroups.fit` for the arguments."""
        columns = self._columns(X, reset=True)
        self._take_over([column.name for column in columns])
        if y is None:
            self.n_groups_ = self.partition_.n_groups
            for name in ("phi_", "rates_", "variance_", "explained_"):  # of an earlier fit
                self.__dict__.pop(name, None)
            return self
        rows = self._rows(columns, y, truth, sample_weight)
        measure = resolve_measure(self.measure, outcome_is_binary=rows.outcome_is_binary)
        self._describe(Sample(rows, (measure,)), [measure])
        return self

    def _take_over(self, names: list[str]) -> None:
        given = self.partition
        if not isinstance(given, Partition):
            if isinstance(given, str) or not isinstance(given, Iterable):
                raise InputError(
                    f"`partition` must be borders, or a Partition; got {given!r}.", "FixedGroups([25, 45])"
                )
            given = Partition.from_edges(given, closed=self.closed)
        if len(given.columns) != len(names):
            raise InputError(
                f"the groups are of {len(given.columns)} column(s), and X has {len(names)}.",
                "pass the columns that the groups were made for, such as df[['age']].",
            )
        named = names if any(names) else given.columns
        if len(names) > 1 and any(given.columns) and set(names) != {f"x{d}" for d in range(len(names))}:
            given = given_partition(given, names, self.missing)
        self.partition_ = replace(given, columns=tuple(named), missing=self.missing)
