"""Bands written as text, such as "26-35", "65+" and "under 18": levels of a category that have an order."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

__all__ = ["are_bands", "band_of", "in_order"]

_NUMBER = r"[€$£¥]?\s*(\d[\d,.' ]*)\s*(k|m)?\s*[€$£¥%]?"
_UNIT = r"(?:\s*(?:years?|yrs?|yo|jahre|ans|år|años|anni|jaar|lat|years old))?"
_BETWEEN = re.compile(rf"{_NUMBER}\s*(?:-|–|—|to|bis|à|until|\.\.)\s*{_NUMBER}{_UNIT}")
_BELOW = re.compile(
    rf"(?:under|below|less than|up to|unter|bis|moins de|menos de|younger than|<=?|≤)\s*{_NUMBER}{_UNIT}"
    rf"|{_NUMBER}{_UNIT}\s*(?:or less|or under|or younger|and under|and younger|and below|or below|minus)"
)
_OR_MORE = (
    *(
        "\\+",
        "plus",
        "or more",
        "or over",
        "or older",
        "and over",
        "and older",
        "and above",
        "or above",
        "et plus",
        "y más",
    ),
    *("und mehr", "und älter", "och äldre", "og eldre", "en ouder", "e oltre"),
)
_ABOVE = re.compile(
    rf"(?:over|above|more than|from|ab|über|plus de|más de|older than|at least|>=?|≥)\s*{_NUMBER}{_UNIT}"
    rf"|{_NUMBER}{_UNIT}\s*(?:{'|'.join(_OR_MORE)})"
)


def band_of(text: str) -> tuple[float, float] | None:
    """Return the ends of a band, one of them perhaps infinite; None where the text is none.

    Parameters
    ----------
    text : str
        As "26-35", "under 18", "65+", "$10,000 to $19,999".

    Returns
    -------
    pair of float, or None
    """
    plain = " ".join(text.strip().casefold().split())
    if found := _BETWEEN.fullmatch(plain):
        low, high = _value(found[1], found[2] or found[4]), _value(found[3], found[4])
        return (low, high) if low <= high else None  # not so where a number is none
    for pattern, below in ((_ABOVE, False), (_BELOW, True)):
        if found := pattern.fullmatch(plain):
            number, unit = (found[1], found[2]) if found[1] else (found[3], found[4])
            value = _value(number, unit)
            if math.isnan(value):
                return None
            return (-math.inf, value) if below else (value, math.inf)
    return None


def _value(text: str, unit: str | None) -> float:
    digits = text.strip().rstrip(".,' ")
    if re.fullmatch(r"\d{1,3}([.,' ]\d{3})+", digits):
        digits = re.sub(r"[.,' ]", "", digits)
    digits = re.sub(r"[,' ](?=\d{3}(\D|$))", "", digits).replace(",", ".").replace(" ", "")
    try:
        number = float(digits)
    except ValueError:  # as 1.2.3
        return math.nan
    return number * {None: 1.0, "k": 1e3, "m": 1e6}[unit]


def are_bands(levels: Iterable[str]) -> bool:
    """Whether all but one or two of some levels are bands, or numbers beside bands."""
    every = list(levels)
    bands = [band_of(level) for level in every]
    truly = [band for band in bands if band is not None]
    alone = [level for level, band in zip(every, bands, strict=True) if band is None and _alone(level) is not None]
    return len(truly) >= max(2, len(alone)) and len(truly) + len(alone) >= len(every) - 2


def in_order(levels: Iterable[str]) -> tuple[str, ...]:
    """Return levels in the order of their bands, where they are bands, or else of their letters.

    A number alone, as "18", is a band of itself where others are bands; what is none, as "unknown", comes last.
    """
    every = sorted(levels)
    if not are_bands(every):
        return tuple(every)
    bands = {level: band_of(level) or _alone(level) for level in every}
    return tuple(sorted(every, key=lambda level: bands[level] or (math.inf, math.inf)))


def _alone(level: str) -> tuple[float, float] | None:
    found = re.fullmatch(r"\d+([.]\d+)?", level.strip())
    return (float(found[0]), float(found[0])) if found else None
