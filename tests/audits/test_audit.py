import json
import pickle
from dataclasses import asdict
from importlib.resources import files

import jsonschema
import numpy as np
import pandas as pd
import pytest

import fairgroups as fg
from fairgroups import InputError, Partition, audit, make_synthetic
from fairgroups.evidence.verdict import DIFFERENT

DATA = make_synthetic(6000, seed=3)
TABLE = {"tone": DATA.sensitive, "approved": DATA.outcome}
KEYS = {"label", "n", "counted", "share", "rate", "rate_low", "rate_high", "phi", "low", "high", "verdict"}
KEYS |= {"ratio", "ratio_low", "ratio_high", "detectable", "violation", "plugin_low", "plugin_high"}


def run(table=TABLE, *, checks=False, **options):
    return audit(table, **{"sensitive": "tone", "outcome": "approved", "checks": checks, "favourable": True, **options})


def test_the_whole_way():
    found = run()
    assert [r.verdict for r in found.records][0] == "disadvantaged"
    assert [r.verdict for r in found.records][-1] == "advantaged"
    assert set(asdict(found.records[0])) == KEYS
    assert sum(r.n for r in found.records) == 6000
    for r in found.records:
        assert r.low <= r.phi <= r.high
        assert r.rate_low <= r.rate <= r.rate_high
    assert "disadvantaged" in found.conclusion
    assert found.variance == pytest.approx(found.variance_path[len(found.records) - 1])
    assert found.band.interval(0, 10).high < 0
    assert "People whose tone is under" in repr(found)


def test_json_is_plain_and_complete(tmp_path):
    found = run()
    text = found.to_json(tmp_path / "audit.json")
    data = json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    assert data == json.loads(text) == found.to_dict()
    assert data["schema"] == "fairgroups/audit"
    assert set(data["records"][0]) == KEYS
    assert Partition.from_dict(data["partition"]) == found.partition


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"truth": "label"},
        {"sensitive": ["tone", "sex"]},
        {"truth": "label", "measure": "equalized_odds"},
        {"n_groups": 1, "checks": False},
        {"partition": [30], "max_gap": 0.1},
        {"selection": "cv"},
    ],
    ids=str,
)
def test_json_keeps_to_its_schema(options):
    rng = np.random.default_rng(0)
    table = {**TABLE, "label": rng.integers(0, 2, 6000), "sex": rng.choice(["f", "m"], 6000)}
    schema = json.loads(files("fairgroups.audits").joinpath("audit.schema.json").read_text(encoding="utf-8"))
    found = audit(table, **{"sensitive": "tone", "outcome": "approved", **options})
    jsonschema.validate(json.loads(found.to_json()), schema)
    assert type(found).from_json(found.to_json()) == found


@pytest.mark.parametrize("inference", ["band", "crossfit", "plugin"])
def test_inferences(inference):
    found = run(inference=inference)
    assert found.records[0].verdict == "disadvantaged"
    assert found.records == run(inference=inference).records
    assert (found.band is not None) == (inference == "band")
    assert found.data.rows_judged == (3000 if inference == "crossfit" else 6000)
    if inference == "plugin":
        assert any("too narrow" in note for note in found.notes)


def test_halves_depend_on_the_seed_only():
    assert run(inference="crossfit", seed=1).records != run(inference="crossfit", seed=2).records


def test_the_band_is_wider_than_the_plug_in_and_not_much_wider_than_halves():
    band, plugin, split = (
        np.array([[r.low, r.high] for r in run(partition=DATA.partition.edges, inference=i).records])
        for i in ("band", "plugin", "crossfit")
    )
    width = lambda b: b[:, 1] - b[:, 0]
    assert (width(band) > width(plugin)).all()
    # Given groups are judged on all rows by "crossfit" too; on half of them it would be √2 as wide.
    ratio = width(band) / (np.sqrt(2) * width(split))
    assert ratio.mean() < 1.2
    assert ratio.max() < 1.25


def test_unfavourable_turns_verdicts_round():
    harm = run(favourable=False)
    assert harm.records[0].verdict == "advantaged"
    assert harm.records[-1].verdict == "disadvantaged"
    assert harm.records[0].ratio == 1
    assert "disadvantaged" in harm.conclusion


