import math
from dataclasses import replace

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairgroups import (
    FairGroups,
    InputError,
    Interval,
    Levels,
    MissingValuesError,
    Partition,
    SchemaError,
)

PLANE = Partition.from_boxes(
    ("L*", "h*"),
    ((Interval(high=60), Interval(high=55)), (Interval(high=60), Interval(55)), (Interval(60), Interval())),
)
MIXED = Partition.from_boxes(
    ("age", "sex"),
    (
        (Interval(high=30), Levels(("f", "m", "x"))),
        (Interval(30), Levels(("f", "x"))),
        (Interval(30), Levels(("m",))),
    ),
)


def test_labels():
    assert PLANE.labels == ("L* < 60 and h* < 55", "L* < 60 and h* ≥ 55", "L* ≥ 60")
    assert MIXED.labels == ("age < 30", "age ≥ 30 and sex in {f, x}", "age ≥ 30 and sex = m")
    assert repr(PLANE).startswith("Partition(L* < 60 and")
    assert Partition.from_boxes(("a", "b"), ((Interval(), Interval()),)).labels == ("everybody",)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_assign_by_name(frame):
    values = frame({"sex": ["m", "f", "x", "m"], "age": [20.0, 40.0, 30.0, 30.5]})
    assert MIXED.assign(values).tolist() == [0, 1, 1, 2]


def test_assign_by_position():
    assert PLANE.assign(np.array([[59, 54], [60, 54], [-1e9, 1e9]])).tolist() == [0, 2, 1]
    assert MIXED.assign([[20, "m"], [40, "f"]]).tolist() == [0, 1]
    with pytest.raises(InputError, match="2 columns are needed"):
        PLANE.assign(np.ones((3, 3)))


def test_missing_values_and_unseen_levels():
    rows = {"age": [20, np.nan, 40], "sex": ["m", "f", "robot"]}
    with pytest.raises(InputError, match="a level that was not seen"):
        MIXED.assign(rows)
    with pytest.raises(MissingValuesError, match="1 value"):
        PLANE.assign([[np.nan, 1.0]])
    grouped = replace(MIXED, missing="group")
    assert grouped.assign(rows).tolist() == [0, 3, 3]
    assert grouped.labels[-1] == "age or sex missing"
    assert replace(MIXED, missing="drop").assign(rows).tolist() == [0, -1, -1]


@pytest.mark.parametrize("partition", [PLANE, MIXED])
def test_json_round_trip(partition):
    assert Partition.from_json(partition.to_json()) == partition
    with pytest.raises(SchemaError, match="damaged"):
        Partition.from_dict({**partition.to_dict(), "groups": [{"boxes": [[{}]]}]})


def test_sql_gives_the_same_groups():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(10, 50, 200), "sex": rng.choice(["f", "m", "x"], 200)})
    hostile = replace(MIXED, columns=('a"; --', "s'x"))
    renamed = frame.rename(columns={"age": 'a"; --', "sex": "s'x"})
    with duckdb.connect() as connection:
        connection.register("t", frame)
        connection.register("u", renamed)
        one = connection.execute(f"SELECT {MIXED.to_sql()} AS g FROM t").fetchnumpy()["g"]
        two = connection.execute(f"SELECT {hostile.to_sql()} AS g FROM u").fetchnumpy()["g"]
        gone = connection.execute(f"SELECT {MIXED.to_sql()} FROM (SELECT NULL AS age, 'f' AS sex)").fetchone()
    assert one.tolist() == two.tolist() == MIXED.assign(frame).tolist()
    assert gone == (None,)
    with pytest.raises(InputError, match="2 column names"):
        MIXED.to_sql(["age"])


@pytest.mark.parametrize(
    "groups",
    [
        (),
        ((Interval(),),),
        ((Interval(high=1), Interval()), (Interval(2), Interval())),
        ((Interval(high=2), Interval()), (Interval(1), Interval())),
        ((Interval(high=1), Interval()), (Interval(1), Interval(high=5))),
    ],
)
def test_boxes_must_tile(groups):
    with pytest.raises(InputError):
        Partition.from_boxes(("a", "b"), groups)


def test_sides_of_borders():
    closed = Partition.from_boxes(
        ("L*", "h*"), ((Interval(high=60, high_closed=True), Interval()), (Interval(60, low_closed=False), Interval()))
    )
    assert closed.assign([[60, 0], [math.nextafter(60, 99), 0]]).tolist() == [0, 1]


def test_an_expression_gives_the_same_groups():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.uniform(20, 60, 500), "sex": rng.choice(["f", "m"], 500)})
    frame.loc[3, "age"] = np.nan
    for missing in ("drop", "group"):
        boxes = FairGroups(3, missing=missing).fit(frame, (frame["age"] > 40).astype(int)).partition_
        known = boxes.assign(frame)
        for table in (pl.from_pandas(frame).lazy(), pl.from_pandas(frame)):
            found = nw.from_native(table).lazy().select(boxes.expr().alias("g")).collect()["g"].to_list()
            assert [-1 if g is None else g for g in found] == known.tolist()
    with pytest.raises(InputError, match="2 column names"):
        boxes.expr(["age"])


def test_odd_levels_are_read_as_they_are_meant():
    levels = ("", "a,b", "NaN", "or d", "x")
    assert Levels(("", "NaN")).said() == "(empty) or NaN"
    assert Levels(("a,b", "or d")).said() == "“a,b” or “or d”"
    assert Levels(("a,b", "NaN", "or d")).said() == "“a,b”, NaN or “or d”"
    assert Levels(("a,b", "or d", "x")).said(among=levels) == "neither (empty) nor NaN"
    assert Levels(("",)).describe("c") == "c = (empty)"
