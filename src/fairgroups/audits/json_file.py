"""Results as JSON files that are read back equal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from fairgroups import __version__
from fairgroups.audits.document import from_plain, to_plain
from fairgroups.errors import SchemaError
from fairgroups.output import read_text, write_atomically

__all__ = ["Written", "loaded"]


class Written:
    """A result that is written as JSON: what it is called, its schema, and the version of that."""

    NOUN: ClassVar[str]
    SCHEMA: ClassVar[str]
    VERSION: ClassVar[int]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and to_plain(self) == to_plain(other)  # NaN equals NaN here

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; a number that does not exist is None."""
        about = {"schema": self.SCHEMA, "schema_version": self.VERSION, "library_version": __version__}
        plain: dict[str, Any] = about | to_plain(self)
        return plain

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Build it from what `to_dict` returned."""
        if not isinstance(data, Mapping) or data.get("schema") != cls.SCHEMA:
            raise SchemaError(
                f"this is no {cls.NOUN}: its schema is not {cls.SCHEMA!r}.", "write one with to_json (--json)."
            )
        if data.get("schema_version") != cls.VERSION:
            raise SchemaError(
                f"this {cls.NOUN} has schema version {data.get('schema_version')!r}; this library reads {cls.VERSION}.",
                f"run the {cls.NOUN} again with this version of fairgroups.",
            )
        found: Self = from_plain(cls, dict(data))
        return found

    def to_json(self, path: str | Path | None = None) -> str:
        """Return it as JSON, and write it to a file if a path is given; `from_json` reads it back, equal."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)
        if path is not None:
            write_atomically(path, text + "\n")
        return text

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Build it from the JSON that `to_json` returned."""
        return cls.from_dict(loaded(text))

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a file that `to_json` wrote."""
        return cls.from_dict(loaded(read_text(path), repr(Path(path).name)))


def loaded(text: str | bytes, name: str = "this") -> Any:
    """Return what JSON holds; refuse what is none, by the name of its file."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SchemaError(
            f"{name} is not JSON: {error}.",
            "pass a file that --json wrote (of a repair, --model), or its text to from_json.",
        ) from error
