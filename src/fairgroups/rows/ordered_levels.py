"""Levels of a category that have an order: bands such as "26-35", "65+" and "under 18", "never" to "always"."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

__all__ = ["are_bands", "band_of", "in_order", "made_a_date"]

_MONEY = r"(?:[€$£¥₹]|eur|usd|gbp|chf|inr|us\$)"
_NUMBER = rf"(?:{_MONEY}\s*)?([-−]?\d[\d,.' ]*)\s*(?:(k|m)(?![^\W\d_]))?\s*{_MONEY}?%?"
# A unit, or what is counted: any word but those that join numbers or open an end.
_UNIT = r"(?:\s*(?!(?:to|bis|or|and|und|et|e|y|en|och|og|until|plus|minus|à)\b)[^\W\d_]+(?:[ -](?:old|olds))?|\s*°\w?)?"
_FEWER = "under|below|less than|up to|fewer than|unter|bis|moins de|menos de|younger than|<=?|≤"
_MORE = "over|above|more than|from|ab|über|plus de|más de|older than|at least|>=?|≥"
_TO = r"(?:-|–|—|_|to|bis|à|until|and|und|et|\.\.)\s*(?:under|below|unter|<|moins de)?"
_BETWEEN = re.compile(rf"{_NUMBER}{_UNIT}\s*{_TO}\s*{_NUMBER}{_UNIT}")
_INTERVAL = re.compile(r"[\[(]\s*([-−]?(?:\d+(?:\.\d+)?|inf))\s*,\s*([-−]?(?:\d+(?:\.\d+)?|inf))\s*[\])]")
_BELOW = re.compile(
    rf"(?:{_FEWER})\s*{_NUMBER}{_UNIT}"
    rf"|{_NUMBER}{_UNIT}\s*(?:(?:or|and) (?:less|fewer|under|younger|below)|minus)"
)
_OR_MORE = (
    r"\+|plus|(?:or|and) (?:more|over|older|above|up)|et plus|y más|"
    "und mehr|und älter|och äldre|og eldre|en ouder|e oltre"
)
_ABOVE = re.compile(rf"(?:{_MORE})\s*{_NUMBER}{_UNIT}|{_NUMBER}{_UNIT}\s*(?:{_OR_MORE}){_UNIT}")
_DECADE = re.compile(r"(\d{1,3}0)s")
_FIRST = re.compile(r"^(?:aged?|ages|between|von|de|entre|alter|âge)\s+")
_SCALES = (  # levels that have an order, from the least on
    (
        "strongly disagree",
        "disagree",
        "somewhat disagree",
        "neither agree nor disagree",
        "neutral",
        "undecided",
        "somewhat agree",
        "agree",
        "strongly agree",
    ),
    (
        "very dissatisfied",
        "dissatisfied",
        "somewhat dissatisfied",
        "neither",
        "neutral",
        "somewhat satisfied",
        "satisfied",
        "very satisfied",
    ),
    (
        "never",
        "almost never",
        "hardly ever",
        "rarely",
        "seldom",
        "occasionally",
        "sometimes",
        "often",
        "frequently",
        "usually",
        "very often",
        "almost always",
        "always",
    ),
    ("very unlikely", "unlikely", "neutral", "likely", "very likely"),
    (
        "not at all important",
        "not important",
        "slightly important",
        "moderately important",
        "important",
        "very important",
        "extremely important",
    ),
    ("terrible", "very poor", "very bad", "poor", "bad", "fair", "average", "ok", "good", "very good", "excellent"),
    ("none", "very low", "low", "medium", "moderate", "high", "very high"),
    ("none", "minimal", "mild", "moderate", "severe", "very severe"),
    ("extra small", "xs", "small", "s", "medium", "m", "large", "l", "extra large", "xl"),
    ("trifft nicht zu", "trifft eher nicht zu", "teils/teils", "trifft eher zu", "trifft zu"),
    ("pas du tout d'accord", "plutôt pas d'accord", "plutôt d'accord", "tout à fait d'accord"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
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
    plain = " ".join(text.replace("&", " and ").casefold().split())
    plain = re.sub(r"\s*\([^()\d]*\)$", "", _FIRST.sub("", plain))  # as "18-24 (young)"
    if found := _BETWEEN.fullmatch(plain):
        low, high = _value(found[1], found[2] or found[4]), _value(found[3], found[4])
        return (low, high) if low <= high else None  # not so where a number is none
    if found := _INTERVAL.fullmatch(plain):  # as pandas.cut writes them
        low, high = (float(end.replace("−", "-")) for end in found.groups())
        return (low, high) if low < high else None
    if found := _DECADE.fullmatch(plain):
        return float(found[1]), float(found[1]) + 9
    for pattern, below in ((_ABOVE, False), (_BELOW, True)):
        if found := pattern.fullmatch(plain):
            number, unit = (found[1], found[2]) if found[1] else (found[3], found[4])
            value = _value(number, unit)
            if math.isnan(value):
                return None
            return (-math.inf, value) if below else (value, math.inf)
    return None


def _value(text: str, unit: str | None) -> float:
    digits = text.strip().rstrip(".,' ").replace("−", "-")
    if re.fullmatch(r"\d{1,3}([.,' ]\d{3})+", digits):
        digits = re.sub(r"[.,' ]", "", digits)
    digits = re.sub(r"[,' ](?=\d{3}(\D|$))", "", digits).replace(",", ".").replace(" ", "")
    try:
        number = float(digits)
    except ValueError:  # as 1.2.3
        return math.nan
    return number * {None: 1.0, "k": 1e3, "m": 1e6}[unit]


_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mrz|mai|okt|dez)"
_DATE = re.compile(rf"\d{{1,2}}[-. ]{_MONTH}[a-z]*\.?|{_MONTH}[a-z]*\.?[-. ]\d{{1,2}}", re.IGNORECASE)


def are_bands(levels: Iterable[str]) -> bool:
    """Whether all but one or two of some levels are bands, or numbers beside bands."""
    every = list(levels)
    bands = [band_of(level) for level in every]
    truly = [band for band in bands if band is not None]
    alone = [level for level, band in zip(every, bands, strict=True) if band is None and _alone(level) is not None]
    return len(truly) >= max(2, len(alone)) and len(truly) + len(alone) >= len(every) - 2


def made_a_date(levels: Iterable[str]) -> str | None:
    """Return a level that a spreadsheet has made a date of, as "25-Jan" of "1-25", where others are bands."""
    every = sorted(levels)
    damaged = [level for level in every if _DATE.fullmatch(level.strip())]
    return (
        damaged[0] if damaged and any(band_of(level) is not None for level in every if level not in damaged) else None
    )


def in_order(levels: Iterable[str]) -> tuple[str, ...]:
    """Return levels in the order of their bands, or of a scale that people answer on, or else of their letters.

    A number alone, as "18", is a band of itself where others are bands; what is none, as "unknown", comes last.
    """
    every = sorted(levels)
    if not are_bands(every):
        return _on_a_scale(every) or tuple(every)
    bands = {level: band_of(level) or _alone(level) for level in every}
    return tuple(sorted(every, key=lambda level: bands[level] or (math.inf, math.inf)))


def _alone(level: str) -> tuple[float, float] | None:
    found = re.fullmatch(r"\d+([.]\d+)?", level.strip())
    return (float(found[0]), float(found[0])) if found else None


def _on_a_scale(levels: list[str]) -> tuple[str, ...] | None:
    """Return levels in the order of a scale such as "never" to "always"; None where they are of none."""
    plain = {level: " ".join(level.casefold().replace("’", "'").split()) for level in levels}
    for scale in _SCALES:
        known = [level for level in levels if plain[level] in scale]
        if len(known) >= 3 and len(known) >= len(levels) - 1:
            place = {word: i for i, word in enumerate(scale)}
            return tuple(sorted(levels, key=lambda level: place.get(plain[level], len(scale))))
    return None
