"""A scan as one HTML page: what matters first, then every attribute beside the others, then the table's columns."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairgroups.charts.scan import small_picture
from fairgroups.charts.style import VERDICT_COLOURS, fitting_svg
from fairgroups.report.headline import first_sentence
from fairgroups.report.pictures import first_pictures
from fairgroups.report.sections import versions
from fairgroups.report.templates import fill
from fairgroups.scans.columns import LEAST_LEVEL
from fairgroups.scans.conclusion import (
    adds,
    cannot_say,
    certainty,
    evidence_said,
    limit_lines,
    people_said,
    steps_said,
)
from fairgroups.words import amount, compared, counted, how_many, listed, points, sentence, short_names, thousands

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit
    from fairgroups.scans.columns import ColumnCheck
    from fairgroups.scans.records import CurvePart, ScannedAttribute
    from fairgroups.scans.result import Scan

__all__ = ["checks_said", "render_scan", "scan_card", "scan_title"]

MOST_IN_CARD = 8
KINDS = {
    "number": "numbers",
    "category": "categories",
    "date": "dates",
    "text": "texts",
    "empty": "empty columns",
    "other": "others",
}


def scan_title(scan: Scan) -> str:
    """Return the title of the page."""
    return scan.title or f"Scan of {scan.data.outcome}: {scan.data.source}"


def render_scan(scan: Scan, *, command: str | None = None) -> str:
    """Write the page.

    Parameters
    ----------
    scan : Scan
        What was found.
    command : str, optional
        The command line that made it.

    Returns
    -------
    str
    """
    shown = [one for one in scan.attributes if one.shown]
    others = [one for one in scan.attributes if not one.shown]
    lead, rest = first_sentence(scan.conclusion)
    return fill(
        "scan.html",
        shorten=_long_names(scan),
        title=scan_title(scan),
        lead=lead,
        rest=rest,
        certainty=certainty(scan),
        limits=limit_lines(scan),
        steps=[steps_said(scan, step) for step in scan.steps],
        unit=sentence(scan.data.unit),
        rate=sentence(scan.data.rate),
        level=scan.data.percent_level,
        overall=amount(scan.data.overall, percent=scan.data.percent),
        everybody=scan.data.everybody,
        outcome=scan.data.outcome,
        given=scan.data.given,
        shown=[_attribute(scan, one) for one in shown],
        others=[_attribute(scan, one) for one in others],
        pairs=[_attribute(scan, one) for one in scan.pairs if one.shown],
        summary=_summary(scan),
        checks=checks_said(scan),
        columns=[_column(check, scan.data.converted) for check in scan.columns],
        cannot=cannot_say(scan),
        facts=_facts(scan),
        command=command,
        call=scan.call,
        versions=versions(),
        made=f"{dt.datetime.now(dt.UTC):%Y-%m-%d}",
    )


def scan_card(scan: Scan) -> str:
    """Write the finding and the first attributes, for a notebook."""
    rows = [_attribute(scan, one) for one in scan.attributes[:MOST_IN_CARD]]
    return fill(
        "scan_card.html",
        title=scan_title(scan),
        finding=scan.conclusion,
        certainty=certainty(scan),
        unit=sentence(scan.data.unit),
        level=scan.data.percent_level,
        rows=rows,
        more=len(scan.attributes) - len(rows),
    )


def _attribute(scan: Scan, one: ScannedAttribute) -> dict[str, Any]:
    from markupsafe import Markup

    percent, worst = scan.data.percent, one.worst
    verdict = one.verdict
    difference, interval = compared(worst.phi, worst.low, worst.high, percent=percent, alone=False)
    return {
        "name": one.said,
        "protected": ", ".join(one.protected),
        "picture": Markup(small_picture(scan, one)) if one.curve else "",  # noqa: S704  it holds no text of the data
        "place": one.place,
        "n": thousands(worst.n) if worst.inside <= worst.n else f"{thousands(worst.n)} of {thousands(worst.inside)}",
        "rate": amount(worst.rate, percent=percent),
        "raw": points(worst.raw, percent=percent),
        "difference": difference,
        "interval": interval,
        "verdict": verdict,
        "colour": VERDICT_COLOURS[verdict],
        "p": evidence_said(one),
        "adds": adds(scan, one),
        "step": one.step,
        "listed": _listed(scan, one),
        "more": [_place(scan, place) for place in one.more],
        "curve": [_stretch(scan, part) for part in one.curve],
        "audit": None if one.audit is None else _audit(one.audit),
    }


def _listed(scan: Scan, one: ScannedAttribute) -> str:
    """Say where an attribute stands on the short list: alone, or as one of a pair, whose place may be another."""
    if not one.step:
        return ""
    step = scan.steps[one.step - 1]
    return f"No. {one.step} on the short list" if step.names == one.names else f"In No. {one.step}: {step.said}"


def _place(scan: Scan, place: Any) -> str:
    ends = compared(place.phi, place.low, place.high, percent=scan.data.percent, alone=False)
    return f"{place.label}: {ends[0]} ({ends[1]}), {people_said(scan, place)}, {place.verdict}"


def _stretch(scan: Scan, part: CurvePart) -> dict[str, str]:
    return {"label": part.label, "n": thousands(part.n), "rate": amount(part.rate, percent=scan.data.percent)}


def _audit(audit: Audit) -> dict[str, Any]:
    from markupsafe import Markup

    rows = []
    for record in audit.records:
        phi, interval = compared(record.phi, record.low, record.high, percent=audit.data.percent, alone=record.alone)
        rows.append(
            {
                "label": record.label,
                "n": counted(record.n, record.counted, weighted=audit.settings.weighted),
                "rate": amount(record.rate, percent=audit.data.percent),
                "difference": phi,
                "interval": interval,
                "verdict": record.verdict,
                "colour": VERDICT_COLOURS[record.verdict],
            }
        )
    pictures = [
        {"title": picture.title, "caption": picture.caption, "svg": Markup(fitting_svg(picture.chart))}  # noqa: S704
        for picture in first_pictures(audit)[:1]
    ]
    return {
        "conclusion": audit.conclusion,
        "without": _without(audit),
        "rows": rows,
        "pictures": pictures,
        "call": audit.settings.call,
    }


def _without(audit: Audit) -> str:
    """Say who is left out of an audit because the attribute, or a factor, is not known."""
    said = {attribute.name: attribute.said for attribute in audit.data.attributes}
    given = audit.settings.asked.get("given") or ()
    said |= {name: name for name in ([given] if isinstance(given, str) else given)}
    left = [(column, audit.data.dropped.get(name, 0)) for name, column in said.items()]
    who = [
        f"{thousands(n)} {audit.data.unit if n > 1 else 'row'} whose {column} is not known" for column, n in left if n
    ]
    return f"Without the {listed(who)}." if who else ""


def _summary(scan: Scan) -> str:
    used = [check for check in scan.columns if check.used]
    kinds = Counter(check.kind for check in used)
    what = ", ".join(
        f"{n} {KINDS[kind] if n > 1 else KINDS[kind][:-1].replace('ie', 'y')}" for kind, n in kinds.items()
    )
    left = len(scan.columns) - len(used)
    known = [how_many(scan.data.n, "row"), f"{how_many(len(used), 'column')} looked at ({what})"]
    if left:
        known.append(f"{left} left out")
    return ", ".join(known) + "."


def checks_said(scan: Scan) -> list[str]:
    """Say of each column that was not taken as it is what was done."""
    out = list(scan.data.converted)
    for check in scan.columns:
        said = [check.told] if check.told else []
        if check.missing and check.used:
            few = check.missing < LEAST_LEVEL
            looked = "too few to be looked at" if few else "which is looked at as well"
            said.append(
                f"{thousands(check.missing)} {'row misses' if check.missing == 1 else 'rows miss'} it, {looked}."
            )
        if said:
            out.append(f"{check.name}: {' '.join(said)}")
    if scan.data.dropped:
        out.append(f"{thousands(scan.data.dropped)} rows that miss the outcome, or a weight or label, were left out.")
    return out


def _column(check: ColumnCheck, converted: Sequence[str]) -> dict[str, str]:
    read = [line.removeprefix(f"{check.name}: ") for line in converted if line.startswith(f"{check.name}: ")]
    return {
        "name": check.name,
        "kind": check.kind,
        "values": check.values,
        "distinct": thousands(check.distinct),
        "missing": thousands(check.missing + check.coded),
        "protected": check.protected or "",
        "done": check.told or sentence(" ".join(read)) or "used as it is",
    }


def _facts(scan: Scan) -> list[tuple[str, str]]:
    data = scan.data
    looked = len({one.names for one in scan.attributes})
    given = [("Held equal", f"{', '.join(data.given)}, in {thousands(data.strata)} strata")] if data.given else []
    return [
        ("Data", f"{data.source}, {thousands(data.n)} rows"),
        ("Outcome", f"{data.outcome}, {data.rate} {amount(data.overall, percent=data.percent)} for {data.everybody}"),
        *given,
        (
            "Looked at",
            f"{how_many(looked, 'column')}, {how_many(data.looked_at_pairs, 'pair')}",
        ),
        ("Cells", "numbers in up to 64 cells of equally many rows, 16 in pairs; sets of up to eight levels"),
        ("Fewest rows of a place", thousands(data.min_cell)),
        (
            "Confidence",
            (
                f"{data.percent_level} for everything together: outcomes were shuffled among "
                f"{'those alike' if data.given else 'all rows'}, with the same shuffles for every column"
            ),
        ),
    ]


def _long_names(scan: Scan) -> dict[str, str]:
    names = [scan.data.outcome, *(check.name for check in scan.columns), *(one.said for one in scan.attributes)]
    return short_names(names)
