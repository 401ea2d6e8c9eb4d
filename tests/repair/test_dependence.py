import numpy as np
import pytest

from fairgroups import InputError, correlation_ratio, gedi, hgr


def gaussian(rho):
    def draw(rng, n):
        x = rng.normal(size=n)
        return x, rho * x + np.sqrt(1 - rho**2) * rng.normal(size=n)

    return draw


CASES = {
    "independent": (lambda rng, n: (rng.normal(size=n), rng.normal(size=n)), 0.0),
    "gaussian .2": (gaussian(0.2), 0.2),
    "gaussian .5": (gaussian(0.5), 0.5),
    "gaussian .8": (gaussian(0.8), 0.8),
    "square": (lambda rng, n: (x := rng.uniform(-1, 1, n), x**2), 1.0),
    "binary step": (lambda rng, n: (x := rng.random(n), (rng.random(n) < 0.3 + 0.4 * (x > 0.5)).astype(float)), 0.4),
    "binary independent": (lambda rng, n: (rng.random(n), (rng.random(n) < 0.3).astype(float)), 0.0),
}


@pytest.mark.parametrize("name", CASES)
def test_hgr_has_little_bias(name):
    draw, truth = CASES[name]
    found = [hgr(*draw(np.random.default_rng(seed), 5000), n_permutations=0).value for seed in range(20)]
    assert np.mean(found) == pytest.approx(truth, abs=0.03)


def test_hgr_is_symmetric_invariant_and_bounded():
    rng = np.random.default_rng(0)
    x, y = gaussian(0.6)(rng, 3000)
    assert hgr(x, y, n_permutations=0).value == pytest.approx(hgr(y, x, n_permutations=0).value)
    assert hgr(np.exp(x), y**3, n_permutations=0).value == pytest.approx(hgr(x, y, n_permutations=0).value)
    assert hgr(x, x, n_permutations=0).value == 1
    assert hgr(x, x > 0, n_permutations=0).value > 0.95


def test_floors_and_p_values():
    rng = np.random.default_rng(1)
    x, y = gaussian(0.3)(rng, 2000)
    found = hgr(x, y, seed=3)
    assert found.p_value == 0.01
    assert found.floor < 0.15 < found.value
    assert found == hgr(x, y, seed=3)
    alone = hgr(x, rng.normal(size=2000))
    assert alone.p_value > 0.05 or alone.value <= alone.floor
    p = [hgr(rng.random(200), rng.random(200) < 0.5, n_permutations=19, seed=s).p_value for s in range(100)]
    assert np.mean(np.array(p) <= 0.05) <= 0.12


def test_the_papers_estimator_is_there_for_comparison():
    x, y = gaussian(0.5)(np.random.default_rng(0), 5000)
    assert 0.42 < hgr(x, y, method="kde", n_permutations=0).value < 0.5
    with pytest.raises(InputError, match="`method`"):
        hgr(x, y, method="magic")


def test_correlation_ratio():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 5000)
    assert correlation_ratio(x, x**2, n_permutations=0).value > 0.98
    assert correlation_ratio(x**2, x, n_permutations=0).value < 0.1  # the sign of x is not in x²
    noisy = correlation_ratio(x, x + rng.normal(0, np.sqrt(1 / 3), 5000), n_permutations=0)
    assert noisy.value == pytest.approx(np.sqrt(0.5), abs=0.03)


def test_gedi_is_the_size_of_the_coefficients():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    assert gedi(x, 3 - 2 * x, n_permutations=0).value == pytest.approx(2)
    assert gedi(x, 2 * x - 0.5 * x**2, degree=2, n_permutations=0).value == pytest.approx(2.5)
    assert gedi(x, rng.normal(size=2000)).p_value > 0.01
    with pytest.raises(InputError, match="`degree`"):
        gedi(x, x, degree=0)


@pytest.mark.parametrize("measure", [hgr, correlation_ratio, gedi])
def test_weights_count_as_repetitions_and_constants_give_nothing(measure):
    rng = np.random.default_rng(0)
    x, y = gaussian(0.5)(rng, 800)
    assert measure(x, y, weight=np.full(800, 3.0)).value == pytest.approx(measure(x, y).value)
    light = measure(np.append(x, 5.0), np.append(y, -9.0), weight=np.append(np.ones(800), 0.0))
    assert light.value == pytest.approx(measure(x, y).value)
    assert measure(np.ones(50), y[:50]).value == 0
    assert measure(x[:50], np.ones(50)).value == 0
    for bad in (([1.0], [1.0]), ([1, 2], [1, np.nan]), ([1, 2, 3], [1, 2]), ([1, np.inf], [1, 2])):
        with pytest.raises(InputError):
            measure(*bad)
    with pytest.raises(InputError, match="weights"):
        measure([1, 2], [1, 2], weight=[-1, 1])


def test_scale_does_not_matter():
    rng = np.random.default_rng(0)
    x = rng.random(2000)
    y = x + rng.normal(0, 0.3, 2000)
    for factor in (1e300, 1e-200, 1e12):
        for measure in (hgr, correlation_ratio):
            assert measure(x * factor, y, n_permutations=0).value == pytest.approx(
                measure(x, y, n_permutations=0).value, abs=0.02
            )
            assert measure(x, y * factor, n_permutations=0).value == pytest.approx(
                measure(x, y, n_permutations=0).value
            )
            assert np.isfinite(measure(x, y, weight=np.full(2000, 1e200), n_permutations=0).value)
        assert hgr(x * factor, y, method="kde", n_permutations=0).value > 0.4
    assert gedi(x * 1e-12, x, n_permutations=0).value == pytest.approx(1e12)
    for bad in ({"n_bins": 0}, {"n_bins": 2.5}, {"n_permutations": -1}):
        with pytest.raises(InputError):
            hgr(x, y, **bad)


def test_a_noisy_quadratic():
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1, 1, 5000)
        found.append(hgr(x, x**2 + rng.normal(size=5000), n_permutations=0).value)
    assert np.mean(found) == pytest.approx(0.288, abs=0.03)
