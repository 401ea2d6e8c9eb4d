"""How far sums over regions may go: their variance where nobody differs, what small ones are charged, interval ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.evidence.every_region import EveryRegion

__all__ = ["MOST_OFF", "Crossed", "RegionScale", "charge_of", "ends_of", "sum_noticed", "variance_seen"]

Array = NDArray[np.float64]
CHARGE = 0.3  # of √(2 (1 + log(N/2w))), which a region is charged whose comparison weighs w (simulated)
SKEW = 0.7  # Cornish and Fisher at four and a half standard deviations: (x² − 1)/6x
MOST_OFF = 0.15  # of a standard deviation, taken off on the side where a skewed outcome has no tail
MOST_OPEN = 0.9  # of the people on one side of a box
FEW_STRATA = 4  # up to so many are summed one by one


def charge_of(weight: Any, total: float) -> Any:
    """Return what regions are charged for being small, whose comparison weighs so much of all."""
    return CHARGE * np.sqrt(2 * (1 + np.log(np.maximum(total / np.maximum(weight, 1e-12 * total), 4.0) / 2)))


def variance_seen(b: Any, total: Any, rate: Any, far: Any) -> Any:
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


def sum_noticed(
    null: float, root: float, more: float, skew: float, most_off: float, seen: Callable[[float], float]
) -> float:
    """Return the sum, above what is expected or below it, that is shown with a given chance.

    Parameters
    ----------
    null : float
        The variance of the sum where nobody is treated differently.
    root : float
        How many standard errors chance allows, with what the region is charged; its sign says above or below.
    more : float
        How many standard errors further the sum must lie.
    skew, most_off : float
        See `ends_of`.
    seen : callable
        The variance of the sum where that is expected to be so much.

    Returns
    -------
    float
    """
    side, spread = np.sign(root), math.sqrt(null)
    least = abs(root) * (spread + float(_more(side * skew, spread, most_off)))
    found = least + more * spread
    for _ in range(30):
        found = 0.5 * (found + least + more * math.sqrt(max(seen(side * found), 0.0)))
    return float(side * found)


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
    alike: bool  # whether all of a stratum scatter alike, each by their weight
    own: Crossed | None = None  # the same with everybody's own scatter
    yes: float = 0.0  # how many have the outcome, where it is yes or no

    def scale(self, every: EveryRegion, least: int, *, drawn: bool = True) -> RegionScale:
        """Return for every region by what its sum is divided, and what it is charged for being small.

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
        variance, weight = self.variance_and_weight(every)
        if self.own is not None and not drawn:
            variance = np.maximum(variance, self.own._variance(every))  # noqa: SLF001
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
        found: Array = variance_seen(b, total, self.yes / total, far)
        return found

    def variance_and_weight(self, every: EveryRegion) -> tuple[Array, Array]:
        """Return the variance of each region's sum, and what its difference from the rest of its strata weighs."""
        ones = np.ones(self.all_weight.size)
        if not self.alike:
            return self._variance(every), self._weighed(every, ones)[0]
        variance, weight = self._weighed(every, self.all_scatter / self.all_weight, ones)
        return variance, weight

    def _variance(self, every: EveryRegion) -> Array:
        """Return the variance of each region's sum."""
        if self.all_weight.size <= FEW_STRATA:
            variance = np.zeros(every.n)
            for s in range(self.all_weight.size):
                b, q = every.sums(np.stack([self.weight[:, s], self.scatter[:, s]], axis=1)).T
                share = b / self.all_weight[s]
                variance += q * (1 - 2 * share) + share**2 * self.all_scatter[s]
            return variance
        half = (0.5 * self._share * self.all_scatter - self.scatter) @ self._share.T
        return every.forms(half + half.T + np.diag(self.scatter.sum(axis=1)))

    def _weighed(self, every: EveryRegion, *times: Array) -> list[Array]:
        """Return sums over strata of b (1 − b / B) times a number: one by one, or by a matrix over the cells."""
        if self.all_weight.size <= FEW_STRATA:
            found = [np.zeros(every.n) for _ in times]
            for s in range(self.all_weight.size):
                b = every.sums(self.weight[:, s])
                apart = b * (1 - b / self.all_weight[s])
                for k, number in enumerate(times):
                    found[k] += number[s] * apart
            return found
        roots = (self._share * np.sqrt(number * self.all_weight) for number in times)
        return [  # of one array NumPy works out half
            every.forms(np.diag(self.weight @ number) - root @ root.T)
            for number, root in zip(times, roots, strict=True)
        ]

    @cached_property
    def _share(self) -> Array:
        return self.weight / self.all_weight


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
