"""Audits of an attribute that was measured with error, from the call to the page."""

import json

import numpy as np
import pytest

import fairgroups as fg
from fairgroups import InputError


def people(seed=0, reliability=0.8, n=20_000):
    rng = np.random.default_rng(seed)
    true = rng.normal(60, 10, n)
    error = 10 * np.sqrt((1 - reliability) / reliability)
    tone = true + rng.normal(0, error, n)
    return {"tone": tone, "hired": rng.random(n) < np.where(true < 55, 0.3, 0.6), "true": true, "e": np.full(n, error)}


def photographs(seed=0, persons=1500, times=10, between=5.0, within=8.9):
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(persons), times)
    true = rng.normal(60, between, persons)
    tone = true[who] + rng.normal(0, within, who.size)
    rate = np.clip(0.5 + 0.03 * (true - 60), 0, 1)
    return {"tone": tone, "liked": rng.random(who.size) < rate[who], "who": who}, true, rate


def audit(table, **options):
    return fg.audit(table, sensitive="tone", outcome="hired", checks=False, **options)


@pytest.mark.parametrize("reliability", [0.9, 0.7, 0.5])
def test_the_difference_by_true_values_is_told(reliability):
    off, seen, held = [], [], []
    for seed in range(4):
        table = people(seed, reliability)
        found = audit(table, reliability=reliability, partition=[55])
        true = table["true"] < 55
        wanted = np.where(true, 0.3, 0.6)[true].mean() - np.where(true, 0.3, 0.6).mean()
        first = found.corrected.groups[0]
        off.append(first.phi / wanted - 1)
        seen.append(first.seen / wanted - 1)
        held.append(first.low <= wanted <= first.high)
    assert abs(np.mean(off)) <= 0.1
    assert np.mean(seen) < -0.08
    assert np.mean(held) >= 0.75  # of four, at 95%


def test_the_same_error_said_in_three_ways():
    table = people(n=6000)
    error = float(table["e"][0])
    variance = float(np.var(table["tone"]))
    ways = [{"error": error}, {"error": "e"}, {"reliability": 1 - error**2 / variance}]
    found = [audit(table, **way).corrected for way in ways]
    for one in found[1:]:
        assert one.reliability == pytest.approx(found[0].reliability)
        assert one.error == pytest.approx(found[0].error)
        assert [g.phi for g in one.groups] == pytest.approx([g.phi for g in found[0].groups], abs=1e-3)
    assert [one.source for one in found] == ["error", "error", "reliability"]


def test_errors_that_differ_from_value_to_value():
    rng = np.random.default_rng(0)
    true = rng.normal(60, 10, 30_000)
    error = rng.choice([2.0, 12.0], true.size)
    table = {
        "tone": true + error * rng.normal(size=true.size),
        "hired": rng.random(true.size) < np.where(true < 55, 0.3, 0.6),
    }
    found = audit({**table, "e": error}, error="e", partition=[55]).corrected.groups[0]
    wanted = 0.3 - np.where(true < 55, 0.3, 0.6).mean()
    same = audit(table, error=float(np.sqrt(np.mean(error**2))), partition=[55]).corrected.groups[0]
    assert found.phi == pytest.approx(wanted, rel=0.1)
    assert found.high - found.low < same.high - same.low  # the exact half says more


def test_the_person_not_the_photograph():
    table, true, rate = photographs()
    found = fg.audit(
        table, sensitive="tone", outcome="liked", cluster="who", reliability="cluster", partition=[60], checks=False
    )
    told = found.corrected
    assert told.source == "cluster"
    assert told.reliability == pytest.approx(5**2 / (5**2 + 8.9**2), abs=0.03)
    assert told.reliability_low < told.reliability < told.reliability_high
    wanted = rate[true < 60].mean() - rate.mean()
    assert told.groups[0].low <= wanted <= told.groups[0].high
    assert told.groups[0].phi == pytest.approx(wanted, rel=0.15)
    assert abs(told.groups[0].seen) < 0.6 * abs(wanted)


