import itertools

import numpy as np
import pytest

from fairgroups import Band, Cells, InputError, Partition, audit, group_rates, make_synthetic
from fairgroups._kernels import cell_maxima, gaussian_window_maxima, window_maxima
from fairgroups.evidence.band_width import from_table, simulated
from fairgroups.evidence.bounds import plugin_bounds
from fairgroups.evidence.likelihood import kl
from fairgroups.search.intervals import best_intervals

PARITY = "statistical_parity"


def statistics_by_hand(y_sum, size, rate):
    """Both statistics, over every range of cells, straight from their definitions."""
    s, n = np.concatenate([[0], np.cumsum(y_sum)]), np.concatenate([[0], np.cumsum(size)])
    N, S = n[-1], s[-1]
    rates, phis = [], []
    for i, j in itertools.combinations(range(len(n)), 2):
        m, a = n[j] - n[i], s[j] - s[i]
        d = lambda k, q: float(kl(np.array(k), np.array(q)))
        rates.append(np.sqrt(2 * m * d(a / m, rate)) - np.sqrt(2 * np.log(np.e * N / m)))
        if m < N and 0 < S < N:
            ratio = 2 * (m * d(a / m, S / N) + (N - m) * d((S - a) / (N - m), S / N))
            phis.append(np.sqrt(ratio) - np.sqrt(2 * np.log(np.e * N / min(m, N - m))))
    return max(rates), max(phis, default=-2)


@pytest.mark.parametrize("seed", range(5))
def test_the_kernels_find_the_largest_statistic_over_all_ranges(seed):
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 6, 12)
    counts = rng.binomial(size, 0.3, (20, 12))
    prefix = np.zeros((13, 20))
    np.cumsum(counts.T, axis=0, out=prefix[1:])
    found = np.array(cell_maxima(prefix, np.concatenate([[0.0], np.cumsum(size)]), 0.3, 1.0)).T
    for row, draw in zip(found, counts, strict=True):
        assert row == pytest.approx(statistics_by_hand(draw, size, 0.3))
    y = (rng.random(40) < 0.3).astype(int)
    lengths = np.arange(1, 41)
    found = window_maxima(np.concatenate([[0], np.cumsum(y)]).astype(np.int32), lengths, 0.3)
    assert found == pytest.approx(statistics_by_hand(y, np.ones(40), 0.3))
    z = rng.standard_normal(40)
    of_rate, of_phi = gaussian_window_maxima(np.concatenate([[0.0], np.cumsum(z)]), lengths)
    pairs = list(itertools.combinations(range(41), 2))
    assert of_rate == pytest.approx(
        max(abs(z[i:j].sum()) / np.sqrt(j - i) - np.sqrt(2 * np.log(np.e * 40 / (j - i))) for i, j in pairs)
    )
    assert of_phi == pytest.approx(
        max(
            abs(z[i:j].mean() - np.delete(z, range(i, j)).mean()) / np.sqrt(1 / (j - i) + 1 / (40 - j + i))
            - np.sqrt(2 * np.log(np.e * 40 / min(j - i, 40 - j + i)))
            for i, j in pairs
            if j - i < 40
        )
    )


def share_of_runs(check, runs=200):
    return np.mean([check(seed) for seed in range(runs)])


@pytest.mark.parametrize(("n", "n_groups", "rate"), [(2000, 5, 0.3), (2000, 8, 0.3), (2000, 5, 0.02), (20_000, 8, 0.3)])
def test_no_discrimination_is_called_so(n, n_groups, rate):
    def named(seed):
        rng = np.random.default_rng([seed, n, n_groups])
        data = {"x": rng.random(n), "y": rng.random(n) < rate}
        found = audit(data, sensitive="x", outcome="y", n_groups=n_groups, checks=False)
        return any(r.verdict in ("disadvantaged", "advantaged") for r in found.records)

    runs = 200 if n <= 2000 else 60
    assert share_of_runs(named, runs) <= 0.06


