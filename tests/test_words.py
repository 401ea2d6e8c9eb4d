import math

import pytest

from fairgroups.words import amount, clean, counted, p_value, points, sentence, short_names, size, thousands


@pytest.mark.parametrize(
    ("value", "percent", "written"),
    [
        (0.1234, True, "12.3%"),
        (-0.5, True, "−50.0%"),
        (1234.5, False, "1,234"),
        (2.345, False, "2.35"),
        (None, True, "–"),
    ],
)
def test_amounts(value, percent, written):
    assert amount(value, percent=percent) == written


def test_differences():
    assert points(0.1, percent=True) == "+10.0"
    assert points(-0.1, percent=True) == "−10.0"
    assert points(0.0001, percent=True) == "+0.01"  # never as if it were nothing
    assert points(-1e-9, percent=True) == "0.0"
    assert points(math.nan, percent=True) == "–"
    assert size(-0.1, percent=True) == "10.0 points"


def test_people():
    assert counted(1200, 1200.0) == "1,200"
    assert counted(1200, 300.4) == "300 of 1,200"
    assert thousands(1234567) == "1,234,567"


def test_texts():
    assert sentence("true positive rate") == "True positive rate"
    assert clean({"a": ["x\x00y", math.inf, 3]}) == {"a": ["x\ufffdy", None, 3]}


def test_the_least_that_a_test_can_give_is_an_upper_bound():
    assert p_value(0.0078125, 0.0078125) == "p ≤ 0.0078"
    assert p_value(0.016, 0.0078125) == "p = 0.016"
    assert p_value(0.0004, 0.0004) == "p < 0.001"


def test_small_numbers_are_written_out():
    assert points(4.59e-5, percent=False) == "+0.0000459"
    assert points(-1.23e-7, percent=False) == "−0.000000123"
    assert amount(7.86e-5, percent=False) == "0.0000786"
    assert points(-math.inf, percent=False) == "−∞"
    assert "-" not in points(-3e-12, percent=False)


def test_long_names_stay_apart():
    question = "How satisfied are you with the following aspects of your job: "
    names = [question + "salary", question + "manager", "age", "N" * 61, "N" * 61 + "666", "A" * 40 + "m" + "B" * 50]
    names.append("A" * 40 + "n" + "B" * 50)
    short = short_names([*names, None])
    assert len(set(short.values())) == len(short) == 6
    assert all(len(name) <= 64 for name in short.values())
    assert short[question + "salary"].endswith("salary")
    assert list(short) == sorted(short, key=len, reverse=True), "a name inside a longer one is replaced after it"
    twins = short_names(["A" * 30 + "m" + "B" * 50, "A" * 30 + "n" + "B" * 50, "A" * 25 + "x" * 6 + "B" * 50])
    assert len(set(twins.values())) == 3
