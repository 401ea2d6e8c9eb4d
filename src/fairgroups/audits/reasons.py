"""Reasons: what of each group's difference goes with factors that were held equal, and what does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fairgroups.cells.moments import moments_by
from fairgroups.evidence.at_equal import MatchedEvidence, MatchedRates
from fairgroups.grouping.comparable_people import Alike, MatchedBy
from fairgroups.measures import Measure
from fairgroups.partition.partition import Partition
from fairgroups.rows.rows import Rows
from fairgroups.rows.strata import Factor, at_equal
from fairgroups.words import listed, plain_points, size, thousands

__all__ = ["GroupReasons", "Reasons", "factors_of", "reasons_of", "split_of"]

ALONE = 0.2  # the share of a group without anybody comparable from which on that is told at once


@dataclass(frozen=True)
class GroupReasons:
    """What of a group's difference goes with the factors.

    Attributes
    ----------
    label : str
        The group.
    difference, low, high : float
        Its rate minus everybody's, with an interval: nothing is held equal. It is `explained` plus `unexplained`.
    explained : float
        What people with the group's factors have more or less than everybody.
    unexplained, unexplained_low, unexplained_high : float
        What the group has more or less than people with its factors, with an interval.
    matched, matched_low, matched_high : float
        Its rate minus that of comparable people outside it (Mantel–Haenszel), with an interval.
    statistic : float
        The matched difference in standard errors; its square is Cochran, Mantel and Haenszel's statistic.
    overlap : float
        Which share the comparison rests on of what it would if everybody were comparable.
    counted, alone : float
        How many of the group count, and how many of them have nobody comparable outside it.
    """

    label: str
    difference: float
    low: float
    high: float
    explained: float
    unexplained: float
    unexplained_low: float
    unexplained_high: float
    matched: float
    matched_low: float
    matched_high: float
    statistic: float
    overlap: float
    counted: float
    alone: float


@dataclass(frozen=True)
class Reasons:
    """What people were compared at equal values of, and what that explains.

    Attributes
    ----------
    factors : tuple of Factor
        How each factor entered, and what would be left unexplained without it.
    how : {"strata", "model"}
        Whether people of a stratum are alike in the factors, or in the scores of a model of them.
    strata : int
        In how many strata.
    seek : {"unexplained", "raw"}
        What the groups were searched for to differ in.
    groups : tuple of GroupReasons
        One for each group.
    """

    factors: tuple[Factor, ...]
    how: MatchedBy
    strata: int
    seek: Literal["unexplained", "raw"]
    groups: tuple[GroupReasons, ...]

    @property
    def names(self) -> str:
        """The factors, as sentences name them."""
        return listed([factor.name for factor in self.factors])


def factors_of(
    rows: Rows,
    measure: Measure,
    partition: Partition,
    alike: Alike,
    others: Sequence[Alike] | None,
    said: dict[str, str],
) -> tuple[Factor, ...]:
    """Return the factors with what would be left unexplained in each group without each of them."""
    codes, n = partition.codes(rows.columns), partition.n_groups
    out = []
    for i, factor in enumerate(alike.strata.factors):
        without: tuple[float, ...] = ()
        if others is not None and n > 1:
            one = others[i]
            left = moments_by(at_equal(rows, [measure], one.strata, one.predicted), measure, codes, n)
            without = tuple(float(x) for x in left.rate)
        out.append(replace(factor, name=said.get(factor.name, factor.name), without=without))
    return tuple(out)


def reasons_of(
    evidence: MatchedEvidence,
    labels: Sequence[str],
    alike: Alike,
    factors: tuple[Factor, ...],
    seek: Literal["unexplained", "raw"],
) -> Reasons:
    """Split each group's difference in two."""
    groups = evidence.groups
    assert isinstance(groups, MatchedRates)
    scale = groups.scale_against("rest")
    residual, _, null, _ = groups.matching.compared()
    observed, bounds, own = groups.observed.phi, evidence.bounds, groups.phi
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(null > 0, residual / np.sqrt(null), np.nan)
    columns = {
        "difference": observed,
        "low": evidence.observed.low,
        "high": evidence.observed.high,
        "explained": observed - own,
        "unexplained": own,
        "unexplained_low": bounds.low,
        "unexplained_high": bounds.high,
        "matched": own * scale,
        "matched_low": bounds.low * scale,
        "matched_high": bounds.high * scale,
        "statistic": statistic,
        "overlap": groups.overlap,
        "counted": groups.sums.b,
        "alone": groups.matching.alone,
    }
    return Reasons(
        factors,
        alike.how,
        alike.strata.n,
        seek,
        tuple(
            GroupReasons(label, **{name: float(values[k]) for name, values in columns.items()})
            for k, label in enumerate(labels)
        ),
    )


def split_of(reasons: Reasons, k: int, percent: bool, unit: str, subject: str = "it") -> str:
    """Say what of a group's difference goes with the factors.

    "Without holding education and hours equal, it is 19.9 points below everybody's; 12.4 of these go with education and
    hours." What does not is in the table:
    it is a little less than the difference from comparable people, which stands before this sentence.
    """
    one, names = reasons.groups[k], reasons.names
    everybody = "everybody's" if unit == "people" else f"that of all {unit}"
    total, explained, left = one.difference, one.explained, one.unexplained
    small = 0.0005 if percent else 1e-3 * abs(total)
    side = "below" if total < 0 else "above"
    said = f"Without holding {names} equal, {subject} is {size(total, percent=percent)} {side} {everybody}"
    if abs(explained) <= small:
        said = f"Hardly anything of it goes with {names}."
    elif abs(left) <= small / 10:
        said += "; all of that goes with them."
    elif total * explained > 0 and total * left > 0:
        said += f"; {plain_points(abs(explained), percent=percent)} of these go with {names}."
    else:
        other = "below" if explained < 0 else "above"
        said += f"; going by {names} it would lie {size(explained, percent=percent)} {other}."
    if one.alone > ALONE * one.counted:
        said += f" {thousands(round(one.alone))} of the group have nobody comparable outside it."
    return said
