"""What a scan says, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fairgroups.words import amount, listed, p_value, plain_points, points, sentence, size, thousands

if TYPE_CHECKING:
    from fairgroups.scans.records import Difference, ScanLimit, ScannedAttribute, Step
    from fairgroups.scans.result import Scan

__all__ = ["adds", "cannot_say", "certainty", "conclude", "evidence_said", "limit_lines", "people_said", "steps_said"]


MOST_NAMED = 5  # columns in a sentence


def conclude(scan: Scan) -> str:
    """Say which attributes matter, and who differs most; and what was left out though it may."""
    return _shown(scan) + _copies(scan) + _unread(scan)


def _shown(scan: Scan) -> str:
    data = scan.data
    looked = len({one.names for one in scan.attributes})
    equal = f" at equal {listed(list(data.given))}" if data.given else ""
    if scan.verdict == "not enough evidence":
        return _nothing(scan, looked, equal)
    first = scan.steps[0]
    clearest = "The clearest" if looked > 1 else "There is a"
    by = f"{'is ' if looked > 1 else ''}by {_by(first)}"
    said = f"{clearest} difference in {data.outcome}{equal} {by}: {_difference(scan, first)}."
    return f"{said}{_other_side(scan, first)}{_how_many(scan, looked)}{_later(scan)}{_beside_the_list(scan)}"


def _by(one: ScannedAttribute | Step) -> str:
    return listed(_names(one))


def _names(one: ScannedAttribute | Step) -> list[str]:
    """Return what the columns are called; both together where one is called by the sign between them."""
    parts = one.said.split(" × ")
    return parts if len(parts) == len(one.names) else [one.said]


def _difference(scan: Scan, one: ScannedAttribute | Step) -> str:
    """Say whose rate it is, how far it lies from everybody's, and how sure that is."""
    data, worst = scan.data, one.worst
    against = f"against {amount(data.overall, percent=data.percent)} for {data.everybody}: "
    if data.given:
        against = ""
    return (
        f"for {worst.label} ({people_said(scan, worst)}), the {data.rate} is "
        f"{amount(worst.rate, percent=data.percent)}, {against}"
        f"{_distance(scan, worst, f'that of comparable {data.unit}' if data.given else '')}"
    )


def people_said(scan: Scan, place: Difference) -> str:
    """Write how many people a place holds, and how many of them count in the rate where not all do."""
    counted = thousands(place.n)
    if place.inside > place.n:
        return f"{counted} of {thousands(place.inside)} {scan.data.unit} who count"
    return f"{counted} {scan.data.unit}"


def _distance(scan: Scan, worst: Difference, whom: str) -> str:
    """Say how far a rate lies from another, and how sure that is."""
    data = scan.data
    way = f"{'lower' if worst.phi < 0 else 'higher'}{f' than {whom}' if whom else ''}"
    return f"{size(worst.phi, percent=data.percent)} {way} ({data.percent_level} interval {_ends(scan, worst)})"


def _other_side(scan: Scan, one: ScannedAttribute | Step) -> str:
    """Say who differs even more to the other side, along the same attributes: harm is told first, but not alone."""
    whole = next((known for known in (*scan.attributes, *scan.pairs) if known.names == one.names), None)
    more = () if whole is None or whole.worst != one.worst else whole.more
    place = next((place for place in more if (place.phi > 0) != (one.worst.phi > 0)), None)
    if place is None or abs(place.phi) <= abs(one.worst.phi):
        return ""
    return (
        f" For {place.label} ({people_said(scan, place)}), it is {amount(place.rate, percent=scan.data.percent)}, "
        f"{_distance(scan, place, _others(scan))}."
    )


def _others(scan: Scan) -> str:
    """Return with whose rate those of places are compared."""
    if scan.data.given:
        return f"that of comparable {scan.data.unit}"
    return "everybody's" if scan.data.unit == "people" else f"that of {scan.data.everybody}"


