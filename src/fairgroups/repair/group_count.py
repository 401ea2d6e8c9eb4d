"""How many groups a repair needs: the fewest after which chance alone could explain the dependence that is left."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fairgroups.errors import InputError
from fairgroups.grouping.fair_groups import FairGroups
from fairgroups.repair.dependence import Dependence, hgr
from fairgroups.rows.rows import Rows
from fairgroups.rows.split import deal_rows

__all__ = ["fewest_groups"]

Array = NDArray[np.float64]
TRIED = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20)
SMALLEST = 0.05  # share of the people in a group: maps of small groups are mostly noise
FOLDS, DEALS, LEVEL = 5, 39, 0.05


def fewest_groups(repair: Any, score: Array, sensitive: Any, weight: Array, key: Any, seed: int) -> FairGroups:
    """Find the fewest groups of largest variance that suffice, judged on people left out.

    Parameters
    ----------
    repair : ScoreRepair
        With the other options of the repair; its groups are replaced.
    score, sensitive, weight, key : array
        The people; keys may be None.
    seed : int
        For the folds.

    Returns
    -------
    FairGroups
        To be fitted on everybody. Of several attributes, or with few people, as many groups as the data calls for.
    """
    plain = FairGroups("auto", min_group_size=SMALLEST)
    several = hasattr(sensitive, "columns") or getattr(sensitive, "ndim", 1) > 1
    if several or score.size < 20 * FOLDS:
        return plain
    rows = Rows.from_arrays(sensitive, score, missing="group")
    known = np.flatnonzero(~rows.absent)
    rows, score, weight = rows.take(known), score[known], weight[known]
    key = None if key is None else key[known]
    parts = deal_rows(rows, FOLDS, seed)
    best, least = FairGroups(1), float("inf")
    for k in TRIED:
        groups = FairGroups(k, min_group_size=SMALLEST)
        try:
            left = _left(repair, groups, score, rows.sensitive, weight, key, parts)
        except InputError:  # the values allow no more groups
            break
        if left.p_value > LEVEL:
            return groups
        if left.value < least * (1 - 1e-3):  # none may suffice, as where many share a score: then the best
            best, least = groups, left.value
    return best


def _left(
    repair: Any, groups: FairGroups, score: Array, values: Array, weight: Array, key: Any, parts: list[Any]
) -> Dependence:
    """Measure the dependence that is left on people left out."""
    fair = np.empty(score.size)
    for part in parts:
        rest = np.setdiff1d(np.arange(score.size), part)
        found = clone(groups).fit(values[rest], score[rest], sample_weight=weight[rest]).partition_
        one = clone(repair).set_params(partition=found, max_gap=0.0, condition=None)
        fair[part] = one.fit(score[rest], sensitive=values[rest], sample_weight=weight[rest]).transform(
            score[part], sensitive=values[part], key=None if key is None else key[part]
        )
    return hgr(values, fair, weight=weight, debias=False, n_permutations=DEALS)
