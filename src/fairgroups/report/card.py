"""An audit as a small card, for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairgroups.audits.conclusion import certainty, gate_line
from fairgroups.charts.line import VERDICT_COLOURS, sentence
from fairgroups.report.templates import fill
from fairgroups.words import amount, attributes, counted, points

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit

__all__ = ["render_card"]

MOST = 12  # groups that are listed


def render_card(audit: Audit) -> str:
    """Write the finding and the groups, with bars for their differences."""
    percent = bool(audit.data["percent"])
    far = max((abs(r["phi"]) for r in audit.records if r["phi"] == r["phi"]), default=0.0) or 1.0
    rows = [
        {
            "label": record["label"],
            "n": counted(record).replace(",", "\u202f"),
            "rate": amount(record["rate"], percent=percent),
            "phi": points(record["phi"], percent=percent),
            "interval": " to ".join(points(record[end], percent=percent) for end in ("low", "high")),
            "verdict": record["verdict"],
            "colour": VERDICT_COLOURS[record["verdict"]],
            "width": round(46 * abs(record["phi"]) / far) if record["phi"] == record["phi"] else 0,
            "left": record["phi"] < 0,
        }
        for record in audit.records[:MOST]
    ]
    return fill(
        "card.html",
        title=f"{sentence(audit.measure.rate)} of {audit.settings['outcome']} by {attributes(audit.settings)}",
        finding=audit.conclusion,
        certainty=certainty(audit),
        gate=gate_line(audit),
        level=f"{100 * audit.settings['level']:g} %",
        rows=rows,
        more=len(audit.records) - len(rows),
    )
