"""Cross-fitting: each half of the people finds groups, and the other half judges them.

The halves are alike in the attributes, so that small groups appear in both. All intervals of both sets of groups hold
at once (Bonferroni), so either set may be shown: the one whose rates carry over better to the other half is, and the
other stands beside it as a replication.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fairgroups.cells.moments import moments_by
from fairgroups.cells.sample import Sample
from fairgroups.evidence.agreement import rand_index
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.evidence.judge import Evidence, judge
from fairgroups.evidence.rates import GroupRates
from fairgroups.grouping.find import SearchResult, find
from fairgroups.grouping.search_options import SearchOptions
from fairgroups.measures import JointMeasure, Measure, parts_of
from fairgroups.options import Missing
from fairgroups.rows.rows import Rows
from fairgroups.rows.split import split_rows
from fairgroups.rows.weights import weighted_sums

__all__ = ["CrossFit", "cross_fit"]

TIMES = 3  # as many people as may be told of, in each group of the half that finds


@dataclass(frozen=True)
class CrossFit:
    """What one half found, how the other half judges it, and that half's people; one evidence for each rate."""

    result: SearchResult
    judging: Sample
    inference: InferenceOptions
    evidence: list[Evidence]


def cross_fit(
    sample: Sample,
    measure: Measure | JointMeasure,
    options: SearchOptions,
    inference: InferenceOptions,
    missing: Missing,
) -> tuple[CrossFit, CrossFit, float]:
    """Find and judge both ways.

    Returns
    -------
    CrossFit, CrossFit, float
        What to show, the other half's, and the Rand index of their groups over all rows.
    """
    rows, parts = sample.rows, parts_of(measure)
    counting = sum(2**i * (weighted_sums(rows, part)[1] > 0).astype(np.intp) for i, part in enumerate(parts))
    halves = [half for half, _ in split_rows(rows, 2, inference.seed, np.asarray(counting))]
    # A group of so many in one half has hardly ever fewer than may be told of in the other, which is told.
    options = replace(options, min_cell=TIMES * options.min_cell) if options.min_cell > 1 else options
    found = [find(sample.of(half), measure, options, inference, missing) for half in halves]
    both = replace(inference.each(len(parts)), judged=sum(f.partition.n_groups for f in found))
    out, scores = [], []
    for i in (0, 1):
        judging = replace(sample, n_cells=None).of(halves[1 - i])
        evidence = [judge(judging, found[i].partition, part, both) for part in parts]
        out.append(CrossFit(found[i], judging, both, evidence))
        scores.append(
            sum(_carried(halves[i], found[i], e.groups, part) for e, part in zip(evidence, parts, strict=True))
        )
    first = int(scores[1] > scores[0])
    rand = rand_index(*(f.partition.codes(rows.columns) for f in found), count=rows.count)
    return out[first], out[1 - first], rand


def _carried(finding: Rows, found: SearchResult, judged: GroupRates, measure: Measure) -> float:
    """Measure how well the rates found predict those of the other half: what they take off its squared error."""
    codes = found.partition.codes(finding.columns)
    own = moments_by(finding, measure, codes, found.partition.n_groups)
    guess = np.divide(own.a, own.b, out=np.zeros_like(own.a), where=own.b > 0) - own.overall
    return float(np.nansum(judged.share * (2 * guess * judged.phi - guess**2)))
