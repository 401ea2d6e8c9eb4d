"""Texts of a column: whether they are numbers or dates, a few words among them aside, or only look like such."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.words import how_many, listed

__all__ = ["ReadTexts", "days_of", "form_of", "look_like", "plain_times", "read_texts"]

Array = NDArray[np.float64]
DAY = np.timedelta64(1, "D") / np.timedelta64(1, "us")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?")
_MONTH = r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*\.?"
SPOKEN_DATE = re.compile(
    rf"(\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}|\d{{1,2}}\.? {_MONTH},? \d{{2,4}}|{_MONTH} \d{{1,2}},? \d{{4}}|"
    r"\d{4}[-/]\d{1,2})([ T]\d{1,2}:\d{2}.*)?"
)
SPOKEN_NUMBER = re.compile(
    r"[<>≤≥(+\-−]*\s*([€$£¥]\s*)?[+\-−]?"
    r"(\d{1,3}([., '’\u00a0\u202f]\d{2,3})+([.,]\d*)?|\d*[.,]?\d+|\d+[.,])\s*[)%€$£¥-]?"
)
MANY = 20  # different numbers or dates among which a word is none of the levels
FEW_WORDS = 0.05  # of the different texts
SHARED = 10  # rows whose word may be told


@dataclass(frozen=True)
class ReadTexts:
    """Texts that are numbers or dates; NaN where one is not known."""

    kind: Literal["number", "date"]
    values: Array
    told: str = ""


def read_texts(items: Sequence[str | None]) -> ReadTexts | None:
    """Read texts as numbers or dates; None where they are neither.

    A few words among many different numbers or dates, such as "unknown", are taken as not known, and told.
    """
    texts = Counter(text.strip() for text in items if text is not None and text.strip())
    kinds: tuple[tuple[Literal["number", "date"], re.Pattern[str], Callable[[str], Any]], ...] = (
        ("date", ISO_DATE, _time_of),
        ("number", NUMBER, float),
    )
    for kind, form, read in kinds:
        matching = [text for text in texts if form.fullmatch(text)]
        words = [text for text in texts if not form.fullmatch(text)] if len(matching) < len(texts) else []
        if not matching or (words and not _are_stray(words, len(matching), texts)):
            continue
        if kind == "number" and len(texts) <= 2:
            return None  # 0 and 1 are levels
        known = {text: read(text) for text in matching}
        told = [_of_words(kind, words, texts)] if words else []
        if kind == "date":
            times, zones = plain_times([_known(known, x, None) for x in items])
            values = days_of(times)
            told += [zones] if zones else []
            absent = sum(n for text, n in texts.items() if text in known and known[text] is None)
            if absent:
                which = "that does not exist is" if absent == 1 else "that do not exist are"
                told.append(f"{how_many(absent, 'date')} {which} taken as not known.")
        else:
            values = np.array([_known(known, x, np.nan) for x in items], dtype=np.float64)
            values = np.where(np.isinf(values), np.nan, values)
        return ReadTexts(kind, values, " ".join(told))
    return None


def _known(known: dict[str, Any], text: str | None, absent: Any) -> Any:
    return absent if text is None else known.get(text.strip(), absent)


def _are_stray(words: Sequence[str], n_matching: int, texts: Counter[str]) -> bool:
    """Whether words, without digits, are few among many different numbers or dates that most rows hold."""
    if n_matching < MANY or len(words) > max(3, FEW_WORDS * n_matching):
        return False
    rows = sum(texts[word] for word in words)
    return 2 * rows < texts.total() and not any(letter.isdigit() for word in words for letter in word)


def _of_words(kind: str, words: Sequence[str], texts: Counter[str]) -> str:
    """Say which words are taken as not known; one that few rows hold may be somebody's."""
    rows = sum(texts[word] for word in words)
    shared = sorted(word for word in words if texts[word] >= SHARED)
    such = f", such as {listed([repr(word[:30]) for word in shared[:3]])}," if shared else ""
    holds, is_taken = ("holds a word", "it is") if rows == 1 else ("hold words", "they are")
    return f"{how_many(rows, 'row')} {holds}{such} where the others hold {kind}s: {is_taken} taken as not known."


def look_like(texts: Sequence[str]) -> str:
    """Return "numbers" or "dates" where nearly all texts look like such, written for people; else ""."""
    some = [text.strip() for text in texts[:1000]]
    for what, form in (("dates", SPOKEN_DATE), ("numbers", SPOKEN_NUMBER)):
        if sum(bool(form.fullmatch(text)) for text in some) >= 0.95 * len(some):
            return what
    return ""


def form_of(texts: Sequence[str]) -> str:
    """Return how one of the texts that are no plain numbers is written, without its digits: they may be somebody's."""
    odd = next((text for text in texts if not NUMBER.fullmatch(text.strip())), texts[0])
    return re.sub(r"\d", "9", odd.strip()[:30])


def plain_times(times: Sequence[Any]) -> tuple[NDArray[Any], str]:
    """Return dates and times without their zones, and what was done: as clocks showed them, or in UTC.

    Clocks of one place differ by an hour between summer and winter; others are of several places.
    """
    ahead = (x.utcoffset() for x in times if isinstance(x, dt.datetime))
    zones = {zone for zone in ahead if zone is not None}
    several = len(zones) > 1 and max(zones) - min(zones) > dt.timedelta(hours=1)

    def plain(x: Any) -> Any:
        if not isinstance(x, dt.datetime) or x.tzinfo is None:
            return "NaT" if x is None else x
        return (x.astimezone(dt.UTC) if several else x).replace(tzinfo=None)

    told = "Its times are of several zones, and told in UTC." if several else ""
    return np.array([plain(x) for x in times], dtype="datetime64[us]"), told


def _time_of(text: str) -> Any:
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:  # as 2024-02-31
        return None


def days_of(times: NDArray[Any]) -> Array:
    """Return times or spans as days, since 1970 or long; NaN where there is none."""
    units = times.astype(f"{times.dtype.kind}8[us]")
    out: Array = units.astype(np.int64) / DAY
    out[np.isnat(units)] = np.nan
    return out
