"""Cells of a number: of equally many people, and values that many share alone."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairgroups.cells.grid import axis_edges
from fairgroups.rows.rows import quantiles


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=120),
    st.integers(1, 12),
    st.lists(st.integers(1, 40), min_size=121, max_size=121),
)
def test_cells_are_few_and_hold_everybody(values, n_cells, people):
    x, held = np.array(values, dtype=float), np.array(people[: len(values)], dtype=float)
    first = axis_edges(x, n_cells, held)
    assert first[0] == x.min()
    assert np.all(np.diff(first) > 0)
    assert first.size <= max(n_cells, 1)
    assert np.isin(first, x).all()
    repeated = axis_edges(np.repeat(x, held.astype(int)), n_cells, np.ones(int(held.sum())))
    assert first.tolist() == repeated.tolist()


def test_without_ties_cells_hold_equally_many():
    x = np.random.default_rng(0).normal(size=5000)
    assert axis_edges(x, 25, np.ones(5000)).tolist() == np.unique(quantiles(x, np.arange(25) / 25)).tolist()


def test_a_value_that_most_share_leaves_the_cells_to_the_others():
    rng = np.random.default_rng(0)
    amount = np.where(rng.random(20_000) < 0.92, 0, np.round(rng.lognormal(8, 1, 20_000), 2))
    first = axis_edges(amount, 64, np.ones(amount.size))
    held = np.bincount(np.searchsorted(first, amount, side="right") - 1)
    assert first.size >= 62
    assert held[0] == np.count_nonzero(amount == 0)
    assert held[1:].max() <= 1.5 * held[1:].mean()
