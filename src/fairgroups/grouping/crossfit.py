"""Cross-fitting: each half of the people finds groups, and the other half judges them.

The halves are alike in the attributes, so that small groups appear in both. All intervals of both sets of groups hold
at once (Bonferroni), so either set may be shown: the one whose rates carry over better to the other half is, and the
other stands beside it as a replication.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fairgroups.evidence.agreement import rand_index
from fairgroups.evidence.judge import Evidence, How, judge
from fairgroups.evidence.rates import GroupRates, codes_of, moments_by
from fairgroups.grouping.find import Found, Wish, find
from fairgroups.measures import JointMeasure, Measure, parts_of
from fairgroups.rows.rows import Missing, Rows, weighted_sums
from fairgroups.rows.split import split_rows

__all__ = ["Half", "cross_fit"]


@dataclass(frozen=True)
class Half:
    """What one half found, how the other half judges it, and that half's rows; one evidence for each rate."""

    found: Found
    judging: Rows
    how: How
    evidence: list[Evidence]


def cross_fit(
    rows: Rows, measure: Measure | JointMeasure, wish: Wish, how: How, missing: Missing
) -> tuple[Half, Half, float]:
    """Find and judge both ways.

    Returns the half to show, the other one, and the Rand index of their groups over all rows.
    """
    parts = parts_of(measure)
    counting = sum(2**i * (weighted_sums(rows, part)[1] > 0).astype(np.intp) for i, part in enumerate(parts))
    halves = [half for half, _ in split_rows(rows, 2, how.seed, np.asarray(counting))]
    found = [find(half, measure, wish, missing) for half in halves]
    judged = sum(f.partition.n_groups for f in found)
    how = replace(how, judged=judged)
    out, scores = [], []
    for i in (0, 1):
        judging = halves[1 - i]
        evidence = [judge(judging, found[i].partition, part, how) for part in parts]
        out.append(Half(found[i], judging, how, evidence))
        scores.append(
            sum(_carried(halves[i], found[i], e.groups, part) for e, part in zip(evidence, parts, strict=True))
        )
    first = int(scores[1] > scores[0])
    rand = rand_index(*(codes_of(rows, f.partition) for f in found), weight=rows.count)
    return out[first], out[1 - first], rand


def _carried(finding: Rows, found: Found, judged: GroupRates, measure: Measure) -> float:
    """Measure how well the rates found predict those of the other half: what they take off its squared error."""
    codes = codes_of(finding, found.partition)
    own = moments_by(finding, measure, codes, found.partition.n_groups)
    guess = np.divide(own.a, own.b, out=np.zeros_like(own.a), where=own.b > 0) - own.a.sum() / own.b.sum()
    return float(np.nansum(judged.share * (2 * guess * judged.phi - guess**2)))
