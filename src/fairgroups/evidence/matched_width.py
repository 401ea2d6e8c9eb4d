"""How wide the band at equal factors must be: outcomes dealt out again among people who are alike.

If a person's outcome depends on the factors only, every way to deal a stratum's outcomes to its people is as likely as
the one seen. The largest |U_G|/√V_G less a charge for small regions, over every range or box G, is compared with what
it is after such deals: exactly that for yes/no outcomes of people who count once each; for amounts, weights, clusters,
and beyond a few hundred thousand people, sums of many are close to normal, and draws have their covariance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairgroups._kernels import deal_sums, region_maxima
from fairgroups.cells.matching import Matching
from fairgroups.evidence.every_region import EveryRegion
from fairgroups.progress import on_two_threads

__all__ = ["largest_by_chance"]

Array = NDArray[np.float64]
MOST_DEALT = 300_000
BLOCK = 256


def largest_by_chance(
    matching: Matching, every: EveryRegion, times: Array, charge: Array, n_draws: int
) -> NDArray[np.float32]:
    """Return the largest statistics over all regions, draw by draw, where people alike are treated alike.

    Parameters
    ----------
    matching : Matching
        The sums by cell and stratum.
    every : EveryRegion
        The regions of its cells.
    times, charge : array
        For each region 1/√V, 0 where it is passed over, and what it is charged.
    n_draws : int
        How many draws; a multiple of 256.

    Returns
    -------
    array
    """
    dealt = matching.yes is not None and matching.sums.b.sum() <= MOST_DEALT
    draws = _Deals(matching) if dealt else _Normals(matching)
    axes, one, other = list(every.axes), times.astype(np.float32), charge.astype(np.float32)

    def block(k: int) -> NDArray[np.float32]:
        drift = draws(k)[:, : every.n_cells]
        side_by_side = np.ascontiguousarray(drift.reshape(-1, 16, every.n_cells).transpose(0, 2, 1), dtype=np.float32)
        largest = np.full(BLOCK, -1e9, dtype=np.float32)
        region_maxima(side_by_side, axes, one, one, other, largest)
        return largest

    return np.concatenate(on_two_threads(block, range(n_draws // BLOCK)))


class _Deals:
    """U by cell after a stratum's yeses were dealt out among its people again."""

    def __init__(self, matching: Matching) -> None:
        assert matching.yes is not None
        people = np.rint(matching.sums.b).astype(np.int64)
        by_stratum = people.sum(axis=0)
        telling = (matching.yes > 0) & (matching.yes < by_stratum)
        people, self.yes = np.ascontiguousarray(people.T[telling]), matching.yes[telling]
        self.starts = np.concatenate([[0], np.cumsum(by_stratum[telling])]).astype(np.int64)
        cells = np.broadcast_to(np.arange(people.shape[1], dtype=np.uint16), people.shape)
        self.cells = np.repeat(cells.ravel(), people.ravel())[None, :]
        self.n_cells = people.shape[1]

    def __call__(self, seed: int) -> NDArray[np.float32]:
        out = np.empty((BLOCK, self.n_cells), dtype=np.float32)
        if self.starts.size > 1:
            deal_sums(self.starts, self.yes, None, None, None, self.cells, [self.n_cells], out, seed)
        else:
            out[:] = 0.0
        return out


class _Normals:
    """U by cell drawn with its covariance."""

    def __init__(self, matching: Matching) -> None:
        values, vectors = np.linalg.eigh(matching.variance)
        self.root = vectors * np.sqrt(np.maximum(values, 0.0))

    def __call__(self, seed: int) -> Array:
        drawn = np.random.default_rng(seed).standard_normal((BLOCK, self.root.shape[0]))
        found: Array = drawn @ self.root.T
        return found
