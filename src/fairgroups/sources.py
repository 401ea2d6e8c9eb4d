"""Files, read by an embedded DuckDB: CSV and Parquet, larger than memory where only a pass over them is needed."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from fairgroups.errors import ColumnError, InputError

__all__ = ["NOT_A_VALUE", "holds_text", "opened", "quoted", "read_columns"]

NOT_A_VALUE = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]
_CSV_TYPES = ["BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR"]
_TEXT_FILES = {".csv", ".tsv", ".txt"}


@contextmanager
def opened(
    path: Path, wanted: Sequence[str], *, as_text: bool = False, text: Sequence[str] = ()
) -> Iterator[tuple[Any, Any]]:
    """Open a file as a DuckDB relation, in a connection that closes with it; errors name the file.

    Parameters
    ----------
    path : Path
        A CSV or Parquet file.
    wanted : sequence of str
        Columns that must be there.
    as_text : bool
        Leave the columns of a CSV file as they are written.
    text : sequence of str
        Leave these as they are written.
    """
    import duckdb

    if not path.exists():
        raise InputError(f"there is no file {str(path)!r}.", "check the path; quote it if it holds spaces.")
    if not path.is_file():
        raise InputError(f"{str(path)!r} is not a file.", "name a .csv, .tsv or .parquet file.")
    if path.stat().st_size == 0:
        raise InputError(f"{path.name!r} is empty.")
    try:
        with duckdb.connect() as connection:
            if path.suffix.lower() in (".parquet", ".pq"):
                relation = connection.read_parquet(_literal(path))
            elif holds_text(path):
                relation = _read_csv(connection, path, wanted, as_text=as_text, text=text)
            else:
                raise InputError(
                    f"cannot tell the format of {path.name!r}.",
                    "give a .csv, .tsv or .parquet file (.csv.gz is fine).",
                )
            for name in wanted:
                if name not in relation.columns:
                    raise ColumnError(name, relation.columns)
            yield connection, relation
    except duckdb.Error as error:
        raise InputError(
            f"cannot read {path.name!r}: {' '.join(str(error).split())[:300]}", "check that the file is complete."
        ) from error


def read_columns(
    path: Path, names: Sequence[str], *, most: int | None = None, seed: int = 0, text: Sequence[str] = ()
) -> tuple[dict[str, NDArray[Any]], int]:
    """Read columns into memory; of more than `most` rows, so many drawn at random. Also count the rows.

    `text` columns are left as they are written.
    """
    wanted = list(dict.fromkeys(names))
    with opened(path, wanted, text=text) as (connection, relation):
        chosen = relation.project(", ".join(map(quoted, wanted)))
        total = -1 if most is None else int(relation.aggregate("count(*)").fetchall()[0][0])
        if most is not None and total > most:
            connection.execute("SET threads = 1")  # the same rows each time
            chosen.create_view("fairgroups_chosen")
            query = f"SELECT * FROM fairgroups_chosen USING SAMPLE reservoir({int(most)} ROWS) REPEATABLE ({int(seed)})"  # noqa: S608
            return dict(connection.sql(query).fetchnumpy()), total
        columns = dict(chosen.fetchnumpy())
        return columns, len(next(iter(columns.values())))


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
