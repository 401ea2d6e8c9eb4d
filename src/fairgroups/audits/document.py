"""Results as JSON and back: dataclasses become plain data, and plain data the same dataclasses again, checked."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from fairgroups.errors import SchemaError
from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Interval, Levels, Side, side_from_dict

__all__ = ["from_plain", "schema_of", "to_plain"]


def to_plain(value: Any) -> Any:
    """Return plain data; numbers that are not finite become None, and fields marked as not plain are left out."""
    if isinstance(value, Partition | Side):
        return value.to_dict()
    if is_dataclass(value):
        return {f.name: to_plain(getattr(value, f.name)) for f in fields(value) if f.metadata.get("plain", True)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return [to_plain(item) for item in value.tolist()]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@lru_cache
def _types(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def from_plain(kind: Any, value: Any, where: str = "") -> Any:
    """Build a value of a type from what `to_plain` returned; None is NaN where a number is expected.

    Parameters
    ----------
    kind : type
        A dataclass, a container of them, a choice of words, or a plain type.
    value : plain data
        What was read.
    where : str
        The path to it, for messages.

    Returns
    -------
    value of that type
    """
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin in (Union, types.UnionType):
        return _one_of_types(inner, value, where)
    if origin is Literal:
        if value not in inner:
            raise SchemaError(
                f"{where or 'the document'} is {value!r}, which is none of {', '.join(map(repr, inner))}."
            )
        return value
    if origin in (tuple, list):
        _expect(value, list, where)
        items = inner * len(value) if len(inner) == 1 else inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        if len(items) != len(value):
            raise SchemaError(f"{where} must hold {len(items)} values; it holds {len(value)}.")
        found = [from_plain(t, x, f"{where}[{i}]") for i, (t, x) in enumerate(zip(items, value, strict=True))]
        return tuple(found) if origin is tuple else found
    if origin is dict:
        _expect(value, dict, where)
        return {key: from_plain(inner[1], item, f"{where}.{key}") for key, item in value.items()}
    if kind is Partition:
        return Partition.from_dict(value)
    if kind in (Interval, Levels):
        return _side(value, where)
    if is_dataclass(kind):
        return _dataclass(kind, value, where)
    if kind is float:
        return math.nan if value is None else float(_expect(value, (int, float), where))
    return _expect(value, kind, where)


def _one_of_types(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    error: SchemaError | None = None
    for kind in kinds:
        if kind is type(None):
            continue
        try:
            return from_plain(kind, value, where)
        except SchemaError as failed:
            error = error or failed
    raise error or SchemaError(f"{where} cannot be read.")


def _side(value: Any, where: str) -> Side:
    _expect(value, dict, where)
    try:
        return side_from_dict(value)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise SchemaError(f"{where} is no range of numbers and no set of levels.", "write the file again.") from None


def _dataclass(kind: Any, value: Any, where: str) -> Any:
    _expect(value, dict, where)
    hints, given = _types(kind), {}
    for f in fields(kind):
        if not f.metadata.get("plain", True):
            continue
        if f.name not in value:
            raise SchemaError(f"{f'{where}.' if where else ''}{f.name} is missing.", "write the file again.")
        given[f.name] = from_plain(hints[f.name], value[f.name], f"{where}.{f.name}".lstrip("."))
    return kind(**given)


def _expect(value: Any, kind: Any, where: str) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind not in (bool, Any)):
        names = " or ".join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))
        raise SchemaError(f"{where or 'the document'} must be of type {names}; it is {type(value).__name__}.")
    if isinstance(value, int) and abs(value) >= 2**63:
        raise SchemaError(f"{where or 'the document'} is a number too large to compute with.")
    return value


def schema_of(kind: Any, defs: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of what `to_plain` makes of a type; dataclasses are added to `defs` and referred to."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(one, defs) for one in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (tuple, list):
        fixed = origin is tuple and Ellipsis not in inner
        sizes = {"minItems": len(inner), "maxItems": len(inner)} if fixed else {}
        return {"type": "array", "items": schema_of(inner[0], defs), **sizes}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(inner[1], defs)}
    if is_dataclass(kind) and kind not in (Partition, Interval, Levels):
        return _reference(kind, defs)
    plain = {float: ["number", "null"], int: "integer", str: "string", bool: "boolean", type(None): "null"}
    return {"type": plain.get(kind, "object")}


def _reference(kind: Any, defs: dict[str, Any]) -> dict[str, Any]:
    name = kind.__name__
    if name not in defs:
        defs[name] = {}  # it may hold itself
        hints = _types(kind)
        properties = {f.name: schema_of(hints[f.name], defs) for f in fields(kind) if f.metadata.get("plain", True)}
        defs[name] = {
            "description": (kind.__doc__ or "").split("\n\n")[0].replace("\n    ", " "),
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}
