"""Every rate of the groups side by side, by hand."""

import numpy as np
import pytest

import fairgroups as fg


def table(n=4000):
    rng = np.random.default_rng(0)
    age, merit = rng.integers(20, 60, n), rng.integers(0, 2, n)
    hired = (rng.random(n) < 0.2 + 0.5 * merit - 0.1 * (age < 30)).astype(int)
    return {"age": age, "merit": merit, "hired": hired}


@pytest.mark.parametrize("options", [{"partition": [30]}, {}, {"n_groups": 2, "inference": "crossfit"}])
def test_rates_by_hand(options):
    people = table()
    found = fg.audit(people, sensitive="age", outcome="hired", truth="merit", checks=False, **options)
    assert [column.measure for column in found.rates] == [
        "statistical_parity",
        "equal_opportunity",
        "predictive_equality",
        "error_rate",
        "precision",
    ]
    for column in found.rates:
        for one in column.groups:
            assert one.low <= one.rate <= one.high
    if "inference" in options:
        return
    codes = found.partition.assign(people["age"])
    for k in range(found.partition.n_groups):
        hired, merit = people["hired"][codes == k], people["merit"][codes == k]
        by_hand = [hired.mean(), hired[merit == 1].mean(), hired[merit == 0].mean(), (hired != merit).mean()]
        assert [column.groups[k].rate for column in found.rates[:4]] == pytest.approx(by_hand)
    rows = found.tables["rates"]
    assert rows["group"][0] == found.records[0].label
    assert "Every rate of these groups" in found.to_html()
    assert "## Every rate of these groups" in found.to_markdown()


def test_without_a_truth_there_is_one_rate():
    people = table()
    assert fg.audit(people, sensitive="age", outcome="hired", checks=False).rates == ()


def test_rates_of_few_are_not_told_of_groups_that_were_searched_for():
    rng = np.random.default_rng(9)
    age = rng.integers(18, 80, 1500)
    table = {
        "age": age,
        "t": (rng.random(1500) < np.where(age < 30, 0.02, 0.3)).astype(int),
        "y": (rng.random(1500) < np.where(age < 30, 0.1, 0.5)).astype(int),
    }
    options = {"sensitive": "age", "outcome": "y", "truth": "t", "checks": False}
    found = fg.audit(table, **options)
    columns = {column.measure: column for column in found.rates}
    assert min(one.counted for one in columns["equal_opportunity"].groups) < 10
    for column in columns.values():
        assert [np.isnan(one.rate) for one in column.groups] == [one.counted < 10 for one in column.groups]
    assert fg.Audit.from_json(found.to_json()) == found
    named = fg.audit(table, **options, partition=[29])
    assert not any(np.isnan(one.rate) for column in named.rates for one in column.groups), "who names groups minds it"
    told = fg.audit(table, **options, min_cell=1)
    assert not any(np.isnan(one.rate) for column in told.rates for one in column.groups)
