"""One partition on two tables: whether it carries over, and what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from fairgroups.cells.cells import Cells
from fairgroups.errors import InputError
from fairgroups.evidence.agreement import adjusted_rand_index, rand_index
from fairgroups.evidence.band import Band, check_level
from fairgroups.evidence.rates import Bounds, GroupRates, codes_of, fixed_bounds, group_rates, group_rates_of_rows
from fairgroups.grouping.find import Wish, find
from fairgroups.measures import MEASURES, Measure, resolve_measure
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.reading import centred, given_groups, read_rows
from fairgroups.rows.rows import Missing, Rows, check_measure
from fairgroups.sources.frames import Table

__all__ = ["Drift", "Transfer", "drift", "transfer"]

SHARE_ROOT = 3.0  # how far the shares of groups may be from those of the population, in standard errors


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
    own : Partition or BoxPartition
        The table's own groups.
    """

    variance: float
    own_variance: float
    rand: float
    adjusted_rand: float
    own: Partition | BoxPartition


@dataclass(frozen=True)
class Drift:
    """How Φ changed between two periods, group by group.

    Attributes
    ----------
    records : list of dict
        One per group: ``label``, ``n_before``, ``n_after``, ``phi_before``, ``phi_after``, their ``difference`` with
        ``low`` and ``high``, and ``verdict``: "rose", "fell", "no relevant change" or "not enough evidence".
    partition : Partition or BoxPartition
        The groups.
    """

    records: list[dict[str, Any]]
    partition: Partition | BoxPartition
    table: Table

    @property
    def groups(self) -> Any:
        """Give the groups as a table, in the library of the later data."""
        return self.table.build({key: [record[key] for record in self.records] for key in self.records[0]})


def transfer(
    partition: Partition | BoxPartition,
    data: Any,
    *,
    sensitive: str | Sequence[str],
    outcome: str,
    truth: str | None = None,
    weight: str | None = None,
    measure: str | Measure = "auto",
    positive: Any = None,
    missing: Missing = "error",
    own: Partition | BoxPartition | None = None,
) -> Transfer:
    """Apply a partition to another table, and compare it with that table's own groups.

    Parameters
    ----------
    partition : Partition or BoxPartition
        Groups found elsewhere.
    data : frame, mapping or path
        The other table.
    sensitive, outcome, truth, weight, measure, positive, missing
        See `audit`.
    own : Partition or BoxPartition, optional
        The table's own groups; by default the best ones, as many as the partition has.

    Examples
    --------
    >>> import fairgroups as fg
    >>> first, second = fg.make_synthetic(20_000, seed=1), fg.make_synthetic(20_000, seed=2)
    >>> found = fg.FairGroups(5).fit(first.sensitive, first.outcome).partition_
    >>> table = {"x": second.sensitive, "y": second.outcome}
    >>> fg.transfer(found, table, sensitive="x", outcome="y").rand > 0.98
    True
    """
    reading = read_rows(
        data, sensitive=sensitive, outcome=outcome, truth=truth, weight=weight, positive=positive, missing=missing
    )
    rows, names = reading.rows, reading.attributes
    used = check_measure(resolve_measure(measure, outcome_is_binary=rows.outcome_is_binary), rows)
    rows, _ = centred(rows, used)
    partition = given_groups(partition, names, missing)
    if own is None:
        own = find(rows, used, Wish(n_groups=len(partition.groups)), missing).partition
    own = given_groups(own, names, missing)
    groups = [_rates(rows, p, used)[1] for p in (partition, own)]
    codes = [codes_of(rows, p) for p in (partition, own)]
    return Transfer(
        variance=groups[0].variance,
        own_variance=groups[1].variance,
        rand=rand_index(*codes, weight=rows.weight),
        adjusted_rand=adjusted_rand_index(*codes, weight=rows.weight),
        own=own,
    )


