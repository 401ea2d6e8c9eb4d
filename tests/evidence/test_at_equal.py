"""Groups at equal factors, held against statsmodels and against tables with a known story."""

import numpy as np
import pandas as pd
import pytest

import fairgroups as fg

# Admissions to six departments of Berkeley in 1973: men, of whom admitted, women, of whom admitted.
BERKELEY = {
    "A": (825, 512, 108, 89),
    "B": (560, 353, 25, 17),
    "C": (325, 120, 593, 202),
    "D": (417, 138, 375, 131),
    "E": (191, 53, 393, 94),
    "F": (373, 22, 341, 24),
}


def berkeley():
    rows = []
    for department, (men, men_in, women, women_in) in BERKELEY.items():
        for sex, n, admitted in (("men", men, men_in), ("women", women, women_in)):
            rows += [(department, sex, 1)] * admitted + [(department, sex, 0)] * (n - admitted)
    return pd.DataFrame(rows, columns=["department", "sex", "admitted"])


def test_berkeley_tells_its_story():
    table = berkeley()
    raw = fg.audit(table, sensitive="sex", outcome="admitted", favourable=True)
    assert [record.verdict for record in raw.records] == ["advantaged", "disadvantaged"]
    assert raw.records[1].phi == pytest.approx(557 / 1835 - 1198 / 2691)
    found = fg.audit(table, sensitive="sex", outcome="admitted", favourable=True, given="department")
    women = found.reasons.groups[1]
    assert women.difference < -0.08
    assert women.explained < women.difference
    assert 0 < women.unexplained < 0.01
    assert women.matched == pytest.approx(0.0183, abs=0.0005)
    assert "going by department it would lie 9.3 points below" in found.conclusion
    assert {record.verdict for record in found.records} == {"no relevant difference"}


def test_one_group_is_statsmodels_stratified_table():
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    rng = np.random.default_rng(0)
    n = 3_000
    z = rng.integers(0, 7, n)
    age = np.clip(np.round(30 + 3 * z + 8 * rng.normal(size=n)), 18, 70)
    hired = (rng.random(n) < 0.2 + 0.08 * z - 0.1 * (age < 30)).astype(int)
    found = fg.audit({"age": age, "z": z, "y": hired}, sensitive="age", outcome="y", given="z", partition=[30])
    young = age < 30
    strata = []
    for s in range(7):
        both = [hired[mine & (z == s)] for mine in (young, ~young)]
        strata.append(np.array([[(group == value).sum() for value in (1, 0)] for group in both]))
    other = tables.StratifiedTable(strata)
    one = found.reasons.groups[0]
    assert one.statistic**2 == pytest.approx(other.test_null_odds(correction=False).statistic, rel=1e-10)
    weights = np.array([t[0].sum() * t[1].sum() / t.sum() for t in strata])
    differences = np.array([t[0, 0] / t[0].sum() - t[1, 0] / t[1].sum() for t in strata])
    assert one.matched == pytest.approx(np.sum(weights * differences) / weights.sum(), rel=1e-10)
    assert one.difference == pytest.approx(one.explained + one.unexplained, abs=1e-12)


def test_nobody_to_compare_with_is_no_statement():
    rng = np.random.default_rng(1)
    age = rng.integers(18, 70, 3_000)
    table = {"age": age, "y": rng.random(3_000) < 0.3 + 0.3 * (age < 30), "class": np.where(age < 30, "young", "old")}
    found = fg.audit(table, sensitive="age", outcome="y", given="class", partition=[30])
    assert {record.verdict for record in found.records} == {"nobody to compare with"}
    assert "there is nobody to compare with at equal class" in found.conclusion
    assert all(np.isnan(record.low) for record in found.records)
    found.to_html()


def planted(seed, n=5_000, effect=0.12):
    rng = np.random.default_rng(seed)
    z, c = rng.normal(size=n), rng.integers(0, 3, n)
    x = z + 0.5 * c + rng.normal(size=n)
    low = x < np.quantile(x, 0.2)
    p = 0.15 + 0.7 / (1 + np.exp(-(z + 0.5 * (c - 1)))) - effect * low
    return {"x": np.round(x, 2), "y": (rng.random(n) < p).astype(int), "z": z, "c": np.array(["a", "b", "c"])[c]}


def test_what_depends_on_factors_only_is_no_finding():
    runs, alarms = 40, 0
    for seed in range(runs):
        table = planted(seed, effect=0.0)
        found = fg.audit(table, sensitive="x", outcome="y", given=["z", "c"], checks=False)
        alarms += found.verdict in ("different", "depends")
        if seed < 5:
            assert fg.audit(table, sensitive="x", outcome="y", checks=False).verdict == "different"
    assert alarms <= 6  # of 40, at 5%: 1 in 300


def test_a_difference_at_equal_qualification_is_found_and_estimated():
    runs, found, estimates, held = 60, 0, [], 0
    for seed in range(runs):
        table = planted(seed)
        searched = fg.audit(table, sensitive="x", outcome="y", given=["z", "c"], checks=False)
        first = searched.records[0]
        found += first.verdict == "lower"
        border = float(np.quantile(table["x"], 0.2))
        named = fg.audit(table, sensitive="x", outcome="y", given=["z", "c"], checks=False, partition=[border])
        one = named.reasons.groups[0]
        estimates.append(one.matched)
        held += one.matched_low <= -0.12 <= one.matched_high
    assert found >= 0.95 * runs
    assert np.mean(estimates) == pytest.approx(-0.12, abs=0.015)
    assert held >= 0.94 * runs - 2.6 * np.sqrt(0.05 * 0.95 * runs)
