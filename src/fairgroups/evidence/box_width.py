"""How wide the band over all boxes must be: the line's statistics (`band_width`), over every box of a grid.

Simulated on the cells at hand: what is drawn depends on the sums of the cells alone, so that the same people in any
order, of rows or of attributes, get the same band. Where many bands are asked for at once a table serves, made on grids
whose people are spread evenly (scripts/box_table.py).
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups._kernels import box_maxima
from fairgroups.cells.canonical import canonical_order
from fairgroups.cells.moments import Moments
from fairgroups.cells.space import ALL_SETS, MOST_BANDED, SpaceCells
from fairgroups.errors import InputError
from fairgroups.evidence.band_width import MOST_KEPT, ROUNDING, Quantiles, looked_up, quantile_of, safe_rate
from fairgroups.evidence.boxes import leaf_last
from fairgroups.progress import on_two_threads

__all__ = ["boxes_from_table", "boxes_simulated"]

Array = NDArray[np.float64]
DRAWS, BLOCK = 768, 256
CACHE: dict[tuple[Any, ...], tuple[Array, Array]] = {}


def boxes_simulated(
    cells: SpaceCells, moments: Moments, rows: Array, level: float, *, equal_weights: bool
) -> Quantiles:
    """Simulate how far the statistics of rate and Φ may go over all boxes of a grid.

    Parameters
    ----------
    cells : SpaceCells
        The grid.
    moments : Moments
        The measure's sums by cell.
    rows : array
        Rows by cell.
    level : float
        Confidence level.
    equal_weights : bool
        Whether all rows count the same.

    Returns
    -------
    Quantiles

    Notes
    -----
    Yes/no outcomes are drawn at the overall rate and at one half, for groups may have higher rates than everybody. With
    weights or clusters each cell has its effective number of rows, and normal draws with the cells' own noise are
    looked at as well; for amounts, these alone.
    """
    if not cells.can_be_banded:
        raise InputError(
            "the categories have too many levels: not every box can be looked at.",
            "judge on people set aside: inference='crossfit' (--inference crossfit).",
        )
    if cells.n_boxes > MOST_BANDED:
        raise InputError(
            f"a grid of {' × '.join(map(str, cells.shape))} cells has {cells.n_boxes:,} boxes, too many for a band.",
            "lower n_cells, use fewer attributes, or judge on people set aside: inference='crossfit'.",
        )
    n = len(cells)
    order = leaf_last(cells.axes)

    def flat(x: Array) -> Array:
        return np.ascontiguousarray(np.transpose(x[:n].reshape(cells.shape), order)).ravel()

    b, noise, people = flat(moments.b), flat(moments.noise), flat(rows)
    axes = [(cells.axes[d].size, cells.axes[d].levels is not None) for d in order]
    rate = safe_rate(moments.overall, moments.size)
    key = (b.tobytes(), noise.tobytes(), tuple(axes), moments.bounded, rate, equal_weights)
    if key not in CACHE:
        if len(CACHE) >= MOST_KEPT:
            CACHE.pop(next(iter(CACHE)))
        draws = []
        turned = canonical_order(b.reshape([size for size, _ in axes]), [directed for _, directed in axes])
        if moments.bounded:
            size = np.divide(b**2, noise, out=np.zeros_like(b), where=noise > 0)
            each = np.rint(size).astype(np.int64)
            draws = [_drawn(each, axes, p, turned) for p in (rate, 0.5)]
        if not moments.bounded or not equal_weights:
            draws.append(_normal(np.stack([b, noise, people], axis=1), axes, turned, equal_weights=equal_weights))
        CACHE[key] = (np.stack([x[0] for x in draws]), np.stack([x[1] for x in draws]))
    q = [quantile_of(found, level) for found in CACHE[key]]
    shape = " × ".join(map(str, cells.shape))
    return Quantiles(q[0] + ROUNDING, q[1] + ROUNDING, f"simulated on {shape} cells")


@lru_cache
def _table() -> dict[str, Any]:
    text = files("fairgroups.evidence").joinpath("box_quantiles.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def boxes_from_table(cells: SpaceCells, n: float, rate: float | None, level: float) -> Quantiles | None:
    """Look the quantiles up: those of the next larger number of boxes, interpolated in log n.

    Parameters
    ----------
    cells : SpaceCells
        The grid.
    n : float
        Number of rows, or their effective number.
    rate : float or None
        The overall rate; None for outcomes that are not rates.
    level : float
        Confidence level.

    Returns
    -------
    Quantiles or None
        None where the table has no such grid: more boxes, or a category of more than eight levels.
    """
    table = _table()
    at = next((i for i, boxes in enumerate(table["boxes"]) if cells.n_boxes <= 1.02 * boxes), None)
    if at is None or any(axis.levels is not None and axis.size > ALL_SETS for axis in cells.axes):
        return None
    return looked_up({**table, "rate": table["rate"][at], "phi": table["phi"][at]}, n, rate, level)


def _drawn(
    sizes: NDArray[np.int64], axes: list[tuple[int, bool]], rate: float, turned: NDArray[np.intp]
) -> tuple[Array, Array]:
    sums = np.repeat(sizes[:, None].astype(np.float64), 3, axis=1)
    rng = np.random.default_rng(0)
    back = np.argsort(turned)

    def block(counts: NDArray[np.int64]) -> tuple[list[float], list[float]]:
        drift = (counts.T[back] - rate * sizes[:, None]).astype(np.float32)
        return box_maxima(np.ascontiguousarray(drift), sums, axes, rate, 1.0, True)

    return _in_threads(block, [rng.binomial(sizes[turned], rate, (BLOCK, sizes.size)) for _ in range(DRAWS // BLOCK)])


def _normal(
    sums: Array, axes: list[tuple[int, bool]], turned: NDArray[np.intp], *, equal_weights: bool
) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    back = np.argsort(turned)
    unit = sums[:, 0].sum() / sums[:, 1].sum()  # so that an ordinary row counts as one
    scaled = np.ascontiguousarray(sums * np.array([unit, unit**2, 1.0]))
    wide = np.sqrt(scaled[:, 1])[:, None]

    def block(normal: Array) -> tuple[list[float], list[float]]:
        drift = np.ascontiguousarray((normal.T[back] * wide).astype(np.float32))
        return box_maxima(drift, scaled, axes, -1.0, 1.0, equal_weights)

    return _in_threads(block, [rng.standard_normal((BLOCK, wide.size)) for _ in range(DRAWS // BLOCK)])


def _in_threads(block: Any, parts: list[Any]) -> tuple[Array, Array]:
    found = on_two_threads(block, parts)
    return np.concatenate([x[0] for x in found]), np.concatenate([x[1] for x in found])
