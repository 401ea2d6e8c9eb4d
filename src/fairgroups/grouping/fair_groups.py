"""FairGroups: the groups that an outcome treats most differently, as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any, Literal, Self

from fairgroups.cells.sample import Sample
from fairgroups.errors import InputError
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.grouping.estimator import GroupEstimator
from fairgroups.grouping.refine import find_finely
from fairgroups.grouping.search_options import SearchOptions
from fairgroups.measures import JointMeasure, Measure, parts_of, resolve_any
from fairgroups.options import MOST_GROUPS, Against, Criterion, Inference, Missing, Monotonic
from fairgroups.reading import Reading, read_rows
from fairgroups.search.group_limits import check_n_groups
from fairgroups.sources.frames import is_lazy

__all__ = ["FairGroups"]


class FairGroups(GroupEstimator):
    """Find the groups of a continuous attribute that an outcome treats most differently.

    For one column the groups are intervals that maximise the variance of Φ, each group's rate minus everybody's. The
    search is exact, over every distinct value: a worst-off group cannot hide behind a grid. For several columns the
    groups are boxes; text columns of a frame are categories.

    Parameters
    ----------
    n_groups : int or "auto"
        Number of groups. ``"auto"``: as many as the data calls for. One group is a possible answer: no discrimination
        found.
    measure : str or Measure
        The rate compared: ``"auto"`` (statistical parity for a yes/no outcome, the mean for numbers),
        ``"equal_opportunity"`` and the other names in `fairgroups.MEASURES`, or a `Measure`.
        ``"equalized_odds"`` looks at true and false positive rates at once: `phi_` and `rates_` then have two columns.
    against : {"everyone", "rest"}
        Whom a group is compared with. ``"rest"``: P(Y=1 | group) − P(Y=1 | not in the group), the paper's other
        measure; its groups come with a certified `optimality_gap_`.
    selection : {"auto", "band", "cv", "bic"}
        How the number is chosen: ``"band"``, the fewest groups inside which no range is shown to differ;
        ``"cv"``, cross-validated error with a paired one-standard-error rule; ``"bic"``. ``"auto"`` is the band where
        there is one, and else cross-validation.
    max_groups : int
        The most groups to choose.
    monotonic : {None, "increasing", "decreasing", "either"}
        Require that the groups' rates rise or fall with the attribute.
    min_group_size : int, float or "auto"
        Least number of rows in a group, or a share of all rows if below 1. ``"auto"``: as many as any verdict needs.
    min_denominator : float
        Least B in a group, such as the number of positives for equal opportunity, weights included.
    n_cells : int, optional
        Search on this many quantile cells instead of every distinct value. For several columns: cells along each
        numeric one; by default the finest grid (at most 100) that the budget allows.
    budget : float
        For several columns: about how many seconds an exact search may take. Beyond it a beam search gives good
        groups and says by how much better ones could at most be (`optimality_gap_`).
    level : float
        Confidence level at which the band chooses the number of groups.
    random_state : int
        Seed of the folds and simulations.
    verbose : bool
        Show a progress bar for several columns.
    positive : label, optional
        Which of two labels of y counts as 1.
    missing : {"error", "drop", "group"}
        What to do with missing values.

    Attributes
    ----------
    partition_ : Partition
        The groups.
    n_groups_ : int
        Their number.
    selection_ : Selection or None
        How their number was chosen, with the whole curve; None where it was given.
    phi_, rates_ : array
        Each group's Φ and rate.
    variance_ : float
        The variance of Φ.
    path_ : array
        The largest variance with 1, 2, … groups.
    explained_ : float
        The share of all dependence on the attribute that the groups capture.
    exact_ : bool
        Whether the groups are proven best: over all values for one column, on the grid's cells for several (every
        border is then moved to the data's best value).
    optimality_gap_ : float
        How much larger, as a share, the variance on the grid could at most be; 0 when exact.
    dropped_ : dict
        How many rows were left out for a missing value of each column.

    Notes
    -----
    Ties are broken to the left, the last border first: see `fairgroups.search.intervals`.

    Examples
    --------
    >>> from fairgroups import FairGroups, make_synthetic
    >>> data = make_synthetic(5000)
    >>> groups = FairGroups(n_groups=3).fit(data.sensitive, data.outcome)
    >>> groups.partition_
    Partition(x < 28.7229, 28.7229 ≤ x < 55.1881, x ≥ 55.1881)
    >>> groups.predict([5, 50, 500]).tolist()
    [0, 1, 2]
    """

    def __init__(
        self,
        n_groups: int | Literal["auto"] = "auto",
        *,
        measure: str | Measure | JointMeasure = "auto",
        against: Against = "everyone",
        selection: Criterion = "auto",
        max_groups: int = MOST_GROUPS,
        monotonic: Monotonic | None = None,
        min_group_size: float | Literal["auto"] = "auto",
        min_denominator: float = 0.0,
        n_cells: int | None = None,
        budget: float = 10.0,
        level: float = 0.95,
        random_state: int = 0,
        verbose: bool = False,
        positive: Any = None,
        missing: Missing = "error",
    ) -> None:
        self.n_groups = n_groups
        self.measure = measure
        self.against = against
        self.selection = selection
        self.max_groups = max_groups
        self.budget = budget
        self.level = level
        self.random_state = random_state
        self.verbose = verbose
        self.monotonic = monotonic
        self.min_group_size = min_group_size
        self.min_denominator = min_denominator
        self.n_cells = n_cells
        self.positive = positive
        self.missing = missing

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, truth: Any = None) -> Self:
        """Find the groups.

        Parameters
        ----------
        X : array-like or frame
            The sensitive attribute, or several. A lazy frame holds the outcome too: `y`, `truth` and `sample_weight`
            are then names of its columns, and the others are sensitive.
        y : array-like
            The outcome: boolean, 0/1, two labels, or numbers.
        sample_weight : array-like, optional
            Weights.
        truth : array-like, optional
            The true label, for measures that compare the outcome with it.

        Returns
        -------
        FairGroups
            The estimator itself.
        """
        with self._reading(X, y, truth, sample_weight) as reading:
            rows = reading.rows.centred()
            measure = resolve_any(self.measure, outcome_is_binary=rows.outcome_is_binary)
            parts = parts_of(measure)
            options = self._options()
            sample = Sample(rows, parts, self.n_cells)
            if sample.is_line and not options.automatic:
                check_n_groups(self.n_groups, sample.cells, parts[0])
            # Of several columns a fixed number of groups has borders at any value, not only between cells of the band.
            free = not sample.is_line and not options.automatic
            judged: Inference = "plugin" if free else "band"
            inference = InferenceOptions(judged, level=self.level, seed=self.random_state)
            sample, found = find_finely(reading, sample, measure, options, inference, self.missing)
        if not options.automatic and len(found.variance) < int(self.n_groups):
            if self.monotonic is None:
                raise InputError(
                    f"only {len(found.variance)} group(s) of at least {found.limits.rows:g} rows and "
                    f"B ≥ {found.limits.b:g} exist (n_samples={rows.n}); `n_groups` is {self.n_groups}.",
                    "lower `n_groups`, `min_group_size` or `min_denominator`.",
                )
            warnings.warn(found.notes[0], UserWarning, stacklevel=2)
        self.partition_ = replace(found.partition, missing=self.missing)
        self.path_ = found.variance
        self.selection_ = found.selection
        self.exact_ = found.exact
        self.optimality_gap_ = found.optimality_gap
        self._describe(sample, parts, self.against)
        return self

    def _options(self) -> SearchOptions:
        return SearchOptions(**{f.name: getattr(self, f.name) for f in fields(SearchOptions) if f.name != "min_cell"})

    @contextmanager
    def _reading(self, X: Any, y: Any, truth: Any, weight: Any) -> Iterator[Reading]:
        """Read X, or count it where it is."""
        if is_lazy(X):
            with read_rows(X, self._lazy_roles(X, y, truth, weight), n_cells=self.n_cells) as reading:
                yield reading
            return
        columns = self._columns(X, reset=True)
        if len(columns) == 1:
            self._one(columns)
        yield Reading(self._rows(columns, y, truth, weight), "", "")