def test_gate():
    assert run(max_gap=0.1).limit == "exceeded"
    assert run(max_gap=0.9).limit == "kept"
    assert run(max_gap=0.45).limit in ("not enough evidence", "kept", "exceeded")
    assert run().limit is None


def test_given_groups():
    found = run(partition=Partition.from_edges([50], name="tone"))
    assert len(found.records) == 2
    assert found.variance_path == ()
    assert found.settings.groups_given
    judged = run(partition=Partition.from_edges([50], name="tone"), inference="crossfit")
    assert judged.data.rows_judged == 6000
    assert judged.notes == ()


def test_too_little_data_gives_no_verdict():
    rng = np.random.default_rng(0)
    small = {"tone": rng.random(30), "approved": rng.integers(0, 2, 30)}
    found = run(small)
    assert {r.verdict for r in found.records} == {"not enough evidence"}
    assert "the data cannot rule one out" in found.conclusion
    found = run(small, n_groups=5)
    assert {r.verdict for r in found.records} == {"not enough evidence"}
    assert found.conclusion.startswith("Not enough evidence: no difference is shown")


def test_fewer_groups_than_asked_for_are_explained():
    rng = np.random.default_rng(0)
    found = run({"tone": rng.integers(0, 3, 500), "approved": rng.integers(0, 2, 500)}, n_groups=5)
    assert len(found.records) == 3
    assert "5 groups were asked for; the data gives 3" in found.notes[0]


@pytest.mark.parametrize("y", [[1] * 50, [0] * 50])
def test_one_class(y):
    found = run({"tone": np.arange(50), "approved": y}, n_groups=3)
    assert not {"disadvantaged", "advantaged"} & {r.verdict for r in found.records}


def test_one_row():
    found = run({"tone": [1.0], "approved": [1]})
    assert found.conclusion.startswith("Nothing can be compared")
    assert found.to_dict()["records"][0]["phi"] == 0
    assert found.records[0].verdict == "not enough evidence"
    assert run({"tone": [1.0] * 5, "approved": [1, 0, 1, 0, 1]}, max_gap=0.5).limit == "not enough evidence"


def test_no_row_says_so():
    with pytest.raises(InputError, match="no rows"):
        run({"tone": [], "approved": []})


def test_scores_and_amounts():
    rng = np.random.default_rng(0)
    score = run(
        {"tone": DATA.sensitive, "approved": np.clip(DATA.rate + rng.normal(0, 0.1, 6000), 0, 1)}, favourable=None
    )
    assert score.measure.name == "mean"
    assert score.records[0].verdict == "lower"
    income = run({"tone": DATA.sensitive, "approved": 1000 * DATA.rate + rng.normal(0, 300, 6000)}, favourable=True)
    assert income.records[0].verdict == "disadvantaged"
    assert np.isnan(income.records[0].ratio)
    assert income.to_dict()["records"][0]["ratio"] is None
    assert any("heavy-tailed" in note for note in income.notes)
    assert income.settings.relevant_gap == pytest.approx(80, rel=0.1)
    assert "1,0" in income.conclusion or "points" not in income.conclusion


def test_missing_values_are_counted():
    tone = DATA.sensitive.copy()
    tone[:7] = np.nan
    found = run({"tone": tone, "approved": DATA.outcome}, missing="drop")
    assert found.data.dropped == {"tone": 7}
    assert any("7 rows with missing values were left out" in note for note in found.notes)


def test_error_rates_and_weights():
    rng = np.random.default_rng(1)
    truth = np.where(rng.random(6000) < np.where(DATA.sensitive < 30, 0.4, 0.1), 1 - DATA.outcome, DATA.outcome)
    table = {**TABLE, "label": truth, "w": rng.exponential(size=6000)}
    found = run(table, truth="label", measure="error_rate", weight="w", n_groups=2)
    assert found.records[0].verdict == "higher"
    assert found.partition.edges[0] == pytest.approx(30, abs=1)


