"""Whether boxes tile the space: every value in exactly one of them.

Along the first attribute the ends of the boxes make slabs in which nothing changes; in each slab the boxes that reach
through it must tile the other attributes. So thousands of boxes are checked without looking at every pair of ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from fairgroups.errors import InputError
from fairgroups.partition.sides import Box, Interval, Levels

__all__ = ["check_tiling"]


def check_tiling(columns: Sequence[str], boxes: Sequence[Box]) -> None:
    """Refuse boxes that leave a value out or hold one twice, and say which."""
    for d, name in enumerate(columns):
        kinds = {type(box[d]) for box in boxes}
        if len(kinds) > 1:
            raise InputError(f"{name!r} is a number in some boxes and a category in others.", "make it one of them.")
        for box in boxes:
            side = box[d]
            if isinstance(side, Interval) and not side.start < side.stop:
                raise InputError(f"{side} holds no value.")
    levels = [_levels(boxes, d) for d in range(len(columns))]
    seen: dict[frozenset[int], None] = {}
    _check(columns, boxes, levels, frozenset(range(len(boxes))), 0, [], seen)


def _levels(boxes: Sequence[Box], d: int) -> list[str]:
    return sorted({name for box in boxes if isinstance(side := box[d], Levels) for name in side.names})


def _check(
    columns: Sequence[str],
    boxes: Sequence[Box],
    levels: list[list[str]],
    chosen: frozenset[int],
    d: int,
    at: list[Any],
    seen: dict[frozenset[int], None],
) -> None:
    if d == len(columns):
        if len(chosen) != 1:
            where = ", ".join(f"{name or 'x'} = {value}" for name, value in zip(columns, at, strict=True))
            raise InputError(
                f"the boxes must hold every value exactly once; {where} lies in {len(chosen)} of them.",
                "let the first range begin at −inf, the last end at inf, and each begin where the one before ends.",
            )
        return
    if d == len(columns) - 1 and chosen in seen:  # the same boxes reach through another slab
        return
    for value, inside in _slabs(boxes, levels[d], chosen, d):
        _check(columns, boxes, levels, inside, d + 1, [*at, value], seen)
    if d == len(columns) - 1:
        seen[chosen] = None


def _slabs(boxes: Sequence[Box], levels: list[str], chosen: frozenset[int], d: int) -> list[tuple[Any, frozenset[int]]]:
    """Cut one attribute where boxes begin and end; a value of each slab, and the boxes that reach through it."""
    if levels:
        return [(name, frozenset(i for i in chosen if name in boxes[i][d].names)) for name in levels]  # type: ignore[union-attr]
    sides = {i: side for i in chosen if isinstance(side := boxes[i][d], Interval)}
    outer = (-math.inf, 1), (math.inf, 0)
    places = sorted({*outer, *(side.start for side in sides.values()), *(side.stop for side in sides.values())})
    begins: dict[Any, list[int]] = {}
    ends: dict[Any, list[int]] = {}
    for i, side in sides.items():
        begins.setdefault(side.start, []).append(i)
        ends.setdefault(side.stop, []).append(i)
    out, active = [], set[int]()
    for place, after in pairwise(places):
        active = (active | set(begins.get(place, []))) - set(ends.get(place, []))
        out.append((_between(place, after), frozenset(active)))
    return out


def _between(place: tuple[float, int], after: tuple[float, int]) -> float:
    if place[1] == 0:
        return place[0]
    if place[0] == -math.inf:
        return -1.0 if after[0] == math.inf else after[0] - max(1.0, abs(after[0]))
    return place[0] + max(1.0, abs(place[0])) if after[0] == math.inf else place[0] / 2 + after[0] / 2
