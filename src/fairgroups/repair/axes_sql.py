"""Where people stand along the attributes, as SQL: the cells that they are between, and the share of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from fairgroups.partition.membership import absent_sql, inside_sql
from fairgroups.partition.sides import Interval, Levels
from fairgroups.quoting import sql_number, sql_value
from fairgroups.repair.axes import Axis

__all__ = ["Corner", "attributes_sql", "corners_sql", "search_sql", "shares_sql", "sides_sql"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Corner:
    """One of the cells that a person is between: a name for it, which cell, and its share as a factor to write."""

    name: str
    cell: str
    share: str


def attributes_sql(axes: Sequence[Axis], names: Sequence[str]) -> list[str]:
    """Write each attribute as a number, or as the number of its level; NULL for what is missing or was never seen."""
    out, absent = [], []
    for d, (axis, name) in enumerate(zip(axes, names, strict=True)):
        if axis.levels is None:
            test = absent_sql(Interval(), name)
            out.append(f"CASE WHEN {test} THEN NULL ELSE {sql_value(name)} END AS fairgroups_attribute_{d}")
        else:
            cases = " ".join(
                f"WHEN {' AND '.join(inside_sql(Levels((level,)), name))} THEN {i}"
                for i, level in enumerate(axis.levels)
            )
            test = absent_sql(Levels(axis.levels), name)
            out.append(f"CASE {cases} END AS fairgroups_attribute_{d}")
        absent.append(f"({test})")
    return [*out, f"CASE WHEN {' OR '.join(absent)} THEN 1 ELSE 0 END AS fairgroups_absent"]


def sides_sql(axes: Sequence[Axis]) -> str:
    """Write which centre of each number is the last at or below it, the last but one at most."""
    out = ""
    for d, axis in enumerate(axes):
        if axis.centres is not None and axis.size > 1:
            out += f", {search_sql(f'fairgroups_attribute_{d}', axis.centres[1:-1])} AS fairgroups_side_{d}"
    return out


def shares_sql(axes: Sequence[Axis], joined: Callable[[str, str, dict[str, Array]], str]) -> str:
    """Write the joins that bring the centre on the left and the way to the next one."""
    tables = []
    for d, axis in enumerate(axes):
        if axis.centres is not None and axis.size > 1:
            columns = {"centre": axis.centres[:-1], "way": np.diff(axis.centres)}
            tables.append(joined(f"fairgroups_side_{d}", f"fairgroups_side_{d}", columns))
    return " ".join(tables)


def corners_sql(axes: Sequence[Axis], name: str, *, apart: bool) -> list[Corner]:
    """Write the cells that a person is between; people whose attributes are missing may have a cell apart, the last."""
    steps = [prod(axis.size for axis in axes[d + 1 :]) for d in range(len(axes))]
    wide = [d for d, axis in enumerate(axes) if axis.centres is not None and axis.size > 1]
    out = []
    for i, right in enumerate(product((0, 1), repeat=len(wide))):
        of = dict(zip(wide, right, strict=True))
        places = []
        for d, axis in enumerate(axes):
            if d in of:
                places.append(f"(fairgroups_side_{d} + {of[d]}) * {steps[d]}")
            elif axis.centres is None:
                places.append(f"fairgroups_attribute_{d} * {steps[d]}")
        cell = " + ".join(places) or "0"
        known = " AND ".join(f"fairgroups_attribute_{d} IS NOT NULL" for d in range(len(axes)))
        last = f"WHEN fairgroups_absent = 1 THEN {prod(axis.size for axis in axes)} " if apart else ""
        shares = []
        for d in wide:
            side = f"fairgroups_side_{d}"
            share = f"LEAST(GREATEST((fairgroups_attribute_{d} - {side}_centre) / {side}_way, 0e0), 1e0)"
            share = share if of[d] else f"(1e0 - {share})"
            shares.append(f"COALESCE({share}, {sql_number(0.0 if of[d] else 1.0)}) * ")
        whole = f"CASE {last}WHEN {known} THEN {cell} END"
        out.append(Corner(name if i == 0 else f"{name}_{i}", whole, "".join(shares)))
    return out


def search_sql(value: str, borders: Array) -> str:
    """Write how many borders lie below the value."""

    def between(low: int, high: int) -> str:
        if low == high:
            return str(low)
        middle = (low + high) // 2
        left, right = between(low, middle), between(middle + 1, high)
        return f"CASE WHEN {value} <= {sql_number(float(borders[middle]))} THEN {left} ELSE {right} END"

    return between(0, len(borders))
