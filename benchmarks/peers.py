"""What peers find and how long they take, on the same data in one run: groups of one attribute, K-Means, dependence.

python benchmarks/peers.py
"""

from __future__ import annotations

import warnings

import numpy as np
from timing import best_time, standing

from fairgroups import FairGroups, FairKMeans, hgr, make_synthetic

N, N_GROUPS, CELLS = 50_000, 5, 200


def variance(groups, y) -> float:
    codes = np.unique(groups, return_inverse=True)[1]
    return float(np.var((np.bincount(codes, y) / np.bincount(codes))[codes]))


def said(name: str, taken: float, found: float, ours: tuple[float, float], note: str = "") -> None:
    ratio = "" if name.startswith("fairgroups") else f"{taken / ours[0]:.2g} × ({standing(taken / ours[0])})"
    share = 100 * found / ours[1]
    print(f"| {name} | {1000 * taken:.3g} ms | {ratio} | {found:.5f} | {share:.2f} % | {note} |", flush=True)


def line() -> None:
    """Five groups of one attribute."""
    from sklearn.tree import DecisionTreeClassifier

    data = make_synthetic(N, "clipped")
    x, y = data.sensitive, data.outcome
    print(f"Groups of one attribute: {N:,} people, {N_GROUPS} groups, all distinct values.\n")
    print("| by | time | over our time | Var Φ | of ours | |")
    print("|---|---|---|---|---|---|")
    ours = (
        best_time(lambda: FairGroups(N_GROUPS, min_group_size=1).fit(x, y)),
        variance(FairGroups(N_GROUPS, min_group_size=1).fit(x, y).predict(x), y),
    )
    said("fairgroups, exact", *ours, ours, "proven optimum")
    tree = DecisionTreeClassifier(max_leaf_nodes=N_GROUPS, random_state=0)
    found = tree.fit(x.reshape(-1, 1), y).apply(x.reshape(-1, 1))
    taken = best_time(lambda: tree.fit(x.reshape(-1, 1), y), 3)
    said("scikit-learn, greedy tree", taken, variance(found, y), ours)
    changes(x, y, ours)
    binning(x, y, ours)


def cells_of(x, y):
    edges = np.quantile(x, np.arange(1, CELLS) / CELLS)
    code = np.searchsorted(edges, x, side="right")
    people = np.bincount(code, minlength=CELLS)
    return code, people, np.bincount(code, y, minlength=CELLS) / np.maximum(people, 1)


def changes(x, y, ours) -> None:
    try:
        import ruptures
    except ImportError:
        print("| ruptures is not installed | | | | | |")
        return
    code, _, rates = cells_of(x, y)
    for name, search in (
        ("ruptures, dynamic programme", lambda: ruptures.Dynp(model="l2", jump=1, min_size=1)),
        ("ruptures, greedy (binary segmentation)", lambda: ruptures.Binseg(model="l2", jump=1, min_size=1)),
    ):
        cuts = search().fit(rates).predict(N_GROUPS - 1)
        taken = best_time(lambda search=search: search().fit(rates).predict(N_GROUPS - 1), 1)
        said(f"{name}, {CELLS} cells", taken, variance(np.searchsorted(cuts[:-1], code, side="right"), y), ours)
    grid = best_time(lambda: FairGroups(N_GROUPS, n_cells=CELLS, min_group_size=1).fit(x, y))
    found = variance(FairGroups(N_GROUPS, n_cells=CELLS, min_group_size=1).fit(x, y).predict(x), y)
    said(f"fairgroups, the same {CELLS} cells", grid, found, ours)


