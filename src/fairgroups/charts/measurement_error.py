"""The picture of an attribute that was measured with error: differences over the reliability of the measured values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fairgroups.charts.style import INK, VERDICT_COLOURS, VERDICT_SHAPES, legend
from fairgroups.errors import InputError

if TYPE_CHECKING:
    import altair as alt

    from fairgroups.audits.result import Audit

__all__ = ["corrected_chart"]


def corrected_chart(audit: Audit, *, width: int = 560, height: int = 260) -> alt.LayerChart:
    """Draw each group's difference by the true values, if the measured ones had another reliability."""
    import altair as alt

    corrected = audit.corrected
    if corrected is None or not corrected.curve:
        raise InputError(
            "this audit has no differences by true values.", "name the error: reliability=0.8, and two groups or more."
        )
    percent = audit.data.percent
    scale = 100 if percent else 1
    lines = [
        {"reliability": one.reliability, "phi": scale * one.phi[k], "label": group.label}
        for one in corrected.curve
        for k, group in enumerate(corrected.groups)
        if math.isfinite(one.phi[k])
    ]
    marks = [
        {
            "reliability": corrected.reliability,
            "phi": scale * group.phi,
            "low": scale * group.low,
            "high": scale * group.high,
            "label": group.label,
        }
        for group in corrected.groups
        if math.isfinite(group.phi)
    ]
    shown = [group.label for group in corrected.groups]
    verdicts = [record.verdict for record in audit.records[: len(shown)]]
    colours = [VERDICT_COLOURS[verdict] for verdict in verdicts]
    told = legend(alt)
    told.labelLimit, told.columns = 320, 2
    colour = alt.Color("label:N", scale=alt.Scale(domain=shown, range=colours), legend=told)
    shape = alt.Shape(
        "label:N",
        scale=alt.Scale(domain=shown, range=[VERDICT_SHAPES[verdict] for verdict in verdicts]),
        legend=told,
    )
    low = min(one.reliability for one in corrected.curve)
    x = alt.X(
        "reliability:Q",
        scale=alt.Scale(domain=[1.0, low], nice=False),
        title="Reliability of the measured values (1: no error)",
    )
    title = "Difference from everybody" + (" (points)" if percent else "")
    y = alt.Y("phi:Q", title=title)
    base, at = alt.Chart(alt.Data(values=lines)), alt.Chart(alt.Data(values=marks))
    return alt.layer(
        alt.Chart(alt.Data(values=[{"y": 0}])).mark_rule(strokeDash=[5, 4], color=INK).encode(y="y:Q"),
        base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, detail="label:N"),
        at.mark_rule(strokeWidth=1.5).encode(x=x, y=alt.Y("low:Q", title=title), y2="high:Q", color=colour),
        at.mark_point(filled=True, size=80, opacity=1).encode(x=x, y=y, color=colour, shape=shape),
    ).properties(width=width, height=height)
