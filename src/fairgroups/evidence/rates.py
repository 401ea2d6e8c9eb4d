"""The rate and Φ of each group, and intervals that take the groups as given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, ndtri

from fairgroups.cells.cells import Cells
from fairgroups.cells.moments import Moments, noise_of
from fairgroups.errors import InputError
from fairgroups.evidence.likelihood import difference_bounds, rate_bounds, smallest_shown
from fairgroups.measures import Direction, Measure
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.rows.rows import Rows, quantiles, weighted_sums

__all__ = [
    "Against",
    "Bounds",
    "GroupRates",
    "LocalSpread",
    "codes_of",
    "explained_by_boxes",
    "explained_share",
    "fixed_bounds",
    "group_rates",
    "group_rates_of_rows",
    "interval_bounds",
    "moments_by",
    "plugin_bounds",
    "rate_ratios",
    "residual_scale",
    "upper_scale",
]

Array = NDArray[np.float64]
Against = Literal["everyone", "rest"]


@dataclass(frozen=True)
class Bounds:
    """Lower and upper ends for each group's rate and for its Φ.

    `least_below` and `least_above` are the smallest differences from everybody that would have been shown; NaN where
    none could.
    """

    rate_low: Array
    rate_high: Array
    low: Array
    high: Array
    least_below: Array
    least_above: Array


@dataclass(frozen=True)
class GroupRates:
    """The observed rates of the groups of a partition.

    Attributes
    ----------
    partition : Partition
        The groups.
    runs : array
        The first cell of each run of cells that belong to one group; empty for groups of several attributes.
    owners : array
        The group of each run; −1 for cells outside all groups.
    rows : array
        Rows in each group.
    sums : Moments
        The measure's sums by group.
    overall : float
        The rate of everybody.
    """

    partition: Partition | BoxPartition
    runs: NDArray[np.intp]
    owners: NDArray[np.intp]
    rows: NDArray[np.int64]
    sums: Moments
    overall: float

    @property
    def rate(self) -> Array:
        """Give each group's rate; NaN where nobody counts."""
        rate = np.full_like(self.sums.a, np.nan)
        np.divide(self.sums.a, self.sums.b, out=rate, where=self.sums.b > 0)
        return rate

    @property
    def phi(self) -> Array:
        """Give Φ(k), each group's rate minus everybody's."""
        phi: Array = self.rate - self.overall
        return phi

    @property
    def share(self) -> Array:
        """Give each group's share w_k of the measure's denominator."""
        share: Array = self.sums.b / self.sums.b.sum()
        return share

    @property
    def variance(self) -> float:
        """Give Var Φ, what a good partition maximises."""
        return float(np.nansum(self.share * self.phi**2))

    def phi_against(self, whom: Against) -> Array:
        """Give each group's rate minus that of everyone, or of the rest; 0 where there is no rest."""
        rest = 1 - self.share
        if whom == "everyone":
            return self.phi
        return np.divide(self.phi, rest, out=np.zeros_like(rest), where=rest > 1e-12)

    def variance_against(self, whom: Against) -> float:
        """Give the variance of these differences over the groups."""
        phi = self.phi_against(whom)
        mean = np.nansum(self.share * phi)
        return float(np.nansum(self.share * (phi - mean) ** 2))


def group_rates(cells: Cells, partition: Partition, measure: Measure | str) -> GroupRates:
    """Evaluate a partition on cells: its own, or another data set's.

    Examples
    --------
    >>> from fairgroups import Cells, Partition, group_rates
    >>> cells = Cells.from_arrays([20, 30, 50, 60], [0, 0, 1, 1])
    >>> group_rates(cells, Partition.from_edges([40]), "statistical_parity").phi.tolist()
    [-0.5, 0.5]
    """
    if not cells.distinct:
        firsts, _ = partition.firsts()
        at = np.searchsorted(cells.first, firsts)  # the cell before begins below the border: it must end there, too
        if np.any((at > 0) & (cells.last[np.maximum(at - 1, 0)] >= firsts)):
            raise InputError(
                "a border of the partition lies inside a cell, so its groups cannot be summed from these cells.",
                "fill the cells with one cell per distinct value (n_cells=None).",
            )
    runs, owners = partition.runs(cells.first)
    if cells.missing:
        runs = np.append(runs, len(cells))
        owners = np.append(owners, len(partition.groups) if partition.missing == "group" else -1)
    n_groups = partition.n_groups
    sums = cells[measure].map(lambda x: np.add.reduceat(x, runs)).group(owners, n_groups)
    rows = np.bincount(owners[owners >= 0], np.add.reduceat(cells.rows, runs)[owners >= 0], n_groups).astype(np.int64)
    return GroupRates(partition, runs, owners, rows, sums, float(sums.a.sum() / sums.b.sum()))


