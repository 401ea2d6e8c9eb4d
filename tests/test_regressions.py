"""Faults that were found by reading the whole code once, each kept as a test: what they had in common was the house."""

import pickle

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import fairgroups as fg


def wages(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 66, n)
    return {"age": age, "wage": rng.normal(90 + 12 * (age >= 30), 10), "offer": rng.normal(90 + 8 * (age >= 30), 10)}


def boxes():
    return fg.Partition.from_boxes(
        ("x", "y"),
        (
            (fg.Interval(high=0.333), fg.Interval()),
            (fg.Interval(0.333), fg.Interval(high=0.777)),
            (fg.Interval(0.333), fg.Interval(0.777)),
        ),
    )


def plane(n=200_000, seed=1):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(0.4, 0.2, n), rng.normal(0.7, 0.2, n)
    return pd.DataFrame({"x": x, "y": y, "hired": (rng.random(n) < 0.3 + 0.2 * (x < 0.333)).astype(int)})


def test_b1_the_band_speaks_of_the_outcome_itself():
    found = fg.audit(wages(), sensitive="age", outcome="wage", checks=False)
    young = np.asarray(wages()["wage"])[np.asarray(wages()["age"]) <= 29]
    assert found.band.interval(18, 29).rate == pytest.approx(young.mean(), abs=1e-9)
    assert found.band.interval(18, 29).rate_low < young.mean() < found.band.interval(18, 29).rate_high
    assert found.band.overall == pytest.approx(np.mean(wages()["wage"]), abs=1e-9)


def test_b2_the_checks_speak_of_the_outcome_itself():
    found = fg.audit(wages(), sensitive="age", outcome="wage", compare_with="offer")
    curves = found.checks.amplification.curves
    assert all(80 < point.rate < 110 for curve in curves.values() for point in curve)
    rng = np.random.default_rng(0)
    age = np.arange(4000) % 40
    bent = fg.audit(
        {"age": age, "wage": 100 + 5 * np.abs(age - 20) + rng.normal(0, 1, 4000)}, sensitive="age", outcome="wage"
    )
    assert bent.checks.monotonicity.violation.before > 90


def test_b3_given_boxes_count_the_same_people_in_a_lazy_frame():
    people = plane()
    options = {"sensitive": ["x", "y"], "outcome": "hired", "partition": boxes(), "checks": False}
    here, there = (fg.audit(data, **options) for data in (people, pl.LazyFrame(people)))
    assert [r.n for r in here.records] == [r.n for r in there.records]


def test_b4_rand_index_of_boxes():
    X = {"x": [0.1, 0.5, 0.5], "y": [0.5, 0.5, 0.9]}
    other = fg.Partition.from_boxes(
        ("x", "y"), ((fg.Interval(), fg.Interval(high=0.777)), (fg.Interval(), fg.Interval(0.777)))
    )
    assert fg.rand_index(boxes(), other, X) == pytest.approx(2 / 3)
    assert fg.rand_index(boxes(), boxes(), X) == 1.0


def test_b5_transfer_counts_people_not_rows():
    data = fg.make_synthetic(30_000, seed=3)
    table = {"x": np.round(data.sensitive, 1), "y": data.outcome}
    partition = fg.Partition.from_edges([25, 60], name="x")
    here, there = (fg.transfer(partition, t, sensitive="x", outcome="y") for t in (table, pl.LazyFrame(table)))
    assert here.rand == pytest.approx(there.rand, abs=1e-12)


def test_b6_transfer_takes_any_weights():
    data = fg.make_synthetic(3000, seed=3)
    table = {"x": data.sensitive, "y": data.outcome, "w": np.full(3000, 0.25)}
    found = fg.transfer(fg.Partition.from_edges([25, 60]), table, sensitive="x", outcome="y", weight="w")
    plain = fg.transfer(fg.Partition.from_edges([25, 60]), table, sensitive="x", outcome="y")
    assert found.rand == pytest.approx(plain.rand, abs=1e-12)


def test_b7_transfer_and_drift_take_lazy_frames_of_many_values():
    rng = np.random.default_rng(0)
    x = rng.normal(0, 1, 70_000)
    people = pl.DataFrame({"x": x, "y": (rng.random(x.size) < 0.3 + 0.2 * (x < -0.5)).astype(int)})
    partition = fg.Partition.from_edges([-0.12345678, 0.5], name="x")
    here, there = (fg.transfer(partition, t, sensitive="x", outcome="y") for t in (people, people.lazy()))
    assert here.variance == pytest.approx(there.variance, abs=1e-12)
    options = {"sensitive": "x", "outcome": "y"}
    assert fg.drift(people.lazy(), people.lazy(), **options).records[0].difference == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_b8_boxes_as_an_expression_of_any_frame(library):
    frame = nw.from_native(library({"x": [0.1, 0.5, 0.5], "y": [0.5, 0.5, 0.9]}))
    found = frame.with_columns(group=boxes().expr()).lazy().collect()
    assert found["group"].to_list() == [0, 1, 2]


def test_b9_levels_mean_the_same_in_memory_in_an_expression_and_in_sql():
    import duckdb

    groups = fg.Partition.from_boxes(
        ("b", "x"),
        (
            (fg.Levels(("False",)), fg.Interval()),
            (fg.Levels(("True",)), fg.Interval(high=5)),
            (fg.Levels(("True",)), fg.Interval(5)),
        ),
        missing="group",
    )
    people = pl.DataFrame({"b": [False, True, True], "x": [1.0, 1.0, 9.0]})
    assert groups.assign(people).tolist() == [0, 1, 2]
    frame = nw.from_native(people).with_columns(group=groups.expr())
    assert frame["group"].to_list() == [0, 1, 2]
    assert duckdb.sql(f"SELECT {groups.to_sql()} FROM people").fetchnumpy()
    text = fg.Partition.from_boxes(
        ("s", "x"), ((fg.Levels(("f",)), fg.Interval()), (fg.Levels(("m",)), fg.Interval())), missing="group"
    )
    unseen = pl.DataFrame({"s": ["f", "other", None], "x": [1.0, 1.0, 1.0]})
    assert text.assign(unseen).tolist() == [0, 2, 2]
    assert nw.from_native(unseen).with_columns(group=text.expr())["group"].to_list() == [0, 2, 2]


