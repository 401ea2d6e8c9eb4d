import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

from fairgroups.repair.transport import Distribution, distribution, largest_gap, relaxed_targets, transport_cost


def instance(seed, n_groups=None, *, lattice=True):
    """Groups on few common values, so that a linear programme over all plans is small."""
    rng = np.random.default_rng(seed)
    n_groups = n_groups or int(rng.integers(2, 7))
    groups = []
    for _ in range(n_groups):
        n = int(rng.integers(1, 8))
        score = rng.integers(0, 6, n) / 5 if lattice else rng.random(n)
        groups.append(distribution(score, rng.random(n) + 0.1))
    weights = rng.random(n_groups) + 0.1
    if seed % 3 == 0:
        weights = np.ones(n_groups)
    return groups, weights


def programme(groups, weights, gap, cost, support):
    """The least cost of plans from each group to distributions on `support` whose functions differ by at most gap."""
    share = weights / weights.sum()
    objective, rows, columns, values, equal = [], [], [], [], []
    starts, at, row = [], 0, 0
    for k, g in enumerate(groups):
        mass = np.diff(g.levels, prepend=0.0)
        starts.append(at)
        for i, x in enumerate(g.values):
            objective += list(share[k] * np.abs(support - x) ** (1 if cost == "w1" else 2))
            rows += [row] * support.size
            columns += list(range(at + i * support.size, at + (i + 1) * support.size))
            values += [1.0] * support.size
            equal.append(mass[i])
            row += 1
        at += g.values.size * support.size
    A_eq = coo_matrix((values, (rows, columns)), shape=(row, at))
    below = np.tril(np.ones((support.size, support.size)))
    blocks = []
    for k, g in enumerate(groups):
        block = np.zeros((support.size, at))
        for i in range(g.values.size):
            s = starts[k] + i * support.size
            block[:, s : s + support.size] = below
        blocks.append(block)
    A_ub = np.concatenate([blocks[k] - blocks[j] for k in range(len(groups)) for j in range(len(groups)) if j != k])
    done = linprog(objective, A_ub=A_ub, b_ub=np.full(A_ub.shape[0], gap), A_eq=A_eq, b_eq=equal, method="highs")
    assert done.success, done.message
    return done.fun


@pytest.mark.parametrize("gap", [0.0, 0.1, 0.25, 0.6])
@pytest.mark.parametrize("seed", range(40))
def test_w1_equals_the_linear_programme(seed, gap):
    groups, weights = instance(seed)
    support = np.arange(6) / 5  # W1 needs no other values
    targets = relaxed_targets(groups, weights, gap, "w1")
    assert transport_cost(groups, weights, targets, "w1") == pytest.approx(
        programme(groups, weights, gap, "w1", support), abs=1e-8
    )


