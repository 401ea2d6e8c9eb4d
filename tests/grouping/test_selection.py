import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fairgroups as fg
from fairgroups import Band, Cells, FairGroups, InputError, make_synthetic
from fairgroups._kernels import most_different
from fairgroups.evidence.likelihood import kl

PARITY = "statistical_parity"


def by_hand(a, b, bb, rows, start, stop, rule, min_rows, min_b):
    """The most different range, straight from the definition."""
    quantile, penalty, least_root, n, all_rows, equal, scale = rule
    best = -np.inf
    group = [x[stop] - x[start] for x in (a, b, bb, rows)]
    for i in range(start, stop):
        for j in range(i + 1, stop + 1):
            own = [x[j] - x[i] for x in (a, b, bb, rows)]
            rest = [g - o for g, o in zip(group, own, strict=True)]
            if j - i == stop - start or min(own[3], rest[3]) < min_rows or min(own[1], rest[1]) < min_b:
                continue
            sizes = [min(own[1] ** 2 / own[2], n), rest[1] ** 2 / rest[2]]
            p, q = own[0] / own[1], rest[0] / rest[1]
            ratio = max(n / min(sizes), 1.0)
            if not equal:
                ratio = max(ratio, all_rows / min(own[3], rest[3]))
            need = max(quantile + penalty * np.sqrt(2 * (1 + np.log(ratio))), least_root)
            if scale > 0:
                root = abs(p - q) / (scale * np.sqrt(1 / sizes[0] + 1 / sizes[1]))
            else:
                m = (sizes[0] * p + sizes[1] * q) / sum(sizes)
                d = [float(kl(np.clip(r, 0, 1), np.array(m))) for r in (p, q)]
                root = np.sqrt(2 * max(sizes[0] * d[0] + sizes[1] * d[1], 0))
            best = max(best, root - need)
    return best


@example(2688, False, 0.0)  # two cells alike: the root is 0, and no more than nothing
@example(6124, False, 0.0)
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([0.0, 0.7]))
@settings(max_examples=60, deadline=None)
def test_the_kernel_finds_the_most_different_range(seed, weighted, scale):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 50))
    rows = rng.integers(1, 5, m).astype(float)
    b = rows * rng.uniform(0.2, 3, m) if weighted else rows
    bb = b * rng.uniform(0.5, 3, m) if weighted else b
    a = b * rng.binomial(rows.astype(int), rng.uniform(0.05, 0.95)) / rows if scale == 0 else b * rng.normal(size=m)
    sums = [np.concatenate([[0.0], np.cumsum(x)]) for x in (a, b, bb, rows)]
    start, stop = sorted(int(x) for x in rng.choice(m + 1, 2, replace=False))
    rate = (sums[0][stop] - sums[0][start]) / (sums[1][stop] - sums[1][start])
    if scale == 0 and not 1e-9 < rate < 1 - 1e-9:  # sums are rounded
        return  # everybody has the same outcome
    rule = (
        1.7,
        float(rng.choice([0.7, 1.0])),
        2.7,
        float(b.sum() ** 2 / bb.sum()),
        float(rows.sum()),
        not weighted,
        scale,
    )
    least = (float(rng.integers(0, 6)), float(rng.integers(0, 3)))
    wanted = by_hand(*sums, start, stop, rule, *least)
    found = most_different(*sums, start, stop, *rule, *least, False)
    assert found[0] == pytest.approx(wanted, abs=1e-9)
    decided = most_different(*sums, start, stop, *rule, *least, True)
    assert (decided[0] > 0) == (wanted > 1e-12) or abs(wanted) < 1e-9


def test_everybody_is_homogeneous_exactly_when_no_interval_excludes_zero():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 30, 400)
        cells = Cells.from_arrays(x, (rng.random(400) < 0.3 + 0.15 * (x > 20)).astype(float))
        band = Band(cells, PARITY, level=0.8)
        start, stop = (t.ravel() for t in np.meshgrid(np.arange(len(cells)), np.arange(1, len(cells) + 1)))
        keep = (start < stop) & (stop - start < len(cells))
        _, bounds = band.judge(np.stack([start[keep], stop[keep]], axis=1)[:, None])
        shown = bool(np.any((bounds.low > 0) | (bounds.high < 0)))
        assert (band.most_different()[0] > 0) == shown


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
