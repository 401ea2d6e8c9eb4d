import numpy as np
import pytest

from fairgroups.repair.factors import Factor, levels_within, strata_of
from fairgroups.rows.column_kinds import Column


def test_numbers_are_cut_into_parts_of_equally_many():
    years = Column("years", np.r_[np.arange(100.0), np.nan])
    factor = Factor.of(years, 4)
    assert factor.borders == (25.0, 50.0, 75.0)
    assert factor.said(years)[24:26] == ["0", "1"]
    assert factor.said(years)[-1] == "missing"
    assert Factor.from_dict(factor.to_dict()) == factor
    assert Factor.of(Column("few", np.array([1.0, 2.0, 2.0])), 4).borders == (2.0,)


def test_strata_are_named_by_all_factors():
    columns = [Column("a", np.array([0.0, 1, 0])), Column("b", np.array([0.0, 0, 1]), ("x", "True"))]
    factors = [Factor.of(column, 2) for column in columns]
    assert strata_of(factors, columns).tolist() == ["0\x1fx", "1\x1fx", "0\x1ftrue"]


def test_levels_are_the_share_below_within_each_stratum():
    strata = np.array(["a", "a", "a", "b", "b", "a"], dtype=object)
    levels = levels_within(strata, np.array([1.0, 2, 2, 50, 40, np.nan]), np.ones(6))
    assert levels[:5].tolist() == pytest.approx([1 / 6, 2 / 3, 2 / 3, 0.75, 0.25])
    assert np.isnan(levels[5])
