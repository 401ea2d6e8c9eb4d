"""A fitted repair as SQL that DuckDB and PostgreSQL understand, with the very results of `ScoreRepair.transform`.

Where a score or a level lies among many borders is found by CASE inside CASE, halving each time: eleven comparisons for
2 000 borders. What belongs to that place is joined from a small table by its whole number. The steps are queries inside
each other; in PostgreSQL OFFSET 0 keeps it from writing one into the next, which would make them grow without end.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.partition.partition import Partition
from fairgroups.quoting import quoted, sql_number, sql_text, sql_value
from fairgroups.repair.axes_sql import Corner, attributes_sql, corners_sql, search_sql, shares_sql, sides_sql
from fairgroups.repair.maps import LOWEST, Maps
from fairgroups.repair.transport import ROUNDING

__all__ = ["Dialect", "each_stratum", "named", "select_fair", "sql_as_text", "sql_chance"]

Array = NDArray[np.float64]
Dialect = Literal["duckdb", "postgresql"]
SCORE, CHANCE, NUMBER = "fairgroups_score", "fairgroups_chance", "fairgroups_number"
PLACE, GROUP, LEVEL = "fairgroups_place", "fairgroups_group", "fairgroups_level"


def select_fair(
    maps: Maps,
    partition: Partition,
    table: str,
    score: str,
    sensitive: Sequence[str],
    chance: str | None,
    columns: Sequence[str],
    into: str,
    dialect: Dialect = "duckdb",
) -> str:
    """Write the SELECT; `chance` is an expression between 0 and 1 for people who share a score."""
    if len(sensitive) != len(partition.columns):
        raise InputError(
            f"this repair is by {len(partition.columns)} attribute(s); {len(sensitive)} columns were named."
        )
    value = sql_value(score)
    source = table if table.lstrip().startswith("(") else quoted(table)
    low, high = sql_number(maps.low), sql_number(maps.high)
    carried = {f"fairgroups_column_{i}": name for i, name in enumerate(columns)}  # so no name can be one of ours
    taken = [f"{quoted(name)} AS {ours}" for ours, name in carried.items()]
    known = f"{value} IS NOT NULL AND {value} <> CAST('NaN' AS DOUBLE PRECISION)"
    taken += [
        f"CASE WHEN {known} THEN LEAST(GREATEST({value}, {low}), {high}) END AS {SCORE}",
        f"{chance or '0.5e0'} AS {CHANCE}",
    ]
    if maps.axes is None:
        taken.append(f"{partition.to_sql(sensitive)} AS {NUMBER}")
        between = [Corner(GROUP, _group_at(maps), "")]
        sides, joined = "", ""
    else:
        taken += attributes_sql(maps.axes, sensitive)
        sides, joined = sides_sql(maps.axes), shares_sql(maps.axes, _joined)
        between = corners_sql(maps.axes, GROUP, apart=maps.groups.size > prod(axis.size for axis in maps.axes))
    cells = "".join(f", {corner.cell} AS {corner.name}" for corner in between)
    tables = [_joined(PLACE, PLACE, {"knot": maps.knots, "back": np.concatenate([maps.knots[:1], maps.knots[:-1]])})]
    tables += [_joined(c.name, f"{c.name} * {maps.knots.size} + {PLACE}", _map_columns(maps)) for c in between]
    level = " + ".join(f"{corner.share}({_level(corner.name)})" for corner in between)
    nothing = f"{GROUP} IS NULL OR {SCORE} IS NULL OR {CHANCE} IS NULL"
    steps = [
        (f"*, {search_sql(SCORE, maps.knots)} AS {PLACE}{sides}", ""),
        (f"*{cells}", joined),
        (
            f"*, CASE WHEN {nothing} THEN NULL ELSE GREATEST(LEAST({level}, 1e0), {LOWEST!r}) END AS {LEVEL}",
            " ".join(tables),
        ),
        (f"*, {_limits(maps)}", ""),
    ]
    fence = "\nOFFSET 0" if dialect == "postgresql" else ""
    query = f"(SELECT {', '.join(taken)} FROM {source} AS fairgroups_rows{fence}) AS fairgroups_step"  # noqa: S608
    for i, (step, joined) in enumerate(steps):
        query = f"(SELECT {step}\nFROM {query} {joined}{fence}) AS fairgroups_step_{i}"
    last, values = maps.targets.values.size - 1, {"target": _finite(maps)}
    ends = [_joined("fairgroups_most", f"LEAST(fairgroups_most, {last})", values)]
    if not _at_once(maps):
        ends.append(_joined("fairgroups_least", f"LEAST(fairgroups_least, {last})", values))
    listed = "".join(f"{ours} AS {quoted(name)}, " for ours, name in carried.items())
    return f"SELECT {listed}{_moved(maps)} AS {quoted(into)}\nFROM {query} {' '.join(ends)}"


def each_stratum(stratum: str, names: Sequence[str]) -> list[str]:
    """Write who is of each stratum, and last who is of none of them, given how a person's stratum is written."""
    texts = [sql_text(name) for name in names]
    others = f"{stratum} NOT IN ({', '.join(texts)})" if texts else "1 = 1"
    return [*(f"{stratum} = {text}" for text in texts), others]


def _at_once(maps: Maps) -> bool:
    """Whether the least and the largest score that a level may have are the same."""
    return maps.targets.gap == 0 and maps.targets.slack == 0


