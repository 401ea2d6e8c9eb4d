"""Writing files so that a crash leaves the old file or the new one, never half of either."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairgroups.errors import InputError, OutputError

__all__ = ["replacing", "write_atomically"]


def write_atomically(path: str | Path, text: str) -> None:
    """Write text beside the target, then put it in its place in one step."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a new file beside the target to write into; when all went well it takes the target's place in one step."""
    target = Path(path).resolve()  # a link stays a link; what it leads to is replaced
    if not target.parent.is_dir():
        raise InputError(
            f"there is no folder {str(target.parent)!r} to write {target.name!r} into.", "create it first."
        )
    try:
        if target.exists() and not target.is_file() and not target.is_dir():  # a pipe or device
            yield target
            return
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
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
