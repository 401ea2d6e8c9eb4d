"""Pictures of comparisons: groups then and now, and from period to period."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fairgroups.charts.style import INK, LINE_COLOUR, VERDICT_COLOURS, VERDICT_SHAPES, legend, names_above
from fairgroups.errors import InputError

if TYPE_CHECKING:
    import altair as alt

    from fairgroups.audits.result import Audit

__all__ = ["over_time_chart", "since_chart"]

_CHANGES = {"worse": VERDICT_COLOURS["disadvantaged"], "better": VERDICT_COLOURS["advantaged"]}


def since_chart(audit: Audit, *, width: int = 780) -> alt.LayerChart:
    """Draw each group's difference in the baseline and now."""
    import altair as alt

    if audit.since is None:
        raise InputError("this audit was not compared with an earlier one.", "see since_baseline().")
    scale = 100 if audit.data.percent else 1
    values: list[dict[str, Any]] = [
        {"label": c.label, "then": scale * c.before, "now": scale * c.after, "verdict": c.verdict}
        for c in audit.since.changes
        if math.isfinite(c.before) and math.isfinite(c.after)
    ]
    order = list(dict.fromkeys(value["label"] for value in values))
    y = alt.Y("label:N", sort=order, title=None, axis=names_above(alt))
    title = "Difference from everybody" + (" (percentage points)" if audit.data.percent else "")
    base = alt.Chart(alt.Data(values=values))
    shown = list(dict.fromkeys(value["verdict"] for value in values))
    colour = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=shown, range=[_CHANGES.get(verdict, "#767676") for verdict in shown]),
        legend=legend(alt),
    )
    x = alt.X("then:Q", title=title, axis=alt.Axis(tickCount=8))
    lines = base.mark_rule(strokeWidth=3).encode(y=y, x=x, x2="now:Q", color=colour)
    then = base.mark_point(filled=False, size=90, opacity=1, strokeWidth=2).encode(y=y, x="then:Q", color=colour)
    now = base.mark_point(filled=True, size=110, opacity=1).encode(y=y, x="now:Q", color=colour)
    zero = alt.Chart(alt.Data(values=[{"x": 0}])).mark_rule(strokeDash=[5, 4], color=INK).encode(x="x:Q")
    return alt.layer(zero, lines, then, now).properties(width=width, height=alt.Step(46))


def over_time_chart(audit: Audit, *, width: int = 780, height: int = 300) -> alt.LayerChart:
    """Draw each group's difference from everybody, period by period, with intervals."""
    import altair as alt

    told = audit.over_time
    if told is None:
        raise InputError("this audit has no periods.", "audit(…, by='year')")
    scale = 100 if audit.data.percent else 1
    order = [period.label for period in told.periods]
    values: list[dict[str, Any]] = [
        {
            "period": period.label,
            "label": record.label,
            **{key: scale * getattr(one, key) for key in ("phi", "low", "high")},
        }
        for period in told.periods
        for record, one in zip(audit.records, period.groups, strict=True)
        if math.isfinite(one.phi)
    ]
    labels = [record.label for record in audit.records]
    verdicts = [record.verdict for record in audit.records]
    names = legend(alt)
    names.labelLimit, names.columns = 320, 3
    colour = alt.Color(
        "label:N", scale=alt.Scale(domain=labels, range=[VERDICT_COLOURS[v] for v in verdicts]), legend=names
    )
    shape = alt.Shape(
        "label:N", scale=alt.Scale(domain=labels, range=[VERDICT_SHAPES[v] for v in verdicts]), legend=names
    )
    title = "Difference from everybody" + (" (points)" if audit.data.percent else "")
    x = alt.X("period:O", sort=order, title=told.name, axis=alt.Axis(labelAngle=0, labelOverlap=True))
    side = alt.XOffset("label:N", sort=labels)
    base = alt.Chart(alt.Data(values=values))
    zero = alt.Chart(alt.Data(values=[{"y": 0}])).mark_rule(strokeDash=[5, 4], color=INK).encode(y="y:Q")
    lines = base.mark_rule(strokeWidth=2, opacity=0.6).encode(
        x=x, xOffset=side, y=alt.Y("low:Q", title=title), y2="high:Q", color=colour
    )
    marks = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=x, xOffset=side, y=alt.Y("phi:Q", title=title), color=colour, shape=shape
    )
    paths = base.mark_line(strokeWidth=1.2, opacity=0.7, color=LINE_COLOUR).encode(
        x=x, xOffset=side, y=alt.Y("phi:Q", title=title), color=colour, detail="label:N"
    )
    return alt.layer(zero, lines, paths, marks).properties(width=width, height=height)
