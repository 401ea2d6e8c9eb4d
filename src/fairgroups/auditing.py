"""audit(): a table in, an `Audit` out. Python and the command line use this one function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fairgroups.audits import Audit, Material, Replication
from fairgroups.boxes import BoxPartition
from fairgroups.checking import Checks, run_checks
from fairgroups.crossfitting import Half, cross_fit
from fairgroups.engines import is_lazy
from fairgroups.errors import InputError
from fairgroups.evidence.band import Band, Calibration, check_level
from fairgroups.evidence.gaps import rate_gap, variance_of_phi
from fairgroups.evidence.judgement import Evidence, How, Inference, judge
from fairgroups.evidence.likelihood import smallest_shown
from fairgroups.evidence.rates import Against
from fairgroups.evidence.selection import MOST_GROUPS, Criterion, choice_level
from fairgroups.evidence.verdict import gate, gate_of_ranges, verdicts, worst_gate
from fairgroups.finding import Found, Wish, find
from fairgroups.measures import JointMeasure, Measure, parts_of, resolve_any
from fairgroups.partition import Partition
from fairgroups.reading import Reading, centred, given_groups, read_rows
from fairgroups.records import describe_column, notes_on, records_of, scale_against
from fairgroups.report.words import conclude
from fairgroups.rows import Missing, Rows, check_measure
from fairgroups.search.monotone import Monotonic
from fairgroups.sources import Source

__all__ = ["audit"]

Array = NDArray[np.float64]
SHARES = (0.05, 0.1, 0.25, 0.5)  # of the people, for which the smallest difference that would have shown is told


def audit(
    data: Any,
    *,
    sensitive: str | Sequence[str],
    outcome: str,
    truth: str | None = None,
    compare_with: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    id: str | None = None,  # noqa: A002  what it is called on the command line
    measure: str | Measure | JointMeasure = "auto",
    against: Against = "everyone",
    n_groups: int | Literal["auto"] = "auto",
    selection: Criterion = "auto",
    max_groups: int = MOST_GROUPS,
    monotonic: Monotonic | None = None,
    min_group_size: float | Literal["auto"] = "auto",
    min_denominator: float = 0.0,
    n_cells: int | None = None,
    budget: float = 10.0,
    partition: Partition | BoxPartition | None = None,
    favourable: bool | None = None,
    positive: Any = None,
    missing: Missing = "error",
    inference: Inference = "band",
    calibration: Calibration = "auto",
    level: float = 0.95,
    relevant_gap: float | None = None,
    max_gap: float | None = None,
    checks: bool = True,
    seed: int = 0,
    verbose: bool = False,
) -> Audit:
    """Find the groups of numeric attributes that an outcome treats differently, and say what may be concluded.

    Parameters
    ----------
    data : frame, mapping, path or Source
        A data frame of any library, a mapping of column names to values, or a file; see `Source` for folders, patterns
        and databases. Lazy frames (Polars, DuckDB, Ibis, Dask, PySpark …), databases and files of more than two million
        rows are counted where they are, in up to 65 536 cells.
    sensitive : str or list of str
        The column of the sensitive attribute, or several: groups are then boxes, and text columns are categories.
    outcome, truth, weight : str
        Column names: the decision or score that is audited, the true label for measures that need it, row weights.
    compare_with : str, optional
        Another outcome of the same people, such as a first model's: does this one amplify its differences? Where
        `truth` is given, the outcome is compared with it by default.
    cluster : str, optional
        Column that says which rows belong together, such as several photographs of one person.
    id : str, optional
        Column that says who each person is: where people are dealt into halves or folds, their id and the seed decide,
        so that the same person is always in the same one.
    measure : str or Measure
        ``"auto"`` is statistical parity for yes/no outcomes and the mean for numbers. See `fairgroups.MEASURES`.
        ``"equalized_odds"`` looks at true and false positive rates at once, each in one of the result's `parts`.
    against : {"everyone", "rest"}
        Whether a group's rate is compared with everyone's or with that of the people outside the group.
    n_groups : int or "auto"
        How many groups to look for; fewer if the data cannot give as many. ``"auto"``: as many as the data calls for,
        and one group is the answer where no discrimination is found.
    selection, max_groups, monotonic, n_cells, min_denominator, budget
        See `FairGroups`.
    min_group_size : int, float or "auto"
        Least rows in a group, or their share. ``"auto"``: as many as any verdict needs.
    partition : Partition or BoxPartition, optional
        Judge these groups instead of searching.
    favourable : bool, optional
        Whether the outcome is good to receive. False turns verdicts round: to be predicted a criminal harms.
    positive : label, optional
        Which of two labels of the outcome counts as 1.
    missing : {"error", "drop", "group"}
        What to do with missing values.
    inference : {"band", "crossfit", "plugin"}
        ``"band"``: intervals that hold for all ranges at once, so also for groups found on the same rows.
        In several dimensions there is no such order, and cross-fitting is used.
        ``"crossfit"``: each half of the rows finds groups, and the other half judges them.
        ``"plugin"``: the paper's intervals, which treat the groups as given and cry wolf; for comparison.
    calibration : {"auto", "table", "simulate"}
        See `Band`.
    level : float
        Confidence level of the intervals.
    relevant_gap : float, optional
        Differences within ± this are of no concern: 0.05 for rates, a fifth of a standard deviation otherwise.
    max_gap : float, optional
        A limit on the size of every group's Φ; the result's `gate` says whether it is kept.
    checks : bool
        Also run the permutation test, the test of monotonicity and the resampling of borders: about a second.
    seed : int
        For halves, folds, and simulations.
    verbose : bool
        Show a progress bar where something takes long.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import fairgroups as fg
    >>> people = fg.make_synthetic(10_000)
    >>> table = {"tone": people.sensitive, "approved": people.outcome}
    >>> found = fg.audit(table, sensitive="tone", outcome="approved")
    >>> [record["verdict"] for record in found.records]
    ['disadvantaged', 'disadvantaged', 'not enough evidence', 'advantaged', 'advantaged']
    """
    _check_options(inference, level, seed)
    reading = read_rows(
        data,
        sensitive=sensitive,
        outcome=outcome,
        truth=truth,
        base=compare_with or truth,
        weight=weight,
        cluster=cluster,
        positive=positive,
        missing=missing,
        n_cells=n_cells,
        given=partition,
        who=id,
        seed=seed,
        verbose=verbose,
    )
    rows = reading.rows
    several = len(reading.attributes) > 1
    used = resolve_any(measure, outcome_is_binary=rows.outcome_is_binary)
    for part in parts_of(used):
        check_measure(part, rows)
    if missing == "group" and not rows.absent.any():
        missing = "error"  # nobody to group
    given = None if partition is None else given_groups(partition, reading.attributes, missing)
    rows, offset = centred(rows, used)
    if several and inference == "band":
        inference = "crossfit"  # several attributes have no order, so there is no band over their ranges
    wish = Wish(
        n_groups=n_groups,
        selection=selection,
        max_groups=max_groups,
        monotonic=monotonic,
        min_group_size=min_group_size,
        min_denominator=min_denominator,
        n_cells=n_cells,
        budget=budget,
        level=level,
        calibration=calibration,
        seed=seed,
        against=against,
        verbose=verbose,
    )
    how = How(inference, 1 - (1 - level) / len(parts_of(used)), calibration, seed, n_cells)
    case = _work(rows, used, wish, how, given, missing)
    asked = _Asked(
        reading, rows, offset, wish, level, against, favourable, relevant_gap, max_gap, checks, missing, positive, data
    )
    audits = [_assemble(asked, case, part, i) for i, part in enumerate(parts_of(used))]
    if len(audits) == 1:
        return audits[0]
    said = " ".join(f"{part.measure.rate[:1].upper()}{part.measure.rate[1:]}: {part.conclusion}" for part in audits)
    return replace(audits[0], conclusion=said, gate=worst_gate([part.gate for part in audits]), parts=tuple(audits))


@dataclass(frozen=True)
class _Case:
    """Groups, how they were found, and what is known of them for each rate."""

    partition: Partition | BoxPartition
    found: Found | None
    judging: Rows
    how: How
    evidence: list[Evidence]
    other: Half | None = None
    rand: float = float("nan")


@dataclass(frozen=True)
class _Asked:
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


def _work(
    rows: Rows,
    measure: Measure | JointMeasure,
    wish: Wish,
    how: How,
    given: Partition | BoxPartition | None,
    missing: Missing,
) -> _Case:
    if given is None and how.inference == "crossfit":
        shown, other, rand = cross_fit(rows, measure, wish, how, missing)
        return _Case(shown.found.partition, shown.found, shown.judging, shown.how, shown.evidence, other, rand)
    found = None if given is not None else find(rows, measure, wish, missing)
    partition = given if found is None else found.partition
    assert partition is not None
    return _Case(partition, found, rows, how, [judge(rows, partition, part, how) for part in parts_of(measure)])


def _assemble(asked: _Asked, case: _Case, measure: Measure, at: int) -> Audit:
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


def _settings(asked: _Asked, case: _Case, measure: Measure, direction: str, gap: float) -> dict[str, Any]:
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


def _check_options(inference: str, level: float, seed: Any) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"`seed` must be a whole number of at least 0; got {seed!r}.")
    if inference not in ("band", "crossfit", "plugin"):
        raise InputError(f"`inference` must be 'band', 'crossfit' or 'plugin'; got {inference!r}.")
    check_level(level)


def _check_gaps(*, bounded: bool, relevant_gap: float | None, max_gap: float | None) -> None:
    for name, value in (("relevant_gap", relevant_gap), ("max_gap", max_gap)):
        if value is not None and (not isinstance(value, int | float | np.number) or not value >= 0):
            raise InputError(f"`{name}` must be a number of at least 0; got {value!r}.")
        if value is not None and bounded and value > 1:
            raise InputError(
                f"`{name}` is a difference of rates, at most 1; got {value!r}.",
                f"{value:g} points are {value / 100:g}.",
            )
