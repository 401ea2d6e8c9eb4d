"""What a group must hold at least, checked; and the search on the line that the options ask for."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairgroups.cells.cells import Cells
from fairgroups.errors import InputError
from fairgroups.measures import Measure
from fairgroups.options import Monotonic, at_least_zero, whole_number
from fairgroups.search.intervals import best_intervals
from fairgroups.search.monotone import best_monotone
from fairgroups.search.path import GroupPath, Limits, Units

__all__ = ["check_n_groups", "group_limits", "search"]


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


def group_limits(min_group_size: Any, min_denominator: Any, n_rows: int) -> Limits:
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
    at_least_zero(min_denominator, "min_denominator")
    share = isinstance(min_group_size, float | np.floating) and 0 < min_group_size < 1
    rows = np.ceil(min_group_size * n_rows) if share else float(min_group_size)
    return Limits(rows=float(rows), b=float(min_denominator))


def search(
    cells: Cells, measure: Measure | str, n_groups: int, *, monotonic: Monotonic | None, limits: Limits
) -> GroupPath:
    """Run the search that the options ask for."""
    if monotonic is None:
        return best_intervals(cells, measure, n_groups, limits)
    return best_monotone(cells, measure, n_groups, monotonic, limits)
