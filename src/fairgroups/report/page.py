"""An audit as one HTML page: the story first, then pictures to look at and to ask, then method and data."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from fairgroups.audits.remarks import certainty, direction_line, limit_lines, second_opinions
from fairgroups.charts.style import VERDICT_COLOURS, WIDE, fitting_svg, to_svg
from fairgroups.report.comparisons_section import comparison_sections
from fairgroups.report.explorer import explorer_data
from fairgroups.report.headline import first_sentence, key_figures
from fairgroups.report.measurement_error_section import corrected_lines, corrected_table, corrected_title
from fairgroups.report.pictures import (
    Picture,
    check_pictures,
    comparison_pictures,
    corrected_pictures,
    first_pictures,
    people_picture,
    reasons_pictures,
)
from fairgroups.report.reasons_section import reasons_lines, reasons_table, reasons_title
from fairgroups.report.scripts import data_script, scripts
from fairgroups.report.sections import (
    PAPER,
    cannot_say,
    data_facts,
    everybody_line,
    glossary,
    meanings,
    method_facts,
    rate_meaning,
    rate_table,
    ratio_name,
    title_of,
    versions,
)
from fairgroups.report.templates import css_text, fill
from fairgroups.words import amount, compared, counted, ratio_said, sentence, short_names, size

if TYPE_CHECKING:
    from fairgroups.audits.records import GroupRecord
    from fairgroups.audits.result import Audit, JointAudit
    from fairgroups.repair.tradeoff import Tradeoff

__all__ = ["render"]


def render(audit: Audit | JointAudit, *, repair: Tradeoff | None = None, command: str | None = None) -> str:
    """Write the page.

    Parameters
    ----------
    audit : Audit
        What was found.
    repair : Tradeoff, optional
        What repairs of the score would give and cost.
    command : str, optional
        The command line that made it.

    Returns
    -------
    str
    """
    settings, parts = audit.settings, audit.parts
    explorer = explorer_data(audit, _digits(audit))
    still = [picture for part in parts for picture in first_pictures(part)]
    lead, rest = first_sentence(audit.conclusion)
    code, policy = scripts(explorer=explorer is not None, frames=repair is not None)
    names = _long_names(audit)
    page = fill(
        "page.html",
        shorten=names,
        audit=audit,
        title=title_of(audit),
        print_title=css_text(title_of(audit)),
        lead=lead,
        rest=rest,
        figures=key_figures(audit),
        comparisons=[section for part in parts for section in _comparisons(part, several=len(parts) > 1)],
        certainty=certainty(audit),
        direction=direction_line(audit),
        limits=limit_lines(audit),
        unit=sentence(audit.data.unit),
        colours=VERDICT_COLOURS | {"worse": VERDICT_COLOURS["disadvantaged"], "better": VERDICT_COLOURS["advantaged"]},
        rates=rate_table(parts[0]),
        reasons=[
            *(_reasons(part) for part in parts if part.reasons is not None),
            *(_corrected(part) for part in parts if part.corrected is not None),
        ],
        whom=settings.whom,
        level=settings.percent_level,
        parts=[_groups(part) for part in parts],
        cannot=cannot_say(audit),
        notes=list(dict.fromkeys(note for part in parts for note in part.notes)),
        opinions=_opinions(audit),
        data=None if explorer is None else _script(data_script(_shortened(explorer, names), _digits(audit))),
        line=audit.partition.is_line,
        boxes=explorer is not None and explorer["kind"] == "plane" and explorer["measures"][0]["band"] is not None,
        fewest=settings.asked["min_cell"],
        several=explorer is not None and len(explorer["measures"]) > 1,
        still=[_drawn(picture, hidden=explorer is not None) for picture in still],
        charts=[_drawn(picture) for picture in [*people_picture(audit), *check_pictures(audit)]],
        repair=_repaired(repair),
        meanings=meanings(audit),
        data_facts=data_facts(audit),
        method_facts=method_facts(audit),
        glossary=glossary(audit, repaired=repair is not None),
        paper=PAPER,
        command=command,
        call=settings.call,
        versions=versions(),
        made=f"{dt.datetime.now(dt.UTC):%Y-%m-%d}",
        scripts=[_script(text) for text in code],
        policy=policy,
    )
    for long, short in names.items():  # pictures hold them, too
        page = page.replace(escape(long), escape(short)).replace(long, escape(short))
    return page


def _digits(audit: Audit | JointAudit) -> int:
    """Return how many digits tell the attribute's values apart: more for dates and times, which lie far from 0."""
    numeric = [a for a in audit.data.attributes if a.levels is None]
    wide = [(max(abs(a.low), abs(a.high)), a.high - a.low) for a in numeric]
    return 6 + max([math.ceil(math.log10(far / span)) for far, span in wide if span > 0 and far > span], default=0)


