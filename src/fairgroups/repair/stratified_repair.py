"""StratifiedRepair: scores made alike among comparable people only, stratum by stratum of what may rightly matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from fairgroups import __version__
from fairgroups.errors import InputError, SchemaError
from fairgroups.options import whole_number
from fairgroups.quoting import quoted, sql_value
from fairgroups.repair.attributes import in_order, read_attributes
from fairgroups.repair.factors import Factor, levels_within, strata_of, strata_sql
from fairgroups.repair.json_file import WrittenRepair, check_schema
from fairgroups.repair.left import FEWEST, FOLDS, Left, left_of, warn_of
from fairgroups.repair.score_repair import ScoreRepair
from fairgroups.repair.scored import Scored
from fairgroups.repair.sql import Dialect, each_stratum, named, select_fair, sql_as_text, sql_chance
from fairgroups.words import listed

__all__ = ["StratifiedRepair"]

Array = NDArray[np.float64]
SCHEMA, SCHEMA_VERSION = "fairgroups/stratified-repair", 2


class StratifiedRepair(WrittenRepair, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Make scores alike along the sensitive attribute among people of one stratum: equals are treated equally.

    Differences between strata stay: they go with factors that may rightly matter, such as education or experience. Each
    stratum has a `ScoreRepair` of its own. People of strata with few people, or of none that was seen, share the one
    that is learnt from everybody.

    Parameters
    ----------
    repair : ScoreRepair, optional
        What is done in each stratum; by default ``ScoreRepair()``.
    n_parts : int
        Into how many parts of about equally many people a factor that is a number is cut.
    smallest : int
        Strata with fewer people have no maps of their own.

    Attributes
    ----------
    repairs_ : dict
        The repair of each stratum, by its name.
    others_ : ScoreRepair
        The repair of everybody, for those of no stratum of their own.
    apart_ : float
        The share of the people of the fit who are of a stratum of their own.
    left_ : Left
        What is left by the exact attribute among comparable people, before and after, on people left out: scores are
        told by where they stand in their stratum. A `FairnessWarning` is given where it is more than chance and the
        allowed gap explain. None for fewer than a hundred people, and without the repair's `judge`.
    left_out_ : array or None
        The fair scores that the people of the fit got from maps learnt on others, by which this was judged.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups import StratifiedRepair
    >>> rng = np.random.default_rng(0)
    >>> age, degree = rng.uniform(20, 60, 4000), rng.integers(0, 2, 4000)
    >>> score = rng.normal(age / 20 + 2 * degree, 1)
    >>> repair = StratifiedRepair().fit(score, sensitive=age, given={"degree": degree})
    >>> fair = repair.transform(score, sensitive=age, given={"degree": degree})
    >>> bool(abs(np.corrcoef(age[degree == 1], fair[degree == 1])[0, 1]) < 0.05)
    True
    >>> round(fair[degree == 1].mean() - fair[degree == 0].mean())  # what the degree tells is kept
    2
    """

    def __init__(self, repair: ScoreRepair | None = None, *, n_parts: int = 5, smallest: int = 200) -> None:
        self.repair = repair
        self.n_parts = n_parts
        self.smallest = smallest

    def fit(
        self, score: Any, y: Any = None, *, sensitive: Any, given: Any, sample_weight: Any = None, key: Any = None
    ) -> Self:
        """Learn the maps of each stratum.

        Parameters
        ----------
        score, y, sensitive, sample_weight, key
            See `ScoreRepair.fit`.
        given : array-like, frame or mapping
            The factors that make people comparable.

        Returns
        -------
        the estimator itself
        """
        whole_number(self.n_parts, "n_parts", 2)
        whole_number(self.smallest, "smallest", 1)
        people = Scored.read(score, y, sensitive, sample_weight, key)
        factors = read_attributes(given, people.score.size, what="given")
        self.factors_ = [Factor.of(column, self.n_parts) for column in factors]
        names = strata_of(self.factors_, factors)
        if max(Counter(names.tolist()).values(), default=0) < self.smallest:
            raise InputError(
                f"no stratum of {listed([factor.name or 'given' for factor in self.factors_])} holds {self.smallest} "
                "people: nobody can be made alike among comparable people.",
                "hold fewer factors equal, or, in Python, lower n_parts or smallest.",
            )
        self._learn(people, names)
        self.apart_ = float(np.mean(np.isin(names, list(self.repairs_))))
        self.n_features_in_ = 1
        enough = self._plain.judge and people.score.size >= FEWEST
        self.left_out_ = self._left_out(people, names) if enough else None
        self.left_ = None if self.left_out_ is None else self._judged(people, names, self.left_out_)
        shared = max(repair.largest_atom_ for repair in (self.others_, *self.repairs_.values()))
        warn_of(self.left_, condition=self._plain.condition, shared=shared, keys=key is not None)
        return self

    @property
    def _plain(self) -> ScoreRepair:
        return ScoreRepair() if self.repair is None else self.repair

    def _learn(self, people: Scored, names: NDArray[np.object_]) -> None:
        """Learn the maps of each stratum, and of everybody."""
        self.repairs_: dict[str, ScoreRepair] = {}
        for name in sorted(set(names.tolist())):
            rows = np.flatnonzero(names == name)
            if rows.size >= self.smallest:
                self.repairs_[name] = _fitted(self._plain, people.take(rows))
        self.others_ = _fitted(self._plain, people)

    def _left_out(self, people: Scored, names: NDArray[np.object_]) -> Array:
        """Return fair scores by maps learnt on four fifths of the people, for the others in turn; NaN of no map."""
        fair, everybody = np.full(people.score.size, np.nan), np.arange(people.score.size)
        for part in people.deal(FOLDS, self._plain.random_state):
            others = np.setdiff1d(everybody, part)
            one = clone(self)
            try:
                one._learn(people.take(others), names[others])  # noqa: SLF001
                fair[part] = one._moved(people.take(part), names[part], known=True)  # noqa: SLF001
            except InputError:  # the others are too few for this repair: these people are not judged
                continue
        return fair

    def _judged(self, people: Scored, names: NDArray[np.object_], fair: Array) -> Left | None:
        """Judge people left out by where they stand among those comparable with them."""
        before, after = (levels_within(names, score, people.weight) for score in (people.score, fair))
        stands = replace(people, score=before)
        left = left_of(stands, after, self._plain.condition, float(self._plain.max_gap), 0.5)
        return None if left is None else replace(left, comparable=True)

    def _moved(self, people: Scored, names: NDArray[np.object_], *, known: bool = False) -> Array:
        """Return fair scores; of people whose groups were not seen, NaN where only the known are asked for."""
        fair = np.empty(people.score.size)
        for name in set(names.tolist()):
            rows = np.flatnonzero(names == name)
            some = people.take(rows)
            repair = self.repairs_.get(name, self.others_)
            if known:
                fair[rows] = repair.fair_where_known(some)
            else:
                fair[rows] = repair.transform(some.score, sensitive=some.sensitive, key=some.key)
        return fair

    def transform(self, score: Any, *, sensitive: Any, given: Any, key: Any = None) -> Array:
        """Return fair scores; see `fit` for the arguments."""
        check_is_fitted(self, "repairs_")
        people = Scored.read(score, None, sensitive, None, key)
        given = in_order(given, [factor.name for factor in self.factors_], what="given")
        factors = read_attributes(given, people.score.size, what="given")
        if len(factors) != len(self.factors_):
            raise InputError(
                f"this repair is given {len(self.factors_)} factor(s); got {len(factors)}.", "pass as many."
            )
        return self._moved(people, strata_of(self.factors_, factors))

    def fit_transform(
        self, score: Any, y: Any = None, *, sensitive: Any, given: Any, sample_weight: Any = None, key: Any = None
    ) -> Array:
        """Learn the maps and return the fair scores of the same people; see `fit` and `transform`."""
        fitted = self.fit(score, y, sensitive=sensitive, given=given, sample_weight=sample_weight, key=key)
        return fitted.transform(score, sensitive=sensitive, given=given, key=key)

    def to_sql(
        self,
        table: str,
        *,
        score: str,
        sensitive: str | Sequence[str] | None = None,
        given: str | Sequence[str] | None = None,
        key: str | None = None,
        columns: Sequence[str] | None = None,
        into: str = "fair_score",
        dialect: Dialect = "duckdb",
    ) -> str:
        """Write a SELECT that gives the fair scores where the data lives, for DuckDB and PostgreSQL.

        Parameters
        ----------
        table, score, sensitive, key, columns, into, dialect
            See `ScoreRepair.to_sql`. Rows come stratum by stratum: carry a column that tells their order.
        given : str or sequence of str, optional
            Columns of the factors, in the order of the fit; by default called as they were then.

        Returns
        -------
        str

        Examples
        --------
        >>> import numpy as np
        >>> from fairgroups import StratifiedRepair
        >>> score, age = np.arange(400) / 400, np.arange(400) % 40 + 20
        >>> repair = StratifiedRepair().fit(score, sensitive=age, given={"degree": np.arange(400) % 2})
        >>> repair.to_sql("people", score="s", sensitive="age").count("UNION ALL")
        2
        """
        check_is_fitted(self, "repairs_")
        names = [sensitive] if isinstance(sensitive, str) else list(sensitive or named(self.others_.partition_))
        factors = [given] if isinstance(given, str) else list(given or (factor.name for factor in self.factors_))
        if len(factors) != len(self.factors_) or not all(factors):
            raise InputError(f"this repair is given {len(self.factors_)} factor(s); name their columns.", "given=[…]")
        carried = list(columns) if columns is not None else [*([key] if key else []), *names, *factors, score]
        source = table if table.lstrip().startswith("(") else quoted(table)
        written = [
            sql_as_text(name) if factor.borders is None else sql_value(name)
            for factor, name in zip(self.factors_, factors, strict=True)
        ]
        chosen = each_stratum(f"({strata_sql(self.factors_, written)})", list(self.repairs_))
        parts = []
        for repair, those in zip((*self.repairs_.values(), self.others_), chosen, strict=True):
            some = f"(SELECT * FROM {source} AS fairgroups_all WHERE {those})"  # noqa: S608
            chance = sql_chance(repair.random_state, sql_as_text(key)) if key and repair.maps_.shared else None
            parts.append(
                select_fair(repair.maps_, repair.partition_, some, score, names, chance, carried, into, dialect)
            )
        return "\nUNION ALL\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted repair as plain data."""
        check_is_fitted(self, "repairs_")
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "library_version": __version__,
            "n_parts": int(self.n_parts),
            "smallest": int(self.smallest),
            "apart": self.apart_,
            "factors": [factor.to_dict() for factor in self.factors_],
            "left": None if self.left_ is None else asdict(self.left_),
            "repairs": {name: repair.to_dict() for name, repair in self.repairs_.items()},
            "others": self.others_.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> StratifiedRepair:
        """Build a fitted repair from what `to_dict` gave."""
        check_schema(data, SCHEMA, SCHEMA_VERSION, "stratified repair")
        try:
            found = cls(n_parts=int(data["n_parts"]), smallest=int(data["smallest"]))
            found.apart_ = float(data["apart"])
            found.factors_ = [Factor.from_dict(factor) for factor in data["factors"]]
            found.left_ = None if data.get("left") is None else Left.from_dict(data["left"])
            found.left_out_ = None
            found.others_ = ScoreRepair.from_dict(data["others"])
            found.repair = clone(found.others_)
            found.repairs_ = {str(name): ScoreRepair.from_dict(one) for name, one in data["repairs"].items()}
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise SchemaError(f"this repair cannot be read: {error}.", "write it again with to_json.") from error
        found.n_features_in_ = 1
        return found


def _fitted(plain: ScoreRepair, people: Scored) -> ScoreRepair:
    repair: ScoreRepair = clone(plain).set_params(judge=False)  # what is left is told of all strata together
    return repair.fit(
        people.score, people.label, sensitive=people.sensitive, sample_weight=people.weight, key=people.key
    )
