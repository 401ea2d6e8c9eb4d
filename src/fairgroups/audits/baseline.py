"""An audit against an earlier one: whether it has become worse for anybody."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from fairgroups.audits.records import Change, GroupRecord, SinceBaseline
from fairgroups.audits.result import Audit
from fairgroups.errors import InputError
from fairgroups.measures import Direction

__all__ = ["Change", "compare_to_baseline", "since_baseline"]

SAME = ("sensitive", "outcome", "truth", "name", "direction", "against", "given")


def compare_to_baseline(
    audit: Audit, baseline: Audit, tolerance: float = 0.0, *, own: Audit | None = None
) -> list[Change]:
    """Compare an audit in a baseline's groups with the baseline.

    Parameters
    ----------
    audit : Audit
        Made with ``partition=baseline.partition, against=baseline.settings.against``, of other people than the
        baseline's.
    baseline : Audit
        The earlier audit, such as ``Audit.read("last-year.json")``.
    tolerance : float
        A group's difference may grow by this much to its harm.
    own : Audit, optional
        The same people in groups of their own: harm may have come to a range that no old group sets apart. Groups
        that are shown to be disadvantaged are compared with what the baseline's people had in that range. Not at equal
        factors.

    Returns
    -------
    list of Change

    Notes
    -----
    The change's interval comes from both intervals: its half-width is the root of the sum of their squared
    half-widths, side by side (the method of variance estimates recovery). A group is worse off if the change to its
    harm is shown to be above the tolerance and its difference is to its harm now. For ranges of their own, the
    baseline's half-width is taken to be the new one's, scaled by the root of the numbers of people. Where several
    attributes are grouped, a group of its own that is shown to be disadvantaged counts as worse if the baseline knew of
    none.

    Examples
    --------
    >>> import fairgroups as fg
    >>> first, second = fg.make_synthetic(4000, seed=1), fg.make_synthetic(4000, seed=2)
    >>> options = {"sensitive": "x", "outcome": "y", "partition": [40], "checks": False}
    >>> old = fg.audit({"x": first.sensitive, "y": first.outcome}, **options)
    >>> new = fg.audit({"x": second.sensitive, "y": second.outcome}, **options)
    >>> [change.verdict for change in fg.compare_to_baseline(new, fg.Audit.from_json(old.to_json()))]
    ['no change shown', 'no change shown']
    """
    for one in (audit, baseline):
        if not isinstance(one, Audit):
            raise InputError(
                "audits of several rates are compared rate by rate.",
                "compare_to_baseline(new.parts[0], old.parts[0]), and so on.",
            )
    for what in SAME:
        theirs, ours = (getattr(one.settings, what, getattr(one.measure, what, None)) for one in (baseline, audit))
        if ours != theirs:
            raise InputError(
                f"{what.replace('_', ' ')} is {ours!r}, and was {theirs!r} in the baseline.",
                f"audit the same again, with {what}={theirs!r}." if what == "against" else "audit the same again.",
            )
    if audit.partition.labels != baseline.partition.labels:
        raise InputError(
            "the audit is not of the baseline's groups.", "audit(…, partition=baseline.partition, missing as it was)"
        )
    found = [
        _change(old, new, audit.measure.direction, tolerance)
        for old, new in zip(baseline.records, audit.records, strict=True)
    ]
    # At equal factors a range of its own has no counterpart in the baseline: its curve knows rates, not who is alike.
    return found if own is None or audit.settings.given else [*found, *_own_changes(own, baseline, tolerance)]


def since_baseline(audit: Audit, baseline: Audit, changes: list[Change]) -> Audit:
    """Return an audit that holds what has changed since a baseline, for its page, Markdown and JSON.

    Parameters
    ----------
    audit : Audit
        The audit of now.
    baseline : Audit
        The earlier one.
    changes : list of Change
        What `compare_to_baseline` found.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import fairgroups as fg
    >>> data = fg.make_synthetic(2000)
    >>> table = {"x": data.sensitive, "y": data.outcome}
    >>> found = fg.audit(table, sensitive="x", outcome="y", partition=[40], checks=False)
    >>> fg.since_baseline(found, found, fg.compare_to_baseline(found, found)).since.rows
    2000
    """
    since = SinceBaseline(baseline.data.source, baseline.data.rows, baseline.overall, tuple(changes))
    return replace(audit, since=since)


def _own_changes(own: Audit, baseline: Audit, tolerance: float) -> list[Change]:
    """Look at groups that are shown to be disadvantaged now, and are none of the baseline's."""
    known = {record.label for record in baseline.records}
    harmed = [i for i, r in enumerate(own.records) if r.verdict == "disadvantaged" and r.label not in known]
    direction = own.measure.direction
    if own.partition.is_line:
        return [_change(_before(own, i, baseline), own.records[i], direction, tolerance) for i in harmed]
    if any(record.verdict == "disadvantaged" for record in baseline.records):
        return []
    return [_change(_Difference(0.0, 0.0, 0.0), own.records[i], direction, tolerance) for i in harmed]


@dataclass(frozen=True)
class _Difference:
    """A difference from everybody and its interval."""

    phi: float
    low: float
    high: float
    rate: float = math.nan


def _before(own: Audit, i: int, baseline: Audit) -> _Difference:
    """Return the baseline's difference in the range of a new group, from its rates along the attribute."""
    record, ranges = own.records[i], own.partition.ranges(i)
    inside = [c for c in baseline.curve if any(part.low <= c.middle < part.high for part in ranges)]
    people = sum(c.n for c in inside)
    if not people:
        return _Difference(math.nan, math.nan, math.nan)
    rate = sum(c.n * c.rate for c in inside) / people
    phi = rate - baseline.overall
    if own.settings.against == "rest":
        phi /= max(1 - people / sum(c.n for c in baseline.curve), 1e-9)
    wide = math.sqrt(record.n / people)
    return _Difference(phi, phi - wide * (record.phi - record.low), phi + wide * (record.high - record.phi), rate)


def _change(old: GroupRecord | _Difference, new: GroupRecord, direction: Direction, tolerance: float) -> Change:
    sign = {"better": -1.0, "worse": 1.0}.get(direction, math.copysign(1.0, new.phi))  # neutral: away from everybody
    (old_low, old_high), (new_low, new_high) = (sorted((sign * one.low, sign * one.high)) for one in (old, new))
    old_harm, new_harm = sign * old.phi, sign * new.phi
    harm = new_harm - old_harm
    low = harm - math.hypot(new_harm - new_low, old_high - old_harm)
    high = harm + math.hypot(new_high - new_harm, old_harm - old_low)
    verdict = "no change shown" if math.isfinite(harm) else "not comparable"
    if low > tolerance and new_harm > 0:
        verdict = "worse"
    elif high < 0:
        verdict = "better"
    return Change(new.label, old.phi, new.phi, harm, low, high, verdict, old.rate, new.rate)
