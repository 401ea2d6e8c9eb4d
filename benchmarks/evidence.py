"""Does the evidence hold what it promises? By simulation: the number of groups, cross-fitting, repeated rows, the range
a hostile reader would pick, and the permutation test.

    python benchmarks/evidence.py [--runs 2000] [--processes 2]
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from scipy import stats

from fairgroups import Band, Cells, FairGroups, group_rates, make_synthetic
from fairgroups.cells.sample import Sample
from fairgroups.checks.permutation import permutation_test
from fairgroups.evidence.inference_options import InferenceOptions
from fairgroups.grouping.crossfit import cross_fit
from fairgroups.grouping.search_options import SearchOptions
from fairgroups.measures import RATES
from fairgroups.rows.rows import Rows
from fairgroups.search.intervals import best_intervals

PARITY = RATES["statistical_parity"]
PLANES = {
    "no discrimination": lambda x, _: np.full(x.shape, 0.3),
    "rate 0.02 everywhere": lambda x, _: np.full(x.shape, 0.02),
    "four boxes": lambda x, z: 0.2 + 0.2 * (x > 0.4) + 0.3 * (z > 0.6),
    "smooth": lambda x, z: 0.2 + 0.3 * x + 0.3 * z,
}


def chosen(task):
    """The number of groups on the paper's data or without discrimination."""
    kind, n, seed, rule = task
    if kind in ("uniform", "truncated", "clipped"):
        data = make_synthetic(n, kind, seed=seed)
        return FairGroups(selection=rule).fit(data.sensitive, data.outcome).n_groups_
    rng = np.random.default_rng([seed, n])
    if kind == "plane":
        return FairGroups(n_cells=16).fit(rng.random((n, 2)), rng.random(n) < 0.3).n_groups_
    return FairGroups(selection=rule).fit(rng.random(n), rng.random(n) < float(kind)).n_groups_


def crossed(task):
    """Are all groups of both halves covered at once, and is one named?"""
    name, n, k, seed = task
    rng = np.random.default_rng([seed, n, k])
    x, z = rng.random(n), rng.random(n)
    rate = PLANES[name]
    rows = Rows.from_arrays({"x": x, "z": z}, rng.random(n) < rate(x, z))
    sample, options = Sample(rows, (PARITY,), 12), SearchOptions(n_groups=k, n_cells=12)
    halves = cross_fit(sample, PARITY, options, InferenceOptions("crossfit", seed=seed), "error")[:2]
    held = named = True
    for half in halves:
        p = rate(*(c.values for c in half.judging.rows.columns))
        codes = half.result.partition.codes(half.judging.rows.columns)
        (evidence,) = half.evidence
        k = half.result.partition.n_groups
        counts = np.bincount(codes, minlength=k)
        truth = np.bincount(codes, p, k) / np.maximum(counts, 1) - p.mean()
        bounds = evidence.bounds
        covered = (bounds.low <= truth + 1e-12) & (truth <= bounds.high + 1e-12)
        held &= bool(np.all(covered | (counts == 0)))
    bounds = halves[0].evidence[0].bounds
    named = bool(np.any((bounds.low > 0) | (bounds.high < 0)))
    return held, named


def repeated(task):
    """Persons with five rows each, without discrimination: covered with and without `cluster`."""
    alike, seed = task
    rng = np.random.default_rng([seed, int(100 * alike)])
    x, who = np.repeat(rng.random(400), 5), np.repeat(np.arange(400), 5)
    own = np.repeat(rng.random(400) < 0.3, 5)
    y = np.where(rng.random(2000) < alike, own, rng.random(2000) < 0.3).astype(float)
    out = []
    for cluster in (who, None):
        cells = Cells.from_arrays(x, y, cluster=cluster)
        partition = best_intervals(cells, PARITY, 5).partition(5)
        bounds = Band(cells, PARITY).bounds(group_rates(cells, partition, PARITY))
        out.append(bool(np.all((bounds.low <= 0) & (bounds.high >= 0))))
    return out


