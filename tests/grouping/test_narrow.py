"""Audits of many attributes look first for those by which people differ most."""

import numpy as np

import fairgroups as fg
from fairgroups.grouping.narrow import sets_of


def table(effect, n=4000, seed=0):
    rng = np.random.default_rng(seed)
    columns = {f"x{i}": rng.normal(size=n) for i in range(5)} | {f"c{i}": rng.choice(list("abc"), n) for i in range(3)}
    box = (columns["x1"] > 0) & (columns["c2"] == "b")
    return columns | {"y": rng.random(n) < 0.3 + effect * box}


def test_the_right_two_of_eight_are_audited():
    data = table(0.3)
    found = fg.audit(data, sensitive=[name for name in data if name != "y"], outcome="y", checks=False)
    assert [a.name for a in found.data.attributes] == ["x1", "c2"]
    assert found.verdict == "different"
    assert found.settings.level == 0.9987  # 0.05 over 36 sets, rounded up
    assert "Of 8 attributes" in found.notes[0]


def test_nothing_is_found_where_nothing_is():
    for seed in range(5):
        data = table(0.0, 1000, seed)
        found = fg.audit(data, sensitive=[name for name in data if name != "y"], outcome="y", checks=False)
        assert found.verdict not in ("different", "depends")


def test_sets():
    assert [sets_of(n) for n in (1, 2, 3, 10)] == [1, 3, 6, 55]


def many(seed, n=12_000):
    """Return people of four categories; a level of one in fifty is 15 points below, and two halves are 7 apart."""
    rng = np.random.default_rng(seed)
    table = {
        "region": rng.choice(list("pqrs"), n),
        "c": rng.choice(["p", "q", "s"], n, p=[0.6, 0.38, 0.02]),
        "d": rng.choice(["u", "v"], n),
        "e": rng.choice(["u", "v"], n),
    }
    p = 0.5 + np.where(table["e"] == "u", -0.035, 0.035) - 0.15 * (table["c"] == "s")
    return table | {"y": (rng.random(n) < p).astype(int)}


def test_a_limit_is_not_kept_by_the_chosen_attributes_alone():
    table = many(1)
    asked = {"sensitive": ["region", "c", "d", "e"], "outcome": "y", "favourable": True, "checks": False}
    found = fg.audit(table, **asked, max_gap=0.1)
    assert [a.name for a in found.data.attributes] == ["e"]
    assert fg.audit(table, **{**asked, "sensitive": "c"}, max_gap=0.1).limit == "exceeded"
    assert found.limit != "kept"
    assert fg.audit(table, **asked, max_gap=0.45).limit == "kept"
    assert fg.audit(table, **asked, min_ratio=0.1).limit == "not enough evidence"  # ratios of the others are not judged


def test_what_was_asked_is_kept():
    found = fg.audit(many(1), sensitive=["region", "c", "d", "e"], outcome="y", label={"c": "Class"}, checks=False)
    assert found.settings.asked["sensitive"] == ["region", "c", "d", "e"]
    assert found.settings.asked["level"] == 0.95
    assert "sensitive=['region', 'c', 'd', 'e']" in found.settings.call
    assert found.settings.sensitive == ("e",)
    assert "Of the 4 attributes, that by which people differ most was divided into groups" in found.conclusion


def test_nothing_is_said_of_all_attributes():
    rng = np.random.default_rng(1)
    table = {name: rng.normal(size=2000) for name in "abcd"} | {"e": rng.integers(0, 2, 2000)}
    found = fg.audit(table | {"y": rng.random(2000) < 0.3}, sensitive=list("abcde"), outcome="y", checks=False)
    assert found.verdict == "not enough evidence"
    assert "no difference is shown by any of a, b, c, d and e, alone or in pairs" in found.conclusion


def test_what_the_look_shows_is_not_called_nothing():
    """Where the groups show nothing at the level that pays for the choice, the look at all of them may."""
    seen = set()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        table = {name: rng.normal(size=4000) for name in "abcd"} | {"e": rng.choice(list("xyz"), 4000)}
        table["y"] = rng.random(4000) < 0.3 + 0.1 * ((table["a"] > 0.3) & (table["e"] == "x"))
        found = fg.audit(table, sensitive=list("abcde"), outcome="y", checks=False)
        seen.add(found.verdict)
        if found.verdict == "depends":
            assert found.finding.p_value <= 0.05
    assert "depends" in seen