def test_what_follows_the_photograph_is_taken_out():
    """Between women 2.5 points per unit of tone, and 0.7 within: only the first is the person's."""
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(2000), 10)
    true = rng.normal(60, 5, 2000)
    light = rng.normal(0, 8.9, who.size)
    rate = np.clip(0.5 + 0.025 * (true[who] - 60) + 0.007 * light, 0, 1)
    table = {"tone": true[who] + light, "y": rng.random(who.size) < rate, "who": who}
    found = fg.audit(
        table, sensitive="tone", outcome="y", cluster="who", reliability="cluster", partition=[60], checks=False
    )
    wanted = 0.025 * (true[true < 60].mean() - true.mean())
    told = found.corrected
    assert told.drift == pytest.approx(0.007, abs=0.0015)
    assert told.groups[0].phi == pytest.approx(wanted, rel=0.12)
    assert told.groups[0].low <= wanted <= told.groups[0].high
    assert "That part follows the measurement" in found.to_markdown()


def test_sentences_table_and_json():
    found = audit(people(), reliability=0.8, favourable=True, n_groups=2)
    assert "With a reliability of 0.80, people with a true tone under" in found.conclusion
    assert "error in the measured values makes differences look smaller" in found.conclusion
    again = fg.Audit.from_json(found.to_json())
    assert again.corrected == found.corrected
    assert list(found.tables["corrected"]) == ["label", "seen", "phi", "low", "high", "share"]
    assert json.loads(found.to_json())["settings"]["asked"]["reliability"] == 0.8
    assert "reliability=0.8" in found.settings.call
    curve = found.corrected.curve
    assert curve[0].reliability == 1.0
    assert curve[0].phi == pytest.approx([g.seen for g in found.corrected.groups], abs=0.01)
    most = [abs(one.phi[0]) for one in curve]
    assert np.all(np.diff(most) > -0.005)  # the less reliable, the larger


def test_one_group_says_what_may_be_hidden():
    rng = np.random.default_rng(0)
    table = {"tone": rng.normal(size=3000), "hired": rng.random(3000) < 0.5}
    found = audit(table, reliability=0.5)
    assert found.corrected.groups == ()
    assert "look about 71% as large as they are" in found.conclusion
    assert "By the true tone" in found.to_markdown()


def test_missing_values_count_in_everybody():
    table = people(n=8000)
    table["tone"][:800] = np.nan
    table["hired"][:800] = False
    found = audit(table, reliability=0.8, missing="group", partition=[55])
    assert len(found.corrected.groups) == 2
    assert found.corrected.curve[0].reliability == 1.0
    assert sum(g.share for g in found.corrected.groups) == pytest.approx(1, abs=0.01)


def test_amounts_weights_and_rates_of_some():
    table = people(n=8000)
    rng = np.random.default_rng(1)
    wage = 2000 + 20 * table["true"] + rng.normal(0, 300, 8000)
    found = audit({**table, "hired": wage}, reliability=0.8, partition=[55])
    true = table["true"] < 55
    assert found.corrected.groups[0].phi == pytest.approx(20 * (table["true"][true].mean() - 60), rel=0.1)
    weighted = audit({**table, "w": np.full(8000, 3.0)}, reliability=0.8, partition=[55], weight="w")
    plain = audit(table, reliability=0.8, partition=[55])
    assert weighted.corrected.groups[0].phi == pytest.approx(plain.corrected.groups[0].phi, abs=1e-6)
    truth = rng.random(8000) < 0.7
    some = audit({**table, "t": truth}, truth="t", measure="equal_opportunity", reliability=0.8, partition=[55])
    assert some.corrected.groups[0].phi == pytest.approx(plain.corrected.groups[0].phi, abs=0.04)


