"""Files, folders and database tables, read by an embedded DuckDB, or by Ibis where a server holds them.

Nothing is loaded that is not needed, and what is larger than memory is counted where it lies.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from numpy.typing import NDArray

from fairgroups.errors import ColumnError, InputError

__all__ = [
    "LARGE",
    "NOT_A_VALUE",
    "Source",
    "count_of",
    "holds_text",
    "one_query",
    "quoted",
    "read_columns",
    "without_password",
]

NOT_A_VALUE = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]
LARGE = 2_000_000  # rows beyond which a table is counted where it is
_CSV_TYPES = ["BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR"]
_TEXT_FILES = {".csv", ".tsv", ".txt"}
_PARQUET_FILES = {".parquet", ".pq"}
_JSON_FILES = {".json", ".jsonl", ".ndjson"}
_ARROW_FILES = {".arrow", ".feather", ".ipc"}
_DATABASES = {".duckdb": "duckdb", ".ddb": "duckdb", ".sqlite": "sqlite", ".sqlite3": "sqlite"}
_SCHEMES = ("postgresql", "postgres", "sqlite", "duckdb")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True)
class Source:
    """Where a table is: a file, files by a pattern, a folder, or a table in a database.

    Parameters
    ----------
    location : str or Path
        A CSV, Parquet, JSON-lines or Arrow file; a pattern such as ``scores/*.parquet``; a folder of such files, its
        subfolders ``year=2025`` being columns; a DuckDB or SQLite file; or ``postgresql://host/database``. Passwords
        are best left to the environment (PGPASSWORD or a .pgpass file); one in an address is never shown.
    table : str, optional
        The table of a database.
    where : str, optional
        An SQL condition on the rows: ``"year = 2025"``.
    sql : str, optional
        A query to read instead; files are called ``data`` in it.
    memory_limit : str, optional
        The most memory that DuckDB may use, such as ``"1GB"``.

    Examples
    --------
    >>> from fairgroups import Source
    >>> Source("postgresql://ann:secret@host/scores", table="loans")
    Source('postgresql://ann:***@host/scores', table='loans')
    """

    location: str | Path
    table: str | None = None
    where: str | None = None
    sql: str | None = None
    memory_limit: str | None = None

    def __repr__(self) -> str:
        options = {name: getattr(self, name) for name in ("table", "where", "sql", "memory_limit")}
        said = "".join(f", {name}={value!r}" for name, value in options.items() if value is not None)
        return f"Source({self.name!r}{said})"

    @property
    def name(self) -> str:
        """Say where the table is, without a password."""
        text = str(self.location)
        if not self._is_address:
            return text if any(letter in text for letter in "*?[") else Path(text).name or text
        return without_password(text)

    @property
    def _is_address(self) -> bool:
        return isinstance(self.location, str) and _ADDRESS.match(self.location) is not None

    @property
    def is_database(self) -> bool:
        """Say whether a database holds the table."""
        return self._is_address or Path(self.location).suffix.lower() in _DATABASES

    @contextmanager
    def opened(
        self, wanted: Sequence[str] = (), *, as_text: bool = False, text: Sequence[str] = (), verbose: bool = False
    ) -> Iterator[tuple[Any, Any]]:
        """Open the table as a relation of DuckDB or a table of Ibis, in a connection that closes with it.

        Parameters
        ----------
        wanted : sequence of str
            Columns that must be there.
        as_text : bool
            Leave the columns of a CSV file as they are written.
        text : sequence of str
            Leave these as they are written.
        verbose : bool
            Show DuckDB's progress bar.
        """
        import duckdb

        try:
            if self.is_database:
                with self._database() as (connection, relation):
                    _check_columns(relation, wanted)
                    yield connection, relation
                return
            with duckdb.connect() as connection:
                if self.memory_limit is not None:
                    connection.execute("SET memory_limit = ?", [self.memory_limit])
                    connection.execute("SET preserve_insertion_order = false")
                connection.execute(f"SET enable_progress_bar = {bool(verbose)}")
                relation = self._files(connection, wanted, as_text=as_text, text=text)
                if self.sql is not None:
                    relation.create_view("data")
                    relation = _queried(connection, self.sql)
                if self.where is not None:
                    relation = relation.filter(self.where)
                _check_columns(relation, wanted)
                yield connection, relation
        except duckdb.Error as error:
            said = " ".join(str(error).split())[:300]
            hint = "check that the file is complete."
            if isinstance(error, duckdb.OutOfMemoryException):
                hint = "allow more memory (--memory-limit), or read fewer columns."
            elif isinstance(error, duckdb.CatalogException | duckdb.BinderException) and self.is_database:
                hint = "check the name of the table."
            if "Memory must" in said:
                raise InputError(f"no amount of memory: {self.memory_limit!r}.", "1GB, 500MB") from error
            if self.where is not None or self.sql is not None:
                hint = "check the query: columns in \"double quotes\", text in 'single ones'."
            raise InputError(f"cannot read {self.name!r}: {said}", hint) from error

    def _files(self, connection: Any, wanted: Sequence[str], *, as_text: bool, text: Sequence[str]) -> Any:
        path = Path(self.location)
        if self.table is not None:
            raise InputError(f"{path.name!r} is no database, so it has no table {self.table!r}.", "leave it out.")
        if not path.exists() and any(letter in str(path) for letter in "*?["):
            from glob import glob

            if not glob(str(path), recursive=True):  # noqa: PTH207  a whole pattern, with its folders
                raise InputError(f"no file is called {path.name!r}.", "check the pattern and the folder.")
            return _several(connection, str(path), path.name)
        if not path.exists():
            raise InputError(f"there is no file {str(path)!r}.", "check the path; quote it if it holds spaces.")
        if path.is_dir():
            return _folder(connection, path)
        if not path.is_file():
            raise InputError(f"{str(path)!r} is not a file.", "name a .csv, .tsv or .parquet file.")
        if path.stat().st_size == 0:
            raise InputError(f"{path.name!r} is empty.")
        if holds_text(path):
            return _read_csv(connection, path, wanted, as_text=as_text, text=text)
        return _several(connection, _literal(path), path.name)

    @contextmanager
    def _database(self) -> Iterator[tuple[Any, Any]]:
        """Open a database, to read only."""
        kind, path = self._kind()
        if self.table is None and self.sql is None:
            raise InputError(f"{self.name!r} is a database.", "name its table (--table), or a query (--sql).")
        if kind == "duckdb":
            import duckdb

            _check_file(path)
            with duckdb.connect(path, read_only=True) as connection:
                given = self.sql is not None
                relation = _queried(connection, str(self.sql)) if given else connection.table(str(self.table))
                yield connection, relation.filter(self.where) if self.where is not None else relation
            return
        try:
            import ibis
        except ImportError:
            raise InputError(
                f"{kind} needs Ibis to be read.", "pip install 'fairgroups[sql]', or export the table to Parquet."
            ) from None
        if kind == "sqlite":
            _check_file(path)
        backend = None
        try:
            address = re.sub(r"^[a-zA-Z]+://", "postgres://", str(self.location))
            backend = ibis.sqlite.connect(path) if kind == "sqlite" else ibis.connect(address)
            _read_only(backend, kind)
            if self.sql is None and self.where is None and kind != "sqlite":
                found = backend.table(str(self.table))
            else:
                query = one_query(self.sql) if self.sql is not None else f"SELECT * FROM {quoted(str(self.table))}"  # noqa: S608
                if self.where is not None:
                    query = f"SELECT * FROM ({query}) AS data WHERE {self.where}"  # noqa: S608
                found = backend.sql(query, schema=_schema(backend, kind, query))
        except InputError:
            if backend is not None:
                backend.disconnect()
            raise
        except Exception as error:  # noqa: BLE001  whatever a database says may hold the address
            if backend is not None:
                backend.disconnect()
            raise InputError(f"cannot read {self.name!r}: {self._cleaned(error)}", "check address and table.") from None
        try:
            yield backend, found
        finally:
            backend.disconnect()

    def _kind(self) -> tuple[str, str]:
        text = str(self.location)
        if not self._is_address:
            return _DATABASES[Path(text).suffix.lower()], text
        scheme = text.split("://", 1)[0].lower()
        if scheme not in _SCHEMES:
            raise InputError(
                f"{scheme}:// addresses are not read.",
                "postgresql://, sqlite:// and duckdb:// are; download other files first.",
            )
        return ("postgresql" if scheme.startswith("postgres") else scheme), text.split("://", 1)[1].removeprefix("/")

    def _cleaned(self, error: Exception) -> str:
        """Write an error without the password of the address."""
        said = " ".join(str(error).split())[:300]
        given = re.search(r"://[^:/@\s]*:(.*)@", str(self.location)) if self._is_address else None
        for secret in (given and given[1], given and unquote(given[1]), os.environ.get("PGPASSWORD")):
            said = said.replace(secret, "***") if secret else said
        return said


def _check_columns(relation: Any, wanted: Sequence[str]) -> None:
    for name in wanted:
        if name not in relation.columns:
            raise ColumnError(name, relation.columns)


def _check_file(path: str) -> None:
    if not Path(path).is_file():
        raise InputError(f"there is no file {path!r}.", "check the path.")


def _read_only(backend: Any, kind: str) -> None:
    """Let a connection read only."""
    if kind == "sqlite":
        backend.con.execute("PRAGMA query_only = ON")
        return
    with backend.con.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    backend.con.commit()


def _schema(backend: Any, kind: str, query: str) -> dict[str, str]:
    """Give the columns of a query and what they hold, as far as it matters here."""
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


def _queried(connection: Any, sql: str) -> Any:
    """Run a query that only reads."""
    import duckdb

    query = one_query(sql)
    (statement,) = connection.extract_statements(query)
    if statement.type != duckdb.StatementType.SELECT:
        raise InputError("a query must be a SELECT.", "data is only read, never changed.")
    return connection.sql(query)


def _several(connection: Any, files: str | list[str], name: str) -> Any:
    """Read files of one kind: a list of them, or a pattern."""
    kind = _kind_of(Path(files if isinstance(files, str) else files[0]))
    if kind == "Parquet":
        return connection.read_parquet(files, hive_partitioning=True, union_by_name=True)
    if kind == "CSV":
        options = {"sample_size": -1, "na_values": NOT_A_VALUE, "auto_type_candidates": _CSV_TYPES}
        return connection.read_csv(files, union_by_name=True, hive_partitioning=True, **options)
    if kind == "JSON":
        return connection.read_json(files)
    if kind == "Arrow":
        return _read_arrow(connection, files, name)
    raise InputError(
        f"cannot tell the format of {name!r}.",
        "give .csv, .tsv, .parquet, .jsonl or .arrow files (.csv.gz is fine).",
    )


def _read_arrow(connection: Any, pattern: str | list[str], name: str) -> Any:
    try:
        import pyarrow.dataset as arrow
    except ImportError:
        raise InputError("Arrow files need pyarrow.", "pip install pyarrow, or write Parquet.") from None
    from glob import glob

    patterns = [pattern] if isinstance(pattern, str) else pattern
    files = sorted(file for one in patterns for file in glob(one))  # noqa: PTH207  a whole pattern, with its folders
    if not files:
        raise InputError(f"no file is called {name!r}.", "check the pattern.")
    try:
        return connection.from_arrow(arrow.dataset(files, format="ipc"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {name!r}: {error}", "check that the file is complete.") from error


def _folder(connection: Any, path: Path) -> Any:
    """Read a folder of files of one kind, and its subfolders; hidden files are passed over."""
    found: dict[str, list[Path]] = {}
    for file in path.rglob("*"):
        hidden = any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
        if file.is_file() and not hidden and (kind := _kind_of(file)):
            found.setdefault(kind, []).append(file)
    if not found:
        raise InputError(f"the folder {str(path)!r} holds no .csv, .parquet, .jsonl or .arrow file.")
    if len(found) > 1:
        kinds = " and ".join(f"{len(files)} {kind} file(s)" for kind, files in sorted(found.items()))
        raise InputError(f"the folder {path.name!r} holds {kinds}.", f"name those to read: '{path.name}/*.parquet'.")
    ((_, files),) = found.items()
    return _several(connection, [_literal(file) for file in sorted(files)], path.name)


def _kind_of(path: Path) -> str | None:
    suffixes = {suffix.lower() for suffix in path.suffixes[-2:]}
    kinds = {"Parquet": _PARQUET_FILES, "CSV": _TEXT_FILES, "JSON": _JSON_FILES, "Arrow": _ARROW_FILES}
    return next((kind for kind, known in kinds.items() if suffixes & known), None)


def read_columns(
    source: Source, names: Sequence[str], *, most: int | None = None, seed: int = 0, text: Sequence[str] = ()
) -> tuple[dict[str, NDArray[Any]], int]:
    """Read columns of files into memory; of more than `most` rows, so many drawn at random. Also count the rows.

    `text` columns are left as they are written.
    """
    wanted = list(dict.fromkeys(names))
    with source.opened(wanted, text=text) as (connection, relation):
        chosen = relation.project(", ".join(map(quoted, wanted)))
        total = -1 if most is None else count_of(relation)
        if most is not None and total > most:
            connection.execute("SET threads = 1")  # the same rows each time
            chosen.create_view("fairgroups_chosen")
            query = f"SELECT * FROM fairgroups_chosen USING SAMPLE reservoir({int(most)} ROWS) REPEATABLE ({int(seed)})"  # noqa: S608
            return dict(connection.sql(query).fetchnumpy()), total
        columns = dict(chosen.fetchnumpy())
        return columns, len(next(iter(columns.values())))


def without_password(text: str) -> str:
    """Give a text, such as an address, without the password that it may hold; all before the last @ counts as one."""
    text = re.sub(r"(://[^:/@\s]*):.*@", r"\1:***@", text)
    return re.sub(r"(password=)[^&\s]+", r"\1***", text, flags=re.IGNORECASE)


def one_query(sql: str) -> str:
    """Give a query without its last semicolon; refuse none, and more than one, for only the last would be looked at."""
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


def count_of(relation: Any) -> int:
    """Count the rows of a DuckDB relation."""
    return int(relation.aggregate("count(*)").fetchall()[0][0])


def holds_text(path: Path) -> bool:
    """Say whether a file is named as one of separated values."""
    return bool(_TEXT_FILES & {suffix.lower() for suffix in path.suffixes[-2:]})


def quoted(name: str) -> str:
    """Quote a column's name for SQL, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def _literal(path: Path) -> str:
    """Write a path so that DuckDB takes it as it is, not as a pattern."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def _read_csv(connection: Any, path: Path, wanted: Sequence[str], *, as_text: bool, text: Sequence[str]) -> Any:
    """Read a CSV file: types from all of it, yes/no left as text so that `positive` can name it."""
    import duckdb

    options: dict[str, Any] = {"sample_size": -1, "na_values": NOT_A_VALUE, "auto_type_candidates": _CSV_TYPES}
    if as_text:
        options = {"all_varchar": True}
    try:
        relation = connection.read_csv(_literal(path), **options)
        if kept := [name for name in text if name in relation.columns]:
            relation = connection.read_csv(_literal(path), **options, dtype=dict.fromkeys(kept, "VARCHAR"))
    except duckdb.Error as error:
        if "utf-8" not in str(error).lower():
            raise
        raise InputError(
            f"{path.name!r} is not written in UTF-8.", f"convert it: iconv -f latin1 -t utf-8 {path.name!r} > new.csv"
        ) from error
    if set(wanted) <= set(relation.columns) or path.suffix.lower() == ".gz":
        return relation
    _name_bad_row(path)
    return relation


def _name_bad_row(path: Path) -> None:
    """Say which row does not fit the header: it has misled the guess of the delimiter."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        header = file.readline()
        delimiter = max(",;\t|", key=header.count)
        file.seek(0)
        rows = csv.reader(file, delimiter=delimiter)
        width = len(next(rows, []))
        for row in rows:
            if width > 1 and row and len(row) != width:
                raise InputError(
                    f"line {rows.line_num} of {path.name!r} has {len(row)} fields, the header has {width}.",
                    "correct or remove that line.",
                )
