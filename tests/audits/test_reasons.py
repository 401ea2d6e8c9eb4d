"""Reasons in an audit: the split, its words, its options, and what it refuses."""

import re
from dataclasses import fields, replace

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.audits.reasons import GroupReasons, split_of


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 6_000
    z = rng.integers(0, 10, n)
    age = np.clip(np.round(25 + 3 * z + 9 * rng.normal(size=n)), 18, 80)
    truth = (rng.random(n) < 0.2 + 0.06 * z).astype(int)
    y = (rng.random(n) < np.clip(0.15 + 0.6 * truth - 0.14 * (age < 30), 0, 1)).astype(int)
    pay = 1000 + 50 * z - 80 * (age < 30) + 60 * rng.normal(size=n)
    return {
        "age": age,
        "z": z,
        "t": truth,
        "y": y,
        "pay": pay,
        "sex": rng.choice(["f", "m"], n),
        "who": np.repeat(np.arange(n // 2), 2),
        "w": rng.uniform(0.5, 2, n),
        "model": 0.15 + 0.6 * (0.2 + 0.06 * z),
    }


ASKED = {"sensitive": "age", "outcome": "y", "favourable": True, "checks": False}


def test_the_sentence_and_the_numbers_below_it(table):
    found = fg.audit(table, **ASKED, given="z", label={"z": "Schooling (years)"})
    one, record = found.reasons.groups[0], found.records[0]
    assert found.conclusion.startswith(
        "People whose age is under 30 are disadvantaged at equal schooling: their positive rate for y is "
    )
    assert "lower than that of comparable people (95% interval" in found.conclusion
    assert re.search(r"equal, it is [\d.]+ points below everybody's; [\d.]+ of these go with", found.conclusion)
    assert record.phi == one.matched
    assert (record.low, record.high) == (one.matched_low, one.matched_high)
    assert one.difference == pytest.approx(one.explained + one.unexplained, abs=1e-12)
    assert one.difference == pytest.approx(record.rate - found.overall, abs=1e-12)
    assert one.unexplained_low < one.unexplained < one.unexplained_high < 0
    assert found.settings.whom == "comparable people"
    assert all(np.isfinite(stretch.at_equal) for stretch in found.curve)
    assert found.tables["reasons"]["label"][0] == record.label


@pytest.mark.parametrize(
    "more",
    [
        {"measure": "equalized_odds", "truth": "t"},
        {"measure": "error_rate", "truth": "t"},
        {"outcome": "pay"},
        {"weight": "w"},
        {"cluster": "who"},
        {"seek": "raw"},
        {"n_groups": 3},
        {"against": "everyone"},
        {"sensitive": ["age", "sex"]},
        {"partition": [30, 50], "max_gap": 0.05},
        {"how": "model"},
    ],
    ids=lambda more: "-".join(map(str, more.values())),
)
def test_every_kind_of_audit_adds_up_and_is_written(table, more):
    found = fg.audit(table, **{**ASKED, **more}, given="z")
    for part in found.parts:
        for one, record in zip(part.reasons.groups, part.records, strict=True):
            assert one.difference == pytest.approx(one.explained + one.unexplained, abs=1e-9)
            value = one.unexplained if more.get("against") == "everyone" else one.matched
            assert record.phi == pytest.approx(value, abs=1e-12)
    assert type(found).from_json(found.to_json()) == found
    assert "At equal z" in found.to_html()
    assert "## At equal z" in found.to_markdown()


def test_what_a_model_of_ones_own_expects(table):
    found = fg.audit(table, **ASKED, expected="model")
    by_factor = fg.audit(table, **ASKED, given="z")
    assert found.reasons.groups[0].matched == pytest.approx(by_factor.reasons.groups[0].matched, abs=1e-9)
    assert "at equal model" in found.conclusion


def test_groups_of_the_raw_search_are_kept(table):
    raw = fg.audit(table, **ASKED)
    split = fg.audit(table, **ASKED, given="z", seek="raw")
    assert split.partition == raw.partition
    assert [one.difference for one in split.reasons.groups] == pytest.approx([r.phi for r in raw.records], abs=1e-12)


def test_which_factor_carries(table):
    rng = np.random.default_rng(1)
    found = fg.audit({**table, "noise": rng.integers(0, 3, 6_000)}, **ASKED, given=["z", "noise"])
    carried, idle = found.reasons.factors
    one = found.reasons.groups[0]
    assert abs(carried.without[0]) > abs(one.unexplained) + 0.02
    assert idle.without[0] == pytest.approx(one.unexplained, abs=0.01)


def test_the_order_of_rows_does_not_matter(table):
    order = np.random.default_rng(0).permutation(6_000)
    mixed = {name: np.asarray(values)[order] for name, values in table.items()}
    one, two = (fg.audit(data, **ASKED, given=["z", "sex"]) for data in (table, mixed))
    assert one.conclusion == two.conclusion
    assert one.partition == two.partition


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"given": "age"}, "is audited, and cannot be held equal"),
        ({"given": ["z", "y"]}, "is audited, and cannot be held equal"),
        ({"given": "nope"}, "no column 'nope'"),
        ({"given": 3}, "must be the name of a column"),
        ({"given": "z", "min_ratio": 0.8}, "`min_ratio` does not go with"),
        ({"given": "z", "inference": "crossfit"}, "`inference` does not go with"),
        ({"given": "z", "partition": [40], "reference": "best"}, "`reference` does not go with"),
        ({"given": "z", "compare_with": "t"}, "`compare_with` does not go with"),
        ({"given": "z", "how": "magic"}, "`how` must be one of"),
        ({"given": "z", "seek": "all"}, "`seek` must be"),
        ({"how": "model"}, "none is named"),
        ({"seek": "raw"}, "none is named"),
    ],
)
def test_what_does_not_go_together(table, more, said):
    with pytest.raises(fg.InputError, match=said):
        fg.audit(table, **ASKED, **more)


