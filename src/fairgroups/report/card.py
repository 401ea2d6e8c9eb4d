"""An audit as a small card, for a notebook."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fairgroups.audits.remarks import certainty, direction_line, limit_lines
from fairgroups.charts.style import VERDICT_COLOURS
from fairgroups.report.sections import title_of
from fairgroups.report.templates import fill
from fairgroups.words import amount, compared, counted, sentence

if TYPE_CHECKING:
    from fairgroups.audits.records import GroupRecord
    from fairgroups.audits.result import Audit

__all__ = ["render_card"]

MOST = 12  # groups that are listed


def render_card(audit: Audit) -> str:
    """Write the finding and the groups, with bars for their differences."""
    percent = audit.data.percent
    far = max((abs(r.phi) for r in audit.records if math.isfinite(r.phi)), default=0.0) or 1.0
    rows = [
        {
            "label": record.label,
            "n": counted(record.n, record.counted, weighted=audit.settings.weighted),
            "rate": amount(record.rate, percent=percent),
            **dict(zip(("phi", "interval"), _compared(record, percent=percent), strict=True)),
            "verdict": record.verdict,
            "colour": VERDICT_COLOURS[record.verdict],
            "width": round(46 * abs(record.phi) / far) if math.isfinite(record.phi) else 0,
            "left": record.phi < 0,
        }
        for record in audit.records[:MOST]
    ]
    return fill(
        "card.html",
        title=title_of(audit),
        unit=sentence(audit.data.unit),
        finding=audit.conclusion,
        certainty=f"{certainty(audit)} {direction_line(audit)}".strip(),
        limits=limit_lines(audit),
        level=audit.settings.percent_level,
        rows=rows,
        more=len(audit.records) - len(rows),
    )


def _compared(record: GroupRecord, *, percent: bool) -> tuple[str, str]:
    return compared(record.phi, record.low, record.high, percent=percent, alone=record.alone)
