"""From what was found and judged to an `Audit`: finding, verdicts, limits, notes, checks, words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.audits.comparisons import in_classes, over_time
from fairgroups.audits.conclusion import amplified, conclude
from fairgroups.audits.facts import Facts, Same
from fairgroups.audits.groups import describe_column, records_of, within
from fairgroups.audits.limits import limits_of
from fairgroups.audits.measurement_error import by_true_values, corrected_of
from fairgroups.audits.notes import notes_of
from fairgroups.audits.options import AuditOptions
from fairgroups.audits.power import detectable_differences, is_enough
from fairgroups.audits.rates import rates_of
from fairgroups.audits.reasons import Reasons, factors_of, reasons_of
from fairgroups.audits.records import (
    Attribute,
    DataFacts,
    Finding,
    GroupRecord,
    RateName,
    Replication,
    Settings,
)
from fairgroups.audits.result import Audit
from fairgroups.cells.sample import Sample
from fairgroups.checks.run import Checks, run_checks
from fairgroups.errors import InputError
from fairgroups.evidence.at_equal import MatchedEvidence
from fairgroups.evidence.band import RangeEvidence
from fairgroups.evidence.comparison import Comparison, compare
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.evidence.judge import Evidence
from fairgroups.evidence.rates import GroupRates
from fairgroups.evidence.residual_scatter import spread_of_most
from fairgroups.evidence.spread_of_groups import rate_range, variance_of_phi
from fairgroups.evidence.verdict import DIFFERENT, Verdict, usual_gap
from fairgroups.grouping.comparable_people import Alike
from fairgroups.grouping.crossfit import CrossFit
from fairgroups.grouping.find import SearchResult
from fairgroups.grouping.narrow import Narrowed
from fairgroups.measures import Direction, Measure
from fairgroups.options import Against, rates_apart
from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Interval
from fairgroups.reading import Reading
from fairgroups.sources.ages import age_column

__all__ = ["Judged", "assemble"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HeldEqual:
    """People less what those alike in the factors have, who is alike, and who would be without each factor."""

    sample: Sample
    alike: Alike
    without: list[Alike] | None


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
    held: HeldEqual | None = None  # where people are compared at equal factors
    narrowed: Narrowed | None = None  # the look at many attributes, of which one or two were taken

    @property
    def searched(self) -> Sample:
        """The people as groups were searched for among them."""
        return self.sample if self.held is None else self.held.sample

    @property
    def named(self) -> bool:
        """Whether the groups were named in advance."""
        return self.result is None

    @property
    def chosen(self) -> bool:
        """Whether the data chose the number of groups."""
        return self.result is not None and self.result.selection is not None


def assemble(
    judged: Judged, measure: Measure, at: int, options: AuditOptions, reading: Reading, asked: AuditOptions
) -> Audit:
    """Put together what is known of the rate at place `at`; of many attributes, `options` names one or two."""
    evidence, partition, rows = _as_asked(judged.evidence[at], options.level), judged.partition, judged.sample.rows
    groups, bounds = evidence.groups, evidence.bounds
    if groups.bounded:
        rates_apart(options, "relevant_gap", "max_gap", "max_harm")
    gap = _relevant_gap(options, evidence, judged, measure)
    percent = groups.bounded and (measure.binary or rows.outcome_is_binary)
    direction = measure.direction(favourable=options.favourable)
    against = _against(options, judged)
    compared = compare(evidence, direction, against, _formal(options.reference, judged, options))
    data = _data(judged, options, reading, percent=percent)
    labels = partition.said([a.said for a in data.attributes], [a.numbers for a in data.attributes])
    detectable = detectable_differences(evidence, judged.inference, named=judged.named)
    records = records_of(evidence, compared, direction, gap, labels)
    if rows.blur is not None:  # the noise makes them count for less, and that is in the intervals
        records = tuple(replace(r, counted=float(b)) for r, b in zip(records, groups.sums.b, strict=True))
    reasons = _reasons(judged, evidence, measure, labels, options)
    corrected = None
    if options.with_error:
        corrected = corrected_of(rows, partition, measure, evidence, labels, options)
    checks = _checks(judged, measure, gap, options, data) if options.checks else Checks()
    same = _same(judged, groups)
    if same:  # nothing is compared
        records = tuple(replace(r, verdict="not enough evidence") if r.verdict not in DIFFERENT else r for r in records)
    enough = not same and is_enough(evidence, detectable, gap)
    spread = rate_range(groups, bounds)
    finding = _finding(judged, evidence, records, checks, options.level, enough=enough, apart=spread.low > 0)
    finding = _telling(_among_many(finding, judged, at), judged, options.min_cell, float(groups.sums.b.sum()))
    if partition.n_groups == 1:
        verdict: Verdict = "not enough evidence" if finding.verdict == "different" else finding.verdict
        records = (replace(records[0], verdict=verdict),)
    settings = _settings(judged, evidence, gap, options, asked, against, compared, labels)
    settings = replace(settings, call=settings.call.replace("(data,", f"({reading.call},", 1))
    name = RateName.of(measure, options.outcome, (options.label or {}).get(options.outcome), direction)
    limited = (options.max_gap, options.max_harm, options.min_ratio) != (None, None, None)
    limits = limits_of(judged, at, compared, direction, options) if limited else ()
    told = () if same else detectable
    many = () if judged.narrowed is None else judged.narrowed.names
    facts = Facts(
        finding, records, partition, name, groups.overall, settings, data, told, evidence.added, reasons, same, many
    )
    conclusion = conclude(facts)
    if at == len(judged.evidence) - 1:  # of several rates, said once
        more = "" if same else amplified(checks, binary=bool(rows.outcome_is_binary), unit=data.unit)
        conclusion = " ".join(part for part in (conclusion, more) if part)
    if corrected is not None:
        conclusion = f"{conclusion} {by_true_values(corrected, facts)}".strip()
    # At equal factors groups are searched for what they leave unexplained, whomever they are then compared with.
    whom: Against = "rest" if against == "rest" and judged.held is None else "everyone"
    return Audit(
        conclusion=conclusion,
        finding=finding,
        records=records,
        partition=partition,
        measure=name,
        overall=groups.overall,
        variance=groups.variance_against(whom),
        variance_interval=variance_of_phi(groups, bounds, whom),
        rate_range=spread,
        explained=evidence.explained,
        variance_path=() if judged.result is None else tuple(float(v) for v in judged.result.variance),
        selection=None if judged.result is None else judged.result.selection,
        limits=limits,
        rates=() if rows.truth is None else rates_of(judged, at, evidence.level),
        band=evidence.band,
        cells=judged.sample.cells if judged.sample.is_line and judged.held is None else None,
        classes=in_classes(judged.sample, measure, direction, judged.inference, gap, data.attributes[0], options)
        if options.scales
        else (),
        over_time=None
        if rows.period is None
        else over_time(judged.sample, partition, measure, judged.inference, labels),
        curve=within(evidence.curve, data.attributes[0]),
        plane=evidence.plane,
        detectable=detectable,
        added=evidence.added,
        reasons=reasons,
        corrected=corrected,
        replication=_replication(judged, at, direction, gap, options, data),
        checks=checks,
        notes=tuple(notes_of(judged, measure, evidence, reading)),
        settings=settings,
        data=data,
    )


def _as_asked(evidence: Evidence, level: float) -> Evidence:
    """Return evidence whose p-values of what attributes add are to be held against the level that was asked for."""
    if not evidence.level > level + 1e-9:  # each of several rates has a part of the error
        return evidence
    more = (1 - level) / (1 - evidence.level)
    each = tuple(
        replace(one, p_value=min(1.0, more * one.p_value), least_p=min(1.0, more * one.least_p))
        for one in evidence.added
    )
    return replace(evidence, added=each)


def _against(options: AuditOptions, judged: Judged) -> Against:
    """Return whom groups are compared with: two classes named in advance with each other, others with everyone."""
    if options.reference is not None:
        if not judged.named:
            raise InputError(
                "a reference group is one that was named in advance, and here the groups are searched for.",
                "name the groups, too: partition=[25, 45] (--partition 25,45).",
            )
        return "reference"
    if options.against != "auto":
        return options.against
    if judged.held is not None:
        return "rest"  # with comparable people outside the group
    return "rest" if judged.named and judged.partition.n_groups == 2 else "everyone"


def _formal(reference: str | None, judged: Judged, options: AuditOptions) -> str | None:
    """Return the reference by its formal label, also where it was said as people say it."""
    if reference is None or reference in ("best", *judged.partition.labels):
        return reference
    columns = judged.sample.rows.columns
    for numbers in ([c.numbers for c in columns], [True] * len(columns), [False] * len(columns)):
        names = [str((options.label or {}).get(c.name, c.name)) for c in columns]
        for spoken in (names, [c.name for c in columns]):
            said = judged.partition.said(spoken, numbers)
            bare = judged.partition.said([""] * len(spoken), numbers)
            for k, label in enumerate(judged.partition.labels):
                if reference in (said[k], bare[k].removeprefix("x ").removeprefix("= ")):
                    return label
    return reference


def _data(judged: Judged, options: AuditOptions, reading: Reading, *, percent: bool) -> DataFacts:
    rows, labels = judged.sample.rows, options.label or {}
    for name in labels:
        many = () if judged.narrowed is None else judged.narrowed.names
        known = (*(many or options.roles.sensitive), *options.roles.given, options.outcome)
        if name not in known:
            raise InputError(
                f"`label` names {name!r}, which is neither a sensitive attribute nor a factor nor the outcome.",
                f"these are: {', '.join(known)}.",
            )
    return DataFacts(
        source=reading.source,
        library=reading.library,
        rows=rows.n,
        rows_judged=judged.judging.rows.n,
        dropped=dict(rows.dropped),
        attributes=tuple(
            describe_column(c, rows.count, _label(c.name, labels), options.min_cell) for c in rows.columns
        ),
        percent=percent,
        unit=options.unit,
        converted=tuple(dict.fromkeys(reading.told)),
    )


def _label(name: str, labels: Mapping[str, str]) -> str:
    """Return what an attribute is called in the report, where that is not its name."""
    age = age_column(name, sure=False) if name.endswith(")") and name not in labels else None
    return age.label if age is not None else str(labels.get(name, ""))


def _reasons(
    judged: Judged, evidence: Evidence, measure: Measure, labels: Sequence[str], options: AuditOptions
) -> Reasons | None:
    """Return what of each group's difference goes with the factors, where some are held equal."""
    held = judged.held
    if held is None:
        return None
    assert isinstance(evidence, MatchedEvidence)
    named = {name: Attribute(name, label=str(label)).said for name, label in (options.label or {}).items()}
    if options.expected is not None:
        named.setdefault("expected", options.expected)
    rows = judged.sample.rows
    factors = factors_of(rows, measure, judged.partition, held.alike, held.without, named)
    return reasons_of(evidence, labels, held.alike, factors, options.seek)


