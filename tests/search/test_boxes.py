import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor

from fairgroups import MEASURES, FairGroups, InputError, rand_index
from fairgroups._kernels import best_boxes as kernel
from fairgroups.cells.grid import Points
from fairgroups.rows.rows import Rows
from fairgroups.search.boxes import best_boxes, seconds_needed
from fairgroups.search.layout import greedy, polish
from fairgroups.search.path import Limits
from oracles import all_tilings, brute_force_boxes


def quiet(_):
    pass


def points_of(X, y, weight=None):
    rows = Rows.from_arrays({f"x{d}": X[:, d] for d in range(X.shape[1])}, y, weight=weight)
    return Points.of(rows, MEASURES["statistical_parity"])


@pytest.mark.parametrize("shape", [(3, 4), (4, 4), (2, 5), (5, 3), (3, 2, 2), (2, 2, 2)])
@pytest.mark.parametrize("seed", range(4))
def test_equals_brute_force_over_all_tilings(shape, seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 4, shape).astype(float)  # some cells are empty
    b = rows * (rng.random(shape) + 0.1 if seed % 2 else 1)
    a = b * rng.random(shape)
    min_rows = float(rng.integers(0, 5))
    most = 5 if len(shape) == 2 else 4
    found = kernel(a.ravel(), b.ravel(), rows.ravel(), [(m, False) for m in shape], most, min_rows, 0.0, 0, quiet)
    for k in range(1, most + 1):
        best = brute_force_boxes(a, b, rows, k, min_rows=min_rows)
        if best is None:
            assert not found[k - 1][1]
            continue
        assert found[k - 1][0] == pytest.approx(best, abs=1e-9)
        cover = np.zeros(shape)
        for box in found[k - 1][1]:
            cover[tuple(slice(*side) for side in box)] += 1
        assert (cover == 1).all()


def test_pinwheels_of_both_hands_are_found():
    for mirrored in (False, True):
        rate = np.empty((4, 4))
        rate[:] = 0.5
        rate[:3, :1], rate[3:, :3], rate[1:, 3:], rate[:1, 1:] = 0.1, 0.4, 0.2, 0.3
        rate[1:3, 1:3] = 0.9
        if mirrored:
            rate = rate[::-1]
        rate = np.ascontiguousarray(rate)
        ones = np.ones(16)
        total, boxes = kernel(rate.ravel(), ones, ones, [(4, False)] * 2, 5, 1.0, 0.0, 0, quiet)[4]
        assert total == pytest.approx(np.sum((rate - rate.mean()) ** 2))
        assert len(boxes) == 5
    assert sum(1 for _ in all_tilings((3, 3), 5)) > 0


def test_more_groups_in_the_plane_equal_a_plain_recursion():
    rng = np.random.default_rng(0)
    a, b = rng.random((6, 5)), rng.random((6, 5)) + 0.1
    centred = a - b * a.sum() / b.sum()
    memo = {}

    def best(box, k):
        if (box, k) not in memo:
            (s, e), (t, u) = box
            value = -np.inf
            if k == 1:
                value = centred[s:e, t:u].sum() ** 2 / b[s:e, t:u].sum()
            for k1 in range(1, k):
                cuts = [(((s, c), (t, u)), ((c, e), (t, u))) for c in range(s + 1, e)]
                cuts += [(((s, e), (t, c)), ((s, e), (c, u))) for c in range(t + 1, u)]
                value = max([value, *(best(x, k1) + best(y, k - k1) for x, y in cuts)])
            memo[box, k] = value
        return memo[box, k]

    found = kernel(a.ravel(), b.ravel(), np.ones(30), [(6, False), (5, False)], 8, 1.0, 0.0, 0, quiet)
    for k in (1, 2, 3, 4, 6, 7, 8):
        assert found[k - 1][0] == pytest.approx(best(((0, 6), (0, 5)), k))


