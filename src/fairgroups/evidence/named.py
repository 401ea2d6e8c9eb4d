"""Groups that were named in advance: nothing was searched, so the price of a search is not paid.

All comparisons hold at once: the K groups against the rest (two groups are one comparison), against a reference group,
or each pair where the best group is the reference. The critical value is that of the largest of these comparisons,
from their own correlations; never more than Šidák's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from fairgroups.cells.moments import Moments
from fairgroups.evidence.bounds import Bounds
from fairgroups.evidence.likelihood import POWER, smallest_shown
from fairgroups.evidence.rates import GroupRates
from fairgroups.evidence.textbook_intervals import difference_interval, rate_interval, ratio_interval

__all__ = ["Differences", "against_group", "class_bounds", "one_of_several", "ratios_to"]

Array = NDArray[np.float64]
FEW_VALUES = 50  # whose scatter may be small by chance
FAR, MANY_VALUES = 5.0, 1000  # standard deviations from the mean; and so many where outcomes lie farther out
DRAWS = 50_000  # of the largest comparison; always the same ones


@dataclass(frozen=True)
class Differences:
    """Each group's difference from a reference, with its interval and the least that would have been shown."""

    value: Array
    low: Array
    high: Array
    least_below: Array
    least_above: Array


def class_bounds(groups: GroupRates, level: float) -> Bounds:
    """Return intervals of each group's rate and of its Φ, which hold for all groups at once.

    Parameters
    ----------
    groups : GroupRates
        The groups; they must not have been searched for on these people.
    level : float
        How often all intervals are to hold at once.

    Returns
    -------
    Bounds
    """
    sums = groups.sums
    rest = sums.map(lambda x: x.sum() - x)
    own, other = _Means(sums), _Means(rest)
    known = (own.n > 0) & (other.n > 0) & (rest.b > 1e-12 * sums.b.sum())
    itself = np.eye(sums.b.size)
    contrast = itself - np.where(itself > 0, 0.0, sums.b[None, :] / np.fmax(rest.b, 1e-300)[:, None])
    z = _critical(contrast[known][:, own.n > 0], own.variance[own.n > 0], level)
    out = _differences(own, other, known, z)
    weight = rest.b / sums.b.sum()
    rate_low, rate_high = own.interval(one_of_several(level, int((own.n > 0).sum())))
    everybody = np.full(own.n.shape, own.n.size == 1)  # one group that is everybody
    low, high = np.where(everybody, 0.0, weight * out.low), np.where(everybody, 0.0, weight * out.high)
    least = [weight * out.least_below, weight * out.least_above]
    if sums.bounded and known.any():
        sizes = own.n[known], other.n[known], 1 - weight[known]
        overall = np.full(int(known.sum()), np.clip(sums.overall, 0.0, 1.0))
        below, above = smallest_shown(overall, *sizes, np.full_like(overall, z))
        for end, found in zip(least, (below, above), strict=True):
            end[known] = found
    return Bounds(rate_low + sums.offset, rate_high + sums.offset, low, high, *least)


def against_group(groups: GroupRates, reference: int, level: float, *, chosen: bool) -> Differences:
    """Compare every group with one of them, which is itself 0; all intervals hold at once.

    `chosen` says that the group was chosen by its rate: then all pairs hold at once.
    """
    own = _Means(groups.sums)
    others = own.known & own.known[reference] & (np.arange(own.n.size) != reference)
    z = _critical(_pairs(own.known, reference, chosen=chosen), own.variance[own.known], level)
    found = _differences(own, own.at(reference), others, z)
    itself = np.arange(own.n.size) == reference
    return Differences(
        np.where(itself, 0.0, found.value),
        np.where(itself, 0.0, found.low),
        np.where(itself, 0.0, found.high),
        found.least_below,
        found.least_above,
    )


def ratios_to(groups: GroupRates, best: int, level: float, *, chosen: bool) -> tuple[Array, Array, Array]:
    """Return each group's rate over that of one group, with intervals that hold at once.

    `chosen` says that the group was chosen by its rate: then all pairs hold at once.
    """
    own = _Means(groups.sums)
    k = own.n.size
    z = _critical(_pairs(own.known, best, chosen=chosen), own.variance[own.known], level)
    other = own.at(best)
    known = own.known & other.known & (np.arange(k) != best)
    gap = _differences(own, other, known, z)
    offset = groups.sums.offset
    values = own.mean + offset, other.mean + offset
    ends = [(low + offset, high + offset) for low, high in (own.interval(z), other.interval(z))]
    low, high = ratio_interval(values[0], ends[0], values[1], ends[1], (gap.low, gap.high))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = values[0] / values[1]
    itself = np.arange(k) == best
    out = [np.where(itself, 1.0, np.where(known, x, np.nan)) for x in (ratio, low, high)]
    return out[0], out[1], out[2]


def _pairs(known: NDArray[np.bool_], to: int, *, chosen: bool) -> Array:
    """Return how the means of groups with people enter comparisons: each with one group, or of all pairs."""
    there = np.flatnonzero(known).tolist()
    pairs = [(i, j) for i in there for j in there if j < i] if chosen else [(i, to) for i in there if i != to]
    contrast = np.zeros((len(pairs), known.size))
    for row, (i, j) in enumerate(pairs):
        contrast[row, i], contrast[row, j] = 1.0, -1.0
    return contrast[:, known]


