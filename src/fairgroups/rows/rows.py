"""From a user's columns to clean rows: arrays of numbers, checked, of equal length.

Nothing is dropped in silence: missing values follow one policy, and what was left out is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError, MissingValuesError
from fairgroups.measures import LARGEST, Measure
from fairgroups.options import MISSING, Missing, one_of
from fairgroups.rows.column_kinds import Column, attribute, factor, lone_attribute
from fairgroups.rows.column_values import numbers, one_column
from fairgroups.rows.labels import check_positive, label_codes, read_outcome
from fairgroups.rows.weights import check_weight
from fairgroups.sources.ages import OLDEST

__all__ = [
    "LARGEST",
    "Rows",
    "check_finite",
    "check_measure",
    "check_size",
    "quantiles",
    "refuse_exposure",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """The columns of an audit, checked and of equal length.

    A sensitive value is NaN only under ``missing="group"``; every other value is finite. Where an engine has counted
    people who are alike, `count` says how many each row stands for.
    """

    columns: tuple[Column, ...]
    outcome: Array
    truth: Array | None = None
    base: Array | None = None
    weight: Array | None = None
    cluster: NDArray[np.intp] | None = None
    count: Array | None = None
    lot: Array | None = None  # a number between 0 and 1 from who the person is, to deal people by
    index: NDArray[np.intp] | None = None  # which rows of the table these are; None where all are kept
    offset: float = 0.0  # taken off outcomes before they are summed; see `centred`
    outcome_is_binary: bool = True
    dropped: Mapping[str, int] = field(default_factory=dict)
    told: tuple[str, ...] = ()  # what was decided about labels, in words
    factors: tuple[Column, ...] = ()  # what people may be compared at equal values of
    expected: Array | None = None  # the outcome that a model of the user's expects
    error: Array | None = None  # the standard deviation of the error with which the attribute was measured
    strata: NDArray[np.intp] | None = None  # who is alike in the factors
    period: NDArray[np.intp] | None = None  # the place of each row's period in `periods`
    periods: tuple[str, ...] = ()
    by: str | None = None  # the column of the periods
    blur: Array | None = None  # by how much noise that was added widens what is known; see `private_rows`
    expectations: Mapping[str, Array] = field(default_factory=dict)  # by measure: the rate of people alike; see `sums`

    @property
    def n(self) -> int:
        """Count the people: the rows that are kept, or those they stand for."""
        return int(self.outcome.size if self.count is None else self.count.sum())

    @property
    def size(self) -> int:
        """Return the length of the columns."""
        return int(self.outcome.size)

    def times(self, column: Array) -> Array:
        """Return what rows add to a sum, times the number of people that each stands for."""
        return column if self.count is None else column * self.count

    @property
    def people(self) -> Array:
        """How many people each row stands for."""
        return np.ones(self.size) if self.count is None else self.count

    @property
    def is_line(self) -> bool:
        """Whether there is one sensitive attribute and it is a number."""
        return len(self.columns) == 1 and self.columns[0].levels is None

    def centred(self) -> Rows:
        """Return rows that say how much to take off outcomes which are no rates before they are summed.

        Differences and scatter keep their digits only near 0. The offset is a multiple of about the standard deviation,
        so that it is the same number whoever added the outcomes up. Sums carry it along (`Moments.offset`), and every
        rate that is read from them has it added again.
        """
        y = self.outcome
        if y.min() >= 0 and y.max() <= 1:
            return replace(self, offset=0.0)
        mean = float(np.average(y, weights=self.count))
        spread = float(np.sqrt(np.average((y - mean) ** 2, weights=self.count)))
        unit = 2.0 ** np.ceil(np.log2(spread)) if spread > 0 else 0.0
        return replace(self, offset=float(np.rint(mean / unit) * unit) if unit > 0 else 0.0)

    def sums(self, measure: Measure) -> tuple[Array, Array]:
        """Return what each row adds to A and to B of a measure, weights aside; A less the offset.

        Of a measure with expectations, A less what people alike in the factors have.
        """
        a, b = measure.sums(self.outcome, self.base if measure.of_base else self.truth)
        if measure.name in self.expectations:
            return a - self.expectations[measure.name] * b, b
        return (a - self.offset * b, b) if measure.centred and self.offset else (a, b)

    def offset_of(self, measure: Measure) -> float:
        """Return what was taken off the rates of a measure."""
        return self.offset if measure.centred else 0.0

    @property
    def sensitive(self) -> Array:
        """Return the values of the one sensitive attribute."""
        return self.columns[0].values

    @property
    def name(self) -> str:
        """Return the name of the one sensitive attribute."""
        return self.columns[0].name

    @property
    def absent(self) -> NDArray[np.bool_]:
        """Whether, for each row, a sensitive value is missing."""
        masks = [np.isnan(column.values) for column in self.columns]
        return masks[0] if len(masks) == 1 else np.logical_or.reduce(masks)

    def take(self, index: NDArray[np.intp]) -> Rows:
        """Return some of the rows."""
        columns, factors = (
            tuple(replace(c, values=c.values[index], last=None if c.last is None else c.last[index]) for c in every)
            for every in (self.columns, self.factors)
        )
        return replace(
            self,
            columns=columns,
            factors=factors,
            expected=None if self.expected is None else self.expected[index],
            error=None if self.error is None else self.error[index],
            strata=None if self.strata is None else self.strata[index],
            period=None if self.period is None else self.period[index],
            blur=None if self.blur is None else self.blur[index],
            expectations={name: x[index] for name, x in self.expectations.items()},
            outcome=self.outcome[index],
            count=None if self.count is None else self.count[index],
            lot=None if self.lot is None else self.lot[index],
            truth=None if self.truth is None else self.truth[index],
            base=None if self.base is None else self.base[index],
            weight=None if self.weight is None else self.weight[index],
            cluster=None if self.cluster is None else np.unique(self.cluster[index], return_inverse=True)[1].ravel(),
            index=index if self.index is None else self.index[index],
        )

    @classmethod
    def from_arrays(
        cls,
        sensitive: Any,
        outcome: Any,
        *,
        truth: Any = None,
        base: Any = None,
        weight: Any = None,
        cluster: Any = None,
        lot: Array | None = None,
        factors: Mapping[str, Any] | None = None,
        expected: Any = None,
        error: Any = None,
        positive: Any = None,
        threshold: float | None = None,
        missing: Missing = "error",
        names: Mapping[str, str] | None = None,
    ) -> Rows:
        """Check and convert the columns.

        Parameters
        ----------
        sensitive : array-like, or mapping of names to array-likes
            The sensitive attribute, or several. Among several, columns of text are categories.
        outcome, truth, base, weight : array-like
            One value per row. `outcome`, `truth` and `base`, another outcome to compare with, may be boolean, 0/1, two
            labels, or numbers.
        cluster : array-like, optional
            Which rows belong together, such as those of one person; any labels.
        lot : array, optional
            Numbers between 0 and 1 by which people are dealt into parts.
        factors : mapping of names to array-likes, optional
            What people may be compared at equal values of: numbers and categories.
        expected : array-like, optional
            The outcome that a model of the user's expects.
        error : array-like, optional
            The standard deviation of the error with which each value of the attribute was measured.
        positive : label, optional
            Which label counts as 1; all others count as 0.
        threshold : float, optional
            Outcomes of at least this count as 1, others as 0.
        missing : {"error", "drop", "group"}
            What to do with missing values. ``"group"`` keeps rows whose sensitive value is missing as a group of
            their own.
        names : mapping, optional
            What each role's column is called, for messages and labels.

        Returns
        -------
        Rows
        """
        if isinstance(sensitive, Mapping):
            columns = [attribute(one_column(values), name) for name, values in sensitive.items()]
        else:
            name = (names or {}).get("sensitive", "")
            columns = [lone_attribute(one_column(sensitive), name)]
        return cls.from_columns(
            columns,
            outcome,
            truth=truth,
            base=base,
            weight=weight,
            cluster=cluster,
            lot=lot,
            factors=[factor(one_column(values), name) for name, values in (factors or {}).items()],
            expected=expected,
            error=error,
            positive=positive,
            threshold=threshold,
            missing=missing,
            names=names,
        )

    @classmethod
    def from_columns(
        cls,
        columns: Sequence[Column],
        outcome: Any,
        *,
        truth: Any = None,
        base: Any = None,
        weight: Any = None,
        cluster: Any = None,
        count: Array | None = None,
        lot: Array | None = None,
        factors: Sequence[Column] = (),
        expected: Any = None,
        error: Any = None,
        positive: Any = None,
        threshold: float | None = None,
        missing: Missing = "error",
        names: Mapping[str, str] | None = None,
    ) -> Rows:
        """Check and convert what goes with sensitive columns that are read already; see `from_arrays`."""
        one_of(missing, "missing", MISSING)
        roles = ("outcome", "truth", "base", "weight", "cluster", "expected", "error")
        named = {role: role for role in roles} | dict(names or {})
        found: dict[str, Array] = {column.name or "sensitive": column.values for column in columns}
        attributes = list(found)
        values: dict[str, Array] = {}
        both = truth is not None or base is not None  # one label may be that of another column
        read = {
            "outcome": read_outcome(
                one_column(outcome), named["outcome"], positive, optional_positive=both, threshold=threshold
            )
        }
        for role, column in (("truth", truth), ("base", base)):
            if column is not None:
                read[role] = read_outcome(one_column(column), named[role], positive, optional_positive=True)
        values |= {role: one.values for role, one in read.items()}
        told = dict.fromkeys(line for one in read.values() for line in one.told)
        told |= dict.fromkeys(line for column in columns for line in column.told)
        if weight is not None:
            values["weight"] = numbers(one_column(weight), named["weight"])
        if cluster is not None:
            values["cluster"] = label_codes(one_column(cluster))
        if expected is not None:
            values["expected"] = numbers(one_column(expected), named["expected"])
        if error is not None:
            values["error"] = numbers(one_column(error), named["error"])
            _check_error(values["error"], named["error"])
        if positive is not None and both:
            check_positive(positive, [one_column(x) for x in (outcome, truth, base) if x is not None])
        # One name may play two roles (an attribute that is also the outcome): keep them apart by role.
        alike = {f"\0given {i}": column for i, column in enumerate(factors)}
        checked = {**found, **{f"\0{role}": x for role, x in values.items()}}
        checked |= {key: column.values for key, column in alike.items()}
        shown = {key: key for key in attributes} | {f"\0{role}": named[role] for role in values}
        shown |= {key: column.name for key, column in alike.items()}
        _check_lengths(checked, shown)
        for key, x in checked.items():
            check_finite(x, shown[key])
        check_size(values["outcome"], named["outcome"])
        if weight is not None:
            check_weight(values["weight"], named["weight"])
        keep, dropped = _apply_missing(checked, shown, {*attributes, *alike}, missing, count)
        rows = cls(
            tuple(columns),
            values["outcome"],
            truth=values.get("truth"),
            base=values.get("base"),
            weight=values.get("weight"),
            cluster=np.nan_to_num(values["cluster"]).astype(np.intp) if cluster is not None else None,
            count=count,
            lot=lot,
            outcome_is_binary=read["outcome"].binary,
            told=tuple(told),
            dropped=dropped,
            factors=tuple(factors),
            expected=values.get("expected"),
            error=values.get("error"),
        )
        if rows.weight is not None and (rows.weight == 0).any():  # a row without weight is not there
            keep = (rows.weight > 0) if keep is None else keep & ~(rows.weight == 0)
        if keep is None:
            return rows
        if not keep.any():
            raise InputError(
                "no rows are left after dropping those with missing values.",
                "check the columns named: one of them may be empty.",
            )
        return rows.take(np.flatnonzero(keep))


def check_measure(measure: Measure, rows: Rows) -> Measure:
    """Refuse a measure that the outcome or truth does not fit."""
    if measure.binary and not rows.outcome_is_binary:
        raise InputError(
            f"measure {measure.name!r} needs a yes/no outcome, and the outcome holds other numbers.",
            "say from which score on the decision is yes, threshold= (--threshold), or use measure='mean'.",
        )
    yes_or_no = rows.truth is not None and bool(np.isin(rows.truth, (0.0, 1.0)).all())
    if measure.name == "calibration" and yes_or_no and (rows.outcome.min() < 0 or rows.outcome.max() > 1):
        raise InputError(
            "calibration compares a truth of yes or no with chances between 0 and 1, and the outcome holds other "
            f"numbers, from {rows.outcome.min():.10g} to {rows.outcome.max():.10g}.",
            "turn the score into a chance, or make decisions of it: threshold= (--threshold).",
        )
    if measure.binary and measure.needs_truth and rows.truth is not None and not yes_or_no:
        raise InputError(f"measure {measure.name!r} needs a yes/no truth, and the truth holds other numbers.")
    return measure


def refuse_exposure(rows: Rows, measure: Measure) -> None:
    """Refuse a measure whose rows have denominators of their own, for intervals that hold for all ranges at once.

    Of a rate such as claims per year, a row with little exposure may be far off by chance: no bound over all ranges is
    known to hold for it.
    """
    b = rows.sums(measure)[1]
    counts = b[b > 0]
    if counts.size and counts.min() != counts.max():
        raise InputError(
            f"measure {measure.name!r} divides by amounts that differ from row to row (B from {counts.min():g} to "
            f"{counts.max():g}): no interval holds for all ranges of such a ratio.",
            "name the groups in advance, partition=[25, 45] (--partition 25,45), or judge them on people set aside, "
            "inference='crossfit'.",
        )


def quantiles(values: Array, shares: Array, count: Array | None = None) -> Array:
    """Return the values with these shares of the people below, each the next one seen upwards."""
    if count is None:
        found: Array = np.quantile(values, shares, method="higher")
        return found
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(count[order])
    at = np.searchsorted(reached, np.ceil(shares * (reached[-1] - 1) - 1e-9), side="right")
    next_up: Array = values[order][np.minimum(at, values.size - 1)]
    return next_up


def _check_error(values: Array, name: str) -> None:
    if np.any(values < 0):
        raise InputError(
            f"{name!r} holds {int(np.sum(values < 0)):,} negative numbers; a standard deviation is 0 or more.",
            "check the column: variances and signed errors are something else.",
        )


def _check_lengths(columns: Mapping[str, Array], named: Mapping[str, str]) -> None:
    lengths = {named[role]: values.size for role, values in columns.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name!r} has {length}" for name, length in lengths.items())
        raise InputError(f"all columns must have the same number of rows; {said}.")
    if 0 in lengths.values():
        raise InputError("there are no rows.", "check that the table is not empty and the filter not too strict.")


def check_finite(values: Array, name: str) -> None:
    """Refuse infinite values."""
    infinite = np.isinf(values)
    if infinite.any():
        raise InputError(
            f"{name!r} holds {infinite.sum()} infinite value(s) ({values[infinite.argmax()]:g}), the first in ⟨row⟩.",
            "remove these rows, or say that it stands for a missing value: na=['inf'] of Source (--na inf); it is not "
            "taken for one.",
            row=int(infinite.argmax()),
        )


def check_size(values: Array, name: str) -> None:
    """Refuse numbers whose squares overflow."""
    if np.nanmax(np.abs(values), initial=0.0) > LARGEST:
        raise InputError(f"{name!r} holds values beyond ± {LARGEST:g}, too large to compute with.", "rescale them.")
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if 0 < largest < 1 / LARGEST:
        raise InputError(f"all values of {name!r} are at most {largest:g}: too small to compute with.", "rescale them.")


def _apply_missing(
    columns: Mapping[str, Array],
    shown: Mapping[str, str],
    attributes: set[str],
    missing: Missing,
    count: Array | None,
) -> tuple[NDArray[np.bool_] | None, dict[str, int]]:
    """Say which rows to keep (None: all) and count those dropped, each for one reason."""
    absent = {key: np.isnan(values) for key, values in columns.items()}
    people = np.ones(1) if count is None else count
    counts = {key: int(np.sum(mask * people)) for key, mask in absent.items() if mask.any()}
    refused = {k: n for k, n in counts.items() if missing == "error" or (missing == "group" and k not in attributes)}
    if refused:
        said = [f"{shown[key]!r} holds {n} missing value(s) (NaN)" for key, n in refused.items()]
        row = None if count is not None else int(absent[next(iter(refused))].argmax())
        said[0] += "" if row is None else ", the first in ⟨row⟩"
        hint = "missing='drop' leaves these rows out and counts them"
        if set(refused) <= attributes:
            hint += "; missing='group' makes them a group of their own"
        hint += " (--missing on the command line)."
        if any(shown[key].startswith("age(") for key in refused):
            hint = f"a date after that day, or over {OLDEST} years before it, is taken as missing; {hint}"
        y = "\0outcome"
        if y in refused and np.unique(columns[y][~absent[y]]).size == 1:
            hint = "all other values of it are the same: where nothing is written for no, write a no there."
        raise MissingValuesError(f"{'; '.join(said)}.", hint, row=row)
    if missing != "drop" or not counts:
        return None, {}
    keep = np.ones(next(iter(columns.values())).size, dtype=bool)
    dropped: dict[str, int] = {}
    for key in counts:
        lost = int(np.sum((keep & absent[key]) * people))
        if lost:
            dropped[shown[key]] = dropped.get(shown[key], 0) + lost
        keep &= ~absent[key]
    return keep, dropped
