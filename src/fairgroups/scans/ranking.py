"""The ranking of a scan: the first look, what each attribute leaves of the others, and the short list."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.evidence.dealt_outcomes import Dealt
from fairgroups.evidence.limit_verdict import LimitVerdict, worst_limit
from fairgroups.evidence.many_attributes import Look, Looked, fitting
from fairgroups.evidence.regions import Region
from fairgroups.progress import on_two_threads
from fairgroups.scans.options import ScanOptions
from fairgroups.scans.records import CurvePart, ScanLimit, ScannedAttribute, Step
from fairgroups.scans.scanned_cells import MOST_COLUMNS, Scene

__all__ = ["Ranking"]

Array = NDArray[np.float64]
Listed = tuple[Scene, Looked, Dealt, tuple[int, ...]]  # whom was looked at, what was seen, alike in which columns
MOST_STEPS = 4
MOST_COMPARED = 10  # attributes that are held against each other
MOST_PAIRS = 10  # that are told
CURVE = 20  # stretches of a number's curve, about
WIDE = 0.1  # a limit is kept where every range of such a share of the people keeps it


@dataclass(frozen=True)
class Ranking:
    """The first look, what each attribute leaves of the others, the shortest list, and what this leaves of them."""

    scene: Scene
    dealt: Dealt
    look: Look
    nothing_left: dict[tuple[int, int], bool]  # whether the first is no longer shown at equal values of the second
    listed: tuple[Listed, ...]
    remains: dict[tuple[int, ...], bool]  # whether it is still shown among people alike in the whole list

    @classmethod
    def of(cls, scene: Scene, options: ScanOptions, progress: Callable[[float], object]) -> Ranking:
        """Look at all columns, then at what is left beside some."""
        dealt = scene.dealt()
        look = scene.look(dealt, pairs=options.which_pairs, progress=lambda done: progress(0.5 * done))
        few = scene.some()
        strongest = sorted((one for one in look.singles if one.excess > 0), key=lambda one: -one.excess)
        some = [one.columns[0] for one in strongest[:MOST_COMPARED]]
        left: dict[tuple[int, int], bool] = {}
        for k, i in enumerate(some):
            others = [j for j in some if _is_told_by(scene, j, i)]
            if others:
                found = few.look(few.dealt([i]), some=others)
                left |= {(one.columns[0], i): one.excess <= 0 for one in found.singles}
            progress(0.5 + 0.2 * (k + 1) / len(some))
        listed, remains = _listed(scene, dealt, look, left, options, lambda done: progress(0.7 + 0.3 * done))
        return cls(scene, dealt, look, left, listed, remains)

    def attributes(self, options: ScanOptions) -> tuple[ScannedAttribute, ...]:
        """Return every attribute, the most striking first."""
        order = sorted(self.look.singles, key=lambda one: -one.excess)
        return tuple(on_two_threads(lambda one: self._attribute(one, options), order))

    def pairs(self, options: ScanOptions) -> tuple[ScannedAttribute, ...]:
        """Return the pairs that say more than each of their attributes alone."""
        alone = {one.columns[0]: one.excess for one in self.look.singles}
        said = [one for one in self.look.pairs if one.excess > max(0.0, *(alone[i] for i in one.columns))]
        said = [one for one in said if len({self.scene.columns[i].name for i in one.columns}) == 2]
        return tuple(self._attribute(one, options) for one in sorted(said, key=lambda one: -one.excess)[:MOST_PAIRS])

    @property
    def n_pairs(self) -> int:
        """How many pairs of two columns were looked at, a column and whether it is known being one."""
        pairs = ({self.scene.columns[i].name for i in one.columns} for one in self.look.pairs)
        return len({tuple(sorted(names)) for names in pairs if len(names) == 2})

    @property
    def p_value(self) -> float:
        """How often chance makes something as striking as the most striking of all columns and pairs."""
        return min((one.p_value for one in (*self.look.singles, *self.look.pairs)), default=1.0)

    def _attribute(self, one: Looked, options: ScanOptions) -> ScannedAttribute:
        scene, columns = self.scene, [self.scene.columns[i] for i in one.columns]
        worst = scene.difference(self.dealt, one.columns, one.region, one.root)
        shown = bool(one.excess > 0) and worst.shown
        alone = len(columns) == 1
        beyond, alike = self._explained(one.columns[0], options) if alone and shown else ((), ())
        steps = [k for k, (_, step, _, _) in enumerate(self.listed, 1) if set(one.columns) <= set(step.columns)]
        return ScannedAttribute(
            names=tuple(column.name for column in columns),
            said=" × ".join(self._called(i, options) for i in one.columns),
            kind=columns[0].check.kind,
            worst=worst,
            more=scene.more(self.dealt, one) if shown else (),
            shown=shown,
            p_value=fitting(one.p_value, options.level, shown=shown),
            missing=any(column.tells_missing for column in columns),
            protected=tuple(dict.fromkeys(c.check.protected for c in columns if c.check.protected is not None)),
            beyond=beyond,
            alike=alike,
            step=min(steps, default=0),
            remains=self.remains.get(one.columns) if shown and not steps and not self._is_apart(one) else None,
            detectable=scene.detectable(self.dealt, one.root),
            curve=_curve(scene, one.columns[0], one.region[0], options.min_cell) if alone else (),
        )

    def _explained(self, i: int, options: ScanOptions) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return attributes that leave nothing of this one, and those that cannot be told from it."""
        beyond: list[str] = []
        alike: list[str] = []
        held = {i for _, one, _, _ in self.listed for i in one.columns} if self.remains.get((i,)) else set()
        for (one, other), nothing in self.nothing_left.items():
            name, own = (self.scene.columns[k].name for k in (other, i))
            if name == own and self.scene.columns[i].tells_missing:  # nobody of whom it is told has a value there
                continue
            if one == i and nothing and other not in held:  # it is shown among people alike in it and in more
                mutual = self.nothing_left.get((other, i), False)
                called = options.called(name)
                (alike if mutual else beyond).append(f"whether {called} is known" if name == own else called)
        return tuple(dict.fromkeys(beyond)), tuple(dict.fromkeys(alike))

    def _is_apart(self, one: Looked) -> bool:
        """Whether it is about who is not known in a column on the list, whose place there is of those who are."""
        listed = {self.scene.columns[i].name for _, step, _, _ in self.listed for i in step.columns}
        return any(self.scene.columns[i].tells_missing and self.scene.columns[i].name in listed for i in one.columns)

    def steps(self, options: ScanOptions) -> tuple[Step, ...]:
        """Return the shortest list."""
        out = []
        for scene, one, dealt, before in self.listed:
            columns = [self.scene.columns[i] for i in one.columns]
            worst = scene.difference(dealt, one.columns, one.region, one.root)
            factors = [options.called(name) for name in options.names("given")] if before else []
            held = tuple(dict.fromkeys([*factors, *(self._called(i, options) for i in before)]))
            names = tuple(column.name for column in columns)
            said = " × ".join(self._called(i, options) for i in one.columns)
            out.append(Step(names, said, held, worst, one.p_value))
        return tuple(out)

    def _called(self, i: int, options: ScanOptions) -> str:
        column = self.scene.columns[i]
        return column.called(options.called(column.name))

    def limits(self, options: ScanOptions) -> tuple[ScanLimit, ...]:
        """Whether each limit that was set is kept by every range and box that was looked at, and who exceeds it."""
        names: tuple[Literal["max_gap", "max_harm"], ...] = ("max_gap", "max_harm")
        asked = [(name, getattr(options, name)) for name in names if getattr(options, name) is not None]
        found: dict[str, list[LimitVerdict | None]] = {name: [] for name, _ in asked}
        surest: dict[str, tuple[float, Looked, Region]] = {}
        for one in (*self.look.singles, *self.look.pairs) if asked else ():
            places = self.scene.places(self.dealt, one.columns)
            low, high, wide = places.bounds(one.root, WIDE)
            for name, limit in asked:
                least, most = _ends(name, self.scene.direction, low, high)
                found[name].append(_kept(limit, least, most, wide))
                at = int(np.argmax(np.nan_to_num(least, nan=-np.inf)))
                if least[at] > max(limit, surest[name][0] if name in surest else limit):
                    surest[name] = float(least[at]), one, places.every.region(at)
        judged = {
            name: self.scene.difference(self.dealt, one.columns, region, one.root)
            for name, (_, one, region) in surest.items()
        }
        return tuple(
            ScanLimit(name, float(limit), worst_limit(found[name]) or "not enough evidence", judged.get(name))
            for name, limit in asked
        )


