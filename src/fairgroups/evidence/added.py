"""Does an attribute add anything to the others? Whether the rate depends on it among people alike in all the others.

People are put in strata by the other attributes. Within a stratum each cell of the attribute should have the stratum's
rate; how far a box of cells, over some range of the others, departs from that is summed over strata (Cochran–Mantel–
Haenszel) and compared with its standard deviation, less the band's penalty. The largest such statistic over all boxes
is compared with what it is after outcomes are dealt out again within strata, in a fixed way: no seed enters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups._kernels import box_maxima
from fairgroups.cells.grid import axis_edges
from fairgroups.cells.moments import Moments
from fairgroups.cells.sample import Sample
from fairgroups.cells.space import ALL_SETS, GridAxis, moments_by
from fairgroups.evidence.band_width import quantile_of
from fairgroups.evidence.boxes import leaf_last
from fairgroups.evidence.likelihood import POWER
from fairgroups.measures import Measure

__all__ = ["Added", "added"]

Array = NDArray[np.float64]
DRAWS = 256  # the people as they are, and 255 deals
MOST_STRATA_CELLS = 6000  # strata times cells of the attribute
PEOPLE_OF_STRATUM = 20


@dataclass(frozen=True)
class Added:
    """Whether an attribute makes a difference among people alike in the other attributes.

    Attributes
    ----------
    attribute : str
        Its column.
    shown : bool
        Whether it does, as far as the data shows: with the error of the level over all the attributes together.
    p_value : float
        Of the test, times the number of attributes.
    detectable : float
        The smallest difference between its lower and its upper half, or between two such sets of levels, at equal
        values of the others, that would be shown in 80% of such samples.
    strata : int
        In how many strata the others were held equal.
    """

    attribute: str
    shown: bool
    p_value: float
    detectable: float
    strata: int


def added(sample: Sample, measure: Measure, level: float) -> tuple[Added, ...]:
    """Test each of several attributes.

    Parameters
    ----------
    sample : Sample
        The people.
    measure : Measure
        Which rate.
    level : float
        Confidence level.

    Returns
    -------
    tuple of Added
        One for each attribute; none where the grid has a category too large.
    """
    axes = sample.space.axes
    if not sample.space.can_be_banded or len(axes) < 2:
        return ()
    return tuple(_test(sample, measure, d, level, len(axes)) for d in range(len(axes)))


def _test(sample: Sample, measure: Measure, d: int, level: float, judged: int) -> Added:
    strata = _Strata.of(sample, measure, d)
    name = sample.space.axes[d].name
    if strata.n < 1 or not strata.variance.sum() > 0:
        return Added(name, False, 1.0, math.nan, strata.n)
    draws = strata.deals(np.random.default_rng(0))
    largest = np.full(DRAWS, -2.0)  # below any statistic
    information = float((strata.variance * strata.totals).sum())
    for held in strata.sides():
        noise = np.bincount(strata.coarse, strata.variance_of(held), draws.shape[1]).astype(np.float64)
        if not noise.sum() > 0:
            continue
        drift = _between(draws, held)
        sums = np.ascontiguousarray(np.repeat(noise[:, None], 3, axis=1))
        largest = np.array(box_maxima(drift, sums, strata.axes, -1.0, 1.0, True, information, largest)[0])
    beyond = int(np.count_nonzero(largest[1:] >= largest[0] - 1e-6))
    p_value = min(1.0, judged * (beyond + 1) / DRAWS)
    error = (1 - level) / judged
    least = strata.detectable(quantile_of(largest[1:], 1 - error), information)
    return Added(name, p_value <= 1 - level, p_value, least, strata.n)


@dataclass(frozen=True)
class _Strata:
    """The sums of each stratum by cell of the attribute: arrays of strata × cells."""

    axis: GridAxis
    a: Array
    b: Array
    noise: Array
    variance: Array  # of a row's value, by stratum
    plain: bool  # yes or no of people who count once each
    coarse: NDArray[np.intp]  # which cell of the others' grid a stratum lies in
    axes: list[tuple[int, bool]]  # of the others' grid

    @classmethod
    def of(cls, sample: Sample, measure: Measure, d: int) -> _Strata:
        rows, axes = sample.rows, sample.space.axes
        known = ~rows.absent
        axis, others = axes[d], [i for i in range(len(axes)) if i != d]
        order = [others[i] for i in leaf_last([axes[i] for i in others])]
        fine = [_finer(axes[i], rows.columns[i].values[known], rows.people[known], axis, len(others)) for i in order]
        codes = [places(rows.columns[i].values[known]) for i, (places, _) in zip(order, fine, strict=True)]
        shape = [size for _, size in fine]
        flat = np.ravel_multi_index(codes, shape)
        used, stratum = np.unique(flat, return_inverse=True)
        grid = np.ravel_multi_index(
            [axes[i].codes(rows.columns[i].values[known]) for i in order], [axes[i].size for i in order]
        )
        coarse = np.zeros(used.size, dtype=np.intp)
        coarse[stratum] = grid  # finer cells end where the grid's do
        cell = np.full(rows.size, -1, dtype=np.intp)
        cell[known] = stratum * axis.size + axis.codes(rows.columns[d].values[known])
        sums = moments_by(rows, measure, cell, used.size * axis.size).map(lambda x: x.reshape(used.size, axis.size))
        grid_axes = [(axes[i].size, axes[i].levels is not None) for i in order]
        whole = sums.map(lambda x: x.sum(axis=1))
        plain = sums.bounded and sums.noise is sums.b and bool(np.all(sums.b == np.rint(sums.b)))
        return cls(axis, sums.a, sums.b, sums.noise, _variance(whole), plain, coarse, grid_axes)

    @property
    def n(self) -> int:
        """How many strata can say something: those with people in two cells."""
        return int(np.count_nonzero((self.b > 0).sum(axis=1) > 1))

    @property
    def totals(self) -> Array:
        """The effective number of rows of each stratum."""
        b, noise = self.b.sum(axis=1), self.noise.sum(axis=1)
        totals: Array = np.divide(b**2, noise, out=np.zeros_like(b), where=noise > 0)
        return totals

    def deals(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """Return what lies below each cell of A, less what is expected, by cell of the others' grid and draw.

        The first draw is what was seen. Of a category, what each level holds.
        """
        strata, cells = self.a.shape
        n = math.prod(size for size, _ in self.axes)
        ranked = self.axis.levels is None
        out = np.zeros((cells + ranked, n, DRAWS), dtype=np.float32)
        sizes, yes = np.rint(self.b).astype(np.int64), np.rint(self.a.sum(axis=1)).astype(np.int64)
        for k in range(strata):
            total = self.b[k].sum()
            if not total > 0:
                continue
            share = self.b[k] / total
            out[ranked:, self.coarse[k], 0] += self.a[k] - share * self.a[k].sum()
            if not self.plain:
                noise = rng.standard_normal((cells, DRAWS - 1)) * np.sqrt(self.variance[k] * self.noise[k])[:, None]
                out[ranked:, self.coarse[k], 1:] += noise - share[:, None] * noise.sum(axis=0)
            elif 0 < yes[k] < total:
                dealt = rng.multivariate_hypergeometric(sizes[k], int(yes[k]), size=DRAWS - 1, method="marginals")
                out[ranked:, self.coarse[k], 1:] += dealt.T - (share * yes[k])[:, None]
        return np.cumsum(out, axis=0, dtype=np.float32) if ranked else out

    def sides(self) -> Iterator[NDArray[np.intp] | slice]:
        """Yield every side of the attribute but the whole, and only one of two that add up to it."""
        m = self.axis.size
        if self.axis.levels is None:
            yield from (slice(i, j) for i in range(m) for j in range(i + 1, m + 1) if j - i < m and (i == 0 or j < m))
        elif m <= ALL_SETS:
            for held in range(1, 2 ** (m - 1)):
                yield np.array([i for i in range(m) if held >> i & 1], dtype=np.intp)
        else:
            yield from (np.array([i], dtype=np.intp) for i in range(m))

    def variance_of(self, held: NDArray[np.intp] | slice) -> Array:
        """Return by stratum the variance of how far some cells of the attribute depart."""
        b, noise = self.b[:, held].sum(axis=1), self.noise[:, held].sum(axis=1)
        all_b, all_noise = self.b.sum(axis=1), self.noise.sum(axis=1)
        w = np.divide(b, all_b, out=np.zeros_like(b), where=all_b > 0)
        return np.where((w > 0) & (w < 1), self.variance * ((1 - w) ** 2 * noise + w**2 * (all_noise - noise)), 0.0)

    def detectable(self, quantile: float, information: float) -> float:
        """Return the difference between the halves of the attribute that would be shown in 80% of such samples."""
        order = np.arange(self.axis.size)
        if self.axis.levels is not None:
            order = np.argsort(-self.b.sum(axis=0), kind="stable")
        below = np.cumsum(self.b.sum(axis=0)[order])
        at = int(np.argmin(np.abs(below[:-1] / below[-1] - 0.5))) + 1 if order.size > 1 else 1
        half = order[:at]
        variance = float(self.variance_of(half).sum())
        b, all_b = self.b[:, half].sum(axis=1), self.b.sum(axis=1)
        weight = float(np.sum(np.divide(b * (all_b - b), all_b, out=np.zeros_like(b), where=all_b > 0)))
        if not variance > 0 or not weight > 0:
            return math.nan
        root = quantile + math.sqrt(2 * (1 + math.log(max(information / variance, 1.0)))) + POWER
        return root * math.sqrt(variance) / weight


def _between(draws: NDArray[np.float32], held: NDArray[np.intp] | slice) -> NDArray[np.float32]:
    """Return how far some cells of the attribute depart, by cell of the others' grid and draw."""
    if isinstance(held, slice):
        between: NDArray[np.float32] = draws[held.stop] - draws[held.start]
        return between
    return np.ascontiguousarray(draws[held].sum(axis=0, dtype=np.float32))


