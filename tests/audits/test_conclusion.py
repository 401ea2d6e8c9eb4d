"""The sentences that people quote: each pattern that once came out wrong, and how it reads now."""

import re

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.audits.remarks import certainty, direction_line, second_opinions
from fairgroups.report.sections import cannot_say


def people(rates, size=400, first=20, seed=None):
    """Return people of whole ages, some of each, with these rates."""
    age = np.repeat(first + np.arange(len(rates)), size)
    if seed is None:
        y = np.concatenate([np.arange(size) < round(size * rate) for rate in rates]).astype(float)
    else:
        y = (np.random.default_rng(seed).random(age.size) < np.repeat(rates, size)).astype(float)
    return {"age": age, "approved": y}


def audit(table, **options):
    return fg.audit(table, **{"sensitive": "age", "outcome": "approved", "checks": False, **options})


def weak_trend(n=1445, slope=0.04, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.random(n)
    return {"age": np.round(18 + 50 * x, 2), "approved": (rng.random(n) < 0.45 - 3.5 * slope * x).astype(float)}


STEP = people([0.0, 0.02, 0.1, 0.12, 0.11, 0.4, 0.41, 0.4, 0.4, 0.41])


def test_where_only_the_missing_differ_the_others_are_those_who_are_known():
    rng = np.random.default_rng(0)
    age, absent = rng.normal(50, 10, 3000), rng.random(3000) < 0.2
    approved = rng.random(3000) < np.where(absent, 0.7, 0.3)
    age[absent] = np.nan
    found = audit({"age": age, "approved": approved}, missing="group", favourable=True)
    assert found.conclusion.startswith("People whose age is known are disadvantaged")
    assert "People whose age is missing are advantaged" in found.conclusion


def test_who_by_how_much_and_how_many():
    found = audit(STEP, favourable=True)
    assert found.verdict == "different"
    assert found.conclusion.startswith(
        "People whose age is under 22 are disadvantaged: their positive rate for approved is 1.0%, against 23.7% for "
        "everybody: 22.7 points lower (95% interval "
    )
    per_100 = "That is about 23 fewer per 100 people than at everybody's rate: an estimated 182 fewer among the 800 "
    assert f"{per_100}people of this group." in found.conclusion
    assert "People whose age is 22 to 24 are also disadvantaged (by 12.7 points)." in found.conclusion
    assert "People whose age is 25 or over are advantaged (by 16.7 points)." in found.conclusion


def test_nobody_is_called_disadvantaged_where_no_direction_was_said():
    found = audit(STEP)
    assert "have a lower positive rate for approved" in found.conclusion
    assert "advantaged" not in found.conclusion
    assert {r.verdict for r in found.records} <= {"lower", "higher", "no relevant difference", "not enough evidence"}
    assert "say --favourable or --unfavourable" in direction_line(found)


def test_neighbours_are_joined():
    found = audit(people([0.05] * 3 + [0.15] * 3 + [0.25] * 3 + [0.5] * 6, 500), favourable=True)
    assert "People whose age is 23 to 28 are also disadvantaged (by " in found.conclusion


def test_a_weak_trend_is_told():
    seen = [audit(weak_trend(seed=seed)) for seed in range(12)]
    seed, found = next((seed, one) for seed, one in enumerate(seen) if one.verdict == "depends")
    weak = weak_trend(seed=seed)
    assert found.conclusion.startswith("The positive rate for approved falls with age (p ")
    assert " among the youngest quarter, " in found.conclusion
    assert " among the oldest quarter. " in found.conclusion
    renamed = audit({"years": weak["age"], "approved": weak["approved"]}, sensitive="years")
    assert " among the quarter of the people with the lowest years, " in renamed.conclusion
    assert found.conclusion.endswith("1,445 rows are too few to show where the difference begins.")
    assert [r.verdict for r in found.records] == ["depends"]
    for one in seen:
        assert ("No difference found" in one.conclusion) <= (one.finding.trend.p_value > 0.05)
    nameless = audit({" ": weak["age"], "approved": weak["approved"]}, sensitive=" ")
    assert nameless.verdict == "depends"
    quiet = fg.Audit.from_json(found.to_json())
    assert quiet.verdict == "depends"
    assert quiet.conclusion == found.conclusion
    for text in (found.to_markdown().replace("\\", ""), found._repr_html_()):
        assert "falls with age" in text


def test_the_margin_says_where_it_comes_from():
    table, classes = people([0.3] * 10, 3000), {"partition": [25]}
    usual = audit(table, **classes).conclusion
    assert "to lie within 5.0 points of the rest (the usual margin; relevant_gap (--relevant-gap) sets another" in usual
    assert "within 8.0 points of the rest (as you asked)." in audit(table, relevant_gap=0.08, **classes).conclusion


def test_nothing_found_says_what_would_have_been():
    rng = np.random.default_rng(3)
    table = {"age": rng.integers(20, 60, 20_000), "approved": (rng.random(20_000) < 0.3).astype(float)}
    found = audit(table)
    assert found.verdict == "no difference found"
    assert "In a range with a tenth of the people, a difference of " in found.conclusion
    assert "would be shown in 80 of 100 such samples, a smaller one less often." in found.conclusion
    few = audit({name: values[:60] for name, values in table.items()})
    assert few.verdict == "not enough evidence"
    assert few.conclusion.startswith("Not enough evidence: no difference is shown, and the data cannot rule one out.")
    assert "discrimination" not in found.conclusion + few.conclusion


def test_named_classes_are_compared_with_each_other():
    months = np.repeat([200, 400], [681, 764])
    table = {"age": months, "approved": np.concatenate([np.arange(681) < 292, np.arange(764) < 260]).astype(float)}
    found = audit(table, partition=[300], favourable=False)
    assert found.settings.against == "rest"
    assert found.conclusion == (
        "People whose age is under 300 are disadvantaged: their positive rate for approved is 42.9%, against 34.0% for "
        "the rest: 8.8 points higher (95% interval 3.8 to 13.8 points). Against everybody the difference is 4.7 "
        "points. That is about 9 more per 100 people than at the rest's rate: an estimated 60 more among the 681 "
        "people of this group."
    )
    assert "provided that they were chosen without looking at these outcomes" in certainty(found)
    assert second_opinions(found) == ["Highest minus lowest rate: 8.8 points (95% interval 3.8 to 13.8)."]


def test_open_and_closed_comparisons_are_kept_apart():
    found = audit(people([0.5] * 2 + [0.35] * 3 + [0.2] * 4, 120), partition=[22, 25], favourable=False)
    middle = found.records[1]
    assert middle.verdict == "not enough evidence"
    assert middle.ratio_low > 1
    said = (
        "For age 22 to 24, a difference from everybody is neither shown nor ruled out; its positive rate is, however, "
    )
    assert f"{said}shown to be higher than that of age 25 or over." in found.conclusion
    assert any("Whether there is a difference from everybody for: age 22 to 24." in line for line in cannot_say(found))


def test_a_reference_class():
    table = people([0.5] * 3 + [0.2] * 3 + [0.35] * 3)
    found = audit(table, partition=[23, 26], reference="23 to 25", favourable=True)
    assert [r.verdict for r in found.records] == ["advantaged", "reference", "advantaged"]
    assert found.records[0].phi == pytest.approx(0.3)
    assert "against 20.0% for people whose age is 23 to 25: 30.0 points higher" in found.conclusion
    assert audit(table, partition=[23, 26], reference="best", favourable=True).settings.reference == "age under 23"
    with pytest.raises(fg.InputError, match="none of the groups"):
        audit(table, partition=[23, 26], reference="30 to 40")
    with pytest.raises(fg.InputError, match="named in advance"):
        audit(table, reference="best")


def test_categories_alone_and_crossed():
    rng = np.random.default_rng(0)
    sex = np.array(["women", "men"])[rng.integers(0, 2, 4000)]
    age = rng.integers(20, 60, 4000)
    y = (rng.random(4000) < np.where((sex == "women") & (age >= 40), 0.2, 0.4)).astype(float)
    table = {"sex": sex, "age": age, "approved": y}
    alone = audit(table, sensitive="sex", favourable=True)
    assert [r.label for r in alone.records] == ["sex men", "sex women"]
    assert alone.conclusion.startswith("People whose sex is women are disadvantaged")
    crossed = audit(table, sensitive=["age", "sex"], partition={"age": [40]}, favourable=True)
    assert len(crossed.records) == 4
    assert "People whose age is 40 or over and whose sex is women are disadvantaged" in crossed.conclusion
    with pytest.raises(fg.InputError, match="has no borders of it"):
        audit(table, sensitive=["age", "sex"], partition={})
    with pytest.raises(fg.InputError, match="is a category"):
        audit(table, sensitive=["age", "sex"], partition={"age": [40], "sex": [1]})


def test_towns_titles_and_labels():
    options = {"unit": "towns", "label": {"age": "Mean age (years)", "approved": "High crime"}, "title": "Our towns"}
    found = audit(STEP, **options)
    assert found.conclusion.startswith(
        "Towns whose mean age is under 22 have a lower rate of high crime: 1.0%, against "
    )
    assert "for all towns: 22.7 points lower" in found.conclusion
    page = found.to_html()
    assert "<h1>Our towns</h1>" in page
    assert ">Towns</th>" in page
    assert "Mean age (years)" in page
    assert "High crime" in page
    with pytest.raises(fg.InputError, match="neither a sensitive attribute nor a factor"):
        audit(STEP, label={"sex": "Sex"})


def test_only_attributes_with_a_border_are_named():
    rng = np.random.default_rng(1)
    table = {"age": rng.integers(20, 60, 6000), "income": rng.integers(0, 100, 6000)}
    table["approved"] = (rng.random(6000) < np.where(table["income"] < 50, 0.2, 0.6)).astype(float)
    found = audit(table, sensitive=["age", "income"], n_groups=2)
    assert any("differs between groups formed by income;" in line for line in cannot_say(found))


def test_nothing_to_compare():
    assert audit(people([1.0] * 5)).conclusion.startswith("Nothing can be compared")
    assert audit(people([1.0] * 5)).verdict == "not enough evidence"


def test_nothing_is_said_twice_and_nobody_is_no_reference():
    table = people([0.3, 0.32, 0.31, 0.3], 30)
    found = audit(table, partition=[22])
    assert found.conclusion == (
        "Not enough evidence. For no group is a difference from the rest shown, and for none is it ruled out."
    )
    with pytest.raises(fg.InputError, match="nobody in the reference group"):
        audit(table, partition=[22, 1000], reference="1000 or over")


def test_two_lucky_people_are_no_yardstick():
    rng = np.random.default_rng(0)
    g = np.repeat(["a", "b", "c"], [1000, 800, 2])
    y = np.concatenate([rng.random(1000) < 0.6, rng.random(800) < 0.33, [False, False]])
    found = fg.audit({"g": g, "y": y}, sensitive="g", outcome="y", reference="best", favourable=False, checks=False)
    assert found.settings.reference == "g b"
    assert found.conclusion.startswith("People whose g is a are disadvantaged")


def test_groups_that_differ_from_each_other_are_never_not_enough_evidence():
    """Neither of two classes is shown to differ from a small reference, but they are from one another."""
    rng = np.random.default_rng(1)
    g = np.repeat(["a", "b", "c"], [1500, 1500, 12])
    y = np.concatenate([rng.random(1500) < 0.6, rng.random(1500) < 0.4, np.arange(12) % 2 == 0])
    found = fg.audit({"g": g, "y": y}, sensitive="g", outcome="y", reference="g = c", checks=False)
    assert found.verdict == "depends"
    assert "differs between groups:" in found.conclusion
    assert "points apart (95% confidence)" in found.conclusion


def test_the_same_outcome_for_all_given_classes_is_told():
    table = {"age": np.arange(300) % 60 + 18, "y": np.ones(300, dtype=int)}
    found = fg.audit(table, sensitive="age", outcome="y", partition=[35], checks=False)
    assert found.conclusion == "Nothing can be compared: all people have the same y."
    assert found.verdict == "not enough evidence"
    assert {r.verdict for r in found.records} == {"not enough evidence"}


def test_classes_without_anybody_are_told():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, 500)
    table = {"age": age, "y": rng.random(500) < 0.3 + 0.3 * (age < 40)}
    found = fg.audit(table, sensitive="age", outcome="y", partition=[40, 95], checks=False)
    assert "Nobody who counts is in age 95 or over." in found.conclusion
    assert "neither shown nor ruled out" not in found.conclusion
    found = fg.audit(table, sensitive="age", outcome="y", partition=[95], checks=False)
    assert found.conclusion == "Nothing can be compared: all people who count are in one group, age under 95."


