"""The scene of a scan: the cells of every column, looked at together, and what is left beside some of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.evidence.dealt_outcomes import Dealt
from fairgroups.evidence.every_region import EveryRegion
from fairgroups.evidence.likelihood import POWER
from fairgroups.evidence.many_attributes import Look, Looked, look_at
from fairgroups.evidence.regions import Region
from fairgroups.evidence.scanned_places import Places, ScannedAxis, place_of
from fairgroups.evidence.verdict import verdicts
from fairgroups.measures import Direction, Measure
from fairgroups.partition.sides import Levels, Side
from fairgroups.progress import on_two_threads
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows
from fairgroups.rows.strata import Strata, strata_of
from fairgroups.rows.weights import weighted_sums
from fairgroups.scans.columns import ScannedColumn
from fairgroups.scans.records import Difference

__all__ = ["Scene", "bits_of"]

Array = NDArray[np.float64]
FINE, COARSE = 64, 16  # cells of a number alone, and in pairs
MOST_COLUMNS, STRONGEST = 12, 10  # of up to so many columns all pairs are looked at; of more, those of the strongest
MOST_BOXES = 16_000_000  # of all pairs together
MOST_STRATA = 600  # beyond, auto does without pairs, each of which would cost a matrix of its own
MOST_COMPARED_ROWS = 200_000  # of more people, so many hold columns against each other
DRAWS = 512
MOST_MORE = 2  # further places of one attribute
SIDES: dict[Direction, int] = {"better": -1, "worse": 1, "neutral": 0}


@dataclass(frozen=True)
class Scene:
    """All that a look needs: the people, the columns, and who is alike.

    Attributes
    ----------
    rows : Rows
        The people.
    measure : Measure
        Which rate.
    columns : tuple of ScannedColumn
        The columns.
    factors : tuple of Column
        What is held equal.
    direction : {"better", "worse", "neutral"}
        What a higher rate means for a person.
    level : float
        Confidence level.
    least : int
        Fewest people of a region.
    called : mapping
        What columns are called, where that is not their name.
    edges : sequence of array, optional
        Where the cells of each column begin, if that is known.
    place : array of int, optional
        A number from the values of each row, if that is known.
    named : sequence of int, optional
        Where the columns stand in the table, in whose order those of a pair are named.
    """

    rows: Rows
    measure: Measure
    columns: tuple[ScannedColumn, ...]
    factors: tuple[Column, ...]
    direction: Direction
    level: float
    least: int
    called: Mapping[str, str] = field(default_factory=dict)
    edges: Sequence[Array | None] | None = None
    place: NDArray[np.uint64] | None = None
    named: Sequence[int] | None = None

    @cached_property
    def fine(self) -> Sequence[Array | None]:
        """Where the cells of each column begin when it is looked at alone."""
        if self.edges is not None:
            return self.edges
        return on_two_threads(
            lambda column: None if column.levels is not None else column.edges(FINE, self.least), self.columns
        )

    @cached_property
    def coarse(self) -> list[Array | None]:
        """Where they begin when it is one of a pair."""
        cells = COARSE
        n = len(self.columns)
        while cells > 4 and n * (n - 1) / 2 * (cells * (cells + 1) / 2) ** 2 > MOST_BOXES:
            cells -= 1
        return [None if column.levels is not None else column.edges(cells, self.least) for column in self.columns]

    @cached_property
    def axes(self) -> list[ScannedAxis]:
        """The columns as they are looked at alone."""
        return on_two_threads(lambda one: one[0].axis(one[1]), zip(self.columns, self.fine, strict=True))

    @cached_property
    def pair_axes(self) -> list[ScannedAxis]:
        """The columns as they are looked at in pairs."""
        return [column.axis(edges) for column, edges in zip(self.columns, self.coarse, strict=True)]

    def in_order(self) -> Scene:
        """Return people and columns in an order that their values decide, so that sums are the same to the last one."""
        rows, many = self.rows, self.rows.size > MOST_COMPARED_ROWS  # where ties between cells do not decide
        place, first = place_of(self.axes, self.axes if many else self.pair_axes, rows.outcome)
        known = [rows.outcome, *(x for x in (rows.weight, rows.truth) if x is not None)]
        together = [] if rows.cluster is None else [_alike_clusters(rows.cluster, [place, *known])]
        if many:  # of whom some will stand for all
            together.append(bits_of([column.values for column in self.columns]))
        order = np.lexsort((*together[::-1], *known[::-1], place))
        columns = tuple(replace(self.columns[i], values=self.columns[i].values[order]) for i in first)
        edges = [self.fine[i] for i in first]
        factors = tuple(replace(column, values=column.values[order]) for column in self.factors)
        people = replace(self, rows=rows.take(order), columns=columns, factors=factors)
        return replace(people, edges=edges, place=place[order], named=first)

    def some(self) -> Scene:
        """Return people enough to hold columns against each other: all, or every few of very many."""
        step = -(-self.rows.size // MOST_COMPARED_ROWS)
        if step <= 1:
            return self
        held = np.arange(0, self.rows.size, step)
        columns = tuple(replace(column, values=column.values[held]) for column in self.columns)
        factors = tuple(replace(column, values=column.values[held]) for column in self.factors)
        place = None if self.place is None else self.place[held]
        return replace(self, rows=self.rows.take(held), columns=columns, factors=factors, edges=None, place=place)

    def without_a_place(self) -> set[str]:
        """Return the columns of which no range or level holds enough people and leaves enough."""
        _, b, _ = self.sums
        out = set()
        for axis, column in zip(self.axes, self.columns, strict=True):
            people = np.bincount(axis.codes[b > 0], minlength=axis.size + 1)[: axis.size]
            every = EveryRegion((axis.axis,))
            held = every.sums(people)
            if not np.any(np.minimum(held, np.count_nonzero(b > 0) - held) >= self.least):
                out.add(column.name)
        return out

    def only(self, some: Sequence[int]) -> Scene:
        """Return the same people with some of the columns."""
        if len(some) == len(self.columns):
            return self
        named = None if self.named is None else [self.named[i] for i in some]
        columns, edges = tuple(self.columns[i] for i in some), [self.fine[i] for i in some]
        return replace(self, columns=columns, edges=edges, named=named)

    def without_factors(self) -> Scene:
        """Return the same people with nothing held equal."""
        return replace(self, factors=())

    @cached_property
    def sums(self) -> tuple[Array, Array, float]:
        """What each row adds to A and B, and what was taken off A for each unit of B."""
        a, b = weighted_sums(self.rows, self.measure)
        return a, b, self.rows.offset_of(self.measure)

    @property
    def overall(self) -> float:
        """Everybody's rate."""
        a, b, offset = self.sums
        return float(a.sum() / b.sum()) + offset

    def strata(self, more: Sequence[int] = ()) -> Strata:
        """Put people together who are alike in the factors and in some columns."""
        columns = [*self.factors, *(self._factor(i) for i in more)]
        if not columns:
            return Strata(np.zeros(self.rows.size, dtype=np.intp), 1, ())
        return strata_of(columns, np.ones(self.rows.size))

    def _factor(self, i: int) -> Column:
        column = self.columns[i]
        return Column(f"{i}", column.values, column.levels)

    def dealt(self, more: Sequence[int] = ()) -> Dealt:
        """Return people whose outcomes are dealt among those alike in the factors and in some columns."""
        place = self.place
        if place is None:
            place, _ = place_of(self.axes, self.pair_axes, self.rows.outcome)
        return Dealt.of(self.rows, self.measure, self.strata(more).codes, place)

    def look(
        self,
        dealt: Dealt,
        *,
        pairs: str = "none",
        some: Sequence[int] | None = None,
        progress: Callable[[float], object] = lambda _: None,
    ) -> Look:
        """Look at all columns, or at some, alone and in pairs."""
        which = list(range(len(self.columns))) if some is None else list(some)
        few = len(which) <= MOST_COLUMNS
        most = {"none": 0, "all": None, "auto": None if few else STRONGEST}[pairs]
        if pairs == "auto" and dealt.n_strata > MOST_STRATA:
            most = 0
        found = look_at(
            dealt,
            [self.axes[i] for i in which],
            [self.pair_axes[i] for i in which] if most != 0 else [],
            most_pairs=most,
            level=self.level,
            side=SIDES[self.direction],
            least=self.least,
            n_draws=DRAWS,
            progress=progress,
        )

        named = self.named or range(len(self.columns))

        def renamed(one: Looked) -> Looked:
            pairs = zip((which[i] for i in one.columns), one.region, strict=True)
            columns, region = zip(*sorted(pairs, key=lambda pair: named[pair[0]]), strict=True)
            return replace(one, columns=columns, region=region)

        return Look(tuple(map(renamed, found.singles)), tuple(map(renamed, found.pairs)))

    def inside(self, columns: Sequence[int], region: Region) -> NDArray[np.bool_]:
        """Return which rows lie in a region."""
        axes = self.axes if len(columns) == 1 else self.pair_axes
        held = np.ones(self.rows.size, dtype=bool)
        for i, side in zip(columns, region, strict=True):
            held &= axes[i].held(side)
        return held

    def difference(self, dealt: Dealt, columns: Sequence[int], region: Region, root: float) -> Difference:
        """Judge the people of a region."""
        held = self.inside(columns, region)
        a, b, offset = self.sums
        used = held & (b > 0)
        rate = float(a[used].sum() / b[used].sum()) + offset if used.any() else math.nan
        axes = self.axes if len(columns) == 1 else self.pair_axes
        wider = [axes[i].held(side)[dealt.rows] for i, side in zip(columns, region, strict=True)]
        found = dealt.judge(held[dealt.rows], root, wider if len(columns) > 1 else ())
        if self.rows.outcome_is_binary and self.measure.binary:  # no two rates are further apart
            found = replace(found, low=max(found.low, -1.0), high=min(found.high, 1.0))
        edges = self.fine if len(columns) == 1 else self.coarse
        sides = tuple(self.columns[i].side(side, edges[i]) for i, side in zip(columns, region, strict=True))
        parts = [self.said(i, side) for i, side in zip(columns, sides, strict=True)]
        several = any(isinstance(side, Levels) and len(side.names) > 1 for side in sides)
        said = (", and " if several else " and ").join(parts)
        (verdict,) = verdicts(np.array([found.low]), np.array([found.high]), self.direction, 0.0)
        n, share = int(np.count_nonzero(used)), float(b[used].sum() / b.sum())
        ends = found.value, found.low, found.high
        return Difference(said, sides, n, share, rate, rate - self.overall, *ends, verdict, int(held.sum()))

    def said(self, i: int, side: Side) -> str:
        """Write a side of a column as it is said."""
        column = self.columns[i]
        return column.said(side, self.called.get(column.name, column.name)).strip()

    def places(self, dealt: Dealt, columns: Sequence[int]) -> Places:
        """Return every region of a column or pair."""
        axes = self.axes if len(columns) == 1 else self.pair_axes
        return Places.of(dealt, [axes[i] for i in columns], self.least)

    def more(self, dealt: Dealt, one: Looked) -> tuple[Difference, ...]:
        """Return further places of a column or pair that are shown to differ, apart from the first and each other."""
        found = self.places(dealt, one.columns).further(one.region, one.root, MOST_MORE)
        judged = [self.difference(dealt, one.columns, place, one.root) for place in found]
        return tuple(difference for difference in judged if difference.shown)

    def detectable(self, dealt: Dealt, root: float) -> float:
        """Return the difference of a tenth of the people that four of five such samples would show, about.

        Above or below everybody, whichever takes more, as far as rates can be.
        """
        return max(
            (far for side in (-1, 1) if (far := dealt.noticed(0.1, side * root, POWER)) <= self._room(dealt, side)),
            default=math.nan,
        )

    def _room(self, dealt: Dealt, side: int) -> float:
        """Return how far from everybody people can be on one side."""
        return math.inf if dealt.yes is None else (1 - self.overall if side > 0 else self.overall)


def bits_of(known: Sequence[NDArray[Any]]) -> NDArray[np.uint64]:
    """Return a number for each row from its values."""
    mixed = np.zeros(known[0].size, dtype=np.uint64)
    for values in known:
        bits = values if values.dtype == np.uint64 else (values.astype(np.float64) + 0.0).view(np.uint64)
        mixed = (mixed ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _alike_clusters(cluster: NDArray[Any], known: Sequence[NDArray[Any]]) -> NDArray[np.uint64]:
    """Return a number for each row from all that is known of its cluster, whatever that is called and in any order."""
    mixed = bits_of(known)
    codes = cluster.astype(np.intp)
    sums = np.zeros(int(codes.max()) + 1, dtype=np.uint64)
    np.add.at(sums, codes, mixed)
    return sums[codes]
