"""What an audit says of each group and of the data, as plain records."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.evidence.judge import Inference
from fairgroups.evidence.rates import Against, Bounds, GroupRates, rate_ratios
from fairgroups.measures import Direction
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.rows.rows import Column, Rows, quantiles

__all__ = ["describe_column", "notes_on", "records_of", "scale_against"]

Array = NDArray[np.float64]
MOST_BINS = 40


def records_of(
    groups: GroupRates, bounds: Bounds, said: list[Any], direction: Direction, *, against: Against = "everyone"
) -> list[dict[str, Any]]:
    """Give one record per group; see `Audit.records`."""
    ratio, ratio_low, ratio_high = rate_ratios(groups.rate, bounds, direction, bounded=groups.sums.bounded)
    scale = scale_against(groups, against)
    adverse = {
        "better": bounds.least_below,
        "worse": bounds.least_above,
        "neutral": np.maximum(bounds.least_below, bounds.least_above),
    }[direction]
    columns: dict[str, Any] = {
        "label": groups.partition.labels,
        "n": groups.rows,
        "counted": groups.sums.effective_size,
        "share": groups.share,
        "rate": groups.rate,
        "rate_low": bounds.rate_low,
        "rate_high": bounds.rate_high,
        "phi": groups.phi * scale,
        "low": bounds.low * scale,
        "high": bounds.high * scale,
        "detectable": adverse * scale,
        "violation": groups.share * np.abs(groups.phi),
        "ratio": ratio,
        "ratio_low": ratio_low,
        "ratio_high": ratio_high,
        "verdict": said,
    }
    plain = {
        key: values.tolist() if isinstance(values, np.ndarray) else list(values) for key, values in columns.items()
    }
    return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]


def scale_against(groups: GroupRates, against: Against) -> Array:
    """Give what Φ and its bounds are multiplied by: Φ against everyone is 1 − w times the difference to the rest."""
    rest = 1 - groups.share
    if against == "everyone":
        return np.ones_like(rest)
    return np.divide(1.0, rest, out=np.zeros_like(rest), where=rest > 1e-12)


def describe_column(column: Column, count: Array | None = None) -> dict[str, Any]:
    """Say what values an attribute has."""
    if column.levels is not None:
        return {"name": column.name, "levels": list(column.levels)}
    known = ~np.isnan(column.values)
    values = column.values[known]
    last = values if column.last is None else column.last[known]
    usual = [float(x) for x in _usual(values, None if count is None else count[known])] if values.size else [0.0, 0.0]
    return {
        "name": column.name,
        "low": float(values.min()) if values.size else None,
        "high": float(last.max()) if values.size else None,
        "usual": usual,
        "distinct": int(np.unique(values).size),
        "bins": _bins(values, None if count is None else count[known], usual) if values.size else [],
    }


def _bins(values: Array, count: Array | None, usual: list[float]) -> list[dict[str, float]]:
    """Count people along the attribute in at most forty bins: whole steps for whole numbers, few far ones left out."""
    low, high = usual
    if values.max() - values.min() < 1.5 * (high - low):
        low, high = float(values.min()), float(values.max())
    if bool(np.all(values == np.rint(values))):
        step = max(1.0, math.ceil((high - low + 1) / MOST_BINS))
        edges = np.arange(low - 0.5, high + 0.5 + step, step)
        edges = edges[: max(2, int(np.searchsorted(edges, high + 0.5)) + 1)]
    else:
        edges = np.linspace(low, high if high > low else low + 1, MOST_BINS + 1)
    n, _ = np.histogram(values, edges, weights=count)
    ends = zip(edges[:-1].tolist(), edges[1:].tolist(), n.tolist(), strict=True)
    return [{"low": start, "high": stop, "n": int(people)} for start, stop, people in ends]


def _usual(values: Array, count: Array | None) -> Array:
    shares = np.array([0.002, 0.998])
    return np.quantile(values, shares) if count is None else quantiles(values, shares, count)


def notes_on(
    rows: Rows,
    groups: GroupRates,
    inference: Inference,
    partition: Partition | BoxPartition,
    *,
    searched: bool,
    chosen: bool,
) -> list[str]:
    """List what a reader should know; `chosen` says that the data chose the number of groups."""
    notes = []
    if rows.dropped:
        said = ", ".join(f"{n} for {name!r}" for name, n in rows.dropped.items())
        notes.append(f"{sum(rows.dropped.values())} rows with missing values were left out ({said}).")
    if not groups.sums.bounded:
        notes.append(
            "The measure's values are not between 0 and 1: intervals take them as sub-Gaussian with an estimated "
            "scale, and are too narrow for strongly skewed or heavy-tailed values."
        )
    if rows.weight is not None:
        notes.append("Weights enter the intervals by the effective number of rows.")
    if rows.cluster is not None:
        notes.append(
            f"The {rows.n:,} rows belong to {int(rows.cluster.max()) + 1:,} clusters; intervals take the rows of one "
            "cluster as repeating each other as far as they are found to."
        )
    if inference == "crossfit" and searched:
        notes.append(
            "Each half of the rows found groups and the other half judged them; the groups shown are those that carry "
            "over better, with counts, rates and intervals of the half that judged them."
        )
    if inference == "plugin" and searched:
        notes.append(
            "Plug-in intervals treat the groups as given although they were searched for: they are too narrow, "
            "and on data without discrimination they raise false alarms more often than not."
        )
    if not partition.connected:
        notes.append("Some groups are made of several ranges; their intervals add up those of the ranges.")
    if groups.sums.low == groups.sums.high:
        notes.append("Everybody who counts has the same outcome: there is nothing to tell groups apart by.")
    elif partition.n_groups == 1 and not chosen:
        notes.append("There is one group only, so nothing is compared.")
    return notes
