"""Databases behind Ibis, opened to be read only: SQLite and PostgreSQL.

On PostgreSQL every transaction begins as a read-only one, whatever the session's default is turned to, and every
statement is prepared by the server, which takes one statement only: text that closes the query around it and begins
another is refused by the server's own reading of it. Functions that act outside transactions are refused by name.
"""

from __future__ import annotations

import re
from typing import Any

from fairgroups.errors import InputError
from fairgroups.quoting import quoted

__all__ = ["errors_of", "only_read", "refuse_acts", "schema_of"]

# Functions that a read-only transaction does not hold back: large objects, files, other sessions and servers, settings,
# and those that run a text as a query.
_ACTS = re.compile(
    r"\b(lo_(?:creat|create|unlink|import|export|put|open|truncate|truncate64|from_bytea|lseek|lseek64|close)|lowrite|"
    r"dblink\w*|pg_(?:terminate_backend|cancel_backend|reload_conf|rotate_logfile|switch_wal|promote|notify|sleep\w*|"
    r"advisory\w*|try_advisory\w*|file_\w+|write_\w+|read_\w+|ls_\w+|stat_file|logical\w*|replication\w*|"
    r"create_\w+|drop_\w+|copy_\w+|backup\w*|start_backup|stop_backup|wal_replay\w*|stat_reset\w*|import\w*|"
    r"export_snapshot|log_backend_memory_contexts)|set_config|setval|nextval|"
    r"(?:query|cursor|table|schema|database)_to_xml\w*|ts_stat|xpath_table|crosstab\w*|connectby)\b",
    re.IGNORECASE,
)


def only_read(backend: Any, kind: str) -> None:
    """Let a connection read only."""
    if kind == "sqlite":
        backend.con.execute("PRAGMA query_only = ON")
        return
    with backend.con.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    backend.con.commit()
    backend.con.read_only = True  # each transaction says so itself
    backend.con.prepare_threshold = 0  # each statement is prepared first, and only one can be


def errors_of(kind: str) -> type[Exception]:
    """Return what a database raises."""
    if kind == "sqlite":
        import sqlite3

        return sqlite3.Error
    import psycopg

    error: type[Exception] = psycopg.Error
    return error


def refuse_acts(text: str) -> None:
    """Refuse a query or condition that names a function which acts outside of transactions."""
    found = _ACTS.search(text)
    if found or re.search(r"\bU&\s*[\"']", text, re.IGNORECASE):
        what = f"the function {found[1]!r} may act" if found else "names written in escapes may hide functions that act"
        raise InputError(
            f"{what} on more than what it reads.",
            "data is only read, never changed: leave it out, or make a view of what you need.",
        )


def schema_of(backend: Any, kind: str, query: str) -> dict[str, str]:
    """Return the columns of a query and what they hold, as far as it matters here; nothing of PostgreSQL is run."""
    if kind == "sqlite":
        return _sqlite_schema(backend, query)
    refuse_acts(query)
    server = backend.con.pgconn
    for result in (server.prepare(b"", f"SELECT * FROM ({query}\n) AS data".encode()), server.describe_prepared(b"")):  # noqa: S608
        if result.error_message:
            said = result.error_message.decode(errors="replace")
            if "multiple commands" in said:
                raise InputError("a query must be one statement.", "leave out the semicolon and what follows it.")
            raise InputError(f"the server cannot read the query: {' '.join(said.split())[:300]}", "check the query.")
    types_of = {16: "boolean", 20: "int64", 21: "int64", 23: "int64", 700: "float64", 701: "float64", 1700: "float64"}
    columns = range(result.nfields)
    return {(result.fname(i) or b"").decode(): types_of.get(result.ftype(i), "string") for i in columns}


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