class _Means:
    """The rates of groups with what their intervals need: effective sizes, variances, and whether they are yes/no."""

    def __init__(self, sums: Moments) -> None:
        self.bounded = sums.bounded
        self.usual = sums.overall if sums.bounded and sums.b.any() else 0.5  # everybody's rate
        self.n = np.where(sums.b > 0, np.maximum(sums.effective_size, 1.0), 0.0)
        self.mean = np.divide(sums.a, sums.b, out=np.full_like(sums.a, np.nan), where=sums.b > 0)
        if self.bounded:
            self.mean = np.clip(self.mean, 0.0, 1.0)
            smooth = (np.nan_to_num(self.mean) * self.n + 1) / (self.n + 2)  # of nobody one half
            self.variance = np.divide(smooth * (1 - smooth), self.n, out=np.full_like(smooth, np.inf), where=self.n > 0)
            return
        squares = np.maximum(sums.aa - 2 * self.mean * sums.ab + self.mean**2 * sums.bb, 0.0) * sums.design_effect
        with np.errstate(divide="ignore", invalid="ignore"):
            self.variance = np.where(self.n > 1, squares / sums.b**2 * self.n / (self.n - 1), np.inf)
        # A few values may be close by chance: they scatter as much as those of all groups do. Where some lie far out,
        # as incomes do, so may many: a group that has none of those has a low mean and a small scatter at once.
        there = np.isfinite(self.variance)
        n, more = self.n[there], self.n[there] - 1
        usual = float(np.sum(self.variance[there] * n * more)) / max(float(more.sum()), 1.0)
        centre = sums.overall if sums.b.any() else 0.0
        far = max(sums.high - centre, centre - sums.low) > FAR * np.sqrt(usual)
        share = np.where(self.n <= FEW_VALUES, 1.0, np.minimum(MANY_VALUES / np.maximum(self.n, 1.0), 1.0) * far)
        self.variance[there] = np.maximum(self.variance[there], share[there] * usual / n)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether there is anybody."""
        return self.n > 0

    def at(self, k: int) -> _Means:
        """Return one of the groups, as often as there are groups."""
        one = object.__new__(_Means)
        one.bounded, one.usual = self.bounded, self.usual
        for name in ("n", "mean", "variance"):
            setattr(one, name, np.full_like(self.n, getattr(self, name)[k]))
        return one

    def interval(self, z: float) -> tuple[Array, Array]:
        """Return each mean's interval."""
        if self.bounded:
            n = np.where(self.n > 0, self.n, np.nan)
            return rate_interval(self.mean, n, z, self.usual)
        half = _student(z, self.n - 1) * np.sqrt(self.variance)
        return self.mean - half, self.mean + half


def _differences(own: _Means, other: _Means, known: NDArray[np.bool_], z: float) -> Differences:
    low, high, least = (np.full(own.n.shape, np.nan) for _ in range(3))
    gap = np.where(known, own.mean - other.mean, np.nan)
    if own.bounded:
        rates = own.mean[known], own.n[known], other.mean[known], other.n[known]
        low[known], high[known] = difference_interval(*rates, z, own.usual)
        error = np.sqrt(own.variance + other.variance)
        least[known] = ((z + POWER) * error)[known]
        least[least >= 1] = np.nan  # no two rates are so far apart
        return Differences(gap, low, high, least, least)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = own.variance + other.variance
        parts = own.variance**2 / np.maximum(own.n - 1, 1e-9) + other.variance**2 / np.maximum(other.n - 1, 1e-9)
        freedom = np.where(np.isfinite(variance), variance**2 / np.maximum(parts, 1e-300), 1.0)
    half = _student(z, freedom) * np.sqrt(variance)
    with np.errstate(invalid="ignore"):
        parted = np.hypot(*(_student(z, x.n - 1) * np.sqrt(x.variance) for x in (own, other)))
    half = np.where(np.minimum(own.n, other.n) <= FEW_VALUES, np.fmax(half, parted), half)
    low[known], high[known] = (gap - half)[known], (gap + half)[known]
    least[known] = (half * (1 + POWER / z))[known]
    return Differences(gap, low, high, least, least)


def _student(z: float, freedom: Array) -> Array:
    """Return what a normal quantile is for a mean whose scatter is estimated."""
    wide: Array = -stdtrit(np.maximum(freedom, 1.0), float(ndtr(-z)))
    return wide


def one_of_several(level: float, k: int) -> float:
    """Return the normal quantile of one of k comparisons that are to hold at once (Šidák)."""
    return float(-ndtri((1 - level ** (1 / max(k, 1))) / 2))


def _critical(contrast: Array, variance: Array, level: float) -> float:
    """Return the quantile of the largest of several comparisons, given how means enter them."""
    rows = contrast[~np.all(contrast == 0, axis=1)]
    usable = np.isfinite(variance)
    if len(rows) < 2 or not usable.all():
        return one_of_several(level, len(rows))
    each = rows * np.sqrt(variance)[None, :]
    norm = np.sqrt(np.sum(each**2, axis=1))
    each = each[norm > 0] / norm[norm > 0, None]
    same = np.abs(each @ each.T) > 1 - 1e-9  # one comparison said twice
    each = each[[i for i in range(len(each)) if not same[i, :i].any()]]
    if len(each) < 2:
        return one_of_several(level, len(each))
    draws = np.random.default_rng(0).standard_normal((DRAWS, each.shape[1])) @ each.T
    largest = np.abs(draws).max(axis=1)
    return float(min(np.quantile(largest, level, method="higher"), one_of_several(level, len(each))))
