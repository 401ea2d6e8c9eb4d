import numpy as np
import pytest

from fairgroups import Cells, FairGroups, InputError, Partition, group_rates, make_synthetic
from fairgroups.evidence.bounds import fixed_bounds, plugin_bounds, rate_ratios
from fairgroups.evidence.curves import rate_curve
from fairgroups.evidence.spread_of_groups import explained_share


def test_plugin_interval_is_the_delta_method():
    data = make_synthetic(5000, seed=4)
    cells = Cells.from_arrays(data.sensitive, data.outcome)
    partition = Partition.from_edges([30, 60])
    groups = group_rates(cells, partition, "statistical_parity")
    bounds = plugin_bounds(groups)
    rng = np.random.default_rng(0)
    codes, y = partition.assign(data.sensitive), data.outcome
    draws = []
    for _ in range(800):
        i = rng.integers(0, 5000, 5000)
        draws.append([y[i][codes[i] == k].mean() - y[i].mean() for k in range(3)])
    spread = np.std(draws, axis=0)
    assert (bounds.high - bounds.low) / 2 / 1.96 == pytest.approx(spread, rel=0.1)


def test_plugin_with_weights_equals_repeated_rows_in_its_estimate():
    x, y, w = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.array([3, 1, 2, 2])
    one = group_rates(Cells.from_arrays(x, y, weight=w), Partition.from_edges([1]), "statistical_parity")
    two = group_rates(
        Cells.from_arrays(np.repeat(x, w), np.repeat(y, w)), Partition.from_edges([1]), "statistical_parity"
    )
    assert one.phi == pytest.approx(two.phi)
    assert one.variance == pytest.approx(two.variance)


def test_fixed_bounds_cover_fixed_groups():
    partition = Partition.from_edges([20, 30, 55, 88], closed="right")
    truth = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    hits = 0
    for seed in range(200):
        data = make_synthetic(500, seed=seed)
        groups = group_rates(Cells.from_arrays(data.sensitive, data.outcome), partition, "statistical_parity")
        bounds = fixed_bounds(groups)
        phi = truth - np.sum(groups.share * truth)
        hits += bool(np.all((bounds.low <= phi) & (phi <= bounds.high)))
    assert hits >= 184  # nominal 190 of 200


def test_a_partition_from_elsewhere():
    data = make_synthetic(3000, seed=1)
    cells = Cells.from_arrays(data.sensitive, data.outcome)
    groups = group_rates(cells, data.partition, "statistical_parity")
    codes = data.partition.assign(data.sensitive)
    assert groups.rate == pytest.approx([data.outcome[codes == k].mean() for k in range(5)])
    grid = Cells.from_arrays(data.sensitive, data.outcome, n_cells=7)
    with pytest.raises(InputError, match="inside a cell"):
        group_rates(grid, data.partition, "statistical_parity")


def test_groups_without_anybody_have_no_rate():
    cells = Cells.from_arrays([1, 2, 3], [0, 1, 1])
    groups = group_rates(cells, Partition.from_edges([10]), "statistical_parity")
    assert np.isnan(groups.rate[1])
    assert groups.variance == 0
    assert np.isnan(fixed_bounds(groups).low[1])


def test_explained_share():
    data = make_synthetic(50_000)
    fit = lambda k: FairGroups(k).fit(data.sensitive, data.outcome).explained_
    assert fit(5) > 0.97
    assert 0.6 < fit(2) < 0.9
    rng = np.random.default_rng(0)
    noise = Cells.from_arrays(rng.random(2000), rng.integers(0, 2, 2000))
    share = explained_share(noise, "statistical_parity", 0.01)
    assert np.isnan(share) or share == 1
    assert np.isnan(FairGroups(2).fit([1, 2, 3, 4], [1, 1, 1, 1]).explained_)


def test_ratios():
    data = make_synthetic(20_000)
    cells = Cells.from_arrays(data.sensitive, data.outcome)
    groups = group_rates(cells, data.partition, "statistical_parity")
    bounds = fixed_bounds(groups)
    ratio, low, high = rate_ratios(groups.rate, bounds, 4)
    assert ratio == pytest.approx(np.array([1, 3, 5, 7, 9]) / 9, abs=0.03)
    assert np.all((low <= ratio) & (ratio <= high))
    ratio, *_ = rate_ratios(groups.rate, bounds, 0)
    assert ratio[0] == 1
    assert ratio[4] > 5


@pytest.mark.parametrize("n", [1, 2, 50, 5000])
def test_the_curve_holds_every_row(n):
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, 400, n), rng.integers(0, 2, n)
    curve = rate_curve(Cells.from_arrays(x, y), "statistical_parity", np.array([0]), min_cell=1)
    assert sum(point.n for point in curve) == n
    assert len(curve) <= 61
    assert sum(point.n * point.rate for point in curve) == pytest.approx(y.sum())
