"""Sheets of a workbook (Excel, OpenDocument), read as the table of text that they are."""

from __future__ import annotations

import csv
import datetime as dt
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairgroups.errors import InputError
from fairgroups.sources.sheet_xml import look_into
from fairgroups.words import listed

__all__ = ["SHEET_FILES", "ReadSheet", "column_letters", "is_workbook", "read_sheet"]

SHEET_FILES = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"}
_ERRORS = {"#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NULL!", "#NUM!", "#N/A N/A"}
_NUMBER = re.compile(r"[-+]?\d+([.]\d+)?")
_UNCLEAR = re.compile(r"[-+]?\d{1,3}([.,]\d{3})+")
_LARGEST = 200_000_000  # bytes of a workbook


@dataclass(frozen=True)
class ReadSheet:
    """A sheet written as CSV: the file, the sheet's own number of each row, what was decided, columns of text.

    `mixed` holds columns of numbers with a text among them that may be a number, `numbers` how many cells of a column
    of numbers are written as text.
    """

    path: Path
    rows: Sequence[int]
    told: tuple[str, ...]
    texts: frozenset[str] = frozenset()
    mixed: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)


def read_sheet(path: Path, sheet: str | None, folder: Path, wanted: Sequence[str] = ()) -> ReadSheet:
    """Write a sheet as a CSV file, so that it is read as all text is.

    Parameters
    ----------
    path : Path
        The workbook.
    sheet : str or None
        Which sheet; where it is not said, the first that holds the wanted columns, or else the first that is not empty.
    folder : Path
        Where the CSV file is put.
    wanted : sequence of str
        Columns that must be there.

    Returns
    -------
    ReadSheet
    """
    try:
        import python_calamine as calamine
    except ImportError:
        raise InputError("spreadsheets need python-calamine.", "pip install python-calamine, or save as CSV.") from None
    if path.stat().st_size > _LARGEST:
        raise InputError(f"{path.name!r} is larger than 200 MB.", "save the sheet as CSV UTF-8.")
    try:
        with calamine.CalamineWorkbook.from_path(str(path)) as book:
            name, cells, first, told = _chosen(book, sheet, path, wanted)
    except calamine.PasswordError:
        raise InputError(f"{path.name!r} is protected by a password.", "save it without one.") from None
    except (calamine.CalamineError, calamine.XmlError, calamine.ZipError, OSError) as error:
        raise InputError(
            f"cannot read the workbook {path.name!r}: {' '.join(str(error).split())[:200]}",
            "open it in the spreadsheet program and save it again, or as CSV UTF-8.",
        ) from error
    return _written(cells, first, folder / "sheet.csv", name, told)


def is_workbook(path: Path) -> bool:
    """Return whether a zip archive is a workbook of Excel or OpenDocument."""
    try:
        with zipfile.ZipFile(path) as archive:
            return bool({"xl/workbook.xml", "xl/workbook.bin", "content.xml"} & set(archive.namelist()))
    except (zipfile.BadZipFile, OSError):
        return False


def _chosen(
    book: Any, sheet: str | None, path: Path, wanted: Sequence[str]
) -> tuple[str, list[list[Any]], int, list[str]]:
    """Return the sheet's name, its cells, the number of their first row, and what was decided."""
    names, file = list(book.sheet_names), path.name
    if sheet is not None:
        near = [name for name in names if name.strip().casefold() == sheet.strip().casefold()]
        if not near:
            raise InputError(f"{file!r} has no sheet {sheet!r}.", f"its sheets are: {', '.join(names)}")
        return _read(book, sheet if sheet in names else near[0], path)
    hidden = {one.name for one in book.sheets_metadata if str(one.visible).split(".")[-1] != "Visible"}
    columns = {one.strip().casefold() for one in wanted}
    chosen, wrong = None, None
    for name in sorted(names, key=lambda name: name in hidden):  # those that nobody sees come last
        try:
            _, cells, first, told = _read(book, name, path)
        except InputError as error:  # of another sheet, perhaps
            wrong = wrong or error
            continue
        if not any(any(cell != "" for cell in row) for row in cells):
            continue
        which = [] if len(names) == 1 else [f"Of the sheets {listed(names)}, {name!r} was read (--sheet)."]
        holds = columns <= {one.casefold() for one in _names(cells[_head(cells)])}  # a cover may come before
        chosen = (name, cells, first, [*which, *told]) if chosen is None or holds else chosen
        if holds:
            return chosen
    if wrong is not None:
        raise wrong
    if chosen is None:
        raise InputError(f"{file!r} holds no filled cell.")
    return chosen