def test_b10_true_and_false_are_a_category_everywhere():
    rng = np.random.default_rng(0)
    people = pl.DataFrame({"b": rng.random(20_000) < 0.5, "x": rng.integers(0, 10, 20_000)}).with_columns(
        y=((pl.col("x") < 5) & pl.col("b")).cast(pl.Int64)
    )
    options = {"sensitive": ["b", "x"], "outcome": "y", "checks": False, "n_groups": 3}
    here, there = (fg.audit(data, **options).partition for data in (people, people.lazy()))
    assert here == there
    assert "b = True" in " ".join(here.labels)


def test_b11_a_file_means_the_same_below_and_above_any_size(tmp_path, monkeypatch):
    import sys

    people = pd.DataFrame(wages(3000)).assign(w=np.linspace(1, 2, 3000))
    people.to_parquet(tmp_path / "people.parquet")
    options = {"sensitive": "age", "outcome": "wage", "weight": "w", "compare_with": "offer", "checks": False}
    small = fg.audit(tmp_path / "people.parquet", **options)
    for module in ("fairgroups.reading", "fairgroups.sources.source"):
        if hasattr(sys.modules[module], "LARGE"):
            monkeypatch.setattr(sys.modules[module], "LARGE", 1000)
    monkeypatch.setattr("fairgroups.reading.FEW_ROWS", 0)
    large = fg.audit(tmp_path / "people.parquet", **options)
    assert [r.rate for r in small.records] == [r.rate for r in large.records]
    assert any("memory" in note for note in large.notes)


def test_b12_repair_finds_its_groups_by_one_rule():
    rng = np.random.default_rng(0)
    age = np.round(rng.uniform(20, 60, 5000), 1)
    people = pl.DataFrame({"age": age, "score": np.clip(rng.normal(0.3 + age / 200, 0.1), 0, 1).round(3)})
    here = fg.ScoreRepair().fit(people["score"], sensitive=people["age"])
    there = fg.ScoreRepair().fit(people.lazy(), sensitive="age")
    assert here.partition_.n_groups == there.partition_.n_groups
    assert here.partition_.groups == there.partition_.groups


@pytest.mark.filterwarnings("ignore::fairgroups.FairnessWarning")
def test_b13_fit_transform_and_mappings():
    rng = np.random.default_rng(0)
    age = rng.uniform(20, 60, 2000)
    score = np.clip(rng.normal(0.3 + age / 200, 0.1), 0, 1)
    fair = fg.ScoreRepair([40]).fit_transform(score, sensitive=age)
    assert np.array_equal(fair, fg.ScoreRepair([40]).fit(score, sensitive=age).transform(score, sensitive=age))
    X = {"x": rng.random(2000), "y": rng.random(2000)}
    assert fg.ScoreRepair(boxes()).fit(score, sensitive=X).transform(score, sensitive=X).size == 2000


def test_b14_one_default_for_the_least_group():
    data = fg.make_synthetic(1000, seed=3)
    table = {"x": data.sensitive, "y": data.outcome}
    here = fg.FairGroups(6).fit(table["x"], table["y"]).partition_
    there = fg.audit(table, sensitive="x", outcome="y", n_groups=6, checks=False).partition
    assert here.edges == there.edges


def test_b15_how_to_repeat_it_repeats_it():
    data = fg.make_synthetic(2000, seed=4)
    table = {"x": data.sensitive, "y": data.outcome, "who": np.arange(2000)}
    joint = fg.JointMeasure("both", (fg.MEASURES["statistical_parity"], fg.MEASURES["error_rate"]))
    found = fg.audit(table | {"t": data.outcome}, sensitive="x", outcome="y", truth="t", measure=joint, checks=False)
    assert "measure=both" in found.to_markdown() or "measure=…" in found.to_markdown()
    own = fg.Measure("own", rate="own rate", columns=lambda y, t: (y, np.ones_like(y)))
    call = fg.audit(table, sensitive="x", outcome="y", measure=own, checks=False, key="who", budget=3.0).to_markdown()
    assert "measure='own'" not in call
    assert "checks=False" in call
    assert "budget=3.0" in call


def test_b16_the_axis_says_whom_groups_are_compared_with():
    data = fg.make_synthetic(3000, seed=4)
    from fairgroups.charts.line import phi_chart

    found = fg.audit({"x": data.sensitive, "y": data.outcome}, sensitive="x", outcome="y", against="rest", checks=False)
    assert "Difference from the rest" in str(phi_chart(found).to_dict())


@pytest.mark.parametrize("library", [dict, pd.DataFrame, pl.DataFrame])
def test_b17_an_audit_pickles_without_its_rows(library):
    data = fg.make_synthetic(20_000, seed=4)
    table = library({"x": np.round(data.sensitive), "y": data.outcome})
    found = fg.audit(table, sensitive="x", outcome="y", checks=False)
    written = pickle.dumps(found)
    assert len(written) < 100_000
    again = pickle.loads(written)
    assert again.conclusion == found.conclusion
    assert type(again.groups) is type(found.groups)
