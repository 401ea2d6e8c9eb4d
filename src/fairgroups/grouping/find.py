"""Finding groups: as many as asked or as the data calls for, none too small, with notes on what could not be had."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
from fairgroups.cells.grid import Points
from fairgroups.cells.moments import Moments
from fairgroups.errors import InputError
from fairgroups.evidence.band import Band, Calibration
from fairgroups.evidence.band_width import from_table
from fairgroups.evidence.likelihood import kl
from fairgroups.evidence.rates import Against, moments_by
from fairgroups.grouping.selection import (
    MOST_GROUPS,
    Criterion,
    Selection,
    by_band,
    by_bic,
    by_cross_validation,
    check_criterion,
    choice_level,
)
from fairgroups.measures import JointMeasure, Measure, parts_of
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.progress import progress_bar
from fairgroups.rows.rows import Missing, Rows
from fairgroups.search.boxes import BoxSearch, best_boxes
from fairgroups.search.frontier import BoxFrontier, best_frontier_boxes, best_frontier_path
from fairgroups.search.limits import limits_of, search, whole_number
from fairgroups.search.monotone import Monotonic
from fairgroups.search.path import Limits, Path, Units

__all__ = ["Found", "Wish", "find"]

Array = NDArray[np.float64]
MOST_BOXES = 8  # cross-validation tries up to so many groups of several attributes


@dataclass(frozen=True)
class Wish:
    """What is asked of the groups; see `FairGroups` for each."""

    n_groups: int | Literal["auto"] = "auto"
    selection: Criterion = "auto"
    max_groups: int = MOST_GROUPS
    monotonic: Monotonic | None = None
    min_group_size: float | Literal["auto"] = 1
    min_denominator: float = 0.0
    n_cells: int | None = None
    budget: float = 10.0
    level: float = 0.95
    calibration: Calibration = "auto"
    seed: int = 0
    against: Against = "everyone"
    verbose: bool = False

    def __post_init__(self) -> None:
        if not (isinstance(self.n_groups, str) and self.n_groups == "auto"):
            if isinstance(self.n_groups, str):
                raise InputError(f"`n_groups` must be a whole number of at least 1, or 'auto'; got {self.n_groups!r}.")
            whole_number(self.n_groups, "n_groups")
        whole_number(self.max_groups, "max_groups")
        if isinstance(self.budget, bool) or not isinstance(self.budget, int | float | np.number) or not self.budget > 0:
            raise InputError(f"`budget` must be a number of seconds above 0; got {self.budget!r}.")
        if self.against not in ("everyone", "rest"):
            raise InputError(f"`against` must be 'everyone' or 'rest'; got {self.against!r}.")

    @property
    def automatic(self) -> bool:
        """Say whether the data is to choose the number of groups."""
        return self.n_groups == "auto"

    def most(self, available: int) -> int:
        """Give the largest number of groups to look for."""
        return min(self.max_groups if isinstance(self.n_groups, str) else int(self.n_groups), available)

    def limits(self, moments: Sequence[Moments], n_rows: int) -> Limits:
        """Give the least that a group must hold; `moments` of each rate looked at."""
        if self.min_group_size != "auto":
            return limits_of(self.min_group_size, self.min_denominator, n_rows)
        n_groups = 2 if isinstance(self.n_groups, str) else int(self.n_groups)
        least = min(_smallest_judgeable(m, n_groups) for m in moments)
        return Limits(1, max(least, limits_of(1, self.min_denominator, 1).b))


@dataclass(frozen=True)
class Found:
    """Groups, the variance of Φ with 1, 2, … of them, whether they are proven best, and what to tell the reader.

    `most` is the number that was asked for, or the largest that was tried; `limits` what each group had to hold;
    `steps`, in several dimensions, the groups with 1, 2, … of them.
    """

    partition: Partition | BoxPartition
    variance: Array
    exact: bool
    gap: float
    most: int
    limits: Limits
    selection: Selection | None
    notes: list[str]
    cells: Cells | None = None
    steps: tuple[BoxPartition, ...] = ()


def find(rows: Rows, measure: Measure | JointMeasure, wish: Wish, missing: Missing = "error") -> Found:
    """Search for the groups; where the data cannot give as many as asked for, take what it can give and say so."""
    line = len(rows.columns) == 1
    criterion = check_criterion(wish.selection, line=line)
    parts = parts_of(measure)
    if wish.monotonic is not None and (not line or len(parts) > 1 or wish.against == "rest"):
        raise InputError(
            "`monotonic` is for one sensitive column and one rate against everyone.", "leave it out, or ask for that."
        )
    if criterion == "bic" and len(parts) > 1:
        raise InputError("`selection` 'bic' is for one rate.", "use 'auto'.")
    found = (_on_the_line if line else _boxes)(rows, parts, wish, missing, criterion)
    if found.selection is not None and not found.selection.settled:
        more = "there are differences left inside them" if criterion == "band" else "more might be better"
        found.notes.append(f"{found.partition.n_groups} groups were the most allowed, and {more}.")
    n_found = len(found.variance)
    if not wish.automatic and n_found < int(wish.n_groups) and not found.notes:
        found.notes.append(
            f"{wish.n_groups} groups were asked for; the data gives {n_found} "
            f"(groups must differ in the attribute and hold B ≥ {found.limits.b:.3g})."
        )
    return found


def _on_the_line(rows: Rows, parts: tuple[Measure, ...], wish: Wish, missing: Missing, criterion: str) -> Found:
    cells = Cells.from_rows(rows, measure=parts, n_cells=wish.n_cells)
    known = [cells[part].map(lambda x: x[: len(cells)]) for part in parts]
    limits = wish.limits(known, rows.n)
    most = wish.most(len(Units.of(cells, parts[0])))
    notes: list[str] = []
    gaps: Array | None = None

    def paths(k: int) -> Path:
        nonlocal gaps
        if len(parts) == 1:
            path = search(cells, parts[0], k, monotonic=wish.monotonic, limits=limits)
        else:
            path, gaps = best_frontier_path(cells, parts, k, limits, against_rest=False)
        if len(path) == 0:
            raise InputError(
                f"the {rows.n} rows do not make one group of at least {limits.rows:g} rows and B ≥ {limits.b:g}.",
                "lower min_group_size or min_denominator.",
            )
        return path

    selection = None
    if wish.automatic and criterion == "band":
        level = choice_level(1 - (1 - wish.level) / len(parts))
        bands = [Band(cells, m, level=level, calibration=wish.calibration, seed=wish.seed) for m in parts]
        units = Units.of(cells, parts[0])
        free = len(parts) == 1 and wish.monotonic is None
        usual = [Band(cells, m, level=wish.level, calibration=wish.calibration, seed=wish.seed) for m in parts]

        def shown(ends: list[int]) -> bool:
            found = [band.cell_ranges(np.array(ends[:-1]), np.array(ends[1:]))[1] for band in usual]
            return any(bool(np.any((b.low > 0) | (b.high < 0))) for b in found)

        path, selection = by_band(paths, bands, units, limits, shown=shown, most=most, free=free)
    else:
        path = paths(most)
        if wish.automatic:
            folds = criterion == "cv"
            selection = _line_by_folds(rows, parts, wish, limits, most) if folds else by_bic(path, parts[0])
    n_groups = len(path) if selection is None else min(selection.n_groups, len(path))
    if path.note and (selection is None or n_groups == len(path)):
        notes.append(path.note[0].upper() + path.note[1:])
    if wish.against == "rest" and n_groups > 1:
        path, gaps = best_frontier_path(cells, parts, n_groups, limits, against_rest=True)
        n_groups = min(n_groups, len(path))
    gap = 0.0 if gaps is None else float(gaps[n_groups - 1])
    partition = path.partition(n_groups, missing=missing)
    return Found(partition, path.variance, path.exact, gap, most, limits, selection, notes, cells)


def _line_by_folds(rows: Rows, parts: tuple[Measure, ...], wish: Wish, limits: Limits, most: int) -> Selection:
    share = Limits(0.85 * limits.rows, 0.85 * limits.b)  # nine tenths of the rows are there

    def paths(part: Rows) -> tuple[Sequence[Partition], Array]:
        cells = Cells.from_rows(part, measure=parts, n_cells=wish.n_cells)
        if len(parts) == 1:
            path = search(cells, parts[0], most, monotonic=wish.monotonic, limits=share)
        else:
            path, _ = best_frontier_path(cells, parts, most, share, against_rest=False)
        return [path.partition(k, missing="group") for k in range(1, len(path) + 1)], path.variance

    with progress_bar("Choosing the number of groups", shown=wish.verbose) as progress:
        return by_cross_validation(rows, parts, paths, seed=wish.seed, progress=progress)


def _boxes(rows: Rows, parts: tuple[Measure, ...], wish: Wish, missing: Missing, _: str) -> Found:
    together = [moments_by(rows, part, np.zeros(rows.size, dtype=np.intp), 1) for part in parts]
    limits = wish.limits(together, rows.n)
    most = wish.most(rows.size)
    selection = None
    if wish.automatic:
        most = min(most, MOST_BOXES)
        selection = _boxes_by_folds(rows, parts, wish, limits, most)
    n_groups = most if selection is None else selection.n_groups
    with progress_bar("Searching for groups", shown=wish.verbose) as progress:
        if len(parts) > 1 or (wish.against == "rest" and n_groups > 1):
            rest = wish.against == "rest"
            found = best_frontier_boxes(
                rows, parts, n_groups, limits, against_rest=rest, n_cells=wish.n_cells, progress=progress
            )
            partition = replace(found.partitions[-1], missing=missing)
            gap = float(found.gaps[-1])
            steps = tuple(replace(step, missing=missing) for step in found.partitions)
            return Found(partition, found.variance, gap < 1e-9, gap, most, limits, selection, [], steps=steps)
        points = Points.of(rows, parts[0])
        boxes = best_boxes(points, n_groups, limits, n_cells=wish.n_cells, budget=wish.budget, progress=progress)
    notes = []
    if not boxes.exact:
        notes.append(
            "The exact search was beyond its budget: the groups are good ones, and the variance on the grid could "
            f"be at most {100 * boxes.gap:.1f} % larger."
        )
    steps = tuple(replace(step, missing=missing) for step in boxes.partitions)
    return Found(
        boxes.partition(missing), boxes.variance, boxes.exact, boxes.gap, most, limits, selection, notes, steps=steps
    )


def _boxes_by_folds(rows: Rows, parts: tuple[Measure, ...], wish: Wish, limits: Limits, most: int) -> Selection:
    share = Limits(0.75 * limits.rows, 0.75 * limits.b)  # four fifths of the rows are there

    def tilings(part: Rows) -> tuple[Sequence[BoxPartition], Array]:
        found: BoxFrontier | BoxSearch
        if len(parts) == 1:
            points = Points.of(part, parts[0])
            found = best_boxes(points, most, share, n_cells=wish.n_cells, budget=wish.budget / 20)
        else:
            found = best_frontier_boxes(part, parts, min(most, 5), share, against_rest=False, n_cells=wish.n_cells)
        return [replace(p, missing="group") for p in found.partitions], found.variance

    with progress_bar("Choosing the number of groups", shown=wish.verbose) as progress:
        return by_cross_validation(rows, parts, tilings, n_folds=5, seed=wish.seed, progress=progress)


def _smallest_judgeable(moments: Moments, n_groups: int) -> float:
    """Find the least B with which a group of extreme rate could get a verdict; smaller groups say nothing."""
    total = float(moments.b.sum())
    size = max(moments.size, 1.0)
    rate = float(moments.a.sum()) / total
    if moments.bounded and 0 < rate < 1:
        q = from_table(size, rate, 0.95).phi
        n = np.arange(1.0, max(size / (2 * n_groups), 1.0) + 1)[:100_000]
        strongest = n * np.max(kl(np.array([0.0, 1.0]), np.array(rate)))
        enough = strongest > (q + np.sqrt(2 * (1 + np.log(size / n)))) ** 2 / 2
        least = float(n[enough][0]) if enough.any() else float(n[-1])
    else:
        least = max(50.0, 0.01 * size)  # means of fewer are too far from normal
    least = max(1.0, math.floor(min(least, size / (2 * n_groups))))
    return least * total / size * (1 - 1e-9)
