"""How much the rows of a sum repeat each other: clusters, and weights that go with the outcome."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairgroups.rows.rows import Rows

__all__ = ["noise_of"]

Array = NDArray[np.float64]


def noise_of(a: Array, b: Array, rows: Rows) -> Array | None:
    """Return each row's part of `Moments.noise`; None where it is b².

    Rows of a cluster repeat each other to a share ρ: a row then adds b(b + ρ(B − b)), B being its whole cluster's. So a
    row alone counts as one, no cluster counts for more than its rows, and a part of a cluster counts no more than it
    should. ρ is the correlation of neighbouring rows of a cluster, or of all of them where that is larger: two standard
    errors up, and the largest over sizes of clusters and fifths of the attribute, for rows may resemble each other
    more in some places.

    Where weights go with the outcome, heavy rows being those with the rarer one, a weighted rate varies more than its
    effective size says: the squares are raised to what the residuals show, in the fifth where that is most.
    """
    rates = bool(np.all((a >= 0) & (a <= b)))
    if rows.cluster is None and (rows.weight is None or not rates):
        return None
    used = np.flatnonzero(b > 0)
    x = np.nan_to_num(rows.sensitive[used])
    place = np.argsort(x, kind="stable")
    people = np.ones(used.size) if rows.count is None else rows.count[used]
    below = np.cumsum(people[place]) - people[place]
    fifth = np.empty(used.size, dtype=np.intp)
    below = below[np.searchsorted(x[place], x[place], side="left")]  # equal values belong together
    fifth[place] = np.minimum(below * 5 / max(people.sum(), 1), 4).astype(np.intp)
    noise = b * b
    if rows.cluster is not None:
        cluster = np.unique(rows.cluster[used], return_inverse=True)[1].ravel()
        share = _repetition(a[used] / b[used], x, cluster, fifth, place)
        whole = np.bincount(rows.cluster, b)[rows.cluster]
        noise = b * (b + share * (whole - b))
    if rows.weight is not None and rates:
        noise = noise * _weight_effect(a[used], b[used], fifth, people)
    return noise


def _repetition(
    value: Array, x: Array, cluster: NDArray[np.intp], fifth: NDArray[np.intp], place: NDArray[np.intp]
) -> float:
    """Estimate the correlation of rows of one cluster, to the safe side."""
    size = np.bincount(cluster)
    if np.count_nonzero(size > 1) == 0:
        return 0.0
    bins = np.empty(value.size, dtype=np.intp)
    n_bins = max(1, round(value.size ** (1 / 3)))
    bins[place] = np.arange(value.size) * n_bins // value.size
    residual = value - (np.bincount(bins, value) / np.bincount(bins))[bins]
    order = np.lexsort((x, cluster))
    first, second = order[:-1], order[1:]
    pair = cluster[first] == cluster[second]
    first, second = first[pair], second[pair]
    product, spread = residual[first] * residual[second], (residual[first] ** 2 + residual[second] ** 2) / 2
    sums = np.bincount(cluster, residual)
    squares = np.bincount(cluster, residual**2)
    several = size > 1
    variance = float(np.mean(residual**2))
    if np.count_nonzero(several) < 30 or variance <= 0:
        return 1.0
    pairs = size * (size - 1.0)
    worst = float(np.sum((sums**2 - squares)[several]) / (variance * pairs[several].sum()))
    kinds = np.log2(size[cluster[first]]).astype(np.intp) * 5 + fifth[first]
    for chosen in (np.ones(first.size, dtype=bool), *(kinds == kind for kind in np.unique(kinds))):
        people = np.unique(cluster[first[chosen]]).size
        level = float(spread[chosen].mean())
        if people < 30 or level <= 0:
            continue
        margin = 2 * float(product[chosen].std()) / (level * np.sqrt(people))
        worst = max(worst, float(product[chosen].mean()) / level + margin)
    return float(np.clip(worst, 0.0, 1.0))


def _weight_effect(a: Array, b: Array, fifth: NDArray[np.intp], people: Array) -> float:
    """Return how much larger weighted residuals are than a rate of that size would make them; at least 1."""
    worst = 1.0
    for part in (np.ones(a.size, dtype=bool), *(fifth == k for k in range(5))):
        times = people[part]
        n = float(times.sum())
        if n < 20:
            continue
        rate = np.sum(times * a[part]) / np.sum(times * b[part])
        expected = rate * (1 - rate) * np.sum(times * b[part] ** 2)
        if expected > 0:
            squares = (a[part] - rate * b[part]) ** 2
            mean = float(np.sum(times * squares)) / n
            found = mean * n / expected
            if found > 1.1:  # clearly related: two standard errors to the safe side
                spread = np.sqrt(np.sum(times * (squares - mean) ** 2) / n)
                found *= 1 + 2 * float(spread) / mean / np.sqrt(n)
            worst = max(worst, found)
    return worst
