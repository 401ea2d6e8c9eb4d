"""fairgroups skin: a folder of photographs → a table of skin tones."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["skin"]

SHOWN = 10


def skin(
    folder: Annotated[Path, typer.Argument(help="Photographs, in this folder and below.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Write the table here (.csv or .parquet).")],
    finder: Annotated[
        str,
        typer.Option(
            help="How faces are found: mesh (mediapipe), cascade (scikit-image), aligned (every face in the same "
            "place, as in CelebA and FFHQ), or auto: the mesh where it is installed, else the cascade."
        ),
    ] = "auto",
    masks: Annotated[
        Path | None, typer.Option(help="A folder of masks, white where skin is, named as the photographs are.")
    ] = None,
    white_balance: Annotated[str, typer.Option(help="none, or grey-world: as if colours averaged to grey.")] = "none",
    card: Annotated[
        str | None, typer.Option(help="A grey card in every picture: left,top,right,bottom in pixels.")
    ] = None,
    card_lightness: Annotated[float | None, typer.Option(help="The card's L*; sets the exposure too.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; as many as there are cores.", min=1)] = None,
    again: Annotated[bool, typer.Option("--again", help="Start over instead of going on where a run stopped.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Measure the apparent skin tone in photographs: L*, a*, b*, ITA and hue, with marks of doubt."""
    from fairgroups.errors import InputError
    from fairgroups.output import check_table_path
    from fairgroups.skin.folder import ToneOptions, measure_folder

    check_table_path(out)
    if white_balance not in ("none", "grey-world"):
        raise InputError(f"--white-balance must be none or grey-world; got {white_balance!r}.")
    if card_lightness is not None and card is None:
        raise InputError("--card-lightness needs to know where the card is.", "add --card left,top,right,bottom.")
    found = measure_folder(
        folder,
        out,
        options=ToneOptions(
            finder=finder,
            balance=None if white_balance == "none" else white_balance,
            card=None if card is None else _box(card),
            card_lightness=card_lightness,
            masks=None if masks is None else str(masks),
        ),
        workers=workers,
        again=again,
        verbose=not quiet and sys.stderr.isatty(),
    )
    for name, why in found.unread[:SHOWN]:
        typer.echo(f"Not read: {name}: {why}", err=True)
    if len(found.unread) > SHOWN:
        typer.echo(f"… and {len(found.unread) - SHOWN} more; the column 'reason' lists all.", err=True)
    if not found.measured:
        raise InputError(f"no tone could be measured; the table says why: {out.resolve()}", "try another --finder.")
    if quiet:
        return
    n = len(found.columns["L"])
    typer.echo(f"Measured {found.measured:,} of {n:,} photographs: {out.resolve()}")
    if found.resumed:
        typer.echo(f"{found.resumed:,} of them had been done by a run that was stopped.")
    marks = Counter(flag for flags in found.columns["flags"].tolist() for flag in flags.split("; ") if flag)
    for flag, count in marks.most_common():
        typer.echo(f"{count:>7,} marked {flag!r}")
    typer.echo("Tones are those of the skin in each photograph's light, not of the person.")


def _box(text: str) -> tuple[int, int, int, int]:
    from fairgroups.errors import InputError

    try:
        left, top, right, bottom = (int(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"--card must be four whole numbers; got {text!r}.", "left,top,right,bottom, e.g. 20,20,60,60"
        ) from None
    return left, top, right, bottom
