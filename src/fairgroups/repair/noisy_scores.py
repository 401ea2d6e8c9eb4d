"""One noisy histogram of scores along the attribute, in place of the people: whatever repair is made of it is private.

As with audits (`rows/noisy_histogram.py`), each person adds one to one entry, here a cell of the attribute with a level
of the score (and the true label), and to every entry a whole number of the two-sided geometric distribution is added.
Where few people are, noise that is cut off at zero would make people of nothing; so the running counts along the score
are made to rise instead, by the rising function that is nearest to them (Hay, Rastogi, Miklau and Suciu 2010).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from fairgroups.errors import InputError
from fairgroups.options import ends_of, epsilon_of
from fairgroups.repair.scored import Scored
from fairgroups.rows.noisy_histogram import PrivateSize, noise_variance, two_sided_geometric

__all__ = ["private_scores"]

Array = NDArray[np.float64]
MOST_CELLS, MOST_LEVELS = 64, 64
PEOPLE_OF_ENTRY = 4  # for each unit of the noise's variance, and one more
GOLDEN = (math.sqrt(5) - 1) / 2


def private_scores(
    score: Any,
    sensitive: Any,
    y: Any = None,
    *,
    private: float,
    known_range: Sequence[float],
    score_range: Sequence[float] = (0.0, 1.0),
) -> dict[str, Array]:
    """Return people that stand for the entries of a noisy histogram; repairs learnt from them are private.

    Nothing that is made of them, a repair, its page or its JSON, is more than e^ε times as likely with any one person
    of the data as without.

    Parameters
    ----------
    score, sensitive, y : array-like
        The scores, one attribute of numbers, and the true labels of 0 and 1 where a condition or the cost needs them.
    private : float
        ε: how much any one person may change what is seen; 1 is usual, smaller is more private.
    known_range : pair of float
        The smallest and the largest value that the attribute may have, known without looking; values beyond count as
        these.
    score_range : pair of float
        The same of the score.

    Returns
    -------
    dict of arrays
        ``score``, ``sensitive`` and, where y is given, ``y``: about as many people as there are.

    Examples
    --------
    >>> import numpy as np
    >>> import fairgroups as fg
    >>> rng = np.random.default_rng(0)
    >>> age = rng.integers(18, 80, 20_000)
    >>> score = np.clip(rng.normal(0.2 + age / 200, 0.1), 0, 1)
    >>> noisy = fg.private_scores(score, age, private=1.0, known_range=(18, 80))
    >>> repair = fg.ScoreRepair().fit(noisy["score"], sensitive=noisy["sensitive"])
    >>> fair = repair.transform(score, sensitive=age)
    >>> bool(abs(fair[age < 40].mean() - fair[age >= 60].mean()) < 0.02)
    True
    """
    people = Scored.read(score, y, sensitive, None, None)
    if len(people.columns) != 1 or people.columns[0].levels is not None:
        raise InputError("`private` is for one attribute of numbers.", "repair by one attribute.")
    values = people.columns[0].values
    if np.isnan(values).any():
        raise InputError("`private` needs the attribute of everybody.", "leave out people whose attribute is missing.")
    epsilon = epsilon_of(private)
    ends, (low, high) = ends_of(known_range, "known_range"), ends_of(score_range, "score_range")
    size = PrivateSize.of(values, epsilon, *ends)
    epsilon = size.epsilon
    labels = 1 if people.label is None else 2
    entries = max(size.people, 1) / labels / (PEOPLE_OF_ENTRY * (1 + noise_variance(epsilon)))
    n_cells = int(np.clip(math.sqrt(entries / 2), 2, MOST_CELLS))
    n_levels = int(np.clip(entries / n_cells, 4, MOST_LEVELS))
    edges = _edges(*ends, n_cells, whole=size.whole)
    cell = np.clip(np.searchsorted(edges, np.clip(values, *ends), side="right") - 1, 0, edges.size - 2)
    level = np.clip(((people.score - low) / (high - low) * n_levels).astype(np.intp), 0, n_levels - 1)
    label = np.zeros(values.size, dtype=np.intp) if people.label is None else people.label.astype(np.intp)
    n_cells = edges.size - 1
    true = np.bincount((cell * labels + label) * n_levels + level, minlength=n_cells * labels * n_levels)
    noisy = (true + two_sided_geometric(epsilon, true.size)).reshape(n_cells * labels, n_levels)
    counts = np.array([_risen(row) for row in noisy])
    if counts.sum() < 2:
        raise InputError("so few people are hidden by the noise altogether.", "allow a larger `private`.")
    return _people(counts, edges, whole=size.whole, labels=labels, low=low, step=(high - low) / n_levels)


def _edges(low: float, high: float, n_cells: int, *, whole: bool) -> Array:
    """Return where cells begin, and the end of the last."""
    if not whole:
        return np.linspace(low, high, n_cells + 1)
    step = math.ceil((high - low + 1) / n_cells)
    return np.append(np.arange(low, high + 1, step), high + 1)


def _risen(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return counts of at least 0 whose running sums are nearest to the noisy ones that rise, in whole people."""
    running = np.maximum(isotonic_regression(np.cumsum(counts.astype(np.float64))), 0.0)
    risen: NDArray[np.int64] = np.diff(np.rint(running), prepend=0.0).astype(np.int64)
    return risen


def _people(
    counts: NDArray[np.int64], edges: Array, *, whole: bool, labels: int, low: float, step: float
) -> dict[str, Array]:
    """Spread the people of each entry evenly over its cell and its level."""
    row, level = np.nonzero(counts)
    n = counts[row, level]
    entry = np.repeat(np.arange(n.size), n)
    place = np.arange(entry.size) - np.repeat(np.cumsum(n) - n, n)
    cell = row[entry] // labels
    across = (place * GOLDEN) % 1.0
    wide = edges[cell + 1] - edges[cell]
    value = edges[cell] + across * wide
    found = {
        "score": low + step * (level[entry] + (place + 0.5) / n[entry]),
        "sensitive": np.floor(value) if whole else value,
    }
    return found if labels == 1 else {**found, "y": (row[entry] % labels).astype(np.float64)}
