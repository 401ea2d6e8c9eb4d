"""fairgroups report: pages and files made again from the JSON of an audit or a scan, without its rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["report"]


def report(
    audit: Annotated[
        Path,
        typer.Argument(
            help="JSON that `fairgroups audit --json` or `fairgroups scan --json` wrote.", show_default=False
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="Write an HTML page here.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write Markdown for a model card here.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the groups as CSV here.")] = None,
    charts: Annotated[Path | None, typer.Option(help="Write every chart into this folder, as SVG and PNG.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write a test report here, as JUnit XML.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the conclusion only.")] = False,
) -> None:
    """Make the page of an audit or a scan again from its JSON; no data is read."""
    from fairgroups.audits.json_file import loaded
    from fairgroups.audits.result import read_audit
    from fairgroups.cli.job import AuditRun, check_outputs, write_outputs
    from fairgroups.cli.printing import say
    from fairgroups.cli.scan_job import ScanRun, say_scan
    from fairgroups.errors import InputError
    from fairgroups.output import read_text, write_atomically
    from fairgroups.report.junit import render_junit
    from fairgroups.scans.result import Scan

    outputs = {"out": out, "markdown": markdown, "csv": csv, "charts": charts}
    check_outputs([{**outputs, "data": audit}], junit)
    held = loaded(read_text(audit), repr(Path(audit).name))
    if isinstance(held, dict) and held.get("schema") == Scan.SCHEMA:
        if charts is not None:
            raise InputError("a scan has no charts to write.", "use --out, or Scan.plot() in Python.")
        found = Scan.from_dict(held)
        scanned = ScanRun(found, write_outputs(found, outputs))
        if junit is not None:
            write_atomically(junit, render_junit(scanned.tests(f"scan of {found.data.outcome}")))
        say_scan(scanned, quiet=quiet)
        raise typer.Exit(scanned.exit_code)
    result = read_audit(audit)
    run = AuditRun(result, [], write_outputs(result, outputs))
    if junit is not None:
        name = f"{result.settings.outcome} by {result.settings.attributes}"
        write_atomically(junit, render_junit(run.tests(name)))
    say(run, quiet=quiet)
    raise typer.Exit(run.exit_code)
