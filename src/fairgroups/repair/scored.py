"""The people that a repair is learnt from: scores, true labels, attributes, weights, keys, all checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fairgroups.repair.attributes import read_attributes
from fairgroups.repair.inputs import as_table, flat, read_labels, read_scores, read_weights
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.column_values import one_column
from fairgroups.rows.person_keys import read_keys, uniform_of

__all__ = ["Scored"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Scored:
    """People with scores.

    Attributes
    ----------
    score, weight : array
        One number for each person.
    label : array or None
        True labels, 0 or 1.
    sensitive : array or frame
        The attributes as they were given, for groups.
    columns : list of Column
        The same as numbers or levels.
    key : array of object, or None
        Who each person is, as text.
    """

    score: Array
    label: Array | None
    sensitive: Any
    columns: list[Column]
    weight: Array
    key: NDArray[np.object_] | None = None

    @classmethod
    def read(cls, score: Any, y: Any, sensitive: Any, sample_weight: Any, key: Any) -> Scored:
        """Check what `ScoreRepair.fit` is given."""
        values = read_scores(score)
        n = values.size
        keys = None if key is None else np.array(read_keys(key, n), dtype=object)
        columns = read_attributes(sensitive, n)
        return cls(
            values,
            None if y is None else read_labels(y, n),
            flat(as_table(sensitive)),
            columns,
            np.ones(n) if sample_weight is None else read_weights(sample_weight, n),
            keys,
        )

    def take(self, rows: Codes) -> Scored:
        """Return some of the people."""
        if hasattr(self.sensitive, "columns"):
            sensitive: Any = nw.to_native(nw.from_native(self.sensitive, eager_only=True)[rows.tolist()])
        else:
            table = self.sensitive
            sensitive = np.asarray(one_column(table) if getattr(table, "ndim", 1) == 1 else table)[rows]
        return Scored(
            self.score[rows],
            None if self.label is None else self.label[rows],
            sensitive,
            [Column(c.name, c.values[rows], c.levels) for c in self.columns],
            self.weight[rows],
            None if self.key is None else self.key[rows],
        )

    def masses(self, condition: str | None) -> list[Array]:
        """Return what people weigh in the distributions that are to be made alike: everybody's, or those of labels."""
        if condition is None or self.label is None:
            return [self.weight]
        labels = (1.0,) if condition == "positives" else (1.0, 0.0)
        return [np.where(self.label == label, self.weight, 0.0) for label in labels]

    def deal(self, n_parts: int, seed: int) -> list[Codes]:
        """Deal people into parts at random, the same whatever the order of the rows."""
        chance = np.zeros(self.score.size)
        if self.key is not None:
            chance = np.array([uniform_of(seed, key) for key in self.key])
        label = np.zeros(self.score.size) if self.label is None else self.label
        order = np.lexsort(
            [chance, label, self.weight, self.score, *(np.nan_to_num(c.values, nan=np.inf) for c in self.columns)]
        )
        part = np.empty(self.score.size, dtype=np.intp)
        part[order] = np.random.default_rng(seed).permutation(self.score.size) % n_parts
        return [np.flatnonzero(part == k) for k in range(n_parts)]
