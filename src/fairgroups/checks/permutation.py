"""A second opinion on whether there is any discrimination at all: outcomes dealt out again at random.

If the outcome does not depend on the attribute, every way to deal the outcomes to the people is as likely as the one
seen. The variance of Φ of the best 2, 3, 4 and 5 groups is compared with what it is after such deals; the most striking
of the four counts, against the most striking of each deal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups._kernels import best_boxes, best_segments
from fairgroups.cells.grid import SpaceGrid
from fairgroups.cells.sample import Sample, plain_sums
from fairgroups.measures import Measure
from fairgroups.progress import on_two_threads
from fairgroups.rows.rows import Rows, quantiles
from fairgroups.rows.weights import weighted_sums
from fairgroups.search.boxes import seconds_needed

__all__ = ["Permutation", "permutation_test"]

Array = NDArray[np.float64]
Progress = Callable[[float], object]
GROUPS = (2, 3, 4, 5)
CELLS = 256
CELLS_OF_AXIS = 12
FEWEST = 99  # deals
WORK = 2e8  # rows dealt in all, where outcomes are not yes/no
WORK_OF_CELLS = 4e6  # cells searched in all
SECONDS, WIDTH = 0.05, 3  # of a search of all divisions, by its estimate; beyond, how many at a time a beam follows


@dataclass(frozen=True)
class Permutation:
    """The result: `p_value` = (b + 1)/(n_draws + 1), b deals being at least as striking as the data.

    In an audit it is adjusted for the share of the error that the test is given: it is shown where it is at most
    1 − level.

    `variance` is the variance of Φ of the best 2, 3, … groups of the test's cells.
    """

    p_value: float
    n_draws: int
    variance: list[float]


def permutation_test(
    sample: Sample, measure: Measure, *, n_draws: int = 999, seed: int = 0, progress: Progress | None = None
) -> Permutation:
    """Test one group against more.

    Parameters
    ----------
    sample : Sample
        The data; people who count in the measure and whose attributes are known are used.
    measure : Measure
        Which rate.
    n_draws, seed : int
        How many deals, and their seed. Very long tables of other than yes/no outcomes, and very many crossed levels,
        get fewer.
    progress : callable, optional
        Called with the share of the work done.

    Returns
    -------
    Permutation

    Notes
    -----
    Outcomes are dealt with their weights. With clusters, all outcomes of one go to another with as many rows, so what
    they have in common stays together. The rows of missing attributes are left out. Where categories have so many
    levels that not every division can be tried in every deal, those that a beam finds count, of data and deals alike.
    """
    counted = _plain_cells(sample, measure)
    kept, a, b = _kept(sample.rows, measure) if counted is None else (None, np.empty(0), np.empty(0))
    line = sample.is_line
    if counted is not None:
        grid = counted
    else:
        assert kept is not None
        people = kept.people
        sums = [(kept.times(a), kept.times(b))]
        grid = SpaceGrid.sums(kept.columns, sums, CELLS if line else CELLS_OF_AXIS, people)[0]
    total = float(grid.b.sum())
    axes = [(size, c.levels is not None) for size, c in zip(grid.shape, sample.rows.columns, strict=True)]
    most = min(max(GROUPS) if line else 4, int(np.count_nonzero(grid.b)))
    if most < 2:
        return Permutation(1.0, 0, [])
    width = 0
    if not line:
        width = WIDTH if seconds_needed([size for size, _ in axes], [c for _, c in axes], most) > SECONDS else 0
        n_draws = int(min(n_draws, max(FEWEST, WORK_OF_CELLS / grid.b.size)))

    def statistic(sums: Array, mass: Array) -> list[float]:
        centred = sums - mass * (sums.sum() / total)
        if not line:
            found = best_boxes(centred, mass, grid.rows, axes, most, 0.0, 0.0, width, _quiet)
            return [t / total for t, boxes in found if boxes][1:]
        used = mass > 0
        x, w = centred[used], mass[used]
        out = []
        for cut in best_segments(x, w, w, most, 0.0, 0.0)[1:]:
            starts = np.concatenate([[0], np.asarray(cut, dtype=np.intp)])
            out.append(float(np.sum(np.add.reduceat(x, starts) ** 2 / np.add.reduceat(w, starts)) / total))
        return out

    if kept is None or _is_plain(kept, a, b):
        deal = _counts(grid, int(grid.a.sum()))
    else:
        n_draws = int(min(n_draws, max(FEWEST, WORK / max(a.size, 1))))
        flat = grid.places(kept.columns)
        if kept.count is not None:
            deal = _normal(a, b, kept.people, flat, grid)
        else:
            deal = _values(a, b, kept.cluster, flat, grid.b.size, kept.strata)
    seeds = np.random.SeedSequence(seed).spawn(n_draws)

    def one(sequence: np.random.SeedSequence) -> list[float]:
        return statistic(*deal(np.random.default_rng(sequence)))

    seen = statistic(grid.a, grid.b)
    drawn = on_two_threads(one, seeds, progress)
    few = min(len(row) for row in (seen, *drawn))
    table = np.array([row[:few] for row in (seen, *drawn)])
    table = np.round(table / max(table.max(), 1e-300), 12)  # deals that repeat the data are ties, whatever the rounding
    # For each number of groups the rank among all; the best rank of each deal; the data's rank among those.
    ranks = np.stack([np.searchsorted(np.sort(-column), -column, side="right") for column in table.T])
    best = ranks.min(axis=0)
    return Permutation(float(np.mean(best <= best[0])), n_draws, [float(x) for x in seen])


def _kept(rows: Rows, measure: Measure) -> tuple[Rows, Array, Array]:
    a, b = weighted_sums(rows, measure)
    keep = np.flatnonzero((b > 0) & ~rows.absent)
    return rows.take(keep), a[keep], b[keep]


def _is_plain(rows: Rows, a: Array, b: Array) -> bool:
    """Whether everybody counts once and outcomes are yes or no."""
    return rows.weight is None and rows.cluster is None and bool(np.all(b == 1) and np.all((a == 0) | (a == 1)))


def _plain_cells(sample: Sample, measure: Measure) -> SpaceGrid | None:
    """Return the cells of the test where they follow from those of the sample."""
    sums = plain_sums(sample, measure)
    if sums is None:
        return None
    values, a, people = sums
    lower = values
    if values.size > CELLS:
        lower = np.unique(quantiles(values, np.arange(CELLS) / CELLS, people))
    starts = np.searchsorted(values, lower)
    a, b = (np.add.reduceat(x, starts) for x in (a, people))
    return SpaceGrid((lower,), (lower.size,), a, b, b)


Deal = Callable[[np.random.Generator], tuple[Array, Array]]


def _counts(grid: SpaceGrid, positives: int) -> Deal:
    sizes = grid.rows.astype(np.int64)

    def deal(rng: np.random.Generator) -> tuple[Array, Array]:
        if sizes.sum() < 1_000_000_000:
            return rng.multivariate_hypergeometric(sizes, positives, method="marginals").astype(np.float64), grid.b
        return rng.binomial(sizes, positives / sizes.sum()).astype(np.float64), grid.b

    return deal


def _normal(a: Array, b: Array, people: Array, flat: NDArray[np.intp], grid: SpaceGrid) -> Deal:
    """Deal sums of many people, which are close to normal: B stays where it is, A goes with it."""
    rate = float(grid.a.sum() / grid.b.sum())
    variance = float(np.sum(people * (a - rate * b) ** 2) / np.sum(people * b**2))
    squares = np.bincount(flat, people * b**2, grid.b.size).astype(np.float64)

    def deal(rng: np.random.Generator) -> tuple[Array, Array]:
        noise = np.sqrt(variance * squares) * rng.standard_normal(squares.size)
        return rate * grid.b + noise - grid.b * (noise.sum() / grid.b.sum()), grid.b

    return deal


def _values(
    a: Array,
    b: Array,
    cluster: NDArray[np.intp] | None,
    flat: NDArray[np.intp],
    n_cells: int,
    strata: NDArray[np.intp] | None = None,
) -> Deal:
    blocks = [] if cluster is None else _blocks(cluster)
    alike = None if strata is None else np.argsort(strata, kind="stable")

    def deal(rng: np.random.Generator) -> tuple[Array, Array]:
        if strata is not None and alike is not None:  # among people alike in the factors
            source = np.empty(a.size, dtype=np.intp)
            source[alike] = np.argsort(strata + rng.random(a.size))
        elif cluster is None:
            source = rng.permutation(a.size)
        else:
            source = np.empty(a.size, dtype=np.intp)
            for block in blocks:  # clusters of one size, a row of the block each
                source[block.ravel()] = rng.permuted(block[rng.permutation(block.shape[0])], axis=1).ravel()
        sums, mass = (np.bincount(flat, x[source], n_cells).astype(np.float64) for x in (a, b))
        return sums, mass

    return deal


def _blocks(cluster: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Return the rows of clusters, those of equal size together."""
    order = np.argsort(cluster, kind="stable")
    size = np.bincount(cluster)
    of_row = size[cluster[order]]
    return [order[of_row == m].reshape(-1, m) for m in np.unique(size[size > 0])]


def _quiet(_: float) -> None:
    return None
