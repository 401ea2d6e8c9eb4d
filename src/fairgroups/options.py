"""Options: the words that they may take, and checks that say what an option must be and what came.

Light, so that the command line can be drawn up from it.
"""

from __future__ import annotations

import difflib
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, get_args

from fairgroups.errors import NUMBERED, InputError

__all__ = [
    "AGAINST",
    "BAND_WIDTHS",
    "CRITERIA",
    "FEWEST_TOLD",
    "HOW",
    "INFERENCES",
    "MISSING",
    "MONOTONIC",
    "MOST_GROUPS",
    "SEEK",
    "Against",
    "BandWidth",
    "Criterion",
    "Inference",
    "Missing",
    "Monotonic",
    "Seek",
    "at_least_zero",
    "cells_of",
    "column_of",
    "columns_of",
    "ends_of",
    "epsilon_of",
    "flags_of",
    "level_of",
    "number_of",
    "one_of",
    "refuse_unknown",
    "seed_of",
    "share_of",
    "taking",
    "title_of",
    "unit_of",
    "whole_number",
    "within_memory",
]

Against = Literal["auto", "everyone", "rest", "reference"]
BandWidth = Literal["auto", "table", "simulate"]
Criterion = Literal["auto", "band", "cv", "bic"]
Inference = Literal["band", "crossfit", "plugin"]
Missing = Literal["error", "drop", "group"]
Monotonic = Literal["increasing", "decreasing", "either"]
Seek = Literal["unexplained", "raw"]
BAND_WIDTHS, CRITERIA, INFERENCES, MISSING, MONOTONIC, SEEK = (
    get_args(words) for words in (BandWidth, Criterion, Inference, Missing, Monotonic, Seek)
)
HOW = ("auto", "strata", "model")
AGAINST = ("auto", "everyone", "rest")  # a reference is named by an option of its own
MEMORY = 2.0  # gigabytes that a search may take, unless FAIRGROUPS_MEMORY says otherwise
BYTES_OF_CELL = 100
MOST_GROUPS = 20  # more than anybody reads; the groups then still differ inside, and a note says so
FEWEST_TOLD = 10  # people that a rate in a page or in JSON stands for, unless `min_cell` says otherwise

P = ParamSpec("P")
R = TypeVar("R")


def taking(record: Callable[P, Any]) -> Callable[[Callable[..., R]], Callable[Concatenate[Any, P], R]]:
    """Return a function of data that has the options of a record as its own, for people, editors and type checkers."""

    def given(function: Callable[..., R]) -> Callable[Concatenate[Any, P], R]:
        own = inspect.signature(function)
        options = inspect.signature(record).parameters.values()
        function.__signature__ = own.replace(  # type: ignore[attr-defined]
            parameters=[own.parameters["data"], *options]
        )
        return function

    return given


def refuse_unknown(function: str, record: Callable[..., Any], asked: Mapping[str, Any]) -> None:
    """Refuse options that a record has not, and calls without one that it needs."""
    options = inspect.signature(record).parameters
    known = list(options)
    for name in asked:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise TypeError(f"{function}() has no option {name!r}" + (f"; did you mean {near[0]!r}?" if near else "."))
    lacking = [name for name, one in options.items() if one.default is one.empty and name not in asked]
    if lacking:
        raise TypeError(f"{function}() needs {' and '.join(lacking)}: {function}(data, {lacking[0]}='…').")


def flags_of(record: Any) -> None:
    """Make the flags of a record true or false, and refuse what is neither; see `option`."""
    for one in fields(record):
        value = getattr(record, one.name)
        if one.metadata["kind"] != "flag" or (value is None and one.default is None):
            continue
        if not (isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")):  # NumPy's own
            words = "True, False or None" if one.default is None else "True or False"
            raise InputError(f"`{one.name}` must be {words}; got {value!r}.")
        object.__setattr__(record, one.name, bool(value))


def title_of(value: Any) -> str | None:
    """Return the title of a report, if it has one."""
    if value is not None and not isinstance(value, str):
        raise InputError(f"`title` must be text; got {value!r}.", f"title={str(value)!r}.")
    return value


def unit_of(value: Any) -> str:
    """Return what the rows are, in the plural."""
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"`unit` must be a word in the plural, such as 'towns'; got {value!r}.")
    return value


