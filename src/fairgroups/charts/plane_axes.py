"""Axes of the plane on which people, not values, are spread evenly: each cell of the map is as wide as any other.

Incomes then lie where people are, not where dollars are; ticks say the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairgroups.evidence.plane import PlaneCell
from fairgroups.partition.sides import Levels, Side

if TYPE_CHECKING:
    from fairgroups.audits.records import Attribute

__all__ = ["PlaneAxis", "plane_axes"]

TICKS = 6


@dataclass(frozen=True)
class PlaneAxis:
    """One axis of the map: the ends of its cells, one apart from each other, or the levels of a category."""

    title: str
    ends: tuple[float, ...]
    levels: tuple[str, ...] | None = None

    @property
    def length(self) -> int:
        """How many cells there are along it."""
        return len(self.levels) if self.levels is not None else max(len(self.ends) - 1, 1)

    def place(self, value: float | str, *, end: bool = False) -> float:
        """Return where a value lies, or where a level begins, or ends."""
        if isinstance(value, str):
            return (self.levels or ()).index(value) + float(end)
        if len(self.ends) < 2:
            return float(end)
        return float(np.interp(value, self.ends, np.arange(len(self.ends))))

    def spans(self, side: Side) -> list[tuple[float, float]]:
        """Return where the side of a box lies; levels that are not neighbours make several."""
        if isinstance(side, Levels):
            known = self.levels or ()
            runs: list[tuple[float, float]] = []
            for at in sorted(known.index(name) for name in side.names if name in known):
                if runs and runs[-1][1] == at:
                    runs[-1] = (runs[-1][0], at + 1)
                else:
                    runs.append((at, at + 1))
            return runs
        left = 0.0 if side.low == -np.inf else self.place(side.low)
        right = float(self.length) if side.high == np.inf else self.place(side.high, end=True)
        return [(left, right)] if left < right else []

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Places and what to write there: round values near evenly spread places, or the levels."""
        if self.levels is not None:
            return [(i + 0.5, level) for i, level in enumerate(self.levels)]
        if len(self.ends) < 2:
            return [(0.5, _written(self.ends[0]))] if self.ends else []
        step = self.length / TICKS
        out: list[tuple[float, str]] = []
        for k in range(TICKS):
            wanted = (k + 0.5) * step
            value = float(np.interp(wanted, np.arange(len(self.ends)), self.ends))
            rounded = next((r for r in _rounded(value) if abs(self.place(r) - wanted) <= 0.25 * step), value)
            label = (self.place(rounded), _written(rounded))
            if not out or (label[0] > out[-1][0] and label[1] != out[-1][1]):
                out.append(label)
        return out


def plane_axes(attributes: Sequence[Attribute], cells: Sequence[PlaneCell]) -> list[PlaneAxis]:
    """Return the two axes of a map of some cells."""
    out = []
    for key, attribute in zip("xy", attributes, strict=False):
        ends = {getattr(cell, f"{key}_{end}") for cell in cells for end in ("low", "high")}
        numbers = sorted(x for x in ends if not isinstance(x, str))
        out.append(PlaneAxis(attribute.title, tuple(numbers), attribute.levels))
    return out


def _rounded(value: float) -> list[float]:
    """Return a value with one digit, with two, …."""
    return [float(f"{value:.{digits}g}") for digits in range(1, 7)]


def _written(value: float) -> str:
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"
    return text.replace("-", "−")
