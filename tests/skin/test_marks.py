"""Marks follow from numbers."""

import pytest

from fairgroups.skin.marks import MARKS, marks_of

GOOD = {
    "faces": 1,
    "pixels": 5000,
    "clipped": 0.0,
    "side": 0.0,
    "kept": 1.0,
    "blur": 0.005,
    "grey": False,
    "odd": False,
}


@pytest.mark.parametrize(
    ("changed", "marks"),
    [
        ({}, ()),
        ({"faces": 2}, ("several faces",)),
        ({"pixels": 399}, ("few pixels",)),
        ({"clipped": 0.06}, ("clipped light",)),
        ({"side": -11.0}, ("side light",)),
        ({"kept": 0.4}, ("odd colours",)),
        ({"odd": True}, ("odd colours",)),
        ({"blur": 0.03}, ("blurred",)),
        ({"blur": float("nan")}, ()),
        ({"grey": True}, ("no colour",)),
    ],
)
def test_each_number_has_its_mark(changed, marks):
    assert marks_of(**{**GOOD, **changed}) == marks
    assert set(marks) <= set(MARKS)
