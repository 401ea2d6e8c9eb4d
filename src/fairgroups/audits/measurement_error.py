"""Differences by the true values of an attribute that was measured with error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fairgroups.audits.conclusion import first_named
from fairgroups.audits.facts import Facts
from fairgroups.cells.moments import moments_by
from fairgroups.errors import InputError
from fairgroups.evidence.deconvolution import Blurred, TrueRates, true_rates
from fairgroups.evidence.judge import Evidence
from fairgroups.evidence.rates import GroupRates
from fairgroups.evidence.reliability import reliability_of
from fairgroups.measures import Measure
from fairgroups.partition.partition import Partition
from fairgroups.rows.rows import Rows
from fairgroups.rows.weights import weighted_sums
from fairgroups.words import plain_points, points, size

if TYPE_CHECKING:
    from fairgroups.audits.options import AuditOptions

__all__ = ["Corrected", "CorrectedGroup", "IfReliability", "by_true_values", "corrected_of"]

Array = NDArray[np.float64]
BINS, CLASSES = 200, 6
LEAST = 0.05  # reliability, below which nothing can be taken out
TAIL = 0.001  # people at either end whose values are only known to lie beyond
CURVE = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)


@dataclass(frozen=True)
class CorrectedGroup:
    """A group's difference from everybody, as it was seen and by the true values.

    Attributes
    ----------
    label : str
        The group.
    seen : float
        Φ by the values as they were measured.
    phi, low, high : float
        Φ of the people whose true value lies in the group, with an interval; NaN where hardly anybody's does.
    share : float
        The share of the people whose true value lies in the group.
    """

    label: str
    seen: float
    phi: float
    low: float
    high: float
    share: float


@dataclass(frozen=True)
class IfReliability:
    """Each group's Φ by the true values, if the values as they were measured had this reliability."""

    reliability: float
    phi: tuple[float, ...]


@dataclass(frozen=True)
class Corrected:
    """Differences by the true values of an attribute that was measured with error.

    Attributes
    ----------
    source : {"reliability", "cluster", "error"}
        Where the error is known from: given, told from several rows of each cluster, or from a column or number.
    reliability, reliability_low, reliability_high : float
        The share of the variance of the measured values that is not error; the interval where it was estimated.
    error : float
        The standard deviation of the error, in the attribute's unit (the root of the mean square where it varies).
    drift : float
        By how much the rate goes with the error itself, for one unit of the attribute: told from rows of the same
        cluster where it is shown to, and taken out; 0 otherwise.
    groups : tuple of CorrectedGroup
        The groups; the same borders, on the true values.
    curve : tuple of IfReliability
        What would follow from other reliabilities.
    """

    source: Literal["reliability", "cluster", "error"]
    reliability: float
    reliability_low: float
    reliability_high: float
    error: float
    drift: float
    groups: tuple[CorrectedGroup, ...]
    curve: tuple[IfReliability, ...]


@dataclass(frozen=True)
class _Error:
    """The error of each row's value, and what is known of it."""

    each: Array
    source: Literal["reliability", "cluster", "error"]
    reliability: float
    ends: tuple[float, float] = (math.nan, math.nan)