def _read(book: Any, name: str, path: Path) -> tuple[str, list[list[Any]], int, list[str]]:
    """Read one sheet: merged cells hold what they show, and formulas must have been worked out."""
    told = []
    seen = look_into(path, name)
    if seen is not None and seen.unsaved:
        raise InputError(
            f"{seen.unsaved:,} formulas of the sheet {name!r} have no saved value, so that there is nothing to read.",
            "open the workbook in the spreadsheet program, save it, and try again.",
        )
    if seen is not None and seen.errors:
        told.append(f"{name}: {seen.errors:,} cells hold an error such as #N/A, and were taken as missing.")
    if seen is not None and seen.hidden:
        rows = "row is" if seen.hidden == 1 else "rows are"
        told.append(f"{name}: {seen.hidden:,} {rows} hidden, by a filter perhaps, and counted all the same.")
    found = book.get_sheet_by_name(name)
    cells = found.to_python()
    merged = _merge(cells, found)
    if merged:
        told.append(f"{name}: merged cells stand for each of the {merged:,} cells that they cover.")
    return name, cells, _first_row(found), told


def _merge(cells: list[list[Any]], sheet: Any) -> int:
    """Write what merged cells show into each cell that they cover, downwards; return how many were empty before.

    Across columns a merged cell is a title, and stays in its first column.
    """
    start = sheet.start
    if start is None or not cells:
        return 0
    filled = 0
    for (top, left), (bottom, right) in getattr(sheet, "merged_cell_ranges", None) or ():
        row, column = top - start[0], left - start[1]
        if right != left or not (0 <= row < len(cells) and 0 <= column < len(cells[0])):
            continue
        for i in range(row + 1, min(bottom - start[0], len(cells) - 1) + 1):
            if cells[i][column] == "" and cells[row][column] != "":
                cells[i][column] = cells[row][column]
                filled += 1
    return filled


def _first_row(sheet: Any) -> int:
    start = sheet.start
    return 1 if start is None else int(start[0]) + 1


def _written(cells: list[list[Any]], first: int, target: Path, name: str, told: list[str]) -> ReadSheet:
    head = _head(cells)
    titles = [row for row in cells[:head] if any(cell != "" for cell in row)]
    if titles:
        above = "row above the column names was" if len(titles) == 1 else "rows above the column names were"
        told.append(f"{name}: the {above} left out.")
    names = _names(cells[head])
    wrong: dict[str, int] = {}
    rows = []
    with target.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(names)
        for i, row in enumerate(cells[head + 1 :], first + head + 1):
            if all(cell == "" for cell in row):
                continue
            rows.append(i)
            out.writerow([_text(cell, wrong) for cell in row])
    if not rows:
        raise InputError(f"the sheet {name!r} holds no row under its names of columns.", "name another one: --sheet")
    for error, times in wrong.items():
        told.append(f"{times:,} {'cell holds' if times == 1 else 'cells hold'} the error {error}: taken as missing.")
    filled = [[cell for cell in column if cell != ""] for column in zip(*cells[head + 1 :], strict=True)]
    texts = {name for name, column in zip(names, filled, strict=True) if all(isinstance(x, str) for x in column)}
    mixed = {}
    for one, column in zip(names, filled, strict=True):
        unclear = [x for x in column if isinstance(x, str) and _UNCLEAR.fullmatch(x.strip())]
        if unclear and one not in texts:
            mixed[one] = unclear[0].strip()
    numbers = {}
    for one, column in zip(names, filled, strict=True):
        as_text = sum(isinstance(x, str) for x in column)
        if as_text and all(not isinstance(x, str) or _NUMBER.fullmatch(x.strip()) for x in column):
            numbers[one] = as_text
    return ReadSheet(target, rows, tuple(told), frozenset(texts), mixed, numbers)


def _head(cells: list[list[Any]]) -> int:
    """Return which row holds the names: the first that is nearly as full as the fullest, and holds a text."""
    widest = max(sum(cell != "" for cell in row) for row in cells[:50])
    for i, row in enumerate(cells[:50]):
        filled = [cell for cell in row if cell != ""]
        if len(filled) >= 0.75 * widest and any(isinstance(cell, str) and cell.strip() for cell in filled):
            return i
    return 0


def _names(row: list[Any]) -> list[str]:
    """Return names of columns; one without is called by its letters."""
    return [str(_text(cell, {})).strip() or f"column {column_letters(i)}" for i, cell in enumerate(row)]


def column_letters(i: int) -> str:
    """Return what a spreadsheet calls its i-th column, from 0."""
    return (column_letters(i // 26 - 1) if i >= 26 else "") + chr(ord("A") + i % 26)


def _text(cell: Any, wrong: dict[str, int]) -> str:
    """Write a cell as text that reads back as what it is."""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, dt.datetime):
        return cell.date().isoformat() if cell.time() == dt.time() else cell.isoformat(sep=" ")
    if isinstance(cell, dt.date | dt.time):
        return cell.isoformat()
    if isinstance(cell, dt.timedelta):
        return repr(cell.total_seconds() / 86400)
    text = str(cell).strip()
    if text in _ERRORS:
        wrong[text] = wrong.get(text, 0) + 1
        return ""
    return text
