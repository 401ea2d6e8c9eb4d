import duckdb
import numpy as np
import pandas as pd
import pytest

from fairgroups import FairGroups, InputError, Partition, ScoreRepair

pytestmark = pytest.mark.filterwarnings("ignore::fairgroups.FairnessWarning")  # few groups leave much

RNG = np.random.default_rng(0)
AGE = RNG.uniform(20, 70, 1500)
SCORE = np.clip(RNG.normal(0.2 + AGE / 150, 0.12), 0, 1)
NAME = 'age"; DROP TABLE t; --'


def both_ways(repair, score, age, key=None):
    rows = pd.DataFrame({NAME: age, "s c": score, "id": np.arange(score.size) if key is None else key})
    with duckdb.connect() as connection:
        connection.register("rows", rows)
        query = repair.to_sql("rows", score="s c", sensitive=NAME, key="id", columns=["id"], into="fair")
        found = connection.sql(query).fetchnumpy()
    assert list(found) == ["id", "fair"]
    there = pd.Series(np.ma.filled(found["fair"].astype(float), np.nan), index=found["id"])[rows["id"]].to_numpy()
    return repair.transform(score, sensitive=age, key=rows["id"].to_numpy()), there


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_gap": 0.05},
        {"max_gap": 0.1, "cost": "w1", "n_levels": None},
        {"relaxation": "geodesic", "max_gap": 0.1},
        {"max_gap": 1.0},
    ],
)
@pytest.mark.parametrize("edges", [[], [40], [30, 45, 60]])
def test_sql_gives_the_very_same_scores(options, edges):
    repair = ScoreRepair(edges, **options).fit(SCORE, sensitive=AGE)
    here, there = both_ways(repair, SCORE, AGE)
    assert np.array_equal(here, there)
    new = RNG.uniform(-0.2, 1.2, 1000), RNG.uniform(0, 90, 1000)
    assert np.array_equal(*both_ways(repair, *new))


@pytest.mark.parametrize("options", [{}, {"max_gap": 0.02}, {"relaxation": "geodesic", "max_gap": 0.1}])
@pytest.mark.parametrize("digits", [9, 2, 1])
def test_maps_by_the_exact_attribute_are_the_very_same(options, digits):
    score = np.round(SCORE, digits)
    repair = ScoreRepair(**options).fit(score, sensitive=AGE)
    assert repair.maps_.axes[0].size > 50
    assert np.array_equal(*both_ways(repair, score, AGE))
    assert np.array_equal(*both_ways(repair, RNG.uniform(-0.2, 1.2, 1000), RNG.uniform(0, 90, 1000)))


@pytest.mark.parametrize("missing", ["drop", "group"])
@pytest.mark.parametrize("names", [["age", "sex"], ["age", "tone"], ["sex"]])
def test_several_attributes_at_once_and_missing_ones(names, missing):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"age": AGE, "tone": rng.normal(size=1500), "sex": rng.choice(["f", "m'"], 1500)})
    frame["s"] = SCORE + 0.1 * (frame["sex"] == "f") + 0.05 * frame["tone"]
    frame.loc[::20, names[0]] = None if names[0] == "sex" else np.nan
    repair = ScoreRepair(missing=missing).fit(frame["s"], sensitive=frame[names])
    here = repair.transform(frame["s"], sensitive=frame[names])
    there = duckdb.sql(repair.to_sql("frame", score="s", sensitive=names, columns=["s"])).fetchnumpy()["fair_score"]
    assert np.array_equal(here, np.ma.filled(there.astype(float), np.nan), equal_nan=True)
    assert np.isnan(here).sum() == (75 if missing == "drop" else 0)
    again = ScoreRepair.from_json(repair.to_json())
    assert np.array_equal(again.transform(frame["s"], sensitive=frame[names]), here, equal_nan=True)


def test_shared_scores_are_told_apart_alike():
    score = np.round(SCORE, 1)
    repair = ScoreRepair([40], max_gap=0.02, random_state=7).fit(score, sensitive=AGE)
    for key in (np.arange(1500), np.array([f"person {i} ü" for i in range(1500)])):
        assert np.array_equal(*both_ways(repair, score, AGE, key))
    rows = pd.DataFrame({"s": score, "age": AGE, "id": ["a", None] * 750})
    assert (
        duckdb.sql(repair.to_sql("rows", score="s", sensitive="age", key="id", columns=[]))
        .fetchnumpy()["fair_score"]
        .mask.tolist()
        == [False, True] * 750
    )  # nobody without a key gets a score
    together = duckdb.sql(repair.to_sql("rows", score="s", sensitive="age", columns=[])).fetchnumpy()["fair_score"]
    assert np.array_equal(together, repair.transform(score, sensitive=AGE))
    with pytest.raises(InputError, match="key of row 1 is missing"):
        repair.transform(score, sensitive=AGE, key=rows["id"].to_numpy())
    with pytest.raises(InputError, match="`dialect`"):
        repair.to_sql("rows", score="s", sensitive="age", dialect="mysql")


def test_columns_named_like_our_own():
    repair = ScoreRepair([40], max_gap=0.02).fit(SCORE, sensitive=AGE)
    names = ["fairgroups_score", "fairgroups_level", "fairgroups_knot", "fairgroups_column_0", "place"]
    rows = pd.DataFrame(
        dict.fromkeys(names, 0.3) | {"fairgroups_number": SCORE, "fairgroups_group": AGE}, index=range(1500)
    )
    assert len(rows) == 1500
    found = duckdb.sql(
        repair.to_sql(
            "rows", score="fairgroups_number", sensitive="fairgroups_group", columns=[*names, "fairgroups_number"]
        )
    ).fetchnumpy()
    assert list(found) == [*names, "fairgroups_number", "fair_score"]
    assert np.array_equal(found["fair_score"], repair.transform(SCORE, sensitive=AGE))


def test_missing_values_have_no_fair_score():
    repair = ScoreRepair(Partition.from_edges([40], missing="drop")).fit(SCORE, sensitive=AGE)
    age = np.where(np.arange(1500) < 5, np.nan, AGE)
    here, there = both_ways(repair, SCORE, age)
    assert np.array_equal(here, there, equal_nan=True)
    assert np.isnan(there[:5]).all()


def test_boxes_and_a_query_as_the_table():
    frame = pd.DataFrame({"age": AGE, "sex": RNG.choice(["f", "m"], 1500), "score": SCORE})
    boxes = FairGroups(3).fit(frame[["age", "sex"]], (SCORE > 0.5).astype(int))
    repair = ScoreRepair(boxes).fit(SCORE, sensitive=frame[["age", "sex"]])
    there = duckdb.sql(repair.to_sql("(SELECT * FROM frame)", score="score")).fetchnumpy()
    assert list(there) == ["age", "sex", "score", "fair_score"]
    assert np.array_equal(there["fair_score"], repair.transform(SCORE, sensitive=frame[["age", "sex"]]))
    with pytest.raises(InputError, match="needs the attribute's column"):
        ScoreRepair([40]).fit(SCORE, sensitive=AGE).to_sql("frame", score="score")
