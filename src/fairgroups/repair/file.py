"""Fair scores for a whole file: DuckDB reads it, computes and writes, so it may be larger than memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fairgroups.errors import InputError, MissingValuesError, OutputError
from fairgroups.options import one_of
from fairgroups.output import check_place, replacing
from fairgroups.partition.sides import Levels
from fairgroups.quoting import WHOLE_ROW, quoted, sql_row
from fairgroups.repair.factors import strata_sql
from fairgroups.repair.score_repair import ScoreRepair
from fairgroups.repair.sql import each_stratum, select_fair, sql_as_text, sql_chance
from fairgroups.repair.stratified_repair import StratifiedRepair
from fairgroups.sources.files import NOT_A_VALUE, holds_text
from fairgroups.sources.source import Source

__all__ = ["AppliedFile", "apply_to_file", "check_target"]


@dataclass(frozen=True)
class AppliedFile:
    """How many rows were written, and how many of them have no fair score."""

    rows: int
    without: int


def apply_to_file(
    repair: ScoreRepair | StratifiedRepair,
    source: Path,
    out: Path,
    *,
    score: str,
    sensitive: Sequence[str],
    given: Sequence[str] = (),
    key: str | None = None,
    row: Sequence[str] = (),
    into: str = "fair_score",
    missing: Literal["error", "keep"] = "error",
) -> AppliedFile:
    """Write the file's rows, in their order, with a column of fair scores; the target is replaced in one step.

    Parameters
    ----------
    repair : ScoreRepair or StratifiedRepair
        Fitted.
    source, out : Path
        CSV or Parquet files.
    score, sensitive, given, key : str, sequence of str, sequence of str, str
        The columns, those of the factors in the order of the fit. Without a key people who share a score stay together;
        the key `WHOLE_ROW` tells them apart by all that is known of them.
    row : sequence of str
        With that key: the columns that make it.
    into : str
        What the new column is called.
    missing : {"error", "keep"}
        A row without a score, attribute or key, or of a group not seen in fitting: stop, or leave its fair score empty.

    Returns
    -------
    AppliedFile
    """
    import duckdb

    one_of(missing, "missing", ("error", "keep"))
    options = check_target(source, out, into, key)
    factors = repair.factors_ if isinstance(repair, StratifiedRepair) else []
    strata = repair.repairs_ if isinstance(repair, StratifiedRepair) else {}
    others = repair.others_ if isinstance(repair, StratifiedRepair) else repair
    for what, named, expected in (
        ("by {} attribute(s)", sensitive, len(others.partition_.columns)),
        ("given {} factor(s)", given, len(factors)),
    ):
        if len(named) != expected:
            raise InputError(f"this repair is {what.format(expected)}; {len(named)} were named.", "name as many.")
    whole = key == WHOLE_ROW
    keys = [key] if key and not whole else []
    needed = [score, *sensitive, *given, *keys, *(row if whole else ())]
    as_text = holds_text(source) and holds_text(out)  # what is not understood is copied as it is written
    if as_text:
        with Source(source).opened(needed, text=keys) as table:
            as_text = not table.told  # numbers written as people do must be read to be used
    with Source(source).opened(needed, as_text=as_text, text=keys) as table:
        connection, relation = table.connection, table.relation
        columns = list(relation.columns)
        connection.execute("SET threads = 1")  # keeps the rows in order
        relation.create_view("fairgroups_file")
        free = _free_name(columns)
        read = {f"{free}_score": _number(score, as_text=as_text)}
        for d, name in enumerate(sensitive):
            read[f"{free}_{d}"] = (
                _category(name, as_text=as_text) if _is_category(others, d) else _number(name, as_text=as_text)
            )
        for name in keys:
            read[f"{free}_key"] = _category(name, as_text=as_text)
        listed = ", ".join(f"{expression} AS {name}" for name, expression in read.items())
        rows = f"(SELECT *, {listed} FROM fairgroups_file)"  # noqa: S608
        names = [f"{free}_{d}" for d in range(len(sensitive))]
        without = _check(connection, others, rows, read, [score, *sensitive, *keys], as_text=as_text, missing=missing)
        told_apart = f"({sql_row(row)})" if whole else f"{free}_key"

        def fair(one: ScoreRepair, people: str, carried: Sequence[str]) -> str:
            chance = sql_chance(one.random_state, told_apart) if key and one.maps_.shared else None
            return select_fair(one.maps_, one.partition_, people, f"{free}_score", names, chance, carried, into)

        if not factors:
            query = fair(others, rows, columns)
        else:
            values = [
                _category(name, as_text=as_text) if factor.borders is None else _number(name, as_text=as_text)
                for factor, name in zip(factors, given, strict=True)
            ]
            connection.execute(  # read once, for all strata
                f"CREATE TEMP TABLE {free}_rows AS SELECT *, {strata_sql(factors, values)} AS {free}_stratum, "  # noqa: S608
                f"row_number() OVER () AS {free}_row FROM {rows}"
            )
            parts = [
                fair(one, f"(SELECT * FROM {free}_rows WHERE {those})", [*columns, f"{free}_row"])  # noqa: S608
                for one, those in zip(
                    (*strata.values(), others), each_stratum(f"{free}_stratum", list(strata)), strict=True
                )
            ]
            together = "\nUNION ALL\n".join(parts)
            query = f"SELECT * EXCLUDE ({free}_row) FROM ({together}) ORDER BY {free}_row"  # noqa: S608
        with replacing(out) as temporary:
            target = str(temporary).replace("'", "''")
            try:
                ((n,),) = connection.execute(f"COPY ({query}) TO '{target}' ({options})").fetchall()
            except (duckdb.IOException, duckdb.FatalException) as error:
                raise OutputError(f"cannot write {out.name!r}: {' '.join(str(error).split())[:200]}") from error
    return AppliedFile(int(n), without)


def check_target(source: Path, out: Path, into: str, key: str | None) -> str:
    """Refuse what cannot be written, before any work is done; give DuckDB's options for the file."""
    options = _format(out)
    check_place(out)
    if source.resolve() == out.resolve():
        raise InputError("the result would replace the file it is made from.", "write it to another file.")
    keys = [key] if key and key != WHOLE_ROW else []
    with Source(source).opened(keys, text=keys) as table:
        relation = table.relation
        columns = list(relation.columns)
        if into.lower() in (name.lower() for name in columns):
            raise InputError(f"the file has a column {into!r} already.", "give the new one another name.")
        if keys and str(relation.types[columns.index(keys[0])]).startswith(("DOUBLE", "FLOAT", "DECIMAL")):
            raise InputError(f"the key {key!r} must be text or whole numbers.", "name another column.")
    return options


