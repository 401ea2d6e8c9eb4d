"""What a scan says, read as a person reads it."""

import re

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.scans.conclusion import adds, cannot_say, certainty, limit_lines, steps_said


def scan_of(kind, n=3000):
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, n))
    table = {"x": x, "z": z, "w": rng.choice(list("abc"), n)}
    rate = {
        "nothing": 0.3,
        "one": 0.3 + 0.2 * (x > 1),
        "pair": 0.3 + 0.3 * ((x > 0) ^ (z > 0)),
        "both": 0.2 + 0.2 * (x > 0.5) + 0.2 * (z > 0.5),
    }[kind]
    return fg.scan(table | {"y": rng.random(n) < rate}, outcome="y", max_gap=0.05)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("nothing", r"^No attribute is shown to go with y: over 3 columns and 3 pairs, nothing differs more"),
        (
            "one",
            r"^1 of 3 columns goes with y, as far as these 3,000 people show\. The strongest is x: .* above every",
        ),
        ("pair", r"^None of 3 columns alone is shown to go with y, but x × z together is: "),
        ("both", r"^2 of 3 columns go with y, .*"),
    ],
)
def test_conclusions(kind, said):
    found = scan_of(kind)
    assert re.search(said, found.conclusion), found.conclusion
    assert found.conclusion.endswith(".")
    assert ".." not in found.conclusion
    assert "hold at once" in certainty(found)
    assert all(line.endswith(".") for line in (*cannot_say(found), *limit_lines(found)))
    for step in found.steps:
        assert steps_said(found, step).endswith(".")
    for one in found.attributes:
        assert adds(one) == "" or adds(one).endswith(".")


def test_the_headline_never_contradicts_a_line_below():
    for kind in ("nothing", "one", "both"):
        found = scan_of(kind)
        assert (found.verdict == "different") == bool(found.shown or found.pairs)
        for one in found.shown:
            assert one.worst.low > 0 or one.worst.high < 0
            assert one.p_value <= 0.05