def _how_many(scan: Scan, looked: int) -> str:
    """Say how many columns are shown."""
    shown = len({one.names[0] for one in scan.shown})
    if looked == 1:
        return ""
    every = "both" if looked == 2 else f"all {looked}"
    which = f"{shown} of the {looked} columns" if shown < looked else f"{every} columns"
    if not shown:
        which = f"{'neither' if looked == 2 else 'none'} of the {looked} columns alone"
    equal = f" at equal {listed(list(scan.data.given))}" if scan.data.given else ""
    more = {name for pair in scan.pairs if pair.shown for name in pair.names} - {one.names[0] for one in scan.shown}
    alone = (" on their own" if shown > 1 else " on its own") if more and shown else ""
    return (
        f" {sentence(which)} {'are' if shown > 1 else 'is'} shown to be related to {scan.data.outcome}{equal}{alone}."
    )


def _later(scan: Scan) -> str:
    """Say what else is on the short list, and which of it is not shown alone."""
    later = [step.said for step in scan.steps[1:]]
    if not later:
        return ""
    shown = {one.names[0] for one in scan.shown}
    pairs = [set(pair.names) for pair in scan.pairs if pair.shown]
    new = [step.said for step in scan.steps[1:] if not set(step.names) <= shown and set(step.names) not in pairs]
    first = listed([*scan.data.given, *_names(scan.steps[0])])
    if len(later) == 1:
        said = f" {later[0]} still matters among {scan.data.unit} alike in {first}"
        return f"{said}{', though not shown alone' if new else ''}."
    said = f" {listed(later)} still matter, each among {scan.data.unit} alike in all before it"
    return said + (f" ({listed(new)} {'are' if len(new) > 1 else 'is'} not shown alone)." if new else ".")


def _beside_the_list(scan: Scan) -> str:
    """Say what the short list leaves of the other columns that are shown."""
    on_it = {name for step in scan.steps for name in step.names}
    others: dict[str, list[bool | None]] = {}
    for one in scan.shown:
        if one.names[0] not in on_it:
            others.setdefault(one.names[0], []).append(one.remains)
    looked = len({one.names for one in scan.attributes})
    called = _called(scan)
    still = [called[name] for name, remains in others.items() if True in remains]
    added = [called[name] for name, remains in others.items() if set(remains) == {False}]
    untold = [called[name] for name in others if called[name] not in (*still, *added)]
    these, alike = _the_list(scan)
    said = []
    if still:
        said.append(f"differences by {_some_of(still)} remain among {alike}")
    if added:
        whom = _some_of(added)
        if len(added) == len(others) > MOST_NAMED:
            whom = "The others" if len({one.names[0] for one in scan.shown}) == looked else f"The other {len(added)}"
        said.append(f"{whom} {'are' if len(added) > 1 else 'is'} not shown to add anything to {these}")
    if untold:
        add = "add" if len(untold) > 1 else "adds"
        whether = "whether" if said else "Whether"
        said.append(f"{whether} {_some_of(untold)} {add} to {these} cannot be told, as there are too few {alike}")
    told = f" {sentence('; '.join(said)) if still else '; '.join(said)}." if said else ""
    return told + _not_known(scan)


def _called(scan: Scan) -> dict[str, str]:
    """Return what each column is called."""
    return {one.names[0]: one.said.removesuffix(" (known or not)") for one in scan.attributes}


def _the_list(scan: Scan) -> tuple[str, str]:
    """Return what the short list is called where something is added to it, and who is alike in it."""
    if len(scan.steps) > 1:
        return "these", f"{scan.data.unit} alike in all of these"
    names = _by(scan.steps[0])
    return names, f"{scan.data.unit} alike in {names}"


def _not_known(scan: Scan) -> str:
    """Say how those differ who are not known in a column on the short list: its place is of others."""
    said = []
    for one in scan.shown:
        if is_apart(scan, one):
            who = f"For {one.worst.label} ({people_said(scan, one.worst)})"
            said.append(f" {who}, the {scan.data.rate} is {_distance(scan, one.worst, _others(scan))}.")
    return "".join(said)


