"""What a page says besides the finding: limits, verdicts, data, method, glossary, how to repeat it."""

from __future__ import annotations

import math
import platform
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairgroups import __version__
from fairgroups.audits.conclusion import bordered_attributes
from fairgroups.evidence.verdict import DIFFERENT
from fairgroups.report.measurement_error_section import known_from
from fairgroups.report.reasons_section import held_equal
from fairgroups.words import amount, sentence, size

if TYPE_CHECKING:
    from fairgroups.audits.records import Attribute
    from fairgroups.audits.result import Audit, JointAudit

__all__ = [
    "PAPER",
    "cannot_say",
    "data_facts",
    "everybody_line",
    "glossary",
    "meanings",
    "method_facts",
    "rate_meaning",
    "rate_table",
    "ratio_name",
    "shell_call",
    "title_of",
    "versions",
]

PAPER = (
    "Shilova, Malherbe, Palma, Risser and Loubes: Fairness-Aware Grouping for Continuous Sensitive Variables. "
    "ECAI 2025."
)
_INTERVALS = {"band": "band over all {shapes}", "crossfit": "cross-fitting", "plugin": "plug-in (delta method)"}
_NAMED = "score intervals (Newcombe; Miettinen and Nurminen) that hold for all groups at once"
_MEANINGS = {
    "statistical_parity": "the share of people with {yes}",
    "equal_opportunity": "among those with {truth} = yes, the share with {yes}",
    "predictive_equality": "among those with {truth} = no, the share with {yes}",
    "error_rate": "the share of people whose {outcome} is not their {truth}",
    "precision": "among those with {yes}, the share with {truth} = yes",
    "mean": "the average of {outcome}",
    "calibration": "the average of {truth} minus {outcome}: above 0, {outcome} promises too little",
}


def title_of(audit: Audit | JointAudit) -> str:
    """Return the report's title: the user's own, or what is audited by what."""
    settings = audit.settings
    return settings.title or f"Fairness audit of {settings.outcome_said} by {audit.data.names}"


def ratio_name(audit: Audit) -> str:
    """Name what ratios are to."""
    if audit.settings.against == "reference":
        return f"Ratio to {audit.settings.whom}"
    return "Ratio to the highest rate" if audit.measure.direction == "neutral" else "Ratio to the best group"


def everybody_line(audit: Audit) -> str:
    """Say everybody's rate, how many rows it rests on, and what the verdicts' margin is."""
    percent, rows = audit.data.percent, audit.data.rows_judged
    counted = sum(record.counted for record in audit.records)
    plain = audit.settings.weight is None and audit.settings.cluster is None
    shown = f"{rows:,} rows"
    if plain and round(counted) < rows:
        shown = f"{counted:,.0f} of {rows:,} rows count in this rate"
    gap = size(audit.settings.relevant_gap, percent=percent)
    said = f"{sentence(audit.data.everybody)}: {amount(audit.overall, percent=percent)} ({shown}). "
    said += "Differences are computed before rounding."
    if any(record.verdict == "no relevant difference" for record in audit.records):
        said += f" No relevant difference: within ± {gap}, {audit.settings.margin_said}."
    return said


def rate_table(audit: Audit) -> dict[str, Any] | None:
    """Return every rate of the groups side by side, as texts; None where there is one rate only."""
    if not audit.rates:
        return None
    heads = ["Group", sentence(audit.data.unit), *(sentence(column.rate) for column in audit.rates)]
    rows = []
    for k, record in enumerate(audit.records):
        row = [(record.label, ""), (f"{record.n:,}", "")]
        for column in audit.rates:
            one = column.groups[k]
            ends = [amount(x, percent=column.percent).removesuffix("%") for x in (one.low, one.high)]
            known = not math.isnan(one.rate)
            row.append((amount(one.rate, percent=column.percent), f"{ends[0]} to {ends[1]}" if known else ""))
        rows.append(row)
    if len(rows) > 1:  # else the one group is everybody
        every = [(amount(column.overall, percent=column.percent), "") for column in audit.rates]
        rows.append([(audit.data.everybody, ""), (f"{sum(r.n for r in audit.records):,}", ""), *every])
    level = audit.settings.percent_level
    note = (
        f"Below each rate is its {level} interval. The intervals of one column hold at once for all groups, but not "
        "across columns."
    )
    if any(math.isnan(one.rate) and one.counted > 0 for column in audit.rates for one in column.groups):
        note += f" –: too few {audit.data.unit} count for the rate to be told (min_cell)."
    return {"heads": heads, "rows": rows, "note": note}


