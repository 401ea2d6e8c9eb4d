"""fairgroups skin: a folder of photographs → a table of skin tones."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from fairgroups.skin.folder import FolderTones

__all__ = ["skin"]

SHOWN = 10


def skin(
    folder: Annotated[
        Path, typer.Argument(help="Photographs, in this folder and below; or one photograph.", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="Write the table here (.csv or .parquet).")],
    finder: Annotated[
        str,
        typer.Option(
            help="How faces are found: mesh (mediapipe), cascade (scikit-image), aligned (every face in the same "
            "place, as in CelebA and FFHQ), or auto: the mesh where it is installed, else the cascade."
        ),
    ] = "auto",
    person: Annotated[
        str | None,
        typer.Option(
            help="Who is in a picture: folder (the one it lies in), a list of pictures and persons (.txt, .csv), or a "
            "regular expression with one group, such as '^(.+?)_'."
        ),
    ] = None,
    people: Annotated[
        Path | None, typer.Option(help="With --person: write the tone of each person here, with its error.")
    ] = None,
    every_face: Annotated[
        bool, typer.Option("--every-face", help="A row for each face, not the largest alone.")
    ] = False,
    masks: Annotated[
        Path | None, typer.Option(help="A folder of masks, white where skin is, named as the photographs are.")
    ] = None,
    white_balance: Annotated[str, typer.Option(help="none, or grey-world: as if colours averaged to grey.")] = "none",
    card: Annotated[
        str | None, typer.Option(help="A grey card in every picture: left,top,right,bottom in pixels.")
    ] = None,
    card_lightness: Annotated[float | None, typer.Option(help="The card's L*; sets the exposure too.")] = None,
    sheet: Annotated[
        Path | None,
        typer.Option(
            help="Write a page of photographs with what was measured on them, by tone and mark. It shows people."
        ),
    ] = None,
    overlays: Annotated[
        Path | None, typer.Option(help="Write every photograph into this folder with what was measured on it.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; as many as there are cores.", min=1)] = None,
    again: Annotated[bool, typer.Option("--again", help="Start over instead of going on where a run stopped.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Measure the apparent skin tone in photographs: L*, a*, b*, ITA and hue, with numbers and marks of doubt."""
    from fairgroups.errors import InputError
    from fairgroups.output import check_apart, check_table_path
    from fairgroups.skin.file import ToneOptions
    from fairgroups.skin.folder import measure_folder

    check_table_path(out)
    if people is not None:
        check_table_path(people)
        if person is None:
            raise InputError("--people needs to know who is in a picture.", "add --person folder, a list or a pattern.")
    if sheet is not None and sheet.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--sheet writes a page; got {sheet.name!r}.", "name it .html.")
    read = [Path(person)] if person is not None and Path(person).is_file() else []
    check_apart([path for path in (out, people, sheet) if path is not None], read)
    if white_balance not in ("none", "grey-world"):
        raise InputError(f"--white-balance must be none or grey-world; got {white_balance!r}.")
    if card_lightness is not None and card is None:
        raise InputError("--card-lightness needs to know where the card is.", "add --card left,top,right,bottom.")
    options = ToneOptions(
        finder=finder,
        balance=None if white_balance == "none" else white_balance,
        card=None if card is None else _box(card),
        card_lightness=card_lightness,
        masks=None if masks is None else str(masks),
        every_face=every_face,
        overlays=None if overlays is None else str(overlays),
    )
    shown = not quiet and sys.stderr.isatty()
    try:
        found = measure_folder(folder, out, options=options, person=person, workers=workers, again=again, verbose=shown)
    except KeyboardInterrupt:
        typer.echo("Stopped; the same command goes on from here.", err=True)
        raise
    for name, why in found.unread[:SHOWN]:
        typer.echo(f"Not measured: {name}: {why}", err=True)
    if len(found.unread) > SHOWN:
        typer.echo(f"… and {len(found.unread) - SHOWN:,} more; the column 'reason' lists all.", err=True)
    if not found.measured:
        raise InputError(f"no tone could be measured; the table says why: {out.resolve()}", "try another --finder.")
    if people is not None:
        _write_people(people, found)
    if sheet is not None:
        from fairgroups.skin.sheet import write_sheet

        write_sheet(sheet, folder, found, options, verbose=shown)
    if not quiet:
        _say(found, out, {"The people": people, "The sheet, which shows people": sheet, "Overlays": overlays})


