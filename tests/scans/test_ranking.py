"""Limits and curves of what was seen."""

import math

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.scans.conclusion import adds, limit_lines
from fairgroups.scans.ranking import _ends, _kept


def test_limits_are_three_valued():
    wide = np.array([True, True])
    low, high = np.array([-0.02, 0.01]), np.array([0.03, 0.06])
    gap = _ends("max_gap", "neutral", low, high)
    assert _kept(0.1, *gap, wide) == "kept"
    assert _kept(0.005, *gap, wide) == "exceeded"
    assert _kept(0.04, *gap, wide) == "not enough evidence"
    assert _kept(0.1, *gap, ~wide) is None
    assert _kept(0.04, *_ends("max_harm", "better", low, high), wide) == "kept"
    assert _kept(0.005, *_ends("max_harm", "worse", low, high), wide) == "exceeded"


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


@pytest.mark.parametrize(("seed", "columns"), [(11, "b"), (22, "bc"), (239, "bc")])
def test_the_short_list_holds_only_what_is_shown(seed, columns):
    """With weights deals and intervals may part ways: neither alone is enough."""
    rng = np.random.default_rng(seed)
    table = {name: rng.integers(0, 4, 300) for name in columns} | {"w": rng.integers(1, 6, 300)}
    table["y"] = (rng.random(300) < 0.3 + 0.25 * (table["b"] == 0)).astype(int)
    found = fg.scan(table, outcome="y", weight="w")
    assert all(step.worst.shown for step in found.steps)
    assert bool(found.steps) == any(one.shown for one in (*found.attributes, *found.pairs))
    assert all(isinstance(one.shown, bool) for one in found.attributes)
    assert "<h1>" in found.to_html()


def test_who_exceeds_a_limit_is_named():
    rng = np.random.default_rng(4)
    a, b = rng.integers(20, 60, 5000), rng.choice(list("uvw"), 5000)
    y = rng.random(5000) < np.where((a < 30) & (b == "u"), 0.9, 0.3)
    found = fg.scan({"a": a, "b": b, "y": y}, outcome="y", favourable=False, max_harm=0.4)
    (limit,) = found.limits
    assert limit.verdict == "exceeded"
    assert limit.place.low > 0.4
    (line,) = limit_lines(found)
    assert line.startswith(f"The limit of 40.0 points to people's harm is exceeded: for {limit.place.label} (")
    assert line.endswith(").")
    assert fg.Scan.from_json(found.to_json()) == found
    kept = fg.scan({"a": a, "b": b, "y": y}, outcome="y", max_gap=0.99)
    assert kept.limits[0].place is None


def test_who_is_not_known_stands_apart_from_those_who_are():
    """At equal values of the number nobody misses it: that it adds nothing would be said of nothing."""
    rng = np.random.default_rng(0)
    income = np.exp(rng.normal(10, 0.8, 5000))
    income[rng.random(5000) < 0.25] = np.nan
    y = rng.random(5000) < np.where(np.isnan(income) | (income < 10_000), 0.15, 0.35)
    found = fg.scan({"income": income, "z": rng.normal(size=5000), "y": y}, outcome="y")
    missing = next(one for one in found.attributes if one.missing)
    number = next(one for one in found.attributes if not one.missing and one.names == ("income",))
    assert {missing.step, number.step} == {0, 1} or found.steps[0].said.startswith("income (known")
    if missing.step == 0:
        assert missing.shown
        assert (missing.remains, missing.beyond) == (None, ())
        assert "For income not known (" in found.conclusion
        assert adds(found, missing) == "These are other people: the short list has those whose income is known."


def test_pairs_are_told_beside_the_short_list():
    rng = np.random.default_rng(1)
    a, b, c = rng.integers(0, 2, (3, 6000))
    y = rng.random(6000) < 0.2 + 0.3 * (a & b)
    found = fg.scan({"a": a, "b": b, "c": c, "y": y}, outcome="y")
    others = [pair for pair in found.pairs if pair.shown and not pair.step]
    assert all(pair.remains is False for pair in others)
    assert all(adds(found, pair) == "Not shown to add anything to the short list." for pair in others)
