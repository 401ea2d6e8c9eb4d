"""The sensitive attributes that a repair is given, as columns of numbers or of levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.repair.inputs import as_table, flat
from fairgroups.rows.column_kinds import Column, attribute, category, lone_attribute, number_column, of_array
from fairgroups.rows.column_values import one_column
from fairgroups.rows.rows import check_finite
from fairgroups.sources.frames import column_names, read_table

__all__ = ["in_order", "read_attributes"]


def read_attributes(
    sensitive: Any, n: int, categories: Sequence[bool] | None = None, *, what: str = "sensitive"
) -> list[Column]:
    """Read one attribute or several, one value for each of n people; NaN is missing.

    Parameters
    ----------
    sensitive : array-like, frame or mapping
        One column, or several: a frame, a mapping of names to columns, an array of two dimensions.
    n : int
        How many people there are.
    categories : sequence of bool, optional
        Which of them are categories, where that is known: one value alone may look like a number.
    what : str
        What they are, for messages.

    Returns
    -------
    list of Column
    """
    values = _values(sensitive)
    if not values:
        raise InputError(f"`{what}` holds no column.", "pass one at least.")
    if categories is not None and len(categories) == len(values):
        columns = [
            category(held, name) if is_category else number_column(held, name)
            for (name, held), is_category in zip(values, categories, strict=True)
        ]
    elif len(values) == 1:
        columns = [lone_attribute(held, name) for name, held in values]
    else:
        columns = [attribute(held, name) for name, held in values]
    for column in columns:
        if column.values.size != n:
            raise InputError(
                f"there are {n} scores and {column.values.size} {what} values.", "pass one of each per row."
            )
        if column.levels is None:
            check_finite(column.values, column.name or what)
    return columns


def in_order(given: Any, names: Sequence[str], *, what: str = "sensitive") -> Any:
    """Return several named columns in the order in which a repair was fitted; columns without names stay as they are.

    Parameters
    ----------
    given : array-like, frame or mapping
        What `transform` is given.
    names : sequence of str
        The columns of the fit; of arrays, which have none, ``x0``, ``x1``, ….
    what : str
        What they are, for messages.

    Returns
    -------
    array-like, frame or mapping
    """
    mapping = isinstance(given, Mapping)
    if not (mapping or hasattr(given, "columns")) or not all(names):
        return given
    held = [str(name) for name in (given if mapping else given.columns)]
    if held == list(names) or len(names) < 2 or list(names) == [f"x{d}" for d in range(len(names))]:
        return given
    if sorted(held) != sorted(names):
        known, got = (", ".join(map(repr, some)) for some in (names, held))
        raise InputError(
            f"the repair was fitted with {what} columns {known}; got {got}.",
            "pass the same columns; their order does not matter.",
        )
    return {name: given[name] for name in names} if mapping else given[list(names)]


def _values(sensitive: Any) -> list[tuple[str, NDArray[Any]]]:
    """Return the columns with their names."""
    if isinstance(sensitive, Mapping):
        return [(str(name), one_column(values)) for name, values in sensitive.items()]
    table = as_table(sensitive)
    if hasattr(table, "columns"):
        held = [name for name in table.columns if isinstance(name, str)]
        if len(set(held)) < len(held):
            raise InputError("two columns of the sensitive attributes have the same name.", "rename one.")
        names = column_names(table)
        return [(name, one_column(values)) for name, values in read_table(table, names).columns.items()]
    if getattr(table, "ndim", 1) == 2 and np.shape(table)[1] > 1:
        rows = np.asarray(table)
        return [(f"x{d}", of_array(rows[:, d])) for d in range(rows.shape[1])]
    name = getattr(table, "name", None)
    return [(name if isinstance(name, str) else "", one_column(flat(table)))]