def test_every_table_is_the_callers():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({**TABLE, "label": rng.integers(0, 2, 6000), "z": rng.random(6000)})
    line = audit(frame, sensitive="tone", outcome="approved", truth="label").tables
    assert set(line) == {"groups", "selection", "detectable", "borders", "amplification", "rates"}
    assert all(isinstance(table, pd.DataFrame) for table in line.values())
    two = {"sensitive": ["tone", "z"], "outcome": "approved", "n_groups": 2, "checks": False}
    assert "added" in audit(frame, **two).tables
    assert "replication" in audit(frame, **two, inference="crossfit").tables


def test_groups_table_is_the_callers():
    frame = pd.DataFrame(TABLE)
    assert isinstance(run(frame).groups, pd.DataFrame)
    assert list(run(frame).groups["verdict"])[0] == "disadvantaged"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inference": "bayes"}, "`inference` must be"),
        ({"level": 2}, "`level` must lie"),
        ({"max_gap": -1}, "`max_gap` must be"),
        ({"relevant_gap": float("nan")}, "`relevant_gap` must be"),
        ({"n_groups": 0}, "`n_groups` must be"),
        ({"min_group_size": 10**9}, "do not make one group"),
        ({"measure": "equal_opportunity"}, "no truth was given"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InputError, match=message):
        run(**options)


def test_real_data_adult():
    found = fg.audit(fg.load_adult(), sensitive="age", outcome="income_over_50k", favourable=True)
    assert found.records[0].label == "age under 22"
    assert found.records[0].verdict == "disadvantaged"
    assert found.data.rows == 45_222


def plane(n=8000):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.integers(18, 80, n), "hours": rng.normal(40, 10, n), "sex": rng.choice(["f", "m"], n)}
    )
    frame["hired"] = rng.random(n) < np.where((frame.age < 30) & (frame.sex == "f"), 0.1, 0.6)
    return frame


def test_several_attributes():
    found = audit(plane(), sensitive=["age", "sex"], outcome="hired", n_groups=3, favourable=True)
    harmed = min(found.records, key=lambda r: r.phi)
    assert harmed.label == "age under 30, sex f"
    assert harmed.verdict == "disadvantaged"
    assert found.settings.inference == "band"
    assert found.data.rows_judged == found.data.rows == sum(record.n for record in found.records)
    assert found.band.interval(age=(None, 29), sex="f").low == pytest.approx(harmed.low)
    assert found.settings.exact
    assert Partition.from_dict(json.loads(found.to_json())["partition"]) == found.partition


def test_no_discrimination_in_the_plane_is_called_so():
    named = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        table = {"a": rng.random(600), "b": rng.random(600), "y": rng.random(600) < 0.4}
        found = audit(table, sensitive=["a", "b"], outcome="y", n_groups=4, n_cells=12, checks=False)
        named += any(r.verdict in DIFFERENT for r in found.records)
    assert named <= 6  # nominal 3 of 60


def test_given_boxes_and_mismatches():
    frame = plane()
    found = audit(frame, sensitive=["age", "sex"], outcome="hired", n_groups=3)
    again = audit(frame, sensitive=["age", "sex"], outcome="hired", partition=found.partition)
    assert again.data.rows_judged == 8000
    with pytest.raises(InputError, match="the partition is of"):
        audit(frame, sensitive=["sex", "age"], outcome="hired", partition=found.partition)
    with pytest.raises(InputError, match="the partition is of"):
        audit(frame, sensitive="age", outcome="hired", partition=found.partition)
    with pytest.raises(InputError, match="at least one sensitive"):
        audit(frame, sensitive=[], outcome="hired")


def test_missing_values_in_the_plane():
    frame = plane()
    frame.loc[:99, "hours"] = np.nan
    frame.loc[100:149, "sex"] = None
    found = audit(frame, sensitive=["hours", "sex"], outcome="hired", n_groups=2, missing="group", inference="plugin")
    assert found.records[-1].n == 150
    dropped = audit(frame, sensitive=["hours", "sex"], outcome="hired", n_groups=2, missing="drop")
    assert dropped.data.dropped == {"hours": 100, "sex": 50}


