"""The range of each column: the first of two aggregations that leave an engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.engines.cell_keys import MOST_KEYS, CellKeys
from fairgroups.engines.columns import LABELS, as_float, collect, is_number
from fairgroups.errors import InputError, MissingValuesError
from fairgroups.options import Missing
from fairgroups.rows.rows import check_size
from fairgroups.rows.weights import check_weight

__all__ = ["Ranges", "find_ranges"]

Array = NDArray[np.float64]
KEYS_OF_AXIS = {1: MOST_KEYS, 2: 512, 3: 64}
FEWEST_KEYS = 16


@dataclass(frozen=True)
class Ranges:
    """What the first aggregation found."""

    n: int
    keys: list[CellKeys | None]  # None for a category
    is_number: dict[str, bool]  # of those of outcome, truth and base that are no text: other numbers than 0 and 1
    ends: dict[str, tuple[float, float]]  # the smallest and the largest number, by role
    unweighted: int = 0  # people without a weight, who are left out
    complete: bool = False  # no number is missing

    def centre(self, role: str) -> float:
        """Return what is taken off numbers before they are added, so that their squares keep their digits."""
        low, high = self.ends[role]
        return low / 2 + high / 2 if role in self.is_number else 0.0

    def reach(self, role: str) -> float:
        """Return how far numbers lie from that at most."""
        return max(abs(end - self.centre(role)) for end in self.ends[role])


def find_ranges(
    frame: Any,
    attributes: Sequence[str],
    numeric: list[bool],
    dtypes: dict[str, Any],
    named: dict[str, str],
    n_cells: int | None,
    missing: Missing,
) -> Ranges:
    """Run the first aggregation: the ends of each column, and whether outcomes are other numbers than 0 and 1."""
    import narwhals as nw

    kinds = {role: is_number(dtypes[role]) for role in LABELS if role in named}
    whole = {role for role in kinds if dtypes[role].is_integer()}
    prepared: list[Any] = []
    asked: list[Any] = [nw.len().alias("n")]
    for d, counts in enumerate(numeric):
        if counts:
            x = nw.col(f"x{d}")
            asked += [x.min().alias(f"low_{d}"), x.max().alias(f"high_{d}"), x.count().alias(f"known_{d}")]
    for role in (role for role, numbers in kinds.items() if numbers):
        y = nw.col(role)
        asked += [y.min().alias(f"low_{role}"), y.max().alias(f"high_{role}"), y.count().alias(f"known_{role}")]
        if role not in whole:  # whole numbers from 0 to 1 are 0 and 1; of others this is 0 for 0 and 1 only
            prepared.append((y * (y - 1)).alias(f"odd_{role}"))
            odd = nw.col(f"odd_{role}")
            asked += [odd.min().alias(f"low_odd_{role}"), odd.max().alias(f"high_odd_{role}")]
    if "weight" in named:
        prepared += [
            nw.when(nw.col("weight") > 0).then(nw.col("weight")).alias("positive"),
            nw.when(nw.col("weight").is_null()).then(1).otherwise(0).alias("nothing"),
        ]
        asked += [nw.col("nothing").sum().alias("nothing"), nw.col("weight").min().alias("low_weight")]
        asked += [nw.col("weight").max().alias("high_weight"), nw.col("positive").min().alias("least_weight")]
    ready = frame.with_columns(*prepared) if prepared else frame
    one = {name: values[0] for name, values in collect(ready.select(*asked)).items()}
    if not one["n"]:
        raise InputError("there are no rows.", "check that the table is not empty and the filter not too strict.")
    unweighted = _check_weights(one, named["weight"], missing) if "weight" in named else 0
    keys: list[CellKeys | None] = []
    for d, counts in enumerate(numeric):
        if not counts:
            keys.append(None)
            continue
        low, high = as_float(one[f"low_{d}"]), as_float(one[f"high_{d}"])
        if np.isnan(low):
            raise InputError(f"every value of {attributes[d]!r} is missing.", "check the column.")
        _check_range(low, high, attributes[d])
        most = n_cells or KEYS_OF_AXIS.get(sum(numeric), FEWEST_KEYS)
        keys.append(CellKeys(low, high, int(most)))
    is_number_of, ends = _labels_of(one, kinds, named, whole)
    if "weight" in named:
        ends["weight"] = (0.0, as_float(one["high_weight"]))
    complete = not unweighted and all(known == one["n"] for name, known in one.items() if name.startswith("known_"))
    return Ranges(int(one["n"]), keys, is_number_of, ends, unweighted, complete=complete)


def _labels_of(
    one: dict[str, Any], kinds: dict[str, bool], named: dict[str, str], whole: set[str]
) -> tuple[dict[str, bool], dict[str, tuple[float, float]]]:
    """Say of each column of numbers whether they are other than 0 and 1, and give its ends."""
    is_number_of, ends = {}, {}
    for role in (role for role, numbers in kinds.items() if numbers):
        low, high = as_float(one[f"low_{role}"]), as_float(one[f"high_{role}"])
        if role in whole:
            is_number_of[role] = low < 0 or high > 1
        else:
            strange = [as_float(one[f"{end}_odd_{role}"]) for end in ("low", "high")]
            is_number_of[role] = any(x != 0 for x in strange if np.isfinite(x))
        if not np.isnan(low):
            _check_range(low, high, named[role])
            check_size(np.array([low, high]), named[role])
        ends[role] = (low, high)
    return is_number_of, ends


def _check_range(low: float, high: float, name: str) -> None:
    """Refuse numbers that are infinite, or so large or close that arithmetic fails."""
    if np.isinf([low, high]).any():
        raise InputError(
            f"{name!r} holds infinite values (inf).",
            "remove these rows or replace the values; infinite is not treated as missing.",
        )
    with np.errstate(over="ignore"):
        if not np.isfinite([high - low, MOST_KEYS / (high - low) if high > low else 0.0]).all():
            raise InputError(
                f"the values of {name!r} run from {low:g} to {high:g}, beyond what can be computed.", "rescale them."
            )


def _check_weights(one: dict[str, Any], name: str, missing: Missing) -> int:
    """Check weights as those of rows in memory are; return how many people have none and are left out."""
    nothing = int(as_float(one["nothing"]))
    if nothing and missing != "drop":
        raise MissingValuesError(
            f"{name!r} holds {nothing} missing value(s) (NaN).",
            "missing='drop' leaves these rows out and counts them (--missing on the command line).",
        )
    ends = np.array([as_float(one[end]) for end in ("low_weight", "least_weight", "high_weight")])
    if ends[0] < 0:
        raise InputError(f"weights must not be negative; {name!r} goes down to {ends[0]:g}.")
    check_weight(ends[~np.isnan(ends)], name)
    return nothing
