"""From evidence to the records of an audit: groups, attributes, notes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairgroups.audits.records import Attribute, Bin, GroupRecord
from fairgroups.evidence.at_equal import MatchedRates
from fairgroups.evidence.comparison import Comparison
from fairgroups.evidence.curves import Stretch
from fairgroups.evidence.disclosure import rounded_ends
from fairgroups.evidence.judge import Evidence
from fairgroups.evidence.rates import GroupRates
from fairgroups.evidence.verdict import Verdict, verdicts
from fairgroups.measures import Direction
from fairgroups.options import FEWEST_TOLD, Inference
from fairgroups.partition.partition import Partition
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows, quantiles
from fairgroups.words import how_many

__all__ = ["describe_column", "notes_on", "records_of"]

Array = NDArray[np.float64]
MOST_BINS = 40
FINE = 100  # parts of a picture's width, to which its ends are rounded


def records_of(
    evidence: Evidence,
    compared: Comparison,
    direction: Direction,
    relevant_gap: float,
    labels: Sequence[str],
    judged: list[Verdict] | None = None,
) -> tuple[GroupRecord, ...]:
    """Return one record per group; verdicts follow from the intervals unless they are given."""
    groups, bounds = evidence.groups, evidence.bounds
    adverse = {
        "better": compared.least_below,
        "worse": compared.least_above,
        "neutral": np.maximum(compared.least_below, compared.least_above),
    }[direction]
    verdict = judged or verdicts(compared.low, compared.high, direction, relevant_gap)
    if isinstance(groups, MatchedRates):
        verdict = [
            v if there else "nobody to compare with" for v, there in zip(verdict, groups.comparable, strict=True)
        ]
    if compared.reference is not None:
        verdict[compared.reference] = "reference"
    columns = {
        "counted": groups.sums.effective_size,
        "share": groups.share,
        "rate": groups.rate,
        "rate_low": bounds.rate_low,
        "rate_high": bounds.rate_high,
        "phi": compared.difference,
        "low": compared.low,
        "high": compared.high,
        "detectable": adverse,
        "violation": groups.share * np.abs(groups.phi),
        "ratio": compared.ratio,
        "ratio_low": compared.ratio_low,
        "ratio_high": compared.ratio_high,
        "plugin_low": compared.usual_low,
        "plugin_high": compared.usual_high,
    }
    return tuple(
        GroupRecord(
            label=label,
            n=int(groups.rows[k]),
            verdict=verdict[k],
            **{name: float(values[k]) for name, values in columns.items()},
        )
        for k, label in enumerate(labels)
    )


def describe_column(
    column: Column, count: Array | None = None, label: str = "", min_cell: int = FEWEST_TOLD
) -> Attribute:
    """Return what values an attribute has; no bar of its histogram stands for fewer people than `min_cell`."""
    if column.levels is not None:
        return Attribute(column.name, column.levels, label=label)
    known = ~np.isnan(column.values)
    values = column.values[known]
    if not values.size:
        return Attribute(column.name, label=label)
    last = values if column.last is None else column.last[known]
    people = None if count is None else count[known]
    weight = np.ones(values.size) if people is None else people
    first, top = float(values.min()), float(last.max())
    shared = weight[values == first].sum() >= min_cell, weight[last == top].sum() >= min_cell
    whole = bool(np.all(values == np.rint(values)) and np.all(last == np.rint(last)))
    if whole and (first, top) == (0.0, 1.0):
        shared = True, True  # which tell of nobody
    least, most = rounded_ends(first, top, shared, whole=whole)
    low, high = (float(x) for x in _usual(values, people))
    beyond = weight[values <= low].sum() >= min_cell, weight[values >= high].sum() >= min_cell
    low, high = rounded_ends(low, high, beyond, parts=FINE, whole=whole)
    low, high = max(low, least), min(high, most)
    return Attribute(
        column.name,
        low=least,
        high=most,
        rounded=(least, most) != (float(values.min()), float(last.max())),
        usual=(low, high),
        distinct=int(np.unique(values).size),
        bins=_joined(_bins(values, people, (low, high), (least, most)), min_cell),
        label=label,
        whole=whole,
    )


def within(curve: Sequence[Stretch], attribute: Attribute) -> tuple[Stretch, ...]:
    """Return the rate along an attribute, its outermost ends as the attribute's are told."""
    stretches = list(curve)
    if stretches and attribute.levels is None:
        stretches[0] = replace(stretches[0], low=min(stretches[0].low, attribute.low))
        stretches[-1] = replace(stretches[-1], high=max(stretches[-1].high, attribute.high))
    return tuple(stretches)


