import datetime as dt

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.rows.periods import read_periods


def test_order_and_names():
    codes, names = read_periods(np.array([2024.0, 2023.0, 2024.0]), "year")
    assert (codes.tolist(), names) == ([1, 0, 1], ("2023", "2024"))
    codes, names = read_periods(np.array(["under 18", "18-25", "26+"], dtype=object), "band")
    assert names == ("under 18", "18-25", "26+")
    days = [dt.date(2020, 1, 1), dt.date(2020, 2, 3), dt.date(2020, 2, 9)]
    assert read_periods(np.array(days, dtype=object), "day")[1] == ("2020-01", "2020-02")
    assert read_periods(np.array(["2010-01-01", "2020-01-01"], dtype="datetime64[D]"), "day")[1] == ("2010", "2020")


def test_missing_and_too_many_are_refused():
    with pytest.raises(fg.MissingValuesError, match="row 1"):
        read_periods(np.array([1.0, np.nan]), "year")
    with pytest.raises(fg.InputError, match="at most 60"):
        read_periods(np.arange(100), "year")
