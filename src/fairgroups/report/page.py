"""An audit as one HTML page: no script, no request, readable offline and on paper."""

from __future__ import annotations

import datetime as dt
import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fairgroups.charts import VERDICT_COLOURS, phi_chart, rate_chart, sentence, shown_range, to_svg
from fairgroups.planes import plane_chart
from fairgroups.report.words import amount, attributes, counted, points, size

if TYPE_CHECKING:
    from fairgroups.audits import Audit

__all__ = ["render"]

_SEARCHED = {
    "band": "Found in {rows} rows. The intervals hold for all ranges of {name} at once, so they hold although the "
    "groups were searched for on the same rows.",
    "split": "Found in {rows} rows: one half to find the groups, the other to judge them.",
    "plugin": "Found in {rows} rows. These intervals take the groups as given; they do not account for the search.",
}
_GIVEN = {
    "band": "Judged on {rows} rows, in groups given in advance. The intervals hold for all ranges of {name} at once.",
    "split": "Judged on {rows} rows, in groups given in advance. The intervals hold for all groups at once.",
    "plugin": "Judged on {rows} rows, in groups given in advance. Each interval holds for its own group only.",
}
_INTERVALS = {"band": "band over all ranges", "split": "honest split", "plugin": "plug-in (delta method)"}


def render(audit: Audit) -> str:
    """Write the page."""
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files("fairgroups.report").joinpath("page.html").read_text(encoding="utf-8"))
    settings = audit.settings
    percent = bool(audit.data["percent"])
    name = attributes(settings)
    rows = f"{audit.data['rows']:,}".replace(",", "\u202f")
    said = (_GIVEN if settings["groups_given"] else _SEARCHED)[settings["inference"]]
    return template.render(
        audit=audit,
        title=f"Fairness audit of {settings['outcome']} by {name}",
        certainty=said.replace("{rows}", rows).replace("{name}", name),
        gate=_gate(audit, percent=percent),
        rate_name=sentence(audit.measure.rate),
        level=f"{100 * settings['level']:g} %",
        rows=[_row(record, i, audit) for i, record in enumerate(audit.records, 1)],
        table_note=f"Everybody: {amount(audit.overall, percent=percent)}."
        + (" Differences and intervals are in percentage points." if percent else ""),
        notes=audit.notes,
        charts=_charts(audit),
        meanings=_meanings(audit, percent=percent),
        facts=_facts(audit, rows),
    )


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
            "title": "Difference of each group from everybody",
            "svg": Markup(to_svg(phi_chart(audit))),  # noqa: S704
            "caption": f"Marks: Φ, the group's rate minus everybody's. Lines: its {level} interval.",
        },
    ]


def _row(record: dict[str, Any], number: int, audit: Audit) -> dict[str, str]:
    percent = bool(audit.data["percent"])
    numbered = not isinstance(audit.settings["sensitive"], str)
    low, high = points(record["low"], percent=percent), points(record["high"], percent=percent)
    ratio = "–" if math.isnan(record["ratio"]) else f"{record['ratio']:.2f}"
    ends = (record["ratio_low"], record["ratio_high"])
    if ratio != "–" and ends != (1.0, 1.0):
        ratio += f" ({_ratio(ends[0])}–{_ratio(ends[1])})"
    return {
        "label": f"{number}: {record['label']}" if numbered else record["label"],
        "n": counted(record).replace(",", "\u202f"),
        "rate": amount(record["rate"], percent=percent),
        "phi": points(record["phi"], percent=percent),
        "interval": f"{low} to {high}",
        "ratio": ratio,
        "verdict": record["verdict"],
        "colour": VERDICT_COLOURS[record["verdict"]],
    }


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
