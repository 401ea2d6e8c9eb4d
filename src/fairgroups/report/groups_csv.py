"""The groups of an audit as CSV."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from fairgroups.audits.records import GroupRecord

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit, JointAudit

__all__ = ["groups_as_csv"]


def groups_as_csv(audit: Audit | JointAudit) -> str:
    """Write one line per group, and of several rates per group and rate."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["measure", *(field.name for field in fields(GroupRecord))])
    for part in audit.parts:
        for record in part.records:
            writer.writerow([part.measure.name, *(_cell(value) for value in asdict(record).values())])
    return text.getvalue()


def _cell(value: Any) -> Any:
    """Leave out what is not known, and keep spreadsheets from taking a label for a formula."""
    if isinstance(value, float) and math.isnan(value):
        return ""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
