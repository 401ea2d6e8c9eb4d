"""Exact groups of one attribute: consecutive values, the whole path of numbers of groups at once.

Notes
-----
The sum of A²/B over k consecutive groups is maximised by dynamic programming with functional pruning (Rigaill 2015,
"A pruned dynamic programming algorithm to recover the best segmentations"), in about linear time after the sort.
No grid is needed: every distinct value may be a border.

Ties. Among groups of equal variance (to one part in 10¹²) the last border is the leftmost possible; given it, the
one before, and so on.
"""

from __future__ import annotations

import numpy as np

from fairgroups._kernels import best_segments
from fairgroups.cells.cells import Cells
from fairgroups.measures import Measure
from fairgroups.search.path import GroupPath, Limits, Units, make_path

__all__ = ["best_intervals"]


def best_intervals(cells: Cells, measure: Measure | str, n_groups: int, limits: Limits | None = None) -> GroupPath:
    """Find the consecutive groups with the largest variance of Φ, for 1 up to `n_groups` groups.

    The path ends early where no more groups of the least allowed size exist.
    """
    limits = limits or Limits()
    units = Units.of(cells, measure)
    binding = Limits() if units.allowed(limits) else limits
    n_asked = min(n_groups, len(units))
    found = best_segments(units.a, units.b, units.rows, n_asked, binding.rows, binding.b)
    return make_path(cells, measure, [units.starts[np.asarray(cut, dtype=np.intp)] for cut in found])
