"""Whether the rate is uneven over several attributes together: one test without any border to find.

Each number is cut into halves, and into quarters, of the people; categories stay as they are. The statistic is the sum
over these few cells of their squared departures from the common rate, each over its variance, for halves and for
quarters. The more striking of the two counts, against the more striking of each draw in which nobody is treated
differently. It sees what many boxes share and no single one shows: a rate that is high in two opposite corners.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.moments import Moments
from fairgroups.cells.space import GridAxis, SpaceCells
from fairgroups.measures import Measure

__all__ = ["Unevenness", "unevenness_test"]

Array = NDArray[np.float64]
PIECES = 4
MOST_CELLS = 400
DRAWS, FEWEST = 9999, 20
MANY = 1_000_000_000  # rows beyond which counts are drawn one by one


@dataclass(frozen=True)
class Unevenness:
    """Whether the rate is the same wherever people stand.

    Attributes
    ----------
    p_value : float
        Adjusted for the share of the error that the test is given: it is shown where this is at most 1 − level.
    shown : bool
        Whether the audit may say so, at its level.
    """

    p_value: float
    shown: bool = False


def unevenness_test(cells: SpaceCells, measure: Measure | str, share: float = 1.0) -> Unevenness | None:
    """Test whether the rate is the same in all parts of the space of attributes.

    Parameters
    ----------
    cells : SpaceCells
        The people.
    measure : Measure or str
        Which rate.
    share : float
        Which share of the error the test is given; its p-value is divided by it.

    Returns
    -------
    Unevenness or None
        None where everybody stands in one place or has the same outcome.

    Notes
    -----
    Draws of yes/no outcomes deal them out again among the people, exactly; sums of other outcomes, with weights, among
    clusters or at equal factors are drawn as normal with their own covariance. The draws depend on the sums alone, so
    that the same people in any order get the same answer.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups import SpaceCells
    >>> from fairgroups.evidence.unevenness import unevenness_test
    >>> x, y = np.divmod(np.arange(400) % 4, 2)
    >>> cells = SpaceCells.from_arrays({"x": x, "y": y}, (x == y).astype(int))
    >>> unevenness_test(cells, "statistical_parity").p_value
    0.0001
    """
    n = len(cells)
    moments = cells[measure].map(lambda x: x[:n])
    quarters = [_pieces(axis, along, PIECES) for axis, along in zip(cells.axes, _margins(cells, moments), strict=True)]
    finest = PIECES
    if np.prod([float(x.max() + 1) for x in quarters]) > MOST_CELLS:
        finest = 2
        quarters = [_halved(axis, x) for axis, x in zip(cells.axes, quarters, strict=True)]
    place, mass = _joined(quarters, moments.b)
    if mass.size < 2:
        return None
    departure = np.bincount(place, moments.a - moments.overall * moments.b, mass.size).astype(np.float64)
    name = measure if isinstance(measure, str) else measure.name
    drawn, variance = _draws(cells, moments, name, place, mass.size)
    if not variance.sum() > 0:
        return None
    every = np.vstack([departure, drawn])
    statistics = [_statistic(every, variance)]
    if finest == PIECES:
        halves = [_halved(axis, x) for axis, x in zip(cells.axes, quarters, strict=True)]
        coarse, coarse_mass = _joined(halves, moments.b)
        first = np.zeros(mass.size, dtype=np.intp)
        first[place] = coarse  # the cells of quarters lie inside those of halves
        among = np.eye(coarse_mass.size)[first]
        statistics.append(_statistic(every @ among, variance @ among))
    ranks = np.stack([np.searchsorted(np.sort(-x), -x, side="right") for x in np.round(statistics, 9)])
    best = ranks.min(axis=0)
    return Unevenness(min(1.0, float(np.mean(best <= best[0])) / share))


def _margins(cells: SpaceCells, moments: Moments) -> list[Array]:
    mass = moments.b.reshape(cells.shape)
    return [mass.sum(axis=tuple(e for e in range(mass.ndim) if e != d)) for d in range(mass.ndim)]


def _pieces(axis: GridAxis, mass: Array, pieces: int) -> NDArray[np.intp]:
    """Return the piece of each cell of an axis: as many people in each as the cells allow, levels as they are."""
    if axis.levels is not None:
        return np.arange(axis.size)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    return np.asarray(np.minimum(middle * pieces, pieces - 1).astype(np.intp))


def _halved(axis: GridAxis, piece: NDArray[np.intp]) -> NDArray[np.intp]:
    return piece if axis.levels is not None else np.asarray(piece // 2)


def _joined(pieces: list[NDArray[np.intp]], b: Array) -> tuple[NDArray[np.intp], Array]:
    """Return the coarse cell of each cell of the grid, numbered without those of nobody, and what each weighs."""
    sizes = [int(x.max()) + 1 for x in pieces]
    codes = np.ravel_multi_index(np.ix_(*pieces), sizes).ravel()
    mass = np.bincount(codes, b, int(np.prod(sizes))).astype(np.float64)
    there = np.flatnonzero(mass > 0)
    number = np.zeros(mass.size, dtype=np.intp)
    number[there] = np.arange(there.size)
    return number[codes], mass[there]


def _statistic(departures: Array, variance: Array) -> Array:
    used = variance > 0
    return np.asarray((departures[:, used] ** 2 / variance[used]).sum(axis=1))


def _draws(cells: SpaceCells, moments: Moments, name: str, place: NDArray[np.intp], size: int) -> tuple[Array, Array]:
    """Return departures where nobody is treated differently, a row each, and what their squares are divided by."""
    rng = np.random.default_rng(0)
    total: Callable[[Array], Array] = lambda x: np.bincount(place, x, size).astype(np.float64)  # noqa: E731
    if name in cells.matching:
        among = np.eye(size)[place]
        covariance = among.T @ cells.matching[name].variance[: place.size, : place.size] @ among
        return _normal(covariance, rng), np.maximum(np.diag(covariance), 0.0)
    rate, b = moments.overall, total(moments.b)
    if _is_plain(moments):
        unit = float(moments.bb.sum() / moments.b.sum())
        people, yes = np.rint(b / unit).astype(np.int64), round(float(moments.a.sum()) / unit)
        if people.sum() < MANY:
            counts = rng.multivariate_hypergeometric(people, yes, DRAWS, method="marginals")
        else:
            counts = rng.binomial(people, yes / people.sum(), (DRAWS, people.size))
        return unit * (counts - rate * people), unit * b * rate * (1 - rate)
    squares = np.maximum(moments.aa - 2 * rate * moments.ab + rate**2 * moments.bb, 0.0) * moments.design_effect
    weight = total(moments.noise)
    # Where large amounts happen not to be, values scatter no less than elsewhere.
    noise = np.maximum(total(squares), weight * squares.sum() / weight.sum())
    few = b**2 < FEWEST * weight  # too few for sums to be normal
    less = np.eye(size) - np.outer(b / b.sum(), np.ones(size))  # the common rate is estimated
    return _normal(less @ np.diag(noise) @ less.T, rng), np.where(few, 0.0, noise)


def _normal(covariance: Array, rng: np.random.Generator) -> Array:
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(rng.standard_normal((DRAWS, root.shape[1])) @ root.T)


def _is_plain(moments: Moments) -> bool:
    """Whether everybody counts the same and outcomes are yes or no."""
    unit = float(moments.bb.sum() / moments.b.sum())
    sums = ((moments.noise, moments.b), (moments.aa, moments.a))
    return moments.bounded and all(np.allclose(x, y * unit, rtol=1e-9) for x, y in sums)
