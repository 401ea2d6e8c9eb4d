import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgroups import Cells, FairKMeans
from fairgroups._kernels import best_segments, best_sorted
from fairgroups.search.kmeans import best_kmeans
from oracles import all_clusterings


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=3, max_size=6), st.booleans())
def test_equals_all_colourings(counts, weighted):
    yes = np.array([min(a, b) for a, b in counts])
    size = np.array([b for _, b in counts])
    x = np.repeat(np.arange(len(size)), size)
    y = np.concatenate([[1.0] * a + [0.0] * (b - a) for a, b in zip(yes, size, strict=True)])
    cells = Cells.from_arrays(x, y)
    psi = yes / size
    k = min(3, len(set(psi)))
    path = best_kmeans(cells, "statistical_parity", k, weighted=weighted)
    partition = path.partition(k)
    codes = partition.assign(np.arange(len(size)))
    w = size.astype(float) if weighted else np.ones(len(size))
    cost = sum(
        np.sum(w[codes == g] * (psi[codes == g] - np.average(psi[codes == g], weights=w[codes == g])) ** 2)
        for g in range(k)
    )
    assert cost == pytest.approx(all_clusterings(psi, w, k), abs=1e-12)


def test_disconnected_groups_are_kept_and_reported():
    x = np.repeat(np.arange(30.0), 20)
    high = (x < 10) | (x >= 20)
    y = np.where(high, np.tile([1, 1, 1, 0], 150), np.tile([0, 0, 0, 1], 150))
    groups = FairKMeans(2, n_cells=30).fit(x, y)
    assert not groups.partition_.connected
    assert [len(parts) for parts in groups.partition_.groups] == [2, 1]
    assert groups.predict([0, 15, 25]).tolist() == [0, 1, 0]
    assert groups.rates_.tolist() == [0.75, 0.25]


def test_connected_when_rates_are_monotone():
    cell = np.repeat(np.arange(20), 100)
    x = cell + np.tile(np.linspace(0, 0.99, 100), 20)
    y = (np.tile(np.arange(100), 20) < 5 * cell).astype(float)
    assert FairKMeans(4, n_cells=20).fit(x, y).partition_.connected


def test_weighted_clusters_explain_at_least_as_much_variance():
    rng = np.random.default_rng(0)
    x = rng.normal(size=5000)
    y = rng.random(5000) < 1 / (1 + np.exp(-x))
    plain, weighted = (FairKMeans(4, n_cells=40, weighted=w).fit(x, y).variance_ for w in (False, True))
    assert weighted >= plain


def test_borders_are_values_of_the_data():
    age = np.repeat(np.arange(18, 80), 30)
    y = (np.arange(age.size) % 7 < np.where(age < 40, 2, 5)).astype(int)
    groups = FairKMeans(2).fit(age, y)
    assert all(edge.is_integer() for edge in groups.partition_.edges)
    assert groups.path_[-1] == pytest.approx(groups.variance_)


def test_empty_cells_are_not_zeros():
    x = np.concatenate([np.linspace(0, 1, 50), np.linspace(9, 10, 50)])
    y = np.concatenate([np.ones(50), np.tile([0, 1], 25)])
    groups = FairKMeans(2, n_cells=10).fit(x, y)
    assert groups.partition_.connected
    assert groups.rates_.tolist() == [1.0, 0.5]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 9)), min_size=1, max_size=40, unique_by=lambda x: x[0]),
    st.integers(1, 8),
)
def test_sorted_cells_by_halving_as_by_pruning(cells, n_groups):
    cells = sorted(cells)
    rate, mass = (np.array(x, dtype=float) for x in zip(*cells, strict=True))
    n_groups = min(n_groups, len(cells))
    halved, pruned = (search(rate * mass, mass, mass, n_groups, 0.0, 0.0) for search in (best_sorted, best_segments))
    assert halved == pruned


def test_many_different_rates_are_quick_to_cluster():
    values = np.random.default_rng(0).lognormal(size=200_000)
    groups = FairKMeans(5, n_cells=None).fit(np.arange(200_000.0), np.sort(values))
    assert groups.partition_.connected
    assert groups.n_groups_ == 5
