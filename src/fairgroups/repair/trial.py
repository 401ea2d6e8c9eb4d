"""Trials of repairs: each fold's people get fair scores from maps learnt on all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fairgroups.errors import InputError
from fairgroups.options import Missing, whole_number
from fairgroups.partition.partition import Partition
from fairgroups.reading import read_rows
from fairgroups.repair.inputs import check_options, found_already
from fairgroups.repair.quality import BEFORE, People
from fairgroups.repair.score_repair import KNOTS, MOST_NAMED, SMALLEST_NAMED, ScoreRepair
from fairgroups.repair.score_table import ScoreTable
from fairgroups.repair.scored import Scored
from fairgroups.repair.stretches import partition_of
from fairgroups.repair.transport import largest_gap
from fairgroups.rows.column_values import is_missing, one_column
from fairgroups.rows.person_keys import read_keys, uniform_of
from fairgroups.rows.roles import Roles
from fairgroups.rows.rows import Rows
from fairgroups.rows.split import deal_rows
from fairgroups.sources.frames import read_table

__all__ = ["Trial", "asked_for", "blocks_of", "common_groups", "folds_of", "is_label", "read_people"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
BLOCKS = 20
ORDER = 8191  # a seed of its own: the draw that tells people with the same score apart must not decide their folds


@dataclass
class Trial:
    """The people, their folds, and the groups found so far: the same for every gap."""

    people: People
    scored: Scored
    parts: list[Codes]
    known: dict[tuple[str, int], ScoreRepair] = field(default_factory=dict)

    def run(self, name: str, repair: ScoreRepair, gap: float) -> tuple[ScoreRepair, Array]:
        """Return the repair of everybody, and the scores that people left out get from the repairs of the others."""
        everybody = np.arange(self.people.score.size)
        fair = np.empty(everybody.size)
        for i, part in enumerate(self.parts):
            fitted = self._fit(name, repair, gap, i, np.setdiff1d(everybody, part))
            fair[part] = self._fair(fitted, part)
        return self._fit(name, repair, gap, -1, everybody), fair

    def fitted_gaps(self, final: ScoreRepair) -> tuple[float, float]:
        """Return the largest gap between the groups before and after the repair, among the people of the fit."""
        people, known = self.people, self.people.codes >= 0
        fair = self._fair(final, np.arange(people.score.size))
        of = people.codes[known], people.weight[known]
        return largest_gap(people.score[known], *of), largest_gap(fair[known], *of)

    def _fair(self, fitted: ScoreRepair, rows: Codes) -> Array:
        some = self.scored.take(rows)
        fair: Array = fitted.transform(some.score, sensitive=some.sensitive, key=some.key)
        return fair

    def _fit(self, name: str, repair: ScoreRepair, gap: float, left_out: int, index: Codes) -> ScoreRepair:
        fitted: ScoreRepair = clone(repair).set_params(max_gap=gap, partition=found_already(repair.partition))
        check_options(fitted)
        fitted.fit_without_judgement(self.scored.take(index), self.known.get((name, left_out)))
        self.known.setdefault((name, left_out), fitted)
        return fitted


def read_people(
    data: Any,
    score: str,
    attributes: list[str],
    roles: dict[str, str | None],
    key: str | None,
    positive: Any,
    missing: Missing,
) -> tuple[Rows, str, NDArray[Any] | None]:
    """Return the rows, the library of the data, and the keys of the rows that are kept."""
    named = [name for name in (*roles.values(), key) if name is not None]
    table = read_table(data, [score, *attributes, *named])
    columns = dict(table.columns)
    truth = roles["truth"]
    if truth is not None and positive is not None:
        columns[truth] = is_label(columns[truth], positive, truth)
    wanted = Roles.of(attributes, score, **roles, missing=missing)
    try:
        with read_rows(columns, wanted) as reading:
            rows = reading.rows
    except InputError as error:
        if "--positive" not in (error.hint or ""):  # which is of the truth here
            raise
        raise InputError(error.fact, "a score is a number: turn labels into numbers first, or name another.") from error
    keys = None
    if key is not None:
        held = one_column(columns[key])
        keys = np.array(read_keys(held if rows.index is None else held[rows.index], rows.n), dtype=object)
    order = _order(rows, keys)  # so that the order of the rows does not matter
    return rows.take(order), table.library, None if keys is None else keys[order]


def _order(rows: Rows, keys: NDArray[Any] | None) -> Codes:
    """Put people into an order that is drawn at random, and depends on nothing but what is known of them.

    Folds are dealt from it among people of equal attributes: sorted by their scores they would be alike in these, too.
    """
    last = np.zeros(rows.size) if keys is None else np.array([uniform_of(ORDER, key) for key in keys])
    known = [x for x in (rows.cluster, rows.weight, rows.truth) if x is not None]
    values = [np.nan_to_num(column.values, nan=np.inf) for column in rows.columns]
    order = np.lexsort([last, *known, rows.outcome, *values])
    return order[np.random.default_rng(ORDER).permutation(order.size)]


def common_groups(asked: Mapping[str, ScoreRepair], finals: Mapping[str, ScoreRepair], scored: Scored) -> Partition:
    """Return the groups by which all methods are compared: those of the only repair, or found in the scores."""
    by_groups = [name for name, repair in asked.items() if not isinstance(repair.partition, str)]
    if len(by_groups) == 1 == len(asked):
        return finals[by_groups[0]].partition_
    table = ScoreTable.of(scored.columns, scored.score, [scored.weight], KNOTS)
    return partition_of(table, MOST_NAMED, SMALLEST_NAMED, "drop")


def is_label(column: Any, positive: Any, name: str) -> NDArray[Any]:
    """Turn a true label into 0 and 1."""
    values = [None if is_missing(x) else x for x in one_column(column).tolist()]
    yes = [None if x is None else float(x == positive or str(x) == str(positive)) for x in values]
    if 1.0 not in yes:
        raise InputError(f"{name!r} never holds {positive!r}.", f"it holds {sorted({str(x) for x in values})[:5]}.")
    return np.array([np.nan if x is None else x for x in yes])


def asked_for(methods: Mapping[str, Any] | None) -> dict[str, ScoreRepair]:
    """Return the repairs to be tried, by name."""
    if methods is None:
        return {"exact attribute": ScoreRepair(), "groups": ScoreRepair("groups")}
    if not methods or not isinstance(methods, Mapping):
        raise InputError("`methods` must be names with what to compare.", 'methods={"scale": [25, 45]}')
    if BEFORE in methods:
        raise InputError(f"{BEFORE!r} is in the comparison already.", "give the method another name.")
    return {str(n): m if isinstance(m, ScoreRepair) else ScoreRepair(m) for n, m in methods.items()}


def folds_of(rows: Rows, fold: str | None, n_folds: int, seed: int) -> list[Codes]:
    """Return the rows of each fold: those of a column, or made alike in the attribute."""
    if fold is None:
        whole_number(n_folds, "n_folds", 2)
        return deal_rows(rows, int(n_folds), seed)
    assert rows.cluster is not None
    parts = [np.flatnonzero(rows.cluster == i) for i in range(int(rows.cluster.max()) + 1)]
    if len(parts) < 2:
        raise InputError(f"the column {fold!r} holds one fold only.", "at least two are needed.")
    return parts


def blocks_of(rows: Rows, fold: str | None, seed: int) -> list[Codes]:
    """Deal people into blocks, to be left out one at a time."""
    rng = np.random.default_rng(seed)
    if rows.cluster is None or fold is not None:
        of = rng.permutation(np.arange(rows.n) % min(BLOCKS, rows.n))
    else:
        n = int(rows.cluster.max()) + 1
        of = rng.permutation(np.arange(n) % min(BLOCKS, n))[rows.cluster]
    return [np.flatnonzero(of != i) for i in range(int(of.max()) + 1)]
