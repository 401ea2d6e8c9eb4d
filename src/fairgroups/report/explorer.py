"""The explorer of a page: what `explore` worked out, with its charts, ready to be put in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fairgroups.audits.explore import explore
from fairgroups.charts.line import VERDICT_COLOURS, VERDICT_SHAPES, shown_range
from fairgroups.charts.plane import box_shapes, plane_cells, plane_domain
from fairgroups.words import attributes

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit
    from fairgroups.partition.partition import Partition

__all__ = ["explorer_data"]

KEYS = ("label", "n", "counted", "rate", "rate_low", "rate_high", "phi", "low", "high", "verdict", "usual", "parts")


def explorer_data(audit: Audit, scales: Mapping[str, Partition] | None, digits: int) -> dict[str, Any] | None:
    """Give all that the explorer's script needs; None for more than two attributes, which are not drawn so."""
    described = audit.data["attributes"]
    if len(described) > 2:
        return None
    found = explore(audit, scales)
    if not found["measures"]:
        return None
    for measure in found["measures"]:
        for one in (one for method in measure["methods"] for one in method["sets"]):
            one["groups"] = [[group[key] for key in KEYS] for group in one["groups"]]
        if len(described) == 2:
            measure["cells"] = plane_cells(described, measure["curve"])
            for one, partition in zip(measure["methods"][0]["sets"], measure.pop("partitions"), strict=True):
                one["boxes"] = box_shapes(partition, described)
    return found | {
        "keys": KEYS,
        "digits": digits,
        "name": attributes(audit.settings),
        "level": f"{100 * audit.settings['level']:g} %",
        "given": bool(audit.settings["groups_given"]),
        "shown": list(shown_range(described[0])) if len(described) == 1 else [],
        "axes": [{"name": one["name"], "domain": plane_domain(one), "levels": one.get("levels")} for one in described],
        "colours": VERDICT_COLOURS,
        "shapes": VERDICT_SHAPES,
    }