def cannot_say(audit: Audit | JointAudit) -> list[str]:
    """List what may not be concluded from the audit."""
    percent, unit = audit.data.percent, audit.data.unit
    settings, name = audit.settings, audit.data.names
    said = []
    for part in audit.parts:
        unclear = [r for r in part.records if r.verdict == "not enough evidence"]
        if unclear and len(part.records) > 1:
            labels = [r.label for r in unclear]
            listed = "; ".join(labels[:4]) + (f"; and {len(labels) - 4} more" if len(labels) > 4 else "")
            which = f" in their {part.measure.rate}" if len(audit.parts) > 1 else ""
            said.append(
                f"Whether there is a difference from {settings.whom}{which} for: {listed}. “Not enough evidence” does "
                "not mean “fair”."
            )
    first = audit.parts[0]
    noticed = [d for d in first.detectable if math.isfinite(d.difference)]
    if noticed and not settings.groups_given:
        least = min(noticed, key=lambda d: abs(d.share - 0.1))
        whom = audit.data.everybody if first.reasons is None else first.settings.whom
        said.append(
            f"Small differences: in a {audit.data.shape} with {100 * least.share:g}% of the {unit}, one of "
            f"{size(least.difference, percent=percent)} from {whom} would be shown in 80 of 100 such "
            "samples, a smaller one less often."
        )
    elif not noticed and len(first.records) == 1:
        if audit.verdict in ("different", "depends"):
            said.append("Which groups differ, and by how much: this data is too small to show it.")
        else:
            said.append("Anything about differences: this data is too small, or too uniform, to show any.")
    shown = [r for part in audit.parts for r in part.records if r.verdict in DIFFERENT]
    if first.reasons is not None and (shown or audit.verdict == "depends"):
        names = first.reasons.names
        said.append(f"Why differences are left at equal {names}, and whether those that go with {names} are justified.")
    elif shown or audit.verdict in ("different", "depends"):
        used = _used(audit)
        parts = [part for part in audit.parts if part.verdict in ("different", "depends")] or audit.parts
        rates, several = " and the ".join(part.measure.rate for part in parts), len(parts) > 1
        differ = f"{'differ' if several else 'differs'} between groups formed by {used}"
        differ = differ if used else f"{'vary' if several else 'varies'} with {name}"
        said.append(
            f"Why there are differences. The audit shows that the {rates} {differ}; it shows neither the cause nor "
            "whether a reason justifies it."
        )
    else:
        said.append(
            f"That all {audit.data.unit} are treated alike: a difference may exist that this data does not show."
        )
    if settings.truth:
        said.append(f"Whether {settings.truth} is itself fair: it is taken as recorded, with any bias in it.")
    which = "whom" if unit == "people" else "which"
    said.append(
        f"Anything about {unit} {which} these rows do not represent, or about attributes and measures not "
        "looked at. The "
        f"intervals take the rows as a random sample of the {unit} they stand for."
    )
    return said


def _used(audit: Audit | JointAudit) -> str:
    """Name the attributes that have a border: nothing is shown of the others."""
    bordered = bordered_attributes(audit.partition)
    return " and ".join(a.said for d, a in enumerate(audit.data.attributes) if d in bordered)


def rate_meaning(audit: Audit) -> str:
    """Say in words what the rate is; nothing for a measure of the user's own."""
    words = _MEANINGS.get(audit.measure.name)
    if words is None:
        return ""
    settings = audit.settings
    least = settings.asked.get("threshold")
    yes = f"{settings.outcome_said} = yes" if least is None else f"{settings.outcome_said} of {least:g} or more"
    said = (
        words.replace("{yes}", yes).replace("{outcome}", settings.outcome_said).replace("{truth}", str(settings.truth))
    )
    if audit.data.unit != "people":
        said = said.replace("of people", f"of {audit.data.unit}")
    return f"{audit.measure.rate[:1].upper()}{audit.measure.rate[1:]}: {said}."


