"""Boxes hold every value exactly once, thousands of them too."""

import itertools

import numpy as np
import pytest

from fairgroups import InputError, Interval, Levels, Partition


def grid(n):
    ends = [-np.inf, *range(n - 1), np.inf]
    sides = [Interval(low, high) for low, high in itertools.pairwise(ends)]
    return [(x, y) for x in sides for y in sides]


def test_many_boxes():
    boxes = grid(45)
    assert Partition.from_boxes(("x", "y"), boxes).n_groups == 2025
    with pytest.raises(InputError, match="lies in 0 of them"):
        Partition.from_boxes(("x", "y"), boxes[:-1])
    with pytest.raises(InputError, match="lies in 2 of them"):
        Partition.from_boxes(("x", "y"), [*boxes, boxes[7]])


def test_one_column_is_of_one_kind():
    with pytest.raises(InputError, match="a number in some boxes"):
        Partition.from_boxes(("x",), [(Interval(high=1),), (Levels(("a",)),)])
    with pytest.raises(InputError, match="holds no value"):
        Partition.from_boxes(("x",), [(Interval(2, 1),)])
    with pytest.raises(InputError, match="one side for each"):
        Partition.from_boxes(("x", "y"), [(Interval(),)])


def test_levels_are_in_one_box_each():
    with pytest.raises(InputError, match="s = b lies in 2"):
        Partition.from_boxes(("s",), [(Levels(("a", "b")),), (Levels(("b",)),)])
    sexes = Partition.from_boxes(("sex",), [(Levels(("f",)),), (Levels(("m", "x")),)])
    assert sexes.labels == ("sex = f", "sex in {m, x}")
    assert sexes.assign(["m", "f"]).tolist() == [1, 0]
    with pytest.raises(InputError, match="no order along one number"):
        sexes.edges
    # numbers so large that one more is the same number
    far = Partition.from_boxes(("x", "y"), [(Interval(high=2.0**60), Interval()), (Interval(2.0**60), Interval())])
    assert far.assign([[2.0**60, 0], [0, 0]]).tolist() == [1, 0]
