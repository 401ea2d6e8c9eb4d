"""Numbers such as −9 and 999 that many rows share, far from all others: they may stand for something else."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST_ROWS", "codes_of"]

Array = NDArray[np.float64]
CODE = re.compile(r"-?9{2,}|-[1-9]")
LEAST_ROWS, LEAST_SHARE = 10, 0.002


def codes_of(values: Array, count: Array | None = None) -> list[tuple[float, int]]:
    """Return numbers at the ends of a column that look like codes, and how many rows hold each.

    Parameters
    ----------
    values : array
        The column; NaN where a value is missing.
    count : array, optional
        How many people each row stands for.

    Returns
    -------
    list of pairs
    """
    known = ~np.isnan(values)
    shared, place = np.unique(values[known], return_inverse=True)
    people = None if count is None else count[known]
    times: Array = np.bincount(np.ravel(place), people, minlength=shared.size).astype(np.float64)
    total = float(times.sum())
    codes = []
    while shared.size > 3:
        end = next((i for i in (0, -1) if _is_code(shared, times, i, total)), None)
        if end is None:
            break
        codes.append((float(shared[end]), round(float(times[end]))))
        rest = slice(1, None) if end == 0 else slice(None, -1)
        shared, times = shared[rest], times[rest]
    return codes


def _is_code(shared: Array, times: NDArray[np.float64], end: int, n: float) -> bool:
    value, others = shared[end], shared[1:] if end == 0 else shared[:-1]
    if times[end] < max(LEAST_ROWS, LEAST_SHARE * n) or value != int(value) or not CODE.fullmatch(str(int(value))):
        return False
    nearest, width = others[0 if end == 0 else -1], float(others[-1] - others[0])
    if end == 0:
        usual = float(np.median(np.diff(others))) if others.size > 1 else 0.0
        near = min(0.05 * width, 0.1 * float(np.median(others) - nearest))  # far for the lower half is far enough
        return bool(value < 0 <= nearest and nearest - value > max(near, 1.5 * usual))
    usual = float(np.quantile(others, 0.5) - others[0])
    return bool(value - nearest > max(0.5 * width, usual))
