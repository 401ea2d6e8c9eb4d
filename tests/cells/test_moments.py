import numpy as np
import pytest

from fairgroups.cells.cells import Cells
from fairgroups.rows.rows import Rows


@pytest.mark.parametrize("level", [0.0, 1e6, -3e9])
def test_the_offset_stays_inside_the_sums(level):
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 4, 500).astype(float), rng.normal(5, 1, 500) + level
    rows = Rows.from_arrays(x, y).centred()
    cells = Cells.from_rows(rows)
    moments = cells["mean"]
    assert abs(rows.offset - level) < 8
    assert moments.rate == pytest.approx([y[x == k].mean() for k in range(4)], abs=1e-6)
    assert moments.overall + moments.offset == pytest.approx(y.mean(), abs=1e-6)
    squares = moments.aa - moments.a**2 / moments.b
    assert squares == pytest.approx([np.sum((y[x == k] - y[x == k].mean()) ** 2) for k in range(4)], rel=1e-6)


def test_rates_need_no_offset():
    assert Rows.from_arrays([1, 2], [0, 1]).centred().offset == 0
    assert Rows.from_arrays([1, 2], [0.2, 0.9]).centred().offset == 0


def test_sums_with_other_offsets_can_be_added():
    x, y = np.array([1.0, 1.0, 2.0]), np.array([100.0, 102.0, 104.0])
    one = Cells.from_rows(Rows.from_arrays(x, y).centred())
    two = Cells.from_rows(Rows.from_arrays(x, y + 50).centred())
    both = one + two
    assert both["mean"].rate.tolist() == pytest.approx([126.0, 129.0])
