"""The finding in plain words, the same in every report: who is treated differently, by how much, how surely."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairgroups.audits.facts import (
    Facts,
    difference_said,
    everybody_said,
    ranges_of,
    rate_said,
    split_said,
    who_said,
    whom_said,
)
from fairgroups.audits.reasons import split_of
from fairgroups.audits.records import Attribute, Finding, GroupRecord
from fairgroups.evidence.added import Added
from fairgroups.evidence.verdict import verdicts
from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Box, Levels, Side, shortest
from fairgroups.words import amount, listed, p_value, plain_points, sentence, share_of_people, size, thousands

if TYPE_CHECKING:
    from fairgroups.checks.run import Checks

__all__ = [
    "amplified",
    "bordered_attributes",
    "conclude",
    "first_named",
    "headline_groups",
    "rough_count",
]

MOST_NAMED = 5  # groups in which nobody is
MOST_RANGES = 3  # beyond, the other groups are counted instead of named
COUNTED = {  # what a rate counts
    "equal_opportunity": "true positives",
    "predictive_equality": "false positives",
    "error_rate": "errors",
}
SOME_COUNT = ("equal_opportunity", "predictive_equality", "precision")  # rates of which not everybody is


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
    if facts.same:
        said = [_nothing_to_compare(facts)]
    elif finding.groups:
        said = [_worst(facts), _in_people(facts), _split(facts), _others(facts), _open(facts)]
    elif finding.range is not None:
        said = [_range(facts)]
    elif finding.verdict == "depends" and facts.settings.groups_given:
        said = [_apart(facts), _open(facts)]
    elif finding.verdict == "depends":
        said = [_depends(facts)]
    elif len(facts.records) > 1 and facts.settings.groups_given:
        said = [_none_of_the_named(facts), _explained(facts), _open(facts)]
    else:
        said = [_nothing(facts)]
    said += [_adds(facts), _constant(facts), _of_many(facts)]
    return " ".join(part for part in said if part)


def _at_equal(facts: Facts, who: str, verdict: str, difference: str) -> str:
    """Say whose rate differs at equal factors, and by how much."""
    what = rate_said(facts)
    if verdict in ("disadvantaged", "advantaged"):
        return f"{who} are {verdict}{facts.equal}: their {what} is {difference}."
    return f"{who} have a {verdict} {what}{facts.equal}: it is {difference}."


def first_named(facts: Facts) -> int:
    """Return the group that the first sentence names; the first of all where none is."""
    named = _named(facts) if facts.finding.groups else []
    return named[0][0] if named else 0


def _worst(facts: Facts) -> str:
    """Say the first sentence: the group to be named, its rate and its difference."""
    k, record = _named(facts)[0]
    percent = facts.data.percent
    rate, other = (amount(x, percent=percent) for x in (record.rate, record.rate - record.phi))
    who, what = sentence(who_said(facts, [k])), rate_said(facts)
    if facts.reasons is not None:
        whom = f"that of {facts.settings.whom}"
        than = whom if facts.settings.against == "rest" else f"{facts.reasons.names} would suggest"
        return _at_equal(facts, who, record.verdict, difference_said(facts, record.phi, record.low, record.high, than))
    by = difference_said(facts, record.phi, record.low, record.high)
    told = f"{rate}, against {other} for {whom_said(facts)}: {by}."
    if record.verdict in ("lower", "higher"):
        said = f"{who} have a {record.verdict} {what}: {told}"
    else:
        said = f"{who} are {record.verdict}: their {what} is {told}"
    if facts.settings.against == "rest" and len(facts.records) == 2:
        phi = record.rate - facts.overall
        said += f" Against everybody the difference is {size(phi, percent=percent)}."
    return said


def _split(facts: Facts) -> str:
    """Say what of the difference goes with the factors."""
    if facts.reasons is None:
        return ""
    return split_of(facts.reasons, _named(facts)[0][0], facts.data.percent, facts.data.unit)


def _explained(facts: Facts) -> str:
    """Say of groups named in advance, none of which differs at equal factors, what the largest difference goes with."""
    if facts.reasons is None:
        return ""
    known = ((k, one) for k, one in enumerate(facts.reasons.groups) if math.isfinite(one.unexplained_low))
    shown = [k for k, one in known if one.low > 0 or one.high < 0]
    if not shown:
        return ""
    k = max(shown, key=lambda k: abs(facts.reasons.groups[k].difference) if facts.reasons else 0.0)
    subject = f"the {rate_said(facts)} of {who_said(facts, [k])}"
    return split_of(facts.reasons, k, facts.data.percent, facts.data.unit, subject)


def _named(facts: Facts) -> list[tuple[int, GroupRecord]]:
    """List the groups that the conclusion is about: those harmed, else those that differ; the most different first."""
    return headline_groups(facts.finding, facts.records)


def headline_groups(finding: Finding, records: Sequence[GroupRecord]) -> list[tuple[int, GroupRecord]]:
    """List the groups that a headline is about: those harmed, else those that differ; the most different first."""
    shown = [(k, records[k]) for k in finding.groups]
    harmed = [(k, record) for k, record in shown if record.verdict == "disadvantaged"]
    return harmed or shown


def _in_people(facts: Facts) -> str:
    """Say how many people a difference of rates is about."""
    _, record = _named(facts)[0]
    if not facts.data.percent or facts.settings.against == "reference" or facts.reasons is not None:
        return ""
    more = "fewer" if record.phi < 0 else "more"
    than = f"the rate of {whom_said(facts)}" if facts.data.unit != "people" else f"{_possessive(facts)} rate"
    each = round(100 * abs(record.phi))
    in_all = abs(record.phi) * record.counted
    plain = facts.settings.weight is None and facts.settings.cluster is None  # else so many of equal weight
    counts = plain and in_all >= 1
    who_count = " who count in this rate" if plain and not math.isclose(record.counted, record.n, rel_tol=1e-9) else ""
    among = f"among the {thousands(record.counted)} {facts.data.unit} of this group{who_count and ' who count'}"
    about = f"an estimated {thousands(rough_count(in_all))} {more} {among}" if counts else ""
    if each >= 1:
        what = COUNTED.get(facts.measure.name, "")
        some = who_count or (not plain and facts.measure.name in SOME_COUNT)
        per = facts.data.unit if not some else f"of the {facts.data.unit} who count in this rate"
        said = f"That is about {each} {more}{f' {what}' if what else ''} per 100 {per} than at {than}"
        return said + (f": {about}." if about else ".")
    return f"That is {about}, compared with {than}." if about else ""


def _possessive(facts: Facts) -> str:
    return {"everyone": "everybody's", "rest": "the rest's"}[facts.settings.against]


def rough_count(number: float) -> int:
    """Round a count to three digits: it is an estimate."""
    digits = max(len(str(int(number))) - 3, 0)
    return int(round(number, -digits))


def _others(facts: Facts) -> str:
    """Name the other groups that differ, neighbours together, with the sizes of their differences."""
    first, *_ = _named(facts)
    if facts.settings.against == "rest" and len(facts.records) == 2:
        return ""  # the other one is the rest
    rest = [(k, facts.records[k]) for k in facts.finding.groups if k != first[0]]
    said = []
    for verdict in dict.fromkeys((first[1].verdict, "disadvantaged", "advantaged", "lower", "higher")):
        groups = sorted(k for k, record in rest if record.verdict == verdict)
        if not groups:
            continue
        also = "also " if verdict == first[1].verdict else ""
        directed = verdict in ("disadvantaged", "advantaged")
        what = f"are {also}{verdict}" if directed else f"{also}have a {verdict} one"
        who = sentence(who_said(facts, groups))
        if len(ranges_of(facts, groups)) > (MOST_RANGES if facts.partition.is_line else MOST_NAMED):
            who = f"{len(groups)} other groups (see the table)"
            if len(groups) == 1:
                who, what = "One other group (see the table)", what.replace("are ", "is ").replace("have ", "has ")
        comma = "," if ", or whose" in who else ""
        said.append(f"{who}{comma} {what} (by {_sizes(facts, groups)}).")
    return " ".join(said)


def _sizes(facts: Facts, groups: Sequence[int]) -> str:
    sizes = sorted(abs(facts.records[k].phi) for k in groups)
    percent = facts.data.percent
    if len(sizes) == 1:
        return size(sizes[0], percent=percent)
    least, most = plain_points(sizes[0], percent=percent), size(sizes[-1], percent=percent)
    if least == plain_points(sizes[-1], percent=percent):
        return most
    return f"between {least} and {most}, depending on the group"


def _open(facts: Facts) -> str:
    """Say for whom a difference is neither shown nor ruled out, and which of these differ from the best group."""
    unclear = [record for record in facts.records if record.verdict == "not enough evidence" and record.counted > 0]
    empty = [record.label for record in facts.records if not record.counted > 0]
    nobody = [record.label for record in facts.records if record.verdict == "nobody to compare with"]
    without = f"For {listed(nobody)} there is nobody to compare with{facts.equal}." if nobody else ""
    if empty:
        rest = [f"{len(empty) - MOST_NAMED} other groups"] if len(empty) > MOST_NAMED else []
        who = "Nobody" if facts.data.unit == "people" else "Nothing"
        without = f"{without} {who} who counts is in {listed([*empty[:MOST_NAMED], *rest])}.".replace(
            "Nothing who", "Nothing that"
        ).strip()
    if not unclear:
        return without
    neither = f"a difference from {facts.settings.whom} is neither shown nor ruled out"
    if len(unclear) == 1:
        said = f"For {unclear[0].label}, {neither}"
    elif len(unclear) == len(facts.records) - len(empty):
        said = f"For no group is a difference from {facts.settings.whom} shown, and for none is it ruled out"
    else:
        said = f"For {len(unclear)} {'other ' if facts.finding.groups else ''}groups, {neither}"
    apart = [r for r in unclear if r.ratio_low > 1 or r.ratio_high < 1]
    best = next((r.label for r in facts.records if r.ratio_low == r.ratio_high == 1), None)
    if apart and best is not None and facts.settings.against != "reference":
        if len(unclear) == 1:
            side = "higher" if apart[0].ratio_low > 1 else "lower"
            said += f"; its {facts.measure.rate} is, however, shown to be {side} than that of {best}"
        else:
            every = "both of them are" if len(unclear) == 2 else "all of them are"
            some = "one of them is" if len(apart) == 1 else f"{len(apart)} of them are"
            some = every if len(apart) == len(unclear) else some
            said += f"; {some}, however, shown to differ from {best}"
    return f"{said}. {without}".strip()


def _range(facts: Facts) -> str:
    """Name the range that differs most, where no group of its own shows it."""
    found = facts.finding.range
    assert found is not None
    percent = facts.data.percent
    values = _conditions(found.sides, facts.data.attributes)
    verdict = verdicts(np.array([found.low]), np.array([found.high]), facts.measure.direction, 0.0)[0]
    directed = verdict in ("disadvantaged", "advantaged")
    what = rate_said(facts)
    said = f"are {verdict}: their {what} is" if directed else f"have a {verdict} {what}:"
    rates = [amount(x, percent=percent) for x in (found.rate, facts.overall)]
    shape = "range" if len(found.sides) == 1 else "box"
    alone = f"No division into groups that the settings allow shows this {shape} as a group of its own."
    if facts.reasons is not None:
        by = difference_said(facts, found.phi, found.low, found.high, f"{facts.reasons.names} would suggest")
        return f"{_at_equal(facts, f'{sentence(facts.data.unit)} whose {values}', verdict, by)} {alone}"
    return (
        f"{sentence(facts.data.unit)} whose {values} {said} {rates[0]}, against {rates[1]} for "
        f"{facts.data.everybody}: {difference_said(facts, found.phi, found.low, found.high)}. {alone}"
    )


def _conditions(sides: Box, attributes: Sequence[Attribute]) -> str:
    """Say the sides of a box that are not open: "age is 20 to 29 and sex is Female"."""
    said = []
    for side, attribute in zip(sides, attributes, strict=True):
        if not _is_open(side, attribute):
            among = attribute.levels or ()
            values = side.said(shortest(side.ends), whole=attribute.numbers, among=among)
            said.append(f"{attribute.said} is {values}")
    return " and whose ".join(said)


def _is_open(side: Side, attribute: Attribute) -> bool:
    return not side.ends and not (isinstance(side, Levels) and side.names != attribute.levels)


def _depends(facts: Facts) -> str:
    """Say that the rate goes with the attribute though no range can be named."""
    finding, percent, name = facts.finding, facts.data.percent, facts.data.names
    rows, trend = thousands(facts.data.rows), finding.trend
    if trend is None or not trend.shown:
        return (
            f"The {rate_said(facts)} varies with {name}{facts.equal} ({p_value(finding.p_value)}), but {rows} rows "
            "are too few to show which groups differ."
        )
    name = next((a.said for a in facts.data.attributes if a.name == trend.attribute), name)
    ends = [amount(rate, percent=percent) for rate in (trend.lower_rate, trend.upper_rate)]
    lower, upper = (share_of_people(share).removeprefix("a ") for share in (trend.lower_share, trend.upper_share))
    first, last = f"the {lower} of the {facts.data.unit} with the lowest {name}", f"the {upper} with the highest"
    if name.partition(" ")[0].lower() == "age":
        first, last = f"the youngest {lower}", f"the oldest {upper}"
    said = f"The {rate_said(facts)} {trend.direction} with {name}{facts.equal} ({p_value(trend.p_value)})"
    if math.isfinite(trend.lower_rate):
        said += f": {ends[0]} among {first}, {ends[1]} among {last}"
    return f"{said}. {rows} rows are too few to show where the difference begins."


def _apart(facts: Facts) -> str:
    """Say that groups named in advance differ from one another, though none from those they are compared with."""
    known = [record for record in facts.records if record.rate_low == record.rate_low]
    high, low = max(known, key=lambda r: r.rate_low), min(known, key=lambda r: r.rate_high)
    rates = [amount(record.rate, percent=facts.data.percent) for record in (high, low)]
    return (
        f"The {rate_said(facts)} differs between groups: {rates[0]} for {high.label}, {rates[1]} for {low.label}, at "
        f"least {size(high.rate_low - low.rate_high, percent=facts.data.percent)} apart "
        f"({facts.settings.percent_level} confidence)."
    )


def _nothing_to_compare(facts: Facts) -> str:
    """Say why nothing can be compared."""
    unit = facts.data.unit
    if facts.same == "group":
        full = next((record.label for record in facts.records if record.counted > 0), "no group")
        return f"Nothing can be compared: all {unit} who count are in one group, {full}."
    what = facts.settings.outcome_said if facts.same == "outcome" else facts.data.names
    return f"Nothing can be compared: all {unit} have the same {what}."


def _none_of_the_named(facts: Facts) -> str:
    """Say that no group named in advance is shown to differ."""
    whom = facts.settings.whom
    if facts.finding.verdict == "no difference found":
        gap = size(facts.settings.relevant_gap, percent=facts.data.percent)
        level = facts.settings.percent_level
        said = f"No relevant difference: every group is shown, with {level} confidence, to lie within {gap} of {whom}"
        return f"{said} ({facts.settings.margin_said})."
    if all(record.verdict == "not enough evidence" for record in facts.records):
        return "Not enough evidence."  # the next sentence says of what
    return f"Not enough evidence: no group is shown to differ from {whom}."


def _of_many(facts: Facts) -> str:
    """Say of many attributes that only one or two were divided into groups."""
    if not facts.many or facts.finding.verdict not in ("different", "depends"):
        return ""
    those = "that" if len(facts.data.attributes) == 1 else "those two"
    return (
        f"Of the {len(facts.many)} attributes, {those} by which {facts.data.unit} differ most "
        f"{'was' if those == 'that' else 'were'} divided into groups; what the others add is not told here, and a scan "
        "tells it."
    )


def _nothing(facts: Facts) -> str:
    """Say that nothing was found, and what would have been."""
    name, unit, percent = facts.data.names, facts.data.unit, facts.data.percent
    known = {d.share: d.difference for d in facts.detectable if math.isfinite(d.difference)}
    if facts.finding.verdict == "no difference found":
        rate = rate_said(facts)
        said = f"No difference found: no range of {name} is shown to differ in its {rate}{facts.equal}."
        if not facts.data.along:
            said = f"No difference found: no difference in {rate} is shown by {name}{facts.equal}."
        share = min((share for share in known if share >= 0.1), default=None)
        if share is not None and known[share] > 0:
            said += (
                f" In a {facts.data.shape} with {share_of_people(share)} of the {unit}, a difference of "
                f"{size(known[share], percent=percent)} from {everybody_said(facts)} would be shown in 80 of 100 such "
                "samples, a smaller one less often."
            )
        return said
    said = f"Not enough evidence: no difference is shown{facts.equal}, and the data cannot rule one out."
    if facts.many:
        every = listed(list(facts.many))
        said = f"Not enough evidence: no difference is shown by any of {every}, alone or in pairs."
    if known:
        share = max(known)
        from_others = (
            f" ({size(known[share] / (1 - share), percent=percent)} from all others)" if not facts.equal else ""
        )
        said += (
            f" Even {share_of_people(share)} of the {unit} would have to differ by "
            f"{size(known[share], percent=percent)} from {everybody_said(facts)}{from_others} for that to be shown "
            "in 80 of 100 such samples."
        )
    elif facts.equal and facts.data.percent:
        said += " Not even the largest difference that there can be would be shown in 80 of 100 such samples."
    return said


def _adds(facts: Facts) -> str:
    """Say of attributes without a border of their own whether they add anything to the others."""
    if facts.finding.verdict not in ("different", "depends") or not facts.added:
        return ""
    said = {a.name: a.said for a in facts.data.attributes}
    missing = facts.partition.missing == "group" and not bordered_attributes(facts.partition)
    if missing:  # the difference is between those whose values are missing and all others
        return ""
    if facts.settings.groups_given and any(one.shown for one in facts.added):  # crossed classes, each judged alone
        differs = [one for one in facts.added if one.shown]
        return " ".join(
            f"At equal {listed([name for column, name in said.items() if column != one.attribute])} the "
            f"{facts.measure.rate} differs by {said[one.attribute]} ({p_value(one.p_value, one.least_p)})."
            for one in differs
        )
    if (facts.finding.groups or facts.finding.range is not None) and not any(one.shown for one in facts.added):
        names = listed([said[one.attribute] for one in facts.added])
        unclear = f"The data cannot tell which of {names} makes the difference"
        two = len(facts.added) == 2
        rest = "of the other, neither" if two else "of the others, none"
        return f"{unclear}: at equal values {rest} is shown to make one."
    bordered: set[str] = set()
    if facts.finding.groups:
        bordered = {facts.partition.columns[d] for d in bordered_attributes(facts.partition)}
    elif facts.finding.range is not None:
        sides = zip(facts.finding.range.sides, facts.data.attributes, strict=True)
        bordered = {one.name for side, one in sides if not _is_open(side, one)}
    out = []
    for one in facts.added:
        if one.attribute in bordered:
            continue
        others = listed([name for column, name in said.items() if column != one.attribute])
        if one.shown:
            p = p_value(one.p_value, one.least_p)
            told = f"At equal {others} the {facts.measure.rate} still differs by {said[one.attribute]} ({p})"
            out.append(f"{told}, though no group of its own shows it.")
        elif facts.finding.groups or facts.finding.range is not None:
            out.append(f"{said[one.attribute]} is not shown to add anything to {others}{_would(one, facts, others)}.")
    return " ".join(out)


def _constant(facts: Facts) -> str:
    """Say which of several attributes are the same for everybody."""
    if facts.same or len(facts.data.attributes) < 2:
        return ""
    names = [a.said for a in facts.data.attributes if (a.low == a.high if a.levels is None else len(a.levels) == 1)]
    return f"All {facts.data.unit} have the same {listed(names)}." if names else ""


def _would(one: Added, facts: Facts, others: str) -> str:
    if not math.isfinite(one.detectable):
        return ""
    least, split = size(one.detectable, percent=facts.data.percent), split_said(one, facts.data.attributes)
    return f": at equal {others}, a difference of {least} {split} would be shown in 80 of 100 such samples"


def bordered_attributes(partition: Partition) -> set[int]:
    """Return which attributes have a border: nothing is shown of the others."""
    every = range(len(partition.columns))
    return {d for d in every if len({box[d] for group in partition.groups for box in group}) > 1}


def amplified(checks: Checks, *, binary: bool, unit: str = "people") -> str:
    """Say for which groups the outcome's differences are larger or smaller than those of its labels."""
    found = checks.amplification
    if found is None:
        return ""
    said, what = [], "share of yes" if binary else "mean"
    everybody = "everybody's" if unit == "people" else f"that of all {unit}"
    for effect, word in (("amplifies", "further from"), ("dampens", "closer to")):
        labels = [r.label for r in found.records if r.effect == effect]
        every = f"all {len(labels)}" if len(labels) == len(found.records) else f"{len(labels)} of {len(found.records)}"
        where = f"in {every} groups" if len(labels) > 2 else f"for {' and '.join(labels)}"
        if labels:
            said.append(
                f"{sentence(where)}, the {what} in “{found.model}” is shown to lie {word} {everybody} than in "
                f"“{found.base}”: the model {effect} the difference."
            )
    return " ".join(said)
