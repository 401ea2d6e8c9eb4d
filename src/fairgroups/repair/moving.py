"""Moving people: which rows of the maps they stand at or between, and the fair scores that they get there."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.repair.axes import corners
from fairgroups.repair.maps import Maps
from fairgroups.repair.transport import members
from fairgroups.rows.column_kinds import Column

if TYPE_CHECKING:
    from fairgroups.repair.score_repair import ScoreRepair

__all__ = ["cells_of", "move_people"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


def cells_of(repair: ScoreRepair, columns: list[Column], codes: Codes) -> list[tuple[Codes, Array]]:
    """Return the rows of the maps that each person is between, with the share of each; −1 for no row at all.

    Parameters
    ----------
    repair : ScoreRepair
        Fitted.
    columns : list of Column
        The attributes, for maps by the exact attribute.
    codes : array of int
        The groups, for maps of groups.

    Returns
    -------
    list of pairs of arrays
    """
    maps = repair.maps_
    if maps.axes is None:
        at = np.full(max(repair.partition_.n_groups, int(codes.max(initial=0)) + 1) + 1, -1)
        at[maps.groups] = np.arange(maps.groups.size)
        return [(at[codes], np.ones(codes.size))]
    absent = np.any([np.isnan(column.values) for column in columns], axis=0)
    last = maps.groups.size - 1
    of_absent = last if repair.missing == "group" and last == prod(axis.size for axis in maps.axes) else -1
    if repair.missing == "group" and of_absent < 0 and absent.any():
        raise InputError("nobody's attribute was missing when the repair was fitted.", "leave these rows out.")
    return [
        (np.where(absent, of_absent, cell), np.where(absent, float(i == 0), share))
        for i, (cell, share) in enumerate(corners(maps.axes, columns))
    ]


def move_people(maps: Maps, inside: Array, cells: Sequence[tuple[Codes, Array]], chance: Array) -> Array:
    """Return the fair scores of people who stand at, or between, rows of the maps.

    Parameters
    ----------
    maps : Maps
        The maps.
    inside : array
        Scores within their range.
    cells : sequence of pairs of arrays
        See `cells_of`.
    chance : array
        Between 0 and 1, for people who share a score.

    Returns
    -------
    array
    """
    level = np.zeros(inside.size)
    if maps.axes is None:  # a group's people at once: quicker to look up
        for k, rows in members(cells[0][0]).items():
            level[rows] = maps.level(k, inside[rows], chance[rows])
    else:
        level = maps.level_between(cells, inside, chance)
    known = cells[0][0] >= 0
    out = np.full(inside.size, np.nan)
    out[known] = maps.move(inside[known], level[known])
    return out
