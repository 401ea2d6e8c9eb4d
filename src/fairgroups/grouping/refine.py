"""Groups of people that were counted in cells: the cells where a border may lie are counted value by value.

So a table with more distinct values than cells gets the borders that it would get in memory.

Notes
-----
Which cells these are is found by an optimistic search. Inside a cell people may stand in any order; the sum of A²/B is
convex in the sums before a border, so it is largest where those with the lower values stand first, or last. With such
places added to the cells the same exact search says what borders could reach at best, once for rates that rise and
once for rates that fall; each border is also tried at both kinds of places, the others kept. Cells in which a border
could do better than at the ends of cells are counted value by value, and so on until there are none. For numeric
outcomes a cell's lower and higher values stand for its people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups._kernels import best_segments
from fairgroups.cells.cells import Cells
from fairgroups.cells.sample import Sample
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.grouping.find import SearchResult, find
from fairgroups.grouping.number_of_groups import CANDIDATES
from fairgroups.grouping.search_options import SearchOptions
from fairgroups.measures import JointMeasure, Measure, parts_of
from fairgroups.options import Missing
from fairgroups.partition.partition import Partition
from fairgroups.reading import Reading
from fairgroups.rows.weights import weighted_sums
from fairgroups.search.path import Units

__all__ = ["find_finely"]

Array = NDArray[np.float64]
Places = NDArray[np.intp]
MOST_PASSES = 6
MOST_CELLS = 4000  # told apart for one border


def find_finely(
    reading: Reading,
    sample: Sample,
    measure: Measure | JointMeasure,
    options: SearchOptions,
    inference: InferenceOptions,
    missing: Missing,
) -> tuple[Sample, SearchResult]:
    """Search, and where borders may lie inside cells search again with these told apart.

    Returns
    -------
    Sample, SearchResult
        The people as they were counted last, and what was found among them.
    """
    result = find(sample, measure, options, inference, missing)
    if reading.frame is None or not sample.is_line or options.n_cells is not None:
        return sample, result
    simple = not isinstance(measure, JointMeasure) and options.against != "rest" and options.monotonic is None
    wanted: set[float] = set()
    for _ in range(MOST_PASSES):
        cells = sample.cells
        coarse = cells.last > cells.first
        doubtful = [_beside(cells, result.partition)]
        if simple and result.partition.n_groups > 1:
            first = parts_of(measure)[0]
            doubtful.append(_Optimistic.of(sample, first).doubtful(len(result.partition.groups), result))
            if options.automatic:
                doubtful.append(_candidates(cells, first))
        at = np.unique(np.concatenate(doubtful))
        new = set(cells.first[at[coarse[at]]].tolist()) - wanted
        if not new:
            break
        wanted |= new
        rows = reading.finer(np.array(sorted(wanted)))
        sample = sample.of(rows.centred() if sample.rows.offset else rows)
        result = find(sample, measure, options, inference, missing)
    return sample, result


def _beside(cells: Cells, partition: Partition) -> Places:
    """Return the cells on both sides of the borders."""
    at = np.searchsorted(cells.first, partition.borders())
    beside = np.unique(np.concatenate([at - 1, at])).astype(np.intp)
    return beside[(beside >= 0) & (beside < len(cells))]


def _candidates(cells: Cells, measure: Measure) -> Places:
    """Return the cells among which homogeneous groups are looked for; see `by_band`."""
    starts = Units.of(cells, measure).at_most(CANDIDATES).starts
    return np.unique(np.concatenate([np.maximum(starts - 1, 0), starts]))


@dataclass(frozen=True)
class _Optimistic:
    """What lies before each cell, and before the two places inside it where a border would do best.

    `before` holds A, B and people before a cell, with those of everybody at the end; `inside` the same before the place
    behind a cell's lower values, were they to stand first, and behind its higher ones; NaN in cells of one value.
    """

    before: Array
    inside: tuple[Array, Array]

    @classmethod
    def of(cls, sample: Sample, measure: Measure) -> _Optimistic:
        cells, rows = sample.cells, sample.rows
        n, moments = len(cells), cells[measure]
        used = np.flatnonzero(~rows.absent)
        a, b = (rows.times(x)[used] for x in weighted_sums(rows, measure))
        at = np.maximum(np.searchsorted(cells.first, rows.sensitive[used], side="right") - 1, 0)
        rate = np.divide(moments.a[:n], moments.b[:n], out=np.zeros(n), where=moments.b[:n] > 0)
        low = a <= rate[at] * b
        lower = np.stack([np.bincount(at[low], x[low], n) for x in (a, b, rows.people[used])])
        whole = np.stack([moments.a[:n], moments.b[:n], cells.rows[:n]])
        centre = np.array([[whole[0].sum() / whole[1].sum()], [0.0], [0.0]])
        lower, whole = lower - centre * lower[1], whole - centre * whole[1]
        higher = whole - lower
        split = (cells.last > cells.first) & (lower[1] > 0) & (higher[1] > 0)
        before = np.concatenate([np.zeros((3, 1)), np.cumsum(whole, axis=1)], axis=1)
        inside = tuple(np.where(split, before[:, :-1] + part, np.nan) for part in (lower, higher))
        return cls(before, inside)  # type: ignore[arg-type]

    def doubtful(self, n_groups: int, result: SearchResult) -> Places:
        """Return the cells in which a border of this many groups may do better than at any that was seen."""
        out = []
        for inside in self.inside:
            places, cell = self._with(inside)
            a, b, people = np.diff(places, axis=1)
            use = b > 0
            cuts = best_segments(a[use], b[use], people[use], n_groups, result.limits.rows, result.limits.b)[-1]
            at = np.flatnonzero(use)[np.asarray(cuts, dtype=np.intp)]
            out.append(cell[at][cell[at] >= 0])
            out += self._better([0, *at.tolist(), places.shape[1] - 1], places)
        return np.unique(np.concatenate(out)).astype(np.intp)

    def _with(self, inside: Array) -> tuple[Array, Places]:
        """Return all places in order, and the cell of those inside one; −1 for real ones."""
        n = inside.shape[1]
        every = np.concatenate([self.before, inside], axis=1)
        cell = np.concatenate([np.full(n + 1, -1), np.arange(n)])
        order = np.argsort(np.concatenate([np.arange(n + 1.0), np.arange(n) + 0.5]), kind="stable")
        order = order[~np.isnan(every[0, order])]
        return every[:, order], cell[order]

    def _better(self, ends: list[int], places: Array) -> list[Places]:
        """Return cells inside which one border would do better than at any cell's end, the others kept."""
        out = []
        for left, right in zip(ends, ends[2:], strict=False):
            start, stop = places[:2, left], places[:2, right]

            def gain(at: Array, start: Array = start, stop: Array = stop) -> Array:
                with np.errstate(divide="ignore", invalid="ignore"):
                    value: Array = (at[0] - start[0]) ** 2 / (at[1] - start[1])
                    value += (stop[0] - at[0]) ** 2 / (stop[1] - at[1])
                return np.where((at[1] > start[1]) & (at[1] < stop[1]), value, -np.inf)

            real = float(np.max(gain(self.before)))
            for inside in self.inside:
                value = np.nan_to_num(gain(inside), nan=-np.inf)
                better = np.flatnonzero(value >= real * (1 - 1e-12))
                out.append(better[np.argsort(-value[better], kind="stable")[:MOST_CELLS]])
        return out
