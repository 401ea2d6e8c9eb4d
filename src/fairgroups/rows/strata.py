"""Strata: people alike in the factors that they are compared at equal values of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.measures import Measure
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows, quantiles
from fairgroups.rows.weights import weighted_sums
from fairgroups.words import listed

__all__ = [
    "Factor",
    "Strata",
    "as_one",
    "at_equal",
    "bin_edges",
    "in_cells",
    "nothing_to_compare",
    "refuse_names",
    "strata_of",
]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
PEOPLE_OF_STRATUM = 8  # fewer, on average, would cost too much: each stratum's own rate is estimated
MOST_STRATA = 20_000
MOST_KINDS = 4_000_000
# Inside a bin of a number the outcome may still rise while the attribute does. What that adds to a difference shrinks
# with the square of the bins, its standard error with the root of the people: bins grow with the fourth root of them.
BINS = 4.0
STEPS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 29, 35, 42, 50, 60, 72, 86, 100, 120, 145, 175, 210, 250)


@dataclass(frozen=True)
class Factor:
    """A column that people are compared at equal values of.

    Attributes
    ----------
    name : str
        The column.
    kind : {"levels", "values", "bins", "score"}
        Whether it entered by its levels, by every value, in bins of about equally many people, or in a model's score.
    parts : int
        How many levels, values or bins; 0 in a score.
    without : tuple of float
        For each group, the difference that would be left unexplained without this factor.
    """

    name: str
    kind: Literal["levels", "values", "bins", "score"]
    parts: int
    without: tuple[float, ...] = ()


@dataclass(frozen=True)
class Strata:
    """Which stratum each row is in, how many there are, and how each factor entered.

    `thin` says that numbers had to be cut more coarsely than the people call for.
    """

    codes: Codes
    n: int
    factors: tuple[Factor, ...]
    thin: bool = False


def strata_of(columns: Sequence[Column], people: Array, finer: float = 1.0) -> Strata:
    """Put people who are alike in every column into one stratum.

    Categories are taken by level and numbers by value, where these are few, or else in bins of about equally many
    people: as many bins as the number of people calls for, while strata hold eight of them on average. Values that are
    missing are one level more.

    Parameters
    ----------
    columns : sequence of Column
        The factors.
    people : array
        How many people each row stands for.
    finer : float
        So many times as many bins of each number.

    Returns
    -------
    Strata
    """
    total = float(people.sum())
    factors = [_Cut.of(column, people) for column in columns]
    numbers = [factor.distinct for factor in factors if factor.column.levels is None]
    wanted = max(2, round(finer * BINS * math.sqrt(max(len(numbers), 1)) * total**0.25))
    most = min(total / PEOPLE_OF_STRATUM, MOST_STRATA)
    steps = [step for step in STEPS if step < min(wanted, max(numbers, default=0))] + [wanted]
    low, high = 0, len(steps) - 1
    best = _crossed(factors, steps[high])
    if best[1] > most and high > 0:
        best, high = _crossed(factors, steps[0]), high - 1
        while low < high:  # more bins, more strata
            middle = (low + high + 1) // 2
            tried = _crossed(factors, steps[middle])
            low, high, best = (middle, high, tried) if tried[1] <= most else (low, middle - 1, best)
    else:
        low = high
    codes, n, parts = best
    used = steps[low]
    told = tuple(factor.told(used, m) for factor, m in zip(factors, parts, strict=True))
    coarse = any(one.kind == "bins" for one in told) and 2 * used < wanted
    return Strata(codes, n, told, coarse or n > total / 2)


def at_equal(
    rows: Rows, measures: Sequence[Measure], strata: Strata, predicted: Mapping[str, Array] | None = None
) -> Rows:
    """Return rows from whose outcomes the rates of their strata are taken off.

    Parameters
    ----------
    rows : Rows
        The people.
    measures : sequence of Measure
        Which rates.
    strata : Strata
        Who is alike.
    predicted : mapping, optional
        By measure, what a model expects of each row: it is taken off first.

    Returns
    -------
    Rows
    """
    expectations = {}
    for measure in measures:
        a, b = (rows.times(x) for x in weighted_sums(rows, measure))
        first = np.zeros(rows.size) if predicted is None else predicted[measure.name] - rows.offset_of(measure)
        total = np.bincount(strata.codes, b, strata.n)
        rate = np.bincount(strata.codes, a - first * b, strata.n) / np.where(total > 0, total, 1.0)
        expectations[measure.name] = first + rate[strata.codes] + rows.offset_of(measure)
    return replace(rows, strata=strata.codes, expectations=expectations, offset=0.0)


def as_one(rows: Rows, strata: Strata) -> tuple[Rows, Strata]:
    """Return one row for all people of one value, stratum and outcome: far fewer, and the same sums.

    For one attribute and outcomes of yes or no that count once each; others come back as they are.
    """
    labels = [x for x in (rows.outcome, rows.truth) if x is not None]
    simple = rows.weight is None and rows.cluster is None and rows.lot is None and rows.is_line
    if not simple or not all(np.isin(x, (0.0, 1.0)).all() for x in labels):
        return rows, strata
    column = rows.columns[0]
    values, place = np.unique(column.values, return_inverse=True)  # those that miss it are one value more, at the end
    place = np.ravel(place) * strata.n + strata.codes
    if values.size * strata.n > MOST_KINDS or values.size * strata.n * 2 ** len(labels) > rows.size:
        return rows, strata
    for label in labels:
        place = place * 2 + label.astype(np.intp)
    counted = np.bincount(place, rows.people)
    used = np.flatnonzero(counted)
    one = np.empty(counted.size, dtype=np.intp)
    one[place] = np.arange(rows.size)
    few = replace(rows, base=None, factors=(), expected=None, index=None).take(one[used])
    return replace(few, count=counted[used].astype(np.float64), index=None), replace(
        strata, codes=strata.codes[one[used]]
    )


def in_cells(rows: Rows, most: int, borders: Array) -> Rows:
    """Return rows whose one attribute has at most about so many values: each stands for a cell of the attribute.

    Cells hold about equally many people, and none lies across one of the borders.
    """
    column = rows.columns[0]
    known = ~np.isnan(column.values)
    values, last = column.values[known], (column.values if column.last is None else column.last)[known]
    lower = np.unique(values)
    if lower.size > most:
        lower = np.unique(
            quantiles(values, np.arange(most) / most, rows.count if rows.count is None else rows.count[known])
        )
        after = [values[values >= border].min(initial=np.inf) for border in borders]
        lower = np.unique([*lower, *(x for x in after if np.isfinite(x))])
    at = np.searchsorted(lower, values, side="right") - 1
    ends = np.full(lower.size, -np.inf)
    np.maximum.at(ends, at, last)
    first, end = np.full(rows.size, np.nan), np.full(rows.size, np.nan)
    first[known], end[known] = lower[at], ends[at]
    return replace(rows, columns=(replace(column, values=first, last=end),))


@dataclass(frozen=True)
class _Cut:
    """A column on its way into strata: a number's known values in order, and how many people have up to each."""

    column: Column
    missing: NDArray[np.bool_]
    ordered: Array
    reached: Array | None
    distinct: int

    @classmethod
    def of(cls, column: Column, people: Array) -> _Cut:
        missing = np.isnan(column.values)
        if column.levels is not None:
            return cls(column, missing, np.empty(0), None, len(column.levels))
        values = column.values[~missing] if missing.any() else column.values
        if (people == 1).all():
            ordered, reached = np.sort(values), None
        else:
            order = np.argsort(values, kind="stable")
            ordered, reached = values[order], np.cumsum(people[~missing][order])
        distinct = int(np.count_nonzero(np.diff(ordered)) + (ordered.size > 0))
        return cls(column, missing, ordered, reached, distinct)

    def told(self, bins: int, parts: int) -> Factor:
        """Return how the column entered."""
        if self.column.levels is not None:
            return Factor(self.column.name, "levels", parts)
        return Factor(self.column.name, "values" if self.distinct <= bins else "bins", parts)

    def parts(self, bins: int) -> tuple[Codes, int]:
        """Return the level or bin of each row, the missing ones last, and how many there are."""
        values = np.nan_to_num(self.column.values) if self.missing.any() else self.column.values
        if self.column.levels is not None:
            codes, size = values.astype(np.intp), self.distinct
        elif self.distinct <= bins:
            lower = self.ordered[np.concatenate([[True], np.diff(self.ordered) > 0])] if self.distinct else self.ordered
            codes, size = np.searchsorted(lower, values, side="right") - 1, self.distinct
        else:
            lower = bin_edges(self.ordered, self.reached, bins)
            codes, size = np.searchsorted(lower, values, side="right") - 1, int(lower.size)
        if self.missing.any():
            codes[self.missing] = size
            size += 1
        return codes, size


