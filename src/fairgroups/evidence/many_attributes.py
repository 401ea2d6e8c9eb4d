"""A look at many columns and pairs of them at once, with one error over everything that was looked at.

For every range of a number, every set of levels of a category and every box of a pair, U is how far its people are from
those alike in stratum, and its statistic |U|/√V, corrected for skewed outcomes, less a charge for being small. The
largest of each column, squared, is compared with what it is when outcomes are dealt out again, the same deal for all
columns: each column less its own quantile, singles and pairs less theirs, and at last the largest of both. So a column
of two levels and one of a thousand values, a single column and one of a thousand pairs have the same chance of a false
alarm, and together the one that was asked for, however the columns go together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups._kernels import deal_pairs, deal_sums, region_maxima
from fairgroups.evidence.band_width import ROUNDING
from fairgroups.evidence.dealt_outcomes import Dealt
from fairgroups.evidence.every_region import EveryRegion
from fairgroups.evidence.region_scale import RegionScale
from fairgroups.evidence.regions import Region
from fairgroups.evidence.scanned_places import Places, ScannedAxis
from fairgroups.progress import on_two_threads

__all__ = ["Look", "Looked", "fitting", "look_at"]

Array = NDArray[np.float64]
BLOCK = 64
SINGLE_SIDE_BY_SIDE = 16
LEAST_SQUARE = 1.0  # few draws may allow less than that
SIMPLER = 2.0  # twice the logarithm of how much rarer a pair must be, to be named instead of a column
SHARE_OF_PAIRS = 0.65  # of the error, where there are pairs: they are many, and boxes hold few people
LEAST_OF_SHAPE = 500  # statistics that a quantile of pairs of one shape rests on


@dataclass(frozen=True)
class Looked:
    """What was seen of one column or pair.

    Attributes
    ----------
    columns : tuple of int
        Which.
    region : Region
        Where it differs most; of places that are shown and not most people, first those on the harmful side.
    excess : float
        By how much the square of the statistic exceeds what chance allows over everything, twice the logarithm of how
        much rarer it is; above 0 the region is shown to differ.
    root : float
        How many standard errors chance allows, without what a region is charged.
    p_value : float
        How often chance alone makes something in the scan as striking.
    """

    columns: tuple[int, ...]
    region: Region
    excess: float
    root: float
    p_value: float

    @property
    def striking(self) -> float:
        """How striking it is beside others: a pair must be clearly rarer by chance than a column shown alone."""
        return self.excess + (SIMPLER if len(self.columns) == 1 and self.excess > 0 else 0.0)


@dataclass(frozen=True)
class Look:
    """A look at all columns, and at the pairs that were looked at."""

    singles: tuple[Looked, ...]
    pairs: tuple[Looked, ...]

    @property
    def first(self) -> Looked | None:
        """The most striking of all."""
        every = [*self.singles, *self.pairs]
        return max(every, key=lambda one: one.striking) if every else None


def look_at(
    dealt: Dealt,
    fine: Sequence[ScannedAxis],
    coarse: Sequence[ScannedAxis],
    *,
    most_pairs: int | None,
    level: float,
    side: int = 0,
    least: int = 10,
    n_draws: int = 768,
    progress: Callable[[float], object] = lambda _: None,
) -> Look:
    """Look at every region of every column, and of pairs.

    Parameters
    ----------
    dealt : Dealt
        The people.
    fine, coarse : sequences of ScannedAxis
        The columns, as they are looked at alone and in pairs.
    most_pairs : int or None
        Pairs of so many columns, of those that are the most striking alone: chosen anew in every draw, as chance would
        choose them. None: every pair. 0: none.
    level : float
        How often nothing at all may be shown where nobody is treated differently.
    side : {−1, 0, 1}
        The harmful side, if it is known: regions on it are named first.
    least : int
        The fewest people of a region.
    n_draws : int
        A multiple of 64.
    progress : callable
        Told how much is done, from 0 to 1.

    Returns
    -------
    Look
    """
    some, fewest = dealt.some(), least
    singles = _Singles(some, fine, least, n_draws)
    drawn = singles.drawn(lambda done: progress(0.3 * done))
    own, by_chance = _usual(drawn, lambda some: _usual_of_columns(drawn[some], level, n_draws))
    least = max(least, round(least * dealt.n / max(some.n, 1)))  # as many cells of people as in the deals
    seen = singles.places if some is dealt else [Places.of(dealt, [axis], least) for axis in fine]
    largest = by_chance.max(axis=1)
    centre = _quantile(largest, level)
    wanted = _Wanted.of(by_chance, _squared(np.array([one.best()[0] for one in seen])) - own, most_pairs)
    if wanted is None:
        spare = _quantile(largest - centre, level) + ROUNDING
        told = _Judge(largest - centre, spare, side, level)
        return Look(tuple(told(one, (i,), own[i] + centre) for i, one in enumerate(seen)), ())
    pairs = _Pairs(some, coarse, wanted, fewest)
    drawn_pairs = pairs.drawn(n_draws, lambda done: progress(0.3 + 0.6 * done))
    level_of, pairs_by_chance = _usual(
        drawn_pairs,
        lambda some: _usual_of_shapes(pairs.shapes, wanted.chosen[some], drawn_pairs[some], level, n_draws),
        wanted.chosen,
    )
    largest_pair = pairs_by_chance.max(axis=1)
    centre += 2 * math.log(0.5 / (1 - SHARE_OF_PAIRS))  # so many times as rare
    centre_of_pairs = _quantile(largest_pair, level) + 2 * math.log(0.5 / SHARE_OF_PAIRS)
    both = np.maximum(largest - centre, largest_pair - centre_of_pairs)
    told = _Judge(both, _quantile(both, level) + ROUNDING, side, level)
    found = []
    for pair in wanted.seen:
        columns = wanted.pairs[pair]
        one = pairs.places[pair] if some is dealt else Places.of(dealt, [coarse[i] for i in columns], least)
        found.append(told(one, columns, level_of[pair] + centre_of_pairs))
    progress(1.0)
    return Look(tuple(told(one, (i,), own[i] + centre) for i, one in enumerate(seen)), tuple(found))


class _Judge:
    """Turns what was seen into what may be said."""

    def __init__(self, by_chance: Array, spare: float, side: int, level: float) -> None:
        self.by_chance, self.spare, self.side, self.level = np.sort(by_chance), spare, side, level

    def __call__(self, seen: Places, columns: tuple[int, ...], allowed: float) -> Looked:
        most = max(allowed + self.spare, LEAST_SQUARE)
        root = math.sqrt(most)
        square = float(_squared(np.array(seen.best()[0])))
        region = seen.told(self.side, root)
        beyond = self.by_chance.size - np.searchsorted(self.by_chance, square - allowed - 1e-6)
        p_value = (1 + int(beyond)) / (1 + self.by_chance.size)
        return Looked(columns, region, square - most, root, fitting(p_value, self.level, shown=square > most))


def fitting(p_value: float, level: float, *, shown: bool) -> float:
    """Return a p-value that does not contradict what is shown, which keeps a standard error of the draws in hand."""
    return min(p_value, 1 - level) if shown else max(p_value, 1.02 * (1 - level))


def _squared(statistics: NDArray[Any]) -> Array:
    """Return squares with the sign kept: chance makes a statistic of t about as often as exp(−t²/2)."""
    x = statistics.astype(np.float64)
    found: Array = x * np.abs(x)
    return found


class _Singles:
    """The largest statistic of each column, draw by draw."""

    def __init__(self, dealt: Dealt, axes: Sequence[ScannedAxis], least: int, n_draws: int) -> None:
        self.dealt, self.n_draws = dealt, n_draws
        self.sizes = [axis.size + 1 for axis in axes]
        self.codes = np.stack([dealt.cells(axis.codes) for axis in axes])
        self.places = [Places.of(dealt, [axis], least) for axis in axes]

    def drawn(self, progress: Callable[[float], object]) -> Array:
        ends = np.concatenate([[0], np.cumsum(self.sizes)])

        def block(k: int) -> NDArray[np.float32]:
            sums = np.empty((BLOCK, int(ends[-1])), dtype=np.float32)
            starts, yes, values, weights, clusters = self.dealt.kernel()
            deal_sums(starts, yes, values, weights, clusters, self.codes, self.sizes, sums, k)
            found = np.full((len(self.sizes), BLOCK), -1e9, dtype=np.float32)
            for c, (every, scale) in enumerate((one.every, one.drawn) for one in self.places):
                own = sums[:, ends[c] : ends[c + 1] - 1].reshape(-1, SINGLE_SIDE_BY_SIDE, every.n_cells)
                own = np.ascontiguousarray(own.transpose(0, 2, 1))
                region_maxima(own, list(every.axes), scale.above, scale.below, scale.charge, found[c])
            return found.T

        return _squared(np.concatenate(on_two_threads(block, range(self.n_draws // BLOCK), progress)))


@dataclass(frozen=True)
class _Wanted:
    """Which pairs are looked at: in each draw, and in the data."""

    pairs: list[tuple[int, int]]
    chosen: NDArray[np.int32]
    seen: list[int]

    @classmethod
    def of(cls, by_chance: Array, seen: Array, most: int | None) -> _Wanted | None:
        n_columns = by_chance.shape[1]
        if n_columns < 2 or most == 0:
            return None
        pairs = list(combinations(range(n_columns), 2))
        if most is None or most >= n_columns:
            every = np.arange(len(pairs), dtype=np.int32)
            return cls(pairs, np.broadcast_to(every, (by_chance.shape[0], every.size)), every.tolist())
        number = np.zeros((n_columns, n_columns), dtype=np.int32)
        for k, (i, j) in enumerate(pairs):
            number[i, j] = number[j, i] = k
        best = np.argsort(-by_chance, axis=1, kind="stable")[:, :most]
        one, other = np.array(list(combinations(range(most), 2))).T
        chosen = number[best[:, one], best[:, other]]
        striking = np.argsort(-seen, kind="stable")[:most]
        return cls(pairs, chosen, sorted(number[striking[one], striking[other]].tolist()))


class _Pairs:
    """The largest statistic of each pair that is looked at, draw by draw."""

    def __init__(self, dealt: Dealt, axes: Sequence[ScannedAxis], wanted: _Wanted, least: int) -> None:
        self.dealt, self.wanted = dealt, wanted
        self.axes = [axis.axis for axis in axes]
        self.codes = np.stack([dealt.cells(axis.codes) for axis in axes])
        self.pairs = np.array(wanted.pairs, dtype=np.int32)
        self.shapes = [(self.axes[i], self.axes[j]) for i, j in wanted.pairs]
        needed, told = set(np.unique(wanted.chosen).tolist()) | set(wanted.seen), set(wanted.seen)
        self.places: dict[int, Places] = {}  # of the pairs that are looked at in the data

        def scale(k: int) -> RegionScale | None:
            if k not in needed:
                return None
            places = Places.of(dealt, [axes[i] for i in wanted.pairs[k]], least)
            if k in told:
                self.places[k] = places
            return places.drawn

        scales = on_two_threads(scale, range(len(wanted.pairs)))
        sizes = [0 if one is None else one.charge.size for one in scales]
        self.first = np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64)
        known = [one for one in scales if one is not None]
        self.scale = tuple(np.concatenate([getattr(one, x) for one in known]) for x in ("above", "below", "charge"))
        kept = np.flatnonzero(np.array(sizes) > 0)  # the kernel asks for a number for every box of every pair
        self.place = np.full(len(sizes), -1, dtype=np.int32)
        self.place[kept] = np.arange(kept.size)
        self.pairs, self.first = np.ascontiguousarray(self.pairs[kept]), np.ascontiguousarray(self.first[kept])

    def drawn(self, n_draws: int, progress: Callable[[float], object]) -> Array:
        def block(k: int) -> NDArray[np.float32]:
            chosen = np.ascontiguousarray(self.place[self.wanted.chosen[k * BLOCK : (k + 1) * BLOCK]])
            found = np.empty(chosen.shape, dtype=np.float32)
            starts, yes, values, weights, clusters = self.dealt.kernel()
            people = starts, yes, values, weights, clusters
            above, below, charge = self.scale
            deal_pairs(*people, self.codes, self.axes, self.pairs, self.first, above, below, charge, chosen, found, k)
            return found

        return _squared(np.concatenate(on_two_threads(block, range(n_draws // BLOCK), progress)))


def _usual(
    drawn: Array, usual: Callable[[slice], Array], chosen: NDArray[np.int32] | None = None
) -> tuple[Array, Array]:
    """Return what is usual by all draws, and how far each draw is beyond it: beyond what the other half says it is.

    A draw helps to decide what is usual, and would seem less unusual by that than the data can.
    """
    by_chance, half = np.empty_like(drawn), drawn.shape[0] // 2
    for these, others in ((slice(half), slice(half, None)), (slice(half, None), slice(half))):
        found = usual(others)
        by_chance[these] = drawn[these] - (found if chosen is None else found[chosen[these]])
    return usual(slice(None)), by_chance


def _usual_of_columns(drawn: Array, level: float, n_draws: int) -> Array:
    found: Array = np.quantile(drawn, _often(level, n_draws), axis=0)
    return found


def _usual_of_shapes(
    shapes: Sequence[Any], chosen: NDArray[np.int32], drawn: Array, level: float, n_draws: int
) -> Array:
    """Return for each pair the quantile of pairs of its shape: of those with as many cells, or nearly so."""
    size = np.array([EveryRegion(shape).n for shape in shapes])
    kinds, kind = np.unique(size, return_inverse=True)
    values = [drawn[np.ravel(kind)[chosen] == k] for k in range(kinds.size)]
    groups: list[list[int]] = [[]]
    for k in range(kinds.size):  # kinds of which few were drawn go with the next larger ones
        groups[-1].append(k)
        if sum(values[i].size for i in groups[-1]) >= LEAST_OF_SHAPE:
            groups.append([])
    rest = groups.pop()
    groups = [*groups[:-1], groups[-1] + rest] if groups else [rest]
    of_kind = np.zeros(kinds.size)
    for group in groups:
        of_kind[group] = np.quantile(np.concatenate([values[k] for k in group]), _often(level, n_draws))
    found: Array = of_kind[np.ravel(kind)]
    return found


def _often(level: float, n_draws: int) -> float:
    """Return the level at which half of the draws say what is usual."""
    return min(level, 1 - 40 / n_draws)


def _quantile(squares: Array, level: float) -> float:
    """Return the quantile of drawn squares, one standard error to the safe side; beyond the draws, by their tail."""
    n_draws = squares.size
    drawn = min(level, 1 - 20 / n_draws)
    safe = min(1.0, drawn + math.sqrt(drawn * (1 - drawn) / n_draws))
    return float(np.quantile(squares, safe, method="higher")) + 2 * math.log((1 - drawn) / (1 - level))
