"""SQL as text: names and values quoted, queries that only read, addresses without their passwords."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fairgroups.errors import InputError

__all__ = ["WHOLE_ROW", "one_query", "quoted", "sql_number", "sql_row", "sql_text", "sql_value", "without_password"]

WHOLE_ROW = "(row)"  # in place of a column: all that is known of a person


def quoted(name: str) -> str:
    """Quote a column's name for SQL, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def without_password(text: str) -> str:
    """Return a text, such as an address, without the password that it may hold; all before the last @ counts as one."""
    text = re.sub(r"(://[^:/@\s]*):.*@", r"\1:***@", text)
    return re.sub(r"(password=)[^&\s]+", r"\1***", text, flags=re.IGNORECASE)


def one_query(sql: str) -> str:
    """Return a query without its last semicolon; refuse none and several, of which only the last would be run."""
    query = sql.strip().rstrip(";").strip()
    if not query:
        raise InputError("the query is empty.", "--sql 'SELECT age, hired FROM data'")
    bare = re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", " ", query, flags=re.DOTALL)
    if ";" in bare:
        raise InputError("a query must be one statement.", "leave out the semicolon and what follows it.")
    if not re.match(
        r"\s*(\(|select|with|from|values|table|pivot|unpivot|describe|summarize)\b|\s*\(", bare, flags=re.IGNORECASE
    ):
        raise InputError("a query must begin with SELECT or WITH.", "data is only read, never changed.")
    return query


def sql_value(name: str) -> str:
    """Write a column as a number, its name quoted whatever it holds."""
    return f"CAST({quoted(name)} AS DOUBLE PRECISION)"


def sql_row(columns: Sequence[str]) -> str:
    """Write all values of a row as one text, numbers alike whether they are read as such or as text."""
    texts = [f"CAST({quoted(name)} AS VARCHAR)" for name in columns]
    said = [f"COALESCE(CAST(TRY_CAST(trim({text}) AS DOUBLE) AS VARCHAR), {text}, '')" for text in texts]
    return f"concat_ws(chr(31), {', '.join(said)})"


def sql_number(x: float) -> str:
    """Write a number so that DuckDB and PostgreSQL read the very same double."""
    # With an exponent DuckDB reads a double, not a decimal; both engines then find the very same number.
    return repr(x) if "e" in repr(x) else f"{x!r}e0"


def sql_text(value: str) -> str:
    """Return a text as SQL, its quotes doubled."""
    return "'" + value.replace("'", "''") + "'"
