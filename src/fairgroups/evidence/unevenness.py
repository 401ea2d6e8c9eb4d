"""Whether the rate is uneven over several attributes together: one test without any border to find.

Each number is cut into halves, and into quarters, of the people; categories stay as they are. The statistic is the sum
over these few cells of their squared departures from the common rate, each over its variance, for halves and for
quarters. The more striking of the two counts, against the more striking of each draw in which nobody is treated
differently. It sees what many boxes share and no single one shows: a rate that is high in two opposite corners.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.canonical import canonical_order
from fairgroups.cells.moments import Moments
from fairgroups.cells.space import GridAxis, SpaceCells
from fairgroups.measures import Measure

__all__ = ["Unevenness", "unevenness_test"]

Array = NDArray[np.float64]
PIECES = 4
MOST_CELLS = 400
DRAWS = 9999
FEWEST, FEWEST_OF_A_KIND = 20, 5  # people, and people with the rarer outcome, whose sums are about normal
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
    moments = cells[measure].map(lambda x: x[: len(cells)])
    if not moments.size >= FEWEST:
        return None
    name = measure if isinstance(measure, str) else measure.name
    margins = _margins(cells, moments)
    tried = [_Coarse.of(cells, moments, margins, pieces) for pieces in (PIECES, PIECES // 2)]
    if tried[0].size > MOST_CELLS:
        tried = tried[1:]
    drawn, variance = _draws(cells, moments, name, tried[0])
    departure = tried[0].sum(moments.a - moments.overall * moments.b)
    every = np.vstack([departure, drawn])
    statistics = []
    for coarse in tried:
        among = coarse.among(tried[0])
        used = variance @ among.T > 0
        if not _is_plain(moments) or name in cells.matching:
            used &= coarse.enough(moments, variance @ among.T)
        if np.count_nonzero(used) > 1:
            statistics.append(_statistic(every @ among.T, variance @ among.T, used))
    if not statistics:
        return None
    ranks = np.stack([np.searchsorted(np.sort(-x), -x, side="right") for x in np.round(statistics, 9)])
    best = ranks.min(axis=0)
    return Unevenness(min(1.0, float(np.mean(best <= best[0])) / share))


def _margins(cells: SpaceCells, moments: Moments) -> list[Array]:
    mass = moments.b.reshape(cells.shape)
    return [mass.sum(axis=tuple(e for e in range(mass.ndim) if e != d)) for d in range(mass.ndim)]


@dataclass(frozen=True, eq=False)
class _Coarse:
    """A coarse grid: which of its cells each cell of the grid lies in, −1 for none, in an order of no direction."""

    place: NDArray[np.intp]
    size: int

    @classmethod
    def of(cls, cells: SpaceCells, moments: Moments, margins: list[Array], pieces: int) -> _Coarse:
        parts = [_pieces(axis, mass, pieces) for axis, mass in zip(cells.axes, margins, strict=True)]
        sizes = [int(x.max()) + 1 for x in parts]
        grid = np.ix_(*parts)
        known = np.all(np.broadcast_arrays(*(x >= 0 for x in grid)), axis=0).ravel()
        code = np.ravel_multi_index([np.maximum(x, 0) for x in grid], sizes).ravel()
        mass = np.bincount(code[known], moments.b[known], int(np.prod(sizes))).astype(np.float64).reshape(sizes)
        order = canonical_order(mass, [axis.levels is not None for axis in cells.axes])
        order = order[mass.ravel()[order] > 0]
        number = np.full(mass.size, -1)
        number[order] = np.arange(order.size)
        return cls(np.where(known, number[code], -1), int(order.size))

    def sum(self, values: Array) -> Array:
        """Add up values by coarse cell."""
        there = self.place >= 0
        return np.bincount(self.place[there], values[there], self.size).astype(np.float64)

    def among(self, finer: _Coarse) -> Array:
        """Return which cells of a finer grid, in columns, lie in each of these."""
        both = (self.place >= 0) & (finer.place >= 0)
        found = np.zeros((self.size, finer.size))
        found[self.place[both], finer.place[both]] = 1.0
        return found

    def enough(self, moments: Moments, variance: Array) -> NDArray[np.bool_]:
        """Whether the sums of each cell are of people enough to be normal."""
        enough = self.sum(moments.b) ** 2 >= FEWEST * self.sum(moments.noise)
        if moments.bounded:
            one = float(moments.noise.sum() / moments.b.sum())
            enough &= variance >= FEWEST_OF_A_KIND * one**2
        return np.asarray(enough)


def _pieces(axis: GridAxis, mass: Array, pieces: int) -> NDArray[np.intp]:
    """Return the piece of each cell of an axis, as many people in each as the cells allow, levels as they are.

    A cell whose middle is a border belongs to none, or a number would be cut otherwise from the other end.
    """
    if axis.levels is not None:
        return np.arange(axis.size)
    at = np.round((np.cumsum(mass) - mass / 2) / mass.sum() * pieces, 9)
    inner = (at == np.rint(at)) & (at > 0) & (at < pieces)
    return np.where(inner & (axis.size > pieces), -1, np.minimum(at, pieces - 1).astype(np.intp))


def _statistic(departures: Array, variance: Array, used: NDArray[np.bool_]) -> Array:
    return np.asarray((departures[:, used] ** 2 / variance[used]).sum(axis=1))


def _draws(cells: SpaceCells, moments: Moments, name: str, coarse: _Coarse) -> tuple[Array, Array]:
    """Return departures where nobody is treated differently, a row each, and what their squares are divided by."""
    rng = np.random.default_rng(0)
    if name in cells.matching:
        there = np.flatnonzero(coarse.place >= 0)
        among = np.eye(coarse.size)[coarse.place[there]]
        found = cells.matching[name]
        covariance = among.T @ found.variance[np.ix_(there, there)] @ among
        own = np.diag(among.T @ found.own_variance[np.ix_(there, there)] @ among)
        more = np.sqrt(np.maximum(own / np.maximum(np.diag(covariance), 1e-300), 1.0))
        covariance = covariance * np.outer(more, more)
        return _normal(covariance, rng), np.maximum(np.diag(covariance), 0.0)
    rate, b = moments.overall, coarse.sum(moments.b)
    if _is_plain(moments):
        unit = float(moments.bb.sum() / moments.b.sum())
        every = np.append(b, max(float(moments.b.sum()) - b.sum(), 0.0))  # those of no coarse cell come last
        people, yes = np.rint(every / unit).astype(np.int64), round(float(moments.a.sum()) / unit)
        if people.sum() < MANY:
            counts = rng.multivariate_hypergeometric(people, yes, DRAWS, method="marginals")
        else:
            counts = rng.binomial(people, yes / people.sum(), (DRAWS, people.size))
        return unit * (counts - rate * people)[:, :-1], unit * b * rate * (1 - rate)
    squares = np.maximum(moments.aa - 2 * rate * moments.ab + rate**2 * moments.bb, 0.0) * moments.design_effect
    weight, total = coarse.sum(moments.noise), float(moments.noise.sum())
    # Where large amounts happen not to be, values scatter no less than elsewhere.
    noise = np.maximum(coarse.sum(squares), weight * squares.sum() / total)
    less = np.eye(b.size) - np.outer(b / moments.b.sum(), np.ones(b.size))  # the common rate is estimated
    return _normal(less @ np.diag(noise) @ less.T, rng), noise


def _normal(covariance: Array, rng: np.random.Generator) -> Array:
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(rng.standard_normal((DRAWS, root.shape[1])) @ (root @ vectors.T))


def _is_plain(moments: Moments) -> bool:
    """Whether everybody counts the same and outcomes are yes or no."""
    unit = float(moments.bb.sum() / moments.b.sum())
    sums = ((moments.noise, moments.b), (moments.aa, moments.a))
    return moments.bounded and all(np.allclose(x, y * unit, rtol=1e-9, atol=0) for x, y in sums)
