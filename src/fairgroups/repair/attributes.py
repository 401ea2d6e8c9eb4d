"""The sensitive attributes that a repair is given, as columns of numbers or of levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairgroups.errors import InputError
from fairgroups.repair.inputs import as_table, flat
from fairgroups.rows.attributes import Column, attribute, lone_attribute, mixed_columns
from fairgroups.rows.columns import one_column
from fairgroups.rows.rows import check_finite

__all__ = ["read_attributes"]


def read_attributes(sensitive: Any, n: int) -> list[Column]:
    """Read one attribute or several, one value for each of n people; NaN is missing.

    Parameters
    ----------
    sensitive : array-like, frame or mapping
        One column, or several: a frame, a mapping of names to columns, an array of two dimensions.
    n : int
        How many people there are.

    Returns
    -------
    list of Column
    """
    columns = _columns(sensitive)
    for column in columns:
        if column.values.size != n:
            raise InputError(
                f"there are {n} scores and {column.values.size} sensitive values.", "pass one of each per row."
            )
        if column.levels is None:
            check_finite(column.values, column.name or "sensitive")
    return columns


def _columns(sensitive: Any) -> list[Column]:
    if isinstance(sensitive, Mapping):
        named = {str(name): one_column(values) for name, values in sensitive.items()}
        if len(named) > 1:
            return [attribute(values, name) for name, values in named.items()]
        return [lone_attribute(values, name) for name, values in named.items()]
    table = as_table(sensitive)
    if hasattr(table, "columns"):
        names = [str(name) for name in table.columns]
        if len(names) > 1:
            return mixed_columns(table, names)
        return [lone_attribute(one_column(table[table.columns[0]]), names[0])]
    if getattr(table, "ndim", 1) == 2 and np.shape(table)[1] > 1:
        return mixed_columns(np.asarray(table), [f"x{d}" for d in range(np.shape(table)[1])])
    name = getattr(table, "name", None)
    return [lone_attribute(one_column(flat(table)), name if isinstance(name, str) else "")]
