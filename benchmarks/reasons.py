"""At equal factors: false alarms, power and coverage by simulation, and time beside an audit without factors.

python benchmarks/reasons.py [--runs 60] [part ...]
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor

import duckdb
import numpy as np
import pandas as pd
import polars as pl

import fairgroups as fg


def people(n, seed, *, numbers=1, tie=1.0, effect=0.0):
    """Outcomes depend on numbers and a category, the attribute too, and the lowest fifth may lose `effect` more."""
    rng = np.random.default_rng([seed, n])
    z, c = rng.normal(size=(n, numbers)), rng.integers(0, 3, n)
    score = z.sum(axis=1) / np.sqrt(numbers)
    x = tie * score + 0.5 * c + rng.normal(size=n)
    low = x < np.quantile(x, 0.2)
    p = 0.15 + 0.7 / (1 + np.exp(-(score + 0.5 * (c - 1)))) - effect * low
    table = {"x": np.round(x, 2), "y": (rng.random(n) < p).astype(int), "c": np.array(["a", "b", "c"])[c]}
    return table | {f"z{i}": z[:, i] for i in range(numbers)}, [*(f"z{i}" for i in range(numbers)), "c"]


def told(task):
    """Whether an audit at equal factors finds anything, and one without."""
    n, seed, numbers, tie, how = task
    table, given = people(n, seed, numbers=numbers, tie=tie)
    options = {"sensitive": "x", "outcome": "y", "checks": False}
    found = fg.audit(table, **options, given=given, how=how).verdict in ("different", "depends")
    raw = fg.audit(table, **options).verdict == "different"
    return [found, raw]


def planted(task):
    """Whether 12 points among the lowest fifth are found, the matched estimate, and whether its interval holds."""
    n, seed, how = task
    table, given = people(n, seed, effect=0.12)
    options = {"sensitive": "x", "outcome": "y", "checks": False, "given": given, "how": how}
    found = fg.audit(table, **options)
    border = float(np.quantile(table["x"], 0.2))
    one = fg.audit(table, **options, partition=[border]).reasons.groups[0]
    return [found.records[0].verdict == "lower", one.matched, one.matched_low <= -0.12 <= one.matched_high]


def alarms(pool, runs):
    print("| false alarms, 5 % allowed | people | factors | runs | at equal factors | raw |\n|---|---|---|---|---|---|")
    scenes = [("strata", n, 1, 1.0) for n in (2_000, 10_000, 50_000)]
    scenes += [("strata", 10_000, 2, 2.0), ("model", 2_000, 2, 1.0), ("model", 10_000, 2, 1.0)]
    for how, n, numbers, tie in scenes:
        few = runs if n < 50_000 and how == "strata" else max(runs // 3, 5)
        tasks = [(n, seed, numbers, tie, how) for seed in range(few)]
        found, raw = np.mean(list(pool.map(told, tasks)), axis=0)
        tied = ", tied twice as strongly" if tie > 1 else ""
        factors = f"{numbers} number{'s' if numbers > 1 else ''} and a category{tied}"
        print(f"| {how} | {n:,} | {factors} | {few} | {found:.3f} | {raw:.2f} |", flush=True)


def power(pool, runs):
    print("| 12 points among the lowest fifth of 5 000 | runs | found | matched, mean | sd | covered |")
    print("|---|---|---|---|---|---|")
    for how in ("strata", "model"):
        few = runs if how == "strata" else max(runs // 3, 5)
        rows = np.array(list(pool.map(planted, [(5_000, seed, how) for seed in range(few)])), dtype=float)
        (found, mean, held), sd = rows.mean(axis=0), rows[:, 1].std()
        print(f"| {how} | {few} | {found:.2f} | {100 * mean:.1f} | {100 * sd:.1f} | {held:.2f} |", flush=True)


def timing(_, __):
    print("| 1,000,000 rows, seconds of CPU | at 200 strata | without factors | ratio | wanted | met |")
    print("|---|---|---|---|---|---|")
    rng = np.random.default_rng(0)
    n = 1_000_000
    z, c = rng.integers(0, 40, n), rng.integers(0, 5, n)
    x = np.round(0.1 * z + rng.normal(size=n), 3)
    y = (rng.random(n) < 0.2 + 0.01 * z + 0.02 * c - 0.05 * (x < 0)).astype(int)
    table = pd.DataFrame({"x": x, "z": z, "c": np.array(list("abcde"))[c], "y": y})
    for few in ({}, {"given": ["z", "c"]}):
        fg.audit(table[:2_000], sensitive="x", outcome="y", **few)  # what is imported once
    for name, data in (
        ("pandas", table),
        ("Polars", pl.from_pandas(table).lazy()),
        ("DuckDB", duckdb.from_df(table)),
    ):
        spent = []
        for more in ({"given": ["z", "c"]}, {}):
            begin = time.process_time()
            fg.audit(data, sensitive="x", outcome="y", **more)
            spent.append(time.process_time() - begin)
        ratio = spent[0] / spent[1]
        met = "yes" if ratio <= 2 else "no"
        print(f"| {name} | {spent[0]:.1f} | {spent[1]:.1f} | {ratio:.1f} | 2 | {met} |", flush=True)


PARTS = {part.__name__: part for part in (timing, alarms, power)}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--runs", type=int, default=60)
    arguments.add_argument("parts", nargs="*", default=list(PARTS))
    asked = arguments.parse_args()
    with ProcessPoolExecutor(2) as pool:
        for name in asked.parts:
            PARTS[name](pool, asked.runs)
            print()


if __name__ == "__main__":
    main()
