"""Pictures of classes without an order, such as sex: each one's rate with its interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fairgroups.charts.style import INK, names_above, verdict_colour
from fairgroups.words import sentence

if TYPE_CHECKING:
    import altair as alt

    from fairgroups.audits.result import Audit

__all__ = ["class_chart", "drawn_rates", "rate_title"]


def drawn_rates(audit: Audit) -> list[dict[str, Any]]:
    """Return each group's rate with its interval; with factors held equal what it would be were they alike.

    So a picture of rates shows what the verdicts, which are its colours, speak of.
    """
    keys = ("label", "rate", "rate_low", "rate_high", "verdict")
    drawn = [{key: getattr(record, key) for key in keys} for record in audit.records]
    for one, reason in zip(drawn, () if audit.reasons is None else audit.reasons.groups, strict=False):
        ends = (reason.unexplained, reason.unexplained_low, reason.unexplained_high)
        one |= dict(zip(keys[1:4], (audit.overall + x for x in ends), strict=True))
    return drawn


def rate_title(audit: Audit) -> str:
    """Return the title of the axis of rates."""
    return sentence(audit.measure.rate) + ("" if audit.reasons is None else " at equal factors")


def class_chart(audit: Audit, *, width: int = 560) -> alt.LayerChart:
    """Draw the rate of each class with its interval; dashed, everybody's."""
    import altair as alt

    percent = audit.data.percent
    values = [one for one in drawn_rates(audit) if math.isfinite(one["rate"])]
    order = [value["label"] for value in values]
    colour = verdict_colour(alt, [value["verdict"] for value in values])
    y = alt.Y("label:N", sort=order, title=None, axis=names_above(alt))
    axis = alt.Axis(title=rate_title(audit), **({"format": ".0%"} if percent else {}))
    base = alt.Chart(alt.Data(values=values))
    lines = base.mark_rule(strokeWidth=3).encode(
        y=y, x=alt.X("rate_low:Q", axis=axis, scale=alt.Scale(zero=percent)), x2="rate_high:Q", color=colour
    )
    marks = base.mark_point(filled=True, size=110, opacity=1).encode(y=y, x="rate:Q", color=colour)
    everyone = (
        alt.Chart(alt.Data(values=[{"x": audit.overall}])).mark_rule(strokeDash=[5, 4], color=INK).encode(x="x:Q")
    )
    return alt.layer(everyone, lines, marks).properties(width=width, height=alt.Step(46))
