"""Maps and curves: nothing in them stands for fewer people than allowed."""

import json

import numpy as np
import pytest

import fairgroups as fg
from fairgroups import SpaceCells
from fairgroups.cells.cells import Cells
from fairgroups.evidence.curves import rate_curve
from fairgroups.evidence.plane import Plane, rate_plane


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    base = rng.standard_normal(n)
    table = {
        "x": base,
        "y": base + 0.3 * rng.standard_normal(n),
        "c": rng.choice(["a", "b", "rare"], n, p=[0.6, 0.395, 0.005]),
    }
    return table, rng.integers(0, 2, n)


@pytest.mark.parametrize("names", [("x", "y"), ("x", "c"), ("c", "x"), ("x", "y", "c"), ("x", "c", "y")])
@pytest.mark.parametrize("n", [30, 300, 3000])
def test_no_cell_stands_for_fewer_than_ten(names, n):
    table, outcome = people(n)
    cells = SpaceCells.from_arrays({name: table[name] for name in names}, outcome)
    for fewest in (10, 25):
        drawn = rate_plane(cells, "statistical_parity", fewest)
        assert all(cell.n >= fewest for cell in drawn)
        assert sum(cell.n for cell in drawn) <= n
    if names == ("x", "y"):  # nobody is lost where neighbours can be joined
        plane = Plane.of(cells, "statistical_parity", 10)
        assert plane.n.sum() == n
        assert plane.sums.a.sum() == outcome.sum()


@pytest.mark.parametrize("n", [12, 60, 2000])
def test_no_stretch_stands_for_fewer_than_ten(n):
    rng = np.random.default_rng(n)
    cells = Cells.from_arrays(rng.random(n), rng.integers(0, 2, n))
    borders = np.array([n // 3])
    for fewest in (1, 10):
        curve = rate_curve(cells, "statistical_parity", borders, min_cell=fewest)
        assert all(stretch.n >= fewest for stretch in curve)
        edge = cells.edges[n // 3]
        assert not any(s.low < edge <= s.high for s in curve)


def test_page_and_json_tell_of_nobody_alone():
    rng = np.random.default_rng(0)
    n = 700
    age = np.concatenate([rng.integers(18, 60, n - 3), [97, 98, 99]])
    table = {"age": age, "race": rng.choice(["a", "b", "c"], n, p=[0.7, 0.295, 0.005]), "ok": rng.integers(0, 2, n)}
    for sensitive in ("age", ["age", "race"]):
        audit = fg.audit(table, sensitive=sensitive, outcome="ok", checks=False, explore=True)
        told = json.loads(audit.to_json())
        assert all(s["n"] >= 10 for s in told["curve"])
        assert all(c["n"] >= 10 for c in told["plane"])
        assert all(b["n"] == 0 or b["n"] >= 10 for a in told["data"]["attributes"] for b in a["bins"])
        for measure in told["explored"]["measures"]:
            assert all(x["n"] >= 10 for x in measure["curve"])
            assert all(x >= 10 for x in measure["band"]["sums"]["n"])
    more = fg.audit(table, sensitive=["age", "race"], outcome="ok", checks=False, min_cell=40)
    assert min(cell.n for cell in more.plane) >= 40


def test_no_difference_of_sums_tells_of_a_few():
    rng = np.random.default_rng(1)
    n = 1500
    table = {"age": rng.integers(18, 70, n), "race": rng.choice(["a", "b", "c"], n, p=[0.6, 0.392, 0.008])}
    audit = fg.audit(table | {"ok": rng.integers(0, 2, n)}, sensitive=["age", "race"], outcome="ok", checks=False)
    band = audit.explored["measures"][0]["band"]
    left = band["totals"]["n"] - sum(band["sums"]["n"])
    assert left == 0 or left >= 10
    for d, margin in enumerate(band["margins"]):
        for place, people, _ in margin:
            alone = [i for i, p in enumerate(band["places"]) if p[2 * d] == place and p[2 * d + 1] == place + 1]
            rest = people - sum(band["sums"]["n"][i] for i in alone)
            assert rest == 0 or rest >= 10


def test_missing_people_are_part_of_everybody():
    """A box that differs from the others of known values, but not from everybody, is no finding."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        x = np.where(rng.random(400) < 0.6, np.nan, rng.random(400))
        table = {"x": x, "z": rng.random(400), "ok": rng.integers(0, 2, 400)}
        audit = fg.audit(table, sensitive=["x", "z"], outcome="ok", missing="group", checks=False)
        found = audit.finding.range
        assert found is None or found.low > 0 or found.high < 0
        assert "have a not enough evidence" not in audit.conclusion


@pytest.mark.parametrize("few", [1, 5, 9, 11])
def test_everybody_less_the_cells_that_are_drawn_tells_of_no_few(few):
    rng = np.random.default_rng(few)
    n = 2000
    sex = rng.choice(["f", "m"], n).astype(object)
    sex[:few] = "other"
    table = {"age": rng.integers(20, 60, n), "sex": sex, "y": rng.integers(0, 2, n)}
    found = fg.audit(table, sensitive=["age", "sex"], outcome="y", checks=False)
    left = n - sum(cell.n for cell in found.plane)
    assert left == 0 or left >= 10
