"""From what was found and judged to an `Audit`: verdicts, limit, notes, checks, words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fairgroups.audits.conclusion import conclude
from fairgroups.audits.groups import describe_column, differences, notes_on, records_of
from fairgroups.audits.options import AuditOptions
from fairgroups.audits.records import DataFacts, Detectable, RateName, Replication, Settings
from fairgroups.audits.result import Audit
from fairgroups.cells.sample import Sample
from fairgroups.checks.run import Checks, run_checks
from fairgroups.errors import InputError
from fairgroups.evidence.inference import InferenceOptions
from fairgroups.evidence.judge import Evidence
from fairgroups.evidence.likelihood import smallest_shown
from fairgroups.evidence.spread import rate_range, variance_of_phi
from fairgroups.evidence.verdict import LimitVerdict, Verdict, limit_of_groups, limit_of_ranges, worst_limit
from fairgroups.grouping.crossfit import CrossFit
from fairgroups.grouping.find import SearchResult
from fairgroups.grouping.selection import choice_level
from fairgroups.measures import Direction, Measure
from fairgroups.partition.partition import Partition
from fairgroups.reading import Reading

__all__ = ["Judged", "assemble"]

Array = NDArray[np.float64]
SHARES = (0.05, 0.1, 0.25, 0.5)  # of the people, for which the smallest difference that would have shown is told


@dataclass(frozen=True)
class Judged:
    """People, groups, how they were found, and what is known of them for each rate.

    `judging` are those who judged the groups: everybody, or one half; `other` is what the other half found.
    """

    sample: Sample
    judging: Sample
    partition: Partition
    result: SearchResult | None
    inference: InferenceOptions
    evidence: list[Evidence]
    other: CrossFit | None = None
    rand: float = float("nan")

    @property
    def chosen(self) -> bool:
        """Whether the data chose the number of groups."""
        return self.result is not None and self.result.selection is not None


def assemble(judged: Judged, measure: Measure, at: int, options: AuditOptions, reading: Reading) -> Audit:
    """Put together what is known of the rate at place `at`."""
    evidence, partition, rows = judged.evidence[at], judged.partition, judged.sample.rows
    groups, bounds = evidence.groups, evidence.bounds
    _check_gaps(options, bounded=groups.sums.bounded)
    gap = _relevant_gap(options, evidence)
    percent = groups.sums.bounded and (measure.binary or rows.outcome_is_binary)
    direction = measure.direction(favourable=options.favourable)
    detectable = _detectable(evidence, judged.inference)
    alike = _all_alike(judged.sample)
    homogeneous = _homogeneous(judged, evidence)
    verdict: list[Verdict] | None = None
    if partition.n_groups == 1:
        enough = _is_enough(judged.sample, measure, evidence, detectable, gap) and not alike
        verdict = ["no discrimination found" if judged.chosen and enough and homogeneous else "not enough evidence"]
    records = records_of(evidence, direction, gap, options.against, verdict)
    checks = _checks(judged, measure, gap, options) if options.checks else Checks()
    settings = _settings(judged, evidence, gap, options)
    name = RateName(measure.name, measure.rate, direction)
    return Audit(
        records=records,
        partition=partition,
        measure=name,
        conclusion=conclude(
            records,
            name,
            settings,
            percent=percent,
            detectable=() if alike else detectable,
            checks=checks if at == len(judged.evidence) - 1 else None,  # of several rates, said once
            homogeneous=homogeneous,
        ),
        overall=groups.overall,
        variance=groups.variance_against(options.against),
        variance_interval=variance_of_phi(groups, bounds, options.against),
        rate_range=rate_range(groups, bounds),
        explained=evidence.explained,
        variance_path=() if judged.result is None else tuple(float(v) for v in judged.result.variance),
        selection=None if judged.result is None else judged.result.selection,
        limit=_limit(judged, evidence, options),
        band=evidence.band,
        cells=judged.sample.cells if judged.sample.is_line else None,
        curve=evidence.curve,
        plane=evidence.plane,
        detectable=detectable,
        replication=_replication(judged, at, direction, gap, options),
        checks=checks,
        notes=tuple(_notes(judged, measure, evidence, reading)),
        settings=settings,
        data=DataFacts(
            source=reading.source,
            library=reading.library,
            rows=rows.n,
            rows_judged=judged.judging.rows.n,
            dropped=dict(rows.dropped),
            attributes=tuple(describe_column(column, rows.count) for column in rows.columns),
            percent=percent,
        ),
    )


def _relevant_gap(options: AuditOptions, evidence: Evidence) -> float:
    if options.relevant_gap is not None:
        return float(options.relevant_gap)
    return 0.05 if evidence.groups.sums.bounded else 0.2 * evidence.spread


def _is_enough(
    sample: Sample, measure: Measure, evidence: Evidence, detectable: tuple[Detectable, ...], gap: float
) -> bool:
    """Whether half of the people would have been noticed if they differed by twice what matters."""
    if sample.is_line:
        constant = sample.cells[measure].low == sample.cells[measure].high
    else:
        a, b = sample.rows.sums(measure)
        constant = bool(np.ptp(a[b > 0] / b[b > 0]) == 0)
    if constant:
        return bool(evidence.groups.sums.size >= 50)
    return detectable[-1].difference <= 2 * gap


def _homogeneous(judged: Judged, evidence: Evidence) -> bool:
    """Whether no range differs from everybody, at the level at which the number of groups is chosen."""
    if judged.partition.n_groups > 1 or evidence.band is None:
        return True
    strict = evidence.band.at_level(choice_level(judged.inference.level))
    return strict.most_different(0, len(strict.cells))[0] <= 0


def _limit(judged: Judged, evidence: Evidence, options: AuditOptions) -> LimitVerdict | None:
    if options.max_gap is None:
        return None
    alone = judged.partition.n_groups == 1
    groups = limit_of_groups(*differences(evidence, options.against), options.max_gap)
    if not alone and not (judged.chosen and evidence.band is not None):
        return groups
    # Groups that the data chose must not hide a range: those with a tenth of the people keep the limit, too.
    ranges = limit_of_ranges(evidence.band, options.max_gap)
    return ranges if alone else worst_limit([groups, ranges])


def _replication(
    judged: Judged, at: int, direction: Direction, gap: float, options: AuditOptions
) -> Replication | None:
    if judged.other is None:
        return None
    records = records_of(judged.other.evidence[at], direction, gap, options.against)
    return Replication(records, judged.other.result.partition, judged.rand)


def _notes(judged: Judged, measure: Measure, evidence: Evidence, reading: Reading) -> list[str]:
    sample, result = judged.sample, judged.result
    notes = [*reading.notes, *(() if result is None else result.notes)]
    if result is not None and sample.is_line and sample.rows.count is not None and not sample.cells.distinct:
        loss = sample.cells.loss(measure, judged.partition.n_groups)
        notes.append(
            f"The people were counted in {len(sample.cells):,} cells of {sample.rows.name}, value by value at the "
            f"borders of groups; borders inside other cells could add at most {100 * loss:.2g} % of the outcome's "
            "variance to that of Φ."
        )
    searched = result is not None
    inference = judged.inference.inference
    notes += notes_on(
        sample.rows, evidence.groups, inference, judged.partition, searched=searched, chosen=judged.chosen
    )
    return notes


def _checks(judged: Judged, measure: Measure, gap: float, options: AuditOptions) -> Checks:
    return run_checks(
        judged.sample,
        judged.judging,
        measure,
        judged.partition,
        None if judged.result is None else judged.result.limits,
        judged.inference,
        names=(options.outcome, options.roles.base or ""),
        relevant_gap=gap,
        verbose=options.verbose,
    )


def _all_alike(sample: Sample) -> bool:
    """Whether nobody can be told from another by the attributes."""
    if sample.is_line:
        return len(sample.cells) < 2
    known = ~sample.rows.absent
    return all(np.unique(column.values[known]).size < 2 for column in sample.rows.columns)


def _detectable(evidence: Evidence, inference: InferenceOptions) -> tuple[Detectable, ...]:
    """Return, for some shares of the people, the smallest difference that would have been shown."""
    if evidence.band is not None:
        return tuple(Detectable(share, evidence.band.detectable(share)) for share in SHARES)
    sums = evidence.groups.sums
    n, root = sums.size, float(ndtri(1 - (1 - inference.level) / (2 * max(inference.judged or 2, 2))))
    out = []
    for share in SHARES:
        parts = np.array([share * n]), np.array([(1 - share) * n])
        if sums.bounded:
            overall = np.clip([sums.overall], 0.0, 1.0)
            ends = smallest_shown(overall, *parts, np.array([share]), np.array([root]))
            least = float(np.fmax(*ends)[0])
        else:
            least = float((1 - share) * root * evidence.spread * np.sqrt(1 / parts[0] + 1 / parts[1])[0])
        out.append(Detectable(share, least))
    return tuple(out)


def _settings(judged: Judged, evidence: Evidence, gap: float, options: AuditOptions) -> Settings:
    result, roles = judged.result, options.roles
    quantiles: dict[str, Any] | None = None if evidence.band is None else asdict(evidence.band.quantiles)
    return Settings(
        sensitive=roles.sensitive,
        outcome=roles.outcome,
        truth=roles.truth,
        compare_with=roles.base,
        weight=roles.weight,
        cluster=roles.cluster,
        positive=None if roles.positive is None else str(roles.positive),
        missing=judged.partition.missing if roles.missing == "group" else roles.missing,
        against=options.against,
        favourable=options.favourable,
        n_groups=options.n_groups if result is not None else judged.partition.n_groups,
        groups_given=result is None,
        exact=None if result is None else bool(result.exact),
        optimality_gap=None if result is None else result.optimality_gap,
        n_cells=options.n_cells,
        inference=judged.inference.inference,
        level=options.level,
        band_quantiles=quantiles,
        bounded=evidence.groups.sums.bounded,
        relevant_gap=gap,
        max_gap=options.max_gap,
        seed=options.seed,
        asked=options.to_dict(),
        call=options.call(),
    )


def _check_gaps(options: AuditOptions, *, bounded: bool) -> None:
    for name in ("relevant_gap", "max_gap"):
        value = getattr(options, name)
        if value is not None and bounded and value > 1:
            raise InputError(
                f"`{name}` is a difference of rates, at most 1; got {value!r}.",
                f"{value:g} points are {value / 100:g}.",
            )
