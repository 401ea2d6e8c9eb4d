import json

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from fairgroups import FairGroups, InputError, Partition, SchemaError, ScoreRepair
from fairgroups.repair.transport import largest_gap

pytestmark = pytest.mark.filterwarnings("ignore::fairgroups.FairnessWarning")  # few groups leave much

RNG = np.random.default_rng(0)
AGE = RNG.uniform(20, 70, 6000)
SCORE = np.clip(RNG.normal(0.2 + AGE / 150, 0.12), 0, 1) + RNG.random(6000) * 1e-9
LABEL = (RNG.random(6000) < SCORE).astype(int)
GROUPS = Partition.from_edges([35, 50])
CODES = GROUPS.assign(AGE)


def fitted(partition=GROUPS, **options):
    return ScoreRepair(partition, **options).fit(SCORE, LABEL, sensitive=AGE)


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("cost", ["w1", "w2"])
@pytest.mark.parametrize("n_levels", [None, 500])
def test_the_gap_is_kept_and_order_within_groups(gap, cost, n_levels):
    repair = fitted(max_gap=gap, cost=cost, n_levels=n_levels)
    fair = repair.transform(SCORE, sensitive=AGE)
    smallest = np.bincount(CODES).min()
    assert largest_gap(fair, CODES) <= gap + 1 / smallest + (0 if n_levels is None else 2 / n_levels) + 1e-9
    assert repair.gap_ == pytest.approx(largest_gap(fair, CODES))
    for k in range(3):
        order = np.argsort(SCORE[k == CODES])
        assert (np.diff(fair[k == CODES][order]) >= 0).all()
    assert fair.min() >= SCORE.min()
    assert fair.max() <= SCORE.max()


def test_nothing_moves_within_the_limits():
    unchanged = fitted(max_gap=1.0).transform(SCORE, sensitive=AGE)
    assert (unchanged == SCORE).all()
    wide = fitted(max_gap=0.3).transform(SCORE, sensitive=AGE)
    assert 0.05 < np.mean(wide == SCORE) < 1
    alone = ScoreRepair([]).fit(SCORE, sensitive=AGE)
    assert (alone.transform(SCORE, sensitive=AGE) == SCORE).all()


@pytest.mark.parametrize(
    "options", [{}, {"max_gap": 0.05}, {"partition": "auto"}, {"relaxation": "geodesic", "max_gap": 0.1}]
)
def test_a_row_alone_is_a_row_in_any_batch(options):
    repair = fitted(**options)
    fair = repair.transform(SCORE, sensitive=AGE)
    for i in range(0, 6000, 500):
        assert repair.transform([SCORE[i]], sensitive=[AGE[i]])[0] == fair[i]
    some = np.arange(5999, 0, -7)
    assert (repair.transform(SCORE[some], sensitive=AGE[some]) == fair[some]).all()


def test_new_scores_stay_within_the_fitted_range():
    repair = fitted(max_gap=0.05)
    fair = repair.transform([-5.0, 0.33333, 5.0], sensitive=[20, 40, 900])
    assert (fair >= SCORE.min()).all()
    assert (fair <= SCORE.max()).all()
    amounts = ScoreRepair(GROUPS).fit(1e6 * SCORE - 3e5, sensitive=AGE)
    assert amounts.transform(1e6 * SCORE - 3e5, sensitive=AGE) == pytest.approx(
        1e6 * fitted().transform(SCORE, sensitive=AGE) - 3e5, abs=5e3
    )


def test_geodesic_takes_the_least_step():
    repair = fitted(relaxation="geodesic", max_gap=0.1)
    assert 0 < repair.step_ < 1
    assert 0.09 < repair.gap_ <= 0.101
    assert fitted(relaxation="geodesic", max_gap=1.0).step_ == 0
    assert fitted(relaxation="geodesic").step_ == pytest.approx(1, abs=0.01)


