"""A repair as words and as one HTML page: what it gives, what it costs, on people left out."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairgroups import __version__
from fairgroups.charts.repair import MEASURE_NAMES, PERCENT, distribution_chart, frontier_chart
from fairgroups.charts.style import fitting_svg
from fairgroups.quoting import WHOLE_ROW
from fairgroups.report.templates import fill
from fairgroups.words import amount, plain_points, points, thousands

if TYPE_CHECKING:
    from fairgroups.repair.effects import Effect
    from fairgroups.repair.left import Left
    from fairgroups.repair.score_repair import ScoreRepair
    from fairgroups.repair.tradeoff import Tradeoff

__all__ = [
    "CAUTION",
    "before_and_after",
    "effect_cells",
    "effect_rows",
    "render_repair",
    "repair_finding",
    "repair_notes",
    "repair_section",
    "small_groups",
    "stretches_left",
]

DEPENDENCE = ("hgr", "hgr_kde", "decision_dependence")
TOO_WIDE = 0.5  # an interval of a number between 0 and 1 that says nothing
CAUTION = (
    "Before you use it: to change scores by age, colour, sex or another protected attribute may itself be unlawful. In "
    "hiring in the United States, for example, tests may not be rescored by race, colour, religion, sex or national "
    "origin (42 U.S.C. § 2000e-2(l); Ricci v. DeStefano, 2009). Ask a lawyer first."
)
MANY_TIES = 0.9  # of the people share their score with others
MUCH = 0.02  # of a group share one score
_MEANINGS = {
    "score_gap": "The largest difference between two groups in the share of people above any threshold.",
    "parity_gap": "The largest difference between two groups in the share of people who get a yes.",
    "opportunity_gap": "The same among those whose true label is yes.",
    "hgr": "The maximal correlation of the score with any function of the attribute: 0 is independence.",
    "hgr_kde": "The same by the paper's estimator, which has a floor of its own.",
    "decision_dependence": "The root of the share of the decisions' variance that the attribute explains.",
    "selection_sd": "The standard deviation of the share of yes over 20 stretches of the attribute, noise taken off.",
    "selection_gap": "The largest difference in the share of yes between two tenths of the people by attribute.",
    "accuracy": "The share of decisions that agree with the true label.",
    "r2": "The share of the variance of the true number that the score explains.",
    "mean_error": "How far the score is from the true number on average.",
    "balanced_accuracy": "The mean of that share among true yes and true no.",
    "pr_auc": "The area under precision against recall.",
    "roc_auc": "The chance that a true yes has a higher score than a true no.",
    "calibration_error": "How far the mean score is from the share of true yes, on average over ten bins.",
    "changed_decisions": "The share of people whose decision is another one after the repair.",
    "mean_change": "How far a score moves on average.",
}
NAME_AND_SIZE = 2  # cells of a row that tells of nobody who gains or loses


def before_and_after(found: Tradeoff, method: str, max_gap: float) -> list[dict[str, str]]:
    """Return each measure before and after, as text, in the order of `MEASURE_NAMES`."""
    records = {r["measure"]: r for r in found.records if r["method"] == method and r["max_gap"] == max_gap}
    order = [name for name in _MEANINGS if name in records and not math.isnan(records[name]["value"])]
    return [_row(records[name]) for name in order]


def _in_parts(found: Tradeoff) -> str:
    """Say that gaps are measured in parts of the people, each by itself: chance makes those of few people larger."""
    folds = found.settings["folds"]
    return f", judged in {folds} parts" if isinstance(folds, int) else ""


def repair_finding(found: Tradeoff, method: str, max_gap: float) -> str:
    """Say in words what the repair gives and costs."""
    name = _names(found)
    if found.repairs[method, max_gap].maps_.groups.size == 1 or found.groups.n_groups == 1:
        return f"Scores are not shown to change with {name}: there is nothing to repair."
    gap = found.value("score_gap", method, max_gap)
    before, within = (plain_points(x, percent=True) for x in found.fitted_gaps[method, max_gap])
    new, low, high = (plain_points(gap[key], percent=True) for key in ("value", "low", "high"))
    said = (
        f"The {found.groups.n_groups} groups of {name} differ by up to {before} points in the share of people above "
        f"some score, and by up to {within} after the repair. Among people who took no part in learning "
        f"it{_in_parts(found)}, groups differ by up to {new} after it ({low} to {high}"
    )
    said += f"; chance alone makes up to {100 * gap['floor']:.1f}" if not math.isnan(gap["floor"]) else ""
    said += f"); the limit was {100 * max_gap:g}."
    names = {record["measure"] for record in found.records}
    if "selection_sd" in names and found.repairs[method, max_gap].condition is None:
        spread = found.value("selection_sd", method, max_gap)
        along = f"Along the exact {name}" if found.groups.is_line else f"Over all values of {name}"
        said += (
            f" {along} the share of yes varies by {plain_points(spread['before'], percent=True)} points "
            f"(standard deviation) before and {plain_points(spread['value'], percent=True)} after."
        )
    for measure, what in (("accuracy", "Accuracy"), ("r2", "The variance explained")):
        if measure in names:
            kept = found.value(measure, method, max_gap)
            change, low, high = (points(kept[key], percent=True) for key in ("change", "change_low", "change_high"))
            said += (
                f" {what} goes from {amount(kept['before'], percent=True)} to {amount(kept['value'], percent=True)} "
                f"({change} points; {low} to {high})."
            )
    if "changed_decisions" in names:
        changed = found.value("changed_decisions", method, max_gap)["value"]
        said += f" {amount(changed, percent=True)} of the decisions change."
    return said


def small_groups(found: Tradeoff) -> list[str]:
    """Say which groups are left out of the gaps."""
    left_out = found.settings["too_small"]
    if not left_out:
        return []
    return [f"Groups of fewer than 100 people are left out of the gaps: {'; '.join(left_out)}."]


def stretches_left(left: Left | None) -> list[str]:
    """Say who is still treated differently."""
    return [
        f"More is left than chance explains: of {thousands(one.people)} people with {one.said}, {left.said(one)}"
        for left in ([] if left is None else [left])
        for one in left.stretches
    ]


def repair_notes(fitted: ScoreRepair, key: str | None) -> list[str]:
    """Say what else is to be known of a repair: who is still treated differently, who shares a score."""
    notes = stretches_left(fitted.left_)
    if fitted.largest_atom_ > MUCH:
        what = f"Up to {100 * fitted.largest_atom_:.0f}% of the people at one value or in one group share one score"
        if key:
            whom = "all else that the table tells of them" if key == WHOLE_ROW else f"their {key}"
            notes.append(f"{what}; chance, drawn from {whom}, decides between them.")
        else:
            notes.append(f"{what} and stay together, which leaves gaps; name a --key to tell them apart by chance.")
    if fitted.bound_ is not None:
        notes.append(
            f"With the order inside groups kept, the larger of the two gaps of equalized odds cannot be below "
            f"{100 * fitted.bound_:.1f} points for these scores; it is {100 * fitted.gap_:.1f} on the rows of the fit."
        )
    return notes


def effect_rows(found: Tradeoff, method: str, max_gap: float, kind: str = "group") -> list[list[tuple[str, str]]]:
    """Return who gains and who loses, as rows of (text, heading); none where scores are no decisions of any kind."""
    rows = [effect_cells(one) for one in found.effects[method, max_gap] if one.kind == kind]
    return rows if any(len(row) > NAME_AND_SIZE for row in rows) else []


def effect_cells(one: Effect) -> list[tuple[str, str]]:
    """Return one row of who gains and who loses: (text, heading)."""
    row = [(one.said, "people"), (thousands(one.people), "how many")]
    if one.yes is not None and one.fair_yes is not None:
        row.append((f"{100 * one.yes:.1f}% → {100 * one.fair_yes:.1f}%", "yes"))
        row += [(thousands(one.up or 0), "no to yes"), (thousands(one.down or 0), "yes to no")]
    if one.right is not None and one.fair_right is not None:
        row.append((f"{100 * one.right:.1f}% → {100 * one.fair_right:.1f}%", "right"))
    if one.bias is not None and one.fair_bias is not None:
        row.append((f"{_signed(one.bias)} → {_signed(one.fair_bias)}", "promises too much by"))
    return row


def _signed(value: float) -> str:
    digits = 3 if abs(value) < 10 else 1
    return f"{value + 0.0:+.{digits}f}".replace("-", "−")


def repair_section(found: Tradeoff) -> dict[str, Any]:
    """Return what an audit's page shows of repairs: a frame for each gap allowed, and the frontier."""
    from markupsafe import Markup

    method, gaps = found.settings["methods"][0], sorted(found.settings["max_gap"])
    frames = [
        {
            "gap": f"{100 * gap:g} points",
            "finding": repair_finding(found, method, gap),
            "rows": before_and_after(found, method, gap),
            "svg": Markup(fitting_svg(distribution_chart(found, method, gap))),  # noqa: S704
            **dict(zip(("title", "caption"), _distributions(found), strict=True)),
        }
        for gap in gaps
    ]
    told = (
        f"The scores “{found.settings['score']}” were repaired along the exact {_names(found)}, and judged on people "
        f"who took no part in learning how. Gaps are between these groups: {'; '.join(found.settings['groups'])}."
    )
    if found.settings["threshold"] is not None:
        told += f" A score of at least {found.settings['threshold']:g} counts as a yes."
    tied = found.settings["tied"]
    if tied > MANY_TIES:
        told += " Many people share a score and stay together, so gaps remain; repair --key tells them apart."
    charts = [{"title": t, "svg": Markup(fitting_svg(c)), "caption": s} for t, c, s in _frontiers(found)]  # noqa: S704
    shown = {"frames": frames, "charts": charts, "told": told, "caution": CAUTION}
    return shown | {"level": _level(found), "first": 0}


