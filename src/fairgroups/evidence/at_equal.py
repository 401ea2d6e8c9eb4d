"""Groups at equal factors: what of their difference goes with the factors, and what is left among comparable people."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fairgroups.cells.cells import Cells
from fairgroups.cells.matching import Matching, matchings
from fairgroups.cells.sample import Sample
from fairgroups.evidence.any_difference import AnyDifference, any_difference
from fairgroups.evidence.bounds import Bounds
from fairgroups.evidence.curves import Stretch, rate_curve
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.evidence.judge import Evidence
from fairgroups.evidence.matched_band import MatchedBand, bounds_at_equal
from fairgroups.evidence.named import class_bounds, one_of_several
from fairgroups.evidence.plane import PlaneCell, rate_plane
from fairgroups.evidence.rates import GroupRates, group_rates
from fairgroups.evidence.residual_scatter import standard_deviation
from fairgroups.evidence.spread_of_groups import explained_share
from fairgroups.measures import Measure
from fairgroups.options import Against
from fairgroups.partition.partition import Partition

__all__ = ["LEAST_OVERLAP", "MatchedEvidence", "MatchedRates", "judge_at_equal"]

Array = NDArray[np.float64]
LEAST_OVERLAP = 0.1  # of what a comparison with everybody would rest on; with less there is nobody to compare with


@dataclass(frozen=True)
class MatchedRates(GroupRates):
    """The groups of a partition at equal factors.

    `phi` is what is left unexplained, and against the rest the Mantel–Haenszel difference from comparable people
    outside the group; rates are the observed ones.

    Attributes
    ----------
    observed : GroupRates
        The groups as they are, nothing held equal.
    matching : Matching
        Sums by group and stratum.
    """

    observed: GroupRates
    matching: Matching

    @classmethod
    def of(cls, sample: Sample, matched: Sample, partition: Partition, measure: Measure) -> MatchedRates:
        """Evaluate a partition on people, and on the same people less what their strata have."""
        people = sample.cells if sample.is_line else sample.rows
        observed = group_rates(people, partition, measure)
        codes, n = partition.codes(matched.rows.columns), partition.n_groups
        matching = matchings(matched.rows, [measure], codes, n)[measure.name]
        sums = matching.sums.map(lambda x: x.sum(axis=1))
        return cls(partition, observed.runs, observed.owners, observed.rows, sums, observed, matching)

    @property
    def overall(self) -> float:
        """The rate of everybody."""
        return self.observed.overall

    @property
    def rate(self) -> Array:
        """Each group's own rate; NaN where nobody counts."""
        return self.observed.rate

    @property
    def bounded(self) -> bool:
        """Whether outcomes are yes or no."""
        return self.observed.bounded

    @property
    def alike(self) -> bool:
        """Whether all who count have the same outcome."""
        return self.observed.alike

    @property
    def weight(self) -> Array:
        """The Mantel–Haenszel weight of each group: how much its comparison rests on."""
        return self.matching.compared()[1]

    @property
    def overlap(self) -> Array:
        """The weight of each group over what it would be if everybody were comparable."""
        b, total = self.sums.b, self.sums.b.sum()
        most = b * (total - b) / total
        found: Array = np.divide(self.weight, most, out=np.zeros_like(b), where=most > 1e-12 * total)
        return found

    def scale_against(self, whom: Against) -> Array:
        """Return what `phi` and its bounds are multiplied by: B over the weight against comparable people outside."""
        if whom == "everyone":
            return np.ones_like(self.sums.b)
        weight = self.weight
        known = weight > 1e-9 * self.sums.b.sum()
        found: Array = np.divide(self.sums.b, weight, out=np.zeros_like(weight), where=known)
        return found

    @property
    def comparable(self) -> NDArray[np.bool_]:
        """Whether there is anybody to compare a group with."""
        alone = self.sums.b >= self.sums.b.sum() * (1 - 1e-12)  # everybody
        found: NDArray[np.bool_] = (self.overlap >= LEAST_OVERLAP) | alone
        return found


