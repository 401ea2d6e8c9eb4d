import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, rand_score

from fairgroups import InputError, Partition, adjusted_rand_index, rand_index

codes = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12)


@settings(max_examples=200, deadline=None)
@given(codes)
def test_equal_to_scikit_learn(pairs):
    a, b = np.array(pairs).T
    assert rand_index(a, b) == pytest.approx(rand_score(a, b))
    assert adjusted_rand_index(a, b) == pytest.approx(adjusted_rand_score(a, b))


def test_partitions_on_a_sample_with_weights():
    one, two = Partition.from_edges([3]), Partition.from_edges([5])
    x, w = np.arange(8), np.array([1, 2, 3, 1, 1, 2, 2, 1])
    assert rand_index(one, two, x, count=w) == pytest.approx(rand_index(one, two, np.repeat(x, w)))
    assert rand_index(one, one, x) == adjusted_rand_index(one, one, x) == 1
    assert rand_index([1], [1]) == 1


def test_weights_say_how_much_a_pair_counts():
    a, b = [0, 0, 1], [0, 1, 1]
    assert rand_index(a, b, weight=[0.3, 0.3, 0.3]) == pytest.approx(rand_index(a, b))
    # together in the first only: (0, 1), 1 × 2; in the second only: (1, 2), 2 × 3; apart in both: (0, 2), 1 × 3
    assert rand_index(a, b, weight=[1, 2, 3]) == pytest.approx(3 / 11)


def test_bad_input():
    with pytest.raises(InputError, match="compared on a sample"):
        rand_index(Partition.from_edges([3]), Partition.from_edges([5]))
    with pytest.raises(InputError, match="one entry per row"):
        rand_index([1, 2], [1, 2, 3])
    with pytest.raises(InputError, match="negative"):
        rand_index([0, 0, 1], [0, 1, 1], weight=[0.3, -0.3, 0.4])
    with pytest.raises(InputError, match="no rows"):
        rand_index([], [])
