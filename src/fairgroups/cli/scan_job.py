"""One scan from options to files and an exit code: what `fairgroups scan` and `fairgroups run` share."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import typer

from fairgroups.cli.exit_codes import exit_code_of
from fairgroups.cli.job import TableOptions, check_outputs, write_outputs
from fairgroups.scans.options import ScanOptions

if TYPE_CHECKING:
    from fairgroups.report.junit import Outcome
    from fairgroups.scans.records import ScannedAttribute
    from fairgroups.scans.result import Scan

__all__ = ["ScanRun", "run_scan", "say_scan"]

BLOCKS = "▁▂▃▄▅▆▇█"
MOST_SAID, MOST_PAIRS = 25, 3


@dataclass(frozen=True)
class ScanRun:
    """What came of a scan: its result, files written, and the exit code."""

    scan: Scan
    written: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """1 for an exceeded limit, 3 where a limit cannot be judged, else 0."""
        return exit_code_of(self.scan.limit)

    @property
    def is_limited(self) -> bool:
        """Whether a limit was to be kept."""
        return self.scan.limit is not None

    def tests(self, name: str) -> list[Outcome]:
        """Return the scan's tests for a report."""
        from fairgroups.report.junit import scan_tests

        return scan_tests(name, self.scan)


def run_scan(given: Mapping[str, Any], *, command: str | None, verbose: bool) -> ScanRun:
    """Run a scan and write what is asked for.

    Parameters
    ----------
    given : mapping
        Options of the records `TableOptions` and `ScanOptions`, read; what was not said is absent.
    command : str or None
        The command line that made it, to be shown in the page.
    verbose : bool
        Show progress bars.

    Returns
    -------
    ScanRun
    """
    from fairgroups.scans.scan import scan

    job = TableOptions(**{f.name: given[f.name] for f in fields(TableOptions) if f.name in given})
    asked = {f.name: given[f.name] for f in fields(ScanOptions) if f.name in given}
    check_outputs([given])
    asked |= {"verbose": verbose, "audits": job.out is not None or job.json is not None}
    result = scan(job.source, **asked)
    outputs = {key: getattr(job, key) for key in ("out", "json", "markdown", "csv")}
    return ScanRun(result, write_outputs(result, outputs, command=command))


def say_scan(run: ScanRun, *, quiet: bool) -> None:
    """Print what a scan found, and where it was written."""
    from fairgroups.report.scan_page import checks_said
    from fairgroups.scans.conclusion import certainty, limit_lines, steps_said

    scan = run.scan
    typer.echo("")
    typer.echo(scan.conclusion)
    if not quiet:
        typer.echo(certainty(scan))
        _print_table(scan)
        if len(scan.steps) > 1:
            typer.echo("The short list:")
            for k, step in enumerate(scan.steps, 1):
                typer.echo(f"  {k}. {steps_said(scan, step)}")
        for line in checks_said(scan):
            typer.echo(f"Note: {line}")
    for line in (*limit_lines(scan), *run.written):
        typer.echo(line)


def sparkline(scan: Scan, one: ScannedAttribute) -> str:
    """Draw the rate along an attribute with blocks, all on one scale; levels stand in the order of their rates."""
    rates = [part.rate for other in scan.attributes for part in other.curve]
    low, high = min(rates, default=0.0), max(rates, default=1.0)
    parts = sorted(one.curve, key=lambda part: part.rate) if one.kind == "category" else list(one.curve)
    step = (high - low) or 1.0
    return "".join(BLOCKS[min(int((part.rate - low) / step * len(BLOCKS)), len(BLOCKS) - 1)] for part in parts[:20])


def _print_table(scan: Scan) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from fairgroups.scans.conclusion import adds
    from fairgroups.words import amount, clean, compared, thousands

    data = scan.data
    console = Console(width=None if sys.stdout.isatty() else 140, highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("attribute", min_width=10, overflow="fold")
    table.add_column("along it", no_wrap=True)
    table.add_column("most different", min_width=16, overflow="fold")
    for heading in (data.unit, "rate", "diff.", f"{data.percent_level} interval"):
        table.add_column(heading, justify="right", overflow="fold")
    table.add_column("verdict", min_width=10, overflow="fold")
    every = [*scan.attributes[:MOST_SAID], *[pair for pair in scan.pairs if pair.shown][:MOST_PAIRS]]
    explained = any(adds(one) for one in every)
    if explained:
        table.add_column("beside the others", overflow="fold")
    colours = {"disadvantaged": "red", "advantaged": "blue", "lower": "magenta", "higher": "magenta"}
    for one in every:
        worst = one.worst
        verdict = one.verdict
        difference, interval = compared(worst.phi, worst.low, worst.high, percent=data.percent, alone=False)
        mark = f" [{one.protected[0]}]" if one.protected else ""
        table.add_row(
            escape(clean(one.said + mark)),
            sparkline(scan, one),
            escape(clean(one.place)),
            thousands(worst.n),
            amount(worst.rate, percent=data.percent),
            difference,
            interval,
            f"[{colours.get(verdict, 'default')}]{verdict}[/]",
            *([escape(clean(adds(one)))] if explained else []),
        )
    console.print(table)
    everybody = amount(data.overall, percent=data.percent)
    whom = f"what {data.unit} alike have" if data.given else "everybody"
    points = ", in points" if data.percent else ""
    said = f"Everybody: {data.rate} {everybody}. Diff.: from {whom}{points}."
    if (more := len(scan.attributes) + len(scan.pairs) - len(every)) > 0:
        said += f" {more} more lines are in the page (--out) and in the JSON (--json)."
    console.print(escape(said), soft_wrap=True)