@pytest.mark.parametrize("n", [2, 3, 4, 6, 10])
@pytest.mark.parametrize("kind", ["yes/no", "number"])
def test_a_handful_of_rows_gets_no_verdict(n, kind):
    named = 0
    for seed in range(100):
        rng = np.random.default_rng([seed, n])
        y = rng.integers(0, 2, n) if kind == "yes/no" else rng.normal(size=n)
        found = run({"tone": rng.random(n), "approved": y})
        named += any(r.verdict not in ("not enough evidence", "no relevant difference") for r in found.records)
    assert named <= 9  # nominal 5


def test_outcomes_that_vary_more_in_places_do_not_cry_wolf():
    named = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = rng.random(3000)
        found = run({"tone": x, "approved": rng.normal(size=3000) * np.where(x < 0.05, 10, 1)})
        named += any(r.verdict in DIFFERENT for r in found.records)
    assert named <= 6  # nominal 3


def test_a_neutral_headline_names_the_largest_difference_and_the_others():
    rng = np.random.default_rng(0)
    x = rng.random(6000)
    found = run(
        {"tone": x, "approved": np.select([x < 0.3, x < 0.7], [-1.0, 0.0], 3.0) + rng.normal(size=6000)},
        n_groups=3,
        favourable=None,
    )
    assert found.conclusion.startswith("People whose tone is 0.7")
    assert "have a lower one (by " in found.conclusion


def test_limits_in_points_are_refused():
    with pytest.raises(
        InputError, match="`max_gap` is a difference of rates, at most 1; got 10.\nHint: 10 points are 0.1"
    ):
        run(max_gap=10)
    assert audit({"a": [1, 2, 3], "y": [10.0, 20, 30]}, sensitive="a", outcome="y", max_gap=10).limit is not None


def test_given_groups_must_be_of_the_attribute_named():
    with pytest.raises(InputError, match="the partition is of 'age'; the columns named are 'tone'"):
        run(partition=Partition.from_edges([30], name="age"))
    assert run(partition=Partition.from_edges([30])).records[0].label == "tone under 30"
    assert run(partition=[25, 45]).records[0].label == "tone under 25"
    with pytest.raises(InputError, match="`partition` must be"):
        run(partition=3)


def test_rates_say_on_how_many_people_they_rest():
    truth = (np.arange(6000) % 4 == 0).astype(int)
    found = run({**TABLE, "label": truth}, truth="label", measure="equal_opportunity", n_groups=2)
    assert sum(r.counted for r in found.records) == pytest.approx(1500)
    assert sum(r.n for r in found.records) == 6000


def test_an_audit_can_be_pickled():
    found = run()
    assert pickle.loads(pickle.dumps(found.band)).interval(0, 10) == found.band.interval(0, 10)
    assert pickle.loads(pickle.dumps(found.measure)) == found.measure


def test_noise_is_not_explained():
    shares = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        shares.append(run({"tone": rng.random(2000), "approved": rng.random(2000) < 0.3}).explained)
    assert np.isnan(shares).mean() >= 0.85


@pytest.mark.parametrize("inference", ["band", "crossfit"])
def test_noisy_places_do_not_cry_wolf_in_large_data_either(inference):
    named = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.random(8000)
        y = rng.normal(size=8000) * np.where(x < 0.1, 10, 1)
        found = run({"tone": x, "approved": y}, n_groups=2, inference=inference)
        named += any(r.verdict in DIFFERENT for r in found.records)
    assert named <= 5  # nominal 2


def test_a_large_offset_changes_nothing_but_the_level():
    rng = np.random.default_rng(0)
    x, y = rng.random(2000), rng.normal(size=2000)
    near, far = (run({"tone": x, "approved": y + shift}) for shift in (0, 2.0**30))
    assert [r.label for r in near.records] == [r.label for r in far.records]
    for one, two in zip(near.records, far.records, strict=True):
        assert two.low <= two.phi <= two.high
        assert two.phi == pytest.approx(one.phi, abs=1e-5)
        assert two.rate - 2.0**30 == pytest.approx(one.rate, abs=1e-5)
    assert far.overall == pytest.approx(2.0**30, abs=1)


