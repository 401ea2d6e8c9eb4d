"""scikit-learn estimators that group people by a continuous attribute. Thin: the work is in `fairgroups.search`."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Literal, Self

from fairgroups.cells.bins import Spacing
from fairgroups.engines.count import is_lazy
from fairgroups.errors import InputError
from fairgroups.evidence.rates import Against, explained_by_boxes, explained_share, group_rates, group_rates_of_rows
from fairgroups.grouping.estimator import GroupEstimator
from fairgroups.grouping.find import Wish, find
from fairgroups.grouping.selection import MOST_GROUPS, Criterion
from fairgroups.measures import JointMeasure, Measure, parts_of, resolve_any
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.reading import centred
from fairgroups.rows.rows import Missing, check_measure
from fairgroups.search.kmeans import best_clusters
from fairgroups.search.limits import check_n_groups
from fairgroups.search.monotone import Monotonic

__all__ = ["FairGroups", "FairKMeans", "FixedGroups"]


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
        measure; its groups come with a certified `gap_`.
    selection : {"auto", "band", "cv", "bic"}
        How the number is chosen: ``"band"``, the fewest groups inside which no range is shown to differ;
        ``"cv"``, cross-validated error with a paired one-standard-error rule; ``"bic"``. ``"auto"`` is the band for
        one column and cross-validation for several.
    max_groups : int
        The most groups to choose.
    monotonic : {None, "increasing", "decreasing", "either"}
        Require that the groups' rates rise or fall with the attribute.
    min_group_size : int or float
        Least number of rows in a group, or a share of all rows if below 1.
    min_denominator : float
        Least B in a group, such as the number of positives for equal opportunity, weights included.
    n_cells : int, optional
        Search on this many quantile cells instead of every distinct value. For several columns: cells along each
        numeric one; by default the finest grid (at most 100) that the budget allows.
    budget : float
        For several columns: about how many seconds an exact search may take. Beyond it a beam search gives good
        groups and says by how much better ones could at most be (`gap_`).
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
    gap_ : float
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
    Partition(x < 28.723, 28.723 ≤ x < 55.1882, x ≥ 55.1882)
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
        min_group_size: float = 1,
        min_denominator: float = 0.0,
        n_cells: int | None = None,
        budget: float = 10.0,
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
        """
        if is_lazy(X):
            rows = self._counted(X, y, truth, sample_weight, self.n_cells)
        else:
            columns = self._columns(X, reset=True)
            rows = self._rows(columns, y, truth, sample_weight)
            if len(columns) == 1:
                self._one(columns)
        measure = resolve_any(self.measure, outcome_is_binary=rows.outcome_is_binary)
        parts = [check_measure(part, rows) for part in parts_of(measure)]
        rows, offset = centred(rows, measure)
        wish = Wish(
            n_groups=self.n_groups,
            selection=self.selection,
            max_groups=self.max_groups,
            monotonic=self.monotonic,
            min_group_size=self.min_group_size,
            min_denominator=self.min_denominator,
            n_cells=self.n_cells,
            budget=self.budget,
            against=self.against,
            verbose=self.verbose,
        )
        found = find(rows, measure, wish)
        if found.cells is not None and not wish.automatic:
            check_n_groups(self.n_groups, found.cells, parts[0])
        if not wish.automatic and len(found.variance) < int(self.n_groups):
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
        self.gap_ = found.gap
        if isinstance(self.partition_, BoxPartition):
            groups = [group_rates_of_rows(rows, self.partition_, part) for part in parts]
            shares = [explained_by_boxes(rows, part, g.variance) for part, g in zip(parts, groups, strict=True)]
        else:
            assert found.cells is not None
            groups = [group_rates(found.cells, self.partition_, part) for part in parts]
            shares = [explained_share(found.cells, part, g.variance) for part, g in zip(parts, groups, strict=True)]
        self._take(groups, shares, against=self.against)
        self.rates_ = self.rates_ + offset
        return self


