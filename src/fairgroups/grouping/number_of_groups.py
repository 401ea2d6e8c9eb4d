"""How many groups of one attribute: the fewest that are homogeneous under the band, or by BIC.

Boxes are counted in `grouping.boxes`, groups by people left out in `grouping.cross_validation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.evidence.band import Band
from fairgroups.measures import Measure
from fairgroups.options import CRITERIA, MOST_GROUPS, one_of
from fairgroups.search.path import GroupPath, Limits, Units, make_path

__all__ = [
    "CANDIDATES",
    "PathSource",
    "Selection",
    "SelectionStep",
    "by_band",
    "by_bic",
    "check_criterion",
    "choice_level",
]

Array = NDArray[np.float64]
MOST_UNITS = 16_384  # beyond, differences inside groups are looked for between so many marks
CANDIDATES = 400  # borders of homogeneous groups, where those of largest variance are not homogeneous
MOST_TRIES = 400


@dataclass(frozen=True)
class SelectionStep:
    """One number of groups: its variance of Φ, the `value` that the rule looks at, and the standard `error` of that."""

    n_groups: int
    variance: float
    value: float
    error: float = 0.0


@dataclass(frozen=True)
class Selection:
    """How many groups were chosen, and the whole curve that the choice was made on.

    Attributes
    ----------
    criterion : {"band", "cv", "bic"}
        The rule.
    n_groups : int
        The number chosen.
    settled : bool
        False where the rule wanted more groups than were allowed.
    curve : tuple of SelectionStep
        For each number of groups what the rule looks at. For the band it is by how much the most different range inside
        any group exceeds what chance allows, and the first number with a value of at most 0 is chosen, but at least two
        where some range is shown to differ. For
        cross-validation it is the error on rows left out, with the standard error of its difference to the best; for
        BIC the criterion itself. Both are smallest at the best.
    """

    criterion: Literal["band", "cv", "bic"]
    n_groups: int
    settled: bool
    curve: tuple[SelectionStep, ...]


def choice_level(level: float) -> float:
    """Return the level at which more than two groups are asked for: a fifth of the error that intervals may make.

    Whether there are two is decided with the whole error; one group too many is read as a finding.
    """
    return 1 - (1 - level) / 5


def check_criterion(criterion: Any, *, line: bool) -> str:
    """Check the rule, and give the default: the band."""
    one_of(criterion, "selection", CRITERIA)
    if criterion == "auto":
        return "band"
    if not line and criterion == "bic":
        raise InputError("`selection` 'bic' is for one sensitive column.", "use 'auto', 'band' or 'cv'.")
    return str(criterion)


class PathSource(Protocol):
    """Where the groups come from that a choice is made among."""

    def up_to(self, n_groups: int) -> GroupPath:
        """Return the best groups with 1, 2, … up to so many of them."""

    def shown(self, ends: list[int]) -> bool:
        """Whether some group, between these ends, is shown to differ from everybody."""


def by_band(
    source: PathSource,
    bands: Sequence[Band],
    units: Units,
    limits: Limits,
    *,
    differs: bool,
    most: int = MOST_GROUPS,
    free: bool = True,
) -> tuple[GroupPath, Selection]:
    """Take the fewest groups inside which no range is shown to differ from the rest of its group.

    Parameters
    ----------
    source : PathSource
        Gives the path of best groups, and says which groups are shown to differ.
    bands : list of Band
        Say which differences inside groups are beyond chance, one for each rate looked at.
    units : Units
        What may be cut between.
    limits : Limits
        The least that a group must hold: smaller ranges are not looked for.
    differs : bool
        Whether some range is shown to differ: then there are at least two groups.
    most : int
        The largest number of groups to try.
    free : bool
        Whether any groups of the right number may be taken; otherwise those of the path only.

    Returns
    -------
    GroupPath, Selection

    Notes
    -----
    The number is the one that groups as long as possible give, taken from the left. If the groups of largest variance
    are homogeneous for that number, they are it; otherwise the homogeneous groups of largest variance are, with
    borders at some 400 places. A difference that was found must not get lost between groups that cut it in two: if no
    group is shown to differ, more groups are tried, and at last the range that differs most is made one. With more
    than 16 384 units, differences inside several groups are looked for between as many marks.
    """
    homogeneous = _Homogeneous(bands, units, limits)
    n_cells = len(bands[0].cells)
    path = source.up_to(1)
    values = [homogeneous.excess([0, n_cells])]
    if not differs or most == 1:
        return path, _selection(path, values, settled=not differs)
    ends = homogeneous.longest(n_cells, most)
    wanted = most if ends is None else max(len(ends) - 1, 2)
    if ends is not None and len(ends) == 2:
        ends = None  # one group would do, at the level at which a second one is asked for
    path = source.up_to(wanted)
    chosen = len(path)
    values += [homogeneous.excess([0, *path.borders[k - 1], n_cells]) for k in range(2, chosen + 1)]
    if values[-1] > 0 and ends is not None and free and chosen == wanted:
        found = homogeneous.best(path, ends)
        if found is not None:
            borders, variance = found
            path = replace(
                path,
                borders=(*path.borders[:-1], borders),
                variance=np.append(path.variance[:-1], variance),
            )
            values[-1] = homogeneous.excess([0, *borders, n_cells])
    if free and not source.shown([0, *(int(x) for x in path.borders[-1]), n_cells]):
        path, values = _showing(source, homogeneous, path, values, most)
        if not source.shown([0, *(int(x) for x in path.borders[-1]), n_cells]):
            path, values = source.up_to(1), values[:1]  # the range is named; groups that show nothing are not
            return path, _selection(path, values, settled=False)
    return path, _selection(path, values, settled=values[-1] <= 0)


def _showing(
    source: PathSource,
    homogeneous: _Homogeneous,
    path: GroupPath,
    values: list[float],
    most: int,
) -> tuple[GroupPath, list[float]]:
    """Find a few more groups of which some is shown to differ; the range that differs most, if need be."""
    n_cells = len(path.cells)
    first = len(values)
    longer = source.up_to(min(first + 2, most))
    for k in range(first + 1, len(longer) + 1):
        ends = [0, *(int(x) for x in longer.borders[k - 1]), n_cells]
        if source.shown(ends):
            more = [homogeneous.excess([0, *longer.borders[i - 1], n_cells]) for i in range(first + 1, k + 1)]
            cut = replace(longer, borders=longer.borders[:k], variance=longer.variance[:k])
            return cut, values + more
    start, stop = homogeneous.most_different()
    inner = np.array([x for x in (start, stop) if 0 < x < n_cells], dtype=np.intp)
    ends = [0, *(int(x) for x in inner), n_cells]
    if inner.size + 1 > most or not homogeneous.allowed(ends) or not source.shown(ends):
        return path, values
    found = make_path(path.cells, homogeneous.bands[0].measure, [*longer.borders[: inner.size], inner])
    known = (values + [homogeneous.excess([0, *b, n_cells]) for b in found.borders[len(values) :]])[: inner.size]
    return found, [*known, homogeneous.excess(ends)]


def _selection(path: GroupPath, values: list[float], *, settled: bool) -> Selection:
    curve = (SelectionStep(k, float(path.variance[k - 1]), float(value)) for k, value in enumerate(values, 1))
    return Selection("band", len(values), settled, tuple(curve))


class _Homogeneous:
    """Which ranges of cells are homogeneous, remembered."""

    def __init__(self, bands: Sequence[Band], units: Units, limits: Limits) -> None:
        self.bands, self.units, self.limits = bands, units, limits
        coarse = units.at_most(MOST_UNITS)
        self.marks = None if coarse is units else coarse.starts
        self.known: dict[tuple[int, int], float] = {}
        self.decided: dict[tuple[int, int], bool] = {}

    def _most_different(self, start: int, stop: int, *, decide: bool) -> float:
        marks = None if (start, stop) == (0, len(self.bands[0].cells)) else self.marks
        rows, b = self.limits.rows, self.limits.b
        return max(
            band.largest_excess(((start, stop),), min_rows=rows, min_b=b, marks=marks, decide=decide)[0]
            for band in self.bands
        )

    def most_different(self) -> tuple[int, int]:
        """Return the range of cells that differs most from everybody."""
        rows, b = self.limits.rows, self.limits.b
        ((start, stop),) = max(band.largest_excess(min_rows=rows, min_b=b) for band in self.bands)[1]
        return start, stop

    def allowed(self, ends: list[int]) -> bool:
        """Whether groups between these ends hold as much as each must."""
        band = self.bands[0]
        rows, b = (np.add.reduceat(x, ends[:-1]) for x in (band.cells.rows, band.cells[band.measure].b))
        return bool(np.all(rows >= self.limits.rows) and np.all(b >= self.limits.b))

    def holds(self, start: int, stop: int) -> bool:
        """Whether a range of cells is homogeneous."""
        key = (int(start), int(stop))
        if key not in self.decided:
            self.decided[key] = self._most_different(*key, decide=True) <= 0
        return self.decided[key]

    def excess(self, ends: Sequence[int] | NDArray[np.intp]) -> float:
        """Return how far the most different range inside any of some neighbouring groups exceeds what chance allows."""
        spans = [(int(i), int(j)) for i, j in pairwise(ends)]
        for span in spans:
            if span not in self.known:
                self.known[span] = self._most_different(*span, decide=False)
        return max(self.known[span] for span in spans)

    def longest(self, n_cells: int, most: int) -> list[int] | None:
        """Cut from the left into groups as long as possible; None where that takes more than `most`."""
        places = np.append(self.units.starts if self.marks is None else self.marks, n_cells)
        ends, at = [0], 0
        while ends[-1] < n_cells:
            if len(ends) > most:
                return None
            step, good, bad = 1, at + 1, places.size  # `good` is homogeneous, `bad` is not, or past the end
            while good < places.size - 1:
                guess = min(at + 2 * step, places.size - 1)
                if not self.holds(ends[-1], int(places[guess])):
                    bad = guess
                    break
                step, good = 2 * step, guess
            while bad - good > 1:
                middle = (good + bad) // 2
                if middle < places.size and self.holds(ends[-1], int(places[middle])):
                    good = middle
                else:
                    bad = middle
            at = min(good, places.size - 1)
            ends.append(int(places[at]))
        return ends

    def best(self, path: GroupPath, ends: list[int]) -> tuple[NDArray[np.intp], float] | None:
        """Find the homogeneous groups of largest variance, as many as `ends` makes, with borders at some places."""
        moments = path.cells[self.bands[0].measure]
        n_groups = len(ends) - 1
        own = np.concatenate([ends, *(b for b in path.borders[-2:])]).astype(np.intp)
        places = np.unique(np.concatenate([self.units.at_most(CANDIDATES).starts, own, [0]]))
        a = np.concatenate([[0.0], np.cumsum(moments.a - moments.b * (moments.a.sum() / moments.b.sum()))])[places]
        b = np.concatenate([[0.0], np.cumsum(moments.b)])[places]
        rows = np.concatenate([[0.0], np.cumsum(path.cells.rows)])[places]
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = (a[None, :] - a[:, None]) ** 2 / (b[None, :] - b[:, None])
        allowed = (rows[None, :] - rows[:, None] >= self.limits.rows) & (b[None, :] - b[:, None] >= self.limits.b)
        gain[~allowed | (b[None, :] <= b[:, None])] = -np.inf
        for _ in range(MOST_TRIES):
            cut = _segments(gain, n_groups)
            if cut is None:
                return None
            spans = list(pairwise(cut))
            wrong = [(i, j) for i, j in spans if not self.holds(places[i], places[j])]
            if not wrong:
                total = sum(gain[i, j] for i, j in spans)
                return places[cut[1:-1]], float(total / moments.b.sum())
            for i, j in wrong:  # nor is any range that holds this one
                gain[: i + 1, j:] = -np.inf
        return None


def _segments(gain: Array, n_groups: int) -> list[int] | None:
    """Cut into groups of largest total gain."""
    value, back = gain[0], []
    for _ in range(n_groups - 1):
        total = value[:, None] + gain
        back.append(np.argmax(total, axis=0))
        value = total.max(axis=0)
    if value[-1] == -np.inf:
        return None
    cut = [gain.shape[0] - 1]
    for step in reversed(back):
        cut.append(int(step[cut[-1]]))
    return [0, *cut[::-1]]


def by_bic(path: GroupPath, measure: Measure) -> Selection:
    """Take the number of groups with the least BIC; each group counts as two parameters, its rate and its border."""
    moments = path.cells[measure]
    total, n = float(moments.b.sum()), moments.size
    rate = float(moments.a.sum()) / total
    plain = moments.bounded and np.allclose(moments.aa * total, moments.a * moments.bb.sum(), rtol=1e-6)
    spread = float(np.sum(moments.aa - 2 * rate * moments.ab + rate**2 * moments.bb) / moments.bb.sum())
    curve = []
    for k, variance in enumerate(path.variance, 1):
        if plain:
            starts = np.concatenate([[0], path.borders[k - 1]]).astype(np.intp)
            b = np.add.reduceat(moments.b[: len(path.cells)], starts)
            p = np.clip(np.add.reduceat(moments.a[: len(path.cells)], starts) / b, 1e-12, 1 - 1e-12)
            fit = -2 * n / total * float(np.sum(b * (p * np.log(p) + (1 - p) * np.log(1 - p))))
        else:
            fit = n * float(np.log(max(spread - variance, 1e-12 * spread + 1e-300)))
        curve.append(SelectionStep(k, float(variance), fit + 2 * k * float(np.log(n))))
    chosen = int(np.argmin([step.value for step in curve])) + 1
    return Selection("bic", chosen, chosen < len(curve) or len(curve) == 1, tuple(curve))
