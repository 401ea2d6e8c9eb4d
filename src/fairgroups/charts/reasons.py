"""Pictures of reasons: each group's difference split in two, and the rate along the attribute at equal factors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fairgroups.charts.style import INK, VERDICT_COLOURS, legend, names_above

if TYPE_CHECKING:
    import altair as alt

    from fairgroups.audits.result import Audit

__all__ = ["equal_chart", "reasons_chart"]

GREY = "#a6a6a6"
WITH, WITHOUT = "goes with the factors", "does not"


def reasons_chart(audit: Audit, *, width: int = 560) -> alt.LayerChart:
    """Draw what of each group's difference goes with the factors, what does not, and both together."""
    import altair as alt

    assert audit.reasons is not None
    scale = 100 if audit.data.percent else 1
    values: list[dict[str, Any]] = []
    for record, one in zip(audit.records, audit.reasons.groups, strict=True):
        if not math.isfinite(one.difference):
            continue
        ends = [x if math.isfinite(x) else None for x in (one.unexplained_low, one.unexplained_high)]
        for part, value, (low, high) in (
            (WITH, one.explained, (None, None)),
            (WITHOUT, one.unexplained, ends),
        ):
            common = {"label": record.label, "part": part, "value": value * scale, "whole": one.difference * scale}
            values.append(common | {key: x and x * scale for key, x in (("low", low), ("high", high))})
    order = list(dict.fromkeys(value["label"] for value in values))
    base = alt.Chart(alt.Data(values=values))
    y = alt.Y("label:N", sort=order, title=None, axis=names_above(alt))
    rows: dict[str, Any] = {"y": y, "yOffset": alt.YOffset("part:N", sort=[WITH, WITHOUT])}
    title = f"Difference from {audit.data.everybody}" + (" (percentage points)" if audit.data.percent else "")
    colour = alt.Color(
        "part:N",
        scale=alt.Scale(domain=[WITH, WITHOUT], range=[GREY, VERDICT_COLOURS["higher"]]),
        legend=legend(alt),
    )
    bars = base.mark_bar(height={"band": 0.8}).encode(
        x=alt.X("value:Q", axis=alt.Axis(title=title, labelOverlap=True)), x2=alt.datum(0), color=colour, **rows
    )
    lines = base.mark_rule(strokeWidth=1.5, color=INK).encode(x="low:Q", x2="high:Q", **rows)
    wholes = base.mark_point(shape="diamond", filled=True, size=70, opacity=1, color=INK).encode(x="whole:Q", y=y)
    zero = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule(strokeDash=[5, 4], color=INK).encode(x="x:Q")
    return alt.layer(bars, lines, wholes, zero).properties(width=width, height=alt.Step(24))


def equal_chart(audit: Audit, *, width: int = 780, height: int = 300) -> alt.LayerChart:
    """Draw the rate along the attribute as it is, and as it would be were everybody's factors alike."""
    import altair as alt

    low, high = audit.data.attributes[0].shown
    spread = (high - low) or 1.0
    x_scale = alt.Scale(domain=[low - 0.01 * spread, high + 0.01 * spread], nice=False, zero=False)
    percent = audit.data.percent
    kinds = {"observed": GREY, "at equal factors": VERDICT_COLOURS["higher"]}
    points = [
        {"middle": p.middle, "n": p.n, "rate": rate, "kind": kind}
        for p in audit.curve
        for kind, rate in zip(kinds, (p.rate, p.at_equal), strict=True)
        if low <= p.middle <= high and math.isfinite(rate)
    ]
    axis = alt.Axis(title=audit.measure.rate.capitalize(), **({"format": ".0%"} if percent else {}))
    shown = list(kinds)
    dots = (
        alt.Chart(alt.Data(values=points))
        .mark_point(filled=True, opacity=0.85)
        .encode(
            x=alt.X("middle:Q", scale=x_scale, title=audit.data.attributes[0].title),
            y=alt.Y("rate:Q", axis=axis, scale=alt.Scale(zero=percent)),
            size=alt.Size("n:Q", scale=alt.Scale(range=[12, 70]), legend=None),
            color=alt.Color("kind:N", scale=alt.Scale(domain=shown, range=list(kinds.values())), legend=legend(alt)),
            shape=alt.Shape("kind:N", scale=alt.Scale(domain=shown, range=["circle", "diamond"]), legend=legend(alt)),
        )
    )
    everyone = (
        alt.Chart(alt.Data(values=[{"rate": audit.overall}])).mark_rule(strokeDash=[5, 4], color=INK).encode(y="rate:Q")
    )
    return alt.layer(everyone, dots).properties(width=width, height=height)
