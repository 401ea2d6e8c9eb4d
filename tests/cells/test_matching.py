"""Sums by cell and stratum: the identities of Mantel and Haenszel, to the last digits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgroups.cells.matching import matchings
from fairgroups.measures import RATES
from fairgroups.rows.rows import Rows
from fairgroups.rows.strata import at_equal, strata_of

MEASURES = ("statistical_parity", "equal_opportunity", "predictive_equality", "error_rate")


def made(seed, measure="statistical_parity", weighted=False, n=300, cells=6, strata=5):
    rng = np.random.default_rng(seed)
    x, z = rng.integers(0, cells, n), rng.integers(0, strata, n)
    y, t = rng.random(n) < 0.2 + 0.1 * z, rng.random(n) < 0.5
    weight = rng.uniform(0.2, 3, n) if weighted else None
    rows = Rows.from_arrays(x, y, truth=t, weight=weight, factors={"z": z})
    used = RATES[measure]
    equal = at_equal(rows, [used], strata_of(rows.factors, rows.people))
    return rows, equal, used, matchings(equal, [used], x, cells)[measure]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(MEASURES), st.booleans(), st.integers(1, 62))
def test_identities(seed, measure, weighted, members):
    rows, equal, used, matching = made(seed, measure, weighted)
    inside = (members >> rows.sensitive.astype(int)) & 1 == 1
    if not inside.any() or inside.all():
        return
    w = np.ones(rows.size) if weighted is False else rows.weight
    a, b = rows.sums(used)
    a, b = a * w, b * w
    if not b[inside].sum() > 0 or not b[~inside].sum() > 0:
        return
    strata = equal.strata
    rate = np.array([a[strata == s].sum() / max(b[strata == s].sum(), 1e-300) for s in range(strata.max() + 1)])
    overall = a.sum() / b.sum()
    phi = a[inside].sum() / b[inside].sum() - overall
    explained = (rate[strata] * b)[inside].sum() / b[inside].sum() - overall
    own = matching.joined(((members >> np.arange(6)) & 1).astype(float)[None, :])
    residual, weight, _, _ = own.compared()
    unexplained = residual[0] / own.sums.b.sum()
    assert phi == pytest.approx(explained + unexplained, abs=1e-12)
    total = by_hand = 0.0
    for s in range(strata.max() + 1):
        mine, others = inside & (strata == s), ~inside & (strata == s)
        n, m = b[mine].sum(), b[others].sum()
        if n > 0 and m > 0:
            by_hand += n * m / (n + m) * (a[mine].sum() / n - a[others].sum() / m)
            total += n * m / (n + m)
    assert residual[0] == pytest.approx(by_hand, abs=1e-11)
    assert weight[0] == pytest.approx(total, abs=1e-11)


@pytest.mark.parametrize("weighted", [False, True])
def test_matrices_hold_every_region(weighted):
    _, _, _, matching = made(3, weighted=weighted)
    for members in range(1, 63):
        held = ((members >> np.arange(6)) & 1).astype(float)
        _, weight, null, _ = matching.joined(held[None, :]).compared()
        assert held @ matching.weight @ held == pytest.approx(weight[0], abs=1e-10)
        assert held @ matching.variance @ held == pytest.approx(null[0], abs=1e-10)


def test_within_some_cells_people_are_compared_among_themselves():
    rows, _, used, matching = made(5)
    some = np.flatnonzero(rows.sensitive < 3)
    part = rows.take(some)
    alone = at_equal(part, [used], strata_of(part.factors, part.people))
    expected = matchings(alone, [used], part.sensitive.astype(int), 3)["statistical_parity"]
    found = matching.within(np.arange(3))
    assert np.allclose(found.residual, expected.residual, atol=1e-11)
    assert np.allclose(found.variance, expected.variance, atol=1e-11)
    assert np.allclose(found.weight, expected.weight, atol=1e-11)


def test_one_stratum_is_no_stratum():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 4, 500), rng.random(500) < 0.4
    rows = Rows.from_arrays(x, y, factors={"z": np.zeros(500)})
    used = RATES["statistical_parity"]
    matching = matchings(at_equal(rows, [used], strata_of(rows.factors, rows.people)), [used], x, 4)[used.name]
    residual, weight, _, _ = matching.compared()
    for k in range(4):
        assert residual[k] / weight[k] == pytest.approx(y[x == k].mean() - y[x != k].mean(), abs=1e-12)


def test_people_alone_in_their_stratum():
    rows = Rows.from_arrays([0, 0, 1, 1], [0, 1, 0, 1], factors={"z": [0, 1, 1, 2]})
    used = RATES["statistical_parity"]
    matching = matchings(
        at_equal(rows, [used], strata_of(rows.factors, np.full(4, 100.0))), [used], rows.sensitive.astype(int), 2
    )[used.name]
    assert matching.alone.tolist() == [1.0, 1.0]
