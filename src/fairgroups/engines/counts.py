"""What an engine counted: people of each kind in each cell, as rows that stand for several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.exact_sums import PIECES, put_together
from fairgroups.engines.columns import LABELS, object_column
from fairgroups.engines.few_values import few_values
from fairgroups.engines.ranges import Ranges
from fairgroups.errors import InputError
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.column_values import is_missing, numbers
from fairgroups.rows.labels import category_levels
from fairgroups.rows.person_keys import LOTS
from fairgroups.rows.roles import Roles
from fairgroups.rows.rows import Rows

__all__ = ["CellCounts"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CellCounts:
    """What the second aggregation found: columns of equal length, one entry for each kind of people in each cell."""

    columns: dict[str, NDArray[Any]]
    ranges: Ranges

    @property
    def people(self) -> Array:
        """Count the people of each entry."""
        return self.columns["n"].astype(np.float64)

    def cells(self, d: int) -> tuple[Array, Array, Array]:
        """Return the first and last value and the people of each cell of an attribute that is known."""
        place, first, last = self._places(d)
        known = place >= 0
        return first, last, np.bincount(place[known], self.people[known], first.size).astype(np.float64)

    def heaviest(self) -> float:
        """Return the largest share of the people in a cell of several values of the first attribute."""
        first, last, people = self.cells(0)
        return float(np.max(np.where(last > first, people, 0.0), initial=0.0) / people.sum())

    def _places(self, d: int) -> tuple[NDArray[np.intp], Array, Array]:
        """Return each entry's cell, −1 where the value is missing, and the cells' first and last values."""
        key = self.columns[f"k{d}"].astype(np.int64)
        known = key >= 0
        names = [name for name in (f"side{d}", f"fine{d}") if name in self.columns]
        parts = [key, *(np.nan_to_num(numbers(self.columns[name], ""), nan=-np.inf) for name in names)]
        order = np.lexsort(parts[::-1])
        new = np.zeros(key.size, dtype=bool)
        for part in parts:
            new[1:] |= part[order][1:] != part[order][:-1]
        place = np.empty(key.size, dtype=np.intp)
        place[order] = np.cumsum(new)
        first, last = (numbers(self.columns[f"{name}{d}"], "") for name in ("first", "last"))
        low, high = np.full(int(place.max()) + 1, np.inf), np.full(int(place.max()) + 1, -np.inf)
        np.minimum.at(low, place[known], first[known])
        np.maximum.at(high, place[known], last[known])
        used = np.isfinite(low)  # not that of missing values
        number = np.where(used, np.cumsum(used) - 1, -1)
        return number[place], low[used], high[used]

    def rows(self, roles: Roles, most_levels: int = 63) -> Rows:
        """Return the entries as rows, in an order that does not depend on the engine."""
        columns: list[Column] = []
        order_by: list[NDArray[Any]] = []
        for d, name in enumerate(roles.sensitive):
            if self.ranges.keys[d] is None:
                text = self._labels(f"k{d}")
                levels = category_levels(name, {x for x in text.tolist() if x is not None}, most_levels)
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
        labels = {role: self._labels(role) for role in LABELS if role in roles.named and role in self.columns}
        count, index = self.people, np.arange(self.people.size)
        extra: dict[str, Array] = {}
        if self.ranges.is_number.get("outcome"):
            index, count, extra["outcome"] = self._values()
        if roles.weight is not None:
            sums = self._sums("weight", "weights"), self._sums("weight", "weights2", power=2)
            weights = [self.columns[name].astype(np.float64) for name in ("lightest", "heaviest")]
            index, count, extra["weight"] = few_values(count, *sums, *weights)
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
            positive=roles.positive,
            missing=roles.missing,
            names=roles.named,
        )

    def _lots(self) -> Array | None:
        if "lot" not in self.columns:
            return None
        lot = self.columns["lot"].astype(np.float64)
        if (lot < 0).any():
            raise InputError("the id of some people is missing.", "an id says who a person is: give everybody one.")
        return (lot + 0.5) / LOTS

    def _labels(self, role: str) -> NDArray[Any]:
        if role in self.ranges.is_number:  # 0 and 1, and −1 for unknown
            values = self.columns[role].astype(np.float64)
            return np.where(values < 0, np.nan, values)
        values = self.columns[role].tolist()
        return object_column([None if np.ma.is_masked(x) or is_missing(x) else x for x in values])

    def _sums(self, role: str, name: str, power: int = 1) -> Array:
        """Put the pieces of a sum together; 0 where nothing was added."""
        pieces = [np.nan_to_num(numbers(self.columns[f"{name}{i}"], "")) for i in range(PIECES)]
        return put_together(pieces, self.ranges.reach(role) ** power)[0]

    def _values(self) -> tuple[NDArray[np.intp], Array, Array]:
        """Return each entry's outcomes as a few values with the same number, sum, sum of squares and range."""
        known = np.flatnonzero(self.columns["unknown"].astype(np.int64) == 0)
        centre = self.ranges.centre("outcome")
        sums, squares = self._sums("outcome", "sum"), self._sums("outcome", "squares", power=2)
        least, most = (numbers(self.columns[name], "outcome") - centre for name in ("least", "most"))
        index, count, values = few_values(*(x[known] for x in (self.people, sums, squares, least, most)))
        unknown = np.setdiff1d(np.arange(self.people.size), known)
        return (
            np.concatenate([known[index], unknown]),
            np.concatenate([count, self.people[unknown]]),
            np.concatenate([values + centre, np.full(unknown.size, np.nan)]),
        )


def _ranks(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers by which labels or numbers can be put in order."""
    if values.dtype != object:
        return values
    kinds = {label: i for i, label in enumerate(sorted(set(values.tolist()), key=str))}
    return np.array([kinds[label] for label in values.tolist()])
