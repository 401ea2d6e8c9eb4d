"""How much the rows of a sum repeat each other: clusters, and weights that go with the outcome."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cluster_variance import Contrasts
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows

__all__ = ["noise_of"]

Array = NDArray[np.float64]
FEW = 30  # clusters; with fewer, each counts as one row


def noise_of(a: Array, b: Array, rows: Rows) -> tuple[Array, Array] | None:
    """Return each row's part of `Moments.noise` and of `Moments.rate_noise`; None where both are b².

    Rows of a cluster repeat each other: a row adds b(b + κ(B − b)), B being its whole cluster's, so that a row alone
    counts as one and no cluster counts for more than its rows. κ is as large as it must be for differences between
    regions, and for everybody's rate, to vary as much as they do between whole clusters (`Contrasts`). Rows of one
    cluster on both sides of a difference take chance off it: there κ is less than their correlation. With fewer than
    30 clusters of several rows κ is 1.

    Where weights go with the outcome, heavy rows being those with the rarer one, a weighted rate varies more than its
    effective size says: the squares are raised to what the residuals show, in the fifth where that is most.
    """
    if rows.blur is not None:  # noise that was added hides what is known of few people
        return b * b * rows.blur, b * b * rows.blur
    rates = bool(np.all((a >= 0) & (a <= b)))
    if rows.cluster is None and (rows.weight is None or not rates):
        return None
    used = np.flatnonzero(b > 0)
    people = np.ones(used.size) if rows.count is None else rows.count[used]
    noise = of_rates = b * b
    if rows.cluster is not None:
        cluster = np.unique(rows.cluster[used], return_inverse=True)[1].ravel()
        columns = [column.values[used] for column in rows.columns]
        others = np.zeros(rows.size), np.zeros(rows.size)
        whole = np.bincount(cluster, b[used])[cluster]
        for kept, share in zip(others, _repetition(a[used], b[used], columns, cluster), strict=True):
            kept[used] = share * b[used] * (whole - b[used])
        noise, of_rates = (b * b + more for more in others)
    if rows.weight is not None and rates:
        places = [_fifths(_in_order(column, used, a, people), people) for column in rows.columns]
        effect = max(_weight_effect(a[used], b[used], fifth, people) for fifth in places)
        noise, of_rates = noise * effect, of_rates * effect
    return noise, of_rates


def _repetition(
    a: Array, b: Array, columns: list[Array], cluster: NDArray[np.intp]
) -> tuple[Array | float, Array | float]:
    """Return κ of each row, for differences and for rates."""
    size = np.bincount(cluster)
    several = size > 1
    if not several.any():
        return 0.0, 0.0
    if np.count_nonzero(several) < FEW:
        return 1.0, 1.0
    alike = _correlation(a / b, cluster, size)[cluster]
    contrasts = Contrasts(a, b, columns, cluster, alike)
    return contrasts.of_differences(), contrasts.of_rates()


def _correlation(value: Array, cluster: NDArray[np.intp], size: NDArray[np.intp]) -> Array:
    """Return by cluster the correlation of its rows: of all clusters of about its size, a standard error up."""
    residual = value - value.mean()
    sums, squares = np.bincount(cluster, residual), np.bincount(cluster, residual**2)
    product = sums**2 - squares  # twice the sum over pairs
    pairs = size * (size - 1.0)
    kinds = np.where(size > 1, np.log2(np.maximum(size, 1)).astype(np.intp), 0)
    out = np.zeros(size.size)

    def estimate(chosen: NDArray[np.bool_]) -> float:
        level = float(squares[chosen].sum() / size[chosen].sum())
        if level <= 0:
            return 0.0
        weight = pairs[chosen]
        found = float(product[chosen].sum() / weight.sum())
        error = float(np.sqrt(np.sum((product[chosen] - found * weight) ** 2)) / weight.sum())
        return float(np.clip((found + error) / level, 0.0, 1.0))

    pooled = estimate(size > 1)
    for kind in np.unique(kinds[size > 1]):
        chosen = (kinds == kind) & (size > 1)
        out[chosen] = estimate(chosen) if np.count_nonzero(chosen) >= FEW else max(pooled, estimate(chosen))
    return out


def _in_order(column: Column, used: NDArray[np.intp], a: Array, people: Array) -> Array:
    """Return numbers as they are, and levels by how many people have them, whatever they are called."""
    values = column.values[used]
    if column.levels is None:
        return np.nan_to_num(values)
    codes = np.nan_to_num(values, nan=float(len(column.levels))).astype(np.intp)
    n, sums = (np.bincount(codes, x, len(column.levels) + 1) for x in (people, people * a[used]))
    place = np.empty(n.size)
    place[np.lexsort((sums, n))] = np.arange(n.size)
    return np.asarray(place[codes])


def _fifths(x: Array, people: Array) -> NDArray[np.intp]:
    place = np.argsort(x, kind="stable")
    below = np.cumsum(people[place]) - people[place]
    fifth = np.empty(x.size, dtype=np.intp)
    below = below[np.searchsorted(x[place], x[place], side="left")]  # equal values belong together
    fifth[place] = np.minimum(below * 5 / max(people.sum(), 1), 4).astype(np.intp)
    return fifth


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
