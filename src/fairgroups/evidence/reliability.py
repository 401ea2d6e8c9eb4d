"""How well a number tells people apart, from several measurements of each: the intraclass correlation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri

from fairgroups.errors import InputError

__all__ = ["Reliability", "reliability_of"]

Array = NDArray[np.float64]
FEWEST = 5  # people with several measurements


@dataclass(frozen=True)
class Reliability:
    """How much of a number's spread is between people, the rest being between measurements of the same person.

    Attributes
    ----------
    value, low, high : float
        The share of the variance of single measurements that lies between people (the intraclass correlation of one
        measurement), with an interval.
    within, between : float
        The standard deviations of a person's measurements, and of people's true values.
    people, repeated, measurements : int
        People, those of them with several measurements, and measurements.
    level : float
        How often the interval holds.

    Examples
    --------
    >>> from fairgroups.skin import Reliability
    >>> one = Reliability(0.22, 0.2, 0.24, 8.9, 4.7, 988, 950, 17_453, 0.95)
    >>> round(one.of_mean(10), 2), one.needed(0.8)
    (0.74, 15)
    """

    value: float
    low: float
    high: float
    within: float
    between: float
    people: int
    repeated: int
    measurements: int
    level: float = 0.95

    def of_mean(self, n: int) -> float:
        """Return the reliability of the mean of so many measurements of each person (Spearman and Brown)."""
        if n < 1:
            raise InputError(f"a mean is of at least one measurement; got {n!r}.")
        return n * self.value / (1 + (n - 1) * self.value)

    def needed(self, wanted: float = 0.8) -> int | None:
        """Return how many measurements of each person give a mean with this reliability; None where none would."""
        if not 0 < wanted < 1:
            raise InputError(f"a reliability lies between 0 and 1; got {wanted!r}.")
        if not self.value > 0:
            return None
        return max(1, math.ceil(wanted * (1 - self.value) / (self.value * (1 - wanted)) - 1e-9))


def reliability_of(values: Array, person: NDArray[np.intp], level: float = 0.95) -> Reliability:
    """Estimate the reliability of single measurements by the analysis of variance, for uneven numbers of them.

    The interval is Searle's by the F distribution, with the mean number of measurements that the variances call for:
    exact where everybody has as many and people and errors are normal.

    Parameters
    ----------
    values : array
        One measurement a row, finite.
    person : array of int
        Whose it is.
    level : float
        How often the interval is to hold.

    Returns
    -------
    Reliability
    """
    _, who = np.unique(person, return_inverse=True)
    who = np.ravel(who)
    size = np.bincount(who).astype(np.float64)
    n, k = float(size.sum()), size.size
    repeated = int(np.count_nonzero(size > 1))
    if repeated < FEWEST:
        raise InputError(
            f"{repeated} {'person has' if repeated == 1 else 'people have'} several measurements; at least {FEWEST} "
            "are needed to tell how far these differ.",
            "give more photographs a person, or the reliability itself.",
        )
    centred = values - values.mean()
    mean = np.bincount(who, centred) / size
    inside = float(np.sum((centred - mean[who]) ** 2)) / (n - k)
    outside = float(np.sum(size * (mean - centred.mean()) ** 2)) / (k - 1)
    each = (n - float(np.sum(size**2)) / n) / (k - 1)
    between = max((outside - inside) / each, 0.0)
    total = between + inside
    if not total > 0:
        raise InputError("every measurement is the same: nothing can be told from it.")
    if inside <= 0:
        return Reliability(1.0, 1.0, 1.0, 0.0, math.sqrt(between), k, repeated, int(n), level)
    ratio = outside / inside
    ends = [
        ratio / fdtri(k - 1, n - k, 1 - (1 - level) / 2),
        ratio * fdtri(n - k, k - 1, 1 - (1 - level) / 2),
    ]
    low, high = (min(max((end - 1) / (end + each - 1), 0.0), 1.0) for end in ends)
    return Reliability(between / total, low, high, math.sqrt(inside), math.sqrt(between), k, repeated, int(n), level)
