"""FairKMeans: the paper's K-Means, to its exact optimum, as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from typing import Any, Self

from fairgroups.cells.cells import Cells
from fairgroups.cells.filling import Spacing
from fairgroups.cells.sample import Sample
from fairgroups.grouping.estimator import GroupEstimator
from fairgroups.measures import Measure, resolve_measure
from fairgroups.options import Missing
from fairgroups.search.group_limits import check_n_groups
from fairgroups.search.kmeans import best_kmeans

__all__ = ["FairKMeans"]


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

    measure: str | Measure

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
        rows = self._rows(columns, y, truth, sample_weight)
        measure = resolve_measure(self.measure, outcome_is_binary=rows.outcome_is_binary)
        sample = Sample(rows, (measure,))
        cells = Cells.from_rows(rows, measure=measure, n_cells=self.n_cells, spacing=self.spacing)
        n_groups = check_n_groups(self.n_groups, cells, measure)
        path = best_kmeans(cells, measure, n_groups, weighted=self.weighted)
        if len(path) < n_groups:
            warnings.warn(path.note, UserWarning, stacklevel=2)
        self.path_ = path.variance
        self.partition_ = path.partition(len(path), missing=self.missing)
        self._describe(sample, [measure])
        return self
