"""People whose outcomes are dealt out again, for many columns at once.

One deal serves every column, so that columns which go together also go together in every draw: the largest excess over
all of them is compared with what it is by chance, and one error is shared by everything that was looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.evidence.region_scale import MOST_OFF, Crossed, charge_of, ends_of, sum_noticed, variance_seen
from fairgroups.measures import Measure
from fairgroups.rows.rows import Rows
from fairgroups.rows.weights import weighted_sums

__all__ = ["FEWEST", "Dealt", "Departure"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Cells = NDArray[np.uint16]
LEAST_KEPT = 1e-9  # below, the person is the stratum
FEWEST = 20  # people, or clusters of them, of equal weight: fewer tell nothing of chance
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
    drawn : array
        The same as it is dealt. Somebody who weighs much pulls the stratum's rate along, so that little is left of the
        own outcome: it is dealt as large as it would be by itself.
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
    drawn: Array
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
        if not used.size:
            raise InputError("no row counts in this measure: its denominator B is 0 everywhere.")
        weights = () if rows.weight is None else (b[used],)
        used = used[np.lexsort((*weights, a[used], place[used], strata[used]))]
        a, b = a[used], b[used]
        _, strata = np.unique(strata[used], return_inverse=True)
        strata = np.ravel(strata)
        n = int(strata[-1]) + 1 if strata.size else 0
        starts = np.concatenate([[0], np.cumsum(np.bincount(strata, minlength=n))]).astype(np.int64)
        total = np.bincount(strata, b, n)
        rate = np.bincount(strata, a, n) / total
        left = a - b * rate[strata]
        left[np.abs(left) < 1e-12 * (np.abs(a) + b * np.abs(rate[strata]))] = 0.0  # what rounding leaves of nothing
        share = b / total[strata]  # of the stratum's rate that is the person's own outcome
        kept = 1 - 2 * share + (np.bincount(strata, b**2, n) / total**2)[strata]  # of its variance, in what is left
        kept = np.where(kept > LEAST_KEPT, kept, np.inf)
        second = float(np.sum(left**2))
        skew = float(np.sum(left**3)) / second if second > 0 else 0.0
        own = left**2 / kept
        pooled = (np.bincount(strata, own, n) / np.maximum(np.bincount(strata, b**2, n), 1e-300))[strata] * b**2
        if rows.weight is None and rows.cluster is None and bool(np.all(b == b[:1])):
            if bool(np.isin(a, (0.0, 1.0)).all() and (b == 1).all()):
                yes = np.rint(np.bincount(strata, a, n)).astype(np.int64)
                return cls(used, strata, starts, left, left, b, pooled, None, yes, None, skew)
            return cls(used, strata, starts, left, left, b, pooled, own, None, None, skew)
        which = np.arange(used.size) if rows.cluster is None else _numbered(rows.cluster[used])
        together = np.bincount(np.ravel(which), left)
        effect = max(float(np.sum(together**2)) / second, 1.0) if second > 0 else 1.0
        scatter = np.maximum(own, pooled) * effect
        drawn = left / np.sqrt(kept)
        return cls(used, strata, starts, left, drawn, b, scatter, None, None, np.ravel(which).astype(np.int32), skew)

    @property
    def n(self) -> int:
        """Count the people."""
        return int(self.left.size)

    @property
    def n_strata(self) -> int:
        """Count the strata."""
        return int(self.starts.size - 1)

    @cached_property
    def totals(self) -> tuple[Array, Array]:
        """Weight and scatter of each stratum."""
        weight, scatter = (_summed(self.strata, x, self.n_strata) for x in (self.weight, self.scatter))
        return weight, scatter

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
        left, drawn = self.left[held], self.drawn[held]
        if self.yes is not None:
            sizes = np.diff(starts)
            share = (self.yes / np.diff(self.starts))[np.unique(strata)]
            yes = np.rint(share * sizes).astype(np.int64)
        else:
            weight = np.bincount(codes, self.weight[held])
            left = left - self.weight[held] * (np.bincount(codes, left) / weight)[codes]
            drawn = drawn - self.weight[held] * (np.bincount(codes, drawn) / weight)[codes]
        cluster = None if self.cluster is None else np.arange(held.size, dtype=np.int32)
        own = None if self.own is None else self.own[held]
        sums = left, drawn, self.weight[held], self.scatter[held], own
        return Dealt(self.rows[held], codes, starts, *sums, yes, cluster, self.skew)

    def kernel(self) -> tuple[Any, ...]:
        """As the kernels take it."""
        if self.yes is not None:
            return self.starts, self.yes, None, None, None
        return self.starts, None, self.drawn, self.weight, self.cluster

    def cells(self, codes: NDArray[Any]) -> Cells:
        """Return the cells of these people, in their order."""
        return np.ascontiguousarray(codes[self.rows], dtype=np.uint16)

    def judge(self, inside: NDArray[np.bool_], root: float, wider: Sequence[NDArray[np.bool_]] = ()) -> Departure:
        """Return how far some people are from those alike in stratum, with an interval that allows so many roots.

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
        all_b, all_q = self.totals
        share = b / all_b
        weight, total = float(np.sum(b * (1 - share))), float(b.sum())
        if not total > 0:
            return Departure(math.nan, math.nan, math.nan)
        null = float(np.sum(q * (1 - 2 * share) + share**2 * all_q))
        if self.own is not None:
            mine = np.bincount(self.strata[inside], self.own[inside], n)
            null = max(null, float(np.sum(mine * (1 - 2 * share) + share**2 * np.bincount(self.strata, self.own, n))))
            null = max(null, *(float(self.own[held].mean()) * weight for held in wider if held.any()), 0.0)
        seen = null
        if self.yes is not None and weight > 0:  # were the difference what it seems, rates would scatter otherwise
            more = np.where(all_b > 1, all_b / np.maximum(all_b - 1, 1), 0.0)
            seen = float(np.sum(more * variance_seen(b, all_b, self.yes / all_b, left / weight)))
        charge = float(charge_of(weight, float(all_b.sum())))
        ends = ends_of(left, null, seen, root + charge, self.skew, 0.0 if self.yes is None else MOST_OFF)
        least, most = (-math.inf, math.inf) if self.yes is None else self._possible(share * all_b, weight, root)
        low, high = (min(max(float(x), least), most) / total for x in ends)
        return Departure(left / total, low, high)

    def _possible(self, b: Array, weight: float, root: float) -> tuple[float, float]:
        """Return how far people with these sizes by stratum can be from those alike: no rate is below 0 or above 1.

        The rates of those alike are themselves uncertain by some standard errors.
        """
        assert self.yes is not None
        rate = self.yes / self.totals[0]
        unsure = root * math.sqrt(float(np.sum(b**2 * rate * (1 - rate) / self.totals[0])))
        low, high = float(np.sum(b * rate)), float(np.sum(b * (1 - rate)))
        return -min(low + unsure, weight), min(high + unsure, weight)

    def noticed(self, share: float, root: float, more: float) -> float:
        """Return how far from everybody a share of the people must be to be shown with a given chance.

        Parameters
        ----------
        share : float
            Of the people, spread alike over all strata.
        root : float
            How many standard errors chance allows, without the charge; its sign says above or below.
        more : float
            How many standard errors further the difference must lie.

        Returns
        -------
        float
            At least 0; NaN where nothing scatters, and where a few weigh as much as all others.
        """
        sizes, scatter = self.totals
        total, null = float(sizes.sum()), float(scatter.sum()) * share * (1 - share)
        together = self.weight if self.cluster is None else np.bincount(self.cluster, self.weight)
        if not null > 0 or total**2 < FEWEST * float(np.sum(together**2)):
            return math.nan
        yes = self.yes

        def seen(left: float) -> float:
            if yes is None:
                return null
            return float(np.sum(variance_seen(share * sizes, sizes, yes / sizes, left / (share * (1 - share) * total))))

        charge = float(charge_of(share * (1 - share) * total, total))
        off = 0.0 if yes is None else MOST_OFF
        root += math.copysign(charge, root)
        return abs(sum_noticed(null, root, more, self.skew, off, seen)) / (share * total)

    def crossed(self, codes: Cells, n_cells: int) -> Crossed:
        """Sum by cell and stratum; people in no cell, whose code is `n_cells` or more, count outside every region."""
        inside = codes < n_cells
        place = codes[inside].astype(np.intp) * self.n_strata + self.strata[inside]
        shape = (n_cells, self.n_strata)
        n = n_cells * self.n_strata
        every = self.totals
        weight = _summed(place, self.weight[inside], n).reshape(shape)
        alike = self.cluster is None  # without weights and clusters
        scatter = weight * (every[1] / every[0]) if alike else _summed(place, self.scatter[inside], n).reshape(shape)
        people = np.bincount(codes[inside], minlength=n_cells).astype(np.float64)
        left = _summed(codes[inside], self.left[inside], n_cells)
        own, yes = None, 0.0 if self.yes is None else float(self.yes.sum())
        if self.own is not None:
            mine, whole = _summed(place, self.own[inside], n).reshape(shape), _summed(self.strata, self.own, shape[1])
            own = Crossed(weight, mine, left, people, every[0], whole, self.n, self.skew, alike=False)
        return Crossed(weight, scatter, left, people, every[0], every[1], self.n, self.skew, alike, own, yes)


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
