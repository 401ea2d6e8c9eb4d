"""Second opinions on an audit: permutation test, monotonicity, firmness of borders, the model against its labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairgroups.cells.sample import Sample
from fairgroups.checks.amplification import BASE, PAIR, Amplification, amplification
from fairgroups.checks.monotonicity import Monotonicity, monotonicity_test
from fairgroups.checks.permutation import Permutation, permutation_test
from fairgroups.checks.stability import Stability, border_stability
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.grouping.find import find
from fairgroups.grouping.search_options import SearchOptions
from fairgroups.measures import Measure
from fairgroups.partition.partition import Partition
from fairgroups.progress import progress_bar
from fairgroups.rows.rows import Rows
from fairgroups.search.path import Limits

__all__ = ["Checks", "compared", "run_checks"]


@dataclass(frozen=True)
class Checks:
    """Second opinions; each is None where it was not asked for or does not apply.

    Attributes
    ----------
    permutation : Permutation or None
        Does the rate depend on the attributes at all? A p-value that needs no band; for several attributes.
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


def compared(rows: Rows) -> tuple[Measure, ...]:
    """Return what must be summed to compare the outcome with its base; nothing where the two are of different kinds.

    Both are rates or decisions, or both amounts.
    """
    if rows.base is None:
        return ()
    inside = [bool(x.min() >= 0 and x.max() <= 1) for x in (rows.outcome, rows.base)]
    return (*PAIR, BASE) if inside[0] == inside[1] else ()


def run_checks(
    sample: Sample,
    judging: Sample,
    measure: Measure,
    partition: Partition,
    limits: Limits | None,
    inference: InferenceOptions,
    *,
    names: tuple[str, str],
    relevant_gap: float,
    labels: Callable[[Partition], Sequence[str]],
    verbose: bool,
) -> Checks:
    """Run what applies.

    Parameters
    ----------
    sample, judging : Sample
        Everybody, and those who judged the groups.
    measure : Measure
        Which rate.
    partition : Partition
        The groups.
    limits : Limits or None
        What the search asked of groups; None where they were given.
    inference : InferenceOptions
        How groups were judged.
    names : pair of str
        The columns of outcome and base.
    relevant_gap : float
        A change within ± this is of no concern.
    labels : callable
        Names the groups of a partition.
    verbose : bool
        Show progress bars.

    Returns
    -------
    Checks
    """
    level, seed = inference.level, inference.seed
    permutation = None
    if limits is not None and not sample.is_line and inference.inference == "crossfit":  # else `any_difference` answers
        with progress_bar("Permutation test", shown=verbose) as progress:
            permutation = permutation_test(sample, measure, seed=seed, progress=progress)
    monotonicity = stability = None
    if sample.is_line and len(sample.cells) > 3:
        monotonicity = monotonicity_test(sample.cells, measure, level=level, seed=seed)
    if limits is not None and partition.is_line and partition.connected and partition.n_groups > 1:
        with progress_bar("Resampling borders", shown=verbose) as progress:
            borders = partition.borders()
            if borders.size:
                stability = border_stability(
                    sample, measure, borders, limits, level=level, seed=seed, progress=progress
                )
    amplified = None
    if set(PAIR) <= set(judging.measures):
        groups = partition
        if partition.n_groups == 1 and sample.is_line and limits is not None:
            groups = _groups_of_base(sample, inference)
        if groups.n_groups > 1:
            amplified = amplification(
                judging, groups, names=names, level=level, relevant_gap=relevant_gap, judged=inference.judged
            ).named(labels(groups))
    return Checks(permutation, monotonicity, stability, amplified)


def _groups_of_base(sample: Sample, inference: InferenceOptions) -> Partition:
    """Find the groups of the base, which may have differences that the model lacks."""
    return find(sample, BASE, SearchOptions(), InferenceOptions(level=inference.level)).partition
