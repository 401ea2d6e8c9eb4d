"""Tables that were dropped on the page: kept in a folder of their own, and looked at."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fairgroups.errors import InputError
from fairgroups.quoting import quoted
from fairgroups.rows.column_values import is_missing
from fairgroups.scans.columns import read_column
from fairgroups.sources.source import Source, count_of

__all__ = ["ENDINGS", "DroppedTable", "look_at", "safe_name"]

ENDINGS = (
    *(".csv", ".tsv", ".txt", ".csv.gz", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".parquet", ".pq"),
    *(".json", ".jsonl", ".ndjson", ".arrow", ".feather", ".dta", ".sav", ".zsav", ".por", ".sas7bdat", ".xpt"),
)
LOOKED_AT = 100_000  # rows
MOST_COLUMNS = 500
LEVELS = 12


@dataclass(frozen=True)
class DroppedTable:
    """A file, and how it is to be read."""

    path: Path
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> Source:
        """The table."""
        return Source(self.path, **self.options)


def safe_name(name: str) -> str:
    """Return the name of a dropped file without folders and odd letters; refuse what is no table.

    Parameters
    ----------
    name : str
        As the browser gave it.

    Returns
    -------
    str
    """
    plain = re.sub(r"[^\w.\- ()]", "_", re.split(r"[/\\]", name)[-1]).strip(". ")[-100:]
    if not plain.lower().endswith(tuple(ENDINGS)):
        raise InputError(
            f"{name[:80]!r} is no table that can be read.",
            "drop a spreadsheet, a CSV file, or one of: " + " ".join(ENDINGS),
        )
    return plain


def look_at(table: DroppedTable) -> dict[str, Any]:
    """Return what a person should see of a table before choosing columns: rows, columns, examples, what was converted.

    Parameters
    ----------
    table : DroppedTable
        The file.

    Returns
    -------
    dict
        Plain data.
    """
    with table.source.opened() as opened:
        relation = opened.relation
        names = list(relation.columns)
        if len(names) > MOST_COLUMNS:
            raise InputError(
                f"the table has {len(names):,} columns; at most {MOST_COLUMNS} are shown here.", "drop fewer."
            )
        rows = count_of(relation)
        held = relation.limit(LOOKED_AT).project(", ".join(map(quoted, names))).fetchnumpy()
    columns = [_column(name, held[name]) for name in names]
    return {"name": table.path.name, "rows": rows, "columns": columns, "told": opened.told}


def _column(name: str, raw: Any) -> dict[str, Any]:
    check = read_column(raw, name).check
    known = [x for x in raw.tolist() if not is_missing(x)] if isinstance(raw, np.ndarray) else []
    texts = list(dict.fromkeys(str(x) for x in known))
    few = len(texts) <= LEVELS
    return {
        "name": name,
        "kind": check.kind,
        "distinct": check.distinct,
        "missing": check.missing,
        "values": check.values,
        "examples": sorted(texts)[:LEVELS] if few else texts[:3],
        "few": few,
        "protected": check.protected,
        "told": check.told,
        "codes": [f"{code:g}" for code in check.codes],
    }
