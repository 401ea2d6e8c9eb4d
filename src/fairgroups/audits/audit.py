"""audit(): a table in, an `Audit` out. Python and the command line use this one function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.audits.assemble import Asked, assemble, work
from fairgroups.audits.result import Audit
from fairgroups.errors import InputError
from fairgroups.evidence.band import Calibration, check_level
from fairgroups.evidence.judge import How, Inference
from fairgroups.evidence.rates import Against
from fairgroups.evidence.verdict import worst_gate
from fairgroups.grouping.find import Wish
from fairgroups.grouping.selection import MOST_GROUPS, Criterion
from fairgroups.measures import JointMeasure, Measure, parts_of, resolve_any
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.reading import centred, given_groups, read_rows
from fairgroups.rows.rows import Missing, check_measure
from fairgroups.search.monotone import Monotonic

__all__ = ["audit"]

Array = NDArray[np.float64]


def audit(
    data: Any,
    *,
    sensitive: str | Sequence[str],
    outcome: str,
    truth: str | None = None,
    compare_with: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    id: str | None = None,  # noqa: A002  what it is called on the command line
    measure: str | Measure | JointMeasure = "auto",
    against: Against = "everyone",
    n_groups: int | Literal["auto"] = "auto",
    selection: Criterion = "auto",
    max_groups: int = MOST_GROUPS,
    monotonic: Monotonic | None = None,
    min_group_size: float | Literal["auto"] = "auto",
    min_denominator: float = 0.0,
    n_cells: int | None = None,
    budget: float = 10.0,
    partition: Partition | BoxPartition | None = None,
    favourable: bool | None = None,
    positive: Any = None,
    missing: Missing = "error",
    inference: Inference = "band",
    calibration: Calibration = "auto",
    level: float = 0.95,
    relevant_gap: float | None = None,
    max_gap: float | None = None,
    checks: bool = True,
    seed: int = 0,
    verbose: bool = False,
) -> Audit:
    """Find the groups of numeric attributes that an outcome treats differently, and say what may be concluded.

    Parameters
    ----------
    data : frame, mapping, path or Source
        A data frame of any library, a mapping of column names to values, or a file; see `Source` for folders, patterns
        and databases. Lazy frames (Polars, DuckDB, Ibis, Dask, PySpark …), databases and files of more than two million
        rows are counted where they are, in up to 65 536 cells.
    sensitive : str or list of str
        The column of the sensitive attribute, or several: groups are then boxes, and text columns are categories.
    outcome, truth, weight : str
        Column names: the decision or score that is audited, the true label for measures that need it, row weights.
    compare_with : str, optional
        Another outcome of the same people, such as a first model's: does this one amplify its differences? Where
        `truth` is given, the outcome is compared with it by default.
    cluster : str, optional
        Column that says which rows belong together, such as several photographs of one person.
    id : str, optional
        Column that says who each person is: where people are dealt into halves or folds, their id and the seed decide,
        so that the same person is always in the same one.
    measure : str or Measure
        ``"auto"`` is statistical parity for yes/no outcomes and the mean for numbers. See `fairgroups.MEASURES`.
        ``"equalized_odds"`` looks at true and false positive rates at once, each in one of the result's `parts`.
    against : {"everyone", "rest"}
        Whether a group's rate is compared with everyone's or with that of the people outside the group.
    n_groups : int or "auto"
        How many groups to look for; fewer if the data cannot give as many. ``"auto"``: as many as the data calls for,
        and one group is the answer where no discrimination is found.
    selection, max_groups, monotonic, n_cells, min_denominator, budget
        See `FairGroups`.
    min_group_size : int, float or "auto"
        Least rows in a group, or their share. ``"auto"``: as many as any verdict needs.
    partition : Partition or BoxPartition, optional
        Judge these groups instead of searching.
    favourable : bool, optional
        Whether the outcome is good to receive. False turns verdicts round: to be predicted a criminal harms.
    positive : label, optional
        Which of two labels of the outcome counts as 1.
    missing : {"error", "drop", "group"}
        What to do with missing values.
    inference : {"band", "crossfit", "plugin"}
        ``"band"``: intervals that hold for all ranges at once, so also for groups found on the same rows.
        In several dimensions there is no such order, and cross-fitting is used.
        ``"crossfit"``: each half of the rows finds groups, and the other half judges them.
        ``"plugin"``: the paper's intervals, which treat the groups as given and cry wolf; for comparison.
    calibration : {"auto", "table", "simulate"}
        See `Band`.
    level : float
        Confidence level of the intervals.
    relevant_gap : float, optional
        Differences within ± this are of no concern: 0.05 for rates, a fifth of a standard deviation otherwise.
    max_gap : float, optional
        A limit on the size of every group's Φ; the result's `gate` says whether it is kept.
    checks : bool
        Also run the permutation test, the test of monotonicity and the resampling of borders: about a second.
    seed : int
        For halves, folds, and simulations.
    verbose : bool
        Show a progress bar where something takes long.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import fairgroups as fg
    >>> people = fg.make_synthetic(10_000)
    >>> table = {"tone": people.sensitive, "approved": people.outcome}
    >>> found = fg.audit(table, sensitive="tone", outcome="approved")
    >>> [record["verdict"] for record in found.records]
    ['disadvantaged', 'disadvantaged', 'not enough evidence', 'advantaged', 'advantaged']
    """
    _check_options(inference, level, seed)
    reading = read_rows(
        data,
        sensitive=sensitive,
        outcome=outcome,
        truth=truth,
        base=compare_with or truth,
        weight=weight,
        cluster=cluster,
        positive=positive,
        missing=missing,
        n_cells=n_cells,
        given=partition,
        who=id,
        seed=seed,
        verbose=verbose,
    )
    rows = reading.rows
    several = len(reading.attributes) > 1
    used = resolve_any(measure, outcome_is_binary=rows.outcome_is_binary)
    for part in parts_of(used):
        check_measure(part, rows)
    if missing == "group" and not rows.absent.any():
        missing = "error"  # nobody to group
    given = None if partition is None else given_groups(partition, reading.attributes, missing)
    rows, offset = centred(rows, used)
    if several and inference == "band":
        inference = "crossfit"  # several attributes have no order, so there is no band over their ranges
    wish = Wish(
        n_groups=n_groups,
        selection=selection,
        max_groups=max_groups,
        monotonic=monotonic,
        min_group_size=min_group_size,
        min_denominator=min_denominator,
        n_cells=n_cells,
        budget=budget,
        level=level,
        calibration=calibration,
        seed=seed,
        against=against,
        verbose=verbose,
    )
    how = How(inference, 1 - (1 - level) / len(parts_of(used)), calibration, seed, n_cells)
    case = work(rows, used, wish, how, given, missing)
    asked = Asked(
        reading, rows, offset, wish, level, against, favourable, relevant_gap, max_gap, checks, missing, positive, data
    )
    audits = [assemble(asked, case, part, i) for i, part in enumerate(parts_of(used))]
    if len(audits) == 1:
        return audits[0]
    said = " ".join(f"{part.measure.rate[:1].upper()}{part.measure.rate[1:]}: {part.conclusion}" for part in audits)
    return replace(audits[0], conclusion=said, gate=worst_gate([part.gate for part in audits]), parts=tuple(audits))


def _check_options(inference: str, level: float, seed: Any) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"`seed` must be a whole number of at least 0; got {seed!r}.")
    if inference not in ("band", "crossfit", "plugin"):
        raise InputError(f"`inference` must be 'band', 'crossfit' or 'plugin'; got {inference!r}.")
    check_level(level)
