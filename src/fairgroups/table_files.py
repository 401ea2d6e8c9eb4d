"""Small tables in memory → CSV or Parquet, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError, OutputError
from fairgroups.files import replacing

__all__ = ["check_table_path", "write_table"]

FORMATS = {".csv": "FORMAT csv, HEADER", ".parquet": "FORMAT parquet"}


def check_table_path(path: str | Path) -> None:
    """Refuse a target that no table can be written to, before any work is done for it."""
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise InputError(f"cannot write a table to {target.name!r}.", "name it .csv or .parquet.")
    if not target.resolve().parent.is_dir():
        raise InputError(f"there is no folder {str(target.parent)!r} to write into.", "create it first.")
    if target.is_dir():
        raise InputError(f"{str(target)!r} is a folder.", "name a file.")


def write_table(path: str | Path, columns: dict[str, NDArray[Any]]) -> None:
    """Write columns of equal length; numbers that are not known and empty texts become empty fields.

    Parameters
    ----------
    path : path
        Its suffix says the format: .csv or .parquet.
    columns : dict of arrays
        By name.
    """
    import duckdb

    check_table_path(path)
    plain = {f"c{i}": column for i, column in enumerate(columns.values())}
    chosen = []
    for (short, column), name in zip(plain.items(), columns, strict=True):
        quoted = '"' + name.replace('"', '""') + '"'
        if column.dtype.kind == "f":
            chosen.append(f"CASE WHEN isnan({short}) THEN NULL ELSE {short} END AS {quoted}")
        else:
            chosen.append(
                f"NULLIF(CAST({short} AS VARCHAR), '') AS {quoted}"
                if column.dtype == object
                else f"{short} AS {quoted}"
            )
    with replacing(path) as temporary, duckdb.connect() as connection:
        connection.register("fairgroups_table", {name: np.ascontiguousarray(x) for name, x in plain.items()})
        target = str(temporary).replace("'", "''")
        try:
            connection.execute(
                f"COPY (SELECT {', '.join(chosen)} FROM fairgroups_table) "  # noqa: S608  names are quoted
                f"TO '{target}' ({FORMATS[Path(path).suffix.lower()]})"
            )
        except duckdb.IOException as error:
            raise OutputError(f"cannot write {Path(path).name!r}: {error}") from error
