"""fairgroups scan: which attributes of a table matter, out of all of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from fairgroups.cli.job import TableOptions, check_outputs, is_terminal
from fairgroups.cli.parameters import read_options, taking
from fairgroups.cli.scan_job import run_scan, say_scan
from fairgroups.scans.options import ScanOptions

__all__ = ["scan"]


@taking(ScanOptions, TableOptions, without=["verbose", "audits"])
def scan(
    data: Annotated[
        str,
        typer.Argument(
            help="A CSV, Excel, Parquet, JSON-lines or Arrow file, a folder, a 'pattern*', or a database: "
            "postgresql://host/db, file.duckdb, file.sqlite.",
            show_default=False,
        ),
    ],
    junit: Annotated[
        Path | None, typer.Option(help="Write a test report here, as JUnit XML.", rich_help_panel="Output")
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the conclusion only.", rich_help_panel="Output")
    ] = False,
    **given: Any,
) -> None:
    """Look at every column of a table, and say by which attributes anyone is treated differently."""
    from fairgroups.output import write_atomically
    from fairgroups.report.junit import render_junit
    from fairgroups.report.sections import shell_call

    options = read_options(TableOptions, {**given, "data": data}) | read_options(ScanOptions, given)
    check_outputs([options], junit)
    run = run_scan(options, command=shell_call(sys.argv[1:]), verbose=not quiet and is_terminal())
    if junit is not None:
        write_atomically(junit, render_junit(run.tests(f"scan of {options['outcome']}")))
    say_scan(run, quiet=quiet)
    raise typer.Exit(run.exit_code)
