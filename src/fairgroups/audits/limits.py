"""Limits that a user sets on the differences between groups, and whether they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairgroups.audits.options import AuditOptions
from fairgroups.audits.records import Limit
from fairgroups.errors import InputError
from fairgroups.evidence.comparison import Comparison
from fairgroups.evidence.limit_verdict import (
    LimitVerdict,
    limit_of_groups,
    limit_of_harm,
    limit_of_ratios,
    wide_ranges,
    worst_limit,
)
from fairgroups.measures import Direction

if TYPE_CHECKING:
    from fairgroups.audits.assemble import Judged

__all__ = ["limits_of"]

Array = NDArray[np.float64]


def limits_of(
    judged: Judged, at: int, compared: Comparison, direction: Direction, options: AuditOptions
) -> tuple[Limit, ...]:
    """Whether each limit that was set is kept: by the groups, and by every range that groups might hide."""
    evidence = judged.evidence[at]
    if options.max_harm is not None and direction == "neutral":
        if options.favourable is not None:
            raise InputError(
                "`max_harm` needs a rate that is better or worse to have, and this one is neither in itself.",
                "use max_gap (--max-gap), or another measure.",
            )
        raise InputError(
            "`max_harm` needs to know what harms a person.",
            "say whether the outcome is good to receive: favourable=True or False (--favourable, --unfavourable).",
        )
    if options.max_gap is None and options.max_harm is None and options.min_ratio is None:
        return ()
    alone = judged.partition.n_groups == 1
    # Groups that the data chose must not hide a range: those with a tenth of the people keep the limit, too.
    hidden = not judged.named and (alone or judged.chosen)
    ranges = wide_ranges(evidence.band) if hidden and evidence.band is not None else None
    others = () if judged.narrowed is None else judged.narrowed.ends(at)
    out = []
    for name in ("max_gap", "max_harm", "min_ratio"):
        limit = getattr(options, name)
        if limit is None:
            continue
        found: list[LimitVerdict] = []
        if not alone:
            ratios = compared.ratio_low, compared.ratio_high
            found.append(_kept(name, limit, direction, (compared.low, compared.high), ratios))
        if ranges is not None:
            most, least = np.nanmax(ranges.rate_low), np.nanmin(ranges.rate_high)
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.array([np.nanmin(ranges.rate_low) / np.nanmax(ranges.rate_high)]), np.array([least / most])
            found.append(_kept(name, limit, direction, (ranges.low, ranges.high), ratio))
        if others and (judged.held is not None or name == "min_ratio"):  # they were not looked at so
            found.append("not enough evidence")
        elif others:
            found.append(_kept(name, limit, direction, others, ()))
        out.append(Limit(name, float(limit), worst_limit(found) or "not enough evidence"))
    return tuple(out)


def _kept(
    name: str, limit: float, direction: Direction, differences: tuple[Array, Array], ratios: tuple[Array, ...]
) -> LimitVerdict:
    if name == "min_ratio":
        low, high = (np.nan_to_num(x, nan=y) for x, y in zip(ratios, (0.0, np.inf), strict=True))
        return limit_of_ratios(np.maximum(low, 0.0), high, limit)
    low, high = (np.nan_to_num(x, nan=y) for x, y in zip(differences, (-np.inf, np.inf), strict=True))
    if name == "max_harm":
        return limit_of_harm(low, high, direction, limit)
    return limit_of_groups(low, high, limit)
