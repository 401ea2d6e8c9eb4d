import json
import math

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgroups import InputError, Interval, Levels, MissingValuesError, Partition, SchemaError

finite = st.floats(-1e12, 1e12, allow_nan=False)


@st.composite
def partitions(draw):
    edges = sorted(set(draw(st.lists(finite, max_size=6))))
    owners = draw(st.lists(st.integers(0, 3), min_size=len(edges) + 1, max_size=len(edges) + 1))
    return Partition.from_edges(
        edges,
        closed=draw(st.sampled_from(["left", "right"])),
        owners=draw(st.sampled_from([None, owners])),
        name=draw(st.sampled_from(["", "age", 'x"; DROP TABLE t; --', "größe <b>"])),
        missing=draw(st.sampled_from(["error", "drop", "group"])),
    )


def where(partition, value):
    """The group of one value, by looking at every interval."""
    hits = [
        k
        for k, group in enumerate(partition.groups)
        for (i,) in group
        if (i.low < value or (i.low == value and i.low_closed))
        and (value < i.high or (i.high == value and i.high_closed))
    ]
    assert len(hits) == 1
    return hits[0]


@settings(max_examples=200, deadline=None)
@given(partitions(), st.lists(finite, max_size=5))
def test_every_value_is_in_exactly_one_group(partition, values):
    values = [*values, *partition.edges, -1e300, 1e300]
    assert partition.assign(values).tolist() == [where(partition, v) for v in values]


@settings(max_examples=200, deadline=None)
@given(partitions())
def test_json_round_trip(partition):
    text = partition.to_json()
    assert Partition.from_json(text) == partition
    assert hash(Partition.from_json(text)) == hash(partition)
    assert json.loads(text)["schema_version"] == 1


@settings(max_examples=60, deadline=None)
@given(partitions(), st.lists(finite, max_size=5))
def test_sql_gives_the_same_groups(partition, values):
    values = [*values, *partition.edges, *(np.nextafter(e, math.inf) for e in partition.edges), 1e300, None, math.nan]
    name = partition.name or "x"
    quoted = '"' + name.replace('"', '""') + '"'
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t (i INTEGER, {quoted} DOUBLE)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
        rows = connection.execute(f"SELECT {partition.to_sql(name)} FROM t ORDER BY i").fetchall()
    absent = len(partition.groups) if partition.missing == "group" else None
    expected = [absent if v is None or v != v else where(partition, v) for v in values]
    assert [row[0] for row in rows] == expected


def test_sql_on_integer_and_float_columns():
    partition = Partition.from_edges([2, 3.5], name="age")
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT {partition.to_sql()} FROM (SELECT unnest([1, 2, 3, 4]) AS age)").fetchall()
        assert [f[0] for f in found] == [0, 1, 1, 2]
        tenth = Partition.from_edges([0.1], name="age")
        found = connection.execute(f"SELECT {tenth.to_sql()} FROM (SELECT 0.1::FLOAT AS age)").fetchone()
    assert found[0] == tenth.assign([np.float32(0.1)])[0]


def test_labels():
    assert Partition.from_edges([25, 45], name="age").labels == ("age < 25", "25 ≤ age < 45", "age ≥ 45")
    assert Partition.from_edges([60], closed="right", name="L*").labels == ("L* ≤ 60", "L* > 60")
    assert Partition.from_edges([]).labels == ("all x",)
    assert Partition.from_edges([1, 2], owners=[0, 1, 0], name="x").labels == ("x < 1 or x ≥ 2", "1 ≤ x < 2")
    assert Partition.from_edges([0.123456789, 0.1234567891]).labels[0] == "x < 0.123456789"
    assert Partition.from_edges([-1234567.5]).labels[0] == "x < −1234567.5"
    assert Partition.from_edges([21.929]).labels[0] == "x < 21.929"
    assert Partition.from_edges([20.033804091234]).labels[0] == "x < 20.0338"
    assert Partition.from_edges([1], missing="group").labels == ("x < 1", "x ≥ 1", "x missing")