def corrected_of(
    rows: Rows, partition: Partition, measure: Measure, evidence: Evidence, labels: Sequence[str], options: AuditOptions
) -> Corrected:
    """Return what differences are by the true values."""
    if not rows.is_line:
        raise InputError(
            "the error of measurement can be taken out of a number, and this attribute is a category.",
            "leave `reliability` and `error` out.",
        )
    known = ~np.isnan(rows.sensitive)
    error = _error_of(rows, known, options)
    variance = _variance(rows.sensitive[known], rows.people[known])
    n, groups = len(partition.groups), evidence.groups
    if error.reliability >= 1:
        return _without_error(rows, partition, measure, evidence, labels, variance, options.seed)
    drift, doubt = _drift(rows, measure, known) if error.source == "cluster" else (0.0, 0.0)
    seen = _blurred(rows, measure, known, error.each, drift)
    size = math.sqrt((1 - error.reliability) * variance)
    if not seen.size.any():  # nobody who counts has a value, or all are of a cluster or two
        return Corrected(error.source, error.reliability, *error.ends, size, drift, (), ())
    phi, spread, share = _contrasts(true_rates(seen, partition.borders(), options.seed), partition, n)
    phi = phi + float(seen.b @ seen.rate / seen.b.sum()) - groups.sums.overall  # people without a value are somebody
    if error.source == "cluster":
        spread = np.hypot(spread, _of_reliability(seen, error, partition, n, options.seed))
    if drift:
        other = _contrasts(
            true_rates(replace(seen, drift=drift + doubt), partition.borders(), options.seed, draws=0), partition, n
        )
        spread = np.hypot(spread, np.nan_to_num(other[0] - phi))
    level = evidence.level
    with np.errstate(divide="ignore", invalid="ignore"):  # as many times wider as the intervals of what was seen are
        wider = (evidence.bounds.high - evidence.bounds.low) / (evidence.plugin.high - evidence.plugin.low)
    root = float(ndtri((1 + level) / 2)) * np.nan_to_num(np.maximum(wider[:n], 1.0), nan=1.0, posinf=1.0)
    held, low, high = (_possible(x, groups) for x in (phi, phi - root * spread, phi + root * spread))
    told = tuple(
        CorrectedGroup(labels[k], float(groups.phi[k]), *(float(x[k]) for x in (held, low, high, share)))
        for k in range(n)
    )
    curve = _curve(seen, error.reliability, partition, groups, options.seed)
    return Corrected(
        error.source, error.reliability, *error.ends, size, drift, told if n > 1 else (), curve if n > 1 else ()
    )


def _possible(phi: Array, groups: GroupRates) -> Array:
    """Return differences between which rates of 0 and 1 lie, where the rate is one."""
    if not groups.bounded:
        return phi
    return np.asarray(np.clip(phi, -groups.overall, 1 - groups.overall))


def _curve(
    seen: Blurred, known: float, partition: Partition, groups: GroupRates, seed: int
) -> tuple[IfReliability, ...]:
    """Return what would follow from other reliabilities; at 1 values are as they were measured."""
    n, out = len(partition.groups), []
    for value in sorted({*CURVE, round(known, 4)}, reverse=True):
        phi = groups.phi[:n] if value >= 1 else _possible(_if(seen, value, known, partition, n, seed), groups)
        out.append(IfReliability(value, tuple(float(x) for x in phi)))
    return tuple(out)


def _without_error(
    rows: Rows,
    partition: Partition,
    measure: Measure,
    evidence: Evidence,
    labels: Sequence[str],
    variance: float,
    seed: int,
) -> Corrected:
    """Return the differences as they were measured, where the values have no error; and what an error would do."""
    n, groups, bounds, known = len(partition.groups), evidence.groups, evidence.bounds, ~np.isnan(rows.sensitive)
    ends = zip(groups.phi, groups.phi, bounds.low, bounds.high, groups.share, strict=True)
    told = tuple(CorrectedGroup(labels[k], *(float(x) for x in one)) for k, one in enumerate(ends) if k < n)
    supposed = 0.8
    seen = _blurred(rows, measure, known, np.full(rows.size, math.sqrt((1 - supposed) * variance)), 0.0)
    curve = tuple(one for one in _curve(seen, supposed, partition, groups, seed))
    nothing = (math.nan, math.nan, 0.0, 0.0)
    return Corrected("reliability", 1.0, *nothing, told if n > 1 else (), curve if n > 1 else ())


