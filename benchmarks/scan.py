"""The scan: false alarms, power, right columns, a second box, beside peers and beside single audits; time.

python benchmarks/scan.py [--runs 60] [part ...]
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import fairgroups as fg

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
CASES = ("number × category, 10 % at +15", "number × number, 10 % at −15", "one number, 12 % at +12")


def ranks(x):
    return np.argsort(np.argsort(x)) / x.size


def ten_columns(n, seed, case=None, second=False):
    """Six numbers and four categories, three tenths with the outcome, and a box that differs."""
    rng = np.random.default_rng([seed, n, 7])
    numbers = [rng.normal(size=n) for _ in range(6)]
    levels = [rng.integers(0, k, n) for k in (2, 3, 4, 6)]
    p, box, right = np.full(n, 0.3), np.zeros(n, dtype=bool), set()
    if case == CASES[0]:
        low = rng.uniform(0, 0.6)
        r = ranks(numbers[0])
        box, right, step = (r >= low) & (r < low + 0.4) & (levels[2] == 1), {"n0", "c2"}, 0.15
    elif case == CASES[1]:
        lows = rng.uniform(0, 0.68, 2)
        inside = [(ranks(x) >= low) & (ranks(x) < low + 0.316) for x, low in zip(numbers, lows, strict=False)]
        box, right, step = inside[0] & inside[1], {"n0", "n1"}, -0.15
    elif case == CASES[2]:
        low = rng.uniform(0, 0.88)
        r = ranks(numbers[0])
        box, right, step = (r >= low) & (r < low + 0.12), {"n0"}, 0.12
    if case is not None:
        p = p + step * box
    other = None
    if second:
        low = rng.uniform(0, 0.6)
        r = ranks(numbers[3])
        other = (r >= low) & (r < low + 0.4) & (levels[3] < 2)
        p = p + 0.15 * other
    y = rng.random(n) < p
    names = np.array(list("abcdef"))
    table = {f"n{i}": x for i, x in enumerate(numbers)} | {f"c{i}": names[x] for i, x in enumerate(levels)}
    return table | {"y": y}, box, right


def inside(table, names, sides):
    held = np.ones(len(table["y"]), dtype=bool)
    for name, side in zip(names, sides, strict=True):
        x = table[name]
        held &= np.isin(x, side.names) if isinstance(side, fg.Levels) else (x >= side.low) & (x < side.high)
    return held


def one(task):
    """Whether anything is shown, whether by the right columns, how well the place fits, and the seconds."""
    seed, case, second = task
    table, box, right = ten_columns(4000, seed, case, second)
    began = time.perf_counter()
    found = fg.scan(table, outcome="y")
    seconds = time.perf_counter() - began
    if not found.steps:
        return [found.verdict == "different", np.nan, np.nan, seconds, False]
    first = found.steps[0]
    held = inside(table, first.names, first.worst.sides)
    fits = (held & box).sum() / max((held | box).sum(), 1)
    later = any(set(step.names) & {"n3", "c3"} for step in found.steps[1:]) or (
        bool(set(first.names) & {"n3", "c3"}) and any(set(step.names) & right for step in found.steps[1:])
    )
    return [True, set(first.names) == right, fits, seconds, later]


def planted(pool, runs):
    print("| ten columns, 4,000 people | runs | shown | wanted | right columns | Jaccard | seconds |")
    print("|---|---|---|---|---|---|---|")
    for case, wanted in zip((*CASES, None), ("≥ .80", "≥ .90", "≥ .70", "≤ .05"), strict=True):
        found = np.array(list(pool.map(one, [(seed, case, False) for seed in range(runs)])), dtype=float)
        right, fits = (np.nanmean(found[:, k]) if case else np.nan for k in (1, 2))
        print(f"| {case or 'nothing'} | {runs} | {found[:, 0].mean():.3f} | {wanted} | {right:.2f} | {fits:.2f} "
              f"| {np.median(found[:, 3]):.2f} |", flush=True)  # fmt: skip
    second(pool, runs)


def second(pool, runs):
    found = np.array(list(pool.map(one, [(seed, CASES[0], True) for seed in range(runs)])), dtype=float)
    print(f"\nTwo boxes of +15 planted: both found in {found[:, 4].mean():.2f} of {runs} runs (wanted: half).\n")


def covered(task):
    """Whether all intervals that are shown hold the truth, and how wide they are beside the usual one."""
    seed, case = task
    rng = np.random.default_rng([seed, 17])
    n = 4000
    x, z, w = rng.normal(size=(3, n))
    c = rng.choice(list("abcd"), n)
    rate = {
        "nothing": np.full(n, 0.3),
        "steps": 0.2 + 0.2 * (x > 0.5) + 0.15 * (c == "b"),
        "smooth": 0.1 + 0.5 / (1 + np.exp(-x - 0.5 * z)),
        "rare": 0.02 + 0.05 * (x > 1) * (z > 0),
    }[case]
    table = {"x": x, "z": z, "w": w, "c": c, "y": rng.random(n) < rate}
    found = fg.scan(table, outcome="y")
    holds, wide = [], []
    for one in (*found.attributes, *found.pairs):
        for place in (one.worst, *one.more):
            held = inside(table, one.names, place.sides)
            # What may be compared with what was drawn: the mean of the true rates of these people.
            truth = rate[held].mean() - rate.mean()
            holds.append(place.low - 1e-9 <= truth <= place.high + 1e-9)
            usual = 1.96 * np.sqrt(max(place.rate * (1 - place.rate), 1e-4) / place.n * (1 - place.share))
            wide.append((place.high - place.low) / 2 / usual)
    return [all(holds), np.median(wide)]


def coverage(pool, runs):
    print("| rates | runs | all intervals hold, 95 % wanted | width over the usual interval |\n|---|---|---|---|")
    for case in ("nothing", "steps", "smooth", "rare"):
        found = np.mean(list(pool.map(covered, [(seed, case) for seed in range(runs)])), axis=0)
        print(f"| {case} | {runs} | {found[0]:.3f} | {found[1]:.2f} |", flush=True)
    print()


def real_table(name):
    import duckdb

    table = dict(duckdb.sql(f"SELECT * FROM '{SHARED / name}'").fetchnumpy())
    return {key: np.asarray(values) for key, values in table.items()}


REAL = {"adult.csv": "income_over_50k", "communities.csv": "high_crime", "compas.csv": "two_year_recid"}


def shuffled(task):
    """Whether anything is shown after the outcome was shuffled."""
    name, seed = task
    rng = np.random.default_rng([seed, 11])
    if name == "correlated":
        n, base = 3000, rng.normal(size=(3000, 1))
        columns = base + 0.3 * rng.normal(size=(n, 40))
        table, outcome = {f"x{i}": columns[:, i] for i in range(40)}, "y"
        table["y"] = (rng.random(n) < 0.25).astype(int)
    else:
        table, outcome = real_table(name), REAL[name]
        some = rng.permutation(len(table[outcome]))[:5000]
        table = {key: values[some] for key, values in table.items()}
        table[outcome] = rng.permutation(table[outcome])
    return fg.scan(table, outcome=outcome).verdict == "different"


def alarms(pool, runs):
    print("| outcome shuffled | runs | false alarms, 5 % allowed |\n|---|---|---|")
    names = [name for name in REAL if (SHARED / name).exists()] + ["correlated"]
    for name in names:
        found = list(pool.map(shuffled, [(name, seed) for seed in range(runs)]))
        print(f"| {name} | {runs} | {np.mean(found):.3f} |", flush=True)
    print()


def skewed(seed):
    """Whether means that are all the same are told apart where a sixth of the rows is paid by a lottery."""
    rng = np.random.default_rng(1000 + seed)
    n = 500
    x = rng.normal(size=n)
    pay = np.where(x > 1, rng.lognormal(0, 1.5, n) - np.exp(1.125), 0.2 * rng.normal(size=n))
    table = {"x": x, "g": rng.choice(list("abcd"), n), "z": rng.normal(size=n), "h": rng.choice(list("ab"), n)}
    return fg.scan(table | {"pay": pay}, outcome="pay").verdict == "different"


def skew(pool, runs):
    alarmed = np.mean(list(pool.map(skewed, range(runs))))
    print(f"Skewed amounts in one place, 500 rows, no difference of means: {alarmed:.3f} of {runs} runs alarm.\n")


def forty(task):
    """One range of a tenth of the people in one of forty columns: by the scan, and by forty audits with Bonferroni."""
    seed, effect = task
    rng = np.random.default_rng([seed, 13])
    n = 4000
    table = {f"x{i}": rng.normal(size=n) for i in range(40)}
    low = rng.uniform(0, 0.9)
    r = ranks(table["x0"])
    table["y"] = rng.random(n) < 0.3 + effect * ((r >= low) & (r < low + 0.1))
    began = time.perf_counter()
    scanned = {one.names[0] for one in fg.scan(table, outcome="y", pairs=False).shown}
    middle = time.perf_counter()
    options = {"outcome": "y", "checks": False, "level": 1 - 0.05 / 40}
    audited = {
        name for name in table if name != "y" and fg.audit(table, sensitive=name, **options).verdict == "different"
    }
    end = time.perf_counter()
    return [
        "x0" in scanned,
        bool(scanned - {"x0"}),
        "x0" in audited,
        bool(audited - {"x0"}),
        middle - began,
        end - middle,
    ]


def bonferroni(pool, runs):
    print("| a tenth of 4,000 people in one of 40 columns | runs | scan | audits, Bonferroni | false: scan | audits "
          "| seconds: scan | audits |\n|---|---|---|---|---|---|---|---|")  # fmt: skip
    for effect in (0.12, 0.15):
        found = np.mean(list(pool.map(forty, [(seed, effect) for seed in range(runs)])), axis=0)
        print(f"| +{100 * effect:.0f} points | {runs} | {found[0]:.2f} | {found[2]:.2f} | {found[1]:.2f} "
              f"| {found[3]:.2f} | {found[4]:.2f} | {found[5]:.1f} |", flush=True)  # fmt: skip
    print()


def speed(_pool, _runs):
    import resource

    print("| rows × columns | pairs | seconds | wanted |\n|---|---|---|---|")
    for n, columns, pairs, wanted in ((50_000, 40, False, 10), (50_000, 40, True, 60), (1_000_000, 40, False, 30)):
        rng = np.random.default_rng(0)
        shared = rng.normal(size=n)
        table = {f"x{i}": shared * 0.5 + rng.normal(size=n) for i in range(columns - 10)}
        table |= {f"c{i}": rng.integers(0, 5, n) for i in range(10)}
        table["y"] = rng.random(n) < 0.25 + 0.02 * (shared > 1)
        began = time.perf_counter()
        fg.scan(table, outcome="y", pairs=pairs)
        print(f"| {n:,} × {columns} | {'all' if pairs else 'none'} | {time.perf_counter() - began:.1f} | ≤ {wanted} |",
              flush=True)  # fmt: skip
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"\nMost memory: {peak:.2f} GB (wanted: below 2).\n")


def binned(table):
    """As slice finders take it: numbers in five bins, as text."""
    import pandas as pd

    out = {}
    for name, values in table.items():
        if name == "y":
            continue
        out[name] = values if values.dtype.kind == "U" else pd.qcut(values, 5, labels=list("12345")).astype(str)
    return pd.DataFrame(out)


def by_divexplorer(table):
    """Return the columns of the most divergent pattern, if it is beyond Bonferroni's bound over all patterns."""
    from divexplorer import DivergenceExplorer
    from scipy.special import ndtri

    frame = binned(table).assign(y=table["y"].astype(int))
    found = DivergenceExplorer(frame).get_pattern_divergence(min_support=0.02, boolean_outcomes=["y"])
    found = found[(found["length"] <= 2) & (found["length"] > 0)]
    best = found.loc[found["y_t"].abs().idxmax()]
    shown = abs(best["y_t"]) > ndtri(1 - 0.025 / len(found))
    return {item.split("=")[0] for item in best["itemset"]} if shown else None


