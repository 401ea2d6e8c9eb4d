"""audit(): a table in, an `Audit` out. Python and the command line use this one function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fairgroups.audits import Audit
from fairgroups.boxes import BoxPartition
from fairgroups.errors import InputError
from fairgroups.evidence.band import Calibration
from fairgroups.evidence.judgement import Inference, judge_boxes, judge_line
from fairgroups.evidence.rates import Bounds, GroupRates, rate_ratios
from fairgroups.evidence.verdict import gate, verdicts
from fairgroups.finding import Found, find
from fairgroups.measures import MEASURES, Direction, Measure, resolve_measure
from fairgroups.partition import Partition
from fairgroups.report.words import conclude
from fairgroups.rows import Column, Missing, Rows, check_measure
from fairgroups.search.monotone import Monotonic
from fairgroups.tables import read_table

__all__ = ["audit"]


def audit(
    data: Any,
    *,
    sensitive: str | Sequence[str],
    outcome: str,
    truth: str | None = None,
    weight: str | None = None,
    measure: str | Measure = "auto",
    n_groups: int = 5,
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
    seed: int = 0,
    verbose: bool = False,
) -> Audit:
    """Find the groups of numeric attributes that an outcome treats differently, and say what may be concluded.

    Parameters
    ----------
    data : frame, mapping or path
        A data frame of any library, a mapping of column names to values, or a CSV or Parquet file.
    sensitive : str or list of str
        The column of the sensitive attribute, or several: groups are then boxes, and text columns are categories.
    outcome, truth, weight : str
        Column names: the decision or score that is audited, the true label for measures that need it, row weights.
    measure : str or Measure
        ``"auto"`` is statistical parity for yes/no outcomes and the mean for numbers. See `fairgroups.MEASURES`.
    n_groups : int
        How many groups to look for; fewer if the data cannot give as many.
    monotonic, n_cells, min_denominator, budget
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
    inference : {"band", "split", "plugin"}
        ``"band"``: intervals that hold for all ranges at once, so also for groups found on the same rows.
        In several dimensions there is no such order, and the split is used.
        ``"split"``: find the groups on one random half of the rows and judge them on the other.
        ``"plugin"``: the paper's intervals, which treat the groups as given and cry wolf; for comparison.
    calibration : {"auto", "table", "simulate"}
        See `Band`.
    level : float
        Confidence level of the intervals.
    relevant_gap : float, optional
        Differences within ± this are of no concern: 0.05 for rates, a fifth of a standard deviation otherwise.
    max_gap : float, optional
        A limit on the size of every group's Φ; the result's `gate` says whether it is kept.
    seed : int
        For the split and for simulated calibration.
    verbose : bool
        Show a progress bar where a search takes long.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import fairgroups as fg
    >>> people = fg.make_synthetic(4000)
    >>> table = {"tone": people.sensitive, "approved": people.outcome}
    >>> found = fg.audit(table, sensitive="tone", outcome="approved", n_groups=3)
    >>> [record["verdict"] for record in found.records]
    ['disadvantaged', 'not enough evidence', 'advantaged']
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"`seed` must be a whole number of at least 0; got {seed!r}.")
    if inference not in ("band", "split", "plugin"):
        raise InputError(f"`inference` must be 'band', 'split' or 'plugin'; got {inference!r}.")
    if not 0.5 <= level <= 0.995:
        raise InputError(f"`level` must lie between 0.5 and 0.995; got {level!r}.", "0.95 is customary.")
    attributes = [sensitive] if isinstance(sensitive, str) else list(dict.fromkeys(sensitive))
    if not attributes:
        raise InputError("name at least one sensitive column.")
    several = len(attributes) > 1
    roles = {"outcome": outcome, "truth": truth, "weight": weight}
    named = {role: name for role, name in roles.items() if name is not None}
    table = read_table(data, [*attributes, *named.values()])
    columns = table.columns
    rows = Rows.from_arrays(
        {name: columns[name] for name in attributes} if several else columns[attributes[0]],
        **{role: columns[name] for role, name in named.items()},
        positive=positive,
        missing=missing,
        names={**named, "sensitive": attributes[0]},
    )
    used = check_measure(resolve_measure(measure, outcome_is_binary=rows.outcome_is_binary), rows)
    if missing == "group" and not rows.absent.any():
        missing = "error"  # nobody to group
    partition = _given(partition, attributes, missing)
    offset = 0.0
    if used is MEASURES["mean"] and (rows.outcome.min() < 0 or rows.outcome.max() > 1):
        # Differences and scatter keep their digits only near 0.
        offset = float(np.median(rows.outcome)) if rows.outcome.min() < rows.outcome.max() else 0.0
        rows = replace(rows, outcome=rows.outcome - offset)
    notes: list[str] = []
    if several and inference == "band":
        inference = "split"  # several attributes have no order, so there is no band over their ranges
    searched = partition is None
    finding, judging = _halves(rows, seed) if inference == "split" and searched else (rows, rows)
    found: Found | None = None
    if partition is None:
        found = find(
            finding,
            used,
            n_groups=n_groups,
            monotonic=monotonic,
            min_group_size=min_group_size,
            min_denominator=min_denominator,
            n_cells=n_cells,
            budget=budget,
            missing=missing,
            verbose=verbose,
        )
        partition = found.partition
        notes += found.notes
    evidence = (judge_boxes if several else judge_line)(
        judging, partition, used, inference=inference, level=level, calibration=calibration, seed=seed, n_cells=n_cells
    )
    groups, bounds = evidence.groups, evidence.bounds
    bounded = groups.sums.bounded
    _check_gaps(bounded=bounded, relevant_gap=relevant_gap, max_gap=max_gap)
    gap = relevant_gap if relevant_gap is not None else (0.05 if bounded else 0.2 * evidence.spread)
    percent = bounded and (used.binary or rows.outcome_is_binary)
    direction = used.direction(favourable=favourable)
    said = verdicts(bounds.low, bounds.high, direction, gap)
    kept = None if max_gap is None else gate(bounds.low, bounds.high, max_gap)
    if partition.n_groups == 1:  # nothing is compared, so nothing is shown
        said, kept = ["not enough evidence"], None if kept is None else "not enough evidence"
    records = _records(groups, bounds, said, direction, bounded=bounded)
    for shifted in (*records, *evidence.curve):
        for key in ("rate", "rate_low", "rate_high"):
            if key in shifted:
                shifted[key] += offset
    constant = groups.sums.low == groups.sums.high
    notes += _notes(rows, bounded, weight, inference, partition, searched=searched, constant=constant)
    return Audit(
        records=records,
        partition=partition,
        measure=used,
        direction=direction,
        conclusion=conclude(records, used, level, percent=percent),
        overall=groups.overall + offset,
        variance=groups.variance,
        explained=evidence.explained,
        path=[] if found is None else [float(v) for v in found.variance],
        gate=kept,
        band=evidence.band,
        curve=evidence.curve,
        notes=notes,
        settings={
            "sensitive": attributes if several else attributes[0],
            **roles,
            "measure": used.name,
            "rate": used.rate,
            "higher_is": direction,
            "n_groups": n_groups if searched else partition.n_groups,
            "groups_given": not searched,
            "exact": None if found is None else found.exact,
            "optimality_gap": None if found is None else found.gap,
            "monotonic": monotonic,
            "min_group_size": min_group_size,
            "min_denominator": min_denominator,
            "n_cells": n_cells,
            "positive": None if positive is None else str(positive),
            "missing": missing,
            "inference": inference,
            "band_quantiles": None if evidence.band is None else vars(evidence.band.quantiles),
            "level": level,
            "relevant_gap": gap,
            "max_gap": max_gap,
            "seed": seed,
        },
        data={
            "source": Path(data).name if isinstance(data, str | Path) else "a table in memory",
            "rows": rows.n,
            "rows_judged": judging.n,
            "dropped": dict(rows.dropped),
            "attributes": [_describe(column) for column in rows.columns],
            "percent": percent,
        },
        table=table,
    )


