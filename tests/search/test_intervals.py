import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgroups import MEASURES, Cells, FairGroups, group_rates, make_synthetic, rand_index
from fairgroups._kernels import best_segments, best_sorted
from fairgroups.errors import InputError
from fairgroups.paper.algorithms import exhaustive_search, psi_of_ranges
from fairgroups.search.intervals import best_intervals
from fairgroups.search.path import Limits
from oracles import brute_force, quadratic_programme, variance
from strategies import cell_sums, people


@settings(max_examples=1500, deadline=None)
@given(cell_sums(), st.integers(1, 9), st.sampled_from([0, 2, 5]), st.sampled_from([0.0, 0.7, 3.0]))
def test_equals_brute_force(sums, n_groups, min_rows, min_b):
    a, b, rows = sums
    n_groups = min(n_groups, len(a))
    path = best_segments(a, b, rows, n_groups, float(min_rows), min_b)
    for k in range(1, n_groups + 1):
        best = brute_force(a, b, rows, k, min_rows=min_rows, min_b=min_b)
        if best is None:
            assert len(path) < k
        else:
            assert variance(a, b, path[k - 1]) == pytest.approx(best, abs=1e-12)
            sizes = np.diff([0, *np.cumsum(rows)[np.array([*path[k - 1], len(a)]) - 1]])
            assert (sizes >= min_rows).all()


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=120, deadline=None)
@given(people(), st.integers(1, 4), st.booleans())
def test_every_measure_equals_brute_force(measure, rows, n_groups, weighted):
    sensitive, outcome, truth, weight = rows
    try:
        cells = Cells.from_arrays(sensitive, outcome, truth=truth, weight=weight if weighted else None, measure=measure)
    except InputError:
        return  # nobody counts in B
    path = best_intervals(cells, measure, n_groups)
    m = cells[measure]
    keep = m.b > 0
    found = brute_force(m.a[keep], m.b[keep], np.ones(keep.sum()), len(path))
    assert path.variance[-1] == pytest.approx(found, abs=1e-12)
    assert group_rates(cells, path.partition(len(path)), measure).variance == pytest.approx(found, abs=1e-12)
    assert len(path) == min(n_groups, keep.sum())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["binary", "weighted", "numeric"])
def test_equals_the_quadratic_programme_on_larger_data(seed, kind):
    rng = np.random.default_rng(seed)
    n = 700
    rate = np.clip(0.5 + 0.4 * np.sin(np.linspace(0, 7, n)), 0, 1)
    a, b = (rng.random(n) < rate).astype(float), np.ones(n)
    if kind == "weighted":
        w = rng.exponential(size=n)
        a, b = a * w, w
    if kind == "numeric":
        a = 1e4 + rng.normal(rate, 1)
    path = best_segments(a, b, np.ones(n), 7, 1.0, 0.0)
    expected = quadratic_programme(a, b, 7)
    scale = max(expected[-1], 1e-12)
    centred = a - b * a.sum() / b.sum()
    for k in range(7):
        assert variance(centred, b, path[k]) == pytest.approx(expected[k], abs=1e-9 * scale)


def test_the_path_is_the_best_of_each_number_of_groups():
    data = make_synthetic(3000, seed=3)
    cells = Cells.from_arrays(data.sensitive, data.outcome)
    path = best_intervals(cells, "statistical_parity", 6)
    assert (np.diff(path.variance) >= 0).all()
    for k in (2, 4):
        alone = best_intervals(cells, "statistical_parity", k)
        assert alone.variance[-1] == pytest.approx(path.variance[k - 1])
        assert alone.partition(k) == path.partition(k)


def test_cuts_inside_runs_where_a_minimum_size_binds():
    a, b = np.array([0, 0, 0, 0, 1, 1.0]), np.ones(6)
    path = best_segments(a, b, b, 2, 3.0, 0.0)
    assert path[1] == [3]


def test_constant_outcome_still_gives_the_groups_asked_for():
    groups = FairGroups(3).fit(np.arange(10.0), np.ones(10))
    assert groups.n_groups_ == 3
    assert groups.variance_ == pytest.approx(0)


def test_ties_go_to_the_left():
    # 1 0 0 1: cutting after the first or before the last is equally good.
    assert best_segments(np.array([1.0, 0, 0, 1]), np.ones(4), np.ones(4), 2, 1.0, 0.0)[1] == [1]
    # Constant outcome: all cuts tie; the last border is leftmost, then the one before.
    assert best_segments(np.zeros(6), np.ones(6), np.ones(6), 3, 1.0, 0.0)[2] == [1, 2]