def binning(x, y, ours) -> None:
    try:
        from optbinning import OptimalBinning
    except ImportError:
        print("| optbinning is not installed | | | | | |")
        return

    def fit():
        return OptimalBinning(max_n_bins=N_GROUPS, min_n_bins=N_GROUPS, max_n_prebins=50, min_prebin_size=0.005).fit(
            x, y
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        taken = best_time(fit, 2)
        splits = fit().splits
    found = variance(np.searchsorted(splits, x, side="right"), y)
    said("optbinning, 50 bins beforehand", taken, found, ours, "another aim: information value")


def kmeans() -> None:
    """Exact K-Means of rates, which the paper's K-Means is an approximation of."""
    data = make_synthetic(1_000_000, "clipped")
    _, _, rates = cells_of(data.sensitive, data.outcome)
    rates = np.sort(np.repeat(rates, 100) + np.random.default_rng(1).normal(0, 0.01, 100 * CELLS))
    cell = np.arange(rates.size, dtype=float)
    outcome = rates - rates.min()
    fitted = FairKMeans(N_GROUPS, n_cells=None).fit(cell, outcome)
    codes = fitted.predict(cell)
    print(f"\nK-Means of {rates.size:,} rates, {N_GROUPS} groups: squares within groups.\n")
    print("| by | time | over our time | squares | of ours |")
    print("|---|---|---|---|---|")

    def squares(groups) -> float:
        return float(sum(np.sum((outcome[groups == k] - outcome[groups == k].mean()) ** 2) for k in np.unique(groups)))

    ours = best_time(lambda: FairKMeans(N_GROUPS, n_cells=None).fit(cell, outcome), 3)
    rows = [("fairgroups, exact (with all of an estimator's checks)", ours, squares(codes))]
    try:
        import ckwrap

        found = ckwrap.ckmeans(outcome, N_GROUPS).labels
        rows.append(("ckwrap, exact", best_time(lambda: ckwrap.ckmeans(outcome, N_GROUPS), 3), squares(found)))
    except ImportError:
        print("| ckwrap is not installed | | | | |")
    try:
        import kmeans1d

        found = np.array(kmeans1d.cluster(outcome, N_GROUPS).clusters)
        rows.append(("kmeans1d, exact", best_time(lambda: kmeans1d.cluster(outcome, N_GROUPS), 3), squares(found)))
    except ImportError:
        print("| kmeans1d is not installed | | | | |")
    from sklearn.cluster import KMeans

    model = KMeans(N_GROUPS, n_init=10, random_state=0)
    taken = best_time(lambda: model.fit(outcome.reshape(-1, 1)), 2)
    rows.append(("scikit-learn, 10 random starts", taken, squares(model.labels_)))
    for name, taken, value in rows:
        ratio = "" if taken == ours else f"{taken / ours:.2g} × ({standing(taken / ours)})"
        share = 100 * value / rows[0][2]
        print(f"| {name} | {1000 * taken:.3g} ms | {ratio} | {value:.6f} | {share:.3f} % |", flush=True)


def dependence() -> None:
    """HGR where the truth is known: a normal pair has |ρ|, an unrelated pair 0, a circle's x² and y² 1."""
    rng = np.random.default_rng(0)
    n = 5000
    z = rng.normal(size=(2, n))
    angle = rng.uniform(0, 2 * np.pi, n)
    cases = {
        "normal, ρ = 0.5 (truth 0.5)": (z[0], 0.5 * z[0] + np.sqrt(0.75) * z[1]),
        "unrelated (truth 0)": (z[0], z[1]),
        "parabola with noise": (z[0], z[0] ** 2 + 0.5 * z[1]),
        "points of a circle (truth 1)": (np.cos(angle), np.sin(angle)),
    }
    print(f"\nDependence (HGR) of {n:,} people.\n")
    print("| data | fairgroups | by density estimate | maxcorr, kernels | maxcorr, density | times |")
    print("|---|---|---|---|---|---|")
    for name, (a, b) in cases.items():
        ways = {
            "ours": lambda a=a, b=b: hgr(a, b, n_permutations=0).value,
            "kde": lambda a=a, b=b: hgr(a, b, method="kde", n_permutations=0).value,
        }
        try:
            import maxcorr

            ways["kernels"] = lambda a=a, b=b: maxcorr.indicator("hgr", "dk", "numpy").compute(a, b)
            ways["density"] = lambda a=a, b=b: maxcorr.indicator("hgr", "kde", "numpy").compute(a, b)
        except ImportError:
            pass
        cells, times = [], []
        for way in ("ours", "kde", "kernels", "density"):
            if way not in ways:
                cells.append("not installed")
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    cells.append(f"{float(ways[way]()):.3f}")
                    times.append(f"{1000 * best_time(ways[way], 1):.0f}")
            except Exception as error:  # noqa: BLE001  a peer that fails is a result
                cells.append(type(error).__name__)
        print(f"| {name} | {' | '.join(cells)} | {', '.join(times)} ms |", flush=True)


if __name__ == "__main__":
    line()
    kmeans()
    dependence()