def test_stated_differences_say_from_whom():
    rng = np.random.default_rng(3)
    found = fg.audit({"x": rng.random(800), "y": rng.random(800) < 0.4}, sensitive="x", outcome="y", checks=False)
    said = re.search(r"by ([\d.]+) points from everybody \(([\d.]+) points from all others\)", found.conclusion)
    assert float(said[2]) == pytest.approx(2 * float(said[1]), abs=0.2)


def test_a_model_s_amplification_names_its_rate():
    rng = np.random.default_rng(2)
    age = rng.integers(18, 70, 6000)
    truth = rng.random(6000) < 0.4 + 0.1 * (age < 30)
    flag = rng.random(6000) < 0.3 + 0.4 * (age < 30)
    table = {"age": age, "flag": flag, "truth": truth}
    found = fg.audit(table, sensitive="age", outcome="flag", truth="truth", measure="error_rate", partition=[30])
    assert "the share of yes in “flag” is shown to lie further from everybody's than in “truth”" in found.conclusion


def test_towns_are_no_people():
    rng = np.random.default_rng(0)
    x = rng.random(2000)
    table = {"x": x, "y": rng.random(2000) < 0.3 + 0.3 * (x < 0.2)}
    found = fg.audit(table, sensitive="x", outcome="y", unit="towns", explore=True)
    text = re.sub(r"<style.*?</style>|<script.*?</script>|<[^>]+>", " ", found.to_html(), flags=re.DOTALL)
    words = re.findall(r"[^.]*(?:[Ee]verybody|\bpeople\b|\bperson\b)[^.]*", text)
    assert not [w for w in words if "age, race" not in w], words[:5]


