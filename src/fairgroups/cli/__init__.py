"""The command line: fairgroups audit | run | report | repair | apply | skin | faces | paper | demo.

Heavy imports happen inside the commands.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from typing import Annotated

import typer

from fairgroups.cli.apply import apply
from fairgroups.cli.audit import EXIT_HELP, audit
from fairgroups.cli.demo import demo
from fairgroups.cli.faces import faces
from fairgroups.cli.paper import paper
from fairgroups.cli.repair import repair
from fairgroups.cli.report import report
from fairgroups.cli.run import run
from fairgroups.cli.skin import skin

__all__ = ["app", "main"]

app = typer.Typer(
    name="fairgroups",
    help="Who is treated differently when the sensitive attribute is a number: age, skin tone, income.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; errors of the user's input exit with 2 and one clear message."""
    from fairgroups.errors import FairGroupsError

    for stream in (sys.stdout, sys.stderr):  # ≤ and − must come out whole, whatever the locale
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        app()
    except FairGroupsError as error:
        typer.echo(f"Error: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    except Exception:  # noqa: BLE001  1 and 3 say something about the limit: a fault must not
        traceback.print_exc()
        typer.echo("Error: this is a fault of fairgroups, please report it with the lines above.", err=True)
        sys.exit(70)


def _version(value: bool) -> None:
    if value:
        from fairgroups import __version__

        typer.echo(f"fairgroups {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


app.command(epilog=EXIT_HELP)(audit)
app.command(epilog=EXIT_HELP)(run)
app.command(epilog=EXIT_HELP)(report)
app.command()(repair)
app.command()(apply)
app.command()(skin)
app.add_typer(faces)
app.command()(paper)
app.command()(demo)
