import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgroups import Cells, FairGroups
from fairgroups._kernels import best_increasing
from fairgroups.errors import InputError
from fairgroups.search.monotone import best_monotone
from fairgroups.search.path import Limits
from oracles import brute_force, variance
from strategies import cell_sums


def cells_of(a, b):
    """Cells with counts a of b, as data."""
    x = np.repeat(np.arange(len(a)), b.astype(int))
    y = np.concatenate([np.repeat([1.0, 0.0], [int(i), int(j - i)]) for i, j in zip(a, b, strict=True)])
    return Cells.from_arrays(x, y)


@settings(max_examples=400, deadline=None)
@given(cell_sums(max_cells=8, weights=False), st.integers(1, 5), st.sampled_from([1, 3, 7]))
@pytest.mark.parametrize(("monotonic", "sign"), [("increasing", 1), ("decreasing", -1)])
def test_equals_brute_force(monotonic, sign, sums, n_groups, min_rows):
    a, b, rows = sums
    if rows.sum() < min_rows:
        return
    path = best_monotone(cells_of(a, b), "statistical_parity", n_groups, monotonic, Limits(rows=min_rows))
    best = [brute_force(a, b, rows, k, min_rows=min_rows, direction=sign) for k in range(1, n_groups + 1)]
    assert path.variance == pytest.approx(best[: len(path)], abs=1e-12)
    assert path.variance[-1] == pytest.approx(max(v for v in best if v is not None), abs=1e-12)


@settings(max_examples=500, deadline=None)
@given(cell_sums(max_cells=8), st.integers(1, 5), st.sampled_from([0.0, 2.0, 5.0]), st.sampled_from([0.0, 1.5]))
def test_the_kernel_with_limits_equals_brute_force(sums, n_groups, min_rows, min_b):
    a, b, rows = sums
    path = best_increasing(a, b, rows, min(n_groups, len(a)), min_rows, min_b)
    for k in range(1, min(n_groups, len(a)) + 1):
        best = brute_force(a, b, rows, k, min_rows=min_rows, min_b=min_b, direction=1)
        assert (len(path) < k) if best is None else variance(a, b, path[k - 1]) == pytest.approx(best, abs=1e-12)


def test_a_minimum_size_may_need_a_border_that_isotonic_regression_does_not_have():
    rows, yes = np.array([4, 2, 4, 2, 2, 5.0]), np.array([2, 1, 1, 1, 1, 4.0])
    path = best_monotone(cells_of(yes, rows), "statistical_parity", 2, "increasing", Limits(rows=7))
    assert path.borders[1].tolist() == [4]


@pytest.mark.parametrize("seed", range(6))
def test_large_instances_with_a_minimum_size_equal_a_plain_programme(seed):
    rng = np.random.default_rng(seed)
    n, least, k = 60, 6, 3
    a, b = rng.binomial(3, np.linspace(0.4, 0.6, n)).astype(float), np.full(n, 3.0)
    path = best_increasing(a, b, np.ones(n), k, float(least), 0.0)
    best = -1.0
    for i, j in itertools.combinations(range(n + 1), 2):
        ends = [0, i, j, n]
        if min(np.diff(ends)) < least:
            continue
        rates = [a[s:t].sum() / b[s:t].sum() for s, t in itertools.pairwise(ends)]
        if rates[0] < rates[1] - 1e-12 and rates[1] < rates[2] - 1e-12:
            best = max(best, variance(a, b, (i, j)))
    if best < 0:
        assert len(path) < k
    else:
        assert variance(a, b, path[k - 1]) == pytest.approx(best)


def test_either_takes_the_better_direction():
    x = np.arange(100.0)
    y = (x < 50).astype(float)
    groups = FairGroups(2, monotonic="either").fit(x, y)
    assert groups.rates_.tolist() == [1, 0]


def test_fewer_groups_than_asked_for_are_returned_with_a_warning():
    with pytest.warns(UserWarning, match="2 increasing group.s. show the most"):
        groups = FairGroups(4, monotonic="increasing").fit(np.arange(4.0), [0, 0, 1, 1])
    assert groups.n_groups_ == 2


def test_unknown_direction():
    with pytest.raises(InputError, match="`monotonic` must be"):
        FairGroups(2, monotonic="up").fit(np.arange(4.0), [0, 0, 1, 1])
