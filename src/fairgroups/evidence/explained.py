"""How much of all dependence on the attributes the groups capture: Var Φ / Var E[Y | L]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
from fairgroups.cells.moments import Moments
from fairgroups.cells.space import moments_by
from fairgroups.evidence.scatter import coarse
from fairgroups.measures import Measure
from fairgroups.rows.rows import Rows, quantiles

__all__ = ["explained_share"]

Array = NDArray[np.float64]


def explained_share(people: Cells | Rows, measure: Measure, variance: float) -> float:
    """Return the share of the dependence that groups with this variance of Φ capture.

    The dependence is estimated on about n^(1/3) bins of equal weight, a grid of them for several attributes, with the
    noise taken off; NaN where none is left above the noise.
    """
    if isinstance(people, Cells):
        return _explained(coarse(people[measure]), variance)
    return _explained(_bins(people, measure), variance)


def _explained(bins: Moments, variance: float) -> float:
    total = bins.b.sum()
    rate, share = bins.a / bins.b, bins.b / total
    between = np.sum(share * (rate - bins.a.sum() / total) ** 2)
    n = bins.effective_size
    squares = bins.aa - 2 * rate * bins.ab + rate**2 * bins.bb
    unbiased = np.divide(n, n - 1, out=np.zeros_like(n), where=n > 1)
    noise = np.sum(share * (1 - share) * squares * bins.design_effect / bins.b**2 * unbiased)
    dependence = between - noise
    # Between b bins noise alone gives about `noise`, give or take √(2/(b − 1)) of it.
    chance = 2 * noise * np.sqrt(2 / max(share.size - 1, 1))
    return float(min(variance / dependence, 1.0)) if dependence > max(chance, 1e-12 * between) else float("nan")


def _bins(rows: Rows, measure: Measure) -> Moments:
    present = ~rows.absent
    n = float(rows.times(np.ones(rows.size))[present].sum())
    n_bins = max(2, round(n ** (1 / (3 * len(rows.columns)))))
    flat = np.zeros(rows.size, dtype=np.intp)
    for column in rows.columns:
        values = np.nan_to_num(column.values)
        if column.levels is None:
            several = None if rows.count is None else rows.count[present]
            lower = np.unique(quantiles(values[present], np.arange(n_bins) / n_bins, several))
            flat = flat * lower.size + np.maximum(np.searchsorted(lower, values, side="right") - 1, 0)
        else:
            flat = flat * len(column.levels) + values.astype(np.intp)
    codes = np.where(present, np.unique(flat, return_inverse=True)[1].ravel(), -1)
    bins = moments_by(rows, measure, codes, int(codes.max()) + 1)
    keep = bins.b > 0
    return bins.map(lambda x: x[keep])
