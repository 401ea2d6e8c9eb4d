import json

import duckdb
import numpy as np
import pandas as pd
import pytest

from fairgroups import FairnessWarning, InputError, SchemaError, ScoreRepair, StratifiedRepair
from fairgroups.repair.file import apply_to_file
from fairgroups.repair.left import reach_of
from fairgroups.rows.column_kinds import Column


def people(n=6000, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 60, n)
    degree = rng.choice(["none", "school", "university"], n, p=[0.5, 0.45, 0.05])
    years = np.clip(rng.normal(age / 4, 3), 0, None)
    score = rng.normal(age / 20 + years / 5 + np.where(degree == "school", 1, 0), 1)
    return score, age, pd.DataFrame({"degree": degree, "years": years})


def test_equals_are_treated_equally_and_what_may_matter_stays():
    score, age, given = people()
    repair = StratifiedRepair().fit(score, sensitive=age, given=given)
    other, of, factors = people(seed=1)
    fair = repair.transform(other, sensitive=of, given=factors)
    plain = ScoreRepair().fit(score, sensitive=age).transform(other, sensitive=of)
    few = factors.degree == "university"
    stratum = (factors.degree == "school") & (factors.years > 8) & (factors.years < 10)
    here = Column("age", of[stratum])
    before, after = (reach_of(here, s[stratum], np.ones(stratum.sum()), np.median(s)) for s in (other, fair))
    assert before.ks > 0.4 > 0.25 > after.ks
    assert (
        np.corrcoef(factors.years[~few], fair[~few])[0, 1] > np.corrcoef(factors.years[~few], plain[~few])[0, 1] + 0.1
    )
    assert 0.9 < repair.apart_ < 1
    assert len(repair.repairs_) == 10


def test_one_row_unseen_strata_missing_factors_and_json(tmp_path):
    score, age, given = people(3000)
    given.loc[::50, "degree"] = None
    repair = StratifiedRepair().fit(score, sensitive=age, given=given, key=np.arange(3000))
    fair = repair.transform(score, sensitive=age, given=given)
    assert repair.transform(score[7:8], sensitive=age[7:8], given=given[7:8])[0] == fair[7]
    new = pd.DataFrame({"degree": ["doctor", "none"], "years": [3.0, np.nan]})
    assert np.isfinite(repair.transform([1.0, 2.0], sensitive=[30, 40], given=new)).all()
    repair.to_json(tmp_path / "r.json")
    again = StratifiedRepair.read(tmp_path / "r.json")
    assert (again.transform(score, sensitive=age, given=given) == fair).all()
    data = repair.to_dict()
    for change in ({"schema": "x"}, {"schema_version": 9}, {"factors": None}, {"others": {}}, {"repairs": 3}):
        with pytest.raises(SchemaError):
            StratifiedRepair.from_json(json.dumps({**data, **change}))


def test_bad_input():
    score, age, given = people(600)
    with pytest.raises(InputError, match="no stratum of degree and years holds 200 people"):
        StratifiedRepair().fit(score, sensitive=age, given=given)
    repair = StratifiedRepair(smallest=50).fit(score, sensitive=age, given=given)
    with pytest.raises(InputError, match="fitted with given columns"):
        repair.transform(score, sensitive=age, given=given[["degree"]])
    with pytest.raises(InputError, match="was a category"):
        repair.transform(score, sensitive=age, given=given.assign(degree=1.0))
    with pytest.raises(InputError, match="holds text now"):
        repair.transform(score, sensitive=age, given=given.assign(years="a"))
    with pytest.raises(InputError, match="`n_parts`"):
        StratifiedRepair(n_parts=1).fit(score, sensitive=age, given=given)


@pytest.mark.parametrize("missing", ["error", "drop"])
def test_sql_and_files_give_the_very_same_scores(tmp_path, missing):
    score, age, given = people(3000)
    given["vip"] = np.random.default_rng(3).random(3000) < 0.3
    given.loc[::40, "degree"] = None
    given.loc[::33, "years"] = np.nan
    table = given.assign(s=np.round(score, 1), age=age, id=np.arange(3000))
    repair = StratifiedRepair(ScoreRepair(missing=missing), n_parts=3).fit(
        table["s"], sensitive=table[["age"]], given=given, key=table["id"]
    )
    fair = repair.transform(table["s"], sensitive=table[["age"]], given=given, key=table["id"])
    query = repair.to_sql("table", score="s", sensitive="age", key="id", columns=["id"])
    there = duckdb.sql(query).df().sort_values("id")["fair_score"].to_numpy()
    np.testing.assert_array_equal(there, fair)
    table.to_csv(tmp_path / "people.csv", index=False)
    for name in ("fair.csv", "fair.parquet"):
        out = tmp_path / name
        columns = {"score": "s", "sensitive": ["age"], "given": ["degree", "years", "vip"], "key": "id"}
        apply_to_file(repair, tmp_path / "people.csv", out, **columns)
        found = pd.read_csv(out) if name.endswith("csv") else pd.read_parquet(out)
        assert found["id"].astype(int).tolist() == table["id"].tolist()
        np.testing.assert_allclose(found["fair_score"], fair, rtol=1e-14, atol=0)
    with pytest.raises(InputError, match="given 3 factor"):
        apply_to_file(repair, tmp_path / "people.csv", out, **{**columns, "given": ["degree"]})
    with pytest.raises(InputError, match="given 3 factor"):
        repair.to_sql("table", score="s", sensitive="age", given="degree")


def test_what_is_left_is_judged_among_comparable_people():
    score, age, given = people()
    repair = StratifiedRepair().fit(score, sensitive=age, given=given)
    left = repair.left_
    assert left.comparable
    assert left.before.ks > 0.3 > 0.12 > left.after.ks
    assert left.after.hgr < 1.5 * max(left.after.floor, 0.05)
    assert StratifiedRepair.from_json(repair.to_json()).left_ == left
    unseen = np.where(np.random.default_rng(0).random(age.size) < 0.5, age, 0)  # ages that the maps hardly know
    assert StratifiedRepair(ScoreRepair(judge=False)).fit(score, sensitive=unseen, given=given).left_ is None


def test_what_still_differs_among_comparable_people_is_warned_of():
    score, age, given = people(4000)
    with pytest.warns(FairnessWarning, match="stand above .*% of those comparable with them"):
        StratifiedRepair(ScoreRepair([40])).fit(
            score + np.where(age < 22, 3, 0), sensitive=age, given=given[["degree"]]
        )