def test_equal_opportunity_and_odds():
    positives = fitted(condition="positives")
    assert positives.gaps_["tpr"] < 0.01
    assert positives.gap_ == positives.gaps_["tpr"]
    both = fitted(condition="both")
    assert both.gap_ == max(both.gaps_["tpr"], both.gaps_["fpr"])
    assert (
        both.gap_ <= min(max(r.gaps_["tpr"], r.gaps_["fpr"]) for r in (positives, fitted(), fitted(max_gap=1.0))) + 1e-9
    )
    assert both.bound_ == pytest.approx(both.gap_, abs=0.005)  # nothing that keeps the order does better
    assert positives.bound_ is None
    with pytest.raises(InputError, match="needs y"):
        ScoreRepair(GROUPS, condition="both").fit(SCORE, sensitive=AGE)
    with pytest.raises(InputError, match="has nobody with y = 1"):
        ScoreRepair(GROUPS, condition="both").fit(SCORE, np.where(CODES == 0, 0, LABEL), sensitive=AGE)


def test_atoms_are_split_by_key_and_the_same_way_each_time():
    rng = np.random.default_rng(1)
    n = 8000
    age = rng.choice([25.0, 60.0], n)
    score = (rng.random(n) < np.where(age < 40, 0.3, 0.6)).astype(float)
    key = np.arange(n)
    repair = ScoreRepair([40]).fit(score, sensitive=age)
    assert repair.largest_atom_ > 0.5
    fair = repair.transform(score, sensitive=age, key=key)
    assert largest_gap(fair, (age > 40).astype(int)) < 2 / np.sqrt(n / 2) + 0.01
    assert (repair.transform(score[::-1], sensitive=age[::-1], key=key[::-1])[::-1] == fair).all()
    other = ScoreRepair([40], random_state=1).fit(score, sensitive=age).transform(score, sensitive=age, key=key)
    assert (other != fair).any()


def test_maps_by_the_exact_attribute_have_no_jumps():
    steps, exact = fitted(), fitted("auto")
    around = np.array([34.999, 35.001])
    jump = [abs(np.diff(r.transform([0.5, 0.5], sensitive=around))[0]) for r in (steps, exact)]
    assert jump[1] < 0.002 < jump[0]
    assert exact.gap_ < 0.08


def test_weights_count_as_repetitions():
    weight = RNG.integers(1, 4, 6000)
    weighted = ScoreRepair(GROUPS, n_levels=None).fit(SCORE, sensitive=AGE, sample_weight=weight)
    again = ScoreRepair(GROUPS, n_levels=None).fit(np.repeat(SCORE, weight), sensitive=np.repeat(AGE, weight))
    one, two = (r.transform(SCORE, sensitive=AGE) for r in (weighted, again))
    assert np.abs(one - two).mean() < 0.002


def test_json_brings_the_same_scores(tmp_path):
    for options in (
        {},
        {"max_gap": 0.1, "cost": "w1"},
        {"partition": "auto"},
        {"relaxation": "geodesic", "max_gap": 0.05},
    ):
        repair = fitted(**options)
        again = ScoreRepair.from_json(repair.to_json(tmp_path / "repair.json"))
        assert (again.transform(SCORE, sensitive=AGE) == repair.transform(SCORE, sensitive=AGE)).all()
        assert ScoreRepair.read(tmp_path / "repair.json").get_params()["max_gap"] == repair.max_gap
    data = repair.to_dict()
    for bad in (
        "{",
        "[]",
        "{}",
        json.dumps({**data, "schema_version": 99}),
        json.dumps({**data, "maps": {**data["maps"], "knots": None}}),
        json.dumps({**data, "maps": {**data["maps"], "lower": 3}}),
        json.dumps({**data, "maps": {**data["maps"], "knots": data["maps"]["knots"][::-1]}}),
    ):
        with pytest.raises(SchemaError):
            ScoreRepair.from_json(bad)


