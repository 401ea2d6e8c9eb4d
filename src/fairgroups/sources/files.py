"""Files of any usual kind, one or many, as relations of an embedded DuckDB; what was converted is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from typing import Any

from fairgroups.errors import InputError
from fairgroups.sources.encodings import as_utf8
from fairgroups.sources.spreadsheets import SHEET_FILES, is_workbook, read_sheet
from fairgroups.sources.survey_files import SURVEY_FILES, read_survey
from fairgroups.sources.text_files import CSV_TYPES, NOT_A_VALUE, TEXT_FILES, holds_text, read_text_file

__all__ = ["NOT_A_VALUE", "FileReader", "holds_text"]

_PARQUET_FILES = {".parquet", ".pq"}
_JSON_FILES = {".json", ".jsonl", ".ndjson"}
_ARROW_FILES = {".arrow", ".feather", ".ipc"}


@dataclass
class FileReader:
    """Reads files into relations of one connection, and tells what it did.

    Attributes
    ----------
    connection : DuckDB connection
        Where relations live.
    folder : Path
        For files that must be written anew to be read.
    wanted : sequence of str
        Columns that must be there; none named: all.
    text : sequence of str
        Columns that are left as they are written.
    as_text : bool
        Leave all columns of text files as they are written.
    sheet : str or None
        Which sheet of a workbook.
    na : sequence of str
        What stands for a missing value, beside the usual marks.
    decimal : str or None
        The mark of decimals, where the user said it.
    encoding : str or None
        The encoding of text files, where the user said it.
    sheet_texts : set of str or None
        Of a sheet: columns that hold text only.
    sheet_mixed : dict of str
        Of a sheet: columns of numbers that hold a text which may be a number, with that text.
    sheet_numbers : dict of int
        Of a sheet: columns of numbers, how many of which are written as text.
    told : list of str
        What was decided and converted, in words.
    rows : sequence of int or None
        The number of each row as the user sees it; None where rows have none.
    delimiter : str
        What parts the fields of a text file.
    written : callable or None
        Returns the same rows as they are written.
    """

    connection: Any
    folder: Path
    wanted: Sequence[str] = ()
    text: Sequence[str] = ()
    as_text: bool = False
    sheet: str | None = None
    na: Sequence[str] = ()
    decimal: str | None = None
    encoding: str | None = None
    sheet_texts: frozenset[str] | None = None
    sheet_mixed: Mapping[str, str] = field(default_factory=dict)
    sheet_numbers: Mapping[str, int] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    rows: Sequence[int] | None = None
    delimiter: str = ""
    written: Callable[[], Any] | None = None

    def tell(self, said: str | None) -> None:
        """Say what was decided."""
        if said is not None:
            self.told.append(said)

    @staticmethod
    def literal(path: Path) -> str:
        """Write a path so that DuckDB takes it as it is, not as a pattern."""
        return re.sub(r"([*?\[])", r"[\1]", str(path))

    def read(self, path: Path) -> Any:
        """Read a file, a folder of files, or files by a pattern.

        Parameters
        ----------
        path : Path
            Where it is.

        Returns
        -------
        DuckDB relation
        """
        try:
            path.exists()
        except OSError as error:  # a name that is too long, a folder that may not be looked into
            raise InputError(f"{path.name[:60]!r} cannot be opened: {error.strerror}.", "check the path.") from error
        if not path.exists() and any(letter in str(path) for letter in "*?["):
            if not glob(str(path), recursive=True):  # noqa: PTH207  a whole pattern, with its folders
                raise InputError(f"no file is called {path.name!r}.", "check the pattern and the folder.")
            return self._several(str(path), path.name)
        if not path.exists():
            raise InputError(f"there is no file {str(path)!r}.", "check the path; quote it if it holds spaces.")
        if path.is_dir():
            return self._folder(path)
        if not path.is_file():
            raise InputError(f"{str(path)!r} is not a file.", "name a .csv, .xlsx or .parquet file.")
        if path.stat().st_size == 0:
            raise InputError(f"{path.name!r} is empty.")
        path, kind = self._named_rightly(path)
        if self.sheet is not None and kind not in SHEET_FILES:
            raise InputError(f"{path.name!r} is no workbook, so it has no sheet {self.sheet!r}.", "leave it out.")
        if kind in SHEET_FILES:
            sheet = read_sheet(path, self.sheet, self.folder, self.wanted)
            self.told += sheet.told
            self.rows, self.sheet_texts, self.sheet_mixed = sheet.rows, sheet.texts, sheet.mixed
            self.sheet_numbers = sheet.numbers
            return read_text_file(self, sheet.path)
        if kind in SURVEY_FILES:
            return self._survey(path)
        if holds_text(path):
            return read_text_file(self, path)
        return self._several(self.literal(path), path.name)

    def _named_rightly(self, path: Path) -> tuple[Path, str]:
        """Return a file and its kind, whatever its name says: workbooks called .csv, and text called .xls."""
        kind = path.suffix.lower()
        if kind not in SHEET_FILES | TEXT_FILES:
            return path, kind
        with path.open("rb") as file:
            start = file.read(512)
        if start.startswith(b"PK\x03\x04") and kind in TEXT_FILES | {".xls"}:
            if not is_workbook(path):
                raise InputError(f"{path.name!r} is a zip archive.", "unpack it, and name the table inside.")
            kind = ".xlsx"
        elif start.startswith(b"\xd0\xcf\x11\xe0") and kind in TEXT_FILES:
            kind = ".xls"
        elif kind == ".xls" and not start.startswith((b"\xd0\xcf\x11\xe0", b"PK")):
            if start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
                raise InputError(
                    f"{path.name!r} is a web page with a table, no workbook.",
                    "open it in the spreadsheet program and save it as .xlsx or CSV UTF-8.",
                )
            kind = ".csv"
        if kind == path.suffix.lower():
            return path, kind
        what = "a table of text" if kind == ".csv" else "a workbook"
        self.tell(f"{path.name} is {what}, whatever its name says, and was read as one.")
        renamed = self.folder / f"{path.stem}{kind}"
        renamed.symlink_to(path.resolve())
        return renamed, kind

    def _survey(self, path: Path) -> Any:
        columns, told = read_survey(path, self.wanted, self.na)
        self.told += told
        plain = {f"c{i}": column for i, column in enumerate(columns.values())}
        self.connection.register("fairgroups_survey", plain)
        listed = ", ".join(f'c{i} AS "{name.replace(chr(34), chr(34) * 2)}"' for i, name in enumerate(columns))
        return self.connection.table("fairgroups_survey").project(listed)

    def _several(self, files: str | list[str], name: str) -> Any:
        """Read files of one kind: a list of them, or a pattern."""
        first = Path(files if isinstance(files, str) else files[0])
        kind = _kind_of(first)
        if first.suffix.lower() in SHEET_FILES:
            raise InputError("workbooks are read one at a time.", "put all rows into one sheet, or save each as CSV.")
        if kind == "Parquet":
            return self.connection.read_parquet(files, hive_partitioning=True, union_by_name=True)
        if kind == "CSV":
            missing = [*NOT_A_VALUE, *(text for text in self.na if text not in NOT_A_VALUE)]
            options = {"sample_size": -1, "na_values": missing, "auto_type_candidates": CSV_TYPES}
            files = self._in_utf8(files)
            return self.connection.read_csv(files, union_by_name=True, hive_partitioning=True, **options)
        if kind == "JSON":
            return self.connection.read_json(files)
        if kind == "Arrow":
            return self._arrow(files, name)
        raise InputError(
            f"cannot tell the format of {name!r}.",
            "give .csv, .tsv, .xlsx, .ods, .parquet, .jsonl, .arrow, .dta, .sav or .sas7bdat files (.csv.gz is fine).",
        )

    def _in_utf8(self, files: str | list[str]) -> str | list[str]:
        """Return files of text, those in another encoding written anew."""
        patterns = [files] if isinstance(files, str) else files
        found = sorted(Path(file) for one in patterns for file in glob(one, recursive=True))  # noqa: PTH207
        out, told = [], set()
        for i, file in enumerate(found):
            folder = self.folder / str(i)
            folder.mkdir()
            plain, said = as_utf8(file, folder, self.encoding)
            out.append(self.literal(plain))
            told |= {said} if said else set()
        if not told:
            return files  # as they are, so that the names of folders tell as well
        self.told += sorted(told)
        return out

    def _arrow(self, pattern: str | list[str], name: str) -> Any:
        try:
            import pyarrow.dataset as arrow
        except ImportError:
            raise InputError("Arrow files need pyarrow.", "pip install pyarrow, or write Parquet.") from None
        patterns = [pattern] if isinstance(pattern, str) else pattern
        files = sorted(file for one in patterns for file in glob(one))  # noqa: PTH207  a whole pattern, with its folders
        if not files:
            raise InputError(f"no file is called {name!r}.", "check the pattern.")
        try:
            return self.connection.from_arrow(arrow.dataset(files, format="ipc"))
        except (OSError, ValueError) as error:
            raise InputError(f"cannot read {name!r}: {error}", "check that the file is complete.") from error

    def _folder(self, path: Path) -> Any:
        """Read a folder of files of one kind, and its subfolders; hidden files are passed over."""
        found: dict[str, list[Path]] = {}
        for file in path.rglob("*"):
            hidden = any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
            if file.is_file() and not hidden and (kind := _kind_of(file)):
                found.setdefault(kind, []).append(file)
        if not found and any(file.suffix.lower() in SHEET_FILES for file in path.rglob("*")):
            raise InputError(
                f"the folder {path.name!r} holds workbooks, which are read one at a time.",
                "name one of them, put all rows into one sheet, or save each as CSV.",
            )
        if not found:
            raise InputError(f"the folder {str(path)!r} holds no .csv, .parquet, .jsonl or .arrow file.")
        if len(found) > 1:
            kinds = " and ".join(f"{len(files)} {kind} file(s)" for kind, files in sorted(found.items()))
            ending = max(found.items(), key=lambda item: len(item[1]))[1][0].suffix
            raise InputError(f"the folder {str(path)!r} holds {kinds}.", f"name those to read: '{path}/*{ending}'.")
        ((_, files),) = found.items()
        return self._several([self.literal(file) for file in sorted(files)], path.name)


def _kind_of(path: Path) -> str | None:
    suffixes = {suffix.lower() for suffix in path.suffixes[-2:]}
    kinds = {"Parquet": _PARQUET_FILES, "CSV": TEXT_FILES, "JSON": _JSON_FILES, "Arrow": _ARROW_FILES}
    return next((kind for kind, known in kinds.items() if suffixes & known), None)
