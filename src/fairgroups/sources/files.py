"""CSV, Parquet, JSON lines and Arrow files, one or many, as relations of an embedded DuckDB."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from glob import glob
from pathlib import Path
from typing import Any

from fairgroups.errors import InputError

__all__ = ["NOT_A_VALUE", "holds_text", "read_files"]

NOT_A_VALUE = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]
_CSV_TYPES = ["BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR"]
_TEXT_FILES = {".csv", ".tsv", ".txt"}
_PARQUET_FILES = {".parquet", ".pq"}
_JSON_FILES = {".json", ".jsonl", ".ndjson"}
_ARROW_FILES = {".arrow", ".feather", ".ipc"}


def read_files(connection: Any, path: Path, wanted: Sequence[str], *, as_text: bool, text: Sequence[str]) -> Any:
    """Read a file, a folder of files, or files by a pattern; see `Source.opened` for the options."""
    try:
        path.exists()
    except OSError as error:  # a name that is too long, a folder that may not be looked into
        raise InputError(f"{path.name[:60]!r} cannot be opened: {error.strerror}.", "check the path.") from error
    if not path.exists() and any(letter in str(path) for letter in "*?["):
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


def holds_text(path: Path) -> bool:
    """Whether a file is named as one of separated values."""
    return bool(_TEXT_FILES & {suffix.lower() for suffix in path.suffixes[-2:]})


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
        raise _not_utf8(path) from error
    if set(wanted) <= set(relation.columns) or path.suffix.lower() == ".gz":
        return relation
    _name_bad_row(path)
    return relation


def _not_utf8(path: Path) -> InputError:
    """Say in which encoding a file is written, as far as its first bytes tell, and how to change it."""
    with path.open("rb") as file:
        start = file.read(4)
    known = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "cp1252"
    return InputError(
        f"{path.name!r} is not written in UTF-8{' but in UTF-16' if known == 'utf-16' else ''}.",
        f"save it as “CSV UTF-8” in the spreadsheet, or convert it: iconv -f {known} -t utf-8 {path.name!r} > new.csv",
    )


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
