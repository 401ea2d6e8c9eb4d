import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GroupKFold, ShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from fairgroups import FairClassifier, FairGroups, InputError, Partition, hgr
from fairgroups.repair.left import reach_of
from fairgroups.rows.column_kinds import Column


def people(seed=0, n=4000):
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 70, n)
    frame = pd.DataFrame({"age": age, "income": rng.normal(age / 15, 1), "debt": rng.normal(size=n)})
    y = rng.random(n) < 1 / (1 + np.exp(3 - frame.income + 0.5 * frame.debt))
    return frame, np.where(y, "yes", "no")


@pytest.fixture(scope="module")
def fitted():
    frame, y = people()
    return FairClassifier(LogisticRegression(), sensitive="age").fit(frame, y)


def test_held_out_people_get_alike_probabilities(fitted):
    frame, y = people(1)
    before = np.mean([m.predict_proba(frame[["income", "debt"]])[:, 1] for m in fitted.estimators_], axis=0)
    after = fitted.predict_proba(frame)
    assert after.sum(axis=1) == pytest.approx(np.ones(4000))
    reach = [reach_of(Column("age", frame.age.to_numpy()), p, np.ones(4000), 0.5) for p in (before, after[:, 1])]
    assert reach[0].sd > 0.25 > 0.03 > reach[1].sd
    assert reach[1].hgr < 2 * reach[1].floor < reach[0].hgr
    assert set(fitted.predict(frame)) == {"yes", "no"}
    assert np.mean(fitted.predict(frame) == y) > 0.6
    assert fitted.left_.after.sd < fitted.left_.before.sd / 2
    assert fitted.left_.people == 800  # left out of everything
    assert len(fitted.estimators_) == 5


def test_fair_probabilities_come_true():
    frame, y = people(2, 8000)
    halves = frame[:4000], frame[4000:]
    bias = {}
    for calibrate in (False, True):
        model = FairClassifier(RidgeClassifier(), sensitive="age", calibrate=calibrate)  # its scores are no chances
        p = model.fit(halves[0], y[:4000]).predict_proba(halves[1])[:, 1]
        code = np.digitize(p, np.quantile(p, [0.2, 0.4, 0.6, 0.8]))
        yes = y[4000:] == "yes"
        bias[calibrate] = np.mean([abs(p[code == k].mean() - yes[code == k].mean()) for k in range(5)])
    assert bias[True] < 0.03 < bias[False]


def test_models_and_maps_belong_together():
    frame, y = people()
    features = ["income", "debt"]
    model = LogisticRegression().fit(frame[features][:2000], y[:2000])
    prefit = FairClassifier(model, sensitive="age", cv="prefit").fit(frame[2000:], y[2000:])
    assert prefit.estimators_ == [model]
    assert prefit.estimator_ is model
    share = FairClassifier(LogisticRegression(), sensitive="age", cv=0.4).fit(frame, y)
    assert len(share.estimators_) == 1
    assert share.repair_.maps_.axes[0].size > 50
    person = np.arange(4000) // 4
    grouped = FairClassifier(LogisticRegression(), sensitive="age", cv=GroupKFold(3)).fit(frame, y, groups=person)
    assert len(grouped.estimators_) == 3
    with pytest.raises(AttributeError, match="several models"):
        _ = grouped.estimator_
    some = FairClassifier(LogisticRegression(), sensitive="age", cv=ShuffleSplit(1, test_size=0.25, random_state=0))
    assert len(some.fit(frame, y).estimators_) == 1
    ridge = FairClassifier(RidgeClassifier(), sensitive="age").fit(frame, y)  # a decision function only
    assert ridge.predict_proba(frame[:9])[:, 1].min() > 0
    for bad in (1, 1.5, "folds"):
        with pytest.raises(InputError, match="cv"):
            FairClassifier(LogisticRegression(), sensitive="age", cv=bad).fit(frame, y)
    other = LogisticRegression().fit(frame[features], np.where(y == "yes", "b", "a"))
    with pytest.raises(InputError, match="tells"):
        FairClassifier(other, sensitive="age", cv="prefit").fit(frame, y)