@pytest.mark.parametrize("gap", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("seed", range(20))
def test_w2_equals_the_linear_programme(seed, gap):
    groups, weights = instance(seed, n_groups=2 + seed % 3)
    targets = relaxed_targets(groups, weights, gap, "w2")
    finite = targets.values[np.isfinite(targets.values)]
    support = np.unique(np.concatenate([np.linspace(0, 1, 26), finite, *(g.values for g in groups)]))
    ours = transport_cost(groups, weights, targets, "w2")
    assert ours == pytest.approx(programme(groups, weights, gap, "w2", support), abs=1e-8)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("cost", ["w1", "w2"])
def test_the_result_keeps_the_gap_and_rises(seed, cost):
    groups, weights = instance(seed, lattice=seed % 2 == 0)
    rng = np.random.default_rng(seed)
    for gap in (0.0, rng.random(), 0.05):
        targets = relaxed_targets(groups, weights, gap, cost)
        assert (np.diff(targets.values) >= 0).all()
        u = np.linspace(0.0005, 0.9995, 1000)
        moved = [np.clip(g.quantile(u), *targets.limits(u)) for g in groups]
        for m in moved:
            assert (np.diff(m) >= -1e-12).all()
        codes = np.repeat(np.arange(len(groups)), u.size)
        assert largest_gap(np.concatenate(moved), codes) <= gap + 2 / u.size


@pytest.mark.parametrize("seed", range(30))
def test_among_w1_optima_the_least_w2_is_taken(seed):
    rng = np.random.default_rng(seed)
    n_groups = int(rng.choice([2, 4, 6]))
    groups = [distribution(rng.random(4)) for _ in range(n_groups)]
    weights = np.ones(n_groups)  # ties everywhere
    gap = float(rng.choice([0.0, 0.2]))
    targets = relaxed_targets(groups, weights, gap, "w1")
    least = transport_cost(groups, weights, targets, "w1")
    squares = transport_cost(groups, weights, targets, "w2")
    for _ in range(50):
        other = np.maximum.accumulate(targets.values + rng.normal(0, 0.05, targets.values.size))
        moved = type(targets)(targets.levels, other, gap)
        assert transport_cost(groups, weights, moved, "w1") >= least - 1e-12
        if transport_cost(groups, weights, moved, "w1") <= least + 1e-12:
            assert transport_cost(groups, weights, moved, "w2") >= squares - 1e-12


def test_the_barycentre_is_the_mean_or_the_median_of_quantiles():
    groups = [Distribution(np.array([x]), np.array([1.0])) for x in (0.0, 0.3, 0.9)]
    assert relaxed_targets(groups, np.ones(3), 0.0, "w2").values == pytest.approx([0.4])
    assert relaxed_targets(groups, np.ones(3), 0.0, "w1").values == pytest.approx([0.3])
    assert relaxed_targets(groups[:1], np.ones(1), 0.0).at(np.array([0.5])) == np.inf


def test_levels_on_a_grid_are_close():
    rng = np.random.default_rng(0)
    groups = [distribution(rng.beta(2, b, 5000)) for b in (2, 3, 5)]
    exact, coarse = (relaxed_targets(groups, np.ones(3), 0.1, "w2", n) for n in (None, 2000))
    u = np.linspace(0.01, 0.89, 500)
    assert np.abs(exact.at(u) - coarse.at(u)).max() < 0.01


@pytest.mark.parametrize("tau", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("gap", [0.0, 0.1])
def test_decisions_on_calibrated_scores_are_the_cheapest(tau, gap):
    """At every threshold: a false positive costs τ, a false negative 1 − τ, selection rates differ by at most gap."""
    rng = np.random.default_rng(int(100 * tau))
    for _ in range(10):
        groups = [distribution(rng.random(5), rng.random(5) + 0.1) for _ in range(3)]
        weights = rng.random(3) + 0.2
        share = weights / weights.sum()
        objective, blocks = [], []
        for k, g in enumerate(groups):
            mass = np.diff(g.levels, prepend=0.0)
            objective.append(share[k] * mass * (tau - g.values))  # selecting a person costs τ − p, up to a constant
            blocks.append(mass)
        sizes = [b.size for b in blocks]
        rates = np.zeros((3, sum(sizes)))
        for k in range(3):
            rates[k, sum(sizes[:k]) : sum(sizes[: k + 1])] = blocks[k]
        A = np.stack([rates[i] - rates[j] for i in range(3) for j in range(3) if i != j])
        best = linprog(np.concatenate(objective), A_ub=A, b_ub=np.full(6, gap), bounds=(0, 1), method="highs").fun
        targets = relaxed_targets(groups, weights, gap, "w2")
        ours = 0.0
        for k, g in enumerate(groups):
            jumps = np.concatenate([[0.0, gap], g.levels, targets.levels, targets.levels + gap])
            edges = np.unique(np.clip(jumps, 0, 1))
            u = (edges[1:] + edges[:-1]) / 2
            p = g.quantile(u)
            chosen = np.clip(p, *targets.limits(u)) >= tau
            ours += share[k] * np.sum(np.diff(edges) * chosen * (tau - p))
        assert ours == pytest.approx(best, abs=1e-9)
