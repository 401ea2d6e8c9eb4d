"""Labels as numbers: yes and no, categories, and who belongs together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.rows.column_values import are_numbers, is_missing, numbers, shorten
from fairgroups.rows.ordered_levels import in_order, made_a_date
from fairgroups.rows.yes_words import likely_yes, yes_among
from fairgroups.words import listed

__all__ = [
    "ReadOutcome",
    "category_levels",
    "check_positive",
    "label_codes",
    "positive_number",
    "read_outcome",
    "refuse_sums",
    "refuse_threshold",
    "told_of_threshold",
]

Array = NDArray[np.float64]
FEW_ROWS = 10  # among which one may be the sum of the others by chance
SMALL, MANY_ROWS = (
    30,
    100_000,
)  # numbers that may be the sum of some others by chance; rows beyond which none is looked for


@dataclass(frozen=True)
class ReadOutcome:
    """An outcome as numbers, whether it is yes or no, and what was decided about its labels, in words."""

    values: Array
    binary: bool
    told: tuple[str, ...] = ()


def category_levels(name: str, found: set[str], most: int = 63) -> tuple[str, ...]:
    """Return the levels of a category in order, bands such as "26-35" from the lowest; refuse too many."""
    if len(found) > most:
        raise InputError(
            f"{name!r} is a category with {len(found)} levels; at most {most} can be grouped.",
            "join rare levels, or encode the column as a number.",
        )
    damaged = made_a_date(found)
    if damaged is not None:
        raise InputError(
            f"{name!r} holds bands, and {damaged!r}, which a spreadsheet has made of one.",
            "write the band again, in a column of text.",
        )
    return in_order(found)


def read_outcome(
    values: NDArray[Any],
    name: str,
    positive: Any,
    *,
    optional_positive: bool = False,
    threshold: float | None = None,
) -> ReadOutcome:
    """Convert an outcome to floats.

    Parameters
    ----------
    values : array
        The column.
    name : str
        What it is called.
    positive : label or None
        Which label counts as 1; all others then count as 0.
    optional_positive : bool
        The label may be that of another column.
    threshold : float, optional
        Numbers of at least this count as 1, others as 0.

    Returns
    -------
    ReadOutcome
    """
    data = np.asarray(values.data) if isinstance(values, np.ma.MaskedArray) else values
    if data.dtype.kind in "biufMm" or are_numbers(values):
        found = numbers(values, name)
        if threshold is not None:
            known = found[~np.isnan(found)]
            if known.size:
                refuse_threshold(name, threshold, float(known.min()), float(known.max()))
            said = told_of_threshold(name, threshold)
            return ReadOutcome(np.where(np.isnan(found), np.nan, (found >= threshold).astype(float)), True, said)
        return _from_numbers(found, name, positive, optional_positive=optional_positive)
    if threshold is not None:
        raise InputError(f"`threshold` is for numbers, and {name!r} holds labels.", "leave it out, or say `positive`.")
    items = [None if is_missing(value) else str(value) for value in values.tolist()]
    labels = sorted({item for item in items if item is not None})
    if len(labels) > 2:
        _refuse_counts(items, name)
    meant, told = _meant(labels, name, positive, optional_positive=optional_positive)
    codes = [np.nan if item is None else float(item in meant) for item in items]
    return ReadOutcome(np.asarray(codes, dtype=np.float64), True, told)


def _from_numbers(found: Array, name: str, positive: Any, *, optional_positive: bool) -> ReadOutcome:
    binary = bool(np.all((found == 0) | (found == 1) | np.isnan(found)))
    if not binary and positive is None:
        _refuse_totals(found, name)
    if positive is None:
        return ReadOutcome(found, binary)
    try:
        wanted, told = positive_number(found, name, positive)
    except InputError:
        if optional_positive:
            return ReadOutcome(found, binary)
        raise
    return ReadOutcome(np.where(np.isnan(found), np.nan, (found == wanted).astype(np.float64)), True, told)


def refuse_threshold(name: str, threshold: float, least: float, most: float) -> None:
    """Refuse a threshold that makes all the same."""
    if most < threshold:
        raise InputError(
            f"no value of {name!r} reaches the threshold {threshold:.10g}: the largest is {most:.10g}.",
            "choose a lower one: threshold= (--threshold).",
        )
    if least >= threshold:
        raise InputError(
            f"every value of {name!r} reaches the threshold {threshold:.10g}: the smallest is {least:.10g}.",
            "choose a higher one: threshold= (--threshold).",
        )


def told_of_threshold(name: str, threshold: float) -> tuple[str, ...]:
    """Say which scores count as yes."""
    return (f"{name}: values of at least {threshold:.10g} count as yes, as asked.",)


def positive_number(found: Array, name: str, positive: Any) -> tuple[float, tuple[str, ...]]:
    """Return the number that counts as yes, and what was decided; refuse one that none of the values is.

    Parameters
    ----------
    found : array
        The values of an outcome, each at least once.
    name : str
        What it is called.
    positive : number or str
        What was asked for.

    Returns
    -------
    float, tuple of str
    """
    try:
        wanted = float(positive)
    except (TypeError, ValueError):
        wanted = np.nan
    levels = np.unique(found[~np.isnan(found)])
    binary = bool(np.isin(levels, (0.0, 1.0)).all())
    if wanted in levels or (binary and wanted in (0, 1)):
        told: tuple[str, ...] = ()
        if levels.size == 2 and not binary:
            told = (f"{name}: {wanted:g} counts as yes, {float(levels[levels != wanted][0]):g} as no, as asked.",)
        if levels.size > 2:
            told = (f"{name}: {wanted:g} counts as yes, its {levels.size - 1:,} other values as no, as asked.",)
        return wanted, told
    raise InputError(
        f"`positive` is {positive!r}, which is no value of {name!r}; it holds the numbers "
        f"{listed([f'{level:.10g}' for level in levels[:5]])}{' and others' if levels.size > 5 else ''}.",
        f"say positive={levels[-1]:.10g} or another of them (--positive on the command line)."
        if levels.size
        else "leave it out: no value is known.",
    )


def refuse_sums(found: Array, name: str) -> None:
    """Refuse rows that add up all others, or those right before them; a few others may do so by chance."""
    there = np.flatnonzero(~np.isnan(found))
    known = found[there]
    if known.size <= FEW_ROWS or known.min() < 0 or not np.isfinite(known).all():  # infinite ones are refused later
        return
    rows, what = _subtotals(known), "the sum of rows before it: a subtotal"
    if len(rows) < 2:
        most = int(np.argmax(known))
        value, others = float(known[most]), np.delete(known, most)
        largest, total = float(others.max()), math.isclose(value, float(others.sum()), rel_tol=1e-9)
        several = np.count_nonzero(others) >= FEW_ROWS and value >= max(2 * largest, SMALL)
        if not several or not (total or (rows == [most] and value > 10 * largest)):
            return
        rows, what = [most], "the sum of all others: a total" if total else what
    more = f" So do {len(rows) - 1} other rows." if len(rows) > 1 else ""
    raise InputError(
        f"{name!r} holds {known[rows[0]]:,.10g} in ⟨row⟩, {what}, no person.{more}",
        "leave such rows out of the file, or of an audit or scan by --where.",
        row=int(there[rows[0]]),
    )


def _subtotals(values: Array) -> list[int]:
    """Return the rows that add up all rows since the last such row, and the one that adds up all of them."""
    before = np.cumsum(values) - values
    first = (values >= FEW_ROWS // 2) & (np.abs(values - before) <= 1e-8 * values)  # adds up all rows before it
    if values.size > MANY_ROWS or not first.any():  # the former is no table of an office
        return []
    found: list[int] = []
    since, everybody, positive, largest = 0.0, 0.0, 0, 0.0
    for i, value in enumerate(values.tolist()):
        enough = positive >= FEW_ROWS // 2 and value >= max(FEW_ROWS // 2, min(5 * largest, max(SMALL, 2 * largest)))
        if enough and math.isclose(value, since, rel_tol=1e-9):
            found.append(i)
            since, positive, largest = 0.0, 0, 0.0
        elif len(found) > 1 and positive == 0 and math.isclose(value, everybody, rel_tol=1e-9):
            found.append(i)
        else:
            since, everybody = since + value, everybody + value
            positive, largest = positive + (value > 0), max(largest, value)
    return found


def _refuse_totals(found: Array, name: str) -> None:
    """Refuse a row that adds up the others, or averages those that all hold yes or no."""
    refuse_sums(found, name)
    odd = np.flatnonzero(~((found == 0) | (found == 1) | np.isnan(found)))
    others = np.delete(found, odd)
    others = others[~np.isnan(others)]
    ends = np.flatnonzero(~np.isnan(found))[[0, -1]].tolist() if others.size else []
    if (
        odd.size == 1
        and others.sum() >= FEW_ROWS
        and (found[odd[0]] >= SMALL or odd[0] in ends)
        and np.isclose(found[odd[0]], [others.sum(), others.mean()], rtol=1e-3, atol=0).any()
    ):
        raise InputError(
            f"{name!r} holds 0 and 1, and in ⟨row⟩ {found[odd[0]]:g}, which sums up the others: a total, no person.",
            "leave it out of the file, or of an audit or scan by --where.",
            row=int(odd[0]),
        )


def _refuse_counts(items: list[str | None], name: str) -> None:
    """Refuse a number among labels that counts the rows of one of them, or all of them."""
    count = Counter(item for item in items if item is not None)
    for i, item in enumerate(items):
        if item is None or count[item] > 1 or not item.strip().isdecimal() or int(item) < FEW_ROWS:
            continue
        if int(item) in (*count.values(), count.total() - 1, len(items) - 1):
            raise InputError(
                f"{name!r} holds {item!r} in ⟨row⟩ among its labels, which counts rows: a total, no person.",
                "leave it out of the file, or of an audit or scan by --where.",
                row=i,
            )


def _meant(
    labels: Sequence[str], name: str, positive: Any, *, optional_positive: bool
) -> tuple[set[str], tuple[str, ...]]:
    """Return the labels that count as yes, and what was decided."""
    shown = ", ".join(shorten(label) for label in labels[:5]) + (", …" if len(labels) > 5 else "")
    if positive is not None:
        wanted = str(positive).strip().casefold()
        meant = {label for label in labels if label == str(positive)}
        meant = meant or {label for label in labels if label.strip().casefold() == wanted}
        if meant and len(labels) > 2:
            rest = [shorten(label) for label in labels if label not in meant]
            others = listed(rest) if len(rest) <= 4 else f"{len(rest)} other labels"
            yes = listed([shorten(label) for label in labels if label in meant])
            return meant, (
                f"{name}: {yes} {'count' if len(meant) > 1 else 'counts'} as yes, {others} as no, as asked.",
            )
        if meant or len(labels) < 2:
            return meant, ()
        if not optional_positive or yes_among(labels) is None:
            likely = likely_yes(list(labels), positive)
            hint = f"say positive={likely!r} (--positive on the command line)."
            if optional_positive:  # the outcome may have labels of its own
                made = f"SELECT * REPLACE ({name} = '{likely}' AS {name}) FROM data"  # noqa: S608  for a person to read
                hint += f' If {positive!r} is a label of the outcome, make yes and no of {name!r} first: --sql "{made}"'
            raise InputError(
                f"`positive` is {positive!r}, which is no label of {name!r}; it holds {shown}.",
                hint,
            )
    words = yes_among(labels)
    if words is not None:
        plain = {label.strip().casefold() for label in labels}
        told = () if plain <= {"true", "false"} else (f"{name}: {_named(words, labels)}.",)
        return words, told
    if len(labels) > 2 and _are_numbers(labels):
        raise InputError(
            f"{name!r} holds {len(labels)} different numbers as text ({shown}).",
            f"convert the column to numbers; or say which one counts as yes, positive={likely_yes(list(labels))!r} "
            "(--positive on the command line).",
        )
    if len(labels) > 2:
        raise InputError(
            f"{name!r} holds {len(labels)} different labels ({shown}); it must be known which one counts as yes.",
            f"if it is the right column, say positive={likely_yes(list(labels))!r} or another of them (--positive on "
            "the command line): all others then count as no.",
        )
    raise InputError(
        f"{name!r} holds the labels {shown}; it must be known which one counts as 1.",
        f"say positive={likely_yes(list(labels))!r} (--positive on the command line).",
    )


def _are_numbers(labels: Sequence[str]) -> bool:
    try:
        return all(math.isfinite(float(label)) for label in labels)
    except ValueError:
        return False


def _named(meant: set[str], labels: Sequence[str]) -> str:
    yes = listed([shorten(label) for label in labels if label in meant])
    no = listed([shorten(label) for label in labels if label not in meant])
    was = "were" if sum(label in meant for label in labels) > 1 or (not yes and len(labels) > 1) else "was"
    said = [f"{yes} {was} read as yes"] if yes else []
    return " and ".join([*said, *([f"{no} as no" if said else f"{no} {was} read as no"] if no else [])])


def check_positive(positive: Any, columns: list[NDArray[Any]]) -> None:
    """Refuse a label that no column holds."""
    for values in columns:
        items = values.tolist()  # None where masked
        found = set(items)
        texts = {str(x) for x in found if not is_missing(x)}
        if positive in found or str(positive).casefold() in {text.strip().casefold() for text in texts}:
            return
        if isinstance(positive, str):
            try:
                if float(positive) in found:
                    return
            except ValueError:
                pass
    raise InputError(f"`positive` is {positive!r}, which no column holds.", "name a label of the outcome or the truth.")


def label_codes(values: NDArray[Any]) -> Array:
    """Turn labels of any kind into numbers; NaN where one is missing."""
    if values.dtype.kind in "iub" and not isinstance(values, np.ma.MaskedArray):
        return np.unique(values, return_inverse=True)[1].ravel().astype(np.float64)
    items = values.tolist()  # None where masked
    number: dict[Any, float] = {}
    return np.array([np.nan if is_missing(item) else number.setdefault(item, float(len(number))) for item in items])
