import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import average_precision_score

from fairgroups import FairGroups, FairKMeans, InputError, Partition, ScoreRepair, tradeoff
from fairgroups.charts.style import to_svg
from fairgroups.repair.quality import People, quality
from fairgroups.repair.tradeoff import BEFORE
from fairgroups.repair.transport import largest_gap
from fairgroups.rows.column_kinds import Column

pytestmark = pytest.mark.filterwarnings("ignore::fairgroups.FairnessWarning")  # few groups leave much


def people(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 70, n)
    score = np.clip(rng.normal(0.1 + age / 100, 0.15), 0, 1)
    return {"age": age, "score": score, "hired": (rng.random(n) < score).astype(int), "part": np.arange(n) % 4}


COLUMNS = {"score": "score", "sensitive": "age", "truth": "hired"}


@pytest.fixture(scope="module")
def found():
    methods = {"scale": [30, 45, 60], "K-Means": FairKMeans(4), "exact": ScoreRepair()}
    return tradeoff(pd.DataFrame(people()), **COLUMNS, methods=methods, max_gap=(0, 0.1))


def test_the_measures_are_those_of_scores_before(found):
    data = people()
    assert found.value("accuracy")["value"] == np.mean((data["score"] >= 0.5) == data["hired"])
    assert found.value("pr_auc")["value"] == pytest.approx(average_precision_score(data["hired"], data["score"]))
    assert found.value("hgr")["value"] > 0.6
    for record in found.records:
        assert record["low"] <= record["value"] <= record["high"]
        assert record["change"] == pytest.approx(record["value"] - record["before"])


def test_a_repair_takes_dependence_and_costs_little(found):
    for method in ("scale", "exact"):
        for gap, most in ((0.0, 0.25), (0.1, 0.4)):
            assert found.value("hgr", method, gap)["value"] < most
            assert found.value("accuracy", method, gap)["change_low"] > -0.1
    loose, tight = (found.value("score_gap", "scale", gap)["value"] for gap in (0.1, 0.0))
    assert tight < found.value("score_gap", "scale", 0.0)["floor"] * 1.2 < loose
    assert found.value("parity_gap", "scale", 0.0)["before"] > 0.4


def test_the_tables_and_the_repairs(found):
    assert isinstance(found.table, pd.DataFrame)
    assert list(found.table["method"]) == [BEFORE, "scale", "scale", "K-Means", "K-Means", "exact", "exact"]
    assert len(found.long_table) == len(found.records)
    repair = found.repairs["scale", 0.1]
    assert repair.partition_.labels[0] == "age < 30"
    data = people()
    assert (repair.transform(data["score"], sensitive=data["age"]) != data["score"]).any()
    with pytest.raises(KeyError):
        found.value("accuracy", "scale", 0.3)
    lazy = tradeoff(pl.DataFrame(people(400)), **COLUMNS, max_gap=0)
    assert isinstance(lazy.table, pl.DataFrame)


def test_the_pictures(found):
    for chart in (
        found.frontier_chart(),
        found.frontier_chart("pr_auc", "parity_gap"),
        found.distribution_chart(),
        found.distribution_chart("exact", 0.1),
    ):
        assert "<svg" in to_svg(chart)
    with pytest.raises(InputError, match="was not measured"):
        found.frontier_chart("beauty")
    with pytest.raises(InputError, match="there is no repair"):
        found.distribution_chart("beauty")


def test_people_left_out_are_left_out():
    """A group of the fit that fits one fold only cannot help the others: each fold gets maps of the rest."""
    data = people(400)
    seen = []

    class Spy(ScoreRepair):
        def fit_without_judgement(self, people, like=None):
            seen.append(set(people.score.tolist()))
            return super().fit_without_judgement(people, like)

        def transform(self, score, *, sensitive, key=None):
            if len(seen) < 5 and len(score) < 200:
                assert not seen[-1] & set(np.asarray(score).tolist())
            return super().transform(score, sensitive=sensitive, key=key)

    data["score"] = data["score"] + np.arange(400) * 1e-9
    tradeoff(data, **COLUMNS, methods={"spy": Spy([45])}, max_gap=0, fold="part")
    assert [len(part) for part in seen] == [300] * 4 + [400]


def test_intervals_hold():
    """The accuracy, AUC and dependence before repair, of which the truth is known from a large sample."""
    many = people(400_000, 99)
    all_of_them = People(
        many["score"],
        many["hired"].astype(float),
        [Column("age", many["age"])],
        np.ones(400_000),
        np.zeros(400_000, dtype=int),
        0.5,
        np.zeros(400_000, dtype=int),
    )
    truth = quality(all_of_them, many["score"], np.arange(400_000))
    inside = dict.fromkeys(("accuracy", "roc_auc", "hgr", "decision_dependence"), 0)
    for seed in range(60):
        found = tradeoff(people(2000, seed), **COLUMNS, methods={"none": [45]}, max_gap=1.0)
        for name in inside:
            record = found.value(name)
            inside[name] += record["low"] <= truth[name] <= record["high"]
    assert min(inside.values()) >= 52, inside


