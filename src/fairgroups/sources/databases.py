"""Databases behind Ibis, opened to be read only: SQLite and PostgreSQL."""

from __future__ import annotations

from typing import Any

from fairgroups.sql import quoted

__all__ = ["only_read", "schema_of"]


def only_read(backend: Any, kind: str) -> None:
    """Let a connection read only."""
    if kind == "sqlite":
        backend.con.execute("PRAGMA query_only = ON")
        return
    with backend.con.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    backend.con.commit()


def schema_of(backend: Any, kind: str, query: str) -> dict[str, str]:
    """Return the columns of a query and what they hold, as far as it matters here."""
    if kind == "sqlite":
        return _sqlite_schema(backend, query)
    with backend.con.cursor() as cursor:
        cursor.execute(f"SELECT * FROM ({query}) AS data LIMIT 1")  # noqa: S608
        described = cursor.description
    backend.con.rollback()
    types_of = {16: "boolean", 20: "int64", 21: "int64", 23: "int64", 700: "float64", 701: "float64", 1700: "float64"}
    return {column.name: types_of.get(column.type_code, "string") for column in described}


def _sqlite_schema(backend: Any, query: str) -> dict[str, str]:
    """Look at every value: SQLite lets any column hold anything, whatever was declared."""
    names = [column[0] for column in backend.con.execute(f"SELECT * FROM ({query}) AS data LIMIT 0").description]  # noqa: S608
    kinds = ", ".join(
        f"max(typeof({quoted(name)}) = 'integer'), max(typeof({quoted(name)}) = 'real'), "
        f"max(typeof({quoted(name)}) IN ('text', 'blob'))"
        for name in names
    )
    found = backend.con.execute(f"SELECT {kinds} FROM ({query}) AS data").fetchone()  # noqa: S608
    out = {}
    for i, name in enumerate(names):
        whole, real, text = (bool(x) for x in found[3 * i : 3 * i + 3])
        if text and (whole or real):
            out[name] = "string"  # numbers among text are text
        else:
            out[name] = "string" if text else "int64" if whole and not real else "float64"
    return out
