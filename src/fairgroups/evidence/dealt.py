"""People whose outcomes are dealt out again, for many columns at once.

One deal serves every column, so that columns which go together also go together in every draw: the largest excess over
all of them is compared with what it is by chance, and one error is shared by everything that was looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.evidence.every_region import EveryRegion
from fairgroups.measures import Measure
from fairgroups.rows.rows import Rows, weighted_sums

__all__ = ["Crossed", "Dealt", "Departure", "RegionScale", "charge_of", "ends_of"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Cells = NDArray[np.uint16]
CHARGE = 0.3  # of √(2 (1 + log(N/2w))), which a region is charged whose comparison weighs w (simulated)
SKEW = 0.7  # Cornish and Fisher at four and a half standard deviations: (x² − 1)/6x
MOST_OFF = 0.15  # of a standard deviation, taken off on the side where a skewed outcome has no tail
MOST_OPEN = 0.9  # of the people on one side of a box
FEW_STRATA = 4  # up to so many are summed one by one
MOST_DEALT = 80_000  # of the rarer outcome, or rows that are multiplied; of more people some stand for all


@dataclass(frozen=True)
class Dealt:
    """People in order of their strata, each with what is left of the outcome when the stratum's rate is taken off.

    Attributes
    ----------
    rows : array of int
        Which rows they are.
    strata : array of int
        Their strata, in rising order.
    left : array
        What each adds to U, the sum over a region of outcomes less what people of the same stratum have.
    weight : array
        What each counts.
    scatter : array
        The variance of what each adds where nobody is treated differently: that of the stratum, or of people whose
        outcomes are not dealt their own.
    own : array or None
        Where outcomes are amounts: the square of what is left of each. Amounts may scatter more in some places.
    yes : array of int or None
        How many of each stratum have the outcome, where it is yes or no and everybody counts once.
    cluster : array of int or None
        Who belongs together, or who weighs differently: their outcomes are not dealt, but multiplied at random.
    skew : float
        The third moment of what is left over the second: by how much sums of few people are off a normal law.
    """

    rows: Codes
    strata: Codes
    starts: NDArray[np.int64]
    left: Array
    weight: Array
    scatter: Array
    own: Array | None
    yes: NDArray[np.int64] | None
    cluster: NDArray[np.int32] | None
    skew: float

    @classmethod
    def of(cls, rows: Rows, measure: Measure, strata: Codes, place: NDArray[np.uint64]) -> Dealt:
        """Take everybody who counts in a measure.

        Parameters
        ----------
        rows : Rows
            The people.
        measure : Measure
            Which rate.
        strata : array of int
            Who is alike: a stratum for each row.
        place : array of int
            A number from each row's values: people are put in its order, so that the order of rows does not matter.

        Returns
        -------
        Dealt
        """
        a, b = weighted_sums(rows, measure)
        a, b = rows.times(a), rows.times(b)
        used = np.flatnonzero(b > 0)
        used = used[np.lexsort((a[used], place[used], strata[used]))]
        a, b = a[used], b[used]
        _, strata = np.unique(strata[used], return_inverse=True)
        strata = np.ravel(strata)
        n = int(strata[-1]) + 1 if strata.size else 0
        starts = np.concatenate([[0], np.cumsum(np.bincount(strata, minlength=n))]).astype(np.int64)
        total = np.bincount(strata, b, n)
        rate = np.bincount(strata, a, n) / total
        left = a - b * rate[strata]
        left[np.abs(left) < 1e-12 * (np.abs(a) + b * np.abs(rate[strata]))] = 0.0  # what rounding leaves of nothing
        size = total**2 / np.bincount(strata, b**2, n)
        more = np.where(size > 1 + 1e-9, size / np.maximum(size - 1, 1e-9), 0.0)
        second = float(np.sum(left**2))
        skew = float(np.sum(left**3)) / second if second > 0 else 0.0
        own = left**2 * more[strata]
        pooled = (np.bincount(strata, own, n) / np.maximum(np.bincount(strata, b**2, n), 1e-300))[strata] * b**2
        if rows.weight is None and rows.cluster is None and bool(np.all(b == b[:1])):
            if bool(np.isin(a, (0.0, 1.0)).all() and (b == 1).all()):
                yes = np.rint(np.bincount(strata, a, n)).astype(np.int64)
                return cls(used, strata, starts, left, b, pooled, None, yes, None, skew)
            return cls(used, strata, starts, left, b, pooled, own, None, None, skew)
        which = np.arange(used.size) if rows.cluster is None else _numbered(rows.cluster[used])
        together = np.bincount(np.ravel(which), left)
        effect = max(float(np.sum(together**2)) / second, 1.0) if second > 0 else 1.0
        scatter = np.maximum(own, pooled) * effect
        return cls(used, strata, starts, left, b, scatter, None, None, np.ravel(which).astype(np.int32), skew)

    @property
    def n(self) -> int:
        """Count the people."""
        return int(self.left.size)

    @property
    def n_strata(self) -> int:
        """Count the strata."""
        return int(self.starts.size - 1)

    def some(self) -> Dealt:
        """Return people enough to learn what chance does: all, or every few of very many.

        In the order of `place` neighbours are no more alike than others of their stratum.
        """
        costly = self.n
        if self.yes is not None:
            sizes = np.diff(self.starts)
            costly = int(np.minimum(self.yes, sizes - self.yes).sum())
        step = math.ceil(costly / MOST_DEALT)
        if step <= 1 or (self.cluster is not None and int(self.cluster.max()) + 1 < self.n):
            return self
        held = np.arange(0, self.n, step)
        strata = self.strata[held]
        _, codes = np.unique(strata, return_inverse=True)
        codes = np.ravel(codes)
        starts = np.concatenate([[0], np.cumsum(np.bincount(codes))]).astype(np.int64)
        yes = None
        left = self.left[held]
        if self.yes is not None:
            sizes = np.diff(starts)
            share = (self.yes / np.diff(self.starts))[np.unique(strata)]
            yes = np.rint(share * sizes).astype(np.int64)
        else:
            weight = np.bincount(codes, self.weight[held])
            left = left - self.weight[held] * (np.bincount(codes, left) / weight)[codes]
        cluster = None if self.cluster is None else np.arange(held.size, dtype=np.int32)
        own = None if self.own is None else self.own[held]
        sums = left, self.weight[held], self.scatter[held], own
        return Dealt(self.rows[held], codes, starts, *sums, yes, cluster, self.skew)

    def kernel(self) -> tuple[Any, ...]:
        """As the kernels take it."""
        if self.yes is not None:
            return self.starts, self.yes, None, None, None
        return self.starts, None, self.left, self.weight, self.cluster

    def cells(self, codes: NDArray[Any]) -> Cells:
        """Return the cells of these people, in their order."""
        return np.ascontiguousarray(codes[self.rows], dtype=np.uint16)

    def judge(self, inside: NDArray[np.bool_], root: float, wider: Sequence[NDArray[np.bool_]] = ()) -> Departure:
        """Say how far some people are from those alike in stratum, with an interval that allows so many roots.

        Parameters
        ----------
        inside : array of bool
            Who of these people.
        root : float
            How many standard errors, with what the region is charged added.
        wider : sequence of array of bool
            Of a box, the people on each of its sides: amounts scatter in it as they do there, or more.

        Returns
        -------
        Departure
        """
        n, left = self.n_strata, float(self.left[inside].sum())
        b, q = (np.bincount(self.strata[inside], x[inside], n) for x in (self.weight, self.scatter))
        all_b, all_q = (np.bincount(self.strata, x, n) for x in (self.weight, self.scatter))
        share = b / all_b
        weight, total = float(np.sum(b * (1 - share))), float(b.sum())
        null = float(np.sum(q * (1 - 2 * share) + share**2 * all_q))
        if self.own is not None:
            mine = np.bincount(self.strata[inside], self.own[inside], n)
            null = max(null, float(np.sum(mine * (1 - 2 * share) + share**2 * np.bincount(self.strata, self.own, n))))
            null = max(null, *(float(self.own[held].mean()) * weight for held in wider if held.any()), 0.0)
        seen = null
        if self.yes is not None and weight > 0:  # were the difference what it seems, rates would scatter otherwise
            more = np.where(all_b > 1, all_b / np.maximum(all_b - 1, 1), 0.0)
            seen = float(np.sum(more * _seen(b, all_b, self.yes / all_b, left / weight)))
        charge = float(charge_of(weight, float(all_b.sum())))
        ends = ends_of(left, null, seen, root + charge, self.skew, 0.0 if self.yes is None else MOST_OFF)
        most = weight if self.yes is not None else math.inf
        low, high = (min(max(float(x), -most), most) / total for x in ends)
        return Departure(left / total, low, high)

    def crossed(self, codes: Cells, n_cells: int) -> Crossed:
        """Sum by cell and stratum; people in no cell, whose code is `n_cells` or more, count outside every region."""
        inside = codes < n_cells
        place = codes[inside].astype(np.intp) * self.n_strata + self.strata[inside]
        shape = (n_cells, self.n_strata)
        n = n_cells * self.n_strata
        sums = [_summed(place, x[inside], n).reshape(shape) for x in (self.weight, self.scatter)]
        people = np.bincount(codes[inside], minlength=n_cells).astype(np.float64)
        left = _summed(codes[inside], self.left[inside], n_cells)
        every = [_summed(self.strata, x, self.n_strata) for x in (self.weight, self.scatter)]
        own, yes = None, 0.0 if self.yes is None else float(self.yes.sum())
        if self.own is not None:
            mine, whole = _summed(place, self.own[inside], n).reshape(shape), _summed(self.strata, self.own, shape[1])
            own = Crossed(sums[0], mine, left, people, every[0], whole, self.n, self.skew)
        return Crossed(sums[0], sums[1], left, people, every[0], every[1], self.n, self.skew, own, yes)


def _numbered(labels: NDArray[Any]) -> NDArray[Any]:
    """Return numbers for labels, in the order in which these first come, whatever they are."""
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    place = np.empty(first.size, dtype=np.intp)
    place[np.argsort(first, kind="stable")] = np.arange(first.size)
    return place[np.ravel(which)]


@dataclass(frozen=True)
class Departure:
    """How far people are from those alike in stratum, and its interval."""

    value: float
    low: float
    high: float


def _summed(codes: NDArray[Any], values: Array, n: int) -> Array:
    return np.bincount(codes, values, n).astype(np.float64)


def charge_of(weight: Any, total: float) -> Any:
    """Return what regions are charged for being small, whose comparison weighs so much of all."""
    return CHARGE * np.sqrt(2 * (1 + np.log(np.maximum(total / np.maximum(weight, 1e-300), 4.0) / 2)))


def _seen(b: Any, total: Any, rate: Any, far: Any) -> Any:
    """Return the variance of sums of yes and no, were people so far from the others as they seem."""
    share = b / total
    one, other = (np.clip(x, 0.0, 1.0) for x in (rate + far * (1 - share), rate - far * share))
    return (1 - share) ** 2 * b * one * (1 - one) + share**2 * (total - b) * other * (1 - other)


def _more(skew: float, spread: Any, most_off: float) -> Any:
    """Return what a skewed outcome adds to the standard deviation of a sum far out on its side, or takes off."""
    return np.maximum(SKEW * skew, -most_off * spread)


def ends_of(left: Any, null: Any, seen: Any, root: Any, skew: float, most_off: float) -> tuple[Any, Any]:
    """Return the ends of the interval of a sum, which allows so many standard errors.

    Where the sum is shown to differ from 0, the variance at x runs from that of no difference to that of the one seen,
    (left − x ∓ root · skew)² = root² (null + (seen − null) x/left), so that 0 lies outside exactly where the test says
    so; beyond the difference seen, and where none is shown, it is the larger of the two.
    """
    left = np.asarray(left, dtype=np.float64)
    most = np.sqrt(np.maximum(seen, null))
    spread = np.sqrt(null)
    shown = np.abs(left) > root * (spread + _more(np.sign(left) * skew, spread, most_off))
    slope = np.divide(seen - null, left, out=np.zeros_like(left), where=shown)
    ends = []
    for side in (-1.0, 1.0):  # the lower end is where so large a sum would be by chance
        more = root * _more(-side * skew, spread, most_off)
        plain = left + side * (root * most + more)
        centre = left + side * more
        half = centre + root**2 * slope / 2
        solved = half + side * np.sqrt(np.maximum(half**2 - centre**2 + root**2 * null, 0.0))
        outer = side * left > 0
        ends.append(np.where(~shown, plain, np.where(outer, side * np.maximum(side * solved, side * plain), solved)))
    return ends[0], ends[1]


@dataclass(frozen=True)
class Crossed:
    """Weight and scatter by cell and stratum; what is left, and people, by cell; weight and scatter by stratum."""

    weight: Array
    scatter: Array
    left: Array
    people: Array
    all_weight: Array
    all_scatter: Array
    n: int
    skew: float
    own: Crossed | None = None  # the same with everybody's own scatter
    yes: float = 0.0  # how many have the outcome, where it is yes or no

    def scale(self, every: EveryRegion, least: int, *, drawn: bool = True) -> RegionScale:
        """Say for every region by what its sum is divided, and what it is charged for being small.

        Parameters
        ----------
        every : EveryRegion
            The regions.
        least : int
            Regions of fewer people, or that leave fewer, are passed over.
        drawn : bool
            Whether sums are those of deals, which scatter as the stratum does; those of the data may scatter more.

        Returns
        -------
        RegionScale
        """
        variance, weight = self._forms(every)
        if self.own is not None and not drawn:
            variance = np.maximum(variance, self.own._forms(every)[0])  # noqa: SLF001
            variance = np.maximum(variance, weight * self.own._on_sides(every))  # noqa: SLF001
        people = every.sums(self.people)
        total = float(self.all_weight.sum())
        charge = charge_of(weight, total)
        known = variance > 1e-9 * max(float(self.all_scatter.sum()), 1e-300)
        use = (np.minimum(people, self.n - people) >= least) & known & (weight > 1e-9 * total)
        if len(every.axes) > 1:  # a box that is all but open on one side belongs to the other column alone
            use &= ~every.open_side(self.people, MOST_OPEN)
        spread = np.sqrt(np.maximum(variance, 0.0))
        off = 0.0 if self.own is not None else MOST_OFF
        above, below = (
            np.divide(1.0, spread + _more(self.skew * sign, spread, off), out=np.zeros_like(spread), where=use)
            for sign in (1, -1)
        )
        return RegionScale(*(x.astype(np.float32) for x in (above, below, charge)))

    def _forms(self, every: EveryRegion) -> tuple[Array, Array]:
        return self._few(every) if self.all_weight.size <= FEW_STRATA else self._many(every)

    def _on_sides(self, every: EveryRegion) -> Array:
        """Return, for each box, the scatter of one of the people on the side where they scatter more."""
        if len(every.axes) < 2:
            return np.zeros(every.n)
        out = np.zeros(1)
        grids = [x.sum(axis=1).reshape(every.shape) for x in (self.scatter, self.weight)]
        for d, axis in enumerate(every.axes):
            others = tuple(i for i in range(len(every.axes)) if i != d)
            q, b = (EveryRegion((axis,)).sums(grid.sum(axis=others)) for grid in grids)
            each = np.divide(q, b, out=np.zeros_like(q), where=b > 0)
            out = np.maximum(out[:, None], each[None, :]).ravel()
        return out

    def seen(self, every: EveryRegion, left: Array, variance: Array) -> Array:
        """Return the variance of sums over regions were their differences what they seem: of one stratum's rates."""
        if self.own is not None or self.all_weight.size > 1 or not self.yes:
            return variance
        b, total = every.sums(self.weight[:, 0]), float(self.all_weight[0])
        outside = b * (1 - b / total)
        far = np.divide(left, outside, out=np.zeros_like(b), where=outside > 0)
        found: Array = _seen(b, total, self.yes / total, far)
        return found

    def _few(self, every: EveryRegion) -> tuple[Array, Array]:
        """Sum stratum by stratum."""
        variance, weight = np.zeros(every.n), np.zeros(every.n)
        for s in range(self.all_weight.size):
            b, q = every.sums(np.stack([self.weight[:, s], self.scatter[:, s]], axis=1)).T
            share = b / self.all_weight[s]
            variance += q * (1 - 2 * share) + share**2 * self.all_scatter[s]
            weight += b * (1 - share)
        return variance, weight

    def _many(self, every: EveryRegion) -> tuple[Array, Array]:
        """Sum by matrices over the cells, of which both are quadratic forms."""
        share = self.weight / self.all_weight
        crossed = self.scatter @ share.T
        variance = (share * self.all_scatter) @ share.T - crossed - crossed.T
        variance[np.diag_indices_from(variance)] += self.scatter.sum(axis=1)
        weight = -share @ self.weight.T
        weight[np.diag_indices_from(weight)] += self.weight.sum(axis=1)
        return every.forms(variance), every.forms(weight)


@dataclass(frozen=True)
class RegionScale:
    """For every region what its sum is multiplied by, above and below 0, and what it is charged.

    Regions that are multiplied by 0 are passed over.
    """

    above: NDArray[np.float32]
    below: NDArray[np.float32]
    charge: NDArray[np.float32]

    def of(self, sums: Array) -> Array:
        """Return the statistics of sums over every region."""
        found: Array = np.maximum(sums * self.above, -sums * self.below) - self.charge
        return found

    def best(self, sums: Array, side: int = 0) -> tuple[float, int]:
        """Return the largest statistic and its region; of those above (1) or below (−1) their strata's rates only."""
        use = (self.above > 0) & (np.sign(sums) == side if side else True)
        found = np.where(use, self.of(sums), -np.inf)
        at = int(np.argmax(np.round(found, 6)))
        return float(found[at]), at
