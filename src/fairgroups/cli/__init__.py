"""The command line: fairgroups audit | scan | run | report | open | repair | apply | skin | faces | paper | demo.

Heavy imports happen inside the commands.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from typing import Annotated, Any

import typer

from fairgroups.cli.apply import apply
from fairgroups.cli.audit import audit
from fairgroups.cli.demo import demo
from fairgroups.cli.exit_codes import FAULT, INTERRUPTED, OF_AUDITS, OF_SCANS, WRONG_INPUT
from fairgroups.cli.faces import faces
from fairgroups.cli.open import open_page
from fairgroups.cli.paper import paper
from fairgroups.cli.repair import repair
from fairgroups.cli.report import report
from fairgroups.cli.run import run
from fairgroups.cli.scan import scan
from fairgroups.cli.skin import skin

__all__ = ["app", "main"]

app = typer.Typer(
    name="fairgroups",
    help="Who is treated differently when the sensitive attribute is a number: age, skin tone, income.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class _Patient(io.RawIOBase):
    """An output whose reader may leave, as `head` does: what nobody reads is dropped, and the exit code stays."""

    def __init__(self, number: int, *, tty: bool) -> None:
        self._number, self._tty = number, tty

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._tty

    def fileno(self) -> int:
        return self._number

    def write(self, data: Any) -> int:
        try:
            return os.write(self._number, data)
        except BrokenPipeError:
            return len(data)


def main() -> None:
    """Run the command line; errors of the user's input exit with 2 and one clear message."""
    from fairgroups.errors import FairGroupsError

    for name in ("stdout", "stderr"):  # ≤ and − must come out whole, whatever the locale
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            try:
                raw = _Patient(stream.fileno(), tty=stream.isatty())
            except OSError:  # an output that is no file
                stream.reconfigure(encoding="utf-8", errors="replace")
                continue
            text = io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "replace", line_buffering=True)
            setattr(sys, name, text)
    stopped = []

    def stop(number: int, _: Any) -> None:
        stopped.append(number)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop)
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except SystemExit:
        if stopped:  # older versions of click exit with 1, which says something about the limit
            sys.exit(INTERRUPTED)
        raise
    except FairGroupsError as error:
        typer.echo(f"Error: {error}", err=True)
        sys.exit(WRONG_INPUT)
    except Exception:  # noqa: BLE001  1 and 3 say something about the limit: a fault must not
        if stopped:  # a library that was interrupted while it was loaded calls that an error of its own
            sys.exit(INTERRUPTED)
        traceback.print_exc()
        typer.echo("Error: this is a fault of fairgroups, please report it with the lines above.", err=True)
        sys.exit(FAULT)


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


app.command(epilog=OF_AUDITS)(audit)
app.command(epilog=OF_SCANS)(scan)
app.command(epilog=OF_AUDITS)(run)
app.command(epilog=OF_AUDITS)(report)
app.command("open")(open_page)
app.command()(repair)
app.command()(apply)
app.command()(skin)
app.add_typer(faces)
app.command()(paper)
app.command()(demo)