def is_apart(scan: Scan, one: ScannedAttribute) -> bool:
    """Whether it tells of people who are not known in a column on the short list, whose place is of others."""
    listed_names = {name for step in scan.steps for name in step.names}
    return one.shown and one.missing and len(one.names) == 1 and not one.step and one.names[0] in listed_names


def _some_of(names: list[str]) -> str:
    """Name some columns, and count the rest."""
    if len(names) <= MOST_NAMED:
        return listed(names)
    return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} others"


def _copies(scan: Scan) -> str:
    """Say which columns were left out because they decide the outcome; they may be what decides."""
    names = {check.name for check in scan.columns}
    copies = [check.name for check in scan.columns if check.same_as is not None and check.same_as not in names]
    if not copies:
        return ""
    several = len(copies) > 1
    was, they = ("were", "they decide") if several else ("was", "it decides")
    it, copy = ("they are", "copies") if several else ("it is", "a copy")
    return (
        f" {listed(copies)} {was} left out: {they} nearly all of {scan.data.outcome}, as a copy would. If {it} not "
        f"{copy}, name all the columns to look at, {listed(copies)} among them (--attributes)."
    )


def _unread(scan: Scan) -> str:
    """Say which columns were left out though their texts look like numbers or dates."""
    names = [check.name for check in scan.columns if check.looks_like]
    if not names:
        return ""
    was, their, them = ("were", "their", "them") if len(names) > 1 else ("was", "its", "it")
    kinds = " or ".join(dict.fromkeys(check.looks_like for check in scan.columns if check.looks_like))
    return f" {_some_of(names)} {was} left out: {their} texts look like {kinds}. Convert {them} to look at {them}."


def _columns(n: int) -> str:
    return f"{n} columns" if n != 1 else "the one column that was looked at"


def _pairs(n: int) -> str:
    return f"{thousands(n)} pair{'s' if n > 1 else ''}"


def _nothing(scan: Scan, looked: int, equal: str) -> str:
    data = scan.data
    if data.constant:
        if data.overall in (0, 1) and data.rate != "positive rate":
            same = amount(data.overall, percent=data.percent)
            return f"Nothing can be compared: the {data.rate} for {data.outcome} is {same} everywhere."
        return f"Nothing can be compared: all {thousands(data.n)} {data.unit} have the same {data.outcome}."
    pairs = f" and {_pairs(data.looked_at_pairs)}" if data.looked_at_pairs else ""
    least = [one.detectable for one in scan.attributes if not math.isnan(one.detectable)]
    said = (
        f"No attribute is shown to be related to {data.outcome}{equal}: over {_columns(looked)}{pairs}, nothing "
        f"differs more than chance makes it ({p_value(data.p_value)})"
    )
    if 10 * data.alone > data.n:
        whom = f"{thousands(data.alone)} of {thousands(data.n)} {data.unit}"
        said += f"; but {whom} have nobody alike in {listed(list(data.given))} to be compared with"
    if least:
        said += (
            f". In a tenth of the {data.unit}, only a difference of about {size(max(least), percent=data.percent)} or "
            "more would have been found in 80 of 100 such tables"
        )
    return said + "."


def _ends(scan: Scan, worst: Difference) -> str:
    """Write an interval: without signs where it lies on the side that is said."""
    if worst.low < 0 < worst.high:
        return " to ".join(points(x, percent=scan.data.percent) for x in (worst.low, worst.high))
    return " to ".join(plain_points(x, percent=scan.data.percent) for x in sorted(map(abs, (worst.low, worst.high))))


def steps_said(scan: Scan, step: Step) -> str:
    """Say what a step of the shortest list adds."""
    if not step.given:
        return f"{step.said}: {_difference(scan, step)}."
    alike = f"that of {scan.data.unit} alike in {listed(list(step.given))}"
    return f"{step.said}: for {step.worst.label}, the {scan.data.rate} is {_distance(scan, step.worst, alike)}."


