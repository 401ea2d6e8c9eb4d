"""One partition on another table: whether it carries over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairgroups.cells.sample import Sample
from fairgroups.evidence.agreement import adjusted_rand_index, rand_index
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.evidence.rates import group_rates
from fairgroups.grouping.comparable_people import find_alike
from fairgroups.grouping.find import find
from fairgroups.grouping.refine import find_finely
from fairgroups.grouping.search_options import SearchOptions
from fairgroups.measures import Measure, resolve_measure
from fairgroups.options import Missing
from fairgroups.partition.given import given_partition
from fairgroups.partition.partition import Partition
from fairgroups.reading import read_rows
from fairgroups.rows.roles import Roles

__all__ = ["Transfer", "transfer"]


@dataclass(frozen=True)
class Transfer:
    """How a partition does on another table.

    Attributes
    ----------
    variance : float
        Var Φ of the partition on this table.
    own_variance : float
        Var Φ of the table's own best groups, as many as the partition has.
    rand, adjusted_rand : float
        How far the two agree on who belongs together; the second is 0 for chance agreement.
    own : Partition
        The table's own groups.
    """

    variance: float
    own_variance: float
    rand: float
    adjusted_rand: float
    own: Partition


def transfer(
    partition: Partition,
    data: Any,
    *,
    sensitive: str | Sequence[str],
    outcome: str,
    truth: str | None = None,
    weight: str | None = None,
    measure: str | Measure = "auto",
    positive: Any = None,
    missing: Missing = "error",
    given: str | Sequence[str] | None = None,
    own: Partition | None = None,
) -> Transfer:
    """Apply a partition to another table, and compare it with that table's own groups.

    Parameters
    ----------
    partition : Partition
        Groups found elsewhere.
    data : frame, mapping or path
        The other table.
    sensitive, outcome, truth, weight, measure, positive, missing
        See `audit`.
    given : str or list of str, optional
        Factors that are held equal: variances are then of what these leave unexplained.
    own : Partition, optional
        The table's own groups; by default the best ones, as many as the partition has.

    Returns
    -------
    Transfer

    Examples
    --------
    >>> import fairgroups as fg
    >>> first, second = fg.make_synthetic(20_000, seed=1), fg.make_synthetic(20_000, seed=2)
    >>> found = fg.FairGroups(5).fit(first.sensitive, first.outcome).partition_
    >>> table = {"x": second.sensitive, "y": second.outcome}
    >>> fg.transfer(found, table, sensitive="x", outcome="y").rand > 0.98
    True
    """
    roles = Roles.of(sensitive, outcome, truth=truth, weight=weight, positive=positive, missing=missing, given=given)
    with read_rows(data, roles, partition=partition) as reading:
        rows = reading.rows.centred()
        used = resolve_measure(measure, outcome_is_binary=rows.outcome_is_binary)
        sample = Sample(rows, (used,))
        partition = given_partition(partition, roles.sensitive, missing)
        options = SearchOptions(n_groups=len(partition.groups))
        if roles.given:
            known = [partition] if own is None else [partition, given_partition(own, roles.sensitive, missing)]
            borders = np.unique(np.concatenate([p.borders() for p in known])) if sample.is_line else None
            sample = find_alike(rows, [used], "auto").sample(sample, [used], borders)
            own = find(sample, used, options, InferenceOptions(), missing).partition if own is None else own
        elif own is None:
            sample, found = find_finely(reading, sample, used, options, InferenceOptions(), missing)
            own = found.partition
        own = given_partition(own, roles.sensitive, missing)
    rows = sample.rows
    groups = [group_rates(sample.cells if sample.is_line else rows, p, used) for p in (partition, own)]
    codes = [p.codes(rows.columns) for p in (partition, own)]
    people = {"count": rows.count, "weight": rows.weight}
    return Transfer(
        variance=groups[0].variance,
        own_variance=groups[1].variance,
        rand=rand_index(*codes, **people),
        adjusted_rand=adjusted_rand_index(*codes, **people),
        own=own,
    )
