"""The rate along one attribute: what charts draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
from fairgroups.measures import Measure
from fairgroups.options import FEWEST_TOLD

__all__ = ["Stretch", "rate_curve"]


@dataclass(frozen=True)
class Stretch:
    """A stretch of an attribute: its ends, the middle of its people, how many they are, and their rate.

    `at_equal` is their rate were their factors everybody's, where people are compared at equal factors.
    """

    low: float
    high: float
    middle: float
    n: int
    rate: float
    at_equal: float = float("nan")


def rate_curve(
    cells: Cells, measure: Measure | str, borders: NDArray[np.intp], most: int = 60, min_cell: int = FEWEST_TOLD
) -> list[Stretch]:
    """Return the rate along the attribute on about `most` stretches of equal weight, none across a border of groups.

    Stretches of fewer people than `min_cell` are joined with their neighbours; where a whole group has fewer, it is
    left out.
    """
    n = len(cells)
    moments = cells[measure].map(lambda x: x[:n])
    holds = np.flatnonzero(moments.b > 0)
    below = np.cumsum(moments.b) - moments.b
    marks = np.searchsorted(below, moments.b.sum() * np.arange(most) / most)
    first = holds if holds.size <= most else np.unique(np.minimum(marks, n - 1))
    borders = borders[borders < n]
    first = np.unique(np.concatenate([[0], first[1:], borders])).astype(np.intp)
    counted = np.minimum(cells.rows[:n], moments.effective_size)  # people in the rate's denominator
    first = _roomy(first, np.add.reduceat(counted, first), set(borders.tolist()), min_cell)
    bins = moments.map(lambda x: np.add.reduceat(x, first))
    middle = np.add.reduceat(moments.b * cells.edges, first) / np.where(bins.b > 0, bins.b, 1.0)
    rows = np.add.reduceat(cells.rows[:n], first)
    last = np.append(cells.edges[first[1:] - 1], cells.high)
    enough = np.add.reduceat(counted, first) >= min_cell
    table = zip(cells.edges[first], last, middle, rows, bins.a, bins.b, enough, strict=True)
    return [
        Stretch(float(lo), float(hi), float(x), int(k), float(a / b) + moments.offset)
        for lo, hi, x, k, a, b, many in table
        if b > 0 and many
    ]


def _roomy(first: NDArray[np.intp], people: NDArray[np.float64], borders: set[int], min_cell: int) -> NDArray[np.intp]:
    """Join stretches, not across a border, until each holds enough people, as far as that is possible."""
    kept: list[int] = []
    held = 0.0
    for start, n in zip(first.tolist(), people.tolist(), strict=True):
        if not kept or start in borders or held >= min_cell:
            if kept and held < min_cell and len(kept) > 1 and kept[-1] not in borders:
                kept.pop()  # the few that are left over join the stretch before
            kept.append(start)
            held = 0.0
        held += n
    if held < min_cell and len(kept) > 1 and kept[-1] not in borders:
        kept.pop()
    return np.array(kept, dtype=np.intp)
