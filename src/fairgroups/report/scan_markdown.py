"""A scan as Markdown, for a pull request or a report of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairgroups.report.markdown import escaped
from fairgroups.report.scan_page import checks_said, scan_title
from fairgroups.scans.conclusion import adds, cannot_say, certainty, evidence_said, limit_lines, steps_said
from fairgroups.words import amount, compared, sentence, thousands

if TYPE_CHECKING:
    from fairgroups.scans.result import Scan

__all__ = ["scan_as_markdown"]


def scan_as_markdown(scan: Scan) -> str:
    """Write the finding, the short list, the ranking, and what was done with the columns."""
    data = scan.data
    lines = [f"# {escaped(scan_title(scan))}", "", f"**{escaped(scan.conclusion)}**", "", escaped(certainty(scan)), ""]
    for limit in limit_lines(scan):
        lines += [f"**{escaped(limit)}**", ""]
    if scan.steps:
        lines += [
            "## The short list",
            "",
            *(f"{k}. {escaped(steps_said(scan, step))}" for k, step in enumerate(scan.steps, 1)),
            "",
        ]
    heads = ["Attribute", "Most different", sentence(data.unit), sentence(data.rate), "Difference"]
    heads += [f"{data.percent_level} interval", "Evidence", "Beside the others"]
    lines += ["## Every attribute", "", f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for one in (*scan.attributes, *(pair for pair in scan.pairs if pair.shown)):
        worst = one.worst
        difference, interval = compared(worst.phi, worst.low, worst.high, percent=data.percent, alone=False)
        verdict = one.verdict
        mark = f" ({', '.join(one.protected)})" if one.protected else ""
        row = [one.said + mark, one.place, thousands(worst.n), amount(worst.rate, percent=data.percent), difference]
        row += [interval, f"{verdict}, {evidence_said(one)}", adds(scan, one)]
        lines.append(f"| {' | '.join(escaped(cell) for cell in row)} |")
    lines += ["", "## What cannot be concluded", "", *(f"- {escaped(line)}" for line in cannot_say(scan)), ""]
    if told := checks_said(scan):
        lines += ["## What was done with the columns", "", *(f"- {escaped(line)}" for line in told), ""]
    return "\n".join([*lines, f"In Python: `{scan.call.replace('`', '')}`", ""])
