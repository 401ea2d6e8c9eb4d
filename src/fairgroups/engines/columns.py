"""Columns of a lazy frame under names of our own, whatever the user calls theirs: dots, stars, patterns, ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["under_names"]


def under_names(frame: Any, names: Mapping[str, str]) -> Any:
    """Give the columns that `names` maps our names to, in the frame's own engine.

    Parameters
    ----------
    frame : lazy frame
        Anything that narwhals takes.
    names : mapping
        New names, and the columns they stand for; a column may stand under several.
    """
    import narwhals as nw

    table = nw.from_native(frame)
    engine = table.implementation
    if engine is nw.Implementation.POLARS:
        import polars.selectors as cs

        return frame.select(*(cs.by_name(old).as_expr().alias(new) for new, old in names.items()))
    if engine is nw.Implementation.DUCKDB:
        quoted = {new: '"' + old.replace('"', '""') + '"' for new, old in names.items()}
        return frame.project(", ".join(f'{old} AS "{new}"' for new, old in quoted.items()))
    if engine is nw.Implementation.IBIS:
        return frame.select(**{new: frame[old] for new, old in names.items()})
    columns = list(table.collect_schema().names())
    at = {new: f"c{columns.index(old)}" for new, old in names.items()}
    if engine is nw.Implementation.PYSPARK:
        from pyspark.sql import functions as f

        placed = frame.toDF(*(f"c{i}" for i in range(len(columns))))
        return placed.select(*(f.col(place).alias(new) for new, place in at.items()))
    if engine is nw.Implementation.DASK:
        used = sorted(set(names.values()))
        placed = frame[used].rename(columns={old: f"c{columns.index(old)}" for old in used})
        return placed.assign(**{new: placed[place] for new, place in at.items()})[list(names)]
    return table.select(*(nw.col(old).alias(new) for new, old in names.items())).to_native()
