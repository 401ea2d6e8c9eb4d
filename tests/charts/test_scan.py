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


def test_what_is_coloured_is_the_place_and_nothing_else():
    """A few with gains are below, most with gains above: a bar of both would stand above in the colour of harm."""
    rng = np.random.default_rng(3)
    n = 8000
    gain = np.where(rng.random(n) < 0.08, rng.integers(100, 9000, n), 0)
    rate = np.where(gain == 0, 0.25, np.where(gain < 2500, 0.0, 0.6))
    table = {"gain": gain, "age": rng.integers(18, 80, n), "y": rng.random(n) < rate}
    found = fg.scan(table, outcome="y", favourable=True)
    for one in found.attributes:
        if one.kind == "number" and not one.missing:
            coloured = [part for part in one.curve if stands_out(part, one)]
            assert sum(part.n for part in coloured) == one.worst.n
            assert np.isclose(sum(part.n * part.rate for part in coloured), one.worst.n * one.worst.rate)
    gains = next(one for one in found.attributes if one.names == ("gain",))
    assert gains.verdict == "disadvantaged"
    assert all(part.rate < found.data.overall for part in gains.curve if stands_out(part, gains))