def group_rates_of_rows(rows: Rows, partition: BoxPartition, measure: Measure) -> GroupRates:
    """Evaluate a partition of several attributes, row by row."""
    codes = codes_of(rows, partition)
    n_groups = partition.n_groups
    sums = moments_by(rows, measure, codes, n_groups)
    people = rows.times(np.ones(rows.size))
    counted = np.bincount(codes[codes >= 0], people[codes >= 0], n_groups).round().astype(np.int64)
    none = np.empty(0, dtype=np.intp)
    return GroupRates(partition, none, none, counted, sums, float(sums.a.sum() / sums.b.sum()))


def codes_of(rows: Rows, partition: Partition | BoxPartition) -> NDArray[np.intp]:
    """Give each row's group; −1 for none."""
    if isinstance(partition, Partition):
        return partition.assign(rows.sensitive)
    return partition.assign_columns([c.values if c.levels is None else c.text for c in rows.columns])


def explained_by_boxes(rows: Rows, measure: Measure, variance: float) -> float:
    """Say how much of all dependence on several attributes the groups capture; see `explained_share`."""
    present = ~rows.absent
    n = float(rows.times(np.ones(rows.size))[present].sum())
    n_bins = max(2, round(n ** (1 / (3 * len(rows.columns)))))
    flat = np.zeros(rows.size, dtype=np.intp)
    for column in rows.columns:
        values = np.nan_to_num(column.values)
        if column.levels is None:
            several = None if rows.count is None else rows.count[present]
            lower = np.unique(quantiles(values[present], np.arange(n_bins) / n_bins, several))
            flat = flat * lower.size + np.maximum(np.searchsorted(lower, values, side="right") - 1, 0)
        else:
            flat = flat * len(column.levels) + values.astype(np.intp)
    codes = np.where(present, np.unique(flat, return_inverse=True)[1].ravel(), -1)
    bins = moments_by(rows, measure, codes, int(codes.max()) + 1)
    return _explained(bins.map(lambda x, keep=bins.b > 0: x[keep]), variance)  # type: ignore[misc]


def moments_by(rows: Rows, measure: Measure, codes: NDArray[np.intp], n_groups: int) -> Moments:
    """Sum a measure over the rows that share a code; negative codes are left out."""
    a, b = measure.sums(rows.outcome, rows.truth)
    counts = b > 0
    if not counts.any():
        raise InputError("no row counts in this measure: its denominator B is 0 everywhere.")
    low, high = float((a[counts] / b[counts]).min()), float((a[counts] / b[counts]).max())
    a, b = weighted_sums(rows, measure)
    bb = b * b
    noise = noise_of(a, b, rows)
    each = Moments(b, a, bb, a * b, a * a, low, high, bb if noise is None else noise)
    return (each if rows.count is None else each.map(rows.times)).group(codes, n_groups)


def plugin_bounds(groups: GroupRates, level: float = 0.95) -> Bounds:
    """Give the paper's delta-method intervals, one group at a time.

    They treat the groups as given. When the groups were searched for on the same rows they are too narrow: use them
    to compare with the literature, not to conclude.
    """
    z = float(ndtri((1 + level) / 2))
    s, r = groups.sums, groups.rate
    more = s.design_effect
    own = more * (s.aa - 2 * r * s.ab + r**2 * s.bb)  # Σ (a − r_k b)² in the group
    total = float(s.b.sum())
    mean = groups.overall
    everyone = float(np.sum(more * (s.aa - 2 * mean * s.ab + mean**2 * s.bb)))
    cross = more * (s.aa - (r + mean) * s.ab + r * mean * s.bb)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate_error = z * np.sqrt(own) / s.b
        # The influence of a row on Φ̂(k) is (a − r_k b)/B_k if it is in the group, minus (a − r b)/B.
        error = z * np.sqrt(np.maximum(own / s.b**2 - 2 * cross / (s.b * total) + everyone / total**2, 0.0))
    return Bounds(r - rate_error, r + rate_error, groups.phi - error, groups.phi + error, error, error)


def fixed_bounds(
    groups: GroupRates, level: float = 0.95, scale: float | None = None, *, judged: int | None = None
) -> Bounds:
    """Give likelihood-ratio intervals for groups fixed in advance, all of them at once (Bonferroni).

    For rows that had no part in finding the groups. `judged` is how many intervals are to hold at once, where there
    are more than these.
    """
    judged = max(judged or int(np.sum(groups.sums.b > 0)), 1)
    s = groups.sums
    n = s.effective_size
    root = np.full(groups.rate.shape, float(ndtri(1 - (1 - level) / (2 * judged))))
    if scale is None:
        # Roots of few rows, or of rare events, have longer tails than normal ones; Chernoff's bound is always enough.
        known = 4 * n * groups.overall * (1 - groups.overall)
        with np.errstate(divide="ignore"):
            root = np.minimum(root * (1 + 2 / known), np.sqrt(2 * np.log(2 * judged / (1 - level))))
    rest_b, rest_a, rest_noise = s.b.sum() - s.b, s.a.sum() - s.a, s.noise.sum() - s.noise
    spread = None
    if scale is not None:
        rest = s.map(lambda x: x.sum() - x)
        spread = (_scatter(s, scale), _scatter(rest, scale))
    return interval_bounds(s, n, (rest_a, rest_b, rest_noise), root, root, spread)