def test_missing_policies():
    edges = [1.0]
    with pytest.raises(MissingValuesError, match="1 value.*row 1"):
        Partition.from_edges(edges).assign([0, np.nan])
    assert Partition.from_edges(edges, missing="drop").assign([0, None]).tolist() == [0, -1]
    assert Partition.from_edges(edges, missing="group").assign([0, np.nan]).tolist() == [0, 2]


def test_neighbouring_intervals_of_one_group_are_one_interval():
    assert Partition.from_edges([1, 2], owners=[0, 0, 1]) == Partition.from_edges([2])
    assert Partition.from_edges([1, 2], owners=[5, 1, 5]).connected is False


@pytest.mark.parametrize(
    "groups",
    [
        (),
        ((),),
        ((Interval(0, 1),),),
        ((Interval(high=1),), (Interval(2),)),
        ((Interval(high=1, high_closed=True),), (Interval(1),)),
        ((Interval(1),), (Interval(high=1),)),
        ((Interval(high=1),), (Interval(1, 1),), (Interval(1, low_closed=False),)),
    ],
)
def test_groups_must_tile_the_line(groups):
    with pytest.raises(InputError):
        Partition(("x",), tuple(tuple((part,) for part in group) for group in groups))


@pytest.mark.parametrize(
    ("edges", "options"),
    [
        ([2, 1], {}),
        ([1, 1], {}),
        ([math.nan], {}),
        ([math.inf], {}),
        ([1], {"closed": "both"}),
        ([1], {"owners": [0]}),
        ([1], {"missing": "x"}),
    ],
)
def test_bad_edges(edges, options):
    with pytest.raises(InputError):
        Partition.from_edges(edges, **options)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{}",
        '{"schema": "other"}',
        '{"schema": "fairgroups/partition", "schema_version": 99}',
        '{"schema": "fairgroups/partition", "schema_version": 1}',
    ],
)
def test_foreign_or_newer_json_is_refused(text):
    with pytest.raises(SchemaError):
        Partition.from_json(text)


def test_frozen_and_unequal():
    partition = Partition.from_edges([1])
    with pytest.raises(AttributeError):
        partition.name = "x"
    assert partition != Partition.from_edges([1], closed="right")
    assert partition != Partition.from_edges([1], name="age")
    assert repr(partition) == "Partition(x < 1, x ≥ 1)"
    with pytest.raises(InputError, match="to_sql needs"):
        partition.to_sql()


def test_most_levels_are_said_by_those_that_they_are_not():
    race = ("Asian", "Black", "Hispanic", "Native", "Other", "White")
    said = lambda *names: Levels(names).said(among=race)
    assert said("Asian", "Hispanic", "Native", "Other", "White") == "not Black"
    assert said("Asian", "Hispanic", "Native", "Other") == "neither Black nor White"
    assert said("Asian", "Other", "White") == "Asian, Other or White"
    assert said("Asian", "Other") == "Asian or Other"
    assert Levels(("a", "b")).said(among=("a", "b", "c")) == "a or b"
    assert Levels(race).said(among=race).endswith("Other or White")
    groups = [
        (Interval(), Levels(("Black",))),
        (Interval(), Levels(tuple(x for x in race if x != "Black"))),
    ]
    assert Partition.from_boxes(["age", "race"], groups).said(["age", "race"], [True, False])[1] == "race not Black"


@pytest.mark.parametrize(
    ("border", "said"),
    [
        (48.8566501, "x 48.8566501 or over"),
        (1700000010.25, "x 1700000010.25 or over"),
        (24.713298517342, "x 24.7132 or over"),
    ],
)
def test_borders_are_said_as_they_were_measured(border, said):
    assert Partition.from_edges([border], name="x").said(["x"], [False])[1] == said


def test_a_border_as_it_is_said_leaves_its_people_above_it():
    """2/3 is written as 0.666666: who has just that value belongs to the upper group, also by what is printed."""
    rng = np.random.default_rng(0)
    for border in [2 / 3, -2 / 3, 1e-7 / 3, 12345.678912345, *rng.normal(0, 1, 200), *(rng.normal(0, 1, 200) * 1e5)]:
        label = Partition.from_edges([border], name="x").labels[1]
        said = label.split()[1].replace("≥", "").replace("−", "-")
        number = float(said or label.split()[2].replace("−", "-"))
        assert number <= border
        assert number == pytest.approx(border, rel=2e-5)
