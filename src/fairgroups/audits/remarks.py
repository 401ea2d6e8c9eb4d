"""What is said beside the finding: how sure it is, what higher means, limits, and further checks on the same rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fairgroups.audits.facts import split_said
from fairgroups.evidence.verdict import DIFFERENT
from fairgroups.words import how_many, listed, p_value, plain_points, ratio_said, sentence, size, thousands

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit, JointAudit
    from fairgroups.evidence.added import Added

__all__ = ["caveats", "certainty", "direction_line", "limit_lines", "second_opinions"]

_SEARCHED = {
    "band": "The groups were found by searching these same rows; the {level} intervals allow for that, and hold for "
    "every {region} of {name}{rates} simultaneously.",
    "crossfit": "One half of the rows found the groups shown and the other half judged them; with {level} confidence "
    "the intervals hold at once for all groups{rates}.",
    "plugin": "These intervals ignore that the groups were searched for on the same rows: they are too narrow to "
    "support a conclusion.",
}
_UNFOUND = {
    "band": "All rows were searched; what is said of differences holds for every {region} of {name}{rates} at once, "
    "with {level} confidence.",
    "crossfit": _SEARCHED["crossfit"],
    "plugin": _SEARCHED["plugin"],
}
_NAMED = {
    "levels": "The groups are the levels of {name} as they are; the intervals hold at once for all of them{rates} with "
    "{level} confidence.",
    "band": "The groups were given; provided that they were chosen without looking at these outcomes, the intervals "
    "hold at once for all of them{rates} with {level} confidence.",
    "plugin": "The groups were given; each {level} interval holds for its own group only.",
}


def second_opinions(audit: Audit) -> list[str]:
    """Say in one line each what the checks of an audit found."""
    percent, checks, finding = audit.data.percent, audit.checks, audit.finding
    said = []
    if audit.selection is not None and len(audit.selection.curve) > 1 and len(audit.records) > 1:
        said.append(_how_many(audit))
    if len(audit.records) > 1 and audit.reasons is None and not math.isnan(audit.rate_range.low):
        gap = audit.rate_range
        ends = " to ".join(plain_points(x, percent=percent) for x in (gap.low, gap.high))
        level = audit.settings.percent_level
        what = "rate" if percent else audit.measure.rate
        said.append(f"Highest minus lowest {what}: {size(gap.value, percent=percent)} ({level} interval {ends}).")
    if finding.trend is not None and finding.verdict != "depends":
        trend = finding.trend
        name = next((a.said for a in audit.data.attributes if a.name == trend.attribute), audit.data.names)
        equal = "" if audit.reasons is None else f" at equal {audit.reasons.names}"
        way = trend.direction if trend.shown else "is not shown to rise or fall"
        said.append(f"Overall trend: the {audit.measure.rate} {way} with {name}{equal} ({p_value(trend.p_value)}).")
    said += [_adds(one, audit) for one in audit.added if finding.verdict in ("different", "depends")]
    if checks.permutation is not None and checks.permutation.n_draws and finding.verdict != "depends":
        p = checks.permutation.p_value
        shown = p <= 1 - audit.settings.level
        told = "outcomes are associated with the attributes" if shown else "no association is shown"
        said.append(f"Permutation test: {told} ({p_value(p)}).")
    elif not math.isnan(finding.p_value) and finding.verdict != "depends":
        shown = finding.p_value <= 1 - audit.settings.level
        told = "is uneven" if shown else "is not shown to be uneven"
        equal = "" if audit.reasons is None else f" at equal {audit.reasons.names}"
        whom = f"Over {audit.data.names} together, the {audit.measure.rate}"
        said.append(f"{whom} {told}{equal} ({p_value(finding.p_value)}).")
    if checks.monotonicity is not None and finding.verdict in ("different", "depends"):
        said.append(_monotonicity(audit))
    if audit.replication is not None:
        differ = sum(r.verdict in DIFFERENT for r in audit.replication.records)
        said.append(
            f"The other half found {how_many(len(audit.replication.records), 'group')}, of which {differ} "
            f"{'is' if differ == 1 else 'are'} shown to differ. The two sets of groups agree on "
            f"{100 * audit.replication.rand:.0f}% of the pairs of {audit.data.unit}."
        )
    return said


def _how_many(audit: Audit) -> str:
    found = audit.selection
    assert found is not None
    if not found.settled and found.n_groups == 1:
        return "Number of groups: 1; no division into more that the settings allow shows a difference."
    if not found.settled:
        left = "differences remain inside some of them" if found.criterion == "band" else "more might fit better"
        most = "the most allowed"
        if audit.settings.asked.get("monotonic") and found.n_groups < audit.settings.asked["max_groups"]:
            most = "as rates must follow the attribute"
        return f"Number of groups: {found.n_groups}, {most}; {left}."
    region = "range" if len(audit.data.attributes) == 1 else "box"
    why = {
        "band": f"chosen so that no {region} inside any group is shown to differ from the rest of that group",
        "cv": "the fewest whose error on rows left out is close to the least",
        "bic": "the least BIC",
    }[found.criterion]
    return f"Number of groups: {found.n_groups}, {why}."


def _adds(one: Added, audit: Audit) -> str:
    said = {a.name: a.said for a in audit.data.attributes}
    others = listed([name for column, name in said.items() if column != one.attribute])
    name = said[one.attribute]
    if not one.strata:
        return f"Whether {name} adds anything cannot be told: no {audit.data.unit} alike in {others} differ in {name}."
    told = f"a difference by {name} is shown" if one.shown else f"no difference by {name} is shown"
    least = ""
    if not math.isnan(one.detectable):
        points, split = size(one.detectable, percent=audit.data.percent), split_said(one, audit.data.attributes)
        least = f"; one of {points} {split} would be shown in 80 of 100 such samples"
    return f"At equal {others}, {told} ({p_value(one.p_value, one.least_p)}){least}."


def _monotonicity(audit: Audit) -> str:
    found, name, rate = audit.checks.monotonicity, audit.data.names, audit.measure.rate
    name += "" if audit.reasons is None else f" at equal {audit.reasons.names}"
    assert found is not None
    verb = "rises" if found.direction == "increasing" else "falls"
    if found.holds:
        return (
            f"Monotonicity: a {rate} that only {verb} with {name} is compatible with the data "
            f"({p_value(found.p_value)})."
        )
    where = found.violation
    assert where is not None
    return (
        f"Monotonicity: rejected ({p_value(found.p_value)}). The {rate} rises with {name} in some parts and falls in "
        f"others; the clearest turn lies between {where.low:g} and {where.high:g}."
    )


def certainty(audit: Audit | JointAudit) -> str:
    """Say on how many rows the finding rests, how many were left out, and how sure it is."""
    settings, data = audit.settings, audit.data
    said = f"Based on {how_many(data.rows, 'row')}"
    if settings.asked.get("private") is not None:
        epsilon = settings.asked["private"]
        said = f"Based on about {thousands(data.rows)} rows, counted with noise for privacy (ε = {epsilon:g})"
    left = sum(data.dropped.values())
    if left:
        share = 100 * left / (left + data.rows)
        shown = f"{share:.0f}%" if share >= 1 else "less than 1%"
        said += (
            f"; {thousands(left)} more ({shown}) {'was' if left == 1 else 'were'} left out because values are missing"
        )
    if audit.verdict in ("no difference found", "not enough evidence", "depends") and not settings.groups_given:
        why = _UNFOUND[settings.inference]
    elif settings.groups_given:
        own = "levels" if settings.asked["partition"] is None else "band"
        why = _NAMED["plugin" if settings.inference == "plugin" else own]
    else:
        why = _SEARCHED[settings.inference]
    region = "range" if len(data.attributes) == 1 else "box"
    words = {
        "region": region,
        "name": data.names,
        "level": settings.percent_level,
        "rates": " and for both rates" if len(audit.parts) > 1 else "",
    }
    for key, word in words.items():
        why = why.replace(f"{{{key}}}", word)
    return f"{said}. {why}"


def direction_line(audit: Audit | JointAudit) -> str:
    """Say what a higher rate was taken to mean for a person, or how to say it; nothing where nothing differs."""
    directions = {part.measure.rate: part.measure.direction for part in audit.parts}
    directed = {rate: direction for rate, direction in directions.items() if direction != "neutral"}
    outcome, favourable = audit.settings.outcome_said, audit.settings.favourable
    if directed:
        rates, direction = " and a higher ".join(directed), next(iter(directed.values()))
        told = "By the measure's definition" if favourable is None else None
        good = "good" if favourable else "bad"
        why = told or f"The audit was told that {outcome} is {good} to receive"
        count = "counts" if len(directed) == 1 else "count"
        return f"{why}: a higher {rates} {count} as {direction} for the {audit.data.unit} concerned."
    if audit.verdict not in ("different", "depends"):
        return ""
    if favourable is not None:
        return (
            f"Groups are called higher or lower, because a higher {audit.parts[0].measure.rate} is in itself neither "
            "good nor bad."
        )
    return (
        "Groups are called higher or lower, not advantaged or disadvantaged, because the audit was not told whether "
        f"{outcome} is good or bad to receive: say --favourable or --unfavourable (in Python favourable=True or False)."
    )


def limit_lines(audit: Audit | JointAudit) -> list[str]:
    """List whether each limit is kept."""
    percent = audit.data.percent
    said = []
    for part in audit.parts:
        which = f"{sentence(part.measure.rate)}: " if len(audit.parts) > 1 else ""
        for limit in part.limits:
            what = {
                "max_gap": f"No group may differ by more than {size(limit.value, percent=percent)}",
                "max_harm": f"No group may be worse off by more than {size(limit.value, percent=percent)}",
                "min_ratio": f"Each group's {part.measure.rate} and {_yardstick(part)} must be in a ratio of at least "
                f"{limit.value:g}, the smaller to the larger",
            }[limit.name]
            told = {"kept": "shown to be kept", "exceeded": "shown to be exceeded"}
            if limit.name == "min_ratio":
                told = {"kept": "shown to be met", "exceeded": "shown not to be met"}
            line = f"{which}{what}: {told.get(limit.verdict, 'not enough evidence either way')}"
            said.append(f"{line}{_smallest_ratio(part) if limit.name == 'min_ratio' else ''}.")
    return said


def _yardstick(audit: Audit) -> str:
    """Name the group that ratios are to."""
    best = next((r.label for r in audit.records if r.ratio_low == r.ratio_high == 1), None)
    if audit.settings.against == "reference" or best is None:
        return f"that of {audit.settings.whom}"
    return f"the {'highest' if audit.measure.direction == 'neutral' else 'best'} one ({best})"


def _smallest_ratio(audit: Audit) -> str:
    """Say which group's ratio is furthest from 1."""
    known = [r for r in audit.records if r.ratio > 0 and math.isfinite(r.ratio) and r.ratio_low < r.ratio_high]
    if not known:
        return ""
    worst = min(known, key=lambda r: min(r.ratio, 1 / r.ratio))
    ends = (worst.ratio_low, worst.ratio_high)
    if worst.ratio > 1:
        ends = (1 / ends[1], 1 / ends[0] if ends[0] > 0 else math.inf)
    return f"; the smallest is {ratio_said(min(worst.ratio, 1 / worst.ratio), *ends)}, {worst.label}"


def caveats(audit: Audit | JointAudit) -> list[str]:
    """List what nobody should miss, however little is printed: rows left out, and labels that were averaged."""
    left = sum(audit.data.dropped.values())
    said = []
    if left:
        share = 100 * left / (left + audit.data.rows)
        shown = f"{share:.0f}%" if share >= 1 else "less than 1%"
        were = "was" if left == 1 else "were"
        said.append(f"{how_many(left, 'row')} ({shown}) {were} left out because values are missing.")
    return [*said, *(note for part in audit.parts for note in part.notes if "averaged as amounts" in note)]
