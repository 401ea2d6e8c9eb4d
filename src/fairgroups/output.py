"""Writing files and small tables so that a crash leaves the old file or the new one, never half of either."""

from __future__ import annotations

import glob
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from fairgroups.errors import InputError, OutputError, SchemaError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "check_apart",
    "check_place",
    "check_table_path",
    "own_folder",
    "read_text",
    "real_path",
    "replacing",
    "write_atomically",
    "write_table",
]

HOUR = 3600
FORMATS = {".csv": "FORMAT csv, HEADER", ".parquet": "FORMAT parquet"}


def read_text(path: str | Path) -> str:
    """Return the text of a file that one of our writers wrote."""
    if isinstance(path, str) and path.lstrip().startswith(("{", "[")):
        raise InputError("this is the text of a file, not its path.", "texts are read by `from_json`.")
    file = Path(path)
    try:
        if not file.is_file():
            raise InputError(f"there is no file {str(file)[:200]!r}.", "check the path.")
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SchemaError(f"{file.name!r} is no text: {error}.") from error
    except OSError as error:
        raise InputError(f"{str(file)[:200]!r} cannot be read: {error.strerror}.", "check the path.") from error


def write_atomically(path: str | Path, text: str) -> None:
    """Write text beside the target, then put it in its place in one step."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Return a new file beside the target to write into; when all went well it takes the target's place in one step."""
    target = Path(path).resolve()  # a link stays a link; what it leads to is replaced
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_file() and not target.is_dir():  # a pipe or device
            yield target
            return
        _sweep(target)
        handle, name = tempfile.mkstemp(prefix=f"{_mark(target)}{os.getpid()}.", suffix=".part", dir=target.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            _settle(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutputError(f"cannot write {str(target)!r}: {error.strerror or error}.") from error


def _mark(target: Path) -> str:
    """Return how names of files begin that this machine writes on the way to a target; the writer's number follows."""
    return f".{target.name[:40]}.{crc32(platform.node().encode()):08x}-"


def _sweep(target: Path) -> None:
    """Remove what writers left that were killed on the way to this target: here, and no longer running."""
    if os.name != "posix":  # elsewhere a process cannot be asked for without a signal
        return
    mark = _mark(target)
    for left in target.parent.glob(f"{glob.escape(mark)}*.part"):
        number = left.name.removeprefix(mark).split(".")[0]
        if number.isdigit() and not _runs(int(number)):
            left.unlink(missing_ok=True)


@contextmanager
def own_folder(kind: str = "") -> Iterator[Path]:
    """Return a folder for what is needed on the way, which goes with the work; so do those of runs that were killed.

    Parameters
    ----------
    kind : str
        A word for its name.
    """
    begin = f"fairgroups-{kind}" if kind else "fairgroups"
    if os.name == "posix":
        for left in Path(tempfile.gettempdir()).glob("fairgroups-*-*"):
            number = left.name.split("-")[-2]
            if number.isdigit() and not _runs(int(number)) and _is_left(left):
                shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{begin}-{os.getpid()}-") as folder:
        yield Path(folder)


def _is_left(folder: Path) -> bool:
    """Whether a folder is ours and an hour old: what another container runs, which shares the place, is not seen."""
    try:
        found = folder.stat()
    except OSError:
        return False
    return folder.is_dir() and found.st_uid == os.getuid() and time.time() - found.st_mtime > HOUR


def _runs(number: int) -> bool:
    """Whether a process runs."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except (OverflowError, PermissionError):
        return True
    return True


def _settle(temporary: Path, target: Path) -> None:
    """Put a finished file in its place."""
    handle = os.open(temporary, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    mask = os.umask(0)
    os.umask(mask)
    temporary.chmod(0o666 & ~mask)  # as an ordinary new file would have
    temporary.replace(target)


def real_path(path: str | Path) -> Path:
    """Return where a path leads, links followed; a loop of links leads to itself."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError):
        return Path(path).absolute()


def check_place(path: str | Path) -> None:
    """Refuse a target that cannot be written, before any work is done for it; folders are made later."""
    target = real_path(path)
    if target.is_dir():
        raise InputError(f"{str(path)!r} is a folder.", "name a file.")
    try:
        there = next(folder for folder in target.parents if folder.exists())
    except OSError as error:
        raise InputError(f"{target.name[:60]!r} cannot be written: {error.strerror}.", "name it otherwise.") from error
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise InputError(f"nothing can be written into {str(there)!r}.", "name a folder of yours.")


def check_apart(written: Iterable[str | Path], read: Iterable[str | Path] = ()) -> None:
    """Refuse targets that cannot be written, and to write over what is read, or two files over each other."""
    taken = {real_path(path): "is read" for path in read}
    for path in written:
        check_place(path)
        target = real_path(path)
        if target in taken:
            raise InputError(f"{target.name!r} {taken[target]} already.", "give every file a name of its own.")
        taken[target] = "is written"


def check_table_path(path: str | Path) -> None:
    """Refuse a target that no table can be written to, before any work is done for it."""
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise InputError(f"cannot write a table to {target.name!r}.", "name it .csv or .parquet.")
    check_place(target)


def write_table(path: str | Path, columns: dict[str, NDArray[Any]]) -> None:
    """Write columns of equal length; numbers that are not known and empty texts become empty fields.

    Parameters
    ----------
    path : path
        Its suffix says the format: .csv or .parquet.
    columns : dict of arrays
        By name.
    """
    import duckdb
    import numpy as np

    check_table_path(path)
    plain = {f"c{i}": column for i, column in enumerate(columns.values())}
    chosen = []
    for (short, column), name in zip(plain.items(), columns, strict=True):
        quoted = '"' + name.replace('"', '""') + '"'
        if column.dtype.kind == "f":
            chosen.append(f"CASE WHEN isnan({short}) THEN NULL ELSE {short} END AS {quoted}")
        else:
            chosen.append(
                f"NULLIF(CAST({short} AS VARCHAR), '') AS {quoted}"
                if column.dtype == object
                else f"{short} AS {quoted}"
            )
    with replacing(path) as temporary, duckdb.connect() as connection:
        connection.register("fairgroups_table", {name: np.ascontiguousarray(x) for name, x in plain.items()})
        target = str(temporary).replace("'", "''")
        try:
            connection.execute(
                f"COPY (SELECT {', '.join(chosen)} FROM fairgroups_table) "  # noqa: S608  names are quoted
                f"TO '{target}' ({FORMATS[Path(path).suffix.lower()]})"
            )
        except duckdb.IOException as error:
            raise OutputError(f"cannot write {Path(path).name!r}: {error}") from error
