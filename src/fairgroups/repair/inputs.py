"""What a repair is given, checked: scores, labels, weights, keys, groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fairgroups.errors import InputError
from fairgroups.grouping.estimator import GroupEstimator
from fairgroups.options import MISSING, one_of, seed_of, whole_number
from fairgroups.partition.partition import Partition
from fairgroups.rows.column_values import numbers, one_column
from fairgroups.rows.rows import check_finite
from fairgroups.rows.weights import check_weight

__all__ = [
    "as_table",
    "check_gap",
    "check_options",
    "flat",
    "found_already",
    "read_labels",
    "read_partition",
    "read_scores",
    "read_weights",
]

Array = NDArray[np.float64]


def read_scores(score: Any) -> Array:
    """Check scores: finite numbers, one column."""
    values = numbers(one_column(flat(score)), "score")
    if np.isnan(values).any():
        raise InputError(
            f"{int(np.isnan(values).sum())} score(s) are missing (NaN), the first in row "
            f"{int(np.isnan(values).argmax())}.",
            "leave these rows out, or score them first.",
        )
    check_finite(values, "score")
    if values.size == 0:
        raise InputError("there are no scores.")
    return values


def read_labels(y: Any, n: int) -> Array:
    """Check labels: 0 or 1."""
    values = numbers(one_column(y), "y")
    if values.size != n or not np.isin(values, (0.0, 1.0)).all():
        raise InputError("y must hold 0 or 1, one for each score.", "turn labels into 0 and 1 first.")
    return values


def read_weights(weight: Any, n: int) -> Array:
    """Check weights."""
    values = numbers(one_column(weight), "sample_weight")
    if values.size != n or not np.isfinite(values).all():
        raise InputError("sample_weight must hold one finite number of at least 0 for each score.")
    largest = float(values.max())
    check_weight(values / largest if largest > 0 else values, "sample_weight")
    return values / largest  # only their ratios matter


def flat(values: Any) -> Any:
    """Make one column of a table with one."""
    shape = getattr(values, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] == 1:
        return np.asarray(values)[:, 0]
    return values


def as_table(sensitive: Any) -> Any:
    """Return attributes as a frame or an array: lists as an array, a mapping of columns as a table of them."""
    if isinstance(sensitive, Mapping):
        columns = [one_column(x) for x in sensitive.values()]
        if len(columns) == 1:
            return columns[0]
        table = np.empty((columns[0].size, len(columns)), dtype=object)
        for d, column in enumerate(columns):
            table[:, d] = column
        return table
    return np.asarray(sensitive, dtype=object) if isinstance(sensitive, list) else sensitive


def read_partition(given: Any, score: Array, sensitive: Any, weight: Any) -> Partition:
    """Take groups from a partition, an estimator or borders; an estimator that is not fitted finds them."""
    if isinstance(given, GroupEstimator) and not hasattr(given, "partition_"):
        given = clone(given).fit(as_table(sensitive), score, weight)
    found = getattr(given, "partition_", given)
    if isinstance(found, Partition):
        return found
    if isinstance(found, str) or not isinstance(found, Iterable):
        raise InputError(
            f"`partition` must be a Partition, an estimator of groups, borders, 'auto' or 'groups'; got "
            f"{type(given).__name__}."
        )
    return Partition.from_edges(found)


def found_already(partition: Any) -> Any:
    """Return the groups of an estimator that is fitted, which a clone would lose; anything else as it is."""
    return getattr(partition, "partition_", partition)


def check_gap(gap: Any) -> None:
    """Refuse what is no gap."""
    if isinstance(gap, bool) or not isinstance(gap, int | float | np.number) or not 0 <= gap <= 1:
        raise InputError(f"`max_gap` must be a number between 0 and 1; got {gap!r}.", "2 points are 0.02.")


def check_options(repair: Any) -> None:
    """Refuse options of a repair that mean nothing."""
    check_gap(repair.max_gap)
    choices = {
        "cost": ("w1", "w2"),
        "relaxation": ("gap", "geodesic"),
        "condition": (None, "positives", "both"),
        "missing": MISSING,
    }
    if isinstance(repair.partition, str) and repair.partition not in ("auto", "groups"):
        raise InputError(f"`partition` must be groups, 'auto' or 'groups'; got {repair.partition!r}.")
    for name, allowed in choices.items():
        one_of(getattr(repair, name), name, allowed)
    seed_of(repair.random_state, "random_state")
    if repair.n_levels is not None:
        whole_number(repair.n_levels, "n_levels", 2)
