"""The index of several audits and scans: one line for each, with its small chart."""

from __future__ import annotations

import datetime as dt
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairgroups.charts.style import VERDICT_COLOURS
from fairgroups.report.headline import first_sentence
from fairgroups.report.templates import css_text, fill

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit, JointAudit
    from fairgroups.scans.result import Scan

__all__ = ["IndexLine", "render_index"]

WIDTH, HEIGHT = 180, 44
ANSWERS = {0: "kept", 1: "a limit is exceeded, or worse than before", 2: "failed", 3: "not enough evidence"}


@dataclass(frozen=True)
class IndexLine:
    """One audit or scan of a run: its name, what came of it, its page, and its exit code."""

    name: str
    result: Audit | JointAudit | Scan | None
    page: Path | None
    code: int
    limited: bool
    error: str = ""


def render_index(lines: list[IndexLine], target: Path, title: str) -> str:
    """Write the index.

    Parameters
    ----------
    lines : list of IndexLine
        What was run.
    target : Path
        Where it will stand: links to the pages are relative to it.
    title : str
        Its heading.

    Returns
    -------
    str
    """
    rows = [
        {
            "name": line.name,
            "said": line.error or ("" if line.result is None else first_sentence(line.result.conclusion)[0]),
            "link": None if line.page is None else _link(line.page, target),
            "chart": _chart(line.result),
            "answer": ANSWERS[line.code] if line.limited or line.code == 2 else "no limit",
            "bad": line.code in (1, 2),
        }
        for line in lines
    ]
    made = f"{dt.datetime.now(dt.UTC):%Y-%m-%d}"
    return fill("index.html", title=title, print_title=css_text(title), rows=rows, made=made, policy="", scripts=[])


def _link(page: Path, target: Path) -> str:
    """Return a link from one file to another, as an address."""
    from urllib.parse import quote

    try:
        return quote(os.path.relpath(page.resolve(), target.resolve().parent).replace(os.sep, "/"))
    except ValueError:  # on another drive
        return page.resolve().as_uri()


def _chart(result: Audit | JointAudit | Scan | None) -> Any:
    """Draw the rate along the attribute with its groups, small; nothing where there is none."""
    from markupsafe import Markup

    parts = getattr(result, "parts", ())
    audit = parts[0] if parts else None
    if audit is None or not audit.partition.is_line or not audit.curve:
        return ""
    low, high = audit.data.attributes[0].shown
    dots = [p for p in audit.curve if low <= p.middle <= high]
    rates = [p.rate for p in dots] + [audit.overall, *(r.rate for r in audit.records if math.isfinite(r.rate))]
    least, most = min(rates), max(rates)

    def x(value: float) -> Any:
        return 4 + (WIDTH - 8) * (value - low) / ((high - low) or 1)

    def y(value: float) -> Any:
        return HEIGHT - 4 - (HEIGHT - 8) * (value - least) / ((most - least) or 1)

    drawn = [f'<line x1="4" x2="{WIDTH - 4}" y1="{y(audit.overall):.1f}" y2="{y(audit.overall):.1f}" class="rule"/>']
    drawn += [f'<circle cx="{x(p.middle):.1f}" cy="{y(p.rate):.1f}" r="1.4" class="dot"/>' for p in dots]
    for k, record in enumerate(audit.records):
        for part in audit.partition.ranges(k):
            left, right = max(part.low, low), min(part.high, high)
            if left <= right and math.isfinite(record.rate):
                drawn.append(
                    f'<line x1="{x(left):.1f}" x2="{x(right):.1f}" y1="{y(record.rate):.1f}" y2="{y(record.rate):.1f}" '
                    f'stroke="{VERDICT_COLOURS[record.verdict]}" stroke-width="3"/>'
                )
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" style="min-width: {WIDTH}px"'
    head = f'<svg {size} role="presentation">'
    return Markup(f"{head}{''.join(drawn)}</svg>")  # noqa: S704  numbers and our own colours only
