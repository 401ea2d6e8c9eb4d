"""A fitted repair as SQL that DuckDB and PostgreSQL understand, with the very results of `ScoreRepair.transform`.

Where a score or a level lies among many borders is found by CASE inside CASE, halving each time: eleven comparisons for
2 000 borders. What belongs to that place is joined from a small table by its whole number. The steps are queries inside
each other; in PostgreSQL OFFSET 0 keeps it from writing one into the next, which would make them grow without end.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.boxes import BoxPartition
from fairgroups.errors import InputError
from fairgroups.partition import Partition, sql_number, sql_value
from fairgroups.repair.maps import LOWEST, Maps
from fairgroups.repair.transport import ROUNDING
from fairgroups.sources import quoted

__all__ = ["Dialect", "named", "select_fair", "sql_chance", "sql_text"]

Array = NDArray[np.float64]
Dialect = Literal["duckdb", "postgresql"]
SCORE, CHANCE, NUMBER = "fairgroups_score", "fairgroups_chance", "fairgroups_number"
PLACE, GROUP, RIGHT = "fairgroups_knot", "fairgroups_group", "fairgroups_right"
LEVEL = "fairgroups_level"


def select_fair(
    maps: Maps,
    partition: Partition | BoxPartition,
    table: str,
    score: str,
    sensitive: Sequence[str],
    chance: str | None,
    columns: Sequence[str],
    into: str,
    dialect: Dialect = "duckdb",
) -> str:
    """Write the SELECT; `chance` is an expression between 0 and 1 for people who share a score."""
    if isinstance(partition, BoxPartition):
        group = partition.to_sql(sensitive)
    elif len(sensitive) == 1:
        group = partition.to_sql(sensitive[0])
    else:
        raise InputError(f"this repair is by one attribute; {len(sensitive)} columns were named.")
    value = sql_value(score)
    source = table if table.lstrip().startswith("(") else quoted(table)
    low, high = sql_number(maps.low), sql_number(maps.high)
    smooth = maps.centres is not None and maps.groups.size > 1
    at = _left(maps, sql_value(sensitive[0])) if smooth else _group_at(maps)
    level = _level(GROUP) if not smooth else _level_between(maps, sql_value(sensitive[0]))
    known = f"{GROUP} IS NULL OR {value} IS NULL OR {value} = CAST('NaN' AS DOUBLE PRECISION)"
    place = f"{GROUP} * {maps.knots.size} + {PLACE}"
    tables = [_joined(GROUP, place, _map_columns(maps))]
    if smooth:
        tables.append(_joined(RIGHT, f"{place} + {maps.knots.size}", _map_columns(maps)))
    steps = [
        (
            f"LEAST(GREATEST({value}, {low}), {high}) AS {SCORE}, {chance or '0.5e0'} AS {CHANCE}, {group} AS {NUMBER}",
            "",
        ),
        (f"{_search(SCORE, maps.knots)} AS {PLACE}, {at} AS {GROUP}", ""),
        (
            f"CASE WHEN {known} THEN NULL ELSE GREATEST(LEAST({level}, 1e0), {LOWEST!r}) END AS {LEVEL}",
            " ".join(tables),
        ),
        (_limits(maps), ""),
    ]
    query, fence = f"{source} AS fairgroups_rows", "\nOFFSET 0" if dialect == "postgresql" else ""
    for i, (step, joined) in enumerate(steps):
        query = f"(SELECT *, {step}\nFROM {query} {joined}{fence}) AS fairgroups_step_{i}"
    last, values = maps.targets.values.size - 1, {"target": _finite(maps)}
    ends = [_joined("fairgroups_most", f"LEAST(fairgroups_most, {last})", values)]
    if maps.targets.gap > 0:
        ends.append(_joined("fairgroups_least", f"LEAST(fairgroups_least, {last})", values))
    listed = "".join(f"{quoted(name)}, " for name in columns)
    return f"SELECT {listed}{_moved(maps)} AS {quoted(into)}\nFROM {query} {' '.join(ends)}"


def _map_columns(maps: Maps) -> dict[str, Array]:
    """Give what a score needs to find its level, for each group and each place among the knots."""
    before = np.concatenate([maps.upper[:, :1], maps.upper[:, :-1]], axis=1)
    return {
        "knot": np.tile(maps.knots, maps.groups.size),
        "back": np.tile(np.concatenate([maps.knots[:1], maps.knots[:-1]]), maps.groups.size),
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
    return f"LEFT JOIN ({table}) AS {prefix}_table ON {prefix}_place = {place}"


def _finite(maps: Maps) -> Array:
    """Give T with the ends of the scores' range in place of no limit."""
    return np.clip(maps.targets.values, maps.low, maps.high)


