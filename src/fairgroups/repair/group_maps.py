"""Maps of groups: each group's people, weighed as the condition asks, and what their scores become."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.repair.maps import Maps, learn
from fairgroups.repair.transport import members

if TYPE_CHECKING:
    from fairgroups.repair.score_repair import ScoreRepair

__all__ = ["learn_groups"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


def learn_groups(
    repair: ScoreRepair, values: Array, codes: Codes, label: Array | None, weight: Array, people: Codes
) -> tuple[Maps, Codes]:
    """Learn the maps of groups.

    Parameters
    ----------
    repair : ScoreRepair
        Whose groups are known.
    values, codes, label, weight : array
        Scores, numbers of groups, true labels and weights.
    people : array of int
        How many people each row stands for.

    Returns
    -------
    tuple of Maps and array of int
        The maps, and all rows group by group, from low to high: quicker to look up.
    """
    mass = _mass(repair, codes, label, weight)
    rows = {k: r[mass[r] > 0] for k, r in members(codes).items()}
    rows = {k: r[np.argsort(values[r], kind="stable")] for k, r in rows.items() if r.size}
    if not rows:
        said = " and y = 1" if repair.condition == "positives" else ""
        raise InputError(f"no row with a known group and a positive weight{said} is left.")
    maps = learn(
        {k: (values[r], mass[r], people[r]) for k, r in rows.items()},
        np.array([weight[r].sum() for r in rows.values()]),
        max_gap=float(repair.max_gap),
        cost=repair.cost,
        geodesic=repair.relaxation == "geodesic",
        n_levels=repair.n_levels,
    )
    order = np.concatenate(list(rows.values()))
    others = np.ones(values.size, dtype=bool)
    others[order] = False
    return maps, np.concatenate([order, np.flatnonzero(others)])


def _mass(repair: ScoreRepair, codes: Codes, label: Array | None, weight: Array) -> Array:
    """Weigh rows so that the distributions to be made alike are those of the condition."""
    if repair.condition is None or label is None:
        return weight
    if repair.condition == "positives":
        return np.where(label == 1, weight, 0.0)
    mass = np.zeros_like(weight)
    for k in np.unique(codes[codes >= 0]):
        for value in (0.0, 1.0):
            rows = (codes == k) & (label == value)
            total = weight[rows].sum()
            if total <= 0:
                raise InputError(
                    f"the group {repair.partition_.labels[k]!r} has nobody with y = {value:g}.",
                    "use larger groups, or another condition.",
                )
            mass[rows] = weight[rows] / (2 * total)
    return mass
