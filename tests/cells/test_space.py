import numpy as np
import pytest

import fairgroups as fg
from fairgroups.cells.space import FINEST, MOST_BOXES, SpaceCells
from fairgroups.measures import RATES
from fairgroups.rows.rows import Rows

PARITY = RATES["statistical_parity"]


def people(n=500, seed=0):
    rng = np.random.default_rng(seed)
    return {"age": rng.integers(18, 70, n), "income": rng.lognormal(10, 1, n), "sex": rng.choice(["f", "m"], n)}


def test_sums_are_those_of_the_rows():
    table, y = people(), np.arange(500) % 3 == 0
    cells = SpaceCells.from_arrays(table, y)
    assert cells.rows.sum() == 500
    assert cells["statistical_parity"].a.sum() == y.sum()
    codes = [axis.codes(c.values) for axis, c in zip(cells.axes, Rows.from_arrays(table, y).columns, strict=True)]
    flat = np.ravel_multi_index(codes, cells.shape)
    assert cells["statistical_parity"].a == pytest.approx(np.bincount(flat, y, len(cells)))


@pytest.mark.parametrize("names", [("age", "income"), ("age", "sex"), ("age", "income", "sex")])
def test_a_grid_has_no_more_boxes_than_can_be_looked_at(names):
    table = {name: x for name, x in people(5000).items() if name in names}
    cells = SpaceCells.from_arrays(table, np.arange(5000) % 2)
    assert cells.n_boxes <= MOST_BOXES
    assert max(cells.shape) <= FINEST
    assert SpaceCells.from_arrays(table, np.arange(5000) % 2, n_cells=4).shape[0] == 4


def test_few_values_have_a_cell_each_and_many_an_equal_share():
    rng = np.random.default_rng(1)
    cells = SpaceCells.from_arrays({"a": rng.integers(0, 5, 4000), "b": rng.random(4000)}, rng.integers(0, 2, 4000))
    assert cells.axes[0].distinct
    assert cells.axes[0].first.tolist() == [0, 1, 2, 3, 4]
    shares = cells.rows.reshape(cells.shape).sum(axis=0) / 4000
    assert shares == pytest.approx(1 / cells.shape[1], rel=0.1)


def test_missing_values_are_a_cell_of_their_own():
    table = {"a": [1.0, 2.0, np.nan, 1.0], "b": ["x", "y", "x", None]}
    cells = SpaceCells.from_arrays(table, [0, 1, 1, 1], missing="group")
    assert cells.missing
    assert cells.rows[-1] == 2
    assert len(cells) == cells.rows.size - 1 == 4
    with pytest.raises(fg.InputError, match="every row misses"):
        SpaceCells.from_rows(Rows.from_arrays({"a": [np.nan, np.nan], "b": [1, 2]}, [0, 1], missing="group"), [PARITY])


def test_the_order_of_rows_does_not_matter():
    table, y = people(), np.arange(500) % 3 == 0
    order = np.random.default_rng(3).permutation(500)
    one = SpaceCells.from_arrays(table, y)
    other = SpaceCells.from_arrays({name: x[order] for name, x in table.items()}, y[order])
    assert (one.rows == other.rows).all()
    assert one["statistical_parity"] == other["statistical_parity"]
