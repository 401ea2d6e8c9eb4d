"""Outcomes dealt out again among people who are alike."""

from itertools import combinations

import numpy as np
import pytest

from fairgroups._kernels import deal_pairs, deal_sums
from fairgroups.cells.matching import matchings
from fairgroups.evidence.every_region import EveryRegion
from fairgroups.evidence.matched_width import _Deals, _Normals, largest_by_chance
from fairgroups.measures import RATES
from fairgroups.rows.rows import Rows
from fairgroups.rows.strata import at_equal, strata_of

PARITY = RATES["statistical_parity"]


def test_every_deal_is_as_likely():
    starts, yes = np.array([0, 4, 7]), np.array([2, 2])
    cells = np.array([0, 0, 1, 2, 0, 1, 2], dtype=np.uint16)
    out = np.empty((120_000, 3), dtype=np.float32)
    deal_sums(starts, yes, None, None, None, cells[None], [3], out, 1)
    out += np.array([2 * 2 / 4 + 2 / 3, 2 / 4 + 2 / 3, 2 / 4 + 2 / 3])  # what is expected
    chances = {}
    for first in combinations(range(4), 2):
        for second in combinations(range(4, 7), 2):
            key = tuple(np.bincount(cells[[*first, *second]], minlength=3).tolist())
            chances[key] = chances.get(key, 0) + 1 / 18
    seen, counts = np.unique(np.rint(out).astype(int), axis=0, return_counts=True)
    assert {tuple(row) for row in seen.tolist()} == set(chances)
    for row, count in zip(seen.tolist(), counts, strict=True):
        p = chances[tuple(row)]
        assert count / 120_000 == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / 120_000))


def test_the_same_seed_deals_the_same():
    starts, yes, cells = np.array([0, 50]), np.array([20]), (np.arange(50) % 7).astype(np.uint16)[None]
    one, two, other = (np.empty((4, 7), dtype=np.float32) for _ in range(3))
    deal_sums(starts, yes, None, None, None, cells, [7], one, 3)
    deal_sums(starts, yes, None, None, None, cells, [7], two, 3)
    deal_sums(starts, yes, None, None, None, cells, [7], other, 4)
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)
    assert np.allclose(one.sum(axis=1), 0, atol=1e-5)


def test_the_kernel_refuses_what_does_not_fit():
    out = np.empty((2, 3), dtype=np.float32)
    cells = np.array([[0, 1, 2, 0]], dtype=np.uint16)
    good = (np.array([0, 2, 4]), np.array([1, 1]), None, None, None, cells, [3], out, 0)
    deal_sums(*good)
    bad = (
        (0, np.array([0, 4, 2])),
        (0, np.array([1, 2, 4])),
        (1, np.array([3, 1])),
        (5, cells + 5),
        (6, [2]),
        (1, None),
    )
    for at, value in bad:
        wrong = list(good)
        wrong[at] = value
        with pytest.raises(ValueError, match="strat|cell|yes"):
            deal_sums(*wrong)


@pytest.mark.parametrize("kind", ["dealt", "multiplied"])
def test_a_deal_is_the_same_for_columns_and_pairs(kind):
    rng = np.random.default_rng(2)
    starts, n = np.array([0, 120, 200]), 200
    axes = [(5, False), (3, True), (9, True), (4, False)]  # nine levels: each alone, and all of them
    codes = np.stack([rng.integers(0, size + 1, n) for size, _ in axes]).astype(np.uint16)
    people = (starts, np.array([30, 70]), None, None, None)
    if kind == "multiplied":
        people = (starts, None, rng.normal(size=n), np.ones(n), (np.arange(n) // 2).astype(np.int32))
    pairs = list(combinations(range(4), 2))
    every = [EveryRegion((axes[i], axes[j])) for i, j in pairs]
    scales = [rng.uniform(0.1, 1, (3, one.n)).astype(np.float32) for one in every]
    first = np.concatenate([[0], np.cumsum([one.n for one in every])[:-1]])
    chosen = np.ascontiguousarray(rng.integers(0, 6, (32, 4)).astype(np.int32))
    out = np.empty((32, 4), dtype=np.float32)
    above, below, charge = (np.concatenate([one[k] for one in scales]) for k in range(3))
    deal_pairs(*people, codes, axes, np.array(pairs, dtype=np.int32), first, above, below, charge, chosen, out, 5)
    for draw in range(32):
        for k, pair in enumerate(chosen[draw]):
            (i, j), (wide, _) = pairs[pair], axes[pairs[pair][1]]
            inside = (codes[i] < axes[i][0]) & (codes[j] < wide)
            place = np.where(inside, codes[i].astype(int) * wide + codes[j], every[pair].n_cells).astype(np.uint16)
            sums = np.empty((32, every[pair].n_cells + 1), dtype=np.float32)
            deal_sums(*people, place[None], [every[pair].n_cells + 1], sums, 5)
            u = every[pair].sums(sums[draw, :-1].astype(float))
            up, down, less = scales[pair]
            assert out[draw, k] == pytest.approx(np.max(np.maximum(u * up, -u * down) - less), abs=1e-4)


def test_deals_and_normal_draws_have_the_covariance():
    rng = np.random.default_rng(0)
    n = 3_000
    z, x = rng.integers(0, 6, n), rng.integers(0, 5, n)
    y = rng.random(n) < 0.1 + 0.1 * z
    rows = Rows.from_arrays(x, y, factors={"z": z})
    matching = matchings(at_equal(rows, [PARITY], strata_of(rows.factors, rows.people)), [PARITY], x, 5)[PARITY.name]
    for kind in (_Deals, _Normals):
        draws = kind(matching)
        found = np.concatenate([draws(seed) for seed in range(40)])
        assert np.abs(found.sum(axis=1)).max() < 1e-3
        assert np.abs(found.mean(axis=0)).max() < 0.6
        scale = np.sqrt(np.outer(np.diag(matching.variance), np.diag(matching.variance)))
        assert np.abs((np.cov(found.T) - matching.variance) / scale).max() < 0.06


def test_largest_statistics_do_not_depend_on_threads():
    rng = np.random.default_rng(0)
    x, z = rng.integers(0, 8, 2_000), rng.integers(0, 4, 2_000)
    rows = Rows.from_arrays(x, rng.random(2_000) < 0.3, factors={"z": z})
    matching = matchings(at_equal(rows, [PARITY], strata_of(rows.factors, rows.people)), [PARITY], x, 8)[PARITY.name]
    every = EveryRegion(((8, False),))
    times = 1 / np.sqrt(np.maximum(every.forms(matching.variance), 1e-9))
    one, two = (largest_by_chance(matching, every, times, np.zeros(every.n), 512) for _ in range(2))
    assert np.array_equal(one, two)
