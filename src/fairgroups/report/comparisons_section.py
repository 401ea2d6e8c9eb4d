"""What a report says of comparisons: in classes named in advance, since an earlier audit, from period to period."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairgroups.words import amount, compared, counted, listed, points, ratio_said, sentence, size

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit

__all__ = ["ComparisonSection", "comparison_sections"]

MANY = 6  # periods: of more, longer ones are suggested


@dataclass(frozen=True)
class ComparisonSection:
    """One comparison: its heading, a sentence, a table of texts, and the word of its picture, where there is one."""

    title: str
    said: str
    table: dict[str, Any]
    plot: str | None = None


def comparison_sections(audit: Audit) -> list[ComparisonSection]:
    """Return the comparisons that an audit holds.

    Parameters
    ----------
    audit : Audit
        What was found.

    Returns
    -------
    list of ComparisonSection
    """
    found = [_classes(audit, i) for i in range(len(audit.classes))]
    found += [_since(audit)] if audit.since is not None else []
    found += [_over_time(audit)] if audit.over_time is not None else []
    return found


def _classes(audit: Audit, i: int) -> ComparisonSection:
    one, percent = audit.classes[i], audit.data.percent
    whom = "the rest" if one.against == "rest" else audit.data.everybody
    heads = [
        "Class",
        sentence(audit.data.unit),
        sentence(audit.measure.rate),
        f"Difference from {whom}",
        f"{audit.settings.percent_level} interval",
        "Ratio to the best" if audit.measure.direction != "neutral" else "Ratio to the highest",
        "Verdict",
    ]
    rows = []
    for record in one.records:
        phi, interval = compared(record.phi, record.low, record.high, percent=percent, alone=record.alone)
        ratio = ratio_said(record.ratio, record.ratio_low, record.ratio_high)
        people = counted(record.n, record.counted, weighted=audit.settings.weighted)
        cells = [record.label, people, amount(record.rate, percent=percent), phi, interval, ratio, record.verdict]
        rows.append([(cell, "") for cell in cells])
    shown = [r for r in one.records if r.verdict in ("disadvantaged", "lower", "advantaged", "higher")]
    said = f"No class is shown to differ from {whom}."
    if shown:
        names = listed([f"{r.label} ({points(r.phi, percent=percent)})" for r in shown])
        said = f"{sentence(names)} {'is' if len(shown) == 1 else 'are'} shown to differ from {whom}."
    note = (
        "These classes were named in advance, so their intervals need no allowance for a search; all hold "
        "simultaneously."
    )
    return ComparisonSection(
        f"Classes named in advance: {one.name}", said, {"heads": heads, "rows": rows, "note": note}
    )


def _since(audit: Audit) -> ComparisonSection:
    since, percent = audit.since, audit.data.percent
    assert since is not None
    rate = sentence(audit.measure.rate)
    heads = ["Group", f"{rate} then", "now", "Difference then", "now", "Change (+ is worse)", "Verdict"]
    rows = [
        [
            (change.label, ""),
            (amount(change.rate_before, percent=percent), ""),
            (amount(change.rate_after, percent=percent), ""),
            (points(change.before, percent=percent), ""),
            (points(change.after, percent=percent), ""),
            compared(change.harm, change.low, change.high, percent=percent, alone=not math.isfinite(change.harm)),
            (change.verdict, ""),
        ]
        for change in since.changes
    ]
    worse = [change.label for change in since.changes if change.verdict == "worse"]
    better = [change.label for change in since.changes if change.verdict == "better"]
    said = [f"Worse off than in the baseline: {listed(worse)}."] if worse else []
    said += [f"Better off: {listed(better)}."] if better else []
    then = f"{amount(since.overall, percent=percent)} then ({since.rows:,} rows of {since.source})."
    everybody = f"{sentence(audit.data.everybody)}: {then}"
    return ComparisonSection(
        "Since the baseline",
        " ".join(said) or "No group is shown to be worse or better off than in the baseline.",
        {
            "heads": heads,
            "rows": rows,
            "note": f"{everybody} The baseline's groups, and groups found now that are shown to be disadvantaged; "
            f"the {audit.settings.percent_level} interval stands below each change.",
        },
        "since",
    )


def _over_time(audit: Audit) -> ComparisonSection:
    told, percent = audit.over_time, audit.data.percent
    assert told is not None
    heads = ["Group", *(period.label for period in told.periods), "First to last"]
    rows = []
    for k, record in enumerate(audit.records):
        cells = [(record.label, "")]
        for period in told.periods:
            one = period.groups[k]
            cells.append(compared(one.phi, one.low, one.high, percent=percent, alone=not math.isfinite(one.phi)))
        change = told.changes[k]
        cells.append((points(change.difference, percent=percent), _moved(change.verdict, audit)))
        rows.append(cells)
    every = [(amount(period.overall, percent=percent), f"{period.n:,}") for period in told.periods]
    rows.append([(f"{audit.measure.rate} of {audit.data.everybody}", ""), *every, ("", "")])
    moved = [c for c in told.changes if c.verdict in ("rose", "fell")]
    whom = audit.data.everybody
    nothing = (
        f"Between {told.periods[0].label} and {told.periods[-1].label} no group’s difference is shown to have changed"
    )
    if len(told.periods) > MANY:
        nothing += f"; each of {len(told.periods)} periods holds few {audit.data.unit}, and longer ones would show more"
    each = [
        f"{sentence(c.label)}: {points(c.first, percent=percent)} from {whom} in {told.periods[0].label}, "
        f"{points(c.last, percent=percent)} in {told.periods[-1].label}: {size(c.difference, percent=percent)} "
        f"{_moved(c.verdict, audit)}."
        for c in moved
    ]
    said = " ".join(each) or f"{nothing}."
    note = (
        f"Each group’s difference from {whom} in the period{', in points' if percent else ''}, and its interval. "
        f"With {audit.settings.percent_level} confidence all of them hold simultaneously: any two may be compared."
    )
    return ComparisonSection(f"By {told.name}", said, {"heads": heads, "rows": rows, "note": note}, "over_time")


def _moved(verdict: str, audit: Audit) -> str:
    """Say which way a difference moved: for better or worse where that is known, else higher or lower."""
    ways = {"better": ("better", "worse"), "worse": ("worse", "better"), "neutral": ("higher", "lower")}
    rose, fell = ways[audit.measure.direction]
    return {"rose": rose, "fell": fell}.get(verdict, verdict)