@pytest.mark.parametrize("n_groups", [5, 8])
def test_all_groups_are_covered_at_once(n_groups):
    def covered(seed):
        data = make_synthetic(2000, seed=seed)
        cells = Cells.from_arrays(data.sensitive, data.outcome)
        partition = best_intervals(cells, PARITY, n_groups).partition(n_groups)
        groups = group_rates(cells, partition, PARITY)
        codes = partition.assign(data.sensitive)
        truth = np.bincount(codes, data.rate) / np.bincount(codes) - data.rate.mean()
        bounds, naive = Band(cells, PARITY).bounds(groups), plugin_bounds(groups)
        return [np.all((b.low <= truth) & (truth <= b.high)) for b in (bounds, naive)]

    band, plugin = np.mean([covered(seed) for seed in range(200)], axis=0)
    assert band >= 0.94
    if n_groups == 8:
        assert plugin < 0.2  # what the band is there to mend


def test_the_range_a_hostile_reader_would_pick_is_covered():
    def covered(seed):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 40, 1000)
        p = 0.2 + 0.01 * x
        cells = Cells.from_arrays(x, (rng.random(1000) < p).astype(float))
        band = Band(cells, PARITY)
        start, stop = (np.array(t) for t in zip(*itertools.combinations(range(41), 2), strict=True))
        keep = stop <= len(cells)
        start, stop = start[keep], stop[keep]
        _, bounds = band.judge(np.stack([start, stop], axis=1)[:, None])
        truth = np.array([p[(x >= i) & (x < j)].mean() for i, j in zip(start, stop, strict=True)])
        phi = truth - p.mean()
        whole = (stop - start) == len(cells)
        ok_rate = np.all((bounds.rate_low <= truth) & (truth <= bounds.rate_high))
        ok_phi = np.all(((bounds.low <= phi) & (phi <= bounds.high)) | whole)
        return [ok_rate, ok_phi]

    assert np.all(np.mean([covered(seed) for seed in range(150)], axis=0) >= 0.92)


def test_unbounded_outcomes_are_covered():
    def covered(seed):
        rng = np.random.default_rng(seed)
        x = rng.random(1500)
        mean = np.where(x < 0.3, 1000.0, 1004.0)
        cells = Cells.from_arrays(x, rng.normal(mean, 10))
        partition = best_intervals(cells, "mean", 4).partition(4)
        groups = group_rates(cells, partition, "mean")
        codes = partition.assign(x)
        truth = np.bincount(codes, mean) / np.bincount(codes) - mean.mean()
        bounds = Band(cells, "mean").bounds(groups)
        return np.all((bounds.low <= truth) & (truth <= bounds.high))

    assert share_of_runs(covered, 120) >= 0.93


def test_weights_do_not_cry_wolf():
    def named(seed):
        rng = np.random.default_rng(seed)
        cells = Cells.from_arrays(rng.random(1500), rng.random(1500) < 0.3, weight=rng.exponential(size=1500))
        partition = best_intervals(cells, PARITY, 5).partition(5)
        bounds = Band(cells, PARITY).bounds(group_rates(cells, partition, PARITY))
        return np.any((bounds.low > 0) | (bounds.high < 0))

    assert share_of_runs(named, 120) <= 0.07


def test_simulation_is_sharper_than_the_table_on_few_cells_and_the_same_again():
    sizes = np.full(20, 100)
    first = simulated(sizes, 0.3, 0.95)
    assert first == simulated(sizes, 0.3, 0.95)
    table = from_table(2000, 0.3, 0.95)
    for n in (100, 500, 1000):  # of 2 000: whatever a range holds
        charge = np.sqrt(2 * (1 + np.log(2000 / n)))
        assert first.rate + first.penalty * charge < table.rate + charge
        assert first.phi + first.penalty * charge < table.phi + charge


def test_simulation_agrees_with_the_table_on_single_rows():
    found = simulated(np.ones(300, dtype=np.int64), 0.3, 0.95, penalty=1.0)
    table = from_table(300, 0.3, 0.95)
    assert found.rate == pytest.approx(table.rate, abs=0.12)
    assert found.phi == pytest.approx(table.phi, abs=0.12)


def test_the_table():
    assert from_table(5000, 0.3, 0.99).phi > from_table(5000, 0.3, 0.95).phi > from_table(5000, 0.3, 0.8).phi
    assert from_table(5000, 0.3, 0.95) == from_table(5000, 0.7, 0.95)
    assert 1.2 < from_table(1e9, 0.3, 0.95).phi < 2.2
    assert 1.2 < from_table(1e4, None, 0.95).phi < 2.2
    # Few events seen must not make the band narrow.
    assert from_table(300, 0.0, 0.95).phi > 0.8


