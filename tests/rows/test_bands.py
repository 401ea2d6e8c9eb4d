import math

import pytest

import fairgroups as fg
from fairgroups.rows.bands import band_of, in_order


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


def test_bands_are_classes_named_in_advance():
    bands = ["under 18", "18-25", "100+", "26-99"] * 50
    found = fg.audit({"band": bands, "ok": [0, 1, 1, 1] * 50}, sensitive="band", outcome="ok", checks=False)
    assert [r.label for r in found.records] == [f"band {x}" for x in ("under 18", "18-25", "26-99", "100+")]
    assert found.settings.groups_given
    assert found.data.converted == ("band: its 4 bands are classes in order, from under 18 on.",)
