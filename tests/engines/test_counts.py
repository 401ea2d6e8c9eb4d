"""Rows that stand for several people give what as many rows would give."""

from dataclasses import replace

import numpy as np
import pytest

from fairgroups import Cells
from fairgroups.cells.moments import moments_by
from fairgroups.cells.sample import Sample
from fairgroups.checks.permutation import permutation_test
from fairgroups.checks.stability import border_stability
from fairgroups.grouping.find import find
from fairgroups.grouping.search_options import SearchOptions
from fairgroups.measures import RATES
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows, quantiles
from fairgroups.rows.split import split_rows
from fairgroups.search.path import Limits

PARITY = RATES["statistical_parity"]


def people(n=4000, *, attributes=1, weighted=False, seed=0):
    """The same people twice: one row each, and counted."""
    rng = np.random.default_rng(seed)
    ages = [rng.integers(20, 60, n).astype(float) for _ in range(attributes)]
    truth = (rng.random(n) < 0.5).astype(float)
    outcome = (rng.random(n) < 0.2 + 0.3 * (ages[0] > 40) + 0.2 * truth).astype(float)
    weight = rng.choice([1.0, 2.0, 5.0], n) if weighted else np.ones(n)
    kinds, count = np.unique(np.column_stack([*ages, truth, outcome, weight]), axis=0, return_counts=True)
    rows = Rows(
        tuple(Column(f"age{d}", kinds[:, d]) for d in range(attributes)),
        kinds[:, -2],
        truth=kinds[:, -3],
        weight=kinds[:, -1] if weighted else None,
    )
    return rows.take(np.repeat(np.arange(count.size), count)), replace(rows, count=count.astype(float))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("measure", ["statistical_parity", "equal_opportunity", "precision", "calibration"])
def test_cells_and_sums_are_the_same(weighted, measure):
    one, counted = people(weighted=weighted)
    assert (one.n, counted.n) == (4000, 4000)
    a, b = (Cells.from_rows(rows, measure=measure) for rows in (one, counted))
    assert np.array_equal(a.edges, b.edges)
    assert np.array_equal(a.rows, b.rows)
    assert a.distinct
    assert b.distinct
    for name in ("a", "b", "aa", "ab", "bb", "noise"):
        assert getattr(b[measure], name) == pytest.approx(getattr(a[measure], name), rel=1e-9)
    codes = [(rows.sensitive > 40).astype(int) for rows in (one, counted)]
    sums = [moments_by(rows, RATES[measure], c, 2) for rows, c in zip((one, counted), codes, strict=True)]
    assert sums[1].aa == pytest.approx(sums[0].aa)


def test_the_search_finds_the_same_groups():
    for attributes, limit in ((1, 1), (2, 300)):
        one, counted = people(attributes=attributes)
        wish = SearchOptions(n_groups=3, min_group_size=limit, n_cells=None if attributes == 1 else 8)
        found = [find(Sample(rows, (PARITY,), wish.n_cells), PARITY, wish) for rows in (one, counted)]
        assert found[0].partition == found[1].partition
        assert found[0].variance == pytest.approx(found[1].variance)


def test_second_opinions_are_alike():
    one, counted = people()
    tests = [permutation_test(Sample(rows, (PARITY,)), PARITY, n_draws=99) for rows in (one, counted)]
    assert tests[0] == tests[1]
    borders = [
        border_stability(
            Sample(rows, (PARITY,)),
            PARITY,
            np.array([41.0]),
            Limits(),
            n_draws=50,
        )
        for rows in (one, counted)
    ]
    assert borders[0] == borders[1]


def test_quantiles_count_people():
    rng = np.random.default_rng(0)
    values, count = rng.normal(size=50), rng.integers(1, 9, 50).astype(float)
    shares = np.linspace(0, 1, 41)
    assert np.array_equal(quantiles(values, shares, count), quantiles(np.repeat(values, count.astype(int)), shares))


def test_counted_people_are_dealt_evenly_and_blind_to_the_outcome():
    _, counted = people(40_000)
    parts = split_rows(counted, 4, 3)
    assert [part.n for part, _ in parts] == [10_000] * 4
    assert all(part.n + others.n == 40_000 for part, others in parts)
    assert [part.n for part, _ in split_rows(counted, 4, 3)] == [part.n for part, _ in parts]
    yes = []
    for seed in range(200):
        part, _ = split_rows(counted, 2, seed)[0]
        yes.append(float(np.sum(part.count * part.outcome)))
    total, n = float(np.sum(counted.count * counted.outcome)), 40_000
    by_cell = 0.0
    for age in np.unique(counted.sensitive):
        here = counted.sensitive == age
        size, ones = counted.count[here].sum(), (counted.count * counted.outcome)[here].sum()
        by_cell += size / 4 * (ones / size) * (1 - ones / size) * size / (size - 1)
    assert np.mean(yes) == pytest.approx(total / 2, abs=4 * np.sqrt(by_cell / 200))
    assert np.std(yes) == pytest.approx(np.sqrt(by_cell), rel=0.2)  # as free as chance: not dealt evenly by outcome
    assert n == counted.n
