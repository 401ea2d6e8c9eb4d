"""Writing files so that a crash leaves the old file or the new one, never half of either."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from fairgroups.errors import InputError, OutputError

__all__ = ["write_atomically"]


def write_atomically(path: str | Path, text: str) -> None:
    """Write text beside the target, then put it in its place in one step."""
    target = Path(path).resolve()  # a link stays a link; what it leads to is replaced
    if not target.parent.is_dir():
        raise InputError(
            f"there is no folder {str(target.parent)!r} to write {target.name!r} into.", "create it first."
        )
    try:
        if target.exists() and not target.is_file() and not target.is_dir():  # a pipe or device
            target.write_text(text, encoding="utf-8")
        else:
            _replace(target, text)
    except OSError as error:
        raise OutputError(f"cannot write {str(target)!r}: {error.strerror or error}.") from error


def _replace(target: Path, text: str) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)  # as an ordinary new file would have
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
