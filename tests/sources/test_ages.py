import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fairgroups as fg
from fairgroups.sources.ages import age_column, ages_of

DAY = "age(dob, 2024-02-29)"


def by_hand(born, day):
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


@pytest.fixture(scope="module")
def born():
    rng = np.random.default_rng(1)
    some = [dt.date(1930, 1, 1) + dt.timedelta(days=int(x)) for x in rng.integers(0, 34_000, 500)]
    return [*some, dt.date(2000, 2, 29), dt.date(2000, 3, 1), dt.date(2000, 2, 28)]


def test_ages_are_whole_years(born):
    ages, _ = ages_of(np.array(born, dtype="datetime64[D]"), age_column(DAY))
    assert ages.tolist() == [by_hand(x, dt.date(2024, 2, 29)) for x in born]


def test_who_was_born_on_a_leap_day_is_older_on_the_first_of_march(tmp_path):
    rows = [("2000-02-29", 1), ("2000-03-01", 0)] * 20
    (tmp_path / "a.csv").write_text("dob,ok\n" + "".join(f"{born},{ok}\n" for born, ok in rows))
    for day, age in (("2023-02-28", 22), ("2023-03-01", 23)):
        asked = f"age(dob, {day})"
        ages, _ = ages_of(np.array([born for born, _ in rows], dtype="datetime64[D]"), age_column(asked))
        assert ages[0] == age
        found = fg.audit(tmp_path / "a.csv", sensitive=asked, outcome="ok", partition=[23], checks=False, min_cell=1)
        assert sum(r.n for r in found.records if r.label.endswith("23 or over")) == (40 if age == 23 else 0)


@pytest.mark.parametrize("way", ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d %b %Y", "%Y%m%d", "%B %d, %Y"])
def test_dates_are_read_as_the_whole_column_tells(tmp_path, born, way):
    ok = [int(x.year < 1980) for x in born]
    table = pd.DataFrame({"dob": [x.strftime(way) for x in born], "ok": ok})
    table.to_csv(tmp_path / "a.csv", index=False)
    found = fg.audit(tmp_path / "a.csv", sensitive=DAY, outcome="ok", checks=False)
    same = fg.audit(
        {"age": [by_hand(x, dt.date(2024, 2, 29)) for x in born], "ok": ok}, sensitive="age", outcome="ok", checks=False
    )
    assert [r.n for r in found.records] == [r.n for r in same.records]
    assert found.data.attributes[0].title == "Age (on 2024-02-29)"
    assert "whose age is" in found.conclusion


def test_frames_of_any_library(born):
    ok = [int(x.year < 1980) for x in born]
    for table in (
        {"dob": born, "ok": ok},
        pd.DataFrame({"dob": pd.to_datetime(born), "ok": ok}),
        pl.DataFrame({"dob": born, "ok": ok}),
    ):
        found = fg.audit(table, sensitive=DAY, outcome="ok", checks=False, min_cell=1)
        assert found.data.attributes[0].high == max(by_hand(x, dt.date(2024, 2, 29)) for x in born)


def test_what_cannot_be_told_is_said(tmp_path):
    (tmp_path / "a.csv").write_text("dob,ok\n01/02/2000,1\n03/04/1990,0\n")
    for name, said in (
        (DAY, "day/month or as month/day"),
        ("age(dob)", "on which day"),
        ("age(dob, soon)", "names no day"),
    ):
        with pytest.raises(fg.InputError, match=said):
            fg.audit(tmp_path / "a.csv", sensitive=name, outcome="ok")
    with pytest.raises(fg.ColumnError, match="no column 'born'"):
        fg.audit(tmp_path / "a.csv", sensitive="age(born, 2024-01-01)", outcome="ok")
    (tmp_path / "a.csv").write_text("dob,ok\nyesterday,1\n03/04/1990,0\n")
    with pytest.raises(fg.InputError, match="'yesterday', which is no date"):
        fg.audit(tmp_path / "a.csv", sensitive=DAY, outcome="ok")
    (tmp_path / "a.csv").write_text("dob,ok\n2030-01-01,1\n1990-01-01,0\n")
    with pytest.raises(fg.MissingValuesError):
        fg.audit(tmp_path / "a.csv", sensitive=DAY, outcome="ok")
    with pytest.raises(fg.InputError, match="no dates of birth|dates of birth"):
        fg.audit({"dob": ["a", "b"], "ok": [0, 1]}, sensitive=DAY, outcome="ok")


def test_years_of_two_digits_and_counted_days_are_told(tmp_path):
    (tmp_path / "a.csv").write_text("dob,ok\n31/12/85,1\n03/04/90,0\n")
    with pytest.raises(fg.InputError, match="years with two digits"):
        fg.audit(tmp_path / "a.csv", sensitive=DAY, outcome="ok")
    (tmp_path / "a.csv").write_text("dob,ok\n36526,1\n32874,0\n")
    with pytest.raises(fg.InputError) as told:
        fg.audit(tmp_path / "a.csv", sensitive=DAY, outcome="ok")
    assert "the format of a date" in str(told.value)


@pytest.mark.parametrize("name", ["age (years)", "Age (in years)", "age(dob)", "age (x, y)"])
def test_a_column_of_that_name_is_no_age_to_be_worked_out(tmp_path, name):
    table = pd.DataFrame({name: range(40), "y": [0, 1] * 20})
    table.to_csv(tmp_path / "people.csv", index=False)
    for data in (table, tmp_path / "people.csv"):
        for asked in ({"sensitive": name, "outcome": "y"}, {"sensitive": "y", "outcome": name}):
            assert fg.audit(data, **asked, checks=False).data.rows == 40