def by_true_values(corrected: Corrected, facts: Facts) -> str:
    """Say in a sentence or two what error in the attribute does to the finding."""
    data, settings = facts.data, facts.settings
    name, percent = data.names, data.percent
    told = f"With a reliability of {corrected.reliability:.2f}"
    if not corrected.groups:
        seen = 100 * math.sqrt(corrected.reliability)
        return (
            f"{told}, differences by the true {name} look about {seen:.0f}% as large as they are: larger ones than "
            "could be noticed here may exist."
            if corrected.reliability < 1
            else ""
        )
    first = corrected.groups[min(first_named(facts), len(corrected.groups) - 1)]
    if not math.isfinite(first.phi):
        return f"{told}, next to none of the {data.unit} have a true {first.label}."
    ends = sorted([first.low, first.high])
    side = "lower" if first.phi < 0 else "higher"
    if first.phi < 0:
        ends = [-ends[1], -ends[0]]
    than = "everybody's" if data.unit == "people" else f"that of all {data.unit}"
    interval = f"{plain_points(ends[0], percent=percent)} to {size(ends[1], percent=percent)}"
    if first.low < 0 < first.high:
        interval = f"{points(first.low, percent=percent)} to {points(first.high, percent=percent)}"
        interval += " points" if percent else ""
    said = (
        f"{told}, {data.unit} with a true {first.label} are estimated to have a rate "
        f"{size(abs(first.phi), percent=percent)} {side} than {than} ({settings.percent_level} interval "
        f"{interval}), not {size(abs(first.seen), percent=percent)}"
    )
    if corrected.reliability >= 1:
        return ""
    clear = first.low > 0 or first.high < 0
    weaker = clear and abs(first.phi) > abs(first.seen) and first.phi * first.seen > 0
    return said + (": error in the measured values makes differences look smaller than they are." if weaker else ".")


def _error_of(rows: Rows, known: NDArray[np.bool_], options: AuditOptions) -> _Error:
    values, people = rows.sensitive[known], rows.people[known]
    variance = _variance(values, people)
    if not variance > 0:
        raise InputError("everybody has the same value of the attribute: there is no error to take out of it.")
    if options.reliability == "cluster":
        assert rows.cluster is not None
        found = reliability_of(values, rows.cluster[known], options.level)
        if found.value < LEAST:
            raise InputError(
                f"values of the same cluster agree no better than others: reliability {max(found.value, 0):.2f}.",
                "check that the cluster says whose measurements these are.",
            )
        share = min(found.within**2 / variance, 1 - LEAST)
        ends = (max(found.low, LEAST), max(found.high, LEAST))
        return _Error(np.full(rows.size, math.sqrt(share * variance)), "cluster", 1 - share, ends)
    if options.reliability is not None:
        value = float(options.reliability)
        return _Error(np.full(rows.size, math.sqrt((1 - value) * variance)), "reliability", value)
    spread = options.error_spread
    each = np.full(rows.size, spread) if spread is not None else rows.error
    assert each is not None
    share = float(np.average(each[known] ** 2, weights=people)) / variance
    if share > 1 - LEAST:
        raise InputError(
            f"the errors are as large as the values' whole spread: reliability {max(1 - share, 0):.2f}.",
            "check that `error` is a standard deviation in the unit of the attribute.",
        )
    return _Error(each, "error", 1 - share)


def _variance(values: Array, people: Array) -> float:
    mean = float(np.average(values, weights=people))
    return float(np.average((values - mean) ** 2, weights=people))


def _drift(rows: Rows, measure: Measure, known: NDArray[np.bool_]) -> tuple[float, float]:
    """Return by how much the rate goes with the value among rows of the same cluster, and its standard error.

    Where that is not shown (two standard errors), 0 and 0. What a cluster's values differ by is error.
    """
    assert rows.cluster is not None
    a, b = weighted_sums(rows, measure)
    used = np.flatnonzero(known & (b > 0))
    who = np.unique(rows.cluster[used], return_inverse=True)[1].ravel()
    x, y, w = rows.sensitive[used], a[used] / b[used], b[used]
    total = np.bincount(who, w)
    x, y = (one - (np.bincount(who, w * one) / total)[who] for one in (x, y))
    inside = float(np.sum(w * x**2))
    if not inside > 0:
        return 0.0, 0.0
    slope = float(np.sum(w * x * y)) / inside
    spread = math.sqrt(float(np.sum(np.bincount(who, w * x * (y - slope * x)) ** 2))) / inside
    return (slope, spread) if abs(slope) > 2 * spread else (0.0, 0.0)


