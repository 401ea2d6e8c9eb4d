"""What an audit says of each group, of the data and of how it was made, as typed records."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from fairgroups.evidence.band import RangeEvidence
from fairgroups.evidence.limit_verdict import LimitVerdict
from fairgroups.evidence.trend import Trend
from fairgroups.evidence.verdict import USUAL_GAP, Headline, Verdict
from fairgroups.measures import Direction, Measure
from fairgroups.options import Against, Inference, Missing
from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Numbers
from fairgroups.words import listed

__all__ = [
    "Attribute",
    "Bin",
    "Change",
    "DataFacts",
    "Detectable",
    "Finding",
    "GroupRecord",
    "Limit",
    "RateName",
    "Replication",
    "Settings",
    "SinceBaseline",
]


def _in_a_sentence(label: str) -> str:
    """Return a label without its unit, and without a capital that only begins it."""
    words = re.sub(r"\s*[(\[].*[)\]]\s*$", "", label).strip() or label
    return words[:1].lower() + words[1:] if words[1:2].islower() else words


@dataclass(frozen=True)
class GroupRecord:
    """What is known of one group.

    Attributes
    ----------
    label : str
        The group, as people say it: "age 22 to 24".
    n : int
        People in it.
    counted : float
        Those of them in the measure's denominator.
    share : float
        Its share of the denominator.
    rate, rate_low, rate_high : float
        Its rate, with an interval.
    phi, low, high : float
        Its difference from everyone, from the rest, or from the reference group, with an interval.
    detectable : float
        The smallest harmful difference that would have been shown in four of five such samples; NaN where none would.
    violation : float
        The share times the size of the difference (Kearns et al.).
    ratio, ratio_low, ratio_high : float
        Its rate over that of the best group, or of the reference group, with an interval.
    plugin_low, plugin_high : float
        The usual interval of the difference, which forgets that groups were searched for.
    verdict : str
        What may be said of it.
    """

    label: str
    n: int
    counted: float
    share: float
    rate: float
    rate_low: float
    rate_high: float
    phi: float
    low: float
    high: float
    detectable: float
    violation: float
    ratio: float
    ratio_low: float
    ratio_high: float
    plugin_low: float
    plugin_high: float
    verdict: Verdict

    @property
    def alone(self) -> bool:
        """Whether the group is compared with nothing: it is everybody, or the reference."""
        return self.low == self.high == 0


@dataclass(frozen=True)
class Finding:
    """What was found, as facts; every report words them in the same way.

    Attributes
    ----------
    verdict : str
        "different": a group or a range is shown to differ. "depends": the rate goes with the attribute, and no range
        can be named. "no difference found", where one would have been noticed. "not enough evidence" otherwise.
    groups : tuple of int
        The groups that are shown to differ, the most different first.
    range : RangeEvidence or None
        Where no group shows it, the range that differs most.
    trend : Trend or None
        Whether the rate rises or falls with one attribute that was searched.
    p_value : float
        Of the test whether the rate is uneven over several attributes together, or with cross-fitting of the
        permutation test; NaN otherwise.
    """

    verdict: Headline
    groups: tuple[int, ...]
    range: RangeEvidence | None = None
    trend: Trend | None = None
    p_value: float = float("nan")


@dataclass(frozen=True)
class Limit:
    """A limit that was set, and whether it is kept: "max_gap", "max_harm" or "min_ratio"."""

    name: Literal["max_gap", "max_harm", "min_ratio"]
    value: float
    verdict: LimitVerdict


@dataclass(frozen=True)
class RateName:
    """A measure by name: what a user types, what its rate is called, and what a higher rate means for a person."""

    name: str
    rate: str
    direction: Direction

    @classmethod
    def of(cls, measure: Measure, outcome: str, label: str | None, direction: Direction) -> RateName:
        """Return what the rate is called: by the outcome's own name where that is known."""
        said = Attribute(outcome, label=str(label or "")).said
        rate = f"rate of {said}" if label and measure.name == "statistical_parity" else measure.rate
        return cls(measure.name, f"mean {said}" if measure.name == "mean" else rate, direction)


@dataclass(frozen=True)
class Detectable:
    """For a range with a `share` of the people, the smallest `difference` from everybody that is shown in 80%."""

    share: float
    difference: float


@dataclass(frozen=True)
class Bin:
    """How many people have a value from `low` to `high`."""

    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Attribute:
    """What values an attribute has: `levels` of a category, else its range and how people lie along it.

    `label` is what a user calls it, `whole` whether it holds whole numbers only.
    """

    name: str
    levels: tuple[str, ...] | None = None
    low: float = float("nan")
    high: float = float("nan")
    usual: tuple[float, float] = (float("nan"), float("nan"))
    distinct: int = 0
    bins: tuple[Bin, ...] = ()
    label: str = ""
    whole: bool = False
    rounded: bool = False

    @property
    def title(self) -> str:
        """What axes and headings say."""
        return self.label or self.name

    @property
    def said(self) -> str:
        """What sentences say: the label without its unit, and without a capital that only begins it."""
        return _in_a_sentence(self.label) if self.label else self.name

    @property
    def numbers(self) -> Numbers:
        """Whether its numbers are whole, or its two values where it has two that are neighbours, as 0 and 1."""
        return (self.low, self.high) if self.whole and self.high - self.low == 1 and not self.rounded else self.whole

    @property
    def shown(self) -> tuple[float, float]:
        """The values that a chart shows: all, unless a few far ones would press the others together."""
        low, high = self.usual
        return (self.low, self.high) if self.high - self.low < 1.5 * (high - low) else (low, high)