def _say(found: FolderTones, out: Path, written: dict[str, Path | None]) -> None:
    what = "faces" if "face" in found.columns else "photographs"
    n = len(found.columns["L"])
    by = f" Faces were found by {' and '.join(found.finders)}." if found.finders else ""
    typer.echo(f"Measured {found.measured:,} of {n:,} {what}: {out.resolve()}.{by}")
    if found.resumed:
        typer.echo(f"{found.resumed:,} pictures had been done by a run that was stopped.")
    marks = Counter(mark for text in found.columns["marks"].tolist() for mark in text.split("; ") if mark)
    for mark, count in marks.most_common():
        typer.echo(f"{count:>7,} marked {mark!r}")
    _say_tenths(found)
    if "person" in found.columns:
        _say_reliability(found)
    for name, path in written.items():
        if path is not None:
            typer.echo(f"{name}: {path.resolve()}")
    typer.echo("Tones are those of the skin in each photograph's light, not of the person.")


def _say_tenths(found: FolderTones) -> None:
    """Print how often marks are given by tenth of L, and that dropping marked rows is not neutral."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    tenths = found.marks_by_tenth()
    given = [name for name in tenths[0] if name not in ("low", "high", "n", "any")]
    if not given or found.measured < 100:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), title=None)
    for heading in ("tenth of L", *given, "any"):
        table.add_column(heading, justify="left" if heading == "tenth of L" else "right")
    for one in tenths:
        cells = [f"{100 * one[name]:.0f}%" for name in (*given, "any")]
        table.add_row(f"{one['low']:.0f} to {one['high']:.0f}", *cells)
    Console(width=None if sys.stdout.isatty() else 120, highlight=False).print(table)
    least, most = (f([one["any"] for one in tenths]) for f in (min, max))
    if most - least > 0.1:
        typer.echo(
            f"From {100 * least:.0f}% to {100 * most:.0f}% of a tenth bear a mark: dropping marked rows drops some "
            "tones more than others, and changes what an audit finds. Keep them, or look at both."
        )


def _say_reliability(found: FolderTones) -> None:
    from fairgroups.errors import InputError
    from fairgroups.skin.persons import reliability

    known = found.columns["person"] != ""
    table = {"person": found.columns["person"][known], "L": found.columns["L"][known]}
    try:
        one = reliability(table)
    except InputError as error:
        typer.echo(f"How well one photograph tells a person's tone cannot be said: {error.fact}")
        return
    needed = one.needed(0.8)
    more = f" The mean of {needed} photographs would have 0.80." if needed is not None and needed > 1 else ""
    typer.echo(
        f"{one.people:,} persons. Two photographs of one differ with a standard deviation of {one.within:.1f} in L, "
        f"persons with {one.between:.1f}: the reliability of one photograph is {one.value:.2f} "
        f"({100 * one.level:g}% interval {one.low:.2f} to {one.high:.2f}).{more}"
    )
    if one.value < 0.8:
        typer.echo(
            "Audit with --cluster person --reliability cluster: differences between persons are larger than seen."
        )


def _write_people(path: Path, found: FolderTones) -> None:
    import numpy as np

    from fairgroups.output import write_table
    from fairgroups.skin.persons import person_tones

    known = found.columns["person"] != ""
    made = person_tones({name: found.columns[name][known] for name in ("person", "L", "a", "b")})
    write_table(
        path, {name: np.array(values, dtype=object if name == "person" else None) for name, values in made.items()}
    )


def _box(text: str) -> tuple[int, int, int, int]:
    from fairgroups.errors import InputError

    try:
        left, top, right, bottom = (int(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"--card must be four whole numbers; got {text!r}.", "left,top,right,bottom, e.g. 20,20,60,60"
        ) from None
    return left, top, right, bottom
