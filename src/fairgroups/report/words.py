"""The finding in plain words, and numbers as people write them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from fairgroups.measures import Measure

__all__ = ["amount", "attributes", "conclude", "counted", "points", "size"]


def amount(value: float | None, *, percent: bool) -> str:
    """Write a rate as a percentage, or another value with about three digits."""
    if value is None or math.isnan(value):
        return "–"
    return _minus(f"{100 * value:.1f} %" if percent else _digits(value))


def points(value: float | None, *, percent: bool) -> str:
    """Write a signed difference, in percentage points where it is one of rates."""
    if value is None or math.isnan(value):
        return "–"
    text = f"{100 * abs(value):.1f}" if percent else _digits(abs(value))
    nothing = not math.isinf(value) and float(text.replace(",", "")) == 0
    return text if nothing else ("−" if value < 0 else "+") + text


def size(value: float, *, percent: bool) -> str:
    """Write a difference without its sign, with its unit."""
    return points(abs(value), percent=percent).lstrip("+") + (" points" if percent else "")


def counted(record: Mapping[str, Any]) -> str:
    """Write how many people a rate rests on: all of the group, or those who count in the measure."""
    people = f"{record['n']:,}"
    if math.isclose(record["counted"], record["n"], rel_tol=1e-9):
        return people
    return f"{record['counted']:,.0f} of {people}"


def attributes(settings: Mapping[str, Any]) -> str:
    """Name the sensitive attributes."""
    names = settings["sensitive"]
    return str(names) if isinstance(names, str) else " and ".join(names)


def conclude(records: list[dict[str, Any]], measure: Measure, level: float, *, percent: bool) -> str:
    """Say who is shown to be treated differently, by how much and how surely."""
    if len(records) == 1:
        return "All rows are in one group, so no groups were compared."
    by_verdict: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        by_verdict.setdefault(record["verdict"], []).append(record)
    unclear = by_verdict.get("not enough evidence", [])
    neutral = by_verdict.get("below", []) + by_verdict.get("above", [])
    named = by_verdict.get("disadvantaged", []) or by_verdict.get("advantaged", []) or neutral
    if not named:
        return f"No group is shown to be treated differently. {_open_question(unclear, records)}".strip()
    worst = max(named, key=lambda r: abs(r["phi"]))
    low, high = sorted((abs(worst["low"]), abs(worst["high"])))
    ends = [points(x, percent=percent).lstrip("+") for x in (low, high)]
    said = (
        f"Those with {worst['label']}: {measure.rate} {amount(worst['rate'], percent=percent)}, "
        f"{size(worst['phi'], percent=percent)} {'below' if worst['phi'] < 0 else 'above'} everybody's "
        f"({100 * level:g} % interval {ends[0]} to {ends[1]})"
    )
    said += "." if worst in neutral else f": {worst['verdict']}."
    for verdict in ("disadvantaged", "below", "above"):
        others = [r["label"] for r in by_verdict.get(verdict, []) if r is not worst]
        if others:
            said += f" Also {verdict}: {'; '.join(others)}."
    return f"{said} {_open_question(unclear, records)}".strip()


def _open_question(unclear: list[dict[str, Any]], records: list[dict[str, Any]]) -> str:
    if not unclear:
        return ""
    if len(unclear) == len(records):
        return "The data is not enough to judge any of the groups."
    return f"For {len(unclear)} of {len(records)} groups the data is not enough to judge."


def _digits(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


def _minus(text: str) -> str:
    return text.replace("-", "−")