class FairKMeans(GroupEstimator):
    """Group the cells of a grid by similar rates, as the paper's K-Means does, but to the exact optimum.

    A group may be made of several intervals (``partition_.connected`` is then false): people far apart on the
    attribute who are treated alike. If rates are monotone in the attribute, all groups are connected.

    Parameters
    ----------
    n_groups : int
        Number of clusters.
    n_cells : int or None
        Cells of the grid; None for one per distinct value.
    spacing : {"width", "quantile"}
        Cells of equal width, as in the paper, or with equally many rows.
    weighted : bool
        Weigh each cell by its rows instead of counting each cell once.
    measure, positive, missing
        See `FairGroups`.

    Attributes
    ----------
    partition_, n_groups_, phi_, rates_, variance_, path_, explained_
        See `FairGroups`.

    Examples
    --------
    >>> from fairgroups import FairKMeans, make_synthetic
    >>> data = make_synthetic(20_000)
    >>> FairKMeans(n_groups=2, n_cells=10).fit(data.sensitive, data.outcome).partition_.connected
    True
    """

    def __init__(
        self,
        n_groups: int = 5,
        *,
        n_cells: int | None = 100,
        spacing: Spacing = "width",
        weighted: bool = False,
        measure: str | Measure = "auto",
        positive: Any = None,
        missing: Missing = "error",
    ) -> None:
        self.n_groups = n_groups
        self.n_cells = n_cells
        self.spacing = spacing
        self.weighted = weighted
        self.measure = measure
        self.positive = positive
        self.missing = missing

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, truth: Any = None) -> Self:
        """Cluster the cells' rates; see `FairGroups.fit` for the arguments."""
        columns = self._columns(X, reset=True)
        self._one(columns)
        cells, measure = self._cells(self._rows(columns, y, truth, sample_weight), self.n_cells, self.spacing)
        n_groups = check_n_groups(self.n_groups, cells, measure)
        path = best_clusters(cells, measure, n_groups, weighted=self.weighted)
        return self._follow(path, n_groups, cells, measure)


class FixedGroups(GroupEstimator):
    """Use groups that are given: a published scale, a legal age limit.

    Parameters
    ----------
    edges : list of float, or Partition
        Inner borders, or a whole partition.
    closed : {"left", "right"}
        Whether a border belongs to the group on its right, [a, b), or on its left, (a, b].
    measure, positive, missing
        See `FairGroups`.

    Attributes
    ----------
    partition_, n_groups_
        See `FairGroups`.
    phi_, rates_, variance_, explained_
        Present when fitted with an outcome.

    Examples
    --------
    >>> from fairgroups import FixedGroups
    >>> FixedGroups([25, 45]).fit([20, 30, 50], [0, 1, 1]).phi_.round(2).tolist()
    [-0.67, 0.33, 0.33]
    """

    def __init__(
        self,
        edges: Any,
        *,
        closed: Literal["left", "right"] = "left",
        measure: str | Measure = "auto",
        positive: Any = None,
        missing: Missing = "error",
    ) -> None:
        self.edges = edges
        self.closed = closed
        self.measure = measure
        self.positive = positive
        self.missing = missing

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, truth: Any = None) -> Self:
        """Take the groups over and, where y is given, measure Φ on them; see `FairGroups.fit` for the arguments."""
        columns = self._columns(X, reset=True)
        name = self._one(columns).name
        self._take_over(name)
        if y is None:
            self.n_groups_ = self.partition_.n_groups
            for name in ("phi_", "rates_", "variance_", "explained_"):  # of an earlier fit
                self.__dict__.pop(name, None)
            return self
        cells, measure = self._cells(self._rows(columns, y, truth, sample_weight), None)
        self._describe(cells, measure)
        return self

    def _take_over(self, name: str) -> None:
        if isinstance(self.edges, Partition):
            given = self.edges
            self.partition_ = Partition(given.groups, name=name or given.name, missing=self.missing)
        else:
            self.partition_ = Partition.from_edges(self.edges, closed=self.closed, name=name, missing=self.missing)
