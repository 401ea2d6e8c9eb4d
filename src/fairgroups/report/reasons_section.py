"""What a page says of factors that were held equal: the table, how each entered, what carried, and the caution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fairgroups.evidence.at_equal import LEAST_OVERLAP
from fairgroups.words import compared, listed, plain_points, points, sentence, size

if TYPE_CHECKING:
    from fairgroups.audits.reasons import Reasons
    from fairgroups.audits.result import Audit
    from fairgroups.rows.strata import Factor

__all__ = ["CAUTION", "held_equal", "reasons_lines", "reasons_table", "reasons_title"]

CAUTION = (
    "“Goes with the factors” does not mean “justified”: a factor may itself be the product of discrimination. And a "
    "factor that is a consequence of the attribute, or of the decision, can hide a difference or create one when it is "
    "held equal."
)


def reasons_title(audit: Audit) -> str:
    """Return the heading of the section."""
    assert audit.reasons is not None
    return f"At equal {audit.reasons.names}"


def reasons_table(audit: Audit) -> dict[str, Any] | None:
    """Return each group's difference split in two, as texts; None where nothing was held equal."""
    reasons = audit.reasons
    if reasons is None or len(audit.records) < 2:
        return None
    percent = audit.data.percent
    heads = [
        "Group",
        f"Difference from {audit.data.everybody}",
        "Goes with the factors",
        "Does not",
        f"Against comparable {audit.data.unit}",
        "Comparable",
    ]
    rows = []
    for one in reasons.groups:
        alone = one.low == one.high == 0
        cells = [(one.label, "")]
        cells.append(compared(one.difference, one.low, one.high, percent=percent, alone=alone))
        cells.append((points(one.explained, percent=percent), ""))
        for value, low, high in (
            (one.unexplained, one.unexplained_low, one.unexplained_high),
            (one.matched, one.matched_low, one.matched_high),
        ):
            known = math.isfinite(low)
            cells.append(compared(value, low, high, percent=percent, alone=alone) if known else ("–", ""))
        cells.append((f"{100 * one.overlap:.0f}%", ""))
        rows.append(cells)
    unit = " In percentage points." if percent else ""
    note = (
        f"Below a difference is its {audit.settings.percent_level} interval.{unit} The first is the sum of the next "
        f"two. The fourth compares with {audit.data.unit} outside the group who are alike in the factors (Mantel and "
        "Haenszel); “does not” is smaller, because the group's own outcomes are part of the average that it "
        f"is compared with. Comparable: how much of the comparison remains among {audit.data.unit} who are alike; "
        f"below {100 * LEAST_OVERLAP:.0f}% there is nobody to compare with."
    )
    return {"heads": heads, "rows": rows, "note": note}


def held_equal(reasons: Reasons) -> str:
    """Say what was held equal, and how."""
    if reasons.how == "model":
        names = listed([factor.name for factor in reasons.factors])
        return (
            f"{names}, by the scores of a cross-fitted model of the outcome and one of the attribute, in "
            f"{reasons.strata:,} strata"
        )
    return f"{listed([_entered(factor) for factor in reasons.factors])}: {reasons.strata:,} strata"


def _entered(factor: Factor) -> str:
    if factor.kind == "bins":
        return f"{factor.name} ({factor.parts} bins of about equally many)"
    return f"{factor.name} ({factor.parts} {factor.kind})"


def reasons_lines(audit: Audit) -> list[str]:
    """Say in one line each what was held equal, who has nobody comparable, what each factor carries; and caution."""
    reasons = audit.reasons
    if reasons is None:
        return []
    said = [f"Held equal: {held_equal(reasons)}."]
    alone = sum(one.alone for one in reasons.groups)
    if len(audit.records) > 1 and audit.settings.weight is None:
        few = f"{alone:,.0f} {audit.data.unit}" if alone >= 1 else "none"
        said.append(f"{sentence(audit.data.unit)} with nobody comparable outside their group: {few}.")
    carried = _carried(audit, reasons)
    if carried:
        said.append(carried)
    return [*said, CAUTION]


def _carried(audit: Audit, reasons: Reasons) -> str:
    """Say of the group that differs most what would be left without each factor."""
    harmed = [k for k in audit.finding.groups if audit.records[k].verdict == "disadvantaged"]
    named = harmed or list(audit.finding.groups)  # as the conclusion does
    if not named or len(reasons.factors) < 2 or not all(factor.without for factor in reasons.factors):
        return ""
    k, percent = named[0], audit.data.percent
    one = reasons.groups[k]
    each = [
        f"{plain_points(abs(factor.without[k]), percent=percent)} without {factor.name}" for factor in reasons.factors
    ]
    left = size(abs(one.unexplained), percent=percent)
    return f"{sentence(one.label)}: {left} are left unexplained by all factors together; they would be {listed(each)}."
