"""People counted in cells get the borders that they would get in memory."""

import numpy as np
import polars as pl
import pytest

import fairgroups as fg


def incomes(n, seed, heavy):
    rng = np.random.default_rng(seed)
    x = rng.lognormal(10, 1, n) if heavy else rng.normal(50_000, 15_000, n)
    rank = np.argsort(np.argsort(x)) / n
    rate = np.select([rank < 0.1, rank < 0.35, rank < 0.8], [0.2, 0.35, 0.5], 0.65)
    return pl.DataFrame({"income": x, "approved": (rng.random(n) < rate).astype(int)})


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("n_groups", ["auto", 2, 5])
def test_the_very_same_borders(heavy, n_groups):
    for seed in range(2):
        people = incomes(150_000, seed, heavy)
        assert people["income"].n_unique() > 65_536
        options = {"sensitive": "income", "outcome": "approved", "n_groups": n_groups, "checks": False}
        here, there = (fg.audit(data, **options) for data in (people, people.lazy()))
        assert here.partition == there.partition
        assert [r.n for r in here.records] == [r.n for r in there.records]
        assert [r.rate for r in here.records] == [r.rate for r in there.records]


def test_the_estimator_too():
    people = incomes(150_000, 7, heavy=True)
    here = fg.FairGroups(4).fit(people.select("income"), people["approved"])
    there = fg.FairGroups(4).fit(people.lazy(), "approved")
    assert here.partition_ == there.partition_