def test_row_order_and_scaling_do_not_matter():
    data = make_synthetic(2000, seed=1)
    order = np.random.default_rng(0).permutation(2000)
    first = FairGroups(4).fit(data.sensitive, data.outcome)
    shuffled = FairGroups(4).fit(data.sensitive[order], data.outcome[order])
    scaled = FairGroups(4).fit(data.sensitive * 8, data.outcome)
    assert first.partition_ == shuffled.partition_
    assert np.allclose(np.array(first.partition_.edges) * 8, scaled.partition_.edges)


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(5)
    x, y, w = rng.integers(0, 30, 200), rng.integers(0, 2, 200), rng.integers(0, 4, 200)
    weighted = FairGroups(4, min_group_size=1).fit(x, y, sample_weight=w)
    repeated = FairGroups(4, min_group_size=1).fit(np.repeat(x, w), np.repeat(y, w))
    assert weighted.partition_ == repeated.partition_
    assert weighted.variance_ == pytest.approx(repeated.variance_)


def test_empty_denominators_join_their_left_neighbour():
    # Nobody at 1 and 4 counts in B: no group may consist of them alone.
    cells = Cells.from_arrays([0, 1, 2, 3, 4], [1, 1, 0, 1, 0], truth=[1, 0, 1, 1, 0], measure="equal_opportunity")
    path = best_intervals(cells, "equal_opportunity", 9)
    assert len(path) == 3
    assert path.partition(3).edges == (2.0, 3.0)


@pytest.mark.parametrize("distribution", ["uniform", "clipped"])
def test_never_below_the_papers_exhaustive_search(distribution):
    for seed in range(3):
        data = make_synthetic(4000, distribution, seed=seed)
        grid = np.linspace(data.sensitive.min(), data.sensitive.max(), 26)
        psi, share = psi_of_ranges(data.outcome.astype(float), data.sensitive, grid)
        theirs, cuts = exhaustive_search(psi, share, 4)
        on_grid = Cells.from_arrays(data.sensitive, data.outcome, edges=grid[:-1])
        ours = best_intervals(on_grid, "statistical_parity", 4)
        assert ours.variance[-1] == pytest.approx(theirs, rel=1e-9)
        assert tuple(ours.borders[-1]) == cuts
        assert FairGroups(4).fit(data.sensitive, data.outcome).variance_ >= theirs


@pytest.mark.parametrize(("distribution", "least"), [("uniform", 0.999), ("truncated", 0.998), ("clipped", 0.998)])
def test_finds_the_true_groups_of_the_papers_data(distribution, least):
    scores = []
    for seed in range(10):
        data = make_synthetic(50_000, distribution, seed=seed)
        groups = FairGroups(5).fit(data.sensitive, data.outcome)
        scores.append(rand_index(groups.partition_, data.partition, data.sensitive))
    assert np.mean(scores) >= least


def test_minimum_sizes_hold():
    data = make_synthetic(2000, seed=2)
    cells = Cells.from_arrays(data.sensitive, data.outcome)
    path = best_intervals(cells, "statistical_parity", 8, Limits(rows=150))
    sizes = np.bincount(path.partition(len(path)).assign(data.sensitive))
    assert sizes.min() >= 150


@pytest.mark.parametrize("seed", range(40))
def test_rising_rates_are_cut_by_divide_and_conquer(seed):
    """The same borders as the pruned search, with minimum sizes as well."""
    rng = np.random.default_rng(seed)
    for _ in range(25):
        n = int(rng.integers(2, 60))
        b, rows = rng.integers(1, 5, n).astype(float), rng.integers(1, 4, n).astype(float)
        rate = np.sort(rng.integers(0, 15, n)).astype(float) * rng.choice([-1.0, 1.0])
        limits = int(rng.integers(1, 8)), float(rng.integers(0, 8)), float(rng.integers(0, 6))
        assert best_sorted(rate * b, b, rows, *limits) == best_segments(rate * b, b, rows, *limits)


def test_a_search_that_is_cut_short_says_what_it_may_cost(monkeypatch):
    rng = np.random.default_rng(0)
    x = np.arange(3000.0)
    cells = Cells.from_arrays(x, x**2 + rng.normal(0, 1e3, 3000), measure=MEASURES["mean"])
    exact = best_intervals(cells, "mean", 6)
    monkeypatch.setattr("fairgroups.search.intervals.MOST_WORK", 1)
    monkeypatch.setattr("fairgroups.search.intervals.MOST_CANDIDATES", 0)
    monkeypatch.setattr("fairgroups.search.intervals.FEW_UNITS", 100)
    cut = best_intervals(cells, "mean", 6)
    assert exact.exact
    assert not cut.exact
    bound = float(cut.note.split("at most ")[1].split("%")[0]) / 100
    assert 0 <= exact.variance[-1] - cut.variance[-1] <= bound * exact.variance[-1] * 1.1
    assert bound < 0.1