def test_categories_are_parted_in_every_way():
    rng = np.random.default_rng(3)
    a, b = rng.random((3, 4)), rng.random((3, 4)) + 0.1  # three cells by four levels
    centred = a - b * a.sum() / b.sum()
    gain = lambda cells, levels: centred[np.ix_(cells, levels)].sum() ** 2 / b[np.ix_(cells, levels)].sum()
    best = -np.inf
    everything = (range(3), range(4))
    halves = [((range(c), range(4)), (range(c, 3), range(4))) for c in (1, 2)]
    for r in range(1, 4):
        for part in itertools.combinations(range(4), r):
            rest = [i for i in range(4) if i not in part]
            halves.append(((range(3), list(part)), (range(3), rest)))
    for one, two in halves:
        best = max(best, gain(*map(list, one)) + gain(*map(list, two)))
    found = kernel(a.ravel(), b.ravel(), np.ones(12), [(3, False), (4, True)], 2, 1.0, 0.0, 0, quiet)
    assert found[0][0] == pytest.approx(gain(*map(list, everything)))
    assert found[1][0] == pytest.approx(best)


def truth_of(name, X):
    x, y = X.T
    if name == "four":
        return np.select([(x < 0.3) & (y < 0.6), x < 0.3, y < 0.3], [0, 1, 2], 3), np.array([0.2, 0.6, 0.8, 0.4])
    if name == "xor":
        return 2 * (x < 0.5) + (y < 0.5), np.array([0.3, 0.7, 0.7, 0.3])
    arms = [(x < 0.7) & (y < 0.3), (x >= 0.7) & (y < 0.7), (x >= 0.3) & (y >= 0.7), (x < 0.3) & (y >= 0.3)]
    return np.select(arms, [0, 1, 2, 3], 4), np.array([0.2, 0.5, 0.3, 0.6, 0.9])


@pytest.mark.parametrize(("name", "greedy_share"), [("four", 0.9), ("xor", 0.75), ("pinwheel", 0.95)])
def test_finds_what_greedy_trees_miss(name, greedy_share):
    rng = np.random.default_rng(1)
    X = rng.random((50_000, 2))
    group, rates = truth_of(name, X)
    y = (rng.random(50_000) < rates[group]).astype(float)
    k = len(rates)
    found = FairGroups(k).fit(X, y)
    of_truth = np.var(np.array([y[group == g].mean() for g in range(k)])[group])
    assert found.exact_
    assert found.variance_ >= 0.995 * of_truth
    assert rand_index(found.predict(X), group) >= 0.99
    tree = np.var(DecisionTreeRegressor(max_leaf_nodes=k).fit(X, y).predict(X))
    assert tree < greedy_share * of_truth


@pytest.mark.parametrize("seed", range(6))
def test_never_worse_than_the_greedy_tree(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1500, 2 + seed % 2))
    y = (rng.random(1500) < 1 / (1 + np.exp(-X[:, 0] * X[:, 1] - X[:, -1]))).astype(float)
    found = FairGroups(4, n_cells=10).fit(X, y)
    tree = DecisionTreeRegressor(max_leaf_nodes=4).fit(X, y)
    assert found.variance_ >= np.var(tree.predict(X)) - 1e-12
    points = points_of(X, y)
    mine = greedy(points, 4, Limits())
    assert mine.total / 1500 == pytest.approx(np.var(tree.predict(X)))
    assert polish(points, mine, Limits()).total >= mine.total


def test_polish_finds_borders_between_the_grids_cells():
    rng = np.random.default_rng(0)
    X = rng.random((4000, 2))
    y = ((X[:, 0] < 0.437) & (X[:, 1] < 0.618)).astype(float)
    found = FairGroups(3, n_cells=5).fit(X, y)
    assert found.variance_ == pytest.approx(np.var(y))


def test_weights_are_repeated_rows_and_sizes_hold():
    rng = np.random.default_rng(2)
    X, y, w = rng.integers(0, 6, (300, 2)).astype(float), rng.integers(0, 2, 300), rng.integers(1, 4, 300)
    # How small a group may be depends on how much weighted rows tell, which repeated ones tell more of.
    one = FairGroups(4, min_group_size=1).fit(X, y, sample_weight=w)
    two = FairGroups(4, min_group_size=1).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert one.variance_ == pytest.approx(two.variance_)
    sized = FairGroups(4, min_group_size=40).fit(X, y)
    assert np.bincount(sized.predict(X)).min() >= 40


