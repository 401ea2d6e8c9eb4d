"""From a partition to rates with intervals: on the line by the band, in several dimensions by rows set aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.boxes import BoxPartition
from fairgroups.cells import Cells
from fairgroups.errors import InputError
from fairgroups.evidence.band import Band, Calibration
from fairgroups.evidence.curves import rate_curve, rate_plane
from fairgroups.evidence.rates import (
    Bounds,
    GroupRates,
    explained_by_boxes,
    explained_share,
    fixed_bounds,
    group_rates,
    group_rates_of_rows,
    plugin_bounds,
    residual_scale,
    upper_scale,
)
from fairgroups.measures import Measure
from fairgroups.partition import Partition
from fairgroups.rows import Rows

__all__ = ["Evidence", "Inference", "judge_boxes", "judge_line"]

Array = NDArray[np.float64]
Inference = Literal["band", "split", "plugin"]


@dataclass(frozen=True)
class Evidence:
    """Rates of groups, their intervals, and what charts show beside them."""

    groups: GroupRates
    bounds: Bounds
    spread: float  # the standard deviation of a row's value
    explained: float
    curve: list[dict[str, Any]]
    band: Band | None


def judge_line(
    rows: Rows,
    partition: Partition | BoxPartition,
    measure: Measure,
    *,
    inference: Inference,
    level: float,
    calibration: Calibration,
    seed: int,
    n_cells: int | None,
) -> Evidence:
    """Judge groups of one attribute."""
    if not isinstance(partition, Partition):
        raise InputError(f"the partition is of {len(partition.columns)} attributes; one was named.")
    cells = Cells.from_rows(rows, measure=measure, n_cells=None if inference == "split" else n_cells)
    groups = group_rates(cells, partition, measure)
    moments = cells[measure]
    scale = residual_scale(moments)
    band = None
    if inference == "band":
        band = Band(cells, measure, level=level, calibration=calibration, seed=seed)
        bounds = band.bounds(groups)
    elif inference == "split":
        bounds = fixed_bounds(groups, level, None if moments.bounded else scale)
    else:
        bounds = plugin_bounds(groups, level)
    explained = explained_share(cells, measure, groups.variance)
    return Evidence(groups, bounds, _spread(groups), explained, rate_curve(cells, measure, groups.runs), band)


def _spread(groups: GroupRates) -> float:
    s = groups.sums
    mean = groups.overall
    squares = float(np.sum(s.aa - 2 * mean * s.ab + mean**2 * s.bb))
    return float(np.sqrt(max(squares, 0.0) / s.bb.sum()))


def judge_boxes(
    rows: Rows, partition: Partition | BoxPartition, measure: Measure, *, inference: Inference, level: float, **_: Any
) -> Evidence:
    """Judge groups of several attributes, found on other rows or given in advance."""
    if not isinstance(partition, BoxPartition) or partition.columns != tuple(c.name for c in rows.columns):
        raise InputError(
            f"the partition is of {partition.name!r}; the columns named are {[c.name for c in rows.columns]}.",
            "name the same columns in the same order.",
        )
    groups = group_rates_of_rows(rows, partition, measure)
    s, rate = groups.sums, np.nan_to_num(groups.rate)
    squares = float(np.sum(s.aa - 2 * rate * s.ab + rate**2 * s.bb))
    scale = upper_scale(squares, float(s.bb.sum()), float(np.sum(s.effective_size - 1)))
    bounds = (
        plugin_bounds(groups, level)
        if inference == "plugin"
        else fixed_bounds(groups, level, None if s.bounded else scale)
    )
    explained = explained_by_boxes(rows, measure, groups.variance)
    return Evidence(groups, bounds, _spread(groups), explained, rate_plane(rows, measure), None)
