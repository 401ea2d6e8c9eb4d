"""How fast is the exact search in the plane and in space, and what do peers find? Ratios in one run.

python benchmarks/plane.py
"""

from __future__ import annotations

import resource
import warnings

import numpy as np
from timing import best_time

from fairgroups import FairGroups
from fairgroups._kernels import best_boxes

ROWS = 50_000


def quiet(_: float) -> None:
    pass


def met(passed: bool) -> str:
    return "yes" if passed else "NO"


def grids() -> None:
    """The search alone, on grids of random rates: the hardest case, with nothing to prune."""
    rng = np.random.default_rng(0)
    for shape, n_groups, limit in (
        ((100, 100), 4, 0.1),
        ((100, 100), 5, 2.0),
        ((64, 64), 8, 2.0),
        ((100, 100), 8, 20.0),
        ((32, 32, 32), 4, 2.0),
    ):
        n = int(np.prod(shape))
        arguments = (rng.random(n), np.ones(n), np.ones(n), [(m, False) for m in shape], n_groups, 1.0, 0.0, 0, quiet)
        time = best_time(lambda arguments=arguments: best_boxes(*arguments), 2)
        said = " × ".join(map(str, shape))
        print(f"| {said} cells, K = {n_groups} | {time:.3f} s | ≤ {limit} s | {met(time <= limit)} |", flush=True)


def data():
    rng = np.random.default_rng(1)
    X = rng.random((ROWS, 2))
    x, y = X.T
    rate = np.select([(x < 0.3) & (y < 0.6), x < 0.3, y < 0.3], [0.2, 0.6, 0.8], 0.4)
    return X, (rng.random(ROWS) < rate).astype(float)


def variance_of(groups: np.ndarray, y: np.ndarray) -> float:
    codes = np.unique(groups, return_inverse=True)[1]
    return float(np.var((np.bincount(codes, y) / np.bincount(codes))[codes]))


def peers() -> None:
    X, y = data()
    ours = FairGroups(4, min_group_size=1).fit(X, y)
    time = best_time(lambda: FairGroups(4, min_group_size=1).fit(X, y), 2)
    print(f"| FairGroups, 4 boxes, everything included | {time:.2f} s | Var Φ {ours.variance_:.5f} | |")
    try:
        from pystreed import STreeDRegressor

        model = STreeDRegressor(max_depth=2, cost_complexity=0.0, n_thresholds=100, max_num_binary_features=200)
        theirs = best_time(lambda: model.fit(X, y), 1)
        found = variance_of(model.predict(X), y)
        passed = theirs >= 20 * time and ours.variance_ >= found
        print(
            f"| pystreed, depth 2, 100 thresholds | {theirs:.2f} s | Var Φ {found:.5f}, {theirs / time:.0f} × ours | "
            f"{met(passed)}: ≥ 20 × |",
            flush=True,
        )
    except ImportError:
        print("| pystreed is not installed | | | |")
    try:
        from optbinning import OptimalBinning2D

        model = OptimalBinning2D(
            max_n_prebins_x=10, max_n_prebins_y=10, min_prebin_size_x=0.01, min_prebin_size_y=0.01, max_n_bins=4
        )
        theirs = best_time(lambda: model.fit(X[:, 0], X[:, 1], y.astype(int)), 1)
        found = variance_of(model.transform(X[:, 0], X[:, 1], metric="indices"), y)
        on_ten = FairGroups(4, n_cells=10, min_group_size=1)
        time = best_time(lambda: on_ten.fit(X, y), 2)
        passed = theirs >= 20 * time and on_ten.variance_ >= found
        print(
            f"| optbinning, 10 × 10 prebins, 4 bins | {theirs:.2f} s | Var Φ {found:.5f}, {theirs / time:.0f} × ours | "
            f"{met(passed)}: ≥ 20 × |",
            flush=True,
        )
    except ImportError:
        print("| optbinning is not installed | | | |")


def main() -> None:
    warnings.simplefilter("ignore")
    print("| what | time | wanted | met |")
    print("|---|---|---|---|")
    grids()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"| largest memory so far | {peak:.2f} GB | < 2 GB | {met(peak < 2)} |\n")
    print("| 50 000 rows, four rectangles | time | quality | met |")
    print("|---|---|---|---|")
    peers()


if __name__ == "__main__":
    main()