def _distributions(found: Tradeoff) -> tuple[str, str]:
    return (
        f"{found.settings['score']} of each group, before and after",
        "Solid: before; dashed: after. Where dashed lines lie on each other, no threshold tells the groups apart.",
    )


def _frontiers(found: Tradeoff) -> list[tuple[str, Any, str]]:
    """Draw what is kept against what is left, where several gaps were tried and the truth is known."""
    gaps = found.settings["max_gap"]
    if len(gaps) < 2 or "accuracy" not in {record["measure"] for record in found.records}:
        return []
    tried = ", ".join(f"{gap:g}" for gap in gaps)
    caption = f"Marks along a line: the largest gap allowed ({tried}). Fine lines: {_level(found)} intervals."
    return [
        ("What is kept, what is left", frontier_chart(found, "accuracy", "hgr"), caption),
        ("The same for decisions", frontier_chart(found, "accuracy", "decision_dependence"), caption),
    ]


def render_repair(found: Tradeoff, method: str, max_gap: float, notes: Sequence[str] = ()) -> str:
    """Write the page."""
    from markupsafe import Markup

    settings = found.settings
    name = _names(found)
    repair = found.repairs[method, max_gap]
    known = {record["measure"] for record in found.records}
    title, caption = _distributions(found)
    charts = [(title, distribution_chart(found, method, max_gap), caption), *_frontiers(found)]
    options = repair.get_params(deep=False)
    facts = [
        ("Data", f"{thousands(settings['rows'])} rows"),
        ("Score", str(settings["score"])),
        ("Attribute", name),
        *([("True label", str(settings["truth"]))] if settings["truth"] else []),
        *([("Threshold", f"{settings['threshold']:g}")] if settings["threshold"] is not None else []),
        ("Gaps between", "; ".join(settings["groups"])),
        ("Largest gap allowed", f"{max_gap:g}"),
        ("Maps", _kind(options)),
        ("People left out", f"by {settings['folds']}" if isinstance(settings["folds"], str) else _folds(found)),
        ("Made", f"{dt.datetime.now(dt.UTC):%Y-%m-%d} with fairgroups {__version__}"),
    ]
    return fill(
        "repair.html",
        title=f"Repair of {settings['score']} by {name}",
        finding=repair_finding(found, method, max_gap),
        certainty=f"Judged on {thousands(settings['rows'])} rows, each by maps learnt on others.",
        caution=CAUTION,
        level=_level(found),
        rows=before_and_after(found, method, max_gap),
        effects=[
            {"title": title, "rows": held}
            for title, held in (
                ("by group", effect_rows(found, method, max_gap)),
                (f"along {name}", effect_rows(found, method, max_gap, "stretch")),
            )
            if held
        ],
        notes=list(notes),
        charts=[{"title": t, "svg": Markup(fitting_svg(c)), "caption": s} for t, c, s in charts],  # noqa: S704
        meanings=[(MEASURE_NAMES[key], said) for key, said in _MEANINGS.items() if key in known],
        facts=facts,
    )


