"""Likelihood-ratio intervals of a rate, and of the difference between two rates.

`root` is the largest allowed signed root of the likelihood ratio: 1.96 gives the usual single 95% interval, the band
puts its own in. All functions work on arrays, and are sane at rates 0 and 1 and for a single row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

__all__ = ["POWER", "difference_bounds", "kl", "rate_bounds", "smallest_shown"]

Array = NDArray[np.float64]
POWER = 0.8416  # normal quantile of 80 %: a difference whose root lies so far beyond what chance allows mostly shows


def kl(p: Array, q: Array) -> Array:
    """Return the Kullback–Leibler divergence of Bernoulli(p) from Bernoulli(q)."""
    out: Array = rel_entr(p, q) + rel_entr(1 - p, 1 - q)
    return out


def rate_bounds(rate: Array, n: Array, root: Array) -> tuple[Array, Array]:
    """Return the rates μ around each observed one with 2 n kl(rate, μ) ≤ root²."""
    limit = np.square(root) / 2

    def solve(far: float) -> Array:
        inside, outside = rate.copy(), np.full_like(rate, far)
        for _ in range(60):
            middle = (inside + outside) / 2
            ok = n * kl(rate, middle) <= limit
            inside, outside = np.where(ok, middle, inside), np.where(ok, outside, middle)
        return outside

    return solve(0.0), solve(1.0)


def difference_bounds(rate_1: Array, n_1: Array, rate_2: Array, n_2: Array, root: Array) -> tuple[Array, Array]:
    """Return the differences δ = μ_1 − μ_2 whose likelihood ratio against the observed rates is at most root²."""
    return -_upper(rate_2, n_2, rate_1, n_1, root), _upper(rate_1, n_1, rate_2, n_2, root)


def smallest_shown(
    overall: Array, n_1: Array, n_2: Array, share: Array, root: Array, power: float = POWER
) -> tuple[Array, Array]:
    """Return the smallest true differences from everybody, below and above, that are shown in 80% of samples.

    A group of `n_1` rows and the share `share`, the rest balancing it, has an interval that excludes 0 once its root is
    beyond `root`; roots scatter by about one around that of the true difference. NaN where no rate between 0 and 1 is
    far enough. `power` is how far beyond it must lie.
    """
    limit = np.square(root + power) / 2
    balance = share / (1 - share)

    def solve(mean: Array) -> Array:  # below; above is the mirror image
        most = np.minimum(mean, (1 - mean) / balance)
        low, high = np.zeros_like(mean), most.copy()

        def distance(gap: Array) -> Array:
            own, rest = np.clip(mean - gap, 0.0, 1.0), np.clip(mean + gap * balance, 0.0, 1.0)
            return n_1 * kl(own, mean) + n_2 * kl(rest, mean)

        possible = distance(most) > limit
        for _ in range(60):
            middle = (low + high) / 2
            shown = distance(middle) > limit
            low, high = np.where(shown, low, middle), np.where(shown, middle, high)
        return np.where(possible, high, np.nan)

    return solve(overall), solve(1 - overall)


def _upper(rate_1: Array, n_1: Array, rate_2: Array, n_2: Array, root: Array) -> Array:
    # Along the curve of constrained maxima both derivatives equal one multiplier λ: n_1 (μ_1 − rate_1) =
    # λ μ_1 (1 − μ_1) and the mirror image for μ_2, two quadratics. Walking λ from 0 to ∞ raises δ and the ratio.
    limit = np.square(root) / 2
    scale = n_1 + n_2
    low, high = np.full_like(rate_1, -40.0), np.full_like(rate_1, 40.0)
    for _ in range(80):
        middle = (low + high) / 2
        multiplier = scale * np.exp(middle)
        mu_1 = _raised(rate_1, n_1, multiplier)
        mu_2 = 1 - _raised(1 - rate_2, n_2, multiplier)
        ok = n_1 * kl(rate_1, mu_1) + n_2 * kl(rate_2, mu_2) <= limit
        low, high = np.where(ok, middle, low), np.where(ok, high, middle)
    multiplier = scale * np.exp(high)
    upper: Array = _raised(rate_1, n_1, multiplier) - 1 + _raised(1 - rate_2, n_2, multiplier)
    return np.clip(upper, -1.0, 1.0)


def _raised(rate: Array, n: Array, multiplier: Array) -> Array:
    """Solve n (μ − rate) = λ μ (1 − μ) for the μ in [rate, 1], in the form that loses no digits."""
    shift = multiplier - n
    size = np.sqrt(shift**2 + 4 * multiplier * n * rate)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.where(shift >= 0, (shift + size) / (2 * multiplier), 2 * n * rate / (size - shift))
    return np.clip(root, rate, 1.0)
