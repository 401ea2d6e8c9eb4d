"""An audit as one HTML page: no script, no request, readable offline and on paper."""

from __future__ import annotations

import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fairgroups.charts import VERDICT_COLOURS, phi_chart, rate_chart, to_svg
from fairgroups.report.words import number, points

if TYPE_CHECKING:
    from fairgroups.auditing import Audit

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


def render(audit: Audit) -> str:
    """Write the page."""
    from jinja2 import Environment
    from markupsafe import Markup

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files("fairgroups.report").joinpath("page.html").read_text(encoding="utf-8"))
    settings = audit.settings
    percent = bool(audit.data["percent"])
    level = f"{100 * settings['level']:g} %"
    outcome, sensitive = settings["outcome"], settings["sensitive"]
    rows = f"{audit.data['rows']:,}".replace(",", "\u202f")
    charts = [
        {
            "title": f"{_capital(audit.measure.rate)} of {outcome} by {sensitive}",
            "svg": Markup(to_svg(rate_chart(audit))),  # noqa: S704  our renderer escapes what it draws
            "caption": "Dots: the observed rate along the attribute, larger for more people. Thick lines: each "
            "group's rate, with its interval. Dashed: everybody.",
        },
        {
            "title": "Difference of each group from everybody",
            "svg": Markup(to_svg(phi_chart(audit))),  # noqa: S704
            "caption": f"Marks: Φ, the group's rate minus everybody's. Lines: its {level} interval.",
        },
    ]
    return template.render(
        audit=audit,
        title=f"Fairness audit of {outcome} by {sensitive}",
        certainty=_certainty(settings, rows),
        gate=_gate(audit, percent=percent),
        rate_name=_capital(audit.measure.rate),
        level=level,
        rows=[_row(record, percent=percent) for record in audit.records],
        table_note=f"Everybody: {number(audit.overall, percent=percent)}."
        + (" Differences and intervals are in percentage points." if percent else ""),
        notes=audit.notes,
        charts=charts,
        meanings=_meanings(audit, percent=percent),
        facts=_facts(audit, rows),
    )


def _certainty(settings: dict[str, Any], rows: str) -> str:
    said = (_GIVEN if settings["groups_given"] else _SEARCHED)[settings["inference"]]
    return said.replace("{rows}", rows).replace("{name}", settings["sensitive"])


def _row(record: dict[str, Any], *, percent: bool) -> dict[str, str]:
    low, high = points(record["low"], percent=percent), points(record["high"], percent=percent)
    ratio = "–" if record["ratio"] != record["ratio"] else f"{record['ratio']:.2f}"
    ends = (record["ratio_low"], record["ratio_high"])
    if ratio != "–" and ends != (1.0, 1.0):
        ratio += f" ({_ratio(ends[0])}–{_ratio(ends[1])})"
    return {
        "label": record["label"],
        "n": f"{record['n']:,}".replace(",", "\u202f"),
        "rate": number(record["rate"], percent=percent),
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
    limit = (
        number(audit.settings["max_gap"], percent=percent).replace("%", "points")
        if percent
        else number(audit.settings["max_gap"], percent=False)
    )
    return f"Limit of {limit} on every group's difference: {audit.gate}."


def _meanings(audit: Audit, *, percent: bool) -> list[tuple[str, str]]:
    gap = points(audit.settings["relevant_gap"], percent=percent).lstrip("+") + (" points" if percent else "")
    level = f"{100 * audit.settings['level']:g} %"
    rate = audit.measure.rate
    lower, higher = {
        "better": ("disadvantaged", "advantaged"),
        "worse": ("advantaged", "disadvantaged"),
        "neutral": ("below", "above"),
    }[audit.direction]
    return [
        (
            lower,
            f"The group's {rate} is shown to be lower than everybody's: the {level} interval lies below 0.",
        ),
        (higher, f"The group's {rate} is shown to be higher than everybody's: the interval lies above 0."),
        ("no relevant difference", f"The interval includes 0 and lies within ± {gap}."),
        ("not enough evidence", "The data allows neither statement. This is not a finding of fairness."),
    ]


def _facts(audit: Audit, rows: str) -> list[tuple[str, str]]:
    settings, data = audit.settings, audit.data
    explained = audit.explained
    facts = [
        ("Data", f"{data['source']}, {rows} rows"),
        ("Attribute", f"{settings['sensitive']}, from {data['low']:g} to {data['high']:g}"),
        (
            "Outcome",
            settings["outcome"] + (f", compared with {settings['truth']}" if settings["truth"] else ""),
        ),
        (
            "Measure",
            f"{settings['measure']} ({settings['rate']}); a higher value is {settings['higher_is']} for the person"
            if settings["higher_is"] != "neutral"
            else f"{settings['measure']} ({settings['rate']})",
        ),
        (
            "Groups",
            "given in advance"
            if settings["groups_given"]
            else f"{audit.partition.n_groups} ranges with the largest variance of Φ, exact search",
        ),
        (
            "Variance of Φ",
            f"{audit.variance:.4g}"
            + (
                f"; the groups capture {100 * explained:.0f} % of the dependence on {settings['sensitive']}"
                if math.isfinite(explained)
                else ""
            ),
        ),
        (
            "Intervals",
            {"band": "band over all ranges", "split": "honest split", "plugin": "plug-in (delta method)"}[
                settings["inference"]
            ]
            + f", level {100 * settings['level']:g} %",
        ),
        ("Made with", f"fairgroups {audit.to_dict()['library_version']}"),
    ]
    if settings["weight"]:
        facts.insert(3, ("Weights", settings["weight"]))
    return [(name, str(value)) for name, value in facts]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