def _script(text: str) -> Any:
    """Mark a text as safe to stand in a script tag: our own scripts, and JSON without angle brackets."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


def _drawn(picture: Picture, *, hidden: bool = False) -> dict[str, Any]:
    # Our renderer escapes what it draws, so its SVG is safe to put in as it is.
    svg = to_svg(picture.chart, WIDE) if hidden else fitting_svg(picture.chart)  # where scripts draw it instead
    return {"title": picture.title, "caption": picture.caption, "svg": _script(svg)}


def _repaired(repair: Tradeoff | None) -> Any:
    """Return the section of repairs; what draws it is loaded only then."""
    if repair is None:
        return None
    from fairgroups.report.repair_page import repair_section

    return repair_section(repair)


def _comparisons(audit: Audit, *, several: bool) -> list[dict[str, Any]]:
    """Return what the audit was compared with, each with its table and picture."""
    drawn = comparison_pictures(audit)
    return [
        {
            "title": one.title + (f": {audit.measure.rate}" if several else ""),
            "said": one.said,
            "table": one.table,
            "charts": [_drawn(drawn[one.plot])] if one.plot in drawn else [],
        }
        for one in comparison_sections(audit)
    ]


def _long_names(audit: Audit | JointAudit) -> dict[str, str]:
    """Map names that are too long to be read to shorter ones."""
    names = [audit.settings.outcome_label, *(a.title for a in audit.data.attributes)]
    names += [getattr(audit.settings, role) for role in ("outcome", "truth", "weight", "cluster", "compare_with")]
    for attribute in audit.data.attributes:
        names += [attribute.name, *(attribute.levels or ())]
    names += [one.name for part in audit.parts for one in part.classes]
    return short_names(names)


def _shortened(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(item, names) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shortened(item, names) for item in value]
    if isinstance(value, str):
        for long, short in names.items():
            value = value.replace(long, short)
    return value


def _opinions(audit: Audit | JointAudit) -> list[str]:
    """List the second opinions; of several rates each under its name."""
    if len(audit.parts) == 1:
        return second_opinions(audit.parts[0])
    return [f"{sentence(part.measure.rate)}: {line}" for part in audit.parts for line in second_opinions(part)]


def _groups(audit: Audit) -> dict[str, Any]:
    """Return the table of groups for one rate."""
    percent = audit.data.percent
    return {
        "rate_name": sentence(audit.measure.rate),
        "ratio_name": ratio_name(audit),
        "ratios": audit.reasons is None,  # at equal factors none is computed
        "rows": [_row(record, i, audit) for i, record in enumerate(audit.records, 1)],
        "table_note": f"{rate_meaning(audit)} {everybody_line(audit)}"
        + (" Differences and intervals are in percentage points." if percent else ""),
    }


def _reasons(audit: Audit) -> dict[str, Any]:
    """Return what is said of factors that were held equal."""
    several = audit.settings.asked["measure"] == "equalized_odds"
    return {
        "short": "Reasons",
        "title": reasons_title(audit) + (f": {audit.measure.rate}" if several else ""),
        "lines": reasons_lines(audit),
        "table": reasons_table(audit),
        "charts": [_drawn(picture) for picture in reasons_pictures(audit)],
    }


def _corrected(audit: Audit) -> dict[str, Any]:
    """Return what is said of an attribute that was measured with error."""
    several = audit.settings.asked["measure"] == "equalized_odds"
    return {
        "short": "True values",
        "title": corrected_title(audit) + (f": {audit.measure.rate}" if several else ""),
        "lines": corrected_lines(audit),
        "table": corrected_table(audit),
        "charts": [_drawn(picture) for picture in corrected_pictures(audit)],
    }


def _row(record: GroupRecord, number: int, audit: Audit) -> dict[str, str]:
    percent = audit.data.percent
    numbered = not audit.partition.is_line
    phi, interval = compared(record.phi, record.low, record.high, percent=percent, alone=record.alone)
    least = record.detectable
    unshown = record.verdict in ("not enough evidence", "no relevant difference") and len(audit.records) > 1
    return {
        "least": ""
        if not unshown
        else _least(least, "difference" if audit.measure.direction == "neutral" else "disadvantage", percent),
        "label": f"{number}: {record.label}" if numbered else record.label,
        "n": counted(record.n, record.counted, weighted=audit.settings.weighted),
        "rate": amount(record.rate, percent=percent),
        "phi": phi,
        "interval": interval,
        "ratio": ratio_said(record.ratio, record.ratio_low, record.ratio_high),
        "verdict": record.verdict,
        "colour": VERDICT_COLOURS[record.verdict],
    }


def _least(value: float, what: str, percent: bool) -> str:
    if math.isnan(value):
        return f"no {what} has an 80 in 100 chance to be shown"
    return f"a {what} of {size(value, percent=percent)} would be shown in 80 of 100 such samples"