def test_people_with_the_same_probability_are_told_apart_by_their_features():
    """A stump gives few probabilities: features decide within each, so that nobody's age can be told from it."""
    rng = np.random.default_rng(0)
    n = 8000
    age = rng.uniform(20, 70, n)
    X = np.column_stack([rng.normal(age / 15, 1), rng.normal(size=n)])
    y = rng.random(n) < 1 / (1 + np.exp(3 - X[:, 0]))
    stump = DecisionTreeClassifier(max_depth=2).fit(X[:2000], y[:2000])
    model = FairClassifier(stump, cv="prefit").fit(X[2000:5000], y[2000:5000], sensitive=age[2000:5000])
    assert model.repair_.largest_atom_ > 0.2
    fair = model.predict_proba(X[5000:], sensitive=age[5000:])[:, 1]
    left = hgr(age[5000:], fair)
    assert left.value < 2 * left.floor < hgr(age[5000:], stump.predict_proba(X[5000:])[:, 1]).value
    assert np.unique(fair).size > 100


def test_it_fits_into_scikit_learn(fitted):
    frame, y = people()
    assert clone(fitted).get_params()["partition"] == "auto"
    line = make_pipeline(FairClassifier(make_pipeline(StandardScaler(), LogisticRegression()), sensitive="age"))
    assert line.fit(frame, y).predict(frame[:5]).shape == (5,)
    assert not get_tags(fitted).classifier_tags.multi_class
    assert list(fitted.feature_names_in_) == ["age", "income", "debt"]
    with sklearn.config_context(enable_metadata_routing=True):
        model = FairClassifier(LogisticRegression())
        model.set_fit_request(sensitive=True).set_predict_request(sensitive=True)
        routed = make_pipeline(StandardScaler(), model).fit(frame[["income", "debt"]], y, sensitive=frame.age)
        assert routed.predict(frame[["income", "debt"]], sensitive=frame.age).shape == (4000,)


def test_options():
    frame, y = people()
    given = FairClassifier(LogisticRegression(), sensitive="age", partition=Partition.from_edges([45]), max_gap=0.1)
    assert given.fit(frame, y).repair_.gap_ <= 0.11
    rough = clone(given).set_params(max_gap=0.0)
    with pytest.warns(match="more is left|still tells"):  # two groups leave much inside them
        rough.fit(*people(0, 12_000))
    positives = FairClassifier(LogisticRegression(), sensitive="age", condition="positives").fit(frame, y)
    assert positives.repair_.gaps_["tpr"] < 0.2
    frame["sex"] = np.random.default_rng(0).choice(["f", "m"], 4000)
    both = FairClassifier(LogisticRegression(), sensitive=["age", "sex"]).fit(frame, y)
    assert both.predict_proba(frame[:3]).shape == (3, 2)
    array = FairClassifier(LogisticRegression(), partition=FairGroups(8)).fit(
        frame[["income"]].to_numpy(), y, sensitive=frame.age
    )
    assert array.predict(frame[["income"]].to_numpy()[:2], sensitive=list(frame.age[:2])).shape == (2,)
    numbers = frame[["age", "income", "debt"]].to_numpy()
    third = FairClassifier(LogisticRegression(), sensitive=0).fit(numbers, y)  # by position
    assert third.predict_proba(numbers) == pytest.approx(
        FairClassifier(LogisticRegression())
        .fit(numbers[:, 1:], y, sensitive=numbers[:, 0])
        .predict_proba(numbers[:, 1:], sensitive=numbers[:, 0])
    )


def test_the_mean_over_models_is_what_is_judged():
    """What `left_` says holds for fresh people, though models are averaged and the mean is calibrated."""
    frame, y = people(0, 10_000)
    model = FairClassifier(DecisionTreeClassifier(min_samples_leaf=5, random_state=0), sensitive="age").fit(frame, y)
    test, _ = people(1, 20_000)
    fresh = reach_of(Column("age", test.age.to_numpy()), model.predict_proba(test)[:, 1], np.ones(20_000), 0.5)
    assert model.left_.after.sd == pytest.approx(fresh.sd, abs=0.04)
    assert model.left_.after.ks == pytest.approx(fresh.ks, abs=0.08)


def test_models_see_the_labels_as_they_are():
    frame, y = people(n=800)
    weighted = FairClassifier(LogisticRegression(class_weight={"no": 1, "yes": 3}), sensitive="age", judge=False)
    assert list(weighted.fit(frame, y).estimators_[0].classes_) == ["no", "yes"]
    assert weighted.left_ is None
    numbers = frame[["age", "income", "debt"]].to_numpy()
    again = FairClassifier(LogisticRegression(), sensitive=0, judge=False).fit(numbers, y)
    assert again.fit(numbers[:, :2], y).estimators_[0].coef_.shape == (1, 1)  # the attribute is never seen
    named = {"age": frame.age.to_numpy()}
    assert FairClassifier(LogisticRegression(), cv=0.3).fit(numbers[:, 1:], y, sensitive=named).left_ is not None


