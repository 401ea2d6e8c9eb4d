"""fairgroups.toml: audits and scans to be repeated, checked against a schema before any of them runs."""

from __future__ import annotations

import difflib
import math
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

from fairgroups.audits.options import AuditOptions
from fairgroups.cli.job import JobOptions, TableOptions
from fairgroups.cli.parameters import NAME, SCHEMAS, schema_of
from fairgroups.errors import InputError
from fairgroups.scans.options import ScanOptions

__all__ = ["config_schema", "read_config"]

PATHS = ("out", "json", "markdown", "csv", "charts", "baseline", "data")


def config_schema() -> dict[str, Any]:
    """Return the JSON schema of fairgroups.toml: every option of an audit and of the job around it.

    The package holds it as config.schema.json too, for editors.
    """
    options = schema_of(JobOptions, AuditOptions, without=["verbose", "explore"])
    name = {"name": {"description": "What it is called in messages and test reports.", **NAME}}
    audit = {"type": "object", "additionalProperties": False, "required": ["name"], "properties": name | options}
    scanned = schema_of(TableOptions, ScanOptions, without=["verbose", "audits"])
    scan = {"type": "object", "additionalProperties": False, "required": ["name"], "properties": name | scanned}
    refs = {key: {"$ref": f"#/$defs/audit/properties/{key}"} for key in options}
    refs |= {key: {"$ref": f"#/$defs/scan/properties/{key}"} for key in scanned if key not in options}
    about = "Options of every audit and scan that does not say otherwise; a scan takes those that it has."
    defaults = {"description": about, "type": "object", "additionalProperties": False, "properties": refs}
    audits, scans = ({"type": "array", "minItems": 1, "items": {"$ref": f"#/$defs/{one}"}} for one in ("audit", "scan"))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "fairgroups.toml",
        "description": "Audits and scans to be repeated, for `fairgroups run`.",
        "type": "object",
        "additionalProperties": False,
        "anyOf": [{"required": ["audits"]}, {"required": ["scans"]}],
        "properties": {"defaults": defaults, "audits": audits, "scans": scans},
        "$defs": {"audit": audit, "scan": scan, "borders": SCHEMAS["borders"]["oneOf"][0]},
    }


def read_config(path: str | Path) -> list[dict[str, Any]]:
    """Read the audits and scans of a configuration: defaults filled in, and paths from the file's own folder.

    A scan is one without a sensitive attribute.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(
            f"there is no file {str(file)!r}.", "write one: [[audits]] with name, data, sensitive and outcome."
        )
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file.name!r} is not valid TOML: {error}.") from error
    _check(data, file.name)
    _check_numbers(data, file.name)
    defaults = data.get("defaults", {})
    audits = [{**defaults, **one} for one in data.get("audits", [])]
    of_scans = {f.name for record in (TableOptions, ScanOptions) for f in fields(record)}
    known = {key: value for key, value in defaults.items() if key in of_scans}
    scans = [{**known, **one} for one in data.get("scans", [])]
    for one in [*audits, *scans]:
        what, needed = ("scan", ()) if one in scans else ("audit", ("sensitive",))
        for key in ("data", *needed, "outcome"):
            if key not in one:
                raise InputError(f"the {what} {one['name']!r} in {file.name!r} has no {key!r}.", f"add {key} = …")
        for key in PATHS:
            if key in one and "://" not in one[key]:
                one[key] = str(file.parent / one[key])
    audits += scans
    names = [one["name"] for one in audits]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two entries of {file.name!r} are called {twice!r}.", "give each a name of its own.")
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
    if not error.absolute_path and error.validator == "anyOf":
        raise InputError(f"{name!r} holds no audit and no scan.", "begin one with a line [[audits]] or [[scans]].")
    hint, said = None, error.message
    if error.validator in ("oneOf", "anyOf"):
        said = f"{error.instance!r} is not what this may be"
        hint = f"it may be {' or '.join(dict.fromkeys(map(_kind_said, error.schema[error.validator])))}."
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = list(error.schema["properties"])
        unknown = [key for key in error.instance if key not in known]
        near = difflib.get_close_matches(unknown[0], known, n=1) if unknown else []
        hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known)}"
    raise InputError(f"{name!r}, {where}: {said}.", hint)


def _kind_said(schema: dict[str, Any]) -> str:
    """Say what a schema allows, with an example in TOML."""
    if "enum" in schema or "const" in schema:
        return ", ".join(f'"{value}"' for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return "a list, such as [25, 45]" if schema.get("items", {}).get("type") == "number" else "a list of texts"
    if schema.get("type") == "object":
        return "a table, such as {age = [25, 45]}"
    return {"integer": "a whole number", "number": "a number", "string": "a text"}.get(
        schema.get("type", ""), "another"
    )


def _check_numbers(value: Any, name: str, where: str = "") -> None:
    """Refuse nan and inf, which TOML has and no limit is."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            _check_numbers(item, name, f"{where}.{key}".lstrip("."))
    elif isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{name!r}, {where}: {value} is no number to be used.")