def bin_edges(ordered: Array, reached: Array | None, bins: int) -> Array:
    """Return the first values of about so many bins of equally many people.

    Parameters
    ----------
    ordered : array
        Values in rising order.
    reached : array or None
        How many people have up to each; None where each is one person's.
    bins : int
        How many, and some smaller ones at both ends. A value that alone fills a bin gets one of its own, and takes none
        from the others.

    Returns
    -------
    array
    """
    first = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > 0]))
    values = ordered[first]
    ends = np.append(first[1:], ordered.size) - 1
    people = np.diff(np.concatenate([[0.0], ends + 1.0 if reached is None else reached[ends]]))
    heavy = people >= people.sum() / bins
    rest = np.flatnonzero(~heavy)
    left = max(bins - int(np.count_nonzero(heavy)), 1)
    starts = set(np.flatnonzero(heavy).tolist()) | set((np.flatnonzero(heavy) + 1).tolist()) | {0}
    if rest.size:
        below = np.cumsum(people[rest]) - people[rest]
        total = people[rest].sum()
        # The outermost bins reach far: ever smaller ones towards both ends.
        ends = total / left / 2.0 ** np.arange(1, 1 + max(int(math.log2(left / 4)), 0))
        ends = ends[ends >= PEOPLE_OF_STRATUM]
        marks = np.sort(np.concatenate([total * np.arange(left) / left, ends, total - ends]))
        starts |= set(rest[np.minimum(np.searchsorted(below, marks - 1e-9), rest.size - 1)].tolist())
    found: Array = values[sorted(start for start in starts if start < values.size)]
    return found


