import numpy as np
import pytest
from scipy import stats

import fairgroups as fg
from fairgroups.cells.sample import Sample
from fairgroups.checks.permutation import permutation_test
from fairgroups.rows.rows import Rows

PARITY, MEAN = fg.MEASURES["statistical_parity"], fg.MEASURES["mean"]


def null(kind, seed, n=300):
    rng = np.random.default_rng([seed, 5])
    x = rng.normal(size=n)
    y = rng.lognormal(size=n) if kind == "number" else (rng.random(n) < 0.3).astype(float)
    if kind == "weighted":
        return Rows.from_arrays(x, y, weight=rng.random(n) * (1 + (x > 0)))
    if kind == "clustered":
        return Rows.from_arrays(np.repeat(x, 3), np.repeat(y, 3), cluster=np.repeat(np.arange(n), 3))
    if kind == "plane":
        return Rows.from_arrays({"x": x, "z": rng.random(n)}, y)
    return Rows.from_arrays(x, y)


@pytest.mark.parametrize("kind", ["yes/no", "number", "weighted", "clustered", "plane"])
def test_p_values_are_uniform_without_discrimination(kind):
    measure = MEAN if kind == "number" else PARITY
    p = [
        permutation_test(Sample(null(kind, seed), (measure,)), measure, n_draws=99, seed=seed).p_value
        for seed in range(120)
    ]
    assert stats.kstest(p, "uniform").pvalue > 0.005
    assert np.mean(np.array(p) <= 0.05) <= 0.11


def test_discrimination_is_found_and_the_seed_decides():
    data = fg.make_synthetic(2000)
    rows = Rows.from_arrays(data.sensitive, data.outcome)
    found = permutation_test(Sample(rows, (PARITY,)), PARITY, seed=3)
    assert found.p_value == 1 / 1000
    assert found == permutation_test(Sample(rows, (PARITY,)), PARITY, seed=3)
    assert found.variance == sorted(found.variance)


def test_progress_is_told_and_nothing_to_test_is_no_evidence():
    seen = []
    permutation_test(Sample(null("yes/no", 0), (PARITY,)), PARITY, n_draws=199, progress=seen.append)
    assert seen
    assert permutation_test(Sample(Rows.from_arrays([1.0, 1.0], [0, 1]), (PARITY,)), PARITY).p_value == 1


def test_it_agrees_with_the_band_on_real_data():
    adult = fg.load_adult()
    found = fg.audit(adult, sensitive="age", outcome="income_over_50k")
    assert found.selection.n_groups > 1
    assert found.checks.permutation is None  # on the line the band and the trend answer
    rows = Rows.from_arrays(adult["age"], adult["income_over_50k"])
    assert permutation_test(Sample(rows, (PARITY,)), PARITY).p_value == 0.001