def test_values_that_are_few():
    rng = np.random.default_rng(0)
    true = rng.integers(1, 7, 8000)
    seen = np.clip(true + rng.choice([-1, 0, 1], 8000, p=[0.2, 0.6, 0.2]), 1, 6)
    table = {"tone": seen, "hired": rng.random(8000) < np.where(true < 3, 0.3, 0.6)}
    found = audit(table, error=0.63, partition=[3])
    wanted = 0.3 - np.where(true < 3, 0.3, 0.6).mean()
    assert abs(found.corrected.groups[0].phi - wanted) < abs(found.corrected.groups[0].seen - wanted)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reliability": 1.2}, "`reliability` must be a number from 0.05 to 1"),
        ({"reliability": "high"}, "`reliability` must be a number"),
        ({"reliability": 0.8, "error": 3.0}, "not both"),
        ({"reliability": "cluster"}, "none is named"),
        ({"error": -1.0}, "must be a standard deviation"),
        ({"error": 1000.0}, "as large as the values' whole spread"),
        ({"error": "true_error"}, "true_error"),
        ({"reliability": 0.8, "sensitive": ["tone", "true"]}, "one attribute at a time"),
        ({"reliability": 0.8, "given": "true"}, "do not go with comparisons at equal factors"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    table = people(n=500)
    with pytest.raises(InputError, match=message):
        fg.audit(table, **{"sensitive": "tone", "outcome": "hired", "checks": False, **options})


def test_negative_errors_are_refused():
    table = {**people(n=500), "minus": np.full(500, -1.0)}
    with pytest.raises(InputError, match="'minus' holds 500 negative"):
        audit(table, error="minus")


def test_a_category_has_no_error():
    with pytest.raises(InputError, match="a category"):
        fg.audit({"g": ["a", "b"] * 50, "y": [0, 1] * 50}, sensitive="g", outcome="y", reliability=0.8)


def test_values_without_error_are_as_they_were_measured(recwarn):
    table = people(1, reliability=0.8, n=4000)
    found = audit(table, reliability=1)
    assert [g.phi for g in found.corrected.groups] == [g.seen for g in found.corrected.groups]
    assert [g.low for g in found.corrected.groups] == [r.low for r in found.records]
    assert "reliability" not in found.conclusion
    assert found.corrected.curve[0].reliability == 1
    assert list(found.corrected.curve[0].phi) == [g.seen for g in found.corrected.groups]
    assert not recwarn.list
    usual = audit(table, reliability=0.8)
    assert list(usual.corrected.curve[0].phi) == [g.seen for g in usual.corrected.groups]
    of = {one.reliability: one.phi for one in found.corrected.curve}
    for one in usual.corrected.curve:
        assert of[one.reliability] == pytest.approx(one.phi, abs=1e-6)


def test_no_rate_is_corrected_beyond_what_rates_can_be():
    found = audit(people(2, reliability=0.8, n=3000), reliability=0.2)
    for group in found.corrected.groups:
        for value in (group.phi, group.low, group.high):
            assert np.isnan(value) or -found.overall - 1e-9 <= value <= 1 - found.overall + 1e-9
    for one in found.corrected.curve:
        assert all(np.isnan(x) or -found.overall - 1e-9 <= x <= 1 - found.overall + 1e-9 for x in one.phi)
    unclear = [g for g in found.corrected.groups if g.low < 0 < g.high]
    if unclear and "makes differences look smaller" in found.conclusion:
        assert any(g.low > 0 or g.high < 0 for g in found.corrected.groups)


def test_repeats_that_do_not_agree_say_nothing():
    rng = np.random.default_rng(0)
    table = {"x": rng.normal(40, 10, 2000), "who": np.arange(2000) // 2, "y": rng.integers(0, 2, 2000)}
    with pytest.raises(fg.InputError, match="agree no better than others"):
        fg.audit(table, sensitive="x", outcome="y", cluster="who", reliability="cluster", checks=False)
