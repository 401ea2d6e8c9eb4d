"""The pictures of an audit, each with a title and a caption: for the page, and as files."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairgroups.charts.checks import amplification_chart, selection_chart, stability_chart
from fairgroups.charts.classes import class_chart
from fairgroups.charts.comparisons import over_time_chart, since_chart
from fairgroups.charts.line import people_chart, phi_chart, rate_chart, trend_ends
from fairgroups.charts.measurement_error import corrected_chart
from fairgroups.charts.plane import leaves_out, plane_chart
from fairgroups.charts.reasons import equal_chart, reasons_chart
from fairgroups.charts.style import COLOUR_NAMES, VERDICT_COLOURS, to_png, to_svg
from fairgroups.errors import InputError
from fairgroups.output import replacing
from fairgroups.words import sentence

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit, JointAudit

__all__ = [
    "Picture",
    "check_pictures",
    "comparison_pictures",
    "corrected_pictures",
    "first_pictures",
    "people_picture",
    "pictures",
    "reasons_pictures",
    "save_pictures",
]


@dataclass(frozen=True)
class Picture:
    """A chart with what it shows: `name` for a file, `title` and `caption` for a reader."""

    name: str
    title: str
    caption: str
    chart: Any


def pictures(audit: Audit | JointAudit) -> list[Picture]:
    """List every picture of an audit."""
    return [
        *(
            picture
            for part in audit.parts
            for picture in (
                *reasons_pictures(part),
                *corrected_pictures(part),
                *first_pictures(part),
                *comparison_pictures(part).values(),
            )
        ),
        *people_picture(audit),
        *check_pictures(audit),
    ]


def save_pictures(audit: Audit | JointAudit, folder: Path, kind: str) -> list[Path]:
    """Write every picture as a file of its own."""
    if kind not in ("svg", "png"):
        raise InputError(f"charts are written as 'svg' or 'png'; got {kind!r}.")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{str(folder)!r} is not a folder.", "name another one for the charts.")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for picture in pictures(audit):
        path = folder / f"{picture.name}.{kind}"
        with replacing(path) as temporary:
            drawn = to_svg(picture.chart).encode() if kind == "svg" else to_png(picture.chart)
            temporary.write_bytes(drawn)
        written.append(path)
    return written


def first_pictures(audit: Audit) -> list[Picture]:
    """Draw the rate with the groups, and each group's difference."""
    settings = audit.settings
    if audit.data.along:
        first: Any = rate_chart(audit)
        caption = (
            f"Dots: the observed rate along the attribute, larger for more {audit.data.unit}. Thick lines: a group's "
            f"rate; shaded: its {settings.percent_level} interval. Dashed: {audit.data.everybody}. {_colours(audit)}"
        )
        if audit.reasons is not None:
            caption = (
                f"Thick lines: each group less {settings.whom}; shaded: the {settings.percent_level} interval. Dots: "
                f"neighbours along the attribute less what {audit.data.unit} with their {audit.reasons.names} have. "
                f"Dashed: no difference. {_colours(audit)}"
            )
        if trend_ends(audit):
            caption = (
                f"Dots: the observed rate along the attribute, larger for more {audit.data.unit}. Thick lines: the "
                f"rates at both ends, between which the rate {audit.finding.trend.direction}. Dashed: "  # type: ignore[union-attr]
                f"{audit.data.everybody}."
            )
        attribute = audit.data.attributes[0]
        if attribute.shown != (attribute.low, attribute.high):
            caption += f" A few values of {attribute.said} lie beyond the picture."
    elif len(audit.partition.columns) == 1:
        first = class_chart(audit)
        caption = f"Marks: each group's rate. Lines: its interval. Dashed: {audit.data.everybody}."
        if audit.reasons is not None:
            caption = f"Marks: each group less {settings.whom}. Lines: the interval. Dashed: no difference."
    else:
        first = plane_chart(audit)
        caption = (
            "Colour: the observed rate, pale where it is close to that of all. Boxes: the groups, numbered as in the "
            "table."
        )
        if leaves_out(audit):
            least = settings.asked["min_cell"]
            caption += f" Hatched: not shown, as it would tell of fewer than {least} {audit.data.unit}."
        if len(settings.sensitive) > 3:
            caption += " Only the first three attributes are drawn."
    rate, by = audit.measure.rate, " and ".join(attribute.title for attribute in audit.data.attributes)
    of = "" if settings.outcome_said.lower() in rate.lower() else f" of {settings.outcome_label}"
    level = settings.percent_level
    suffix = "-" + re.sub(r"\W+", "-", audit.measure.name)
    whom = settings.whom
    title = f"{sentence(rate)}{of} by {by}"
    if audit.reasons is not None and len(audit.partition.columns) == 1:
        title = f"Difference from {whom} by {by}"
    drawn = [
        Picture(f"rate{suffix}", title, caption, first),
        Picture(
            f"difference{suffix}",
            f"Difference of each group from {whom}: {rate}",
            f"Marks: Φ, the group's rate minus that of {whom}. Lines: its {level} interval.",
            phi_chart(audit),
        ),
    ]
    if audit.reasons is not None and len(audit.partition.columns) > 1:
        return drawn[::-1]  # the map shows observed rates, the verdicts are about comparable people
    return drawn


