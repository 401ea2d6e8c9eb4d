"""What the XML of an Excel sheet tells before it is read: how far it reaches, and cells that hold nothing to read."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from fairgroups.errors import InputError

__all__ = ["SheetXml", "look_into"]

MOST_CELLS = 60_000_000  # a reader keeps a place for each, empty or not
PIECE = 1 << 22
LARGEST = 4_000_000_000  # bytes of a sheet's XML: an honest sheet of a million rows has some hundred million
_ROW = re.compile(rb'<row[^>]*? r="(\d{1,7})"')
_COLUMN = re.compile(rb'<c[^>]*? r="([A-Z]{1,3})\d')
_NO_VALUE = re.compile(rb"(?:</f>|<f[^>]*/>)(?:<v\s*/>|<v></v>)?</c>")
_HIDDEN = re.compile(rb'<row[^>]*? hidden="(?:1|true)"')
_ERROR = re.compile(rb'<c[^>]*? t="e"')


@dataclass(frozen=True)
class SheetXml:
    """How many cells of a sheet are formulas without a saved value or hold an error, and how many rows are hidden."""

    unsaved: int
    errors: int
    hidden: int = 0


def look_into(path: Path, sheet: str) -> SheetXml | None:
    """Look into a sheet of an Excel workbook; None where its XML is not found, or it is of another kind.

    A sheet that reaches so far that reading it would take all memory, though it may hold a few cells only, is refused.

    Parameters
    ----------
    path : Path
        The workbook.
    sheet : str
        The sheet's name.

    Returns
    -------
    SheetXml or None
    """
    if path.suffix.lower() not in (".xlsx", ".xlsm"):
        return None
    try:
        with zipfile.ZipFile(path) as book:
            part = _part_of(book, sheet)
            return None if part is None else _looked(book, part, sheet, path.name)
    except (zipfile.BadZipFile, KeyError, OSError, RuntimeError, NotImplementedError):
        return None  # whoever reads it says what is wrong


def _part_of(book: zipfile.ZipFile, sheet: str) -> str | None:
    """Return the file inside the workbook that holds a sheet."""
    listed = book.read("xl/workbook.xml").decode("utf-8", "replace")
    linked = book.read("xl/_rels/workbook.xml.rels").decode("utf-8", "replace")
    for tag in re.findall(r"<(?:\w+:)?sheet\s[^>]*>", listed):
        name, key = (re.search(rf'\b{a}="([^"]*)"', tag) for a in ("name", r"\w+:id"))
        if name is None or key is None or _plain(name[1]) != sheet:
            continue
        for link in re.findall(r"<Relationship\s[^>]*>", linked):
            if f'Id="{key[1]}"' in link and (target := re.search(r'Target="([^"]*)"', link)):
                found = target[1].lstrip("/")
                return found if found.startswith("xl/") else f"xl/{found}"
    return None


def _plain(text: str) -> str:
    for code, letter in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&")):
        text = text.replace(code, letter)
    return text


def _looked(book: zipfile.ZipFile, part: str, sheet: str, file: str) -> SheetXml:
    if book.getinfo(part).file_size > LARGEST:
        raise InputError(f"the sheet {sheet!r} of {file!r} is too large.", "save it as CSV UTF-8.")
    rows = columns = unsaved = errors = hidden = 0
    with book.open(part) as xml:
        tail = b""
        while piece := xml.read(PIECE):
            text = tail + piece
            end = len(text) if len(piece) < PIECE else text.rfind(b"<row")  # whole rows, so that nothing counts twice
            end = end if end > 0 else len(text)
            text, tail = text[:end], text[end:]
            rows = max([rows, *map(int, _ROW.findall(text))])
            for letters in set(_COLUMN.findall(text)):
                columns = max(columns, _number(letters))
            unsaved += len(_NO_VALUE.findall(text))
            errors += len(_ERROR.findall(text))
            hidden += len(_HIDDEN.findall(text))
    if rows * columns > MOST_CELLS:
        raise InputError(
            f"the sheet {sheet!r} of {file!r} reaches to row {rows:,} and column {columns:,}: some cell lies far from "
            "the table.",
            "delete the rows below and the columns beside the table, or save the table as CSV UTF-8.",
        )
    return SheetXml(unsaved, errors, hidden)


def _number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