def _relevant_gap(options: AuditOptions, evidence: Evidence, judged: Judged, measure: Measure) -> float:
    if options.relevant_gap is not None:
        return float(options.relevant_gap)
    groups, spread = evidence.groups, evidence.spread
    if not groups.bounded and judged.sample.is_line:
        spread = min(spread, spread_of_most(judged.sample.cells[measure]))
    return usual_gap(bounded=groups.bounded, overall=groups.overall, spread=spread)


def _finding(
    judged: Judged,
    evidence: Evidence,
    records: tuple[GroupRecord, ...],
    checks: Checks,
    level: float,
    *,
    enough: bool,
    apart: bool,
) -> Finding:
    """Decide what the headline is: by the groups, by the range that differs most, or by a test without borders."""
    shown = [k for k, record in enumerate(records) if record.verdict in DIFFERENT]
    order = tuple(sorted(shown, key=lambda k: (-round(abs(records[k].phi), 12), k)))
    known = evidence.differs
    trend = None if known is None else known.trend
    p_value = math.nan if known is None or known.unevenness is None else known.unevenness.p_value
    if known is not None and evidence.level > level + 1e-9:  # each of several rates has a part of the error
        more = (1 - level) / (1 - evidence.level)
        p_value = min(1.0, more * p_value) if p_value == p_value else p_value  # noqa: PLR0124
        trend = None if trend is None else replace(trend, p_value=min(1.0, more * trend.p_value))
    if order:
        return Finding("different", order, trend=trend, p_value=p_value)
    if known is not None and known.region is not None:
        return Finding("different", (), _open_ended(known.band.evidence(known.region), judged), trend, p_value)
    if known is not None and known.found:
        return Finding("depends", (), trend=trend, p_value=p_value)
    if not judged.named and checks.permutation is not None and checks.permutation.n_draws:
        p_value = checks.permutation.p_value
        if p_value <= 1 - evidence.level:
            return Finding("depends", (), trend=trend, p_value=p_value)
    if judged.named:
        if apart and judged.held is None:
            return Finding("depends", ())
        alike = all(record.verdict in ("no relevant difference", "reference") for record in records)
        return Finding("no difference found" if alike and len(records) > 1 else "not enough evidence", ())
    return Finding("no difference found" if enough else "not enough evidence", (), trend=trend, p_value=p_value)