@pytest.mark.parametrize("values", [None, 40])
def test_a_trend_as_large_as_what_matters_is_hardly_ever_called_nothing(values):
    """10 points from one end to the other, 5 from everybody: what matters. The level lets one in forty pass."""
    said = []
    for seed in range(60):
        rng = np.random.default_rng([seed, 17])
        x = rng.random(1445) if values is None else rng.integers(0, values, 1445) / (values - 1)
        y = (rng.random(1445) < 0.45 - 0.1 * x).astype(float)
        said.append(audit({"age": x, "approved": y}).verdict)
    assert said.count("no difference found") <= 6
    assert said.count("different") + said.count("depends") >= 24


def test_no_difference_is_found_where_no_trend_reaches_what_matters():
    rng = np.random.default_rng(5)
    said = [
        audit({"age": rng.random(5000), "approved": (rng.random(5000) < 0.4).astype(float)}).verdict for _ in range(20)
    ]
    assert said.count("no difference found") >= 15


def test_what_matters_is_less_where_yes_is_rare():
    rng = np.random.default_rng(6)
    table = {"age": rng.random(4000), "approved": (np.arange(4000) < 80).astype(float)}
    rare = audit(table)
    assert rare.settings.relevant_gap == pytest.approx(0.2 * 0.02)
    assert rare.verdict == "not enough evidence"  # half of the people at twice the rate would go unnoticed
    often = audit({**table, "approved": 1 - table["approved"]})
    assert often.settings.relevant_gap == pytest.approx(rare.settings.relevant_gap)
    assert audit(table, relevant_gap=0.05).verdict == "no difference found"
    assert audit({**table, "approved": (rng.random(4000) < 0.4).astype(float)}).settings.relevant_gap == 0.05


