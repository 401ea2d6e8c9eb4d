"""What a run over a folder has done so far, a line of JSON for each picture: one that was killed can go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fairgroups.errors import InputError, OutputError

__all__ = ["Journal"]


class Journal:
    """A file beside the table: a line that says what is measured and how, then one for each picture.

    Parameters
    ----------
    out : Path
        The table.
    about : dict
        The folder and how it is measured; a journal of another run is not gone on with.
    again : bool
        Forget an earlier run.
    """

    def __init__(self, out: Path, about: dict[str, Any], *, again: bool) -> None:
        self.path = out.with_name(f".{out.name}.journal")
        self.head = json.dumps({"fairgroups skin": 2, **about}, sort_keys=True)
        if again:
            self.remove()

    def read(self) -> dict[str, dict[str, Any]]:
        """Return what an earlier run had done; a line that was cut off is left out."""
        try:
            return self._read()
        except OSError as error:
            raise self._unwritable(error) from error

    def _read(self) -> dict[str, dict[str, Any]]:
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch()  # where nothing can be written is said before the work, not after it
            return {}
        whole = self.path.read_text(encoding="utf-8", errors="replace")
        first, *lines = whole[: whole.rfind("\n") + 1].splitlines() or [""]
        if first and first != self.head:
            raise InputError(
                f"an earlier run that was stopped measured another folder, or otherwise ({self.path.name}).",
                "run it with the same options, or start over: again=True (--again on the command line).",
            )
        found = {}
        for line in lines:
            try:
                row = json.loads(line)
                name, _ = row.pop("image"), row["stamp"]
                found[str(name)] = row
            except (ValueError, KeyError, AttributeError, TypeError, IndexError):
                continue  # it will be measured again
        # What was cut off must not be glued to the next line.
        self.path.write_text("".join(f"{line}\n" for line in [first, *lines] if line), encoding="utf-8")
        return found

    def add(self, name: str, row: dict[str, Any]) -> None:
        """Add a picture."""
        try:
            new = not self.path.exists() or not self.path.stat().st_size
            with self.path.open("a", encoding="utf-8") as file:
                if new:
                    file.write(self.head + "\n")
                file.write(json.dumps({"image": name, **row}) + "\n")
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> OutputError:
        return OutputError(f"cannot write {str(self.path)!r}: {error.strerror or error}.")

    def remove(self) -> None:
        """Forget it."""
        self.path.unlink(missing_ok=True)