def _open_ended(found: RangeEvidence, judged: Judged) -> RangeEvidence:
    """Return a range that reaches the first or last value without telling it: it may be that of one person."""
    if not judged.searched.is_line:
        return found
    low = found.first if found.first > judged.searched.cells.edges[0] else -math.inf
    high = found.last if found.last < judged.searched.cells.high else math.inf
    return replace(found, sides=(Interval(low, high, high_closed=high < math.inf),))


def _telling(finding: Finding, judged: Judged, min_cell: int, counted: float) -> Finding:
    """Leave out the rates at the ends of a trend where they would tell of few, or cut people in yet another way."""
    trend = finding.trend
    if trend is None:
        return finding
    size = min(counted, float(judged.judging.rows.people.sum()))
    enough = min(trend.lower_share, trend.upper_share) * size >= min_cell - 1e-6
    if enough and (judged.sample.is_line or finding.verdict == "depends"):
        return finding
    return replace(finding, trend=replace(trend, lower_rate=math.nan, upper_rate=math.nan))


def _among_many(finding: Finding, judged: Judged, at: int) -> Finding:
    """Add what the look at many attributes saw; what was not chosen is not shown to be without a difference."""
    narrowed = judged.narrowed
    if narrowed is None or finding.verdict in ("different", "depends"):
        return finding
    first = narrowed.seen[at][1].first
    if judged.held is None and first is not None and first.excess > 0 and first.columns == narrowed.chosen:
        return replace(finding, verdict="depends", p_value=first.p_value)
    return replace(finding, verdict="not enough evidence")


