import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairgroups import InputError
from fairgroups.repair.attributes import read_attributes

FRAME = pd.DataFrame({"age": [30.0, np.nan, 50.0], "sex": ["f", "m", None]})


@pytest.mark.parametrize(
    "given", [FRAME, pl.from_pandas(FRAME), {"age": FRAME.age, "sex": FRAME.sex}, FRAME.to_numpy(dtype=object)]
)
def test_several_attributes_of_any_library(given):
    age, sex = read_attributes(given, 3)
    assert age.levels is None
    assert age.values.tolist()[::2] == [30.0, 50.0]
    assert sex.levels == ("f", "m")
    assert np.isnan(sex.values[2])
    assert np.isnan(age.values[1])


@pytest.mark.parametrize("given", [[1, 2, 3], np.array([[1], [2], [3]]), pd.Series([1, 2, 3], name="age"), range(1, 4)])
def test_one_attribute(given):
    (one,) = read_attributes(given, 3)
    assert one.values.tolist() == [1, 2, 3]
    assert one.name == ("age" if hasattr(given, "name") else "")


def test_lengths_and_numbers_without_end():
    with pytest.raises(InputError, match="4 scores and 3 sensitive"):
        read_attributes([1, 2, 3], 4)
    with pytest.raises(InputError, match="infinite"):
        read_attributes([1, np.inf, 3], 3)
    assert read_attributes(["a", "b", "a"], 3)[0].levels == ("a", "b")
