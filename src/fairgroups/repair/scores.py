"""ScoreRepair: scores made fair group by group, as a scikit-learn transformer that travels as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fairgroups import __version__
from fairgroups.boxes import BoxPartition
from fairgroups.errors import InputError, SchemaError
from fairgroups.files import write_atomically
from fairgroups.partition import Partition
from fairgroups.repair.inputs import (
    as_table,
    flat,
    read_keys,
    read_labels,
    read_partition,
    read_scores,
    read_weights,
    rows_as_text,
    uniform_of,
)
from fairgroups.repair.transport import Cost, Distribution, Targets, largest_gap, members, relaxed_targets
from fairgroups.rows import mixed_columns
from fairgroups.tables import numbers, one_column

__all__ = ["Condition", "Relaxation", "ScoreRepair"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Relaxation = Literal["gap", "geodesic"]
Condition = Literal["positives", "both"]
SCHEMA = "fairgroups/repair"
SCHEMA_VERSION = 1


class ScoreRepair(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Change scores as little as possible so that groups' distributions differ by at most `max_gap`.

    Within a group the order of scores is kept, and a score that is already within the limits comes back unchanged.
    What a person gets depends on the person's score, attribute and key only, never on the rows beside it.

    Parameters
    ----------
    partition : Partition, BoxPartition, fitted estimator or list of borders
        The groups.
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
    largest_atom_ : float
        The largest share of a group that shares one score: people in it are told apart by their key only.
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

    def __init__(
        self,
        partition: Any,
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

    def fit(self, score: Any, y: Any = None, *, sensitive: Any, sample_weight: Any = None) -> Self:
        """Learn the maps.

        Parameters
        ----------
        score : array-like
            Scores, one-dimensional or one column, of any range.
        y : array-like, optional
            The true label, needed with a `condition`.
        sensitive : array-like or frame
            The sensitive attribute, or several for a `BoxPartition`.
        sample_weight : array-like, optional
            Weights.
        """
        self._check_options()
        values = read_scores(score)
        self.partition_ = read_partition(self.partition)
        codes = self._codes(sensitive, values.size)
        label = None if y is None else read_labels(y, values.size)
        weight = np.ones(values.size) if sample_weight is None else read_weights(sample_weight, values.size)
        if self.condition is not None and label is None:
            raise InputError(f"condition={self.condition!r} needs y, the true label.", "pass y to fit.")
        mass = self._mass(codes, label, weight)
        rows = {k: r[mass[r] > 0] for k, r in members(codes).items()}
        rows = {k: r for k, r in rows.items() if r.size}
        if not rows:
            raise InputError("no row with a known group and a positive weight is left.")
        used = np.concatenate(list(rows.values()))
        self.groups_ = np.array(list(rows), dtype=np.intp)
        ordered = np.sort(values[used])
        self.range_ = (float(ordered[0]), float(ordered[-1]))
        self.knots_ = _knots(ordered, self.n_levels)
        shares = np.array([weight[r].sum() for r in rows.values()])
        groups = self._learn_levels(values, mass, rows)
        steps = None if self.n_levels is None or self.knots_.size < self.n_levels else self.n_levels
        gap = 0.0 if self.relaxation == "geodesic" else float(self.max_gap)
        self.targets_ = relaxed_targets(groups, shares, gap, self.cost, steps)
        self.step_ = self._least_step(groups) if self.relaxation == "geodesic" else 1.0
        self.centres_ = self._centres(sensitive, codes, weight) if self.smooth else None
        self.n_features_in_ = 1
        fair = self.transform(values, sensitive=sensitive)
        self._report(fair, codes, label, weight)
        return self

    def transform(self, score: Any, *, sensitive: Any, key: Any = None) -> Array:
        """Give fair scores.

        Parameters
        ----------
        score : array-like
            Scores.
        sensitive : array-like or frame
            The sensitive attribute.
        key : array-like, optional
            Who each row is. People of one group who share a score are told apart by their key, the same way each
            time; without one, by their attribute.
        """
        check_is_fitted(self)
        values = read_scores(score)
        codes = self._codes(sensitive, values.size)
        unknown = np.setdiff1d(np.unique(codes[codes >= 0]), self.groups_)
        if unknown.size:
            raise InputError(
                f"nobody in the group {self.partition_.labels[unknown[0]]!r} was seen when the repair was fitted.",
                "fit on people of every group, or use a partition without it.",
            )
        inside = np.clip(values, *self.range_)
        chance = self._chance(values, sensitive, key)
        out = np.full(values.size, np.nan)
        known = codes >= 0
        level = np.zeros(values.size)
        if self.centres_ is None:
            at = {int(k): i for i, k in enumerate(self.groups_)}
            for k, rows in members(codes).items():
                level[rows] = self._level(at[k], inside[rows], chance[rows])
        else:
            left, share = self._between(sensitive)
            for i in range(self.groups_.size):
                for side, part in ((left, 1 - share), (np.minimum(left + 1, self.groups_.size - 1), share)):
                    rows = known & (side == i) & (part > 0)
                    level[rows] += part[rows] * self._level(i, inside[rows], chance[rows])
        out[known] = self._move(inside[known], level[known])
        return out

    def to_dict(self) -> dict[str, Any]:
        """Give the fitted repair as plain data."""
        check_is_fitted(self)
        targets = self.targets_
        options = {name: value for name, value in self.get_params(deep=False).items() if name != "partition"}
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "library_version": __version__,
            "options": options,
            "partition": self.partition_.to_dict(),
            "groups": [int(k) for k in self.groups_],
            "range": list(self.range_),
            "knots": self.knots_.tolist(),
            "lower": [levels.tolist() for levels in self.lower_],
            "upper": [levels.tolist() for levels in self.upper_],
            "levels": targets.levels.tolist(),
            "targets": [x if np.isfinite(x) else None for x in targets.values.tolist()],
            "target_gap": targets.gap,
            "step": self.step_,
            "centres": None if self.centres_ is None else self.centres_.tolist(),
            "gaps": self.gaps_,
            "gap": self.gap_,
            "largest_atom": self.largest_atom_,
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the fitted repair as JSON, to a file if a path is given, and give the text."""
        text = json.dumps(self.to_dict(), allow_nan=False)
        if path is not None:
            write_atomically(path, text + "\n")
        return text

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ScoreRepair:
        """Build a fitted repair from what `to_dict` gave."""
        if data.get("schema") != SCHEMA:
            raise SchemaError(f"this is no repair: its schema is {data.get('schema')!r}, not {SCHEMA!r}.")
        if int(data["schema_version"]) > SCHEMA_VERSION:
            raise SchemaError(
                f"this repair was written by a newer fairgroups (schema version {data['schema_version']}).",
                "update fairgroups.",
            )
        try:
            partition = Partition.from_dict(data["partition"])
            found = cls(partition, **data["options"])
            found.partition_ = partition
            found.groups_ = np.array(data["groups"], dtype=np.intp)
            found.range_ = (float(data["range"][0]), float(data["range"][1]))
            found.knots_ = np.array(data["knots"], dtype=np.float64)
            found.lower_ = [np.array(levels, dtype=np.float64) for levels in data["lower"]]
            found.upper_ = [np.array(levels, dtype=np.float64) for levels in data["upper"]]
            values = np.array([np.inf if x is None else x for x in data["targets"]], dtype=np.float64)
            found.targets_ = Targets(np.array(data["levels"], dtype=np.float64), values, float(data["target_gap"]))
            found.step_ = float(data["step"])
            found.centres_ = None if data["centres"] is None else np.array(data["centres"], dtype=np.float64)
            found.gaps_, found.gap_ = dict(data["gaps"]), float(data["gap"])
            found.largest_atom_ = float(data["largest_atom"])
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise SchemaError(f"this repair cannot be read: {error}.", "write it again with to_json.") from error
        found.n_features_in_ = 1
        return found

    @classmethod
    def from_json(cls, text: str | Path) -> ScoreRepair:
        """Build a fitted repair from JSON text, or from the file at a `Path`."""
        content = text.read_text(encoding="utf-8") if isinstance(text, Path) else text
        try:
            data = json.loads(content)
        except json.JSONDecodeError as error:
            raise SchemaError(f"this is not JSON: {error}.") from error
        if not isinstance(data, dict):
            raise SchemaError("this is no repair: it is not a JSON object.")
        return cls.from_dict(data)

    def _move(self, score: Array, level: Array) -> Array:
        low, high = self.targets_.limits(np.clip(level, 1e-9, 1.0))
        moved = np.clip(score, low, high)
        if self.step_ < 1:
            moved = score + self.step_ * (moved - score)
        fair: Array = np.clip(moved, *self.range_)
        return fair

    def _level(self, at: int, score: Array, chance: Array) -> Array:
        """Give each score's level in a group; inside an atom, anywhere in it."""
        knots, lower, upper = self.knots_, self.lower_[at], self.upper_[at]
        right = np.minimum(np.searchsorted(knots, score, side="left"), knots.size - 1)
        on = knots[right] == score
        left = np.maximum(right - 1, 0)
        width = knots[right] - knots[left]
        part = np.divide(score - knots[left], width, out=np.zeros_like(score), where=width > 0)
        between = upper[left] + part * (lower[right] - upper[left])
        level: Array = np.where(on, lower[right] + chance * (upper[right] - lower[right]), between)
        return level

    def _learn_levels(self, values: Array, mass: Array, rows: dict[int, Codes]) -> list[Distribution]:
        """For each group and knot: the level just below and at it; equal where at most one person has that score."""
        self.lower_, self.upper_, self.largest_atom_ = [], [], 0.0
        groups = []
        for of_group in rows.values():
            order = of_group[np.argsort(values[of_group], kind="stable")]
            below = np.concatenate([[0.0], np.cumsum(mass[order])])
            below /= below[-1]
            first, last = (np.searchsorted(values[order], self.knots_, side=side) for side in ("left", "right"))
            low, high = below[first], below[last]
            alone = last - first <= 1
            middle = (low + high) / 2
            self.largest_atom_ = max(self.largest_atom_, float(np.max(np.where(alone, 0.0, high - low))))
            self.lower_.append(np.where(alone, middle, low))
            self.upper_.append(np.where(alone, middle, high))
            held = np.diff(high, prepend=0.0) > 0
            groups.append(Distribution(self.knots_[held], high[held]))
        return groups

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

    def _least_step(self, groups: list[Distribution]) -> float:
        """Find the least share of the way to parity whose gap is at most `max_gap`."""
        u = (np.arange(4000) + 0.5) / 4000
        before = np.stack([g.quantile(u) for g in groups])
        codes = np.repeat(np.arange(len(groups)), u.size)
        target = self.targets_.at(u)

        def gap(step: float) -> float:
            return largest_gap((before + step * (target - before)).ravel(), codes)

        low, high = 0.0, 1.0
        if gap(0.0) <= self.max_gap:
            return 0.0
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (low, middle) if gap(middle) <= self.max_gap else (middle, high)
        return high

    def _centres(self, sensitive: Any, codes: Codes, weight: Array) -> Array:
        if not isinstance(self.partition_, Partition) or not self.partition_.connected:
            raise InputError("smooth=True is for groups of one attribute, each one range.", "leave smooth out.")
        values = np.nan_to_num(numbers(one_column(sensitive), "sensitive"))
        return np.array([np.average(values[codes == k], weights=weight[codes == k] + 1e-300) for k in self.groups_])

    def _between(self, sensitive: Any) -> tuple[Codes, Array]:
        """Give for each row the group whose centre lies to the left, and the share of the way to the next centre."""
        values = np.nan_to_num(numbers(one_column(sensitive), "sensitive"))
        assert self.centres_ is not None
        left = np.clip(np.searchsorted(self.centres_, values, side="right") - 1, 0, max(self.centres_.size - 2, 0))
        right = np.minimum(left + 1, self.centres_.size - 1)
        width = self.centres_[right] - self.centres_[left]
        share = np.divide(values - self.centres_[left], width, out=np.zeros_like(values), where=width > 0)
        return left, np.clip(share, 0.0, 1.0)

    def _chance(self, values: Array, sensitive: Any, key: Any) -> Array:
        """Draw a number for each row from the seed and its key, for the rows that need one."""
        out = np.full(values.size, 0.5)
        needed = np.zeros(values.size, dtype=bool)
        if self.largest_atom_ > 0:
            atoms = self.knots_[np.any(np.stack(self.upper_) > np.stack(self.lower_), axis=0)]
            needed = np.isin(np.clip(values, *self.range_), atoms)
        rows = np.flatnonzero(needed)
        if rows.size:
            keys = rows_as_text(sensitive, values, rows) if key is None else read_keys(key, values.size, rows)
            out[rows] = [uniform_of(self.random_state, one) for one in keys]
        return out

    def _report(self, fair: Array, codes: Codes, label: Array | None, weight: Array) -> None:
        known = codes >= 0
        self.gaps_ = {"everybody": largest_gap(fair[known], codes[known], weight[known])}
        if label is not None:
            for name, value in (("tpr", 1.0), ("fpr", 0.0)):
                rows = known & (label == value)
                self.gaps_[name] = largest_gap(fair[rows], codes[rows], weight[rows])
        looked = {None: ("everybody",), "positives": ("tpr",), "both": ("tpr", "fpr")}[self.condition]
        self.gap_ = max(self.gaps_[name] for name in looked)

    def _codes(self, sensitive: Any, n: int) -> Codes:
        if isinstance(self.partition_, BoxPartition):
            columns = mixed_columns(as_table(sensitive), list(self.partition_.columns))
            codes = self.partition_.assign_columns([c.values if c.levels is None else c.text for c in columns])
        else:
            codes = self.partition_.assign(numbers(one_column(flat(sensitive)), "sensitive"))
        if codes.size != n:
            raise InputError(f"there are {n} scores and {codes.size} sensitive values.", "pass one of each per row.")
        return codes

    def _check_options(self) -> None:
        gap = self.max_gap
        if isinstance(gap, bool) or not isinstance(gap, int | float | np.number) or not 0 <= gap <= 1:
            raise InputError(f"`max_gap` must be a number between 0 and 1; got {gap!r}.", "2 points are 0.02.")
        choices = {"cost": ("w1", "w2"), "relaxation": ("gap", "geodesic"), "condition": (None, "positives", "both")}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                said = ", ".join(map(repr, allowed))
                raise InputError(f"`{name}` must be one of {said}; got {getattr(self, name)!r}.")
        levels = self.n_levels
        if levels is not None and (isinstance(levels, bool) or not isinstance(levels, int | np.integer) or levels < 2):
            raise InputError(f"`n_levels` must be a whole number of at least 2, or None; got {levels!r}.")


def _knots(ordered: Array, n_levels: int | None) -> Array:
    """Choose where scores are told apart: every distinct one, or quantiles of all."""
    distinct: Array = ordered[np.concatenate([[True], np.diff(ordered) > 0])]
    if n_levels is None or distinct.size <= n_levels:
        return distinct
    at = np.ceil(np.linspace(0, ordered.size - 1, n_levels + 1)).astype(np.intp)
    chosen: Array = np.unique(ordered[at])
    return chosen
