"""What a scan says of each attribute and pair, as typed records."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from fairgroups.audits.records import Limit
from fairgroups.audits.result import Audit
from fairgroups.evidence.verdict import Verdict
from fairgroups.partition.sides import Interval, Levels
from fairgroups.scans.columns import ColumnKind

__all__ = ["CurvePart", "Difference", "ScanLimit", "ScannedAttribute", "Step"]


@dataclass(frozen=True)
class CurvePart:
    """A stretch of a number, or a level: its ends or its place, what it is called, how many people, and their rate."""

    low: float
    high: float
    label: str
    n: int
    rate: float


@dataclass(frozen=True)
class Difference:
    """A range, some levels, or a box, and how its people differ.

    Attributes
    ----------
    label : str
        As it is said: "age 22 to 24".
    sides : tuple of Interval or Levels
        One for each attribute; dates are days since 1970.
    n : int
        People in it.
    share : float
        Their share.
    rate : float
        Their rate.
    raw : float
        Their rate less everybody's.
    phi, low, high : float
        The difference that is judged, with an interval that holds over the whole scan: from everybody, or with factors
        held equal from what people alike have.
    verdict : str
        What may be said of it.
    inside : int
        How many people it holds, those who do not count in the rate with them.
    """

    label: str
    sides: tuple[Interval | Levels, ...]
    n: int
    share: float
    rate: float
    raw: float
    phi: float
    low: float
    high: float
    verdict: Verdict
    inside: int = 0

    @property
    def shown(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return bool(self.low > 0 or self.high < 0)


@dataclass(frozen=True)
class ScanLimit(Limit):
    """A limit on every difference of a scan; where it is exceeded, the place that exceeds it most surely."""

    place: Difference | None = None


@dataclass(frozen=True)
class ScannedAttribute:
    """What was seen of one attribute, or of a pair.

    Attributes
    ----------
    names : tuple of str
        The column, or two.
    said : str
        What it is called.
    kind : {"number", "category", "date"}
        How it was read; of a pair, the first.
    worst : Difference
        Where people differ most: of those to their harm, if the outcome is known to be good or bad to receive and one
        of them is shown.
    more : tuple of Difference
        Further places that are shown to differ, apart from the first and from one another.
    shown : bool
        Whether the attribute is shown to matter, with one error over the whole scan.
    p_value : float
        How often chance alone makes something in the scan as striking.
    missing : bool
        Whether it is about the attribute being known or not, instead of its values.
    protected : tuple of str
        Which protected attributes the names sound like.
    beyond : tuple of str
        Attributes at equal values of which this one is no longer shown to matter, though they are without it.
    alike : tuple of str
        Attributes that cannot be told from this one: neither is shown to matter at equal values of the other.
    step : int
        When it entered the shortest list that leaves nothing else shown; 0 if it did not.
    remains : bool or None
        Whether it is still shown to matter among people alike in all of the shortest list; None where it is on it, and
        where too few people are alike to tell.
    detectable : float
        The difference of a tenth of the people that would have been noticed in four of five such samples; NaN where
        none would.
    curve : tuple of CurvePart
        The rate along it; empty for pairs.
    audit : Audit or None
        The audit of this attribute alone, if it was asked for.
    """

    names: tuple[str, ...]
    said: str
    kind: ColumnKind
    worst: Difference
    more: tuple[Difference, ...]
    shown: bool
    p_value: float
    missing: bool = False
    protected: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    step: int = 0
    remains: bool | None = None
    detectable: float = math.nan
    curve: tuple[CurvePart, ...] = ()
    audit: Audit | None = field(default=None, repr=False, compare=False)

    @property
    def place(self) -> str:
        """The most different place, without the attribute's name where there is one attribute."""
        return _without_name(self.worst.label, self.said, self.names)

    @property
    def verdict(self) -> Verdict:
        """What may be said of the attribute."""
        return self.worst.verdict if self.shown else "not enough evidence"


def _without_name(label: str, said: str, names: tuple[str, ...]) -> str:
    if len(names) > 1:
        return label
    return label.removeprefix(f"{said.removesuffix(' (known or not)')} ")


@dataclass(frozen=True)
class Step:
    """One step of the shortest list: what differs most among people alike in all attributes before it."""

    names: tuple[str, ...]
    said: str
    given: tuple[str, ...]
    worst: Difference
    p_value: float

    @property
    def place(self) -> str:
        """The place, without the attribute's name where there is one attribute."""
        return _without_name(self.worst.label, self.said, self.names)
