"""How firmly the data fixes the borders: groups found again on resampled people.

People are drawn again with replacement, a cluster as a whole. Each border is placed anew between its two neighbours,
where the likelihood of two rates is largest; and the same number of groups is searched for anew, to see who stays
together. Both on up to 1 000 cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups._kernels import best_segments
from fairgroups.cells.sample import Sample, plain_sums
from fairgroups.evidence.likelihood import kl
from fairgroups.measures import Measure
from fairgroups.progress import on_two_threads
from fairgroups.rows.rows import quantiles
from fairgroups.rows.weights import weighted_sums
from fairgroups.search.path import Limits

__all__ = ["Cut", "Stability", "border_stability"]

Array = NDArray[np.float64]
CELLS = 1000
POINTS = 40
WORK = 1e8


@dataclass(frozen=True)
class Cut:
    """A border and the ends of its interval."""

    cut: float
    low: float
    high: float


@dataclass(frozen=True)
class Stability:
    """The result.

    Attributes
    ----------
    cuts : tuple of Cut
        Each border, with the ends between which it falls as often as the level says when people are drawn again and its
        neighbours stay.
    points : list of float
        Values of the attribute, one for each 40th of the people.
    together : list of lists
        The probability that two people with these values are in one group, when all borders are searched for again.
    n_draws : int
        How often people were drawn again.
    """

    cuts: tuple[Cut, ...]
    points: list[float]
    together: list[list[float]]
    n_draws: int


def border_stability(
    sample: Sample,
    measure: Measure,
    borders: Array,
    limits: Limits,
    *,
    level: float = 0.95,
    n_draws: int = 200,
    seed: int = 0,
    progress: Callable[[float], object] | None = None,
) -> Stability:
    """Resample people and search again.

    Parameters
    ----------
    sample : Sample
        The data.
    measure : Measure
        Which rate.
    borders : array
        The borders found: first values of each group but the first.
    limits : Limits
        The least that a group must hold.
    level : float
        Of the intervals.
    n_draws, seed : int
        How often to draw, and the seed. Very long tables of other than yes/no outcomes get fewer.
    progress : callable, optional
        Called with the share of the work done.

    Returns
    -------
    Stability
    """
    rows, plain = sample.rows, plain_sums(sample, measure)
    if plain is not None:
        values, a, b = plain
        count: Array | None = b
        bounded = True
    else:
        a, b = weighted_sums(rows, measure)
        keep = (b > 0) & ~np.isnan(rows.sensitive)
        values, a, b = rows.sensitive[keep], a[keep], b[keep]
        count = None if rows.count is None else rows.count[keep]
        bounded = bool(np.all((a >= 0) & (a <= b)))
        n_draws = int(min(n_draws, max(50, WORK / max(a.size, 1))))
        cluster = np.arange(a.size) if rows.cluster is None else np.unique(rows.cluster[keep], return_inverse=True)[1]
        n_clusters = int(cluster.max()) + 1
    lower = np.unique(values)
    if lower.size > CELLS:
        lower = np.unique(quantiles(values, np.arange(CELLS) / CELLS, count))
    at = np.searchsorted(lower, values, side="right") - 1
    if plain is not None:
        yes, all_ = (np.bincount(at, x, lower.size).astype(np.float64) for x in (a, b))
    seeds = np.random.SeedSequence(seed).spawn(n_draws)
    n_groups = borders.size + 1
    spots = np.unique(quantiles(values, (np.arange(POINTS) + 0.5) / POINTS, count))

    walls = np.searchsorted(lower, borders, side="right") - 1  # the cell that holds each border
    ends = [0, *(int(w) for w in walls), lower.size]

    def one(sequence: np.random.SeedSequence) -> tuple[Array, Array | None]:
        rng = np.random.default_rng(sequence)
        if plain is not None:  # counts of a cell are close to independent Poisson ones
            new_a = rng.poisson(yes).astype(np.float64)
            new_b = new_a + rng.poisson(all_ - yes)
            new_rows = new_b
        else:
            often = rng.poisson(1.0, n_clusters)[cluster] if count is None else rng.poisson(count)
            times = often.astype(np.float64)
            new_a, new_b = (np.bincount(at, times * x, lower.size).astype(np.float64) for x in (a, b))
            new_rows = np.bincount(at, times, lower.size).astype(np.float64)
        local = [
            start + _best_cut(new_a[start:stop], new_b[start:stop], bounded=bounded)
            for start, stop in zip(ends, ends[2:], strict=False)
        ]
        used = np.flatnonzero(new_b > 0)
        if used.size < n_groups:
            return lower[local], None
        x, w = new_a[used], new_b[used]
        x = x - w * (x.sum() / w.sum())
        cut = best_segments(x, w, new_rows[used], n_groups, limits.rows, limits.b)[-1]
        return lower[local], lower[used[np.asarray(cut, dtype=np.intp)]] if len(cut) == borders.size else None

    found = on_two_threads(one, seeds, progress)
    ends_of = np.quantile([near for near, _ in found], [(1 - level) / 2, (1 + level) / 2], axis=0, method="nearest")
    anew = [cut for _, cut in found if cut is not None] or [borders]
    groups = np.stack([np.searchsorted(cut, spots, side="right") for cut in anew])
    together = (groups[:, :, None] == groups[:, None, :]).mean(axis=0)
    cuts = tuple(Cut(float(c), float(lo), float(hi)) for c, lo, hi in zip(borders, *ends_of, strict=True))
    return Stability(cuts, [float(x) for x in spots], together.round(4).tolist(), n_draws)


def _best_cut(a: Array, b: Array, *, bounded: bool) -> int:
    """Cut a range of cells in two where the likelihood of two rates is largest."""
    left_a, left_b = np.cumsum(a)[:-1], np.cumsum(b)[:-1]
    right_a, right_b = a.sum() - left_a, b.sum() - left_b
    with np.errstate(divide="ignore", invalid="ignore"):
        if bounded:
            whole = np.array(np.clip(a.sum() / b.sum(), 0.0, 1.0))
            gain = sum(n * kl(np.clip(s / n, 0.0, 1.0), whole) for s, n in ((left_a, left_b), (right_a, right_b)))
        else:
            gain = left_a**2 / left_b + right_a**2 / right_b
    return int(np.argmax(np.where((left_b > 0) & (right_b > 0), gain, -np.inf))) + 1 if a.size > 1 else 0