def adds(scan: Scan, one: ScannedAttribute) -> str:
    """Return whether another attribute already explains what this one shows, in words."""
    if not one.shown:
        return ""
    if is_apart(scan, one):
        name = _called(scan)[one.names[0]]
        return f"These are other {scan.data.unit}: the short list has those whose {name} is known."
    said = []
    if one.remains:
        said.append("still differs at equal values of the short list")
    if one.beyond:
        said.append(f"{'alone ' if one.step else ''}not shown to add anything beyond {_any_of(one.beyond)}")
    elif one.remains is False:
        said.append("not shown to add anything to the short list")
    if one.alike:
        said.append(f"cannot be told from {_any_of(one.alike)}")
    if not said and not one.step and len(one.names) == 1:
        said.append("too few are alike in the short list to tell whether it adds anything")
    return sentence("; ".join(said)) + "." if said else ""


def _any_of(names: tuple[str, ...]) -> str:
    return " or ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def evidence_said(one: ScannedAttribute) -> str:
    """Write how often chance makes something in the scan as striking; draws are too few to say less than 0.002."""
    return "p ≤ 0.002" if one.p_value < 0.0025 else p_value(one.p_value)


def certainty(scan: Scan) -> str:
    """Say what the confidence covers."""
    data = scan.data
    looked = len({one.names for one in scan.attributes})
    pairs = f" and of {_pairs(data.looked_at_pairs)}" if data.looked_at_pairs else ""
    if 0 < data.looked_at_pairs < math.comb(looked, 2):
        pairs += ", those of the ten most striking"
    return (
        f"With {data.percent_level} confidence all intervals hold at once, for every range of every column "
        f"({looked}){pairs}: they allow for the fact that the most striking were picked."
    )


def limit_lines(scan: Scan) -> list[str]:
    """Return for each limit whether it is kept, in words."""
    data, out = scan.data, []
    for limit in scan.limits:
        what = "to people's harm " if limit.name == "max_harm" else ""
        told = {
            "kept": f"is kept by every range and box of a tenth of the {data.unit} or more",
            "exceeded": f"is exceeded{_beyond_the_limit(scan, limit)}",
            "not enough evidence": "cannot be judged: not enough evidence",
        }[limit.verdict]
        out.append(f"The limit of {size(limit.value, percent=data.percent)} {what}{told}.")
    return out


def _beyond_the_limit(scan: Scan, limit: ScanLimit) -> str:
    """Say who exceeds a limit most surely."""
    if limit.place is None:
        return ""
    who = f"for {limit.place.label} ({people_said(scan, limit.place)})"
    return f": {who}, the {scan.data.rate} is {_distance(scan, limit.place, _others(scan))}"


def cannot_say(scan: Scan) -> list[str]:
    """List what may not be concluded from the scan."""
    data = scan.data
    least = [one.detectable for one in scan.attributes if not math.isnan(one.detectable)]
    said = []
    if any(not one.shown for one in scan.attributes):
        said.append("That attributes not shown do not matter: a difference may exist that this data does not show.")
    if least:
        far = size(max(least), percent=data.percent)
        said.append(
            f"Small differences: in a tenth of the {data.unit}, a difference of {far} along one column would be found "
            "in about 80 of 100 such tables, a smaller one less often."
        )
    said.append(
        f"Why there are differences. An attribute that is related to {data.outcome} need not be its cause, and “not "
        "shown to add anything beyond another” does not mean that it adds nothing."
    )
    if not data.given:
        said.append("Whether there are reasons for a difference: --given holds factors equal.")
    if not data.percent:
        said.append(
            "Means of few with rare large values: the intervals assume that means are roughly normal, and may be too "
            "narrow where values are strongly skewed or heavy-tailed."
        )
    said.append("Anything about attributes that are not in the table.")
    return said
