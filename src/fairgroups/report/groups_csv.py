"""The groups of an audit as CSV."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit

__all__ = ["groups_as_csv"]


def groups_as_csv(audit: Audit) -> str:
    """Write one line per group, and of several rates per group and rate."""
    parts = audit.parts or (audit,)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["measure", *audit.records[0]])
    for part in parts:
        for record in part.records:
            writer.writerow([part.measure.name, *(_cell(value) for value in record.values())])
    return text.getvalue()


def _cell(value: Any) -> Any:
    """Leave out what is not known, and keep spreadsheets from taking a label for a formula."""
    if isinstance(value, float) and math.isnan(value):
        return ""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
