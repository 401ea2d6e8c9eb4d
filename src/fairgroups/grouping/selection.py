"""How many groups: the fewest that are homogeneous under the band, by cross-validation, or by BIC."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.evidence.band import Band
from fairgroups.evidence.rates import codes_of, moments_by
from fairgroups.measures import Measure
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.rows.rows import Rows, weighted_sums
from fairgroups.rows.split import split_rows
from fairgroups.search.path import Limits, Path, Units, make_path

__all__ = [
    "MOST_GROUPS",
    "Criterion",
    "Selection",
    "by_band",
    "by_bic",
    "by_cross_validation",
    "check_criterion",
    "choice_level",
]

Array = NDArray[np.float64]
Criterion = Literal["auto", "band", "cv", "bic"]
MOST_GROUPS = 20  # more than anybody reads; the groups then still differ inside, and a note says so
SURE = 2.0  # standard errors by which more than one group must be better than one
MOST_UNITS = 16_384  # beyond, differences inside groups are looked for between so many marks
CANDIDATES = 400  # borders of homogeneous groups, where those of largest variance are not homogeneous
MOST_TRIES = 400


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
    curve : list of dict
        For each number of groups: ``n_groups``, ``variance``, and ``value``, what the rule looks at. For the band it
        is by how much the most different range inside any group exceeds what chance allows, and the first number
        with a value of at most 0 is chosen. For cross-validation it is the error on rows left out, with ``error``
        the standard error of its difference to the best; for BIC the criterion itself. Both are smallest at the best.
    """

    criterion: str
    n_groups: int
    settled: bool
    curve: list[dict[str, Any]]


def choice_level(level: float) -> float:
    """Give the level at which groups are chosen: a fifth of the error that the intervals may make.

    One group too many is read as a finding.
    """
    return 1 - (1 - level) / 5


def check_criterion(criterion: Any, *, line: bool) -> str:
    """Check the rule, and give the default: the band on the line, cross-validation in several dimensions."""
    if criterion not in ("auto", "band", "cv", "bic"):
        raise InputError(f"`selection` must be 'auto', 'band', 'cv' or 'bic'; got {criterion!r}.")
    if criterion == "auto":
        return "band" if line else "cv"
    if not line and criterion != "cv":
        raise InputError(
            f"`selection` {criterion!r} is for one sensitive column; several have no order.", "use 'auto' or 'cv'."
        )
    return str(criterion)


