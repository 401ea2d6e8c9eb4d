"""What a page says besides the finding: limits, verdicts, data, method, glossary, how to repeat it."""

from __future__ import annotations

import math
import platform
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from fairgroups import __version__
from fairgroups.evidence.verdict import DIFFERENT
from fairgroups.words import size

if TYPE_CHECKING:
    from fairgroups.audits.records import Attribute
    from fairgroups.audits.result import Audit, JointAudit

__all__ = [
    "PAPER",
    "cannot_say",
    "data_facts",
    "glossary",
    "meanings",
    "method_facts",
    "rate_meaning",
    "shell_call",
    "versions",
]

PAPER = (
    "Shilova, Malherbe, Palma, Risser and Loubes: Fairness-Aware Grouping for Continuous Sensitive Variables. "
    "ECAI 2025."
)
_INTERVALS = {"band": "band over all ranges", "crossfit": "cross-fitting", "plugin": "plug-in (delta method)"}
_MEANINGS = {
    "statistical_parity": "the share of people whose {outcome} is yes",
    "equal_opportunity": "among those whose {truth} is yes, the share whose {outcome} is yes",
    "predictive_equality": "among those whose {truth} is no, the share whose {outcome} is yes",
    "error_rate": "the share of people whose {outcome} is not their {truth}",
    "precision": "among those whose {outcome} is yes, the share whose {truth} is yes",
    "mean": "the average of {outcome}",
    "calibration": "the average of {truth} minus {outcome}: above 0, {outcome} promises too little",
}


def cannot_say(audit: Audit | JointAudit) -> list[str]:
    """List what may not be concluded from the audit."""
    percent = audit.data.percent
    settings, name = audit.settings, audit.settings.attributes
    said = []
    for part in audit.parts:
        unclear = [r.label for r in part.records if r.verdict == "not enough evidence"]
        if unclear and len(part.records) > 1:
            listed = "; ".join(unclear[:4]) + (f"; and {len(unclear) - 4} more" if len(unclear) > 4 else "")
            which = f" in their {part.measure.rate}" if len(audit.parts) > 1 else ""
            said.append(
                f"Whether these are treated differently{which}: {listed}. Not enough evidence is not a finding of "
                "fairness."
            )
    first = audit.parts[0]
    noticed = [d for d in first.detectable if math.isfinite(d.difference)]
    if noticed:
        least = min(noticed, key=lambda d: abs(d.share - 0.1))
        said.append(
            f"Small differences: among {100 * least.share:g} % of the people, one of less than "
            f"{size(least.difference, percent=percent)} could have gone unnoticed."
        )
    elif len(first.records) == 1:
        said.append("Anything about differences: in this data none could have been noticed.")
    shown = [r for part in audit.parts for r in part.records if r.verdict in DIFFERENT]
    if shown:
        said.append(
            f"Why groups differ. The audit shows that {settings.outcome} goes with {name}; it does not show what "
            "causes it, nor whether a reason justifies it."
        )
    else:
        said.append("That everybody is treated alike: not having shown a difference is not having shown that none is.")
    if settings.truth:
        said.append(f"Whether {settings.truth} is itself fair: it is taken as recorded, with any bias in it.")
    said.append("Anything about people who are not in the data, or about attributes and measures not looked at.")
    return said


def rate_meaning(audit: Audit) -> str:
    """Say in words what the rate is; nothing for a measure of the user's own."""
    words = _MEANINGS.get(audit.measure.name)
    if words is None:
        return ""
    settings = audit.settings
    said = words.replace("{outcome}", str(settings.outcome)).replace("{truth}", str(settings.truth))
    return f"{audit.measure.rate[:1].upper()}{audit.measure.rate[1:]}: {said}."


def meanings(audit: Audit | JointAudit) -> list[tuple[str, str]]:
    """Explain the verdicts."""
    gap = size(audit.settings.relevant_gap, percent=audit.data.percent)
    level, whose = audit.settings.percent_level, audit.settings.whose
    shown = []
    for part in audit.parts:
        lower, higher = {
            "better": ("disadvantaged", "advantaged"),
            "worse": ("advantaged", "disadvantaged"),
            "neutral": ("below", "above"),
        }[part.measure.direction]
        rate = part.measure.rate
        shown += [
            (lower, f"The group's {rate} is shown to be lower than {whose}: the {level} interval lies below 0."),
            (higher, f"The group's {rate} is shown to be higher than {whose}: the interval lies above 0."),
        ]
    return [
        *shown,
        (
            "no relevant difference",
            (
                f"The interval includes 0 and lies within ± {gap}. This is about the group's average: "
                "people inside it may still be treated differently."
            ),
        ),
        (
            "no discrimination found",
            (
                "No range of the attribute is shown to differ from everybody. Smaller differences than the sample can "
                "show may exist."
            ),
        ),
        ("not enough evidence", "The data allows neither statement. This is not a finding of fairness."),
    ]


