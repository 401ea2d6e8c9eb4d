"""The rate and Φ of each group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
from fairgroups.cells.moments import Moments, moments_by
from fairgroups.errors import InputError
from fairgroups.measures import Measure, resolve_measure
from fairgroups.options import Against
from fairgroups.partition.partition import Partition
from fairgroups.rows.rows import Rows

__all__ = ["GroupRates", "group_rates"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class GroupRates:
    """The observed rates of the groups of a partition.

    Attributes
    ----------
    partition : Partition
        The groups.
    runs : array
        The first cell of each run of cells that belong to one group; empty for groups of several attributes.
    owners : array
        The group of each run; −1 for cells outside all groups.
    rows : array
        Rows in each group.
    sums : Moments
        The measure's sums by group.
    """

    partition: Partition
    runs: NDArray[np.intp]
    owners: NDArray[np.intp]
    rows: NDArray[np.int64]
    sums: Moments

    @property
    def overall(self) -> float:
        """The rate of everybody."""
        return self.sums.overall + self.sums.offset

    @property
    def rate(self) -> Array:
        """Each group's rate; NaN where nobody counts."""
        return self.sums.rate

    @property
    def bounded(self) -> bool:
        """Whether outcomes are yes or no."""
        return self.sums.bounded

    @property
    def alike(self) -> bool:
        """Whether all who count have the same outcome."""
        return self.sums.low == self.sums.high

    @property
    def phi(self) -> Array:
        """Φ(k), each group's rate minus everybody's."""
        rate = np.full_like(self.sums.a, np.nan)
        np.divide(self.sums.a, self.sums.b, out=rate, where=self.sums.b > 0)
        phi: Array = rate - self.sums.overall  # before the offset is added, which would cost digits
        return phi

    @property
    def share(self) -> Array:
        """Return each group's share w_k of the measure's denominator."""
        share: Array = self.sums.b / self.sums.b.sum()
        return share

    @property
    def is_everybody(self) -> NDArray[np.bool_]:
        """Whether each group is everybody who counts, so that there is nobody to compare it with."""
        return self.share > 1 - 1e-12

    @property
    def variance(self) -> float:
        """Return Var Φ, what a good partition maximises."""
        return float(np.nansum(self.share * self.phi**2))

    def scale_against(self, whom: Against) -> Array:
        """Return what Φ and its bounds are multiplied by: Φ against everyone is 1 − w times that against the rest."""
        rest = 1 - self.share
        if whom == "everyone":
            return np.ones_like(rest)
        return np.divide(1.0, rest, out=np.zeros_like(rest), where=rest > 1e-12)

    def phi_against(self, whom: Against) -> Array:
        """Return each group's rate minus that of everyone, or of the rest; 0 where there is no rest."""
        return self.phi * self.scale_against(whom)

    def variance_against(self, whom: Against) -> float:
        """Return the variance of these differences over the groups."""
        phi = self.phi_against(whom)
        mean = np.nansum(self.share * phi)
        return float(np.nansum(self.share * (phi - mean) ** 2))


def group_rates(people: Cells | Rows, partition: Partition, measure: Measure | str) -> GroupRates:
    """Evaluate a partition on people: those it was found on, or others.

    Parameters
    ----------
    people : Cells or Rows
        Cells of one attribute, or rows.
    partition : Partition
        The groups.
    measure : Measure or str
        Which rate.

    Returns
    -------
    GroupRates

    Examples
    --------
    >>> from fairgroups import Cells, Partition, group_rates
    >>> cells = Cells.from_arrays([20, 30, 50, 60], [0, 0, 1, 1])
    >>> group_rates(cells, Partition.from_edges([40]), "statistical_parity").phi.tolist()
    [-0.5, 0.5]
    """
    if isinstance(people, Cells):
        return _of_cells(people, partition, measure)
    return _of_rows(people, partition, resolve_measure(measure, outcome_is_binary=people.outcome_is_binary))


def _of_cells(cells: Cells, partition: Partition, measure: Measure | str) -> GroupRates:
    if not cells.distinct:
        firsts = partition.borders()
        at = np.searchsorted(cells.first, firsts)  # the cell before begins below the border: it must end there, too
        if np.any((at > 0) & (cells.last[np.maximum(at - 1, 0)] >= firsts)):
            raise InputError(
                "a border of the partition lies inside a cell, so its groups cannot be summed from these cells.",
                "fill the cells with one cell per distinct value (n_cells=None).",
            )
    runs, owners = partition.runs(cells.first)
    if cells.missing:
        runs = np.append(runs, len(cells))
        owners = np.append(owners, len(partition.groups) if partition.missing == "group" else -1)
    n_groups = partition.n_groups
    sums = cells[measure].map(lambda x: np.add.reduceat(x, runs)).group(owners, n_groups)
    rows = np.bincount(owners[owners >= 0], np.add.reduceat(cells.rows, runs)[owners >= 0], n_groups).astype(np.int64)
    return GroupRates(partition, runs, owners, rows, sums)


def _of_rows(rows: Rows, partition: Partition, measure: Measure) -> GroupRates:
    codes = partition.codes(rows.columns)
    n_groups = partition.n_groups
    sums = moments_by(rows, measure, codes, n_groups)
    counted = np.bincount(codes[codes >= 0], rows.people[codes >= 0], n_groups).round().astype(np.int64)
    none = np.empty(0, dtype=np.intp)
    return GroupRates(partition, none, none, counted, sums)
