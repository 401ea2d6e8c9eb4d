import pytest

from fairgroups import InputError, Interval, Levels, Partition
from fairgroups.partition.given import given_partition


def test_borders_take_the_name_of_the_column():
    assert given_partition([25, 45], ["age"], "drop") == Partition.from_edges([25, 45], name="age", missing="drop")
    unnamed = Partition.from_edges([25])
    assert given_partition(unnamed, ["age"], "error").columns == ("age",)


def test_classes_of_several_attributes_are_crossed():
    found = given_partition({"age": [40]}, ["age", "sex"], "error", [None, ("f", "m")])
    assert found.n_groups == 4
    assert found.groups[2][0] == (Interval(40), Levels(("f",)))
    assert found.said(["age", "sex"], [True, False]) == (
        "age under 40, sex f",
        "age under 40, sex m",
        "age 40 or over, sex f",
        "age 40 or over, sex m",
    )
    assert given_partition({}, ["sex"], "error", [("f", "m")]).labels == ("sex = f", "sex = m")


@pytest.mark.parametrize(
    ("groups", "columns", "levels", "message"),
    [
        ({"income": [1]}, ["age", "sex"], [None, ("f", "m")], "borders of 'income'"),
        ({"age": [40], "sex": [1]}, ["age", "sex"], [None, ("f", "m")], "is a category"),
        ({}, ["age", "sex"], [None, ("f", "m")], "no borders of it"),
        ([40], ["age", "sex"], None, "of which column"),
        ([40], ["sex"], [("f", "m")], "is a category"),
        ({"age": range(300)}, ["age"], [None], "at most 200"),
        ("40", ["age"], None, "must be a Partition"),
    ],
)
def test_what_cannot_be(groups, columns, levels, message):
    with pytest.raises(InputError, match=message):
        given_partition(groups, columns, "error", levels)


def test_ranges_as_people_say_them():
    partition = Partition.from_edges([22, 25, 58], name="age")
    assert partition.said(["age"], [True]) == ("age under 22", "age 22 to 24", "age 25 to 57", "age 58 or over")
    assert partition.said(["age"], [False])[1] == "age 22 to under 25"
    assert Partition.from_edges([3, 4]).said(["size"], [True])[1] == "size 3"
    assert Partition.from_edges([60], closed="right").said(["L*"], [False]) == ("L* up to 60", "L* over 60")
    assert partition.said(["age"], [True], verb="is")[0] == "age is under 22"
    yes = Partition.from_edges([1], name="female")
    assert yes.said(["female"], [(0.0, 1.0)]) == ("female = 0", "female = 1")
    assert yes.said(["female"], [(0.0, 1.0)], verb="is") == ("female is 0", "female is 1")
    assert yes.said(["female"], [True]) == ("female under 1", "female 1 or over")
