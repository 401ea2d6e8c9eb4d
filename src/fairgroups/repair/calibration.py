"""Scores made into chances that come true, by a map that is the same for everybody and keeps their order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Calibration"]

Array = NDArray[np.float64]
NEAREST = 1e-4  # to 0 and 1: beyond, the logarithms of scores say nothing


@dataclass(frozen=True)
class Calibration:
    """The map 1/(1 + exp(−(a·ln s − b·ln(1 − s) + c))), a and b at least 0: it rises, so no group gains over another.

    Kull, Silva Filho and Flach (2017) call it beta calibration; 1, 1, 0 leaves scores as they are.
    """

    a: float = 1.0
    b: float = 1.0
    c: float = 0.0

    @classmethod
    def of(cls, score: Array, label: Array, weight: Array) -> Calibration:
        """Fit it to scores and true labels of people who took no part in making the scores."""
        from sklearn.linear_model import LogisticRegression

        if np.unique(label[weight > 0]).size < 2 or np.ptp(score) == 0:
            return cls()
        model = LogisticRegression(C=1e3, max_iter=1000)
        both = _logs(score)
        a, b = model.fit(both, label, sample_weight=weight).coef_[0].tolist()
        if a < 0 or b < 0:
            (a,) = (b,) = model.fit(both.sum(axis=1, keepdims=True), label, sample_weight=weight).coef_[0].tolist()
        if a < 0 or b < 0:  # the score says the contrary of the truth: nothing that keeps the order mends it
            return cls()
        return cls(a, b, float(model.intercept_[0]))

    def __call__(self, score: Array) -> Array:
        """Return the chances."""
        if self == Calibration():
            return score
        logs = _logs(score)
        chance: Array = 1 / (1 + np.exp(-(self.a * logs[:, 0] + self.b * logs[:, 1] + self.c)))
        return chance


def _logs(score: Array) -> Array:
    inside = np.clip(score, NEAREST, 1 - NEAREST)
    return np.stack([np.log(inside), -np.log1p(-inside)], axis=1)
