"""The paper's K-Means: cells with similar rates make a group, wherever they lie.

Notes
-----
The rates ψ_j of the cells are clustered. In one dimension the best clusters are consecutive in ψ, so the exact
optimum is a segmentation of the cells sorted by rate: no random restarts. Sorted rates also make it quick: the last
border moves right with the end, so it is searched for by halving, in n log n steps for each number of groups.
Groups may be disconnected; they are kept as the unions of intervals that they are. Cells without rows have no rate
and join their left neighbour.
"""

from __future__ import annotations

import numpy as np

from fairgroups._kernels import best_sorted
from fairgroups.cells.cells import Cells
from fairgroups.measures import Measure
from fairgroups.search.path import GroupPath, Units, make_path

__all__ = ["best_kmeans"]


def best_kmeans(cells: Cells, measure: Measure | str, n_groups: int, *, weighted: bool = False) -> GroupPath:
    """Cluster the cells' rates into 1 up to `n_groups` groups, exactly.

    Parameters
    ----------
    cells : Cells
        Usually on a grid of equal widths, as in the paper.
    measure : Measure or str
        Which rate.
    n_groups : int
        The largest number of clusters.
    weighted : bool
        Weigh each cell by its B instead of counting each once as the paper does; the result then maximises the
        variance of Φ over all groups of cells, connected or not.

    Returns
    -------
    GroupPath
    """
    units = Units.of(cells, measure)
    levels, level_of = np.unique(units.a / units.b, return_inverse=True)
    units.check_room(min(n_groups, levels.size))
    mass = np.bincount(level_of, units.b if weighted else None).astype(np.float64)
    found = best_sorted(levels * mass, mass, mass, min(n_groups, levels.size), 0.0, 0.0)
    borders, owners = [], []
    for cut in found:
        cluster = np.searchsorted(np.asarray(cut), level_of, side="right")
        changes = np.flatnonzero(np.diff(cluster)) + 1
        by_interval = cluster[np.concatenate([[0], changes])]
        _, first, rank = np.unique(by_interval, return_index=True, return_inverse=True)
        borders.append(units.starts[changes])
        owners.append(np.argsort(np.argsort(first))[rank])
    note = "" if len(borders) == n_groups else f"only {len(borders)} different rate(s) exist to cluster."
    return make_path(cells, measure, borders, owners=owners, note=note)
