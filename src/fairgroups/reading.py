"""From a table and the names of its columns to checked rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fairgroups.engines.count import count_rows, is_lazy
from fairgroups.errors import InputError
from fairgroups.measures import MEASURES, JointMeasure, Measure
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.rows.person_keys import read_keys, uniform_of
from fairgroups.rows.rows import Missing, Rows
from fairgroups.sources.frames import Table, lazy_builder, read_table
from fairgroups.sources.source import LARGE, Source, count_of

__all__ = ["Reading", "centred", "given_groups", "read_rows"]


@dataclass(frozen=True)
class Reading:
    """Rows, the table they were read from, the names of the attributes, and the column of each role."""

    rows: Rows
    table: Table
    attributes: list[str]
    roles: dict[str, str | None]


def read_rows(
    data: Any,
    *,
    sensitive: str | Sequence[str],
    outcome: str,
    truth: str | None = None,
    base: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    positive: Any = None,
    missing: Missing = "error",
    n_cells: int | None = None,
    given: Any = None,
    who: str | None = None,
    seed: int = 0,
    verbose: bool = False,
) -> Reading:
    """Read and check the columns that were named; a lazy frame's people are counted in `n_cells` cells where they are.

    `given` are groups to be judged: a lazy frame's cells then end at their borders. `who` is the column of people's
    ids, by which, with the seed, they are dealt into parts.
    """
    several = isinstance(sensitive, Sequence) and not isinstance(sensitive, str)
    attributes: list[str] = list(dict.fromkeys(sensitive)) if several else [sensitive]  # type: ignore[list-item]
    if not attributes:
        raise InputError("name at least one sensitive column.")
    asked = {"outcome": outcome, "truth": truth, "compare_with": base, "weight": weight, "cluster": cluster, "id": who}
    for role, name in [*asked.items(), *(("sensitive", name) for name in attributes)]:
        if not isinstance(name, str) and (name is not None or role in ("sensitive", "outcome")):
            raise InputError(f"`{role}` must be the name of a column; got {name!r}.")
    roles = {"outcome": outcome, "truth": truth, "base": base, "weight": weight, "cluster": cluster}
    named = {role: name for role, name in roles.items() if name is not None}
    if isinstance(data, str | Path | Source):
        source = data if isinstance(data, Source) else Source(data)
        used = [*attributes, *named.values(), *([who] if who else [])]
        with source.opened(used, text=[who] if who else [], verbose=verbose) as (_, relation):
            if source.is_database or (cluster is None and count_of(relation) > LARGE):
                same: dict[str, Any] = {"sensitive": sensitive, "outcome": outcome, "truth": truth, "base": base}
                same |= {"weight": weight, "cluster": cluster, "positive": positive, "missing": missing}
                return read_rows(relation, **same, n_cells=n_cells, given=given, who=who, seed=seed)
    if is_lazy(data):
        groups = None if given is None else given_groups(given, attributes, missing)
        options: dict[str, Any] = {"positive": positive, "missing": missing, "n_cells": n_cells, "given": groups}
        rows = count_rows(data, attributes, roles, **options, who=who, seed=seed)
        return Reading(rows, Table({}, lazy_builder(data)), attributes, roles)
    table = read_table(data, [*attributes, *named.values(), *([who] if who else [])], text=[who] if who else [])
    columns = table.columns
    lot = None if who is None else np.array([uniform_of(seed, key) for key in read_keys(columns[who])])
    rows = Rows.from_arrays(
        {name: columns[name] for name in attributes} if len(attributes) > 1 else columns[attributes[0]],
        **{role: columns[name] for role, name in named.items()},
        lot=lot,
        positive=positive,
        missing=missing,
        names={**named, "sensitive": attributes[0]},
    )
    return Reading(rows, table, attributes, roles)


def centred(rows: Rows, measure: Measure | JointMeasure) -> tuple[Rows, float]:
    """Take about the mean off outcomes that are no rates: differences and scatter keep their digits only near 0.

    It is a multiple of about the standard deviation, so that it is the same number whoever added the outcomes up.
    """
    if measure is not MEASURES["mean"] or (rows.outcome.min() >= 0 and rows.outcome.max() <= 1):
        return rows, 0.0
    mean = float(np.average(rows.outcome, weights=rows.count))
    spread = float(np.sqrt(np.average((rows.outcome - mean) ** 2, weights=rows.count)))
    unit = 2.0 ** np.ceil(np.log2(spread)) if spread > 0 else 0.0
    offset = float(np.rint(mean / unit) * unit) if unit > 0 else 0.0
    base = None if rows.base is None else rows.base - offset
    return replace(rows, outcome=rows.outcome - offset, base=base), offset


def given_groups(partition: Any, attributes: list[str], missing: Missing) -> Partition | BoxPartition:
    """Check groups that a caller brings; bare borders, or groups without a name, take the attribute's."""
    if isinstance(partition, BoxPartition):
        if list(partition.columns) != attributes:
            raise InputError(
                f"the partition is of {partition.name!r}; the columns named are {attributes}.",
                "name the same columns in the same order.",
            )
        return replace(partition, missing=missing)
    if isinstance(partition, Partition):
        if len(attributes) > 1 or partition.name not in ("", attributes[0]):
            named = repr(attributes[0]) if len(attributes) == 1 else str(attributes)
            raise InputError(
                f"the partition is of {partition.name!r}; the column named is {named}.",
                "name the column that the groups were made for.",
            )
        return Partition(partition.groups, name=attributes[0], missing=missing)
    if len(attributes) > 1:
        raise InputError(f"groups of {attributes} must be a BoxPartition; got {type(partition).__name__}.")
    try:
        return Partition.from_edges(partition, name=attributes[0], missing=missing)
    except TypeError:
        raise InputError(
            f"`partition` must be a Partition, a BoxPartition or a list of borders; got {type(partition).__name__}."
        ) from None
