"""The first screen of a page: one plain sentence, what else was found, and the numbers that people ask for first."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairgroups.audits.conclusion import headline_groups, rough_count
from fairgroups.charts.style import VERDICT_COLOURS
from fairgroups.words import amount, counted, points, size

if TYPE_CHECKING:
    from fairgroups.audits.records import GroupRecord
    from fairgroups.audits.result import Audit, JointAudit

__all__ = ["Figure", "first_sentence", "key_figures"]


@dataclass(frozen=True)
class Figure:
    """A number that people ask for first, what it is, and the colour of the verdict that it belongs to."""

    value: str
    said: str
    colour: str = ""


def first_sentence(conclusion: str) -> tuple[str, str]:
    """Return the first sentence of a conclusion, and the rest.

    Parameters
    ----------
    conclusion : str
        The finding in plain words.

    Returns
    -------
    str, str
    """
    first, *rest = re.split(r"(?<=[.!?]) (?=[A-Z“])|(?<=\)\.) ", conclusion, maxsplit=1)  # a name may begin small
    return first, rest[0] if rest else ""


def key_figures(audit: Audit | JointAudit) -> list[Figure]:
    """Return the numbers of the group that the headline is about, or of what would have been noticed.

    Parameters
    ----------
    audit : Audit or JointAudit
        What was found.

    Returns
    -------
    list of Figure
    """
    part = next((one for one in audit.parts if one.finding.verdict == "different"), audit.parts[0])
    percent, unit = part.data.percent, part.data.unit
    everybody = "everybody’s" if unit == "people" else f"{part.data.everybody},"
    overall = Figure(amount(part.overall, percent=percent), f"{everybody} {part.measure.rate}")
    if part.finding.groups:
        _, record = headline_groups(part.finding, part.records)[0]
        colour = VERDICT_COLOURS[record.verdict]
        rate = Figure(amount(record.rate, percent=percent), f"{part.measure.rate}: {record.label}", colour)
        ends = " to ".join(points(x, percent=percent) for x in (record.low, record.high))
        told = f"{'points from' if percent else 'from'} {part.settings.whom} ({part.settings.percent_level}: {ends})"
        difference = Figure(points(record.phi, percent=percent), told, colour)
        if part.settings.against != "everyone" or part.reasons is not None:
            whose = f"{part.measure.rate}: {part.settings.whom}"
            overall = Figure(amount(record.rate - record.phi, percent=percent), whose)
        return [rate, overall, difference, *_people(part, record, unit, colour)]
    noticed = [d for d in part.detectable if math.isfinite(d.difference) and d.share <= 0.5]
    found = [overall, Figure(f"{part.data.rows:,}", f"{unit} looked at")]
    if noticed:
        least = min(noticed, key=lambda d: abs(d.share - 0.1))
        whom = part.data.everybody if part.reasons is None else part.settings.whom
        told = (
            f"what {100 * least.share:g}% of the {unit} would have to differ from {whom} by to be "
            "noticed in 80 of 100 such samples"
        )
        found.append(Figure(size(least.difference, percent=percent), told))
    return found


def _people(audit: Audit, record: GroupRecord, unit: str, colour: str) -> list[Figure]:
    """Return how many people are affected; of rates also how many more or fewer than at everybody's rate."""
    people = counted(record.n, record.counted, weighted=audit.settings.weighted)
    if not audit.data.percent or audit.reasons is not None:
        return [Figure(people, f"{unit}: {record.label}", colour)]
    more = abs(record.phi) * record.counted
    word = "fewer" if record.phi < 0 else "more"
    whose = "everybody’s rate" if audit.settings.whom == "everybody" else f"the rate of {audit.settings.whom}"
    if more < 1 or audit.settings.weight is not None or audit.settings.cluster is not None:
        return [Figure(people, f"{unit}: {record.label}", colour)]
    among = f"{people} {unit}" if math.isclose(record.n, record.counted) else f"{record.counted:,.0f} {unit} who count"
    return [Figure(f"≈ {rough_count(more):,}", f"{word} than at {whose}, among {among}", colour)]