def _replication(
    judged: Judged, at: int, direction: Direction, gap: float, options: AuditOptions, data: DataFacts
) -> Replication | None:
    if judged.other is None:
        return None
    evidence, partition = judged.other.evidence[at], judged.other.result.partition
    labels = partition.said([a.said for a in data.attributes], [a.numbers for a in data.attributes])
    compared = compare(evidence, direction, _against(options, judged))
    return Replication(records_of(evidence, compared, direction, gap, labels), partition, judged.rand)


def _checks(judged: Judged, measure: Measure, gap: float, options: AuditOptions, data: DataFacts) -> Checks:
    def called(name: str) -> str:
        return str((options.label or {}).get(name, name))

    found = run_checks(
        judged.searched,
        judged.searched if judged.held is not None else judged.judging,
        measure,
        judged.partition,
        None if judged.result is None else judged.result.limits,
        judged.inference,
        names=(called(options.outcome), called(options.roles.base or "")),
        relevant_gap=gap,
        labels=lambda groups: groups.said([a.said for a in data.attributes], [a.numbers for a in data.attributes]),
        verbose=options.verbose,
    )
    if found.amplification is None:
        return found
    curves = {key: list(within(curve, data.attributes[0])) for key, curve in found.amplification.curves.items()}
    return replace(found, amplification=replace(found.amplification, curves=curves))


def _same(judged: Judged, groups: GroupRates) -> Same:
    """Return what all have in common, so that nothing can be compared: the attributes, the outcome, or the group."""
    if _all_alike(judged.sample):
        return "attributes"
    if groups.alike:
        return "outcome"
    return "group" if judged.named and groups.rows.size > 1 and int((groups.sums.b > 0).sum()) < 2 else ""


def _all_alike(sample: Sample) -> bool:
    """Whether nobody can be told from another by the attributes."""
    if sample.is_line:
        return len(sample.cells) < 2
    known = ~sample.rows.absent
    return all(np.unique(column.values[known]).size < 2 for column in sample.rows.columns)


def _settings(
    judged: Judged,
    evidence: Evidence,
    gap: float,
    options: AuditOptions,
    asked: AuditOptions,
    against: Against,
    compared: Comparison,
    labels: Sequence[str],
) -> Settings:
    result, roles = judged.result, options.roles
    reference = None if compared.reference is None else labels[compared.reference]
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
        against=against,
        favourable=options.favourable,
        n_groups=options.n_groups if result is not None else judged.partition.n_groups,
        groups_given=result is None,
        exact=None if result is None else bool(result.exact),
        optimality_gap=None if result is None else result.optimality_gap,
        n_cells=options.n_cells,
        inference=judged.inference.inference,
        level=options.level,
        band_quantiles=quantiles,
        bounded=evidence.groups.bounded,
        given=(*roles.given, *((roles.expected,) if roles.expected else ())),
        relevant_gap=gap,
        reference=reference,
        title=options.title,
        outcome_label=str((options.label or {}).get(options.outcome, options.outcome)),
        seed=options.seed,
        asked=asked.to_dict(),
        call=asked.call(),
    )
