"""Columns of any kind, and what is done with them."""

import datetime as dt

import numpy as np
import pytest

from fairgroups.partition.sides import Interval, Levels
from fairgroups.scans.columns import OTHERS, UNKNOWN, read_column, unknown_column

RNG = np.random.default_rng(0)


def test_kinds():
    dates = np.array(["2024-01-01", "2024-02-01", "2024-03-01"] * 20, dtype="datetime64[D]")
    objects = np.array([dt.date(2024, 1, 1 + i % 28) for i in range(60)], dtype=object)
    texts = np.array([f"2024-01-{1 + i % 28:02}" for i in range(60)], dtype=object)
    for raw, kind in (
        (RNG.normal(size=60), "number"),
        (np.array(["1.5", "2", "3"] * 20, dtype=object), "number"),
        (np.array([True, False] * 30), "category"),
        (np.array(["a", "b", "c"] * 20), "category"),
        (dates, "date"),
        (objects, "date"),
        (texts, "date"),
        (np.array([None] * 60, dtype=object), "empty"),
        (np.array([f"name {i}" for i in range(60)], dtype=object), "text"),
    ):
        assert read_column(raw, "x").check.kind == kind, raw[:2]


def test_constants_ids_and_names_are_left_out_in_words():
    for raw, word in (
        (np.full(50, 3.0), "one value only"),
        (np.array(["a"] * 50), "one value only"),
        (np.arange(1000, 1060), "numbers the rows"),
        (np.array([f"id-{i}" for i in range(60)]), "names or ids"),
        (np.full(50, np.nan), "no value is known"),
    ):
        check = read_column(raw, "x").check
        assert not check.used
        assert word in check.told


def test_amounts_that_differ_for_everybody_are_no_ids():
    assert read_column(np.round(RNG.lognormal(10, 1, 300)), "salary").check.used
    assert read_column(RNG.normal(size=300), "score").check.used


@pytest.mark.parametrize("code", [-9, 999, -1, 9999])
def test_codes_far_from_the_rest_are_not_known(code):
    values = RNG.integers(18, 80, 500).astype(float)
    values[:30] = code
    column = read_column(values, "age")
    assert column.check.codes == (float(code),)
    assert column.check.coded == 30
    assert np.isnan(column.values[:30]).all()
    assert "taken as missing" in column.check.told


def test_what_is_no_code():
    ages = RNG.integers(18, 100, 2000).astype(float)  # 99 is an age among others
    assert read_column(ages, "age").check.codes == ()
    assert read_column(RNG.integers(-9, 10, 500).astype(float), "x").check.codes == ()
    few = RNG.integers(18, 80, 5000).astype(float)
    few[:3] = 999  # three rows are no code, but three rows
    assert read_column(few, "age").check.codes == ()
    assert read_column(np.array([0.0, 1, -1] * 50), "x").check.codes == ()
    assert read_column(RNG.choice([-1.0, 0, 1, 2, 3], 500), "change").check.codes == ()


def test_rare_levels_are_one_and_missing_is_a_level():
    raw = np.array(["a"] * 200 + ["b"] * 100 + [f"r{i}" for i in range(30)] + [None] * 20, dtype=object)
    column = read_column(raw, "x")
    assert column.levels == ("a", "b", OTHERS, UNKNOWN)
    assert "30 rare levels, 30 rows together" in column.check.told
    assert column.check.missing == 20


def test_a_number_that_many_miss_is_two_columns():
    values = RNG.normal(size=200)
    values[:40] = np.nan
    column = read_column(values, "x")
    other = unknown_column(column)
    assert other.levels == ("known", "not known")
    assert other.values.sum() == 40
    assert unknown_column(read_column(RNG.normal(size=200), "x")) is None


