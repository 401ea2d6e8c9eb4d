"""An audit as Markdown, for a model card or a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fairgroups.audits.remarks import certainty, direction_line, limit_lines, second_opinions
from fairgroups.report.comparisons_section import comparison_sections
from fairgroups.report.measurement_error_section import corrected_lines, corrected_table, corrected_title
from fairgroups.report.reasons_section import reasons_lines, reasons_table, reasons_title
from fairgroups.report.sections import (
    PAPER,
    cannot_say,
    data_facts,
    everybody_line,
    method_facts,
    rate_meaning,
    rate_table,
    title_of,
    versions,
)
from fairgroups.words import amount, clean, compared, counted, sentence

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit, JointAudit

__all__ = ["escaped", "render_markdown"]


def render_markdown(audit: Audit | JointAudit) -> str:
    """Write the finding, the groups, what cannot be concluded, and how it was made."""
    settings = audit.settings
    parts = audit.parts
    lines = [f"# {escaped(title_of(audit))}", ""]
    lines += [
        f"**{escaped(audit.conclusion)}**",
        "",
        escaped(f"{certainty(audit)} {direction_line(audit)}".strip()),
        "",
    ]
    for limit in limit_lines(audit):
        lines += [f"**{escaped(limit)}**", ""]
    for part in parts:
        if len(parts) > 1:
            lines += [f"## {sentence(part.measure.rate)}", ""]
        lines += [*_table(part), ""]
    for part in parts:
        if part.reasons is not None:
            lines += [f"## {escaped(reasons_title(part))}", "", *_texts(reasons_table(part))]
            lines += [*(f"- {escaped(line)}" for line in reasons_lines(part)), ""]
    for part in parts:
        if part.corrected is not None:
            lines += [f"## {escaped(corrected_title(part))}", "", *_texts(corrected_table(part))]
            lines += [*(f"- {escaped(line)}" for line in corrected_lines(part)), ""]
    for part in parts:
        for section in comparison_sections(part):
            rate = f": {part.measure.rate}" if len(parts) > 1 else ""
            lines += [f"## {escaped(section.title + rate)}", "", escaped(section.said), "", *_texts(section.table)]
    if rates := rate_table(parts[0]):
        lines += ["## Every rate of these groups", "", *_texts(rates)]
    lines += ["## What cannot be concluded", "", *(f"- {escaped(line)}" for line in cannot_say(audit)), ""]
    several = len(parts) > 1
    opinions = [
        f"{sentence(part.measure.rate)}: {line}" if several else line
        for part in parts
        for line in second_opinions(part)
    ]
    lines += (
        ["## Further checks on the same rows", "", *(f"- {escaped(line)}" for line in opinions), ""] if opinions else []
    )
    notes = list(dict.fromkeys(note for part in parts for note in part.notes))
    lines += ["## Please note", "", *(f"- {escaped(note)}" for note in notes), ""] if notes else []
    facts = [*data_facts(audit), *method_facts(audit)]
    lines += ["## Data and method", "", *(f"- {name}: {escaped(value)}" for name, value in facts), ""]
    call = clean(settings.call).replace("```", "'''")
    lines += ["```python", call, "```", "", f"Made with {versions()}. Method: {PAPER}", ""]
    return "\n".join(lines)


def _texts(table: dict[str, Any] | None) -> list[str]:
    """Write a table of texts."""
    if table is None:
        return []
    told = [[f"{value} ({ends})" if ends else value for value, ends in row] for row in table["rows"]]
    return [
        f"| {' | '.join(escaped(head) for head in table['heads'])} |",
        f"|{'---|' * len(table['heads'])}",
        *(f"| {' | '.join(escaped(cell) for cell in row)} |" for row in told),
        "",
        escaped(table["note"].replace("Below", "Beside", 1).replace("below", "beside", 1)),
        "",
    ]


def _table(audit: Audit) -> list[str]:
    percent = audit.data.percent
    unit = " (points)" if percent else ""
    heads = ["Group", sentence(audit.data.unit), sentence(audit.measure.rate)]
    heads += [f"Difference from {escaped(audit.settings.whom)}{unit}"]
    heads += [f"{audit.settings.percent_level} interval", "Verdict"]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for record in audit.records:
        phi, ends = compared(record.phi, record.low, record.high, percent=percent, alone=record.alone)
        cells = [
            escaped(record.label),
            counted(record.n, record.counted, weighted=audit.settings.weighted),
            amount(record.rate, percent=percent),
        ]
        cells += [phi, ends, record.verdict]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, "", escaped(f"{rate_meaning(audit)} {everybody_line(audit)}".strip())]


def escaped(text: str) -> str:
    """Escape what Markdown or HTML would read as more than letters."""
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", clean(str(text)).replace("&", "&amp;").replace("<", "&lt;"))