def test_scikit_learn_habits():
    repair = ScoreRepair(GROUPS, max_gap=0.1)
    assert clone(repair).get_params() == repair.get_params()
    column = repair.fit(SCORE.reshape(-1, 1), sensitive=pd.Series(AGE)).transform(SCORE.reshape(-1, 1), sensitive=AGE)
    assert column.shape == (6000,)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = ScoreRepair(GROUPS).set_fit_request(sensitive=True).set_transform_request(sensitive=True)
        line = make_pipeline(FunctionTransformer(), routed)
        assert line.fit(SCORE, LABEL, sensitive=AGE).transform(SCORE, sensitive=AGE).shape == (6000,)
    groups = FairGroups(3).fit(AGE, LABEL)
    assert ScoreRepair(groups).fit(SCORE, sensitive=AGE).gap_ < 0.01
    frame = pd.DataFrame({"age": AGE, "sex": RNG.choice(["f", "m"], 6000)})
    boxes = FairGroups(3).fit(frame, LABEL)
    assert ScoreRepair(boxes).fit(SCORE, sensitive=frame).transform(SCORE[:5], sensitive=frame[:5]).shape == (5,)


def test_odd_data():
    assert (ScoreRepair([5]).fit([0.3] * 10, sensitive=range(10)).transform([0.3], sensitive=[2]) == 0.3).all()
    one = ScoreRepair([5]).fit([0.1, 0.2, 0.9], sensitive=[1, 2, 8])  # a group of one row
    assert one.transform([0.9], sensitive=[8]) == pytest.approx([one.transform([0.2], sensitive=[1])[0]], abs=0.3)
    missing = Partition.from_edges([40], missing="drop")
    fair = ScoreRepair(missing).fit(SCORE, sensitive=AGE).transform([0.5, 0.5], sensitive=[np.nan, 30])
    assert np.isnan(fair[0])
    assert fair[1] > 0
    with pytest.raises(InputError, match="nobody in the group"):
        ScoreRepair([100]).fit(SCORE, sensitive=AGE).transform([0.5], sensitive=[200])


@pytest.mark.parametrize(
    ("options", "score", "sensitive", "message"),
    [
        ({}, [0.1, np.nan], [1, 2], "score.s. are missing"),
        ({}, [0.1, 0.2], [1, np.nan], "missing"),
        ({}, [0.1, np.inf], [1, 2], "infinite"),
        ({"partition": "auto"}, [0.1, 0.2], [1, np.nan], "missing='drop' gives"),
        ({}, [0.1, 0.2, 0.3], [1, 2], "3 scores and 2 sensitive"),
        ({"max_gap": 5}, [0.1], [1], "between 0 and 1"),
        ({"cost": "w3"}, [0.1], [1], "`cost` must be"),
        ({"n_levels": 1}, [0.1], [1], "`n_levels` must be"),
        ({}, [], [], "no scores|no rows|empty"),
    ],
)
def test_bad_input(options, score, sensitive, message):
    with pytest.raises(InputError, match=message):
        ScoreRepair(**{"partition": [5], **options}).fit(score, sensitive=sensitive)
    with pytest.raises(InputError, match="`partition` must be"):
        ScoreRepair(3).fit([0.1], sensitive=[1])


def test_groups_are_found_in_whole_distributions():
    rng = np.random.default_rng(3)
    alike = rng.random(2000)
    nothing = ScoreRepair().fit(alike, sensitive=AGE[:2000])
    assert nothing.partition_.n_groups == 1
    steps = np.digitize(AGE, [30, 45, 60]) / 5 + 0.1 * rng.random(6000)
    found = ScoreRepair("groups").fit(steps, sensitive=AGE).partition_
    assert found.n_groups == 4
    assert found.edges == pytest.approx((30, 45, 60), abs=0.5)
    assert 2 <= ScoreRepair().fit(SCORE, sensitive=AGE).partition_.n_groups <= 8
    few = ScoreRepair().fit([0.1, 0.2, 0.3], sensitive=[1, 2, 3])
    assert few.partition_.n_groups == 1
    frame = pd.DataFrame({"age": AGE, "sex": np.where(AGE % 2 < 1, "f", "m")})
    assert ScoreRepair().fit(SCORE, sensitive=frame).partition_.columns == ("age", "sex")
    constant = ScoreRepair().fit(SCORE, sensitive=np.ones(6000))
    assert constant.partition_.n_groups == 1
    assert ScoreRepair(condition="positives").fit(SCORE, LABEL, sensitive=AGE).gaps_["tpr"] < 0.1
    with pytest.raises(InputError, match="'auto' or 'groups'"):
        ScoreRepair("many").fit(SCORE, sensitive=AGE)