def _limits(maps: Maps) -> str:
    levels = maps.targets.levels
    top, n = 1 - maps.targets.gap, levels.size

    def place(v: str) -> str:
        if not maps.targets.equal_steps:
            return _search(f"({v} - {ROUNDING!r})", levels)
        step = f"CAST(FLOOR(({v} - {ROUNDING!r}) / {sql_number(top)} * {n}e0) AS INTEGER)"
        passed = (
            f"CASE WHEN {sql_number(top)} * ({step} + {i}) / {n}e0 < {v} - {ROUNDING!r} THEN 1 ELSE 0 END"
            for i in range(2)
        )
        return f"GREATEST({step} - 1 + {' + '.join(passed)}, 0)"

    most = f"{place(LEVEL)} AS fairgroups_most"
    if maps.targets.gap == 0:
        return most
    return f"{most}, {place(f'({LEVEL} - {sql_number(maps.targets.gap)})')} AS fairgroups_least"


def _moved(maps: Maps) -> str:
    targets = maps.targets
    low, high = sql_number(maps.low), sql_number(maps.high)
    if targets.gap == 0:
        moved = "fairgroups_most_target"
    else:
        top, below = sql_number(1 - targets.gap + ROUNDING), f"({LEVEL} - {sql_number(targets.gap)})"
        most = f"CASE WHEN {LEVEL} > {top} THEN {high} ELSE fairgroups_most_target END"
        least = f"CASE WHEN {below} <= {ROUNDING!r} THEN {low} ELSE fairgroups_least_target END"
        moved = f"LEAST(GREATEST({SCORE}, {least}), {most})"
    if maps.step < 1:
        moved = f"({SCORE} + {sql_number(maps.step)} * ({moved} - {SCORE}))"
    return f"CASE WHEN {LEVEL} IS NULL THEN NULL ELSE LEAST(GREATEST({moved}, {low}), {high}) END"


def _group_at(maps: Maps) -> str:
    """Write which row of the maps belongs to a group; NULL for one that was not seen."""
    return f"CASE {NUMBER} {' '.join(f'WHEN {k} THEN {i}' for i, k in enumerate(maps.groups.tolist()))} END"


def _left(maps: Maps, value: str) -> str:
    """Write which group's centre is the last at or below the attribute, the last but one at most."""
    assert maps.centres is not None
    inner = maps.centres[1:-1]
    cases = " ".join(f"WHEN {value} < {sql_number(float(x))} THEN {i}" for i, x in enumerate(inner))
    found = f"CASE {cases} ELSE {inner.size} END" if inner.size else "0"
    return f"CASE WHEN {NUMBER} IS NULL THEN NULL ELSE {found} END"


def _level_between(maps: Maps, value: str) -> str:
    """Write the level between the maps of the groups whose centres lie to the left and right of the attribute."""
    assert maps.centres is not None
    pairs = list(pairwise(maps.centres.tolist()))
    centre, width = (
        f"CASE {GROUP} {' '.join(f'WHEN {i} THEN {sql_number(x)}' for i, x in enumerate(values))} END"
        for values in ([a for a, _ in pairs], [b - a for a, b in pairs])
    )
    share = f"LEAST(GREATEST(({value} - {centre}) / {width}, 0e0), 1e0)"
    return f"((1e0 - {share}) * ({_level(GROUP)}) + {share} * ({_level(RIGHT)}))"


def _level(group: str) -> str:
    """Write a score's level in a group, from its place among the knots."""
    on = f"{group}_lower + {CHANCE} * {group}_width"
    part = f"({SCORE} - {group}_back) / ({group}_knot - {group}_back)"
    between = f"{group}_before + {part} * {group}_rise"
    return f"CASE WHEN {PLACE} = 0 OR {group}_knot = {SCORE} THEN {on} ELSE {between} END"


def _search(value: str, borders: Array) -> str:
    """Write how many borders lie below the value."""

    def between(low: int, high: int) -> str:
        if low == high:
            return str(low)
        middle = (low + high) // 2
        left, right = between(low, middle), between(middle + 1, high)
        return f"CASE WHEN {value} <= {sql_number(float(borders[middle]))} THEN {left} ELSE {right} END"

    return between(0, len(borders))


def sql_chance(seed: int, key: str) -> str:
    """Write the number between 0 and 1 that `uniform_of` draws from the seed and a key."""
    digest = f"md5('{int(seed)}:' || {key})"
    digits = " + ".join(
        f"(strpos('0123456789abcdef', substr({digest}, {i + 1}, 1)) - 1) * {16 ** (5 - i)}e0" for i in range(6)
    )
    return f"({digits} + 0.5e0) / {16**6}e0"


def sql_text(column: str) -> str:
    """Write a column as text."""
    return f"CAST({quoted(column)} AS VARCHAR)"


def named(partition: Partition | BoxPartition) -> list[str]:
    """Give the columns of a partition."""
    names = list(partition.columns) if isinstance(partition, BoxPartition) else [partition.name]
    if not all(names):
        raise InputError("to_sql needs the attribute's column.", "say sensitive='age'.")
    return names
