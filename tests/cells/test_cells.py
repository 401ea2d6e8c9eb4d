import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from fairgroups import Cells, InputError, Measure
from strategies import people


@settings(max_examples=100, deadline=None)
@given(people(max_people=20))
def test_all_moments_are_the_sums_over_rows(rows):
    x, y, t, w = rows
    cells = Cells.from_arrays(x, y, truth=t, weight=w, measure=["statistical_parity", "error_rate"])
    assert cells.edges.tolist() == sorted(set(x))
    for name, a in (("statistical_parity", y), ("error_rate", (y != t) * 1.0)):
        m = cells[name]
        for j, value in enumerate(cells.edges):
            at = x == value
            expected = [w[at], (w * a)[at], (w * w)[at], (w * w * a)[at], (w * a)[at] ** 2]
            for found, sums in zip((m.b, m.a, m.bb, m.ab, m.aa), expected, strict=True):
                assert found[j] == pytest.approx(sums.sum())
    for i in (0, 1):
        for k in (0, 1):
            assert cells.counts[:, i, k].sum() == np.sum((t == i) & (y == k))


def test_unweighted_moments():
    cells = Cells.from_arrays([1, 1, 2], [2.0, 3.0, 5.0])
    m = cells["mean"]
    assert (m.b.tolist(), m.a.tolist(), m.aa.tolist()) == ([2, 1], [5, 5], [13, 25])
    assert (m.low, m.high, m.bounded) == (2, 5, False)


def test_merging_equals_the_cells_of_both():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 10, 400), rng.integers(0, 2, 400)
    first, second = (Cells.from_arrays(x[part], y[part]) for part in (slice(200), slice(200, None)))
    assert first + second == Cells.from_arrays(x, y)
    assert first + second != first
    with_missing = Cells.from_arrays([*x[:200], np.nan], [*y[:200], 1], missing="group")
    both = with_missing + second
    assert both == Cells.from_arrays([*x, np.nan], [*y, 1], missing="group")


def test_unequal_edges_or_measures_raise():
    one = Cells.from_arrays([1, 2], [0, 1])
    with pytest.raises(InputError, match="edges are equal"):
        one + Cells.from_arrays([1, 3, 4], [0, 1, 1], n_cells=2)
    with pytest.raises(InputError, match="same measures"):
        one + Cells.from_arrays([1, 2], [0, 1], measure="mean")
    again = one + Cells.from_arrays([1.5, 7], [0, 1], edges=one.edges)
    assert again.rows.tolist() == [2, 2]
    assert not again.distinct


@pytest.mark.parametrize("spacing", ["quantile", "width"])
def test_a_grid_holds_every_row(spacing):
    x = np.random.default_rng(1).lognormal(size=1000)
    cells = Cells.from_arrays(x, np.ones(1000), n_cells=20, spacing=spacing)
    assert cells.rows.sum() == 1000
    assert len(cells) == 20
    if spacing == "quantile":
        assert cells.rows.tolist() == [50] * 20
    else:
        assert np.allclose(np.diff(cells.edges), np.diff(cells.edges)[0])
    assert cells.edges[0] == cells.first[0] == x.min()
    assert (cells.first >= cells.edges).all()
    assert set(cells.first) <= set(x) | set(cells.edges)


def test_a_grid_with_ties_and_one_outlier():
    x = [*([1.0] * 50), *([2.0] * 50), 1e6]
    assert Cells.from_arrays(x, np.ones(101), n_cells=10).rows.sum() == 101
    wide = Cells.from_arrays(x, np.ones(101), n_cells=10, spacing="width")
    assert wide.rows.tolist() == [100, 0, 0, 0, 0, 0, 0, 0, 0, 1]


def test_missing_values_have_a_cell_of_their_own():
    cells = Cells.from_arrays([1, np.nan, 2], [1, 1, 0], missing="group")
    assert cells.missing
    assert cells.rows.tolist() == [1, 1, 1]
    with pytest.raises(InputError, match="every value"):
        Cells.from_arrays([np.nan], [1], missing="group")


@pytest.mark.parametrize(
    "options", [{"n_cells": 0}, {"n_cells": 2.5}, {"n_cells": 3, "spacing": "log"}, {"edges": [2, 1]}]
)
def test_bad_options(options):
    with pytest.raises(InputError):
        Cells.from_arrays([1, 2], [0, 1], **options)


def test_nobody_counts():
    with pytest.raises(InputError, match="no row counts"):
        Cells.from_arrays([1, 2], [0, 1], truth=[0, 0], measure="equal_opportunity")
    with pytest.raises(InputError, match="these cells hold"):
        Cells.from_arrays([1, 2], [0, 1])["mean"]


def test_from_frame_uses_the_column_name():
    cells = Cells.from_frame({"age": [1, 2], "y": [0, 1], "w": [1, 2]}, sensitive="age", outcome="y", weight="w")
    assert cells.name == "age"
    assert cells["statistical_parity"].b.tolist() == [1, 2]


def shards(seed=0, n=3000):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n).astype(float)
    return age, (rng.random(n) < 0.4).astype(int), (rng.random(n) < 0.5).astype(int)


def test_shards_and_batches_add_up_in_any_order(tmp_path):
    age, outcome, truth = shards()
    measures = ["statistical_parity", "equal_opportunity"]
    whole = Cells.from_arrays(age, outcome, truth=truth, measure=measures)
    order = np.argsort(age)  # the shards have different values
    parts = [
        Cells.from_arrays(age[index], outcome[index], truth=truth[index], measure=measures)
        for index in np.array_split(order, 4)
    ]
    for i, part in enumerate(parts):
        part.to_parquet(tmp_path / f"{i}.parquet")
    read = [Cells.from_parquet(tmp_path / f"{i}.parquet") for i in range(4)]
    assert read == parts
    assert read[0] + read[1] + read[2] + read[3] == whole
    assert read[3] + (read[1] + (read[0] + read[2])) == whole
    grown = parts[2]
    for i in (0, 3, 1):
        index = np.array_split(order, 4)[i]
        grown = grown.update(age[index], outcome[index], truth=truth[index])
    assert grown == whole
    binned = Cells.from_arrays(age[:1000], outcome[:1000], n_cells=5)
    more = binned.update(age[1000:], outcome[1000:])
    assert more.rows.sum() == 3000
    assert len(more) == len(binned)
    assert sum((tmp_path / f"{i}.parquet").stat().st_size for i in range(4)) < 40_000


def test_cells_with_missing_values_travel_too(tmp_path):
    one = Cells.from_arrays([1.0, np.nan, 2.0], [0, 1, 1], missing="group")
    one.to_parquet(tmp_path / "cells.parquet")
    assert Cells.from_parquet(tmp_path / "cells.parquet") == one
    other = Cells.from_arrays([3.0], [1])
    assert (one + other).rows.tolist() == [1, 1, 1, 1]


def test_files_that_hold_no_cells(tmp_path):
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "other.parquet")
    (tmp_path / "text.parquet").write_text("no")
    for name in ("other.parquet", "text.parquet", "none.parquet"):
        with pytest.raises(InputError):
            Cells.from_parquet(tmp_path / name)
    own = Measure("mine", rate="mine", columns=lambda y, _: (y, np.ones_like(y)), higher="neutral")
    with pytest.raises(InputError, match="of your own"):
        Cells.from_arrays([1, 2], [0, 1], measure=own).to_parquet(tmp_path / "x.parquet")
