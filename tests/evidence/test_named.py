"""Groups named in advance: simultaneous intervals that hold, and no wider than they need be."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups import Cells, Partition, group_rates
from fairgroups.evidence.named import against_group, class_bounds, ratios_to


def groups_of(sizes, positives, values=None):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    if values is None:
        values = np.concatenate([np.arange(n) < k for n, k in zip(sizes, positives, strict=True)]).astype(float)
    cells = Cells.from_arrays(codes, values)
    measure = "statistical_parity" if set(np.unique(values)) <= {0, 1} else "mean"
    return group_rates(cells, Partition.from_edges(np.arange(1, len(sizes)) - 0.5), measure)


def test_recidivism_at_25_years():
    """Two classes are one comparison: 42.9 % against 34.0 %, Newcombe's +3.8 to +13.8."""
    groups = groups_of([681, 764], [292, 260])
    bounds = class_bounds(groups, 0.95)
    rest = 1 - groups.share
    assert (bounds.low[0] / rest[0], bounds.high[0] / rest[0]) == pytest.approx((0.038, 0.138), abs=6e-4)
    assert bounds.low[1] / rest[1] == pytest.approx(-bounds.high[0] / rest[0])


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize(("rate", "size"), [(0.3, 200), (0.02, 200), (0.3, 25)])
def test_simultaneous_coverage(k, rate, size):
    rng = np.random.default_rng(k)
    sizes = (size * (1 + np.arange(k))).astype(int)
    rates = np.clip(rate * (1 + 0.5 * np.linspace(-1, 1, k)), 0.0, 1.0)
    overall = np.sum(sizes * rates) / sizes.sum()
    runs, held = 600, 0
    for _ in range(runs):
        positives = rng.binomial(sizes, rates)
        bounds = class_bounds(groups_of(sizes, positives), 0.95)
        held += bool(np.all((bounds.low <= rates - overall + 1e-12) & (rates - overall - 1e-12 <= bounds.high)))
    assert held / runs >= 0.945 - 1.64 * np.sqrt(0.05 * 0.95 / runs)


def test_amounts_by_welch():
    rng = np.random.default_rng(0)
    runs, held = 400, 0
    for _ in range(runs):
        values = np.concatenate([rng.normal(m, s, n) for m, s, n in ((1, 1, 20), (2, 3, 60), (2, 1, 200))])
        groups = groups_of([20, 60, 200], None, values)
        found = against_group(groups, 2, 0.95, chosen=False)
        held += bool(np.all((found.low <= [-1, 0, 0]) & (found.high >= [-1, 0, 0])))
    assert held / runs >= 0.95 - 1.64 * np.sqrt(0.05 * 0.95 / runs)


def test_a_reference_and_ratios():
    groups = groups_of([400, 300, 50], [200, 90, 20])
    found = against_group(groups, 0, 0.95, chosen=False)
    assert found.value == pytest.approx([0, -0.2, -0.1])
    assert found.low[0] == found.high[0] == 0
    assert found.high[1] < 0 < found.high[2]
    ratio, low, high = ratios_to(groups, 0, 0.95, chosen=True)
    assert ratio == pytest.approx([1, 0.6, 0.8])
    assert low[1] < 0.6 < high[1] < 1 < high[2]


def test_nobody_and_one_group():
    assert np.isnan(class_bounds(groups_of([30, 0, 40], [10, 0, 9]), 0.95).low[1])
    alone = class_bounds(groups_of([30], [10]), 0.95)
    assert alone.low[0] == alone.high[0] == 0


def test_no_seed_is_needed():
    sizes, positives = [100, 200, 300, 400], [30, 60, 80, 140]
    first, second = (class_bounds(groups_of(sizes, positives), 0.95) for _ in range(2))
    assert np.array_equal(first.low, second.low)


@pytest.mark.parametrize("k", [3, 6])
def test_the_best_group_as_a_reference_pays_for_having_been_chosen(k):
    """Nobody differs; the best of k groups is compared with all others, 400 times."""
    alarms = 0
    for seed in range(400):
        yes = np.random.default_rng([k, seed]).binomial(300, 0.3, k)
        groups = groups_of([300] * k, yes.tolist())
        found = against_group(groups, int(np.argmax(groups.rate)), 0.95, chosen=True)
        alarms += bool(np.any((found.low > 0) | (found.high < 0)))
    assert alarms <= 0.08 * 400


def test_no_difference_of_more_than_all_is_stated():
    found = against_group(groups_of([400, 1], [200, 0]), 1, 0.95, chosen=False)
    assert np.isnan(found.least_below[0])


@pytest.mark.parametrize("draw", ["rare", "normal", "clipped"])
def test_many_small_classes_are_no_findings(draw):
    """One person with a rare outcome, or two with close values, are found in every other table of many classes."""
    alarms = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = 1000
        a = rng.choice(list("abcde"), n, p=[0.5, 0.3, 0.15, 0.04, 0.01])
        b = rng.choice([f"L{i}" for i in range(12)], n)
        y = {
            "rare": rng.random(n) < 0.02,
            "normal": rng.normal(size=n),
            "clipped": np.clip(rng.normal(0.5, 0.5, n), 0, 1),
        }
        found = fg.audit({"a": a, "b": b, "y": y[draw]}, sensitive=["a", "b"], outcome="y", checks=False)
        alarms += found.verdict == "different"
    assert alarms <= 5  # of 40, where 2 are expected; 5 or fewer in 98 of 100 such tests


def test_skewed_amounts_raise_no_more_alarms_than_promised():
    """A class that has none of the few high incomes has a low mean and a small scatter at once."""
    alarms = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        town = np.array([f"T{i}" for i in range(10)])[rng.integers(0, 10, 1000)]
        table = {"town": town, "pay": np.exp(rng.normal(8, 1.2, 1000))}
        found = fg.audit(table, sensitive="town", outcome="pay", checks=False)
        alarms += any(record.low > 0 or record.high < 0 for record in found.records)
    assert alarms <= 6  # 3 are expected; 23 were there before


def test_amounts_of_one_class_are_compared_with_nobody():
    rng = np.random.default_rng(0)
    table = {"x": rng.normal(size=400), "z": rng.normal(size=400), "pay": np.exp(rng.normal(size=400))}
    for more in ({}, {"given": "z"}):
        found = fg.audit(table, sensitive="x", outcome="pay", n_groups=1, checks=False, **more)
        assert not any("different" in record.verdict for record in found.records)
        assert found.partition.n_groups == 1
