"""Repairs as JSON, and back: the doors that all of them share."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from fairgroups.audits.json_file import loaded
from fairgroups.errors import SchemaError
from fairgroups.output import read_text, write_atomically

__all__ = ["WrittenRepair", "check_schema", "read_document"]


class WrittenRepair(ABC):
    """A repair that is written as JSON and read again; no pickle is needed to deploy it."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the fitted repair as plain data."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Build a fitted repair from what `to_dict` gave."""

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the fitted repair as JSON, to a file if a path is given, and return the text."""
        text = json.dumps(self.to_dict(), allow_nan=False)
        if path is not None:
            write_atomically(path, text + "\n")
        return text

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Build a fitted repair from the JSON that `to_json` returned."""
        return cls.from_dict(read_document(text))

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a file that `to_json` wrote."""
        return cls.from_json(read_text(path))


def check_schema(data: Any, schema: str, newest: int, what: str) -> int:
    """Refuse what is no such repair, or newer than this library; return its version."""
    if not isinstance(data, Mapping) or data.get("schema") != schema:
        raise SchemaError(f"this is no {what}: its schema is not {schema!r}.")
    version = data.get("schema_version")
    if not isinstance(version, int) or version > newest:
        raise SchemaError(
            f"this repair has schema version {version!r}; this library reads up to {newest}.", "update fairgroups."
        )
    return version


def read_document(text: str | bytes) -> dict[str, Any]:
    """Return JSON text as an object."""
    data = loaded(text)
    if not isinstance(data, dict):
        raise SchemaError("this is no repair: it is not a JSON object.")
    return data
