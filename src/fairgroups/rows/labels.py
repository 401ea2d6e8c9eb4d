"""Labels as numbers: yes and no, categories, and who belongs together."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.rows.columns import is_missing, numbers, shorten

__all__ = ["category_levels", "check_positive", "label_codes", "read_outcome"]

Array = NDArray[np.float64]


def category_levels(name: str, found: set[str], most: int = 64) -> tuple[str, ...]:
    """Return the levels of a category in order; refuse too many."""
    if len(found) > most:
        raise InputError(
            f"{name!r} is a category with {len(found)} levels; at most {most} can be grouped.",
            "join rare levels, or encode the column as a number.",
        )
    return tuple(sorted(found))


def read_outcome(
    values: NDArray[Any], name: str, positive: Any, *, optional_positive: bool = False
) -> tuple[Array, bool]:
    """Convert an outcome to floats and say whether it is yes/no."""
    data = np.asarray(values.data) if isinstance(values, np.ma.MaskedArray) else values
    if data.dtype.kind in "biufMm" or all(
        is_missing(value) or isinstance(value, Real | Decimal) for value in values.tolist()
    ):
        found = numbers(values, name)
        binary = bool(np.all((found == 0) | (found == 1) | np.isnan(found)))
        if positive is None:
            return found, binary
        try:
            wanted = float(positive)
        except (TypeError, ValueError):
            wanted = np.nan
        levels = np.unique(found[~np.isnan(found)])
        if (levels.size <= 2 and wanted in levels) or (binary and wanted in (0, 1)):
            return np.where(np.isnan(found), np.nan, (found == wanted).astype(np.float64)), True
        if optional_positive:  # the label is that of the other column
            return found, binary
        raise InputError(
            f"`positive` must be one of two values of {name!r}; got {positive!r}, "
            f"and {name!r} has {levels.size} distinct values, such as {levels[:5].tolist()}."
        )
    items = [None if is_missing(value) else str(value) for value in values.tolist()]
    labels = sorted({item for item in items if item is not None})
    if positive is None and labels and {label.lower() for label in labels} <= {"true", "false"}:
        positive = next((label for label in labels if label.lower() == "true"), "true")
        labels = sorted({*labels, positive})
    shown = ", ".join(shorten(label) for label in labels[:5]) + (", …" if len(labels) > 5 else "")
    if len(labels) > 2:
        raise InputError(
            f"{name!r} holds {len(labels)} different labels ({shown}); an outcome has two, or is a number.",
            "make a yes/no column of it first.",
        )
    if positive is None or (str(positive) not in labels and len(labels) == 2):
        said = "" if positive is None else f" `positive` is {positive!r}, which is neither."
        raise InputError(
            f"{name!r} holds the labels {shown}; it must be known which one counts as 1.{said}",
            f"say positive={_likely(labels)!r} (--positive on the command line).",
        )
    codes = [np.nan if item is None else float(item == str(positive)) for item in items]
    return np.asarray(codes, dtype=np.float64), True


def check_positive(positive: Any, columns: list[NDArray[Any]]) -> None:
    """Refuse a label that no column holds."""
    for values in columns:
        items = values.tolist()  # None where masked
        found = set(items)
        if positive in found or str(positive) in {str(x) for x in found if not is_missing(x)}:
            return
        if isinstance(positive, str):
            try:
                if float(positive) in found:
                    return
            except ValueError:
                pass
    raise InputError(f"`positive` is {positive!r}, which no column holds.", "name a label of the outcome or the truth.")


def label_codes(values: NDArray[Any]) -> Array:
    """Turn labels of any kind into numbers; NaN where one is missing."""
    if values.dtype.kind in "iub" and not isinstance(values, np.ma.MaskedArray):
        return np.unique(values, return_inverse=True)[1].ravel().astype(np.float64)
    items = values.tolist()  # None where masked
    number: dict[Any, float] = {}
    return np.array([np.nan if is_missing(item) else number.setdefault(item, float(len(number))) for item in items])


def _likely(labels: list[str]) -> str:
    """Guess for a hint which label means yes."""
    yes = {"yes", "y", "true", "t", "1", "positive", "approved", "accepted", "granted", "hired", "selected", ">50k"}
    return next((label for label in labels if label.strip().lower() in yes), labels[-1] if labels else "yes")