def by_sliceline(table):
    """Return the columns of the slice with the highest score; nothing says how sure it is."""
    from sliceline.slicefinder import Slicefinder

    frame = binned(table)
    best = []
    for errors in (table["y"].astype(float), 1 - table["y"].astype(float)):
        finder = Slicefinder(alpha=0.95, k=1, max_l=2, min_sup=0.02, verbose=False).fit(frame.to_numpy(), errors)
        slices = finder.top_slices_
        if len(slices):
            best.append((finder.top_slices_statistics_[0]["slice_score"], slices[0]))
    if not best:
        return None
    _, one = max(best, key=lambda x: x[0])
    return {name for name, value in zip(frame.columns, one, strict=True) if value is not None}


def by_mdss(table):
    """Return the columns of the subset with the highest score; nothing says how sure it is."""
    import pandas as pd
    from aif360.detectors.mdss.MDSS import MDSS
    from aif360.detectors.mdss.ScoringFunctions import Bernoulli

    frame, y = binned(table), pd.Series(table["y"].astype(int))
    expected = pd.Series(np.full(len(y), y.mean()))
    found = [MDSS(Bernoulli(direction=way)).scan(frame, y, expected, penalty=1, num_iters=3) for way in
             ("positive", "negative")]  # fmt: skip
    subset, _ = max(found, key=lambda x: x[1])
    return set(subset) or None


