"""Fair scores for a whole file: DuckDB reads it, computes and writes, so it may be larger than memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fairgroups.boxes import BoxPartition, Levels
from fairgroups.errors import InputError, MissingValuesError, OutputError
from fairgroups.files import replacing
from fairgroups.repair.scores import ScoreRepair
from fairgroups.repair.sql import select_fair, sql_chance, sql_text
from fairgroups.sources import NOT_A_VALUE, holds_text, opened, quoted

__all__ = ["Applied", "apply_to_file"]

SCORE = "fairgroups_score_read"


@dataclass(frozen=True)
class Applied:
    """How many rows were written, and how many of them have no fair score."""

    rows: int
    without: int


def apply_to_file(
    repair: ScoreRepair,
    source: Path,
    out: Path,
    *,
    score: str,
    sensitive: Sequence[str],
    key: str | None = None,
    into: str = "fair_score",
    missing: Literal["error", "keep"] = "error",
) -> Applied:
    """Write the file's rows, in their order, with a column of fair scores; the target is replaced in one step.

    Parameters
    ----------
    repair : ScoreRepair
        Fitted.
    source, out : Path
        CSV or Parquet files.
    score, sensitive, key : str, sequence of str, str
        The columns. Without a key people who share a score are told apart by their attribute.
    into : str
        What the new column is called.
    missing : {"error", "keep"}
        A row without a score or an attribute, or of a group not seen in fitting: stop, or leave its fair score empty.
    """
    import duckdb

    options = _format(out)
    if missing not in ("error", "keep"):
        raise InputError(f"`missing` must be 'error' or 'keep'; got {missing!r}.")
    if source.resolve() == out.resolve():
        raise InputError("the result would replace the file it is made from.", "write it to another file.")
    as_text = holds_text(source) and holds_text(out)  # what is not understood is copied as it is written
    needed = [score, *sensitive, *([key] if key else [])]
    with opened(source, needed, as_text=as_text) as (connection, relation):
        columns = list(relation.columns)
        if into.lower() in (name.lower() for name in columns):
            raise InputError(f"the file has a column {into!r} already.", "give the new one another name.")
        connection.execute("SET threads = 1")  # keeps the rows in order
        relation.create_view("fairgroups_file")
        read = {SCORE: _number(score, as_text=as_text)}
        for d, name in enumerate(sensitive):
            read[f"fairgroups_attribute_{d}"] = (
                _category(name, as_text=as_text) if _is_category(repair, d) else _number(name, as_text=as_text)
            )
        listed = ", ".join(f"{expression} AS {name}" for name, expression in read.items())
        rows = f"(SELECT *, {listed} FROM fairgroups_file)"  # noqa: S608
        names = list(read)[1:]
        without = _check(connection, repair, rows, names, [score, *sensitive], as_text=as_text, missing=missing)
        who = sql_text(key) if key else " || ' ' || ".join(map(sql_text, read))
        chance = sql_chance(repair.random_state, who) if repair.largest_atom_ > 0 else None
        query = select_fair(repair.maps_, repair.partition_, rows, SCORE, names, chance, columns, into)
        with replacing(out) as temporary:
            target = str(temporary).replace("'", "''")
            try:
                (n,) = connection.execute(f"COPY ({query}) TO '{target}' ({options})").fetchone()
            except (duckdb.IOException, duckdb.FatalException) as error:
                raise OutputError(f"cannot write {out.name!r}: {' '.join(str(error).split())[:200]}") from error
    return Applied(int(n), without)


def _format(out: Path) -> str:
    """Give DuckDB's options for the kind of file that a name asks for."""
    packed = ", COMPRESSION gzip" if out.suffix.lower() == ".gz" else ""
    suffix = (out.with_suffix("") if packed else out).suffix.lower()
    if suffix in (".parquet", ".pq") and not packed:
        return "FORMAT parquet"
    if suffix in (".csv", ".tsv"):
        delimiter = "," if suffix == ".csv" else "\t"
        return f"FORMAT csv, HEADER, DELIMITER '{delimiter}'{packed}"
    raise InputError(f"cannot tell the format of {out.name!r}.", "name a .csv, .tsv, .csv.gz or .parquet file.")


def _is_category(repair: ScoreRepair, at: int) -> bool:
    groups = repair.partition_
    return isinstance(groups, BoxPartition) and isinstance(groups.groups[0][at], Levels)


def _number(name: str, *, as_text: bool) -> str:
    if not as_text:
        return f"CAST({quoted(name)} AS DOUBLE)"
    return f"TRY_CAST({_category(name, as_text=True)} AS DOUBLE)"


def _category(name: str, *, as_text: bool) -> str:
    if not as_text:
        return sql_text(name)
    nothing = ", ".join(f"'{text}'" for text in NOT_A_VALUE)
    return f"CASE WHEN trim({quoted(name)}) IN ({nothing}) THEN NULL ELSE trim({quoted(name)}) END"


def _check(
    connection: Any,
    repair: ScoreRepair,
    rows: str,
    names: list[str],
    said: list[str],
    *,
    as_text: bool,
    missing: str,
) -> int:
    """Count the rows that can have no fair score; stop at them unless they are to be kept."""
    groups = repair.partition_
    number = groups.to_sql(names) if isinstance(groups, BoxPartition) else groups.to_sql(names[0])
    seen = ", ".join(map(str, repair.maps_.groups.tolist()))
    tests = {f"no {said[0]}": f"{SCORE} IS NULL OR isnan({SCORE})"}
    tests |= {f"no {name}": f"{read} IS NULL" for read, name in zip(names, said[1:], strict=True)}
    tests["a group that was not seen in fitting"] = f"{number} NOT IN ({seen})"
    if as_text:
        for read, name in zip([SCORE, *names], said, strict=True):
            text = _category(name, as_text=True)
            query = f"SELECT {text} FROM {rows} WHERE {read} IS NULL AND {text} IS NOT NULL LIMIT 1"  # noqa: S608
            found = connection.execute(query).fetchone()
            if found:
                raise InputError(f"{name!r} must hold numbers; it holds {found[0][:40]!r}.", "clean the column.")
    counts = ", ".join(f"count(*) FILTER ({test})" for test in tests.values())
    either = " OR ".join(f"({test})" for test in [*tests.values(), f"({number}) IS NULL"])
    query = f"SELECT count(*) FILTER ({either}), {counts} FROM {rows}"  # noqa: S608
    without, *each = connection.execute(query).fetchone()
    if without and missing == "error":
        reasons = "; ".join(f"{n} with {reason}" for n, reason in zip(each, tests, strict=True) if n)
        raise MissingValuesError(
            f"{without} row(s) can have no fair score: {reasons}.",
            "complete them, or keep them without one (--missing keep).",
        )
    return int(without)