def test_few_rows_and_no_spread(table):
    few = {name: values[:15] for name, values in table.items()}
    assert fg.audit(few, **ASKED, given="z").verdict == "not enough evidence"
    alike = fg.audit({**table, "y": np.zeros(6_000, int)}, **ASKED, given="z")
    assert alike.conclusion.startswith("Nothing can be compared")
    everybody_apart = fg.audit({**table, "id": np.arange(6_000.0)}, **ASKED, given="id", how="strata")
    assert everybody_apart.reasons.strata < 3_000


def test_a_baseline_at_equal_factors(table):
    old = fg.audit(table, **ASKED, given="z")
    again = fg.audit(table, **ASKED, given="z", partition=old.partition)
    changes = fg.compare_to_baseline(again, old)
    assert [change.verdict for change in changes] == ["no change shown"] * len(old.records)
    with pytest.raises(fg.InputError, match="given is"):
        fg.compare_to_baseline(fg.audit(table, **ASKED, partition=old.partition, against="rest"), old)


def test_a_few_people_alike_in_outcome_show_nothing():
    people = {"age": [30, 50] * 4, "z": ["a"] * 8, "y": [0] * 8}
    found = fg.audit(people, sensitive="age", outcome="y", partition=[40], given="z", checks=False)
    assert found.verdict == "not enough evidence"
    assert all(record.high - record.low > 0.3 for record in found.records)


def test_no_interval_goes_beyond_all(table):
    few = {name: values[:40] for name, values in table.items()}
    found = fg.audit(few, **ASKED, given="z", partition=[35])
    assert all(-1 <= record.low <= record.high <= 1 for record in found.records)


@pytest.mark.parametrize("weights", ["exponential", "clusters"])
def test_uneven_weights_and_clusters(weights):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=500)
        people = {"age": z + rng.normal(size=500), "z": z, "y": (rng.random(500) < 0.3).astype(int)}
        more = (
            {"weight": rng.exponential(size=500)} if weights == "exponential" else {"cluster": rng.integers(0, 40, 500)}
        )
        (role,) = more
        found = fg.audit({**people, "own": more[role]}, **ASKED, given="z", **{role: "own"})
        assert all(np.isfinite(stretch.at_equal) for stretch in found.curve)


def test_a_factor_that_is_the_attribute_leaves_nobody_to_compare():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 70, 3_000)
    people = {"age": age, "again": age, "y": (rng.random(3_000) < 0.2 + 0.3 * (age < 30)).astype(int)}
    assert fg.audit(people, **ASKED, given="again").verdict == "not enough evidence"


def test_one_number_of_what_is_left_is_said(table):
    rng = np.random.default_rng(3)
    people = {**table, "y": (rng.random(6_000) < 0.2 + 0.05 * table["z"]).astype(int)}
    found = fg.audit(people, **ASKED, given="z", partition=[32], against="everyone")
    assert "of what z would suggest" in found.conclusion or "from what z would suggest" in found.conclusion
    assert "comparable people" not in found.conclusion
    numbers = {f.name: 0.0 for f in fields(GroupReasons) if f.name != "label"}
    numbers |= {"difference": -0.112, "explained": -0.096, "unexplained": -0.016}
    one = GroupReasons("young", **{**numbers, "unexplained_low": -0.047, "unexplained_high": 0.015})
    reasons = replace(found.reasons, groups=(one,))
    said = "Without holding z equal, it is 11.2 points below everybody's; 9.6 of these go with z."
    assert split_of(reasons, 0, True, "people") == said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"given": ""}, "empty name"),
        ({"expected": "age"}, "is audited"),
        ({"expected": "y"}, "is audited"),
        ({"given": "id"}, "different for nearly everybody"),
    ],
)
def test_names_that_cannot_be_meant(table, more, said):
    people = {**table, "id": [f"p{i}" for i in range(6_000)]}
    few = {name: values[:4_000] for name, values in people.items()}
    with pytest.raises(fg.InputError, match=said):
        fg.audit(few, **ASKED, **more)


def test_people_of_missing_attributes_are_no_group_at_equal_factors():
    rng = np.random.default_rng(2)
    g, y = rng.integers(0, 3, 2000), rng.random(2000)
    x, absent = g + rng.normal(0, 0.8, 2000), rng.random(2000) < np.array([0.02, 0.15, 0.4])[g]
    table = {"x": x, "y": y, "g": g, "o": (rng.random(2000) < np.where(absent, 0.9, 0.3)).astype(int)}
    x[absent] = np.nan
    for names in ("x", ["x", "y"]):
        with pytest.raises(fg.InputError, match="rows of missing x.* cannot be a group where people are compared"):
            fg.audit(table, sensitive=names, outcome="o", given=["g"], missing="group", checks=False)
        found = fg.audit(table, sensitive=names, outcome="o", given=["g"], missing="drop", checks=False)
        assert found.verdict in ("no difference found", "not enough evidence")
