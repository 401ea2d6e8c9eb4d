"""Sides: what a box holds of one attribute, a range of numbers or some levels of a category."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any

__all__ = ["Box", "Interval", "Levels", "Numbers", "Side", "shortest", "side_from_dict"]

MANY = 3  # levels, which are rather said by those that they are not
EMPTY = "(empty)"  # how a level without a name is written
EXACT = 17  # digits that tell any two numbers apart
MEASURED = 13  # signs of a number as somebody wrote it; computed ones have more, and are rounded
Numbers = bool | tuple[float, float]  # of an attribute: whether they are whole, or the only two that it has


@dataclass(frozen=True, order=True)
class Interval:
    """A range of values, with the side that each end belongs to.

    Examples
    --------
    >>> from fairgroups import Interval
    >>> Interval(25, 45).describe("age")
    '25 ≤ age < 45'
    """

    low: float = -math.inf
    high: float = math.inf
    low_closed: bool = True
    high_closed: bool = False

    def __post_init__(self) -> None:
        if self.low == -math.inf:
            object.__setattr__(self, "low_closed", False)
        if self.high == math.inf:
            object.__setattr__(self, "high_closed", False)

    @property
    def start(self) -> tuple[float, int]:
        """Where the range begins, on a line on which every number x is two places: at x, and right after it."""
        return (self.low, 0 if self.low_closed else 1)

    @property
    def stop(self) -> tuple[float, int]:
        """The first such place beyond the range."""
        return (self.high, 1 if self.high_closed else 0)

    @property
    def ends(self) -> tuple[float, ...]:
        """The ends that are not open."""
        return tuple(x for x in (self.low, self.high) if math.isfinite(x))

    def to_dict(self) -> dict[str, Any]:
        """Return the range as plain data; an open end is None."""
        return {
            "low": self.low if math.isfinite(self.low) else None,
            "high": self.high if math.isfinite(self.high) else None,
            "low_closed": self.low_closed,
            "high_closed": self.high_closed,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Interval:
        """Build a range from what `to_dict` returned."""
        return cls(
            -math.inf if data["low"] is None else float(data["low"]),
            math.inf if data["high"] is None else float(data["high"]),
            bool(data["low_closed"]),
            bool(data["high_closed"]),
        )

    def only(self, numbers: Numbers) -> float | None:
        """Return the one value in the range, of an attribute that has two only: below 1, of 0 and 1, is 0."""
        held = [x for x in numbers if self.start <= (x, 0) < self.stop] if isinstance(numbers, tuple) else []
        return held[0] if len(held) == 1 else None

    def describe(self, name: str, number: Callable[[float], str] = "{:g}".format) -> str:
        """Write the range as a person reads it: ``27 ≤ age < 41``."""
        below, above = ("≤" if self.low_closed else "<"), ("≤" if self.high_closed else "<")
        if self.low == -math.inf and self.high == math.inf:
            return f"all {name}"
        if self.low == -math.inf:
            return f"{name} {above} {number(self.high)}"
        if self.high == math.inf:
            return f"{name} {'≥' if self.low_closed else '>'} {number(self.low)}"
        return f"{number(self.low)} {below} {name} {above} {number(self.high)}"

    def said(
        self, number: Callable[[float], str] = "{:g}".format, *, whole: Numbers = False, among: Collection[str] = ()
    ) -> str:
        """Write the range as it is said after a name: ``under 27``, ``27 to 40`` of whole numbers, ``41 or over``."""
        del among
        if (one := self.only(whole)) is not None:
            return number(one)
        if self.high == math.inf:
            if self.low == -math.inf:
                return "anything"
            return f"{number(self.low)} or over" if self.low_closed else f"over {number(self.low)}"
        if self.low == -math.inf:
            return f"{'up to' if self.high_closed else 'under'} {number(self.high)}"
        if whole and self.low == int(self.low) and self.high == int(self.high):
            first, last = self.low + (not self.low_closed), self.high - (not self.high_closed)
            return number(first) if first >= last else f"{number(first)} to {number(last)}"
        begin = "" if self.low_closed else "over "
        end = "" if self.high_closed else "under "
        return f"{begin}{number(self.low)} to {end}{number(self.high)}"


@dataclass(frozen=True, order=True)
class Levels:
    """Some levels of a category.

    Examples
    --------
    >>> from fairgroups import Levels
    >>> Levels(("Female",)).describe("sex")
    'sex = Female'
    """

    names: tuple[str, ...]

    @property
    def ends(self) -> tuple[float, ...]:
        """Levels have no ends."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Return the levels as plain data."""
        return {"levels": list(self.names)}

    def describe(self, name: str, _: Any = None) -> str:
        """Write the set as a person reads it: ``sex = Female``."""
        names = [level if level.strip() else EMPTY for level in self.names]
        return f"{name} = {names[0]}" if len(names) == 1 else f"{name} in {{{', '.join(names)}}}"

    def only(self, _: Any) -> None:
        """Levels are no numbers."""

    def said(self, _: Any = None, *, whole: Numbers = False, among: Collection[str] = ()) -> str:
        """Write the levels as they are said after a name: ``Asian, Black or Other``; of most levels, ``not White``."""
        del whole
        names, others = (
            [_readable(name) for name in self.names],
            [_readable(name) for name in among if name not in self.names],
        )
        if len(self.names) >= MANY and 0 < len(others) <= min(2, len(self.names) - 1):
            return f"not {others[0]}" if len(others) == 1 else f"neither {others[0]} nor {others[1]}"
        return " or ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _readable(level: str) -> str:
    """Write a level so that a list of them is read as it is meant."""
    if not level.strip():
        return EMPTY
    return f"“{level}”" if "," in level or "or" in level.split() else level


Side = Interval | Levels
Box = tuple[Side, ...]


def side_from_dict(data: Mapping[str, Any]) -> Side:
    """Build a side from what its `to_dict` returned."""
    if "levels" in data:
        return Levels(tuple(str(name) for name in data["levels"]))
    return Interval.from_dict(data)


def shortest(borders: Sequence[float], values: Any = None) -> Callable[[float], str]:
    """Choose how to write borders: exactly where they are short, else with six digits or as many as tell them apart.

    Of known values, in rising order, with as many as leave each of them on its side.
    """
    digits = next((d for d in range(6, 18) if len({f"{x:.{d}g}" for x in borders}) == len(set(borders))), 17)

    def number(x: float) -> str:
        if x == int(x) and abs(x) < 1e15:
            text = str(int(x))
        elif len(repr(abs(x))) <= MEASURED:
            text = repr(x)
        else:
            least = max(digits, len(str(int(abs(x)))))
            while values is not None and least < EXACT and _parts(values, float(_below(x, least)), x):
                least += 1
            text = _below(x, least)
        return text.replace("-", "−") if abs(x) < 1e15 and "e" not in text else text

    return number


def _parts(values: Any, written: float, border: float) -> bool:
    """Whether some value lies between a border and what is written for it."""
    return bisect_left(values, written) != bisect_left(values, border)


def _below(x: float, digits: int) -> str:
    """Write a border with so many digits, rounded down: who has that very value is on its upper side."""
    text = f"{x:.{digits}g}"
    if float(text) <= x:
        return text
    exact = Decimal(x)
    return f"{exact.quantize(Decimal((0, (1,), exact.adjusted() - digits + 1)), ROUND_FLOOR):.{digits}g}"
