"""fairgroups paper: every table and figure of the paper that can be reproduced."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["paper"]


def paper(
    out: Annotated[Path, typer.Option(help="A folder for the page, its Markdown and its figures.")] = Path("paper"),
    table: Annotated[
        Path | None, typer.Option(help="Faces with skin tone, scores and the true label, as `faces train` writes them.")
    ] = None,
    second_table: Annotated[
        Path | None, typer.Option(help="Other faces with skin tone and scores, as `faces predict` writes them.")
    ] = None,
    score: Annotated[str, typer.Option(help="Column of the scores.")] = "score",
    truth: Annotated[str, typer.Option(help="Column of the true label.")] = "attractive",
    lightness: Annotated[str, typer.Option(help="Column of L*.")] = "L",
    hue: Annotated[str, typer.Option(help="Column of the hue angle.")] = "hue",
    ita: Annotated[str, typer.Option(help="Column of the typology angle.")] = "ita",
    fold: Annotated[str, typer.Option(help="Column of the folds.")] = "fold",
    draws: Annotated[int, typer.Option(help="How often data are drawn where shares are counted.", min=10)] = 100,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Reproduce the paper: its tables and figures beside ours, and what goes past it."""
    from fairgroups.errors import InputError
    from fairgroups.paper import reproduce
    from fairgroups.paper.faces import FaceColumns
    from fairgroups.paper.page import write_paper

    if second_table is not None and table is None:
        raise InputError("--second-table needs a first one.", "name it: --table")
    for given in (table, second_table):
        if given is not None and not given.exists():
            raise InputError(f"there is no file {str(given)!r}.", "name a table that `fairgroups faces` wrote.")
    if out.exists() and not out.is_dir():
        raise InputError(f"{str(out)!r} is not a folder.", "name another one.")
    columns = FaceColumns(lightness, hue, ita, score, truth, fold)
    began = time.monotonic()
    parts = []
    for part in reproduce(table, second_table, columns=columns, seed=seed, draws=draws):
        parts.append(part)
        if not quiet:
            typer.echo(f"{time.monotonic() - began:6.0f} s  {part.title}", err=True)
            sys.stderr.flush()
    for path in write_paper(parts, out):
        if not quiet:
            typer.echo(str(path.resolve()))
