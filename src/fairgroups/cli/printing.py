"""What the terminal shows of an audit."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from fairgroups.cli.job import AuditRun

if TYPE_CHECKING:
    from rich.console import Console

    from fairgroups.audits.records import GroupRecord
    from fairgroups.audits.result import Audit

__all__ = ["say"]


def say(run: AuditRun, *, quiet: bool) -> None:
    """Print what an audit found, and where it was written."""
    from fairgroups.audits.remarks import caveats, certainty, direction_line, limit_lines

    result = run.audit
    typer.echo("")
    typer.echo(result.conclusion)
    if not quiet:
        typer.echo(f"{certainty(result)} {direction_line(result)}".strip())
        for part in result.parts:
            _print_table(part)
    for limit in limit_lines(result):
        typer.echo(limit)
    if run.changed:
        _say_changes(run)
    if quiet:
        for line in caveats(result):
            typer.echo(line)
    else:
        for line in result.data.converted:
            typer.echo(f"Read: {line}")
    for note in run.notes:
        typer.echo(f"Note: {note}")
    for line in run.written:
        typer.echo(line)


def _say_changes(run: AuditRun) -> None:
    from fairgroups.words import points

    percent = run.audit.data.percent
    worse = [change for change in run.changed if change.verdict == "worse"]
    for change in worse:
        ends = " to ".join(points(x, percent=percent) for x in (change.low, change.high))
        typer.echo(
            f"Worse than the baseline: {change.label}, {points(change.before, percent=percent)} then, "
            f"{points(change.after, percent=percent)} now (change to its harm {ends})."
        )
    for change in (change for change in run.changed if change.verdict == "not comparable"):
        typer.echo(f"Cannot be compared with the baseline: {change.label}.")
    if not worse:
        typer.echo("No group is shown to be worse off than in the baseline.")


def _least(record: GroupRecord, *, percent: bool) -> str:
    """Say from which difference on a group that is not shown to differ would have been."""
    from fairgroups.words import points

    if record.verdict not in ("not enough evidence", "no relevant difference"):
        return ""
    known = record.detectable == record.detectable
    return f" (80% power at {points(record.detectable, percent=percent).lstrip('+')})" if known else ""


def _print_table(result: Audit) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from fairgroups.audits.remarks import second_opinions
    from fairgroups.report.comparisons_section import comparison_sections
    from fairgroups.report.corrected_section import corrected_lines, corrected_table
    from fairgroups.report.reasons_section import reasons_lines, reasons_table
    from fairgroups.report.sections import everybody_line, rate_table
    from fairgroups.words import amount, compared, counted

    percent = result.data.percent
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("group", min_width=12, overflow="fold")
    rate = result.measure.rate if percent else "mean" if result.measure.name == "mean" else "value"
    for heading in (result.data.unit, rate, "diff.", f"{result.settings.percent_level} interval"):
        table.add_column(heading, justify="right", overflow="fold")
    table.add_column("verdict", min_width=13, overflow="fold")
    colours = {"disadvantaged": "red", "advantaged": "blue", "lower": "magenta", "higher": "magenta"}
    for r in result.records:
        phi, interval = compared(r.phi, r.low, r.high, percent=percent, alone=r.alone)
        colour = colours.get(r.verdict, "default")
        table.add_row(
            escape(r.label),
            counted(r.n, r.counted, weighted=result.settings.weighted),
            amount(r.rate, percent=percent),
            phi,
            interval,
            f"[{colour}]{r.verdict}[/]{_least(r, percent=percent)}",
        )
    console.print(table)
    said = f"{everybody_line(result)} Diff.: from {result.settings.whom}{', in points' if percent else ''}."
    if any(_least(r, percent=percent) for r in result.records):
        harm = "" if result.measure.direction == "neutral" else " to the group's harm"
        said += f" 80% power at x: a true difference of x{harm} would be shown in 80 of 100 such samples."
    console.print(escape(said), soft_wrap=True)
    _print_texts(console, reasons_table(result))
    for line in reasons_lines(result):
        console.print(escape(line), soft_wrap=True)
    _print_texts(console, corrected_table(result))
    for line in corrected_lines(result):
        console.print(escape(line), soft_wrap=True)
    _print_texts(console, rate_table(result))
    for section in comparison_sections(result):
        console.print(f"\n{escape(section.title)}. {escape(section.said)}", soft_wrap=True)
        _print_texts(console, section.table)
    for line in second_opinions(result):
        console.print(escape(line), soft_wrap=True)
    for note in result.notes:
        console.print(f"Note: {escape(note)}", soft_wrap=True)


def _print_texts(console: Console, told: dict[str, Any] | None) -> None:
    """Print a table of texts."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    if told is None:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for i, heading in enumerate(told["heads"]):
        table.add_column(heading.lower(), justify="right" if i else "left", overflow="fold")
    for row in told["rows"]:
        table.add_row(*(escape(f"{value}\n{ends}" if ends else value) for value, ends in row))
    console.print(table)
    console.print(escape(told["note"]), soft_wrap=True)