def hostile(task):
    """Is every range covered: also the one where the interval is furthest off?"""
    n, rate, seed = task
    rng = np.random.default_rng([seed, n])
    x = np.sort(rng.integers(0, 60, n))
    p = np.full(n, rate) if rate else 0.2 + 0.01 * x
    cells = Cells.from_arrays(x, (rng.random(n) < p).astype(float))
    m = len(cells)
    start, stop = (t.ravel() for t in np.meshgrid(np.arange(m), np.arange(1, m + 1)))
    keep = (start < stop) & (stop - start < m)
    start, stop = start[keep], stop[keep]
    own, bounds = Band(cells, PARITY).judge(np.stack([start, stop], axis=1)[:, None])
    below = np.concatenate([[0.0], np.cumsum(np.bincount(np.searchsorted(cells.edges, x), p, m))])
    truth = (below[stop] - below[start]) / own.b
    phi = truth - p.mean()
    rates = np.all((bounds.rate_low <= truth + 1e-12) & (truth <= bounds.rate_high + 1e-12))
    return bool(rates), bool(np.all((bounds.low <= phi + 1e-12) & (phi <= bounds.high + 1e-12)))


def permuted(seed):
    rng = np.random.default_rng(seed)
    rows = Rows.from_arrays(rng.random(500), (rng.random(500) < 0.3).astype(float))
    return permutation_test(Sample(rows, (PARITY,)), PARITY, n_draws=199, seed=seed).p_value


def means(pool, function, tasks):
    return np.mean(list(pool.map(function, tasks, chunksize=10)), axis=0)


def selection(pool, runs):
    runs = max(runs // 20, 20)
    print(f"| numbers of groups chosen, {runs} runs | rule | number: runs |\n|---|---|---|")
    cases = [(kind, 10_000, rule) for kind in ("uniform", "truncated", "clipped") for rule in ("band", "cv", "bic")]
    cases += [("0.3", n, rule) for n in (2_000, 50_000) for rule in ("band", "cv", "bic")]
    cases += [("0.02", 2_000, "band"), ("plane", 2_000, "cv")]
    for kind, n, rule in cases:
        found = Counter(pool.map(chosen, [(kind, n, seed, rule) for seed in range(runs)], chunksize=5))
        said = ", ".join(f"{k}: {c}" for k, c in sorted(found.items()))
        print(f"| {kind}, N = {n} | {rule} | {said} |", flush=True)


def crossfitting(pool, runs):
    print(f"| cross-fitting, {runs} runs, nominal 95 % | all groups of both halves covered | some group named |")
    print("|---|---|---|")
    for name in PLANES:
        for n, k in ((2_000, 4), (2_000, 5), (10_000, 4)):
            held, named = means(pool, crossed, [(name, n, k, seed) for seed in range(runs)])
            print(f"| {name}, N = {n}, K = {k} | {held:.1%} | {named:.1%} |", flush=True)


def clusters(pool, runs):
    print(f"| five rows per person, {runs} runs | covered with `cluster` | without |\n|---|---|---|")
    for alike in (1.0, 0.5, 0.2, 0.0):
        known, unknown = means(pool, repeated, [(alike, seed) for seed in range(runs)])
        print(f"| rows repeat their person {alike:.0%} of the time | {known:.1%} | {unknown:.1%} |", flush=True)


def ranges(pool, runs):
    print(f"| all ranges at once, {runs} runs | rates | Φ |\n|---|---|---|")
    for n, rate in ((2_000, 0.3), (2_000, 0.01), (2_000, 0.0), (50_000, 0.3)):
        rates, phis = means(pool, hostile, [(n, rate, seed) for seed in range(runs)])
        print(f"| N = {n}, rate {rate or 'rising'} | {rates:.1%} | {phis:.1%} |", flush=True)


def permutation(pool, runs):
    p = np.array(list(pool.map(permuted, range(runs), chunksize=10)))
    fit = stats.kstest(p, "uniform").pvalue
    print(f"Permutation test without discrimination: Kolmogorov–Smirnov p = {fit:.2f}, ", end="")
    print(f"p ≤ 0.05 in {np.mean(p <= 0.05):.1%} of {runs} runs.")


PARTS = {part.__name__: part for part in (selection, crossfitting, clusters, ranges, permutation)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    with ProcessPoolExecutor(options.processes) as pool:
        for part in options.parts:
            PARTS[part](pool, options.runs)
            print(flush=True)


if __name__ == "__main__":
    main()
