"""fairgroups apply: a repair that was learnt, for the people of a new file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["apply", "write_fair"]

BLIND, STRATIFIED = "fairgroups/blind-repair", "fairgroups/stratified-repair"


def apply(
    model: Annotated[
        Path, typer.Argument(help="A repair that `fairgroups repair --model`, or `to_json`, wrote.", show_default=False)
    ],
    data: Annotated[Path, typer.Argument(help="A CSV or Parquet file with new people.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Write the table with fair scores here (.csv or .parquet).")],
    score: Annotated[str | None, typer.Option(help="Column of the score, if it is called otherwise here.")] = None,
    sensitive: Annotated[
        list[str] | None, typer.Option("--sensitive", "-s", help="Columns of the attributes, if called otherwise here.")
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(help="Columns of the factors, if called otherwise here: of a repair among comparable people."),
    ] = None,
    key: Annotated[str | None, typer.Option(help="Column that says who each row is.")] = None,
    chance: Annotated[
        list[str] | None,
        typer.Option(help="For a repair without the attribute: the column of each group's chance, in order."),
    ] = None,
    into: Annotated[str | None, typer.Option(help="What the new column is called.")] = None,
    missing: Annotated[
        str, typer.Option(help="Rows with missing values: error, or keep (without a fair score).")
    ] = "error",
) -> None:
    """Add fair scores to a new file, which may be larger than memory."""
    from fairgroups.errors import InputError
    from fairgroups.output import read_text
    from fairgroups.repair.json_file import read_document
    from fairgroups.repair.score_repair import ScoreRepair
    from fairgroups.repair.stratified_repair import StratifiedRepair

    document = read_document(read_text(model))
    if document.get("schema") == BLIND:
        typer.echo(_write_blind(document, data, out, score, chance or [], into or "fair_score", missing))
        return
    within = document.get("schema") == STRATIFIED
    fitted = StratifiedRepair.from_dict(document) if within else ScoreRepair.from_dict(document)
    stored = document.get("columns") or {}
    used = {
        "score": score or stored.get("score"),
        "sensitive": sensitive or stored.get("sensitive") or None,
        "given": given or stored.get("given") or [factor["name"] for factor in document.get("factors", ())],
        "key": key or stored.get("key"),
        "row": stored.get("row") or [],
        "into": into or stored.get("into") or "fair_score",
    }
    for name in ("score", "sensitive"):
        if not used[name]:
            raise InputError(f"the repair does not say which column the {name} is.", f"name it: --{name}")
    typer.echo(write_fair(fitted, data, out, used, missing))


def _write_blind(
    document: dict[str, Any], data: Path, out: Path, score: str | None, chances: list[str], into: str, missing: str
) -> str:
    """Write fair scores that need no attribute, and say so."""
    from fairgroups.errors import InputError
    from fairgroups.options import one_of
    from fairgroups.repair.blind_file import apply_blind_to_file
    from fairgroups.repair.blind_repair import BlindRepair

    one_of(missing, "missing", ("error", "keep"))
    if score is None:
        raise InputError("a repair without the attribute does not say which column the score is.", "name it: --score")
    repair = BlindRepair.from_dict(document)
    keep = missing == "keep"
    done = apply_blind_to_file(repair, data, out, score=score, chances=chances, into=into, keep_missing=keep)
    return _said(out, into, done)


def _said(out: Path, into: str, done: Any) -> str:
    left = f", {done.without:,} of them without a fair score" if done.without else ""
    return f"Fair scores in the column {into!r} of {out.resolve()} ({done.rows:,} rows{left})"


def write_fair(fitted: Any, data: Path, out: Path, used: dict[str, Any], missing: str) -> str:
    """Write the table with fair scores, and say so."""
    from fairgroups.repair.file import apply_to_file

    done = apply_to_file(fitted, data, out, **used, missing=missing)  # type: ignore[arg-type]
    return _said(out, str(used["into"]), done)
