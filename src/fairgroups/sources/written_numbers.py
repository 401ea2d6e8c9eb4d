"""Numbers as people write them: "72,000", "€ 1.234,50", "34 years"; told apart by the whole column, never by guess.

A column of text is read as numbers where every value of it is one. Which mark stands for decimals follows from values
that can be read in one way only; where there are none, from the other columns of the file and from its delimiter; and
where these do not tell, the user is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairgroups.errors import InputError
from fairgroups.quoting import quoted, sql_text

__all__ = ["WrittenNumbers", "marks_of", "numbers_from_text", "unclear_dots"]

_MONEY = "[$€£¥₹]|US\\$|R\\$|USD|EUR|GBP|CHF|JPY|SEK|NOK|DKK|PLN|kr|zł|Kč|Ft"
_SPACES = "[ \u00a0\u2009\u202f]"
_SIGN = "[+\\-−]?"
_TAIL = f"{_SPACES}*(?:(?:{_MONEY})\\.?|%)?"
_HEAD = f"(?:{_SIGN}(?:(?:{_MONEY}){_SPACES}*)?|(?:{_MONEY}){_SPACES}*{_SIGN})"
# Each way to write a number, and what it says: which mark is for decimals ("" where it does not tell).
_PLAIN = "\\d+(?:[eE][+-]?\\d+)?"
_WAYS: dict[str, tuple[str, str]] = {
    "plain": (_PLAIN, ""),
    "dot": ("\\d*\\.\\d*(?:[eE][+-]?\\d+)?", "."),
    "dot or thousands": ("[1-9]\\d{0,2}\\.\\d{3}", ""),
    "comma": ("\\d*,\\d+", ","),
    "comma or thousands": ("[1-9]\\d{0,2},\\d{3}", ""),
    "thousands by comma": ("\\d{1,3}(?:,\\d{3}){2,}|\\d{1,3}(?:,\\d{3})+\\.\\d*", "."),
    "thousands by dot": ("\\d{1,3}(?:\\.\\d{3}){2,}|\\d{1,3}(?:\\.\\d{3})+,\\d*", ","),
    "thousands as in India": ("\\d{1,2}(?:,\\d{2})+,\\d{3}(?:\\.\\d*)?", "."),
    "apart": (f"\\d{{1,3}}(?:(?:{_SPACES}|['’])\\d{{3}})+", ""),
    "apart, dot": (f"\\d{{1,3}}(?:(?:{_SPACES}|['’])\\d{{3}})+\\.\\d+", "."),
    "apart, comma": (f"\\d{{1,3}}(?:(?:{_SPACES}|['’])\\d{{3}})+,\\d+", ","),
}
# How computers write them: told first, since most values are.
_USUAL = {"plain": "[0-9]+", "dot or thousands": "[1-9]\\d{0,2}\\.\\d{3}", "dot": "[+-]?\\d*\\.\\d*"}
# A unit is one word after all numbers of a column; a single letter stands apart.
_UNIT = "[+\\-−]?\\d[\\d.,'’]*(?:[ \u00a0]+\\p{L}|\\p{L}{2})[^\\d\\s]*"
_UNIT_ALONE = "(\\p{L}[^\\d\\s]*)$"
_AMBIGUOUS = {"dot or thousands", "comma or thousands"}
_AS_OFFICES_DO = "^\\(|−|-$"  # less than nothing: in brackets, with the long minus, or with one behind


@dataclass(frozen=True)
class WrittenNumbers:
    """How often each way of writing occurs in a column of text."""

    name: str
    n: int
    ways: dict[str, int]
    example: dict[str, str]
    money: tuple[str, ...]
    percent: int
    small: int  # plain numbers below 1000
    large: int  # plain numbers from 1000 on
    negative: int = 0  # values below 0 that are written as offices do
    unit: str = ""

    @property
    def text(self) -> str:
        """SQL for the values, without spaces around them and without their unit."""
        return _without_unit(self.name, self.unit)

    @property
    def is_numbers(self) -> bool:
        """Whether every value is a number in one of the ways."""
        return self.n > 0 and sum(self.ways.values()) == self.n

    @property
    def odd(self) -> bool:
        """Whether a value is written in another way than computers do."""
        return bool(
            self.unit
            or self.money
            or self.percent
            or self.negative
            or any(self.ways[way] for way in _WAYS if way not in ("plain", "dot"))
        )

    def decimals(self) -> set[str]:
        """Return the marks of decimals that its values leave possible, where they tell."""
        return {mark for way, (_, mark) in _WAYS.items() if mark and self.ways[way]}


def numbers_from_text(
    relation: Any,
    wanted: Sequence[str],
    *,
    decimal: str | None,
    delimiter: str,
    also: Callable[[], Any] | None = None,
) -> tuple[dict[str, str], list[str]]:
    """Return SQL that reads columns of text as numbers, and in words what was decided.

    Parameters
    ----------
    relation : DuckDB relation
        The table.
    wanted : sequence of str
        Columns to look at; those that are not text, or not of numbers, are left as they are.
    decimal : {".", ","} or None
        The mark of decimals, where the user said it.
    delimiter : str
        What parts the fields of the file; "" where it is none of text.
    also : callable, optional
        Returns the same rows with every column as it is written: looked at where the wanted columns do not tell.

    Returns
    -------
    dict of str, list of str
    """
    seen = [one for one in _look(relation, [*wanted]) if one.is_numbers and one.odd]
    if not seen:
        return {}, []
    known = {mark for one in seen for mark in one.decimals()}
    read, told = {}, []
    for one in seen:
        mark = decimal or _mark(one, known, delimiter, also)
        _refuse_mixtures(one, mark)
        read[one.name] = _expression(one, mark)
        told.append(_told(one, mark))
    return read, told


def marks_of(written: Any) -> set[str]:
    """Return the marks of decimals that some column of a file, as it is written, shows beyond doubt."""
    return {mark for one in _look(written, list(written.columns)) if one.is_numbers for mark in one.decimals()}


def unclear_dots(written: Any, names: Sequence[str]) -> list[str]:
    """Return columns, as they are written, whose every dot may stand between thousands: 72.000 and 1.250.

    Parameters
    ----------
    written : DuckDB relation
        The columns as text.
    names : sequence of str
        Which to look at.

    Returns
    -------
    list of str
    """
    found = []
    for one in _look(written, names):
        dots = one.ways["dot or thousands"] + one.ways["thousands by dot"]
        if dots and dots + one.ways["plain"] == one.n:
            found.append(one.name)
    return found


def _look(relation: Any, names: Sequence[str]) -> list[WrittenNumbers]:
    """Count the ways of writing in columns of text; where not all values are numbers, they may have a unit."""
    texts = [
        name
        for name in dict.fromkeys(names)
        if name in relation.columns and str(relation.types[relation.columns.index(name)]) == "VARCHAR"
    ]
    found = _counted(relation, dict.fromkeys(_with_digits(relation, texts), ""))
    units = _units(relation, [one.name for one in found if not one.is_numbers])
    again = {one.name: one for one in _counted(relation, units)}
    return [again.get(one.name, one) for one in found]


def _with_digits(relation: Any, names: Sequence[str]) -> list[str]:
    """Return columns every value of which has a digit: others are no numbers."""
    if not names:
        return []
    asked = [f"coalesce(bool_and(regexp_matches({quoted(name)}, '[0-9]')), FALSE)" for name in names]
    found = relation.aggregate(", ".join(asked)).fetchall()[0]
    return [name for name, have in zip(names, found, strict=True) if have]


def _units(relation: Any, names: Sequence[str]) -> dict[str, str]:
    """Return the one unit that all numbers of each column have, for those that have one."""
    if not names:
        return {}
    asked = []
    for name in names:
        x = f"trim({quoted(name)})"
        fits = f"regexp_full_match({x}, {sql_text(_UNIT)})"
        unit = f"regexp_extract({x}, {sql_text(_UNIT_ALONE)}, 1)"
        asked += [f"count({quoted(name)})", f"count(*) FILTER (WHERE {fits})"]
        asked += [f"{end}({unit}) FILTER (WHERE {fits})" for end in ("min", "max")]
    found = relation.aggregate(", ".join(asked)).fetchall()[0]
    out = {}
    for i, name in enumerate(names):
        n, fitting, first, last = found[4 * i : 4 * i + 4]
        if n and fitting == n and first and first == last:
            out[name] = str(first)
    return out


def _without_unit(name: str, unit: str) -> str:
    x = f"trim({quoted(name)})"
    return f"trim(left({x}, length({x}) - {len(unit)}))" if unit else x


def _counted(relation: Any, units: Mapping[str, str]) -> list[WrittenNumbers]:
    """Count the ways of writing in columns with these units, in one pass."""
    texts = list(units)
    if not texts:
        return []
    texts_of = [_without_unit(name, units[name]) for name in texts]
    told = [f"{x} AS x{i}, {_way_of(x)} AS way{i}" for i, x in enumerate(texts_of)]  # each found once
    asked = []  # without FILTER, for each of which DuckDB copies all columns
    for i in range(len(texts)):
        x, way = f"x{i}", f"way{i}"
        number = f"TRY_CAST({x} AS DOUBLE)"
        odd = f"({way} NOT IN ('plain', 'dot') OR NOT regexp_full_match({x}, '[0-9.]*'))"
        currency = f"CASE WHEN {odd} THEN nullif(regexp_extract({x}, {sql_text(_MONEY)}), '') END"
        wanted = [
            f"{x} LIKE '%\\%' ESCAPE '\\'",
            f"{way} = 'plain' AND {number} < 1000",
            f"{way} = 'plain' AND {number} >= 1000",
            f"{way} IS NOT NULL AND regexp_matches({x}, {sql_text(_AS_OFFICES_DO)})",
        ]
        asked.append(f"count({x})")
        asked += [f"count(CASE WHEN {way} = {sql_text(one)} THEN 1 END)" for one in _WAYS]
        asked += [f"min(CASE WHEN {way} = {sql_text(one)} THEN {x} END)" for one in _WAYS]
        asked += [f"{end}({currency})" for end in ("min", "max")]
        asked += [f"count(CASE WHEN {which} THEN 1 END)" for which in wanted]
    relation = relation.project(", ".join(told))
    found = relation.aggregate(", ".join(asked)).fetchall()[0]
    out, step = [], 2 * len(_WAYS) + 7
    for i, name in enumerate(texts):
        part = found[i * step : (i + 1) * step]
        n, counts, examples = part[0], part[1 : 1 + len(_WAYS)], part[1 + len(_WAYS) : 1 + 2 * len(_WAYS)]
        money = tuple(sorted({part[-6], part[-5]} - {None}))
        example = {way: text for way, text in zip(_WAYS, examples, strict=True) if text is not None}
        ways = dict(zip(_WAYS, counts, strict=True))
        out.append(WrittenNumbers(name, n, ways, example, money, part[-4], part[-3], part[-2], part[-1], units[name]))
    return out


def _way_of(x: str) -> str:
    """Return SQL that names the way in which a text is written; the first that fits, ambiguous ones before others."""
    order = sorted(_WAYS, key=lambda way: way not in _AMBIGUOUS)
    cases = [f"WHEN regexp_full_match({x}, {sql_text(form)}) THEN {sql_text(way)}" for way, form in _USUAL.items()]
    for way in order:
        number = f"(?:{_WAYS[way][0]})"
        behind = f"(?:(?:{_MONEY}){_SPACES}*)?{number}{_TAIL}{_SPACES}*[\\-−]"
        some = f"(?:{_HEAD}{number}{_TAIL}|\\({_HEAD}{number}{_TAIL}\\)|{behind})"
        cases.append(f"WHEN regexp_full_match({x}, {sql_text(some)}) THEN {sql_text(way)}")
    return f"(CASE WHEN NOT regexp_matches({x}, '[0-9]') THEN NULL {' '.join(cases)} END)"


def _mark(one: WrittenNumbers, known: set[str], delimiter: str, also: Any) -> str:
    """Return the mark of decimals, or ask for it."""
    own = one.decimals()
    if len(own) == 1:
        return own.pop()
    if len(own) > 1:
        first, second = (
            next(one.example[way] for way, (_, mark) in _WAYS.items() if mark == m and one.ways[way])
            for m in sorted(own)
        )
        raise InputError(
            f"{one.name!r} writes decimals in two ways, such as {first!r} and {second!r}.",
            "write them in one way, or say which it is: --decimal , or --decimal .",
        )
    comma, dot = one.ways["comma or thousands"], one.ways["dot or thousands"]
    if not comma and not dot:
        return "."
    if comma and dot:
        raise _unclear(one)
    if not known and also is not None:
        known = marks_of(also())
    if len(known) == 1:
        return next(iter(known))
    if comma and one.small and not one.large:
        return "."  # only from a thousand on is there a comma
    if comma and (delimiter == "," or set(one.money) & {"$", "£", "US$", "USD", "GBP"}):
        return "."  # commas are in quotes here, so that the file's own numbers have dots
    raise _unclear(one)


def _unclear(one: WrittenNumbers) -> InputError:
    text = next(one.example[way] for way in sorted(_AMBIGUOUS) if one.ways[way])
    return InputError(
        f"{one.name!r} holds numbers such as {text!r}, which may be thousands or have three decimals.",
        "say which mark is for decimals: --decimal . or --decimal , (decimal= of Source).",
    )


def _refuse_mixtures(one: WrittenNumbers, mark: str) -> None:
    if len(one.money) > 1:
        raise InputError(f"{one.name!r} holds amounts in {' and '.join(one.money)}.", "convert them to one currency.")
    if 0 < one.percent < one.n:
        raise InputError(
            f"{one.percent:,} of {one.n:,} values of {one.name!r} have a percent sign and the others have none.",
            "write all of them in one way.",
        )
    wrong = (
        {"thousands by comma", "thousands as in India", "apart, dot"}
        if mark == ","
        else {"comma", "thousands by dot", "apart, comma"}
    )
    for way in _WAYS:
        if way in wrong and one.ways[way]:
            raise InputError(
                f"{one.name!r} holds {one.example[way]!r}, which is no number if {mark!r} is the mark of decimals.",
                "correct it, or say the other mark with --decimal.",
            )


def _expression(one: WrittenNumbers, mark: str) -> str:
    """Return SQL for the numbers."""
    x = one.text
    bare = f"regexp_replace({x}, {sql_text(f'{_MONEY}|%|{_SPACES}|[()]|[’]|' + chr(39))}, '', 'g')"
    bare = f"replace({bare}, '−', '-')"
    thousands = "," if mark == "." else "."
    bare = f"replace(replace({bare}, {sql_text(thousands)}, ''), {sql_text(mark)}, '.')"
    bare = f"regexp_replace({bare}, '-$', '')"
    return f"CAST({bare} AS DOUBLE) * (CASE WHEN regexp_matches({x}, '^\\(|[-−]$') THEN -1 ELSE 1 END)"


def _told(one: WrittenNumbers, mark: str) -> str:
    said = []
    written = [way for way in _WAYS if one.ways[way] and way not in ("plain", "dot")]
    if any(_is_thousands(way, mark) for way in written):
        said.append("marks between thousands left out")
    if mark == "," and any(
        way in ("comma", "comma or thousands", "apart, comma", "thousands by dot") for way in written
    ):
        said.append("the comma as the mark of decimals")
    if one.negative:
        said.append("brackets and minus signs as below 0")
    if one.unit:
        said.append(f"the unit {one.unit!r} left out")
    if one.money:
        said.append(f"{one.money[0]} left out")
    if one.percent:
        said.append("percent signs left out, so that 5% is 5")
    example = one.example[max(written or one.example, key=lambda way: one.ways[way])]
    example += f" {one.unit}" if one.unit else ""
    return f"{one.name}: text such as {example!r} was read as numbers, {', '.join(said)}."


def _is_thousands(way: str, mark: str) -> bool:
    return way.startswith(("thousands", "apart")) or way == (
        "comma or thousands" if mark == "." else "dot or thousands"
    )