@dataclass(frozen=True)
class DataFacts:
    """What was read: where from, how many rows, how many of them judged the groups, who was left out and why.

    `percent` says whether rates are percentages; `library` in which tables are given back; `unit` what rows are;
    `converted` what was decided and converted when the table was read.
    """

    source: str
    library: str
    rows: int
    rows_judged: int
    dropped: dict[str, int]
    attributes: tuple[Attribute, ...]
    percent: bool
    unit: str = "people"
    converted: tuple[str, ...] = ()

    @property
    def names(self) -> str:
        """The attributes, as sentences name them."""
        return listed([attribute.said for attribute in self.attributes])

    @property
    def along(self) -> bool:
        """Whether there is one number along which a rate can be drawn; of 0 and 1 there is nothing between them."""
        first = self.attributes[0]
        return len(self.attributes) == 1 and first.levels is None and not isinstance(first.numbers, tuple)

    @property
    def shape(self) -> str:
        """What people with some values of the attributes are: a range of a number, a group, or a box of several."""
        return "range" if self.along else "group" if len(self.attributes) == 1 else "box"

    @property
    def everybody(self) -> str:
        """What all rows together are called."""
        return "everybody" if self.unit == "people" else f"all {self.unit}"


@dataclass(frozen=True)
class Change:
    """How a group's difference changed since the baseline.

    `harm` is the change of Φ to the group's harm, with `low` and `high`; `verdict` is "worse", "better", "no change
    shown", or "not comparable" where one of the two has nobody to compare. Rates are those of the group then and now.

    Examples
    --------
    >>> import fairgroups as fg
    >>> data = fg.make_synthetic(5000)
    >>> found = fg.audit({"L": data.sensitive, "Y": data.outcome}, sensitive="L", outcome="Y", checks=False)
    >>> all(isinstance(change, fg.Change) for change in fg.compare_to_baseline(found, found))
    True
    """

    label: str
    before: float
    after: float
    harm: float
    low: float
    high: float
    verdict: str
    rate_before: float = float("nan")
    rate_after: float = float("nan")


@dataclass(frozen=True)
class SinceBaseline:
    """What has changed since an earlier audit: where its data came from, its rows, everybody's rate, each group."""

    source: str
    rows: int
    overall: float
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Settings:
    """How the audit was made: what was asked for, and what followed from it.

    `bounded` says whether every row's rate is yes or no; `reference` is the label of the group that others are compared
    with; `asked` holds every option as it was given; `call` is
    the Python call that repeats it.
    """

    sensitive: tuple[str, ...]
    outcome: str
    truth: str | None
    compare_with: str | None
    weight: str | None
    cluster: str | None
    positive: str | None
    missing: Missing
    against: Against
    favourable: bool | None
    n_groups: int | Literal["auto"]
    groups_given: bool
    exact: bool | None
    optimality_gap: float | None
    n_cells: int | None
    inference: Inference
    level: float
    band_quantiles: dict[str, Any] | None
    bounded: bool
    relevant_gap: float
    reference: str | None
    given: tuple[str, ...]
    title: str | None
    outcome_label: str
    seed: int
    asked: dict[str, Any]
    call: str

    @property
    def whom(self) -> str:
        """Whom groups are compared with."""
        if self.given and self.against == "everyone":
            return f"what {listed(self.given)} would suggest"
        if self.given:
            return f"comparable {self.asked['unit']}"
        unit = self.asked["unit"]
        everybody = "everybody" if unit == "people" else f"all {unit}"
        return {"everyone": everybody, "rest": "the rest"}.get(self.against) or str(self.reference)

    @property
    def weighted(self) -> bool:
        """Whether rows count for more or less than one."""
        return self.weight is not None or self.cluster is not None

    @property
    def outcome_said(self) -> str:
        """The outcome, as sentences name it."""
        return self.outcome if self.outcome_label == self.outcome else _in_a_sentence(self.outcome_label)

    @property
    def attributes(self) -> str:
        """The sensitive columns, joined."""
        return " and ".join(self.sensitive)

    @property
    def margin_said(self) -> str:
        """Where the margin of "no relevant difference" comes from, in words."""
        if self.asked["relevant_gap"] is not None:
            return "as you asked"
        usual = "a fifth of the outcome's standard deviation"
        if self.bounded:
            usual = "the usual margin" if self.relevant_gap == USUAL_GAP else "a fifth of the rarer of yes and no"
        return f"{usual}; relevant_gap (--relevant-gap) sets another"

    @property
    def percent_level(self) -> str:
        """The confidence level as people write it."""
        return f"{100 * self.level:.12g}%"


@dataclass(frozen=True)
class Replication:
    """The groups that the other half of the rows found, judged on the half that found those shown.

    `records` are as those of an `Audit`; `rand` says how far the two sets of groups agree on who belongs together.
    """

    records: tuple[GroupRecord, ...]
    partition: Partition
    rand: float
