"""Options as parameters of the command line and as properties of a JSON schema: both follow from the records.

Each kind of option is typed, read and described in one place here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import Field, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from fairgroups.errors import InputError

__all__ = ["panel_of", "read_borders", "read_number", "read_options", "schema_of", "taking"]

PANELS = {
    "Question": "sensitive outcome truth compare_with measure favourable given expected how seek reliability error "
    "scales by baseline against reference attributes without pairs repair",
    "Data": "table where sql sheet na decimal encoding strict memory_limit missing positive threshold weight cluster "
    "key",
    "Groups": "n_groups partition selection max_groups monotonic min_group_size min_denominator n_cells budget",
    "Evidence": "level inference band_width relevant_gap checks seed min_cell private known_range",
    "Limits": "max_gap max_harm min_ratio max_change",
    "Output": "out json markdown csv charts junit quiet title label unit",
}
SHORT = {"sensitive": "-s", "outcome": "-o"}
FLAGS = {"favourable": "--favourable/--unfavourable"}
NAME = {"type": "string", "minLength": 1}
TYPES: dict[str, Any] = {
    "column": str,
    "columns": list[str],
    "text": str,
    "words": str,
    "flag": bool,
    "count": int,
    "seed": int,
    "number": float,
    "any number": float,
    "texts": str,
    "share": float,
    "auto count": str,
    "auto size": str,
    "reliability": str,
    "borders": list[str],
    "ends": str,
    "file": Path,
    "scales": list[str],
    "labels": list[str],
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "column": NAME,
    "columns": {"oneOf": [NAME, {"type": "array", "items": NAME, "minItems": 1}]},
    "text": {"type": ["string", "number", "boolean"]},
    "words": {},
    "flag": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 1},
    "seed": {"type": "integer", "minimum": 0},
    "number": {"type": "number", "minimum": 0},
    "any number": {"type": "number"},
    "texts": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": ["string", "number"]}}]},
    "share": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "auto count": {"oneOf": [{"const": "auto"}, {"type": "integer", "minimum": 1}]},
    "auto size": {"oneOf": [{"const": "auto"}, {"type": "number", "minimum": 0}]},
    "reliability": {"oneOf": [{"const": "cluster"}, {"type": "number", "minimum": 0.05, "maximum": 1}]},
    "borders": {
        "oneOf": [
            {"type": "array", "items": {"type": "number"}, "minItems": 1},
            {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "number"}}},
        ]
    },
    "ends": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    "file": NAME,
    "labels": {"type": "object", "additionalProperties": NAME},
    "scales": {"type": "object", "additionalProperties": {"$ref": "#/$defs/borders"}},
}


def taking(*records: Any, without: Iterable[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a command the options of some records as its own."""

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.kind is not p.VAR_KEYWORD]
        known = {p.name for p in own} | set(without)
        more = [_parameter(f) for record in records for f in fields(record) if f.name not in known]
        order = [*PANELS, None]
        every = sorted([*own, *more], key=lambda p: (order.index(panel_of(p.name)), p.default is not p.empty))
        every = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in every]
        command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in every} | {"return": None}
        return command

    return with_options


def panel_of(name: str) -> str | None:
    """Return the panel of the help in which an option stands."""
    return next((panel for panel, names in PANELS.items() if name in names.split()), None)


def _parameter(one: Field[Any]) -> inspect.Parameter:
    kind, needed = one.metadata["kind"], one.default is NO_DEFAULT
    names = [FLAGS.get(one.name, f"--{one.name.replace('_', '-')}")]
    if kind == "flag" and one.name not in FLAGS:
        names = [f"{names[0]}/--no-{one.name.replace('_', '-')}"]
    names += [SHORT[one.name]] if one.name in SHORT else []
    default = inspect.Parameter.empty if needed else one.default
    typed = TYPES[kind] if needed or one.default is not None else TYPES[kind] | None
    described = typer.Option(
        *names, help=one.metadata["help"], show_default=one.default is not None, rich_help_panel=panel_of(one.name)
    )
    return inspect.Parameter(
        one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[typed, described]
    )


def read_options(record: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return what was typed for the options of a record, read; what was not said is left out."""
    kinds = {f.name: f.metadata["kind"] for f in fields(record)}
    return {name: _read(name, kinds[name], given[name]) for name in kinds if given.get(name) is not None}


def _read(name: str, kind: str, value: Any) -> Any:
    typed = f"--{name.replace('_', '-')}"
    if kind == "borders":
        return _classes(value, typed)
    if kind == "ends" and isinstance(value, str):
        return read_borders(value, typed)
    if kind == "scales":
        return dict(_scale(text, typed) for text in value)
    if kind == "labels":
        return dict(_label(text, typed) for text in value)
    if kind in ("auto count", "auto size"):
        return read_number(typed, value, whole=kind == "auto count")
    if kind == "reliability" and value != "cluster":
        try:
            return float(value)
        except (TypeError, ValueError):
            raise InputError(f"{typed} must be a number up to 1, or 'cluster'; got {value!r}.") from None
    if kind == "texts" and isinstance(value, str):
        return [text.strip() for text in value.split(",")]
    if kind == "columns":
        return value[0] if len(value) == 1 else list(value)
    return value


def read_number(typed: str, value: Any, *, whole: bool = False) -> Any:
    """Read a number that a user typed, or "auto"."""
    if not isinstance(value, str) or value == "auto":
        return value
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not number == number or (whole and not number.is_integer()):  # noqa: PLR0124
        raise InputError(f"{typed} must be {'a whole number' if whole else 'a number'} or 'auto'; got {value!r}.")
    return int(number) if number.is_integer() else number


def read_borders(text: str, typed: str) -> list[float]:
    """Read borders that a user typed."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{typed} must be numbers with commas between them; got {text!r}.", "25,45") from None


def _classes(texts: Sequence[str], typed: str) -> list[float] | dict[str, list[float]]:
    """Read borders of one attribute, or of several with their names."""
    if len(texts) == 1 and "=" not in texts[0]:
        return read_borders(texts[0], typed)
    if any("=" not in text for text in texts):
        raise InputError(f"{typed} must say of which column borders are; got {list(texts)}.", f"{typed} age=40")
    return dict(_scale(text, typed) for text in texts)


def _label(text: str, typed: str) -> tuple[str, str]:
    name, _, label = text.partition("=")
    if not name.strip() or not label.strip():
        raise InputError(f"{typed} is a column and what it is called; got {text!r}.", f"{typed} age='Age (years)'")
    return name.strip(), label.strip()


def _scale(text: str, typed: str) -> tuple[str, list[float]]:
    name, _, borders = text.rpartition("=")
    if not name.strip():
        raise InputError(f"{typed} is a name and borders; got {text!r}.", f"{typed} 'law=25,45'")
    return name, read_borders(borders, typed)


def schema_of(*records: Any, without: Iterable[str] = ()) -> dict[str, Any]:
    """Return the properties of a JSON schema for the options of some records."""
    out: dict[str, Any] = {}
    for one in (f for record in records for f in fields(record) if f.name not in set(without)):
        words = {"enum": list(one.metadata["words"])} if one.metadata["kind"] == "words" else {}
        out[one.name] = {"description": one.metadata["help"], **SCHEMAS[one.metadata["kind"]], **words}
    return out