def _scatter(sums: Moments, least: float) -> Array:
    """Give an upper bound of the standard deviation in each group, and never less than `least`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = sums.a / sums.b
        squares = np.maximum(sums.aa - 2 * rate * sums.ab + rate**2 * sums.bb, 0.0)
    sizes = zip(squares, sums.bb, sums.effective_size, strict=True)
    found = [upper_scale(float(q), float(t), float(n) - 1) if t > 0 else np.inf for q, t, n in sizes]
    scatter: Array = np.fmax(np.array(found), least)
    return scatter


def interval_bounds(
    own: Moments,
    n: Array,
    rest: tuple[Array, Array, Array],
    rate_root: Array,
    phi_root: Array,
    scale: tuple[Array | float, Array | float] | None,
) -> Bounds:
    """Turn allowed likelihood roots into intervals of rate and Φ, each group against its complement.

    Parameters
    ----------
    own : Moments
        Sums of the groups.
    n : array
        Their effective sizes.
    rest : arrays
        A, B and Σb² of the complements.
    rate_root, phi_root : array
        Largest allowed roots.
    scale : pair of arrays or floats, or None
        Where the outcome is not a rate between 0 and 1: the standard deviation of a row's value in each group, and in
        its complement.
    """
    rest_a, rest_b, rest_bb = rest
    with np.errstate(divide="ignore", invalid="ignore"):
        rate, other = own.a / own.b, rest_a / rest_b
        n_rest = np.where(rest_b > 0, rest_b**2 / rest_bb, 0.0)
    known, both = own.b > 0, (own.b > 0) & (rest_b > 1e-12 * (own.b + rest_b))
    weight_rest = rest_b / (own.b + rest_b)
    out = [np.full(rate.shape, np.nan) for _ in range(6)]
    if scale is None:
        # Rounding may leave a rate a hair outside [0, 1].
        rate, other = np.clip(rate, 0.0, 1.0), np.clip(other, 0.0, 1.0)
        out[0][known], out[1][known] = rate_bounds(rate[known], n[known], rate_root[known])
        low, high = difference_bounds(rate[both], n[both], other[both], n_rest[both], phi_root[both])
        overall = np.clip(((own.a + rest_a) / (own.b + rest_b))[both], 0.0, 1.0)
        sizes = n[both], n_rest[both]
        out[4][both], out[5][both] = smallest_shown(overall, *sizes, 1 - weight_rest[both], phi_root[both])
    else:
        sd, sd_rest = (np.broadcast_to(np.asarray(x, dtype=np.float64), rate.shape) for x in scale)
        wide = (rate_root * sd / np.sqrt(n, out=np.ones_like(n), where=n > 0))[known]
        out[0][known], out[1][known] = rate[known] - wide, rate[known] + wide
        wide = phi_root[both] * np.sqrt(sd[both] ** 2 / n[both] + sd_rest[both] ** 2 / n_rest[both])
        low, high = rate[both] - other[both] - wide, rate[both] - other[both] + wide
        out[4][both] = out[5][both] = weight_rest[both] * wide
    # Φ = (1 − w)(μ_group − μ_rest); a group that is everybody has Φ = 0.
    out[2][known & ~both], out[3][known & ~both] = 0.0, 0.0
    out[2][both], out[3][both] = weight_rest[both] * low, weight_rest[both] * high
    return Bounds(*out)


def rate_ratios(rate: Array, bounds: Bounds, direction: Direction, *, bounded: bool) -> tuple[Array, Array, Array]:
    """Compare each group's rate with the best group's, as the four-fifths rule does.

    Returns the ratio and its lower and upper ends, which hold when those of the rates hold at once. NaN where a ratio
    has no meaning: outcomes that are not rates, measures of which neither end is best, groups without anybody.
    """
    nothing = np.full(rate.shape, np.nan)
    if direction == "neutral" or not bounded or not np.isfinite(rate).any():
        return nothing, nothing, nothing
    best = int(np.nanargmin(rate) if direction == "worse" else np.nanargmax(rate))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio, low, high = (
            rate / rate[best],
            bounds.rate_low / bounds.rate_high[best],
            bounds.rate_high / bounds.rate_low[best],
        )
    ratio[best], low[best], high[best] = 1.0, 1.0, 1.0
    return ratio, low, high


def residual_scale(moments: Moments) -> float:
    """Estimate the standard deviation of a row's value around the mean at its place, weights aside.

    It is an upper 95 % bound for normal values, so that few rows do not promise precision; infinite for too few.
    """
    bins = _coarse(moments)
    rate = bins.a / bins.b
    squares = float(np.sum(bins.aa - 2 * rate * bins.ab + rate**2 * bins.bb))
    return upper_scale(squares, float(bins.bb.sum()), float(np.sum(bins.effective_size - 1)))


def upper_scale(squares: float, total: float, freedom: float) -> float:
    """Give an upper 95 % bound for a standard deviation of normal values from their sum of squares."""
    if freedom < 1:
        return float("inf")
    variance = max(squares / total, 0.0)  # Σ b² (value − mean)² over Σ b²
    return float(np.sqrt(variance * (freedom + 1) / chdtri(freedom, 0.95)))


@dataclass(frozen=True)
class LocalSpread:
    """How far values scatter around a range: outcomes may vary more in some places than in others.

    `sums` are running sums over the cells, with a zero in front.
    """

    sums: Moments
    overall: float

    def of_ranges(self, start: NDArray[np.intp], stop: NDArray[np.intp]) -> tuple[Array, Array]:
        """Give the scatter in each range and in its complement, each widened by some forty rows.

        The larger of the two sides counts, as an upper bound, and never less than everybody's.
        """
        rows = np.cumsum(np.concatenate([[0.0], np.diff(self.sums.b) ** 2 / np.maximum(np.diff(self.sums.bb), 1e-300)]))
        last = np.full(start.shape, rows.size - 1)
        zero = np.zeros_like(start)
        left = np.maximum(np.searchsorted(rows, rows[start] - 40, side="right") - 1, 0)
        right = np.minimum(np.searchsorted(rows, rows[stop] + 40), last)
        own = np.fmax(self._within(rows, left, stop), self._within(rows, start, right))
        # The complement is what lies before and after, each reaching forty rows into the range if need be.
        before = np.minimum(np.searchsorted(rows, rows[start] + 40), last)
        after = np.maximum(np.searchsorted(rows, rows[stop] - 40, side="right") - 1, 0)
        rest = np.fmax(
            np.where(start > 0, self._within(rows, zero, before), 0.0),
            np.where(stop < last, self._within(rows, after, last), 0.0),
        )
        return np.fmax(own, self.overall), np.fmax(rest, self.overall)

    def _within(self, rows: Array, start: NDArray[np.intp], stop: NDArray[np.intp]) -> Array:
        own = self.sums.map(lambda x: x[stop] - x[start])
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = own.a / own.b
            squares = np.maximum(own.aa - 2 * rate * own.ab + rate**2 * own.bb, 0.0)
        sizes = zip(squares, own.bb, rows[stop] - rows[start], strict=True)
        return np.array([upper_scale(float(s), float(t), float(n) - 1) if t > 0 else np.inf for s, t, n in sizes])


def explained_share(cells: Cells, measure: Measure | str, variance: float) -> float:
    """Say how much of all dependence on the attribute the groups capture: Var Φ / Var E[Y | L].

    The denominator is estimated on about n^(1/3) bins of equal weight with the noise taken off; NaN when no
    dependence is left above the noise.
    """
    return _explained(_coarse(cells[measure]), variance)


def _explained(bins: Moments, variance: float) -> float:
    total = bins.b.sum()
    rate, share = bins.a / bins.b, bins.b / total
    between = np.sum(share * (rate - bins.a.sum() / total) ** 2)
    n = bins.effective_size
    squares = bins.aa - 2 * rate * bins.ab + rate**2 * bins.bb
    unbiased = np.divide(n, n - 1, out=np.zeros_like(n), where=n > 1)
    noise = np.sum(share * (1 - share) * squares * bins.design_effect / bins.b**2 * unbiased)
    dependence = between - noise
    # Between b bins noise alone gives about `noise`, give or take √(2/(b − 1)) of it.
    chance = 2 * noise * np.sqrt(2 / max(share.size - 1, 1))
    return float(min(variance / dependence, 1.0)) if dependence > max(chance, 1e-12 * between) else float("nan")


def _coarse(moments: Moments) -> Moments:
    """Join neighbouring cells into about n^(1/3) bins of equal B."""
    n_bins = max(2, round(moments.size ** (1 / 3)))
    below = np.cumsum(moments.b) - moments.b
    first = np.unique(np.searchsorted(below, below[-1] * np.arange(n_bins) / n_bins))
    first[0] = 0
    bins = moments.map(lambda x: np.add.reduceat(x, first))
    keep = bins.b > 0
    return bins if keep.all() else bins.map(lambda x: x[keep])
