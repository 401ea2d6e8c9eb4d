"""What a conclusion is made of: the facts, and how people, rates and differences are named in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairgroups.audits.reasons import Reasons
from fairgroups.audits.records import Attribute, DataFacts, Detectable, Finding, GroupRecord, RateName, Settings
from fairgroups.evidence.added import Added
from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Interval, Levels, shortest
from fairgroups.words import listed, plain_points, points, size

__all__ = [
    "Facts",
    "Same",
    "difference_said",
    "everybody_said",
    "ranges_of",
    "rate_said",
    "split_said",
    "who_said",
    "whom_said",
]

NEAR_HALF = 0.1  # shares of the people that are called halves
Same = Literal["", "attributes", "outcome", "group"]


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
    added: Sequence[Added] = ()
    reasons: Reasons | None = None
    same: Same = ""  # what all have in common, so that nothing can be compared
    many: tuple[str, ...] = ()  # all the attributes, where one or two of them were taken

    @property
    def equal(self) -> str:
        """Say what is held equal, with a space in front: " at equal education and hours"; nothing where nothing is."""
        return f" at equal {self.reasons.names}" if self.reasons is not None else ""


def who_said(facts: Facts, groups: Sequence[int]) -> str:
    """Name the people of some groups: "people whose age is under 32"."""
    attributes, partition = facts.data.attributes, facts.partition
    names, whole = [a.said for a in attributes], [a.numbers for a in attributes]
    ranges = _joined(partition, groups)
    if ranges == [Interval()]:
        unit = facts.data.unit
        return f"{unit} whose {names[0]} is known" if partition.missing == "group" else f"all {unit}"
    if ranges is not None:
        number = shortest(partition.edges)
        conditions = [f"{names[0]} is {_either([part.said(number, whole=whole[0]) for part in ranges])}"]
    elif len(names) == 1 and all(k < len(partition.groups) for k in groups):  # levels of one category
        levels = [level for k in groups for box in partition.groups[k] for level in getattr(box[0], "names", ())]
        conditions = [f"{names[0]} is {Levels(tuple(levels)).said(among=attributes[0].levels or ())}"]
    else:
        conditions = [partition.said(names, whole, verb="is")[k] for k in groups]
    if conditions == ["everybody"]:
        return f"all {facts.data.unit}"
    if conditions == ["all others"]:
        return f"all other {facts.data.unit}"
    return f"{facts.data.unit} whose {', or whose '.join(conditions)}"


def _either(parts: Sequence[str]) -> str:
    """Write alternatives: "under 24 or 28 to 30", "under 24, 29 to 35, or 62 or over"."""
    several = len(parts) > 2 or any(" or " in part for part in parts)
    return f"{', '.join(parts[:-1])}, or {parts[-1]}" if several and len(parts) > 1 else " or ".join(parts)


def ranges_of(facts: Facts, groups: Sequence[int]) -> Sequence[object]:
    """Return by how many ranges, levels or boxes some groups are named."""
    ranges = _joined(facts.partition, groups)
    return ranges if ranges is not None else list(groups)


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


def whom_said(facts: Facts) -> str:
    """Name those that groups are compared with."""
    if facts.reasons is not None:
        return facts.settings.whom
    if facts.settings.against == "everyone":
        return facts.data.everybody
    if facts.settings.against == "rest":
        return "the rest"
    return who_said(facts, [next(k for k, record in enumerate(facts.records) if record.verdict == "reference")])


def everybody_said(facts: Facts) -> str:
    """Name all people together, or those that the factors suggest."""
    return facts.data.everybody if not facts.equal else facts.settings.whom


def rate_said(facts: Facts) -> str:
    """Name the rate, with the outcome where its name does not hold it."""
    outcome, rate = facts.settings.outcome_said, facts.measure.rate
    return rate if outcome.lower() in rate.lower() else f"{rate} for {outcome}"


def difference_said(facts: Facts, value: float, low: float, high: float, than: str = "") -> str:
    """Say a difference with its interval: "3.1 points lower than others (95% interval 2.0 to 4.2 points)"."""
    percent = facts.data.percent
    if low < 0 < high:
        said = f"{points(low, percent=percent)} to {points(high, percent=percent)}"
    else:
        ends = sorted((abs(low), abs(high)))
        said = f"{plain_points(ends[0], percent=percent)} to {plain_points(ends[1], percent=percent)}"
    side = "lower" if value < 0 else "higher"
    unit = " points" if percent else ""
    than = f" than {than}" if than else ""
    return f"{size(value, percent=percent)} {side}{than} ({facts.settings.percent_level} interval {said}{unit})"


def split_said(one: Added, attributes: Sequence[Attribute]) -> str:
    """Say between whom the difference lies that would be shown."""
    name = next(a.said for a in attributes if a.name == one.attribute)
    if one.levels:
        return f"between {name} {listed(one.levels)} and the rest"
    halves = abs(one.lower - 0.5) <= NEAR_HALF  # else many have one value
    lower = f"the {round(100 * one.lower)}% with the lowest {name} and the rest"
    return f"between {f'the lower and the upper half of {name}' if halves else lower}"