def test_the_grid_keeps_its_promises():
    rng = np.random.default_rng(5)
    sizes = (15_000, 5_000)
    age = np.repeat([30.0, 60.0], sizes)
    score = np.concatenate([rng.beta(2, 3, sizes[0]), rng.beta(3, 2, sizes[1])])
    smaller = ScoreRepair([40], cost="w1").fit(score, sensitive=age)
    fair = smaller.transform(score, sensitive=age)
    assert np.mean(fair[age < 40] != score[age < 40]) < 0.01  # W1 moves the smaller group only
    assert smaller.gap_ < 0.003
    alike = np.concatenate([score[:15_000], score[:15_000]])
    same = ScoreRepair([40]).fit(alike, sensitive=np.repeat([30.0, 60.0], 15_000))
    assert np.mean(same.transform(alike, sensitive=np.repeat([30.0, 60.0], 15_000)) != alike) < 0.01
    few = np.concatenate([rng.random(100_000), 0.5 + 0.001 * rng.random(200)])  # a small group in one place
    group = np.repeat([30.0, 60.0], [100_000, 200])
    assert ScoreRepair([40]).fit(few, sensitive=group).gap_ < 1 / 200 + 4 / 2000


def test_scale_does_not_matter():
    rng = np.random.default_rng(1)
    base = fitted(max_gap=0.3, n_levels=None).transform(SCORE, sensitive=AGE)
    for factor, shift in ((1e-11, 0.0), (1e200, 0.0), (0.01, 1e6)):
        moved = SCORE * factor + shift
        fair = ScoreRepair(GROUPS, max_gap=0.3, n_levels=None).fit(moved, sensitive=AGE).transform(moved, sensitive=AGE)
        assert (fair - shift) / factor == pytest.approx(base, abs=1e-6)
    weight = rng.uniform(0.5, 2, 6000)
    one, huge = (
        ScoreRepair(GROUPS).fit(SCORE, sensitive=AGE, sample_weight=weight * times).transform(SCORE, sensitive=AGE)
        for times in (1, 1e300)
    )
    assert one == pytest.approx(huge)


def test_a_heavy_row_is_told():
    weight = np.ones(6000)
    weight[0] = 600
    assert ScoreRepair(GROUPS).fit(SCORE, sensitive=AGE, sample_weight=weight).largest_atom_ > 0.1
    assert fitted().largest_atom_ == 0


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": None},
        {"schema_version": "one"},
        {"options": {"max_gap": "a"}},
        {"options": {"cost": "zzz"}},
        {"options": {"random_state": None}},
    ],
)
def test_damaged_json(change):
    data = fitted().to_dict()
    changed = {**data, **change}
    if "options" in change:
        changed["options"] = {**data["options"], **change["options"]}
    with pytest.raises(InputError):
        ScoreRepair.from_dict(changed)
    for name, value in (("levels", []), ("targets", [float("nan")]), ("range", [0, 5]), ("groups", [0, 1, 7])):
        with pytest.raises(SchemaError):
            ScoreRepair.from_dict({**data, "maps": {**data["maps"], name: value}})
    with pytest.raises(SchemaError):
        ScoreRepair.from_dict([1])


def test_numbers_of_numpy_are_numbers():
    repair = ScoreRepair(GROUPS, max_gap=np.float32(0.1), n_levels=np.int64(500), random_state=np.int64(3))
    text = repair.fit(SCORE, sensitive=AGE).to_json()
    assert ScoreRepair.from_json(text).random_state == 3
