"""Finding groups: as many as asked or as the data calls for, none too small, with notes on what could not be had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
from fairgroups.cells.grid import Points
from fairgroups.cells.moments import moments_by
from fairgroups.cells.sample import Sample
from fairgroups.errors import InputError
from fairgroups.evidence.any_difference import AnyDifference, any_difference
from fairgroups.evidence.band import Band
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.grouping.boxes import BRIEF, MOST_AXES, GridSearch, boxes_by_band
from fairgroups.grouping.cross_validation import SURE, by_cross_validation
from fairgroups.grouping.number_of_groups import Selection, by_band, by_bic, check_criterion, choice_level
from fairgroups.grouping.search_options import SearchOptions
from fairgroups.measures import JointMeasure, Measure, parts_of
from fairgroups.options import Missing
from fairgroups.partition.partition import Partition
from fairgroups.progress import progress_bar
from fairgroups.rows.rows import Rows
from fairgroups.search.boxes import BoxSearch, best_boxes
from fairgroups.search.frontier import BoxFrontier, best_frontier_boxes, best_frontier_path
from fairgroups.search.group_limits import search
from fairgroups.search.path import GroupPath, Limits, Units

__all__ = ["SearchResult", "find"]

Array = NDArray[np.float64]
MOST_BOXES = 8  # cross-validation tries up to so many groups of several attributes
MOST_BOXES_ASKED = 100


@dataclass(frozen=True)
class SearchResult:
    """Groups, the variance of Φ with 1, 2, … of them, whether they are proven best, and what to tell the reader.

    `most` is the number that was asked for, or the largest that was tried; `limits` what each group had to hold;
    `steps`, of several attributes, the groups with 1, 2, … of them; `differs`, on the line, whether each rate
    differs at all.
    """

    partition: Partition
    variance: Array
    exact: bool
    optimality_gap: float
    most: int
    limits: Limits
    selection: Selection | None
    notes: list[str]
    steps: tuple[Partition, ...] = ()
    differs: tuple[AnyDifference, ...] = ()


def find(
    sample: Sample,
    measure: Measure | JointMeasure,
    options: SearchOptions,
    inference: InferenceOptions | None = None,
    missing: Missing = "error",
) -> SearchResult:
    """Search for the groups; where the data cannot give as many as asked for, take what it can give and say so.

    Parameters
    ----------
    sample : Sample
        The people.
    measure : Measure or JointMeasure
        The rate, or rates, that groups are to differ in.
    options : SearchOptions
        What is asked of the groups.
    inference : InferenceOptions, optional
        How they will be judged: the number of groups is chosen at that level.
    missing : {"error", "drop", "group"}
        What the partition does with missing values.

    Returns
    -------
    SearchResult
    """
    inference = inference or InferenceOptions()
    criterion = check_criterion(options.selection, line=sample.is_line)
    parts = parts_of(measure)
    if options.monotonic is not None and (not sample.is_line or len(parts) > 1 or options.against == "rest"):
        raise InputError(
            "`monotonic` is for one sensitive column and one rate against everyone.", "leave it out, or ask for that."
        )
    if criterion == "bic" and len(parts) > 1:
        raise InputError("`selection` 'bic' is for one rate.", "use 'auto'.")
    finder = _on_the_line if sample.is_line else _boxes
    result = finder(sample, parts, options, inference, missing, criterion)
    if result.selection is not None and not result.selection.settled:
        more = "there are differences left inside them" if criterion == "band" else "more might be better"
        n_groups = result.selection.n_groups
        if n_groups > 1:  # else the difference that is there is said, and that no division shows it
            ask = "" if sample.is_line else f" (of boxes {MOST_BOXES} at most; for more name their number, `n_groups`)"
            if options.monotonic is not None and n_groups < result.most:
                ask = ", as rates must follow the attribute"
            result.notes.append(f"{n_groups} groups were the most allowed{ask}, and {more}.")
    n_found = len(result.variance)
    if not options.automatic and n_found < int(options.n_groups) and not result.notes:
        result.notes.append(
            f"{options.n_groups} groups were asked for; the data gives {n_found} "
            f"(groups must differ in the attribute and hold at least {result.limits.said})."
        )
    return result


@dataclass
class _LineSource:
    """Paths of groups on the line; see `PathSource`."""

    cells: Cells
    parts: tuple[Measure, ...]
    options: SearchOptions
    limits: Limits
    bands: tuple[Band, ...] = ()
    gaps: Array | None = None

    def up_to(self, n_groups: int) -> GroupPath:
        """Return the best groups with 1, 2, … up to so many of them."""
        if len(self.parts) == 1:
            path = search(self.cells, self.parts[0], n_groups, monotonic=self.options.monotonic, limits=self.limits)
        else:
            path, self.gaps = best_frontier_path(self.cells, self.parts, n_groups, self.limits, against_rest=False)
        if len(path) == 0:
            raise InputError(
                f"the {int(self.cells.rows.sum())} rows do not make one group of at least {self.limits.said}.",
                "lower min_group_size or min_denominator.",
            )
        return path

    def shown(self, ends: list[int]) -> bool:
        """Whether some group, between these ends, is shown to differ from everybody."""
        bounds = [band.judge([(pair,) for pair in pairwise(ends)])[1] for band in self.bands]
        return any(bool(np.any((b.low > 0) | (b.high < 0))) for b in bounds)


def _on_the_line(
    sample: Sample,
    parts: tuple[Measure, ...],
    options: SearchOptions,
    inference: InferenceOptions,
    missing: Missing,
    criterion: str,
) -> SearchResult:
    cells = sample.cells
    limits = options.limits([cells[part].map(lambda x: x[: len(cells)]) for part in parts], sample.rows.n)
    units = Units.of(cells, parts[0])
    most = options.most(len(units))
    source = _LineSource(cells, parts, options, limits)
    selection = None
    differs: tuple[AnyDifference, ...] = ()
    if options.automatic and criterion == "band":
        each = inference.each(len(parts))
        differs = tuple(any_difference(each.band(cells, m), [cells], options.min_cell) for m in parts)
        source.bands = tuple(known.band for known in differs)
        strict = [band.at_level(choice_level(each.level)) for band in source.bands]
        free = len(parts) == 1 and options.monotonic is None
        shown = any(known.region is not None for known in differs)
        path, selection = by_band(source, strict, units, limits, differs=shown, most=most, free=free)
    else:
        path = source.up_to(most)
        if options.automatic:
            folds = criterion == "cv"
            selection = _line_by_folds(sample, source, inference, most) if folds else by_bic(path, parts[0])
    n_groups = len(path) if selection is None else min(selection.n_groups, len(path))
    notes = []
    if path.note and (selection is None or n_groups == len(path)):
        notes.append(path.note[0].upper() + path.note[1:])
    gaps = source.gaps
    if options.against == "rest" and n_groups > 1 and not options.automatic:  # else their number is for these groups
        path, gaps = best_frontier_path(cells, parts, n_groups, limits, against_rest=True)
        n_groups = min(n_groups, len(path))
    gap = 0.0 if gaps is None else float(gaps[n_groups - 1])
    partition = path.partition(n_groups, missing=missing)
    return SearchResult(partition, path.variance, path.exact, gap, most, limits, selection, notes, differs=differs)


def _line_by_folds(sample: Sample, source: _LineSource, inference: InferenceOptions, most: int) -> Selection:
    limits, parts = source.limits, source.parts
    share = Limits(0.85 * limits.rows, 0.85 * limits.b)  # nine tenths of the rows are there

    def paths(part: Rows) -> tuple[Sequence[Partition], Array]:
        cells = sample.of(part).cells
        if len(parts) == 1:
            path = search(cells, parts[0], most, monotonic=source.options.monotonic, limits=share)
        else:
            path, _ = best_frontier_path(cells, parts, most, share, against_rest=False)
        return [path.partition(k, missing="group") for k in range(1, len(path) + 1)], path.variance

    with progress_bar("Choosing the number of groups", shown=source.options.verbose) as progress:
        return by_cross_validation(
            sample.rows, parts, paths, seed=inference.seed, sure=_sure(inference), progress=progress
        )


def _boxes(
    sample: Sample,
    parts: tuple[Measure, ...],
    options: SearchOptions,
    inference: InferenceOptions,
    missing: Missing,
    criterion: str,
) -> SearchResult:
    """Find boxes on the grid that the band covers; without a band, with borders at any value of the data."""
    rows = sample.rows
    if not options.automatic and int(options.n_groups) > MOST_BOXES_ASKED:
        raise InputError(
            f"`n_groups` must be at most {MOST_BOXES_ASKED} for several attributes; got {options.n_groups}.",
            "nobody reads more boxes, and to search for them takes minutes.",
        )
    together = [moments_by(rows, part, np.zeros(rows.size, dtype=np.intp), 1) for part in parts]
    limits = options.limits(together, rows.n)
    most = options.most(rows.size)
    if inference.inference == "band" and len(rows.columns) <= MOST_AXES and sample.space.can_be_banded:
        return _on_the_grid(sample, parts, options, inference, missing, criterion, limits)
    selection = None
    if options.automatic:
        most = min(most, MOST_BOXES)
        selection = _boxes_by_folds(rows, parts, options, inference, limits, most)
    n_groups = most if selection is None else selection.n_groups
    notes = []
    with progress_bar("Searching for groups", shown=options.verbose) as progress:
        rest = options.against == "rest" and not options.automatic
        if len(parts) > 1 or (rest and n_groups > 1):
            joint = best_frontier_boxes(
                rows, parts, n_groups, limits, against_rest=rest, n_cells=options.n_cells, progress=progress
            )
            partitions, variance, gap = joint.partitions, joint.variance, float(joint.gaps[-1])
            last, exact = partitions[-1], gap < 1e-9
        else:
            points = Points.of(rows, parts[0])
            boxes = best_boxes(
                points, n_groups, limits, n_cells=options.n_cells, budget=options.budget, progress=progress
            )
            partitions, variance, gap, exact = boxes.partitions, boxes.variance, boxes.gap, boxes.exact
            last = boxes.partition()
            if not exact:
                notes.append(_not_exact(gap))
    steps = tuple(replace(step, missing=missing) for step in partitions)
    last = replace(last, missing=missing)
    return SearchResult(last, variance, exact, gap, most, limits, selection, notes, steps=steps)


def _not_exact(gap: float) -> str:
    return (
        "Not every division into so many boxes could be tried within the time allowed (`budget`): these are the best "
        "that a beam search found. No groups of the cells, of any shape, have a variance of Φ more than "
        f"{100 * gap:.1f}% larger."
    )


def _on_the_grid(
    sample: Sample,
    parts: tuple[Measure, ...],
    options: SearchOptions,
    inference: InferenceOptions,
    missing: Missing,
    criterion: str,
    limits: Limits,
) -> SearchResult:
    """Find boxes whose borders lie between cells of the grid that the band covers."""
    cells = sample.space
    most = options.most(min(len(cells), sample.rows.size))
    selection = None
    differs: tuple[AnyDifference, ...] = ()
    with progress_bar("Searching for groups", shown=options.verbose) as progress:
        rest = options.against == "rest" and not options.automatic
        found = GridSearch(cells, parts, limits, rest, options.budget, progress)
        if options.automatic:
            most = min(most, MOST_BOXES)
            if criterion == "cv":
                selection = _boxes_by_folds(sample.rows, parts, options, inference, limits, most)
            else:
                each = inference.each(len(parts))
                differs = tuple(any_difference(each.band(cells, m), sample.margins, options.min_cell) for m in parts)
                shown = [known.band for known in differs]
                strict = [band.at_level(choice_level(each.level)) for band in shown]
                brief = GridSearch(cells, parts, limits, budget=min(options.budget, BRIEF))
                apart = any(known.region is not None for known in differs)
                selection = boxes_by_band(brief, shown, strict, differs=apart, most=most)
                found = brief
        n_groups = found.up_to(most if selection is None else selection.n_groups)
    gap = found.gaps[n_groups - 1]
    exact = gap < 1e-9
    notes = [] if exact else [_not_exact(gap)]
    steps = tuple(found.partition(k, missing) for k in range(1, n_groups + 1))
    variance = np.array(found.variance[:n_groups])
    return SearchResult(steps[-1], variance, exact, gap, most, limits, selection, notes, steps=steps, differs=differs)


def _sure(inference: InferenceOptions) -> float:
    """Return how much better than one group more must be: with cross-fitting other people judge whether they are."""
    return 0.0 if inference.inference == "crossfit" else SURE


def _boxes_by_folds(
    rows: Rows,
    parts: tuple[Measure, ...],
    options: SearchOptions,
    inference: InferenceOptions,
    limits: Limits,
    most: int,
) -> Selection:
    share = Limits(0.75 * limits.rows, 0.75 * limits.b)  # four fifths of the rows are there

    def tilings(part: Rows) -> tuple[Sequence[Partition], Array]:
        found: BoxFrontier | BoxSearch
        if len(parts) == 1:
            points = Points.of(part, parts[0])
            found = best_boxes(points, most, share, n_cells=options.n_cells, budget=options.budget / 20)
        else:
            found = best_frontier_boxes(part, parts, min(most, 5), share, against_rest=False, n_cells=options.n_cells)
        return [replace(p, missing="group") for p in found.partitions], found.variance

    with progress_bar("Choosing the number of groups", shown=options.verbose) as progress:
        return by_cross_validation(
            rows, parts, tilings, n_folds=5, seed=inference.seed, sure=_sure(inference), progress=progress
        )
