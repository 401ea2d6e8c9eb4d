import numpy as np
import pytest

import fairgroups as fg
from fairgroups import Cells
from fairgroups.checks.monotonicity import monotonicity_test

RATES = {
    "flat": lambda x: 0.3 + 0 * x,
    "rising": lambda x: 0.2 + 0.5 * x,
    "falling": lambda x: 0.6 - 0.3 * x,
    "step": lambda x: 0.2 + 0.4 * (x > 0.5),
    "rare": lambda x: 0.02 + 0 * x,
}


def tried(rate, seed, *, n=2000, number=False, **options):
    rng = np.random.default_rng([seed, 9])
    x = rng.random(n)
    y = rate(x) + rng.standard_exponential(n) if number else (rng.random(n) < rate(x)).astype(float)
    cells = Cells.from_arrays(x, y, measure="mean")
    return monotonicity_test(cells, "mean", n_draws=199, seed=seed, **options)


@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize("name", RATES)
def test_monotone_rates_are_rarely_refused(name, number):
    refused = np.mean([not tried(RATES[name], seed, number=number).holds for seed in range(120)])
    assert refused <= 0.11


def test_a_turn_is_found_and_placed():
    bump = lambda x: 0.2 + 0.5 * np.exp(-(((x - 0.6) / 0.2) ** 2))
    found = [tried(bump, seed) for seed in range(20)]
    assert all(not f.holds for f in found)
    assert all(0.5 < f.violation.border < 1 for f in found)
    assert "no shortcut" in found[0].shortcut
    where = found[0].violation
    assert where.low < where.border < where.high


def test_direction_and_shortcut():
    found = tried(RATES["falling"], 1)
    assert found.direction == "decreasing"
    assert found.p_increasing < 0.01 < found.p_decreasing == found.p_value
    assert "would give ranges" in found.shortcut
    assert found.violation is None
    assert found == tried(RATES["falling"], 1)


def test_adult_by_age_is_not_monotonic():
    adult = fg.load_adult()
    found = monotonicity_test(Cells.from_arrays(adult["age"], adult["income_over_50k"]), "statistical_parity")
    assert not found.holds
    assert found.violation.border > 50


def test_weights_and_clusters():
    rng = np.random.default_rng(0)
    x, y = np.repeat(rng.random(400), 5), np.repeat(rng.integers(0, 2, 400), 5)
    alone = monotonicity_test(Cells.from_arrays(x, y), "statistical_parity")
    known = monotonicity_test(Cells.from_arrays(x, y, cluster=np.repeat(np.arange(400), 5)), "statistical_parity")
    assert not alone.holds  # repeated people look like turns
    assert known.holds
