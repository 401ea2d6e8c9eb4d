"""Repairs of lazy frames: learnt from counts, applied where the data is."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fairgroups.engines.columns import as_float, collect, under_names
from fairgroups.engines.count import count_rows
from fairgroups.errors import InputError
from fairgroups.grouping.estimator import GroupEstimator
from fairgroups.partition.partition import Partition
from fairgroups.repair.inputs import read_partition, read_scores
from fairgroups.rows.column_values import one_column
from fairgroups.rows.roles import Roles
from fairgroups.sources.frames import column_names

if TYPE_CHECKING:
    from fairgroups.repair.score_repair import ScoreRepair

__all__ = ["ScoreCounts", "count_scores", "fair_frame", "rows_of"]

Array = NDArray[np.float64]
MOST_ROWS = 5_000_000  # that come into memory to find groups
GROUP, NOTHING = "fairgroups_group", "fairgroups_nothing"


@dataclass(frozen=True)
class ScoreCounts:
    """People of a lazy frame by group and score: `people` is 1 where a cell holds several scores, for these differ."""

    partition: Partition
    score: Array
    codes: NDArray[np.intp]
    label: Array | None
    count: Array
    people: NDArray[np.intp]


def rows_of(frame: Any, y: Any, sensitive: Any, weight: Any) -> tuple[Array, Any, Any, Any]:
    """Bring scores, labels, attributes and weights into memory, for repairs that are learnt from people themselves.

    Parameters
    ----------
    frame : lazy frame
        It holds the score, which is the column that plays no other role.
    y, sensitive, weight : str
        Names of columns.

    Returns
    -------
    tuple of scores, labels, attributes and weights
    """
    score, names = _roles(frame, y, sensitive, weight)
    wanted = [score, *names, *(name for name in (y, weight) if name is not None)]
    columns = {f"c{i}": name for i, name in enumerate(wanted)}
    table = nw.from_native(under_names(frame, columns))
    n = int(as_float(collect(table.select(nw.len().alias("n")))["n"][0]))
    if n > MOST_ROWS:
        raise InputError(
            f"maps by the exact attribute, and groups, are found in the rows themselves, and there are {n:,}.",
            "give the groups: ScoreRepair(FairGroups(…)), borders, or a Partition; or draw some of the rows.",
        )
    held = collect(table)
    found = {name: one_column(held[ours]) for ours, name in columns.items()}
    attributes = {name: found[name] for name in names}
    return (
        read_scores(found[score]),
        None if y is None else found[y],
        attributes,
        None if weight is None else found[weight],
    )


def count_scores(repair: ScoreRepair, frame: Any, y: Any, sensitive: Any, weight: Any) -> ScoreCounts:
    """Find the groups and count people by group and score.

    Parameters
    ----------
    repair : ScoreRepair
        What is asked for.
    frame : lazy frame
        It holds the score, which is the column that plays no other role.
    y, sensitive, weight : str
        Names of columns.

    Returns
    -------
    ScoreCounts
    """
    score, names = _roles(frame, y, sensitive, weight)
    if weight is not None:
        raise InputError("weights need the rows themselves.", "collect the table first.")
    partition = _groups(repair, frame, names, score)
    number = partition.expr(names)
    table = nw.from_native(frame).with_columns(number.cast(nw.String).alias(GROUP), nw.lit(0).alias(NOTHING))
    rows = count_rows(table.to_native(), Roles.of([score, GROUP], NOTHING, truth=y))
    scores, groups = rows.columns
    assert scores.last is not None
    assert groups.levels is not None
    assert rows.count is not None
    codes = np.array([int(level) for level in groups.levels])[groups.values.astype(np.intp)]
    people = np.where(scores.last > scores.values, 1, rows.count).astype(np.intp)
    return ScoreCounts(partition, scores.last, codes, rows.truth, rows.count, people)


def _roles(frame: Any, y: Any, sensitive: Any, weight: Any) -> tuple[str, list[str]]:
    """Check the names of columns; return that of the score and those of the attributes."""
    names = [sensitive] if isinstance(sensitive, str) else list(sensitive)
    for what, name in (("y", y), ("sample_weight", weight), *(("sensitive", name) for name in names)):
        if name is not None and not isinstance(name, str):
            raise InputError(
                f"the scores are in a lazy frame, so {what} must be the name of one of its columns.",
                "fit(frame, sensitive='age')",
            )
    left = [name for name in column_names(frame) if name not in (y, weight, *names)]
    if len(left) != 1:
        raise InputError(
            f"the frame must hold the score and what else is named; it also holds {left}.", "select the columns first."
        )
    (score,) = left
    kind = nw.from_native(frame).collect_schema()[score]
    if not kind.is_numeric():
        raise InputError(f"the score {score!r} must hold numbers; it holds {kind}.", "cast the column to a number.")
    return score, names


def _groups(repair: ScoreRepair, frame: Any, names: Sequence[str], score: str) -> Partition:
    given = repair.partition
    if isinstance(given, GroupEstimator) and not hasattr(given, "partition_"):
        chosen = nw.from_native(frame).select(*names, score).to_native()
        given = clone(given).fit(chosen, score)
    return read_partition(given, np.empty(0), None, None)


def fair_frame(repair: ScoreRepair, frame: Any, sensitive: Any, key: str | None, into: str) -> Any:
    """Return a lazy frame with a column of fair scores more, computed where the data is."""
    names = [sensitive] if isinstance(sensitive, str) else list(sensitive)
    columns = column_names(frame)
    left = [name for name in columns if name not in (*names, key)]
    if len(left) != 1:
        raise InputError(
            f"the frame must hold the score and what else is named; it also holds {left}.", "select the columns first."
        )
    (score,) = left
    if into in columns:
        raise InputError(f"the frame has a column {into!r} already.", "rename it first.")
    kind = nw.from_native(frame).implementation
    if kind is nw.Implementation.DUCKDB:
        mine = f"fairgroups_{uuid.uuid4().hex}"  # no table of the user's has this name
        query = repair.to_sql(mine, score=score, sensitive=names, key=key, columns=columns, into=into)
        return frame.query(mine, query)

    def one(part: Any) -> Any:
        table = nw.from_native(part, eager_only=True)
        attribute = table[names[0]].to_numpy() if len(names) == 1 else table.select(names).to_native()
        keys = None if key is None else table[key].to_numpy()
        fair = repair.transform(table[score].to_numpy(), sensitive=attribute, key=keys) if len(table) else []
        new = nw.new_series(into, np.asarray(fair, dtype=np.float64), nw.Float64, backend=table.implementation)
        return table.with_columns(new).to_native()

    if kind is nw.Implementation.POLARS:
        import polars as pl

        return frame.map_batches(one, schema={**frame.collect_schema(), into: pl.Float64}, streamable=True)
    if kind is nw.Implementation.DASK:
        return frame.map_partitions(one, meta={**frame.dtypes.to_dict(), into: "float64"})
    if kind is nw.Implementation.PYSPARK:
        from pyspark.sql.types import DoubleType, StructField, StructType

        schema = StructType([*frame.schema.fields, StructField(into, DoubleType())])
        return frame.mapInPandas(lambda parts: map(one, parts), schema)
    raise InputError(
        f"a {kind.name.lower()} frame cannot be transformed in place.", "write the query with to_sql, or collect it."
    )