def by_scan(table):
    """Return the columns of the first place."""
    found = fg.scan(table, outcome="y")
    return set(found.steps[0].names) if found.steps else None


def found_by(task):
    """What a finder names, and its seconds."""
    finder, seed, case = task
    table, _, right = ten_columns(4000, seed, case)
    began = time.perf_counter()
    named = finder(table)
    return [named is not None, named == right, time.perf_counter() - began]


def peers(pool, runs):
    few = max(runs // 3, 5)
    print("| ten columns, 4,000 people | shown: number × category | number × number | one number | nothing planted "
          "| right columns, of all | seconds |\n|---|---|---|---|---|---|---|")  # fmt: skip
    finders = {"fairgroups scan": by_scan, "DivExplorer, Bonferroni": by_divexplorer, "SliceLine": by_sliceline,
               "AIF360 MDSS": by_mdss}  # fmt: skip
    for name, finder in finders.items():
        try:
            rows = [np.mean(list(pool.map(found_by, [(finder, seed, case) for seed in range(few)])), axis=0)
                    for case in (*CASES, None)]  # fmt: skip
        except ImportError as error:
            print(f"| {name} | not installed: {error} |")
            continue
        shown = " | ".join(f"{row[0]:.2f}" for row in rows)
        right = np.mean([row[1] for row in rows[:3]])
        print(f"| {name} | {shown} | {right:.2f} | {np.mean([row[2] for row in rows]):.2f} |", flush=True)
    print(f"\n{few} runs each. SliceLine and MDSS always name something, or have no test of it.\n")


PARTS = {
    "planted": planted,
    "coverage": coverage,
    "alarms": alarms,
    "skew": skew,
    "bonferroni": bonferroni,
    "peers": peers,
    "speed": speed,
}


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--runs", type=int, default=60)
    arguments.add_argument("parts", nargs="*", default=list(PARTS))
    given = arguments.parse_args()
    with ProcessPoolExecutor(2) as pool:
        for part in given.parts:
            PARTS[part](pool, given.runs)


if __name__ == "__main__":
    main()
