"""Files, folders and database tables, read by an embedded DuckDB, or by Ibis where a server holds them.

Nothing is loaded that is not needed, and what is larger than memory is counted where it lies.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from numpy.typing import NDArray

from fairgroups.errors import ColumnError, InputError
from fairgroups.output import own_folder
from fairgroups.quoting import WHOLE_ROW, one_query, quoted, sql_row, sql_text, without_password
from fairgroups.sources.ages import age_column, sql_age
from fairgroups.sources.databases import errors_of, only_read, schema_of
from fairgroups.sources.encodings import known_encoding
from fairgroups.sources.files import NOT_A_VALUE, FileReader
from fairgroups.sources.standard_input import STANDARD_INPUT, standard_input
from fairgroups.sources.written_dates import dates_from_text
from fairgroups.sources.written_numbers import numbers_from_text
from fairgroups.words import listed, sentence

__all__ = ["OpenTable", "Source", "count_of", "read_columns"]

_DATABASES = {".duckdb": "duckdb", ".ddb": "duckdb", ".sqlite": "sqlite", ".sqlite3": "sqlite"}
_SCHEMES = ("postgresql", "postgres", "sqlite", "duckdb")
NUMBERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
NUMBERS |= {"FLOAT", "DOUBLE"}
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True)
class OpenTable:
    """A table that is open: its connection and relation, what was converted, and how rows are numbered.

    Attributes
    ----------
    connection : connection of DuckDB, or backend of Ibis
        Closed with the table.
    relation : relation of DuckDB, or table of Ibis
        The rows.
    told : list of str
        What was decided and converted when it was read, in words.
    rows : sequence of int or None
        The number of each row as the user sees it; None where rows have none.
    """

    connection: Any
    relation: Any
    told: list[str] = field(default_factory=list)
    rows: Sequence[int] | None = None

    @contextmanager
    def naming_rows(self) -> Iterator[None]:
        """Name rows in errors as the user sees them."""
        try:
            yield
        except InputError as error:
            if error.row is None or self.rows is None or error.row >= len(self.rows):
                raise
            raise error.with_row(f"row {self.rows[error.row]} of the file") from None


@dataclass(frozen=True)
class Source:
    """Where a table is: a file, files by a pattern, a folder, or a table in a database.

    Parameters
    ----------
    location : str or Path
        A CSV, Excel, OpenDocument, Parquet, JSON-lines, Arrow, Stata, SAS or SPSS file; ``-`` for standard input; a
        pattern such as ``scores/*.parquet``; a folder of such files, its subfolders ``year=2025`` being columns; a
        DuckDB or SQLite file; or ``postgresql://host/database``. Passwords are best left to the environment
        (PGPASSWORD or a .pgpass file); one in an address is never shown.
    table : str, optional
        The table of a database.
    where : str, optional
        An SQL condition on the rows: ``"year = 2025"``.
    sql : str, optional
        A query to read instead; files are called ``data`` in it.
    memory_limit : str, optional
        The most memory that DuckDB may use, such as ``"1GB"``.
    sheet : str, optional
        The sheet of a workbook; the first that is filled, where it is not said.
    na : sequence of str
        What stands for a missing value in files, beside the usual marks: ``["unknown", "-9"]``.
    decimal : {".", ","}, optional
        The mark of decimals in numbers that are written as text, where the columns do not tell.
    strict : bool
        Refuse whatever would be converted: other encodings, numbers written as text, words for yes and no.
    encoding : str, optional
        In which letters text files are written, such as ``"cp1250"``; found by their bytes, where it is not said.

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
    sheet: str | None = None
    na: Sequence[str] = ()
    decimal: str | None = None
    strict: bool = False
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise InputError(f"`decimal` must be '.' or ','; got {self.decimal!r}.")
        if self.encoding is not None:
            known_encoding(self.encoding)
        na = [self.na] if isinstance(self.na, str) else list(self.na)
        object.__setattr__(self, "na", tuple(str(text).strip() for text in na))

    def __repr__(self) -> str:
        plain = [f for f in fields(self) if f.name != "location" and getattr(self, f.name) != f.default]
        said = "".join(f", {f.name}={getattr(self, f.name)!r}" for f in plain)
        return f"Source({self.name!r}{said})"

    @property
    def name(self) -> str:
        """Say where the table is, without a password."""
        text = str(self.location)
        if text == STANDARD_INPUT:
            return "standard input"
        if not self._is_address:
            return text if any(letter in text for letter in "*?[") else Path(text).name or text
        return without_password(text)

    @property
    def said(self) -> str:
        """Say where the table is, and which part of it is read."""
        parts = [self.name, f"table {self.table}" if self.table else "", f"sheet {self.sheet}" if self.sheet else ""]
        parts += [f"the query {self.sql}" if self.sql else "", f"rows where {self.where}" if self.where else ""]
        return ", ".join(" ".join(part.split()) for part in parts if part)

    @property
    def call(self) -> str:
        """Return the Python call that opens it again; a plain file is called data."""
        plain = all(getattr(self, f.name) == f.default for f in fields(self) if f.name != "location")
        return "data" if plain else f"fairgroups.{self!r}"

    @property
    def _is_address(self) -> bool:
        return isinstance(self.location, str) and _ADDRESS.match(self.location) is not None

    @property
    def is_database(self) -> bool:
        """Whether a database holds the table."""
        return self._is_address or Path(self.location).suffix.lower() in _DATABASES

    @contextmanager
    def opened(
        self, wanted: Sequence[str] = (), *, as_text: bool = False, text: Sequence[str] = (), verbose: bool = False
    ) -> Iterator[OpenTable]:
        """Open the table as a relation of DuckDB or a table of Ibis, in a connection that closes with it.

        Parameters
        ----------
        wanted : sequence of str
            Columns that must be there; ages from dates of birth among them, see `age_column`.
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
                for name in ("sheet", "na", "decimal", "encoding"):
                    if getattr(self, name):
                        raise InputError(f"`{name}` is for files, and {self.name!r} is a database.", "use --sql.")
                with self._database() as (connection, relation):
                    _check_columns(relation, wanted)
                    yield OpenTable(connection, relation)
                return
            with own_folder() as folder, duckdb.connect() as connection:
                if self.memory_limit is not None:
                    connection.execute("SET memory_limit = ?", [self.memory_limit])
                    connection.execute("SET preserve_insertion_order = false")
                connection.execute(f"SET enable_progress_bar = {bool(verbose)}")
                yield self._files(connection, folder, wanted, as_text=as_text, text=text)
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

    def refuse(self, told: Sequence[str]) -> None:
        """Refuse what was converted without being asked for, where the source is strict."""
        unasked = [line for line in told if not line.endswith("as asked.")]
        if self.strict and unasked:
            raise InputError(
                f"the table would not be read as it is. {' '.join(unasked)}",
                "change the file, or allow this by leaving out --strict.",
            )

    def _files(
        self, connection: Any, folder: Path, wanted: Sequence[str], *, as_text: bool, text: Sequence[str]
    ) -> OpenTable:
        path = Path(self.location)
        if self.table is not None:
            raise InputError(f"{path.name!r} is no database, so it has no table {self.table!r}.", "leave it out.")
        if str(self.location) == STANDARD_INPUT:
            path = standard_input()
        reader = FileReader(
            connection,
            folder,
            text=text,
            as_text=as_text,
            sheet=self.sheet,
            na=self.na,
            decimal=self.decimal,
            encoding=self.encoding,
        )
        queried = self.sql is not None or self.where is not None
        ages = [age for name in wanted if (age := age_column(name, sure=False))]
        if self.sql is None:  # else the query may make columns of others
            reader.wanted = [
                *(name for name in wanted if age_column(name, sure=False) is None),
                *(age.birth for age in ages),
            ]
            reader.text = [*text, *(age.birth for age in ages)]
        relation = reader.read(path)
        if self.sql is not None:
            relation.create_view("data")
            relation = _queried(connection, self.sql)
        if self.where is not None:
            relation = relation.filter(self.where)
        if not as_text:
            relation = self._converted(relation, wanted or list(relation.columns), text, reader)
        _check_columns(relation, wanted)
        self.refuse(reader.told)
        return OpenTable(connection, relation, reader.told, None if queried else reader.rows)

    def _converted(self, relation: Any, wanted: Sequence[str], text: Sequence[str], reader: FileReader) -> Any:
        """Return the table with missing values, numbers written as text, and ages, as they are meant."""
        names = [name for name in wanted if name in relation.columns]
        before = self._filled(relation, names, reader)
        relation = _without_codes(relation, wanted, self.na)
        also = None if self.sql is not None else reader.written
        looked = [name for name in wanted if name not in text]
        read, told = numbers_from_text(relation, looked, decimal=self.decimal, delimiter=reader.delimiter, also=also)
        dates, said = dates_from_text(relation, [name for name in looked if name not in read])
        read |= dates
        told += said
        for age in (age for name in wanted if name not in relation.columns and (age := age_column(name))):
            if age.birth not in relation.columns:
                raise ColumnError(age.birth, relation.columns)
            read[age.name], said = sql_age(relation, age)
            told += said
        if self.na:
            numbers = ", ".join(f"TRY_CAST({sql_text(code)} AS DOUBLE)" for code in self.na)
            read = {name: f"(CASE WHEN {x} IN ({numbers}) THEN NULL ELSE {x} END)" for name, x in read.items()}
        reader.told += told
        kept = [quoted(name) if name not in read else f"{read[name]} AS {quoted(name)}" for name in relation.columns]
        new = [f"{read[name]} AS {quoted(name)}" for name in read if name not in relation.columns]
        relation = relation.project(", ".join([*kept, *new])) if read else relation
        if self.na:
            coded = before - self._filled(relation, names)
            codes = listed([repr(text) for text in self.na])
            many = "no value is" if coded == 0 else "1 value is" if coded == 1 else f"{coded:,} values are"
            reader.tell(f"{sentence(many)} {codes}, to be taken as missing as asked.")
        return relation

    def _filled(self, relation: Any, names: Sequence[str], reader: FileReader | None = None) -> int:
        """Count the values of some columns that are there, where that is asked for; of a text file, as written."""
        if not self.na or not names:
            return 0
        there = ""
        if reader is not None and reader.written is not None and self.sql is None and self.where is None:
            relation, there = reader.written(), ", ".join(sql_text(text) for text in NOT_A_VALUE)
        asked = (
            f"count({x}) FILTER (WHERE {x} NOT IN ({there}))" if there else f"count({x})" for x in map(quoted, names)
        )
        return int(sum(relation.aggregate(", ".join(asked)).fetchall()[0]))

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
            only_read(backend, kind)
            if self.sql is None and self.where is None and kind != "sqlite":
                found = backend.table(str(self.table))
            else:
                query = one_query(self.sql) if self.sql is not None else f"SELECT * FROM {quoted(str(self.table))}"  # noqa: S608
                if self.where is not None:
                    query = f"SELECT * FROM ({query}\n) AS data WHERE {self.where}"  # noqa: S608
                found = backend.sql(query, schema=schema_of(backend, kind, query))
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
        except errors_of(kind) as error:  # the server may refuse a query only when it runs
            raise InputError(f"cannot read {self.name!r}: {self._cleaned(error)}", "check the query.") from None
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
            # Of a word only the whole: a password of one letter must not spoil the message.
            said = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "***", said) if secret else said
        return said


def _without_codes(relation: Any, wanted: Sequence[str], codes: Sequence[str]) -> Any:
    """Return the table with what stands for a missing value taken as one."""
    if not codes:
        return relation
    meant = ", ".join(sql_text(code) for code in codes)
    chosen = []
    for name, kind in zip(relation.columns, map(str, relation.types), strict=True):
        column = quoted(name)
        if name not in wanted:
            chosen.append(column)
        elif kind == "VARCHAR":
            lower = ", ".join(sql_text(code.strip().lower()) for code in codes)
            chosen.append(f"CASE WHEN lower(trim({column})) IN ({lower}) THEN NULL ELSE {column} END AS {column}")
        elif kind in NUMBERS or kind.startswith("DECIMAL"):
            numbers = ", ".join(f"TRY_CAST({sql_text(code)} AS DOUBLE)" for code in codes)
            chosen.append(f"CASE WHEN CAST({column} AS DOUBLE) IN ({numbers}) THEN NULL ELSE {column} END AS {column}")
        else:
            texts = f"CAST({column} AS VARCHAR) IN ({meant})" if kind != "BOOLEAN" else "false"
            chosen.append(f"CASE WHEN {texts} THEN NULL ELSE {column} END AS {column}")
    return relation.project(", ".join(chosen))


def _check_columns(relation: Any, wanted: Sequence[str]) -> None:
    for name in wanted:
        if name not in relation.columns:
            raise ColumnError(name, relation.columns)


def _check_file(path: str) -> None:
    if not Path(path).is_file():
        raise InputError(f"there is no file {path!r}.", "check the path.")


def _queried(connection: Any, sql: str) -> Any:
    """Run a query that only reads."""
    import duckdb

    query = one_query(sql)
    (statement,) = connection.extract_statements(query)
    if statement.type != duckdb.StatementType.SELECT:
        raise InputError("a query must be a SELECT.", "data is only read, never changed.")
    return connection.sql(query)


def read_columns(
    source: Source,
    names: Sequence[str],
    *,
    most: int | None = None,
    seed: int = 0,
    text: Sequence[str] = (),
    row: Sequence[str] = (),
    told: list[str] | None = None,
) -> tuple[dict[str, NDArray[Any]], int]:
    """Read columns of files into memory; of more than `most` rows, so many drawn at random. Also count the rows.

    `text` columns are left as they are written; the columns of `row` together make one more, `WHOLE_ROW`. What was
    converted is added to `told`.
    """
    wanted = list(dict.fromkeys(names))
    with source.opened([*wanted, *row], text=text) as table:
        connection, relation = table.connection, table.relation
        if told is not None:
            told += [line for line in table.told if line not in told]
        listed = [*map(quoted, wanted), *([f"{sql_row(row)} AS {quoted(WHOLE_ROW)}"] if row else [])]
        chosen = relation.project(", ".join(listed))
        total = -1 if most is None else count_of(relation)
        if most is not None and total > most:
            connection.execute("SET threads = 1")  # the same rows each time
            chosen.create_view("fairgroups_chosen")
            query = f"SELECT * FROM fairgroups_chosen USING SAMPLE reservoir({int(most)} ROWS) REPEATABLE ({int(seed)})"  # noqa: S608
            return dict(connection.sql(query).fetchnumpy()), total
        columns = dict(chosen.fetchnumpy())
        return columns, len(next(iter(columns.values())))


def count_of(relation: Any) -> int:
    """Count the rows of a DuckDB relation."""
    return int(relation.aggregate("count(*)").fetchall()[0][0])
