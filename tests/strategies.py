"""Small random instances for hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


@st.composite
def cell_sums(draw, max_cells=9, weights=None):
    """Cells as (a, b, rows): counts of yes among rows, or weighted sums."""
    n = draw(st.integers(1, max_cells))
    rows = np.array(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)), dtype=float)
    yes = np.array([draw(st.integers(0, int(r))) for r in rows], dtype=float)
    if weights is None:
        weights = draw(st.booleans())
    if not weights:
        return yes, rows.copy(), rows
    w = np.array(draw(st.lists(st.sampled_from([0.1, 0.5, 1.0, 1.7, 3.0]), min_size=n, max_size=n)))
    return yes * w, rows * w, rows


@st.composite
def people(draw, max_people=9):
    """Rows as (sensitive, outcome, truth, weight) with ties."""
    n = draw(st.integers(2, max_people))
    lists = lambda values: np.array(draw(st.lists(values, min_size=n, max_size=n)))
    return (
        lists(st.integers(0, 6)).astype(float),
        lists(st.integers(0, 1)).astype(float),
        lists(st.integers(0, 1)).astype(float),
        lists(st.sampled_from([0.5, 1.0, 2.0])),
    )
