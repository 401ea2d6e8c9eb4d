"""A few values in the place of many."""

import numpy as np
import pytest

from fairgroups.engines.few_values import few_values

DRAWS = {
    "ratings": lambda rng, n: rng.integers(1, 6, n).astype(float),
    "two": lambda rng, n: rng.choice([0.5, 1.0], n),
    "three": lambda rng, n: rng.choice([0.0, 0.9, 1.0], n, p=[0.4, 0.2, 0.4]),
    "near one": lambda rng, n: 1 - 0.5 * (rng.random(n) < 0.1),
    "ends": lambda rng, n: np.clip(rng.normal(0.5, 1.5, n), 0, 1),
    "amounts": lambda rng, n: rng.lognormal(0, 2, n),
    "scores": lambda rng, n: rng.random(n),
    "constant": lambda _, n: np.full(n, 3.0),
    "far": lambda rng, n: rng.normal(-40, 3, n),
}


@pytest.mark.parametrize("name", DRAWS)
def test_number_sum_squares_and_range_are_kept(name):
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 4, 5, 7, 10, 23, 100, 1000):
        cells = [DRAWS[name](rng, n) for _ in range(60)]
        known = [
            np.array([f(y) for y in cells], dtype=float) for f in (np.size, np.sum, lambda y: y @ y, np.min, np.max)
        ]
        index, count, values = few_values(*known)
        assert np.array_equal(count, np.rint(count))
        assert (count > 0).all()
        total = [np.bincount(index, count * values**power, len(cells)) for power in (0, 1, 2)]
        size = np.max(np.abs(known[3:]), axis=0)
        assert np.array_equal(total[0], known[0])
        assert total[1] == pytest.approx(known[1], abs=1e-9 * n * max(size))
        assert np.abs(total[2] - known[2]).max() <= 1e-6 * n * max(size) ** 2
        assert (values >= known[3][index] - 1e-9 * size[index]).all()
        assert (values <= known[4][index] + 1e-9 * size[index]).all()
