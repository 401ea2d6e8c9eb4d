import narwhals as nw
import numpy as np
import polars as pl
import pytest

from fairgroups.engines.cell_keys import HEAVY, CellKeys

RNG = np.random.default_rng(0)
N = 200_000
COLUMNS = {
    "uniform": RNG.random(N),
    "pareto": RNG.pareto(1.1, N) + 1,
    "zeros": np.where(RNG.random(N) < 0.6, 0, RNG.lognormal(8, 2, N)),
    "cauchy": RNG.standard_cauchy(N),
    "far": 1e6 + RNG.standard_t(1.5, N),
    "two": RNG.choice([3.0, 7.0], N),
    "one": np.full(N, 5.0),
}


def cells(keys, values):
    place = keys(values)
    used, inverse, people = np.unique(place, return_inverse=True, return_counts=True)
    first, last = np.full(used.size, np.inf), np.full(used.size, -np.inf)
    np.minimum.at(first, inverse, values)
    np.maximum.at(last, inverse, values)
    return place, first, last, people


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("unit", [None, 2.0])
def test_keys_rise_and_are_the_same_in_an_engine(name, unit):
    values = COLUMNS[name]
    keys = CellKeys(float(values.min()), float(values.max()), unit=unit)
    for _ in range(2):
        place, first, last, people = cells(keys, values)
        assert (np.diff(place[np.argsort(values, kind="stable")]) >= 0).all()
        assert 0 <= place.min() <= place.max() < keys.n_keys
        frame = nw.from_native(pl.DataFrame({"x": values}).lazy())
        there = frame.select(keys.expression(nw.col("x")).alias("k")).collect()["k"].to_numpy()
        assert np.array_equal(place, there)
        keys = keys.refined(first, last, people)


@pytest.mark.parametrize("name", ["pareto", "zeros", "cauchy"])
def test_no_cell_of_several_values_is_heavy_after_refining(name):
    values = COLUMNS[name]
    keys = CellKeys(float(values.min()), float(values.max()))
    _, first, last, people = cells(keys, values)
    assert keys.far(first, last, people)
    keys = CellKeys(keys.low, keys.high, unit=2.0 ** np.floor(np.log2(np.abs(values[values != 0])).mean()))
    _, first, last, people = cells(keys, values)
    _, first, last, people = cells(keys.refined(first, last, people), values)
    assert np.max(people * (last > first)) / N < HEAVY