def _blurred(rows: Rows, measure: Measure, known: NDArray[np.bool_], error: Array, drift: float) -> Blurred:
    """Sum the people by what was seen of them: bins of values, and of errors where these differ."""
    values, people = rows.sensitive[known], rows.people[known]
    edges = _edges(values, people)
    place = np.searchsorted(edges, rows.sensitive, side="right")
    kinds, spreads = _kinds(error, known)
    n = edges.size + 1
    codes = np.where(known, kinds * n + place, -1)
    sums = moments_by(rows, measure, codes, n * spreads.size)
    ends = np.concatenate([[-np.inf], edges, [np.inf]])
    low, high = np.tile(ends[:-1], spreads.size), np.tile(ends[1:], spreads.size)
    used = sums.b > 0
    variance = None
    if not sums.bounded:
        rate = np.divide(sums.a, sums.b, out=np.zeros_like(sums.a), where=used)
        squares = np.maximum(sums.aa - 2 * rate * sums.ab + rate**2 * sums.bb, 0.0)
        variance = float(squares.sum() / max(sums.bb.sum() - float(np.count_nonzero(used)), 1e-300))
    return Blurred(
        low=low[used],
        high=high[used],
        error=np.repeat(spreads, n)[used],
        b=sums.b[used],
        rate=sums.a[used] / sums.b[used],
        size=sums.effective_size[used],
        variance=variance,
        middle=(np.bincount(codes[known], values * people, n * spreads.size) / _counted(codes[known], people, used))[
            used
        ],
        drift=drift,
    )


def _counted(codes: NDArray[np.intp], people: Array, used: NDArray[np.bool_]) -> Array:
    count = np.bincount(codes, people, used.size)
    return np.where(count > 0, count, 1.0)


def _edges(values: Array, people: Array) -> Array:
    """Return where bins of seen values meet: halfway between neighbours, where values are few; else at quantiles."""
    order = np.argsort(values, kind="stable")
    ordered, below = values[order], np.cumsum(people[order])
    distinct = np.unique(ordered)
    if distinct.size > BINS:
        inner = np.searchsorted(below, below[-1] * np.linspace(TAIL, 1 - TAIL, BINS))
        distinct = np.unique(ordered[np.minimum(inner, ordered.size - 1)])
    return np.asarray((distinct[1:] + distinct[:-1]) / 2)


def _kinds(error: Array, known: NDArray[np.bool_]) -> tuple[NDArray[np.intp], Array]:
    """Return which class each row's error is in, and the error of each class."""
    floor = 1e-3 * float(np.sqrt(np.mean(error[known] ** 2)))
    held = np.maximum(error, floor)
    distinct = np.unique(held[known])
    if distinct.size > CLASSES:
        distinct = np.unique(np.quantile(held[known], np.arange(CLASSES) / CLASSES))
    kinds = np.maximum(np.searchsorted(distinct, held, side="right") - 1, 0)
    total = np.bincount(kinds[known], held[known] ** 2, distinct.size)
    count = np.bincount(kinds[known], minlength=distinct.size)
    return kinds, np.sqrt(np.divide(total, count, out=np.square(distinct), where=count > 0))


def _contrasts(found: TrueRates, partition: Partition, n: int) -> tuple[Array, Array, Array]:
    return found.contrasts(lambda values: np.asarray(partition.assign(values), dtype=np.intp), n)


def _if(seen: Blurred, value: float, known: float, partition: Partition, n: int, seed: int) -> Array:
    """Return Φ by the true values, had the values another reliability."""
    factor = math.sqrt(max(1 - value, 1e-6) / max(1 - known, 1e-6))
    return _contrasts(
        true_rates(replace(seen, error=seen.error * factor), partition.borders(), seed, draws=0), partition, n
    )[0]


def _of_reliability(seen: Blurred, error: _Error, partition: Partition, n: int, seed: int) -> Array:
    """Return the standard error that comes from the reliability being estimated."""
    ends = [_if(seen, value, error.reliability, partition, n, seed) for value in error.ends]
    return np.asarray(np.abs(ends[0] - ends[1]) / (2 * float(ndtri(0.975))))
