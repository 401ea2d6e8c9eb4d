"""Regions of cells that a band judges: ranges of one attribute, boxes of several.

A region is a tuple of ends, cells from the first up to, not including, the second, one pair for each attribute; of a
category the first number holds its levels as bits. Many regions are an array of such pairs. `Ranges` and `Boxes` are
what a band asks of its cells.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.moments import Moments
from fairgroups.errors import InputError
from fairgroups.evidence.rates import GroupRates
from fairgroups.partition.sides import Box

__all__ = [
    "WIDE",
    "Least",
    "Many",
    "Region",
    "Regions",
    "Rule",
    "as_many",
    "beyond",
    "ends_between",
    "more_spread",
    "pair_of",
]

Array = NDArray[np.float64]
Many = NDArray[np.int64]
Region = tuple[tuple[int, int], ...]
ExcessAt = tuple[float, Region]
WIDE = 0.1  # the share of the people that a wide region holds


@dataclass(frozen=True)
class Rule:
    """When a region differs from the rest: what its likelihood root must exceed, over all regions at once."""

    quantile: float
    penalty: float
    least_root: float
    n: float
    rows: float
    equal_weights: bool
    scale: float

    @property
    def numbers(self) -> tuple[float, float, float, float, float, bool, float]:
        """As the kernels take it."""
        ends = self.quantile, self.penalty, self.least_root, self.n, self.rows
        return (*ends, self.equal_weights, self.scale)


@dataclass(frozen=True)
class Least:
    """The least rows and the least B that a region, and what it leaves, must hold."""

    rows: float = 1.0
    b: float = 0.0


class Regions(Protocol):
    """What a band asks of its cells."""

    @property
    def whole(self) -> Region:
        """Everybody whose attributes are known."""

    @property
    def scale(self) -> float:
        """The scatter of values around the rate at their place."""

    def sums(self, many: Many) -> tuple[Moments, Array]:
        """Return the sums of regions, and their rows."""

    def spread(self, many: Many, scale: float) -> tuple[Array, Array]:
        """Return the scatter of values in each region and in the rest."""

    def most_different(
        self, within: Region, rule: Rule, least: Least, marks: NDArray[np.intp] | None, *, decide: bool
    ) -> ExcessAt:
        """Return by how much the most different region inside a region exceeds what chance allows, and which it is."""

    def all_but(self, region: Region) -> Region | None:
        """Return the region of all who are not in a region, where they make one."""

    def of_groups(self, groups: GroupRates) -> tuple[Many, NDArray[np.intp]]:
        """Return the regions of the groups of a partition, and whose each is."""

    def sides(self, region: Region) -> Box:
        """Return a region in values of the attributes."""

    def wide(self) -> Many:
        """Return the regions that hold a tenth of the people or more, begun and ended at some places."""

    def asked(self, ends: tuple[Any, ...], named: Mapping[str, Any]) -> Region:
        """Return the region that a reader asked for."""


def beyond(side: tuple[int, int], size: int) -> tuple[int, int] | None:
    """Return the cells of an axis that are not between two ends, where they lie next to each other."""
    if side[0] == 0 < side[1] < size:
        return side[1], size
    return (0, side[0]) if 0 < side[0] < side[1] == size else None


def ends_between(low: Any, high: Any) -> tuple[float, float]:
    """Return the ends of a range that a reader asked for; None is open."""
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    if not low <= high:
        raise InputError(f"the range from {low!r} to {high!r} is empty.", "give the smaller end first.")
    return low, high


def pair_of(name: str, wanted: Any) -> tuple[Any, Any]:
    """Return the two ends of a side that a reader asked for."""
    if wanted is None:
        return None, None
    numbers = isinstance(wanted, tuple | list) and all(
        x is None or isinstance(x, int | float | np.number) for x in wanted
    )
    if not numbers or len(wanted) != 2:
        raise InputError(
            f"a side of {name!r} has two ends, both included; got {wanted!r}.",
            f"{name}=(18, 29), or {name}=(18, None) for 18 and more.",
        )
    return wanted[0], wanted[1]


def as_many(regions: Sequence[Region]) -> Many:
    """Return regions as one array."""
    return np.array(regions, dtype=np.int64).reshape(len(regions), -1, 2)


def more_spread(
    own_sums: tuple[float, float, float], whole: tuple[float, float, float], own: float, rest: float, scale: float
) -> float:
    """Return what a root loses where values scatter by `own` and `rest` instead of by the scale everywhere."""
    (a, b, bb), (all_a, all_b, all_bb) = own_sums, whole
    n, n_rest = b**2 / bb, (all_b - b) ** 2 / (all_bb - bb)
    difference = abs(a / b - (all_a - a) / (all_b - b))
    supposed = scale * math.sqrt(1 / n + 1 / n_rest)
    return float(difference / math.sqrt(own**2 / n + rest**2 / n_rest) - difference / supposed)
