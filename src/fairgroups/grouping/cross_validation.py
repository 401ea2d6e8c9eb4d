"""How many groups, by the error on people left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.moments import moments_by
from fairgroups.errors import InputError
from fairgroups.grouping.number_of_groups import Selection, SelectionStep
from fairgroups.measures import Measure
from fairgroups.partition.partition import Partition
from fairgroups.rows.rows import Rows
from fairgroups.rows.split import split_rows
from fairgroups.rows.weights import weighted_sums

__all__ = ["SURE", "by_cross_validation"]

Array = NDArray[np.float64]
SURE = 2.0  # standard errors


def by_cross_validation(
    rows: Rows,
    measures: Sequence[Measure],
    search: Callable[[Rows], tuple[Sequence[Partition], Array]],
    *,
    n_folds: int = 10,
    seed: int = 0,
    sure: float = SURE,
    progress: Callable[[float], object] | None = None,
) -> Selection:
    """Take the fewest groups whose error on rows left out is within one standard error of the best.

    The standard error is that of the paired difference, row by row. One group is kept unless the best number is better
    by `sure` standard errors: that there is any discrimination at all is to be shown, unless others judge that. Rows of
    one cluster stay together.

    Parameters
    ----------
    rows : Rows
        The data.
    measures : list of Measure
        The rates looked at; their errors add up, each as a share of its own B.
    search : callable
        Gives, from some rows, the best 1, 2, … groups and their variances.
    n_folds, seed : int
        Folds, and the seed of their draw.
    sure : float
        Standard errors by which more than one group must be better than one.
    progress : callable, optional
        Called with the share of the work done.

    Returns
    -------
    Selection
    """
    people = rows.n if rows.cluster is None else int(rows.cluster.max()) + 1
    if people < 4 * n_folds:  # too few to leave any out
        return Selection("cv", 1, True, (SelectionStep(1, 0.0, 0.0),))
    parts = split_rows(rows, n_folds, seed)
    totals = [float(rows.times(weighted_sums(rows, measure)[1]).sum()) for measure in measures]
    _, variance = search(rows)
    most = len(variance)
    losses: list[Array] = []
    people_of: list[Array] = []
    for fold, (test, train) in enumerate(parts):
        try:
            partitions = search(train)[0][:most]
        except InputError:  # these rows make no group that is large enough
            partitions = []
        if not partitions:
            return Selection("cv", 1, True, (SelectionStep(1, 0.0, 0.0),))
        most = min(most, len(partitions))
        loss = np.zeros((test.size, most))
        for k, partition in enumerate(partitions[:most]):
            known, wanted = partition.codes(train.columns), partition.codes(test.columns)
            for measure, total in zip(measures, totals, strict=True):
                a, b = weighted_sums(test, measure)
                seen = moments_by(train, measure, known, partition.n_groups)
                rate = np.divide(seen.a, seen.b, out=np.zeros_like(seen.a), where=seen.b > 0)[wanted]
                loss[:, k] += (rate**2 * b - 2 * rate * a) / total
        if test.cluster is not None:
            loss = np.stack([np.bincount(test.cluster, column) for column in loss.T], axis=1)
        losses.append(loss)
        people_of.append(np.ones(loss.shape[0]) if test.count is None else test.count)
        if progress is not None:
            progress((fold + 1) / len(parts))
    every = np.concatenate([loss[:, :most] for loss in losses])
    times = np.concatenate(people_of)[:, None]
    mean = np.sum(times * every, axis=0)
    best = int(np.argmin(mean))
    apart = every - every[:, [best]]
    error = np.sqrt(np.sum(times * (apart - np.sum(times * apart, axis=0) / times.sum()) ** 2, axis=0))
    near = mean - mean[best] <= error
    near[0] = mean[0] - mean[best] <= sure * error[0]
    chosen = int(np.argmax(near)) + 1
    curve = (
        SelectionStep(k, float(variance[k - 1]), float(mean[k - 1]), float(error[k - 1]))
        for k in range(1, mean.size + 1)
    )
    return Selection("cv", chosen, chosen < mean.size or mean.size == 1, tuple(curve))