def test_without_the_attribute_at_prediction():
    frame, y = people(0, 6000)
    test, _ = people(1, 6000)
    plain = LogisticRegression().fit(frame[["income", "debt"]], y).predict_proba(test[["income", "debt"]])[:, 1]
    blind = FairClassifier(LogisticRegression(), sensitive="age", at_predict="without").fit(frame, y)
    hidden = test.drop(columns="age")
    assert (blind.predict_proba(hidden) == blind.predict_proba(test)).all()
    age = Column("age", test.age.to_numpy())
    before, after = (reach_of(age, p, np.ones(6000), 0.5).sd for p in (plain, blind.predict_proba(hidden)[:, 1]))
    assert after < before / 3
    assert blind.left_.after.sd == pytest.approx(after, abs=0.04)
    with pytest.raises(InputError, match="condition"):
        FairClassifier(LogisticRegression(), sensitive="age", at_predict="without", condition="both").fit(frame, y)
    with pytest.raises(InputError, match="at_predict"):
        FairClassifier(LogisticRegression(), sensitive="age", at_predict="never").fit(frame, y)


def test_bad_input():
    frame, y = people(n=200)
    model = FairClassifier(LogisticRegression(), sensitive="aeg")
    with pytest.raises(InputError, match="X has no column 'aeg'"):
        model.fit(frame, y)
    with pytest.raises(InputError, match="is needed"):
        FairClassifier(LogisticRegression()).fit(frame, y)
    for classes in (np.zeros(200), np.arange(200) % 3):
        with pytest.raises(InputError, match="two classes"):
            FairClassifier(LogisticRegression(), sensitive="age").fit(frame, classes)
    with pytest.raises(InputError, match="give it once"):
        FairClassifier(LogisticRegression(), sensitive="age").fit(frame, y, sensitive=frame.age)
    with pytest.raises(InputError, match="must be a frame"):
        FairClassifier(LogisticRegression(), sensitive="age").fit(frame.to_numpy(), y)
    with pytest.raises(InputError, match="no column at"):
        FairClassifier(LogisticRegression(), sensitive=7).fit(frame.to_numpy(), y)
    for wrong in (
        {"cv": True},
        {"cv": 0.001},
        {"threshold": "x"},
        {"cost": "w3"},
        {"at_predict": "without", "missing": "x"},
    ):
        with pytest.raises(InputError):
            FairClassifier(LogisticRegression(), sensitive="age", **wrong).fit(frame, y)
    with pytest.raises(InputError, match="5 sensitive values"):
        FairClassifier(LogisticRegression()).fit(frame, y, sensitive=frame.age[:5])
    with pytest.raises(InputError, match="with weights"):
        FairClassifier(make_pipeline(StandardScaler(), LogisticRegression()), sensitive="age").fit(
            frame, y, sample_weight=np.ones(200)
        )
    with pytest.raises(InputError, match="200 rows|one label"):
        FairClassifier(LogisticRegression(), cv="prefit").fit(frame, y[:100], sensitive=frame.age)


def test_people_without_an_attribute_and_labels_that_are_missing():
    rng = np.random.default_rng(0)
    age = rng.uniform(20, 60, 600)
    X = rng.normal(age[:, None] / 20, 1, (600, 2))
    y = (rng.random(600) < 0.5).astype(float)
    holes = np.where(np.arange(600) % 10 == 0, np.nan, age)
    with pytest.raises(InputError, match="missing='drop'"):
        FairClassifier(LogisticRegression()).fit(X, y, sensitive=holes)
    model = FairClassifier(LogisticRegression(), missing="drop").fit(X, y, sensitive=holes, sample_weight=np.ones(600))
    assert 0 <= model.score(X, y, sensitive=age) <= 1
    with pytest.raises(InputError, match="no fair score"):
        model.predict(X[:2], sensitive=[30, np.nan])
    own = FairClassifier(LogisticRegression(), missing="group").fit(X, y, sensitive=holes)
    assert np.isfinite(own.predict_proba(X, sensitive=holes)).all()
    with pytest.raises(InputError, match="missing values"):
        FairClassifier(LogisticRegression()).fit(X, np.where(y == 1, np.nan, y), sensitive=age)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = FairClassifier(LogisticRegression()).set_fit_request(sensitive=True)
        routed = routed.set_score_request(sensitive=True).set_predict_request(sensitive=True)
        scores = cross_val_score(routed, X, y, params={"sensitive": age})
    assert np.isfinite(scores).all()