def meanings(audit: Audit | JointAudit) -> list[tuple[str, str]]:
    """Explain the verdicts."""
    gap = size(audit.settings.relevant_gap, percent=audit.data.percent)
    level = audit.settings.percent_level
    whose = f"that of {audit.settings.whom}"
    shown = []
    for part in audit.parts:
        lower, higher = {
            "better": ("disadvantaged", "advantaged"),
            "worse": ("advantaged", "disadvantaged"),
            "neutral": ("lower", "higher"),
        }[part.measure.direction]
        rate = part.measure.rate
        shown += [
            (lower, f"The group's {rate} is shown to be lower than {whose}: the {level} interval lies below 0."),
            (higher, f"The group's {rate} is shown to be higher than {whose}: the interval lies above 0."),
        ]
    words = [
        *shown,
        (
            "no relevant difference",
            (
                f"The interval includes 0 and lies within ± {gap}, the margin of this audit, which is no legal "
                "threshold. This is about the group's average: parts of it may still differ."
            ),
        ),
        (
            "depends",
            f"The rate varies with the attribute, but this data does not show which {audit.data.shape} differs.",
        ),
        (
            "no difference found",
            (
                f"No {audit.data.shape} is shown to differ. In 80 of 100 such samples the data would have shown a "
                f"difference of {size(audit.settings.relevant_gap, percent=audit.data.percent)} in half of the "
                f"{audit.data.unit}. Smaller ones, and those of smaller {_shapes(audit)}, may exist."
            ),
        ),
        ("reference", "The group that the others are compared with."),
        (
            "nobody to compare with",
            "Hardly anybody outside the group is alike in the factors: no comparison, and no statement.",
        ),
        ("not enough evidence", "The data allows neither statement. This is not a finding of fairness."),
    ]
    present = {record.verdict for part in audit.parts for record in part.records} | {audit.verdict}
    always = ("no relevant difference", "not enough evidence")
    return [(word, what) for word, what in dict.fromkeys(words) if word in present or word in always]


def data_facts(audit: Audit | JointAudit) -> list[tuple[str, str]]:
    """Say what was read, what was left out and why."""
    settings, data = audit.settings, audit.data
    dropped, private = data.dropped, settings.asked.get("private") is not None
    left_out = ", ".join(f"{count:,} without {name}" for name, count in dropped.items())
    policy = {"error": "none allowed", "drop": "left out", "group": "a group of their own"}[settings.missing]
    facts = [
        ("Data", data.source),
        ("Rows used", f"{data.rows:,}"),
        (
            "Rows left out",
            f"{sum(dropped.values()):,} ({left_out})" if dropped else "not counted" if private else "none",
        ),
        ("Missing values", "left out" if private else policy),
        *(("Read", line) for line in data.converted),
        *(("Attribute", _attribute(attribute)) for attribute in data.attributes),
        ("Outcome", settings.outcome_label + (f", compared with {settings.truth}" if settings.truth else "")),
        *([("Counted as yes", settings.positive)] if settings.positive is not None else []),
        ("Weights", settings.weight or "none"),
        *([("Rows that belong together", f"by {settings.cluster}")] if settings.cluster else []),
    ]
    return [(name, str(value)) for name, value in facts]


def method_facts(audit: Audit | JointAudit) -> list[tuple[str, str]]:
    """Say how groups were found and judged."""
    settings = audit.settings
    facts = []
    for part in audit.parts:
        measure = f"{part.measure.name} ({part.measure.rate})"
        if part.measure.direction != "neutral":
            measure += f"; a higher value is {part.measure.direction} for the {audit.data.unit} concerned"
        variance = f"{part.variance:.4g}"
        if math.isfinite(part.explained) and len(part.records) > 1:
            most = 100 if part.selection is None or part.selection.settled else 99
            share = min(100 * part.explained, most)
            variance += f"; the groups capture about {share:.0f}% of the dependence on {audit.data.names}"
        facts += [("Measure", measure), ("Variance of Φ", variance)]
    return [
        *facts,
        ("Groups", _how_found(audit)),
        ("Intervals", f"{_intervals(audit)}, level {settings.percent_level}"),
        ("Compared with", settings.whom),
        *([("Held equal", held_equal(first.reasons))] if (first := audit.parts[0]).reasons is not None else []),
        *([("Error of measurement", known_from(first.corrected, first))] if first.corrected is not None else []),
    ]


def _intervals(audit: Audit | JointAudit) -> str:
    settings = audit.settings
    if not settings.groups_given or settings.inference == "plugin":
        return _INTERVALS[settings.inference].format(shapes=_shapes(audit))
    if audit.parts[0].reasons is not None:
        return "Mantel and Haenszel's differences, for all groups at once"
    return _NAMED if settings.bounded else "Welch's, for all groups at once"


def _shapes(audit: Audit | JointAudit) -> str:
    return "ranges" if len(audit.data.attributes) == 1 else "boxes"


