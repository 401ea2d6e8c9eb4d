"""Exact groups under monotonic fairness: group rates must rise (or fall) with the attribute.

Notes
-----
Without a minimum size the best borders are among those of the isotonic regression (pool adjacent violators), so the
search runs on its blocks. With one that is no longer true, and the search carries the last group's rate as a
constraint; on more than 1 024 cells, and only where the free optimum is not monotone already, it first joins
neighbouring cells.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairgroups._kernels import best_increasing, best_segments, isotonic_blocks
from fairgroups.cells.cells import Cells
from fairgroups.errors import InputError
from fairgroups.measures import Measure
from fairgroups.options import Monotonic
from fairgroups.search.path import GroupPath, Limits, Units, make_path

__all__ = ["best_monotone"]

MOST_UNITS = 1024


def best_monotone(
    cells: Cells, measure: Measure | str, n_groups: int, monotonic: Monotonic, limits: Limits | None = None
) -> GroupPath:
    """Find the groups with the largest variance of Φ among those whose rates are strictly monotone.

    The path ends early where more monotone groups do not exist or would show less variance. ``"either"`` tries both
    directions and keeps the better one.
    """
    limits = limits or Limits()
    if monotonic == "either":
        up, down = (best_monotone(cells, measure, n_groups, way, limits) for way in ("increasing", "decreasing"))
        return down if down.variance[-1:].sum() > up.variance[-1:].sum() else up
    if monotonic not in ("increasing", "decreasing"):
        raise InputError(f"`monotonic` must be None, 'increasing', 'decreasing' or 'either'; got {monotonic!r}.")
    units = Units.of(cells, measure)
    sign = 1.0 if monotonic == "increasing" else -1.0
    n_asked = min(n_groups, len(units))
    units.check_room(n_asked)
    exact = True
    if units.allowed(limits):
        blocks = np.asarray(isotonic_blocks(sign * units.a, units.b), dtype=np.intp)
        a, b, rows = (np.add.reduceat(x, blocks) for x in (units.a, units.b, units.rows))
        found = best_segments(a, b, rows, min(n_asked, blocks.size), 1.0, 0.0)
        starts = units.starts[blocks]
    else:
        free = best_segments(units.a, units.b, units.rows, n_asked, limits.rows, limits.b)
        starts = units.starts
        if all(_rises(sign * units.a, units.b, cut) for cut in free):
            found = free
        else:
            few = units.at_most(MOST_UNITS)
            exact = few is units
            found = best_increasing(sign * few.a, few.b, few.rows, n_asked, limits.rows, limits.b)
            starts = few.starts
    path = make_path(cells, measure, [starts[np.asarray(cut, dtype=np.intp)] for cut in found], exact=exact)
    most = int(np.argmax(path.variance > path.variance.max() * (1 - 1e-12))) + 1 if len(path) else 0
    notes = []
    if most < n_groups:
        notes.append(f"{most} {monotonic} group(s) show the most; {n_groups} were asked for.")
    if not exact:
        notes.append(f"the monotone search with a minimum group size ran on {MOST_UNITS} joined cells.")
    return replace(path, borders=path.borders[:most], variance=path.variance[:most], note=" ".join(notes))


def _rises(a: NDArray[np.float64], b: NDArray[np.float64], cut: list[int]) -> bool:
    starts = np.concatenate([[0], np.asarray(cut, dtype=np.intp)])
    rates = np.add.reduceat(a, starts) / np.add.reduceat(b, starts)
    return bool(np.all(np.diff(rates) > 1e-12 * (1 + np.abs(rates).max())))
