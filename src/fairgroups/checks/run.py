"""Second opinions on an audit: permutation test, monotonicity, firmness of borders, the model against its labels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fairgroups.cells.cells import Cells
from fairgroups.checks.amplification import Amplification, amplification
from fairgroups.checks.monotonicity import Monotonicity, monotonicity_test
from fairgroups.checks.permutation import Permutation, permutation_test
from fairgroups.checks.stability import Stability, border_stability
from fairgroups.evidence.judge import How
from fairgroups.grouping.find import Wish, find
from fairgroups.measures import MEASURES, Measure
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.progress import progress_bar
from fairgroups.rows.rows import Rows
from fairgroups.search.path import Limits

__all__ = ["Checks", "run_checks"]


@dataclass(frozen=True)
class Checks:
    """Second opinions; each is None where it was not asked for or does not apply.

    Attributes
    ----------
    permutation : Permutation or None
        Is there any discrimination at all? A p-value that needs no band.
    monotonicity : Monotonicity or None
        Does the rate only rise, or only fall, with the attribute? For one attribute.
    stability : Stability or None
        How firmly the data fixes the borders. For searched ranges of one attribute.
    amplification : Amplification or None
        Does the outcome amplify the differences of the truth, or of another outcome?
    """

    permutation: Permutation | None = None
    monotonicity: Monotonicity | None = None
    stability: Stability | None = None
    amplification: Amplification | None = None


def run_checks(
    rows: Rows,
    judging: Rows,
    measure: Measure,
    partition: Partition | BoxPartition,
    limits: Limits | None,
    how: How,
    *,
    names: tuple[str, str],
    relevant_gap: float,
    verbose: bool,
) -> Checks:
    """Run what applies; `limits` are those of the search, None where the groups were given."""
    line = len(rows.columns) == 1
    with progress_bar("Permutation test", shown=verbose) as progress:
        permutation = permutation_test(rows, measure, seed=how.seed, progress=progress)
    monotonicity = stability = None
    if line and np.unique(rows.sensitive[~rows.absent]).size > 3:
        cells = Cells.from_rows(rows, measure=measure)
        monotonicity = monotonicity_test(cells, measure, level=how.level, seed=how.seed)
    if line and limits is not None and isinstance(partition, Partition) and partition.connected and partition.edges:
        with progress_bar("Resampling borders", shown=verbose) as progress:
            stability = border_stability(
                rows, measure, np.array(partition.edges), limits, level=how.level, seed=how.seed, progress=progress
            )
    compared = None
    if rows.base is not None and _alike(rows):
        groups = partition
        if (
            line and limits is not None and partition.n_groups == 1
        ):  # the base may have differences that the model lacks
            swapped = replace(rows, outcome=rows.base, truth=None, outcome_is_binary=False)
            groups = find(swapped, MEASURES["mean"], Wish(min_group_size="auto", level=how.level)).partition
        compared = amplification(
            judging, groups, names=names, level=how.level, relevant_gap=relevant_gap, judged=how.judged
        )
        if groups.n_groups == 1:
            compared = None  # there is nothing to amplify
    return Checks(permutation, monotonicity, stability, compared)


def _alike(rows: Rows) -> bool:
    """Say whether outcome and base are of one kind: both rates or decisions, or both amounts."""
    assert rows.base is not None
    inside = [bool(x.min() >= 0 and x.max() <= 1) for x in (rows.outcome, rows.base)]
    return inside[0] == inside[1]
