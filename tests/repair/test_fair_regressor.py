import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from fairgroups import FairRegressor, InputError, hgr


def workers(seed=0, n=4000):
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 70, n)
    frame = pd.DataFrame({"age": age, "skill": rng.normal(age / 15, 1), "luck": rng.normal(size=n)})
    return frame, 1000 * frame.skill + 300 * frame.luck + rng.normal(0, 500, n)


def test_predictions_do_not_tell_the_age():
    frame, wage = workers()
    test, truth = workers(1)
    model = FairRegressor(LinearRegression(), sensitive="age").fit(frame, wage)
    fair = model.predict(test)
    left = hgr(test.age, fair)
    assert left.value < 2 * left.floor < hgr(test.age, model.estimators_[0].predict(test[["skill", "luck"]])).value
    plain = LinearRegression().fit(frame[["skill", "luck"]], wage).score(test[["skill", "luck"]], truth)
    assert 0.2 < model.score(test, truth) < plain
    assert model.left_.after.ks < 0.25 < model.left_.before.ks


def test_without_the_attribute_at_prediction_and_bad_input():
    frame, wage = workers()
    blind = FairRegressor(LinearRegression(), sensitive="age", at_predict="without").fit(frame, wage)
    fair = blind.predict(frame[["skill", "luck"]])
    assert hgr(frame.age, fair).value < hgr(frame.age, frame.skill).value / 2
    with pytest.raises(InputError, match="missing or infinite"):
        FairRegressor(LinearRegression(), sensitive="age").fit(frame, wage.where(wage > 0))
    with pytest.raises(InputError, match="must be a frame"):
        FairRegressor(LinearRegression(), sensitive="age").fit(frame.to_numpy(), wage)
