"""CSV and other files of separated values, in any usual encoding."""

from __future__ import annotations

import csv
import gzip
import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from fairgroups.errors import InputError
from fairgroups.quoting import quoted
from fairgroups.sources.encodings import as_utf8
from fairgroups.sources.written_dates import way_of_dates
from fairgroups.sources.written_numbers import marks_of, unclear_dots
from fairgroups.words import how_many, listed

if TYPE_CHECKING:
    from fairgroups.sources.files import FileReader

__all__ = ["CSV_TYPES", "NOT_A_VALUE", "TEXT_FILES", "holds_text", "read_text_file"]

MOST_TITLES = 10  # lines above the column names
NOT_A_VALUE = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]
CSV_TYPES = ["BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "VARCHAR"]
TEXT_FILES = {".csv", ".tsv", ".txt"}
LONGEST_LINE = 10_000_000
MOST_COLUMNS = 20_000
WIDE = 1_000  # columns: to guess the types of all takes longer than to write those anew that are wanted


def holds_text(path: Path) -> bool:
    """Whether a file is named as one of separated values."""
    return bool(TEXT_FILES & {suffix.lower() for suffix in path.suffixes[-2:]})


def read_text_file(reader: FileReader, path: Path) -> Any:
    """Read a CSV file: types from all of it, yes/no left as text so that `positive` can name it."""
    import duckdb

    plain, told = as_utf8(path, reader.folder, None if reader.sheet_texts is not None else reader.encoding)
    reader.tell(told)
    plain = _without_mark(plain, reader.folder)
    names, reader.delimiter = _head(plain, path.name)
    titles = _titles(plain, names, reader)
    plain, names = (plain, _line(plain, titles, reader.delimiter)) if titles else _narrow(reader, plain, names)
    literal = reader.literal(plain)
    dialect = _dialect(reader, titles)
    missing = [*NOT_A_VALUE, *(text for text in reader.na if text not in NOT_A_VALUE)]
    options: dict[str, Any] = {"sample_size": -1, "na_values": missing, "auto_type_candidates": CSV_TYPES}
    if reader.as_text:
        options = {"all_varchar": True}

    def written() -> Any:
        return reader.connection.read_csv(literal, all_varchar=True, **dialect)

    try:
        skipped = titles if dialect else _sniffed(reader, literal)
        if skipped == titles and (apart := _told_apart(names, reader.wanted)) is not None:
            dialect |= {"header": True, "names": apart, **({"delimiter": reader.delimiter} if reader.delimiter else {})}
        relation = reader.connection.read_csv(literal, **options, **dialect)
        kept = [name for name in reader.text if name in relation.columns]
        if not reader.as_text:
            kept += [name for name in _unclear(reader, relation, written) if name not in kept]
            if kept:
                relation = reader.connection.read_csv(
                    literal, **options, **dialect, dtype=dict.fromkeys(kept, "VARCHAR")
                )
            _refuse_unclear_dates(reader, relation, written)
    except duckdb.Error as error:
        if "utf-8" in str(error).lower():  # further on than was looked at
            raise InputError(
                f"{path.name!r} is not written in UTF-8 throughout.", "save it as “CSV UTF-8” in the spreadsheet."
            ) from error
        if "maximum line size" in str(error).lower():
            raise InputError(f"{path.name!r} has a line too long to be one row.", "check its quotes.") from None
        raise
    if reader.rows is None:
        reader.rows = range(2 + skipped, 1 << 62)
    if skipped:
        reader.tell(f"{skipped} {'line' if skipped == 1 else 'lines'} above the column names left out.")
    _tell_repeated(reader, names)
    if not reader.as_text:
        reader.written = written
    if not set(reader.wanted) <= set(relation.columns) and plain.suffix.lower() != ".gz":
        _name_bad_row(plain, path.name)
    return relation


def _dialect(reader: FileReader, titles: int) -> dict[str, Any]:
    """Return how the file is written, where that need not be guessed."""
    if reader.sheet_texts is not None:
        _refuse_mixed(reader)
        for name, n in reader.sheet_numbers.items():
            if name in reader.wanted and name not in reader.text and not reader.as_text:
                cells = "cell of text was read as a number" if n == 1 else "cells of text were read as numbers"
                reader.tell(f"{name}: {n:,} {cells}.")
        return {"header": True, "delimiter": ","}
    return {"header": True, "delimiter": reader.delimiter, "skiprows": titles} if titles else {}


def _line(path: Path, number: int, delimiter: str) -> list[str]:
    """Return the cells of one of the first lines."""
    with _text_of(path) as file:
        lines = [file.readline(LONGEST_LINE) for _ in range(number + 1)]
    return next(csv.reader([lines[number].rstrip("\r\n")], delimiter=delimiter), [])


def _titles(path: Path, names: Sequence[str], reader: FileReader) -> int:
    """Count lines above the column names that have separators as well, as spreadsheets write: "Report of May,,"."""
    if (
        reader.sheet_texts is not None
        or not reader.delimiter
        or not reader.wanted
        or names.count("") < max(1, len(names) / 2)
    ):
        return 0
    wanted = {name.strip().lower() for name in reader.wanted}
    for number in range(1, MOST_TITLES + 1):
        if wanted <= {name.strip().lower() for name in _line(path, number, reader.delimiter)}:
            return number
    return 0


def _narrow(reader: FileReader, path: Path, names: list[str]) -> tuple[Path, list[str]]:
    """Return a file of very many columns with those alone that are wanted, so that no others are looked through."""
    wanted = [name for name in dict.fromkeys(reader.wanted) if names.count(name) == 1]
    if len(names) < WIDE or reader.as_text or len(wanted) < len(set(reader.wanted)) or not wanted:
        return path, names
    target = reader.folder / f"narrow-{path.name.removesuffix('.gz')}"
    places = [names.index(name) for name in wanted]
    with _text_of(path) as file, target.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, delimiter=reader.delimiter or ",")
        try:
            for row in csv.reader(file, delimiter=reader.delimiter or ","):
                if len(row) != len(names):
                    return path, names  # whoever reads it says which row
                writer.writerow([row[i] for i in places])
        except csv.Error:
            return path, names
    return target, wanted


