"""What overlapping figures tell together: sums of people, from whose differences a few of them could be worked out.

A group and the cells of a map cut the people in two ways. The group less the cells in it may be three persons, whose
outcomes anybody could then compute from figures that each stand for many. Here every figure is a row of zeros and ones
over classes of people whom no figure tells apart, and what can be worked out is what the rows span.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Figures", "classes_of", "rounded_ends"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
NEARLY = 1e-6
WHOLE = 5.0  # to which ends of whole numbers are rounded, at least


def classes_of(*cuts: Codes) -> Codes:
    """Return a number for each cell of people, the same where no cut tells two apart; −1 is a part like others."""
    found = np.zeros(cuts[0].size, dtype=np.intp)
    for cut in cuts:
        found = np.unique(found * (int(cut.max(initial=-1)) + 2) + cut + 1, return_inverse=True)[1].ravel()
    return found


def rounded_ends(
    low: float, high: float, shared: tuple[bool, bool], *, parts: int = 20, whole: bool = False
) -> tuple[float, float]:
    """Return the ends of a range, rounded away from it where they are not shared: they tell of nobody then.

    Parameters
    ----------
    low, high : float
        The ends.
    shared : tuple of bool
        Whether enough people have the value at the lower end, and at the upper.
    parts : int
        Of the range, how fine the rounding is.
    whole : bool
        Whether all values are whole numbers: rounded to units they would be told.

    Returns
    -------
    float, float
    """
    rough = max((high - low) / parts, WHOLE if whole else 0.0)
    if not high > low:
        return low, high
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(x * power for x in (1, 2, 5, 10) if x * power >= rough * (1 - 1e-9))
    # Strictly outwards: an end that lies on a step would else be told.
    least, most = (math.ceil(low / step - 1e-9) - 1) * step, (math.floor(high / step + 1e-9) + 1) * step
    least = max(least, 0.0) if low >= 0 else least
    return low if shared[0] else least, high if shared[1] else most


class Figures:
    """Figures that are told, each of the people of some classes, and whether they tell of few.

    Looked for are few people who lie in one part of some cut and in one part of another, less those who are known
    already, and few by whom two figures differ. Parts of the first cut that no other cuts through are known as they
    are, and are left aside.

    Parameters
    ----------
    cuts : sequence of array
        All that may be told, and what it may be told by: the part of each cell of people in each cut, −1 where it is in
        none. The first is told.
    people : array
        How many people each cell holds.
    least : float
        The fewest of whom anything may be told.
    """

    def __init__(self, cuts: Sequence[Codes], people: Array, least: float) -> None:
        classes, whole = classes_of(*cuts), cuts[0]
        n = int(classes.max(initial=-1)) + 1
        part = np.full(n, -1, dtype=np.intp)
        part[classes] = whole
        alone = np.bincount(part[part >= 0], minlength=int(whole.max(initial=-1)) + 1) == 1
        unknown = np.array([one < 0 or not alone[one] for one in part.tolist()], dtype=bool)
        self.place = np.where(unknown, np.cumsum(unknown) - 1, -1)[classes]  # where its class stands; −1: known
        self.people = np.bincount(classes, people, n)[unknown]
        self.least = least
        self.rows = np.zeros((0, self.people.size))
        self.basis = np.zeros((0, self.people.size))
        self.whole = self._rows(whole)
        self.parts = self._parts(cuts)
        self.add(np.zeros_like(classes))  # everybody
        self.add(np.where(self.place >= 0, whole, -1), rest=whole < 0)

    def _parts(self, cuts: Sequence[Codes]) -> Array:
        """Return each class, and the people of one part of one cut and one part of another."""
        both = [self._rows(classes_of(one, other)) for i, one in enumerate(cuts) for other in cuts[i:]]
        return np.concatenate([np.eye(self.people.size), *both])

    def add(self, cut: Codes, rest: NDArray[np.bool_] | None = None) -> None:
        """Add all parts of a cut, whatever they tell, and those that are left over."""
        rows = self._rows(cut, rest)
        self.rows, self.basis = np.concatenate([self.rows, rows]), self._basis(rows)

    def tell(self, cut: Codes, rest: NDArray[np.bool_] | None = None) -> bool:
        """Add all parts of a cut, unless with all others they would tell of few; return whether they were added."""
        rows = self._rows(cut, rest)
        rows, basis = np.concatenate([self.rows, rows]), self._basis(rows)
        if self._few(rows, basis).any():
            return False
        self.rows, self.basis = rows, basis
        return True

    def of_few(self) -> NDArray[np.bool_]:
        """Return for each cell whether the figures tell of it and few others."""
        few = np.append(self._few(self.rows, self.basis), False)
        found: NDArray[np.bool_] = few[self.place]
        return found

    def _rows(self, cut: Codes, rest: NDArray[np.bool_] | None = None) -> Array:
        """Return a row for each part of a cut, and for the rest: which classes are in it."""
        if rest is not None:
            cut = np.where(rest, cut.max(initial=-1) + 1, cut)
        used = (self.place >= 0) & (cut >= 0)
        parts, at = np.unique(cut[used], return_inverse=True)
        rows = np.zeros((parts.size, self.people.size))
        rows[at.ravel(), self.place[used]] = 1.0
        return rows

    def _basis(self, rows: Array) -> Array:
        """Return an orthonormal basis of all that the figures span, with these."""
        for _ in range(2):  # once more for the last digits
            rows = rows - (rows @ self.basis.T) @ self.basis
        if not rows.size:
            return self.basis
        _, size, axes = np.linalg.svd(rows, full_matrices=False)
        return np.concatenate([self.basis, axes[size > NEARLY]])

    def _few(self, rows: Array, basis: Array) -> NDArray[np.bool_]:
        """Return which classes are told of, with few others or alone."""
        known = np.einsum("ij,ij->j", basis, basis) > 1 - NEARLY
        found: NDArray[np.bool_] = known & (self.people < self.least)
        parts = self._less(self.parts, known)
        held = parts @ self.people
        parts = parts[(held > NEARLY) & (held < self.least - NEARLY)]
        left = parts.sum(axis=1) - ((parts @ basis.T) ** 2).sum(axis=1)
        found |= (parts[left < NEARLY] > 0).any(axis=0)
        every = self._less(np.concatenate([rows, np.zeros((1, known.size))]), known)
        held = every @ self.people
        between = held[:, None] + held[None, :] - 2 * (every * self.people) @ every.T
        for i, j in np.argwhere(np.triu((between > NEARLY) & (between < self.least - NEARLY), 1)):
            found |= every[i] != every[j]
        return found

    def _less(self, rows: Array, known: NDArray[np.bool_]) -> Array:
        """Return rows without the classes that are known, and without the parts of the first cut inside them."""
        rows = rows - np.equal(rows @ self.whole.T, self.whole.sum(axis=1)) @ self.whole
        return np.where(known, 0.0, rows)
