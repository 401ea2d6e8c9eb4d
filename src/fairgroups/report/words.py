"""The finding in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairgroups.measures import Measure

__all__ = ["amount", "attributes", "conclude", "points"]


def amount(value: float | None, *, percent: bool) -> str:
    """Write a rate as a percentage, or another value with three digits."""
    if value is None or value != value:  # noqa: PLR0124
        return "–"
    return f"{100 * value:.1f} %" if percent else f"{value:.3g}"


def points(value: float | None, *, percent: bool) -> str:
    """Write a signed difference, in percentage points where it is one of rates."""
    if value is None or value != value:  # noqa: PLR0124
        return "–"
    text = f"{100 * value:+.1f}" if percent else f"{value:+.3g}"
    return text.replace("-", "−")


def attributes(settings: Mapping[str, Any]) -> str:
    """Name the sensitive attributes."""
    names = settings["sensitive"]
    return str(names) if isinstance(names, str) else " and ".join(names)


def conclude(records: list[dict[str, Any]], measure: Measure, level: float, *, percent: bool) -> str:
    """Say who is shown to be treated differently, by how much and how surely."""
    harmed = [r for r in records if r["verdict"] in ("disadvantaged", "below")]
    helped = [r for r in records if r["verdict"] in ("advantaged", "above")]
    unclear = [r for r in records if r["verdict"] == "not enough evidence"]
    open_question = _open_question(unclear, records)
    if len(records) == 1:
        return "All rows are in one group, so no groups were compared."
    if not harmed and not helped:
        return f"No group is shown to be treated differently. {open_question}".strip()
    worst = max(harmed or helped, key=lambda r: abs(r["phi"]))
    side = "below" if worst["phi"] < 0 else "above"
    ends = sorted((abs(worst["low"]), abs(worst["high"])))
    unit = " points" if percent else ""
    scale = 100 if percent else 1
    size, low, high = (f"{scale * x:.1f}" if percent else f"{x:.3g}" for x in (abs(worst["phi"]), *ends))
    said = (
        f"{_people(worst['label'])}: {measure.rate} {amount(worst['rate'], percent=percent)}, {size}{unit} {side} "
        f"everybody's ({100 * level:g} % interval {low} to {high}): {worst['verdict']}."
    )
    others = [r for r in harmed if r is not worst]
    if others:
        said += f" Also {others[0]['verdict']}: {', '.join(r['label'] for r in others)}."
    return f"{said} {open_question}".strip()


def _people(label: str) -> str:
    return f"People with {label}"


def _open_question(unclear: list[dict[str, Any]], records: list[dict[str, Any]]) -> str:
    if not unclear:
        return ""
    if len(unclear) == len(records):
        return "The data is not enough to judge any of the groups."
    return f"For {len(unclear)} of {len(records)} groups the data is not enough to judge."
