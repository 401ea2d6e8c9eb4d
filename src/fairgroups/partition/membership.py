"""Whether a value lies on a side of a box, in three languages: NumPy, narwhals and SQL.

A partition's `assign`, `expr` and `to_sql` are made of these tests alone, so that a person is in the same group
wherever the question is asked. Truth is written "True" and "False" in Python and in small letters by engines: a
category of just these two means the same in both.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairgroups.partition.sides import Levels, Side
from fairgroups.quoting import quoted, sql_number, sql_text, sql_value
from fairgroups.rows.column_kinds import Column

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["absent_expr", "absent_sql", "inside", "inside_expr", "inside_sql"]

NAN = "CAST('NaN' AS DOUBLE PRECISION)"


def inside(side: Side, column: Column) -> NDArray[np.bool_]:
    """Return for each row whether it lies on the side; missing values and levels never seen do not."""
    x = column.values
    if isinstance(side, Levels):
        known = {level: i for i, level in enumerate(column.levels or ())}
        lies = np.zeros(len(known) + 1, dtype=bool)  # the last is for those who miss a level
        lies[[known[name] for name in side.names if name in known]] = True
        held: NDArray[np.bool_] = lies[np.where(np.isnan(x), len(known), x).astype(np.intp)]
        return held
    found = ~np.isnan(x)
    if side.low > -math.inf:
        found &= x >= side.low if side.low_closed else x > side.low
    if side.high < math.inf:
        found &= x <= side.high if side.high_closed else x < side.high
    return found


def inside_expr(side: Side, name: str) -> list[nw.Expr]:
    """Return the tests of a side as narwhals expressions; none where every number passes."""
    import narwhals as nw

    if isinstance(side, Levels):
        return [nw.col(name).cast(nw.String).is_in(_spellings(side))]
    value, tests = nw.col(name).cast(nw.Float64), []
    if side.low > -math.inf:
        tests.append(value >= side.low if side.low_closed else value > side.low)
    if side.high < math.inf:
        tests.append(value <= side.high if side.high_closed else value < side.high)
    return tests


def inside_sql(side: Side, name: str) -> list[str]:
    """Return the tests of a side as SQL; none where every number passes."""
    if isinstance(side, Levels):
        return [f"CAST({quoted(name)} AS VARCHAR) IN ({', '.join(map(sql_text, _spellings(side)))})"]
    value, tests = sql_value(name), []
    if side.low > -math.inf:
        tests.append(f"{value} {'>=' if side.low_closed else '>'} {sql_number(side.low)}")
    if side.high < math.inf:
        tests.append(f"{value} {'<=' if side.high_closed else '<'} {sql_number(side.high)}")
    return tests


def absent_expr(side: Side, name: str) -> nw.Expr:
    """Return whether a value is missing, as a narwhals expression; `side` tells numbers from categories."""
    import narwhals as nw

    column = nw.col(name)
    return column.is_null() if isinstance(side, Levels) else column.is_null() | column.cast(nw.Float64).is_nan()


def absent_sql(side: Side, name: str) -> str:
    """Return whether a value is missing, as SQL."""
    if isinstance(side, Levels):
        return f"{quoted(name)} IS NULL"
    return f"{sql_value(name)} IS NULL OR {sql_value(name)} = {NAN}"


def _spellings(side: Levels) -> list[str]:
    names = list(side.names)
    return names + [name.lower() for name in names] if set(names) <= {"True", "False"} else names
