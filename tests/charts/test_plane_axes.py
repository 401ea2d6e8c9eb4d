"""Axes on which people are spread evenly: places, boxes and ticks."""

import numpy as np
import pytest

from fairgroups.charts.plane_axes import PlaneAxis
from fairgroups.partition.sides import Interval, Levels


def test_each_cell_is_as_wide_as_any_other():
    axis = PlaneAxis("income", (0.0, 10.0, 20.0, 1000.0))
    assert axis.length == 3
    assert [axis.place(x) for x in (0, 10, 15, 20, 1000)] == pytest.approx([0, 1, 1.5, 2, 3])
    assert axis.spans(Interval(10, 20)) == [(1.0, 2.0)]
    assert axis.spans(Interval(high=10)) == [(0.0, 1.0)]
    assert axis.spans(Interval(20)) == [(2.0, 3.0)]


def test_levels_that_are_no_neighbours_are_drawn_apart():
    axis = PlaneAxis("race", (), ("a", "b", "c", "d"))
    assert axis.spans(Levels(("a", "b", "d"))) == [(0, 2), (3, 4)]
    assert [label for _, label in axis.ticks] == ["a", "b", "c", "d"]
    assert axis.place("b") == 1
    assert axis.place("b", end=True) == 2


@pytest.mark.parametrize(
    "values", [np.linspace(0, 1, 20), np.geomspace(900, 2e6, 25), np.arange(18, 80), [-3.0, 4.0], [5.0]]
)
def test_ticks_are_round_in_order_and_at_their_places(values):
    axis = PlaneAxis("x", tuple(float(x) for x in values))
    places = [at for at, _ in axis.ticks]
    assert places == sorted(set(places))
    assert 1 <= len(places) <= 6
    assert all(len(label) <= 9 for _, label in axis.ticks)
    for at, label in axis.ticks:
        assert axis.place(float(label.replace(",", "").replace("−", "-"))) == pytest.approx(at, abs=0.51)
