"""Numbers and names as people write them: percentages, points, minus signs, many digits in threes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

__all__ = ["amount", "attributes", "counted", "points", "size"]


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


def _digits(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


def _minus(text: str) -> str:
    return text.replace("-", "−")
