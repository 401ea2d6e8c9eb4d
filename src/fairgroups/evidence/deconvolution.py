"""Rates along the true attribute, where it was measured with error: x = x* + u, u normal with a known spread.

Two steps. How the true values are distributed: a density whose logarithm is a polynomial, by the likelihood of what was
seen (Efron 2016), its degree by Akaike's criterion. How the rate goes with the true value: a person seen at x has some
probability of every x*, so the rate at x is a known average of the rate at x*. That rate is a line, a smooth curve
about it, and up to two steps anywhere or one at every border of a group. What was seen says how likely each size of
curve and each place of steps is, and the answer is the average over all of them: a step that error has smeared may also
have been a slope.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

__all__ = ["DRAWS", "Blurred", "TrueRates", "true_rates"]

Array = NDArray[np.float64]
GRID, KNOTS, DEGREES = 160, 16, (2, 4, 6, 8)
DRAWS = 25  # of the density, to know how far it may be off
FINER, NOBODY = 8, 1e-4  # places in a step of the grid at which groups are told, and the share of people that is none
PLACES, PLACES_OF_TWO = 23, 11  # where steps are tried, by share of the people
# Variances of curve and steps that are tried, in multiples of the outcome's; and which models are worth keeping.
SLOPE, CURVES, STEPS, KEPT = 0.5, (1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1), (0.01, 0.07, 0.5), 1e-5


@dataclass(frozen=True, eq=False)
class Blurred:
    """People by what was seen of them.

    Attributes
    ----------
    low, high : array
        The ends of each bin of seen values, the outermost infinite; those of other errors may be the same.
    error : array
        The standard deviation of the error in each.
    b, rate : array
        How much each bin counts, and its rate.
    size : array
        Its effective number of rows.
    variance : float or None
        That of one row's outcome; None where it is yes or no and follows from the rate.
    middle : array, optional
        The mean of the seen values in each bin; needed with a drift.
    drift : float
        By how much the outcome goes with the error itself: what a photograph's light moves, not the person.
    """

    low: Array
    high: Array
    error: Array
    b: Array
    rate: Array
    size: Array
    variance: float | None
    middle: Array | None = None
    drift: float = 0.0

    def rate_without_drift(self, posterior: Array, grid: Array) -> Array:
        """Return the rates less what goes with the error: the seen value less the true one that is expected there."""
        if self.middle is None or not self.drift:
            return self.rate
        return np.asarray(self.rate - self.drift * (self.middle - posterior @ grid))

    def row_variance(self, rate: Array | None = None) -> Array:
        """Return the variance of one row's outcome in each bin, by a rate for each."""
        if self.variance is not None:
            return np.full(self.b.size, max(self.variance, 1e-300))
        known = np.full(self.b.size, self.b @ self.rate / self.b.sum()) if rate is None else rate
        fitted = np.clip(known, 0.01, 0.99)
        return np.asarray(fitted * (1 - fitted))

    def likelihood(self, grid: Array) -> Array:
        """Return the probability of each bin (row) given the true value (column), all bins of an error adding to 1."""
        ends = [(end[:, None] - grid) / self.error[:, None] for end in (self.low, self.high)]
        return np.asarray(np.maximum(ndtr(ends[1]) - ndtr(ends[0]), 1e-300))


