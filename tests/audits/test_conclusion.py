"""The sentences that people quote: each pattern that once came out wrong, and how it reads now."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.audits.conclusion import certainty, direction_line, limit_lines, second_opinions
from fairgroups.report.sections import cannot_say, glossary, method_facts


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


def test_who_by_how_much_and_how_many():
    found = audit(STEP, favourable=True)
    assert found.verdict == "different"
    assert found.conclusion.startswith("People whose age is under 22 are disadvantaged: their positive rate is 1.0%, ")
    assert "points below everybody's 23.7% (95% interval " in found.conclusion
    assert "That is 23 fewer in every 100 than at everybody's rate, about 180 in this data." in found.conclusion
    assert "So, to a lesser degree, are people whose age is 22 to 24." in found.conclusion


def test_nobody_is_called_disadvantaged_where_no_direction_was_said():
    found = audit(STEP)
    assert "have a lower positive rate" in found.conclusion
    assert "advantaged" not in found.conclusion
    assert {r.verdict for r in found.records} <= {"lower", "higher", "no relevant difference", "not enough evidence"}
    assert "--favourable, --unfavourable" in direction_line(found)
    assert direction_line(audit(STEP, favourable=False)) == "A higher positive rate is worse for a person."


def test_neighbours_are_joined():
    found = audit(people([0.05] * 3 + [0.15] * 3 + [0.25] * 3 + [0.5] * 6, 500), favourable=True)
    assert "So, to a lesser degree, are people whose age is 23 to 28." in found.conclusion


def test_a_weak_trend_is_told():
    seen = [audit(weak_trend(seed=seed)) for seed in range(12)]
    found = next(one for one in seen if one.verdict == "depends")
    assert found.conclusion.startswith("The positive rate falls with age (p ")
    assert "in the quarter with the lowest values to " in found.conclusion
    assert found.conclusion.endswith("Where the line lies, 1\u202f445 rows cannot tell.")
    assert [r.verdict for r in found.records] == ["depends"]
    for one in seen:
        assert ("No difference found" in one.conclusion) <= (one.finding.trend.p_value > 0.05)
    quiet = fg.Audit.from_json(found.to_json())
    assert quiet.verdict == "depends"
    assert quiet.conclusion == found.conclusion
    for text in (found.to_markdown().replace("\\", ""), found._repr_html_()):
        assert "falls with age" in text


def test_nothing_found_says_what_would_have_been():
    rng = np.random.default_rng(3)
    table = {"age": rng.integers(20, 60, 20_000), "approved": (rng.random(20_000) < 0.3).astype(float)}
    found = audit(table)
    assert found.verdict == "no difference found"
    assert (
        "A tenth of the people, next to each other, would have been noticed in 80 of 100 such samples"
        in found.conclusion
    )
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
        "People whose age is under 300 are disadvantaged: their positive rate is 42.9%, 8.8 points above the rest's "
        "34.0% (95% interval 3.8 to 13.8; 4.7 points above everybody's). That is 9 more in every 100 than at the "
        "rest's rate, about 60 in this data."
    )
    assert "named in advance" in certainty(found)
    assert second_opinions(found) == ["From the lowest rate to the highest: 8.8 points (3.8 to 13.8)."]


def test_open_and_closed_comparisons_are_kept_apart():
    found = audit(people([0.5] * 2 + [0.35] * 3 + [0.2] * 4, 120), partition=[22, 25], favourable=False)
    middle = found.records[1]
    assert middle.verdict == "not enough evidence"
    assert middle.ratio_low > 1
    assert (
        "Whether age 22 to 24 differs from everybody is open; age 22 to 24 differs from age 25 or over."
        in found.conclusion
    )
    assert any("Whether these differ from everybody: age 22 to 24." in line for line in cannot_say(found))


def test_a_reference_class():
    table = people([0.5] * 3 + [0.2] * 3 + [0.35] * 3)
    found = audit(table, partition=[23, 26], reference="23 to 25", favourable=True)
    assert [r.verdict for r in found.records] == ["advantaged", "reference", "advantaged"]
    assert found.records[0].phi == pytest.approx(0.3)
    assert "30.0 points above the 20.0% of people whose age is 23 to 25" in found.conclusion
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
    assert "People whose age is 40 or over and sex is women are disadvantaged" in crossed.conclusion
    with pytest.raises(fg.InputError, match="has no borders of it"):
        audit(table, sensitive=["age", "sex"], partition={})
    with pytest.raises(fg.InputError, match="is a category"):
        audit(table, sensitive=["age", "sex"], partition={"age": [40], "sex": [1]})


def test_towns_titles_and_labels():
    options = {"unit": "towns", "label": {"age": "Mean age (years)", "approved": "High crime"}, "title": "Our towns"}
    found = audit(STEP, **options)
    assert found.conclusion.startswith("Towns whose mean age is under 22 have a lower positive rate")
    assert "above that of all towns" in found.conclusion or "below that of all towns" in found.conclusion
    page = found.to_html()
    assert "<h1>Our towns</h1>" in page
    assert ">Towns</th>" in page
    assert "Mean age (years)" in page
    assert "High crime" in page
    with pytest.raises(fg.InputError, match="neither a sensitive attribute nor the outcome"):
        audit(STEP, label={"sex": "Sex"})


def test_what_was_left_out_is_told_in_the_second_line():
    table = {**STEP, "age": np.where(np.arange(4000) < 1000, np.nan, STEP["age"])}
    found = audit(table, missing="drop")
    assert certainty(found).startswith("Found in 3\u202f000 rows; 1\u202f000 more (25%) were left out because")


def test_one_group_is_not_said_to_capture_anything():
    facts = dict(method_facts(audit(people([0.3] * 10))))
    assert facts["Groups"] == "none told apart, by an exact search"
    assert "capture" not in facts["Variance of Φ"]


def test_only_attributes_with_a_border_are_named():
    rng = np.random.default_rng(1)
    table = {"age": rng.integers(20, 60, 6000), "income": rng.integers(0, 100, 6000)}
    table["approved"] = (rng.random(6000) < np.where(table["income"] < 50, 0.2, 0.6)).astype(float)
    found = audit(table, sensitive=["age", "income"], n_groups=2)
    assert any("goes with income;" in line for line in cannot_say(found))


def test_nothing_to_compare():
    assert audit(people([1.0] * 5)).conclusion.startswith("Nothing can be compared")
    assert audit(people([1.0] * 5)).verdict == "not enough evidence"


def test_the_four_fifths_rule_is_not_for_age():
    words = dict(glossary(audit(STEP), repaired=False))
    assert "not for age" in words["Ratio to the highest rate"]
    assert not any("K-Means" in text for text in words.values())


def test_limits_are_told_one_by_one():
    found = audit(STEP, favourable=True, max_gap=0.3, max_harm=0.1, min_ratio=0.8)
    assert limit_lines(found) == [
        "Limit of 30.0 points on every group's difference: kept.",
        "Limit of 10.0 points on every group's difference to its harm: exceeded.",
        "Limit of 0.8 on every group's ratio to the best rate: exceeded.",
    ]
    assert found.limit == "exceeded"
