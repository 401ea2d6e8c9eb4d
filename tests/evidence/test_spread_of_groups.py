import numpy as np
import pytest
from scipy.special import ndtri

import fairgroups as fg
from fairgroups import Band, Cells, group_rates, make_synthetic
from fairgroups.evidence.band_width import from_table, simulated
from fairgroups.evidence.bounds import fixed_bounds
from fairgroups.evidence.spread_of_groups import rate_range, variance_of_phi
from fairgroups.search.intervals import best_intervals

PARITY = "statistical_parity"


def test_gap_and_variance_hold_although_groups_were_searched_for():
    held = []
    for seed in range(120):
        data = make_synthetic(2000, seed=seed)
        cells = Cells.from_arrays(data.sensitive, data.outcome)
        partition = best_intervals(cells, PARITY, 6).partition(6)
        groups = group_rates(cells, partition, PARITY)
        bounds = Band(cells, PARITY).bounds(groups)
        codes = partition.assign(data.sensitive)
        rates = np.bincount(codes, data.rate) / np.bincount(codes)
        gap, variance = rate_range(groups, bounds), variance_of_phi(groups, bounds)
        true_variance = np.sum(groups.share * (rates - data.rate.mean()) ** 2)
        held.append(gap.low <= np.ptp(rates) <= gap.high and variance.low <= true_variance <= variance.high)
        assert gap.low <= gap.value <= gap.high
        assert variance.low <= variance.value <= variance.high
    assert np.mean(held) >= 0.94


def test_two_groups_are_each_others_rest():
    cells = Cells.from_arrays(np.arange(400), (np.arange(400) % 3 == 0) | (np.arange(400) > 250))
    groups = group_rates(cells, fg.Partition.from_edges([200]), PARITY)
    bounds = Band(cells, PARITY).bounds(groups)
    gap = rate_range(groups, bounds)
    assert gap.low == pytest.approx(-bounds.high[0] / groups.share[1], abs=1e-6)


@pytest.mark.parametrize("sign", [-1, 1])
def test_what_would_have_been_shown_is_shown_in_80_of_100_samples(sign):
    """Plant the difference that is said to be shown mostly, and see how often it is."""
    n, share, overall, runs = 4000, 0.25, 0.4, 250
    k = int(n * share)
    rng = np.random.default_rng(0)
    cells = Cells.from_arrays(np.arange(n) >= k, np.arange(n) % 5 < 2)
    groups = group_rates(cells, fg.Partition.from_edges([0.5]), PARITY)
    least = getattr(fixed_bounds(groups), "least_below" if sign < 0 else "least_above")[0]
    shown = 0
    for _ in range(runs):
        rate = np.where(np.arange(n) < k, overall + sign * least, overall - sign * least * share / (1 - share))
        cells = Cells.from_arrays(np.arange(n) >= k, (rng.random(n) < rate).astype(float))
        bounds = fixed_bounds(group_rates(cells, fg.Partition.from_edges([0.5]), PARITY))
        shown += bool(bounds.low[0] > 0 or bounds.high[0] < 0)
    assert shown / runs == pytest.approx(0.8, abs=0.05)


def test_too_few_people_could_show_nothing():
    table = {"x": np.repeat([0, 1], (5, 500)), "y": np.tile([0, 0, 0, 0, 0, 0, 0, 0, 1, 0], 51)[:505]}
    found = fg.audit(table, sensitive="x", outcome="y", partition=[1], checks=False)
    assert np.isnan(found.records[0].detectable)
    assert found.to_dict()["records"][0]["detectable"] is None


def test_detectable_shrinks_with_the_data():
    gaps = []
    for n in (500, 5000, 50_000):
        rng = np.random.default_rng(0)
        found = fg.audit({"x": rng.random(n), "y": rng.random(n) < 0.3}, sensitive="x", outcome="y", checks=False)
        gaps.append([d.difference for d in found.detectable])
    assert (np.diff(gaps, axis=0) < 0).all()
    assert (np.diff(gaps, axis=1) < 0).all()


def test_kearns_violation_weighs_by_size():
    found = fg.audit(fg.load_adult(), sensitive="age", outcome="income_over_50k", checks=False)
    for r in found.records:
        assert r.violation == pytest.approx(r.share * abs(r.phi))


def test_any_level():
    q = [from_table(5000, 0.3, level).phi for level in (0.1, 0.5, 0.9, 0.95, 0.97, 0.99, 0.995, 0.999, 0.99999)]
    assert q == sorted(q)
    assert q[-1] - q[-3] == pytest.approx(ndtri(0.99999) - ndtri(0.995))
    sizes = np.full(20, 50)
    s = [simulated(sizes, 0.3, level).phi for level in (0.5, 0.95, 0.99, 0.999)]
    assert s == sorted(s)
    data = make_synthetic(2000)
    for level in (0.5, 0.999):
        assert fg.audit({"x": data.sensitive, "y": data.outcome}, sensitive="x", outcome="y", level=level, checks=False)


def test_gate_without_groups_looks_at_every_tenth():
    rng = np.random.default_rng(0)
    table = {"x": rng.random(50_000), "y": rng.random(50_000) < 0.3}
    assert fg.audit(table, sensitive="x", outcome="y", max_gap=0.1, checks=False).limit == "kept"
    assert fg.audit(table, sensitive="x", outcome="y", max_gap=0.01, checks=False).limit == "not enough evidence"


def test_who_is_shown_to_differ_from_everybody_is_as_far_from_somebody():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 40, 3000)
    y = (rng.random(3000) < np.where(x == 7, 0.05, 0.4)).astype(int)
    for n_groups in (3, 8, 20):
        found = fg.audit({"x": x, "y": y}, sensitive="x", outcome="y", n_groups=n_groups, checks=False)
        least = max(max(r.low, -r.high, 0.0) for r in found.records)
        assert found.rate_range.low >= least - 1e-12
        assert found.rate_range.low <= found.rate_range.value <= found.rate_range.high
