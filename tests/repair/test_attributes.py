import numpy as np
import pandas as pd
import polars as pl
import pytest

import fairgroups as fg
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


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame])
def test_columns_are_known_by_their_names_not_by_their_places(kind):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=800), rng.integers(0, 5, 800)
    score = rng.random(800) * 0.5 + 0.2 * (a > 0) + 0.05 * b
    repair = fg.ScoreRepair(judge=False).fit(score, sensitive=kind({"a": a, "b": b}))
    fair = repair.transform(score, sensitive=kind({"a": a, "b": b}))
    assert np.array_equal(fair, repair.transform(score, sensitive=kind({"b": b, "a": a})))
    assert np.array_equal(repair.assign(kind({"b": b, "a": a})), repair.assign(kind({"a": a, "b": b})))
    with pytest.raises(fg.InputError, match=r"fitted with sensitive columns 'a', 'b'; got 'b', 'c'"):
        repair.transform(score, sensitive=kind({"b": b, "c": a}))


def test_factors_are_known_by_their_names():
    rng = np.random.default_rng(1)
    age, q, r = rng.normal(size=900), rng.choice(["u", "v"], 900), rng.choice(["x", "y"], 900)
    score = rng.random(900) + age * (q == "u")
    plain = fg.ScoreRepair(judge=False)
    repair = fg.StratifiedRepair(plain).fit(score, sensitive=age, given={"q": q, "r": r})
    fair = repair.transform(score, sensitive=age, given={"q": q, "r": r})
    assert np.array_equal(fair, repair.transform(score, sensitive=age, given={"r": r, "q": q}))
    with pytest.raises(fg.InputError, match="fitted with given columns"):
        repair.transform(score, sensitive=age, given={"q": q, "s": r})