def _crossed(factors: Sequence[_Cut], bins: int) -> tuple[Codes, int, list[int]]:
    """Return each row's stratum, how many there are, and how many parts each column has."""
    parts = []
    codes, n = np.zeros(factors[0].column.values.size, dtype=np.intp), 1
    for factor in factors:
        own, size = factor.parts(bins)
        parts.append(size)
        codes, n = codes * size + own, n * size
        if n > 4 * codes.size:  # hardly any of these are held by anybody
            codes, n = _renumbered(codes, n)
    codes, n = _renumbered(codes, n)
    return codes, n, parts


def _renumbered(codes: Codes, n: int) -> tuple[Codes, int]:
    """Return the strata that somebody is in, numbered."""
    if n > 40 * codes.size:
        used, codes = np.unique(codes, return_inverse=True)
        return np.ravel(codes), int(used.size)
    held = np.bincount(codes, minlength=n) > 0
    return (np.cumsum(held) - 1)[codes], int(np.count_nonzero(held))


def nothing_to_compare(names: Sequence[str]) -> InputError:
    """Return what is said where factors decide the outcome."""
    return InputError(
        f"among people alike in {listed(list(names))} the outcome is the same for all: nothing can be compared.",
        "hold fewer factors equal; none may be a copy of the outcome (--given).",
    )


def refuse_names(columns: Sequence[Column], n: float) -> None:
    """Refuse factors in which nearly nobody is like anybody else."""
    for column in columns:
        if column.levels is not None and len(column.levels) > n / 2:
            raise InputError(
                f"{column.name!r} is different for nearly everybody: nobody is alike in it.",
                "leave it out of `given` (--given).",
            )
