"""Pictures of an audit's second opinions: number of groups, firmness of borders, the model against its labels."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fairgroups.charts.style import INK, names_above
from fairgroups.errors import InputError
from fairgroups.words import sentence

if TYPE_CHECKING:
    import altair as alt

    from fairgroups.audits.result import Audit

__all__ = ["amplification_chart", "selection_chart", "stability_chart", "together_chart"]

_MODEL, _BASE = INK, "#8c8c8c"  # no verdicts: harm and advantage have colours of their own
_VALUES = {
    "band": "Evidence of differences inside groups",
    "cv": "Error on rows left out",
    "bic": "BIC above the least",
}


def selection_chart(audit: Audit, *, width: int = 560, height: int = 200) -> alt.LayerChart:
    """Draw what the choice of the number of groups was made on; the number chosen is marked."""
    import altair as alt

    found = audit.selection
    if found is None:
        raise InputError("the number of groups was given, not chosen.", "audit(…, n_groups='auto')")
    least = 0.0 if found.criterion == "band" else min(step.value for step in found.curve)
    values = [
        {
            "k": step.n_groups,
            "value": step.value - least,
            "high": step.value - least + step.error,
            "low": step.value - least - step.error,
            "chosen": step.n_groups == found.n_groups,
        }
        for step in found.curve
        if math.isfinite(step.value)
    ]
    base = alt.Chart(alt.Data(values=values))
    x = alt.X("k:O", title="Number of groups", axis=alt.Axis(labelAngle=0))
    y = alt.Y("value:Q", title=_VALUES[found.criterion], axis=alt.Axis(titleLimit=260))
    line = base.mark_line(color=INK, strokeWidth=1.5).encode(x=x, y=y)
    marks = base.mark_point(filled=True, opacity=1).encode(
        x=x,
        y=y,
        color=alt.condition("datum.chosen", alt.value(_MODEL), alt.value(INK)),
        size=alt.condition("datum.chosen", alt.value(160), alt.value(40)),
        shape=alt.condition("datum.chosen", alt.value("diamond"), alt.value("circle")),
    )
    layers: list[Any] = [line, marks]
    if found.criterion == "band":
        zero = alt.Chart(alt.Data(values=[{"y": 0}])).mark_rule(strokeDash=[5, 4], color=INK).encode(y="y:Q")
        layers.insert(0, zero)
    if found.criterion == "cv":
        layers.insert(0, base.mark_rule(color="#999999").encode(x=x, y="low:Q", y2="high:Q"))
    return alt.layer(*layers).properties(width=width, height=height)


def stability_chart(audit: Audit, *, width: int = 780) -> alt.LayerChart:
    """Draw each border with the range in which resampled borders fall."""
    import altair as alt

    found = audit.checks.stability
    if found is None:
        raise InputError("the borders were not resampled.", "audit(…, checks=True)")
    low, high = audit.data.attributes[0].shown
    values = [{"name": f"{cut.cut:.4g}", **asdict(cut)} for cut in found.cuts]
    base = alt.Chart(alt.Data(values=values))
    x_scale = alt.Scale(domain=[low, high], nice=False, zero=False, clamp=True)
    y = alt.Y("name:N", sort=[v["name"] for v in values], title=None)
    lines = base.mark_rule(strokeWidth=4, color="#9a9a9a").encode(
        y=y, x=alt.X("low:Q", scale=x_scale, title=audit.settings.attributes), x2="high:Q"
    )
    marks = base.mark_tick(thickness=3, size=18, color=INK).encode(y=y, x=alt.X("cut:Q", scale=x_scale))
    return alt.layer(lines, marks).properties(width=width, height=alt.Step(24))


def together_chart(audit: Audit, *, width: int = 360) -> alt.Chart:
    """Draw how surely two people share a group, for any two values of the attribute."""
    import altair as alt

    found = audit.checks.stability
    if found is None:
        raise InputError("the borders were not resampled.", "audit(…, checks=True)")
    values = [
        {"one": f"{x:g}", "two": f"{y:g}", "share": share}
        for x, row in zip(found.points, found.together, strict=True)
        for y, share in zip(found.points, row, strict=True)
    ]
    order = list(dict.fromkeys(v["one"] for v in values))
    name = audit.settings.attributes
    axis = alt.Axis(labelOverlap=True, labelAngle=0)
    return (
        alt.Chart(alt.Data(values=values))
        .mark_rect()
        .encode(
            x=alt.X("one:O", sort=order, title=name, axis=axis),
            y=alt.Y("two:O", sort=order[::-1], title=name, axis=axis),
            color=alt.Color(
                "share:Q",
                title="in one group",
                scale=alt.Scale(scheme="blues", domain=[0, 1]),
                legend=alt.Legend(format=".0%"),
            ),
        )
        .properties(width=width, height=width)
    )


def amplification_chart(audit: Audit, *, width: int = 380, height: int = 260) -> alt.HConcatChart | alt.LayerChart:
    """Draw the rates of model and label along the attribute, and Φ of both in each group, with the paired interval."""
    import altair as alt

    found = audit.checks.amplification
    if found is None:
        raise InputError("there is no other outcome to compare with.", "audit(…, truth=…)")
    percent = audit.data.percent
    scale = 100 if percent else 1
    names = {"model": found.model, "base": found.base}
    colour = alt.Color(
        "outcome:N",
        scale=alt.Scale(domain=[found.base, found.model], range=[_BASE, _MODEL]),
        legend=alt.Legend(title=None, orient="top", labelLimit=300),
    )
    panels: list[Any] = []
    if found.curves:
        low, high = audit.data.attributes[0].shown
        points = [
            {"x": p.middle, "rate": p.rate, "outcome": names[key]}
            for key, curve in found.curves.items()
            for p in curve
            if low <= p.middle <= high
        ]
        borders = [{"at": end} for end in audit.partition.edges if low < end < high]
        x_scale = alt.Scale(domain=[low, high], nice=False, zero=False)
        walls = alt.Chart(alt.Data(values=borders)).mark_rule(color="#bbbbbb").encode(x=alt.X("at:Q", scale=x_scale))
        axis = alt.Axis(format=".0%") if percent else alt.Axis()
        lines = (
            alt.Chart(alt.Data(values=points))
            .mark_line(strokeWidth=2)
            .encode(
                x=alt.X("x:Q", title=audit.settings.attributes, scale=x_scale),
                y=alt.Y("rate:Q", title="Share of yes" if percent else "Mean", axis=axis, scale=alt.Scale(zero=False)),
                color=colour,
                strokeDash=alt.StrokeDash(
                    "outcome:N",
                    scale=alt.Scale(domain=[found.base, found.model], range=[[1, 0], [5, 3]]),
                    legend=None,
                ),
            )
        )
        panels.append(alt.layer(walls, lines).properties(width=width, height=height))
    order = [r.label for r in found.records]
    numbers = [
        {"label": r.label, "phi": scale * getattr(r, f"{key}_phi"), "outcome": names[key], "effect": r.effect}
        for r in found.records
        for key in ("base", "model")
        if math.isfinite(r.difference)
    ]
    spans = [
        {
            "label": r.label,
            "low": scale * (r.base_phi + r.low),
            "high": scale * (r.base_phi + r.high),
            "said": r.effect,
        }
        for r in found.records
        if math.isfinite(r.difference)
    ]
    y = alt.Y("label:N", sort=order, title=None, axis=names_above(alt))
    title = sentence("difference from everybody") + (" (points)" if percent else "")
    intervals = (
        alt.Chart(alt.Data(values=spans)).mark_rule(strokeWidth=3, color="#c9c9c9").encode(y=y, x="low:Q", x2="high:Q")
    )
    marks = (
        alt.Chart(alt.Data(values=numbers))
        .mark_point(filled=True, size=90, opacity=1)
        .encode(
            y=y,
            x=alt.X("phi:Q", title=title),
            color=colour,
            shape=alt.Shape(
                "outcome:N",
                scale=alt.Scale(domain=[found.base, found.model], range=["circle", "diamond"]),
                legend=None,
            ),
        )
    )
    zero = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule(strokeDash=[5, 4], color=INK).encode(x="x:Q")
    panels.append(alt.layer(zero, intervals, marks).properties(width=max(width - 140, 200), height=alt.Step(46)))
    return alt.hconcat(*panels) if len(panels) > 1 else panels[0]