@dataclass(frozen=True, eq=False)
class TrueRates:
    """Rates along the true attribute.

    Attributes
    ----------
    grid, share : array
        True values, and how many of the people have them.
    rate, error : array
        The rate at each, averaged over the models, and its standard error.
    """

    grid: Array
    share: Array
    _families: tuple[_Family, ...]
    _drawn: tuple[tuple[Array, Array], ...]  # densities that could have been seen as well, and the rates with them

    @property
    def rate(self) -> Array:
        """The rate at each true value, averaged over the models."""
        return np.asarray(sum(family.weight @ family.rate for family in self._families))

    def contrasts(self, group_of: Callable[[Array], NDArray[np.intp]], n: int) -> tuple[Array, Array, Array]:
        """Return Φ of groups of true values, its standard error, and the groups' shares; NaN of a group of nobody.

        Parameters
        ----------
        group_of : callable
            From true values to their groups.
        n : int
            The number of groups.

        Returns
        -------
        Φ, standard errors, shares
        """
        finer = (np.arange(FINER) + 0.5) / FINER - 0.5  # a border may lie inside a step of the grid
        codes = group_of(np.ravel(self.grid[:, None] + finer * (self.grid[1] - self.grid[0]))).reshape(-1, FINER)
        member = np.stack([np.mean(codes == k, axis=1) for k in range(n)])

        def of(share: Array) -> Array:
            own = member * share
            total = own.sum(axis=1, keepdims=True)
            return np.asarray(np.divide(own, total, out=np.zeros_like(own), where=total > 0) - share)

        weights = of(self.share)
        each = np.concatenate([family.rate @ weights.T for family in self._families])
        probability = np.concatenate([family.weight for family in self._families])
        phi = probability @ each
        inside = np.concatenate([family.variance(weights) for family in self._families])
        # No model is quite true: for the error, what was seen counts half as much in telling them apart.
        doubt = np.sqrt(probability) / np.sqrt(probability).sum()
        variance = doubt @ (inside + (each - phi) ** 2)
        if self._drawn:
            variance = variance + np.var([of(share) @ rate for share, rate in self._drawn], axis=0)
        shares = (member * self.share).sum(axis=1)
        there = shares > NOBODY
        return np.where(there, phi, np.nan), np.where(there, np.sqrt(variance), np.nan), shares


def true_rates(seen: Blurred, borders: Array, seed: int = 0, draws: int = DRAWS) -> TrueRates:
    """Estimate the rate along the true attribute.

    Parameters
    ----------
    seen : Blurred
        The people.
    borders : array
        Of the groups: where steps are likely.
    seed, draws : int
        For the densities that could have been seen as well, and their number.

    Returns
    -------
    TrueRates
    """
    ends = np.concatenate([seen.low, seen.high])
    grid = np.linspace(*_reach(ends[np.isfinite(ends)]), GRID)
    likelihood = seen.likelihood(grid)
    count = seen.b * float(seen.size.sum() / seen.b.sum())  # as many rows as carry weight
    share, powers, start = _density(likelihood, count, grid)
    models = _Models(grid, share, borders)
    variance = seen.row_variance()
    for _ in range(2):  # the variance of a yes or no follows from its rate
        families = models.fit(seen, likelihood * share, variance)
        variance = seen.row_variance(_posterior(likelihood * share) @ _likeliest(families).likeliest_rate)
    rng = np.random.default_rng(seed)
    likeliest, drawn = _likeliest(families), []
    for _ in range(draws):
        again = rng.poisson(count).astype(np.float64)
        if not again.any():  # hardly anybody was seen
            continue
        other = _maximised(likelihood, again, powers, start)[0]
        drawn.append((other, likeliest.again(*models.sums(seen, likelihood * other, variance))))
    return TrueRates(grid, share, tuple(families), tuple(drawn))


def _reach(ends: Array) -> tuple[float, float]:
    """Return how far true values may reach: as far as the seen ones, whose ends are those of the inner bins."""
    if not ends.size:
        return -0.5, 0.5
    low, high = float(ends.min()), float(ends.max())
    room = 0.02 * (high - low) if high > low else 0.5
    return low - room, high + room


def _density(likelihood: Array, count: Array, grid: Array) -> tuple[Array, Array, Array]:
    """Return the density of true values on a grid, the powers that its logarithm is made of, and their coefficients."""
    scaled = 2 * (grid - grid[0]) / (grid[-1] - grid[0]) - 1
    best: tuple[float, Array, Array, Array] | None = None
    start = np.zeros(0)
    for degree in DEGREES:
        powers = np.polynomial.legendre.legvander(scaled, degree)[:, 1:]
        share, start, loss = _maximised(likelihood, count, powers, np.append(start, np.zeros(degree - start.size)))
        criterion = 2 * loss + 2 * degree
        if best is None or criterion < best[0]:
            best = (criterion, share, powers, start)
    assert best is not None
    return best[1:]


