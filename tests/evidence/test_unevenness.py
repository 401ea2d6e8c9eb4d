"""The test of several attributes together: exact where it can be, at its level, and blind to the order of rows."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.evidence import unevenness
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


def test_an_audit_is_the_same_from_the_other_end_in_another_order_and_with_equal_weights():
    for seed in (0, 6, 8):
        rng = np.random.default_rng([9, seed])
        x, y = people(rng, 1500)
        o = (rng.random(1500) < 0.35 + 0.04 * np.where((x < 0.5) == (y < 0.5), 1, -1)).astype(int)
        table = {"x": x, "y": y, "o": o, "born": 2024 - x, "w": np.full(1500, 1 / 3)}

        def run(*names, table=table, **options):
            found = fg.audit(table, sensitive=list(names), outcome="o", checks=False, **options)
            return found.verdict, found.finding.p_value, found.detectable[-1].difference

        for other in (run("born", "y"), run("y", "x"), run("x", "y", weight="w")):
            same = run("x", "y")
            assert other[0] == same[0]
            assert other[1:] == pytest.approx(same[1:], rel=1e-5)


def test_people_of_one_cluster_repeat_each_other_however_light_they_are():
    rng = np.random.default_rng(4)
    person = np.repeat(np.arange(300), 5)
    x, y, o = rng.random(300)[person], rng.random(300)[person], (rng.random(300) < 0.3).astype(int)[person]
    found = [
        unevenness_test(
            fg.SpaceCells.from_arrays({"x": x, "y": y}, o, cluster=person, weight=np.full(1500, weight)), PARITY
        ).p_value
        for weight in (1.0, 1e-6)
    ]
    assert found[0] == pytest.approx(found[1], abs=0.01)
    assert found[0] > 0.01


def test_where_one_row_outweighs_all_others_nothing_is_said():
    rng = np.random.default_rng(5)
    x, y = people(rng, 1500)
    table = {"x": x, "y": y, "o": (rng.random(1500) < 0.3).astype(int), "w": np.r_[1e5, np.ones(1499)]}
    for names in (["x", "y"], ["x"]):
        assert fg.audit(table, sensitive=names, outcome="o", weight="w", checks=False).verdict == "not enough evidence"


def test_attributes_that_go_together_leave_cells_of_nobody():
    rng = np.random.default_rng(6)
    x = rng.random(2000)
    columns = {"x": x, "y": x + rng.normal(0, 0.12, 2000)}
    cells = fg.SpaceCells.from_arrays(columns, (rng.random(2000) < np.where(x < 0.25, 0.24, 0.33)).astype(int))
    moments = cells[PARITY]
    margins = unevenness._margins(cells, moments)
    fine, coarse = (unevenness._Coarse.of(cells, moments, margins, pieces) for pieces in (4, 2))
    assert fine.size < 16
    people_of = coarse.among(fine) @ fine.sum(moments.b)
    np.testing.assert_allclose(people_of, coarse.sum(np.where(fine.place >= 0, moments.b, 0)))
    assert unevenness_test(cells, PARITY).p_value < 0.1


def test_halves_are_looked_at_where_quarters_hold_too_few():
    rng = np.random.default_rng(7)
    x, y, z = rng.random((3, 300))
    amount = rng.normal(size=300) + np.where((x < 0.5) == (y < 0.5), 0.5, -0.5)
    assert p_value({"x": x, "y": y, "z": z}, amount, measure="mean") < 0.01


@pytest.mark.parametrize("kind", ["rare", "skewed"])
def test_rare_levels_at_equal_factors_are_no_alarm(kind):
    shown = []
    for seed in range(40):
        rng = np.random.default_rng([8, seed])
        g, x = rng.integers(0, 3, 2000), rng.normal(size=2000)
        level = rng.choice(list("abcdefgh"), 2000, p=[0.5, 0.3, 0.1, 0.05, 0.03, 0.01, 0.006, 0.004])
        o = (rng.random(2000) < 0.01 + 0.01 * g).astype(int) if kind == "rare" else g + rng.lognormal(0, 1.2, 2000)
        table = {"x": x, "level": level, "g": g, "o": o}
        found = fg.audit(table, sensitive=["x", "level"], outcome="o", given=["g"], checks=False)
        shown.append(found.finding.p_value <= 0.05)
    assert np.mean(shown) <= 0.1
