import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import validate_data

from fairgroups import FairGroups, FairKMeans, FixedGroups, InputError, Partition, make_synthetic
from fairgroups.rows.column_kinds import Column


class FirstColumn:
    """scikit-learn's checks pass wide X; these estimators take one sensitive column: give them the first."""

    def _columns(self, X, *, reset):
        column = validate_data(self, X, reset=reset, dtype=np.float64)[:, 0]
        self._names = [""]
        return [Column("", column)]


class CheckedFairKMeans(FirstColumn, FairKMeans):
    pass


class CheckedFixedGroups(FirstColumn, FixedGroups):
    pass


LABELS = "transform gives labels, which are text, and the check subtracts them"
EXPECTED = dict.fromkeys(
    [
        "check_estimators_pickle",
        "check_fit_idempotent",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_pipeline_consistency",
        "check_sample_weight_equivalence_on_dense_data",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
    ],
    LABELS,
)
FLAT = {"check_fit1d": "one attribute may be given as a flat list or series"}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [FairGroups(2), CheckedFairKMeans(2), CheckedFixedGroups([0.0])],
    expected_failed_checks=lambda estimator: EXPECTED | (FLAT if type(estimator) is FairGroups else {}),
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


class Codes:
    """The same estimators with numbers out of transform, so that the checks above can be run after all."""

    def transform(self, X):
        return self.predict(X).reshape(-1, 1).astype(float)


class CodesOfFairGroups(Codes, FairGroups):
    pass


class CodesOfFairKMeans(Codes, CheckedFairKMeans):
    pass


class CodesOfFixedGroups(Codes, CheckedFixedGroups):
    pass


def _unequal(estimator):
    return FLAT if isinstance(estimator, FairGroups) else {}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [CodesOfFairGroups(2), CodesOfFairKMeans(2), CodesOfFixedGroups([0.0])], expected_failed_checks=_unequal
)
def test_scikit_learn_conventions_on_codes(estimator, check):
    check(estimator)


DATA = make_synthetic(1000, seed=7)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_give_named_labels(frame):
    X = frame({"ita": DATA.sensitive})
    groups = FairGroups(3).fit(X, DATA.outcome)
    assert groups.partition_.name == "ita"
    assert groups.get_feature_names_out().tolist() == ["ita_group"]
    labels = groups.transform(X)
    assert labels.shape == (1000, 1)
    assert set(labels.ravel()) == set(groups.partition_.labels)


@pytest.mark.parametrize(
    "column", [list, np.asarray, lambda x: pd.Series(x, name="ita"), lambda x: pl.Series("ita", x), pa.array]
)
def test_one_column_may_be_flat(column):
    flat = FairGroups(3).fit(column(DATA.sensitive), DATA.outcome)
    square = FairGroups(3).fit(DATA.sensitive.reshape(-1, 1), DATA.outcome)
    assert flat.partition_.edges == square.partition_.edges
    assert flat.predict(column(DATA.sensitive)).tolist() == square.predict(DATA.sensitive.reshape(-1, 1)).tolist()


def test_fitted_attributes():
    groups = FairGroups(4).fit(DATA.sensitive, DATA.outcome)
    codes = groups.predict(DATA.sensitive)
    rates = np.array([DATA.outcome[codes == k].mean() for k in range(4)])
    assert groups.rates_ == pytest.approx(rates)
    assert groups.phi_ == pytest.approx(rates - DATA.outcome.mean())
    share = np.bincount(codes) / 1000
    assert groups.variance_ == pytest.approx(np.sum(share * groups.phi_**2))
    assert groups.path_[-1] == pytest.approx(groups.variance_)
    assert len(groups.path_) == groups.n_groups_ == 4
    assert groups.exact_
    assert 0 <= groups.explained_ <= 1


def test_pipeline_clone_pickle_set_output():
    pipe = make_pipeline(FairGroups(3), OneHotEncoder(), LogisticRegression())
    assert (
        pipe.fit(DATA.sensitive.reshape(-1, 1), DATA.outcome).score(DATA.sensitive.reshape(-1, 1), DATA.outcome) > 0.6
    )
    groups = FairGroups(3, min_group_size=0.1)
    assert clone(groups).get_params() == groups.get_params()
    groups.fit(DATA.sensitive, DATA.outcome)
    again = pickle.loads(pickle.dumps(groups))
    assert again.partition_ == groups.partition_
    X = pd.DataFrame({"ita": DATA.sensitive})
    out = FairGroups(3).set_output(transform="pandas").fit_transform(X, DATA.outcome)
    assert list(out.columns) == ["ita_group"]
    out = FairGroups(3).set_output(transform="polars").fit_transform(X, DATA.outcome)
    assert out.columns == ["ita_group"]


def test_labels_as_outcome():
    y = np.where(DATA.outcome == 1, "yes", "no")
    named = FairGroups(3, positive="yes").fit(DATA.sensitive, y)
    assert named.partition_ == FairGroups(3).fit(DATA.sensitive, DATA.outcome).partition_


def test_numeric_outcome_means_the_mean():
    groups = FairGroups(2).fit(np.arange(6.0), [1.5, 2, 1, 10, 11, 12])
    assert groups.rates_.tolist() == [1.5, 11]