def _told_apart(names: Sequence[str], wanted: Sequence[str]) -> list[str] | None:
    """Return names that differ by more than their case, which DuckDB needs; None where they do.

    Those that are wanted keep theirs, or else the first; the second of a name becomes "name (2)".
    """
    given = list(names)
    if given.count("") > 1:
        names = [name or f"column {i + 1}" for i, name in enumerate(names)]
    keys = [name.strip().lower() for name in names]
    times = Counter(keys)
    if max(times.values(), default=1) < 2:
        return list(names) if names != given else None
    owner: dict[str, int] = {}
    for i, (name, key) in enumerate(zip(names, keys, strict=True)):
        if times[key] > 1 and name in wanted:
            first = owner.setdefault(key, i)
            if names[first] != name:
                raise InputError(
                    f"the columns {names[first]!r} and {name!r} differ by their case only.", "rename one of them."
                )
    for i, key in enumerate(keys):
        owner.setdefault(key, i)
    seen: Counter[str] = Counter()
    out, taken = [], set(keys)
    for i, (name, key) in enumerate(zip(names, keys, strict=True)):
        seen[key] += 1
        if owner[key] == i:
            out.append(name)
            continue
        number = seen[key] if owner[key] < i else seen[key] + 1  # the second column of that name is number 2
        while f"{key} ({number})" in taken:
            number += 1
        taken.add(f"{key} ({number})")
        out.append(f"{name} ({number})")
    return out


def _sniffed(reader: FileReader, literal: str) -> int:
    """Return how many lines stand above the column names, and learn the delimiter."""
    found = reader.connection.execute("SELECT Delimiter, SkipRows FROM sniff_csv(?)", [literal]).fetchall()[0]
    if found[0]:
        reader.delimiter = str(found[0])
    return int(found[1] or 0)


def _unclear(reader: FileReader, relation: Any, written: Callable[[], Any]) -> list[str]:
    """Return columns read as numbers whose every dot may part thousands, where commas may part decimals."""
    typed = zip(relation.columns, map(str, relation.types), strict=True)
    numbers = [name for name, kind in typed if kind == "DOUBLE" and (not reader.wanted or name in reader.wanted)]
    if reader.sheet_texts is not None:  # other cells are numbers already, whatever they look like
        numbers = [name for name in numbers if name in reader.sheet_texts]
    texts = "VARCHAR" in map(str, relation.types)
    commas = reader.delimiter in (";", "\t") or reader.decimal == "," or reader.sheet_texts is not None
    if not numbers or not (commas or texts):
        return []
    every = written()
    unclear = unclear_dots(every, numbers)
    if not unclear or commas:
        return unclear
    return unclear if marks_of(every) == {","} else []


