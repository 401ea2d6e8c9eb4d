"""GroupPath: what every search returns, the best groups for each number of groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
from fairgroups.errors import InputError
from fairgroups.measures import Measure
from fairgroups.options import Missing, within_memory
from fairgroups.partition.partition import Partition

__all__ = ["GroupPath", "Limits", "Units", "make_path"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Limits:
    """The least that a group must hold: rows, and weight in the measure's denominator B."""

    rows: float = 1
    b: float = 0.0

    @property
    def said(self) -> str:
        """What a group must hold, in words."""
        return f"{self.rows:g} rows" + (f" and B ≥ {self.b:.3g}" if self.b > 0 else "")


@dataclass(frozen=True)
class Units:
    """Cells that a search may cut between: those with B = 0 have joined their left neighbour.

    `starts` holds the first cell of each unit.
    """

    starts: NDArray[np.intp]
    a: Array
    b: Array
    rows: Array

    @classmethod
    def of(cls, cells: Cells, measure: Measure | str) -> Units:
        """Take the units of a measure; rows whose value is missing are not among them."""
        moments = cells[measure]
        n = len(cells)
        a, b, rows = moments.a[:n], moments.b[:n], cells.rows[:n].astype(np.float64)
        holds = b > 0
        if not holds.any():
            raise InputError("no row with a known sensitive value counts in this measure: B is 0 everywhere.")
        starts = np.flatnonzero(holds)
        starts[0] = 0
        if starts.size == n:
            return cls(starts, a, b, rows)
        return cls(starts, *(np.add.reduceat(x, starts) for x in (a, b, rows)))

    def __len__(self) -> int:
        return int(self.starts.size)

    def allowed(self, limits: Limits) -> bool:
        """Whether every unit alone is large enough to be a group."""
        return bool(self.rows.min() >= limits.rows and self.b.min() >= limits.b)

    def check_room(self, n_groups: int) -> None:
        """Refuse more groups than there is memory for: the search keeps a number for each unit and number of groups."""
        within_memory(
            8.0 * len(self) * n_groups,
            f"{n_groups:,} groups of {len(self):,} values",
            "ask for fewer groups, or for fewer cells (n_cells)",
        )

    def at_most(self, n_units: int) -> Units:
        """Join neighbours until at most about `n_units` are left, each with about the same B."""
        if len(self) <= n_units:
            return self
        share = np.cumsum(self.b) / self.b.sum()
        first = np.unique(np.searchsorted(share, np.arange(n_units) / n_units, side="right"))
        sums = (np.add.reduceat(x, first) for x in (self.a, self.b, self.rows))
        return Units(self.starts[first], *sums)

    def cost_of(self, few: Units, n_groups: int) -> float:
        """Bound what borders inside the joined units could add to the variance, as a share of the units' variance.

        A border inside a joined unit parts people who, kept together, cost at most the difference of the rates of the
        two groups beside it times the sum of their distances from the unit's rate; the rates are at most as far apart
        as any two.
        """
        rates = self.a / self.b
        owner = np.searchsorted(few.starts, self.starts, side="right") - 1
        apart = self.b * np.abs(rates - (few.a / few.b)[owner])
        costs = np.sort(np.bincount(owner, apart, len(few)))[::-1][: max(n_groups - 1, 0)]
        overall = self.a.sum() / self.b.sum()
        variance = float(np.sum(self.b * (rates - overall) ** 2))
        return float(costs.sum() * np.ptp(rates) / variance) if variance > 0 else 0.0


@dataclass(frozen=True)
class GroupPath:
    """The best groups for each number of groups, from one to the most that was asked for.

    Attributes
    ----------
    borders : tuple of arrays
        ``borders[k - 1]``: the first cell of each interval but the first, for k groups.
    owners : tuple of arrays, or None
        For each interval its group, where groups may be disconnected.
    variance : array
        ``variance[k - 1]``: the variance of Φ between k groups.
    exact : bool
        Whether the groups are proven best on the cells given.
    note : str
        What a user should know, or "".
    """

    cells: Cells
    measure: str
    borders: tuple[NDArray[np.intp], ...]
    variance: Array
    owners: tuple[NDArray[np.intp], ...] | None = None
    exact: bool = True
    note: str = ""

    def __len__(self) -> int:
        return len(self.borders)

    def partition(self, n_groups: int, *, missing: Missing = "error") -> Partition:
        """Return the partition into `n_groups`."""
        borders = self.borders[n_groups - 1]
        owners = None if self.owners is None else [int(k) for k in self.owners[n_groups - 1]]
        return Partition.from_edges(self.cells.first[borders], owners=owners, name=self.cells.name, missing=missing)


def make_path(
    cells: Cells,
    measure: Measure | str,
    borders: list[NDArray[np.intp]],
    *,
    owners: list[NDArray[np.intp]] | None = None,
    exact: bool = True,
    note: str = "",
) -> GroupPath:
    """Measure the variance of each step and pack the path."""
    moments = cells[measure]
    n = len(cells)
    a_all, b_all = moments.a.sum(), moments.b.sum()
    rate = a_all / b_all
    # Sums between any two borders of any step; the steps add them up.
    pieces = np.unique(np.concatenate([[0], *borders])).astype(np.intp)
    piece_b = np.add.reduceat(moments.b[:n], pieces)
    piece_a = np.add.reduceat(moments.a[:n], pieces) - rate * piece_b
    variance = np.zeros(len(borders))
    for i, cut in enumerate(borders):
        interval = np.searchsorted(cut, pieces, side="right")
        group = interval if owners is None else owners[i][interval]
        a, b = np.bincount(group, piece_a), np.bincount(group, piece_b)
        variance[i] = np.sum(a**2 / b) if b.size > 1 else 0.0
    if cells.missing and moments.b[n] > 0:
        variance += (moments.a[n] - rate * moments.b[n]) ** 2 / moments.b[n]
    name = measure.name if isinstance(measure, Measure) else measure
    return GroupPath(
        cells,
        name,
        tuple(borders),
        variance / b_all,
        owners=None if owners is None else tuple(owners),
        exact=exact,
        note=note,
    )
