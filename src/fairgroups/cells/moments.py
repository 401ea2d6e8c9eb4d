"""Moments: the sums of a measure by cell or group, from which every rate, interval and effective size follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.design_effect import noise_of
from fairgroups.cells.exact_sums import add_pairs
from fairgroups.errors import InputError
from fairgroups.measures import Measure
from fairgroups.rows.rows import Rows
from fairgroups.rows.weights import weighted_sums

__all__ = ["SUMS", "Moments", "moments_by", "sum_by"]

Array = NDArray[np.float64]
SUMS = ("b", "a", "bb", "ab", "aa", "noise", "rate_noise")


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of one measure over the rows of each cell, weights included.

    `low` and `high` are the smallest and largest rate a/b of any one row. `noise` is Σb² as the variance of differences
    between rates feels it: more where rows of one cluster repeat each other, or where heavy rows are those with the
    rare outcome; `rate_noise` is the same for everybody's rate, and a group's lies between, by its share. `offset` was
    taken off every value before it was summed, so that digits are kept: A/B plus the offset is the rate, and `rate`
    adds it.
    """

    b: Array
    a: Array
    bb: Array
    ab: Array
    aa: Array
    low: float
    high: float
    noise: Array = None  # type: ignore[assignment]
    rate_noise: Array = None  # type: ignore[assignment]
    offset: float = 0.0

    def __post_init__(self) -> None:
        if self.noise is None:
            object.__setattr__(self, "noise", self.bb)
        if self.rate_noise is None:
            object.__setattr__(self, "rate_noise", self.noise)

    def plus(self, tail: Moments, other: Moments, other_tail: Moments) -> tuple[Moments, Moments]:
        """Add sums and what rounding took off them."""
        if other.offset != self.offset:
            other, other_tail = other.less(self.offset - other.offset), other_tail.less(0.0)
        pairs = [
            add_pairs((getattr(self, x), getattr(tail, x)), (getattr(other, x), getattr(other_tail, x))) for x in SUMS
        ]
        low, high = min(self.low, other.low), max(self.high, other.high)
        sums, rests = (
            Moments(**{x: pair[i] for x, pair in zip(SUMS, pairs, strict=True)}, low=low, high=high, offset=self.offset)
            for i in (0, 1)
        )
        return sums, rests

    def less(self, amount: float) -> Moments:
        """Return the sums of values from each of which one more amount is taken off."""
        if amount == 0:
            return self
        a, ab = self.a - amount * self.b, self.ab - amount * self.bb
        aa = self.aa - 2 * amount * self.ab + amount**2 * self.bb
        ends = self.low - amount, self.high - amount
        return Moments(self.b, a, self.bb, ab, aa, *ends, self.noise, self.rate_noise, self.offset + amount)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moments) and all(
            np.array_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]

    def group(self, codes: NDArray[np.intp], n_groups: int) -> Moments:
        """Add up cells that share a code; negative codes are left out."""
        kept = codes >= 0
        if not kept.all():
            return self.map(lambda x: sum_by(codes[kept], x[kept], n_groups))
        return self.map(lambda x: sum_by(codes, x, n_groups))

    def map(self, sums: Callable[[Array], Array]) -> Moments:
        """Apply a function to each array, once where several are the same (as without weights)."""
        done: dict[int, Array] = {}
        arrays = {x: getattr(self, x) for x in SUMS}
        for array in arrays.values():
            if id(array) not in done:
                done[id(array)] = sums(array)
        mapped = {x: done[id(array)] for x, array in arrays.items()}
        return Moments(**mapped, low=self.low, high=self.high, offset=self.offset)

    def zeros(self) -> Moments:
        """Return sums of nothing, of the same shape: what rounding took off whole numbers."""
        nothing = np.zeros_like(self.b)
        return Moments(**dict.fromkeys(SUMS, nothing), low=self.low, high=self.high, offset=self.offset)

    @property
    def rate(self) -> Array:
        """The rate of each cell or group; NaN where nobody counts."""
        rate = np.full_like(self.a, np.nan)
        np.divide(self.a, self.b, out=rate, where=self.b > 0)
        return rate + self.offset

    @property
    def overall(self) -> float:
        """The rate of everybody, less the offset."""
        return float(self.a.sum() / self.b.sum())

    @property
    def bounded(self) -> bool:
        """Whether every row's rate is 0 or 1, yes or no: then its variance follows from the rate.

        Scores between 0 and 1 are amounts like any other: what may be said of them does not change with their unit.
        """
        inside = self.low >= 0 and self.high <= 1
        if self.ab is self.aa:  # as of yes and no without weights
            return inside
        return inside and float(np.sum(self.ab - self.aa)) <= 1e-9 * float(np.sum(self.bb))  # Σ a (b − a)

    @property
    def effective_size(self) -> Array:
        """Count the rows that carry weight in B: (Σb)²/noise, which is the number of rows when weights are equal."""
        return np.divide(self.b**2, self.noise, out=np.zeros_like(self.b), where=self.noise > 0)

    @property
    def design_effect(self) -> Array:
        """Return how many times larger the variance is than that of independent rows with unrelated weights."""
        return np.divide(self.noise, self.bb, out=np.ones_like(self.bb), where=self.bb > 0)

    @property
    def size(self) -> float:
        """Return the effective size of everybody."""
        return float(self.b.sum() ** 2 / self.noise.sum())


def sum_by(codes: NDArray[np.intp], column: Array, n: int) -> Array:
    """Add up values that share a code."""
    return np.bincount(codes, column, n).astype(np.float64, copy=False)


def moments_by(rows: Rows, measure: Measure, codes: NDArray[np.intp], n_groups: int) -> Moments:
    """Sum a measure over the rows that share a code; negative codes are left out."""
    a, b = rows.sums(measure)
    counts = b > 0
    if not counts.any():
        raise InputError("no row counts in this measure: its denominator B is 0 everywhere.")
    low, high = float((a[counts] / b[counts]).min()), float((a[counts] / b[counts]).max())
    a, b = weighted_sums(rows, measure)
    bb = b * b
    noise, rate_noise = noise_of(a, b, rows) or (bb, bb)
    each = Moments(b, a, bb, a * b, a * a, low, high, noise, rate_noise, rows.offset_of(measure))
    return (each if rows.count is None else each.map(rows.times)).group(codes, n_groups)
