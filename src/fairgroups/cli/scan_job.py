"""One scan from options to files and an exit code: what `fairgroups scan` and `fairgroups run` share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from fairgroups.cli.exit_codes import exit_code_of
from fairgroups.cli.job import TableOptions, check_outputs, write_outputs
from fairgroups.cli.printing import COLOURS, console_of, least_width, plain, print_whole, say_line, table_in
from fairgroups.scans.options import ScanOptions

if TYPE_CHECKING:
    from rich.table import Table

    from fairgroups.report.junit import Outcome
    from fairgroups.scans.records import ScannedAttribute
    from fairgroups.scans.result import Scan

__all__ = ["ScanRun", "run_scan", "say_scan"]

BLOCKS = "▁▂▃▄▅▆▇█"
MOST_SAID, MOST_PAIRS, MOST_BLOCKS = 25, 3, 24
WIDE = 140  # letters in a line where nobody says how many there is room for


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
    say_line()
    say_line(scan.conclusion)
    if not quiet:
        say_line(certainty(scan))
        _print_table(scan)
        if len(scan.steps) > 1:
            say_line("The short list:")
            for k, step in enumerate(scan.steps, 1):
                say_line(f"  {k}. {steps_said(scan, step)}")
        for line in checks_said(scan):
            say_line(f"Note: {line}")
    for line in (*limit_lines(scan), *run.written):
        say_line(line)


def sparkline(scan: Scan, one: ScannedAttribute) -> str:
    """Draw the rate along an attribute with blocks, all on one scale; levels stand in the order of their rates."""
    rates = [part.rate for other in scan.attributes for part in other.curve]
    low, high = min(rates, default=0.0), max(rates, default=1.0)
    parts = sorted(one.curve, key=lambda part: part.rate) if one.kind == "category" else list(one.curve)
    step = (high - low) or 1.0
    heights = [min(int((part.rate - low) / step * len(BLOCKS)), len(BLOCKS) - 1) for part in parts[:MOST_BLOCKS]]
    return "".join(BLOCKS[height] for height in heights)


def _print_table(scan: Scan) -> None:
    from fairgroups.words import amount, how_many, sentence

    data, console = scan.data, console_of(WIDE)
    every = [*scan.attributes[:MOST_SAID], *[pair for pair in scan.pairs if pair.shown][:MOST_PAIRS]]
    table = _wide_table(scan, every, table_in(console))
    if least_width(console, table) > console.width:
        table = _narrow_table(scan, every, table_in(console))
    print_whole(console, table)
    everybody = amount(data.overall, percent=data.percent)
    whom = f"comparable {data.unit}" if data.given else data.everybody
    points = ", in points" if data.percent else ""
    said = f"{sentence(data.everybody)}: {data.rate} {everybody}. Diff.: from {whom}{points}, computed before rounding."
    if (more := len(scan.attributes) + len(scan.pairs) - len(every)) > 0:
        lines = f"{how_many(more, 'more line')} {'are' if more > 1 else 'is'}"
        said += f" {lines} in the page (--out) and in the JSON (--json)."
    console.print(plain(said), soft_wrap=True)


@dataclass(frozen=True)
class Line:
    """What the table says of one attribute, escaped."""

    name: str
    place: str
    people: str
    rate: str
    difference: str
    interval: str
    verdict: str
    beside: str

    @classmethod
    def of(cls, scan: Scan, one: ScannedAttribute) -> Line:
        """Write an attribute."""
        from fairgroups.scans.conclusion import adds
        from fairgroups.words import amount, compared, thousands

        percent, worst = scan.data.percent, one.worst
        mark = f" [{', '.join(one.protected)}]" if one.protected else ""
        name, place, beside = (plain(text) for text in (one.said + mark, one.place, adds(scan, one)))
        ends = compared(worst.phi, worst.low, worst.high, percent=percent, alone=False)
        verdict = f"[{COLOURS.get(one.verdict, 'default')}]{one.verdict}[/]"
        return cls(name, place, thousands(worst.n), amount(worst.rate, percent=percent), *ends, verdict, beside)


def _headings(scan: Scan) -> tuple[str, str]:
    return "mean" if scan.data.rate.startswith("mean") else "rate", f"{scan.data.percent_level} interval"


def _wide_table(scan: Scan, every: Sequence[ScannedAttribute], table: Table) -> Table:
    """Fill the table with a picture of each attribute, and a column for each thing that is said."""
    rate, interval = _headings(scan)
    lines = [Line.of(scan, one) for one in every]
    table.add_column("attribute", min_width=_widest(line.name for line in lines), overflow="fold")
    table.add_column("along it", no_wrap=True)
    table.add_column("most different", min_width=_widest(line.place for line in lines), overflow="fold")
    for heading in (scan.data.unit, rate, "diff.", interval):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", min_width=10, overflow="fold")
    explained = any(line.beside for line in lines)
    if explained:
        table.add_column("beside the others", min_width=20, overflow="fold")
    for line, one in zip(lines, every, strict=True):
        numbers = line.people, line.rate, line.difference, line.interval
        more = [line.beside] if explained else []
        table.add_row(line.name, sparkline(scan, one), line.place, *numbers, line.verdict, *more)
    return table


def _widest(texts: Iterable[str]) -> int:
    """Return a width in which no usual word is broken."""
    return max(14, min(20, max((len(word) for text in texts for word in text.split()), default=0)))


def _narrow_table(scan: Scan, every: Sequence[ScannedAttribute], table: Table) -> Table:
    """Fill the table for little room: nothing is left out but the pictures."""
    rate, interval = _headings(scan)
    table.add_column("attribute", min_width=10, overflow="fold")
    table.add_column("most different", min_width=14, overflow="fold")
    table.add_column(rate, justify="right", no_wrap=True)
    table.add_column(f"diff.\n{interval}", justify="right", no_wrap=True)
    table.add_column("verdict", min_width=10, overflow="fold")
    for line in (Line.of(scan, one) for one in every):
        said = "\n".join([line.place, f"{line.people} {scan.data.unit}", *([line.beside] if line.beside else [])])
        table.add_row(line.name, said, line.rate, f"{line.difference}\n{line.interval}", line.verdict)
    return table
