"""StratifiedRepair: scores made alike among comparable people only, stratum by stratum of what may rightly matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from fairgroups import __version__
from fairgroups.errors import InputError, SchemaError
from fairgroups.options import whole_number
from fairgroups.repair.attributes import in_order, read_attributes
from fairgroups.repair.score_repair import ScoreRepair
from fairgroups.repair.scored import Scored
from fairgroups.repair.written import WrittenRepair, check_schema
from fairgroups.rows.attributes import Column

__all__ = ["StratifiedRepair"]

Array = NDArray[np.float64]
SCHEMA, SCHEMA_VERSION = "fairgroups/stratified-repair", 1


@dataclass(frozen=True)
class _Factor:
    """One factor: borders of a number, cut into parts, or levels of a category."""

    name: str
    borders: tuple[float, ...] | None

    @classmethod
    def of(cls, column: Column, n_parts: int) -> _Factor:
        if column.levels is not None:
            return cls(column.name, None)
        known = column.values[~np.isnan(column.values)]
        distinct = np.unique(known)
        if distinct.size <= n_parts:
            return cls(column.name, tuple(distinct[1:].tolist()))
        cuts = np.quantile(known, np.arange(1, n_parts) / n_parts, method="higher")
        return cls(column.name, tuple(np.unique(cuts[cuts > distinct[0]]).tolist()))

    def said(self, column: Column) -> list[str]:
        """Return the part of each person, as text; of those without the factor, ``missing``."""
        if self.borders is None:
            if column.levels is None:
                raise InputError(f"the factor {self.name!r} was a category in fitting, and holds numbers now.")
            return ["missing" if text is None else str(text) for text in column.text.tolist()]
        if column.levels is not None:
            raise InputError(f"the factor {self.name!r} was a number in fitting, and holds text now.")
        part = np.searchsorted(np.array(self.borders), column.values, side="right")
        return ["missing" if np.isnan(x) else str(k) for x, k in zip(column.values, part, strict=True)]


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
        self.factors_ = [_Factor.of(column, self.n_parts) for column in factors]
        plain = ScoreRepair() if self.repair is None else self.repair
        names = self._strata(factors)
        self.repairs_: dict[str, ScoreRepair] = {}
        for name in sorted(set(names.tolist())):
            rows = np.flatnonzero(names == name)
            if rows.size >= self.smallest:
                self.repairs_[name] = _fitted(plain, people.take(rows))
        self.others_ = _fitted(plain, people)
        self.apart_ = float(np.mean(np.isin(names, list(self.repairs_))))
        self.n_features_in_ = 1
        return self

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
        names = self._strata(factors)
        fair = np.empty(people.score.size)
        for name in set(names.tolist()):
            rows = np.flatnonzero(names == name)
            some = people.take(rows)
            repair = self.repairs_.get(name, self.others_)
            fair[rows] = repair.transform(some.score, sensitive=some.sensitive, key=some.key)
        return fair

    def fit_transform(
        self, score: Any, y: Any = None, *, sensitive: Any, given: Any, sample_weight: Any = None, key: Any = None
    ) -> Array:
        """Learn the maps and return the fair scores of the same people; see `fit` and `transform`."""
        fitted = self.fit(score, y, sensitive=sensitive, given=given, sample_weight=sample_weight, key=key)
        return fitted.transform(score, sensitive=sensitive, given=given, key=key)

    def _strata(self, factors: list[Column]) -> NDArray[np.object_]:
        """Return the stratum of each person, by name."""
        said = [factor.said(column) for factor, column in zip(self.factors_, factors, strict=True)]
        return np.array(["\x1f".join(parts) for parts in zip(*said, strict=True)], dtype=object)

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
            "factors": [
                {"name": f.name, "borders": None if f.borders is None else list(f.borders)} for f in self.factors_
            ],
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
            found.factors_ = [
                _Factor(str(f["name"]), None if f["borders"] is None else tuple(float(x) for x in f["borders"]))
                for f in data["factors"]
            ]
            found.others_ = ScoreRepair.from_dict(data["others"])
            found.repair = clone(found.others_)
            found.repairs_ = {str(name): ScoreRepair.from_dict(one) for name, one in data["repairs"].items()}
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise SchemaError(f"this repair cannot be read: {error}.", "write it again with to_json.") from error
        found.n_features_in_ = 1
        return found


def _fitted(plain: ScoreRepair, people: Scored) -> ScoreRepair:
    repair: ScoreRepair = clone(plain)
    return repair.fit(
        people.score, people.label, sensitive=people.sensitive, sample_weight=people.weight, key=people.key
    )