def _is_told_by(scene: Scene, i: int, other: int) -> bool:
    """Whether one column may say what another shows; of a number, whether it is known may, and not the reverse."""
    one, beside = scene.columns[i], scene.columns[other]
    return one.name != beside.name or (beside.tells_missing and not one.tells_missing)


def _ends(name: str, direction: str, low: Array, high: Array) -> tuple[Array, Array]:
    """Return between which ends what is limited lies: a difference, or the harm of one."""
    if name == "max_harm":
        return (low, high) if direction == "worse" else (-high, -low)
    return np.maximum(low, -high), np.maximum(high, -low)


def _kept(limit: float, least: Array, most: Array, wide: NDArray[np.bool_]) -> LimitVerdict | None:
    if np.nanmax(np.nan_to_num(least, nan=-np.inf), initial=-np.inf) > limit:
        return "exceeded"
    if not wide.any():
        return None
    return "kept" if np.nanmax(np.where(wide, most, -np.inf), initial=-np.inf) <= limit else "not enough evidence"


def _listed(
    scene: Scene,
    dealt: Dealt,
    look: Look,
    left: Mapping[tuple[int, int], bool],
    options: ScanOptions,
    progress: Callable[[float], object],
) -> tuple[tuple[Listed, ...], dict[tuple[int, ...], bool]]:
    """Return the shortest list: the most striking, then what is still shown among people alike in it, and so on.

    And of the other columns whether they are still shown among people alike in all of it, where that can be told. Where
    too few are alike in all of it, nothing is told but of what is not shown at equal values of those before the last.
    A pair begins the list only where neither of its columns says all that it does.
    """
    out: list[Listed] = []
    held: tuple[int, ...] = ()
    later = "auto" if options.which_pairs != "none" and len(scene.columns) <= MOST_COLUMNS else "none"
    for k in range(MOST_STEPS):
        best = _first(scene, dealt, look, held)
        if best is None:
            break
        if not out:
            best = _simplest(scene, dealt, look, best, left)
        out.append((scene, best, dealt, held))
        scene = scene.some()
        held = tuple(dict.fromkeys([*held, *best.columns]))
        progress((k + 1) / MOST_STEPS)
        if len(held) == len(scene.columns) or scene.strata(held).n > scene.rows.size / 4:
            return tuple(out), {one.columns: False for one in (*look.singles, *look.pairs) if one.excess <= 0}
        dealt = scene.dealt(held)
        look = scene.look(dealt, pairs=later if k + 1 < MOST_STEPS else "none")
    return tuple(out), {one.columns: _is_shown(scene, dealt, one) for one in (*look.singles, *look.pairs)}


