"""ScoreRepair: scores made fair group by group, as a scikit-learn transformer that travels as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fairgroups.errors import InputError, MissingValuesError
from fairgroups.options import Missing
from fairgroups.repair.attributes import in_order, read_attributes
from fairgroups.repair.document import document_of, repair_of
from fairgroups.repair.group_maps import learn_groups
from fairgroups.repair.inputs import as_table, check_options, read_partition, read_scores
from fairgroups.repair.json_file import WrittenRepair
from fairgroups.repair.lazy import ScoreCounts, count_scores, fair_frame, rows_of
from fairgroups.repair.left import Left, judge, warn_of
from fairgroups.repair.maps import Maps, learn_along
from fairgroups.repair.moving import cells_of, move_people
from fairgroups.repair.score_distribution import nearness_of
from fairgroups.repair.score_table import ScoreTable
from fairgroups.repair.scored import Scored
from fairgroups.repair.sql import Dialect, named, select_fair, sql_as_text, sql_chance
from fairgroups.repair.stretches import partition_of
from fairgroups.repair.transport import Cost, largest_gap, least_odds_gap
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.person_keys import read_keys, uniform_of
from fairgroups.sources.frames import is_lazy

__all__ = ["Condition", "Relaxation", "ScoreRepair"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Relaxation = Literal["gap", "geodesic"]
Condition = Literal["positives", "both"]
KNOTS = 512
MOST_GROUPS, SMALLEST = 20, 0.02  # of partition="groups"
MOST_NAMED, SMALLEST_NAMED = 8, 0.05  # by which maps by the exact attribute are told and judged


class ScoreRepair(WrittenRepair, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Change scores as little as possible so that groups' distributions differ by at most `max_gap`.

    Within a group the order of scores is kept, and a score that is already within the limits comes back unchanged.
    What a person gets depends on the person's score, attribute and key only, never on the rows beside it.

    Parameters
    ----------
    partition : "auto", "groups", Partition, estimator or list of borders
        Who is to be treated alike. ``"auto"``: people of every value of the attribute, or of several: the maps follow
        the exact attribute, as closely as leaving people out shows that it pays. ``"groups"``: groups inside which the
        whole distribution of the scores is alike. Or groups that are given; an estimator such as ``FairGroups(5)``
        that is not fitted yet finds them in the scores.
    max_gap : float
        How far the distribution functions of two groups, or of people at two values of the attribute, may differ after
        the repair, at any threshold: 0 is full parity, 1 changes nothing.
    cost : {"w2", "w1"}
        What is kept small: the mean squared change, which for calibrated scores makes the decisions of least cost at
        every threshold, or the mean change, which changes the fewest decisions. With two groups W1 moves the smaller
        one only.
    relaxation : {"gap", "geodesic"}
        How `max_gap` > 0 is used: exactly, or by moving every score the same share of the way to full parity, the least
        that keeps the gap. The second costs more but leaves less dependence in the tails.
    condition : {None, "positives", "both"}
        Whose distributions are to agree: everybody's; those with y = 1 (equal opportunity); or those with y = 1 and
        with y = 0 as far as both can be (equalized odds): the larger of the two gaps is then as small as any monotone
        map makes it.
    missing : {"error", "drop", "group"}
        People whose attribute is missing: refuse them, give them no fair score (NaN), or treat them as a group of their
        own. A partition that is given says so itself.
    n_levels : int or None
        With groups, work on this many quantiles of the scores; None for every distinct score.
    judge : bool
        Whether maps are also learnt on four fifths of the people at a time, to tell what is left on the others.
    random_state : int
        Seed for splitting people who share a score, and of who is left out; nothing else is random.

    Attributes
    ----------
    partition_ : Partition
        The groups; with ``"auto"`` those by which the repair is told and judged: inside each the scores were alike.
    left_ : Left
        What is left by the exact attribute, before and after, on people left out; see `Left`. A `FairnessWarning` is
        given where it is more than chance and the allowed gap explain. None for lazy frames with given groups, for
        fewer than a hundred people, and without `judge`.
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
    >>> repair = ScoreRepair().fit(score, sensitive=age)
    >>> fair = repair.transform(score, sensitive=age)
    >>> bool(abs(fair[age < 40].mean() - fair[age >= 40].mean()) < 0.01)
    True
    """

    maps_: Maps
    nearness_: list[Array] | None
    left_: Left | None

    def __init__(
        self,
        partition: Any = "auto",
        *,
        max_gap: float = 0.0,
        cost: Cost = "w2",
        relaxation: Relaxation = "gap",
        condition: Condition | None = None,
        missing: Missing = "error",
        n_levels: int | None = 2000,
        judge: bool = True,
        random_state: int = 0,
    ) -> None:
        self.partition = partition
        self.max_gap = max_gap
        self.cost = cost
        self.relaxation = relaxation
        self.condition = condition
        self.missing = missing
        self.n_levels = n_levels
        self.judge = judge
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
            if not isinstance(self.partition, str):
                return self._fit_counts(count_scores(self, score, y, sensitive, sample_weight))
            score, y, sensitive, sample_weight = rows_of(score, y, sensitive, sample_weight)
        people = Scored.read(score, y, sensitive, sample_weight, key)
        self.fit_without_judgement(people)
        self.left_ = judge(self, people) if self.judge else None
        warn_of(self.left_, condition=self.condition, shared=self.largest_atom_, keys=key is not None)
        return self

    @property
    def _by_groups(self) -> bool:
        """Whether people are repaired group by group, not by the exact attribute."""
        return not (isinstance(self.partition, str) and self.partition == "auto")

    def fit_without_judgement(self, people: Scored, like: ScoreRepair | None = None) -> None:
        """Learn the maps; groups, and how people count as near, may be those of another repair of the same people.

        Parameters
        ----------
        people : Scored
            Checked.
        like : ScoreRepair, optional
            Fitted to these very people, with another gap.
        """
        self.n_features_in_ = 1
        if self.condition is not None and people.label is None:
            raise InputError(f"condition={self.condition!r} needs y, the true label.", "pass y to fit.")
        self._find(people, like)
        codes = self._codes(people.sensitive, people.score.size)
        if self._by_groups:
            ones = np.ones(people.score.size, dtype=np.intp)
            self.maps_, order = learn_groups(self, people.score, codes, people.label, people.weight, ones)
        else:
            order = np.arange(people.score.size)
        fair = np.empty(people.score.size)
        chance = self._chance(people.score, people.key)
        cells = cells_of(self, people.columns, codes)
        fair[order] = move_people(
            self.maps_, people.score[order], [(at[order], share[order]) for at, share in cells], chance[order]
        )
        self._report(fair, people.score, codes, people.label, people.weight)

    def _fit_counts(self, counted: ScoreCounts) -> Self:
        """Learn the maps from people counted by group and score."""
        self.partition_ = counted.partition
        self.n_features_in_ = 1
        if self.condition is not None and counted.label is None:
            raise InputError(f"condition={self.condition!r} needs y, the true label.", "pass y to fit.")
        who = counted.label, counted.count, counted.people
        self.maps_, _ = learn_groups(self, counted.score, counted.codes, *who)
        fair = move_people(
            self.maps_, counted.score, cells_of(self, [], counted.codes), np.full(counted.score.size, 0.5)
        )
        self._report(fair, counted.score, counted.codes, counted.label, counted.count)
        self.left_ = None
        return self

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
        sensitive = in_order(sensitive, self.partition_.columns)
        codes = self._codes(sensitive, values.size)
        axes = self.maps_.axes
        columns = [] if axes is None else read_attributes(sensitive, values.size, [a.levels is not None for a in axes])
        return self._fair(values, columns, codes, key)

    def fair_where_known(self, people: Scored) -> Array:
        """Return fair scores; NaN for people of groups that were not seen in fitting.

        Parameters
        ----------
        people : Scored
            Checked.

        Returns
        -------
        array
        """
        codes = self._codes(people.sensitive, people.score.size)
        if self.maps_.axes is None:
            codes = np.where(np.isin(codes, self.maps_.groups), codes, -1)
        return self._fair(people.score, people.columns, codes, people.key)

    def _fair(self, values: Array, columns: list[Column], codes: Codes, key: Any) -> Array:
        """Return the fair scores of people whose attributes and groups are known."""
        maps = self.maps_
        unknown = np.setdiff1d(np.unique(codes[codes >= 0]), maps.groups) if maps.axes is None else np.empty(0)
        if unknown.size:
            raise InputError(
                f"nobody in the group {self.partition_.labels[unknown[0]]!r}"
                + (" with y = 1" if self.condition == "positives" else "")
                + " was seen when the repair was fitted.",
                "fit on people of every group, or use a partition without it.",
            )
        inside = np.clip(values, maps.low, maps.high)
        return move_people(self.maps_, inside, cells_of(self, columns, codes), self._chance(inside, key))

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
        sensitive = in_order(sensitive, self.partition_.columns)
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

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ScoreRepair:
        """Build a fitted repair from what `to_dict` gave."""
        return repair_of(data, cls)

    def _find(self, people: Scored, like: ScoreRepair | None) -> None:
        """Find the groups, and with maps by the exact attribute these as well."""
        given = self.partition
        if like is not None and given != "auto":
            self.partition_ = like.partition_
            return
        if not isinstance(given, str):
            if hasattr(given, "fit") and not hasattr(given, "partition_"):
                self._refuse_missing(people)
            self.partition_ = read_partition(given, people.score, people.sensitive, people.weight)
            return
        self._refuse_missing(people)
        masses = people.masses(self.condition)
        if self.missing != "group":
            known = ~np.any([np.isnan(column.values) for column in people.columns], axis=0)
            masses = [np.where(known, mass, 0.0) for mass in masses]
        for mass, y in zip(masses, (1, 0), strict=False):
            if not mass.sum() > 0:
                whom = "a known attribute and a positive weight"
                whom = whom if self.condition is None else f"a known attribute, a positive weight and y = {y}"
                raise InputError(f"nobody with {whom} is left.", "check the attribute, the weights and y.")
        table = ScoreTable.of(people.columns, people.score, masses, KNOTS)
        most, smallest = (MOST_GROUPS, SMALLEST) if given == "groups" else (MOST_NAMED, SMALLEST_NAMED)
        self.partition_ = like.partition_ if like is not None else partition_of(table, most, smallest, self.missing)
        if given == "groups":
            return
        self.nearness_ = nearness_of(table) if like is None else like.nearness_
        self.maps_ = learn_along(
            table,
            self.nearness_,
            max_gap=float(self.max_gap),
            cost=self.cost,
            geodesic=self.relaxation == "geodesic",
        )

    def _refuse_missing(self, people: Scored) -> None:
        """Stop at missing attributes where groups are to be found."""
        if self.missing != "error":
            return
        for column in people.columns:
            absent = np.isnan(column.values)
            if absent.any():
                raise MissingValuesError(
                    f"{int(absent.sum())} value(s) of {column.name or 'sensitive'!r} are missing (NaN), the first in "
                    f"row {int(absent.argmax())}.",
                    "missing='drop' gives these people no fair score; missing='group' makes them a group of their own.",
                )

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
            self.bound_ = (
                None if np.isnan(least) else min(least, self.gap_)
            )  # splitting a shared score by chance may do better once

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
