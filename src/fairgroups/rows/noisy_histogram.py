"""One noisy histogram in place of the people: whatever is made of it reveals next to nothing of any single one.

A twentieth of ε is spent on how many people there are, which says how many cells the attribute is cut into, so that
noise stays small beside the people of a cell; where that is open, another on whether values are whole, as years are.
Then each person adds one to one entry, a cell with an outcome. To every
entry a whole number is added that is drawn from the two-sided geometric distribution (Ghosh, Roughgarden and
Sundararajan 2012): what is then seen is e^ε times as likely, at most, with any one person as without. Everything else
follows from the entries and from what was known before, so it reveals no more (differential privacy; Dwork, McSherry,
Nissim and Smith 2006).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import SystemRandom

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows

__all__ = ["MOST_CELLS", "PrivateSize", "noise_variance", "private_rows", "two_sided_geometric"]

Array = NDArray[np.float64]
MOST_CELLS = 128
FOR_EACH_QUESTION = 0.05  # of ε, before the histogram
PEOPLE_OF_CELL = 10  # for each unit of the noise's variance, and one more


def noise_variance(epsilon: float) -> float:
    """Return the variance of what is added to each entry."""
    rest = math.exp(-epsilon)
    return 2 * rest / (1 - rest) ** 2


@dataclass(frozen=True)
class PrivateSize:
    """How many people there are, about, whether their values are whole, and what is left of ε after asking."""

    people: int
    whole: bool
    epsilon: float

    @classmethod
    def of(cls, values: Array, epsilon: float, low: float, high: float) -> PrivateSize:
        """Ask, at a twentieth of ε for each question; ends that are not whole answer the second by themselves."""
        asked = epsilon * FOR_EACH_QUESTION
        people = values.size + int(two_sided_geometric(asked, 1)[0])
        left = epsilon - asked
        if not (low.is_integer() and high.is_integer() and high - low < 4 * MOST_CELLS):
            return cls(people, False, left)
        broken = int(np.sum(values != np.floor(values))) + int(two_sided_geometric(asked, 1)[0])
        return cls(people, broken < people / 2, left - asked)


def private_rows(rows: Rows, epsilon: float, ends: Sequence[float], borders: Sequence[float] = ()) -> Rows:
    """Return rows that stand for the entries of a noisy histogram.

    Parameters
    ----------
    rows : Rows
        The people: one attribute of numbers, outcomes and truths of yes and no.
    epsilon : float
        How much any one person may change what is seen: the smaller, the more private.
    ends : pair of float
        The smallest and the largest value that the attribute may have, known without looking; values beyond are put
        into the outermost cells.
    borders : sequence of float
        Borders of groups that were named in advance: cells end there.

    Returns
    -------
    Rows
        Each stands for as many people as its entry says; `blur` says by how much the noise widens what is known.
    """
    _check(rows)
    low, high = float(ends[0]), float(ends[1])
    size = PrivateSize.of(rows.sensitive, epsilon, low, high)
    epsilon, whole = size.epsilon, size.whole
    most = int(np.clip(size.people / (PEOPLE_OF_CELL * (1 + noise_variance(epsilon))), 4, MOST_CELLS))
    step = math.ceil((high - low + 1) / most) if whole else (high - low) / most
    edges = np.arange(low, high + 1, step) if whole else low + step * np.arange(most)
    if edges.size > 1 and high - edges[-1] < step / 2:
        edges = edges[:-1]
    edges = np.unique([*edges, *(x for x in borders if low < x < high)])
    values = np.clip(rows.sensitive, low, high)
    cell = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, edges.size - 1)
    labels = [rows.outcome, *([] if rows.truth is None else [rows.truth])]
    kinds = 2 ** len(labels)
    entry = cell
    for label in labels:
        entry = entry * 2 + label.astype(np.intp)
    true = np.bincount(entry, minlength=edges.size * kinds)
    noisy = np.maximum(true + two_sided_geometric(epsilon, true.size), 0).reshape(edges.size, kinds)
    if noisy.sum() < 1:
        raise InputError(
            "so few people are hidden by the noise altogether.", "allow a larger `private`, or leave it out."
        )
    held, kind = np.nonzero(noisy)
    outcome = ((kind >> (len(labels) - 1)) & 1).astype(np.float64)
    truth = None if rows.truth is None else (kind & 1).astype(np.float64)
    narrow = whole and bool(np.all(np.diff(edges) == 1)) and edges[-1] == high
    before = edges[1:] - 1 if whole else np.nextafter(edges[1:], -np.inf)  # cells end before the next one begins
    last = None if narrow else np.append(before, high)[held]
    column = replace(rows.columns[0], values=edges[held].astype(np.float64), last=last)
    return Rows(
        (column,),
        outcome,
        truth=truth,
        base=truth,
        count=noisy[held, kind].astype(np.float64),
        outcome_is_binary=True,
        told=rows.told,
        blur=_blur(noisy, epsilon)[held],
    )


def _check(rows: Rows) -> None:
    if not rows.is_line or not isinstance(rows.columns[0], Column):
        one = len(rows.columns) == 1
        raise InputError(
            "`private` is for one attribute of numbers.",
            "leave `private` out: the levels of a category are not hidden." if one else "audit each by itself.",
        )
    others = [("weight", rows.weight), ("cluster", rows.cluster), ("count", rows.count)]
    if any(column is not None for _, column in others):
        raise InputError("`private` goes with rows that count once each, in memory.", "leave weights and clusters out.")
    labels = [x for x in (rows.outcome, rows.truth, rows.base) if x is not None]
    if not all(np.isin(x, (0.0, 1.0)).all() for x in labels):
        raise InputError(
            "`private` is for outcomes of yes and no.", "make a decision of a score: threshold= (--threshold)."
        )


def _blur(noisy: NDArray[np.int64], epsilon: float) -> Array:
    """Return by how much the noise raises the variance of each cell's sums, relative to the people's own."""
    kinds = noisy.shape[1]
    shares = []
    for of_truth in (
        noisy.reshape(-1, 2, kinds // 2).sum(axis=(0, 2)),
        *noisy.reshape(-1, 2, kinds // 2).sum(axis=0).T,
    ):
        total = of_truth.sum()
        rate = min(max(of_truth[1] / total, 1 / (total + 1)), 1 - 1 / (total + 1)) if total else 0.5
        shares.append(((1 - rate) ** 2 + rate**2) / (rate * (1 - rate)))
    people = np.maximum(noisy.sum(axis=1), 1)
    # Of the entries that a rate sums up in a cell, each brings its own noise.
    blur: Array = 1 + noise_variance(epsilon) * max(shares) * (kinds / 2) / people
    return blur


def two_sided_geometric(epsilon: float, n: int) -> NDArray[np.int64]:
    """Draw whole numbers k with chances in the ratio e^(−ε |k|), exactly, from the system's own randomness.

    By Canonne, Kamath and Steinke 2020: no number is rounded on the way, so that no last digit gives anything away.

    Parameters
    ----------
    epsilon : float
        How fast chances fall.
    n : int
        How many numbers.

    Returns
    -------
    array of int
    """
    random = SystemRandom()
    rate = Fraction(epsilon).limit_denominator(10**6)
    return np.array([_one(rate, random) for _ in range(n)], dtype=np.int64)


def _one(rate: Fraction, random: SystemRandom) -> int:
    """Draw one number; its scale is t/s with rate s/t."""
    s, t = rate.numerator, rate.denominator
    while True:
        u = random.randrange(t)
        if not _happens(Fraction(u, t), random):
            continue
        v = 0
        while _happens(Fraction(1), random):
            v += 1
        size = (u + t * v) // s
        negative = bool(random.randrange(2))
        if not (negative and size == 0):
            return -size if negative else size


def _happens(x: Fraction, random: SystemRandom) -> bool:
    """Whether something of chance e^(−x) happens, 0 ≤ x ≤ 1."""
    k = 1
    while random.randrange(x.denominator * k) < x.numerator:
        k += 1
    return k % 2 == 1