def _row(record: dict[str, Any]) -> dict[str, str]:
    name = record["measure"]
    scale, digits = (100, 1) if name in PERCENT else (1, 3)
    unit = "%" if name in PERCENT else ""
    vague = name in DEPENDENCE and record["high"] - record["low"] > TOO_WIDE

    def said(key: str, sign: str = "") -> str:
        return f"{scale * record[key] + 0.0:{sign}.{digits}f}".replace("-", "−")

    moved = name in ("changed_decisions", "mean_change")  # nothing to compare with
    change = f"{said('change', '+')} ({said('change_low', '+')} to {said('change_high', '+')})"
    return {
        "name": MEASURE_NAMES[name],
        "before": "" if moved else said("before") + unit,
        "after": "–" if vague else said("value") + unit,
        "interval": "too wide to tell" if vague else f"{said('low')} to {said('high')}",
        "change": "" if moved or vague else change,
        "floor": "" if math.isnan(record["floor"]) else f"up to {said('floor')}{unit}",
    }


def _level(found: Tradeoff) -> str:
    return f"{100 * found.settings['level']:g}%"


def _folds(found: Tradeoff) -> str:
    return f"{found.settings['folds']} folds, alike in {_names(found)}"


def _kind(options: dict[str, Any]) -> str:
    parts = ["least squared change" if options["cost"] == "w2" else "least change"]
    if options["relaxation"] == "geodesic":
        parts.append("every score the same share of the way")
    parts.append(
        {"auto": "by the exact attribute", "groups": "by groups found in the scores"}.get(
            options["partition"] if isinstance(options["partition"], str) else "", "by groups"
        )
    )
    if options["condition"]:
        parts.append({"positives": "among true yes", "both": "among true yes and true no"}[options["condition"]])
    return ", ".join(parts)


def _names(found: Tradeoff) -> str:
    names = found.settings["sensitive"]
    return names if isinstance(names, str) else " and ".join(names)
