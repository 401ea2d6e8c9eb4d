"""The finding in plain words: who is shown to be treated differently, by how much, how surely."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairgroups.audits.records import Detectable, GroupRecord, RateName, Settings
from fairgroups.evidence.verdict import DIFFERENT
from fairgroups.words import amount, points, size, thousands

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit, JointAudit
    from fairgroups.checks.run import Checks

__all__ = ["certainty", "conclude", "limit_line", "second_opinions"]

_SEARCHED = {
    "band": "Found in {rows} rows. The intervals hold for all ranges of {name} at once, so they hold although the "
    "groups were searched for on the same rows.",
    "crossfit": "Found in {rows} rows: each half found groups and the other half judged them. The intervals hold for "
    "all groups at once.",
    "plugin": "Found in {rows} rows. These intervals take the groups as given; they do not account for the search.",
}
_GIVEN = {
    "band": "Judged on {rows} rows, in groups given in advance. The intervals hold for all ranges of {name} at once.",
    "crossfit": "Judged on {rows} rows, in groups given in advance. The intervals hold for all groups at once.",
    "plugin": "Judged on {rows} rows, in groups given in advance. Each interval holds for its own group only.",
}


def conclude(
    records: Sequence[GroupRecord],
    measure: RateName,
    settings: Settings,
    *,
    percent: bool,
    detectable: Sequence[Detectable] = (),
    checks: Checks | None = None,
    homogeneous: bool = True,
) -> str:
    """Say who is shown to be treated differently, by how much and how surely.

    Parameters
    ----------
    records : sequence of GroupRecord
        The groups.
    measure : RateName
        Which rate.
    settings : Settings
        How the audit was made.
    percent : bool
        Whether rates are percentages.
    detectable : sequence of Detectable
        For shares of the people, the smallest difference that would have been shown.
    checks : Checks, optional
        Second opinions; what the model does to the differences of its labels is said too.
    homogeneous : bool
        Whether no range is shown to differ.

    Returns
    -------
    str
    """
    name = settings.attributes
    if len(records) == 1 and not homogeneous:
        return (
            f"The {measure.rate} is shown to differ along {name}, but the groups that were allowed do not set anybody "
            "apart: ask for more or smaller groups."
        )
    if len(records) == 1:
        return _one_group(records[0], measure, name, detectable, percent=percent)
    by_verdict: dict[str, list[GroupRecord]] = {}
    for record in records:
        by_verdict.setdefault(record.verdict, []).append(record)
    unclear = by_verdict.get("not enough evidence", [])
    neutral = by_verdict.get("below", []) + by_verdict.get("above", [])
    named = by_verdict.get("disadvantaged", []) or by_verdict.get("advantaged", []) or neutral
    if not named:
        nobody = "No group is shown to be treated differently."
        return " ".join(part for part in (nobody, _open_question(unclear, records), _compared(checks)) if part)
    worst = max(named, key=lambda r: abs(r.phi))
    low, high = sorted((abs(worst.low), abs(worst.high)))
    ends = [points(x, percent=percent).lstrip("+") for x in (low, high)]
    side = "below" if worst.phi < 0 else "above"
    said = f"Those with {worst.label} {'differ' if worst in neutral else 'are ' + worst.verdict}: "
    said += (
        f"their {measure.rate} is {amount(worst.rate, percent=percent)}, {size(worst.phi, percent=percent)} "
        f"{side} {settings.whose} ({settings.percent_level} interval {ends[0]} to {ends[1]})."
    )
    for verdict in ("disadvantaged", "below", "above"):
        others = [r.label for r in by_verdict.get(verdict, []) if r is not worst]
        if others:
            said += f" Also {verdict}: {_listed(others)}."
    return " ".join(part for part in (said, _open_question(unclear, records), _compared(checks)) if part)


def _one_group(
    record: GroupRecord, measure: RateName, name: str, detectable: Sequence[Detectable], *, percent: bool
) -> str:
    known = {d.share: d.difference for d in detectable if math.isfinite(d.difference)}
    if record.verdict == "no discrimination found":
        said = f"No discrimination found: nowhere along {name} is the {measure.rate} shown to differ from everybody's."
        share = min((share for share in known if share >= 0.1), default=None)
        if share is not None and known[share] > 0:
            who = "A tenth" if share == 0.1 else f"{100 * share:.0f} %"
            gap = size(known[share], percent=percent)
            said += f" {who} of the people next to each other would have been noticed if they differed by {gap}."
        return said
    if detectable:
        said = "No groups were compared: no difference is shown, and the data is not enough to say that there is none."
        if known:
            share = max(known)
            said += (
                f" Even {100 * share:.0f} % of the people would have been noticed only from a difference of "
                f"{size(known[share], percent=percent)}."
            )
        return said
    return "All rows are in one group, so no groups were compared."


def _listed(labels: list[str]) -> str:
    """Write the first few."""
    more = len(labels) - 3
    return "; ".join(labels[:3]) + (f"; and {more} more" if more > 0 else "")


def _compared(checks: Checks | None) -> str:
    """Say for which groups the outcome makes the differences of its labels larger or smaller."""
    found = None if checks is None else checks.amplification
    if found is None:
        return ""
    said = []
    for effect in ("amplifies", "dampens"):
        labels = [r.label for r in found.records if r.effect == effect]
        if len(labels) > 2:
            said.append(
                f"“{found.model}” {effect} the differences in “{found.base}”, in {len(labels)} of "
                f"{len(found.records)} groups."
            )
        elif labels:
            said.append(f"“{found.model}” {effect} the difference in “{found.base}” for {'; '.join(labels)}.")
    return " ".join(said)


def second_opinions(audit: Audit) -> list[str]:
    """Say in one line each what the checks of an audit found."""
    percent = audit.data.percent
    checks = audit.checks
    said = []
    if audit.selection is not None and len(audit.selection.curve) > 1:
        said.append(_how_many(audit))
    if len(audit.records) > 1:
        gap = audit.rate_range
        ends = " to ".join(points(x, percent=percent).lstrip("+") for x in (gap.low, gap.high))
        said.append(f"Gap between the highest and the lowest rate: {size(gap.value, percent=percent)} ({ends}).")
    if checks.permutation is not None and checks.permutation.n_draws:
        p = checks.permutation.p_value
        said.append(f"Permutation test: {_permutation(audit, p)} (p = {p:.3g}).")
    if checks.monotonicity is not None:
        said += [_monotonicity(audit), checks.monotonicity.shortcut]
    if audit.replication is not None:
        shown = [r for r in audit.replication.records if r.verdict in DIFFERENT]
        said.append(
            f"The other half's own groups: {len(audit.replication.records)}, of which {len(shown)} differ. "
            f"They agree with those above on {100 * audit.replication.rand:.0f} % of the pairs of people."
        )
    return said


def _permutation(audit: Audit, p: float) -> str:
    """Whether the test agrees with the verdicts."""
    name = audit.settings.attributes
    different = any(r.verdict in DIFFERENT for r in audit.records)
    if p > 1 - audit.settings.level:
        return f"finds no dependence on {name}" + (", unlike the groups above" if different else " either")
    if different:
        return f"agrees that outcomes depend on {name}"
    if audit.settings.groups_given or audit.selection is None:
        return f"disagrees: outcomes depend on {name} in a way that these groups do not show; let the data choose them"
    return (
        f"disagrees: outcomes depend on {name} in some way, though no group or range can be named; a larger sample "
        "could tell"
    )


def _how_many(audit: Audit) -> str:
    assert audit.selection is not None
    k = audit.selection.n_groups
    groups = f"{k} group{'s' if k > 1 else ''}"
    why = {
        "band": "the fewest inside which no range is shown to differ",
        "cv": "the fewest whose error on rows left out is close to the least",
        "bic": "the least BIC",
    }[audit.selection.criterion]
    return f"Number of groups: {groups}, {why}."


def _monotonicity(audit: Audit) -> str:
    found, name = audit.checks.monotonicity, audit.settings.attributes
    assert found is not None
    verb = "rises" if found.direction == "increasing" else "falls"
    if found.holds:
        rate = audit.measure.rate
        return f"Monotonicity: a {rate} that only {verb} with {name} fits the data (p = {found.p_value:.3g})."
    where = found.violation
    assert where is not None
    return (
        f"Monotonicity: the {audit.measure.rate} neither only rises nor only falls with {name} "
        f"(p = {found.p_value:.3g}); it turns between {where.low:g} and {where.high:g}, "
        f"around {where.border:g}."
    )


def _open_question(unclear: Sequence[GroupRecord], records: Sequence[GroupRecord]) -> str:
    if not unclear:
        return ""
    if len(unclear) == len(records):
        return "The data is not enough to judge any of the groups."
    return f"For {len(unclear)} of {len(records)} groups the data is not enough to judge."


def certainty(audit: Audit | JointAudit) -> str:
    """Say how sure the finding is, and why."""
    settings = audit.settings
    said = (_GIVEN if settings.groups_given else _SEARCHED)[settings.inference]
    return said.replace("{rows}", thousands(audit.data.rows)).replace("{name}", settings.attributes)


def limit_line(audit: Audit | JointAudit) -> str:
    """Whether the limit is kept, if there is one."""
    if audit.limit is None or audit.settings.max_gap is None:
        return ""
    limit = size(audit.settings.max_gap, percent=audit.data.percent)
    return f"Limit of {limit} on every group's difference: {audit.limit}."
