"""The groups of an audit, or the ranking of a scan, as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from fairgroups.audits.records import GroupRecord

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit, JointAudit

__all__ = ["as_csv", "groups_as_csv"]


def groups_as_csv(audit: Audit | JointAudit) -> str:
    """Write one line per group, and of several rates per group and rate."""
    names = ["measure", *(field.name for field in fields(GroupRecord))]
    rows = [
        dict(zip(names, [part.measure.name, *asdict(record).values()], strict=True))
        for part in audit.parts
        for record in part.records
    ]
    return as_csv(rows)


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write one line per row, below the names of its values."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow([_cell(value) for value in row.values()])
    return text.getvalue()


def _cell(value: Any) -> Any:
    """Leave out what is not known, and keep spreadsheets from taking a label for a formula."""
    if isinstance(value, float) and math.isnan(value):
        return ""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
