"""What every search returns, and that no search asks for more memory than is allowed."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.search.path import Limits, Units


def units(n):
    ones = np.ones(n)
    return Units(np.arange(n), np.arange(n) * 1.0, ones, ones)


def test_too_much_memory_is_refused_beforehand_and_may_be_allowed(monkeypatch):
    people = units(1000)
    people.check_room(500)
    monkeypatch.setenv("FAIRGROUPS_MEMORY", "0.001")
    with pytest.raises(
        fg.InputError, match=r"500 groups of 1,000 values would take about 0\.004 GB .* 0\.001 GB"
    ) as told:
        people.check_room(500)
    assert "fewer groups" in told.value.hint
    assert "FAIRGROUPS_MEMORY=1" in told.value.hint
    monkeypatch.setenv("FAIRGROUPS_MEMORY", "1")
    people.check_room(500)


@pytest.mark.parametrize("said", ["much", "-1", "0", "inf", "nan"])
def test_an_odd_limit_is_told(said, monkeypatch):
    monkeypatch.setenv("FAIRGROUPS_MEMORY", said)
    with pytest.raises(fg.InputError, match="a number of gigabytes"):
        units(3).check_room(2)


def test_every_search_on_the_line_asks(monkeypatch):
    rng = np.random.default_rng(0)
    x, y = np.arange(5000.0), rng.random(5000) < 0.3
    monkeypatch.setenv("FAIRGROUPS_MEMORY", "0.001")
    for options in ({"n_groups": 900}, {"n_groups": 900, "monotonic": "increasing"}):
        with pytest.raises(fg.InputError, match="GB of memory"):
            fg.FairGroups(min_group_size=1, **options).fit(x, y)
    with pytest.raises(fg.InputError, match="GB of memory"):
        fg.audit({"x": x, "z": x[::-1], "y": y}, sensitive=["x", "z"], outcome="y", n_groups=3, n_cells=300)
    with pytest.raises(fg.InputError, match="GB of memory"):
        fg.audit({"x": x, "y": y}, sensitive="x", outcome="y", n_cells=20_000)


def test_units_without_people_join_their_left_neighbour():
    cells = fg.Cells.from_frame(
        {"x": [1, 2, 3, 4], "y": [1, 0, 1, 0], "t": [0, 1, 0, 1]},
        sensitive="x",
        outcome="y",
        truth="t",
        measure="equal_opportunity",
    )
    found = Units.of(cells, "equal_opportunity")
    assert found.starts.tolist() == [0, 3]
    assert found.rows.tolist() == [3, 1]
    assert found.allowed(Limits(rows=1))
    assert not found.allowed(Limits(rows=2))


def test_joined_units_hold_about_as_much_each_and_bound_their_cost():
    rng = np.random.default_rng(1)
    n = 1000
    many = Units(np.arange(n), np.sort(rng.random(n)), np.ones(n), np.ones(n))
    few = many.at_most(50)
    assert len(few) == 50
    assert few.b.sum() == n
    assert np.ptp(few.b) <= 1
    assert many.at_most(2000) is many
    best = fg.FairGroups(4, min_group_size=1).fit(np.arange(n), many.a)
    coarse = fg.FairGroups(4, min_group_size=1).fit(np.searchsorted(few.starts, np.arange(n), side="right"), many.a)
    lost = best.variance_ - coarse.variance_
    assert 0 <= lost <= many.cost_of(few, 4) * many.a.var()
