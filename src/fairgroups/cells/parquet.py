"""Cells as Parquet files: what a machine ships instead of its rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairgroups.cells.moments import SUMS, Moments
from fairgroups.errors import InputError, OutputError, SchemaError
from fairgroups.measures import RATES
from fairgroups.output import replacing

if TYPE_CHECKING:
    from fairgroups.cells.cells import Cells

__all__ = ["read_cells", "write_cells"]

SCHEMA, SCHEMA_VERSION = "fairgroups/cells", 4


def write_cells(cells: Cells, path: str | Path) -> None:
    """Write cells, to be added to others or searched elsewhere."""
    import duckdb

    own = [name for name in cells.measures if RATES.get(name) != cells.measures[name]]
    if own:
        raise InputError(f"{own[0]!r} is a measure of your own, which a file cannot hold.", "add the cells in memory.")
    n = cells.rows.size
    pad = n - len(cells)  # the cell of missing values
    columns: dict[str, Any] = {
        name: np.append(getattr(cells, name), [np.nan] * pad) for name in ("edges", "first", "last")
    }
    columns["rows"] = cells.rows
    for name in cells.moments:
        for kind, moments in (("", cells.moments[name]), (".tail", cells.tails[name])):
            columns |= {f"{name}.{part}{kind}": np.asarray(getattr(moments, part), dtype=np.float64) for part in SUMS}
    if cells.counts is not None:
        columns |= {f"counts.{t}{y}": cells.counts[:, t, y] for t in (0, 1) for y in (0, 1)}
    about = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "name": cells.name,
        "measures": {name: [m.low, m.high, m.offset] for name, m in cells.moments.items()},
        "distinct": cells.distinct,
        "missing": cells.missing,
        "low": cells.low,
        "high": cells.high,
        "dropped": dict(cells.dropped),
    }
    with replacing(path) as temporary, duckdb.connect() as connection:
        connection.register("fairgroups_cells", columns)
        target = str(temporary).replace("'", "''")
        text = json.dumps(about).replace("'", "''")
        try:
            connection.execute(
                f"COPY (FROM fairgroups_cells) TO '{target}' (FORMAT parquet, KV_METADATA {{fairgroups: '{text}'}})"
            )
        except duckdb.IOException as error:
            raise OutputError(f"cannot write {Path(path).name!r}: {error}") from error


def read_cells(path: str | Path) -> Cells:
    """Read cells that `write_cells` wrote."""
    import duckdb

    from fairgroups.cells.cells import Cells

    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no file {str(file)!r}.", "write one with Cells.to_parquet.")
    try:
        with duckdb.connect() as connection:
            query = "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'fairgroups'"
            found = connection.execute(query, [str(file)]).fetchall()
            about = json.loads(bytes(found[0][0]).decode()) if found else {}
            if about.get("schema") != SCHEMA or about.get("schema_version") != SCHEMA_VERSION:
                raise SchemaError(f"{file.name!r} holds no cells of this version.", "write it with Cells.to_parquet.")
            data = {k: np.ma.getdata(v) for k, v in connection.read_parquet(str(file)).fetchnumpy().items()}
        n = data["rows"].size - bool(about["missing"])
        moments, tails = (
            {
                name: Moments(
                    **{part: data[f"{name}.{part}{kind}"] for part in SUMS}, low=low, high=high, offset=offset
                )
                for name, (low, high, offset) in about["measures"].items()
            }
            for kind in ("", ".tail")
        )
        counts = None
        if "counts.00" in data:
            counts = np.stack([np.stack([data[f"counts.{t}{y}"] for y in (0, 1)], -1) for t in (0, 1)], 1)
        return Cells(
            name=about["name"],
            edges=data["edges"][:n],
            first=data["first"][:n],
            last=data["last"][:n],
            rows=data["rows"].astype(np.int64),
            measures={name: RATES[name] for name in about["measures"]},
            moments=moments,
            tails=tails,
            counts=None if counts is None else counts.astype(np.int64),
            distinct=bool(about["distinct"]),
            missing=bool(about["missing"]),
            low=float(about["low"]),
            high=float(about["high"]),
            dropped=about["dropped"],
        )
    except (duckdb.Error, KeyError, ValueError, TypeError) as error:
        if isinstance(error, SchemaError):
            raise
        raise SchemaError(f"{file.name!r} cannot be read: {error}", "write it with Cells.to_parquet.") from error
