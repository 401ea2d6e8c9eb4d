"""The kernels over all boxes against brute force, and boxes as a reader asks for them."""

import itertools

import numpy as np
import pytest

import fairgroups as fg
from fairgroups import Band, Cells, InputError, SpaceCells, group_rates
from fairgroups._kernels import box_maxima, most_different_box
from fairgroups.partition.partition import Partition
from fairgroups.partition.sides import Interval, Levels
from oracles import all_boxes, kullback_leibler

GRIDS = [
    [(4, False), (5, False)],
    [(3, True), (5, False)],
    [(4, False), (3, True)],
    [(2, False), (3, False), (3, False)],
    [(2, True), (3, True), (3, False)],
    [(1, False), (6, False)],
    [(2, False), (4, True)],
]


def threshold(n, rest, rows, total, rule):
    quantile, penalty, least, all_n, all_rows, equal, _ = rule
    ratio = all_n / max(min(n, rest), 1e-9)
    if not equal:
        ratio = max(ratio, all_rows / max(min(rows, total - rows), 1))
    return max(quantile + penalty * np.sqrt(2 * (1 + np.log(max(ratio, 1)))), least)


def most_different_slowly(a, b, noise, rows, axes, rule, min_rows, min_b):
    best = -np.inf
    scale = rule[-1]
    for box in all_boxes(axes):
        own_a, own_b, own_noise, own_rows = (x[box].sum() for x in (a, b, noise, rows))
        rest_a, rest_b, rest_noise = a.sum() - own_a, b.sum() - own_b, noise.sum() - own_noise
        if min(own_rows, rows.sum() - own_rows) < min_rows or min(own_b, rest_b) < max(min_b, 1e-9):
            continue
        n, rest = min(own_b**2 / own_noise, rule[3]), rest_b**2 / rest_noise
        p, q = own_a / own_b, rest_a / rest_b
        if scale > 0:
            root = abs(p - q) / (scale * np.sqrt(1 / n + 1 / rest))
        else:
            pooled = (n * p + rest * q) / (n + rest)
            root = np.sqrt(max(2 * (n * kullback_leibler(p, pooled) + rest * kullback_leibler(q, pooled)), 0))
        best = max(best, root - threshold(n, rest, own_rows, rows.sum(), rule))
    return best


