"""The finding in plain words, the same in every report: who is treated differently, by how much, how surely."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairgroups.audits.records import DataFacts, Detectable, Finding, GroupRecord, RateName, Settings
from fairgroups.evidence.verdict import DIFFERENT
from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Interval, Levels, shortest
from fairgroups.words import amount, p_value, plain_points, sentence, share_of_people, size, thousands

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit, JointAudit
    from fairgroups.checks.run import Checks

__all__ = ["Facts", "amplified", "certainty", "conclude", "direction_line", "limit_lines", "second_opinions"]

_SEARCHED = {
    "band": "The intervals hold for all ranges of {name} at once, so they hold although the groups were searched for "
    "on the same rows.",
    "crossfit": "Each half found groups and the other half judged them. The intervals hold for all groups at once.",
    "plugin": "These intervals take the groups as given; they do not account for the search.",
}
_NAMED = {
    "band": "The groups were named in advance, and the intervals hold for all of them at once.",
    "crossfit": "The groups were named in advance, and the intervals hold for all of them at once.",
    "plugin": "The groups were named in advance; each interval holds for its own group only.",
}


@dataclass(frozen=True)
class Facts:
    """What the conclusion is made of."""

    finding: Finding
    records: tuple[GroupRecord, ...]
    partition: Partition
    measure: RateName
    overall: float
    settings: Settings
    data: DataFacts
    detectable: Sequence[Detectable] = ()


def conclude(facts: Facts) -> str:
    """Say who is shown to be treated differently, by how much and how surely.

    Parameters
    ----------
    facts : Facts
        What was found.

    Returns
    -------
    str
    """
    finding = facts.finding
    if finding.groups:
        said = [_worst(facts), _in_people(facts), _others(facts), _open(facts)]
    elif finding.range is not None:
        said = [_range(facts)]
    elif finding.verdict == "depends":
        said = [_depends(facts)]
    elif len(facts.records) > 1 and facts.settings.groups_given:
        said = [_none_of_the_named(facts), _open(facts)]
    else:
        said = [_nothing(facts)]
    return " ".join(part for part in said if part)


def _who(facts: Facts, groups: Sequence[int]) -> str:
    """Name the people of some groups: "people whose age is under 32"."""
    attributes, partition = facts.data.attributes, facts.partition
    names, whole = [a.said for a in attributes], [a.whole for a in attributes]
    ranges = _joined(partition, groups)
    if ranges is not None:
        number = shortest(partition.edges)
        conditions = [f"{names[0]} is {' or '.join(part.said(number, whole=whole[0]) for part in ranges)}"]
    elif len(names) == 1 and all(k < len(partition.groups) for k in groups):  # levels of one category
        levels = [level for k in groups for box in partition.groups[k] for level in getattr(box[0], "names", ())]
        conditions = [f"{names[0]} is {Levels(tuple(levels)).said()}"]
    else:
        conditions = [partition.said(names, whole, verb="is")[k] for k in groups]
    if conditions == ["everybody"]:
        return f"all {facts.data.unit}"
    return f"{facts.data.unit} whose {', or whose '.join(conditions)}"


def _joined(partition: Partition, groups: Sequence[int]) -> list[Interval] | None:
    """Return the ranges of some groups of one attribute, neighbours made one; None where that is not possible."""
    if not partition.is_line or any(k >= len(partition.groups) for k in groups):
        return None
    out: list[Interval] = []
    for part in sorted(part for k in groups for part in partition.ranges(k)):
        if out and out[-1].stop == part.start:
            last = out.pop()
            out.append(Interval(last.low, part.high, last.low_closed, part.high_closed))
        else:
            out.append(part)
    return out


def _whose(facts: Facts, value: float) -> str:
    """Name whose rate a group's is compared with, and what it is."""
    said = amount(value, percent=facts.data.percent)
    settings = facts.settings
    if settings.against == "everyone":
        return f"everybody's {said}" if facts.data.unit == "people" else f"that of all {facts.data.unit}, {said}"
    if settings.against == "rest":
        return f"the rest's {said}"
    at = next(k for k, record in enumerate(facts.records) if record.verdict == "reference")
    return f"the {said} of {_who(facts, [at])}"


