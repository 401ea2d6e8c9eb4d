"""Pictures of a scan."""

import re

import numpy as np

import fairgroups as fg
from fairgroups.charts.scan import small_picture, stands_out


def test_small_pictures_have_one_scale_and_mark_the_place():
    rng = np.random.default_rng(0)
    n = 3000
    table = {"x": rng.normal(size=n), "z": rng.choice(list("abc"), n), "y": rng.random(n) < 0.3}
    table["y"] = rng.random(n) < 0.3 + 0.3 * (table["x"] > 1) + 0.2 * (table["z"] == "b")
    found = fg.scan(table, outcome="y")
    lines = set()
    for one in found.attributes:
        drawn = small_picture(found, one)
        lines.add(re.search(r'<line[^>]* y1="([\d.]+)"', drawn)[1])
        assert drawn.count("<rect") == len(one.curve)
        assert any(stands_out(part, one) for part in one.curve)
    assert len(lines) == 1  # everybody's rate lies at one height
    level = next(one for one in found.attributes if one.names == ("z",))
    assert [part.label for part in level.curve if stands_out(part, level)] in (["b"], ["a", "c"])
