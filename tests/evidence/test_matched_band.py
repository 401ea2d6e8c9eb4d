"""The band at equal factors: no alarm where people alike are treated alike, and intervals that hold at once."""

import numpy as np
import pytest

from fairgroups.cells.sample import Sample
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.evidence.matched_band import MatchedBand
from fairgroups.measures import RATES
from fairgroups.rows.rows import Rows
from fairgroups.rows.strata import strata_of

PARITY, MEAN = RATES["statistical_parity"], RATES["mean"]


def banded(seed, n=2_000, effect=0.0, tie=1.0, rate=None, amounts=False, boxes=False, level=0.95):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    x = tie * z + rng.normal(size=n)
    low = x < np.quantile(x, 0.2)
    if amounts:
        y = z - effect * low + rng.standard_t(6, size=n) * (1 + 0.5 * (x > 0))
    else:
        p = 1 / (1 + np.exp(-z)) if rate is None else rate * np.exp(0.5 * z)
        y = rng.random(n) < np.clip(0.15 + 0.7 * p if rate is None else p, 0, 1) - effect * low
    measure = MEAN if amounts else PARITY
    columns = {"x": x, "w": rng.normal(size=n), "c": rng.choice(["a", "b"], n)} if boxes else x
    rows = Rows.from_arrays(columns, y, factors={"z": z}).centred()
    sample = Sample(rows, (measure,)).at_equal([measure], strata_of(rows.factors, rows.people))
    band = InferenceOptions(level=level).band(sample.space if boxes else sample.cells, measure)
    assert isinstance(band, MatchedBand)
    return band


def test_a_true_difference_is_found_and_its_interval_holds_it():
    band = banded(0, n=8_000, effect=0.15)
    excess, ((first, last),) = band.largest_excess()
    assert excess > 1
    assert first == 0  # and not the range after it, which differs as much
    assert 25 <= last <= 40
    found = band.evidence(((0, 32),))
    _, weight, _, _ = band.matching.joined(band._held(((0, 32),))[None, :]).compared()
    scale = found.n / weight[0]
    assert found.low * scale < -0.15 < found.high * scale
    assert found.high < 0


def test_levels_differ_in_width_only():
    band = banded(1)
    wide = band.at_level(0.99)
    one, two = (x.judge([((0, 40),)])[1] for x in (band, wide))
    assert two.low[0] < one.low[0] < one.high[0] < two.high[0]
    assert one.low[0] + one.high[0] == pytest.approx(two.low[0] + two.high[0])
    assert wide.raw.level == 0.99


def test_within_a_homogeneous_group_nothing_differs():
    band = banded(4, n=5_000, effect=0.15)
    assert band.largest_excess()[0] > 0
    assert band.largest_excess(((40, 160),))[0] < 0
    assert band.largest_excess(((7, 8),)) == (-np.inf, ((7, 8),))


def test_boxes_with_categories():
    band = banded(3, n=4_000, effect=0.2, boxes=True)
    excess, region = band.largest_excess()
    assert excess > 0
    sides = band.evidence(region).sides
    assert sides[0].low == -np.inf
    inside = ((0, band.cells.axes[0].size // 2), (0, band.cells.axes[1].size), (1, 0))
    _, part = band.largest_excess(inside)
    assert part[2] == (1, 0)
    assert part[0][1] <= inside[0][1]


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    z, y = rng.normal(size=1_000), rng.random(1_000) < 0.4
    x = np.round(z + rng.normal(size=1_000), 1)
    order = rng.permutation(1_000)
    found = []
    for at in (np.arange(1_000), order):
        rows = Rows.from_arrays(x[at], y[at], factors={"z": z[at]})
        sample = Sample(rows, (PARITY,)).at_equal([PARITY], strata_of(rows.factors, rows.people))
        band = MatchedBand(sample.cells, PARITY)
        found.append((band.quantiles, band.largest_excess()[1]))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("runs", "options"),
    [
        (300, {}),
        (120, {"n": 10_000, "tie": 2.0}),
        (200, {"rate": 0.03}),
        (150, {"amounts": True}),
        (100, {"boxes": True}),
    ],
    ids=["rates", "tied", "rare", "amounts", "boxes"],
)
def test_false_alarms(runs, options):
    alarms = sum(banded(500 + seed, **options).largest_excess()[0] > 0 for seed in range(runs))
    assert alarms <= 0.05 * runs + 2.6 * np.sqrt(0.05 * 0.95 * runs)


@pytest.mark.parametrize("amounts", [False, True])
def test_all_ranges_are_covered_at_once_beside_a_true_difference(amounts):
    """The truth of a range is its matched difference in a table a hundred times as large, cells and all."""
    effect = 0.6 if amounts else 0.12
    runs, held = 120, 0
    rng = np.random.default_rng(9)
    regions = [((int(a), int(b)),) for a, b in np.sort(rng.integers(0, 161, (60, 2)), axis=1) if b - a >= 4]
    large = banded(1, n=400_000, effect=effect, amounts=amounts)
    truth = _matched(large, regions)
    for seed in range(runs):
        band = banded(700 + seed, n=4_000, effect=effect, amounts=amounts)
        _, bounds = band.judge(regions)
        own, _ = band._regions.sums(np.array(regions))
        weight = band.matching.joined(np.array([band._held(r) for r in regions])).compared()[1]
        scale = own.b / weight
        held += bool(np.all((bounds.low * scale <= truth) & (truth <= bounds.high * scale)))
    assert held >= 0.95 * runs - 2.6 * np.sqrt(0.95 * 0.05 * runs)


def _matched(band, regions):
    residual, weight, _, _ = band.matching.joined(np.array([band._held(r) for r in regions])).compared()
    return residual / weight
