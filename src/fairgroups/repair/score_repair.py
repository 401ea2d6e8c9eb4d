"""ScoreRepair: scores made fair group by group, as a scikit-learn transformer that travels as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fairgroups.errors import InputError
from fairgroups.output import read_text, write_atomically
from fairgroups.partition.partition import Partition
from fairgroups.repair.document import document_of, read_document, repair_of
from fairgroups.repair.group_count import fewest_groups
from fairgroups.repair.inputs import (
    as_table,
    check_options,
    flat,
    read_labels,
    read_partition,
    read_scores,
    read_weights,
)
from fairgroups.repair.lazy import ScoreCounts, count_scores, fair_frame
from fairgroups.repair.maps import Maps, learn
from fairgroups.repair.sql import Dialect, named, select_fair, sql_as_text, sql_chance
from fairgroups.repair.transport import Cost, largest_gap, least_odds_gap, members
from fairgroups.rows.columns import numbers, one_column
from fairgroups.rows.person_keys import read_keys, uniform_of
from fairgroups.sources.frames import is_lazy

__all__ = ["Condition", "Relaxation", "ScoreRepair"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Relaxation = Literal["gap", "geodesic"]
Condition = Literal["positives", "both"]


class ScoreRepair(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Change scores as little as possible so that groups' distributions differ by at most `max_gap`.

    Within a group the order of scores is kept, and a score that is already within the limits comes back unchanged.
    What a person gets depends on the person's score, attribute and key only, never on the rows beside it.

    Parameters
    ----------
    partition : "auto", Partition, estimator or list of borders
        The groups. ``"auto"``: the fewest, each with 5% of the people at least, after whose repair chance alone could
        explain what dependence is left on people left out. An estimator such as ``FairGroups(5)`` that is not fitted
        yet finds them in the scores.
    max_gap : float
        How far two groups' distribution functions may differ after the repair, at any threshold: 0 is full parity, 1
        changes nothing.
    cost : {"w2", "w1"}
        What is kept small: the mean squared change, which for calibrated scores makes the decisions of least cost at
        every threshold, or the mean change, which changes the fewest decisions. With two groups W1 moves the smaller
        one only.
    relaxation : {"gap", "geodesic"}
        How `max_gap` > 0 is used: exactly, or by moving every score the same share of the way to full parity, the least
        that keeps the gap. The second costs more but leaves less dependence in the tails.
    smooth : bool
        Let the map vary with the attribute between the centres of neighbouring groups, without jumps at borders. It
        promises no gap; `gap_` tells it. For one attribute.
    condition : {None, "positives", "both"}
        Whose distributions are to agree: everybody's; those with y = 1 (equal opportunity); or those with y = 1 and
        with y = 0 as far as both can be (equalized odds): the larger of the two gaps is then as small as any monotone
        map makes it.
    n_levels : int or None
        Work on this many quantiles of the scores; None for every distinct score.
    random_state : int
        Seed for splitting people who share a score; nothing else is random.

    Attributes
    ----------
    gap_ : float
        The largest gap left on the rows of `fit`; with a condition, among those it looks at (the larger of the two).
    gaps_ : dict
        The gaps left among everybody, and where y is given among y = 1 (``tpr``) and y = 0 (``fpr``).
    bound_ : float or None
        With ``condition="both"``: the least that the larger of the two gaps can be for maps that keep people of a group
        in order and apart, at ``max_gap=0``.
    largest_atom_ : float
        The largest share of a group that shares one score, or of one row of great weight: a limit on the gap. People in
        it are told apart by their key only.
    step_ : float
        With ``relaxation="geodesic"``, the share of the way that scores move.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups import ScoreRepair
    >>> rng = np.random.default_rng(0)
    >>> age = rng.uniform(20, 60, 2000)
    >>> score = np.clip(rng.normal(0.3 + age / 200, 0.1), 0, 1)
    >>> repair = ScoreRepair([40]).fit(score, sensitive=age)
    >>> fair = repair.transform(score, sensitive=age)
    >>> bool(abs(fair[age < 40].mean() - fair[age >= 40].mean()) < 0.001)
    True
    """

    maps_: Maps

    def __init__(
        self,
        partition: Any = "auto",
        *,
        max_gap: float = 0.0,
        cost: Cost = "w2",
        relaxation: Relaxation = "gap",
        smooth: bool = False,
        condition: Condition | None = None,
        n_levels: int | None = 2000,
        random_state: int = 0,
    ) -> None:
        self.partition = partition
        self.max_gap = max_gap
        self.cost = cost
        self.relaxation = relaxation
        self.smooth = smooth
        self.condition = condition
        self.n_levels = n_levels
        self.random_state = random_state

    def fit(self, score: Any, y: Any = None, *, sensitive: Any, sample_weight: Any = None, key: Any = None) -> Self:
        """Learn the maps.

        Parameters
        ----------
        score : array-like or lazy frame
            Scores, one-dimensional or one column, of any range. A lazy frame holds the scores and the columns that
            `sensitive` and `y` then name.
        y : array-like, optional
            The true label, needed with a `condition`.
        sensitive : array-like or frame
            The sensitive attribute, or several for a `Partition` of boxes.
        sample_weight : array-like, optional
            Weights.
        key : array-like, optional
            Who each row is; see `transform`. It has no part in the maps, only in the gaps that are reported.

        Returns
        -------
        the estimator itself
        """
        check_options(self)
        if is_lazy(score):
            return self._fit_counts(count_scores(self, score, y, sensitive, sample_weight))
        values = read_scores(score)
        label = None if y is None else read_labels(y, values.size)
        weight = np.ones(values.size) if sample_weight is None else read_weights(sample_weight, values.size)
        self.partition_ = self._find(values, sensitive, weight, label, key)
        codes = self._codes(sensitive, values.size)
        rows = self._learn(values, codes, label, weight, np.ones(values.size, dtype=np.intp))
        if self.smooth:
            self.maps_ = replace(self.maps_, centres=self._centres(sensitive, rows, weight))
        chance, along = self._chance(values, key), self._along(sensitive, values.size)
        order = np.concatenate(list(rows.values()))  # people of a group from low to high: quicker to look up
        others = np.ones(values.size, dtype=bool)
        others[order] = False
        order = np.concatenate([order, np.flatnonzero(others)])
        fair = np.empty(values.size)
        fair[order] = self._move(values[order], codes[order], chance[order], along[order])
        self._report(fair, values, codes, label, weight)
        return self

    def _fit_counts(self, counted: ScoreCounts) -> Self:
        """Learn the maps from people counted by group and score."""
        self.partition_ = counted.partition
        self._learn(counted.score, counted.codes, counted.label, counted.count, counted.people)
        middle = np.full(counted.score.size, 0.5)
        fair = self._move(counted.score, counted.codes, middle, middle)
        self._report(fair, counted.score, counted.codes, counted.label, counted.count)
        return self

    def _learn(
        self, values: Array, codes: Codes, label: Array | None, weight: Array, people: Codes
    ) -> dict[int, Codes]:
        """Learn the maps; return the rows of each group that they were learnt from, from low to high."""
        if self.condition is not None and label is None:
            raise InputError(f"condition={self.condition!r} needs y, the true label.", "pass y to fit.")
        mass = self._mass(codes, label, weight)
        rows = {k: r[mass[r] > 0] for k, r in members(codes).items()}
        rows = {k: r[np.argsort(values[r], kind="stable")] for k, r in rows.items() if r.size}
        if not rows:
            said = " and y = 1" if self.condition == "positives" else ""
            raise InputError(f"no row with a known group and a positive weight{said} is left.")
        self.maps_ = learn(
            {k: (values[r], mass[r], people[r]) for k, r in rows.items()},
            np.array([weight[r].sum() for r in rows.values()]),
            max_gap=float(self.max_gap),
            cost=self.cost,
            geodesic=self.relaxation == "geodesic",
            n_levels=self.n_levels,
        )
        self.n_features_in_ = 1
        return rows

    def fit_transform(
        self, score: Any, y: Any = None, *, sensitive: Any, sample_weight: Any = None, key: Any = None
    ) -> Any:
        """Learn the maps and return the fair scores of the same people; see `fit` and `transform`."""
        fitted = self.fit(score, y, sensitive=sensitive, sample_weight=sample_weight, key=key)
        return fitted.transform(score, sensitive=sensitive, key=key)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the name of the column that `transform` gives, whatever the score is called."""
        del input_features
        check_is_fitted(self)
        return np.array(["fair_score"], dtype=object)

    def transform(self, score: Any, *, sensitive: Any, key: Any = None) -> Any:
        """Return fair scores.

        Parameters
        ----------
        score : array-like or lazy frame
            Scores. A lazy frame of DuckDB, Polars, Dask or PySpark holds them and the columns that `sensitive` and
            `key` then name; it comes back, still lazy, with a column ``fair_score`` more.
        sensitive : array-like or frame
            The sensitive attribute.
        key : array-like, optional
            Who each row is: text or whole numbers. People of one group who share a score are told apart by their key,
            the same way each time. Without keys they stay together, in the middle of what they would get.

        Returns
        -------
        array, or the lazy frame with a column more
        """
        check_is_fitted(self)
        if is_lazy(score):
            return fair_frame(self, score, sensitive, key, "fair_score")
        values = read_scores(score)
        codes = self._codes(sensitive, values.size)
        maps = self.maps_
        unknown = np.setdiff1d(np.unique(codes[codes >= 0]), maps.groups)
        if unknown.size:
            raise InputError(
                f"nobody in the group {self.partition_.labels[unknown[0]]!r}"
                + (" with y = 1" if self.condition == "positives" else "")
                + " was seen when the repair was fitted.",
                "fit on people of every group, or use a partition without it.",
            )
        inside = np.clip(values, maps.low, maps.high)
        return self._move(inside, codes, self._chance(inside, key), self._along(sensitive, values.size))

    def _along(self, sensitive: Any, n: int) -> Array:
        """Return the attribute where maps vary with it."""
        if self.maps_.centres is None:
            return np.zeros(n)
        return np.nan_to_num(_numbers(sensitive))

    def _move(self, inside: Array, codes: Codes, chance: Array, attribute: Array) -> Array:
        """Return the fair scores of people whose groups are known."""
        maps = self.maps_
        out = np.full(inside.size, np.nan)
        seen = np.zeros(self.partition_.n_groups + 1, dtype=bool)  # the last for those of no group, −1
        seen[maps.groups] = True
        known = seen[codes]
        level = np.zeros(inside.size)
        if maps.centres is None:
            at = {int(k): i for i, k in enumerate(maps.groups)}
            for k, rows in members(np.where(known, codes, -1)).items():
                level[rows] = maps.level(at[k], inside[rows], chance[rows])
        else:
            left, share = maps.between(attribute)
            for i in range(maps.groups.size):
                for side, part in ((left, 1 - share), (np.minimum(left + 1, maps.groups.size - 1), share)):
                    rows = known & (side == i) & (part > 0)
                    level[rows] += part[rows] * maps.level(i, inside[rows], chance[rows])
        out[known] = maps.move(inside[known], level[known])
        return out

    def assign(self, sensitive: Any) -> Codes:
        """Return the number of each person's group.

        Parameters
        ----------
        sensitive : array-like or frame
            The sensitive attribute.

        Returns
        -------
        array of int
        """
        check_is_fitted(self)
        return self.partition_.assign(as_table(sensitive) if len(self.partition_.columns) == 1 else sensitive)

    def to_sql(
        self,
        table: str,
        *,
        score: str,
        sensitive: str | Sequence[str] | None = None,
        key: str | None = None,
        columns: Sequence[str] | None = None,
        into: str = "fair_score",
        dialect: Dialect = "duckdb",
    ) -> str:
        """Write a SELECT that gives the fair scores where the data lives, for DuckDB and PostgreSQL.

        Its results are those of `transform`, to the last digit; a missing score or attribute gives NULL.

        Parameters
        ----------
        table : str
            The table's name, quoted here, or a query in brackets: ``"(SELECT * FROM main.people)"``.
        score : str
            Column of the score.
        sensitive : str or sequence of str, optional
            Column of the attribute, or several; by default the partition's own names.
        key : str, optional
            Column that says who each row is: whole numbers or text; see `transform`. Nobody without a key gets a score.
        columns : sequence of str, optional
            Columns to carry along; by default key, attribute and score.
        into : str
            What the new column is called.
        dialect : {"duckdb", "postgresql"}
            Whose SQL.

        Returns
        -------
        str

        Examples
        --------
        >>> from fairgroups import ScoreRepair
        >>> repair = ScoreRepair([40]).fit([0.1, 0.2, 0.3, 0.4], sensitive=[30, 35, 50, 60])
        >>> 'AS "fair_score"' in repair.to_sql("people", score="s", sensitive="age", columns=["id"])
        True
        """
        check_is_fitted(self)
        if dialect not in ("duckdb", "postgresql"):
            raise InputError(f"`dialect` must be 'duckdb' or 'postgresql'; got {dialect!r}.")
        names = [sensitive] if isinstance(sensitive, str) else list(sensitive or named(self.partition_))
        carried = list(columns) if columns is not None else [*([key] if key else []), *names, score]
        chance = sql_chance(self.random_state, sql_as_text(key)) if key and self.maps_.shared else None
        return select_fair(self.maps_, self.partition_, table, score, names, chance, carried, into, dialect)

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted repair as plain data."""
        check_is_fitted(self)
        return document_of(self)

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the fitted repair as JSON, to a file if a path is given,, and return the text."""
        text = json.dumps(self.to_dict(), allow_nan=False)
        if path is not None:
            write_atomically(path, text + "\n")
        return text

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ScoreRepair:
        """Build a fitted repair from what `to_dict` gave."""
        return repair_of(data, cls)

    @classmethod
    def from_json(cls, text: str | bytes) -> ScoreRepair:
        """Build a fitted repair from the JSON that `to_json` returned."""
        return cls.from_dict(read_document(text))

    @classmethod
    def read(cls, path: str | Path) -> ScoreRepair:
        """Read a file that `to_json` wrote."""
        return cls.from_json(read_text(path))

    def _find(self, values: Array, sensitive: Any, weight: Array, label: Array | None, key: Any) -> Partition:
        if hasattr(self.partition, "fit") or isinstance(self.partition, str):
            self._refuse_missing(sensitive)
        if not isinstance(self.partition, str):
            return read_partition(self.partition, values, sensitive, weight)
        used = np.arange(values.size)
        if self.condition == "positives" and label is not None:
            used = np.flatnonzero(label == 1)
        table = flat(as_table(sensitive))
        if hasattr(table, "columns"):
            people: Any = nw.to_native(nw.from_native(table, eager_only=True)[used.tolist()])
        else:
            people = np.asarray(one_column(table) if getattr(table, "ndim", 1) == 1 else table)[used]
        keys = None if key is None else np.array(read_keys(key, values.size), dtype=object)[used]
        found = fewest_groups(self, values[used], people, weight[used], keys, self.random_state)
        return read_partition(found, values[used], people, weight[used])

    def _refuse_missing(self, sensitive: Any) -> None:
        """Stop at missing attributes where groups are to be found."""
        if hasattr(sensitive, "columns") or getattr(flat(as_table(sensitive)), "ndim", 1) > 1:
            return
        absent = np.isnan(_numbers(sensitive))
        if absent.any():
            raise InputError(
                f"{int(absent.sum())} sensitive value(s) are missing (NaN), the first in row {int(absent.argmax())}.",
                "leave these rows out, or give a Partition with missing='drop' or 'group'.",
            )

    def _mass(self, codes: Codes, label: Array | None, weight: Array) -> Array:
        """Weigh rows so that the distributions to be made alike are those of the condition."""
        if self.condition is None or label is None:
            return weight
        if self.condition == "positives":
            return np.where(label == 1, weight, 0.0)
        mass = np.zeros_like(weight)
        for k in np.unique(codes[codes >= 0]):
            for value in (0.0, 1.0):
                rows = (codes == k) & (label == value)
                total = weight[rows].sum()
                if total <= 0:
                    raise InputError(
                        f"the group {self.partition_.labels[k]!r} has nobody with y = {value:g}.",
                        "use larger groups, or another condition.",
                    )
                mass[rows] = weight[rows] / (2 * total)
        return mass

    def _centres(self, sensitive: Any, rows: dict[int, Codes], weight: Array) -> Array:
        groups = self.partition_
        if not groups.is_line or not groups.connected or groups.missing == "group":
            raise InputError(
                "smooth=True is for groups of one attribute, each one range, none of them of missing values.",
                "leave smooth out.",
            )
        values = _numbers(sensitive)
        return np.array([np.average(values[r], weights=weight[r]) for r in rows.values()])

    def _chance(self, inside: Array, key: Any) -> Array:
        """Draw a number for each row from the seed and its key, for the rows that need one; without keys, a half."""
        out = np.full(inside.size, 0.5)
        if key is None:
            return out
        keys = read_keys(key, inside.size)
        for i in np.flatnonzero(np.isin(inside, self.maps_.atoms)).tolist():
            out[i] = uniform_of(self.random_state, keys[i])
        return out

    def _report(self, fair: Array, values: Array, codes: Codes, label: Array | None, weight: Array) -> None:
        known = codes >= 0
        self.gaps_ = {"everybody": largest_gap(fair[known], codes[known], weight[known])}
        if label is not None:
            for name, value in (("tpr", 1.0), ("fpr", 0.0)):
                rows = known & (label == value)
                self.gaps_[name] = largest_gap(fair[rows], codes[rows], weight[rows])
        looked = {None: ("everybody",), "positives": ("tpr",), "both": ("tpr", "fpr")}[self.condition]
        self.gap_ = max(self.gaps_[name] for name in looked)
        self.bound_ = None
        if self.condition == "both" and label is not None:
            least = least_odds_gap(values[known], codes[known], label[known], weight[known])
            self.bound_ = min(least, self.gap_)  # splitting a shared score by chance may do better once

    @property
    def largest_atom_(self) -> float:
        """The largest share of a group that shares one score."""
        return self.maps_.heaviest

    @property
    def step_(self) -> float:
        """The share of the way that scores move."""
        return self.maps_.step

    def _codes(self, sensitive: Any, n: int) -> Codes:
        codes = self.assign(sensitive)
        if codes.size != n:
            raise InputError(f"there are {n} scores and {codes.size} sensitive values.", "pass one of each per row.")
        return codes


def _numbers(sensitive: Any) -> Array:
    """Return the one attribute as numbers."""
    return numbers(one_column(flat(as_table(sensitive))), "sensitive")
