"""From a table and the names of its columns to checked rows, whatever and however large the table is.

Rows of a frame in memory are read as they are. Lazy frames, databases and large files are counted where they are; where
counts cannot answer, their rows are read, and a note says so. A column means the same either way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.engines.columns import check_columns, collect, is_number, under_names
from fairgroups.engines.count import count_rows
from fairgroups.engines.count_by_factors import count_alike
from fairgroups.errors import InputError, NeedsRows
from fairgroups.partition.given import given_partition
from fairgroups.partition.partition import Partition
from fairgroups.quoting import quoted
from fairgroups.rows.column_values import numbers, one_column
from fairgroups.rows.labels import positive_number, refuse_threshold, told_of_threshold
from fairgroups.rows.periods import read_periods
from fairgroups.rows.person_keys import read_keys, uniform_of
from fairgroups.rows.roles import Roles
from fairgroups.rows.rows import Rows
from fairgroups.sources.frames import ages_asked, is_lazy, library_beside, read_table
from fairgroups.sources.source import Source, count_of

__all__ = ["Reading", "read_rows"]

Array = NDArray[np.float64]
LARGE = 2_000_000  # rows of a file beyond which they are counted where they are
FEW_ROWS = 10_000  # of a lazy frame up to which they are read
MOST_LEVELS = 1_000_000  # numbers of an outcome among which the positive one is looked for
SMALL_FILE = 50_000_000  # bytes of text that are read without counting the rows first


@dataclass(frozen=True)
class Reading:
    """What was read.

    Attributes
    ----------
    rows : Rows
        The people.
    library : str
        The data-frame library in which tables are given back; "" for plain dicts.
    source : str
        Where the data came from, without a password.
    notes : list of str
        What a reader should know of how it was read.
    told : list of str
        What was decided and converted when it was read, in words.
    call : str
        How Python opens the table again; a plain one is called data.
    frame : lazy frame or None
        Where the people were counted, while it is open.
    """

    rows: Rows
    library: str
    source: str
    notes: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    frame: Any = field(default=None, repr=False)
    _options: dict[str, Any] = field(default_factory=dict, repr=False)
    call: str = "data"

    def finer(self, values: Array) -> Rows:
        """Count once more, and tell the people in the cells of these values apart value by value."""
        return count_rows(self.frame, **self._options, finer=values)

    def ending_at(self, partition: Partition) -> Rows:
        """Count once more, in cells none of which lies across a border of these groups."""
        borders = [partition.borders(d) for d in range(len(partition.columns))]
        return count_rows(self.frame, **{**self._options, "borders": borders})


@contextmanager
def read_rows(
    data: Any,
    roles: Roles,
    *,
    n_cells: int | None = None,
    partition: Any = None,
    scales: Mapping[str, Any] | None = None,
    seed: int = 0,
    raw: bool = False,
    verbose: bool = False,
) -> Iterator[Reading]:
    """Read and check the columns that were named; a file stays open until the end.

    Parameters
    ----------
    data : frame, mapping, path or Source
        The table.
    roles : Roles
        Which column is what.
    n_cells : int, optional
        How many cells people are counted in, where they are counted.
    partition : Partition or list of borders, optional
        Groups that are to be judged: cells end at their borders.
    scales : mapping, optional
        Classes of one attribute that are to be judged besides: cells end at their borders, too.
    seed : int
        With people's keys it decides which part each person is dealt into.
    raw : bool
        With factors that are held equal: whether groups are searched for before that.
    verbose : bool
        Show a progress bar.
    """
    borders: list[Array] = []
    if isinstance(partition, Mapping):  # which columns are categories is not known yet
        lines = [Partition.from_edges(partition.get(name, ())) for name in roles.sensitive]
        borders = [line.borders() for line in lines]
    elif partition is not None:
        groups = given_partition(partition, roles.sensitive, roles.missing)
        borders = [groups.borders(d) for d in range(len(roles.sensitive))]
    if scales:
        lines = [given_partition(edges, roles.sensitive, "error") for edges in scales.values()]
        more = [float(border) for line in lines for border in line.borders()]
        borders = [np.unique([*(borders[0] if borders else ()), *more])]
    options = {"roles": roles, "n_cells": n_cells, "borders": borders, "seed": seed}
    if not isinstance(data, str | Path | Source):
        yield _counted(data, options, raw=raw) if is_lazy(data) else _in_memory(data, roles, seed)
        return
    source = data if isinstance(data, Source) else Source(data)
    with source.opened(
        roles.columns, text=[name for name in (roles.key, roles.cluster) if name], verbose=verbose
    ) as table:
        with table.naming_rows():
            if source.is_database or _is_large(source, table.relation):
                reading = _counted(table.relation, options, source, raw=raw)
            else:
                columns = dict(table.relation.project(", ".join(map(quoted, roles.columns))).fetchnumpy())
                reading = _in_memory(columns, roles, seed, source)
        source.refuse(reading.told)
        yield replace(reading, told=[*table.told, *reading.told], call=source.call)


def _is_large(source: Source, relation: Any) -> bool:
    path = Path(source.location)
    if path.is_file() and path.stat().st_size < SMALL_FILE and path.suffix.lower() in (".csv", ".tsv", ".txt"):
        return False  # counting the rows of a text would read all of it once more
    return count_of(relation) > LARGE


def _counted(frame: Any, options: dict[str, Any], source: Source | None = None, *, raw: bool = False) -> Reading:
    """Count the people of a lazy frame, or read its rows where counts cannot answer."""
    import narwhals as nw

    roles = options["roles"]
    name = source.said if source else f"a table in {nw.from_native(frame).implementation.name.lower()}"
    library = "" if source else library_beside(frame)
    schema = nw.from_native(frame).collect_schema()
    if ages_asked(roles.columns, schema.names()):
        table = read_table(frame, roles.columns)
        rows = _rows_of(dict(table.columns), roles, options["seed"])
        return Reading(
            rows, library, name, [_read_for(rows, "ages follow from dates of birth")], [*table.told, *rows.told]
        )
    check_columns(schema, roles.columns)
    if _is_small(frame, roles.columns[0]):
        rows = _collected(frame, roles, options["seed"])
        return Reading(rows, library, name, [], list(rows.told))
    told: tuple[str, ...] = ()
    try:
        frame, roles, told = _decided(frame, roles)
        options = {**options, "roles": roles}
        if roles.given or roles.expected:
            rows = count_alike(frame, roles, borders=options["borders"], seed=options["seed"], raw=raw)
        else:
            rows = count_rows(frame, **options)
    except NeedsRows as error:
        rows = _collected(frame, roles, options["seed"])
        return Reading(rows, library, name, [_read_for(rows, error.fact)], [*told, *rows.told])
    return Reading(rows, library, name, [], [*told, *rows.told], frame, options)


def _read_for(rows: Rows, why: str) -> str:
    return f"The {rows.n:,} rows were read into memory, for {why}."


def _is_small(frame: Any, column: str) -> bool:
    """Whether so few people are in a lazy frame that they are read as those in memory are, value by value."""
    import narwhals as nw

    some = nw.from_native(under_names(frame, {"c": column})).head(FEW_ROWS + 1)
    return len(next(iter(collect(some).values()))) <= FEW_ROWS


def _collected(frame: Any, roles: Roles, seed: int) -> Rows:
    """Read the rows of a lazy frame."""
    import narwhals as nw

    ours = {f"c{i}": column for i, column in enumerate(roles.columns)}
    chosen = nw.from_native(under_names(frame, ours))
    held = chosen.collect().to_native() if chosen.implementation.is_polars() else collect(chosen)
    table = read_table(held, list(ours))
    columns = {column: table.columns[new] for new, column in ours.items()}
    return _rows_of(columns, roles, seed)


def _decided(frame: Any, roles: Roles) -> tuple[Any, Roles, tuple[str, ...]]:
    """Return a lazy frame whose numbers are yes or no, where a threshold or a positive one makes them so.

    Sums by cell do not tell which people have which number, so that this is done before they are counted.
    """
    import narwhals as nw

    table = nw.from_native(frame)
    kind, name = table.collect_schema()[roles.outcome], roles.outcome
    if roles.threshold is not None and not is_number(kind):
        raise InputError(f"`threshold` is for numbers, and {name!r} holds none.", "leave it out.")
    if not is_number(kind) or kind == nw.Boolean or (roles.threshold is None and roles.positive is None):
        return frame, roles, ()
    number = nw.col(name).cast(nw.Float64)
    if roles.threshold is not None:
        if roles.positive is not None:
            raise NeedsRows(f"only they tell which label of {roles.truth!r} {roles.positive!r} is")
        y = nw.col("y").cast(nw.Float64)
        known = nw.from_native(under_names(frame, {"y": name})).filter(~y.is_nan())  # null, if it is null
        values = known.select(least=y.min(), most=y.max())
        ends = [float(x) for x in np.ravel(list(collect(values).values())) if x is not None]
        if len(ends) == 2:
            refuse_threshold(name, roles.threshold, *ends)
        yes, told = number >= roles.threshold, told_of_threshold(name, roles.threshold)
    else:
        values = nw.from_native(under_names(frame, {"y": name})).select(nw.col("y").cast(nw.Float64)).unique()
        levels = numbers(next(iter(collect(values.head(MOST_LEVELS)).values())), name)
        if np.all((levels == 0) | (levels == 1) | np.isnan(levels)):
            return frame, roles, ()
        if roles.truth is not None or roles.base is not None:
            raise NeedsRows(f"only they tell whether {roles.positive!r} is a value of {name!r} or of the other column")
        wanted, told = positive_number(levels, name, roles.positive)
        yes = number == wanted
    decided = nw.when(~(number.is_null() | number.is_nan())).then(nw.when(yes).then(1).otherwise(0))
    roles = replace(roles, threshold=None, positive=None)
    return table.with_columns(decided.alias(name)).to_native(), roles, told


def _in_memory(data: Any, roles: Roles, seed: int, source: Source | None = None) -> Reading:
    table = read_table(data, roles.columns)
    name = source.said if source else "a table in memory"
    rows = _rows_of(dict(table.columns), roles, seed)
    return Reading(rows, table.library, name, told=[*table.told, *rows.told])


def _rows_of(columns: dict[str, Any], roles: Roles, seed: int) -> Rows:
    lot = None if roles.key is None else np.array([uniform_of(seed, key) for key in read_keys(columns[roles.key])])
    several = len(roles.sensitive) > 1
    rows = Rows.from_arrays(
        {name: columns[name] for name in roles.sensitive} if several else columns[roles.sensitive[0]],
        **{role: columns[name] for role, name in roles.named.items()},
        factors={name: columns[name] for name in roles.given},
        lot=lot,
        positive=roles.positive,
        threshold=roles.threshold,
        missing=roles.missing,
        names={**roles.named, "sensitive": roles.sensitive[0]},
    )
    if roles.by is None:
        return rows
    period, periods = read_periods(one_column(columns[roles.by]), roles.by)
    return replace(rows, period=period if rows.index is None else period[rows.index], periods=periods, by=roles.by)
