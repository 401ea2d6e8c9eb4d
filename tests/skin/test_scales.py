"""Published scales as groups."""

import numpy as np
import pytest

from fairgroups import audit, skin
from fairgroups.skin.scales import ITA_NAMES


def test_the_classes_of_the_typology_angle():
    angles = [-60, -30, -29.9, 10, 10.1, 28, 41, 41.1, 55, 55.1, 90]
    names = [ITA_NAMES[k] for k in skin.ITA_CLASSES.assign(angles)]
    assert names == [
        *["dark"] * 2, *["brown"] * 2, *["tan"] * 2, "intermediate", *["light"] * 2, *["very light"] * 2,
    ]  # fmt: skip
    assert skin.ITA_CLASSES.labels[0] == "ita ≤ −30"


def test_lightness_and_hue():
    assert skin.LIGHTNESS.assign([60, 60.1]).tolist() == [0, 1]
    points = [[60, 55], [60, 56], [61, 55], [61, 56]]
    assert skin.LIGHTNESS_AND_HUE.assign(points).tolist() == [0, 1, 2, 3]


def test_each_tone_of_the_monk_scale_is_its_own():
    colours = np.array([[int(tone[i : i + 2], 16) for i in (1, 3, 5)] for tone in skin.MONK])
    assert skin.monk_tone(skin.rgb_to_lab(colours)).tolist() == list(range(1, 11))
    assert skin.monk_tone([np.nan, 0, 0]) == 0
    assert skin.monk_tone(np.zeros((2, 4, 3))).shape == (2, 4)


def test_a_scale_is_judged_like_any_groups():
    rng = np.random.default_rng(0)
    angle = rng.normal(20, 30, 4000)
    people = {"ita": angle, "approved": (rng.random(4000) < 0.4 + 0.2 * (angle > 28)).astype(int)}
    found = audit(
        people, sensitive="ita", outcome="approved", partition=skin.ITA_CLASSES, favourable=True, checks=False
    )
    assert len(found.records) == 6
    assert found.records[1].verdict == "disadvantaged"
    assert pytest.approx(1) == sum(r.share for r in found.records)
