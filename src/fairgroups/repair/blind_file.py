"""Fair scores for a whole file without the attribute: from the columns of the score and of each group's chance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairgroups.errors import InputError, MissingValuesError, OutputError
from fairgroups.output import replacing
from fairgroups.quoting import quoted, sql_value
from fairgroups.repair.blind_repair import BlindRepair
from fairgroups.repair.file import AppliedFile, check_target
from fairgroups.sources.source import Source

__all__ = ["apply_blind_to_file"]


def apply_blind_to_file(
    repair: BlindRepair,
    source: Path,
    out: Path,
    *,
    score: str,
    chances: Sequence[str],
    into: str = "fair_score",
    keep_missing: bool = False,
) -> AppliedFile:
    """Write the file's rows, in their order, with a column of fair scores; the target is replaced in one step.

    Parameters
    ----------
    repair : BlindRepair
        Fitted.
    source, out : Path
        CSV or Parquet files.
    score, chances : str, sequence of str
        The columns of the score, and of the chance of each group in order.
    into : str
        What the new column is called.
    keep_missing : bool
        Whether rows without a score or a chance are kept, without a fair score; else they are refused.

    Returns
    -------
    AppliedFile
    """
    import duckdb

    options = check_target(source, out, into, None)
    if len(chances) != repair.shares_.size:
        raise InputError(
            f"this repair is by {repair.shares_.size} groups; {len(chances)} chances were named.",
            "name one column for each group: --chance young --chance old",
        )
    with Source(source).opened([score, *chances]) as table:
        connection, relation = table.connection, table.relation
        connection.execute("SET threads = 1")  # keeps the rows in order
        relation.create_view("fairgroups_file")
        for name in (score, *chances):
            kind = str(relation.types[list(relation.columns).index(name)])
            if kind in ("VARCHAR", "BOOLEAN"):
                raise InputError(f"{name!r} must hold numbers; it holds {kind.lower()}.", "clean the column.")
        absent = " OR ".join(f"{sql_value(name)} IS NULL OR isnan({sql_value(name)})" for name in (score, *chances))
        wrong = " OR ".join(f"{sql_value(name)} < 0 OR {sql_value(name)} > 1" for name in chances)
        query = f"SELECT count(*) FILTER ({absent}), count(*) FILTER ({wrong}) FROM fairgroups_file"  # noqa: S608
        ((without, outside),) = connection.execute(query).fetchall()
        if outside:
            raise InputError(f"{outside} row(s) have chances that are not between 0 and 1.", "check the columns.")
        if without and not keep_missing:
            raise MissingValuesError(
                f"{without} row(s) miss a score or a chance.",
                "complete them, or keep them without a fair score (--missing keep).",
            )
        fair = repair.sql_of(score, list(chances))
        carried = ", ".join(quoted(name) for name in relation.columns)
        shown = f"CASE WHEN {absent} THEN NULL ELSE {fair} END AS {quoted(into)}"
        with replacing(out) as temporary:
            target = str(temporary).replace("'", "''")
            try:
                copy = f"COPY (SELECT {carried}, {shown} FROM fairgroups_file) TO '{target}' ({options})"  # noqa: S608
                ((n,),) = connection.execute(copy).fetchall()
            except (duckdb.IOException, duckdb.FatalException) as error:
                raise OutputError(f"cannot write {out.name!r}: {' '.join(str(error).split())[:200]}") from error
    return AppliedFile(int(n), int(without))