def _first(scene: Scene, dealt: Dealt, look: Look, held: tuple[int, ...]) -> Looked | None:
    """Return the most striking of what is shown and not held equal already."""
    new = (one for one in (*look.singles, *look.pairs) if not set(one.columns) <= set(held))
    order = sorted(new, key=lambda one: one.striking, reverse=True)
    return next((one for one in order if _is_shown(scene, dealt, one)), None)


def _is_shown(scene: Scene, dealt: Dealt, one: Looked) -> bool:
    """Whether it is beyond what chance makes, and its interval, which knows its own scatter, does not hold 0."""
    return bool(one.excess > 0) and scene.difference(dealt, one.columns, one.region, one.root).shown


def _simplest(scene: Scene, dealt: Dealt, look: Look, best: Looked, left: Mapping[tuple[int, int], bool]) -> Looked:
    """Return one column of a pair instead of both, where nothing is shown among people alike in that one."""
    if len(best.columns) == 1:
        return best
    for one, other in (best.columns, best.columns[::-1]):
        if left.get((one, other)) and not left.get((other, one), True):  # the other is shown alone, and says it all
            alone = next(single for single in look.singles if single.columns == (other,))
            if not _is_shown(scene, dealt, alone):
                continue
            few = scene.some()
            found = few.look(few.dealt([other]), pairs="all", some=sorted((one, other)))
            if all(pair.excess <= 0 for pair in found.pairs):
                return alone
    return best


def _curve(scene: Scene, i: int, place: tuple[int, int], least: int) -> tuple[CurvePart, ...]:
    """Return the rate along a column, in stretches of enough people that end where its most different place does."""
    column = scene.columns[i]
    a, b, offset = scene.sums
    axis, edges = scene.axes[i], scene.fine[i]
    inside = (axis.codes < axis.size) & (b > 0)
    codes = axis.codes[inside].astype(np.intp)
    n, sum_a, sum_b = (np.bincount(codes, x, axis.size) for x in (np.ones(codes.size), a[inside], b[inside]))
    out = []
    if column.levels is not None:
        for k, level in enumerate(column.levels):
            if n[k] >= least:
                out.append(CurvePart(float(k), float(k), level, int(n[k]), float(sum_a[k] / sum_b[k]) + offset))
        return tuple(out)
    assert edges is not None
    for start, stop in _stretches(n, place, least):
        side = column.side((start, stop), edges)
        low, high = float(edges[start]), float(edges[stop]) if stop < edges.size else math.nan
        rate = float(sum_a[start:stop].sum() / sum_b[start:stop].sum()) + offset
        out.append(CurvePart(low if start else math.nan, high, column.said(side), int(n[start:stop].sum()), rate))
    return tuple(out)


def _stretches(n: NDArray[np.intp], place: tuple[int, int], least: int) -> list[tuple[int, int]]:
    """Return stretches of cells with enough of the `n` people of each cell, none of them across an end of a place.

    An end is passed over where fewer than `least` lie beyond it.
    """
    ends = [end for end in place if min(n[:end].sum(), n[end:].sum()) >= least]
    enough = least if n.size <= CURVE else max(least, 0.9 * n.sum() / CURVE)
    out = []
    for first, last in pairwise(sorted({0, *ends, n.size})):
        start = first
        while start < last:  # joined with the next until enough
            stop = start + 1
            while stop < last and (n[start:stop].sum() < enough or n[stop:last].sum() < max(least, enough / 2)):
                stop += 1
            if n[start:stop].sum() >= least:
                out.append((start, stop))
            start = stop
    return out
