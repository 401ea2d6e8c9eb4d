"""Intervals of rates and of Φ: those that take the groups as given, and what all kinds share."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fairgroups.cells.moments import Moments
from fairgroups.evidence.likelihood import POWER, difference_bounds, rate_bounds, smallest_shown
from fairgroups.evidence.rates import GroupRates
from fairgroups.evidence.residual_scatter import scatter_of

__all__ = ["Bounds", "fixed_bounds", "interval_bounds", "plugin_bounds", "rate_ratios"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Bounds:
    """Lower and upper ends for each group's rate and for its Φ.

    `least_below` and `least_above` are the differences from everybody that would have been shown in four of five such
    samples; NaN where none would.
    """

    rate_low: Array
    rate_high: Array
    low: Array
    high: Array
    least_below: Array
    least_above: Array

    def at(self, index: NDArray[Any]) -> Bounds:
        """Return the bounds of some of the groups."""
        return Bounds(*(getattr(self, f.name)[index] for f in fields(self)))


def plugin_bounds(groups: GroupRates, level: float = 0.95) -> Bounds:
    """Return the paper's delta-method intervals, one group at a time.

    They treat the groups as given. When the groups were searched for on the same rows they are too narrow: use them
    to compare with the literature, not to conclude.
    """
    z = float(ndtri((1 + level) / 2))
    s = groups.sums
    with np.errstate(divide="ignore", invalid="ignore"):
        r = s.a / s.b  # less the offset, as all sums are
    more = s.design_effect
    own = more * (s.aa - 2 * r * s.ab + r**2 * s.bb)  # Σ (a − r_k b)² in the group
    total = float(s.b.sum())
    mean = s.overall
    everyone = float(np.sum(more * (s.aa - 2 * mean * s.ab + mean**2 * s.bb)))
    cross = more * (s.aa - (r + mean) * s.ab + r * mean * s.bb)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate_error = z * np.sqrt(own * _noisier(s, s.b / s.b.sum())) / s.b
        # The influence of a row on Φ̂(k) is (a − r_k b)/B_k if it is in the group, minus (a − r b)/B.
        error = z * np.sqrt(np.maximum(own / s.b**2 - 2 * cross / (s.b * total) + everyone / total**2, 0.0))
    least = error * (1 + POWER / z)
    rates = groups.rate - rate_error, groups.rate + rate_error
    return Bounds(*rates, groups.phi - error, groups.phi + error, least, least)


def fixed_bounds(
    groups: GroupRates, level: float = 0.95, scale: float | None = None, *, judged: int | None = None
) -> Bounds:
    """Return likelihood-ratio intervals for groups fixed in advance, all of them at once (Bonferroni).

    For rows that had no part in finding the groups. `judged` is how many intervals are to hold at once, where there
    are more than these.
    """
    judged = max(judged or int(np.sum(groups.sums.b > 0)), 1)
    s = groups.sums
    n = s.effective_size
    root = np.full(s.b.shape, float(ndtri(1 - (1 - level) / (2 * judged))))
    if scale is None:
        # Roots of few rows, or of rare events, have longer tails than normal ones; Chernoff's bound is always enough.
        known = 4 * n * s.overall * (1 - s.overall)
        with np.errstate(divide="ignore"):
            root = np.minimum(root * (1 + 2 / known), np.sqrt(2 * np.log(2 * judged / (1 - level))))
    rest_b, rest_a, rest_noise = s.b.sum() - s.b, s.a.sum() - s.a, s.noise.sum() - s.noise
    spread = None
    if scale is not None:
        rest = s.map(lambda x: x.sum() - x)
        spread = (scatter_of(s, scale), scatter_of(rest, scale))
    return interval_bounds(s, n, (rest_a, rest_b, rest_noise), root, root, spread)


def interval_bounds(
    own: Moments,
    n: Array,
    rest: tuple[Array, Array, Array],
    rate_root: Array,
    phi_root: Array,
    scale: tuple[Array | float, Array | float] | None,
) -> Bounds:
    """Turn allowed likelihood roots into intervals of rate and Φ, each group against its complement.

    Parameters
    ----------
    own : Moments
        Sums of the groups.
    n : array
        Their effective sizes.
    rest : arrays
        A, B and Σb² of the complements.
    rate_root, phi_root : array
        Largest allowed roots.
    scale : pair of arrays or floats, or None
        Where the outcome is not a rate between 0 and 1: the standard deviation of a row's value in each group, and in
        its complement.

    Returns
    -------
    Bounds
    """
    rest_a, rest_b, rest_bb = rest
    with np.errstate(divide="ignore", invalid="ignore"):
        rate, other = own.a / own.b, rest_a / rest_b
        n_rest = np.where(rest_b > 0, rest_b**2 / rest_bb, 0.0)
    n_rate = n / _noisier(own, own.b / (own.b + rest_b))
    known, both = own.b > 0, (own.b > 0) & (rest_b > 1e-12 * (own.b + rest_b))
    weight_rest = rest_b / (own.b + rest_b)
    out = [np.full(rate.shape, np.nan) for _ in range(6)]
    if scale is None:
        # Rounding may leave a rate a hair outside [0, 1].
        rate, other = np.clip(rate, 0.0, 1.0), np.clip(other, 0.0, 1.0)
        out[0][known], out[1][known] = rate_bounds(rate[known], n_rate[known], rate_root[known])
        low, high = difference_bounds(rate[both], n[both], other[both], n_rest[both], phi_root[both])
        overall = np.clip(((own.a + rest_a) / (own.b + rest_b))[both], 0.0, 1.0)
        sizes = n[both], n_rest[both]
        out[4][both], out[5][both] = smallest_shown(overall, *sizes, 1 - weight_rest[both], phi_root[both])
    else:
        sd, sd_rest = (np.broadcast_to(np.asarray(x, dtype=np.float64), rate.shape) for x in scale)
        wide = (rate_root * sd / np.sqrt(n_rate, out=np.ones_like(n), where=n > 0))[known]
        out[0][known], out[1][known] = rate[known] - wide, rate[known] + wide
        wide = phi_root[both] * np.sqrt(sd[both] ** 2 / n[both] + sd_rest[both] ** 2 / n_rest[both])
        low, high = rate[both] - other[both] - wide, rate[both] - other[both] + wide
        out[4][both] = out[5][both] = weight_rest[both] * wide * (1 + POWER / phi_root[both])
    # Φ = (1 − w)(μ_group − μ_rest); a group that is everybody has Φ = 0.
    out[2][known & ~both], out[3][known & ~both] = 0.0, 0.0
    out[2][both], out[3][both] = weight_rest[both] * low, weight_rest[both] * high
    return Bounds(out[0] + own.offset, out[1] + own.offset, *out[2:])


def _noisier(own: Moments, share: Array) -> Array:
    """Return how many times the variance of rates is that of differences, in groups with a share of everybody.

    What the rows of a cluster have in common takes itself off a difference, not off a rate; of a small group it is
    little, as it holds few rows of each.
    """
    ratio = np.divide(own.rate_noise, own.noise, out=np.ones_like(own.b), where=own.noise > 0)
    return np.asarray(np.nan_to_num(1 + share * (ratio - 1), nan=1.0))


def rate_ratios(rate: Array, bounds: Bounds, best: int) -> tuple[Array, Array, Array]:
    """Compare each group's rate with the best group's.

    Returns the ratio and its lower and upper ends, which hold when those of the rates hold at once.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio, low, high = (
            rate / rate[best],
            np.maximum(bounds.rate_low, 0.0) / bounds.rate_high[best],
            np.where(bounds.rate_low[best] > 0, bounds.rate_high / bounds.rate_low[best], np.inf),
        )
    ratio[best], low[best], high[best] = 1.0, 1.0, 1.0
    return ratio, low, high
