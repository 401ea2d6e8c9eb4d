"""Each group against whom it is compared with: everyone, the rest, or a reference group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.evidence.bounds import rate_ratios
from fairgroups.evidence.judge import Evidence
from fairgroups.evidence.named import against_group, ratios_to
from fairgroups.evidence.rates import GroupRates
from fairgroups.measures import Direction
from fairgroups.options import Against

__all__ = ["Comparison", "compare", "reference_of"]

Array = NDArray[np.float64]
LEAST_SHARE, FEWEST = 0.02, 10  # of the people that the best group must hold


@dataclass(frozen=True)
class Comparison:
    """Differences and ratios with their intervals, one for each group.

    `reference` is the number of the group that differences are from, None where they are from everyone or the rest;
    `best` that of the group which ratios are to, −1 where there are none. `usual_low` and `usual_high` forget that
    groups were searched for; NaN against a reference.
    """

    difference: Array
    low: Array
    high: Array
    least_below: Array
    least_above: Array
    usual_low: Array
    usual_high: Array
    ratio: Array
    ratio_low: Array
    ratio_high: Array
    reference: int | None
    best: int


def compare(evidence: Evidence, direction: Direction, against: Against, reference: str | None = None) -> Comparison:
    """Compare the groups.

    Parameters
    ----------
    evidence : Evidence
        What is known of them.
    direction : {"better", "worse", "neutral"}
        What a higher rate means: the best group has the highest rate, or the lowest where higher is worse.
    against : {"everyone", "rest", "reference"}
        With whom.
    reference : str, optional
        The label of the reference group, or "best": the best rate of the groups with 2 % of the people or more.

    Returns
    -------
    Comparison
    """
    groups, bounds = evidence.groups, evidence.bounds
    best = _best(groups, direction)
    to = reference_of(groups.partition.labels, reference, best) if against == "reference" else None
    if to is None:
        scale = groups.scale_against("rest" if against == "rest" else "everyone")
        parts = [groups.phi, bounds.low, bounds.high, bounds.least_below, bounds.least_above]
        usual = evidence.plugin.low * scale, evidence.plugin.high * scale
        difference, low, high, below, above = (part * scale for part in parts)
    else:
        if not groups.sums.b[to] > 0:
            label = groups.partition.labels[to]
            raise InputError(
                f"nobody in the reference group {label!r} counts, so nothing can be compared with it.", "name another."
            )
        found = against_group(groups, to, evidence.level, chosen=reference == "best")
        difference, low, high, below, above = (
            found.value,
            found.low,
            found.high,
            found.least_below,
            found.least_above,
        )
        usual = np.full_like(low, np.nan), np.full_like(low, np.nan)
    chosen = to is None or reference == "best"
    ratio_to = best if to is None else to
    sums = groups.sums
    nothing = np.full_like(difference, np.nan)
    ratios = (nothing, nothing, nothing)
    if ratio_to >= 0 and sums.low + sums.offset >= 0:  # of amounts below 0 a ratio says nothing
        if evidence.named:
            ratios = ratios_to(groups, ratio_to, evidence.level, chosen=chosen)
        else:
            ratios = rate_ratios(groups.rate, bounds, ratio_to)
    else:
        ratio_to = -1
    return Comparison(difference, low, high, below, above, *usual, *ratios, to, ratio_to)


def reference_of(labels: tuple[str, ...], wanted: str | None, best: int) -> int:
    """Return the number of the reference group: by its label, or the best one."""
    if wanted == "best":
        return best
    if wanted not in labels:
        raise InputError(
            f"`reference` is {wanted!r}, which is none of the groups.", f"use 'best', or one of: {'; '.join(labels)}."
        )
    return labels.index(wanted)


def _best(groups: GroupRates, direction: Direction) -> int:
    """Return the group with the best rate, of those with a fiftieth of the people: two lucky ones are no yardstick."""
    large = (groups.share >= LEAST_SHARE) & (groups.sums.effective_size >= FEWEST)
    rate = np.where(large, groups.rate, np.nan) if large.any() else groups.rate
    if not np.isfinite(rate).any():
        return -1
    return int(np.nanargmin(rate) if direction == "worse" else np.nanargmax(rate))