def _worst(facts: Facts) -> str:
    """Say the first sentence: the group to be named, its rate and its difference."""
    k, record = _named(facts)[0]
    percent, settings = facts.data.percent, facts.settings
    low, high = sorted((abs(record.low), abs(record.high)))
    side = "below" if record.phi < 0 else "above"
    ends = f"{plain_points(low, percent=percent)} to {plain_points(high, percent=percent)}"
    rate = amount(record.rate, percent=percent)
    said = sentence(_who(facts, [k]))
    if record.verdict in ("lower", "higher"):
        said += f" have a {record.verdict} {facts.measure.rate}: {rate}"
    else:
        said += f" are {record.verdict}: their {facts.measure.rate} is {rate}"
    said += f", {size(record.phi, percent=percent)} {side} {_whose(facts, record.rate - record.phi)} "
    said += f"({settings.percent_level} interval {ends})."
    if settings.against == "rest" and len(facts.records) == 2:
        phi = record.rate - facts.overall
        said = said[:-2] + f"; {size(phi, percent=percent)} {side} everybody's)."
    return said


def _named(facts: Facts) -> list[tuple[int, GroupRecord]]:
    """List the groups that the conclusion is about: those harmed, else those that differ; the most different first."""
    shown = [(k, facts.records[k]) for k in facts.finding.groups]
    harmed = [(k, record) for k, record in shown if record.verdict == "disadvantaged"]
    return harmed or shown


def _in_people(facts: Facts) -> str:
    """Say how many people a difference of rates is about."""
    _, record = _named(facts)[0]
    if not facts.data.percent or facts.settings.against == "reference":
        return ""
    more = "fewer" if record.phi < 0 else "more"
    than = {"everyone": "everybody's", "rest": "the rest's"}[facts.settings.against]
    each = round(100 * abs(record.phi))
    in_all = abs(record.phi) * record.counted
    counts = facts.settings.weight is None and facts.settings.cluster is None and in_all >= 1
    about = f"about {thousands(_round(in_all))}" if counts else ""
    if each >= 1:
        said = f"That is {each} {more} in every 100 than at {than} rate"
        return said + (f", {about} in this data." if about else ".")
    return f"That is {about} {more} in this data than at {than} rate." if about else ""


def _round(number: float) -> int:
    """Round a count to two digits: it is an estimate."""
    digits = max(len(str(int(number))) - 2, 0)
    return int(round(number, -digits))


def _others(facts: Facts) -> str:
    """Name the other groups that differ, neighbours together."""
    named = _named(facts)
    first = named[0][1]
    if facts.settings.against == "rest" and len(facts.records) == 2:
        return ""  # the other one is the rest
    by_verdict = {
        verdict: sorted(k for k, record in named[1:] if record.verdict == verdict)
        for verdict in (first.verdict, "disadvantaged", "advantaged", "lower", "higher")
    }
    said = []
    for verdict, groups in by_verdict.items():
        who = _who(facts, groups) if groups else ""
        if groups and verdict == first.verdict:
            said.append(f"So, to a lesser degree, {'have' if verdict in ('lower', 'higher') else 'are'} {who}.")
        elif groups:
            what = f"have a {verdict} one" if verdict in ("lower", "higher") else f"are {verdict}"
            said.append(f"{sentence(who)} {what}.")
    return " ".join(said)


def _open(facts: Facts) -> str:
    """Say which comparisons are open, and which of these groups differ from another one all the same."""
    unclear = [record for record in facts.records if record.verdict == "not enough evidence"]
    if not unclear:
        return ""
    whom = facts.settings.whom
    if len(unclear) == len(facts.records):
        said = f"The data is not enough to tell whether any group differs from {whom}."
    elif len(unclear) == 1:
        said = f"Whether {unclear[0].label} differs from {whom} is open."
    else:
        said = f"Whether {len(unclear)} other groups differ from {whom} is open."
    apart = [r.label for r in unclear if r.ratio_low > 1 or r.ratio_high < 1]
    best = next((r.label for r in facts.records if r.ratio_low == r.ratio_high == 1), None)
    if apart and best is not None and facts.settings.against != "reference":
        who = f"{apart[0]} differs" if len(apart) == 1 else f"{len(apart)} of them differ"
        said = f"{said[:-1]}; {who} from {best}."
    return said


