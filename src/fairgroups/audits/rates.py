"""Every rate of the audit's groups side by side: how often selected, how often rightly, how often wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairgroups.audits.records import GroupRecord
from fairgroups.cells.cells import Cells
from fairgroups.errors import InputError
from fairgroups.evidence.band import Band
from fairgroups.evidence.bounds import Bounds, fixed_bounds
from fairgroups.evidence.named import class_bounds
from fairgroups.evidence.rates import GroupRates, group_rates
from fairgroups.measures import RATES, Measure
from fairgroups.rows.rows import Rows, check_measure

if TYPE_CHECKING:
    from fairgroups.audits.assemble import Judged

__all__ = ["GroupRate", "RateColumn", "other_measures", "rate_rows", "rates_of"]


NEARLY = 1e-9


@dataclass(frozen=True)
class GroupRate:
    """One rate of one group, with an interval that holds for all groups at once, and how many count in it.

    Of groups that were searched for, NaN where fewer count than may be told of.
    """

    rate: float
    low: float
    high: float
    counted: float


@dataclass(frozen=True)
class RateColumn:
    """One rate of every group, and of everybody."""

    measure: str
    rate: str
    percent: bool
    overall: float
    groups: tuple[GroupRate, ...]


def other_measures(rows: Rows, known: tuple[str, ...] = ()) -> tuple[Measure, ...]:
    """Return the measures that these rows allow besides those that are known."""
    return tuple(measure for measure in RATES.values() if measure.name not in known and _fits(measure, rows))


def _fits(measure: Measure, rows: Rows) -> bool:
    try:
        check_measure(measure, rows)
        counts = (rows.truth is not None or not measure.needs_truth) and bool((rows.sums(measure)[1] > 0).any())
    except InputError:
        return False
    if measure.name in ("mean", "calibration") and rows.outcome_is_binary:
        return False  # the same as parity, or of no use for decisions
    return counts


def rates_of(judged: Judged, at: int, level: float) -> tuple[RateColumn, ...]:
    """Return the rates that outcome and truth allow, of the groups that were judged; none where there is one only.

    Parameters
    ----------
    judged : Judged
        The people and the groups.
    at : int
        Which of several rates asks: they share one table, which the first one has.
    level : float
        How often the intervals of each rate are to hold at once.

    Returns
    -------
    tuple of RateColumn
    """
    rows = judged.judging.rows
    if at > 0 or rows.truth is None:
        return ()
    measures = [m for m in other_measures(rows) if m in judged.judging.measures]
    if len(measures) < 2:
        return ()
    out = []
    for measure in measures:
        people = judged.judging.cells if judged.judging.is_line else rows
        groups = group_rates(people, judged.partition, measure)
        bounds = _bounds(judged, people, groups, measure, level)
        counted = groups.sums.effective_size
        found = np.stack([groups.rate, bounds.rate_low, bounds.rate_high])
        if not judged.named:  # who names groups in advance minds their sizes
            found[:, counted < min(judged.inference.min_cell, float(counted.sum())) * (1 - NEARLY)] = np.nan
        ends = zip(*found, counted, strict=True)
        each = tuple(GroupRate(float(r), float(lo), float(hi), float(n)) for r, lo, hi, n in ends)
        percent = groups.sums.bounded and measure.binary
        out.append(RateColumn(measure.name, measure.rate, percent, groups.overall, each))
    return tuple(out)


def rate_rows(records: Sequence[GroupRecord], rates: Sequence[RateColumn]) -> list[dict[str, Any]]:
    """Return one row for each group: how many people, and every rate with its interval; none without rates."""
    rows = []
    for k, record in enumerate(records if rates else ()):
        row: dict[str, Any] = {"group": record.label, "n": record.n}
        for column in rates:
            one, name = column.groups[k], column.measure
            row |= {name: one.rate, f"{name}_low": one.low, f"{name}_high": one.high}
            row[f"{name}_counted"] = one.counted
        rows.append(row)
    return rows


def _bounds(judged: Judged, people: Cells | Rows, groups: GroupRates, measure: Measure, level: float) -> Bounds:
    if judged.named:
        return class_bounds(groups, level)
    if judged.inference.inference == "band":
        cells = people if isinstance(people, Cells) else judged.judging.space
        return Band(cells, measure, level=level, band_width="table").bounds(groups)
    return fixed_bounds(groups, level, None if groups.sums.bounded else 0.0, judged=judged.inference.judged)