def test_the_gap_on_people_left_out_is_within_its_floor():
    """At a gap of 0 what is left on others is what chance shows: about 1 in 20 above its 95 % quantile, not many."""
    above = 0
    for seed in range(20):
        found = tradeoff(people(2000, seed), **COLUMNS, methods={"scale": [30, 45, 60]}, max_gap=0.0)
        record = found.value("score_gap", "scale")
        # the maps carry noise of their own: two samples differ by √(1 + 1/4) as much as one sample's halves
        above += record["value"] > 1.25 * record["floor"]
    assert above <= 4


def test_other_scores_clusters_weights_and_two_attributes():
    data = people(1200)
    data["amount"] = 1000 * data["score"] - 300
    plain = tradeoff(data, score="amount", sensitive="age", methods={"a": [45]}, max_gap=0)
    assert {r["measure"] for r in plain.records} == {"hgr", "mean_change", "score_gap"}
    data["sex"] = np.where(np.arange(1200) % 2, "f", "m")
    data["weight"] = np.random.default_rng(0).uniform(0.5, 2, 1200)
    data["person"] = np.arange(1200) // 3
    both = tradeoff(
        data,
        score="score",
        sensitive=["age", "sex"],
        truth="hired",
        weight="weight",
        cluster="person",
        methods={"boxes": FairGroups(3)},
        max_gap=0.05,
    )
    assert both.value("score_gap", "boxes")["value"] < both.value("score_gap", "boxes")["before"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": {}}, "names with what to compare"),
        ({"methods": {BEFORE: [3]}}, "another name"),
        ({"max_gap": ()}, "holds no gap"),
        ({"max_gap": 3}, "between 0 and 1"),
        ({"threshold": float("nan")}, "`threshold`"),
        ({"missing": "group"}, "attribute is known"),
        ({"positive": 7}, "never holds 7"),
        ({"level": 2}, "`level`"),
        ({"n_folds": 1}, "`n_folds`"),
        ({"fold": "part", "cluster": "part"}, "both named"),
        ({"score": "nothing"}, "no column 'nothing'"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(InputError, match=message):
        tradeoff(people(200), **{**COLUMNS, **options})


def test_groups_may_be_found_by_an_estimator():
    data = people(1000)
    repair = ScoreRepair(FairGroups(3)).fit(data["score"], sensitive=data["age"])
    assert isinstance(repair.partition_, Partition)
    assert repair.partition_.n_groups == 3
    assert not hasattr(repair.partition, "partition_")


def test_the_interval_of_the_gap_holds():
    """The gap of the final repair on many others, as far as the folds' repairs are like it."""
    inside = {0.0: 0, 0.1: 0}
    many = people(200_000, 999)
    for seed in range(12):
        found = tradeoff(people(2000, seed), **COLUMNS, methods={"m": [36, 53]}, max_gap=(0.0, 0.1))
        for gap in inside:
            repair, record = found.repairs["m", gap], found.value("score_gap", "m", gap)
            truth = largest_gap(repair.transform(many["score"], sensitive=many["age"]), repair.assign(many["age"]))
            inside[gap] += record["low"] <= truth <= record["high"]
    assert min(inside.values()) >= 10, inside


def test_positive_is_for_the_true_label_and_keys_tell_people_apart():
    rng = np.random.default_rng(0)
    tone = rng.integers(0, 3, 3000).astype(float)
    score = (rng.random(3000) < 0.3 + 0.2 * tone).astype(float)
    data = {"tone": tone, "score": score, "label": np.where(score > 0, "no", "yes"), "id": np.arange(3000)}
    options = {"score": "score", "sensitive": "tone", "truth": "label", "methods": {"m": [0.5, 1.5]}, "max_gap": 0}
    found = tradeoff(data, **options, positive="yes", key="id")
    assert found.value("accuracy")["value"] == 0  # the score says no where the label says yes
    assert found.value("score_gap", "m")["value"] < 0.1 < found.value("score_gap", "m")["before"]
    apart = tradeoff(data, **options, positive="no")
    assert apart.value("accuracy")["value"] == 1
    assert apart.value("changed_decisions", "m")["value"] == 0  # without keys nobody can be told apart
    with pytest.raises(InputError, match="whole numbers"):
        tradeoff({**data, "id": np.arange(3000) + 0.5}, **options, positive="no", key="id")


def test_a_score_of_labels_gets_a_hint_that_can_be_followed():
    table = {"age": list(range(20, 60)), "sex": ["Female", "Male"] * 20}
    with pytest.raises(InputError, match="a score is a number"):
        tradeoff(table, score="sex", sensitive="age")
