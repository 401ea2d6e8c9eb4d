"""A scan as pictures: the rate along each attribute and its most different place, all on one scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fairgroups.charts.style import INK, LINE_COLOUR, VERDICT_COLOURS
from fairgroups.partition.sides import Levels

if TYPE_CHECKING:
    from fairgroups.scans.records import CurvePart, ScannedAttribute
    from fairgroups.scans.result import Scan

__all__ = ["overview_chart", "small_picture", "stands_out"]

WIDE, HIGH = 220, 56
MOST_DRAWN = 12
EXTREME = 0.01


def stands_out(part: CurvePart, one: ScannedAttribute) -> bool:
    """Whether a stretch or level of an attribute belongs to its most different place."""
    side = one.worst.sides[0]
    if isinstance(side, Levels):
        return part.label in side.names
    low, high = (-math.inf if math.isnan(part.low) else part.low), (math.inf if math.isnan(part.high) else part.high)
    return bool(low < side.high and high > side.low)


def _ordered(one: ScannedAttribute) -> list[CurvePart]:
    """Return the stretches in the order of the attribute, levels by their rate."""
    levels = one.kind == "category"
    return sorted(one.curve, key=lambda part: part.rate) if levels else list(one.curve)


def _scale(scan: Scan) -> tuple[float, float]:
    """Return the ends of the scale: rates of all but a hundredth of the people at either end, and everybody's."""
    parts = sorted((part.rate, part.n) for one in scan.attributes for part in one.curve)
    total, reached, inside = sum(n for _, n in parts), 0, [scan.data.overall]
    for rate, n in parts:
        if reached + n > EXTREME * total and reached < (1 - EXTREME) * total:
            inside.append(rate)
        reached += n
    low, high = min(inside), max(inside)
    room = (high - low) * 0.06 or 1.0
    return low - room, high + room


def small_picture(scan: Scan, one: ScannedAttribute) -> str:
    """Draw the rate along an attribute: steps as wide as their people, everybody's rate, the most different place.

    The rates of all attributes have one scale. No text of the data is in it.
    """
    low, high = _scale(scan)

    def y(rate: float) -> float:
        return round(HIGH - 3 - (HIGH - 6) * min(max((rate - low) / (high - low), 0.0), 1.0), 1)

    parts = _ordered(one)
    total = sum(part.n for part in parts) or 1
    colour = VERDICT_COLOURS[one.verdict]
    drawn, x = [], 0.0
    gap = 1.0 if one.kind == "category" else 0.0
    middle = y(scan.data.overall)
    for part in parts:
        width = WIDE * part.n / total
        out = stands_out(part, one)
        top, height = min(y(part.rate), middle), abs(y(part.rate) - middle)
        fill, strength = (colour, 0.85) if out else (LINE_COLOUR, 0.45)
        drawn.append(
            f'<rect x="{x:.1f}" y="{top:.1f}" width="{max(width - gap, 0.6):.1f}" height="{max(height, 0.8):.1f}" '
            f'fill="{fill}" fill-opacity="{strength}"/>'
        )
        x += width
    line = f'<line x1="0" x2="{WIDE}" y1="{middle}" y2="{middle}" stroke="{INK}" stroke-width="1"/>'
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" preserveAspectRatio="none" '
        f'aria-hidden="true">{"".join(drawn)}{line}</svg>'
    )


def overview_chart(scan: Scan) -> Any:
    """Draw the rate along the most striking attributes, one small chart each, on one scale."""
    import altair as alt

    charts = []
    for one in scan.attributes[:MOST_DRAWN]:
        colour = VERDICT_COLOURS[one.verdict]
        parts, total, start = _ordered(one), sum(part.n for part in one.curve) or 1, 0.0
        rows = []
        for part in parts:
            end = start + part.n / total
            rows.append(
                {"from": start, "to": end, "rate": part.rate, "everybody": scan.data.overall, "label": part.label,
                 "people": part.n, "place": stands_out(part, one)}
            )  # fmt: skip
            start = end
        title = one.said if one.shown else f"{one.said} (not shown to differ)"
        axis = alt.Axis(format=".0%" if scan.data.percent else "", tickCount=4, title=None)
        base = alt.Chart(alt.Data(values=rows), title=alt.Title(title, subtitle=one.worst.label, anchor="start"))
        bars = base.mark_rect().encode(
            x=alt.X("from:Q", axis=alt.Axis(labels=False, ticks=False, title=None), scale=alt.Scale(domain=[0, 1])),
            x2="to:Q",
            y=alt.Y("rate:Q", axis=axis, scale=alt.Scale(domain=list(_scale(scan)), clamp=True)),
            y2="everybody:Q",
            color=alt.condition("datum.place", alt.value(colour), alt.value("#c4c4c4")),
            tooltip=["label:N", "people:Q", alt.Tooltip("rate:Q", format=".1%" if scan.data.percent else ".3~g")],
        )
        rule = base.mark_rule(color=INK).encode(y="everybody:Q")
        charts.append((bars + rule).properties(width=240, height=90))
    return alt.concat(*charts, columns=3)