def _range(facts: Facts) -> str:
    """Name the range that differs most, where no group of its own shows it."""
    found = facts.finding.range
    assert found is not None
    percent, attribute = facts.data.percent, facts.data.attributes[0]
    inside = Interval(found.first, found.last, high_closed=True)
    values = inside.said(shortest([found.first, found.last]), whole=attribute.whole)
    who = f"{facts.data.unit} whose {attribute.said} is {values}"
    low, high = sorted((abs(found.low), abs(found.high)))
    side = "below" if found.phi < 0 else "above"
    return (
        f"{sentence(who)} have a {'lower' if found.phi < 0 else 'higher'} {facts.measure.rate}: "
        f"{amount(found.rate, percent=percent)}, {size(found.phi, percent=percent)} {side} everybody's "
        f"{amount(facts.overall, percent=percent)} ({facts.settings.percent_level} interval "
        f"{plain_points(low, percent=percent)} to {plain_points(high, percent=percent)}). "
        "The groups that were allowed do not set them apart."
    )


def _depends(facts: Facts) -> str:
    """Say that the rate goes with the attribute though no range can be named."""
    finding, percent, name = facts.finding, facts.data.percent, facts.data.names
    rows = thousands(facts.data.rows)
    trend = finding.trend
    if trend is None or trend.p_value > 1 - facts.settings.level:
        return (
            f"The {facts.measure.rate} depends on {name} ({p_value(finding.p_value)}), but {rows} rows cannot tell "
            "which groups differ."
        )
    ends = [amount(rate, percent=percent) for rate in (trend.lower_rate, trend.upper_rate)]
    lower, upper = (share_of_people(share).removeprefix("a ") for share in (trend.lower_share, trend.upper_share))
    return (
        f"The {facts.measure.rate} {trend.direction} with {name} ({p_value(trend.p_value)}): from {ends[0]} in the "
        f"{lower} with the lowest values to {ends[1]} in the {upper} with the highest. Where the line lies, {rows} "
        "rows cannot tell."
    )


def _none_of_the_named(facts: Facts) -> str:
    """Say that no group named in advance is shown to differ."""
    if facts.finding.verdict == "no difference found":
        gap = size(facts.settings.relevant_gap, percent=facts.data.percent)
        return f"No relevant difference: every group lies within {gap} of {facts.settings.whom}."
    return "Not enough evidence: no group is shown to differ."


def _nothing(facts: Facts) -> str:
    """Say that nothing was found, and what would have been."""
    name, unit, percent = facts.data.names, facts.data.unit, facts.data.percent
    if not facts.detectable:
        return f"Nothing can be compared: all {unit} have the same {name}, or the same outcome."
    known = {d.share: d.difference for d in facts.detectable if math.isfinite(d.difference)}
    if facts.finding.verdict == "no difference found":
        along = f"nowhere along {name}" if facts.partition.is_line else f"by {name}"
        said = f"No difference found: {along} is the {facts.measure.rate} shown to differ."
        share = min((share for share in known if share >= 0.1), default=None)
        if share is not None and known[share] > 0:
            said += (
                f" {sentence(share_of_people(share))} of the {unit}, next to each other, would have been noticed in 80 "
                f"of 100 such samples if they differed by {size(known[share], percent=percent)}."
            )
        return said
    said = "Not enough evidence: no difference is shown, and the data cannot rule one out."
    if known:
        share = max(known)
        said += (
            f" Even {share_of_people(share)} of the {unit} would have to differ by "
            f"{size(known[share], percent=percent)} to be noticed in 80 of 100 such samples."
        )
    return said


def amplified(checks: Checks) -> str:
    """Say for which groups the outcome makes the differences of its labels larger or smaller."""
    found = checks.amplification
    if found is None:
        return ""
    said = []
    for effect in ("amplifies", "dampens"):
        labels = [r.label for r in found.records if r.effect == effect]
        if len(labels) > 2:
            said.append(
                f"“{found.model}” {effect} the differences in “{found.base}”, in {len(labels)} of "
                f"{len(found.records)} groups."
            )
        elif labels:
            said.append(f"“{found.model}” {effect} the difference in “{found.base}” for {'; '.join(labels)}.")
    return " ".join(said)


