import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from fairgroups.evidence.likelihood import difference_bounds, kl, rate_bounds

counts = st.tuples(st.integers(1, 60), st.integers(0, 60)).map(lambda p: (p[0], min(p[1], p[0])))


def array(*values):
    return [np.array([float(v)]) for v in values]


@settings(max_examples=200, deadline=None)
@given(counts, st.floats(0.5, 6))
def test_rate_bounds_solve_the_equation(count, root):
    n, s = count
    low, high = rate_bounds(*array(s / n, n, root))
    assert 0 <= low[0] <= s / n <= high[0] <= 1
    for end in (low[0], high[0]):
        if 0 < end < 1:
            assert 2 * n * kl(np.array(s / n), np.array(end)) == pytest.approx(root**2, rel=1e-6)


@settings(max_examples=150, deadline=None)
@given(counts, counts, st.floats(0.5, 6))
def test_difference_bounds_are_where_the_profile_likelihood_ends(one, two, root):
    (n1, s1), (n2, s2) = one, two
    p1, p2 = s1 / n1, s2 / n2
    low, high = difference_bounds(*array(p1, n1, p2, n2, root))
    assert -1 <= low[0] <= p1 - p2 + 1e-9
    assert p1 - p2 - 1e-9 <= high[0] <= 1

    def ratio(delta):
        f = lambda x: n1 * kl(np.array(p1), np.array(x + delta)) + n2 * kl(np.array(p2), np.array(x))
        left, right = max(0.0, -delta), min(1.0, 1.0 - delta)
        best = minimize_scalar(f, bounds=(left, right), method="bounded", options={"xatol": 1e-12}).fun
        return 2 * min(best, f(left), f(right))

    for end in (low[0], high[0]):
        if abs(end) < 1 - 1e-9:
            assert ratio(end) == pytest.approx(root**2, rel=1e-4, abs=1e-4)


def test_sane_at_the_ends():
    low, high = rate_bounds(np.array([0.0, 1.0]), np.array([1.0, 1.0]), np.array([3.0, 3.0]))
    assert low[0] == 0
    assert high[1] == 1
    assert high[0] > 0.9
    low, high = difference_bounds(*array(1, 1, 0, 1000, 4))
    assert low[0] < 0 < high[0] == 1
    low, high = difference_bounds(*array(0, 50, 0, 50, 2))
    assert low[0] == pytest.approx(-high[0])
