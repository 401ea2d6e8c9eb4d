import numpy as np

from fairgroups import FairGroups, ScoreRepair, tradeoff


def people(seed=0, n=1500):
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 70, n)
    score = np.clip(rng.normal(0.1 + age / 100, 0.15), 0, 1)
    return {"age": age, "score": score, "hired": (rng.random(n) < score).astype(int), "id": np.arange(n)}


def test_the_order_of_rows_does_not_matter():
    data = people()
    order = np.random.default_rng(1).permutation(1500)
    shuffled = {name: column[order] for name, column in data.items()}
    options = {"score": "score", "sensitive": "age", "truth": "hired", "max_gap": 0.05}
    one, other = (tradeoff(table, **options) for table in (data, shuffled))
    for here, there in zip(one.records, other.records, strict=True):
        assert np.allclose(here["value"], there["value"], equal_nan=True), here["measure"]


def test_all_methods_are_held_against_the_same_groups():
    data = people()
    methods = {"two": [45], "six": FairGroups(6), "exact": ScoreRepair()}
    found = tradeoff(data, score="score", sensitive="age", methods=methods, max_gap=0)
    assert len({record["before"] for record in found.records if record["measure"] == "score_gap"}) == 1
    gaps = {name: found.value("score_gap", name)["value"] for name in methods}
    assert gaps["two"] > gaps["six"] > 0.5 * gaps["exact"]
    own = tradeoff(data, score="score", sensitive="age", methods={"two": [45]}, max_gap=0)
    assert own.groups.edges == (45,)
    asked = tradeoff(data, score="score", sensitive="age", methods=methods, groups=[30, 60], max_gap=0)
    assert asked.groups.edges == (30, 60)


def test_a_number_may_be_the_truth():
    data = people()
    data["wage"] = 1000 * data["score"] + np.random.default_rng(2).normal(0, 50, 1500)
    data["told"] = 1000 * data["score"]
    found = tradeoff(data, score="told", sensitive="age", truth="wage", max_gap=0)
    assert found.value("r2")["value"] > 0.85
    assert found.value("r2", "exact attribute", 0.0)["change"] < 0
    assert found.value("mean_error")["value"] < 60
    assert "Tradeoff(" in repr(found)
    assert len(repr(found)) < 300
