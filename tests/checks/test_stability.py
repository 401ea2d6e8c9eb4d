import numpy as np
import pytest

import fairgroups as fg
from fairgroups import FairGroups, make_synthetic
from fairgroups.cells.sample import Sample
from fairgroups.checks.stability import border_stability
from fairgroups.rows.rows import Rows
from fairgroups.search.path import Limits

PARITY = fg.MEASURES["statistical_parity"]


def test_clear_borders_are_firm_and_people_far_apart_are_never_together():
    data = make_synthetic(10_000)
    edges = np.array(FairGroups(5).fit(data.sensitive, data.outcome).partition_.edges)
    found = border_stability(Sample(Rows.from_arrays(data.sensitive, data.outcome), (PARITY,)), PARITY, edges, Limits())
    for cut, true in zip(found.cuts, (20, 30, 55, 88), strict=True):
        assert cut.low <= cut.cut <= cut.high
        assert cut.low - 1 <= true <= cut.high + 1
        assert cut.high - cut.low < 6
    together = np.array(found.together)
    assert np.allclose(np.diag(together), 1)
    assert together[0, -1] == 0
    assert (together == together.T).all()


def test_borders_in_noise_are_loose():
    rng = np.random.default_rng(0)
    x, y = rng.random(2000), rng.random(2000) < 0.3
    edges = np.array(FairGroups(2).fit(x, y).partition_.edges)
    found = border_stability(Sample(Rows.from_arrays(x, y), (PARITY,)), PARITY, edges, Limits())
    assert found.cuts[0].high - found.cuts[0].low > 0.5


@pytest.mark.parametrize("kind", ["weights", "clusters", "numbers"])
def test_other_data(kind):
    rng = np.random.default_rng(1)
    x = rng.random(1000)
    y = (rng.random(1000) < 0.2 + 0.5 * (x > 0.5)).astype(float)
    options = {"weights": {"weight": rng.random(1000)}, "clusters": {"cluster": np.arange(1000) // 4}}.get(kind, {})
    y = 100 * y if kind == "numbers" else y
    measure = fg.MEASURES["mean"]
    rows = Rows.from_arrays(x, y, **options)
    found = border_stability(Sample(rows, (measure,)), measure, np.array([0.5]), Limits(rows=50), n_draws=60)
    assert found.cuts[0].low > 0.3
    assert found.cuts[0].high < 0.7
    assert found == border_stability(Sample(rows, (measure,)), measure, np.array([0.5]), Limits(rows=50), n_draws=60)
