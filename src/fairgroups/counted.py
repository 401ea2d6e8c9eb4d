"""What an engine counted: people of each kind in each cell, as rows that stand for several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.identity import LOTS
from fairgroups.keys import Keys
from fairgroups.rows import Column, Missing, Rows
from fairgroups.sums import PIECES, put_together
from fairgroups.tables import numbers

__all__ = ["LABELS", "Counted", "Ranges", "object_column"]

Array = NDArray[np.float64]
LABELS = ("outcome", "truth", "base")


@dataclass(frozen=True)
class Ranges:
    """What the first aggregation found."""

    n: int
    keys: list[Keys | None]  # None for a category
    is_number: dict[str, bool]  # of those of outcome, truth and base that are no text: other numbers than 0 and 1
    largest: dict[str, float]  # how far numbers reach from 0, by role


def object_column(values: list[Any]) -> NDArray[Any]:
    """Give values of any kind as an array."""
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


@dataclass(frozen=True)
class Counted:
    """What the second aggregation found: columns of equal length, one entry for each kind of people in each cell."""

    columns: dict[str, NDArray[Any]]
    ranges: Ranges

    @property
    def people(self) -> Array:
        """Count the people of each entry."""
        return self.columns["n"].astype(np.float64)

    def cells(self, d: int) -> tuple[Array, Array, Array]:
        """Give the first and last value and the people of each cell of an attribute that is known."""
        place, first, last = self._places(d)
        known = place >= 0
        return first, last, np.bincount(place[known], self.people[known], first.size).astype(np.float64)

    def heaviest(self) -> float:
        """Give the largest share of the people in a cell of several values of the first attribute."""
        first, last, people = self.cells(0)
        return float(np.max(np.where(last > first, people, 0.0), initial=0.0) / people.sum())

    def _places(self, d: int) -> tuple[NDArray[np.intp], Array, Array]:
        """Give each entry's cell, −1 where the value is missing, and the cells' first and last values."""
        key = self.columns[f"k{d}"].astype(np.int64)
        side = self.columns["side"].astype(np.int64) if "side" in self.columns else np.zeros_like(key)
        sides = int(side.max()) + 1
        cell, place = np.unique(key * sides + side, return_inverse=True)
        place = place.ravel()
        first, last = (numbers(self.columns[f"{name}{d}"], "") for name in ("first", "last"))
        low, high = np.full(cell.size, np.inf), np.full(cell.size, -np.inf)
        known = key >= 0
        np.minimum.at(low, place[known], first[known])
        np.maximum.at(high, place[known], last[known])
        used = cell >= 0
        number = np.where(used, np.cumsum(used) - 1, -1)
        return number[place], low[used], high[used]

    def rows(
        self, attributes: Sequence[str], *, roles: dict[str, str], positive: Any, missing: Missing, weighted: bool
    ) -> Rows:
        """Give the entries as rows, in an order that does not depend on the engine."""
        columns: list[Column] = []
        order_by: list[NDArray[Any]] = []
        for d, name in enumerate(attributes):
            if self.ranges.keys[d] is None:
                text = self._labels(f"k{d}")
                levels = tuple(sorted({x for x in text.tolist() if x is not None}))
                codes = np.array([np.nan if x is None else levels.index(x) for x in text.tolist()])
                columns.append(Column(name, codes, levels))
            else:
                place, first, last = self._places(d)
                known = place >= 0
                values, ends = np.full(place.size, np.nan), np.full(place.size, np.nan)
                values[known], ends[known] = first[place[known]], last[place[known]]
                columns.append(Column(name, values, None, ends))
            order_by.append(np.nan_to_num(columns[-1].values, nan=np.inf))
        lot = self._lots()
        labels = {role: self._labels(role) for role in LABELS if role in roles and role in self.columns}
        count, index = self.people, np.arange(self.people.size)
        extra: dict[str, Array] = {}
        if self.ranges.is_number.get("outcome"):
            index, count, extra["outcome"] = self._two_values()
        if weighted:
            sums = self._sums("weight", "weights"), self._sums("weight", "weights2", power=2)
            index, count, extra["weight"] = _two_points(count, *sums, self.columns["lightest"].astype(np.float64))
        data: dict[str, Any] = {role: values[index] for role, values in labels.items()} | extra
        if lot is not None:
            data["lot"] = lot[index]
        order = np.lexsort([*(_ranks(data[role]) for role in data), *(x[index] for x in order_by[::-1])])
        index, count = index[order], count[order]
        chosen = [Column(c.name, c.values[index], c.levels, None if c.last is None else c.last[index]) for c in columns]
        return Rows.from_columns(
            chosen,
            data["outcome"][order],
            **{role: data[role][order] for role in ("truth", "base", "weight", "lot") if role in data},
            count=count,
            positive=positive,
            missing=missing,
            names={role: name for role, name in roles.items() if name is not None},
        )

    def _lots(self) -> Array | None:
        if "lot" not in self.columns:
            return None
        lot = self.columns["lot"].astype(np.float64)
        if (lot < 0).any():
            raise InputError("the id of some people is missing.", "an id says who a person is: give everybody one.")
        return (lot + 0.5) / LOTS

    def _labels(self, role: str) -> NDArray[Any]:
        return object_column([None if np.ma.is_masked(x) else x for x in self.columns[role].tolist()])

    def _sums(self, role: str, name: str, power: int = 1) -> Array:
        """Put the pieces of a sum together; 0 where nothing was added."""
        pieces = [np.nan_to_num(numbers(self.columns[f"{name}{i}"], "")) for i in range(PIECES)]
        return put_together(pieces, self.ranges.largest[role] ** power)[0]

    def _two_values(self) -> tuple[NDArray[np.intp], Array, Array]:
        """Give each entry's outcomes as two values with the same number, sum and sum of squares."""
        n = self.people
        known = ~self.columns["unknown"].astype(bool)
        sums, squares = self._sums("outcome", "sum"), self._sums("outcome", "squares", power=2)
        least, most = (numbers(self.columns[name], "outcome") for name in ("least", "most"))
        index, count, values = _two_points(n, sums, squares, np.where(known, least, 0.0))
        values = np.clip(values, np.nanmin(least[known]), np.nanmax(most[known]))
        values[~known[index]] = np.nan
        return index, count, values


