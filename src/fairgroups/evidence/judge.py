"""From a partition to rates with intervals: by the band, by people set aside, or as groups named in advance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.sample import Sample
from fairgroups.errors import InputError
from fairgroups.evidence.added import Added, added
from fairgroups.evidence.any_difference import AnyDifference, any_difference
from fairgroups.evidence.band import Band
from fairgroups.evidence.bounds import Bounds, fixed_bounds, plugin_bounds
from fairgroups.evidence.curves import Stretch, rate_curve
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.evidence.named import class_bounds
from fairgroups.evidence.plane import PlaneCell, rate_plane, tells_of_few
from fairgroups.evidence.rates import GroupRates, group_rates
from fairgroups.evidence.residual_scatter import residual_scale, standard_deviation, upper_scale
from fairgroups.evidence.spread_of_groups import explained_share
from fairgroups.measures import Measure
from fairgroups.partition.partition import Partition

__all__ = ["Evidence", "judge"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """Rates of groups, their intervals, and what charts show beside them."""

    groups: GroupRates
    bounds: Bounds
    plugin: Bounds  # the usual intervals, which forget that the groups were searched for
    spread: float  # the standard deviation of a row's value
    explained: float
    curve: tuple[Stretch, ...]
    plane: tuple[PlaneCell, ...]
    band: Band | None
    differs: AnyDifference | None = None  # whether anything differs, where groups were searched for on the line
    named: bool = False  # whether the groups were named in advance
    level: float = 0.95
    added: tuple[Added, ...] = ()  # what each of several attributes that were searched adds to the others


def judge(
    sample: Sample,
    partition: Partition,
    measure: Measure,
    options: InferenceOptions,
    known: AnyDifference | None = None,
) -> Evidence:
    """Judge groups.

    Parameters
    ----------
    sample : Sample
        The people; unless the band judges, they had no part in finding the groups.
    partition : Partition
        The groups.
    measure : Measure
        Which rate.
    options : InferenceOptions
        How.
    known : AnyDifference, optional
        Whether anything differs, where that is known already.

    Returns
    -------
    Evidence
    """
    if partition.columns != tuple(column.name for column in sample.rows.columns):
        raise InputError(
            f"the partition is of {partition.name!r}; the columns named are {[c.name for c in sample.rows.columns]}.",
            "name the same columns in the same order.",
        )
    people = sample.cells if sample.is_line else sample.rows
    groups = group_rates(people, partition, measure)
    plugin = plugin_bounds(groups, options.level)
    bounds, band, few = plugin, None, options.min_cell
    if options.inference == "band" and (sample.is_line or not options.named):
        band = options.band(sample.cells if sample.is_line else sample.space, measure) if known is None else known.band
    if options.named and options.inference != "plugin":
        bounds = class_bounds(groups, options.level)
    elif band is not None:
        known = known or any_difference(band, sample.margins, options.min_cell)
        band = known.band
        bounds = band.bounds(groups)
        known = _told(known, sample, partition, measure, few)
    elif options.inference != "plugin":
        scale = None if groups.sums.bounded else _scale(sample, groups, measure)
        bounds = fixed_bounds(groups, options.level, scale, judged=options.judged)
    curve = tuple(rate_curve(sample.cells, measure, groups.runs, min_cell=few)) if sample.is_line else ()
    plane: tuple[PlaneCell, ...] = ()
    if not sample.is_line and len(sample.rows.columns) > 1:
        explored = len(sample.rows.columns) == 2 and not options.named  # and laid out once more beside what that tells
        region = None if known is None or options.named else known.region
        plane = tuple(rate_plane(sample.space, measure, few, () if explored else (partition,), region))
    explained = explained_share(people, measure, groups.variance)
    spread = standard_deviation(groups.sums)
    named = options.named
    differs = None if named else known
    crossed = named and len(sample.rows.columns) > 1 and all(c.levels is not None for c in sample.rows.columns)
    found = bool(np.any((bounds.low > 0) | (bounds.high < 0))) if named else known is not None and known.found
    more: tuple[Added, ...] = ()
    if (crossed and found) or (band is not None and not named and not sample.is_line):
        more = added(sample, measure, options.level)
    if not found:  # where nothing differs, nothing adds: these tests have no error of their own
        more = tuple(replace(one, shown=False) for one in more)
    return Evidence(groups, bounds, plugin, spread, explained, curve, plane, band, differs, named, options.level, more)


def _told(known: AnyDifference, sample: Sample, partition: Partition, measure: Measure, fewest: int) -> AnyDifference:
    """Leave out the box that differs most where it and the groups together tell of few people."""
    if sample.is_line or known.region is None:
        return known
    few = tells_of_few(sample.space, measure, partition, known.region, fewest)
    return replace(known, region=None) if few else known


def _scale(sample: Sample, groups: GroupRates, measure: Measure) -> float:
    """Return an upper bound of the scatter of values around their rates."""
    if sample.is_line:
        return residual_scale(sample.cells[measure])
    s = groups.sums
    rate = np.divide(s.a, s.b, out=np.zeros_like(s.a), where=s.b > 0)
    squares = float(np.sum(s.aa - 2 * rate * s.ab + rate**2 * s.bb))
    return upper_scale(squares, float(s.bb.sum()), float(np.sum(s.effective_size - 1)))
