"""Pictures of classes without an order, such as sex: each one's rate with its interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fairgroups.charts.style import INK, names_above, verdict_colour
from fairgroups.words import sentence

if TYPE_CHECKING:
    import altair as alt

    from fairgroups.audits.result import Audit

__all__ = ["class_chart", "drawn_rates", "rate_axis"]


def drawn_rates(audit: Audit) -> list[dict[str, Any]]:
    """Return each group's rate with its interval; with factors held equal its difference from comparable people.

    So the first picture shows what the headline, and the verdicts, which are its colours, speak of.
    """
    keys = ("label", "rate", "rate_low", "rate_high", "verdict")
    drawn = [{key: getattr(record, key) for key in keys} for record in audit.records]
    for one, record in zip(drawn, audit.records if audit.reasons is not None else (), strict=False):
        scale = 100 if audit.data.percent else 1
        one |= dict(zip(keys[1:4], (scale * x for x in (record.phi, record.low, record.high)), strict=True))
    return drawn


def rate_axis(audit: Audit) -> dict[str, Any]:
    """Return title and numbers of the axis of rates, or of differences from comparable people."""
    if audit.reasons is None:
        return {"title": sentence(audit.measure.rate), **({"format": ".0%"} if audit.data.percent else {})}
    unit = " (percentage points)" if audit.data.percent else ""
    return {"title": f"Difference from {audit.settings.whom}{unit}"}


def class_chart(audit: Audit, *, width: int = 560) -> alt.LayerChart:
    """Draw the rate of each class with its interval; dashed, everybody's."""
    import altair as alt

    percent = audit.data.percent
    values = [one for one in drawn_rates(audit) if math.isfinite(one["rate"])]
    order = [value["label"] for value in values]
    colour = verdict_colour(alt, [value["verdict"] for value in values])
    y = alt.Y("label:N", sort=order, title=None, axis=names_above(alt))
    axis = alt.Axis(**rate_axis(audit))
    base = alt.Chart(alt.Data(values=values))
    equal = audit.reasons is not None
    scale = alt.Scale(zero=percent or equal)
    lines = base.mark_rule(strokeWidth=3).encode(
        y=y, x=alt.X("rate_low:Q", axis=axis, scale=scale), x2="rate_high:Q", color=colour
    )
    marks = base.mark_point(filled=True, size=110, opacity=1).encode(y=y, x="rate:Q", color=colour)
    others = alt.Data(values=[{"x": 0.0 if equal else audit.overall}])
    everyone = alt.Chart(others).mark_rule(strokeDash=[5, 4], color=INK).encode(x="x:Q")
    return alt.layer(everyone, lines, marks).properties(width=width, height=alt.Step(46))
