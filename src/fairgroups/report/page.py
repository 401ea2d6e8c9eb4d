"""An audit as one HTML page: no script, no request, readable offline and on paper."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING, Any

from fairgroups.charts import VERDICT_COLOURS, phi_chart, rate_chart, sentence, shown_range, to_svg
from fairgroups.check_charts import amplification_chart, selection_chart, stability_chart
from fairgroups.planes import plane_chart
from fairgroups.report.templates import fill
from fairgroups.report.words import amount, attributes, counted, points, second_opinions, size

if TYPE_CHECKING:
    from fairgroups.audits import Audit

__all__ = ["render"]

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
_INTERVALS = {"band": "band over all ranges", "crossfit": "cross-fitting", "plugin": "plug-in (delta method)"}


def render(audit: Audit) -> str:
    """Write the page."""
    settings = audit.settings
    percent = bool(audit.data["percent"])
    name = attributes(settings)
    rows = f"{audit.data['rows']:,}".replace(",", "\u202f")
    said = (_GIVEN if settings["groups_given"] else _SEARCHED)[settings["inference"]]
    return fill(
        "page.html",
        audit=audit,
        title=f"Fairness audit of {settings['outcome']} by {name}",
        certainty=said.replace("{rows}", rows).replace("{name}", name),
        gate=_gate(audit, percent=percent),
        whom="everybody" if settings["against"] == "everyone" else "the rest",
        level=f"{100 * settings['level']:g} %",
        parts=[_groups(part) for part in audit.parts or (audit,)],
        notes=list(dict.fromkeys(note for part in audit.parts or (audit,) for note in part.notes)),
        opinions=_opinions(audit),
        charts=[chart for part in audit.parts or (audit,) for chart in _charts(part)] + _check_charts(audit),
        meanings=_meanings(audit, percent=percent),
        facts=_facts(audit, rows),
    )


def _opinions(audit: Audit) -> list[str]:
    """List the second opinions; of several rates each under its name."""
    if not audit.parts:
        return second_opinions(audit)
    return [f"{sentence(part.measure.rate)}: {line}" for part in audit.parts for line in second_opinions(part)]


def _groups(audit: Audit) -> dict[str, Any]:
    """Give the table of groups for one rate."""
    percent = bool(audit.data["percent"])
    return {
        "rate_name": sentence(audit.measure.rate),
        "rows": [_row(record, i, audit) for i, record in enumerate(audit.records, 1)],
        "table_note": f"Everybody: {amount(audit.overall, percent=percent)}."
        + (" Differences and intervals are in percentage points." if percent else ""),
    }


def _charts(audit: Audit) -> list[dict[str, Any]]:
    from markupsafe import Markup

    settings = audit.settings
    if isinstance(settings["sensitive"], str):
        first: Any = rate_chart(audit)
        caption = (
            "Dots: the observed rate along the attribute, larger for more people. Thick lines: each group's rate, "
            "with its interval. Dashed: everybody."
        )
        attribute = audit.data["attributes"][0]
        if shown_range(attribute) != (attribute["low"], attribute["high"]):
            caption += f" A few values of {attribute['name']} lie beyond the picture."
    else:
        first = plane_chart(audit)
        caption = (
            "Colour: the observed rate, pale where it is everybody's. Boxes: the groups, numbered as in the table."
        )
        if len(settings["sensitive"]) > 3:
            caption += " Only the first three attributes are drawn."
    title = f"{sentence(audit.measure.rate)} of {settings['outcome']} by {attributes(settings)}"
    level = f"{100 * settings['level']:g} %"
    # Our renderer escapes what it draws, so its SVG is safe to put in as it is.
    return [
        {"title": title, "svg": Markup(to_svg(first)), "caption": caption},  # noqa: S704
        {
            "title": f"Difference of each group from everybody: {audit.measure.rate}",
            "svg": Markup(to_svg(phi_chart(audit))),  # noqa: S704
            "caption": f"Marks: Φ, the group's rate minus everybody's. Lines: its {level} interval.",
        },
    ]


def _check_charts(audit: Audit) -> list[dict[str, Any]]:
    from markupsafe import Markup

    checks, level = audit.checks, f"{100 * audit.settings['level']:g} %"
    drawn: list[tuple[str, Any, str]] = []
    if checks.amplification is not None:
        compared = checks.amplification
        effects = "; ".join(f"{r['label']}: {r['effect']}" for r in compared.records)
        drawn.append(
            (
                f"{compared.model} against {compared.base}",
                amplification_chart(audit),
                (
                    "Left: both rates along the attribute. Right: each group's difference from everybody in both; the "
                    f"line is the {level} interval of where {compared.model} lies, paired row by row. {effects}."
                ),
            )
        )
    if audit.selection is not None and len(audit.selection.curve) > 1:
        drawn.append(("How many groups", selection_chart(audit), _chosen(audit)))
    if checks.stability is not None and checks.stability.n_draws:
        caption = f"Ticks: the borders. Lines: where {level} of the borders fall when people are drawn again."
        drawn.append(("How firm the borders are", stability_chart(audit), caption))
    if len(audit.settings["sensitive"]) and not isinstance(audit.settings["sensitive"], str):
        drawn = [(t, c, s.replace("Left: both rates along the attribute. Right: each", "Each")) for t, c, s in drawn]
    return [{"title": t, "svg": Markup(to_svg(c)), "caption": s} for t, c, s in drawn]  # noqa: S704


def _chosen(audit: Audit) -> str:
    assert audit.selection is not None
    return {
        "band": "Diamond: the number chosen, the first at which no range inside a group is shown to differ from the "
        "rest of it (at or below the dashed line).",
        "cv": "Diamond: the number chosen, the fewest groups within one standard error (grey) of the least error.",
        "bic": "Diamond: the number chosen.",
    }[audit.selection.criterion]


def _row(record: dict[str, Any], number: int, audit: Audit) -> dict[str, str]:
    percent = bool(audit.data["percent"])
    numbered = not isinstance(audit.settings["sensitive"], str)
    low, high = points(record["low"], percent=percent), points(record["high"], percent=percent)
    ratio = "–" if math.isnan(record["ratio"]) else f"{record['ratio']:.2f}"
    ends = (record["ratio_low"], record["ratio_high"])
    if ratio != "–" and ends != (1.0, 1.0):
        ratio += f" ({_ratio(ends[0])}–{_ratio(ends[1])})"
    least = record["detectable"]
    unshown = record["verdict"] in ("not enough evidence", "no relevant difference") and len(audit.records) > 1
    return {
        "least": "" if not unshown else _least(least, percent=percent),
        "label": f"{number}: {record['label']}" if numbered else record["label"],
        "n": counted(record).replace(",", "\u202f"),
        "rate": amount(record["rate"], percent=percent),
        "phi": points(record["phi"], percent=percent),
        "interval": f"{low} to {high}",
        "ratio": ratio,
        "verdict": record["verdict"],
        "colour": VERDICT_COLOURS[record["verdict"]],
    }


def _least(value: float, *, percent: bool) -> str:
    if math.isnan(value):
        return "no difference to its harm could have been shown"
    return f"a difference of {size(value, percent=percent)} to its harm would have been shown"


def _ratio(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 100 else "∞"


def _gate(audit: Audit, *, percent: bool) -> str:
    if audit.gate is None:
        return ""
    limit = size(audit.settings["max_gap"], percent=percent)
    return f"Limit of {limit} on every group's difference: {audit.gate}."


def _meanings(audit: Audit, *, percent: bool) -> list[tuple[str, str]]:
    gap = size(audit.settings["relevant_gap"], percent=percent)
    level = f"{100 * audit.settings['level']:g} %"
    rate = audit.measure.rate
    lower, higher = {
        "better": ("disadvantaged", "advantaged"),
        "worse": ("advantaged", "disadvantaged"),
        "neutral": ("below", "above"),
    }[audit.direction]
    return [
        (lower, f"The group's {rate} is shown to be lower than everybody's: the {level} interval lies below 0."),
        (higher, f"The group's {rate} is shown to be higher than everybody's: the interval lies above 0."),
        (
            "no relevant difference",
            (
                f"The interval includes 0 and lies within ± {gap}. This is about the group's average: "
                "people inside it may still be treated differently."
            ),
        ),
        (
            "no discrimination found",
            (
                "No range of the attribute is shown to differ from everybody. Smaller differences than the sample can "
                "show may exist."
            ),
        ),
        ("not enough evidence", "The data allows neither statement. This is not a finding of fairness."),
    ]


def _facts(audit: Audit, rows: str) -> list[tuple[str, str]]:
    settings, data = audit.settings, audit.data
    measure = f"{settings['measure']} ({settings['rate']})"
    if settings["higher_is"] != "neutral":
        measure += f"; a higher value is {settings['higher_is']} for the person"
    variance = f"{audit.variance:.4g}"
    if math.isfinite(audit.explained):
        variance += f"; the groups capture {100 * audit.explained:.0f} % of the dependence on {attributes(settings)}"
    facts = [
        ("Data", f"{data['source']}, {rows} rows"),
        *(("Attribute", _attribute(attribute)) for attribute in data["attributes"]),
        ("Outcome", settings["outcome"] + (f", compared with {settings['truth']}" if settings["truth"] else "")),
        *([("Weights", settings["weight"])] if settings["weight"] else []),
        ("Measure", measure),
        ("Groups", _how_found(audit)),
        ("Variance of Φ", variance),
        ("Intervals", f"{_INTERVALS[settings['inference']]}, level {100 * settings['level']:g} %"),
        ("Made", f"{dt.datetime.now(dt.UTC):%Y-%m-%d} with fairgroups {audit.to_dict()['library_version']}"),
    ]
    return [(name, str(value)) for name, value in facts]


def _how_found(audit: Audit) -> str:
    settings = audit.settings
    if settings["groups_given"]:
        return "given in advance"
    shape = "ranges" if isinstance(settings["sensitive"], str) else "boxes"
    how = "exact search" if settings["exact"] else "beam search"
    if settings["n_cells"]:
        how += f" on {settings['n_cells']} cells"
    return f"{audit.partition.n_groups} {shape} with the largest variance of Φ, {how}"


def _attribute(attribute: dict[str, Any]) -> str:
    if "levels" in attribute:
        return f"{attribute['name']}: {', '.join(attribute['levels'])}"
    return f"{attribute['name']}, from {attribute['low']:g} to {attribute['high']:g}"
