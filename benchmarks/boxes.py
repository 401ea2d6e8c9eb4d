"""The band over all boxes: false alarms, coverage, power and width beside cross-fitting, and time. By simulation.

python benchmarks/boxes.py [--runs 100] [part ...]
"""

# ruff: noqa: ARG005
from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import fairgroups as fg
from fairgroups.evidence.band import Band
from fairgroups.evidence.likelihood import difference_bounds

LEVELS = list("abcde")
SCENES = {
    "nothing": lambda x, y, c: np.full(x.size, 0.3),
    "nothing, rate 0.02": lambda x, y, c: np.full(x.size, 0.02),
    "four boxes": lambda x, y, c: np.select([(x < 0.5) & (y < 0.5), x < 0.5, y < 0.5], [0.2, 0.35, 0.3], 0.4),
    "smooth": lambda x, y, c: 0.2 + 0.2 * x * y + 0.1 * np.sin(3 * x),
    "XOR": lambda x, y, c: 0.35 + 0.06 * np.where((x < 0.5) == (y < 0.5), 1, -1),
    "corner": lambda x, y, c: np.where((x < 0.3) & (y < 0.3), 0.43, 0.3),
    "rare corner": lambda x, y, c: np.where((x < 0.3) & (y < 0.3), 0.06, 0.02),
    "pinwheel": lambda x, y, c: np.select(
        [(x < 0.7) & (y < 0.3), (x >= 0.7) & (y < 0.7), (x >= 0.3) & (y >= 0.7), (x < 0.3) & (y >= 0.3)],
        [0.28, 0.32, 0.36, 0.4],
        0.44,
    ),
    "two levels": lambda x, y, c: np.where((x < 0.5) & np.isin(c, ["a", "b"]), 0.4, 0.3),
}
COLUMNS = {"2": ["x", "y"], "3": ["x", "y", "z"], "2 and a category": ["x", "y", "c"], "1 and a category": ["x", "c"]}


def people(scene, n, seed, columns):
    rng = np.random.default_rng([seed, n])
    x, y, z = rng.random((3, n))
    c = rng.choice(LEVELS, n, p=[0.35, 0.25, 0.2, 0.15, 0.05])
    p = SCENES[scene](x, y, c)
    table = {"x": x, "y": y, "z": z, "c": c}
    return {name: table[name] for name in COLUMNS[columns]} | {"ok": (rng.random(n) < p).astype(int)}, p


def audited(task):
    """What an audit says: any difference, a group, how many groups, and the widths of what it says."""
    scene, n, columns, inference, seed = task
    table, _ = people(scene, n, seed, columns)
    found = fg.audit(
        table, sensitive=COLUMNS[columns], outcome="ok", inference=inference, checks=inference == "crossfit", seed=seed
    )
    named = bool(found.finding.groups) or found.finding.range is not None
    return [found.verdict in ("different", "depends"), named, found.partition.n_groups]


def widths(task):
    """How wide the band's intervals are beside cross-fitting's: for the groups that it judged, and each for its own.

    A search on half of the people finds slivers beside large groups, whose mean width is smaller than that of five
    groups of like size, whoever judges them; so what is paired is the group, not its number.
    """
    scene, n, columns, k, seed = task
    table, _ = people(scene, n, seed, columns)
    names = COLUMNS[columns]
    options = {"sensitive": names, "outcome": "ok", "n_groups": k, "checks": False}
    half = fg.audit(table, **options, inference="crossfit", seed=seed)
    whole = fg.audit(table, **options)
    band = Band(fg.SpaceCells.from_arrays({name: table[name] for name in names}, table["ok"]), "statistical_parity")
    values = np.stack([table[name] for name in names], axis=1)
    same = []
    for group in half.partition.groups:  # as if the grid had these very borders
        held = [
            np.all([(v >= side.low) & (v < side.high) for side, v in zip(box, values.T, strict=True)], axis=0)
            for box in group
        ]
        parts = [_banded(band, table["ok"], inside) for inside in held]
        same.append(np.average(parts, weights=[inside.sum() for inside in held]))
    shares = [r.share for r in half.records]
    own = [r.high - r.low for r in half.records]
    mean = [
        np.average([r.high - r.low for r in one.records], weights=[r.share for r in one.records])
        for one in (whole, half)
    ]
    return [np.average(same, weights=shares) / np.average(own, weights=shares), mean[0] / mean[1]]


def _banded(band, outcome, inside):
    """The width of the band's interval of Φ for the people of a box."""
    n, rest = np.array([inside.sum()], dtype=float), np.array([(~inside).sum()], dtype=float)
    charge = band.quantiles.penalty * np.sqrt(2 * (1 + np.log(outcome.size / np.minimum(n, rest))))
    rates = np.array([outcome[inside].mean()]), np.array([outcome[~inside].mean()])
    low, high = difference_bounds(rates[0], n, rates[1], rest, band.quantiles.phi + charge)
    return float((high - low)[0] * rest[0] / outcome.size)