def _describe(column: Column) -> dict[str, Any]:
    if column.levels is not None:
        return {"name": column.name, "levels": list(column.levels)}
    values = column.values[~np.isnan(column.values)]
    return {
        "name": column.name,
        "low": float(values.min()) if values.size else None,
        "high": float(values.max()) if values.size else None,
        "usual": [float(x) for x in np.quantile(values, [0.002, 0.998])] if values.size else [0.0, 0.0],
        "distinct": int(np.unique(values).size),
    }


def _halves(rows: Rows, seed: int) -> tuple[Rows, Rows]:
    if rows.n < 2:
        raise InputError("a split needs at least two rows; there is one.", "audit a table with more people.")
    order = np.random.default_rng(seed).permutation(rows.n)
    middle = rows.n // 2
    return rows.take(np.sort(order[:middle])), rows.take(np.sort(order[middle:]))


def _records(
    groups: GroupRates, bounds: Bounds, said: list[Any], direction: Direction, *, bounded: bool
) -> list[dict[str, Any]]:
    ratio, ratio_low, ratio_high = rate_ratios(groups.rate, bounds, direction, bounded=bounded)
    columns: dict[str, Any] = {
        "label": groups.partition.labels,
        "n": groups.rows,
        "counted": groups.sums.effective_size,
        "share": groups.share,
        "rate": groups.rate,
        "rate_low": bounds.rate_low,
        "rate_high": bounds.rate_high,
        "phi": groups.phi,
        "low": bounds.low,
        "high": bounds.high,
        "ratio": ratio,
        "ratio_low": ratio_low,
        "ratio_high": ratio_high,
        "verdict": said,
    }
    plain = {
        key: values.tolist() if isinstance(values, np.ndarray) else list(values) for key, values in columns.items()
    }
    return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]


