"""Groups that a caller brings: a partition, bare borders, or borders of several attributes that are crossed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from fairgroups.errors import InputError
from fairgroups.options import Missing
from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Levels, Side

__all__ = ["given_partition"]

MOST_CLASSES = 200  # of crossed attributes


def given_partition(
    groups: Any,
    columns: Sequence[str],
    missing: Missing,
    levels: Sequence[Sequence[str] | None] | None = None,
) -> Partition:
    """Check groups that a caller brings for these columns; bare borders, or groups without a name, take theirs.

    Parameters
    ----------
    groups : Partition, list of borders, or mapping
        A mapping holds the borders of each column that is a number; every level of a category is one class, and
        classes of several columns are crossed.
    columns : sequence of str
        The columns.
    missing
        See `Partition`.
    levels : sequence, optional
        The levels of each column that is a category, None of a number; needed for mappings.

    Returns
    -------
    Partition
    """
    if isinstance(groups, Mapping):
        return _crossed(groups, columns, missing, levels)
    if not isinstance(groups, Partition):
        if isinstance(groups, str) or not isinstance(groups, Iterable):
            raise InputError(f"`partition` must be a Partition or a list of borders; got {type(groups).__name__}.")
        if len(columns) > 1:
            raise InputError(
                f"borders of {list(columns)} must say of which column they are.",
                f"partition={{{columns[0]!r}: {list(groups)!r}}}; on the command line --partition {columns[0]}=…",
            )
        if levels is not None and levels[0] is not None:
            raise InputError(f"{columns[0]!r} is a category: it has no borders.", "leave `partition` out.")
        return Partition.from_edges(groups, name=columns[0], missing=missing)
    if groups.columns not in (("",), tuple(columns)):
        raise InputError(
            f"the partition is of {groups.name!r}; the columns named are {', '.join(map(repr, columns))}.",
            "name the columns that the groups were made for, in the same order.",
        )
    if len(columns) != len(groups.columns):
        raise InputError(f"the partition is of one attribute; {len(columns)} columns were named.")
    return replace(groups, columns=tuple(columns), missing=missing)


def _crossed(
    groups: Mapping[str, Iterable[float]],
    columns: Sequence[str],
    missing: Missing,
    levels: Sequence[Sequence[str] | None] | None,
) -> Partition:
    """Cross the classes of several attributes: the ranges of numbers, every level of a category."""
    for name in groups:
        if name not in columns:
            raise InputError(
                f"`partition` has borders of {name!r}; the columns named are {', '.join(map(repr, columns))}.",
                "name the column as a sensitive attribute, too.",
            )
    sides: list[list[Side]] = []
    for d, name in enumerate(columns):
        known = None if levels is None else levels[d]
        if known is not None:
            if name in groups:
                raise InputError(f"{name!r} is a category: it has no borders.", "leave it out of `partition`.")
            sides.append([Levels((level,)) for level in known])
            continue
        if name not in groups:
            raise InputError(
                f"{name!r} is a number, and `partition` has no borders of it.", f"add {name!r}: [40], for example."
            )
        line = Partition.from_edges(groups[name], name=name)
        sides.append([part for k in range(line.n_groups) for part in line.ranges(k)])
    n_boxes = math.prod(len(one) for one in sides)
    if n_boxes > MOST_CLASSES:
        raise InputError(f"the classes make {n_boxes:,} groups; at most {MOST_CLASSES} are compared.", "name fewer.")
    return Partition.from_boxes(columns, list(product(*sides)), missing=missing)
