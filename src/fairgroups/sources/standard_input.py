"""Standard input as a file: kept for as long as the program runs, since it can be read once only."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

from fairgroups.errors import InputError

__all__ = ["STANDARD_INPUT", "standard_input"]

STANDARD_INPUT = "-"
_STARTS = {
    b"PAR1": ".parquet",
    b"PK\x03\x04": ".xlsx",
    b"ARROW1": ".arrow",
    b"\x1f\x8b": ".csv.gz",
    b"{": ".jsonl",
    b"[": ".json",
}


@cache
def standard_input() -> Path:
    """Return a file that holds what came in, named by what it looks like.

    Returns
    -------
    Path
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError(
            "nothing comes in by standard input.", "pipe a table in: cat people.csv | fairgroups audit - …"
        )
    folder = Path(tempfile.mkdtemp(prefix=f"fairgroups-{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    raw = folder / "raw"
    with raw.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with raw.open("rb") as file:
        start = file.read(16).lstrip()
    if not start:
        raise InputError("standard input is empty.", "pipe a table in: cat people.csv | fairgroups audit - …")
    suffix = next((suffix for mark, suffix in _STARTS.items() if start.startswith(mark)), ".csv")
    return raw.rename(folder / f"input{suffix}")