@pytest.mark.parametrize("axes", GRIDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_most_different_box_is_that_of_brute_force(axes, weighted):
    shape = [m for m, _ in axes]
    for seed in range(150):
        rng = np.random.default_rng([seed, weighted])
        rows = rng.integers(0, 9, shape).astype(float)
        weight = rng.uniform(0.2, 3, shape) if weighted else np.ones(shape)
        b, noise = rows * weight, rows * weight**2
        a = b * np.round(rng.random(shape) * rows) / np.maximum(rows, 1)
        if not b.sum() > 0 or not 0 < a.sum() < b.sum():
            continue
        scale = float(rng.choice([0.0, 0.7])) if seed % 3 == 0 else 0.0
        size = b.sum() ** 2 / noise.sum()
        rule = (1.2, 1.0, 1.5, size, rows.sum(), not weighted, scale)
        least = float(rng.integers(0, 6)), float(rng.integers(0, 3))
        sums = np.stack([x.ravel() for x in (a, b, noise, rows)], axis=1)
        excess, box = most_different_box(np.ascontiguousarray(sums), axes, *rule, *least)
        want = most_different_slowly(a, b, noise, rows, axes, rule, *least)
        assert excess == pytest.approx(want, abs=1e-7) or (excess == -np.inf and want == -np.inf)
        assert len(box) == len(axes)


@pytest.mark.parametrize("axes", GRIDS)
@pytest.mark.parametrize("rate", [0.3, 0.04])
def test_the_largest_statistics_are_those_of_brute_force(axes, rate):
    shape = [m for m, _ in axes]
    rng = np.random.default_rng(5)
    n = rng.integers(0, 9, shape)
    counts = rng.binomial(n[..., None], rate, (*shape, 16))
    drift = (counts - n[..., None] * rate).reshape(-1, 16).astype(np.float32)
    sums = np.repeat(n.reshape(-1, 1).astype(float), 3, axis=1)
    of_rate, of_phi = box_maxima(np.ascontiguousarray(drift), sums, axes, rate, 1.0, True)
    total = n.sum()
    for k in range(16):
        rates, phis = [-2.0], [-2.0]
        for box in all_boxes(axes):
            own, yes = n[box].sum(), counts[..., k][box].sum()
            all_yes = counts[..., k].sum()
            if own == 0:
                continue
            rates.append(np.sqrt(2 * own * kullback_leibler(yes / own, rate)) - np.sqrt(2 * (1 + np.log(total / own))))
            if own < total:
                q, rest = all_yes / total, total - own
                root = (
                    0.0
                    if all_yes in (0, total)
                    else own * kullback_leibler(yes / own, q) + rest * kullback_leibler((all_yes - yes) / rest, q)
                )
                phis.append(np.sqrt(2 * max(root, 0)) - np.sqrt(2 * (1 + np.log(total / min(own, rest)))))
        assert of_rate[k] == pytest.approx(max(rates), abs=1e-3)
        assert of_phi[k] == pytest.approx(max(phis), abs=1e-3)


def test_a_category_of_many_levels_is_bounded_by_its_ordered_sets():
    """All sets of nine levels, slowly, never exceed what the kernel says of the lowest and highest ones."""
    rng = np.random.default_rng(1)
    n = rng.integers(3, 20, (2, 9))
    counts = rng.binomial(n[..., None], 0.3, (2, 9, 16))
    drift = (counts - 0.3 * n[..., None]).reshape(-1, 16).astype(np.float32)
    sums = np.repeat(n.reshape(-1, 1).astype(float), 3, axis=1)
    found, _ = box_maxima(np.ascontiguousarray(drift), sums, [(2, False), (9, True)], 0.3, 1.0, True)
    total = n.sum()
    for k in range(16):
        best = -2.0
        for box in all_boxes([(2, False), (9, True)]):
            own, yes = n[box].sum(), counts[..., k][box].sum()
            root = np.sqrt(2 * own * kullback_leibler(yes / own, 0.3))
            best = max(best, root - np.sqrt(2 * (1 + np.log(total / own))))
        assert best - 1e-4 <= found[k] <= best + 0.35


def grid(n=3000, seed=0, **options):
    rng = np.random.default_rng(seed)
    table = {"age": rng.integers(18, 66, n), "sex": rng.choice(["f", "m"], n)}
    young = (table["age"] < 30) & (table["sex"] == "f")
    return table, SpaceCells.from_arrays(table, rng.random(n) < np.where(young, 0.2, 0.5), **options), young


def test_a_reader_may_ask_for_any_box():
    table, cells, young = grid()
    band = Band(cells, "statistical_parity")
    found = band.interval(age=(None, 29), sex="f")
    assert found.n == young.sum()
    assert found.rate_low < found.rate < found.rate_high
    assert found.high < 0
    assert found.sides == (Interval(high=30), Levels(("f",)))
    both = band.interval(sex=["f", "m"])
    assert both.n == 3000
    assert both.low == both.high == 0
    assert band.interval(age=(40, 49)).n == ((table["age"] >= 40) & (table["age"] <= 49)).sum()


@pytest.mark.parametrize(
    ("ends", "sides", "message"),
    [
        ((20, 30), {}, "name each side"),
        ((), {"income": (1, 2)}, "the band is of age, sex"),
        ((), {"sex": "x"}, "no level"),
        ((), {"age": (90, 99)}, "nobody has a value"),
        ((), {"age": (30, 20)}, "empty"),
    ],
)
def test_bad_boxes_say_what_to_do(ends, sides, message):
    band = Band(grid()[1], "statistical_parity")
    with pytest.raises(InputError, match=message):
        band.interval(*ends, **sides)


def test_a_border_inside_a_cell_is_not_covered():
    rng = np.random.default_rng(0)
    table = {"a": rng.random(2000), "b": rng.random(2000)}
    cells = SpaceCells.from_arrays(table, rng.integers(0, 2, 2000), n_cells=4)
    inside = float((cells.axes[0].first[1] + cells.axes[0].last[1]) / 2)
    halves = Partition.from_boxes(("a", "b"), [(Interval(high=inside), Interval()), (Interval(inside), Interval())])
    band = Band(cells, "statistical_parity")
    groups = group_rates(
        Cells.from_arrays(table["a"], rng.integers(0, 2, 2000)),
        Partition.from_edges([inside], name="a"),
        "statistical_parity",
    )
    with pytest.raises(InputError, match="lies inside a cell"):
        band.bounds(type(groups)(halves, groups.runs, groups.owners, groups.rows, groups.sums))


def test_the_box_that_differs_is_found():
    _, cells, _ = grid()
    band = Band(cells, "statistical_parity")
    excess, region = band.largest_excess()
    assert excess > 0
    found = band.evidence(region)
    assert found.sides[1] == Levels(("f",))
    assert found.sides[0].low == -np.inf
    assert 28 <= found.sides[0].high <= 34
    inside, _ = band.largest_excess(region)
    assert inside <= 0  # nothing differs inside it


def test_amounts_and_weights():
    rng = np.random.default_rng(2)
    n = 4000
    table = {"a": rng.random(n), "b": rng.random(n)}
    corner = (table["a"] < 0.4) & (table["b"] < 0.4)
    wage = 3000 + 500 * rng.standard_normal(n) * (1 + corner) - 400 * corner
    plain = Band(SpaceCells.from_arrays(table, wage), "mean")
    found = plain.interval(a=(None, 0.4), b=(None, 0.4))
    assert found.rate == pytest.approx(2600, abs=120)  # the box is widened to whole cells
    assert found.low < found.phi < found.high < 0
    shifted = Band(SpaceCells.from_arrays(table, wage + 1e6), "mean").interval(a=(None, 0.4), b=(None, 0.4))
    assert [shifted.phi, shifted.low, shifted.high] == pytest.approx([found.phi, found.low, found.high], rel=1e-6)
    twice = Band(SpaceCells.from_arrays(table, wage, weight=np.full(n, 2.0)), "mean").interval(
        a=(None, 0.4), b=(None, 0.4)
    )
    assert twice.low == pytest.approx(found.low, rel=0.02)


def test_region_arrays_and_evidence_agree():
    _, cells, _ = grid(n_cells=5)
    band = Band(cells, "statistical_parity")
    whole = band.whole
    regions = [((i, j), (levels, 0)) for (i, j), levels in itertools.product([(0, 2), (1, 5), (0, 5)], (1, 2, 3))]
    own, bounds = band.judge(regions)
    for k, region in enumerate(regions):
        one = band.evidence(region)
        assert one.rate == pytest.approx(own.rate[k])
        assert (one.low, one.high) == pytest.approx((bounds.low[k], bounds.high[k]))
    assert whole == ((0, 5), (3, 0))


@pytest.mark.parametrize("wanted", [30, (30,), (18, 29, 3), "old", range(18, 30)])
def test_a_side_of_a_wrong_shape_is_told(wanted):
    rng = np.random.default_rng(0)
    table = {"x": rng.integers(0, 90, 400), "z": rng.integers(0, 9, 400), "y": rng.integers(0, 2, 400)}
    for sensitive in ("x", ["x", "z"]):
        band = fg.audit(table, sensitive=sensitive, outcome="y", checks=False).band
        with pytest.raises(fg.InputError, match="has two ends"):
            band.interval(x=wanted)
        assert band.interval(x=None).n == band.interval(x=(None, None)).n == 400


def test_as_many_levels_as_can_be_grouped_stand_beside_a_number():
    rng = np.random.default_rng(0)
    table = {"x": rng.integers(0, 90, 3000), "c": [f"L{i}" for i in rng.integers(0, 63, 3000)]}
    table["y"] = rng.integers(0, 2, 3000)
    assert fg.audit(table, sensitive=["x", "c"], outcome="y", checks=False).records


def test_numbers_written_as_text_are_numbers_beside_another_attribute():
    rng = np.random.default_rng(0)
    x, z = rng.integers(18, 70, 2000), rng.normal(size=2000)
    y = (rng.random(2000) < np.where(x > 50, 0.6, 0.3)).astype(int)
    one, other = (
        fg.audit({"x": v, "z": z, "y": y}, sensitive=["x", "z"], outcome="y", checks=False) for v in (x, x.astype(str))
    )
    assert one.partition == other.partition


@pytest.mark.parametrize("seed", [57, 3, 8])
def test_weights_and_attributes_in_any_order(seed):
    rng = np.random.default_rng(seed)
    n = 1500
    table = {"x": rng.integers(0, 4, n), "z": rng.integers(0, 4, n), "c": rng.choice(list("ab"), n)}
    table["w"] = np.where(table["z"] > 2, rng.uniform(1, 3, n), 1.0)
    table["y"] = (rng.random(n) < 0.3 + 0.06 * (table["z"] > 2)).astype(int)
    for weight in (None, "w"):
        asked = {"outcome": "y", "weight": weight, "checks": False}
        one, other = (fg.audit(table, sensitive=s, **asked) for s in (["x", "z", "c"], ["c", "z", "x"]))
        assert one.verdict == other.verdict
        added = [{a.attribute: a.p_value for a in found.added} for found in (one, other)]
        assert added[0] == pytest.approx(added[1])


def test_a_level_named_twice_is_that_level():
    rng = np.random.default_rng(0)
    table = {"age": rng.integers(18, 80, 900), "c": np.repeat(["u", "v", "w"], 300), "y": np.repeat([0, 1, 0], 300)}
    table["y"][::7] ^= 1
    band = fg.audit(table, sensitive=["age", "c"], outcome="y", checks=False).band
    once, twice = band.interval(c=["u"]), band.interval(c=["u", "u"])
    assert (once.sides, once.rate) == (twice.sides, twice.rate)
    assert band.interval(c=None, age=(18, 79)).rate == pytest.approx(table["y"].mean())
    with pytest.raises(InputError, match="no level of 'c' is named"):
        band.interval(c=[])
