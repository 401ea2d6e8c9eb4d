"""Copies of the outcome, and of one another."""

import numpy as np

from fairgroups.scans.columns import read_column
from fairgroups.scans.copies import without_copies

RNG = np.random.default_rng(1)
N = 2000


def checked(outcome, **columns):
    return {
        c.name: c.check
        for c in without_copies([read_column(np.asarray(x), k) for k, x in columns.items()], outcome, "y")
    }


def test_copies_of_the_outcome_are_told():
    y = (RNG.random(N) < 0.3).astype(float)
    salary = np.where(y == 1, RNG.uniform(50, 90, N), RNG.uniform(10, 50, N))
    found = checked(
        y, code=np.where(y == 1, "hired", "not"), salary=salary, x=RNG.normal(size=N), weak=y + RNG.normal(size=N)
    )
    assert "as a copy of it would" in found["code"].told
    assert not found["salary"].used
    assert found["x"].used
    assert found["weak"].used


def test_columns_that_say_the_same_are_one():
    years = RNG.integers(0, 16, N)
    name = np.array([f"grade {i:02}" for i in range(16)])[years]
    x = RNG.normal(size=N)
    found = checked(RNG.random(N), years=years, name=name, x=x, twice=2 * x + 1, near=x + 0.01 * RNG.normal(size=N),
                    other=x + 0.5 * RNG.normal(size=N))  # fmt: skip
    assert found["name"].same_as == "years"
    assert found["twice"].same_as == "x"
    assert found["near"].same_as == "x"
    assert found["other"].used


def test_rare_flags_are_not_the_same_because_both_are_rare():
    one, other = (RNG.random((2, N)) < 0.004).astype(float)
    assert checked(RNG.random(N), one=one, other=other)["other"].used


def test_copies_are_told_in_small_tables_too():
    x = RNG.normal(size=200)
    assert not checked(x, copy=x)["copy"].used
    assert not checked((x > 0).astype(float), copy=x)["copy"].used
    assert checked(RNG.normal(size=200), other=x)["other"].used


def test_which_of_two_is_kept_is_decided_by_what_they_hold():
    age = RNG.integers(18, 70, N)
    dob = np.datetime64("2024-01-01") - (age * 365.25 + RNG.random(N)).astype("timedelta64[D]")
    holes = np.where(np.arange(N) < 15, np.nan, age)
    y = RNG.random(N)
    for order in (("age", "dob", "holes"), ("holes", "dob", "age")):
        columns = {name: {"age": age, "dob": dob, "holes": holes}[name] for name in order}
        found = checked(y, **columns)
        assert list(found) == list(order)
        assert [name for name, check in found.items() if check.used] == ["age"]
