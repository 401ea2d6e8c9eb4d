"""An audit against an earlier one: whether it has become worse for anybody."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairgroups.errors import InputError, SchemaError
from fairgroups.partition.partition import Partition

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit
    from fairgroups.partition.boxes import BoxPartition

__all__ = ["Baseline", "Change", "changes"]

SAME = ("sensitive", "outcome", "truth", "measure", "higher_is", "against")


@dataclass(frozen=True)
class Change:
    """How a group's difference changed since the baseline.

    `harm` is the change of Φ to the group's harm, with `low` and `high`; `verdict` is "worse", "better", "no change
    shown", or "not comparable" where one of the two has nobody to compare.

    Examples
    --------
    >>> import fairgroups as fg
    >>> data = fg.make_synthetic(5000)
    >>> found = fg.audit({"L": data.sensitive, "Y": data.outcome}, sensitive="L", outcome="Y", checks=False)
    >>> all(isinstance(change, fg.Change) for change in fg.changes(found, fg.Baseline.from_dict(found.to_dict())))
    True
    """

    label: str
    before: float
    after: float
    harm: float
    low: float
    high: float
    verdict: str


@dataclass(frozen=True)
class Baseline:
    """An earlier audit, from the JSON that it wrote.

    Examples
    --------
    >>> import fairgroups as fg
    >>> data = fg.make_synthetic(5000)
    >>> found = fg.audit({"L": data.sensitive, "Y": data.outcome}, sensitive="L", outcome="Y", checks=False)
    >>> isinstance(fg.Baseline.from_dict(found.to_dict()), fg.Baseline)
    True
    """

    name: str
    partition: Partition | BoxPartition
    settings: dict[str, Any]
    overall: float
    records: list[dict[str, Any]]
    curve: list[dict[str, Any]]

    @classmethod
    def read(cls, path: str | Path) -> Baseline:
        """Read what `Audit.to_json` wrote."""
        file = Path(path)
        if not file.is_file():
            raise InputError(f"there is no file {str(file)!r}.", "write one with --json, and keep it as the baseline.")
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise SchemaError(f"{file.name!r} is no JSON: {error}.", "write it with --json.") from error
        return cls.from_dict(data, file.name)

    @classmethod
    def from_dict(cls, data: Any, name: str = "the baseline") -> Baseline:
        """Take an audit's `to_dict`."""
        from fairgroups.audits.result import SCHEMA, SCHEMA_VERSION

        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            raise SchemaError(f"{name!r} is no audit.", "write it with --json.")
        if data.get("schema_version") != SCHEMA_VERSION:
            raise SchemaError(
                f"{name!r} has schema version {data.get('schema_version')!r}; this library reads {SCHEMA_VERSION}.",
                "write it again with this version.",
            )
        if data.get("parts"):
            raise InputError("audits of several rates cannot be baselines.", "make one for each rate.")
        try:
            settings = {key: data["settings"][key] for key in SAME}
            return cls(
                name,
                Partition.from_dict(data["partition"]),
                settings,
                float(data["overall_rate"]),
                list(data["groups"]),
                list(data["curve"]),
            )
        except (KeyError, TypeError) as error:
            raise SchemaError(f"{name!r} is damaged: {error} is missing.", "write it again with --json.") from error


def changes(audit: Audit, baseline: Baseline, tolerance: float = 0.0, *, own: Audit | None = None) -> list[Change]:
    """Compare an audit in a baseline's groups with the baseline.

    Parameters
    ----------
    audit : Audit
        Made with ``partition=baseline.partition``, of other people than the baseline's.
    baseline : Baseline
        The earlier audit.
    tolerance : float
        A group's difference may grow by this much to its harm.
    own : Audit, optional
        The same people in groups of their own: harm may have come to a range that no old group sets apart. Groups
        that are shown to be disadvantaged are compared with what the baseline's people had in that range.

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
    >>> [change.verdict for change in fg.changes(new, fg.Baseline.from_dict(old.to_dict()))]
    ['no change shown', 'no change shown']
    """
    for what, theirs in baseline.settings.items():
        if audit.settings[what] != theirs:
            raise InputError(
                f"{what} is {audit.settings[what]!r}, and was {theirs!r} in {baseline.name!r}.", "audit the same again."
            )
    if audit.partition.labels != baseline.partition.labels:
        raise InputError(
            "the audit is not of the baseline's groups.", "audit(…, partition=baseline.partition, missing as it was)"
        )
    found = [
        _change(old, new, audit.direction, tolerance) for old, new in zip(baseline.records, audit.records, strict=True)
    ]
    return found if own is None else [*found, *_own_changes(own, baseline, tolerance)]


def _own_changes(own: Audit, baseline: Baseline, tolerance: float) -> list[Change]:
    """Look at groups that are shown to be disadvantaged now, and are none of the baseline's."""
    known = {record["label"] for record in baseline.records}
    harmed = [i for i, r in enumerate(own.records) if r["verdict"] == "disadvantaged" and r["label"] not in known]
    if isinstance(own.partition, Partition):
        return [_change(_before(own, i, baseline), own.records[i], own.direction, tolerance) for i in harmed]
    if any(record["verdict"] == "disadvantaged" for record in baseline.records):
        return []
    nothing = {"phi": 0.0, "low": 0.0, "high": 0.0}
    return [_change(nothing, own.records[i], own.direction, tolerance) for i in harmed]


def _before(own: Audit, i: int, baseline: Baseline) -> dict[str, Any]:
    """Give the baseline's difference in the range of a new group, from its rates along the attribute."""
    record = own.records[i]
    assert isinstance(own.partition, Partition)
    ranges = own.partition.groups[i]
    inside = [c for c in baseline.curve if any(part.low <= c["middle"] < part.high for part in ranges)]
    people = sum(c["n"] for c in inside)
    if not people:
        return {"phi": None, "low": None, "high": None}
    rate = sum(c["n"] * c["rate"] for c in inside) / people
    phi = rate - baseline.overall
    if own.settings["against"] == "rest":
        phi /= max(1 - people / sum(c["n"] for c in baseline.curve), 1e-9)
    wide = math.sqrt(record["n"] / people)
    return {
        "phi": phi,
        "low": phi - wide * (record["phi"] - record["low"]),
        "high": phi + wide * (record["high"] - record["phi"]),
    }


def _change(old: dict[str, Any], new: dict[str, Any], direction: str, tolerance: float) -> Change:
    before, after = (_number(record["phi"]) for record in (old, new))
    sign = {"better": -1.0, "worse": 1.0}.get(direction, math.copysign(1.0, after))  # neutral: away from everybody
    ends = [[_number(record[end]) for end in ("low", "high")] for record in (old, new)]
    (old_low, old_high), (new_low, new_high) = (sorted(sign * x for x in pair) for pair in ends)
    old_harm, new_harm = sign * before, sign * after
    harm = new_harm - old_harm
    low = harm - math.hypot(new_harm - new_low, old_high - old_harm)
    high = harm + math.hypot(new_high - new_harm, old_harm - old_low)
    verdict = "no change shown" if math.isfinite(harm) else "not comparable"
    if low > tolerance and new_harm > 0:
        verdict = "worse"
    elif high < 0:
        verdict = "better"
    return Change(new["label"], before, after, harm, low, high, verdict)


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)