def whole_number(value: Any, name: str, least: int = 1) -> int:
    """Return a count; refuse anything but whole numbers from `least` on."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
        raise InputError(f"`{name}` must be a whole number of at least {least}; got {value!r}.")
    return int(value)


def cells_of(value: Any, name: str = "n_cells") -> int:
    """Return a number of cells; refuse more than may be held."""
    found = whole_number(value, name)
    hint = f"leave `{name}` out: every distinct value is then a cell of its own"
    within_memory(found * BYTES_OF_CELL, f"`{name}` of {found:,}", hint)
    return found


def within_memory(needed: float, what: str, hint: str) -> None:
    """Refuse work whose tables would take more memory than is allowed, before any of it is done.

    Parameters
    ----------
    needed : float
        Bytes.
    what : str
        What needs them, as the beginning of a sentence.
    hint : str
        How to do with less.
    """
    said = os.environ.get("FAIRGROUPS_MEMORY", "")
    try:
        allowed = float(said or MEMORY)
    except ValueError:
        allowed = -1.0
    if not 0 < allowed < float("inf"):
        raise InputError(f"FAIRGROUPS_MEMORY must be a number of gigabytes; got {said!r}.")
    if needed > allowed * 1e9:
        raise InputError(
            f"{what} would take about {needed / 1e9:,.3g} GB of memory; {allowed:g} GB are allowed.",
            f"{hint}; or allow more: FAIRGROUPS_MEMORY={-(-needed // 1e9):.0f} (gigabytes) in the environment.",
        )


def seed_of(value: Any, name: str = "seed") -> int:
    """Return a seed; refuse anything but whole numbers from 0 on."""
    return whole_number(value, name, 0)


def number_of(value: Any, name: str) -> float:
    """Return a number; refuse infinite ones and what is none."""
    if not _is_number(value) or not -float("inf") < value < float("inf"):
        raise InputError(f"`{name}` must be a number; got {value!r}.")
    return float(value)


def at_least_zero(value: Any, name: str) -> float:
    """Return a number; refuse negative ones, infinite ones and what is none."""
    if not _is_number(value) or not 0 <= value < float("inf"):
        raise InputError(f"`{name}` must be a number of at least 0; got {value!r}.")
    return float(value)


def epsilon_of(value: Any) -> float:
    """Return how private something is to be."""
    if at_least_zero(value, "private") < 0.01:
        raise InputError(f"`private` must be at least 0.01; got {value!r}.", "1 is usual.")
    if value > 100:
        raise InputError(f"`private` must be at most 100; got {value!r}.", "such an ε hides nobody: 1 is usual.")
    return float(value)


def column_of(value: Any, name: str) -> str:
    """Return the name of a column, if it is one."""
    if not isinstance(value, str):
        raise InputError(f"`{name}` must be the name of a column; got {value!r}.", _numbered(value))
    return value


def columns_of(value: Any, name: str) -> tuple[str, ...]:
    """Return the names of columns, each once; one may stand alone."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Sequence) or not all(isinstance(one, str) for one in value):
        raise InputError(f"`{name}` must be the name of a column, or a list of them; got {value!r}.", _numbered(value))
    return tuple(dict.fromkeys(value))


def _numbered(value: Any) -> str | None:
    """Return what to do where columns are numbered."""
    first = value[0] if isinstance(value, Sequence) and len(value) else value
    return NUMBERED if _is_number(first) else None


def ends_of(value: Any, name: str) -> tuple[float, float]:
    """Return the smallest and the largest value that something may have, known without looking at the data."""
    if value is None or isinstance(value, str) or not hasattr(value, "__len__") or len(value) != 2:
        low, high = 0.0, 0.0
    else:
        low, high = (number_of(x, name) for x in value)
    if not low < high:
        raise InputError(
            f"`private` needs `{name}`, the smallest and the largest value that there may be: the data itself would "
            "tell too much.",
            f"{name}=(18, 90) (--{name.replace('_', '-')} 18,90), from what is known without looking.",
        )
    return low, high


def share_of(value: Any, name: str, hint: str | None = None) -> float:
    """Return a number between 0 and 1, both left out."""
    if not _is_number(value) or not 0 < value < 1:
        raise InputError(f"`{name}` must lie between 0 and 1; got {value!r}.", hint)
    return float(value)


def level_of(value: Any) -> float:
    """Return a confidence level; refuse what is none, and what is rather an error rate."""
    level = share_of(value, "level", "0.95 is customary.")
    if level < 0.5:
        raise InputError(
            f"`level` is how sure the intervals are, at least 0.5; got {value!r}.",
            f"say level={1 - level:g} if {level:g} is the error that you allow."
            if level >= 1e-4
            else "0.95 is customary.",
        )
    return level


def one_of(value: Any, name: str, allowed: Sequence[Any]) -> Any:
    """Return one of a few values; refuse others."""
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in allowed):
        listed = [repr(choice) for choice in allowed]
        raise InputError(f"`{name}` must be {', '.join(listed[:-1])} or {listed[-1]}; got {value!r}.")
    return value


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and hasattr(value, "__float__") and not isinstance(value, str)


def rates_apart(options: Any, *names: str) -> None:
    """Refuse limits on differences of rates that no two rates can reach."""
    for name in names:
        value = getattr(options, name)
        if value is not None and value > 1:
            raise InputError(
                f"`{name}` is a difference of rates, at most 1; got {value!r}.",
                f"{value:g} points are {value / 100:g}.",
            )
