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
from fairgroups.cells.moments import moments_by
from fairgroups.cells.sample import Sample
from fairgroups.cells.space import ALL_SETS, GridAxis
from fairgroups.evidence.band_width import quantile_of
from fairgroups.evidence.boxes import leaf_last
from fairgroups.evidence.likelihood import POWER
from fairgroups.measures import Measure
from fairgroups.rows.weights import weighted_sums

__all__ = ["Added", "added"]

Array = NDArray[np.float64]
FEWEST_DRAWS, MANY_DRAWS, MOST_DRAWS = 256, 4096, 20_000  # the people as they are, and deals
LEAST_DRAWS = 1.3  # over the error: with fewer nothing could be shown
MOST_DEALT = 60_000  # rows that are dealt one by one; beyond, sums of many are close to normal
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
    least_p : float
        The smallest p-value that so many deals can give.
    detectable : float
        The smallest difference at equal values of the others that would be shown in 80% of such samples: between its
        lower and its upper half, or between some levels and the rest.
    levels : tuple of str
        Of a category, these levels.
    lower : float
        Of a number, the share of people in what is called its lower half; another where many have one value.
    strata : int
        In how many strata the others were held equal.
    """

    attribute: str
    shown: bool
    p_value: float
    least_p: float
    detectable: float
    levels: tuple[str, ...]
    strata: int
    lower: float = 0.5


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
        One for each attribute of more than one value; none where the grid has a category too large, or where the level
        is so near to 1 that no number of deals that can be made would show anything.
    """
    axes = sample.space.axes
    tested = [d for d, axis in enumerate(axes) if axis.size > 1]
    if not sample.space.can_be_banded or len(tested) < 2:
        return ()
    found = [_test(sample, measure, d, level, len(tested)) for d in tested]
    return tuple(one for one in found if one is not None)


def _test(sample: Sample, measure: Measure, d: int, level: float, judged: int) -> Added | None:
    strata = _Strata.of(sample, measure, d)
    name = sample.space.axes[d].name
    error = (1 - level) / judged
    n_draws = 16 * math.ceil(max(min(4 / error, MANY_DRAWS), LEAST_DRAWS / error, FEWEST_DRAWS) / 16)
    if n_draws > MOST_DRAWS:
        return None
    information = float((strata.variance * strata.n.sum(axis=1)).sum())
    if strata.telling < 1 or not information > 0:
        return Added(name, False, 1.0, judged / n_draws, math.nan, (), strata.telling)
    p_value, quantile = 0.0, -math.inf
    for local in (False,) if strata.yes is not None else (False, True):  # amounts may scatter more in some places
        largest = strata.largest(n_draws, information, local=local)
        beyond = int(np.count_nonzero(largest[1:] >= largest[0] - 1e-6))
        p_value = max(p_value, min(1.0, judged * (beyond + 1) / n_draws))
        quantile = max(quantile, quantile_of(largest[1:], 1 - error))
    half = strata.half()
    least = strata.detectable(half, quantile, information)
    if strata.yes is not None and least > 1:  # no two rates are as far apart
        least = math.nan
    levels = tuple(strata.axis.levels[i] for i in half.tolist()) if strata.axis.levels is not None else ()
    people = strata.n.sum(axis=0)
    lower = float(people[half].sum() / people.sum()) if not levels else 0.5
    return Added(name, p_value <= 1 - level, p_value, judged / n_draws, least, levels, strata.telling, lower)


