"""One partition on the tables of two periods: what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from fairgroups.cells.sample import Sample
from fairgroups.errors import InputError
from fairgroups.evidence.at_equal import judge_at_equal
from fairgroups.evidence.band import Band
from fairgroups.evidence.bounds import Bounds, fixed_bounds
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.evidence.rates import GroupRates, group_rates
from fairgroups.grouping.comparable_people import find_alike
from fairgroups.grouping.refine import find_finely
from fairgroups.grouping.search_options import SearchOptions
from fairgroups.measures import Measure, resolve_measure
from fairgroups.options import Missing, at_least_zero, level_of
from fairgroups.partition.given import given_partition
from fairgroups.partition.partition import Partition
from fairgroups.reading import Reading, read_rows
from fairgroups.rows.roles import Roles
from fairgroups.sources.frames import build_table

__all__ = ["Drift", "DriftRecord", "drift"]

SHARE_ROOT = 3.0  # how far the shares of groups may be from those of the population, in standard errors


@dataclass(frozen=True)
class DriftRecord:
    """One group: people and Φ before and after, the difference with its interval, and whether it rose or fell."""

    label: str
    n_before: int
    n_after: int
    phi_before: float
    phi_after: float
    difference: float
    low: float
    high: float
    verdict: Literal["rose", "fell", "no relevant change", "not enough evidence"]


@dataclass(frozen=True)
class Drift:
    """How Φ changed between two periods, group by group.

    Attributes
    ----------
    records : tuple of DriftRecord
        One per group.
    partition : Partition
        The groups.
    library : str
        Of the later data.
    """

    records: tuple[DriftRecord, ...]
    partition: Partition
    library: str

    @property
    def groups(self) -> Any:
        """The groups as a table, in the library of the later data."""
        return build_table([asdict(record) for record in self.records], self.library)


def drift(
    before: Any,
    after: Any,
    *,
    sensitive: str | Sequence[str],
    outcome: str,
    truth: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    measure: str | Measure = "auto",
    positive: Any = None,
    missing: Missing = "error",
    given: str | Sequence[str] | None = None,
    partition: Partition | None = None,
    n_groups: int | Literal["auto"] = "auto",
    level: float = 0.95,
    relevant_gap: float = 0.05,
) -> Drift:
    """Compare Φ between two periods in the same groups.

    The groups may be found on the earlier table: on the line the intervals come from the band, which allows for the
    search, so that a group picked for being extreme does not seem to have improved by falling back. For several
    attributes groups must be given.

    Parameters
    ----------
    before, after : frame, mapping or path
        The two tables; people are taken to be different ones.
    sensitive, outcome, truth, weight, cluster, measure, positive, missing
        See `audit`.
    given : str or list of str, optional
        Factors that are held equal: what changed is then what these leave unexplained.
    partition : Partition or list of borders, optional
        The groups; by default found on `before`, or on `after` where that has none.
    n_groups : int or "auto"
        How many to find.
    level : float
        How often all intervals hold at once.
    relevant_gap : float
        A change within ± this is of no concern.

    Returns
    -------
    Drift

    Examples
    --------
    >>> import fairgroups as fg
    >>> years = [fg.make_synthetic(20_000, seed=year) for year in (1, 2)]
    >>> tables = [{"x": y.sensitive, "approved": y.outcome} for y in years]
    >>> found = fg.drift(*tables, sensitive="x", outcome="approved", n_groups=5)
    >>> any(record.verdict in ("rose", "fell") for record in found.records)
    False
    """
    level_of(level)
    at_least_zero(relevant_gap, "relevant_gap")
    others = {"truth": truth, "weight": weight, "cluster": cluster, "positive": positive, "missing": missing}
    roles = Roles.of(sensitive, outcome, given=given, **others)
    inference = InferenceOptions(level=level)
    with ExitStack() as stack:
        readings = [stack.enter_context(read_rows(data, roles, partition=partition)) for data in (before, after)]
        binary = all(reading.rows.outcome_is_binary for reading in readings)
        used = resolve_measure(measure, outcome_is_binary=binary)
        samples = [Sample(reading.rows.centred(), (used,)) for reading in readings]
        if roles.given and partition is None:
            raise InputError(
                "at equal factors the groups to compare must be named.",
                "find them on the earlier table, audit(…, given=…).partition, and pass partition=…",
            )
        if partition is None:
            if not samples[0].is_line:
                raise InputError(
                    "groups of several attributes must be given: found on the same rows they would seem to fall back.",
                    "find them on an earlier table, and pass partition=…",
                )
            # The band of either table allows for a search on it.
            options = SearchOptions(n_groups=n_groups)
            found = [
                find_finely(reading, sample, used, options, inference, missing)[1].partition
                for reading, sample in zip(readings, samples, strict=True)
            ]
            groups = next((one for one in found if one.n_groups > 1), found[0])
            samples = [_ending_at(groups, *one) for one in zip(readings, samples, strict=True)]
            partition = groups
        partition = given_partition(partition, roles.sensitive, missing)
    judged = [
        _at_equal(sample, partition, used, inference) if roles.given else _judge(sample, partition, used, level)
        for sample in samples
    ]
    (old, old_bounds), (new, new_bounds) = judged
    change = new.phi - old.phi
    # Each side's own distance to its bound, added as independent errors are (Newcombe's square-and-add); the shares of
    # the groups vary from table to table, too, which moves everybody's rate.
    shares = [SHARE_ROOT**2 * (g.phi_against("rest") ** 2) * g.share * (1 - g.share) / g.sums.size for g in (old, new)]
    low = change - np.sqrt((new.phi - new_bounds.low) ** 2 + (old_bounds.high - old.phi) ** 2 + sum(shares))
    high = change + np.sqrt((new_bounds.high - new.phi) ** 2 + (old.phi - old_bounds.low) ** 2 + sum(shares))
    for side in (old, new):  # a group that is everybody differs from nobody, whatever it is like
        low[side.is_everybody], high[side.is_everybody] = np.nan, np.nan
    records = tuple(
        DriftRecord(
            label=label,
            n_before=int(old.rows[k]),
            n_after=int(new.rows[k]),
            phi_before=float(old.phi[k]),
            phi_after=float(new.phi[k]),
            difference=float(change[k]),
            low=float(low[k]),
            high=float(high[k]),
            verdict=_verdict(float(low[k]), float(high[k]), relevant_gap),
        )
        for k, label in enumerate(partition.labels)
    )
    return Drift(records, partition, readings[1].library)


def _verdict(
    low: float, high: float, relevant_gap: float
) -> Literal["rose", "fell", "no relevant change", "not enough evidence"]:
    if low > 0:
        return "rose"
    if high < 0:
        return "fell"
    return "no relevant change" if -relevant_gap <= low and high <= relevant_gap else "not enough evidence"


def _ending_at(partition: Partition, reading: Reading, sample: Sample) -> Sample:
    """Return people that were counted in cells with these cells told apart where groups begin."""
    if reading.frame is None or sample.cells.distinct:
        return sample
    return sample.of(reading.ending_at(partition).centred())


def _at_equal(
    sample: Sample, partition: Partition, measure: Measure, inference: InferenceOptions
) -> tuple[GroupRates, Bounds]:
    """Judge the groups among people alike in the factors, by the band: they may have been found on the same rows."""
    borders = partition.borders() if sample.is_line else None
    matched = find_alike(sample.rows, [measure], "auto").sample(sample, [measure], borders)
    evidence = judge_at_equal(sample, matched, partition, measure, inference)
    return evidence.groups, evidence.bounds


def _judge(sample: Sample, partition: Partition, measure: Measure, level: float) -> tuple[GroupRates, Bounds]:
    if sample.is_line:
        groups = group_rates(sample.cells, partition, measure)
        return groups, Band(sample.cells, measure, level=level).bounds(groups)
    groups = group_rates(sample.rows, partition, measure)
    return groups, fixed_bounds(groups, level, None if groups.sums.bounded else 0.0)
