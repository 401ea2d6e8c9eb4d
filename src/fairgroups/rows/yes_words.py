"""Yes and no, as offices write them in several languages."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

__all__ = ["likely_yes", "yes_among"]

YES = frozenset(
    word
    for words in (
        ("yes", "y", "true", "t", "1"),  # English, and programs
        ("ja", "j", "wahr", "oui", "o", "vrai", "sí", "si", "s", "verdadero", "sim", "verdadeiro", "sì", "vero"),
        ("sant", "tak", "prawda", "ano", "áno", "igen", "kyllä", "da", "да", "evet", "ναι", "نعم", "是", "はい", "예"),
        ("haan", "हाँ", "ya"),
    )
    for word in words
)
NO = frozenset(
    word
    for words in (
        ("no", "n", "false", "f", "0"),
        ("nein", "falsch", "nee", "nej", "nei", "non", "faux", "falso", "não", "nao", "falskt", "nie", "fałsz"),
        ("ne", "nem", "ei", "нет", "hayır", "hayir", "όχι", "لا", "否", "いいえ", "아니요", "nahin", "नहीं", "tidak"),
    )
    for word in words
)
LETTERS = ({"y", "n"}, {"j", "n"}, {"o", "n"}, {"s", "n"}, {"t", "f"}, {"1", "0"}, {"是", "否"})
GOOD = YES | {"positive", "approved", "accepted", "granted", "hired", "selected", "admitted", ">50k", "success"}


def yes_among(labels: Iterable[str]) -> set[str] | None:
    """Return the labels that mean yes; None where one means neither, or two mean the same.

    Parameters
    ----------
    labels : iterable of str
        As they are written; capitals and spaces around them do not matter.

    Returns
    -------
    set of str or None
    """
    every = list(labels)
    plain = [label.strip().casefold() for label in every]
    if not every or not all(label in YES or label in NO for label in plain):
        return None
    if len(set(plain)) > 1 and not (YES & set(plain) and NO & set(plain)):  # as "f" and "n", which may mean others
        return None
    letters = {word for word in plain if len(word) == 1 and word not in "01"}
    if len(letters) > 1 and not any(letters <= pair for pair in LETTERS):  # as "s" and "f", of two languages
        return None
    return {label for label, word in zip(every, plain, strict=True) if word in YES}


def likely_yes(labels: list[str], wanted: Any = None) -> str:
    """Return for a hint which label may mean yes: the one nearest to what was asked for, if anything was."""
    plain = {label.strip().casefold(): label for label in labels}
    if wanted is not None:
        asked = str(wanted).strip().casefold()
        same = [word for word in plain if asked in re.findall(r"\w+", word) or _number(word) == _number(asked) != ""]
        near = same or difflib.get_close_matches(asked, plain, n=1)
        if near:
            return plain[near[0]]
    good = [word for word in plain if word in GOOD or GOOD & set(re.findall(r"\w+", word))]
    return plain[good[0]] if len(good) == 1 or (good and good[0] in GOOD) else (labels[-1] if labels else "yes")


def _number(text: str) -> str:
    """Return a number as it is written at the shortest; nothing for what is none."""
    try:
        return f"{float(text):g}"
    except ValueError:
        return ""
