"""The rate along one attribute and over the plane of two: what charts draw."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
from fairgroups.measures import Measure
from fairgroups.rows.rows import Rows, quantiles, weighted_sums

__all__ = ["PlaneCell", "Stretch", "rate_curve", "rate_plane"]

FEWEST = 10  # people that a cell of the plane stands for
ROOMY = 30  # that it holds on average


@dataclass(frozen=True)
class Stretch:
    """A stretch of an attribute: its ends, the middle of its people, how many they are, and their rate."""

    low: float
    high: float
    middle: float
    n: int
    rate: float


@dataclass(frozen=True)
class PlaneCell:
    """A cell of the plane of two attributes, in one slice of a third: its ends, or its level, its people and rate."""

    rate: float
    n: int
    x_low: float | str
    x_high: float | str
    y_low: float | str = 0.0
    y_high: float | str = 1.0
    z_low: float | str | None = None
    z_high: float | str | None = None


def rate_curve(cells: Cells, measure: Measure | str, borders: NDArray[np.intp], most: int = 60) -> list[Stretch]:
    """Return the rate along the attribute on about `most` stretches of equal weight, none across a border of groups."""
    n = len(cells)
    moments = cells[measure].map(lambda x: x[:n])
    holds = np.flatnonzero(moments.b > 0)
    below = np.cumsum(moments.b) - moments.b
    marks = np.searchsorted(below, moments.b.sum() * np.arange(most) / most)
    first = holds if holds.size <= most else np.unique(np.minimum(marks, n - 1))
    first = np.unique(np.concatenate([[0], first[1:], borders[borders < n]])).astype(np.intp)
    bins = moments.map(lambda x: np.add.reduceat(x, first))
    middle = np.add.reduceat(moments.b * cells.edges, first) / np.where(bins.b > 0, bins.b, 1.0)
    rows = np.add.reduceat(cells.rows[:n], first)
    last = np.append(cells.edges[first[1:] - 1], cells.high)
    table = zip(cells.edges[first], last, middle, rows, bins.a, bins.b, strict=True)
    return [
        Stretch(float(lo), float(hi), float(x), int(k), float(a / b) + moments.offset)
        for lo, hi, x, k, a, b in table
        if b > 0
    ]


def rate_plane(rows: Rows, measure: Measure, n_cells: int = 24) -> list[PlaneCell]:
    """Return the rate over the plane of the first two attributes, on quantile cells, for charts.

    A third attribute makes one plane for each of its levels, or thirds. A category's cells carry its level's name.
    Cells of fewer than ten people are left out, unless the table is tiny.
    """
    present = ~rows.absent
    slices = 1 if len(rows.columns) < 3 else len(rows.columns[2].levels or "123")
    n_cells = int(np.clip(np.sqrt(rows.n / slices / ROOMY), 4, n_cells))  # so that most cells hold enough people
    a, b = (rows.times(x) for x in weighted_sums(rows, measure))
    people, offset = rows.people, rows.offset_of(measure)
    several = None if rows.count is None else rows.count[present]
    axes: list[tuple[NDArray[np.intp], list[tuple[Any, Any]]]] = []
    for d, column in enumerate(rows.columns[:3]):
        values = column.values[present]
        if column.levels is not None:
            axes.append((values.astype(np.intp), [(level, level) for level in column.levels]))
            continue
        cells = n_cells if d < 2 else 3
        lower = np.unique(values)
        if lower.size > cells:
            lower = np.unique(quantiles(values, np.arange(cells) / cells, several))
        last = max(float(values.max()), float(lower[-1]) + float(values.max() - values.min()) / (2 * cells))
        ends = [(float(x), float(y)) for x, y in pairwise([*lower, last])]
        axes.append((np.searchsorted(lower, values, side="right") - 1, ends))
    shape = [len(ends) for _, ends in axes]
    flat = np.ravel_multi_index([codes for codes, _ in axes], shape)
    sums = [np.bincount(flat, x, int(np.prod(shape))) for x in (a[present], b[present], people[present])]
    out = []
    few = FEWEST if people[present].sum() >= 20 * FEWEST else 1  # a cell of fewer would tell of somebody
    for i in np.flatnonzero((sums[1] > 0) & (sums[2] >= few)):
        cell: dict[str, Any] = {}
        for key, (_, ends), at in zip("xyz", axes, np.unravel_index(int(i), shape), strict=False):
            cell[f"{key}_low"], cell[f"{key}_high"] = ends[int(at)]
        out.append(PlaneCell(float(sums[0][i] / sums[1][i]) + offset, int(sums[2][i]), **cell))
    return out