def by_band(
    search: Callable[[int], Path],
    bands: Sequence[Band],
    units: Units,
    limits: Limits,
    *,
    shown: Callable[[list[int]], bool] = lambda _: True,
    most: int = MOST_GROUPS,
    free: bool = True,
) -> tuple[Path, Selection]:
    """Take the fewest groups inside which no range is shown to differ from the rest of its group.

    Parameters
    ----------
    search : callable
        Gives the path of best groups up to a number.
    bands : list of Band
        Say which differences are beyond chance, one for each rate looked at.
    units : Units
        What may be cut between.
    limits : Limits
        The least that a group must hold: smaller ranges are not looked for.
    shown : callable
        Says whether some group, between these ends, is shown to differ from everybody.
    most : int
        The largest number of groups to try.
    free : bool
        Whether any groups of the right number may be taken; otherwise those of the path only.

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
    path = search(1)
    values = [homogeneous.excess([0, n_cells])]
    if values[0] <= 0 or most == 1:
        return path, _selection(path, values, settled=values[0] <= 0)
    ends = homogeneous.longest(n_cells, most)
    wanted = most if ends is None else len(ends) - 1
    path = search(wanted)
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
    if free and not shown([0, *(int(x) for x in path.borders[-1]), n_cells]):
        path, values = _showing(search, homogeneous, shown, path, values, most)
    return path, _selection(path, values, settled=values[-1] <= 0)


def _showing(
    search: Callable[[int], Path],
    homogeneous: _Homogeneous,
    shown: Callable[[list[int]], bool],
    path: Path,
    values: list[float],
    most: int,
) -> tuple[Path, list[float]]:
    """Find a few more groups of which some is shown to differ; the range that differs most, if need be."""
    n_cells = len(path.cells)
    first = len(values)
    longer = search(min(first + 2, most))
    for k in range(first + 1, len(longer) + 1):
        ends = [0, *(int(x) for x in longer.borders[k - 1]), n_cells]
        if shown(ends):
            more = [homogeneous.excess([0, *longer.borders[i - 1], n_cells]) for i in range(first + 1, k + 1)]
            cut = replace(longer, borders=longer.borders[:k], variance=longer.variance[:k])
            return cut, values + more
    start, stop = homogeneous.most_different()
    inner = np.array([x for x in (start, stop) if 0 < x < n_cells], dtype=np.intp)
    ends = [0, *(int(x) for x in inner), n_cells]
    if inner.size + 1 > most or not shown(ends):
        return path, values
    found = make_path(path.cells, homogeneous.bands[0].measure, [*longer.borders[: inner.size], inner])
    known = (values + [homogeneous.excess([0, *b, n_cells]) for b in found.borders[len(values) :]])[: inner.size]
    return found, [*known, homogeneous.excess(ends)]


def _selection(path: Path, values: list[float], *, settled: bool) -> Selection:
    curve = [
        {"n_groups": k, "variance": float(path.variance[k - 1]), "value": float(value)}
        for k, value in enumerate(values, 1)
    ]
    return Selection("band", len(values), settled, curve)


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
            band.most_different(start, stop, min_rows=rows, min_b=b, marks=marks, decide=decide)[0]
            for band in self.bands
        )

    def most_different(self) -> tuple[int, int]:
        """Give the range of cells that differs most from everybody."""
        n_cells = len(self.bands[0].cells)
        rows, b = self.limits.rows, self.limits.b
        found = [band.most_different(0, n_cells, min_rows=rows, min_b=b) for band in self.bands]
        return max(found)[1:]

    def holds(self, start: int, stop: int) -> bool:
        """Say whether a range of cells is homogeneous."""
        key = (int(start), int(stop))
        if key not in self.decided:
            self.decided[key] = self._most_different(*key, decide=True) <= 0
        return self.decided[key]

    def excess(self, ends: Sequence[int] | NDArray[np.intp]) -> float:
        """Give how far the most different range inside any of some neighbouring groups exceeds what chance allows."""
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

    def best(self, path: Path, ends: list[int]) -> tuple[NDArray[np.intp], float] | None:
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


def by_bic(path: Path, measure: Measure) -> Selection:
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
        curve.append({"n_groups": k, "variance": float(variance), "value": fit + 2 * k * float(np.log(n))})
    chosen = int(np.argmin([step["value"] for step in curve])) + 1
    return Selection("bic", chosen, chosen < len(curve) or len(curve) == 1, curve)


def by_cross_validation(
    rows: Rows,
    measures: Sequence[Measure],
    search: Callable[[Rows], tuple[Sequence[Partition | BoxPartition], Array]],
    *,
    n_folds: int = 10,
    seed: int = 0,
    progress: Callable[[float], object] | None = None,
) -> Selection:
    """Take the fewest groups whose error on rows left out is within one standard error of the best.

    The standard error is that of the paired difference, row by row. One group is kept unless the best number is better
    by two standard errors: that there is any discrimination at all is to be shown. Rows of one cluster stay together.

    Parameters
    ----------
    rows : Rows
        The data.
    measures : list of Measure
        The rates looked at; their errors add up, each as a share of its own B.
    search : callable
        Gives, from some rows, the best 1, 2, … groups and their variances.
    n_folds, seed : int
        Folds, and the seed of their draw.
    progress : callable, optional
        Called with the share of the work done.
    """
    people = rows.n if rows.cluster is None else int(rows.cluster.max()) + 1
    if people < 4 * n_folds:  # too few to leave any out
        return Selection("cv", 1, True, [{"n_groups": 1, "variance": 0.0, "value": 0.0, "error": 0.0}])
    parts = split_rows(rows, n_folds, seed)
    totals = [float(rows.times(weighted_sums(rows, measure)[1]).sum()) for measure in measures]
    _, variance = search(rows)
    most = len(variance)
    losses: list[Array] = []
    people_of: list[Array] = []
    for fold, (test, train) in enumerate(parts):
        try:
            partitions = search(train)[0][:most]
        except InputError:  # these rows make no group that is large enough
            partitions = []
        if not partitions:
            return Selection("cv", 1, True, [{"n_groups": 1, "variance": 0.0, "value": 0.0, "error": 0.0}])
        most = min(most, len(partitions))
        loss = np.zeros((test.size, most))
        for k, partition in enumerate(partitions[:most]):
            known, asked = codes_of(train, partition), codes_of(test, partition)
            for measure, total in zip(measures, totals, strict=True):
                a, b = weighted_sums(test, measure)
                seen = moments_by(train, measure, known, partition.n_groups)
                rate = np.divide(seen.a, seen.b, out=np.zeros_like(seen.a), where=seen.b > 0)[asked]
                loss[:, k] += (rate**2 * b - 2 * rate * a) / total
        if test.cluster is not None:
            loss = np.stack([np.bincount(test.cluster, column) for column in loss.T], axis=1)
        losses.append(loss)
        people_of.append(np.ones(loss.shape[0]) if test.count is None else test.count)
        if progress is not None:
            progress((fold + 1) / len(parts))
    every = np.concatenate([loss[:, :most] for loss in losses])
    times = np.concatenate(people_of)[:, None]
    mean = np.sum(times * every, axis=0)
    best = int(np.argmin(mean))
    apart = every - every[:, [best]]
    error = np.sqrt(np.sum(times * (apart - np.sum(times * apart, axis=0) / times.sum()) ** 2, axis=0))
    near = mean - mean[best] <= error
    near[0] = mean[0] - mean[best] <= SURE * error[0]
    chosen = int(np.argmax(near)) + 1
    curve = [
        {"n_groups": k, "variance": float(variance[k - 1]), "value": float(mean[k - 1]), "error": float(error[k - 1])}
        for k in range(1, mean.size + 1)
    ]
    return Selection("cv", chosen, chosen < mean.size or mean.size == 1, curve)
