"""The groups an audit looks for: as many as asked, none too small to judge, with notes on what could not be had."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.boxes import BoxPartition
from fairgroups.cells import Cells, Moments
from fairgroups.errors import InputError
from fairgroups.evidence.calibration import from_table
from fairgroups.evidence.likelihood import kl
from fairgroups.evidence.rates import moments_by
from fairgroups.measures import Measure
from fairgroups.partition import Partition
from fairgroups.progress import progress_bar
from fairgroups.rows import Missing, Rows
from fairgroups.search.boxes import best_boxes
from fairgroups.search.grid import Points
from fairgroups.search.monotone import Monotonic
from fairgroups.search.options import check_n_groups, limits_of, search, whole_number
from fairgroups.search.path import Limits, Units

__all__ = ["Found", "find"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Found:
    """Groups, the variance of Φ with 1, 2, … of them, whether they are proven best, and what to tell the reader."""

    partition: Partition | BoxPartition
    variance: Array
    exact: bool
    gap: float
    notes: list[str]


def find(
    rows: Rows,
    measure: Measure,
    *,
    n_groups: int,
    monotonic: Monotonic | None,
    min_group_size: float | Literal["auto"],
    min_denominator: float,
    n_cells: int | None,
    budget: float,
    missing: Missing,
    verbose: bool,
) -> Found:
    """Search for the groups; where the data cannot give as many as asked for, take what it can give and say so."""
    whole_number(n_groups, "n_groups")
    line = len(rows.columns) == 1
    cells = Cells.from_rows(rows, measure=measure, n_cells=n_cells) if line else None
    points = None if line else Points.of(rows, measure)
    units = len(Units.of(cells, measure)) if cells is not None else rows.n
    asked, n_groups = n_groups, min(n_groups, units)
    if cells is not None:
        check_n_groups(n_groups, cells, measure)
    if min_group_size == "auto":
        least = _smallest_judgeable(
            cells[measure] if cells is not None else moments_by(rows, measure, np.zeros(rows.n, dtype=np.intp), 1),
            n_groups,
        )
        limits = Limits(1, max(least, limits_of(1, min_denominator, 1).b))
    else:
        limits = limits_of(min_group_size, min_denominator, rows.n)
    if cells is not None:
        path = search(cells, measure, n_groups, monotonic=monotonic, limits=limits)
        if len(path) == 0:
            raise InputError(
                f"the {rows.n} rows do not make one group of at least {limits.rows:g} rows and B ≥ {limits.b:g}.",
                "lower min_group_size or min_denominator.",
            )
        notes = [path.note[0].upper() + path.note[1:]] if path.note else []
        found = Found(path.partition(len(path), missing=missing), path.variance, path.exact, 0.0, notes)
    else:
        assert points is not None
        if monotonic is not None:
            raise InputError("`monotonic` is for one sensitive column.", "leave it out, or name one column.")
        with progress_bar("Searching for groups", shown=verbose) as progress:
            boxes = best_boxes(points, n_groups, limits, n_cells=n_cells, budget=budget, progress=progress)
        notes = []
        if not boxes.exact:
            notes.append(
                "The exact search was beyond its budget: the groups are good ones, and the variance on the grid could "
                f"be at most {100 * boxes.gap:.1f} % larger."
            )
        found = Found(boxes.partition(missing), boxes.variance, boxes.exact, boxes.gap, notes)
    n_found = len(found.variance)
    if n_found < asked and not found.notes:
        found.notes.append(
            f"{asked} groups were asked for; the data gives {n_found} "
            f"({units} distinct values that count, and groups must be large enough to judge)."
        )
    return found


def _smallest_judgeable(moments: Moments, n_groups: int) -> float:
    """Find the least B with which a group of extreme rate could get a verdict; smaller groups say nothing."""
    total = float(moments.b.sum())
    size = total**2 / float(moments.bb.sum())
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
