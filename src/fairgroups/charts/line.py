"""Every picture, as an Altair chart: the same in a notebook, in the report, as SVG or PNG. Charts compute nothing.

Colours are those of Okabe and Ito, which people with any colour vision can tell apart; shapes repeat what they say.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fairgroups.partition.partition import Interval

if TYPE_CHECKING:
    import altair as alt

    from fairgroups.audits.result import Audit

__all__ = [
    "GRID_COLOUR",
    "INK",
    "LINE_COLOUR",
    "VERDICT_COLOURS",
    "VERDICT_SHAPES",
    "clean",
    "people_chart",
    "phi_chart",
    "rate_chart",
    "sentence",
    "shown_range",
    "styled",
    "to_png",
    "to_svg",
    "verdict_colour",
]

VERDICT_COLOURS = {
    "disadvantaged": "#D55E00",
    "below": "#D55E00",
    "advantaged": "#0072B2",
    "above": "#0072B2",
    "no relevant difference": "#009E73",
    "no discrimination found": "#009E73",
    "not enough evidence": "#767676",
}
VERDICT_SHAPES = {
    "disadvantaged": "square",
    "below": "triangle-down",
    "advantaged": "diamond",
    "above": "triangle-up",
    "no relevant difference": "circle",
    "no discrimination found": "circle",
    "not enough evidence": "cross",
}
# The renderer measures text in Liberation Sans, which is as wide as Arial and Helvetica; other fonts get some room.
_FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
_WIDEST_LETTER = 7.2
FEWEST = 10  # people that a dot stands for, so that it tells of nobody
_OF_EVERY_OBJECT = {  # an axis with such a title is an error in Vega
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
    "__proto__",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
}
INK = "#333333"
GRID_COLOUR = "#e6e6e6"
LINE_COLOUR = "#999999"


def rate_chart(audit: Audit, *, width: int = 780, height: int = 320) -> alt.LayerChart:
    """Draw the rate along the attribute, with the groups, their rates and the intervals of those laid over it."""
    import altair as alt

    name = audit.settings["sensitive"]
    percent = _is_percent(audit)
    low, high = shown_range(audit.data["attributes"][0])
    spread = (high - low) or 1.0
    x_scale = alt.Scale(domain=[low - 0.01 * spread, high + 0.01 * spread], nice=False, zero=False)
    y_axis = alt.Axis(title=sentence(audit.measure.rate), **({"format": ".0%"} if percent else {}))
    shapes = _segments(audit)
    present = [r["verdict"] for r in audit.records]
    colour = verdict_colour(alt, present)
    few = FEWEST if audit.data["rows"] >= 20 * FEWEST else 1
    curve = alt.Data(values=[p for p in audit.curve if low <= p["middle"] <= high and p["n"] >= few])
    base = alt.Chart(alt.Data(values=shapes))
    x = alt.X("from:Q", scale=x_scale, title=name)
    areas = base.mark_rect(opacity=0.22).encode(
        x=x,
        x2="to:Q",
        y=alt.Y("rate_low:Q", axis=y_axis, scale=alt.Scale(zero=percent)),
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
            alt.Tooltip("rate:Q", format=".1%" if percent else ".3g"),
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
        alt.Chart(alt.Data(values=[{"rate": audit.overall, "said": "everybody"}]))
        .mark_rule(strokeDash=[5, 4], color=INK)
        .encode(y="rate:Q")
    )
    borders = (
        alt.Chart(alt.Data(values=[{"at": s["from"]} for s in shapes if s["from"] > low]))
        .mark_rule(color=LINE_COLOUR, strokeWidth=1)
        .encode(x=alt.X("at:Q", scale=x_scale))
    )
    return alt.layer(borders, areas, dots, everyone, levels).properties(width=width, height=height)


def phi_chart(audit: Audit, *, width: int = 560) -> alt.LayerChart:
    """Draw Φ of each group with its interval, in the order of the attribute."""
    import altair as alt

    percent = _is_percent(audit)
    values = [
        {**{key: r[key] for key in ("label", "phi", "low", "high", "verdict")}, "place": i}
        for i, r in enumerate(audit.records)
        if r["phi"] == r["phi"]
    ]
    scale = 100 if percent else 1
    for value in values:
        for key in ("phi", "low", "high"):
            value[key] *= scale
    title = "Difference from everybody" + (" (percentage points)" if percent else "")
    present = [value["verdict"] for value in values]
    colour = verdict_colour(alt, present)
    order = [value["label"] for value in values]
    room = min(420.0, _WIDEST_LETTER * max(len(label) for label in order))
    y = alt.Y("label:N", sort=order, title=None, axis=alt.Axis(labelLimit=420, labelFontSize=12, minExtent=room))
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
            legend=_legend(alt),
        ),
    )
    zero = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule(strokeDash=[5, 4], color=INK).encode(x="x:Q")
    return alt.layer(zero, lines, marks).properties(width=width, height=alt.Step(34))


def people_chart(audit: Audit, *, width: int = 780, height: int = 160) -> alt.LayerChart:
    """Draw how many people there are along the attribute, with the borders of the groups."""
    import altair as alt

    attribute = audit.data["attributes"][0]
    low, high = attribute["bins"][0]["low"], attribute["bins"][-1]["high"]
    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    bars = (
        alt.Chart(alt.Data(values=attribute["bins"]))
        .mark_rect(color="#56B4E9", stroke="#0072B2", strokeWidth=0.5)
        .encode(
            x=alt.X("low:Q", scale=scale, title=attribute["name"]),
            x2="high:Q",
            y=alt.Y("n:Q", title="People", axis=alt.Axis(format="~s")),
            y2=alt.value(height),
        )
    )
    ends = {part.low for group in audit.partition.groups for part in group if isinstance(part, Interval)}
    borders = (
        alt.Chart(alt.Data(values=[{"at": end} for end in sorted(ends) if low < end < high]))
        .mark_rule(color=INK, strokeWidth=1.5)
        .encode(x=alt.X("at:Q", scale=scale))
    )
    return alt.layer(bars, borders).properties(width=width, height=height)


def to_svg(chart: Any) -> str:
    """Render a chart as SVG text, without any network."""
    import vl_convert as vlc

    return str(vlc.vegalite_to_svg(json.dumps(_drawable(styled(chart).to_dict(validate=False)))))


def to_png(chart: Any, scale: float = 2.0) -> bytes:
    """Render a chart as a PNG picture on white, without any network."""
    import vl_convert as vlc

    spec = {**styled(chart).to_dict(validate=False), "background": "white", "padding": 10}
    return bytes(vlc.vegalite_to_png(json.dumps(_drawable(spec)), scale=scale))


def styled(chart: Any, grid: str = GRID_COLOUR) -> Any:
    """Give a chart our font and colours."""
    return (
        chart.configure(font=_FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            titleColor=INK,
            gridColor=grid,
            domainColor=LINE_COLOUR,
            tickColor=LINE_COLOUR,
            titleFontWeight="normal",
            titleFontSize=12,
        )
    )


def _drawable(value: Any) -> Any:
    """Give a specification that the renderer takes: clean, and without texts that mean something in JavaScript."""
    if isinstance(value, dict):
        return {key: _drawable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_drawable(item) for item in value]
    value = clean(value)
    return value + "\u200c" if isinstance(value, str) and value in _OF_EVERY_OBJECT else value


def clean(value: Any) -> Any:
    """Replace control characters, which a renderer cannot draw and some of which turn text round."""
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return "".join(letter if _can_be_shown(letter) else "\ufffd" for letter in value)
    return value


def _can_be_shown(letter: str) -> bool:
    joins = letter in "\u200c\u200d"  # parts of one letter or emoji
    return letter.isprintable() or joins or unicodedata.category(letter) == "Zs"


def shown_range(attribute: Mapping[str, Any]) -> tuple[float, float]:
    """Give the values that a chart shows: all, unless a few far ones would press the others together."""
    low, high = attribute["usual"]
    if attribute["high"] - attribute["low"] < 1.5 * (high - low):
        return attribute["low"], attribute["high"]
    return low, high


def _is_percent(audit: Audit) -> bool:
    return bool(audit.data["percent"])


def sentence(text: str) -> str:
    """Begin with a capital."""
    return text[:1].upper() + text[1:]


def _legend(alt: Any) -> Any:
    return alt.Legend(title=None, orient="top", columnPadding=36, labelFontSize=12, symbolOpacity=1)


def verdict_colour(alt: Any, present: list[str]) -> Any:
    """Encode the verdict as colour, with a legend of those that occur."""
    shown = list(dict.fromkeys(present))
    return alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=shown, range=[VERDICT_COLOURS[v] for v in shown]),
        legend=_legend(alt),
    )


def _segments(audit: Audit) -> list[dict[str, Any]]:
    """List every interval of every group, cut to the values seen."""
    low, high = shown_range(audit.data["attributes"][0])
    out = []
    for group, record in zip(audit.partition.groups, audit.records, strict=False):
        for part in group:
            assert isinstance(part, Interval)
            left, right = max(part.low, low), min(part.high, high)
            if left <= right and record["rate"] == record["rate"]:
                keys = ("label", "rate", "rate_low", "rate_high", "verdict")
                out.append({"from": left, "to": right, **{key: record[key] for key in keys}})
    return sorted(out, key=lambda s: s["from"])
