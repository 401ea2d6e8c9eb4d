"""From checked rows to an Audit: find groups, judge them, and put together what is known of each rate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fairgroups.audits.conclusion import conclude
from fairgroups.audits.groups import describe_column, notes_on, records_of, scale_against
from fairgroups.audits.result import Audit, Material, Replication
from fairgroups.checks.run import Checks, run_checks
from fairgroups.engines.count import is_lazy
from fairgroups.errors import InputError
from fairgroups.evidence.band import Band
from fairgroups.evidence.gaps import rate_gap, variance_of_phi
from fairgroups.evidence.judge import Evidence, How, judge
from fairgroups.evidence.likelihood import smallest_shown
from fairgroups.evidence.rates import Against
from fairgroups.evidence.verdict import gate, gate_of_ranges, verdicts, worst_gate
from fairgroups.grouping.crossfit import Half, cross_fit
from fairgroups.grouping.find import Found, Wish, find
from fairgroups.grouping.selection import choice_level
from fairgroups.measures import JointMeasure, Measure, parts_of
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.reading import Reading
from fairgroups.rows.rows import Missing, Rows
from fairgroups.sources.source import Source

__all__ = ["Asked", "Case", "assemble", "work"]

Array = NDArray[np.float64]
SHARES = (0.05, 0.1, 0.25, 0.5)  # of the people, for which the smallest difference that would have shown is told


@dataclass(frozen=True)
class Case:
    """Groups, how they were found, and what is known of them for each rate."""

    partition: Partition | BoxPartition
    found: Found | None
    judging: Rows
    how: How
    evidence: list[Evidence]
    other: Half | None = None
    rand: float = float("nan")


@dataclass(frozen=True)
class Asked:
    """What was read and what was asked for."""

    reading: Reading
    rows: Rows
    offset: float
    wish: Wish
    level: float
    against: Against
    favourable: bool | None
    relevant_gap: float | None
    max_gap: float | None
    checks: bool
    missing: Missing
    positive: Any
    data: Any


def work(
    rows: Rows,
    measure: Measure | JointMeasure,
    wish: Wish,
    how: How,
    given: Partition | BoxPartition | None,
    missing: Missing,
) -> Case:
    """Find the groups, unless they are given, and judge them."""
    if given is None and how.inference == "crossfit":
        shown, other, rand = cross_fit(rows, measure, wish, how, missing)
        return Case(shown.found.partition, shown.found, shown.judging, shown.how, shown.evidence, other, rand)
    found = None if given is not None else find(rows, measure, wish, missing)
    partition = given if found is None else found.partition
    assert partition is not None
    return Case(partition, found, rows, how, [judge(rows, partition, part, how) for part in parts_of(measure)])


def assemble(asked: Asked, case: Case, measure: Measure, at: int) -> Audit:
    """Put together what is known of one rate."""
    rows, evidence, partition, how = asked.rows, case.evidence[at], case.partition, case.how
    groups, bounds = evidence.groups, evidence.bounds
    bounded = groups.sums.bounded
    _check_gaps(bounded=bounded, relevant_gap=asked.relevant_gap, max_gap=asked.max_gap)
    gap = asked.relevant_gap if asked.relevant_gap is not None else (0.05 if bounded else 0.2 * evidence.spread)
    percent = bounded and (measure.binary or rows.outcome_is_binary)
    direction = measure.direction(favourable=asked.favourable)
    low, high = _against(evidence, asked.against)
    said = verdicts(low, high, direction, gap)
    kept = None if asked.max_gap is None else gate(low, high, asked.max_gap)
    chosen = case.found is not None and case.found.selection is not None
    detectable = _detectable(evidence, how)
    band = evidence.band
    homogeneous = True
    if partition.n_groups == 1:
        a, b = measure.sums(rows.outcome, rows.truth)
        constant = np.ptp(a[b > 0] / b[b > 0]) == 0
        # Half of the people would have been noticed if they differed by twice what matters: else nothing can be said.
        noticed = detectable[-1][1] <= 2 * gap
        enough = (groups.sums.size >= 50 if constant else noticed) and not _all_alike(rows)
        homogeneous = band is None or _homogeneous(band, how)
        said = ["no discrimination found" if chosen and enough and homogeneous else "not enough evidence"]
    if asked.max_gap is not None and (partition.n_groups == 1 or (chosen and band is not None)):
        # Groups that the data chose must not hide a range: those with a tenth of the people keep the limit, too.
        ranges = gate_of_ranges(band, asked.max_gap)
        kept = ranges if partition.n_groups == 1 else worst_gate([kept, ranges])
    records = records_of(groups, bounds, said, direction, against=asked.against)
    other = None
    if case.other is not None:
        second = case.other.evidence[at]
        theirs = verdicts(*_against(second, asked.against), direction, gap)
        repeated = records_of(second.groups, second.bounds, theirs, direction, against=asked.against)
        other = Replication(repeated, case.other.found.partition, case.rand)
    curve = evidence.curve
    for shifted in (*records, *curve, *(other.records if other else [])):
        for key in ("rate", "rate_low", "rate_high"):
            if key in shifted:
                shifted[key] += asked.offset
    notes = [] if case.found is None else list(case.found.notes)
    cells = None if case.found is None else case.found.cells
    if cells is not None and rows.count is not None and not cells.distinct:
        notes.append(
            f"The people were counted in {len(cells):,} cells of {asked.reading.attributes[0]}; borders inside cells "
            f"could add at most {100 * cells.loss(measure, partition.n_groups):.2g} % of the outcome's variance to Φ's."
        )
    notes += notes_on(rows, groups, how.inference, partition, searched=case.found is not None, chosen=chosen)
    checks = Checks()
    if asked.checks:
        checks = run_checks(
            rows,
            case.judging,
            measure,
            partition,
            None if case.found is None else case.found.limits,
            how,
            names=(asked.reading.roles["outcome"] or "", asked.reading.roles["base"] or ""),
            relevant_gap=gap,
            verbose=asked.wish.verbose,
        )
    selection = None if case.found is None else case.found.selection
    return Audit(
        records=records,
        partition=partition,
        measure=measure,
        direction=direction,
        conclusion=conclude(
            records,
            measure,
            asked.level,
            percent=percent,
            name=" and ".join(asked.reading.attributes),
            detectable={} if _all_alike(rows) else dict(detectable),
            against=asked.against,
            checks=checks if at == len(case.evidence) - 1 else None,  # of several rates, said once
            homogeneous=homogeneous,
        ),
        overall=groups.overall + asked.offset,
        variance=groups.variance_against(asked.against),
        variance_interval=variance_of_phi(groups, bounds, asked.against),
        gap=rate_gap(groups, bounds),
        explained=evidence.explained,
        path=[] if case.found is None else [float(v) for v in case.found.variance],
        selection=selection,
        gate=kept,
        band=evidence.band,
        curve=curve,
        detectable=[{"share": share, "gap": least} for share, least in detectable],
        replication=other,
        checks=checks,
        notes=notes,
        settings=_settings(asked, case, measure, direction, gap),
        data={
            "source": _source(asked.data),
            "rows": rows.n,
            "rows_judged": case.judging.n,
            "dropped": dict(rows.dropped),
            "attributes": [describe_column(column, rows.count) for column in rows.columns],
            "percent": percent,
        },
        table=asked.reading.table,
        material=Material(
            rows, case.judging, how, asked.favourable, asked.offset, () if case.found is None else case.found.steps
        ),
    )


def _source(data: Any) -> str:
    """Say where the data came from, without a password."""
    if isinstance(data, str | Path | Source):
        return (data if isinstance(data, Source) else Source(data)).name
    return f"a table in {nw.from_native(data).implementation.name.lower()}" if is_lazy(data) else "a table in memory"


def _against(evidence: Evidence, against: Against) -> tuple[Array, Array]:
    """Give the bounds of each group's difference from everyone, or from the rest."""
    scale = scale_against(evidence.groups, against)
    return evidence.bounds.low * scale, evidence.bounds.high * scale


