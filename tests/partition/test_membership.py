"""A person is in the same group wherever the question is asked: memory, expressions of any frame, SQL."""

import math

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgroups import Interval, Levels, Partition

LEVELS = {"text": ("a", "b", "it's", "größe"), "truth": ("False", "True")}


@st.composite
def tilings(draw):
    """Boxes by cuts from side to side, with sides of either kind; some groups made of several boxes."""
    kinds = draw(st.lists(st.sampled_from(["number", "text", "truth"]), min_size=1, max_size=3))
    whole = tuple(Interval() if kind == "number" else Levels(LEVELS[kind]) for kind in kinds)
    boxes = [whole]
    for _ in range(draw(st.integers(0, 4))):
        at, d = draw(st.integers(0, len(boxes) - 1)), draw(st.integers(0, len(kinds) - 1))
        side = boxes[at][d]
        if isinstance(side, Levels):
            if len(side.names) < 2:
                continue
            k = draw(st.integers(1, len(side.names) - 1))
            halves = Levels(side.names[:k]), Levels(side.names[k:])
        else:
            border, left = draw(st.sampled_from([-2.0, 0.0, 0.1, 3.5, 7.0])), draw(st.booleans())
            if not side.low < border < side.high:
                continue
            halves = (
                Interval(side.low, border, side.low_closed, not left),
                Interval(border, side.high, left, side.high_closed),
            )
        boxes[at : at + 1] = [(*boxes[at][:d], half, *boxes[at][d + 1 :]) for half in halves]
    missing = draw(st.sampled_from(["drop", "group"]))
    names = ['x"; --', "y'", "z w"][: len(kinds)]
    if len(kinds) == 1:
        order = sorted(boxes, key=lambda box: getattr(box[0], "low", 0))
        return Partition(tuple(names), tuple((box,) for box in order), missing), kinds
    groups = [[] for _ in range(max(1, len(boxes) - 1))]
    for i, box in enumerate(boxes):
        groups[min(i, len(groups) - 1)].append(box)
    return Partition(tuple(names), tuple(map(tuple, groups)), missing), kinds


@st.composite
def people(draw, kinds, n=12):
    columns = []
    for kind in kinds:
        values = {
            "number": st.sampled_from([-5.0, -2.0, 0.0, 0.1, math.nextafter(0.1, 1), 3.5, 7.0, 99.0, None]),
            "text": st.sampled_from([*LEVELS["text"], "never seen", None]),
            "truth": st.sampled_from([True, False, None]),
        }[kind]
        columns.append(draw(st.lists(values, min_size=n, max_size=n)))
    return columns


def expected(partition, rows):
    """The group of each row, by looking at every side."""

    def holds(side, value):
        if isinstance(side, Levels):
            return str(value) in side.names
        above = side.low < value or (side.low == value and side.low_closed)
        return above and (value < side.high or (value == side.high and side.high_closed))

    nobody = len(partition.groups) if partition.missing == "group" else None
    out = []
    for row in rows:
        hits = [
            k
            for k, group in enumerate(partition.groups)
            for box in group
            if None not in row and all(holds(side, value) for side, value in zip(box, row, strict=True))
        ]
        assert len(hits) <= 1
        out.append(hits[0] if hits else nobody)
    return out


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_memory_expressions_and_sql_agree(data):
    partition, kinds = data.draw(tilings())
    columns = data.draw(people(kinds))
    known = expected(partition, list(zip(*columns, strict=True)))
    assert Partition.from_json(partition.to_json()) == partition
    types = {"number": pl.Float64, "text": pl.String, "truth": pl.Boolean}
    schema = {name: types[kind] for name, kind in zip(partition.columns, kinds, strict=True)}
    frame = pl.DataFrame(dict(zip(partition.columns, columns, strict=True)), schema=schema)
    tables = {
        "polars": frame,
        "pyarrow": frame.to_arrow(),
        "pandas": frame.to_pandas(use_pyarrow_extension_array=True),
    }
    for name, table in tables.items():
        codes = partition.assign(table)
        assert [None if code < 0 else code for code in codes.tolist()] == known, name
        if name == "pandas":
            continue
        told = nw.from_native(table).with_columns(fairgroups_code=partition.expr())["fairgroups_code"]
        assert [None if code is None else int(code) for code in told.to_list()] == known, name
    lazy = nw.from_native(frame.lazy()).select(code=partition.expr()).collect()["code"].to_list()
    assert lazy == known
    arrow = frame.to_arrow()
    with duckdb.connect() as connection:
        connection.register("people", arrow)
        found = connection.execute(f"SELECT {partition.to_sql()} AS code FROM people").fetchall()
        safe = list("abc"[: len(kinds)])  # narwhals of 2025 stumbles over quotes in names
        connection.register("again", arrow.rename_columns(safe))
        relation = connection.sql("SELECT * FROM again")
        by_engine = nw.from_native(relation).select(code=partition.expr(safe)).to_native().fetchall()
    assert [row[0] for row in found] == [row[0] for row in by_engine] == known


def test_an_expression_of_pandas():
    groups = Partition.from_boxes(
        ("x", "s"), [(Interval(high=1), Levels(("a", "b"))), (Interval(1), Levels(("a", "b")))]
    )
    frame = pd.DataFrame({"x": [0.0, 2.0, np.nan], "s": ["a", "b", "a"]})
    told = nw.from_native(frame).with_columns(group=groups.expr())["group"].to_list()
    assert told[:2] == [0, 1]
    assert told[2] is None or told[2] != told[2]
    assert pa.table(frame).num_rows == 3
