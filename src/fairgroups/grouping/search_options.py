"""What is asked of the groups, as options: how many, how large, in which order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairgroups.cells.moments import Moments
from fairgroups.errors import InputError
from fairgroups.evidence.band_width import from_table
from fairgroups.evidence.likelihood import kl
from fairgroups.options import (
    AGAINST,
    CRITERIA,
    MONOTONIC,
    MOST_GROUPS,
    Against,
    Criterion,
    Monotonic,
    at_least_zero,
    cells_of,
    one_of,
    whole_number,
)
from fairgroups.search.group_limits import group_limits
from fairgroups.search.path import Limits

__all__ = ["SearchOptions"]


@dataclass(frozen=True)
class SearchOptions:
    """What is asked of the groups; see `FairGroups` for each."""

    n_groups: int | Literal["auto"] = "auto"
    selection: Criterion = "auto"
    max_groups: int = MOST_GROUPS
    monotonic: Monotonic | None = None
    min_group_size: float | Literal["auto"] = "auto"
    min_denominator: float = 0.0
    n_cells: int | None = None
    budget: float = 10.0
    against: Against = "everyone"
    verbose: bool = False
    min_cell: int = 1  # the fewest of whom anything is told

    def __post_init__(self) -> None:
        if isinstance(self.n_groups, str) and self.n_groups != "auto":
            raise InputError(f"`n_groups` must be a whole number of at least 1, or 'auto'; got {self.n_groups!r}.")
        if self.n_groups != "auto":
            whole_number(self.n_groups, "n_groups")
        one_of(self.selection, "selection", CRITERIA)
        whole_number(self.max_groups, "max_groups")
        one_of(self.monotonic, "monotonic", (None, *MONOTONIC))
        if self.min_group_size != "auto":
            group_limits(self.min_group_size, self.min_denominator, 1)
        if self.n_cells is not None:
            cells_of(self.n_cells)
        if at_least_zero(self.budget, "budget") == 0:
            raise InputError(f"`budget` must be a number of seconds above 0; got {self.budget!r}.")
        at_least_zero(self.min_denominator, "min_denominator")
        one_of(self.against, "against", AGAINST)

    @property
    def automatic(self) -> bool:
        """Whether the data is to choose the number of groups."""
        return self.n_groups == "auto"

    def most(self, available: int) -> int:
        """Return the largest number of groups to look for."""
        return min(self.max_groups if isinstance(self.n_groups, str) else int(self.n_groups), available)

    def limits(self, moments: Sequence[Moments], n_rows: int) -> Limits:
        """Return the least that a group must hold; `moments` of each rate looked at."""
        fewest = float(min(self.min_cell, n_rows))
        if self.min_group_size != "auto":
            asked = group_limits(self.min_group_size, self.min_denominator, n_rows)
            fewest, least = max(fewest, asked.rows), asked.b
        else:
            n_groups = 2 if isinstance(self.n_groups, str) else int(self.n_groups)
            least = max(min(_smallest_judgeable(m, n_groups) for m in moments), float(self.min_denominator))
        if self.min_cell > 1:  # who count in every rate, not only who are there
            counted = [(float(m.b.sum()), max(m.size, 1.0)) for m in moments]
            least = max(least, min(min(self.min_cell, size) * total / size * (1 - 1e-9) for total, size in counted))
        return Limits(fewest, least)


def _smallest_judgeable(moments: Moments, n_groups: int) -> float:
    """Return the least B with which a group of extreme rate could get a verdict; smaller groups say nothing."""
    total = float(moments.b.sum())
    size = max(moments.size, 1.0)
    rate = moments.overall
    if moments.bounded and 0 < rate < 1:
        q = from_table(size, rate, 0.95).phi
        n = np.arange(1.0, max(size / (2 * n_groups), 1.0) + 1)[:100_000]
        strongest = n * np.max(kl(np.array([0.0, 1.0]), np.array(rate)))
        enough = strongest > (q + np.sqrt(2 * (1 + np.log(size / n)))) ** 2 / 2
        least = float(n[enough][0]) if enough.any() else float(n[-1])
    else:
        least = max(50.0, 0.01 * size)  # means of fewer are too far from normal
    least = max(1.0, math.floor(min(least, size / (2 * n_groups))))
    return least * total / size * (1 - 1e-9)
