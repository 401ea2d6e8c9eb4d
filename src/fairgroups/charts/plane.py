"""Pictures of several attributes: the plane as a heat map of rates with the groups' boxes over it.

A third attribute makes small multiples. Categories lie on an axis in the order of their names.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import accumulate
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from fairgroups.charts.line import phi_chart
from fairgroups.charts.plane_axes import PlaneAxis, plane_axes
from fairgroups.charts.style import rate_colours
from fairgroups.evidence.plane import PlaneCell
from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Levels, Side
from fairgroups.words import amount, sentence

if TYPE_CHECKING:
    import altair as alt

    from fairgroups.audits.result import Audit

__all__ = ["box_shapes", "leaves_out", "plane_cells", "plane_chart", "side_by_side"]

_INK = "#1d1d1f"
HATCHES = 40  # lines across half of the map
LEGEND = 10  # letters of a line above the scale of colours


def plane_chart(audit: Audit, *, width: int = 420, height: int = 340) -> alt.HConcatChart:
    """Draw the rate over the first two attributes and the groups' boxes, numbered as in the table."""
    import altair as alt

    slices = _slices(audit)
    if len(slices) > 1:
        width, height = max(200, 760 // len(slices)), 260
    legend = [True, *([False] * (len(slices) - 1))]
    charts = [_plane(audit, s, width, height, legend=on) for s, on in zip(slices, legend, strict=True)]
    return alt.hconcat(*charts)


def side_by_side(first: Audit, second: Audit, titles: tuple[str, str] = ("First", "Second")) -> alt.VConcatChart:
    """Draw two partitions of the same plane, each with its Φ and intervals beside it, as the paper does."""
    import altair as alt

    rows = []
    for audit, title in zip((first, second), titles, strict=True):
        plane = plane_chart(audit, width=320, height=260).properties(title=title)
        rows.append(
            alt.hconcat(plane, phi_chart(audit, width=320)).resolve_scale(color="independent", shape="independent")
        )
    return alt.vconcat(*rows).resolve_scale(color="independent", shape="independent")


def _slices(audit: Audit) -> list[tuple[Any, Any] | None]:
    """List the stretches or levels of a third attribute that the picture shows side by side."""
    found = {(cell.z_low, cell.z_high): None for cell in audit.plane if cell.z_low is not None}
    slices: list[tuple[Any, Any] | None] = [*sorted(found)]
    return slices or [None]


def _plane(audit: Audit, part: tuple[Any, Any] | None, width: int, height: int, *, legend: bool) -> Any:
    import altair as alt

    axes = plane_axes(audit.data.attributes, audit.plane)
    boxes = alt.Data(values=box_shapes(audit.partition, axes, part))
    percent = audit.data.percent
    placed = plane_cells(axes, [c for c in audit.plane if part is None or (c.z_low, c.z_high) == part])
    x = alt.X("x0:Q", scale=_scale(alt, axes[0]), axis=_axis(alt, axes[0], -30))
    y = alt.Y("y0:Q", scale=_scale(alt, axes[1]), axis=_axis(alt, axes[1], 0))
    low, high = _usual_rates(placed, audit.overall)
    colour = alt.Color(
        "rate:Q",
        scale=alt.Scale(
            range=list(rate_colours(audit.measure.direction)),
            domain=[low, audit.overall, high],
            interpolate="rgb",
            clamp=True,
        ),
        legend=alt.Legend(title=wrap(sentence(audit.measure.rate), LEGEND), **({"format": ".0%"} if percent else {}))
        if legend
        else None,
    )
    hatched = _hatched(alt, axes, placed)
    heat = (
        alt.Chart(alt.Data(values=placed))
        .mark_rect(stroke="white", strokeWidth=0.4)
        .encode(x=x, x2="x1:Q", y=y, y2="y1:Q", color=colour)
    )
    outline = (
        alt.Chart(boxes).mark_rect(fillOpacity=0, stroke=_INK, strokeWidth=2.5).encode(x=x, x2="x1:Q", y=y, y2="y1:Q")
    )
    words = alt.Chart(boxes).encode(x=alt.X("xm:Q"), y=alt.Y("ym:Q"), text="number:N")
    halo = words.mark_text(fontSize=17, fontWeight="bold", stroke="white", strokeWidth=4, strokeJoin="round")
    number = words.mark_text(fontSize=17, fontWeight="bold", color=_INK)
    title = "" if part is None else _slice_title(audit.data.attributes[2].title, part)
    return alt.layer(*hatched, heat, outline, halo, number).properties(width=width, height=height, title=title)


def leaves_out(audit: Audit) -> bool:
    """Whether the map has places that are not shown, as they would tell of few people."""
    axes = plane_axes(audit.data.attributes, audit.plane)
    parts = _slices(audit)
    return any(
        _is_open(axes, plane_cells(axes, [c for c in audit.plane if part is None or (c.z_low, c.z_high) == part]))
        for part in parts
    )


def _is_open(axes: Sequence[PlaneAxis], placed: Sequence[dict[str, Any]]) -> bool:
    covered = sum((c["x1"] - c["x0"]) * (c["y1"] - c["y0"]) for c in placed)
    return bool(covered < (1 - 1e-6) * axes[0].length * axes[1].length)


def _hatched(alt: Any, axes: Sequence[PlaneAxis], placed: Sequence[dict[str, Any]]) -> list[Any]:
    """Return lines across the map, to be seen where no cell lies over them: white may be taken for a rate."""
    if not _is_open(axes, placed):
        return []
    lines = [
        {
            "x0": max(0.0, t) * axes[0].length,
            "x1": min(1.0, 1 + t) * axes[0].length,
            "y0": max(0.0, -t) * axes[1].length,
            "y1": min(1.0, 1 - t) * axes[1].length,
        }
        for t in (k / HATCHES for k in range(1 - HATCHES, HATCHES))
    ]
    drawn = alt.Chart(alt.Data(values=lines)).mark_rule(color="#c4c4c4", strokeWidth=0.8)
    return [drawn.encode(x="x0:Q", x2="x1:Q", y="y0:Q", y2="y1:Q")]


def _usual_rates(cells: Sequence[dict[str, Any]], overall: float) -> tuple[float, float]:
    """Return the rates between which all but a few people lie: small cells, which scatter, decide no colours."""
    if not cells:
        return overall, overall
    order = sorted(cells, key=lambda c: c["rate"])
    below = list(accumulate(c["n"] for c in order))
    ends = [
        next(c["rate"] for c, n in zip(order, below, strict=True) if n >= share * below[-1]) for share in (0.02, 0.98)
    ]
    return min(ends[0], overall), max(ends[1], overall)


def _scale(alt: Any, axis: PlaneAxis) -> Any:
    return alt.Scale(domain=[0, axis.length], nice=False, zero=False)


def _axis(alt: Any, axis: PlaneAxis, angle: int) -> Any:
    """Write the values at their places; the texts are data of the picture, escaped, and no part of its code."""
    places = [at for at, _ in axis.ticks]
    labels = json.dumps([label for _, label in axis.ticks])
    tilted = {"labelAngle": angle, "labelAlign": "right"} if angle and axis.levels is not None else {}
    expression = f"{labels}[indexof({json.dumps(places)}, datum.value)]"
    return alt.Axis(title=axis.title, grid=False, values=places, labelExpr=expression, labelLimit=130, **tilted)


def plane_cells(axes: Sequence[PlaneAxis], cells: Sequence[PlaneCell]) -> list[dict[str, Any]]:
    """Place cells of the plane in a picture."""
    out = []
    for c in cells:
        x0, x1 = axes[0].place(c.x_low), axes[0].place(c.x_high, end=True)
        y0, y1 = axes[1].place(c.y_low), axes[1].place(c.y_high, end=True)
        out.append({"rate": c.rate, "n": c.n, "x0": x0, "x1": x1, "y0": y0, "y1": y1})
    return out


def box_shapes(
    partition: Partition, axes: Sequence[PlaneAxis], part: tuple[Any, Any] | None = None
) -> list[dict[str, Any]]:
    """List the boxes to draw: those that meet the slice, cut to the values seen; sets of levels in their runs."""
    out = []
    for k, box in [(k, box) for k, group in enumerate(partition.groups) for box in group]:
        if part is not None and not _meets(box[2], part):
            continue
        for x0, x1 in axes[0].spans(box[0]):
            for y0, y1 in axes[1].spans(box[1]):
                middle = {"xm": (x0 + x1) / 2, "ym": (y0 + y1) / 2, "number": str(k + 1)}
                out.append({"x0": x0, "x1": x1, "y0": y0, "y1": y1, **middle})
    return out


def _meets(side: Side, part: tuple[Any, Any]) -> bool:
    if isinstance(side, Levels):
        return part[0] in side.names
    return bool(side.low < part[1] and part[0] < side.high)


def _slice_title(name: str, part: tuple[Any, Any]) -> str:
    low, high = part
    if isinstance(low, str):
        return f"{name} = {low}"
    return f"{name} from {amount(low, percent=False)} to {amount(high, percent=False)}"
