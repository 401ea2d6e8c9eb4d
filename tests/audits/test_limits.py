import numpy as np
import pytest

import fairgroups as fg
from fairgroups.evidence.limit_verdict import limit_of_harm, limit_of_ratios

OWN = fg.Measure("own", rate="own rate", columns=lambda y, _: (y, np.ones_like(y)))


def audit(**options):
    age = np.repeat([20, 40, 60], 1000)
    y = np.concatenate([np.arange(1000) < k for k in (200, 400, 600)]).astype(float)
    table = {"age": age, "y": y}
    return fg.audit(table, sensitive="age", outcome="y", partition=[30, 50], checks=False, **options)


def test_an_advantage_is_no_harm():
    low, high = np.array([-0.2, 0.15]), np.array([-0.1, 0.25])
    assert limit_of_harm(low, high, "better", 0.05) == "exceeded"
    assert limit_of_harm(low, high, "better", 0.15) == "not enough evidence"
    assert limit_of_harm(low, high, "better", 0.2) == "kept"
    assert limit_of_harm(low[1:], high[1:], "better", 0.0) == "kept"
    assert limit_of_harm(low[1:], high[1:], "worse", 0.1) == "exceeded"


def test_ratios_of_the_smaller_to_the_larger():
    assert limit_of_ratios(np.array([0.7]), np.array([0.78]), 0.8) == "exceeded"
    assert limit_of_ratios(np.array([0.7]), np.array([0.9]), 0.8) == "not enough evidence"
    assert limit_of_ratios(np.array([0.85]), np.array([1.1]), 0.8) == "kept"
    assert limit_of_ratios(np.array([1.3]), np.array([2.0]), 0.8) == "exceeded"
    assert limit_of_ratios(np.array([0.9]), np.array([1.5]), 0.8) == "not enough evidence"


def test_harm_needs_a_direction():
    with pytest.raises(fg.InputError, match="what harms a person"):
        audit(max_harm=0.1)
    with pytest.raises(fg.InputError, match="neither in itself") as told:
        audit(max_harm=0.1, favourable=True, measure=OWN)
    assert "--max-gap" in str(told.value)
    assert audit(max_harm=0.25, favourable=True).limit == "kept"
    assert audit(max_harm=0.1, favourable=True).limit == "exceeded"
    with pytest.raises(fg.InputError, match="min_ratio"):
        audit(min_ratio=2)


def test_ranges_that_no_group_shows_must_keep_the_limits_too():
    rng = np.random.default_rng(0)
    table = {"x": rng.random(50_000), "y": (rng.random(50_000) < 0.5).astype(float)}
    options = {"sensitive": "x", "outcome": "y", "checks": False, "favourable": True}
    found = fg.audit(table, **options, max_gap=0.1, max_harm=0.1, min_ratio=0.8)
    assert [one.verdict for one in found.limits] == ["kept"] * 3
    strict = fg.audit(table, **options, max_gap=0.001, max_harm=0.001, min_ratio=0.999)
    assert [one.verdict for one in strict.limits] == ["not enough evidence"] * 3


def test_weights_whose_sums_are_rounded():
    data, rng = fg.make_synthetic(6000, seed=1), np.random.default_rng(0)
    rng.random(6000)
    table = {"x": data.sensitive, "y": data.outcome, "w": rng.uniform(0.5, 2, 6000)}
    assert fg.audit(table, sensitive="x", outcome="y", weight="w", max_gap=0.1, checks=False).limit == "exceeded"
