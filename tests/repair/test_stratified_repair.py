import json

import numpy as np
import pandas as pd
import pytest

from fairgroups import InputError, SchemaError, ScoreRepair, StratifiedRepair
from fairgroups.repair.left import reach_of
from fairgroups.rows.attributes import Column


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
    repair = StratifiedRepair().fit(score, sensitive=age, given=given)
    with pytest.raises(InputError, match="fitted with given columns"):
        repair.transform(score, sensitive=age, given=given[["degree"]])
    with pytest.raises(InputError, match="was a category"):
        repair.transform(score, sensitive=age, given=given.assign(degree=1.0))
    with pytest.raises(InputError, match="holds text now"):
        repair.transform(score, sensitive=age, given=given.assign(years="a"))
    with pytest.raises(InputError, match="`n_parts`"):
        StratifiedRepair(n_parts=1).fit(score, sensitive=age, given=given)
