"""From a partition to rates with intervals: on the line by the band, in several dimensions on rows set aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
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
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.rows.rows import Rows

__all__ = ["Evidence", "How", "Inference", "judge"]

Array = NDArray[np.float64]
Inference = Literal["band", "crossfit", "plugin"]


@dataclass(frozen=True)
class How:
    """How groups are to be judged; `judged` intervals hold at once where there are more than these groups'."""

    inference: Inference = "band"
    level: float = 0.95
    calibration: Calibration = "auto"
    seed: int = 0
    n_cells: int | None = None
    judged: int | None = None


@dataclass(frozen=True)
class Evidence:
    """Rates of groups, their intervals, and what charts show beside them."""

    groups: GroupRates
    bounds: Bounds
    spread: float  # the standard deviation of a row's value
    explained: float
    curve: list[dict[str, Any]]
    band: Band | None


def judge(rows: Rows, partition: Partition | BoxPartition, measure: Measure, how: How) -> Evidence:
    """Judge groups: found on other rows or given in advance, unless the band judges them."""
    return (_judge_line if len(rows.columns) == 1 else _judge_boxes)(rows, partition, measure, how)


def _judge_line(rows: Rows, partition: Partition | BoxPartition, measure: Measure, how: How) -> Evidence:
    if not isinstance(partition, Partition):
        raise InputError(f"the partition is of {len(partition.columns)} attributes; one was named.")
    cells = Cells.from_rows(rows, measure=measure, n_cells=None if how.inference == "crossfit" else how.n_cells)
    groups = group_rates(cells, partition, measure)
    moments = cells[measure]
    band = None
    if how.inference == "band":
        band = Band(cells, measure, level=how.level, calibration=how.calibration, seed=how.seed)
        bounds = band.bounds(groups)
    elif how.inference == "crossfit":
        scale = None if moments.bounded else residual_scale(moments)
        bounds = fixed_bounds(groups, how.level, scale, judged=how.judged)
    else:
        bounds = plugin_bounds(groups, how.level)
    explained = explained_share(cells, measure, groups.variance)
    return Evidence(groups, bounds, _spread(groups), explained, rate_curve(cells, measure, groups.runs), band)


def _spread(groups: GroupRates) -> float:
    s = groups.sums
    mean = groups.overall
    squares = float(np.sum(s.aa - 2 * mean * s.ab + mean**2 * s.bb))
    return float(np.sqrt(max(squares, 0.0) / s.bb.sum()))


def _judge_boxes(rows: Rows, partition: Partition | BoxPartition, measure: Measure, how: How) -> Evidence:
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
        plugin_bounds(groups, how.level)
        if how.inference == "plugin"
        else fixed_bounds(groups, how.level, None if s.bounded else scale, judged=how.judged)
    )
    explained = explained_by_boxes(rows, measure, groups.variance)
    return Evidence(groups, bounds, _spread(groups), explained, rate_plane(rows, measure), None)
