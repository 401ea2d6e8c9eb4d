"""What rows of one cluster add to the variance of rates and differences, held against drawing people again."""

import numpy as np
import pytest

from fairgroups import Band, Cells, Partition, group_rates
from fairgroups.cells.cluster_variance import Contrasts

PARITY = "statistical_parity"


def photographs(seed, *, between=4.8, within=8.9, people=1500):
    """People with one to thirty photographs each: the light changes tone, the outcome goes with the person."""
    rng = np.random.default_rng(seed)
    size = np.where(rng.random(people) < 0.2, rng.integers(5, 31, people), rng.integers(1, 4, people))
    who = np.repeat(np.arange(people), size)
    tone, own = rng.normal(70, between, people), rng.normal(0, 0.15, people)
    x = tone[who] + rng.normal(0, within, who.size)
    y = rng.random(who.size) < np.clip(0.68 + 0.012 * (tone - 70) + own, 0.02, 0.98)[who]
    return x, y.astype(float), who


def drawn_again(x, y, who, edge, draws=600):
    """The standard errors of Φ and of the rate below an edge when people are drawn again, whole."""
    rng = np.random.default_rng(1)
    below = x < edge
    sums = [np.bincount(who, column) for column in (y * below, below.astype(float), y, np.ones(x.size))]
    times = rng.poisson(1.0, (draws, sums[0].size)).astype(float)
    a, b, all_a, all_b = (times @ one for one in sums)
    return np.std(a / b - all_a / all_b), np.std(a / b)


def width(x, y, edge, **options):
    cells = Cells.from_arrays(x, y, **options)
    found = Band(cells, PARITY).bounds(group_rates(cells, Partition.from_edges([edge]), PARITY))
    return found.high[0] - found.low[0], found.rate_high[0] - found.rate_low[0]


@pytest.mark.parametrize(("between", "within"), [(4.8, 8.9), (8.0, 4.0), (1.0, 8.0), (8.0, 0.0)])
@pytest.mark.parametrize("share", [0.2, 0.5])
def test_intervals_are_as_wide_as_people_drawn_again_make_them(between, within, share):
    ratios = []
    for seed in range(4):
        x, y, who = photographs(seed, between=between, within=within)
        edge = float(np.quantile(x, share))
        people, rows = drawn_again(x, y, who, edge), drawn_again(x, y, np.arange(x.size), edge, draws=150)
        with_people, without = width(x, y, edge, cluster=who), width(x, y, edge)
        ratios.append([w / v / (p / r) for w, v, p, r in zip(with_people, without, people, rows, strict=True)])
    of_differences, of_rates = np.mean(ratios, axis=0)
    assert 0.95 <= of_differences <= 1.3
    assert 0.95 <= of_rates <= 1.3


def test_rows_all_over_the_attribute_take_chance_off_a_difference():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(500), 10)
    own = (rng.random(500) < 0.5)[who].astype(float)
    alike = np.ones(who.size)
    apart = Contrasts(own, np.ones(who.size), [rng.random(who.size)], who, alike)
    together = Contrasts(own, np.ones(who.size), [rng.random(500)[who]], who, alike)
    assert apart.of_differences().max() < 0.1
    assert together.of_differences().min() == pytest.approx(1, abs=0.02)
    assert apart.of_rates().min() == pytest.approx(1, abs=0.02)


def test_rows_that_offset_each_other_add_to_a_difference():
    rng = np.random.default_rng(0)
    half, who = np.repeat([0, 1], 1500), np.tile(np.arange(300), 10)
    own = (rng.random(300) < 0.5)[who]
    y = np.where(half == 0, own, ~own).astype(float)
    contrasts = Contrasts(y, np.ones(3000), [half + rng.random(3000)], who, np.zeros(3000))
    assert contrasts.of_differences().min() > 0.9
    assert contrasts.of_rates().max() < 0.05


def test_several_attributes_and_missing_values():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(300), 5)
    x, z = rng.random(300)[who], rng.integers(0, 3, 300)[who].astype(float)
    x[:40] = np.nan
    y = (rng.random(300) < 0.5)[who].astype(float)
    found = Contrasts(y, np.ones(y.size), [x, z], who, np.ones(y.size)).of_differences()
    assert found.min() > 0.9