def test_crossed_categories_say_which_attribute_matters():
    rng = np.random.default_rng(0)
    n = 3000
    table = {"class": rng.choice(list("abcdef"), n), "income": rng.choice(["low", "mid", "high"], n)}
    table["ok"] = (rng.random(n) < np.where(table["income"] == "high", 0.7, 0.3)).astype(int)
    found = fg.audit(table, sensitive=["class", "income"], outcome="ok")
    assert [one.attribute for one in found.added if one.shown] == ["income"]
    assert "At equal class the positive rate differs by income (p ≤ 0." in found.conclusion
    nothing = fg.audit(table | {"ok": rng.integers(0, 2, n)}, sensitive=["class", "income"], outcome="ok")
    assert not any(one.shown for one in nothing.added)
    assert any("18 crossed classes are judged one by one" in note for note in nothing.notes)
    alone = fg.audit(table, sensitive="income", outcome="ok")
    assert alone.added == ()


def test_a_range_at_the_end_of_the_values_tells_no_end():
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(4000))
    y = rng.random(4000) < np.where(x > 0.9, 0.7, 0.3)
    found = fg.audit({"x": x, "y": y}, sensitive="x", outcome="y", max_groups=1)
    assert found.finding.range.sides[0].high == np.inf
    assert re.search(r"People whose x is 0\.\d+ or over have a higher positive rate", found.conclusion)
    assert fg.Audit.from_json(found.to_json()).finding.range.sides == found.finding.range.sides


