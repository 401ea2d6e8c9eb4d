import numpy as np
import pytest

from fairgroups.repair.effects import effects_of
from fairgroups.repair.quality import People
from fairgroups.rows.column_kinds import Column


def test_who_gains_and_who_loses_in_people():
    rng = np.random.default_rng(0)
    n = 2000
    age = rng.uniform(20, 70, n)
    score = rng.random(n)
    label = (rng.random(n) < score).astype(float)
    fair = np.clip(score + np.where(age < 45, 0.1, -0.1), 0, 1)
    codes = (age >= 45).astype(int)
    people = People(score, label, [Column("age", age)], np.ones(n), np.zeros(n, dtype=int), 0.5, codes)
    young, old, *stretches = effects_of(people, fair, ("young", "old"))
    here = age < 45
    assert (young.said, young.people, young.down, old.up) == ("young", int(here.sum()), 0, 0)
    assert young.up == np.count_nonzero(here & (score < 0.5) & (fair >= 0.5))
    assert young.fair_yes == pytest.approx(np.mean(fair[here] >= 0.5))
    assert young.right == pytest.approx(np.mean((score[here] >= 0.5) == label[here]))
    assert young.fair_bias - young.bias == pytest.approx(np.mean(fair[here] - score[here]))
    assert len(stretches) == 10
    assert sum(one.people for one in stretches) == n
    few = People(
        score, None, [Column("age", age)], np.ones(n), np.zeros(n, dtype=int), None, np.where(age < 20.1, 0, 1)
    )
    told = effects_of(few, fair, ("hardly anybody", "others"))
    assert told[0].said == "others"  # nothing is told of fewer than ten people
    assert told[0].yes is None
    assert told[0].table_row["bias"] is None