def second_opinions(audit: Audit) -> list[str]:
    """Say in one line each what the checks of an audit found."""
    percent, checks, finding = audit.data.percent, audit.checks, audit.finding
    said = []
    if audit.selection is not None and len(audit.selection.curve) > 1 and len(audit.records) > 1:
        said.append(_how_many(audit))
    if len(audit.records) > 1:
        gap = audit.rate_range
        ends = " to ".join(plain_points(x, percent=percent) for x in (gap.low, gap.high))
        said.append(f"From the lowest rate to the highest: {size(gap.value, percent=percent)} ({ends}).")
    if finding.trend is not None and finding.verdict != "depends":
        trend = finding.trend
        shown = trend.p_value <= 1 - audit.settings.level
        told = f"the {audit.measure.rate} {trend.direction} with {audit.data.names}" if shown else "none is shown"
        said.append(f"Trend: {told} ({p_value(trend.p_value)}).")
    if checks.permutation is not None and checks.permutation.n_draws and finding.verdict != "depends":
        p = checks.permutation.p_value
        shown = p <= 1 - audit.settings.level
        told = "outcomes depend on the attributes" if shown else "no dependence is shown"
        said.append(f"Permutation test: {told} ({p_value(p)}).")
    if checks.monotonicity is not None and finding.verdict in ("different", "depends"):
        said.append(_monotonicity(audit))
    if audit.replication is not None:
        differ = sum(r.verdict in DIFFERENT for r in audit.replication.records)
        said.append(
            f"The other half's own groups: {len(audit.replication.records)}, of which {differ} differ. "
            f"They agree with those above on {100 * audit.replication.rand:.0f}% of the pairs of people."
        )
    return said


def _how_many(audit: Audit) -> str:
    assert audit.selection is not None
    why = {
        "band": "the fewest inside which no range is shown to differ",
        "cv": "the fewest whose error on rows left out is close to the least",
        "bic": "the least BIC",
    }[audit.selection.criterion]
    return f"Number of groups: {audit.selection.n_groups}, {why}."


def _monotonicity(audit: Audit) -> str:
    found, name = audit.checks.monotonicity, audit.data.names
    assert found is not None
    verb = "rises" if found.direction == "increasing" else "falls"
    if found.holds:
        return (
            f"Monotonicity: a {audit.measure.rate} that only {verb} with {name} fits the data "
            f"({p_value(found.p_value)})."
        )
    where = found.violation
    assert where is not None
    return (
        f"Monotonicity: the {audit.measure.rate} neither only rises nor only falls with {name} "
        f"({p_value(found.p_value)}); it turns between {where.low:g} and {where.high:g}, around {where.border:g}."
    )


def certainty(audit: Audit | JointAudit) -> str:
    """Say on how many rows the finding rests, how many were left out, and how sure it is."""
    settings, data = audit.settings, audit.data
    said = f"{'Judged' if settings.groups_given else 'Found'} in {thousands(data.rows)} rows"
    left = sum(data.dropped.values())
    if left:
        share = 100 * left / (left + data.rows)
        shown = f"{share:.0f}%" if share >= 1 else "less than 1%"
        said += f"; {thousands(left)} more ({shown}) were left out because values are missing"
    why = (_NAMED if settings.groups_given else _SEARCHED)[settings.inference]
    return f"{said}. {why.replace('{name}', data.names)}"


def direction_line(audit: Audit | JointAudit) -> str:
    """Say what a higher rate means for a person, or how to say it."""
    direction = audit.parts[0].measure.direction
    if direction != "neutral":
        return f"A higher {audit.parts[0].measure.rate} is {direction} for a person."
    if audit.settings.favourable is not None:
        return ""
    return (
        f"Nobody is called disadvantaged, because the audit was not told whether {audit.settings.outcome_label} is "
        "good to receive: say --favourable or --unfavourable (in Python favourable=True or False)."
    )


def limit_lines(audit: Audit | JointAudit) -> list[str]:
    """List whether each limit is kept."""
    percent = audit.data.percent
    said = []
    for part in audit.parts:
        which = f"{sentence(part.measure.rate)}: " if len(audit.parts) > 1 else ""
        for limit in part.limits:
            what = {
                "max_gap": f"Limit of {size(limit.value, percent=percent)} on every group's difference",
                "max_harm": f"Limit of {size(limit.value, percent=percent)} on every group's difference to its harm",
                "min_ratio": f"Limit of {limit.value:g} on every group's ratio to the best rate",
            }[limit.name]
            said.append(f"{which}{what}: {limit.verdict}.")
    return said