def _format(out: Path) -> str:
    """Return DuckDB's options for the kind of file that a name asks for."""
    packed = ", COMPRESSION gzip" if out.suffix.lower() == ".gz" else ""
    suffix = (out.with_suffix("") if packed else out).suffix.lower()
    if suffix in (".parquet", ".pq") and not packed:
        return "FORMAT parquet"
    if suffix in (".csv", ".tsv"):
        delimiter = "," if suffix == ".csv" else "\t"
        return f"FORMAT csv, HEADER, DELIMITER '{delimiter}'{packed}"
    raise InputError(f"cannot tell the format of {out.name!r}.", "name a .csv, .tsv, .csv.gz or .parquet file.")


def _is_category(repair: ScoreRepair, at: int) -> bool:
    return isinstance(repair.partition_.groups[0][0][at], Levels)


def _number(name: str, *, as_text: bool) -> str:
    if not as_text:
        return f"CAST({quoted(name)} AS DOUBLE)"
    return f"TRY_CAST(trim({_category(name, as_text=True)}) AS DOUBLE)"


def _category(name: str, *, as_text: bool) -> str:
    if not as_text:
        return sql_as_text(name)
    nothing = ", ".join(f"'{text}'" for text in NOT_A_VALUE)
    return f"CASE WHEN trim({quoted(name)}) IN ({nothing}) THEN NULL ELSE {quoted(name)} END"


def _free_name(columns: Sequence[str]) -> str:
    """Choose the beginning of a name that no column has."""
    name = "fairgroups"
    while any(column.lower().startswith(name) for column in columns):
        name += "_"
    return name


def _check(
    connection: Any,
    repair: ScoreRepair,
    rows: str,
    read: dict[str, str],
    said: list[str],
    *,
    as_text: bool,
    missing: str,
) -> int:
    """Count the rows that can have no fair score; stop at them unless they are to be kept."""
    groups, columns = repair.partition_, list(read)
    attributes = columns[1 : len(groups.columns) + 1]
    number = groups.to_sql(attributes)
    known_groups = repair.maps_.groups.tolist() if repair.maps_.axes is None else range(groups.n_groups)
    seen = ", ".join(map(str, known_groups))
    numeric = [columns[0], *(name for d, name in enumerate(attributes) if not _is_category(repair, d))]
    for name, column in zip(columns, said, strict=True):
        if name not in numeric:
            continue
        wrong = f"isinf({name})"
        if as_text:
            wrong += f" OR ({name} IS NULL AND {_category(column, as_text=True)} IS NOT NULL)"
        query = f"SELECT CAST({quoted(column)} AS VARCHAR) FROM {rows} WHERE {wrong} LIMIT 1"  # noqa: S608
        found = connection.execute(query).fetchall()
        if found:
            raise InputError(f"{column!r} must hold numbers; it holds {found[0][0][:40]!r}.", "clean the column.")
    tests = {
        f"no {column}": f"{name} IS NULL" + (f" OR isnan({name})" if name in numeric else "")
        for name, column in zip(columns, said, strict=True)
        if groups.missing != "group" or name not in attributes  # the missing are a group of their own
    }
    known = " AND ".join(f"NOT ({test})" for test in tests.values())
    tests["a group that was not seen in fitting"] = f"{known} AND coalesce({number}, -1) NOT IN ({seen})"
    counts = ", ".join(f"count(*) FILTER ({test})" for test in tests.values())
    either = " OR ".join(f"({test})" for test in tests.values())
    query = f"SELECT count(*) FILTER ({either}), {counts} FROM {rows}"  # noqa: S608
    without, *each = connection.execute(query).fetchall()[0]
    if without and missing == "error":
        reasons = "; ".join(f"{n} with {reason}" for n, reason in zip(each, tests, strict=True) if n)
        raise MissingValuesError(
            f"{without} row(s) can have no fair score: {reasons}.",
            "complete them, or keep them without one (--missing keep).",
        )
    return int(without)
