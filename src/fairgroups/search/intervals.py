"""Exact groups of one attribute: consecutive values, the whole path of numbers of groups at once.

Notes
-----
The sum of A²/B over k consecutive groups is maximised by dynamic programming with functional pruning (Rigaill 2015,
"A pruned dynamic programming algorithm to recover the best segmentations"), in about linear time after the sort.
No grid is needed: every distinct value may be a border. Where rates rise or fall without a break nothing can be pruned,
but the borders move in one direction only, and divide and conquer finds them. Where they do so almost, and the search
takes too long, neighbouring cells are joined, and what that may cost is told.

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

MOST_WORK, MOST_CANDIDATES = 2e9, 200  # steps over candidates, some seconds; for each cell and number of groups
FEW_UNITS = 8192


def best_intervals(cells: Cells, measure: Measure | str, n_groups: int, limits: Limits | None = None) -> GroupPath:
    """Find the consecutive groups with the largest variance of Φ, for 1 up to `n_groups` groups.

    The path ends early where no more groups of the least allowed size exist.
    """
    limits = limits or Limits()
    units = Units.of(cells, measure)
    binding = Limits() if units.allowed(limits) else limits
    n_asked = min(n_groups, len(units))
    units.check_room(n_asked)
    most = max(MOST_WORK, MOST_CANDIDATES * len(units) * n_asked)
    found = best_segments(units.a, units.b, units.rows, n_asked, binding.rows, binding.b, most)
    if found:
        return make_path(cells, measure, [units.starts[np.asarray(cut, dtype=np.intp)] for cut in found])
    few = units.at_most(FEW_UNITS)
    found = best_segments(few.a, few.b, few.rows, min(n_asked, len(few)), binding.rows, binding.b)
    borders = [few.starts[np.asarray(cut, dtype=np.intp)] for cut in found]
    note = (
        "Rates follow the attribute so smoothly that the exact search was cut short: it ran on "
        f"{len(few):,} joined cells. Other borders could add at most {100 * units.cost_of(few, n_asked):.2g}% to the "
        "variance of Φ."
    )
    return make_path(cells, measure, borders, exact=False, note=note)