def test_any_range():
    data = make_synthetic(5000, seed=2)
    band = Band(Cells.from_arrays(data.sensitive, data.outcome), PARITY)
    inside = (data.sensitive >= 10) & (data.sensitive <= 15)
    found = band.interval(10, 15)
    assert found.n == inside.sum()
    assert found.rate == pytest.approx(data.outcome[inside].mean())
    assert found.rate_low < 0.1 < found.rate_high
    assert found.low < found.phi < found.high < 0
    everybody = band.interval()
    assert (everybody.phi, everybody.low, everybody.high) == (pytest.approx(0), 0, 0)
    with pytest.raises(InputError, match="nobody has a value"):
        band.interval(200, 300)
    with pytest.raises(InputError, match="is empty"):
        band.interval(3, 2)


def test_ranges_on_a_grid_are_widened_to_whole_cells():
    cells = Cells.from_arrays(np.arange(100.0), np.tile([0, 1], 50), n_cells=10, spacing="width")
    found = Band(cells, PARITY).interval(12, 25)
    assert found.n == 20
    assert (found.first, found.last) == (pytest.approx(9.9), pytest.approx(29.7))


def test_groups_of_several_ranges():
    x = np.repeat(np.arange(30.0), 100)
    high = (x < 10) | (x >= 20)
    rng = np.random.default_rng(0)
    cells = Cells.from_arrays(x, rng.random(3000) < np.where(high, 0.7, 0.2))
    partition = Partition.from_edges([10, 20], owners=[0, 1, 0])
    bounds = Band(cells, PARITY).bounds(group_rates(cells, partition, PARITY))
    assert bounds.low[0] > 0 > bounds.high[1]


def test_single_class_and_single_row():
    for y in ([1, 1, 1], [0, 0, 0]):
        band = Band(Cells.from_arrays([1, 2, 3], y), PARITY)
        found = band.interval(1, 1)
        assert found.low <= 0 <= found.high
    found = Band(Cells.from_arrays([1], [1]), PARITY).interval()
    assert found.rate == 1
    assert found.rate_low < 0.5


def test_missing_values_can_be_judged():
    rng = np.random.default_rng(0)
    x = np.where(np.arange(4000) < 1000, np.nan, rng.random(4000))
    y = rng.random(4000) < np.where(np.isnan(x), 0.1, 0.5)
    found = audit({"x": x, "y": y}, sensitive="x", outcome="y", n_groups=2, missing="group")
    assert found.records[-1].label == "x missing"
    assert found.records[-1].verdict == "lower"


@pytest.mark.parametrize("options", [{"level": 0.0}, {"level": 1.0}, {"band_width": "guess"}])
def test_bad_options(options):
    with pytest.raises(InputError):
        Band(Cells.from_arrays([1, 2], [0, 1]), PARITY, **options)


def test_simulation_needs_plain_rows():
    cells = Cells.from_arrays([1, 2], [0, 1], weight=[1, 2])
    with pytest.raises(InputError, match="can be simulated only"):
        Band(cells, PARITY, band_width="simulate")


def test_the_most_different_range_is_told_in_values():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 70, 5000)
    y = rng.random(5000) < 0.3 + 0.3 * (age < 25)
    found = audit({"age": age, "y": y}, sensitive="age", outcome="y", checks=False).band.most_different()
    assert found.low > 0.1
    assert found.last in (24, 25, 26)
    sex = rng.choice(["f", "m"], 5000)
    y = rng.random(5000) < 0.3 + 0.3 * (age < 25) * (sex == "f")
    table = {"age": age, "sex": sex, "y": y}
    found = audit(table, sensitive=["age", "sex"], outcome="y", checks=False).band.most_different()
    assert found.sides[1].names == ("f",)
    assert found.low > 0.05


@pytest.mark.parametrize("sensitive", ["age", ["age", "town"], ["town", "age"]])
def test_most_people_are_not_what_stands_out(sensitive):
    rng = np.random.default_rng(0)
    n = 4000
    town = rng.choice(list("abc"), n, p=[0.5, 0.4, 0.1])
    age = rng.integers(18, 70, n)
    few = age >= 66 if sensitive == "age" else town == "c"
    table = {"age": age, "town": town, "y": (rng.random(n) < np.where(few, 0.9, 0.3)).astype(int)}
    found = audit(table, sensitive=sensitive, outcome="y", checks=False, n_groups=2).band.most_different()
    assert 0.9 * few.sum() < found.n <= few.sum()
    assert found.phi > 0.3
    assert found.low > 0
