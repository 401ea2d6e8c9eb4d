"""Numbers and names as people write them: percentages, points, minus signs, many digits in threes."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = [
    "amount",
    "clean",
    "compared",
    "counted",
    "how_many",
    "listed",
    "p_value",
    "plain_points",
    "points",
    "ratio_said",
    "sentence",
    "share_of_people",
    "short_names",
    "size",
    "thousands",
]


LONGEST_NAME, FIRST_PART = 60, 20  # letters of a name, and of its beginning where the end is told as well
NOTHING = 1e-6  # a difference of rates that is none
SMALL = 1e-9  # what is smaller is written with an exponent
SHARES = (("a tenth", 0.09, 0.11), ("a quarter", 0.2, 0.3), ("a third", 0.3, 0.37), ("half", 0.45, 0.55))


def amount(value: float | None, *, percent: bool) -> str:
    """Write a rate as a percentage, or another value with about three digits."""
    if value is None or math.isnan(value):
        return "–"
    return _minus(f"{100 * value:.1f}%" if percent else _digits(value))


def points(value: float | None, *, percent: bool) -> str:
    """Write a signed difference, in percentage points where it is one of rates; one that is not 0 never reads as 0."""
    if value is None or math.isnan(value):
        return "–"
    text = f"{100 * abs(value):.1f}" if percent else _digits(abs(value))
    if percent and abs(value) > NOTHING and float(text) == 0:
        text = f"{100 * abs(value):.1g}"
    nothing = not math.isinf(value) and float(text.replace(",", "")) == 0
    return text if nothing else ("−" if value < 0 else "+") + _minus(text)


def size(value: float, *, percent: bool) -> str:
    """Write a difference without its sign, with its unit."""
    return points(abs(value), percent=percent).lstrip("+") + (" points" if percent else "")


def plain_points(value: float, *, percent: bool) -> str:
    """Write a difference without its sign and its unit."""
    return points(value, percent=percent).lstrip("+")


def compared(value: float, low: float, high: float, *, percent: bool, alone: bool) -> tuple[str, str]:
    """Write a difference and its interval; dashes for a group that nothing is compared with."""
    if alone:
        return "–", "–"
    ends = [points(end, percent=percent) for end in (low, high)]
    return points(value, percent=percent), " to ".join(ends)


def p_value(value: float, least: float = 0.0) -> str:
    """Write a p-value; at the least that its test can give it is an upper bound."""
    if value < 0.001:
        return "p < 0.001"
    return f"p {'≤' if value <= least * (1 + 1e-9) else '='} {value:.2g}"


def share_of_people(share: float) -> str:
    """Write a share in words."""
    for words, low, high in SHARES:
        if low <= share <= high:
            return words
    return f"{100 * share:.0f}%"


def counted(n: int, effective: float, *, weighted: bool = False) -> str:
    """Write how many people a rate rests on: all of the group, or those who count in the measure.

    With weights or clusters `effective` is how many equal, unrelated people would tell as much.
    """
    people = f"{n:,}"
    if math.isclose(effective, n, rel_tol=1e-9):
        return people
    return f"{people} (as {thousands(effective)})" if weighted else f"{thousands(effective)} of {people}"


def ratio_said(value: float, low: float, high: float) -> str:
    """Write a ratio with its interval; a dash where there is none."""
    if not math.isfinite(value):
        return "–"
    if low == high == 1:
        return f"{value:.2f}"
    ends = [f"{end:.2f}" if end < 100 else "∞" for end in (low, high)]
    return f"{value:.2f} ({ends[0]}–{ends[1]})"


def listed(names: Sequence[str]) -> str:
    """Write names as a list is said: "age, race and sex"."""
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part) if names else ""


def thousands(number: float) -> str:
    """Write a count with commas between thousands."""
    return f"{number:,.0f}"


def how_many(number: float, noun: str) -> str:
    """Write a count with its noun: 1 row, 2,000 rows."""
    return f"{thousands(number)} {noun}{'' if round(number) == 1 else 's'}"


def sentence(text: str) -> str:
    """Begin with a capital."""
    return text[:1].upper() + text[1:]


def short_names(names: Iterable[str | None]) -> dict[str, str]:
    """Map names that are too long to be read to shorter ones, no two of which are the same; the longest first.

    The beginning is kept where it tells them apart, else the end as well.
    """
    known = sorted({name for name in names if name}, key=lambda name: (-len(name), name))
    long = [name for name in known if len(name) > LONGEST_NAME]
    short = {name: name[: LONGEST_NAME - 1] + "…" for name in long}
    taken = Counter(short.values())
    for name in long:
        if taken[short[name]] > 1:
            short[name] = f"{name[:FIRST_PART]}…{name[-(LONGEST_NAME - FIRST_PART - 1) :]}"
    taken, seen = Counter(short.values()), Counter[str]()
    for name in long:
        if taken[short[name]] > 1:
            seen[short[name]] += 1
            short[name] = f"{short[name]} ({seen[short[name]]})"
    return short


def clean(value: Any) -> Any:
    """Replace control characters, which a renderer cannot draw and some of which turn text round; NaN becomes None."""
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return "".join(letter if _can_be_shown(letter) else " " if letter in "\r\n\t" else "\ufffd" for letter in value)
    return value


def _can_be_shown(letter: str) -> bool:
    joins = letter in "\u200c\u200d"  # parts of one letter or emoji
    return letter.isprintable() or joins or unicodedata.category(letter) == "Zs"


def _digits(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    text = f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"
    if "e" in text and abs(value) >= SMALL:  # 0.0000459 and not 4.59e-05
        text = f"{float(text):.12f}".rstrip("0")
    return text


def _minus(text: str) -> str:
    return text.replace("-", "−")