def drift(
    before: Any,
    after: Any,
    *,
    sensitive: str | Sequence[str],
    outcome: str,
    truth: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    measure: str | Measure = "auto",
    positive: Any = None,
    missing: Missing = "error",
    partition: Partition | BoxPartition | None = None,
    n_groups: int | Literal["auto"] = "auto",
    level: float = 0.95,
    relevant_gap: float = 0.05,
) -> Drift:
    """Compare Φ between two periods in the same groups.

    The groups may be found on the earlier table: on the line the intervals come from the band, which allows for the
    search, so that a group picked for being extreme does not seem to have improved by falling back. For several
    attributes groups must be given.

    Parameters
    ----------
    before, after : frame, mapping or path
        The two tables; people are taken to be different ones.
    sensitive, outcome, truth, weight, cluster, measure, positive, missing
        See `audit`.
    partition : Partition, BoxPartition or list of borders, optional
        The groups; by default found on `before`, or on `after` where that has none.
    n_groups : int or "auto"
        How many to find.
    level : float
        How often all intervals hold at once.
    relevant_gap : float
        A change within ± this is of no concern.

    Examples
    --------
    >>> import fairgroups as fg
    >>> years = [fg.make_synthetic(20_000, seed=year) for year in (1, 2)]
    >>> tables = [{"x": y.sensitive, "approved": y.outcome} for y in years]
    >>> found = fg.drift(*tables, sensitive="x", outcome="approved", n_groups=5)
    >>> any(record["verdict"] in ("rose", "fell") for record in found.records)
    False
    """
    check_level(level)
    readings = [
        read_rows(
            data,
            sensitive=sensitive,
            outcome=outcome,
            truth=truth,
            weight=weight,
            cluster=cluster,
            positive=positive,
            missing=missing,
        )
        for data in (before, after)
    ]
    binary = all(reading.rows.outcome_is_binary for reading in readings)
    used = resolve_measure(measure, outcome_is_binary=binary)
    sets = [reading.rows for reading in readings]
    for rows in sets:
        check_measure(used, rows)
    if sets[0].outcome.min() < 0 or sets[0].outcome.max() > 1:
        shift = float(np.median(sets[0].outcome))  # the same for both: Φ does not feel it, its digits do
        sets = [replace(rows, outcome=rows.outcome - shift) for rows in sets] if used is MEASURES["mean"] else sets
    if not isinstance(relevant_gap, int | float | np.number) or not relevant_gap >= 0:
        raise InputError(f"`relevant_gap` must be a number of at least 0; got {relevant_gap!r}.")
    if partition is None:
        if len(sets[0].columns) > 1:
            raise InputError(
                "groups of several attributes must be given: found on the same rows they would seem to fall back.",
                "find them on an earlier table, and pass partition=…",
            )
        # The band of either table allows for a search on it.
        for rows in sets:
            partition = find(rows, used, Wish(n_groups=n_groups, level=level), missing).partition
            if partition.n_groups > 1:
                break
    partition = given_groups(partition, readings[0].attributes, missing)
    judged = [_judge(rows, partition, used, level) for rows in sets]
    (old, old_bounds), (new, new_bounds) = judged
    change = new.phi - old.phi
    # Each side's own distance to its bound, added as independent errors are (Newcombe's square-and-add); the shares of
    # the groups vary from table to table, too, which moves everybody's rate.
    shares = [SHARE_ROOT**2 * (g.phi_against("rest") ** 2) * g.share * (1 - g.share) / g.sums.size for g in (old, new)]
    low = change - np.sqrt((new.phi - new_bounds.low) ** 2 + (old_bounds.high - old.phi) ** 2 + sum(shares))
    high = change + np.sqrt((new_bounds.high - new.phi) ** 2 + (old.phi - old_bounds.low) ** 2 + sum(shares))
    records = [
        {
            "label": label,
            "n_before": int(old.rows[k]),
            "n_after": int(new.rows[k]),
            "phi_before": float(old.phi[k]),
            "phi_after": float(new.phi[k]),
            "difference": float(change[k]),
            "low": float(low[k]),
            "high": float(high[k]),
            "verdict": _verdict(float(low[k]), float(high[k]), relevant_gap)
            if partition.n_groups > 1
            else "not enough evidence",
        }
        for k, label in enumerate(partition.labels)
    ]
    return Drift(records, partition, readings[1].table)


def _verdict(low: float, high: float, relevant_gap: float) -> str:
    if low > 0:
        return "rose"
    if high < 0:
        return "fell"
    return "no relevant change" if -relevant_gap <= low and high <= relevant_gap else "not enough evidence"


def _rates(rows: Rows, partition: Partition | BoxPartition, measure: Measure) -> tuple[Cells | None, GroupRates]:
    if isinstance(partition, BoxPartition):
        return None, group_rates_of_rows(rows, partition, measure)
    cells = Cells.from_rows(rows, measure=measure)
    return cells, group_rates(cells, partition, measure)


def _judge(
    rows: Rows, partition: Partition | BoxPartition, measure: Measure, level: float
) -> tuple[GroupRates, Bounds]:
    cells, groups = _rates(rows, partition, measure)
    if cells is not None:
        return groups, Band(cells, measure, level=level).bounds(groups)
    return groups, fixed_bounds(groups, level, None if groups.sums.bounded else 0.0)
