"""Monotonic fairness: the rate only rises, or only falls, with the attribute; a test of that.

The data is cut into some 2 n^(1/3) bins of equal weight. The isotonic fit is the closest rate that never falls (or
never rises); what it loses in variance against the free rates of the bins is compared with what is lost on data drawn
from the isotonic fit itself, made a little flatter. Monotone rates are refused only where both directions are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups._kernels import isotonic_blocks
from fairgroups.cells.cells import Cells
from fairgroups.cells.moments import Moments
from fairgroups.measures import Measure

__all__ = ["Monotonicity", "Violation", "monotonicity_test"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Violation:
    """The ends of a range where the rate turns, the border at which it does, and the rates before and after that."""

    low: float
    border: float
    high: float
    before: float
    after: float


@dataclass(frozen=True)
class Monotonicity:
    """The result of the test.

    Attributes
    ----------
    direction : {"increasing", "decreasing"}
        The direction that loses less.
    p_value : float
        Of the hypothesis that the rate is monotone, in one direction or the other.
    p_increasing, p_decreasing : float
        Of each direction.
    lost : float
        The share of the variance between bins that the better direction loses.
    holds : bool
        Whether monotone rates are compatible with the data: the p-value is above 1 − level.
    violation : Violation or None
        Where they are not: the range in which the rate goes against the direction.
    shortcut : str
        Whether the K-Means shortcut may be used, and why.
    """

    direction: Literal["increasing", "decreasing"]
    p_value: float
    p_increasing: float
    p_decreasing: float
    lost: float
    holds: bool
    violation: Violation | None
    shortcut: str


def monotonicity_test(
    cells: Cells, measure: Measure | str, *, level: float = 0.95, n_draws: int = 499, seed: int = 0
) -> Monotonicity:
    """Test whether the rate is monotone in the attribute.

    Parameters
    ----------
    cells : Cells
        The data.
    measure : Measure or str
        Which rate.
    level : float
        The rate counts as not monotone where the p-value is at most one minus this.
    n_draws, seed : int
        How many data sets to draw from the isotonic fit, and their seed.

    Returns
    -------
    Monotonicity
    """
    bins, starts = _bins(cells, measure)
    rng = np.random.default_rng(seed)
    results = {}
    for name, sign in (("increasing", 1.0), ("decreasing", -1.0)):
        fit = _isotonic(sign * bins.a / bins.b, bins.b) * sign
        lost = _lost(bins.a / bins.b, fit, bins.b)
        draws = _draw(bins, _flatter(sign * bins.a, bins.b) * sign, n_draws, rng)
        again = np.array([_lost(r, sign * _isotonic(sign * r, bins.b), bins.b) for r in draws])
        results[name] = (lost, float((1 + np.sum(again >= lost * (1 - 1e-12))) / (n_draws + 1)), fit)
    direction = "increasing" if results["increasing"][0] <= results["decreasing"][0] else "decreasing"
    p_up, p_down = results["increasing"][1], results["decreasing"][1]
    p = max(p_up, p_down)
    rates = bins.a / bins.b
    overall = bins.a.sum() / bins.b.sum()
    between = float(np.sum(bins.b * (rates - overall) ** 2) / bins.b.sum())
    lost, _, fit = results[direction]
    holds = p > 1 - level
    violation = None if holds else _violation(cells, starts, bins, fit, 1.0 if direction == "increasing" else -1.0)
    return Monotonicity(
        direction="increasing" if direction == "increasing" else "decreasing",
        p_value=p,
        p_increasing=p_up,
        p_decreasing=p_down,
        lost=lost / between if between > 0 else 0.0,
        holds=holds,
        violation=violation,
        shortcut=_shortcut(holds, violation, cells.name),
    )


def _bins(cells: Cells, measure: Measure | str) -> tuple[Moments, NDArray[np.intp]]:
    """Join cells into bins of about equal B; the missing values are not among them."""
    n = len(cells)
    moments = cells[measure].map(lambda x: x[:n])
    n_bins = int(np.clip(2 * moments.size ** (1 / 3), 4, 200))
    below = np.cumsum(moments.b) - moments.b
    first = np.unique(np.searchsorted(below, moments.b.sum() * np.arange(n_bins) / n_bins))
    first = first[first < n]
    first[0] = 0
    sums = moments.map(lambda x: np.add.reduceat(x, first))
    keep = sums.b > 0
    return sums.map(lambda x: x[keep]), first[keep]


def _isotonic(rate: Array, b: Array) -> Array:
    """Return the closest rates that never fall."""
    starts = np.asarray(isotonic_blocks(np.ascontiguousarray(rate * b), b), dtype=np.intp)
    means = np.add.reduceat(rate * b, starts) / np.add.reduceat(b, starts)
    return np.repeat(means, np.diff(starts, append=b.size))


def _flatter(a: Array, b: Array) -> Array:
    """Return the isotonic fit of every four bins taken together.

    The fit of single bins follows their noise upwards, and data drawn from it would turn back less often than data
    whose rate is flat in places: the test would refuse too often.
    """
    starts = np.arange(0, a.size, 4)
    joined = _isotonic(np.add.reduceat(a, starts) / np.add.reduceat(b, starts), np.add.reduceat(b, starts))
    return np.repeat(joined, np.diff(starts, append=a.size))


def _lost(rate: Array, fit: Array, b: Array) -> float:
    return float(np.sum(b * (rate - fit) ** 2) / b.sum())


def _draw(bins: Moments, fit: Array, n_draws: int, rng: np.random.Generator) -> Array:
    """Draw rates of the bins around the fit: binomial for yes/no outcomes, else normal with each bin's own scatter."""
    n = bins.effective_size
    if bins.bounded and np.allclose(bins.noise, bins.b) and np.allclose(bins.aa, bins.a):
        sizes = np.rint(n).astype(np.int64)
        drawn: Array = rng.binomial(sizes, np.clip(fit, 0.0, 1.0), (n_draws, n.size)) / sizes
        return drawn
    rate = bins.a / bins.b
    squares = np.maximum(bins.aa - 2 * rate * bins.ab + rate**2 * bins.bb, 0.0) * bins.design_effect
    error = np.sqrt(squares * np.divide(n, n - 1, out=np.full_like(n, 2.0), where=n > 1.5)) / bins.b
    return fit + error * rng.standard_normal((n_draws, n.size))


