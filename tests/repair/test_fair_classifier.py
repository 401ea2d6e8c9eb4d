import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairgroups import FairClassifier, InputError, Partition
from fairgroups.repair.transport import largest_gap


def people(seed=0, n=4000):
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 70, n)
    frame = pd.DataFrame({"age": age, "income": rng.normal(age / 15, 1), "debt": rng.normal(size=n)})
    y = rng.random(n) < 1 / (1 + np.exp(3 - frame.income + 0.5 * frame.debt))
    return frame, np.where(y, "yes", "no")


@pytest.fixture(scope="module")
def fitted():
    frame, y = people()
    return FairClassifier(LogisticRegression(), sensitive="age", n_groups=4).fit(frame, y)


def test_held_out_people_get_alike_probabilities(fitted):
    frame, y = people(1)
    codes = fitted.repair_.partition_.assign(frame.age)
    before = fitted.estimator_.predict_proba(frame[["income", "debt"]])[:, 1]
    after = fitted.predict_proba(frame)
    assert after.sum(axis=1) == pytest.approx(np.ones(4000))
    floor = np.mean([largest_gap(before, np.random.default_rng(s).permutation(codes)) for s in range(20)])
    assert largest_gap(before, codes) > 0.5
    assert largest_gap(after[:, 1], codes) < 3 * floor
    assert set(fitted.predict(frame)) == {"yes", "no"}
    assert np.mean(fitted.predict(frame) == y) > 0.6


def test_it_fits_into_scikit_learn(fitted):
    frame, y = people()
    again = clone(fitted)
    assert again.get_params()["n_groups"] == 4
    line = make_pipeline(
        FairClassifier(make_pipeline(StandardScaler(), LogisticRegression()), sensitive="age", n_groups=2)
    )
    assert line.fit(frame, y).predict(frame[:5]).shape == (5,)
    with sklearn.config_context(enable_metadata_routing=True):
        model = FairClassifier(LogisticRegression(), n_groups=2)
        model.set_fit_request(sensitive=True).set_predict_request(sensitive=True)
        routed = make_pipeline(StandardScaler(), model).fit(frame[["income", "debt"]], y, sensitive=frame.age)
        assert routed.predict(frame[["income", "debt"]], sensitive=frame.age).shape == (4000,)


def test_options():
    frame, y = people()
    given = FairClassifier(LogisticRegression(), sensitive="age", partition=Partition.from_edges([45]), max_gap=0.1)
    assert given.fit(frame, y).repair_.gap_ <= 0.11
    smooth = FairClassifier(LogisticRegression(), sensitive="age", smooth=True, condition="positives").fit(frame, y)
    assert smooth.repair_.gaps_["tpr"] < 0.2
    frame["sex"] = np.random.default_rng(0).choice(["f", "m"], 4000)
    boxes = FairClassifier(LogisticRegression(), sensitive=["age", "sex"], n_groups=3).fit(frame, y)
    assert boxes.predict_proba(frame[:3]).shape == (3, 2)
    array = FairClassifier(LogisticRegression(), n_groups=2).fit(frame[["income"]].to_numpy(), y, sensitive=frame.age)
    assert array.predict(frame[["income"]].to_numpy()[:2], sensitive=list(frame.age[:2])).shape == (2,)


def test_bad_input():
    frame, y = people(n=200)
    model = FairClassifier(LogisticRegression(), sensitive="aeg")
    with pytest.raises(InputError, match="X has no column 'aeg'"):
        model.fit(frame, y)
    with pytest.raises(InputError, match="is needed"):
        FairClassifier(LogisticRegression()).fit(frame, y)
    with pytest.raises(InputError, match="two classes"):
        FairClassifier(LogisticRegression(), sensitive="age").fit(frame, np.zeros(200))
    with pytest.raises(InputError, match="give it once"):
        FairClassifier(LogisticRegression(), sensitive="age").fit(frame, y, sensitive=frame.age)
    with pytest.raises(InputError, match="must be a frame"):
        FairClassifier(LogisticRegression(), sensitive="age").fit(frame.to_numpy(), y)


def test_people_without_an_attribute_and_labels_that_are_missing():
    rng = np.random.default_rng(0)
    age = rng.uniform(20, 60, 600)
    X = rng.normal(age[:, None] / 20, 1, (600, 2))
    y = (rng.random(600) < 0.5).astype(float)
    model = FairClassifier(LogisticRegression(), partition=Partition.from_edges([40], missing="drop"))
    model.fit(X, y, sensitive=age, sample_weight=np.ones(600))
    assert 0 <= model.score(X, y, sensitive=age) <= 1
    with pytest.raises(InputError, match="no decision"):
        model.predict(X[:2], sensitive=[30, np.nan])
    with pytest.raises(InputError, match="missing values"):
        FairClassifier(LogisticRegression()).fit(X, np.where(y == 1, np.nan, y), sensitive=age)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = FairClassifier(LogisticRegression(), n_groups=2).set_fit_request(sensitive=True)
        routed = routed.set_score_request(sensitive=True).set_predict_request(sensitive=True)
        scores = cross_val_score(routed, X, y, params={"sensitive": age})
    assert np.isfinite(scores).all()
