"""Sums that no order of adding changes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgroups import Cells
from fairgroups.cells.exact_sums import add_pairs, exact_sums

finite = st.floats(-1e6, 1e6, allow_nan=False, width=64)


def total(values):
    return exact_sums(np.array(values, dtype=float), lambda x: x.sum(keepdims=True))


@settings(max_examples=200, deadline=None)
@given(st.lists(finite, min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_sums_are_those_of_fsum_in_any_order_and_any_parts(values, random):
    size = max(map(abs, values))
    known = math.fsum(values)
    assert total(values)[0][0] == pytest.approx(known, rel=1e-15, abs=size * 2.0**-70 * len(values))
    shuffled = random.sample(values, len(values))
    at = random.randrange(len(values) + 1)
    assert total(shuffled)[0][0] == pytest.approx(total(values)[0][0], rel=1e-15, abs=size * 2.0**-70 * len(values))
    parts = [total(part) for part in (shuffled[:at], shuffled[at:]) if part]
    both = parts[0] if len(parts) == 1 else add_pairs(*parts)
    assert both[0][0] == pytest.approx(known, rel=1e-15, abs=size * 2.0**-70 * len(values))


def test_what_plain_sums_lose_is_kept():
    assert total([1e16, 1.0, -1e16])[0][0] == 1.0
    assert total([0.1] * 10)[0][0] == 1.0
    assert total([5e-324, 5e-324])[0][0] == 1e-323  # the smallest of all numbers
    assert total([1e308, -1e308, 1e308])[0][0] == 1e308


def test_cells_of_numbers_do_not_depend_on_order_or_shards(tmp_path):
    rng = np.random.default_rng(0)
    n = 20_000
    x, y, w = rng.integers(0, 50, n), rng.lognormal(0, 3, n), rng.uniform(0.1, 7, n)
    whole = Cells.from_arrays(x, y)
    order = rng.permutation(n)
    assert Cells.from_arrays(x[order], y[order]) == whole
    for shards in (2, 7, 40):
        parts = [Cells.from_arrays(x[i], y[i]) for i in np.array_split(rng.permutation(n), shards)]
        for i, part in enumerate(parts):
            part.to_parquet(tmp_path / f"{i}.parquet")
        parts = [Cells.from_parquet(tmp_path / f"{i}.parquet") for i in rng.permutation(shards)]
        added = parts[0]
        for part in parts[1:]:
            added = added + part
        assert added == whole
    weighted = Cells.from_arrays(x, y > 1, weight=w)
    parts = [Cells.from_arrays(x[i], y[i] > 1, weight=w[i]) for i in np.array_split(order, 3)]
    added = (parts[2] + parts[0] + parts[1])["statistical_parity"]
    for name in ("b", "a", "bb", "ab", "aa"):
        assert np.array_equal(getattr(added, name), getattr(weighted["statistical_parity"], name))
