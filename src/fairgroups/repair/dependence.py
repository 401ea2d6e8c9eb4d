"""How much two variables depend on each other, and how much of that chance alone would show.

Notes
-----
*HGR*, the maximal correlation of Hirschfeld, Gebelein and Rényi, is the largest correlation of any function of x with
any function of y: 0 for independence, 1 where one decides the other. Values are put into about n^(1/3) bins of equal
weight by rank, and the second singular value of the table of joint shares, each divided by the root of its margins, is
the maximal correlation of the bins. Noise raises it: a table of p × q bins from n rows has noise like a matrix of
independent entries of variance 1/n, whose effect on a singular value is known and taken off (Baik, Ben Arous and Péché
2005; Benaych-Georges and Nadakuditi 2012). Where one side has two values, HGR is the correlation ratio, which is used.

*Correlation ratio* η(y | x): η² is the share of the variance of y that its mean given x explains, on bins of x, the
noise taken off.

*GeDI* (Giuliani, Misino and Lombardi 2023): the sum of the sizes of the coefficients of the least-squares polynomial of
y in x, both centred. It has units: by how much y changes along x.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.rows.column_values import numbers, one_column
from fairgroups.rows.rows import check_finite

__all__ = ["Dependence", "correlation_ratio", "gedi", "hgr", "hgr_floor"]

Array = NDArray[np.float64]
Statistic = Callable[[Array, Array, Array], float]
GRID = 128  # points of the density estimate
FLOOR_DRAWS = 59


@dataclass(frozen=True)
class Dependence:
    """A measure of dependence beside what chance alone shows.

    Attributes
    ----------
    value : float
        The estimate.
    floor : float
        The 95% quantile of the estimate when y is dealt out to the rows at random: no smaller value means anything.
    p_value : float
        (b + 1)/(B + 1), b of B deals giving at least the value; 1 when no deals were made.
    name : str
        Which measure.
    """

    value: float
    floor: float
    p_value: float
    name: str


def hgr(
    x: Any,
    y: Any,
    *,
    weight: Any = None,
    method: Literal["svd", "kde"] = "svd",
    n_bins: int | None = None,
    debias: bool = True,
    n_permutations: int = 99,
    seed: int = 0,
) -> Dependence:
    """Estimate the maximal correlation of two variables.

    Parameters
    ----------
    x, y : array-like
        Numbers, one for each row.
    weight : array-like, optional
        Weights.
    method : {"svd", "kde"}
        ``"svd"``: rank bins with the noise taken off. ``"kde"``: the density estimate of Mary, Calauzènes and El Karoui
        (2019) that the paper uses, biased upwards for weak dependence and downwards for strong; for comparison.
    n_bins : int, optional
        Bins on each side; about n^(1/3) by default.
    debias : bool
        Take off what noise adds (not with ``"kde"``, which has no such correction).
    n_permutations, seed : int
        How often y is dealt out again for `floor` and `p_value`, and the seed; 0 leaves them out.

    Returns
    -------
    Dependence

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups import hgr
    >>> x = np.random.default_rng(0).uniform(-1, 1, 5000)
    >>> hgr(x, x**2).value > 0.97
    True
    """
    if method not in ("svd", "kde"):
        raise InputError(f"`method` must be 'svd' or 'kde'; got {method!r}.")
    first, second, mass = _columns(x, y, weight)
    first, second = _unit(first), _unit(second)
    if n_bins is not None and (isinstance(n_bins, bool) or not isinstance(n_bins, int | np.integer) or n_bins < 2):
        raise InputError(f"`n_bins` must be a whole number of at least 2; got {n_bins!r}.")

    def statistic(u: Array, v: Array, w: Array) -> float:
        if method == "kde":
            return _kde(u, v, w)
        return _maximal(u, v, w, n_bins, debias=debias)

    return _judge("hgr", statistic, first, second, mass, n_permutations, seed)


def hgr_floor(x: Array, y: Array, weight: Array) -> float:
    """Return the 95% quantile of what `hgr` shows when y is dealt out to the rows at random.

    It is quicker than `hgr` itself, for values are put into bins once, and the order of the rows does not matter.
    """
    n, usual = _usual(weight)
    (u, p), (v, q) = (_bins(values, weight, usual) for values in (x, y))
    if p < 2 or q < 2:
        return 0.0
    order = np.lexsort([weight, v, u])
    u, v, w = u[order] * q, v[order], weight[order] / weight.sum()
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(FLOOR_DRAWS):
        table: Array = np.bincount(u + rng.permutation(v), w, p * q).reshape(p, q).astype(np.float64)
        table = table / np.sqrt(np.outer(table.sum(axis=1), table.sum(axis=0)))
        square = float(np.linalg.svd(table, compute_uv=False)[1]) ** 2
        if min(p, q) == 2:
            b = max(p, q)
            drawn.append(max(square - (b - 1) * (1 - square) / max(n - b, 1.0), 0.0))
        else:
            drawn.append(_without_noise(square, (p - 1) / n, (q - 1) / n))
    return float(np.sqrt(np.quantile(drawn, 0.95)))


def correlation_ratio(
    x: Any,
    y: Any,
    *,
    weight: Any = None,
    n_bins: int | None = None,
    debias: bool = True,
    n_permutations: int = 99,
    seed: int = 0,
) -> Dependence:
    """Estimate how much of y its mean given x explains: η, the root of Var E[Y | X] / Var Y.

    Parameters
    ----------
    x, y, weight, n_bins, debias, n_permutations, seed
        See `hgr`.

    Returns
    -------
    Dependence

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups import correlation_ratio
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=5000)
    >>> round(correlation_ratio(x, x + rng.normal(size=5000)).value, 1)  # √½
    0.7
    """
    first, second, mass = _columns(x, y, weight)
    first, second = _unit(first), _unit(second)

    def statistic(u: Array, v: Array, w: Array) -> float:
        return _ratio(u, v, w, n_bins, debias=debias)

    return _judge("correlation_ratio", statistic, first, second, mass, n_permutations, seed)


def gedi(x: Any, y: Any, *, degree: int = 1, weight: Any = None, n_permutations: int = 99, seed: int = 0) -> Dependence:
    """Return the generalized disparate impact of x on y: how strongly a polynomial of x moves y.

    Parameters
    ----------
    x, y, weight, n_permutations, seed
        See `hgr`.
    degree : int
        Of the polynomial; with 1 it is the size of the slope.

    Returns
    -------
    Dependence

    Examples
    --------
    >>> from fairgroups import gedi
    >>> round(gedi([0, 1, 2, 3], [0, 2, 4, 6]).value, 6)
    2.0
    """
    if isinstance(degree, bool) or not isinstance(degree, int | np.integer) or not 1 <= degree <= 20:
        raise InputError(f"`degree` must be a whole number between 1 and 20; got {degree!r}.")
    first, second, mass = _columns(x, y, weight)

    def statistic(u: Array, v: Array, w: Array) -> float:
        powers = np.stack([u**d for d in range(1, degree + 1)], axis=1)
        root = np.sqrt(w / w.sum())[:, None]
        centred = (powers - np.average(powers, axis=0, weights=w)) * root
        scale = np.sqrt(np.sum(centred**2, axis=0))
        used = scale > 1e-10 * np.abs(powers).max(axis=0)
        if not used.any():
            return 0.0
        found = np.linalg.lstsq(
            centred[:, used] / scale[used], (v - np.average(v, weights=w)) * root[:, 0], rcond=None
        )[0]
        return float(np.sum(np.abs(found / scale[used])))

    return _judge("gedi", statistic, first, second, mass, n_permutations, seed)


def _columns(x: Any, y: Any, weight: Any) -> tuple[Array, Array, Array]:
    first, second = numbers(one_column(x), "x"), numbers(one_column(y), "y")
    mass = np.ones(first.size) if weight is None else numbers(one_column(weight), "weight")
    if not first.size == second.size == mass.size:
        raise InputError(f"x, y and weight must be of one length; got {first.size}, {second.size} and {mass.size}.")
    if first.size < 2:
        raise InputError("dependence needs at least two rows.")
    for values, name in ((first, "x"), (second, "y"), (mass, "weight")):
        check_finite(values, name)
        if np.isnan(values).any():
            raise InputError(f"{name!r} holds missing values (NaN).", "leave these rows out.")
    if (mass < 0).any() or mass.sum() <= 0:
        raise InputError("weights must be at least 0, and some above it.")
    used = mass > 0
    return first[used], second[used], mass[used] / mass.max()


def _unit(values: Array) -> Array:
    """Shift and scale values to between −1 and 1: dependence does not change, and squares stay finite."""
    low, high = float(values.min()), float(values.max())
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    return (values - middle) / half if half > 0 else np.zeros_like(values)


def _judge(
    name: str, statistic: Statistic, x: Array, y: Array, weight: Array, n_permutations: int, seed: int
) -> Dependence:
    if isinstance(n_permutations, bool) or not isinstance(n_permutations, int | np.integer) or n_permutations < 0:
        raise InputError(f"`n_permutations` must be a whole number of at least 0; got {n_permutations!r}.")
    if x.min() == x.max() or y.min() == y.max():
        return Dependence(0.0, 0.0, 1.0, name)
    value = statistic(x, y, weight)
    rng = np.random.default_rng(seed)
    drawn = np.array([statistic(x, rng.permutation(y), weight) for _ in range(n_permutations)])
    if drawn.size == 0:
        return Dependence(value, float("nan"), 1.0, name)
    p = (1 + np.sum(drawn >= value * (1 - 1e-12))) / (drawn.size + 1)
    return Dependence(value, float(np.quantile(drawn, 0.95)), float(p), name)


def _bins(values: Array, weight: Array, n_bins: int) -> tuple[NDArray[np.intp], int]:
    """Put values into bins of about equal weight, equal values together."""
    distinct, where = np.unique(values, return_inverse=True)
    where = where.ravel()
    if distinct.size <= n_bins:
        return where, int(distinct.size)
    mass = np.bincount(where, weight)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    code = np.minimum((middle * n_bins).astype(np.intp), n_bins - 1)
    used, dense = np.unique(code, return_inverse=True)
    return dense.ravel()[where], int(used.size)


def _usual(weight: Array) -> tuple[float, int]:
    """Return the effective number of rows, and how many bins it calls for."""
    n = float(weight.sum() ** 2 / np.sum(weight**2))
    return n, max(2, round(n ** (1 / 3)))


def _maximal(x: Array, y: Array, weight: Array, n_bins: int | None, *, debias: bool) -> float:
    if np.unique(y).size == 2:
        return _ratio(x, y, weight, n_bins, debias=debias)
    if np.unique(x).size == 2:
        return _ratio(y, x, weight, n_bins, debias=debias)
    n, usual = _usual(weight)
    (u, p), (v, q) = (_bins(values, weight, n_bins or usual) for values in (x, y))
    if p < 2 or q < 2:
        return 0.0
    table = np.bincount(u * q + v, weight, p * q).reshape(p, q) / weight.sum()
    table = table / np.sqrt(np.outer(table.sum(axis=1), table.sum(axis=0)))
    seen = float(np.linalg.svd(table, compute_uv=False)[1])
    return float(min(np.sqrt(_without_noise(seen**2, (p - 1) / n, (q - 1) / n)) if debias else seen, 1.0))


def _without_noise(square: float, p: float, q: float) -> float:
    """Take the noise off a squared singular value of a matrix whose entries have variance 1/n; p and q are sizes / n.

    A true value θ is seen at θ² + p + q + p q/θ², if it is large enough to be seen at all. The noise shrinks where the
    dependence is strong, for the entries then vary less: by 1 − θ².
    """
    theta = square
    for _ in range(50):
        left = max(1 - theta, 0.0)
        a, b = p * left, q * left
        rest = square - a - b
        inside = rest**2 - 4 * a * b
        new = (rest + np.sqrt(inside)) / 2 if rest > 0 and inside > 0 else 0.0
        if abs(new - theta) < 1e-12:
            break
        theta = (theta + new) / 2
    return float(max(theta, 0.0))


def _ratio(x: Array, y: Array, weight: Array, n_bins: int | None, *, debias: bool) -> float:
    n, usual = _usual(weight)
    code, b = _bins(x, weight, n_bins or usual)
    if b < 2 or n <= b:
        return 0.0
    mass, sums = np.bincount(code, weight, b), np.bincount(code, weight * y, b)
    mean = sums.sum() / mass.sum()
    total = float(np.sum(weight * (y - mean) ** 2))
    between = float(np.sum(mass * (sums / mass - mean) ** 2))
    noise = (b - 1) * (total - between) / (n - b) if debias else 0.0
    return float(np.sqrt(np.clip((between - noise) / total, 0.0, 1.0))) if total > 0 else 0.0


def _kde(x: Array, y: Array, weight: Array) -> float:
    """Estimate by a Gaussian density on a grid, Scott's bandwidth, as in Mary and others (2019)."""
    share = weight / weight.sum()
    n, _ = _usual(weight)
    width = n ** (-1 / 6)
    grids, smooth = [], []
    for values in (x, y):
        mean = np.sum(share * values)
        scaled = (values - mean) / np.sqrt(np.sum(share * (values - mean) ** 2))
        low, high = scaled.min() - 3 * width, scaled.max() + 3 * width
        at = np.clip(((scaled - low) / (high - low) * (GRID - 1)).round().astype(np.intp), 0, GRID - 1)
        points = np.linspace(low, high, GRID)
        kernel = np.exp(-0.5 * ((points[:, None] - points[None, :]) / width) ** 2)
        grids.append(at)
        smooth.append(kernel / kernel.sum(axis=0))
    counts = np.bincount(grids[0] * GRID + grids[1], share, GRID * GRID).reshape(GRID, GRID)
    density = smooth[0] @ counts @ smooth[1].T
    density /= density.sum()
    rows, columns = density.sum(axis=1), density.sum(axis=0)
    root = np.sqrt(np.outer(rows, columns))
    table = np.divide(density - root**2, root, out=np.zeros_like(root), where=root > 1e-12)
    return float(min(_largest_singular_value(table), 1.0))


def _largest_singular_value(table: Array) -> float:
    """Iterate on a few directions: much quicker than all singular values, of which a smooth table has few."""
    directions = np.linalg.qr(np.random.default_rng(0).normal(size=(table.shape[1], 8)))[0]
    value = 0.0
    for _ in range(100):
        image = table.T @ (table @ directions)
        directions, size = np.linalg.qr(image)
        new = float(np.abs(np.diag(size)).max())
        if abs(new - value) <= 1e-12 + 1e-9 * new:
            break
        value = new
    return float(np.sqrt(new))