def test_truth_for_measures_that_need_it():
    truth = np.random.default_rng(0).integers(0, 2, 1000)
    groups = FairGroups(3, measure="equal_opportunity", min_denominator=50).fit(
        DATA.sensitive, DATA.outcome, truth=truth
    )
    positives = np.bincount(groups.predict(DATA.sensitive), truth)
    assert positives.min() >= 50


@pytest.mark.parametrize("size", [100, 0.1, np.float32(0.1), np.int64(100)])
def test_minimum_size_in_rows_or_as_a_share(size):
    groups = FairGroups(5, min_group_size=size).fit(DATA.sensitive, DATA.outcome)
    assert np.bincount(groups.predict(DATA.sensitive)).min() >= 100


def test_missing_values():
    x = DATA.sensitive.copy()
    x[:10] = np.nan
    dropped = FairGroups(2, missing="drop").fit(x, DATA.outcome)
    assert (dropped.predict(x)[:10] == -1).all()
    assert dropped.transform(x)[0, 0] is None
    own = FairGroups(2, missing="group").fit(x, DATA.outcome)
    assert own.n_groups_ == 3
    assert own.rates_[2] == pytest.approx(DATA.outcome[:10].mean())
    assert own.transform(x)[0, 0] == "x missing"
    with pytest.raises(ValueError, match=r"NaN[\s\S]*missing='drop'"):
        FairGroups(2).fit(x, DATA.outcome)
    assert dropped.dropped_ == {"sensitive": 10}
    masked = np.ma.masked_array(DATA.sensitive, np.arange(1000) < 10)
    assert FairGroups(2, missing="drop").fit(masked, DATA.outcome).partition_ == dropped.partition_


def test_integers_with_ties_an_outlier_and_a_gap():
    x = np.array([1] * 40 + [2] * 40 + [3] * 40 + [500] * 40 + [10**6])
    y = np.array([0] * 80 + [1] * 81)
    groups = FairGroups(2).fit(x, y)
    assert groups.partition_.edges == (3.0,)
    assert groups.predict([x.min(), x.max()]).tolist() == [0, 1]
    assert (np.bincount(groups.predict(x)) > 0).all()


def test_constant_attribute():
    with pytest.raises(InputError, match="between 1 and 1, the number of distinct values"):
        FairGroups(2).fit(np.ones(10), np.tile([0, 1], 5))
    assert FairGroups(1).fit(np.ones(10), np.tile([0, 1], 5)).n_groups_ == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_groups": 0}, "`n_groups` must be a whole number"),
        ({"n_groups": 2.5}, "`n_groups` must be a whole number"),
        ({"n_groups": True}, "`n_groups` must be a whole number"),
        ({"n_groups": 64}, "between 1 and 10, .*; got 64.\nHint: lower `n_groups`"),
        ({"n_groups": 3, "min_group_size": 9}, "only 1 group"),
        ({"min_group_size": 2.5}, "`min_group_size` must be"),
        ({"min_group_size": -1}, "`min_group_size` must be"),
        ({"min_group_size": "all"}, "`min_group_size` must be"),
        ({"min_denominator": -1}, "`min_denominator` must be"),
        ({"missing": "skip"}, "`missing` must be"),
        ({"measure": "justice"}, "unknown measure"),
    ],
)
def test_bad_options_say_what_to_do(options, message):
    with pytest.raises(InputError, match=message):
        FairGroups(**options).fit(np.arange(10.0), np.tile([0, 1], 5))


def test_bad_data_says_what_to_do():
    y = np.tile([0, 1], 5)
    for estimator, message in ((FairKMeans(2), "groups one numeric column; got 2"), (FixedGroups([1]), "X has 2")):
        with pytest.raises(InputError, match=message):
            estimator.fit(np.ones((10, 2)), y)
    with pytest.raises(InputError, match="same number of rows"):
        FairGroups(2).fit(np.arange(9.0), y)
    with pytest.raises(ValueError, match=r"infinity|inf"):
        FairGroups(2).fit([np.inf, *range(9)], y)
    with pytest.raises(InputError, match="must not be negative"):
        FairGroups(2).fit(np.arange(10.0), y, sample_weight=[-1] * 10)
    with pytest.raises(InputError, match="requires y to be passed"):
        FairGroups(2).fit(np.arange(10.0))
    with pytest.raises(ValueError, match="could not convert string to float"):
        FairGroups(2).fit(np.array([["old"]] * 10), y)


def test_fixed_groups():
    fixed = FixedGroups([25, 45], closed="right").fit(np.array([25.0, 26, 50]), [1, 0, 0])
    assert fixed.predict([25, 45, 46]).tolist() == [0, 1, 2]
    scale = Partition.from_edges([60], closed="right", name="L*")
    assert FixedGroups(scale).fit([50.0, 70]).partition_ == scale
    assert not hasattr(FixedGroups(scale).fit([50.0, 70]), "phi_")
    empty = FixedGroups([100]).fit([1.0, 2], [0, 1])
    assert np.isnan(empty.phi_[1])
