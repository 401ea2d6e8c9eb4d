import numpy as np

from fairgroups.cells.cells import Cells
from fairgroups.cells.sample import Sample, plain_sums
from fairgroups.measures import RATES
from fairgroups.rows.rows import Rows

PARITY = RATES["statistical_parity"]


def test_cells_are_kept():
    rows = Rows.from_arrays([1, 2, 2, 3], [0, 1, 0, 1])
    sample = Sample(rows, (PARITY,))
    assert sample.is_line
    assert sample.cells is sample.cells
    assert sample.of(rows.take(np.array([0, 1]))).cells.rows.sum() == 2


def test_plain_sums_are_those_of_the_rows():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, 200).astype(float), rng.integers(0, 2, 200)
    values, yes, people = plain_sums(Sample(Rows.from_arrays(x, y), (PARITY,)), PARITY)
    assert values.tolist() == [0, 1, 2, 3, 4]
    assert yes.tolist() == [y[x == k].sum() for k in range(5)]
    assert people.tolist() == [(x == k).sum() for k in range(5)]
    assert plain_sums(Sample(Rows.from_arrays(x, y, weight=np.full(200, 2.0)), (PARITY,)), PARITY) is None
    assert plain_sums(Sample(Rows.from_arrays(x, y * 7.5), (RATES["mean"],)), RATES["mean"]) is None


def test_counts_tell_every_measure():
    rng = np.random.default_rng(1)
    x, y, t = rng.normal(size=300), rng.integers(0, 2, 300), rng.integers(0, 2, 300)
    few = Cells.from_arrays(x, y, truth=t)
    rates = [m for name, m in RATES.items() if name not in ("mean", "calibration")]
    more = few.also(rates)
    for measure in rates:
        known = Cells.from_arrays(x, y, truth=t, measure=measure)
        assert more[measure] == known[measure]
    weighted = Cells.from_arrays(x, y, truth=t, weight=rng.uniform(1, 2, 300))
    assert weighted.also(rates) is weighted


def test_coarser_cells_hold_the_same_people():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=500), rng.integers(0, 2, 500)
    fine = Cells.from_arrays(x, y)
    edges = np.array([-9.0, -0.5, 0.0, 0.7])
    coarse, direct = fine.on(edges), Cells.from_arrays(x, y, edges=edges)
    assert coarse.rows.tolist() == direct.rows.tolist()
    assert coarse["statistical_parity"].a.tolist() == direct["statistical_parity"].a.tolist()
    assert coarse.first.tolist() == direct.first.tolist()