def _refuse_mixed(reader: FileReader) -> None:
    """Refuse columns of a sheet that hold numbers, and texts that may be numbers with a mark between thousands."""
    for name, text in reader.sheet_mixed.items():
        if reader.decimal is None and (not reader.wanted or name in reader.wanted):
            raise InputError(
                f"{name!r} holds numbers, and texts such as {text!r}, which may be thousands or have three decimals.",
                "make all cells of the column numbers, or say the mark of decimals: --decimal . or --decimal ,",
            )


def _refuse_unclear_dates(reader: FileReader, relation: Any, written: Callable[[], Any]) -> None:
    """Refuse dates of which no value tells whether the day or the month comes first."""
    typed = zip(relation.columns, map(str, relation.types), strict=True)
    dates = [name for name, kind in typed if kind == "DATE" and (name in reader.wanted or not reader.wanted)]
    for name in dates:
        every = written()
        first = every.filter(f"{quoted(name)} IS NOT NULL").project(quoted(name)).limit(1).fetchall()
        if not first or not first[0][0] or re.match(r"\d{4}", str(first[0][0])):
            continue
        try:
            way_of_dates(every, name)
            unclear = ""
        except InputError:
            if reader.wanted:
                raise
            unclear = ", though no value tells which comes first"  # of all columns, one need not be dated
        seen = relation.filter(f"{quoted(name)} IS NOT NULL").project(quoted(name)).limit(1).fetchall()[0][0]
        begins = re.match(r"\d+", str(first[0][0]).strip())
        order = "month, day, year" if begins and int(begins[0]) == seen.month != seen.day else "day, month, year"
        reader.tell(f"{name}: dates such as {first[0][0]!r} were read as {order}{unclear}.")


def _without_mark(path: Path, folder: Path) -> Path:
    """Return a file without Excel's first line that names the delimiter, ``sep=;``."""
    if path.suffix.lower() == ".gz":
        return path
    with path.open("rb") as file:
        first = file.readline(32)
        if not re.fullmatch(rb"(\xef\xbb\xbf)?\"?sep=.\"?\r?\n", first, re.IGNORECASE):
            return path
        target = folder / f"marked-{path.name}"
        with target.open("wb") as out:
            shutil.copyfileobj(file, out)
    return target


def _tell_repeated(reader: FileReader, names: Sequence[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1 and name in reader.wanted]
    if twice:
        reader.tell(f"The file has more than one column {listed(twice)}: the first was read.")


def _text_of(path: Path) -> IO[str]:
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", errors="replace", newline="")
    return path.open(encoding="utf-8-sig", errors="replace", newline="")


def _head(path: Path, name: str) -> tuple[list[str], str]:
    """Return the names of the columns and the delimiter, as the first line has them."""
    with _text_of(path) as file:
        header = file.readline(LONGEST_LINE)
    if len(header) >= LONGEST_LINE:
        raise InputError(f"the first line of {name!r} is longer than 10 million letters.", "check that it is a table.")
    delimiter = max(",;\t|", key=header.count)
    try:
        names = next(csv.reader([header], delimiter=delimiter), [])
    except csv.Error:
        names = []
    if len(names) > MOST_COLUMNS:
        raise InputError(
            f"{name!r} has {len(names):,} columns; at most {MOST_COLUMNS:,} are read from text.",
            "write those that are needed to a file of their own, or all of them to Parquet.",
        )
    return names, delimiter if delimiter in header else ""


def _name_bad_row(path: Path, name: str) -> None:
    """Say which row does not fit the header: it has misled the guess of the delimiter."""
    with _text_of(path) as file:
        header = file.readline()
        delimiter = max(",;\t|", key=header.count)
        file.seek(0)
        rows = csv.reader(file, delimiter=delimiter)
        width = len(next(rows, []))
        try:
            for row in rows:
                if width > 1 and row and len(row) != width:
                    raise InputError(
                        f"line {rows.line_num} of {name!r} has {how_many(len(row), 'field')}, the header has {width}.",
                        "correct or remove that line.",
                    )
        except csv.Error:  # a field too long: no row to name
            return
