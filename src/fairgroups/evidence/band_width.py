"""How wide the band must be: quantiles of the largest statistic over all ranges, when there is no discrimination.

For a range of n of N rows the statistics are √(2 n kl(rate seen, true rate)) − √(2 log(eN/n)), for its rate, and the
root of the likelihood ratio of the range against its complement − √(2 log(eN/min(n, N−n))), for its Φ. Their largest
values over all ranges have quantiles that hardly depend on N or on the rate: see docs/band.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fairgroups._kernels import cell_maxima
from fairgroups.progress import on_two_threads

__all__ = ["Quantiles", "from_table", "looked_up", "quantile_of", "safe_rate", "simulated"]

Array = NDArray[np.float64]
GAUSSIAN = "gaussian"
MOST_KEPT = 64  # simulations remembered
FEW_CELLS_PENALTY = 0.6  # few cells make few small ranges: charging them less finds more of them, at little cost
ROUNDING = 1e-6  # with few rows the largest statistic is an atom: what equals the quantile is within the band
CACHE: dict[tuple[Any, ...], tuple[Array, Array]] = {}


@dataclass(frozen=True)
class Quantiles:
    """How far the statistics of rate and of Φ may go, where that is known from, and how much small ranges are charged.

    `penalty` multiplies √(2 log(eN/n)).
    """

    rate: float
    phi: float
    source: str
    penalty: float = 1.0


@lru_cache
def _table() -> dict[str, Any]:
    text = files("fairgroups.evidence").joinpath("band_quantiles.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def from_table(n: float, rate: float | None, level: float) -> Quantiles:
    """Look the quantiles up: interpolated in log n, the largest over the overall rate and all less rare ones.

    Between and beyond the table's levels the quantile grows no faster than a normal one: the largest of normal
    variables, each less a constant, changes by at most one when they do (Gaussian concentration).

    Parameters
    ----------
    n : float
        Number of rows, or their effective number.
    rate : float or None
        The overall rate; None for outcomes that are not rates.
    level : float
        Confidence level.

    Returns
    -------
    Quantiles
    """
    return looked_up(_table(), n, rate, level)


def looked_up(table: Mapping[str, Any], n: float, rate: float | None, level: float) -> Quantiles:
    """Return the quantiles of a table by rows, rates and levels; see `from_table`."""
    levels, sizes, rates = table["levels"], table["rows"], table["rates"]
    if rate is None:
        columns = {rates.index(GAUSSIAN)}
    else:
        falling = [-x for x in rates[:-1]]  # from one half downwards
        at = int(np.searchsorted(falling, -safe_rate(rate, n)))
        # Groups may have higher rates than everybody, so all rates from there up to one half count.
        columns = set(range(min(at, len(falling) - 1) + 1))
    of_rate, of_phi = (
        max(
            np.interp(np.log(n), np.log(sizes), [_at_level(levels, row[j], level) for row in table[kind]])
            for j in columns
        )
        for kind in ("rate", "phi")
    )
    return Quantiles(float(of_rate) + ROUNDING, float(of_phi) + ROUNDING, "table")


def simulated(
    sizes: NDArray[np.int64],
    rate: float,
    level: float,
    *,
    n_draws: int | None = None,
    seed: int = 0,
    penalty: float = FEW_CELLS_PENALTY,
) -> Quantiles:
    """Simulate the quantiles on the data's own cells; the draws are kept for the next call with the same cells.

    Parameters
    ----------
    sizes : array of int
        Rows of each cell that count in the measure, in order.
    rate : float
        The overall rate.
    level : float
        Confidence level.
    n_draws, seed : int
        How many data sets to draw, and the seed; 8 000 for up to 64 cells, else 2 000.
    penalty : float
        How much small ranges are charged; see `Quantiles`.

    Returns
    -------
    Quantiles
    """
    kept = sizes[sizes > 0]
    n_draws = n_draws or (8000 if kept.size <= 64 else 2000)
    rate = safe_rate(rate, float(kept.sum()))
    key = (kept.tobytes(), rate, n_draws, seed, penalty)
    if key not in CACHE:
        if len(CACHE) >= MOST_KEPT:
            CACHE.pop(next(iter(CACHE)))
        # At the overall rate and at one half: groups may have higher rates than everybody.
        at_rate, at_half = (_draw(kept, p, n_draws, seed, penalty) for p in (rate, 0.5))
        CACHE[key] = (np.stack([at_rate[0], at_half[0]]), np.stack([at_rate[1], at_half[1]]))
    of_rate, of_phi = CACHE[key]
    q = [quantile_of(draws, level) for draws in (of_rate, of_phi)]
    return Quantiles(q[0] + ROUNDING, q[1] + ROUNDING, f"simulated on {kept.size} cells", penalty)


def quantile_of(draws: Array, level: float) -> float:
    """Return the quantile of drawn maxima, one standard error to the safe side; the largest of several rows."""
    n_draws = draws.shape[-1]
    drawn = min(level, 1 - 20 / n_draws)  # beyond, too few draws are left
    safe = min(1.0, drawn + np.sqrt(drawn * (1 - drawn) / n_draws))
    more = float(ndtri(level) - ndtri(drawn))
    return float(np.quantile(draws, safe, method="higher", axis=-1).max()) + more


def _at_level(levels: list[float], quantiles: list[float], level: float) -> float:
    """Return the quantile at a level from those at some levels; see `from_table`."""
    above = [q for known, q in zip(levels, quantiles, strict=True) if known >= level - 1e-9]
    below = [
        q + float(ndtri(level) - ndtri(known))
        for known, q in zip(levels, quantiles, strict=True)
        if known <= level + 1e-9
    ]
    return min(above[:1] + below[-1:])


def safe_rate(rate: float, n: float) -> float:
    """Return the rarer outcome's rate, not below what chance may have hidden: quantiles fall when events are few."""
    rare, n = min(max(rate, 0.0), max(1 - rate, 0.0)), max(n, 1.0)
    return float(min(0.5, rare + 2 * np.sqrt(rare / n) + 3 / n))


def _draw(sizes: NDArray[np.int64], rate: float, n_draws: int, seed: int, penalty: float) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    ends = np.concatenate([[0.0], np.cumsum(sizes)])
    block = 64  # draws whose running sums fit the cache of a core

    def maxima(counts: NDArray[np.int64]) -> tuple[list[float], list[float]]:
        prefix = np.zeros((sizes.size + 1, counts.shape[0]))
        np.cumsum(counts.T, axis=0, out=prefix[1:])
        return cell_maxima(prefix, ends, rate, penalty)

    blocks = (rng.binomial(sizes, rate, (min(block, n_draws - i), sizes.size)) for i in range(0, n_draws, block))
    parts = on_two_threads(maxima, list(blocks))
    return tuple(np.concatenate([part[i] for part in parts]) for i in (0, 1))  # type: ignore[return-value]
