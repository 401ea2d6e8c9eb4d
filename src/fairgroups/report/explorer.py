"""The explorer of a page: what an audit worked out for it, with colours and axes, ready to be put in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from fairgroups.charts.line import trend_ends
from fairgroups.charts.plane import box_shapes, plane_cells
from fairgroups.charts.plane_axes import PlaneAxis
from fairgroups.charts.style import VERDICT_COLOURS, VERDICT_SHAPES, rate_colours
from fairgroups.errors import SchemaError
from fairgroups.evidence.plane import PlaneCell
from fairgroups.measures import Direction
from fairgroups.partition.partition import Partition

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit, JointAudit

__all__ = ["explorer_data"]

KEYS = ("label", "n", "counted", "rate", "rate_low", "rate_high", "phi", "low", "high", "verdict", "usual", "parts")


def explorer_data(audit: Audit | JointAudit, digits: int) -> dict[str, Any] | None:
    """Return all that the explorer's script needs; None where nothing can be explored, as between 0 and 1."""
    if audit.explored is None or len(audit.data.attributes) > 2 or not audit.explored["measures"]:
        return None
    if audit.explored["kind"] == "line" and not audit.data.along:
        return None
    try:
        return _data(audit, digits)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise SchemaError(
            f"what was explored cannot be read: {type(error).__name__} {error}.", "make the audit again, and its JSON."
        ) from error


def _data(audit: Audit | JointAudit, digits: int) -> dict[str, Any]:
    attributes, settings = audit.data.attributes, audit.settings
    assert audit.explored is not None
    plane = audit.explored["kind"] == "plane"
    line = audit.data.along
    return {
        "kind": audit.explored["kind"],
        "measures": [_measure(one, audit, plane=plane) for one in audit.explored["measures"]],
        "level": settings.percent_level,
        "against": "rest" if settings.against == "rest" else "everyone",
        "whom": settings.whom,
        "unit": audit.data.unit,
        "keys": KEYS,
        "digits": digits,
        "name": audit.data.names,
        "given": settings.groups_given,
        "shown": list(attributes[0].shown) if line else [],
        "ends": [attributes[0].low, attributes[0].high] if line else [],
        "colours": VERDICT_COLOURS,
        "rateColours": {direction: rate_colours(direction) for direction in get_args(Direction)},
        "shapes": VERDICT_SHAPES,
        "trend": trend_ends(audit.parts[0]) if line and len(audit.parts) == 1 else [],
    }


def _measure(measure: dict[str, Any], audit: Audit | JointAudit, *, plane: bool) -> dict[str, Any]:
    methods = [
        {
            **method,
            "sets": [
                {**one, "groups": [[group[key] for key in KEYS] for group in one["groups"]]} for one in method["sets"]
            ],
        }
        for method in measure["methods"]
    ]
    if not plane:
        return {**measure, "methods": methods}
    # Of all places, also those where nothing is drawn: sums and strips are counted by them.
    ends = zip(audit.data.attributes, measure["ends"], strict=True)
    axes = [PlaneAxis(attribute.title, tuple(along), attribute.levels) for attribute, along in ends]
    for one, partition in zip(methods[0]["sets"], measure["partitions"], strict=True):
        one["boxes"] = box_shapes(Partition.from_dict(partition), axes)
    cells = plane_cells(axes, [PlaneCell(**cell) for cell in measure["curve"]])
    kept = {key: value for key, value in measure.items() if key not in ("partitions", "ends")}
    return {**kept, "methods": methods, "cells": cells, "axes": [_axis(axis) for axis in axes]}


def _axis(axis: PlaneAxis) -> dict[str, Any]:
    return {
        "name": axis.title,
        "domain": [0, axis.length],
        "ticks": axis.ticks,
        "levels": axis.levels,
        "ends": axis.ends,
    }
