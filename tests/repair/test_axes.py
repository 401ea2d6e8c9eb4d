import numpy as np
import pytest

from fairgroups import InputError
from fairgroups.repair.axes import Axis, corners
from fairgroups.rows.column_kinds import Column

AGE = Axis("age", centres=np.array([20.0, 30.0, 50.0]))
SEX = Axis("sex", levels=("f", "m"))


def test_people_stand_between_the_centres_of_cells():
    (left, right) = AGE.places(Column("age", np.array([10.0, 25.0, 30.0, 45.0, 99.0])))
    assert left[0].tolist() == [0, 0, 1, 1, 1]
    assert right[1].tolist() == [0.0, 0.5, 0.0, 0.75, 1.0]
    assert (left[1] + right[1]).tolist() == [1] * 5


def test_the_cells_of_several_attributes():
    people = [Column("age", np.array([25.0, 50.0])), Column("sex", np.array([1.0, 0.0]), ("f", "m"))]
    found = corners([AGE, SEX], people)
    assert [(cell.tolist(), share.tolist()) for cell, share in found] == [([1, 2], [0.5, 0.0]), ([3, 4], [0.5, 1.0])]
    with pytest.raises(InputError, match="by 2 attribute"):
        corners([AGE, SEX], people[:1])
    with pytest.raises(InputError, match="nobody with sex = x"):
        SEX.places(Column("sex", np.array([0.0]), ("x",)))
    with pytest.raises(InputError, match="was a category"):
        SEX.places(Column("sex", np.array([0.0])))


def test_plain_data_and_back():
    for axis in (AGE, SEX):
        again = Axis.from_dict(axis.to_dict())
        assert again.levels == axis.levels
        assert np.array_equal(again.centres, axis.centres) or again.centres is axis.centres is None
    for bad in (
        {"centres": None, "levels": None},
        {"centres": [2, 1], "levels": None},
        {"centres": [], "levels": None},
    ):
        with pytest.raises(ValueError, match="attribute"):
            Axis.from_dict({"name": "x", **bad})
