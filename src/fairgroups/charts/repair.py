"""Pictures of a repair: what is kept against what is left, and the groups' distributions before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairgroups.errors import InputError
from fairgroups.repair.quality import BEFORE

if TYPE_CHECKING:
    import altair as alt

    from fairgroups.repair.tradeoff import Tradeoff

__all__ = ["MEASURE_NAMES", "PERCENT", "distribution_chart", "frontier_chart"]

MEASURE_NAMES = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "r2": "R², variance explained",
    "mean_error": "Mean error",
    "pr_auc": "PR-AUC",
    "roc_auc": "ROC-AUC",
    "calibration_error": "Calibration error",
    "hgr": "Dependence of scores (HGR)",
    "hgr_kde": "HGR by density estimate",
    "decision_dependence": "Dependence of decisions",
    "selection_sd": "Spread of yes along the attribute",
    "selection_gap": "Gap in yes between tenths",
    "changed_decisions": "Decisions changed",
    "mean_change": "Mean change of scores",
    "score_gap": "Gap at any threshold",
    "parity_gap": "Gap in decisions",
    "opportunity_gap": "Gap in decisions, true label yes",
}
PERCENT = {
    "accuracy",
    "balanced_accuracy",
    "changed_decisions",
    "score_gap",
    "parity_gap",
    "opportunity_gap",
    "selection_sd",
    "selection_gap",
}
_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F"]
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right"]
_RAMP = ["#440154", "#414487", "#2A788E", "#22A884", "#7AD151", "#BDA800"]  # dark to light, in the groups' order
_INK = "#333333"


def frontier_chart(
    found: Tradeoff, measure: str = "accuracy", against: str = "hgr", *, width: int = 620, height: int = 320
) -> alt.LayerChart:
    """Draw a measure against the dependence left, with intervals; a line for each method, a mark for each gap."""
    import altair as alt

    known = {record["measure"] for record in found.records}
    for name in (measure, against):
        if name not in known:
            raise InputError(f"{name!r} was not measured.", f"measured were {', '.join(sorted(known))}.")
    methods = [BEFORE, *found.settings["methods"]]
    points = []
    for method in methods:
        for gap in found.settings["max_gap"] if method != BEFORE else [1.0]:
            try:
                y, x = (found.value(name, method, gap) for name in (measure, against))
            except KeyError:  # gaps are not measured without groups
                continue
            points.append({"method": method, "gap": gap, "y": y["value"], "low": y["low"], "high": y["high"]})
            points[-1] |= {"x": x["value"], "x_low": x["low"], "x_high": x["high"]}
            points[-1]["said"] = f"{gap:g}" if method == methods[-1] else ""
    colour = alt.Color(
        "method:N",
        sort=methods,
        scale=alt.Scale(domain=methods, range=[_INK, *(_COLOURS[i % 8] for i in range(len(methods) - 1))]),
        legend=alt.Legend(title=None, orient="right", labelFontSize=12, labelLimit=240, symbolOpacity=1),
    )
    shape = alt.Shape(
        "method:N",
        sort=methods,
        scale=alt.Scale(domain=methods, range=["circle", *(_SHAPES[i % 8] for i in range(len(methods) - 1))]),
    )
    base = alt.Chart(alt.Data(values=points))
    x = alt.X("x:Q", title=f"{MEASURE_NAMES[against]} on people left out", axis=_axis(alt, against))
    y = alt.Y("y:Q", title=MEASURE_NAMES[measure], axis=_axis(alt, measure), scale=alt.Scale(zero=False))
    lines = base.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour, order="gap:Q", detail="method:N")
    upright = base.mark_rule(opacity=0.3).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour)
    across = base.mark_rule(opacity=0.3).encode(x=alt.X("x_low:Q"), x2="x_high:Q", y=y, color=colour)
    marks = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        shape=shape,
        tooltip=[
            alt.Tooltip("method:N"),
            alt.Tooltip("gap:Q", title="largest gap"),
            alt.Tooltip("y:Q", title=MEASURE_NAMES[measure], format=".3f"),
            alt.Tooltip("x:Q", title=MEASURE_NAMES[against], format=".3f"),
        ],
    )
    said = base.mark_text(align="left", dx=7, dy=-7, fontSize=10, color=_INK).encode(x=x, y=y, text="said:N")
    return alt.layer(upright, across, lines, marks, said).properties(width=width, height=height)


def distribution_chart(
    found: Tradeoff, method: str | None = None, max_gap: float | None = None, *, width: int = 620, height: int = 320
) -> alt.Chart:
    """Draw each group's distribution function before (solid) and after (dashed)."""
    import altair as alt

    method = method if method is not None else found.settings["methods"][0]
    gap = max_gap if max_gap is not None else found.settings["max_gap"][0]
    if (method, gap) not in found.distributions:
        raise InputError(f"there is no repair {method!r} with a gap of {gap}.", f"there are {list(found.repairs)}.")
    curves = found.distributions[method, gap]
    groups = list(dict.fromkeys(curve["group"] for curve in curves))
    values = [
        {"group": curve["group"], "when": curve["when"], "score": score, "share": share}
        for curve in curves
        for score, share in zip(curve["score"], curve["share"], strict=True)
    ]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_line(strokeWidth=1.8, interpolate="step-after")
        .encode(
            x=alt.X("score:Q", title=found.settings["score"], scale=alt.Scale(nice=False, zero=False)),
            y=alt.Y("share:Q", title="Share of the group at or below", axis=alt.Axis(format=".0%")),
            color=alt.Color(
                "group:N",
                sort=groups,
                scale=alt.Scale(domain=groups, range=_ramp(len(groups))),
                legend=alt.Legend(title="Group", labelLimit=260, labelFontSize=12, symbolOpacity=1),
            ),
            strokeDash=alt.StrokeDash(
                "when:N",
                sort=["before", "after"],
                scale=alt.Scale(domain=["before", "after"], range=[[1, 0], [6, 4]]),
                legend=alt.Legend(title=None, labelFontSize=12, symbolOpacity=1),
            ),
        )
        .properties(width=width, height=height)
    )


def _axis(alt: Any, name: str) -> Any:
    return alt.Axis(format=".1%" if name in PERCENT else ".2f", tickCount=8, labelOverlap=True)


def _ramp(n: int) -> list[str]:
    """Return colours from dark to light."""
    if n == 1:
        return _RAMP[:1]
    places = [i * (len(_RAMP) - 1) / (n - 1) for i in range(n)]
    out = []
    for place in places:
        i = min(int(place), len(_RAMP) - 2)
        pairs = zip(_rgb(_RAMP[i]), _rgb(_RAMP[i + 1]), strict=True)
        out.append("#" + "".join(f"{round(a + (place - i) * (b - a)):02x}" for a, b in pairs))
    return out


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
