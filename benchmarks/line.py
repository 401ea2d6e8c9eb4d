"""How fast is the exact search on the line? Ratios against peers, in one run.

    python benchmarks/line.py [--full]

--full runs the paper's enumeration over all 3.8 million partitions (minutes); otherwise one in forty is timed.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tracemalloc
from math import comb
from pathlib import Path

import numpy as np
from timing import best_time, standing

from fairgroups import Cells, FairGroups, make_synthetic
from fairgroups._kernels import best_segments
from fairgroups.evidence.band_width import CACHE, from_table, simulated
from fairgroups.paper.algorithms import psi_of_ranges

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from oracles import segments

N_GROUPS, N_CELLS = 5, 100


def row(name: str, ours: float, theirs: float, wanted: str, passed: bool) -> None:
    times = f"{ours * 1e3:.3g} ms | {theirs * 1e3:.4g} ms | {theirs / ours:.3g} × ({standing(theirs / ours)})"
    print(f"| {name} | {times} | {wanted} | {'yes' if passed else 'NO'} |", flush=True)


def enumeration_as_in_the_paper(psi, share, cuts) -> float:
    best = -1.0
    m = len(psi)
    for cut in cuts:
        parts = segments(cut, m)
        mean = sum(share[i, j - 1] * psi[i, j - 1] for i, j in parts)
        value = sum(share[i, j - 1] * (psi[i, j - 1] - mean) ** 2 for i, j in parts)
        best = max(best, value)
    return best


def enumeration_with_numpy(psi, share) -> float:
    """All partitions at once: four cuts as four columns, in blocks by the first two."""
    m = len(psi)
    gain = share * psi**2
    best = -1.0
    for i in range(1, m - 3):
        for j in range(i + 1, m - 2):
            head = gain[0, i - 1] + gain[i, j - 1]
            k = np.arange(j + 1, m - 1)
            third = gain[j, k - 1]
            fourth = gain[k[:, None], np.arange(m)[None, :]]
            last = np.concatenate([gain[1:, m - 1], [-np.inf]])
            tail = np.where(np.arange(m)[None, :] >= k[:, None], fourth + last[None, :], -np.inf)
            best = max(best, head + np.max(third[:, None] + tail))
    return best


def small(full: bool) -> None:
    data = make_synthetic(50_000)
    x, y = data.sensitive, data.outcome.astype(float)
    grid = np.linspace(x.min(), x.max(), N_CELLS + 1)
    psi, share = psi_of_ranges(y, x, grid)
    cells = Cells.from_arrays(x, y, edges=grid[:-1])["statistical_parity"]
    rows = np.ones(N_CELLS)
    search = best_time(lambda: best_segments(cells.a, cells.b, rows, N_GROUPS, 1.0, 0.0), 50)
    every = comb(N_CELLS - 1, N_GROUPS - 1)
    share_run = 1 if full else 40
    cuts = itertools.islice(itertools.combinations(range(1, N_CELLS), N_GROUPS - 1), every // share_run)
    paper = best_time(lambda: enumeration_as_in_the_paper(psi, share, cuts), 1) * share_run
    numpy = best_time(lambda: enumeration_with_numpy(psi, share), 1)
    fit = best_time(lambda: FairGroups(N_GROUPS, min_group_size=1).fit(x, y))
    row("M = 100, K = 5: search against the paper's enumeration", search, paper, "≥ 10 000 ×", paper / search >= 1e4)
    row("M = 100, K = 5: search against enumeration with NumPy", search, numpy, "≥ 100 ×", numpy / search >= 100)
    row("all 50 000 rows, no grid, everything included", fit, paper, "≥ 1 000 ×", paper / fit >= 1e3)


def large() -> None:
    from sklearn.tree import DecisionTreeRegressor

    data = make_synthetic(1_000_000)
    x, y = data.sensitive, data.outcome.astype(float)
    sort = best_time(lambda: np.argsort(x), 7)
    fit = best_time(lambda: FairGroups(N_GROUPS, min_group_size=1).fit(x, y), 7)
    tree = best_time(lambda: DecisionTreeRegressor(max_leaf_nodes=5).fit(x.reshape(-1, 1), y), 2)
    row("1 000 000 distinct values: fit against np.argsort", fit, sort, "at most 8 × its time", fit <= 8 * sort)
    row("1 000 000 distinct values: fit against a greedy tree", fit, tree, "faster", fit < tree)
    try:
        from skchange.detectors import FPOP
    except ImportError:
        print("| skchange is not installed: `make bench` installs it | | | | | |")
        return
    ordered = y[np.argsort(x)].reshape(-1, 1)
    FPOP(penalty=20.0).fit(ordered[:1000]).predict(ordered[:1000])  # compiles
    fpop = best_time(lambda: FPOP(penalty=20.0).fit(ordered).predict(ordered), 5)
    row("the same against FPOP of sorted rows, one penalty", fit, fpop, "at most 2 × its time", fit <= 2 * fpop)


def growth() -> None:
    times = []
    for n in (100_000, 1_000_000, 10_000_000):
        data = make_synthetic(n)
        times.append(
            best_time(lambda data=data: FairGroups(N_GROUPS, min_group_size=1).fit(data.sensitive, data.outcome), 2) / n
        )
    said = ", ".join(f"{t * 1e9:.0f} ns" for t in times)
    print(
        f"| time a row at 10⁵, 10⁶, 10⁷ rows: {said} | | | {times[2] / times[0]:.2f} | at most 3 | "
        f"{'yes' if times[2] <= 3 * times[0] else 'NO'} |"
    )
    data = make_synthetic(1_000_000)
    tracemalloc.start()
    FairGroups(N_GROUPS, min_group_size=1).fit(data.sensitive, data.outcome)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    print(f"| Python memory at its peak, 10⁶ rows (no M × M matrix: that would be 8 TB) | {peak:.0f} MB | | | | yes |")


def band() -> None:
    CACHE.clear()
    sizes = np.full(1000, 20)
    simulate = best_time(lambda: simulated(sizes, 0.3, 0.95), 1)
    table = best_time(lambda: from_table(20_000, 0.3, 0.95))
    print(f"| band: 2 000 draws on 1 000 cells | {simulate:.2f} s | | | ≤ 15 s | {'yes' if simulate <= 15 else 'NO'} |")
    print(f"| band: from the table | {table * 1e3:.2f} ms | | | milliseconds | yes |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    print("| what | ours | theirs | theirs / ours | wanted | met |")
    print("|---|---|---|---|---|---|")
    small(options.full)
    large()
    growth()
    band()


if __name__ == "__main__":
    main()
