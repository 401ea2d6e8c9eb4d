"""Who gains and who loses by a repair: decisions, accuracy and calibration, group by group and along the attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.grid import axis_edges
from fairgroups.options import FEWEST_TOLD
from fairgroups.repair.quality import People

__all__ = ["Effect", "effects_of"]

Array = NDArray[np.float64]
STRETCHES = 10


@dataclass(frozen=True)
class Effect:
    """What the repair does to the people of one group, or of one stretch of an attribute, all judged by maps of others.

    Attributes
    ----------
    said : str
        Who they are.
    kind : {"group", "stretch"}
        Whether they are one of the groups, or a tenth of the people in order of an attribute.
    people : int
        How many.
    yes, fair_yes : float or None
        The share who get a yes before and after; None without a threshold.
    up, down : int or None
        How many get a yes instead of a no, and a no instead of a yes.
    right, fair_right : float or None
        The share of decisions that agree with the true label, before and after.
    bias, fair_bias : float or None
        The mean score less the share of true yes (or less the mean of the true number), before and after: how far the
        score promises too much.
    """

    said: str
    kind: str
    people: int
    yes: float | None
    fair_yes: float | None
    up: int | None
    down: int | None
    right: float | None
    fair_right: float | None
    bias: float | None
    fair_bias: float | None

    @property
    def table_row(self) -> dict[str, Any]:
        """Return the record as one row of a table."""
        return dict(self.__dict__)


def effects_of(people: People, fair: Array, labels: tuple[str, ...]) -> list[Effect]:
    """Return what happens to each group, and to each tenth of the people in order of each attribute that is a number.

    Parameters
    ----------
    people : People
        Those who are judged.
    fair : array
        Their scores after the repair.
    labels : tuple of str
        The names of the groups.

    Returns
    -------
    list of Effect
        Nothing is told of fewer than ten people.
    """
    out = []
    for k, label in enumerate(labels):
        rows = np.flatnonzero(people.codes == k)
        if rows.size >= FEWEST_TOLD:
            out.append(_effect(people, fair, rows, label, "group"))
    for column in people.attributes:
        if column.levels is not None:
            continue
        known = np.flatnonzero(~np.isnan(column.values))
        values = column.values[known]
        edges = axis_edges(values, STRETCHES, np.ones(values.size))
        code = np.searchsorted(edges, values, side="right") - 1
        for k in range(edges.size):
            rows = known[code == k]
            if rows.size < FEWEST_TOLD:
                continue
            low, high = float(values[code == k].min()), float(values[code == k].max())
            said = f"{column.name} {low:.4g}" if low == high else f"{column.name} {low:.4g} to {high:.4g}"
            out.append(_effect(people, fair, rows, said, "stretch"))
    return out


def _effect(people: People, fair: Array, rows: NDArray[np.intp], said: str, kind: str) -> Effect:
    weight = people.weight[rows]

    def mean(values: NDArray[Any]) -> float:
        return float(np.average(values, weights=weight))

    before, after = people.score[rows], fair[rows]
    yes = fair_yes = right = fair_right = bias = fair_bias = None
    up = down = None
    label = None if people.label is None else people.label[rows]
    if people.threshold is not None:
        was, now = before >= people.threshold, after >= people.threshold
        yes, fair_yes = mean(was), mean(now)
        up, down = int(np.count_nonzero(now & ~was)), int(np.count_nonzero(was & ~now))
        if label is not None and people.yes_or_no:
            right, fair_right = mean(was == label), mean(now == label)
    if label is not None and (people.probable or not people.yes_or_no):
        bias, fair_bias = mean(before - label), mean(after - label)
    return Effect(said, kind, int(rows.size), yes, fair_yes, up, down, right, fair_right, bias, fair_bias)