def _notes(
    rows: Rows,
    bounded: bool,
    weight: str | None,
    inference: Inference,
    partition: Partition | BoxPartition,
    *,
    searched: bool,
    constant: bool,
) -> list[str]:
    notes = []
    if rows.dropped:
        said = ", ".join(f"{n} for {name!r}" for name, n in rows.dropped.items())
        notes.append(f"{sum(rows.dropped.values())} rows with missing values were left out ({said}).")
    if not bounded:
        notes.append(
            "The measure's values are not between 0 and 1: intervals take them as sub-Gaussian with an estimated "
            "scale, and are too narrow for strongly skewed or heavy-tailed values."
        )
    if weight is not None:
        notes.append("Weights enter the intervals by the effective number of rows.")
    if inference == "split" and searched:
        notes.append("Groups were found on one half of the rows; counts, rates and intervals are of the other half.")
    if inference == "plugin" and searched:
        notes.append(
            "Plug-in intervals treat the groups as given although they were searched for: they are too narrow, "
            "and on data without discrimination they raise false alarms more often than not."
        )
    if not partition.connected:
        notes.append("Some groups are made of several ranges; their intervals add up those of the ranges.")
    if constant:
        notes.append("Everybody who counts has the same outcome: there is nothing to tell groups apart by.")
    if partition.n_groups == 1:
        notes.append("There is one group only, so nothing is compared.")
    return notes


def _given(partition: Any, attributes: list[str], missing: Missing) -> Partition | BoxPartition | None:
    """Check groups that the caller brings; bare borders, or groups without a name, take the attribute's."""
    if partition is None:
        return None
    if isinstance(partition, BoxPartition):
        return replace(partition, missing=missing)
    if isinstance(partition, Partition):
        if partition.name and [partition.name] != attributes:
            raise InputError(
                f"the partition is of {partition.name!r}; the column named is {attributes[0]!r}.",
                "name the column that the groups were made for.",
            )
        return Partition(partition.groups, name=attributes[0], missing=missing)
    try:
        return Partition.from_edges(partition, name=attributes[0], missing=missing)
    except TypeError:
        raise InputError(
            f"`partition` must be a Partition, a BoxPartition or a list of borders; got {type(partition).__name__}."
        ) from None


def _check_gaps(*, bounded: bool, relevant_gap: float | None, max_gap: float | None) -> None:
    for name, value in (("relevant_gap", relevant_gap), ("max_gap", max_gap)):
        if value is not None and (not isinstance(value, int | float | np.number) or not value >= 0):
            raise InputError(f"`{name}` must be a number of at least 0; got {value!r}.")
        if value is not None and bounded and value > 1:
            raise InputError(
                f"`{name}` is a difference of rates, at most 1; got {value!r}.",
                f"{value:g} points are {value / 100:g}.",
            )
