"""Who is compared with whom: strata, or the scores of cross-fitted models."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import fairgroups as fg
from fairgroups.grouping.comparable_people import find_alike, without_each
from fairgroups.measures import RATES
from fairgroups.rows.rows import Rows

PARITY = RATES["statistical_parity"]


def people(n=3_000, k=2, effect=0.0, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, k))
    score = z.sum(axis=1) / np.sqrt(k)
    x = score + rng.normal(size=n)
    p = 0.15 + 0.7 / (1 + np.exp(-score)) - effect * (x < np.quantile(x, 0.2))
    y = (rng.random(n) < p).astype(int)
    return {"x": np.round(x, 2), "y": y, **{f"z{i}": z[:, i] for i in range(k)}}


def rows_of(table):
    return Rows.from_arrays(table["x"], table["y"], factors={k: v for k, v in table.items() if k[0] == "z"})


def test_strata_where_people_are_enough_and_a_model_where_not():
    assert find_alike(rows_of(people(k=1)), [PARITY], "auto").how == "strata"
    many = rows_of(people(k=5))
    found = find_alike(many, [PARITY], "auto")
    assert found.how == "model"
    assert [factor.kind for factor in found.strata.factors] == ["score"] * 5
    assert find_alike(many, [PARITY], "strata").how == "strata"


def test_scores_are_of_people_set_aside_whatever_the_order_of_rows():
    table = people(n=800)
    order = np.random.default_rng(1).permutation(800)
    one = find_alike(rows_of(table), [PARITY], "model")
    two = find_alike(rows_of({k: v[order] for k, v in table.items()}), [PARITY], "model")
    assert np.allclose(one.predicted["statistical_parity"][order], two.predicted["statistical_parity"])
    rng = np.random.default_rng(2)
    noise = Rows.from_arrays(rng.normal(size=2_000), rng.random(2_000) < 0.5, factors={"z": rng.normal(size=2_000)})
    scores = find_alike(noise, [PARITY], "model").predicted["statistical_parity"]
    assert abs(np.corrcoef(scores, noise.outcome)[0, 1]) < 0.08  # a model that saw them would reach 0.3


@pytest.mark.parametrize("how", ["model", LogisticRegression()])
def test_models_find_what_strata_find(how):
    table = people(n=6_000, effect=0.2)
    asked = {"sensitive": "x", "outcome": "y", "given": ["z0", "z1"], "checks": False, "partition": [-1.2]}
    strata, model = (fg.audit(table, **asked, how=one).reasons.groups[0] for one in ("strata", how))
    assert model.matched == pytest.approx(strata.matched, abs=0.03)
    assert model.matched_low < -0.2 < model.matched_high
    assert model.difference == pytest.approx(model.explained + model.unexplained, abs=1e-12)


def test_what_a_model_explains_is_no_finding():
    factors = ["z0", "z1", "z2", "z3"]
    alarms = 0
    for seed in range(20):
        found = fg.audit(people(k=4, seed=50 + seed), sensitive="x", outcome="y", given=factors, checks=False)
        alarms += found.verdict in ("different", "depends")
    assert alarms <= 4


def test_without_each_factor():
    table = people(k=2)
    rows = rows_of(table)
    alike = find_alike(rows, [PARITY], "strata")
    one, two = without_each(rows, [PARITY], alike, "strata")
    assert [factor.name for factor in one.strata.factors] == ["z1"]
    assert [factor.name for factor in two.strata.factors] == ["z0"]
    alone = rows_of(people(k=1))
    (nothing,) = without_each(alone, [PARITY], find_alike(alone, [PARITY], "auto"), "auto")
    assert nothing.strata.n == 1


def test_an_estimator_that_fails_is_told():
    class Wild(LogisticRegression):
        def predict_proba(self, X):
            return np.full((X.shape[0], 2), np.nan)

    with pytest.raises(fg.InputError, match="not finite"):
        find_alike(rows_of(people()), [PARITY], Wild())
    with pytest.raises(fg.InputError, match="estimator with fit"):
        find_alike(rows_of(people()), [PARITY], "boosting")


def test_estimators_that_do_not_fit():
    from sklearn.cluster import KMeans

    for how in (LogisticRegression, KMeans(2)):
        with pytest.raises(fg.InputError, match="estimator with fit"):
            find_alike(rows_of(people()), [PARITY], how)
    pay = {**people(), "y": people()["x"] * 100}
    with pytest.raises(fg.InputError, match="classifier"):
        find_alike(rows_of(pay), [RATES["mean"]], LogisticRegression())


def test_a_factor_that_is_always_missing_changes_nothing():
    table = people(n=1_500)
    rows = Rows.from_arrays(
        table["x"], table["y"], factors={"z0": table["z0"], "m": np.full(1_500, np.nan)}, missing="group"
    )
    assert find_alike(rows, [PARITY], "model").how == "model"


@pytest.mark.parametrize(("noise", "runs"), [("lognormal", 25), ("explained", 25), ("atom", 12)])
def test_no_alarm_from_skewed_amounts_clear_factors_and_atoms(noise, runs):
    alarms = 0
    for seed in range(runs):
        rng = np.random.default_rng(300 + seed)
        n = 20_000 if noise == "atom" else 3_000
        z = rng.normal(size=n) if noise != "atom" else np.where(rng.random(n) < 0.1, rng.exponential(5, n), 0.0)
        x = z + (2 if noise == "atom" else 1) * rng.normal(size=n)
        y = {
            "lognormal": np.exp(1.5 * rng.normal(size=n)),
            "explained": z + 0.3 * rng.normal(size=n),
            "atom": (rng.random(n) < 1 / (1 + np.exp(1 - 0.3 * z))).astype(float),
        }[noise]
        found = fg.audit({"x": x, "y": y, "z": z}, sensitive="x", outcome="y", given="z", checks=False)
        alarms += found.verdict in ("different", "depends")
    assert alarms <= 0.05 * runs + 2.6 * np.sqrt(0.05 * runs)


@pytest.mark.parametrize("how", ["strata", "model"])
def test_factors_that_decide_the_outcome_or_are_no_levels_are_refused(how):
    rng = np.random.default_rng(0)
    table = {"age": rng.integers(18, 70, 400), "y": rng.integers(0, 2, 400)}
    options = {"sensitive": "age", "outcome": "y", "how": how, "checks": False}
    with pytest.raises(fg.InputError, match="alike in k the outcome is the same for all: nothing can be compared"):
        fg.audit(table | {"k": 2 * table["y"]}, given="k", **options)
    lists = np.empty(400, dtype=object)
    lists[:] = [[1]] * 400
    with pytest.raises(fg.InputError, match="'k' holds lists or tables"):
        fg.audit(table | {"k": lists}, given="k", **options)


def test_no_difference_that_cannot_be_is_said_to_be_shown():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 70, 1000)
    table = {"age": age, "k": 2 * age, "y": (rng.random(1000) < 0.4).astype(int)}
    found = fg.audit(table, sensitive="age", outcome="y", given="k", checks=False)
    assert "from all others" not in found.conclusion
    assert all(not one.difference > 1 for one in found.detectable)
    assert np.isnan(found.detectable[0].difference)
