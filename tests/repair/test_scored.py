import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairgroups.repair.scored import Scored


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_some_of_the_people(library):
    frame = library({"age": [30, 40, 50, 60], "sex": ["f", "m", "f", "m"]})
    people = Scored.read([0.1, 0.2, 0.3, 0.4], [0, 1, 1, 0], frame, [1, 2, 1, 1], ["a", "b", "c", "d"])
    some = people.take(np.array([3, 1]))
    assert some.score.tolist() == [0.4, 0.2]
    assert some.columns[0].values.tolist() == [60, 40]
    assert some.key.tolist() == ["d", "b"]
    assert isinstance(some.sensitive, library)
    assert [mass.tolist() for mass in people.masses("both")] == [[0, 1, 0.5, 0], [0.5, 0, 0, 0.5]]
    assert people.masses("positives")[0].tolist() == [0, 1, 0.5, 0]


@pytest.mark.parametrize("keys", [False, True])
def test_the_order_of_the_rows_does_not_decide_who_is_left_out(keys):
    rng = np.random.default_rng(0)
    age, score = rng.integers(20, 30, 500).astype(float), np.round(rng.random(500), 1)
    key = np.arange(500) if keys else None
    order = rng.permutation(500)
    here = Scored.read(score, None, age, None, key).deal(5, 0)
    there = Scored.read(score[order], None, age[order], None, None if key is None else key[order]).deal(5, 0)
    for one, other in zip(here, there, strict=True):
        assert sorted(zip(age[one], score[one], strict=True)) == sorted(
            zip(age[order][other], score[order][other], strict=True)
        )
        if keys:
            assert sorted(one) == sorted(order[other])
