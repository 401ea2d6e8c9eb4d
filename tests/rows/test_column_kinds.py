"""Columns of numbers and of levels."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.rows.column_kinds import category, factor


def test_levels_are_told_apart_by_what_they_say():
    column = category(np.array(["b", "a", None, "b"], dtype=object), "c")
    assert column.levels == ("a", "b")
    assert column.values[[0, 1, 3]].tolist() == [1.0, 0.0, 1.0]
    assert np.isnan(column.values[2])
    mixed = category(np.array([True, 1, "1", np.nan], dtype=object), "c")
    assert mixed.levels == ("1", "True")
    assert mixed.values[:3].tolist() == [1.0, 0.0, 0.0]


def test_a_factor_may_have_many_levels_and_not_too_many():
    many = np.array([f"town {i}" for i in range(500)])
    assert len(factor(many, "town").levels) == 500
    with pytest.raises(fg.InputError, match="at most 63"):
        category(many, "town")
    with pytest.raises(fg.InputError, match="at most 5000"):
        factor(np.array([f"person {i}" for i in range(5001)]), "person")


def test_factors_of_numbers_and_of_yes_and_no():
    assert factor(np.array([1, 2, 3]), "z").levels is None
    assert factor(np.array([1.5, None], dtype=object), "z").levels is None
    assert factor(np.array([True, False]), "z").levels == ("False", "True")


@pytest.mark.parametrize("kind", ["numpy", "objects", "masked", "pandas", "polars", "lazy"])
def test_true_and_false_are_levels_wherever_they_come_from(kind):
    import pandas as pd
    import polars as pl

    rng = np.random.default_rng(1)
    u = rng.random(12_000)
    x, y = u > 0.3, (rng.random(u.size) < np.where(u < 0.25, 0.3, 0.6)).astype(int)
    table = {
        "numpy": lambda: {"x": x, "y": y},
        "objects": lambda: {"x": [bool(one) for one in x], "y": y},
        "masked": lambda: {"x": np.ma.array(x, mask=np.zeros(x.size, dtype=bool)), "y": y},
        "pandas": lambda: pd.DataFrame({"x": pd.array(x, dtype="boolean"), "y": y}),
        "polars": lambda: pl.DataFrame({"x": x, "y": y}),
        "lazy": lambda: pl.LazyFrame({"x": x, "y": y}),
    }[kind]()
    found = fg.audit(table, sensitive="x", outcome="y", max_gap=0.2, checks=False)
    assert [record.label for record in found.records] == ["x False", "x True"]
    assert found.settings.against == "rest"
    assert found.limit == "exceeded"  # 23 points from one another; 16 from everybody


def test_true_and_false_with_holes_are_levels_beside_others_too():
    table = {"age": list(range(18, 68)) * 20, "b": [None] * 30 + [True, False] * 485, "y": [0, 1] * 500}
    options = {"outcome": "y", "missing": "drop", "checks": False}
    labels = [one.label for one in fg.audit(table, sensitive=["age", "b"], n_groups=2, **options).records]
    assert labels == ["b False", "b True"]


def test_dates_beside_others_are_refused():
    import datetime as dt

    days = [dt.date(2000, 1, 1 + i % 28) for i in range(100)]
    with pytest.raises(fg.InputError, match="date"):
        fg.audit({"day": days, "age": range(100), "y": [0, 1] * 50}, sensitive=["day", "age"], outcome="y")
