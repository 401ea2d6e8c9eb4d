"""Which sums make a fairness measure.

Every measure here is a rate, Φ(k) = A_k / B_k − A / B, where A and B are sums over rows. A `Measure` says which two
columns are summed, and whether a higher rate is good or bad for the person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError

__all__ = [
    "EQUALIZED_ODDS",
    "MEASURES",
    "RATES",
    "Direction",
    "JointMeasure",
    "Measure",
    "parts_of",
    "resolve_any",
    "resolve_measure",
]

Array = NDArray[np.float64]
LARGEST = 1e150  # beyond, squares overflow
Direction = Literal["better", "worse", "neutral"]
Columns = Callable[[Array, "Array | None"], tuple[Array, Array]]


@dataclass(frozen=True)
class Measure:
    """A rate by group: two columns to sum, and what a higher rate means for a person.

    Parameters
    ----------
    name : str
        What a user types.
    rate : str
        What the rate is called in tables and charts.
    columns : callable
        ``columns(outcome, truth) -> (a, b)``, row by row and before weights. Rows with ``b = 0`` do not count.
    higher : {"better", "worse", "neutral"}
        What a higher rate means for the person, when nothing is said about the outcome. Measures of the library leave
        this open: what is good for a person is a property of the outcome, and is asked for, not guessed.
    higher_if_favourable, higher_if_unfavourable : {"better", "worse", "neutral"}
        The same once the user has said that the outcome is good (or bad) to receive.
    needs_truth : bool
        Whether the true label is needed beside the outcome.
    binary : bool
        Whether outcome (and truth) must be yes/no.
    centred : bool
        Whether A may be summed from outcomes less about their mean, which keeps digits; for A that moves with the
        outcome one to one.
    of_base : bool
        Whether the second column is the outcome that is compared with, instead of the truth.

    Examples
    --------
    A measure of one's own, the share of people who wait longer than ten days:

    >>> import numpy as np
    >>> from fairgroups import Measure
    >>> long_wait = Measure(
    ...     "long_wait",
    ...     rate="share waiting over 10 days",
    ...     columns=lambda days, truth: ((days > 10).astype(float), np.ones_like(days)),
    ...     higher="worse",
    ...     binary=False,
    ... )
    >>> long_wait.direction(favourable=None)
    'worse'
    """

    name: str
    rate: str
    columns: Columns
    higher: Direction = "neutral"
    higher_if_favourable: Direction | None = None
    higher_if_unfavourable: Direction | None = None
    needs_truth: bool = False
    binary: bool = True
    centred: bool = False
    of_base: bool = False

    def __post_init__(self) -> None:
        for value in (self.higher, self.higher_if_favourable, self.higher_if_unfavourable):
            if value not in ("better", "worse", "neutral", None):
                raise InputError(
                    f"`higher` of measure {self.name!r} must be 'better', 'worse' or 'neutral'; got {value!r}."
                )

    def direction(self, *, favourable: bool | None) -> Direction:
        """Return what a higher rate means for the person.

        Parameters
        ----------
        favourable : bool or None
            Whether the outcome is good to receive; None leaves the measure's own reading.

        Returns
        -------
        {"better", "worse", "neutral"}
        """
        if favourable is None:
            return self.higher
        said = self.higher_if_favourable if favourable else self.higher_if_unfavourable
        return self.higher if said is None else said

    def sums(self, outcome: Array, truth: Array | None) -> tuple[Array, Array]:
        """Return the columns that are summed into A and B, checked."""
        if self.needs_truth and truth is None:
            raise InputError(
                f"measure {self.name!r} compares the outcome with the truth, and no truth was given.",
                "name the column that holds the true label: truth=… in Python, --truth on the command line.",
            )
        try:
            a, b = self.columns(outcome, truth)
            a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"measure {self.name!r} failed: {error}.", "`columns(outcome, truth)` must return two arrays, (a, b)."
            ) from error
        if a.shape != outcome.shape or b.shape != outcome.shape:
            raise InputError(
                f"measure {self.name!r} must give one A and one B for each of the {outcome.size} rows; "
                f"got shapes {a.shape} and {b.shape}."
            )
        if not (np.isfinite(a).all() and np.isfinite(b).all()) or (b < 0).any() or bool(np.any((b == 0) & (a != 0))):
            raise InputError(
                f"measure {self.name!r} gave A or B values that cannot be summed.",
                "A and B must be finite, B at least 0, and A must be 0 where B is 0.",
            )
        if max(np.abs(a).max(initial=0.0), b.max(initial=0.0)) > LARGEST:
            raise InputError(f"measure {self.name!r} gave numbers beyond ± {LARGEST:g}, too large to compute with.")
        return a, b


def _known(truth: Array | None) -> Array:
    assert truth is not None  # Measure.sums has checked it
    return truth


def _value(y: Array, _: Array | None) -> tuple[Array, Array]:
    return y, np.ones_like(y)


def _true_positives(y: Array, truth: Array | None) -> tuple[Array, Array]:
    return y * _known(truth), _known(truth)


def _false_positives(y: Array, truth: Array | None) -> tuple[Array, Array]:
    negative = 1 - _known(truth)
    return y * negative, negative


def _errors(y: Array, truth: Array | None) -> tuple[Array, Array]:
    return (y != _known(truth)).astype(np.float64), np.ones_like(y)


def _right_positives(y: Array, truth: Array | None) -> tuple[Array, Array]:
    return y * _known(truth), y


def _residuals(y: Array, truth: Array | None) -> tuple[Array, Array]:
    return _known(truth) - y, np.ones_like(y)


_RATES = (
    Measure(
        "statistical_parity",
        rate="positive rate",
        columns=_value,
        higher_if_favourable="better",
        higher_if_unfavourable="worse",
    ),
    Measure(
        "equal_opportunity",
        rate="true positive rate",
        columns=_true_positives,
        higher_if_favourable="better",
        higher_if_unfavourable="worse",
        needs_truth=True,
    ),
    Measure(
        # To receive what one did not merit is good where the outcome is good, and a false alarm where it is bad.
        "predictive_equality",
        rate="false positive rate",
        columns=_false_positives,
        higher_if_favourable="better",
        higher_if_unfavourable="worse",
        needs_truth=True,
    ),
    Measure(
        # An error may be to a person's harm or to their advantage: more errors are neither.
        "error_rate",
        rate="error rate",
        columns=_errors,
        needs_truth=True,
    ),
    Measure(
        # Among those selected, how many merited it: a high one may mean a higher bar, or only a group that merits it.
        "precision",
        rate="precision",
        columns=_right_positives,
        needs_truth=True,
    ),
    Measure(
        "mean",
        rate="mean outcome",
        columns=_value,
        higher_if_favourable="better",
        higher_if_unfavourable="worse",
        binary=False,
        centred=True,
    ),
    Measure(
        # Truth minus score: above 0 the score promises too little for the group.
        "calibration",
        rate="mean of truth minus score",
        columns=_residuals,
        higher_if_favourable="worse",
        higher_if_unfavourable="better",
        needs_truth=True,
        binary=False,
    ),
)


@dataclass(frozen=True)
class JointMeasure:
    """Several rates looked at together: the variances of their Φ add up.

    Examples
    --------
    >>> from fairgroups import EQUALIZED_ODDS
    >>> [part.rate for part in EQUALIZED_ODDS.parts]
    ['true positive rate', 'false positive rate']
    """

    name: str
    parts: tuple[Measure, ...]

    def __post_init__(self) -> None:
        if not self.parts or not all(isinstance(part, Measure) for part in self.parts):
            raise InputError(f"the joint measure {self.name!r} needs at least one Measure.", "parts=(…, …)")


#: The measures of one rate, by name.
RATES: Mapping[str, Measure] = MappingProxyType({measure.name: measure for measure in _RATES})

#: True and false positive rates at once.
EQUALIZED_ODDS = JointMeasure("equalized_odds", (RATES["equal_opportunity"], RATES["predictive_equality"]))

# What else they are called, without spaces.
_OTHER_NAMES = {
    "statistical_parity": "demographicparity selectionrate acceptancerate approvalrate positivepredictionrate rate",
    "equal_opportunity": "tpr recall sensitivity hitrate truepositiverateparity equalopportunities",
    "predictive_equality": "fpr falsealarmrate fallout falsepositiverateparity",
    "error_rate": "error misclassificationrate",
    "precision": "ppv positivepredictivevalue predictiveparity",
    "mean": "average",
    "equalized_odds": "equalisedodds equalodds",
}

#: Every measure, by name; nobody can add to them.
MEASURES: Mapping[str, Measure | JointMeasure] = MappingProxyType({**RATES, EQUALIZED_ODDS.name: EQUALIZED_ODDS})


def parts_of(measure: Measure | JointMeasure) -> tuple[Measure, ...]:
    """Return the rates that a measure is made of."""
    return measure.parts if isinstance(measure, JointMeasure) else (measure,)


def resolve_any(measure: str | Measure | JointMeasure, *, outcome_is_binary: bool) -> Measure | JointMeasure:
    """Turn a name into a measure of one rate or of several."""
    if isinstance(measure, JointMeasure):
        return measure
    if measure == EQUALIZED_ODDS.name:
        return EQUALIZED_ODDS
    return resolve_measure(measure, outcome_is_binary=outcome_is_binary)


def resolve_measure(measure: str | Measure, *, outcome_is_binary: bool) -> Measure:
    """Turn a name into a `Measure`; ``"auto"`` is statistical parity for yes/no outcomes, else the mean."""
    if isinstance(measure, Measure):
        return measure
    if measure == EQUALIZED_ODDS.name or isinstance(measure, JointMeasure):
        raise InputError(
            "equalized odds are two rates, and one is needed here.",
            "use 'equal_opportunity' or 'predictive_equality'; FairGroups and audit take both at once.",
        )
    if measure == "auto":
        return RATES["statistical_parity" if outcome_is_binary else "mean"]
    if not isinstance(measure, str) or measure not in RATES:
        every = f"'auto', {', '.join(map(repr, MEASURES))}, or a fairgroups.Measure of your own."
        ours = _meant(measure)
        raise InputError(
            f"unknown measure {measure!r}.", f"it is called {ours!r} here; or use {every}" if ours else f"use {every}"
        )
    return RATES[measure]


def _meant(name: object) -> str | None:
    """Return what a measure is called here that is known by another name."""
    wanted = "".join(letter for letter in str(name).lower() if letter.isalnum())
    known = {"".join(measure.rate.split()): measure.name for measure in _RATES}
    known |= {other: ours for ours, others in _OTHER_NAMES.items() for other in others.split()}
    known |= {"".join(ours.split("_")): ours for ours in MEASURES}
    return known.get(wanted)
