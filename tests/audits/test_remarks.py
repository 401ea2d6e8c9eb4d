"""What is said beside the finding."""

import numpy as np

import fairgroups as fg
from fairgroups.audits.remarks import certainty, direction_line, limit_lines, second_opinions
from fairgroups.report.sections import glossary, method_facts


def people(rates, size=400):
    age = np.repeat(20 + np.arange(len(rates)), size)
    y = np.concatenate([np.arange(size) < round(size * rate) for rate in rates]).astype(float)
    return {"age": age, "approved": y}


def audit(table, **options):
    return fg.audit(table, **{"sensitive": "age", "outcome": "approved", "checks": False, **options})


STEP = people([0.0, 0.02, 0.1, 0.12, 0.11, 0.4, 0.41, 0.4, 0.4, 0.41])


def test_what_higher_means_is_told_as_it_was_said():
    assert direction_line(audit(STEP, favourable=False)) == (
        "The audit was told that approved is bad to receive: a higher positive rate counts as worse for the people "
        "concerned."
    )
    error = audit({**STEP, "t": STEP["approved"] == 0}, truth="t", measure="error_rate", favourable=True)
    assert "higher or lower" in direction_line(error) or error.verdict not in ("different", "depends")


def test_groups_that_were_the_most_allowed_are_not_called_enough():
    rng = np.random.default_rng(0)
    x = rng.random(20_000)
    found = audit({"age": x, "approved": rng.random(20_000) < 0.1 + 0.8 * x}, max_groups=3)
    assert "Number of groups: 3, the most allowed; differences remain inside some of them." in second_opinions(found)


def test_several_rates_share_the_error():
    rng = np.random.default_rng(0)
    table = {"age": rng.random(3000), "approved": rng.integers(0, 2, 3000), "t": rng.integers(0, 2, 3000)}
    both = audit(table, truth="t", measure="equalized_odds", favourable=True)
    assert "every range of age and for both rates" in certainty(both)
    for part in both.parts:
        assert part.finding.trend.shown == (part.finding.trend.p_value <= 0.025)


def test_what_was_left_out_is_told_in_the_second_line():
    table = {**STEP, "age": np.where(np.arange(4000) < 1000, np.nan, STEP["age"])}
    found = audit(table, missing="drop")
    assert certainty(found).startswith("Based on 3,000 rows; 1,000 more (25%) were left out because")


RATIO = (
    "Each group's positive rate and the best one (age 25 or over) must be in a ratio of at least 0.8, the smaller to "
    "the larger: shown not to be met; the smallest is 0.02 (0.01–0.07), age under 22."
)


def test_limits_are_told_one_by_one():
    found = audit(STEP, favourable=True, max_gap=0.3, max_harm=0.1, min_ratio=0.8)
    assert limit_lines(found) == [
        "No group may differ by more than 30.0 points: shown to be kept.",
        "No group may be worse off by more than 10.0 points: shown to be exceeded.",
        RATIO,
    ]
    assert found.limit == "exceeded"


def test_the_four_fifths_rule_is_not_for_age():
    words = dict(glossary(audit(STEP), repaired=False))
    assert "not for age" in words["Ratio to the highest rate"]
    assert not any("K-Means" in text for text in words.values())


def test_one_group_is_not_said_to_capture_anything():
    facts = dict(method_facts(audit(people([0.3] * 10))))
    assert facts["Groups"] == "none told apart, by an exact search"
    assert "capture" not in facts["Variance of Φ"]