def glossary(audit: Audit | JointAudit, *, repaired: bool) -> list[tuple[str, str]]:
    """Explain the words of the page, with formulas."""
    rates = " and the ".join(part.measure.rate for part in audit.parts)
    words = [
        ("Rate", f"A/B, summed over a group: here the {rates}. Weights multiply both."),
        (
            "Φ",
            "The group's rate minus that of all: Φ(k) = A(k)/B(k) − A/B. Against the rest: minus that of all others.",
        ),
        (
            "Var Φ",
            (
                "Σ w(k) Φ(k)², w being the groups' shares of B: how far apart groups are. FairGroups "
                "finds the ranges for which it is largest."
            ),
        ),
        *_reasons_words(audit),
        *_band_word(audit),
        (
            "Usual interval",
            (
                "Estimate ± z standard errors (1.96 at 95%), by the delta method: suitable for a single group named in "
                "advance, too narrow for one that was searched for."
            ),
        ),
        (
            ratio_name(audit.parts[0]),
            (
                "The group's rate divided by that one's. The four-fifths rule of thumb of the US guidelines on "
                "employee selection (29 CFR 1607.4(D)) compares selection rates with the highest, by race, sex or "
                "ethnic group; it is not for age, is no test, and has no interval."
            ),
        ),
        (
            "In 80 of 100 samples",
            "The smallest true difference that would be shown in four of five such samples.",
        ),
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


def _reasons_words(audit: Audit | JointAudit) -> list[tuple[str, str]]:
    """Explain the words of comparisons at equal factors."""
    if audit.parts[0].reasons is None:
        return []
    return [
        (
            "Unexplained",
            (
                "U/B, U being the sum over the group of each outcome minus the rate of the person's stratum: with the "
                "explained part it adds up to the difference from everybody."
            ),
        ),
        (
            "Matched difference",
            (
                "Mantel and Haenszel's: in each stratum the group's rate minus that of the others, weighted by "
                "n m/(n + m) for n people of the group and m others. Its square in standard errors is Cochran's "
                "statistic."
            ),
        ),
    ]


def _band_word(audit: Audit | JointAudit) -> list[tuple[str, str]]:
    """Explain the intervals that the page uses."""
    if audit.settings.inference != "band" or audit.settings.groups_given:
        return []
    if audit.parts[0].reasons is not None:
        shapes = _shapes(audit)
        what = (
            f"Intervals that hold for all {shapes} at once. Outcomes are dealt out again among people who are alike in "
            f"the factors; how far the matched difference of any of the {shapes} then gets, in standard errors, is "
            "what is allowed for."
        )
        return [("Band", what)]
    what = "Intervals that hold for all ranges of the attribute at once."
    if len(audit.data.attributes) > 1:
        what = "Intervals that hold at once for all boxes whose sides lie between the cells of a grid."
    if audit.settings.bounded:
        what += (
            " A range of n of N rows with the rate r may have any true rate μ with √(2 n kl(r, μ)) ≤ q + "
            "√(2 log(eN/n)), or 0.6 of that root where there are few values, kl(r, μ) = r log(r/μ) + "
            "(1 − r) log((1 − r)/(1 − μ)); q is calibrated at a uniform rate so that all ranges keep to it at "
            "the level of the audit; "
            "docs/band.md holds simulations with rates that vary."
        )
    else:
        what += (
            " A range of n of N rows with the mean m may have any true mean within (q + √(2 log(eN/n))) s/√n of it, s "
            "being how far values scatter there; q is calibrated so that all ranges keep to it at the audit's level."
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
    from fairgroups.quoting import without_password

    said = [Path(one).name if one.startswith("/") and Path(one).name else without_password(one) for one in arguments]
    return shlex.join(["fairgroups", *said])


def _how_found(audit: Audit | JointAudit) -> str:
    settings = audit.settings
    if settings.groups_given:
        return "given in advance"
    how = "exact search" if settings.exact else "beam search"
    n = audit.partition.n_groups
    if n == 1:
        return f"none told apart, by an {how}" if settings.exact else f"none told apart, by a {how}"
    shape = "ranges" if audit.partition.is_line else "boxes"
    if settings.n_cells:
        how += f" on {settings.n_cells} cells"
    return f"{n} {shape} with the largest variance of Φ, {how}"


def _attribute(attribute: Attribute) -> str:
    if attribute.levels is not None:
        return f"{attribute.title}: {', '.join(attribute.levels)}"
    ends = f"from {attribute.low:g} to {attribute.high:g}"
    if attribute.rounded:
        ends = f"between {attribute.low:g} and {attribute.high:g} (rounded, so that the ends identify nobody)"
    return f"{attribute.title}, {ends}, {attribute.distinct:,} different values"
