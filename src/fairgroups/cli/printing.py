"""What the terminal shows of an audit."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import typer

from fairgroups.cli.job import AuditRun

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from fairgroups.audits.records import GroupRecord
    from fairgroups.audits.result import Audit

__all__ = ["COLOURS", "console_of", "least_width", "print_whole", "say", "table_in"]

WIDE = 120  # letters in a line where nobody says how many there is room for
ROOMY, MOST_WIDE, LEAST_GROUP = 100, 1000, 12
COLOURS = {"disadvantaged": "red", "advantaged": "blue", "lower": "magenta", "higher": "magenta"}


def console_of(width: int) -> Console:
    """Return the terminal; with so many letters in a line where nobody says how many there is room for."""
    from rich.console import Console

    told = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if told else width, highlight=False)


def table_in(console: Console) -> Table:
    """Return a table without columns, tighter where there is little room."""
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1) if console.width >= ROOMY else (0, 1, 0, 0))


def least_width(console: Console, table: Table) -> int:
    """Return how many letters a line needs at least."""
    from rich.measure import Measurement

    return Measurement.get(console, console.options.update(max_width=MOST_WIDE), table).minimum


def print_whole(console: Console, table: Table) -> None:
    """Print a table, with longer lines than there is room for rather than with letters lost."""
    console.print(table, width=max(console.width, least_width(console, table)), crop=False)


def plain(text: str) -> str:
    """Return a text as rich prints it: no mark-up, and nothing that data could do to a terminal."""
    from rich.markup import escape

    from fairgroups.words import clean

    return escape("\n".join(map(clean, text.split("\n"))))


def say_line(text: str = "") -> None:
    """Print a line; what the data's names and levels could do to a terminal is taken out."""
    from fairgroups.words import clean

    typer.echo(clean(text))


def say(run: AuditRun, *, quiet: bool) -> None:
    """Print what an audit found, and where it was written."""
    from fairgroups.audits.remarks import caveats, certainty, direction_line, limit_lines

    result = run.audit
    say_line()
    say_line(result.conclusion)
    if not quiet:
        say_line(f"{certainty(result)} {direction_line(result)}".strip())
        for part in result.parts:
            _print_table(part)
    for limit in limit_lines(result):
        say_line(limit)
    if run.changed:
        _say_changes(run)
    if quiet:
        for line in caveats(result):
            say_line(line)
    else:
        for line in result.data.converted:
            say_line(f"Read: {line}")
    for note in run.notes:
        say_line(f"Note: {note}")
    for line in run.written:
        say_line(line)


def _longest_word(*texts: str) -> int:
    """Return how wide a column must be, so that no number is cut in two."""
    return max(len(word) for text in texts for word in text.split())


def _say_changes(run: AuditRun) -> None:
    from fairgroups.words import points

    percent = run.audit.data.percent
    worse = [change for change in run.changed if change.verdict == "worse"]
    for change in worse:
        ends = " to ".join(points(x, percent=percent) for x in (change.low, change.high))
        say_line(
            f"Worse than the baseline: {change.label}, {points(change.before, percent=percent)} then, "
            f"{points(change.after, percent=percent)} now (change to its harm {ends})."
        )
    for change in (change for change in run.changed if change.verdict == "not comparable"):
        say_line(f"Cannot be compared with the baseline: {change.label}.")
    if not worse:
        say_line("No group is shown to be worse off than in the baseline.")


def _least(record: GroupRecord, *, percent: bool) -> str:
    """Say from which difference on a group that is not shown to differ would have been."""
    from fairgroups.words import points

    if record.verdict not in ("not enough evidence", "no relevant difference"):
        return ""
    known = record.detectable == record.detectable
    return f" (80% power at {points(record.detectable, percent=percent).lstrip('+')})" if known else ""


def _print_table(result: Audit) -> None:
    from fairgroups.audits.remarks import second_opinions
    from fairgroups.report.comparisons_section import comparison_sections
    from fairgroups.report.measurement_error_section import corrected_lines, corrected_table
    from fairgroups.report.reasons_section import reasons_lines, reasons_table
    from fairgroups.report.sections import everybody_line, rate_table
    from fairgroups.words import amount, compared, counted

    percent = result.data.percent
    console = console_of(WIDE)
    table = table_in(console)
    rows = [
        (
            counted(r.n, r.counted, weighted=result.settings.weighted),
            amount(r.rate, percent=percent),
            *compared(r.phi, r.low, r.high, percent=percent, alone=r.alone),
        )
        for r in result.records
    ]
    table.add_column("group", min_width=LEAST_GROUP, overflow="fold")
    rate = result.measure.rate if percent else "mean" if result.measure.name == "mean" else "value"
    headings = result.data.unit, rate, "diff.", f"{result.settings.percent_level} interval"
    for heading, numbers in zip(headings, zip(*rows, strict=True), strict=True):
        table.add_column(heading, justify="right", overflow="fold", min_width=_longest_word(heading, *numbers))
    table.add_column("verdict", min_width=13, overflow="fold")
    for r, numbers in zip(result.records, rows, strict=True):
        verdict = f"[{COLOURS.get(r.verdict, 'default')}]{r.verdict}[/]{_least(r, percent=percent)}"
        table.add_row(plain(r.label), *numbers, verdict)
    print_whole(console, table)
    said = f"{everybody_line(result)} Diff.: from {result.settings.whom}{', in points' if percent else ''}."
    if any(_least(r, percent=percent) for r in result.records):
        what = "difference" if result.measure.direction == "neutral" else "disadvantage"
        said += f" 80% power at x: a true {what} of x would be shown in 80 of 100 such samples."
    console.print(plain(said), soft_wrap=True)
    _print_texts(console, reasons_table(result))
    for line in reasons_lines(result):
        console.print(plain(line), soft_wrap=True)
    _print_texts(console, corrected_table(result))
    for line in corrected_lines(result):
        console.print(plain(line), soft_wrap=True)
    _print_texts(console, rate_table(result))
    for section in comparison_sections(result):
        console.print(f"\n{plain(section.title)}. {plain(section.said)}", soft_wrap=True)
        _print_texts(console, section.table)
    for line in second_opinions(result):
        console.print(plain(line), soft_wrap=True)
    for note in result.notes:
        console.print(f"Note: {plain(note)}", soft_wrap=True)


def _print_texts(console: Console, told: dict[str, Any] | None) -> None:
    """Print a table of texts."""
    if told is None:
        return
    table = table_in(console)
    for i, (heading, *cells) in enumerate(zip(told["heads"], *told["rows"], strict=True)):
        least = _longest_word(heading, *(f"{value} {ends}" for value, ends in cells)) if i else LEAST_GROUP
        table.add_column(heading.lower(), justify="right" if i else "left", overflow="fold", min_width=least)
    for row in told["rows"]:
        table.add_row(*(plain(f"{value}\n{ends}" if ends else value) for value, ends in row))
    print_whole(console, table)
    console.print(plain(told["note"]), soft_wrap=True)
