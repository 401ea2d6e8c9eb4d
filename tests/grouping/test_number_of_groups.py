import numpy as np
import pytest

import fairgroups as fg
from fairgroups import FairGroups, InputError, make_synthetic

PARITY = "statistical_parity"


@pytest.mark.parametrize("attribute", ["uniform", "truncated"])
def test_five_groups_are_found_on_the_papers_data(attribute):
    found = [
        FairGroups().fit(d.sensitive, d.outcome) for d in (make_synthetic(10_000, attribute, seed=s) for s in range(20))
    ]
    assert sum(f.n_groups_ == 5 for f in found) >= 18
    assert all(f.selection_.settled for f in found)


@pytest.mark.parametrize(("n", "rate"), [(2000, 0.3), (500, 0.5), (2000, 0.02)])
def test_one_group_where_there_is_no_discrimination(n, rate):
    chosen = []
    for seed in range(100):
        rng = np.random.default_rng([seed, n])
        chosen.append(FairGroups().fit(rng.random(n), rng.random(n) < rate).n_groups_)
    assert sum(k == 1 for k in chosen) >= 95


def test_one_group_in_the_plane_where_there_is_no_discrimination():
    chosen = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.random((800, 2))
        chosen.append(FairGroups(n_cells=12).fit(X, rng.random(800) < 0.4).n_groups_)
    assert sum(k == 1 for k in chosen) >= 19


def test_groups_are_homogeneous_also_where_the_largest_variance_is_not():
    adult = fg.load_adult()
    found = FairGroups().fit(adult["age"], adult["income_over_50k"])
    assert found.selection_.settled
    assert found.selection_.curve[-1].value <= 0 < found.selection_.curve[-2].value
    assert 6 <= found.n_groups_ <= 9
    assert found.variance_ == pytest.approx(found.path_[-1])


@pytest.mark.parametrize("selection", ["cv", "bic"])
def test_other_rules(selection):
    data = make_synthetic(10_000, seed=1)
    found = FairGroups(selection=selection).fit(data.sensitive, data.outcome)
    assert found.n_groups_ in (5, 6)
    assert found.selection_.criterion == selection
    assert len(found.selection_.curve) >= found.n_groups_
    rng = np.random.default_rng(0)
    assert FairGroups(selection=selection).fit(rng.random(2000), rng.random(2000) < 0.3).n_groups_ == 1


def test_clusters_stay_in_one_fold_and_counts_of_amounts_are_chosen():
    rng = np.random.default_rng(2)
    x = rng.random(3000)
    found = FairGroups().fit(x, 100 * (x > 0.4) + rng.normal(0, 50, 3000))
    assert found.n_groups_ == 2
    assert FairGroups(selection="bic").fit(x, 100 * (x > 0.4) + rng.normal(0, 50, 3000)).n_groups_ == 2
    assert FairGroups().fit(x, rng.normal(size=3000)).n_groups_ == 1


def test_the_most_allowed_is_said():
    rng = np.random.default_rng(0)
    x = rng.random(20_000)
    table = {"x": x, "y": rng.random(20_000) < 0.1 + 0.8 * x}
    found = fg.audit(table, sensitive="x", outcome="y", max_groups=3, checks=False)
    assert len(found.records) == 3
    assert not found.selection.settled
    assert any("3 groups were the most allowed" in note for note in found.notes)


def test_minimum_sizes_and_monotone_rates():
    rng = np.random.default_rng(0)
    x = rng.random(6000)
    y = rng.random(6000) < np.where(x < 0.02, 0.9, 0.3)
    assert FairGroups().fit(x, y).n_groups_ == 2
    large = FairGroups(min_group_size=1000).fit(x, y)
    assert all(n >= 1000 for n in np.bincount(large.predict(x)))
    adult = fg.load_adult()
    rising = FairGroups(monotonic="increasing").fit(adult["age"], adult["income_over_50k"])
    assert (np.diff(rising.rates_) > 0).all()


def test_equalized_odds_chooses_too():
    rng = np.random.default_rng(5)
    x, truth = rng.random(8000), rng.integers(0, 2, 8000)
    y = rng.random(8000) < np.where(truth == 1, np.where(x < 0.3, 0.4, 0.7), np.where(x > 0.6, 0.5, 0.2))
    found = FairGroups(measure="equalized_odds").fit(x, y, truth=truth)
    assert found.n_groups_ == 3
    assert found.partition_.edges == pytest.approx([0.3, 0.6], abs=0.02)
    assert found.phi_.shape == (3, 2)


@pytest.mark.parametrize("options", [{"selection": "aic"}, {"n_groups": "many"}, {"max_groups": 0}, {"against": "all"}])
def test_bad_options(options):
    with pytest.raises(InputError):
        FairGroups(**options).fit(np.arange(10.0), np.arange(10) % 2)
    with pytest.raises(InputError):
        FairGroups(selection="bic").fit(np.random.default_rng(0).random((50, 2)), np.arange(50) % 2)


def test_rates_that_must_follow_the_attribute_are_named_as_the_reason():
    rng = np.random.default_rng(0)
    x = rng.integers(18, 80, 6000)
    y = rng.random(6000) < np.where((x > 60) & (x < 68), 0.2, 0.5)
    found = fg.audit({"x": x, "y": y}, sensitive="x", outcome="y", monotonic="decreasing", checks=False)
    if found.selection is not None and not found.selection.settled:
        assert any("as rates must follow the attribute" in note for note in found.notes)
        assert not any("were the most allowed, and" in note for note in found.notes)
