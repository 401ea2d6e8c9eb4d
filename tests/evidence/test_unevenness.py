"""The test of several attributes together: exact where it can be, at its level, and blind to the order of rows."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.evidence.unevenness import unevenness_test

PARITY = "statistical_parity"


def people(rng, n=800):
    x, y = rng.random((2, n))
    return x, y


def p_value(columns, outcome, **options):
    measure = options.pop("measure", PARITY)
    found = unevenness_test(fg.SpaceCells.from_arrays(columns, outcome, measure=measure, **options), measure)
    return 1.0 if found is None else found.p_value


def test_opposite_corners_are_seen():
    rng = np.random.default_rng(0)
    x, y = people(rng, 2000)
    outcome = (rng.random(2000) < 0.35 + 0.08 * np.where((x < 0.5) == (y < 0.5), 1, -1)).astype(int)
    assert p_value({"x": x, "y": y}, outcome) < 0.001
    found = fg.audit({"x": x, "y": y, "ok": outcome}, sensitive=["x", "y"], outcome="ok")
    assert found.verdict in ("different", "depends")
    assert found.finding.p_value < 0.004
    assert found.checks.permutation is None


def test_deals_of_few_people_are_those_of_every_deal():
    """Two cells: the test is Fisher's, two-sided by the square."""
    x = np.repeat([0, 1], [8, 12])
    outcome = np.r_[np.repeat([0, 1], [7, 1]), np.repeat([0, 1], [4, 8])]
    got = p_value({"x": x, "y": np.zeros(20)}, outcome)
    from scipy.stats import hypergeom

    counts = np.arange(9)
    chance = hypergeom(20, 9, 8).pmf(counts)
    departure = np.abs(counts - 9 * 8 / 20)
    assert got == pytest.approx(chance[departure >= abs(1 - 3.6) - 1e-9].sum(), abs=0.01)


@pytest.mark.parametrize(
    "kind", ["rate", "rare", "category", "weights", "clusters", "amounts", "skewed", "uneven scatter"]
)
def test_it_errs_as_often_as_it_may(kind):
    found = []
    for seed in range(60):
        rng = np.random.default_rng([5, seed])
        x, y = people(rng)
        columns, options = {"x": x, "y": y}, {}
        outcome = (rng.random(x.size) < (0.02 if kind == "rare" else 0.3)).astype(float)
        if kind == "category":
            columns["c"] = rng.choice(list("abcde"), x.size, p=[0.4, 0.3, 0.2, 0.08, 0.02])
        if kind == "weights":
            options["weight"] = rng.lognormal(size=x.size)
        if kind == "clusters":
            person = rng.integers(0, 250, x.size)
            columns = {"x": rng.random(250)[person], "y": rng.random(250)[person]}
            outcome = (rng.random(x.size) < rng.beta(0.6, 1.4, 250)[person]).astype(float)
            options["cluster"] = person
        if kind in ("amounts", "skewed", "uneven scatter"):
            outcome = rng.normal(size=x.size) if kind != "skewed" else rng.lognormal(0, 1.2, x.size)
            outcome = outcome * (1 + 4 * (x > 0.7)) if kind == "uneven scatter" else outcome
            options["measure"] = "mean"
        found.append(p_value(columns, outcome, **options))
    assert np.mean(np.array(found) <= 0.05) <= 0.12
    if kind in ("rate", "category"):
        assert np.mean(np.array(found) <= 0.5) >= 0.35


def test_neither_the_order_of_rows_nor_the_unit_matters():
    rng = np.random.default_rng(1)
    x, y = people(rng)
    outcome, order = (rng.random(800) < 0.3).astype(int), rng.permutation(800)
    one = p_value({"x": x, "y": y}, outcome)
    assert one == p_value({"x": x[order], "y": y[order]}, outcome[order])
    assert one == p_value({"x": 1000 * x + 5, "y": y**3}, outcome)


def test_where_nothing_can_be_compared():
    cells = fg.SpaceCells.from_arrays({"x": [1] * 30, "y": [2] * 30}, [0, 1] * 15)
    assert unevenness_test(cells, PARITY) is None
    cells = fg.SpaceCells.from_arrays({"x": [1, 2] * 15, "y": [2] * 30}, [1] * 30)
    assert unevenness_test(cells, PARITY) is None
