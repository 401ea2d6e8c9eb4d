"""Pictures of several attributes: the plane as a heat map of rates with the groups' boxes over it.

A third attribute makes small multiples. Categories lie on an axis in the order of their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairgroups.charts.line import phi_chart
from fairgroups.charts.style import rate_colours
from fairgroups.evidence.curves import PlaneCell
from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Levels, Side
from fairgroups.words import sentence

if TYPE_CHECKING:
    import altair as alt

    from fairgroups.audits.records import Attribute
    from fairgroups.audits.result import Audit

__all__ = ["box_shapes", "plane_cells", "plane_chart", "plane_domain", "side_by_side"]

_INK = "#1d1d1f"


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

    attributes = audit.data.attributes
    boxes = alt.Data(values=box_shapes(audit.partition, attributes, part))
    names = [attribute.title for attribute in attributes]
    percent = audit.data.percent
    cells = [c for c in audit.plane if part is None or (c.z_low, c.z_high) == part]
    placed = plane_cells(attributes, cells)
    domains = [plane_domain(attribute) for attribute in attributes[:2]]
    x = alt.X(
        "x0:Q", scale=alt.Scale(domain=domains[0], nice=False, zero=False), axis=_axis(alt, attributes[0], names[0])
    )
    y = alt.Y(
        "y0:Q", scale=alt.Scale(domain=domains[1], nice=False, zero=False), axis=_axis(alt, attributes[1], names[1])
    )
    rates = [c["rate"] for c in placed] or [0.0]
    colour = alt.Color(
        "rate:Q",
        scale=alt.Scale(
            range=list(rate_colours(audit.measure.direction)),
            domain=[min(*rates, audit.overall), audit.overall, max(*rates, audit.overall)],
            interpolate="rgb",
        ),
        legend=alt.Legend(title=sentence(audit.measure.rate), **({"format": ".0%"} if percent else {}))
        if legend
        else None,
    )
    heat = (
        alt.Chart(alt.Data(values=placed)).mark_rect(opacity=0.9).encode(x=x, x2="x1:Q", y=y, y2="y1:Q", color=colour)
    )
    outline = (
        alt.Chart(boxes).mark_rect(fillOpacity=0, stroke=_INK, strokeWidth=2.5).encode(x=x, x2="x1:Q", y=y, y2="y1:Q")
    )
    words = alt.Chart(boxes).encode(x=alt.X("xm:Q"), y=alt.Y("ym:Q"), text="number:N")
    halo = words.mark_text(fontSize=17, fontWeight="bold", stroke="white", strokeWidth=4, strokeJoin="round")
    number = words.mark_text(fontSize=17, fontWeight="bold", color=_INK)
    layers = [heat, outline, halo, number]
    for d, attribute in enumerate(attributes[:2]):
        if attribute.levels is not None:
            layers.append(_level_names(alt, attribute.levels, d))
    title = "" if part is None else _slice_title(names[2], part)
    return alt.layer(*layers).properties(width=width, height=height, title=title)


def _axis(alt: Any, attribute: Attribute, name: str) -> Any:
    if attribute.levels is not None:
        return alt.Axis(title=name, labels=False, ticks=False, grid=False, titlePadding=26)
    return alt.Axis(title=name, grid=False)


def _level_names(alt: Any, levels: Sequence[str], d: int) -> Any:
    values = [
        {"at": i + 0.5, "name": level if len(level) <= 14 else level[:13] + "…"} for i, level in enumerate(levels)
    ]
    base = alt.Chart(alt.Data(values=values))
    if d == 0:
        return base.mark_text(dy=12, baseline="top").encode(x="at:Q", y=alt.value("height"), text="name:N")
    return base.mark_text(dx=-10, angle=270, baseline="bottom").encode(y="at:Q", x=alt.value(0), text="name:N")


def plane_domain(attribute: Attribute) -> list[float]:
    """Return the range of an attribute that a picture shows; levels are one apart."""
    if attribute.levels is not None:
        return [0, len(attribute.levels)]
    low, high = attribute.shown
    room = 0.01 * (high - low) or 0.5
    return [low - room, high + room]


def plane_cells(attributes: Sequence[Attribute], cells: Sequence[PlaneCell]) -> list[dict[str, Any]]:
    """Place cells of the plane in a picture; those beyond it are left out."""
    placed = [{"rate": c.rate, "n": c.n, **_cell_corners(attributes, c)} for c in cells]
    return [c for c in placed if c["x0"] < c["x1"] and c["y0"] < c["y1"]]


def _cell_corners(attributes: Sequence[Attribute], cell: PlaneCell) -> dict[str, float]:
    out: dict[str, float] = {}
    for key, attribute in zip("xy", attributes, strict=False):
        low, high = getattr(cell, f"{key}_low"), getattr(cell, f"{key}_high")
        if attribute.levels is not None:
            at = attribute.levels.index(low)
            low, high = at, at + 1
        ends = plane_domain(attribute)
        out[f"{key}0"], out[f"{key}1"] = max(low, ends[0]), min(high, ends[1])
    return out


def box_shapes(
    partition: Partition, attributes: Sequence[Attribute], part: tuple[Any, Any] | None = None
) -> list[dict[str, Any]]:
    """List the boxes to draw: those that meet the slice, cut to the values seen; sets of levels in their runs."""
    out = []
    for k, box in [(k, box) for k, group in enumerate(partition.groups) for box in group]:
        if part is not None and not _meets(box[2], part):
            continue
        spans = [_spans(side, attribute) for side, attribute in zip(box[:2], attributes, strict=False)]
        for x0, x1 in spans[0]:
            for y0, y1 in spans[1]:
                middle = {"xm": (x0 + x1) / 2, "ym": (y0 + y1) / 2, "number": str(k + 1)}
                out.append({"x0": x0, "x1": x1, "y0": y0, "y1": y1, **middle})
    return out


def _meets(side: Side, part: tuple[Any, Any]) -> bool:
    if isinstance(side, Levels):
        return part[0] in side.names
    return bool(side.low < part[1] and part[0] < side.high)


def _spans(side: Side, attribute: Attribute) -> list[tuple[float, float]]:
    if isinstance(side, Levels):
        known = attribute.levels or ()
        at = sorted(known.index(name) for name in side.names if name in known)
        runs: list[tuple[float, float]] = []
        for i in at:
            if runs and runs[-1][1] == i:
                runs[-1] = (runs[-1][0], i + 1)
            else:
                runs.append((i, i + 1))
        return runs
    low, high = plane_domain(attribute)
    left, right = max(side.low, low), min(side.high, high)
    return [(left, right)] if left < right else []


def _slice_title(name: str, part: tuple[Any, Any]) -> str:
    low, high = part
    if isinstance(low, str):
        return f"{name} = {low}"
    return f"{name} from {low:.4g} to {high:.4g}".replace("-", "−")
