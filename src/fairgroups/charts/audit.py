"""Which picture of an audit is meant by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairgroups.charts.checks import amplification_chart, selection_chart, stability_chart, together_chart
from fairgroups.charts.classes import class_chart
from fairgroups.charts.comparisons import over_time_chart, since_chart
from fairgroups.charts.line import people_chart, phi_chart, rate_chart
from fairgroups.charts.measurement_error import corrected_chart
from fairgroups.charts.plane import plane_chart
from fairgroups.charts.reasons import equal_chart, reasons_chart
from fairgroups.charts.style import shown_offline
from fairgroups.errors import InputError
from fairgroups.options import one_of

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit

__all__ = ["chart_of"]

CHARTS = {
    "rate": rate_chart,
    "differences": phi_chart,
    "people": people_chart,
    "selection": selection_chart,
    "borders": stability_chart,
    "together": together_chart,
    "amplification": amplification_chart,
    "reasons": reasons_chart,
    "equal": equal_chart,
    "corrected": corrected_chart,
    "since": since_chart,
    "over_time": over_time_chart,
}


def chart_of(audit: Audit, what: str) -> Any:
    """Return the picture of that name; see `Audit.plot`."""
    one_of(what, "what", tuple(CHARTS))
    if what in ("reasons", "equal") and (audit.reasons is None or (what == "equal" and not audit.partition.is_line)):
        raise InputError(
            f"the picture {what!r} is of an audit at equal factors{' by one number' if what == 'equal' else ''}.",
            "name factors: audit(…, given=['education']).",
        )
    if what == "rate" and not audit.data.along:
        return shown_offline(plane_chart(audit) if len(audit.partition.columns) > 1 else class_chart(audit))
    return shown_offline(CHARTS[what](audit))
