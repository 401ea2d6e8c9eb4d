"""What a page says of an attribute that was measured with error: the table by true values, and what it rests on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fairgroups.words import compared, points

if TYPE_CHECKING:
    from fairgroups.audits.measurement_error import Corrected
    from fairgroups.audits.result import Audit

__all__ = ["corrected_lines", "corrected_table", "corrected_title", "known_from"]


def corrected_title(audit: Audit) -> str:
    """Return the heading of the section."""
    return f"By the true {audit.data.names}"


def corrected_table(audit: Audit) -> dict[str, Any] | None:
    """Return each group's difference as seen and by the true values, as texts; None where there is none."""
    corrected = audit.corrected
    if corrected is None or not corrected.groups:
        return None
    percent = audit.data.percent
    rows = []
    for one in corrected.groups:
        known = math.isfinite(one.phi)
        true = compared(one.phi, one.low, one.high, percent=percent, alone=False) if known else ("–", "")
        rows.append([(one.label, ""), (points(one.seen, percent=percent), ""), true, (f"{100 * one.share:.0f}%", "")])
    unit = " In percentage points." if percent else ""
    return {
        "heads": ["Group", "Difference as measured", "By the true values", f"Share of {audit.data.unit}"],
        "rows": rows,
        "note": f"Differences are from {audit.data.everybody}.{unit} Below a difference: its "
        f"{audit.settings.percent_level} interval. The share is of {audit.data.unit} whose true value is in the group.",
    }


def corrected_lines(audit: Audit) -> list[str]:
    """Say where the error is known from, what would follow from another, and what all of it rests on."""
    corrected = audit.corrected
    if corrected is None:
        return []
    lines = [known_from(corrected, audit)]
    if corrected.curve:
        lines.append(_if_otherwise(corrected, audit))
    follows = "If the outcome itself follows the measured value, as a camera's exposure may move both, the correction "
    if corrected.drift:
        each = points(corrected.drift, percent=audit.data.percent)
        lines.append(
            f"Among rows of the same {audit.settings.cluster} the rate goes with the measured value, too: {each} for "
            f"one unit of {audit.data.names}. That part follows the measurement, not the {audit.settings.cluster}, and "
            "was taken out."
        )
    elif corrected.source != "cluster":
        lines.append(f"{follows}overstates; rows of the same person (cluster, reliability='cluster') would tell.")
    lines.append("This takes errors to be normal, and as large for all of the same true value as is said here.")
    return lines


def known_from(corrected: Corrected, audit: Audit) -> str:
    """Say how large the error is, and where that is known from."""
    error = f"{corrected.error:.3g} of {audit.data.names}"
    share = f"{corrected.reliability:.2f}"
    if corrected.source == "cluster":
        ends = f"{corrected.reliability_low:.2f} to {corrected.reliability_high:.2f}"
        return (
            f"Rows of the same {audit.settings.cluster} differ with a standard deviation of {error}: the reliability "
            f"of one measurement is {share} ({audit.settings.percent_level} interval {ends})."
        )
    if corrected.source == "error":
        return f"The errors that were given, {error} on average (root mean square), make a reliability of {share}."
    return f"The reliability that was given, {share}, makes the standard deviation of the error {error}."


def _if_otherwise(corrected: Corrected, audit: Audit) -> str:
    first = max(range(len(corrected.groups)), key=lambda k: abs(corrected.groups[k].seen))
    said = [
        f"{points(one.phi[first], percent=audit.data.percent)} at {one.reliability:.2f}"
        for one in corrected.curve
        if math.isfinite(one.phi[first])
    ]
    return f"By reliability, the difference of {corrected.groups[first].label} would be {', '.join(said)}."
