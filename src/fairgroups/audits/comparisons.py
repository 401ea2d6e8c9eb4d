"""What an audit is compared with: classes named in advance, an earlier audit, and itself from period to period."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from fairgroups.audits.groups import records_of
from fairgroups.audits.records import Attribute, GroupRecord
from fairgroups.cells.sample import Sample
from fairgroups.errors import InputError
from fairgroups.evidence.comparison import compare
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.evidence.judge import judge
from fairgroups.measures import Direction, Measure
from fairgroups.options import FEWEST_TOLD, Against
from fairgroups.partition.given import given_partition
from fairgroups.partition.partition import Partition

if TYPE_CHECKING:
    from fairgroups.audits.options import AuditOptions
from fairgroups.words import how_many

__all__ = ["InClasses", "OverTime", "Period", "PeriodChange", "PeriodGroup", "in_classes", "over_time"]


@dataclass(frozen=True)
class InClasses:
    """The same people in classes that were named in advance, such as a law's, judged as such.

    Attributes
    ----------
    name : str
        What the classes are called.
    partition : Partition
        The classes.
    against : {"everyone", "rest"}
        Whom each is compared with: two classes with each other.
    records : tuple of GroupRecord
        What is known of each.
    """

    name: str
    partition: Partition
    against: Against
    records: tuple[GroupRecord, ...]


@dataclass(frozen=True)
class PeriodGroup:
    """One group in one period: people, rate, and the difference from everybody in that period with its interval."""

    n: int
    rate: float
    phi: float
    low: float
    high: float


@dataclass(frozen=True)
class Period:
    """One period: what it is called, its people, everybody's rate, and each group."""

    label: str
    n: int
    overall: float
    groups: tuple[PeriodGroup, ...]


@dataclass(frozen=True)
class PeriodChange:
    """How a group's difference changed from the first period to the last, with an interval and a verdict."""

    label: str
    first: float
    last: float
    difference: float
    low: float
    high: float
    verdict: Literal["rose", "fell", "no change shown", "not enough evidence"]


@dataclass(frozen=True)
class OverTime:
    """The audit from period to period: the same groups in each.

    With the audit's level, the intervals hold for all groups and periods at once, so that any two may be compared.

    Attributes
    ----------
    name : str
        The column of the periods.
    periods : tuple of Period
        In order.
    changes : tuple of PeriodChange
        For each group, from the first period to the last.
    """

    name: str
    periods: tuple[Period, ...]
    changes: tuple[PeriodChange, ...]


def in_classes(
    sample: Sample,
    measure: Measure,
    direction: Direction,
    inference: InferenceOptions,
    gap: float,
    attribute: Attribute,
    options: AuditOptions,
) -> tuple[InClasses, ...]:
    """Judge the classes of every scale that was named.

    Parameters
    ----------
    sample : Sample
        The people.
    measure : Measure
        Which rate.
    direction : {"better", "worse", "neutral"}
        What a higher rate means for a person.
    inference : InferenceOptions
        How groups are judged.
    gap : float
        Differences within ± this are of no concern.
    attribute : Attribute
        The sensitive attribute.
    options : AuditOptions
        What was asked; `scales` maps names to borders.

    Returns
    -------
    tuple of InClasses
    """
    found = []
    if options.scales and attribute.levels is not None:
        raise InputError(f"scales are borders of a number, and {attribute.name!r} is a category.", "leave them out.")
    for name, borders in (options.scales or {}).items():
        partition = given_partition(borders, options.roles.sensitive, "group" if sample.rows.absent.any() else "error")
        evidence = judge(sample, partition, measure, replace(inference, named=True, inference="band"))
        against: Against = "rest" if partition.n_groups == 2 else "everyone"
        compared = compare(evidence, direction, against)
        labels = partition.said([attribute.said], [attribute.numbers])
        found.append(InClasses(name, partition, against, records_of(evidence, compared, direction, gap, labels)))
    return tuple(found)


def over_time(
    sample: Sample, partition: Partition, measure: Measure, inference: InferenceOptions, labels: Sequence[str]
) -> OverTime | None:
    """Judge the groups in every period, where a column of periods was named.

    Parameters
    ----------
    sample : Sample
        The people of all periods.
    partition : Partition
        The groups.
    measure : Measure
        Which rate.
    inference : InferenceOptions
        How the groups are judged; its error is shared among the periods.
    labels : sequence of str
        What the groups are called.

    Returns
    -------
    OverTime or None
    """
    rows = sample.rows
    if rows.period is None:
        return None
    names = rows.periods
    if len(names) < 2:
        raise InputError(f"all rows are of one period: {rows.by} = {names[0] if names else '?'}.", "leave `by` out.")
    each = replace(inference, level=1 - (1 - inference.level) / len(names))
    fewest = max(FEWEST_TOLD, inference.min_cell)
    periods = []
    for t, label in enumerate(names):
        some = rows.take(np.flatnonzero(rows.period == t))
        if some.n < fewest:
            raise InputError(
                f"{rows.by} = {label} has only {how_many(some.n, 'row')}.",
                f"use longer periods, or leave them out: --where \"{rows.by} <> '{label}'\"",
            )
        part = sample.part(some, measure)
        evidence = judge(part, partition, measure, each)
        groups, bounds = evidence.groups, evidence.bounds
        alone = groups.is_everybody & (partition.n_groups > 1)  # of this period: nobody to compare with
        phi, low, high = (np.where(alone, np.nan, x) for x in (groups.phi, bounds.low, bounds.high))
        counted = np.minimum(groups.rows, groups.sums.effective_size * (1 + 1e-9))  # of those who count in the rate
        periods.append(
            Period(
                label,
                some.n,
                float(groups.overall),
                tuple(
                    PeriodGroup(int(groups.rows[k]), *(float(x[k]) for x in (groups.rate, phi, low, high)))
                    if counted[k] >= fewest
                    else PeriodGroup(int(groups.rows[k]), math.nan, math.nan, math.nan, math.nan)
                    for k in range(partition.n_groups)
                ),
            )
        )
    changes = tuple(_change(label, periods[0].groups[k], periods[-1].groups[k]) for k, label in enumerate(labels))
    return OverTime(str(rows.by), tuple(periods), changes)


def _change(label: str, first: PeriodGroup, last: PeriodGroup) -> PeriodChange:
    """Compare two periods: the half-widths of both intervals add as squares (variance estimates recovered)."""
    difference = last.phi - first.phi
    low = difference - math.hypot(last.phi - last.low, first.high - first.phi)
    high = difference + math.hypot(last.high - last.phi, first.phi - first.low)
    verdict: Literal["rose", "fell", "no change shown", "not enough evidence"] = "no change shown"
    if math.isnan(difference):
        verdict = "not enough evidence"
    elif low > 0 or high < 0:
        verdict = "rose" if low > 0 else "fell"
    return PeriodChange(label, first.phi, last.phi, difference, low, high, verdict)