def _homogeneous(band: Band, how: How) -> bool:
    """Say whether no range differs from everybody, at the level at which the number of groups is chosen."""
    strict = Band(band.cells, band.measure, level=choice_level(how.level), calibration=how.calibration, seed=how.seed)
    return strict.most_different(0, len(band.cells))[0] <= 0


def _all_alike(rows: Rows) -> bool:
    """Say whether nobody can be told from another by the attributes."""
    known = ~rows.absent
    return all(np.unique(column.values[known]).size < 2 for column in rows.columns)


def _detectable(evidence: Evidence, how: How) -> list[tuple[float, float]]:
    """Give, for some shares of the people, the smallest difference that would have been shown."""
    if evidence.band is not None:
        return [(share, evidence.band.detectable(share)) for share in SHARES]
    sums = evidence.groups.sums
    n, root = sums.size, float(ndtri(1 - (1 - how.level) / (2 * max(how.judged or 2, 2))))
    out = []
    for share in SHARES:
        parts = np.array([share * n]), np.array([(1 - share) * n])
        if sums.bounded:
            overall = np.clip([evidence.groups.overall], 0.0, 1.0)
            ends = smallest_shown(overall, *parts, np.array([share]), np.array([root]))
            out.append((share, float(np.fmax(*ends)[0])))
        else:
            out.append((share, float((1 - share) * root * evidence.spread * np.sqrt(1 / parts[0] + 1 / parts[1])[0])))
    return out


def _settings(asked: Asked, case: Case, measure: Measure, direction: str, gap: float) -> dict[str, Any]:
    wish, found, roles = asked.wish, case.found, asked.reading.roles
    attributes = asked.reading.attributes
    band = case.evidence[0].band
    return {
        "sensitive": attributes if len(attributes) > 1 else attributes[0],
        **{role: roles[role] for role in ("outcome", "truth", "weight", "cluster")},
        "compare_with": roles["base"],
        "measure": measure.name,
        "rate": measure.rate,
        "higher_is": direction,
        "against": asked.against,
        "n_groups": wish.n_groups if found is not None else case.partition.n_groups,
        "selection": None if found is None or found.selection is None else found.selection.criterion,
        "max_groups": wish.max_groups,
        "groups_given": found is None,
        "exact": None if found is None else found.exact,
        "optimality_gap": None if found is None else found.gap,
        "monotonic": wish.monotonic,
        "min_group_size": wish.min_group_size,
        "min_denominator": wish.min_denominator,
        "n_cells": wish.n_cells,
        "positive": None if asked.positive is None else str(asked.positive),
        "missing": asked.missing,
        "inference": case.how.inference,
        "band_quantiles": None if band is None else vars(band.quantiles),
        "level": asked.level,
        "relevant_gap": gap,
        "max_gap": asked.max_gap,
        "seed": wish.seed,
    }


def _check_gaps(*, bounded: bool, relevant_gap: float | None, max_gap: float | None) -> None:
    for name, value in (("relevant_gap", relevant_gap), ("max_gap", max_gap)):
        if value is not None and (not isinstance(value, int | float | np.number) or not value >= 0):
            raise InputError(f"`{name}` must be a number of at least 0; got {value!r}.")
        if value is not None and bounded and value > 1:
            raise InputError(
                f"`{name}` is a difference of rates, at most 1; got {value!r}.",
                f"{value:g} points are {value / 100:g}.",
            )
