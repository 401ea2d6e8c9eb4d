"""BlindRepair: scores made fair without the attribute at hand, from the chances of belonging to each group.

Notes
-----
The attribute is known when the repair is learnt, not when it is used. Let p_k(x) be the chance that a person with
features x belongs to group k, π_k the group's share, s(x) the score. Among all decisions that look at x only, and whose
rates in any two groups differ by at most α, the one that gains most at a threshold t (a false positive costing t, a
false negative 1 − t, s calibrated) says yes where

    s(x) − t − Σ_k λ_k(t)·(p_k(x)/π_k − 1) > 0,

λ(t) the solution of a convex problem in K numbers: the least E[(s − t − λ·q)₊] + α/2·Σ|λ_k|. As p_k is only an
estimate, λ is then moved until the rates of the groups themselves, among people whose chances came from models that had
not seen them, keep the gap as well as they can. The fair score of a person is the length of all thresholds at which the
answer is yes: wherever those who get a yes grow fewer as t rises, the decisions at t are those of the fair scores at t.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fairgroups import __version__
from fairgroups.errors import InputError, SchemaError
from fairgroups.quoting import quoted, sql_number, sql_value
from fairgroups.repair.inputs import check_gap, read_scores, read_weights
from fairgroups.repair.json_file import WrittenRepair, check_schema
from fairgroups.rows.column_values import numbers, one_column

__all__ = ["BlindRepair"]

Array = NDArray[np.float64]
SCHEMA, SCHEMA_VERSION = "fairgroups/blind-repair", 1
THRESHOLDS = 33
MOST_PEOPLE = 50_000
SOFT = 0.1  # of the scores' spread, over which a yes fades into a no while λ is sought
SMALL = 0.05  # chances that vary less tell next to nothing of a group
STEPS, STEP = 10, 2.0  # of moving λ by the groups' own rates


class BlindRepair(WrittenRepair, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Change scores so that groups differ by at most `max_gap`, knowing the groups' chances but not the groups.

    What it can reach depends on how much the features tell of the attribute: what is not in them cannot be mended by
    them. `FairClassifier(at_predict="without")` makes the chances and judges the result on people left out.

    Parameters
    ----------
    max_gap : float
        How far the rates of two groups may differ, at any threshold.

    Attributes
    ----------
    thresholds_ : array
        Where decisions were made fair; between them they are interpolated.
    prices_ : array, thresholds by groups
        λ: what belonging to a group costs at a threshold.
    shares_ : array
        π: the groups' shares of the people, by their mean chances.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups import BlindRepair
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=4000)
    >>> chance = 1 / (1 + np.exp(-2 * x))  # of being old, given x
    >>> old = (rng.random(4000) < chance).astype(int)
    >>> score = 1 / (1 + np.exp(-x - rng.normal(size=4000)))
    >>> chances = np.column_stack([1 - chance, chance])
    >>> fair = BlindRepair().fit(score, groups=old, chances=chances).transform(score, chances=chances)
    >>> gap = abs(np.mean(fair[old == 1] >= 0.5) - np.mean(fair[old == 0] >= 0.5))
    >>> bool(gap < 0.03)
    True
    """

    shares_: Array
    thresholds_: Array
    prices_: Array

    def __init__(self, *, max_gap: float = 0.0) -> None:
        self.max_gap = max_gap

    def fit(self, score: Any, y: Any = None, *, groups: Any, chances: Any, sample_weight: Any = None) -> Self:
        """Learn what belonging to a group costs at each threshold.

        Parameters
        ----------
        score : array-like
            Scores, made by a model that has not seen the person.
        y : ignored
            For scikit-learn.
        groups : array-like
            The number of each person's group, 0, 1, …; negative where it is not known.
        chances : array-like, people by groups
            The chance of each group, made by a model that has not seen the person.
        sample_weight : array-like, optional
            Weights.

        Returns
        -------
        the estimator itself
        """
        del y
        check_gap(self.max_gap)
        values = read_scores(score)
        held = _chances(chances, values.size)
        codes = numbers(one_column(groups), "groups")
        weight = np.ones(values.size) if sample_weight is None else read_weights(sample_weight, values.size)
        if codes.size != values.size:
            raise InputError(f"there are {values.size} scores and {codes.size} groups.", "pass one of each per row.")
        if np.any(codes != np.floor(codes)):
            raise InputError("groups must be whole numbers: 0, 1, …", "number them.")
        used = np.flatnonzero((codes >= 0) & (weight > 0))
        if used.size == 0:
            raise InputError("nobody's group is known.", "pass the number of each person's group.")
        if codes.max() >= held.shape[1]:
            raise InputError(f"there are chances of {held.shape[1]} groups, and a group {int(codes.max())}.")
        if used.size > MOST_PEOPLE:  # every so many of them, in the order of their scores
            order = used[np.argsort(values[used], kind="stable")]
            used = order[:: -(-used.size // MOST_PEOPLE)]
        s, p, k, w = values[used], held[used], codes[used].astype(np.intp), weight[used] / weight[used].sum()
        shares = np.bincount(k, w, held.shape[1]).astype(np.float64)
        if (shares <= 0).any():
            raise InputError(f"nobody is in group {int(np.argmin(shares))}.", "leave its chances out.")
        self.shares_ = w @ p  # as they are guessed, so that a yes for all costs nothing
        if (self.shares_ <= 0).any():
            raise InputError(f"nobody has any chance of group {int(np.argmin(self.shares_))}.", "leave it out.")
        self.low_, self.high_ = float(values.min()), float(values.max())
        marks = np.quantile(s, np.linspace(0.01, 0.99, THRESHOLDS))
        middle = [0.5] if self.low_ < 0.5 < self.high_ <= 1 and self.low_ >= 0 else []
        self.thresholds_ = np.unique(np.concatenate([[self.low_], marks, middle, [self.high_]]))
        belongs = (k[:, None] == np.arange(shares.size)) / shares - 1
        self.prices_ = _prices(s, p / self.shares_ - 1, belongs, w, shares, self.thresholds_, float(self.max_gap))
        self.n_features_in_ = 1
        return self

    def transform(self, score: Any, *, chances: Any) -> Array:
        """Return fair scores.

        Parameters
        ----------
        score : array-like
            Scores.
        chances : array-like, people by groups
            The chance of each group for each person.

        Returns
        -------
        array
        """
        check_is_fitted(self)
        values = np.clip(read_scores(score), self.low_, self.high_)
        held = _chances(chances, values.size)
        if held.shape[1] != self.shares_.size:
            raise InputError(
                f"this repair is by {self.shares_.size} groups; there are chances of {held.shape[1]}.", "pass as many."
            )
        price = (held / self.shares_ - 1) @ self.prices_.T
        margin = values[:, None] - self.thresholds_ - price
        left, right = margin[:, :-1], margin[:, 1:]
        size = np.abs(left) + np.abs(right)
        yes = np.divide(np.maximum(left, 0.0) + np.maximum(right, 0.0), size, out=np.zeros_like(size), where=size > 0)
        return np.asarray(self.low_ + yes @ np.diff(self.thresholds_))

    def to_sql(
        self, table: str, *, score: str, chances: list[str], columns: list[str], into: str = "fair_score"
    ) -> str:
        """Write a SELECT that gives the fair scores where the data lives, for DuckDB and PostgreSQL.

        Parameters
        ----------
        table : str
            The table's name.
        score, chances : str, list of str
            Columns of the score and of the chance of each group, in order.
        columns : list of str
            Columns to carry along.
        into : str
            What the new column is called.

        Returns
        -------
        str
        """
        fair = self.sql_of(score, chances)
        carried = "".join(f"{quoted(name)}, " for name in columns)
        return f"SELECT {carried}{fair} AS {quoted(into)} FROM {quoted(table)}"  # noqa: S608

    def sql_of(self, score: str, chances: list[str]) -> str:
        """Write the fair score as an expression of the columns of the score and of each group's chance."""
        check_is_fitted(self)
        if len(chances) != self.shares_.size:
            raise InputError(f"this repair is by {self.shares_.size} groups; {len(chances)} columns were named.")
        low, high = sql_number(self.low_), sql_number(self.high_)
        inside = f"LEAST(GREATEST({sql_value(score)}, {low}), {high})"
        above = [
            f"({sql_value(name)} / {sql_number(float(share))} - 1e0)"
            for name, share in zip(chances, self.shares_, strict=True)
        ]
        margins = [
            f"({inside} - {sql_number(float(t))} - ("
            + " + ".join(f"{sql_number(float(x))} * {q}" for x, q in zip(row, above, strict=True))
            + "))"
            for t, row in zip(self.thresholds_, self.prices_, strict=True)
        ]
        lengths = []
        for width, left, right in zip(np.diff(self.thresholds_), margins[:-1], margins[1:], strict=True):
            yes = f"(GREATEST({left}, 0e0) + GREATEST({right}, 0e0)) / NULLIF(ABS({left}) + ABS({right}), 0e0)"
            lengths.append(f"{sql_number(float(width))} * COALESCE({yes}, 0e0)")
        nothing = " OR ".join(f"{sql_value(name)} IS NULL" for name in (score, *chances))
        return f"CASE WHEN {nothing} THEN NULL ELSE {low} + {' + '.join(lengths) or '0e0'} END"

    def to_dict(self) -> dict[str, Any]:
        """Return the fitted repair as plain data."""
        check_is_fitted(self)
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "library_version": __version__,
            "max_gap": float(self.max_gap),
            "shares": self.shares_.tolist(),
            "range": [self.low_, self.high_],
            "thresholds": self.thresholds_.tolist(),
            "prices": self.prices_.tolist(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> BlindRepair:
        """Build a fitted repair from what `to_dict` gave."""
        check_schema(data, SCHEMA, SCHEMA_VERSION, "blind repair")
        try:
            found = cls(max_gap=float(data["max_gap"]))
            check_gap(found.max_gap)
            found.low_, found.high_ = (float(x) for x in data["range"])
            found.shares_, found.thresholds_, found.prices_ = _lists(data, (found.low_, found.high_))
        except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
            raise SchemaError(f"this repair cannot be read: {error}.", "write it again with to_json.") from error
        found.n_features_in_ = 1
        return found


def _lists(data: Mapping[str, Any], ends: tuple[float, float]) -> tuple[Array, Array, Array]:
    """Return shares, thresholds and prices; ValueError where they do not fit."""
    shares: Array = np.array(data["shares"], dtype=np.float64)
    thresholds: Array = np.array(data["thresholds"], dtype=np.float64)
    prices: Array = np.array(data["prices"], dtype=np.float64)
    if thresholds.size < 1 or prices.shape != (thresholds.size, shares.size) or (shares <= 0).any():
        raise ValueError("its lists are of different lengths, or a share is not above 0")
    if (np.diff(thresholds) <= 0).any() or (thresholds[0], thresholds[-1]) != ends:
        raise ValueError("its thresholds are not in order")
    if not all(np.isfinite(x).all() for x in (shares, thresholds, prices)):
        raise ValueError("it holds a number that is not finite")
    return shares, thresholds, prices


def _prices(
    score: Array, chance: Array, belongs: Array, weight: Array, shares: Array, thresholds: Array, gap: float
) -> Array:
    """Find λ for each threshold; `chance` and `belongs` are p_k/π_k − 1 by estimate and in truth."""
    n_groups = chance.shape[1]
    soft = SOFT * max(
        float(np.sqrt(np.average((score - np.average(score, weights=weight)) ** 2, weights=weight))), 1e-12
    )
    effective = 1 / float(np.sum(weight**2))
    size = np.sqrt(weight @ chance**2)
    most = 2 * float(np.ptp(score)) / np.maximum(size, SMALL)  # what tells nothing of a group may cost nothing much
    start = np.zeros(2 * n_groups)
    found = np.zeros((thresholds.size, n_groups))
    for j, threshold in enumerate(thresholds):
        rate = min(float(weight @ (score > threshold)), 1.0)  # rounding may leave it a hair above
        noise = np.sqrt(
            (rate * (1 - rate) + 1 / effective) / effective * np.maximum(1 / shares - 1, 0.0)
        )  # of each group's rate
        price = np.tile(gap / 2 + noise / 2 + 1e-6, 2)

        def dual(both: Array, threshold: float = float(threshold), price: Array = price) -> tuple[float, Array]:
            margin = (score - threshold - chance @ (both[:n_groups] - both[n_groups:])) / soft
            small = np.exp(-np.abs(margin))
            value = soft * float(weight @ (np.maximum(margin, 0.0) + np.log1p(small)))
            yes = np.where(margin > 0, 1.0, small) / (1 + small)
            slope = -(chance.T @ (weight * yes))
            return value + float(price @ both), np.concatenate([slope, -slope]) + price

        start = minimize(
            dual, np.minimum(start, np.tile(most, 2)), jac=True, method="L-BFGS-B",
            bounds=[(0, limit) for limit in np.tile(most, 2)], options={"maxiter": 60},
        ).x  # fmt: skip
        cost = start[:n_groups] - start[n_groups:]
        for step in range(STEPS):
            yes = (score - threshold - chance @ cost > 0).astype(np.float64)
            excess = belongs.T @ (weight * yes)
            beyond = np.maximum(np.abs(excess) - gap / 2 - noise, 0.0)
            cost = np.clip(cost + STEP * soft / (1 + step / 5) * np.sign(excess) * beyond, -most, most)
        found[j] = cost
    return found


def _chances(chances: Any, n: int) -> Array:
    try:
        held = np.asarray(chances, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError("`chances` must hold numbers, a column for each group.") from error
    if held.ndim != 2 or held.shape[0] != n:
        raise InputError(
            f"`chances` must have a row for each of {n} scores and a column for each group; its shape is {held.shape}."
        )
    if not np.isfinite(held).all() or (held < 0).any() or (held > 1 + 1e-9).any():
        raise InputError("`chances` must lie between 0 and 1, none missing.")
    return held