@pytest.mark.parametrize("low", [0, 1])
def test_one_of_two_neighbours_is_said_by_its_value(low):
    rng = np.random.default_rng(0)
    table = {"sex": rng.integers(0, 2, 3000) + low, "age": rng.integers(18, 70, 3000)}
    table["hired"] = (rng.random(3000) < 0.3 + 0.1 * (table["sex"] > low)).astype(int)
    for more in ({}, {"explore": True}, {"partition": [low + 1]}, {"given": "age"}, {"n_cells": 2}):
        found = fg.audit(table, sensitive="sex", outcome="hired", favourable=True, checks=False, **more)
        assert [record.label for record in found.records] == [f"sex = {low}", f"sex = {low + 1}"]
        assert found.conclusion.startswith(f"People whose sex is {low} are disadvantaged")
        assert not found.data.along, "there is nothing between them"
        assert "Look for yourself" not in found.to_html()
        again = fg.Audit.from_json(found.to_json())
        assert ([r.label for r in again.records], again.data.along) == ([r.label for r in found.records], False)
    both = fg.audit(table, sensitive=["sex", "age"], outcome="hired", n_groups=3, favourable=True, checks=False)
    assert any(f"sex = {low}" in record.label for record in both.records)
    named = {"partition": [low + 1], "reference": f"sex = {low}", "checks": False}
    assert fg.audit(table, sensitive="sex", outcome="hired", **named).records[0].verdict == "reference"


def test_two_values_of_which_few_have_one():
    """The ends are 0 and 1, of which everybody knows, however few have them."""
    outcome = np.arange(2000) % 3 == 0
    table = {"rare": (np.arange(2000) < 5).astype(int), "y": outcome.astype(int)}
    found = fg.audit(table, sensitive="rare", outcome="y", checks=False)
    assert (found.data.attributes[0].low, found.data.attributes[0].high) == (0.0, 1.0)
    named = fg.audit(table, sensitive="rare", outcome="y", partition=[1], checks=False)
    assert [record.label for record in named.records] == ["rare = 0", "rare = 1"]


def test_of_two_values_there_is_no_range():
    rng = np.random.default_rng(0)
    table = {"b": rng.integers(0, 2, 4000), "y": rng.integers(0, 2, 4000)}
    found = fg.audit(table, sensitive="b", outcome="y", checks=False)
    assert found.conclusion.startswith("No difference found: no difference in positive rate for y is shown by b.")
    assert "In a group with a tenth of the people" in found.conclusion
    assert "range" not in found.conclusion
    assert "in a group with 10%" in found.to_html()


@pytest.mark.parametrize("more", [{}, {"weight": "w"}, {"cluster": "who"}])
def test_so_many_of_those_who_count(more):
    rng = np.random.default_rng(3)
    table = {"age": rng.integers(18, 70, 4000), "t": rng.integers(0, 2, 4000), "w": 1 + rng.random(4000)}
    table |= {"who": np.arange(4000) // 2, "y": (rng.random(4000) < np.where(table["age"] < 40, 0.3, 0.6)).astype(int)}
    asked = {"sensitive": "age", "outcome": "y", "truth": "t", "measure": "equal_opportunity", "checks": False}
    said = fg.audit(table, **asked, **more).conclusion
    assert "true positives per 100 of the people who count in this rate" in said


def test_a_number_of_groups_of_one_category_is_not_used_and_that_is_said():
    table = {"town": np.arange(900) % 3, "y": np.arange(900) % 2}
    table["town"] = np.array(["a", "b", "c"])[table["town"]]
    found = fg.audit(table, sensitive="town", outcome="y", n_groups=2, checks=False)
    assert found.partition.n_groups == 3
    assert any("`n_groups` was not used" in note for note in found.notes)