def data_facts(audit: Audit | JointAudit) -> list[tuple[str, str]]:
    """Say what was read, what was left out and why."""
    settings, data = audit.settings, audit.data
    dropped = data.dropped
    left_out = ", ".join(f"{count:,} without {name}" for name, count in dropped.items())
    policy = {"error": "none allowed", "drop": "left out", "group": "a group of their own"}[settings.missing]
    facts = [
        ("Data", data.source),
        ("Rows used", f"{data.rows:,}"),
        ("Rows left out", f"{sum(dropped.values()):,} ({left_out})" if dropped else "none"),
        ("Missing values", policy),
        *(("Attribute", _attribute(attribute)) for attribute in data.attributes),
        ("Outcome", settings.outcome + (f", compared with {settings.truth}" if settings.truth else "")),
        *([("Counted as yes", settings.positive)] if settings.positive is not None else []),
        ("Weights", settings.weight or "none"),
        *([("Rows that belong together", f"by {settings.cluster}")] if settings.cluster else []),
    ]
    return [
        (name, str(value).replace(",", "\u202f") if name.startswith("Rows") else str(value)) for name, value in facts
    ]


def method_facts(audit: Audit | JointAudit) -> list[tuple[str, str]]:
    """Say how groups were found and judged."""
    settings = audit.settings
    facts = []
    for part in audit.parts:
        measure = f"{part.measure.name} ({part.measure.rate})"
        if part.measure.direction != "neutral":
            measure += f"; a higher value is {part.measure.direction} for the person"
        variance = f"{part.variance:.4g}"
        if math.isfinite(part.explained):
            variance += f"; the groups capture {100 * part.explained:.0f} % of the dependence on {settings.attributes}"
        facts += [("Measure", measure), ("Variance of Φ", variance)]
    return [
        *facts,
        ("Groups", _how_found(audit)),
        ("Intervals", f"{_INTERVALS[settings.inference]}, level {settings.percent_level}"),
        ("Compared with", settings.whom),
    ]


def glossary(audit: Audit | JointAudit, *, repaired: bool) -> list[tuple[str, str]]:
    """Explain the words of the page, with formulas."""
    rates = " and the ".join(part.measure.rate for part in audit.parts)
    words = [
        ("Rate", f"A/B, summed over a group's people: here the {rates}. Weights multiply both."),
        (
            "Φ",
            "The group's rate minus everybody's: Φ(k) = A(k)/B(k) − A/B. Against the rest: minus that of all others.",
        ),
        (
            "Var Φ",
            (
                "Σ w(k) Φ(k)², w being the groups' shares of B: how far apart a partition sets people. FairGroups "
                "finds the ranges for which it is largest; K-Means (the paper's baseline) joins stretches with similar "
                "rates, wherever they lie."
            ),
        ),
        *_band_word(audit),
        (
            "Usual interval",
            (
                "Estimate ± 1.96 standard errors, by the delta method: right for a group named in advance, too narrow "
                "for one searched for."
            ),
        ),
        (
            "Ratio to the best group",
            (
                "The group's rate over the best group's. Where a higher rate is better for people, the four-fifths "
                "rule of thumb asks for at least 0.80; it is no test, and says nothing of how sure a ratio is. Where a "
                "higher rate is worse, ratios are 1 or more, and the rule does not apply."
            ),
        ),
        ("Gap", "The highest group's rate minus the lowest one's."),
    ]
    if repaired:
        words += [
            (
                "Repair",
                "Scores moved as little as possible until groups differ by at most the allowed gap at any threshold.",
            ),
            (
                "HGR",
                "The largest correlation of any function of the score with any of the attribute: 0 is independence.",
            ),
        ]
    return words


def _band_word(audit: Audit | JointAudit) -> list[tuple[str, str]]:
    """Explain the intervals that the page uses."""
    if audit.settings.inference != "band":
        return []
    what = "Intervals that hold for all ranges of the attribute at once."
    if audit.settings.bounded:
        what += (
            " A range of n of N rows with the rate r may have any true rate μ with √(2 n kl(r, μ)) ≤ q + "
            "√(2 log(eN/n)), kl(r, μ) = r log(r/μ) + (1 − r) log((1 − r)/(1 − μ)); q is such that on data without "
            "differences all ranges keep it in 95 of 100 cases, or whatever the level is."
        )
    else:
        what += (
            " A range of n of N rows with the mean m may have any true mean within (q + √(2 log(eN/n))) s/√n of it, s "
            "being how far values scatter there; q is such that on data without differences all ranges keep it."
        )
    return [("Band", what)]


def versions() -> str:
    """Say what it was made with."""
    import altair as alt
    import numpy as np
    import scipy

    return (
        f"fairgroups {__version__}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}, Altair {alt.__version__}"
    )


def shell_call(arguments: list[str]) -> str:
    """Write a command line as it may be typed again, without a password and without the folders of files."""
    from fairgroups.sql import without_password

    said = [Path(one).name if one.startswith("/") and Path(one).name else without_password(one) for one in arguments]
    return shlex.join(["fairgroups", *said])


def _how_found(audit: Audit | JointAudit) -> str:
    settings = audit.settings
    if settings.groups_given:
        return "given in advance"
    shape = "ranges" if audit.partition.is_line else "boxes"
    how = "exact search" if settings.exact else "beam search"
    if settings.n_cells:
        how += f" on {settings.n_cells} cells"
    return f"{audit.partition.n_groups} {shape} with the largest variance of Φ, {how}"


def _attribute(attribute: Attribute) -> str:
    if attribute.levels is not None:
        return f"{attribute.name}: {', '.join(attribute.levels)}"
    ends = f"from {attribute.low:g} to {attribute.high:g}"
    return f"{attribute.name}, {ends}, {attribute.distinct:,} different values"
