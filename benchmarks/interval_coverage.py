"""How often do the intervals hold? By simulation, for the default audit and for the plug-in intervals beside it.

    python benchmarks/interval_coverage.py [--runs 2000] [--processes 2]

Prints, for each situation, the share of runs in which all groups' Φ are covered at once, the share in which some group
is named although there is no discrimination, and the mean width against an honest split with a Bonferroni correction.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from fairgroups import Cells, group_rates, make_synthetic
from fairgroups.evidence.band import Band
from fairgroups.evidence.bounds import fixed_bounds, plugin_bounds
from fairgroups.search.intervals import best_intervals

MEASURE = "statistical_parity"


@dataclass(frozen=True)
class Situation:
    name: str
    n: int
    n_groups: int
    truth: str  # "groups", "smooth", or a constant rate
    values: int = 0  # distinct values; 0 for a continuous attribute

    def draw(self, seed: int):
        rng = np.random.default_rng([seed, self.n, self.n_groups])
        if self.truth == "groups":
            data = make_synthetic(self.n, seed=seed)
            x, p = data.sensitive, data.rate
        else:
            x = rng.uniform(0, 100, self.n)
            p = 0.2 + 0.006 * x if self.truth == "smooth" else np.full(self.n, float(self.truth))
        if self.values:
            x = np.floor(x * self.values / 100)
        return x, (rng.random(self.n) < p).astype(float), p


def situations():
    out = [
        Situation(f"no discrimination, rate {rate}, N = {n}, K = {k}", n, k, str(rate))
        for n in (2_000, 50_000)
        for k in (5, 8)
        for rate in (0.3, 0.01, 0.99)
    ]
    out += [Situation(f"five true groups, N = {n}, K = {k}", n, k, "groups") for n in (2_000, 50_000) for k in (5, 8)]
    out += [Situation(f"smooth rate, N = {n}, K = {k}", n, k, "smooth") for n in (2_000, 50_000) for k in (5, 8)]
    out += [
        Situation("five true groups, 40 distinct values, N = 2000, K = 5", 2_000, 5, "groups", 40),
        Situation("no discrimination, 60 distinct values, N = 2000, K = 5", 2_000, 5, "0.3", 60),
        Situation("no discrimination, rate 0.005, N = 2000, K = 5", 2_000, 5, "0.005"),
    ]
    return out


def one_run(task):
    """Covered at once and named, for band and plug-in, and the widths of band and split."""
    situation, seed = task
    x, y, p = situation.draw(seed)
    cells = Cells.from_arrays(x, y)
    path = best_intervals(cells, MEASURE, situation.n_groups)
    partition = path.partition(len(path))
    groups = group_rates(cells, partition, MEASURE)
    codes = partition.assign(x)
    truth = np.bincount(codes, p) / np.bincount(codes) - p.mean()
    row = []
    band = Band(cells, MEASURE).bounds(groups)
    plugin = plugin_bounds(groups)
    for bounds in (band, plugin):
        covered = (bounds.low <= truth + 1e-12) & (truth <= bounds.high + 1e-12)
        named = (bounds.low > 0) | (bounds.high < 0)
        row += [covered.all(), named.any(), covered.mean()]
    half = np.random.default_rng(seed).permutation(len(x))[: len(x) // 2]
    split = group_rates(Cells.from_arrays(x[half], y[half]), partition, MEASURE)
    bounds = fixed_bounds(split)
    both = np.isfinite(bounds.low)
    return [*row, np.median((band.high - band.low)[both] / (bounds.high - bounds.low)[both])]


def run(situation: Situation, runs: int, pool) -> np.ndarray:
    return np.mean(list(pool.map(one_run, [(situation, s) for s in range(runs)], chunksize=20)), axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    print(
        f"| {options.runs} runs, nominal 95 % | band: all covered | band: some group named "
        "| plug-in: per group covered | plug-in: some group named | width / split |"
    )
    print("|---|---|---|---|---|---|")
    with ProcessPoolExecutor(options.processes) as pool:
        for situation in situations():
            s = run(situation, options.runs, pool)
            print(f"| {situation.name} | {s[0]:.1%} | {s[1]:.1%} | {s[5]:.1%} | {s[4]:.1%} | {s[6]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
