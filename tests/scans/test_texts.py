import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from fairgroups.scans.texts import form_of, look_like, plain_times, read_texts

AGES = [str(20 + i % 50) for i in range(500)]
DAYS = [f"2020-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(500)]


@pytest.mark.parametrize(
    ("texts", "kind"), [(AGES, "number"), (DAYS, "date"), (["1.5", "-2e3", ".25", " 7 "], "number")]
)
def test_texts_are_numbers_or_dates(texts, kind):
    read = read_texts(texts)
    assert read is not None
    assert (read.kind, read.told, np.isnan(read.values).any()) == (kind, "", False)


@pytest.mark.parametrize(("texts", "what"), [(AGES, "numbers"), (DAYS, "dates")])
def test_a_word_among_many_is_not_known(texts, what):
    read = read_texts([*texts, "unknown", None, " "])
    assert read is not None
    assert np.isnan(read.values[-3:]).all()
    assert read.told == f"1 row holds a word where the others hold {what}: it is taken as not known."
    shared = read_texts([*texts, *["n.a."] * 12])
    assert shared is not None
    assert (
        shared.told == f"12 rows hold words, such as 'n.a.', where the others hold {what}: they are taken as not known."
    )


@pytest.mark.parametrize(
    "texts",
    [
        [*AGES, *["65+"] * 20],  # a level with a digit is no stray word
        [*AGES[:3] * 40, "unknown"],  # few numbers are levels
        [*AGES, *["unknown"] * 600],  # most rows are words
        [*AGES, *[f"word{'x' * i}" for i in range(9)]],
        ["0", "1"] * 50,
        ["inf", *AGES][:1] * 30,
        [f"{i}_000" for i in range(40)],
        [],
    ],
)
def test_other_texts_are_left(texts):
    assert read_texts(texts) is None


def test_dates_that_do_not_exist_are_told():
    read = read_texts([*DAYS, "2024-02-31"])
    assert read is not None
    assert read.told == "1 date that does not exist is taken as not known."


def test_clocks_of_one_place_are_read_as_they_showed():
    berlin = [dt.datetime(2020, month, 1, tzinfo=ZoneInfo("Europe/Berlin")) for month in (1, 7)]
    times, told = plain_times([*berlin, None])
    assert times.astype(str)[:2].tolist() == ["2020-01-01T00:00:00.000000", "2020-07-01T00:00:00.000000"]
    assert (np.isnat(times[2]), told) == (True, "")
    far = [*berlin, dt.datetime(2020, 1, 1, tzinfo=ZoneInfo("America/New_York"))]
    times, told = plain_times(far)
    assert times[2] == np.datetime64("2020-01-01T05:00")
    assert told == "Its times are of several zones, and told in UTC."


def test_what_only_looks_like_numbers():
    assert look_like(["1,000", "45,500", "7"] * 10) == "numbers"
    assert look_like(["01/02/2020", "31/12/2021"]) == "dates"
    assert look_like(["north", "1,000"]) == ""
    assert form_of(["12", "45,500"]) == "99,999"