@dataclass(frozen=True)
class MatchedEvidence(Evidence):
    """What is known of groups at equal factors; `observed` bounds rates and differences with nothing held equal."""

    observed: Bounds = field(kw_only=True)


def judge_at_equal(
    sample: Sample,
    matched: Sample,
    partition: Partition,
    measure: Measure,
    options: InferenceOptions,
    known: AnyDifference | None = None,
) -> MatchedEvidence:
    """Judge groups at equal factors.

    Parameters
    ----------
    sample, matched : Sample
        The people, and the same people with `strata` and `expectations`.
    partition : Partition
        The groups.
    measure : Measure
        Which rate.
    options : InferenceOptions
        How; groups that were named in advance do not pay for a search.
    known : AnyDifference, optional
        Whether anything differs, where that is known already.

    Returns
    -------
    MatchedEvidence
    """
    groups = MatchedRates.of(sample, matched, partition, measure)
    usual = np.full(groups.sums.b.shape, float(ndtri((1 + options.level) / 2)))
    rates: Bounds = class_bounds(groups.observed, options.level)
    plugin = bounds_at_equal(groups.matching, usual, rates)
    cells = matched.cells if matched.is_line else matched.space
    band = None
    if options.named:
        several = int(np.count_nonzero(groups.sums.b > 0))
        root = np.full(usual.shape, one_of_several(options.level, 1 if several == 2 else several))
    else:
        known = known or any_difference(options.band(cells, measure), matched.margins, options.min_cell)
        band = known.band
        assert isinstance(band, MatchedBand)
        root = band.root(groups.weight)
        raw = band.raw.cells
        on_cells = group_rates(raw, partition, measure) if isinstance(raw, Cells) else groups.observed
        rates = band.raw.bounds(on_cells)
    bounds = _alone(groups, bounds_at_equal(groups.matching, root, rates))
    few = options.min_cell
    curve = _curve(matched.cells, measure, partition, groups.overall, few) if matched.is_line else ()
    plane: tuple[PlaneCell, ...] = ()
    if len(matched.rows.columns) > 1:
        drawn = rate_plane(matched.space, measure, few)
        plane = tuple(replace(cell, rate=cell.rate + groups.overall) for cell in drawn)
    people = matched.cells if matched.is_line else matched.rows
    explained = explained_share(people, measure, groups.variance)
    spread = standard_deviation(groups.observed.sums)
    differs = None if options.named else known
    known_now = groups, bounds, plugin, spread, explained, curve, plane, band, differs, options.named, options.level
    return MatchedEvidence(*known_now, observed=rates)


def _alone(groups: MatchedRates, bounds: Bounds) -> Bounds:
    """Take away the intervals of groups that have nobody to compare with; a group that is everybody differs by 0."""
    nobody = ~groups.comparable
    least = np.where(nobody, np.nan, bounds.least_below)
    whole = groups.sums.b >= groups.sums.b.sum() * (1 - 1e-12)
    low, high = (np.where(nobody, np.nan, np.where(whole, 0.0, x)) for x in (bounds.low, bounds.high))
    return replace(bounds, low=low, high=high, least_below=least, least_above=least)


def _curve(cells: Cells, measure: Measure, partition: Partition, overall: float, min_cell: int) -> tuple[Stretch, ...]:
    """Return the rate along the attribute, and what it would be were everybody's factors alike."""
    raw = replace(cells, moments={measure.name: cells.matching[measure.name].raw}, matching={})
    runs = group_rates(raw, partition, measure).runs
    left, out = cells[measure], []
    for one in rate_curve(raw, measure, runs, min_cell=min_cell):
        first, last = np.searchsorted(cells.edges, [one.low, one.high])
        held = slice(first, last + 1) if last < len(cells) and cells.edges[last] == one.high else slice(first, last)
        out.append(replace(one, at_equal=float(left.a[held].sum() / left.b[held].sum()) + overall))
    return tuple(out)
