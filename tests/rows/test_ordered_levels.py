import math

import pytest

import fairgroups as fg
from fairgroups.rows.ordered_levels import band_of, in_order


@pytest.mark.parametrize(
    ("text", "band"),
    [
        ("26-35", (26, 35)),
        ("26 – 35", (26, 35)),
        ("26 to 35 years", (26, 35)),
        ("65+", (65, math.inf)),
        ("65 and over", (65, math.inf)),
        (">= 65", (65, math.inf)),
        ("under 18", (-math.inf, 18)),
        ("<18", (-math.inf, 18)),
        ("$10,000 to $19,999", (10000, 19999)),
        ("10k-20k", (10000, 20000)),
        ("10-20k", (10000, 20000)),
        ("0-10 cm", (0, 10)),
        ("100-200 kg", (100, 200)),
        ("1 to 3 months", (1, 3)),
        ("up to 30 km", (-math.inf, 30)),
        ("100+ employees", (100, math.inf)),
        ("75 & over", (75, math.inf)),
        ("75 and up", (75, math.inf)),
        ("80+ years", (80, math.inf)),
        ("65 ans et plus", (65, math.inf)),
        ("de 18 à 24 ans", (18, 24)),
        ("18 bis unter 25", (18, 25)),
        ("18 - <25", (18, 25)),
        ("Aged 16 to 24", (16, 24)),
        ("16-24 year olds", (16, 24)),
        ("18-24 (young)", (18, 24)),
        ("EUR 10,000-20,000", (10000, 20000)),
        ("10,000-20,000 USD", (10000, 20000)),
        ("between 5 and 10", (5, 10)),
        ("-5 to 0", (-5, 0)),
        ("(25.0, 35.0]", (25, 35)),
        ("(-inf, 18]", (-math.inf, 18)),
        ("20s", (20, 29)),
        ("2020-01-05", None),
        ("10-20-30", None),
        ("A1", None),
        ("female", None),
        ("35-26", None),
        ("12", None),
    ],
)
def test_bands(text, band):
    assert band_of(text) == band


def test_order_of_bands():
    assert in_order({"5-9", "10-14", "65+", "under 5", "unknown"}) == ("under 5", "5-9", "10-14", "65+", "unknown")
    assert in_order({"100-199", "20-99"}) == ("20-99", "100-199")
    assert in_order({"b", "a", "1-2"}) == ("1-2", "a", "b")


def test_scales_that_people_answer_on_have_their_order():
    agree = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree", "don't know")
    assert in_order(agree) == agree
    assert in_order({"high", "low", "medium"}) == ("low", "medium", "high")
    assert in_order({"male", "female", "other"}) == ("female", "male", "other")
    assert in_order({"high", "blue", "green", "low"}) == ("blue", "green", "high", "low")
    table = {"pain": ["severe", "mild", "none", "moderate"] * 50, "ok": [0, 1, 1, 1] * 50}
    found = fg.audit(table, sensitive="pain", outcome="ok", checks=False)
    assert [r.label.split()[-1] for r in found.records] == ["none", "mild", "moderate", "severe"]
    assert found.data.converted == ("pain: its 4 levels are classes in order, from none on.",)


def test_bands_are_classes_named_in_advance():
    bands = ["under 18", "18-25", "100+", "26-99"] * 50
    found = fg.audit({"band": bands, "ok": [0, 1, 1, 1] * 50}, sensitive="band", outcome="ok", checks=False)
    assert [r.label for r in found.records] == [f"band {x}" for x in ("under 18", "18-25", "26-99", "100+")]
    assert found.settings.groups_given
    assert found.data.converted == ("band: its 4 bands are classes in order, from under 18 on.",)