def _bins(
    values: Array, count: Array | None, usual: tuple[float, float], every: tuple[float, float]
) -> tuple[Bin, ...]:
    """Count people along the attribute in at most forty bins: whole steps for whole numbers, few far ones left out."""
    low, high = every if every[1] - every[0] < 1.5 * (usual[1] - usual[0]) else usual
    if bool(np.all(values == np.rint(values))):
        step = max(1.0, math.ceil((high - low + 1) / MOST_BINS))
        edges = np.arange(low - 0.5, high + 0.5 + step, step)
        edges = edges[: max(2, int(np.searchsorted(edges, high + 0.5)) + 1)]
    else:
        edges = np.linspace(low, high if high > low else low + 1, MOST_BINS + 1)
    n, _ = np.histogram(values, edges, weights=count)
    ends = zip(edges[:-1].tolist(), edges[1:].tolist(), n.tolist(), strict=True)
    return tuple(Bin(start, stop, int(people)) for start, stop, people in ends)


def _joined(bins: Sequence[Bin], min_cell: int) -> tuple[Bin, ...]:
    """Join neighbouring bins until each holds nobody or enough people."""
    out: list[Bin] = []
    for one in bins:
        few = out and 0 < out[-1].n < min_cell
        if few and one.n:
            before = out.pop()
            out.append(Bin(before.low, one.high, before.n + one.n))
        elif few:  # nobody here: the few before stand alone no longer, should more come
            before = out.pop()
            out.append(Bin(before.low, one.high, before.n))
        else:
            out.append(one)
    while len(out) > 1 and 0 < out[-1].n < min_cell:
        last, before = out.pop(), out.pop()
        out.append(Bin(before.low, last.high, before.n + last.n))
    return tuple(out) if out and out[-1].n >= min_cell else ()


def _usual(values: Array, count: Array | None) -> Array:
    shares = np.array([0.002, 0.998])
    return np.quantile(values, shares, method="inverted_cdf") if count is None else quantiles(values, shares, count)


def notes_on(
    rows: Rows, groups: GroupRates, inference: Inference, partition: Partition, *, searched: bool, chosen: bool
) -> list[str]:
    """Return what a reader should know; `chosen` says that the data chose the number of groups."""
    notes = []
    if rows.dropped:
        reasons = ", ".join(f"{n} for {name!r}" for name, n in rows.dropped.items())
        lost = sum(rows.dropped.values())
        notes.append(
            f"{how_many(lost, 'row')} with missing values {'was' if lost == 1 else 'were'} left out ({reasons})."
        )
    if not groups.bounded:
        notes.append(
            "The outcome is an amount, not yes or no. The intervals assume roughly normal means with an "
            "estimated scale: "
            "if values are strongly skewed or heavy-tailed, they may be too narrow."
        )
    if rows.weight is not None:
        notes.append(
            "Weights enter the intervals by the effective number of rows: where a count is followed by “(as …)”, these "
            "rows tell as much as so many of equal weight."
        )
    if rows.cluster is not None:
        notes.append(
            f"The {rows.n:,} rows belong to {int(rows.cluster.max()) + 1:,} clusters; the intervals allow for the "
            "similarity found among rows of one cluster."
        )
    if inference == "crossfit" and searched:
        notes.append(
            "Each half of the rows found groups and the other half judged them; the groups shown are those that carry "
            "over better, with counts, rates and intervals of the half that judged them."
        )
    if inference == "plugin" and searched:
        notes.append(
            "Plug-in intervals treat the groups as given although they were searched for: they are too narrow, and on "
            "data without differences they usually report a false one."
        )
    if not partition.connected:
        notes.append(
            "Some groups are made of several ranges; their intervals are the sums of the ranges' intervals, "
            "and so are wide."
        )
    if groups.alike:
        notes.append("All rows that count in this rate have the same outcome, so groups cannot be compared.")
    elif partition.n_groups == 1 and not chosen:
        notes.append("There is one group only, so no groups are compared.")
    return notes