@dataclass(frozen=True)
class _Strata:
    """How far rows depart from the rate of their stratum, by stratum and cell of the attribute.

    `residual` sums (a − r b) over the rows of a cell, `n` counts those rows, more where rows of one cluster repeat each
    other, and `variance` is that of one row's departure in each stratum: a permutation of the rows of a stratum moves a
    set of cells with n of its N rows by variance · n (N − n)/(N − 1).
    """

    axis: GridAxis
    residual: Array
    b: Array
    n: Array
    variance: Array
    yes: NDArray[np.int64] | None  # where people count once each: how many of a stratum have the outcome
    rows: tuple[NDArray[np.intp], NDArray[np.intp], Array] | None  # stratum, cell and departure, where rows are dealt
    coarse: NDArray[np.intp]  # which cell of the others' grid a stratum lies in
    axes: list[tuple[int, bool]]  # of the others' grid
    one: float  # what one yes is worth
    scatter: Array  # squares of departures, by stratum and cell: amounts may scatter more in some places

    @classmethod
    def of(cls, sample: Sample, measure: Measure, d: int) -> _Strata:
        rows, axes = sample.rows, sample.space.axes
        a, b = weighted_sums(rows, measure)
        known = np.flatnonzero(~rows.absent & (b > 0))
        axis = axes[d]
        others = sorted((i for i in range(len(axes)) if i != d), key=lambda i: axes[i].name)  # whatever order was asked
        order = [others[i] for i in leaf_last([axes[i] for i in others])]
        people = rows.people[known]
        values = {i: rows.columns[i].values[known] for i in (*order, d)}
        fine = [_finer(axes[i], values[i], people, axis, len(others)) for i in order]
        codes = [places(values[i]) for i, (places, _) in zip(order, fine, strict=True)]
        used, stratum = np.unique(np.ravel_multi_index(codes, [size for _, size in fine]), return_inverse=True)
        stratum = np.ravel(stratum)
        grid = np.ravel_multi_index([axes[i].codes(values[i]) for i in order], [axes[i].size for i in order])
        coarse = np.zeros(used.size, dtype=np.intp)
        coarse[stratum] = grid  # finer cells end where the grid's do
        cell = axis.codes(values[d])
        shape = (used.size, axis.size)

        def summed(x: Array) -> Array:
            flat = np.bincount(stratum * axis.size + cell, x * people, shape[0] * shape[1])
            return flat.astype(np.float64).reshape(shape)

        a, b = a[known], b[known]
        sums_b = summed(b)
        rate = (summed(a).sum(axis=1) / sums_b.sum(axis=1))[stratum]
        departs = a - rate * b
        unit = float(np.sqrt(np.average(departs**2, weights=people))) or 1.0
        departs = departs / unit
        n, scatter = summed(np.ones(known.size)), summed(departs**2)
        squares, size = scatter.sum(axis=1), n.sum(axis=1)
        variance = np.divide(squares, size - 1, out=np.zeros_like(squares), where=size > 1)
        yes, dealt = None, None
        plain = (
            rows.weight is None and rows.cluster is None and bool(np.all(b == b[0]) and np.isin(a, (0.0, b[0])).all())
        )
        if plain:
            yes = np.rint(summed(a).sum(axis=1) / b[0]).astype(np.int64)
        elif rows.cluster is None and rows.count is None and known.size <= MOST_DEALT:
            dealt = (stratum, cell, departs)
        if rows.cluster is not None:  # the noise of clusters, by stratum, as the band counts it
            where = np.full(rows.size, -1, dtype=np.intp)
            where[known] = stratum
            more = moments_by(rows, measure, where, used.size).design_effect
            n, scatter = (x * np.maximum(more, 1.0)[:, None] for x in (n, scatter))
        grid_axes = [(axes[i].size, axes[i].levels is not None) for i in order]
        one = b[0] / unit if plain else 1.0
        residual = summed(departs)
        return cls(axis, residual, sums_b / unit, n, variance, yes, dealt, coarse, grid_axes, one, scatter)

    @property
    def telling(self) -> int:
        """How many strata can say something: those with people in two cells."""
        return int(np.count_nonzero((self.n > 0).sum(axis=1) > 1))

    def largest(self, n_draws: int, information: float, *, local: bool) -> Array:
        """Return the largest statistic over all sides and boxes: of what was seen, and of deals."""
        draws = self.deals(np.random.default_rng(0), n_draws, local=local)
        found = np.full(n_draws, -2.0)  # below any statistic
        for held in self.sides():
            noise = np.bincount(self.coarse, self.variance_of(held), draws.shape[1]).astype(np.float64)
            if not noise.sum() > 0:
                continue
            sums = np.ascontiguousarray(np.repeat(noise[:, None], 3, axis=1))
            drift = _between(draws, held)
            found = np.array(box_maxima(drift, sums, self.axes, -1.0, 1.0, True, information, found)[0])
        return found

    def deals(self, rng: np.random.Generator, n_draws: int, *, local: bool = False) -> NDArray[np.float32]:
        """Return the departures below each cell, by cell of the others' grid and draw.

        The first draw is what was seen; of a category, what each level holds. Outcomes are dealt out again within
        strata, or, `local`, each cell's sum is drawn with the scatter that it has.
        """
        strata, cells = self.n.shape
        grid = math.prod(size for size, _ in self.axes)
        ranked = self.axis.levels is None
        out = np.zeros((cells + ranked, grid, n_draws), dtype=np.float32)
        inner = out[int(ranked) :]
        np.add.at(inner[:, :, 0].T, self.coarse, self.residual.astype(np.float32))
        if self.rows is not None and not local:
            self._rows_dealt(inner, rng)
        else:
            share = self.n / np.maximum(self.n.sum(axis=1, keepdims=True), 1e-300)
            for k in range(strata):
                if self.yes is None:
                    spread = np.sqrt(self.scatter[k] if local else self.variance[k] * self.n[k])
                    noise = rng.standard_normal((cells, n_draws - 1)) * spread[:, None]
                    inner[:, self.coarse[k], 1:] += noise - share[k][:, None] * noise.sum(axis=0)
                elif 0 < self.yes[k] < self.n[k].sum():
                    sizes = np.rint(self.n[k]).astype(np.int64)
                    many = rng.multivariate_hypergeometric(
                        sizes, int(self.yes[k]), size=n_draws - 1, method="marginals"
                    )
                    inner[:, self.coarse[k], 1:] += self.one * (many.T - (share[k] * self.yes[k])[:, None])
        return np.cumsum(out, axis=0, dtype=np.float32) if ranked else out

    def _rows_dealt(self, inner: NDArray[np.float32], rng: np.random.Generator) -> None:
        """Deal the departures of rows out again within their strata."""
        assert self.rows is not None
        stratum, cell, departs = self.rows
        order = np.lexsort((departs, cell, stratum))  # by what they are, so that the order of rows does not matter
        stratum, cell, departs = stratum[order], cell[order], departs[order]
        place = self.coarse[stratum] + cell * inner.shape[1]
        for k in range(1, inner.shape[2]):
            dealt = np.argsort(stratum + rng.random(stratum.size))
            inner[:, :, k] = np.bincount(place, departs[dealt], inner.shape[0] * inner.shape[1]).reshape(
                inner.shape[:2]
            )

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
        own, total = self.n[:, held].sum(axis=1), self.n.sum(axis=1)
        inside = (own > 0.5) & (own < total - 0.5)
        share = np.divide(own, total, out=np.zeros_like(own), where=total > 0)
        return np.where(inside, self.variance * own * (1 - share), 0.0)

    def half(self) -> NDArray[np.intp]:
        """Return the lower half of a number; of a category its largest levels, or level where they are many."""
        people = self.n.sum(axis=0)
        if self.axis.levels is None:
            order = np.arange(self.axis.size)
        else:
            order = np.argsort(-people, kind="stable")
            if self.axis.size > ALL_SETS:
                return order[:1]
        below = np.cumsum(people[order])
        return order[: int(np.argmin(np.abs(below[:-1] / below[-1] - 0.5))) + 1]

    def detectable(self, half: NDArray[np.intp], quantile: float, information: float) -> float:
        """Return the difference between some cells and the rest that would be shown in 80% of such samples."""
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