def _variance(whole: Moments) -> Array:
    """Return the variance of a row's value in each stratum; of amounts, the same in all."""
    rate = np.divide(whole.a, whole.b, out=np.zeros_like(whole.a), where=whole.b > 0)
    if whole.bounded:
        n = whole.effective_size
        of_rates: Array = rate * (1 - rate) * np.divide(n, n - 1, out=np.zeros_like(n), where=n > 1)
        return of_rates
    squares = np.maximum(whole.aa - 2 * rate * whole.ab + rate**2 * whole.bb, 0.0)
    freedom = float(np.sum(np.maximum(whole.effective_size - 1, 0.0)))
    each = squares.sum() / whole.bb.sum() * whole.effective_size.sum() / max(freedom, 1.0)
    return np.full(rate.shape, float(each))


def _finer(axis: GridAxis, values: Array, people: Array, tested: GridAxis, others: int) -> tuple:  # type: ignore[type-arg]
    """Return which stratum values fall in, and how many there are: finer than the grid where the people are many."""
    if axis.levels is not None:
        return axis.codes, axis.size
    strata = min(MOST_STRATA_CELLS / tested.size, people.sum() / PEOPLE_OF_STRATUM)
    each = max(int(strata ** (1 / others)), 1)
    edges = axis.first if each <= axis.size else np.union1d(axis.first, axis_edges(values, each, people))

    def places(x: Array, edges: Array = edges) -> NDArray[np.intp]:
        return np.maximum(np.searchsorted(edges, x, side="right") - 1, 0)

    return places, int(edges.size)