def _violation(cells: Cells, starts: NDArray[np.intp], bins: Moments, fit: Array, sign: float) -> Violation:
    """Find the block of the isotonic fit that hides the most, and the border in it that shows the most."""
    rate = bins.a / bins.b
    blocks = np.concatenate([[0], np.flatnonzero(np.diff(fit)) + 1, [fit.size]])
    hidden = [np.sum(bins.b[i:j] * (rate[i:j] - fit[i:j]) ** 2) for i, j in pairwise(blocks)]
    at = int(np.argmax(hidden))
    i, j = int(blocks[at]), int(blocks[at + 1])
    b, a = bins.b[i:j], bins.a[i:j]
    left_b, left_a = np.cumsum(b)[:-1], np.cumsum(a)[:-1]
    before, after = left_a / left_b, (a.sum() - left_a) / (b.sum() - left_b)
    against = sign * (before - after) * np.sqrt(left_b * (b.sum() - left_b))
    cut = int(np.argmax(against))
    end = starts[j] if j < starts.size else len(cells)
    return Violation(
        low=float(cells.first[starts[i]]),
        border=float(cells.first[starts[i + cut + 1]]),
        high=float(cells.first[end - 1] if end < len(cells) else cells.high),
        before=float(before[cut]) + bins.offset,
        after=float(after[cut]) + bins.offset,
    )


def _shortcut(holds: bool, violation: Violation | None, name: str) -> str:
    if holds:
        return (
            "K-Means on the rates of cells would give ranges, too, if these rates were monotone without noise. The "
            "exact search needs no such luck."
        )
    assert violation is not None
    return (
        f"K-Means on the rates of cells is no shortcut: the rate turns between {name or 'x'} = {violation.low:g} "
        f"and {violation.high:g}, so it would join people far apart into one group."
    )