def test_few_distinct_values_get_intervals_no_narrower_than_a_single_one():
    found = run({"tone": np.repeat([0, 1], (20, 200)), "approved": np.zeros(220)}, n_groups=2, min_group_size=1)
    assert found.records[0].high > 0.07
    missed = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        y = rng.random(220) < np.repeat([0.1, 0.001], (20, 200))
        found = run({"tone": np.repeat([0, 1], (20, 200)), "approved": y}, partition=[1])
        phi = (1 - 20 / 220) * 0.099
        missed += not found.records[0].low <= phi <= found.records[0].high
    assert missed <= 15


def test_positive_turns_the_truth_round_as_well():
    y = np.random.default_rng(0).integers(0, 2, 500)
    table = {"tone": np.arange(500), "approved": y, "label": y}
    assert run(table, truth="label", measure="error_rate", positive=0).overall == 0
    assert run(table, truth="label", measure="equal_opportunity", positive=0).overall == 1
    words = {"tone": np.arange(500), "approved": y, "label": np.where(y, "yes", "no")}
    assert run(words, truth="label", measure="error_rate", positive="yes").overall == 0


def test_a_group_for_missing_values_exists_only_when_some_are_missing():
    found = run(missing="group", n_groups=2, max_gap=0.9)
    assert len(found.records) == 2
    assert found.limit == "kept"
    tone = DATA.sensitive.copy()
    tone[:500] = np.nan
    given = run({"tone": tone, "approved": DATA.outcome}, missing="group", partition=[50])
    assert [r.n for r in given.records][-1] == 500
    for r in given.records:
        assert r.low <= r.phi <= r.high


def test_equal_weights_are_no_weights():
    table = {**TABLE, "w": np.full(6000, 2.5)}
    for one, two in zip(run(n_groups=3).records, run(table, weight="w", n_groups=3).records, strict=True):
        assert two.low == pytest.approx(one.low)
        assert two.counted == pytest.approx(one.counted)


def test_categories_of_many_classes_are_searched():
    """Hundred classes of two categories show nothing each, though the rate clearly goes with one of them."""
    rng = np.random.default_rng(3)
    table = {"a": rng.choice(list("ABCDEFGHIJ"), 1500), "b": rng.choice(list("klmnopqrst"), 1500)}
    table["y"] = rng.random(1500) < np.where(np.isin(table["a"], list("ABC")), 0.6, 0.3)
    for options in ({}, {"n_groups": 2}):
        found = audit(table, sensitive=["a", "b"], outcome="y", checks=False, **options)
        assert found.verdict == "different"
        assert found.partition.labels[0] == "a in {A, B, C}"
    few = audit(table | {"b": table["a"] > "E"}, sensitive=["a", "b"], outcome="y", checks=False)
    assert few.settings.groups_given  # 20 classes are named already


def test_an_attribute_that_all_share_and_a_copy_are_told():
    rng = np.random.default_rng(3)
    age = rng.integers(18, 80, 1500)
    table = {"age": age, "same": age, "k": [3] * 1500, "y": rng.random(1500) < 0.5 - 0.2 * (age > 50)}
    assert audit(table, sensitive=["age", "k"], outcome="y").conclusion.endswith("All people have the same k.")
    found = audit(table, sensitive=["age", "same"], outcome="y")
    assert "Whether age adds anything cannot be told: no people alike in same differ in age." in found.to_markdown()


def test_one_group_and_a_range_do_not_contradict_one_another():
    rng = np.random.default_rng(3)
    age = rng.integers(18, 80, 1500)
    found = audit(
        {"age": age, "y": rng.random(1500) < 0.5 - 0.2 * (age > 50)}, sensitive="age", outcome="y", n_groups=1
    )
    assert found.verdict == "different"
    text = found.to_markdown()
    assert "no groups are compared" in text
    assert "are treated alike" not in text


def test_columns_of_one_name_are_refused_in_our_words():
    twice = pd.DataFrame(np.c_[np.arange(50.0), np.ones((50, 2)), np.arange(50) % 2], columns=["age", "q", "q", "y"])
    with pytest.raises(InputError, match=r"cannot read the table.*'q'"):
        audit(twice, sensitive="age", outcome="y")
    with pytest.raises(InputError, match="the table has no columns"):
        audit(pd.DataFrame(), sensitive="age", outcome="y")
