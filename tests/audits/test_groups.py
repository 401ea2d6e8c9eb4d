"""What is told of an attribute and of groups: nothing of a few people."""

import numpy as np
import pytest

import fairgroups as fg


@pytest.mark.parametrize("sensitive", ["income", ["income", "group"]])
def test_no_ends_of_an_attribute_tell_of_one_person(sensitive):
    rng = np.random.default_rng(3)
    income = np.append(rng.lognormal(10, 0.4, 199), 1234567.89).round(2)
    table = {"income": income, "group": rng.choice(["a", "b"], 200), "y": rng.random(200) < 0.4}
    written = fg.audit(table, sensitive=sensitive, outcome="y", explore=True).to_json()
    for value in sorted(income)[:3] + sorted(income)[-3:]:
        assert str(value) not in written


@pytest.mark.parametrize("n", [20, 30, 36])
def test_the_ends_of_a_trend_are_told_of_enough_people_only(n):
    rng = np.random.default_rng(2)
    x = rng.integers(20, 60, n)
    table = {"x": x, "g": rng.choice(["a", "b"], n), "y": x > rng.integers(30, 50, n)}
    for sensitive in ("x", ["x", "g"]):
        trend = fg.audit(table, sensitive=sensitive, outcome="y", checks=False).finding.trend
        told = np.isfinite(trend.lower_rate)
        assert not told or (sensitive == "x" and min(trend.lower_share, trend.upper_share) * n >= 10)
    young = rng.integers(20, 60, 120)
    found = fg.audit({"x": young, "y": rng.random(120) < 0.4}, sensitive="x", outcome="y", checks=False)
    assert np.isfinite(found.finding.trend.lower_rate)
