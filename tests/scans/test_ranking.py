"""Limits and curves of what was seen."""

import math

import numpy as np

import fairgroups as fg
from fairgroups.scans.ranking import _kept


def test_limits_are_three_valued():
    wide = np.array([True, True])
    low, high = np.array([-0.02, 0.01]), np.array([0.03, 0.06])
    assert _kept("max_gap", 0.1, "neutral", low, high, wide) == "kept"
    assert _kept("max_gap", 0.005, "neutral", low, high, wide) == "exceeded"
    assert _kept("max_gap", 0.04, "neutral", low, high, wide) == "not enough evidence"
    assert _kept("max_gap", 0.1, "neutral", low, high, ~wide) is None
    assert _kept("max_harm", 0.04, "better", low, high, wide) == "kept"
    assert _kept("max_harm", 0.005, "worse", low, high, wide) == "exceeded"


def test_no_stretch_of_a_curve_stands_for_fewer_people_than_asked():
    rng = np.random.default_rng(0)
    table = {"x": rng.integers(0, 500, 900), "c": rng.choice(list("abcdefgh"), 900, p=[0.9, *[0.1 / 7] * 7])}
    found = fg.scan(table | {"y": rng.random(900) < 0.3}, outcome="y", min_cell=40)
    for one in found.attributes:
        assert all(part.n >= 40 for part in one.curve)
        assert one.worst.n >= 40
    number = next(one for one in found.attributes if one.names == ("x",))
    assert sum(part.n for part in number.curve) == 900
    assert math.isnan(number.curve[0].low)
    assert math.isnan(number.curve[-1].high)


def test_a_pair_is_one_column_where_that_says_it_all():
    """A noisy copy of a column does not stand on the short list beside it; a column that adds to it does."""
    first = []
    for seed in range(900, 908):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=3000)
        table = {"d": x + 0.35 * rng.normal(size=3000), "x": x, "n": rng.integers(0, 5, 3000)}
        found = fg.scan(table | {"y": rng.random(3000) < 1 / (1 + np.exp(-1.2 * x))}, outcome="y")
        first.append(found.steps[0].names)
    assert first.count(("x",)) >= 7
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 6000))
    both = fg.scan({"x": x, "z": z, "y": rng.random(6000) < 0.2 + 0.3 * ((x > 0) & (z > 0))}, outcome="y")
    assert both.steps[0].names == ("x", "z")
