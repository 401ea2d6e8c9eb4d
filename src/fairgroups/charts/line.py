"""Pictures of one attribute: the rate along it with the groups, each group's difference, how many people there are."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fairgroups.charts.classes import drawn_rates, rate_axis
from fairgroups.charts.style import INK, LINE_COLOUR, VERDICT_SHAPES, legend, names_above, verdict_colour
from fairgroups.words import sentence

if TYPE_CHECKING:
    import altair as alt

    from fairgroups.audits.result import Audit

__all__ = ["people_chart", "phi_chart", "rate_chart", "trend_ends"]

FEWEST = 10  # people that a dot stands for, so that it tells of nobody


def rate_chart(audit: Audit, *, width: int = 780, height: int = 320) -> alt.LayerChart:
    """Draw the rate along the attribute, with the groups, their rates and the intervals of those laid over it."""
    import altair as alt

    name = audit.data.attributes[0].title
    percent = audit.data.percent
    low, high = audit.data.attributes[0].shown
    spread = (high - low) or 1.0
    x_scale = alt.Scale(domain=[low - 0.01 * spread, high + 0.01 * spread], nice=False, zero=False)
    equal = audit.reasons is not None
    y_axis = alt.Axis(**rate_axis(audit))
    ends = trend_ends(audit)
    shapes = ends or _segments(audit)
    present = [r.verdict for r in audit.records]
    colour = verdict_colour(alt, present)
    few = FEWEST if audit.data.rows >= 20 * FEWEST else 1
    scale = 100 if percent else 1
    seen = [(p, scale * (p.at_equal - audit.overall) if equal else p.rate) for p in audit.curve]
    inside = [(p, rate) for p, rate in seen if low <= p.middle <= high and p.n >= few and math.isfinite(rate)]
    curve = alt.Data(values=[{"middle": p.middle, "n": p.n, "rate": rate} for p, rate in inside])
    base = alt.Chart(alt.Data(values=shapes))
    x = alt.X("from:Q", scale=x_scale, title=name)
    areas = base.mark_rect(opacity=0.22).encode(
        x=x,
        x2="to:Q",
        y=alt.Y("rate_low:Q", axis=y_axis, scale=alt.Scale(zero=percent or equal)),
        y2="rate_high:Q",
        color=colour,
    )
    levels = base.mark_rule(strokeWidth=3, strokeCap="butt").encode(
        x=x,
        x2="to:Q",
        y="rate:Q",
        color=colour,
        tooltip=[
            alt.Tooltip("label:N", title="group"),
            alt.Tooltip("rate:Q", format=".1%" if percent and not equal else ".3g"),
        ],
    )
    dots = (
        alt.Chart(curve)
        .mark_point(filled=True, opacity=0.55, color=INK)
        .encode(
            x=alt.X("middle:Q", scale=x_scale, title=name),
            y="rate:Q",
            size=alt.Size("n:Q", scale=alt.Scale(range=[8, 60]), legend=None),
        )
    )
    everyone = (
        alt.Chart(alt.Data(values=[{"rate": 0.0 if equal else audit.overall, "said": "everybody"}]))
        .mark_rule(strokeDash=[5, 4], color=INK)
        .encode(y="rate:Q")
    )
    borders = (
        alt.Chart(alt.Data(values=[{"at": s["from"]} for s in shapes if s["from"] > low and not ends]))
        .mark_rule(color=LINE_COLOUR, strokeWidth=1)
        .encode(x=alt.X("at:Q", scale=x_scale))
    )
    return alt.layer(borders, areas, dots, everyone, levels).properties(width=width, height=height)


def phi_chart(audit: Audit, *, width: int = 560) -> alt.LayerChart:
    """Draw Φ of each group with its interval, in the order of the attribute."""
    import altair as alt

    percent = audit.data.percent
    values = [
        {**{key: getattr(r, key) for key in ("label", "phi", "low", "high", "verdict")}, "place": i}
        for i, r in enumerate(audit.records)
        if math.isfinite(r.phi)
    ]
    scale = 100 if percent else 1
    for value in values:
        for key in ("phi", "low", "high"):
            value[key] *= scale
    title = f"Difference from {audit.settings.whom}" + (" (percentage points)" if percent else "")
    present = [value["verdict"] for value in values]
    colour = verdict_colour(alt, present)
    order = [value["label"] for value in values]
    y = alt.Y("label:N", sort=order, title=None, axis=names_above(alt))
    base = alt.Chart(alt.Data(values=values))
    x_axis = alt.Axis(title=title)
    lines = base.mark_rule(strokeWidth=3).encode(y=y, x=alt.X("low:Q", axis=x_axis), x2="high:Q", color=colour)
    shown = list(dict.fromkeys(present))
    marks = base.mark_point(filled=True, size=110, opacity=1).encode(
        y=y,
        x="phi:Q",
        color=colour,
        shape=alt.Shape(
            "verdict:N",
            scale=alt.Scale(domain=shown, range=[VERDICT_SHAPES[v] for v in shown]),
            legend=legend(alt),
        ),
    )
    zero = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule(strokeDash=[5, 4], color=INK).encode(x="x:Q")
    return alt.layer(zero, lines, marks).properties(width=width, height=alt.Step(46))


def people_chart(audit: Audit, *, width: int = 780, height: int = 160) -> alt.LayerChart:
    """Draw how many people there are along the attribute, with the borders of the groups."""
    import altair as alt

    attribute = audit.data.attributes[0]
    low, high = (attribute.bins[0].low, attribute.bins[-1].high) if attribute.bins else attribute.shown
    width_of_one = min((one.high - one.low for one in attribute.bins), default=1.0)
    # Bars that were joined stand for several: as many people for each width of one.
    drawn = [{**asdict(one), "n": one.n * width_of_one / (one.high - one.low)} for one in attribute.bins]
    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    bars = (
        alt.Chart(alt.Data(values=drawn))
        .mark_rect(color="#56B4E9", stroke="#0072B2", strokeWidth=0.5)
        .encode(
            x=alt.X("low:Q", scale=scale, title=attribute.title),
            x2="high:Q",
            y=alt.Y("n:Q", title=sentence(audit.data.unit), axis=alt.Axis(format="~s")),
            y2=alt.value(height),
        )
    )
    borders = (
        alt.Chart(alt.Data(values=[{"at": end} for end in audit.partition.edges if low < end < high]))
        .mark_rule(color=INK, strokeWidth=1.5)
        .encode(x=alt.X("at:Q", scale=scale))
    )
    return alt.layer(bars, borders).properties(width=width, height=height)


def trend_ends(audit: Audit) -> list[dict[str, Any]]:
    """Return the ends of the attribute with their rates, where a trend is all that is shown; else nothing."""
    trend = audit.finding.trend
    told = trend is not None and trend.shown and math.isfinite(trend.lower_rate)
    if audit.finding.verdict != "depends" or trend is None or not told or len(audit.records) > 1:
        return []
    people = sum(stretch.n for stretch in audit.curve)
    low, high = audit.data.attributes[0].shown
    out, below = [], 0
    first, last = low, high  # where the lower end stops, and the upper one starts
    for stretch in audit.curve:
        if below >= (1 - trend.upper_share - 0.01) * people:
            last = min(last, stretch.middle)
        below += stretch.n
        if below <= (trend.lower_share + 0.01) * people:
            first = max(first, stretch.middle)
    for left, right, rate in ((low, first, trend.lower_rate), (last, high, trend.upper_rate)):
        said = {"label": f"{left:g} to {right:g}", "verdict": audit.records[0].verdict}
        out.append({"from": left, "to": right, "rate": rate, "rate_low": rate, "rate_high": rate, **said})
    return out


def _segments(audit: Audit) -> list[dict[str, Any]]:
    """List every interval of every group, cut to the values seen."""
    low, high = audit.data.attributes[0].shown
    out = []
    for k, drawn in enumerate(drawn_rates(audit)):
        for part in audit.partition.ranges(k):
            left, right = max(part.low, low), min(part.high, high)
            if left <= right and math.isfinite(drawn["rate"]):
                out.append({"from": left, "to": right, **drawn})
    return sorted(out, key=lambda s: s["from"])