def covered(task):
    """Whether the intervals of 3 000 boxes drawn at random, and of the most different one, hold at once."""
    scene, n, columns, seed = task
    table, p = people(scene, n, seed, columns)
    names = COLUMNS[columns]
    cells = fg.SpaceCells.from_arrays({name: table[name] for name in names}, table["ok"])
    band = Band(cells, "statistical_parity")
    rng = np.random.default_rng(seed)
    codes = [
        a.codes(table[a.name]) if a.levels is None else np.searchsorted(a.levels, table[a.name]) for a in cells.axes
    ]
    truth = np.bincount(np.ravel_multi_index(codes, cells.shape), p, len(cells)).reshape(cells.shape)
    regions = [band.largest_excess()[1]]
    for _ in range(3000):
        sides = []
        for axis in cells.axes:
            if axis.levels is not None:
                sides.append((int(rng.integers(1, 2**axis.size)), 0))
            else:
                low, high = sorted(rng.choice(axis.size + 1, 2, replace=False).tolist())
                sides.append((low, high))
        regions.append(tuple(sides))
    own, bounds = band.judge(regions)
    index = band._regions.index  # noqa: SLF001
    true = np.array([truth[index(region)].sum() for region in regions]) / np.maximum(own.b, 1e-300)
    known = own.b > 0
    rates = np.all((bounds.rate_low <= true + 1e-9)[known] & (true <= bounds.rate_high + 1e-9)[known])
    phi = true - p.mean()
    differences = np.all((bounds.low <= phi + 1e-9)[known] & (phi <= bounds.high + 1e-9)[known])
    return [bool(rates), bool(differences)]


def means(pool, function, tasks):
    return np.mean(list(pool.map(function, tasks, chunksize=4)), axis=0)


def alarms(pool, runs):
    print(f"| false alarms, nominal 5 %, {runs} runs | people | attributes | any | named |\n|---|---|---|---|---|")
    for scene in ("nothing", "nothing, rate 0.02"):
        for n in (500, 2_000, 10_000, 50_000):
            for columns in COLUMNS:
                few = runs if n < 50_000 else runs // 2
                any_, named, _ = means(pool, audited, [(scene, n, columns, "band", seed) for seed in range(few)])
                print(f"| {scene} | {n:,} | {columns} | {any_:.3f} | {named:.3f} |", flush=True)


def coverage(pool, runs):
    print(f"| coverage of 3 001 boxes at once, nominal 95 %, {runs} runs | people | attributes | rates | differences |")
    print("|---|---|---|---|---|")
    for scene in SCENES:
        for n, columns in ((2_000, "2"), (20_000, "2"), (5_000, "3"), (5_000, "2 and a category")):
            rates, differences = means(pool, covered, [(scene, n, columns, seed) for seed in range(runs)])
            print(f"| {scene} | {n:,} | {columns} | {rates:.3f} | {differences:.3f} |", flush=True)


def power(pool, runs):
    print(f"| power at N = 2 000, {runs} runs | a group named: band | cross-fitting | any: band | cross-fitting |")
    print("|---|---|---|---|---|")
    for scene, columns in (("four boxes", "2"), ("XOR", "2"), ("corner", "2"), ("two levels", "1 and a category")):
        found = [
            means(pool, audited, [(scene, 2_000, columns, way, seed) for seed in range(runs)])
            for way in ("band", "crossfit")
        ]
        named, any_ = [one[1] for one in found], [one[0] for one in found]
        print(f"| {scene} | {named[0]:.2f} | {named[1]:.2f} | {any_[0]:.2f} | {any_[1]:.2f} |", flush=True)


def width(pool, runs):
    print(f"| width of the band over cross-fitting's, {runs} runs | groups | of the same groups | each of its own |")
    print("|---|---|---|---|")
    for scene, n in (("four boxes", 2_000), ("four boxes", 20_000), ("XOR", 5_000), ("smooth", 10_000)):
        for k in (3, 5):
            same, own = means(pool, widths, [(scene, n, "2", k, seed) for seed in range(runs)])
            print(f"| {scene}, N = {n:,} | {k} | {same:.2f} | {own:.2f} |", flush=True)


def timing(_, __):
    print("| one audit, seconds of CPU | band | cross-fitting | wanted | met |\n|---|---|---|---|---|")
    for columns, n, wanted in (("2", 16_724, 2.0), ("3", 16_724, 3.0), ("2", 1_000_000, 5.0)):
        table, _ = people("four boxes", n, 0, columns)
        spent = []
        for way in ("band", "crossfit"):
            begin = time.process_time()
            fg.audit(table, sensitive=COLUMNS[columns], outcome="ok", inference=way)
            spent.append(time.process_time() - begin)
        met = "yes" if spent[0] <= wanted else "no"
        print(
            f"| {columns} attributes, {n:,} rows | {spent[0]:.1f} | {spent[1]:.1f} | {wanted:g} | {met} |", flush=True
        )


PARTS = {part.__name__: part for part in (timing, alarms, coverage, power, width)}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--runs", type=int, default=100)
    arguments.add_argument("parts", nargs="*", default=list(PARTS))
    asked = arguments.parse_args()
    with ProcessPoolExecutor(2) as pool:
        for name in asked.parts:
            PARTS[name](pool, asked.runs)
            print()


if __name__ == "__main__":
    main()