def _maximised(likelihood: Array, count: Array, powers: Array, start: Array) -> tuple[Array, Array, float]:
    from scipy.optimize import minimize  # takes a third of a second to load, and most audits need none of it

    n = float(count.sum())
    ridge = 1e-3 * np.arange(1, powers.shape[1] + 1) ** 2

    def share_of(x: Array) -> Array:
        height = powers @ x
        share = np.exp(height - height.max())
        return np.asarray(share / share.sum())

    def loss(x: Array) -> tuple[float, Array]:
        share = share_of(x)
        mixed = np.maximum(likelihood @ share, 1e-300)
        expected = (count / mixed) @ likelihood * share  # how many have each true value
        value = -float(count @ np.log(mixed)) + 0.5 * float(ridge @ x**2)
        return value / n, (powers.T @ (n * share - expected) + ridge * x) / n

    found = minimize(loss, start, jac=True, method="BFGS", options={"maxiter": 200, "gtol": 1e-6})
    return share_of(found.x), found.x, float(found.fun) * n


@dataclass(frozen=True, eq=False)
class _Family:
    """Models of equal size, the likeliest first: which columns each has, how much each is held back, what was found."""

    basis: Array
    used: NDArray[np.intp]
    penalty: Array
    inverse: Array
    rate: Array
    weight: Array

    @classmethod
    def solved(cls, basis: Array, normal: Array, right: Array, used: NDArray[np.intp], penalty: Array) -> _Family:
        """Return the models with what the normal equations say of each, all equally likely."""
        held = penalty[:, :, None] * np.eye(used.shape[1])
        inverse = np.asarray(np.linalg.inv(normal[used[:, :, None], used[:, None, :]] + held), dtype=np.float64)
        found = (inverse @ right[used][:, :, None])[..., 0]
        every = np.zeros((len(used), basis.shape[1]))
        np.put_along_axis(every, used, found, axis=1)
        return cls(basis, used, penalty, inverse, every @ basis.T, np.ones(len(used)))

    @property
    def likeliest_rate(self) -> Array:
        """The rates by the likeliest model."""
        return np.asarray(self.rate[0])

    def variance(self, weights: Array) -> Array:
        """Return the variance of weighted sums (column) of the rates at the true values, by each model (row)."""
        loading = (weights @ self.basis)[:, self.used].transpose(1, 0, 2)
        return np.asarray(np.maximum(np.sum((loading @ self.inverse) * loading, axis=2), 0.0))

    def again(self, normal: Array, right: Array) -> Array:
        """Return the rates by the likeliest model from other sums."""
        return self.solved(self.basis, normal, right, self.used[:1], self.penalty[:1]).likeliest_rate


def _likeliest(families: list[_Family]) -> _Family:
    return max(families, key=lambda family: float(family.weight[0]))


