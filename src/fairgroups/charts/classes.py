"""Pictures of classes without an order, such as sex: each one's rate with its interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fairgroups.charts.style import INK, names_above, verdict_colour
from fairgroups.words import sentence

if TYPE_CHECKING:
    import altair as alt

    from fairgroups.audits.result import Audit

__all__ = ["class_chart"]


def class_chart(audit: Audit, *, width: int = 560) -> alt.LayerChart:
    """Draw the rate of each class with its interval; dashed, everybody's."""
    import altair as alt

    percent = audit.data.percent
    keys = ("label", "rate", "rate_low", "rate_high", "verdict")
    values = [{key: getattr(r, key) for key in keys} for r in audit.records if math.isfinite(r.rate)]
    order = [value["label"] for value in values]
    colour = verdict_colour(alt, [value["verdict"] for value in values])
    y = alt.Y("label:N", sort=order, title=None, axis=names_above(alt))
    axis = alt.Axis(title=sentence(audit.measure.rate), **({"format": ".0%"} if percent else {}))
    base = alt.Chart(alt.Data(values=values))
    lines = base.mark_rule(strokeWidth=3).encode(
        y=y, x=alt.X("rate_low:Q", axis=axis, scale=alt.Scale(zero=percent)), x2="rate_high:Q", color=colour
    )
    marks = base.mark_point(filled=True, size=110, opacity=1).encode(y=y, x="rate:Q", color=colour)
    everyone = (
        alt.Chart(alt.Data(values=[{"x": audit.overall}])).mark_rule(strokeDash=[5, 4], color=INK).encode(x="x:Q")
    )
    return alt.layer(everyone, lines, marks).properties(width=width, height=alt.Step(46))