def _ranks(values: NDArray[Any]) -> NDArray[Any]:
    """Give numbers by which labels or numbers can be put in order."""
    if values.dtype != object:
        return values
    kinds = {label: i for i, label in enumerate(sorted(set(values.tolist()), key=str))}
    return np.array([kinds[label] for label in values.tolist()])


def _two_points(n: Array, sums: Array, squares: Array, least: Array) -> tuple[NDArray[np.intp], Array, Array]:
    """Write n numbers with a known sum, sum of squares and minimum as two values, each taken by a whole number of them.

    With shares p and 1 − p the values are m − s √((1 − p)/p) and m + s √(p/(1 − p)); p is about a half, or so large
    that the lower value is not below the minimum.
    """
    mean = sums / n
    spread = np.sqrt(np.maximum(squares / n - mean**2, 0.0))
    spread = np.where(spread > 1e-9 * (np.abs(mean) + 1e-300), spread, 0.0)
    apart = (spread > 0) & (n >= 2)
    ratio = np.divide(spread, mean - least, out=np.ones_like(mean), where=apart & (mean > least)) ** 2
    lower = np.clip(np.ceil(n * ratio / (1 + ratio) - 1e-6), np.floor(n / 2), np.maximum(n - 1, 1))
    lower = np.where(apart, np.maximum(lower, 1), n)
    upper = n - lower
    p = lower / n
    low = mean - spread * np.sqrt(np.divide(1 - p, p, out=np.zeros_like(p), where=p > 0))
    high = mean + spread * np.sqrt(np.divide(p, 1 - p, out=np.zeros_like(p), where=upper > 0))
    both = np.flatnonzero(upper > 0)
    index = np.concatenate([np.arange(n.size), both])
    return index, np.concatenate([lower, upper[both]]), np.concatenate([np.where(apart, low, mean), high[both]])