class _Models:
    """A line, a smooth curve about it (cubic, its knots among the people), and no, one, two or more steps."""

    def __init__(self, grid: Array, share: Array, borders: Array) -> None:
        middle = float(share @ grid)
        unit = float(np.sqrt(share @ (grid - middle) ** 2)) or 1.0
        at, below = (grid - middle) / unit, np.cumsum(share)
        knots = np.unique(np.interp((np.arange(KNOTS) + 1) / (KNOTS + 1), below, at))
        self.grid = grid
        left, sizes, right = np.linalg.svd(np.abs(knots[:, None] - knots) ** 3)
        root = (right.T * np.sqrt(sizes)) @ left.T
        curve = np.linalg.lstsq(root.T, (np.abs(at[:, None] - knots) ** 3).T, rcond=None)[0].T
        named = (borders[(borders > grid[1]) & (borders < grid[-2])] - middle) / unit
        places = np.concatenate([np.interp((np.arange(PLACES) + 1) / (PLACES + 1), below, at), named])
        width = at[1] - at[0]
        steps = np.clip((at[:, None] - places) / width + 0.5, 0.0, 1.0)  # a step of the grid may lie on both sides
        self.basis = np.concatenate([np.ones((at.size, 1)), at[:, None], curve, steps - share @ steps], axis=1)
        self.smooth = 2 + knots.size
        at_borders = tuple(self.smooth + PLACES + i for i in range(named.size))
        one = [(self.smooth + i,) for i in range(places.size)]
        each = [self.smooth + i for i in range(PLACES // (2 * PLACES_OF_TWO), PLACES, PLACES // PLACES_OF_TWO)]
        two = list(combinations([*each, *at_borders], 2))
        steps_of: list[list[tuple[int, ...]]] = [list(one), list(two), *([[at_borders]] if at_borders else [])]
        # With line and curve, or steps alone: of two that explain as much, the simpler is the likelier.
        self.kinds: list[tuple[bool, list[tuple[int, ...]]]] = [
            (True, [()]),
            *((smooth, kind) for smooth in (True, False) for kind in steps_of),
        ]

    def fit(self, seen: Blurred, joint: Array, variance: Array) -> list[_Family]:
        """Return the models that explain what was seen, by their size; all weights add to 1."""
        normal, right = self.sums(seen, joint, variance)
        unit = float(np.average(variance, weights=seen.size))
        tried = [self._tried(kind, normal, right, unit, smooth=smooth) for smooth, kind in self.kinds]
        best = max(float(value.max()) for value, _, _ in tried)
        families, weights = [], []
        for value, used, penalty in tried:
            weight = np.exp(value - best)
            kept = np.flatnonzero(weight >= KEPT)
            kept = kept[np.argsort(-weight[kept], kind="stable")]
            if kept.size:
                families.append(_Family.solved(self.basis, normal, right, used[kept], penalty[kept]))
                weights.append(weight[kept])
        total = float(sum(weight.sum() for weight in weights))
        return [replace(family, weight=weight / total) for family, weight in zip(families, weights, strict=True)]

    def _tried(
        self, kind: list[tuple[int, ...]], normal: Array, right: Array, unit: float, *, smooth: bool
    ) -> tuple[Array, NDArray[np.intp], Array]:
        """Return the logarithm of how likely each model of a kind is, its columns and how they are held back.

        The kinds are equally likely beforehand.
        """
        n_steps, columns = len(kind[0]), range(self.smooth if smooth else 1)
        sizes = [1, 1, self.smooth - 2, n_steps] if smooth else [1, 0, 0, n_steps]
        penalties = np.array(
            [
                np.repeat([0.0, 1 / (SLOPE * unit), 1 / (curve * unit), 1 / (step * unit)], sizes)
                for curve in (CURVES if smooth else CURVES[:1])
                for step in (STEPS if n_steps else STEPS[:1])
            ]
        )
        used = np.array([[*columns, *steps] for steps in kind], dtype=np.intp)
        size = used.shape[1]
        grams = normal[used[:, :, None], used[:, None, :]][:, None] + penalties[:, :, None] * np.eye(size)
        factor = np.linalg.cholesky(grams)
        wanted = np.broadcast_to(right[used][:, None, :, None], (*grams.shape[:2], size, 1))
        half = np.linalg.solve(factor, wanted)[..., 0]
        held = np.log(penalties[:, 1:]).sum(axis=1) / 2
        value = held - np.log(np.diagonal(factor, axis1=-2, axis2=-1)).sum(axis=-1) + np.sum(half**2, axis=-1) / 2
        value = value - np.log(value.size)
        return value.ravel(), np.repeat(used, len(penalties), axis=0), np.tile(penalties, (len(kind), 1))

    def sums(self, seen: Blurred, joint: Array, variance: Array) -> tuple[Array, Array]:
        """Return the normal equations of all columns of the basis."""
        posterior = _posterior(joint)
        design = posterior @ self.basis
        weight = seen.size / variance
        normal = design.T @ (weight[:, None] * design)
        normal[np.diag_indices_from(normal)] += 1e-10 * float(np.trace(normal)) / len(normal)
        return normal, design.T @ (weight * seen.rate_without_drift(posterior, self.grid))


def _posterior(joint: Array) -> Array:
    """Return the probability of each true value (column) for the people of each bin (row)."""
    return np.asarray(joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300))
