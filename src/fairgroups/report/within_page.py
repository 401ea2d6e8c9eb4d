"""A repair among comparable people as words and as one HTML page: what it leaves, who gains, who loses."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairgroups import __version__
from fairgroups.report.repair_page import CAUTION, effect_cells, stretches_left
from fairgroups.report.templates import fill
from fairgroups.words import amount, how_many, listed, thousands

if TYPE_CHECKING:
    from fairgroups.repair.within import Within

__all__ = ["render_within", "within_finding", "within_lines", "within_rows"]

_MEANINGS = (
    (
        "Spread",
        (
            "The standard deviation, over 20 stretches of the attribute, of the share of people who stand in the upper "
            "half of those comparable with them; noise is taken off."
        ),
    ),
    ("Gap", "The largest difference of that share between two tenths of the people in order of the attribute."),
    ("Distance", "The largest difference between two fifths of the people in where they stand, at any level."),
    ("Maximal correlation", "Of where people stand with any function of the attribute: 0 is independence."),
)


def within_finding(within: Within) -> str:
    """Say in words what the repair leaves among comparable people."""
    equal, along, left = listed(within.given), listed(within.sensitive), within.repair.left_
    if left is None:
        return f"There are too few people to judge what the repair leaves at equal {equal}."
    before, after, people = f"{100 * left.before.sd:.1f}", f"{100 * left.after.sd:.1f}", thousands(left.people)
    return (
        f"At equal {equal}, the share of people in the upper half of those comparable with them varies along {along} "
        f"by {before} points (standard deviation) before the repair and {after} after it, among {people} people "
        "left out of the fit."
    )


def within_lines(within: Within) -> list[str]:
    """Say what else is to be known, a line each."""
    repair, lines = within.repair, stretches_left(within.repair.left_)
    n, inside = len(repair.repairs_), thousands(round(repair.apart_ * within.rows))
    lines.append(
        f"{n} {'stratum has maps of its' if n == 1 else 'strata have maps of their'} own, with {inside} of "
        f"{thousands(within.rows)} people; those of smaller strata share the maps of everybody."
    )
    if within.unknown:
        lines.append(f"{how_many(within.unknown, 'row')} without {listed(within.given)} count as a level of its own.")
    if within.threshold is not None and within.effects:
        lines.append(
            f"At {within.threshold:g}, {thousands(within.up)} of the people left out get a yes instead of a no, and "
            f"{thousands(within.down)} a no instead of a yes."
        )
    if within.right is not None and within.fair_right is not None:
        before, after = (amount(x, percent=True) for x in (within.right, within.fair_right))
        lines.append(f"Decisions that agree with {within.truth}: {before} before, {after} after.")
    return lines


def within_rows(within: Within) -> list[dict[str, str]]:
    """Return each measure before and after, as text."""
    left = within.repair.left_
    if left is None:
        return []
    before, after = left.before, left.after
    rows = [
        {"name": name, "before": f"{100 * x:.1f} points", "after": f"{100 * y:.1f} points", "floor": ""}
        for name, x, y in (
            ("Spread", before.sd, after.sd),
            ("Gap", before.gap, after.gap),
            ("Distance", before.ks, after.ks),
        )
    ]
    return [
        *rows,
        {
            "name": "Maximal correlation",
            "before": f"{before.hgr:.2f}",
            "after": f"{after.hgr:.2f}",
            "floor": f"{after.floor:.2f}",
        },
    ]


def render_within(within: Within, notes: Sequence[str] = ()) -> str:
    """Write the page."""
    equal, along = listed(within.given), listed(within.sensitive)
    facts = [
        ("Data", f"{thousands(within.rows)} rows"),
        ("Score", within.score),
        ("Attribute", along),
        ("Held equal", equal),
        *([("True label", within.truth)] if within.truth else []),
        *([("Threshold", f"{within.threshold:g}")] if within.threshold is not None else []),
        ("Largest gap allowed", f"{within.repair.others_.max_gap:g}"),
        ("People left out", "a fifth at a time, by maps learnt on the others"),
        ("Made", f"{dt.datetime.now(dt.UTC):%Y-%m-%d} with fairgroups {__version__}"),
    ]
    effects = [
        {"title": title, "rows": rows}
        for title, kind in (("by group", "group"), (f"along {along}", "stretch"))
        if (rows := [effect_cells(one) for one in within.effects if one.kind == kind])
    ]
    return fill(
        "repair.html",
        title=f"Repair of {within.score} by {along}, at equal {equal}",
        finding=within_finding(within),
        certainty="Differences that go with the factors stay; a factor may itself be the product of discrimination.",
        caution=CAUTION,
        level=None,
        rows=within_rows(within),
        effects=effects,
        notes=[*within_lines(within), *notes],
        charts=[],
        meanings=_MEANINGS,
        facts=facts,
    )