def _colours(audit: Audit) -> str:
    """Say what the colours of the groups mean."""
    present = dict.fromkeys(record.verdict for record in audit.records)
    return " ".join(f"{COLOUR_NAMES[VERDICT_COLOURS[verdict]]}: {verdict}." for verdict in present)


def reasons_pictures(audit: Audit) -> list[Picture]:
    """Draw each group's difference split in two, and the rate at equal factors, where some were held equal."""
    reasons = audit.reasons
    if reasons is None or len(audit.records) < 2:
        return []
    suffix = "-" + re.sub(r"\W+", "-", audit.measure.name)
    level = audit.settings.percent_level
    drawn = [
        Picture(
            f"reasons{suffix}",
            f"What of each group's difference goes with {reasons.names}",
            f"Grey: what goes with the factors. Purple: what does not; the thin line is its {level} interval. "
            f"Diamonds: both together, the difference from {audit.data.everybody}.",
            reasons_chart(audit),
        )
    ]
    if audit.data.along:
        drawn.append(
            Picture(
                f"equal{suffix}",
                f"{sentence(audit.measure.rate)} at equal {reasons.names}",
                "Grey: the observed rate. Purple: everybody's, and what does not go with the factors. "
                f"Dashed: {audit.data.everybody}.",
                equal_chart(audit),
            )
        )
    return drawn


def corrected_pictures(audit: Audit) -> list[Picture]:
    """Draw the differences by the true values over the reliability, where the attribute was measured with error."""
    if audit.corrected is None or not audit.corrected.curve:
        return []
    suffix = "-" + re.sub(r"\W+", "-", audit.measure.name)
    return [
        Picture(
            f"corrected{suffix}",
            f"Differences by the true {audit.data.names}, by how reliable the measured values are",
            f"Marks: the reliability of this audit, with the {audit.settings.percent_level} interval. Lines: were it "
            f"another. At 1 the values are taken as they are. Dashed: {audit.data.everybody}.",
            corrected_chart(audit),
        )
    ]


def comparison_pictures(audit: Audit) -> dict[str, Picture]:
    """Draw what has changed since the baseline, and from period to period, where that is known; by their words."""
    suffix = "-" + re.sub(r"\W+", "-", audit.measure.name)
    found = {}
    if audit.since is not None and any(math.isfinite(change.harm) for change in audit.since.changes):
        caption = (
            f"Rings: the difference from {audit.data.everybody} in the baseline. Dots: now. Dashed: no difference."
        )
        found["since"] = Picture(f"since{suffix}", "Differences in the baseline and now", caption, since_chart(audit))
    if audit.over_time is not None:
        caption = (
            f"Marks: the difference from {audit.data.everybody} in each {audit.over_time.name}, with its interval. "
            "Dashed: none."
        )
        title = f"Differences by {audit.over_time.name}"
        found["over_time"] = Picture(f"over-time{suffix}", title, caption, over_time_chart(audit))
    return found


def people_picture(audit: Audit | JointAudit) -> list[Picture]:
    """Draw how many people there are along the attribute, with the borders of the groups."""
    if not audit.data.along:
        return []
    name, unit = audit.data.attributes[0].said, audit.data.unit
    return [
        Picture(
            "people",
            f"How many {unit} along {name}",
            f"Bars: {unit}. Lines: the groups' borders.",
            people_chart(audit.parts[0]),
        )
    ]


def check_pictures(joint: Audit | JointAudit) -> list[Picture]:
    """Draw the second opinions: the model against its labels, the number of groups, the borders."""
    audit = joint.parts[0]
    checks, level = audit.checks, audit.settings.percent_level
    line = audit.partition.is_line
    drawn = []
    if checks.amplification is not None:
        compared = checks.amplification
        effects = "; ".join(f"{r.label}: {r.effect}" for r in compared.records)
        what = "shares of yes" if audit.data.percent else "means"
        left = f"Left: the {what} of both along the attribute. Right: each" if line else "Each"
        caption = (
            f"{left} group's difference from {audit.data.everybody} in both; the line is the {level} interval of where "
            f"{compared.model} lies, paired row by row. What the model does to the difference of {effects}. "
            "Differences are in points: a model that says yes less often to everybody also shows smaller ones."
        )
        title = f"Model against truth: {what} in {compared.model} and {compared.base}"
        drawn.append(Picture("amplification", title, caption, amplification_chart(audit)))
    if audit.selection is not None and len(audit.selection.curve) > 1 and (audit.data.along or not line):
        drawn.append(Picture("number-of-groups", "How many groups", _chosen(audit), selection_chart(audit)))
    if checks.stability is not None and checks.stability.n_draws and audit.data.along:
        caption = (
            f"Ticks: the borders. Lines: where {level} of the borders fall when {audit.data.unit} are drawn again."
        )
        drawn.append(Picture("borders", "How firm the borders are", caption, stability_chart(audit)))
    return drawn


def _chosen(audit: Audit) -> str:
    assert audit.selection is not None
    return {
        "band": "The strongest evidence that a range inside a group differs from the rest of it, less what chance may "
        "give (roots of likelihood ratios). Diamond: the number chosen, the first with nothing shown any more (at or "
        "below the dashed line).",
        "cv": "Diamond: the number chosen, the fewest groups within one standard error (grey) of the least error.",
        "bic": "Diamond: the number chosen.",
    }[audit.selection.criterion]