def _map_columns(maps: Maps) -> dict[str, Array]:
    """Return what a score needs to find its level, for each group and each place among the knots."""
    before = np.concatenate([maps.upper[:, :1], maps.upper[:, :-1]], axis=1)
    return {
        "lower": maps.lower.ravel(),
        "width": (maps.upper - maps.lower).ravel(),
        "before": before.ravel(),
        "rise": (maps.lower - before).ravel(),
    }


def _joined(prefix: str, place: str, columns: dict[str, Array]) -> str:
    """Write a join with a table of constants, by the number of its row."""
    (size,) = {values.size for values in columns.values()}
    # one text that is split is read much faster than many numbers
    texts = {"place": ",".join(map(str, range(size)))}
    texts |= {name: ",".join(map(repr, values.tolist())) for name, values in columns.items()}
    split = ", ".join(f"unnest(string_to_array('{text}', ',')) AS {name}" for name, text in texts.items())
    read = ", ".join(f"CAST({name} AS DOUBLE PRECISION) AS {prefix}_{name}" for name in columns)
    table = f"SELECT CAST(place AS INTEGER) AS {prefix}_place, {read} FROM (SELECT {split}) AS {prefix}_texts"  # noqa: S608
    # DuckDB up to 1.3 moves rows that match nothing behind the others; what they then bring is not used
    return f"LEFT JOIN ({table}) AS {prefix}_table ON {prefix}_place = COALESCE({place}, 0)"


def _finite(maps: Maps) -> Array:
    """Return T with the ends of the scores' range in place of no limit."""
    return np.clip(maps.targets.values, maps.low, maps.high)


def _limits(maps: Maps) -> str:
    levels = maps.targets.levels
    top, n = 1 - maps.targets.gap, levels.size

    def place(v: str) -> str:
        if not maps.targets.equal_steps:
            return search_sql(f"({v} - {ROUNDING!r})", levels)
        step = f"CAST(FLOOR(({v} - {ROUNDING!r}) / {sql_number(top)} * {n}e0) AS INTEGER)"
        passed = (
            f"CASE WHEN {sql_number(top)} * ({step} + {i}) / {n}e0 < {v} - {ROUNDING!r} THEN 1 ELSE 0 END"
            for i in range(2)
        )
        return f"GREATEST({step} - 1 + {' + '.join(passed)}, 0)"

    up, down = _offsets(maps)
    most = f"{place(up)} AS fairgroups_most"
    return most if _at_once(maps) else f"{most}, {place(down)} AS fairgroups_least"


def _offsets(maps: Maps) -> tuple[str, str]:
    """Write the levels at which the limits are looked up."""
    targets = maps.targets
    if targets.slack == 0:
        return LEVEL, f"({LEVEL} - {sql_number(targets.gap)})"
    slack = sql_number(targets.slack)
    return f"({LEVEL} + {slack})", f"({LEVEL} - {sql_number(targets.gap)} - {slack})"


def _moved(maps: Maps) -> str:
    targets = maps.targets
    low, high = sql_number(maps.low), sql_number(maps.high)
    most, least = "fairgroups_most_target", "fairgroups_least_target"
    if _at_once(maps):
        moved = most
    else:
        up, down = _offsets(maps)
        if targets.gap > 0:
            top = sql_number(1 - targets.gap + ROUNDING)
            most = f"CASE WHEN {up} > {top} THEN {high} ELSE {most} END"
            least = f"CASE WHEN {down} <= {ROUNDING!r} THEN {low} ELSE {least} END"
        else:
            first = sql_number(float(_finite(maps)[0]))
            below = f"({LEVEL} - {sql_number(targets.slack)})"
            least = f"CASE WHEN {below} <= {ROUNDING!r} THEN {first} ELSE {least} END"
        moved = f"LEAST(GREATEST({SCORE}, {least}), {most})"
    if maps.step < 1:
        moved = f"({SCORE} + {sql_number(maps.step)} * ({moved} - {SCORE}))"
    return f"CASE WHEN {LEVEL} IS NULL THEN NULL ELSE LEAST(GREATEST({moved}, {low}), {high}) END"


def _group_at(maps: Maps) -> str:
    """Write which row of the maps belongs to a group; NULL for one that was not seen."""
    return f"CASE {NUMBER} {' '.join(f'WHEN {k} THEN {i}' for i, k in enumerate(maps.groups.tolist()))} END"


def _level(group: str) -> str:
    """Write a score's level in a group, from its place among the knots."""
    on = f"{group}_lower + {CHANCE} * {group}_width"
    part = f"({SCORE} - {PLACE}_back) / ({PLACE}_knot - {PLACE}_back)"
    between = f"{group}_before + {part} * {group}_rise"
    return f"CASE WHEN {PLACE} = 0 OR {PLACE}_knot = {SCORE} THEN {on} ELSE {between} END"


def sql_chance(seed: int, key: str) -> str:
    """Write the number between 0 and 1 that `uniform_of` draws from the seed and a key."""
    digest = f"md5('{int(seed)}:' || {key})"
    digits = " + ".join(
        f"(strpos('0123456789abcdef', substr({digest}, {i + 1}, 1)) - 1) * {16 ** (5 - i)}e0" for i in range(6)
    )
    return f"({digits} + 0.5e0) / {16**6}e0"


def sql_as_text(column: str) -> str:
    """Write a column as text."""
    return f"CAST({quoted(column)} AS VARCHAR)"


def named(partition: Partition) -> list[str]:
    """Return the columns of a partition."""
    names = list(partition.columns)
    if not all(names):
        raise InputError("to_sql needs the attribute's column.", "say sensitive='age'.")
    return names
