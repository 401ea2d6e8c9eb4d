"""Whether an attribute adds anything to the others: right where it does, silent where it is a shadow of another."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.cells.sample import Sample
from fairgroups.evidence.added import added
from fairgroups.measures import RATES
from fairgroups.rows.rows import Rows

PARITY = RATES["statistical_parity"]


def shadows(n, seed, apart=0.6):
    rng = np.random.default_rng(seed)
    base = rng.standard_normal(n)
    return rng, base + apart * rng.standard_normal(n), base + apart * rng.standard_normal(n)


def adds(columns, outcome, measure=PARITY, **more):
    return {
        one.attribute: one
        for one in added(Sample(Rows.from_arrays(columns, outcome, **more), (measure,)), measure, 0.95)
    }


def test_a_shadow_adds_nothing():
    """y goes with x, and the rate with x alone: marginally y differs a lot, at equal x it does not."""
    found = []
    for seed in range(60):
        rng, x, y = shadows(2000, seed)
        found.append(adds({"x": x, "y": y}, rng.random(2000) < 1 / (1 + np.exp(0.8 - 0.8 * x))))
    assert np.mean([one["x"].shown for one in found]) >= 0.98
    assert np.mean([one["y"].shown for one in found]) <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / 60)


def test_false_alarms_over_all_attributes():
    alarms = 0
    for seed in range(150):
        rng, x, y = shadows(1500, seed)
        found = adds({"x": x, "y": y, "c": rng.choice(list("abc"), 1500)}, rng.random(1500) < 0.3)
        alarms += any(one.shown for one in found.values())
    assert alarms / 150 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


def test_differences_that_only_both_together_show():
    rng, x, y = shadows(4000, 1)
    found = adds({"x": x, "y": y}, rng.random(4000) < 0.35 + 0.12 * np.where((x < 0) == (y < 0), 1, -1))
    assert found["x"].shown
    assert found["y"].shown


def test_what_would_be_shown_is_shown_in_80_of_100():
    shown = []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        x, y = rng.random((2, 3000))
        least = 0.1  # what `detectable` says here, about
        found = adds({"x": x, "y": y}, rng.random(3000) < 0.4 + least * ((y < 0.5) - 0.5))
        shown.append(found["y"].shown)
        assert found["y"].detectable == pytest.approx(least, rel=0.1)
    assert 0.7 <= np.mean(shown) <= 0.95


def test_categories_amounts_weights_and_clusters():
    rng, x, _ = shadows(3000, 2)
    level = rng.choice(["a", "b", "c"], 3000)
    wage = 100 + 10 * rng.standard_normal(3000) + 5 * (level == "b")
    found = adds({"x": x, "c": level}, wage, RATES["mean"])
    assert found["c"].shown
    assert not found["x"].shown
    weighted = adds(
        {"x": x, "c": level}, rng.random(3000) < 0.3 + 0.12 * (level == "b"), weight=rng.uniform(0.5, 2, 3000)
    )
    assert weighted["c"].shown
    clustered = adds({"x": x, "c": level}, rng.random(3000) < 0.3, cluster=np.arange(3000) // 3)
    assert not clustered["c"].shown


def test_the_conclusion_names_only_attributes_that_have_a_border():
    rng, x, y = shadows(6000, 3)
    table = {"age": x, "income": y, "ok": (rng.random(6000) < np.where(x < 0, 0.3, 0.5)).astype(int)}
    audit = fg.audit(table, sensitive=["age", "income"], outcome="ok", checks=False)
    assert {one.attribute: one.shown for one in audit.added} == {"age": True, "income": False}
    assert "income is not shown to add anything to age: at equal age, a difference of" in audit.conclusion
    assert "between the lower and the upper half of income would be shown in 80 of 100 such samples" in audit.conclusion
    first = audit.conclusion.split(". ")[0]
    assert "income" not in first
    assert fg.Audit.from_json(audit.to_json()).added == audit.added


def test_the_order_of_rows_does_not_matter():
    rng, x, y = shadows(1000, 4)
    ok = rng.random(1000) < 0.4
    order = rng.permutation(1000)
    assert adds({"x": x, "y": y}, ok) == adds({"x": x[order], "y": y[order]}, ok[order])


@pytest.mark.parametrize("kind", ["skewed", "uneven", "weights", "huge weights", "clusters"])
def test_no_false_alarms_for_amounts_weights_and_clusters(kind):
    alarms = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        u, v, e = rng.standard_normal((3, 1500))
        more, measure, y = {}, PARITY, rng.random(1500) < 0.03
        if kind == "skewed":
            measure, y = RATES["mean"], np.exp(e + 0.5 * u)
        elif kind == "uneven":
            measure, y = RATES["mean"], 1 + 0.5 * u + np.exp(0.7 * u) * e
        elif kind == "clusters":
            more, y = {"cluster": np.arange(1500) // 5}, np.repeat(rng.random(300) < 0.3, 5)
            u = np.repeat(u[::5], 5)
        else:
            more = {"weight": np.exp(0.7 * e) * (1e5 if kind == "huge weights" else 1)}
        alarms += adds({"u": u, "v": v}, y, measure, **more)["v"].shown
    assert alarms / 60 <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / 60)


def test_strict_levels_can_be_reached():
    rng = np.random.default_rng(0)
    table = {name: rng.random(3000) for name in "abc"}
    y = rng.random(3000) < np.where(table["a"] < 0.5, 0.2, 0.6)
    found = added(Sample(Rows.from_arrays(table, y), (PARITY,)), PARITY, 0.99)
    assert [one.shown for one in found] == [True, False, False]


def test_twins_are_told_as_such():
    rng = np.random.default_rng(1)
    u = rng.standard_normal(3000)
    table = {"u": u, "twin": u + 0.03 * rng.standard_normal(3000), "ok": rng.random(3000) < np.where(u < 0, 0.3, 0.5)}
    audit = fg.audit(table, sensitive=["twin", "u"], outcome="ok", checks=False)
    assert "The data cannot tell which of twin and u makes the difference" in audit.conclusion


def test_amounts_that_scatter_more_in_some_places_do_not_add():
    """The mean never depends on z, the scatter does."""
    shown = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        z, g = rng.normal(size=600), rng.choice(list("ab"), 600)
        table = {"z": z, "g": g, "pay": 0.5 * rng.normal(size=600) * np.exp(z) + (g == "a")}
        found = fg.audit(table, sensitive=["z", "g"], outcome="pay", checks=False).added
        shown += next(one for one in found if one.attribute == "z").shown
    assert shown <= 3


def test_amounts_that_do_depend_on_it_are_still_shown():
    shown = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        z, g = rng.normal(size=600), rng.choice(list("ab"), 600)
        table = {"z": z, "g": g, "pay": rng.normal(size=600) + 0.6 * (z > 0) + (g == "a")}
        shown += all(one.shown for one in fg.audit(table, sensitive=["z", "g"], outcome="pay", checks=False).added)
    assert shown >= 9


@pytest.mark.parametrize("many", [20, 40])
def test_of_many_attributes_a_test_that_could_show_nothing_is_not_made(many):
    """The level pays for the choice: of 20 attributes 420 deals would be too few, of 40 20,000 are."""
    rng = np.random.default_rng(5)
    table = {f"h{i}": rng.choice(list("pq"), 2000) for i in range(many - 2)}
    table |= {"x": rng.normal(size=2000), "g": rng.choice(list("ab"), 2000)}
    names, rate = list(table), 0.2 + 0.3 * (table["x"] > 0) + 0.3 * (table["g"] == "a")
    found = fg.audit(table | {"y": rng.random(2000) < rate}, sensitive=names, outcome="y", checks=False)
    assert found.verdict == "different"
    assert 0.999 < found.settings.level < 1
    assert {one.attribute: one.shown for one in found.added} == ({"x": True, "g": True} if many == 20 else {})
    assert "cannot tell which" not in found.conclusion


def test_where_nothing_differs_nothing_adds():
    """The tests of what adds have no error of their own beside that of whether anything differs."""
    rng = np.random.default_rng(16)
    table = {"x": rng.integers(20, 60, 116), "g": rng.choice(list("abc"), 116, p=[0.6, 0.35, 0.05])}
    found = fg.audit(table | {"y": rng.random(116) < 0.4}, sensitive=["x", "g"], outcome="y", checks=False)
    assert found.verdict == "not enough evidence"
    assert min(one.p_value for one in found.added) < 0.05
    assert not any(one.shown for one in found.added)