def test_places_are_said_as_people_say_them():
    age = read_column(np.repeat(np.arange(20, 60), 10), "age")
    assert age.said(Interval(25, 30)) == "age 25 to 29"
    assert age.said(age.side((0, 5), age.edges(64, 1))) == "age under 25"
    days = np.array(["2024-01-01", "2024-02-01", "2024-03-01"] * 20, dtype="datetime64[D]")
    when = read_column(days, "joined")
    assert when.said(when.side((1, 3), when.edges(64, 1))) == "joined from 2024-02-01 on"
    team = read_column(np.array(list("abcdef") * 20), "team")
    assert team.said(Levels(tuple("abcdef"))) == "team a, b or 4 more"


def test_cells_hold_what_they_say():
    values = RNG.normal(size=500)
    values[:20] = np.nan
    column = read_column(values, "x")
    edges = column.edges(16, 1)
    axis = column.axis(edges)
    assert (axis.codes[:20] == axis.size).all()
    side = column.side((3, 7), edges)
    assert np.array_equal(axis.held((3, 7)), (values >= side.low) & (values < side.high))


def test_complex_numbers_are_refused():
    with pytest.raises(ValueError, match="complex"):
        read_column(np.array([1j, 2j]), "x")


def test_texts_that_look_like_numbers_or_dates_are_told():
    n = 60
    for written, what in (
        ([f"{i},5" for i in range(n)], "numbers"),
        ([f"€ {i},{i % 7}00" for i in range(1, n + 1)], "numbers"),
        ([f"1.{100 + i}.000" for i in range(n)], "numbers"),
        ([f"{1 + i % 28:02}.{1 + i % 12:02}.{1950 + i}" for i in range(n)], "dates"),
        ([f"{1 + i % 28} Mar {1950 + i}" for i in range(n)], "dates"),
        ([f"March {1 + i % 28}, {1950 + i}" for i in range(n)], "dates"),
        ([f"id{i}" for i in range(n)], ""),
        ([f"+49 {i:05} 1234" for i in range(n)], ""),
        ([f"{i:05}-{i % 7}-x" for i in range(n)], ""),
    ):
        check = read_column(np.array(written, dtype=object), "x").check
        assert (check.used, check.looks_like) == (False, what), written[0]
        assert ("look like" in check.told) == bool(what)


def test_levels_of_ours_are_no_levels_of_the_column():
    raw = np.array(
        [["a", UNKNOWN, OTHERS, None][i % 4] for i in range(200)] + [f"r{i}" for i in range(20)], dtype=object
    )
    column = read_column(raw, "g")
    assert column.levels == ("a", OTHERS, UNKNOWN, f"{OTHERS} (rare)", f"{UNKNOWN} (empty)")
    assert np.count_nonzero(column.values == 2) == 50
    known = read_column(np.array(["known", "not known"] * 30, dtype=object), "k")
    assert known.levels == ("known", "not known")
    assert not known.tells_missing


def test_all_known_values_are_said_as_such():
    column = read_column(RNG.normal(size=100), "x")
    assert column.said(Interval()) == "x known"


def test_numbers_that_name_people_are_left_out():
    rng = np.random.default_rng(0)
    some = rng.choice(np.arange(180_000, 200_000), 16_000, replace=False)  # by chance many would be the same
    assert "numbers the rows" in read_column(some, "image").check.told
    assert read_column(rng.choice(10**9, 2000, replace=False), "population").check.used
    twice = read_column(np.repeat(np.arange(1250), 2), "patient").check
    assert "1,250 people or things, with 2 rows each. If rows of one person belong together" in twice.told
    assert "--cluster" in read_column(np.repeat([f"p{i}" for i in range(900)], 3), "patient").check.told
    assert read_column(np.repeat(np.arange(365), 40), "day").check.used
    assert read_column(rng.normal(50_000, 9000, 3000).round(), "pay").check.used


def test_a_column_is_not_changed_by_reading_it():
    values = np.array([1.0, np.inf, 3.0] * 20)
    read_column(values, "x")
    assert np.isinf(values).sum() == 20