def test_one_column_of_a_table_is_the_line():
    rng = np.random.default_rng(0)
    X, y = rng.random((500, 1)), rng.integers(0, 2, 500)
    assert FairGroups(3).fit(X, y).partition_ == FairGroups(3).fit(X[:, 0], y).partition_


def test_age_by_sex():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(18, 70, 6000), "sex": rng.choice(["f", "m"], 6000)})
    rate = np.where((frame.sex == "f") & (frame.age >= 40), 0.2, 0.6)
    groups = FairGroups(3).fit(frame, (rng.random(6000) < rate).astype(int))
    harmed = int(np.argmin(groups.rates_))
    assert groups.partition_.labels[harmed] == "age ≥ 40 and sex = f"
    assert set(groups.transform(frame).ravel()) == set(groups.partition_.labels)


def test_many_levels_are_ordered_by_rate():
    rng = np.random.default_rng(0)
    region = rng.integers(0, 30, 8000)
    frame = pd.DataFrame({"age": rng.random(8000), "region": [f"r{i:02}" for i in region]})
    y = rng.random(8000) < np.where(region % 3 == 0, 0.2, 0.7)
    groups = FairGroups(2).fit(frame, y)
    low = groups.partition_.groups[int(np.argmin(groups.rates_))][0][1].names
    assert set(low) == {f"r{i:02}" for i in range(0, 30, 3)}


def test_the_beam_says_what_it_may_have_missed():
    rng = np.random.default_rng(0)
    X = rng.random((3000, 3))
    y = (rng.random(3000) < 0.2 + 0.6 * (X[:, 0] > X[:, 1])).astype(float)
    points = points_of(X, y)
    beam = best_boxes(points, 6, Limits(), n_cells=10, budget=0)
    exact = best_boxes(points, 6, Limits(), n_cells=10, budget=1e9)
    assert exact.exact
    assert exact.gap == 0
    assert not beam.exact
    assert beam.gap > 0
    assert beam.variance[-1] * (1 + beam.gap) >= exact.variance[4]
    assert beam.variance[-1] >= 0.9 * exact.variance[-1]


def test_many_attributes_still_get_an_answer():
    rng = np.random.default_rng(0)
    X = rng.random((400, 12))
    groups = FairGroups(3).fit(X, X[:, 3] > 0.5)
    assert not groups.exact_
    assert groups.variance_ == pytest.approx(np.var(X[:, 3] > 0.5))


def test_constant_and_collinear_columns():
    rng = np.random.default_rng(0)
    x = rng.random(500)
    y = (x > 0.5).astype(float)
    constant = FairGroups(2).fit(np.column_stack([x, np.ones(500)]), y)
    assert constant.variance_ == pytest.approx(np.var(y))
    collinear = FairGroups(2).fit(np.column_stack([x, 2 * x]), y)
    assert collinear.variance_ == pytest.approx(np.var(y))


def test_impossible_requests_say_so():
    X, y = np.array([[0.0, 0], [1, 1], [0, 0], [1, 1]]), [0, 1, 0, 1]
    with pytest.raises(InputError, match="only 2 group"):
        FairGroups(4).fit(X, y)
    with pytest.raises(InputError, match="`monotonic` is for one"):
        FairGroups(2, monotonic="either").fit(X, y)
    with pytest.raises(InputError, match="do not make one group"):
        FairGroups(2, min_group_size=50).fit(X, y)
    with pytest.raises(InputError, match="GB of memory"):
        FairGroups(2, n_cells=3000).fit(np.random.default_rng(0).random((3000, 2)), np.tile([0, 1], 1500))


def test_a_search_can_be_stopped():
    def stop(share):
        raise KeyboardInterrupt

    rng = np.random.default_rng(0)
    a = rng.random(60 * 60)
    with pytest.raises(KeyboardInterrupt):
        kernel(a, np.ones(3600), np.ones(3600), [(60, False)] * 2, 8, 1.0, 0.0, 0, stop)


def test_the_estimate_of_time_grows_with_the_work():
    assert seconds_needed([100, 100], [False, False], 4) < 1 < seconds_needed([100, 100], [False, False], 8) < 30
    assert seconds_needed([100, 100, 100], [False] * 3, 8) == float("inf")
