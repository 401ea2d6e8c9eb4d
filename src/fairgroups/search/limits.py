"""What a user asks of a search, checked, and carried out."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairgroups.cells.cells import Cells
from fairgroups.errors import InputError
from fairgroups.measures import Measure
from fairgroups.search.intervals import best_intervals
from fairgroups.search.monotone import Monotonic, best_monotone
from fairgroups.search.path import Limits, Path, Units

__all__ = ["check_n_groups", "limits_of", "search", "whole_number"]


def whole_number(value: Any, name: str) -> int:
    """Check a count."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InputError(f"`{name}` must be a whole number of at least 1; got {value!r}.")
    return int(value)


def check_n_groups(n_groups: Any, cells: Cells, measure: Measure | str) -> int:
    """Check the number of groups against what the data can give."""
    whole_number(n_groups, "n_groups")
    most = len(Units.of(cells, measure))
    if n_groups > most:
        what = "distinct values" if cells.distinct else "non-empty cells"
        raise InputError(
            f"`n_groups` must be between 1 and {most}, the number of {what} of {cells.name or 'x'!r} "
            f"(n_samples={int(cells.rows.sum())}); got {n_groups}.",
            f"lower `n_groups` to at most {most}.",
        )
    return int(n_groups)


def limits_of(min_group_size: Any, min_denominator: Any, n_rows: int) -> Limits:
    """Turn the least size of a group, in rows or as a share of them, into limits for a search."""
    if (
        isinstance(min_group_size, bool)
        or not isinstance(min_group_size, int | float | np.number)
        or not np.isfinite(min_group_size)
        or min_group_size < 0
        or (not float(min_group_size).is_integer() and min_group_size > 1)
    ):
        raise InputError(
            f"`min_group_size` must be a number of rows, or a share of them between 0 and 1; got {min_group_size!r}."
        )
    if not isinstance(min_denominator, int | float | np.number) or not min_denominator >= 0:
        raise InputError(f"`min_denominator` must be a number of at least 0; got {min_denominator!r}.")
    share = isinstance(min_group_size, float | np.floating) and 0 < min_group_size < 1
    rows = np.ceil(min_group_size * n_rows) if share else float(min_group_size)
    return Limits(rows=float(rows), b=float(min_denominator))


def search(cells: Cells, measure: Measure | str, n_groups: int, *, monotonic: Monotonic | None, limits: Limits) -> Path:
    """Run the search that the options ask for."""
    if monotonic is None:
        return best_intervals(cells, measure, n_groups, limits)
    return best_monotone(cells, measure, n_groups, monotonic, limits)
