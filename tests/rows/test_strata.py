"""People alike in some factors: strata of levels, of values, of bins; outcomes less the rates of strata."""

import numpy as np
import pytest

from fairgroups.measures import RATES
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows
from fairgroups.rows.strata import at_equal, in_cells, strata_of

PARITY, MEAN = RATES["statistical_parity"], RATES["mean"]


def number(values, name="z"):
    return Column(name, np.asarray(values, dtype=float))


def test_few_values_and_levels_are_taken_as_they_are():
    level = Column("c", np.array([0.0, 1.0, 0.0, 1.0] * 25), ("a", "b"))
    found = strata_of([number([1, 1, 2, 2] * 25), level], np.ones(100))
    assert found.n == 4
    assert [(factor.kind, factor.parts) for factor in found.factors] == [("values", 2), ("levels", 2)]
    assert not found.thin


def test_missing_values_are_a_level_of_their_own():
    found = strata_of([number([1.0, np.nan, 1.0, np.nan])], np.full(4, 10.0))
    assert found.n == 2
    assert found.codes.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("n", [2_000, 10_000, 50_000])
def test_bins_grow_with_the_people(n):
    rng = np.random.default_rng(0)
    found = strata_of([number(rng.normal(size=n))], np.ones(n))
    most = int(np.log2(n**0.25))
    ends = sum(2 for k in range(1, 1 + most) if n / (4.0 * n**0.25) / 2**k >= 8)  # smaller ones at both ends
    assert found.n == pytest.approx(4.0 * n**0.25 + ends, abs=2)
    people = np.bincount(found.codes)
    assert people[ends:-ends].max() - people[ends:-ends].min() <= 2
    assert people.min() >= 7


def test_a_value_that_many_share_takes_no_bins_from_the_others():
    rng = np.random.default_rng(0)
    often = rng.random(20_000) < 0.9
    values = np.where(often, 0.0, rng.exponential(size=20_000))
    found = strata_of([number(values)], np.ones(20_000))
    assert found.n >= 35
    assert np.unique(found.codes[often]).size == 1
    assert np.unique(found.codes[~often]).size == found.n - 1
    assert np.bincount(found.codes)[1:].max() <= 120


def test_too_many_factors_are_thin():
    rng = np.random.default_rng(0)
    columns = [number(rng.normal(size=2_000), f"z{i}") for i in range(4)]
    found = strata_of(columns, np.ones(2_000))
    assert found.thin
    assert found.n <= 2_000 / 2


def test_rows_that_stand_for_several_make_the_same_strata():
    rng = np.random.default_rng(1)
    values = np.round(rng.gamma(2.0, size=5_000), 2)
    each, count = np.unique(values, return_counts=True)
    apart = strata_of([number(values)], np.ones(values.size))
    together = strata_of([number(each)], count.astype(float))
    assert apart.n == together.n
    assert np.array_equal(apart.codes, together.codes[np.searchsorted(each, values)])


def test_outcomes_less_their_strata_sum_to_nothing():
    rng = np.random.default_rng(2)
    z = rng.integers(0, 5, 400)
    weight = rng.uniform(0.5, 2, 400)
    rows = Rows.from_arrays(rng.normal(size=400), rng.random(400) < 0.3, weight=weight, factors={"z": z})
    strata = strata_of(rows.factors, rows.people)
    equal = at_equal(rows, [PARITY], strata)
    a, _ = equal.sums(PARITY)
    assert np.abs(np.bincount(strata.codes, a * weight)).max() < 1e-12


def test_amounts_far_from_zero_and_predictions():
    rng = np.random.default_rng(3)
    z = rng.normal(size=3_000)
    y = 1e6 + 10 * z + rng.normal(size=3_000)
    rows = Rows.from_arrays(rng.normal(size=3_000), y, factors={"z": z}).centred()
    strata = strata_of(rows.factors, rows.people)
    for predicted in (None, {"mean": 1e6 + 10 * z}):
        a, _ = at_equal(rows, [MEAN], strata, predicted).sums(MEAN)
        assert np.abs(np.bincount(strata.codes, a)).max() < 1e-6
        assert a.std() == pytest.approx(1.0, rel=0.1 if predicted else 0.6)


def test_cells_keep_borders_and_ends():
    rng = np.random.default_rng(4)
    x = np.round(rng.normal(size=5_000), 3)
    rows = Rows.from_arrays(x, rng.random(5_000) < 0.5)
    joined = in_cells(rows, 50, np.array([0.1234]))
    column = joined.columns[0]
    cells = np.unique(column.values)
    assert 50 <= cells.size <= 51
    assert np.all((column.values <= x) & (x <= column.last))
    assert not np.any((column.values < 0.1234) & (column.last >= 0.1234))
    assert in_cells(rows, 100_000, np.empty(0)).columns[0].values.tolist() == x.tolist()


def test_factors_follow_the_rows_that_are_kept():
    rows = Rows.from_arrays([1, 2, np.nan, 4], [0, 1, 1, 0], factors={"z": [5, 6, 7, np.nan]}, missing="drop")
    assert rows.factors[0].values.tolist() == [5.0, 6.0]
    assert rows.dropped == {"sensitive": 1, "z": 1}
