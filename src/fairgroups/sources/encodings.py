"""In which letters a text file is written: found by its bytes, and written anew in UTF-8 where it is not."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path
from typing import IO

from fairgroups.errors import InputError

__all__ = ["as_utf8", "encoding_of", "known_encoding"]

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_NAMES = {"cp1252": "Windows-1252", "latin-1": "ISO 8859-1 (Latin-1)", "utf-16": "UTF-16"}
_NAMES |= {"utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}
_GUESSED = ("cp1252", "latin-1")
_NOT_WINDOWS = (0x81, 0x8D, 0x8F, 0x90, 0x9D)  # bytes that Windows-1252 has not
_CHUNK = 1 << 22
_LOOKED_AT = 1 << 28  # bytes; of a larger file this much tells


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb")  # type: ignore[return-value]


def encoding_of(path: Path) -> str:
    """Return the encoding of a text file: UTF-8 where all of it is, else what its bytes look like.

    Parameters
    ----------
    path : Path
        A text file, packed by gzip or not.

    Returns
    -------
    str
        As Python calls it.
    """
    try:
        return _told_by_bytes(path)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path.name!r} cannot be unpacked: {error}.", "check that the file is complete.") from None


def _told_by_bytes(path: Path) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    odd, utf8 = False, True
    with _open(path) as file:
        start = file.read(_CHUNK)
        for mark, name in _MARKS:
            if start.startswith(mark):
                return name
        if start.count(0) > len(start) / 8:  # every other byte of plain letters
            return "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"
        piece, left = start, _LOOKED_AT
        while piece and left > 0:
            try:
                decoder.decode(piece)
            except UnicodeDecodeError:
                utf8 = False
            odd = odd or any(byte in piece for byte in _NOT_WINDOWS)
            piece = file.read(_CHUNK)
            left -= len(piece)
    if utf8 and not piece:
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            utf8 = False
    return "utf-8" if utf8 else "latin-1" if odd else "cp1252"


def known_encoding(name: str) -> str:
    """Return an encoding as Python calls it; refuse what is none."""
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        raise InputError(
            f"{name!r} is no encoding that is known.",
            "cp1252 (Western Europe) is, cp1250 (Central), cp1251 (Cyrillic).",
        ) from None


def as_utf8(path: Path, folder: Path, asked: str | None = None) -> tuple[Path, str | None]:
    """Return a text file that is written in UTF-8, and in words what was done where it had to be written anew.

    Parameters
    ----------
    path : Path
        The file.
    folder : Path
        Where the new file is put.
    asked : str, optional
        The encoding, where the user said it.

    Returns
    -------
    Path, str or None
    """
    encoding = encoding_of(path) if asked is None else known_encoding(asked)
    if encoding in ("utf-8", "utf-8-sig"):
        return path, None
    target = folder / f"{path.name.removesuffix('.gz')}"
    with _open(path) as source, target.open("w", encoding="utf-8", newline="") as out:
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            while piece := source.read(_CHUNK):
                out.write(decoder.decode(piece))
            out.write(decoder.decode(b"", final=True))
        except UnicodeDecodeError as error:
            raise InputError(
                f"{path.name!r} is not written in {_NAMES.get(encoding, encoding)}: {error.reason}.",
                "say the right one (--encoding), or save it as “CSV UTF-8” in the spreadsheet.",
            ) from error
    if asked is not None:
        return target, f"The file was read as {_NAMES.get(encoding, encoding)}, as asked."
    if encoding in _GUESSED:
        return target, (
            f"The file is not in UTF-8, and was taken to be in {_NAMES[encoding]}. If letters look wrong, say its "
            "encoding: --encoding cp1250 (Central Europe), cp1251 (Cyrillic), …"
        )
    return target, f"The file is written in {_NAMES[encoding]}, and was read as such."
