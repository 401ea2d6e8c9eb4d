"""fairgroups audit: a table in, a finding, pages and files out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from fairgroups.audits.options import AuditOptions
from fairgroups.cli.job import JobOptions, check_outputs, is_terminal, run_job
from fairgroups.cli.parameters import read_options, taking

__all__ = ["audit"]


@taking(AuditOptions, JobOptions, without=["verbose", "explore"])
def audit(
    data: Annotated[
        str,
        typer.Argument(
            help="A CSV, Excel, Parquet, JSON-lines, Arrow, Stata, SAS or SPSS file, - for standard input, a folder, a "
            "'pattern*', or a database: postgresql://host/db, file.duckdb, file.sqlite.",
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
    """Audit a table: find the groups that the outcome treats differently and say what may be concluded.

    Three examples:

        fairgroups audit people.xlsx -s age -o approved --favourable --out audit.html

        fairgroups audit loans.csv -s age -o denied --unfavourable --given income

        fairgroups audit scores.parquet -s age -o score --threshold 0.5 --truth hired --favourable --max-harm 0.05
    """
    from fairgroups.cli.printing import say
    from fairgroups.output import write_atomically
    from fairgroups.report.junit import render_junit
    from fairgroups.report.sections import shell_call

    options = read_options(JobOptions, {**given, "data": data}) | read_options(AuditOptions, given)
    check_outputs([options], junit)
    run = run_job(options, command=shell_call(sys.argv[1:]), verbose=not quiet and is_terminal())
    if junit is not None:
        names = options["sensitive"] if isinstance(options["sensitive"], list) else [options["sensitive"]]
        write_atomically(junit, render_junit(run.tests(f"{options['outcome']} by {' and '.join(names)}")))
    say(run, quiet=quiet)
    raise typer.Exit(run.exit_code)
