"""Power: which differences would have been shown, and whether it is enough to say that there is none."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from fairgroups.audits.records import Detectable
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.evidence.judge import Evidence
from fairgroups.evidence.likelihood import POWER, smallest_shown

__all__ = ["detectable_differences", "is_enough"]

SHARES = (0.05, 0.1, 0.25, 0.5)  # of the people, for which the smallest difference that would have shown is told


def detectable_differences(evidence: Evidence, inference: InferenceOptions, *, named: bool) -> tuple[Detectable, ...]:
    """Return, for some shares of the people, the smallest difference that is shown in 80% of such samples.

    None of groups that one half finds and the other judges: nobody knows what would have been found at all.
    """
    if inference.inference == "crossfit" and not named:
        return ()
    if evidence.band is not None:
        return tuple(Detectable(share, evidence.band.detectable(share)) for share in SHARES)
    sums = evidence.groups.sums
    n, root = sums.size, float(ndtri(1 - (1 - inference.level) / (2 * max(inference.judged or 2, 2))))
    out = []
    for share in SHARES:
        parts = np.array([share * n]), np.array([(1 - share) * n])
        if sums.bounded:
            overall = np.clip([sums.overall], 0.0, 1.0)
            ends = smallest_shown(overall, *parts, np.array([share]), np.array([root]))
            least = float(np.fmax(*ends)[0])
        else:
            least = float((1 - share) * (root + POWER) * evidence.spread * np.sqrt(1 / parts[0] + 1 / parts[1])[0])
        out.append(Detectable(share, least))
    return tuple(out)


def is_enough(evidence: Evidence, detectable: tuple[Detectable, ...], gap: float) -> bool:
    """Whether half of the people would be shown if they differed by what matters, and no trend reaches as far.

    "Would be" in 80 of 100 such samples; a trend must be shown not to, or "no difference found" would be said of many
    that nearly are.
    """
    known = evidence.differs
    flat = known is None or all(trend.is_within(gap, evidence.level) for trend in known.trends)
    shown = bool(detectable) and detectable[-1].difference <= gap
    return bool(evidence.groups.sums.size >= 50 and shown and flat)
