"""The paper's synthetic data: five groups along a number, with rates that are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.options import one_of
from fairgroups.partition.partition import Partition

__all__ = ["Synthetic", "make_synthetic"]

EDGES = (20.0, 30.0, 55.0, 88.0)
RATES = (0.1, 0.3, 0.5, 0.7, 0.9)
Distribution = Literal["uniform", "truncated", "clipped"]


@dataclass(frozen=True)
class Synthetic:
    """Drawn data with its truth: `rate` is each person's true rate, `partition` the true groups."""

    sensitive: NDArray[np.float64]
    outcome: NDArray[np.int64]
    rate: NDArray[np.float64]
    partition: Partition


def make_synthetic(n: int = 50_000, distribution: Distribution = "uniform", *, seed: int = 0) -> Synthetic:
    """Draw the paper's synthetic data: five groups of L on [0, 100] with rates .1, .3, .5, .7 and .9.

    Parameters
    ----------
    n : int
        Number of people.
    distribution : {"uniform", "truncated", "clipped"}
        L is uniform, or normal with mean 50 and standard deviation 20. ``"truncated"`` draws again what falls outside
        [0, 100]; ``"clipped"`` moves it to the nearer end, which is what the paper's numbers agree with.
    seed : int
        Same seed, same data.

    Returns
    -------
    Synthetic

    Examples
    --------
    >>> from fairgroups import make_synthetic
    >>> data = make_synthetic(1000, "clipped")
    >>> data.partition.edges
    (20.0, 30.0, 55.0, 88.0)
    """
    if n < 1:
        raise InputError(f"`n` must be at least 1; got {n!r}.")
    one_of(distribution, "distribution", ("uniform", "truncated", "clipped"))
    rng = np.random.default_rng(seed)
    if distribution == "uniform":
        sensitive = rng.uniform(0, 100, n)
    elif distribution == "clipped":
        sensitive = np.clip(rng.normal(50, 20, n), 0, 100)
    else:
        sensitive = rng.normal(50, 20, n)
        while (outside := (sensitive < 0) | (sensitive > 100)).any():
            sensitive[outside] = rng.normal(50, 20, int(outside.sum()))
    truth = Partition.from_edges(EDGES, closed="right", name="L")
    rate = np.array(RATES)[truth.assign(sensitive)]
    outcome = (rng.random(n) < rate).astype(np.int64)
    return Synthetic(sensitive, outcome, rate, truth)
