"""A fitted repair as plain data for JSON, and back, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from fairgroups import __version__
from fairgroups.errors import SchemaError
from fairgroups.partition.partition import Partition
from fairgroups.repair.inputs import check_options
from fairgroups.repair.json_file import check_schema
from fairgroups.repair.left import Left
from fairgroups.repair.maps import Maps

if TYPE_CHECKING:
    from fairgroups.repair.score_repair import ScoreRepair

__all__ = ["document_of", "repair_of"]

SCHEMA = "fairgroups/repair"
SCHEMA_VERSION = 2


def document_of(repair: ScoreRepair) -> dict[str, Any]:
    """Return a fitted repair as plain data."""
    options = {n: _plain(value) for n, value in repair.get_params(deep=False).items() if n != "partition"}
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "library_version": __version__,
        "options": options,
        "partition": repair.partition_.to_dict(),
        "maps": repair.maps_.to_dict(),
        "gaps": repair.gaps_,
        "gap": repair.gap_,
        "bound": repair.bound_,
        "left": None if repair.left_ is None else asdict(repair.left_),
    }


def repair_of(data: Mapping[str, Any], kind: type[ScoreRepair]) -> ScoreRepair:
    """Build a fitted repair from what `document_of` gave."""
    version = check_schema(data, SCHEMA, SCHEMA_VERSION, "repair")
    try:
        if version == 1:
            data = _of_version_1(data)
        partition = Partition.from_dict(data["partition"])
        found = kind(partition, **data["options"])
        found.partition_ = partition
        check_options(found)
        found.maps_ = Maps.from_dict(data["maps"], partition.n_groups)
        found.gaps_, found.gap_ = dict(data["gaps"]), float(data["gap"])
        found.bound_ = None if data["bound"] is None else float(data["bound"])
        found.left_ = None if data["left"] is None else Left.from_dict(data["left"])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise SchemaError(f"this repair cannot be read: {error}.", "write it again with to_json.") from error
    found.n_features_in_ = 1
    return found


def _of_version_1(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the first version wrote as the second: smooth maps had a centre for each group."""
    options = {name: value for name, value in data["options"].items() if name != "smooth"}
    maps = dict(data["maps"])
    centres = maps.pop("centres")
    maps["atoms"] = list(range(len(maps["knots"])))
    maps["axes"] = None
    if centres is not None:
        maps["axes"] = [{"name": "", "centres": centres, "levels": None}]
        maps["groups"] = list(range(len(centres)))
    return {**data, "options": options, "maps": maps, "left": None}


def _plain(value: Any) -> Any:
    """Return a number of NumPy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value
