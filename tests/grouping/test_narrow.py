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
