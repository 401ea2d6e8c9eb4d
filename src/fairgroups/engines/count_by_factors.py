"""Counting people by attribute, factors and outcome where they are: one more GROUP BY.

Each number is counted alone first, to lay cells of about equally many people along it, one for each value where these
are few; then people are counted in all of these cells at once.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.engines.columns import check_columns, is_category, is_number, under_names
from fairgroups.engines.count import count_rows, known_number, place_of
from fairgroups.errors import MissingValuesError, NeedsRows
from fairgroups.rows.column_kinds import MOST_LEVELS, Column
from fairgroups.rows.roles import Roles
from fairgroups.rows.rows import Rows
from fairgroups.rows.strata import BINS, bin_edges

__all__ = ["count_alike"]

Array = NDArray[np.float64]
CELLS = {1: 160, 2: 64}  # of each attribute
FEWEST_CELLS = 16


def count_alike(data: Any, roles: Roles, *, borders: Any = (), seed: int = 0, raw: bool = False) -> Rows:
    """Count the people of each kind in each cell of attributes and factors.

    Parameters
    ----------
    data : lazy frame
        Anything that narwhals takes.
    roles : Roles
        Which column is what.
    borders : sequence of arrays
        For each attribute the borders of groups that are to be judged: no cell lies across one.
    seed : int
        With people's keys it decides which part each person is dealt into.
    raw : bool
        Whether groups are searched for before factors are held equal.

    Returns
    -------
    Rows

    Raises
    ------
    NeedsRows
        Where counts cannot answer: the rows themselves are needed.
    """
    import narwhals as nw

    if raw:
        raise NeedsRows("groups are searched for before factors are held equal")
    schema = nw.from_native(data).collect_schema()
    check_columns(schema, roles.columns)
    attributes = list(roles.sensitive)
    factors = [*roles.given, *([roles.expected] if roles.expected else [])]
    numeric = [_is_numeric(schema[name], name, lone=len(attributes) == 1) for name in attributes]
    numeric += [_is_numeric(schema[name], name, lone=False) for name in factors]
    names = [*attributes, *factors]
    ours = {f"c{i}": name for i, name in enumerate(names)} | {f"r_{role}": name for role, name in roles.named.items()}
    table = nw.from_native(under_names(data, ours))
    coded, known = [], {}
    for i, name in enumerate(names):
        if not numeric[i]:
            coded.append(nw.col(f"c{i}"))
            continue
        alone = count_rows(data, Roles((name,), roles.outcome, positive=roles.positive, missing="group"))
        some = borders[i] if i < len(borders) and len(borders[i]) else ()
        most = CELLS.get(len(attributes), FEWEST_CELLS) if i < len(attributes) else _bins(alone.n, factors)
        known[f"c{i}"] = edges, _ = _cells(alone, most, some)
        x = known_number(table, f"c{i}")
        coded.append(nw.when(~x.is_null()).then(place_of(x, edges[1:].tolist())).alias(f"c{i}"))
    others = [nw.col(f"r_{role}") for role in roles.named]
    other_roles: dict[str, Any] = {
        role: f"r_{role}" for role in ("truth", "base", "weight", "cluster") if role in roles.named
    }
    counted = count_rows(
        table.select(*coded, *others).to_native(),
        Roles(
            tuple(f"c{i}" for i in range(len(names))),
            "r_outcome",
            **other_roles,
            positive=roles.positive,
            missing="drop" if roles.missing == "drop" else "group",
        ),
        n_cells=1024,
        seed=seed,
        most_levels=MOST_LEVELS,
    )
    columns = [
        _valued(column, name, *known[column.name]) if column.name in known else replace(column, name=name)
        for column, name in zip(counted.columns, names, strict=True)
    ]
    _refuse_missing(columns, counted, roles)
    given = columns[len(attributes) : len(attributes) + len(roles.given)]
    return replace(
        counted,
        columns=tuple(columns[: len(attributes)]),
        factors=tuple(given),
        expected=columns[-1].values if roles.expected else None,
        dropped={_said(key, names, roles): n for key, n in counted.dropped.items()},
    )


def _is_numeric(kind: Any, name: str, *, lone: bool) -> bool:
    """Whether a column is taken as numbers, as it would be in memory."""
    import narwhals as nw

    if kind == nw.Object or (lone and not is_number(kind)):
        raise NeedsRows(f"only the values of {name!r} tell whether they are numbers or text")
    return is_number(kind) if lone else not is_category(kind)


def _bins(n: int, factors: list[str]) -> int:
    return max(2, round(BINS * math.sqrt(len(factors) * math.sqrt(n))))


def _cells(alone: Rows, most: int, borders: Any) -> tuple[Array, Array]:
    """Return the first value of each cell, and the last, from people counted by one number."""
    column = alone.columns[0]
    there = ~np.isnan(column.values)
    values, count = column.values[there], alone.people[there]
    last = values if column.last is None else column.last[there]
    edges = np.unique(values)
    if edges.size > most:
        order = np.argsort(values, kind="stable")
        edges = bin_edges(values[order], np.cumsum(count[order]), most)
    edges = np.unique([*edges, *(border for border in borders if values.min() < border <= last.max())])
    ends = np.full(edges.size, -np.inf)
    np.maximum.at(ends, np.searchsorted(edges, values, side="right") - 1, last)
    return edges, np.where(np.isfinite(ends), ends, edges)


def _valued(column: Column, name: str, edges: Array, ends: Array) -> Column:
    """Return the values that codes stand for."""
    there = ~np.isnan(column.values)
    at = np.rint(column.values[there]).astype(np.intp)
    values, last = np.full(column.values.size, np.nan), np.full(column.values.size, np.nan)
    values[there], last[there] = edges[at], ends[at]
    return Column(name, values, None, last)


def _refuse_missing(columns: list[Column], rows: Rows, roles: Roles) -> None:
    if roles.missing != "error":
        return
    absent = {c.name: int(rows.people[np.isnan(c.values)].sum()) for c in columns if np.isnan(c.values).any()}
    if absent:
        said = "; ".join(f"{name!r} holds {n} missing value(s) (NaN)" for name, n in absent.items())
        raise MissingValuesError(
            f"{said}.",
            "missing='drop' leaves these rows out and counts them; missing='group' makes them a group of their own "
            "(--missing on the command line).",
        )


def _said(key: str, names: list[str], roles: Roles) -> str:
    """Return the user's name of a column of ours."""
    if key.startswith("r_"):
        return roles.named.get(key[2:], key)
    return names[int(key[1:])] if key[1:].isdigit() else key
