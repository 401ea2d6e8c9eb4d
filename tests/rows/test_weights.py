import numpy as np
import pytest

import fairgroups as fg
from fairgroups.errors import InputError
from fairgroups.measures import MEASURES
from fairgroups.rows.rows import Rows
from fairgroups.rows.weights import check_weight, weighted_sums


@pytest.mark.parametrize(
    ("weight", "said"),
    [([1, -2, 3], "negative"), ([0, 0, 0], "all weights"), ([1, 1e-200, 1], "lose the small ones")],
)
def test_weights_that_cannot_be_summed_are_refused(weight, said):
    with pytest.raises(InputError, match=said):
        check_weight(np.array(weight, dtype=float), "w")
    with pytest.raises(InputError, match=said):
        fg.ScoreRepair([30]).fit([0.1, 0.5, 0.9], sensitive=[20, 40, 60], sample_weight=weight)


def test_weights_multiply_what_a_row_adds():
    rows = Rows.from_arrays([1, 2, 3], [0, 1, 1], weight=[1.0, 2.0, 0.5])
    a, b = weighted_sums(rows, MEASURES["statistical_parity"])
    assert a.tolist() == [0, 2, 0.5]
    assert b.tolist() == [1, 2, 0.5]
