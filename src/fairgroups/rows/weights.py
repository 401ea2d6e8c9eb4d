"""Weights of rows: checked, and taken into what a row adds to the sums of a measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.measures import Measure

if TYPE_CHECKING:
    from fairgroups.rows.rows import Rows

__all__ = ["check_weight", "weighted_sums"]

Array = NDArray[np.float64]


def check_weight(weight: Array, name: str) -> None:
    """Refuse weights below 0, all of 0, or so unlike that sums would lose the small ones."""
    negative = weight < 0
    if negative.any():
        raise InputError(
            f"weights must not be negative; {name!r} holds {negative.sum()} negative value(s), "
            f"the first in ⟨row⟩: {float(weight[negative.argmax()])!r}.",
            row=int(negative.argmax()),
        )
    if not np.any(weight > 0):
        raise InputError(f"all weights in {name!r} are zero.", "give at least some rows a positive weight.")
    largest, smallest = weight.max(), weight[weight > 0].min()
    if largest > 1e12 * smallest or largest > 1e100 or smallest < 1e-100:
        raise InputError(
            f"the weights in {name!r} run from {smallest:g} to {largest:g}: sums of them would lose the small ones.",
            "scale them to about 1, and set negligible ones to 0.",
        )


def weighted_sums(rows: Rows, measure: Measure) -> tuple[Array, Array]:
    """Return what each row adds to A and to B, weights included."""
    a, b = rows.sums(measure)
    return (a, b) if rows.weight is None else (a * rows.weight, b * rows.weight)
