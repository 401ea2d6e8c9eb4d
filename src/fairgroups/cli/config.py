"""fairgroups.toml: audits to be repeated, checked against a schema before any of them runs."""

from __future__ import annotations

import difflib
import json
import math
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from fairgroups.errors import InputError

__all__ = ["config_schema", "read_config"]

PATHS = ("out", "json", "markdown", "csv", "charts", "baseline", "file")


def config_schema() -> dict[str, Any]:
    """Give the JSON schema of fairgroups.toml, for editors."""
    text = files("fairgroups.cli").joinpath("config.schema.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def read_config(path: str | Path) -> list[dict[str, Any]]:
    """Read the audits of a configuration: each with the defaults filled in, and paths from the file's own folder."""
    file = Path(path)
    if not file.is_file():
        raise InputError(
            f"there is no file {str(file)!r}.", "write one: [[audits]] with name, file, sensitive and outcome."
        )
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file.name!r} is not valid TOML: {error}.") from error
    _check(data, file.name)
    _check_numbers(data, file.name)
    defaults = data.get("defaults", {})
    audits = [{**defaults, **one} for one in data["audits"]]
    for one in audits:
        for key in ("file", "sensitive", "outcome"):
            if key not in one:
                raise InputError(f"the audit {one['name']!r} in {file.name!r} has no {key!r}.", f"add {key} = …")
        for key in PATHS:
            if key in one and "://" not in one[key]:
                one[key] = str(file.parent / one[key])
    names = [one["name"] for one in audits]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two audits in {file.name!r} are called {twice!r}.", "give each a name of its own.")
    return audits


def _check(data: Any, name: str) -> None:
    """Refuse what the schema does not allow, and say where and what was probably meant."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    schema = config_schema()
    error = best_match(Draft202012Validator(schema).iter_errors(data))
    if error is None:
        return
    where = ".".join(str(part) for part in error.absolute_path) or "the file"
    hint = None
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = list(error.schema["properties"])
        unknown = [key for key in error.instance if key not in known]
        near = difflib.get_close_matches(unknown[0], known, n=1) if unknown else []
        hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known)}"
    raise InputError(f"{name!r}, {where}: {error.message}.", hint)


def _check_numbers(value: Any, name: str, where: str = "") -> None:
    """Refuse nan and inf, which TOML has and no limit is."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            _check_numbers(item, name, f"{where}.{key}".lstrip("."))
    elif isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{name!r}, {where}: {value} is no number to be used.")
