"""Where people stand along the attributes: between the centres of cells of a number, at a level of a category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.rows.column_kinds import Column

__all__ = ["Axis", "corners"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Axis:
    """One attribute: the centres of its cells, rising, or the levels of a category.

    Values between two centres belong to both, by how near they are; those beyond the outermost to these.
    """

    name: str
    centres: Array | None = None
    levels: tuple[str, ...] | None = None

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.levels) if self.centres is None else self.centres.size  # type: ignore[arg-type]

    def places(self, column: Column) -> list[tuple[Codes, Array]]:
        """Return the cells that each value belongs to, with the share of each; a missing value counts as the first."""
        if self.centres is None:
            return [(self._codes(column), np.ones(column.values.size))]
        values, last = np.nan_to_num(column.values), self.size - 1
        left = np.clip(np.searchsorted(self.centres, values, side="right") - 1, 0, max(last - 1, 0))
        right = np.minimum(left + 1, last)
        width = self.centres[right] - self.centres[left]
        share = np.divide(values - self.centres[left], width, out=np.zeros_like(values), where=width > 0)
        share = np.clip(share, 0.0, 1.0)
        return [(left, 1 - share), (right, share)]

    def _codes(self, column: Column) -> Codes:
        assert self.levels is not None
        place = {level: i for i, level in enumerate(self.levels)}
        if column.levels is None:
            raise InputError(f"{self.name or 'sensitive'!r} was a category in fitting, and holds numbers now.")
        code = np.array([place.get(level, -1) for level in column.levels], dtype=np.intp)
        if code.size == 0:  # everybody's is missing
            return np.zeros(column.values.size, dtype=np.intp)
        found = code[np.nan_to_num(column.values).astype(np.intp)]
        unknown = np.flatnonzero((found < 0) & ~np.isnan(column.values))
        if unknown.size:
            raise InputError(
                f"nobody with {self.name or 'sensitive'} = {column.levels[int(column.values[unknown[0]])]} was seen "
                "when the repair was fitted.",
                "fit on people of every level, or leave these rows out.",
            )
        return np.maximum(found, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the axis as plain data."""
        return {
            "name": self.name,
            "centres": None if self.centres is None else self.centres.tolist(),
            "levels": None if self.levels is None else list(self.levels),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Axis:
        """Build an axis from what `to_dict` gave; ValueError where it is none."""
        centres = None if data["centres"] is None else np.array(data["centres"], dtype=np.float64)
        levels = None if data["levels"] is None else tuple(str(level) for level in data["levels"])
        if (centres is None) == (levels is None):
            raise ValueError("an attribute has either centres or levels")
        if centres is not None and (centres.size == 0 or centres.ndim != 1 or not np.isfinite(centres).all()):
            raise ValueError("the centres of an attribute are not numbers")
        if centres is not None and (np.diff(centres) <= 0).any():
            raise ValueError("the centres of an attribute are not in order")
        return cls(str(data["name"]), centres, levels)


def corners(axes: Sequence[Axis], columns: Sequence[Column]) -> list[tuple[Codes, Array]]:
    """Return the cells of the grid that each person belongs to, with the share of each; the last axis runs fastest."""
    if len(axes) != len(columns):
        raise InputError(f"this repair is by {len(axes)} attribute(s); {len(columns)} were given.", "pass as many.")
    found = []
    steps = [prod(axis.size for axis in axes[d + 1 :]) for d in range(len(axes))]
    for chosen in product(*(axis.places(column) for axis, column in zip(axes, columns, strict=True))):
        cell = sum(place * step for (place, _), step in zip(chosen, steps, strict=True))
        found.append((np.asarray(cell, dtype=np.intp), np.prod([share for _, share in chosen], axis=0)))
    return found
