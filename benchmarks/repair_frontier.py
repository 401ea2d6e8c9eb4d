"""Accuracy against the spread of decisions along the exact attribute, on people left out, beside the peers; paired.

    python benchmarks/repair_frontier.py [--splits 10] [--data ../shared/data]

Tables: Adult by age, COMPAS by age, communities by the share of Black inhabitants; 60 % to fit on, 40 % to judge;
LightGBM without the attribute. All repairs that need the attribute get the same out-of-fold scores (and the peers'
groups are fifths of it); FairClassifier fits its own five models. "Spread" is the standard deviation of the share of
yes at 0.5 over twenty stretches of the attribute, what noise adds taken off (square by square, so it may be negative).
"Ahead" is the accuracy of fairgroups' own frontier at the peer's spread, split by split, less the peer's.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np

GAPS = (0.0, 0.02, 0.05, 0.1, 0.2)
TABLES = {
    "adult": ("age", "income_over_50k", ()),
    "compas": ("age", "two_year_recid", ("age_cat", "decile_score")),
    "communities": ("racepctblack", "high_crime", ("ViolentCrimesPerPop", "racePctWhite")),
}


def read(folder: Path, name: str):
    """Return features without the attribute, the attribute and the label."""
    import pandas as pd

    attribute, label, dropped = TABLES[name]
    with (folder / f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    frame = pd.DataFrame(rows).drop(columns=list(dropped))
    for column in frame:
        try:
            frame[column] = frame[column].astype(float)
        except ValueError:
            frame[column] = frame[column].astype("category")
    return frame.drop(columns=[attribute, label]), frame[attribute].to_numpy(), frame[label].to_numpy().astype(int)


def model():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=100, num_leaves=15, min_child_samples=20, verbose=-1, n_jobs=1)


def spread(decision, attribute, bins=20):
    """Return the spread of the share of yes along the attribute, noise taken off; its square's sign is kept."""
    _, where = np.unique(attribute, return_inverse=True)
    mass = np.bincount(where)
    place = np.minimum(((np.cumsum(mass) - mass / 2) / mass.sum() * bins).astype(int), bins - 1)
    code = np.unique(place, return_inverse=True)[1][where]
    n, yes = np.bincount(code), np.bincount(code, decision)
    rate = yes / n
    found = np.average((rate - decision.mean()) ** 2, weights=n) - np.average(
        rate * (1 - rate) / np.maximum(n - 1, 1), weights=n
    )
    return float(np.sign(found) * np.sqrt(abs(found)))


class Given:
    """A classifier that gives the scores it is given."""

    _estimator_type = "classifier"

    def fit(self, *_):
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - np.asarray(X)[:, 0], np.asarray(X)[:, 0]])

    def __sklearn_is_fitted__(self):
        return True

    def __sklearn_tags__(self):
        from sklearn.base import BaseEstimator

        return BaseEstimator().__sklearn_tags__()


def fifths(train, test):
    borders = np.unique(np.quantile(train, (0.2, 0.4, 0.6, 0.8)))
    return np.searchsorted(borders, train, side="right"), np.searchsorted(borders, test, side="right")


def plain_kernel(score, attribute, new, at, width=0.03):
    """The map of a person who writes twenty lines: kernel-weighted ranks along the attribute, the mean quantile."""
    order = np.argsort(attribute, kind="stable")
    rank = np.empty(attribute.size)
    rank[order] = (np.arange(attribute.size) + 0.5) / attribute.size
    mean_rank = np.array([rank[attribute == a].mean() for a in np.unique(attribute)])
    values = np.unique(attribute)
    marks = np.unique(np.quantile(score, np.linspace(0, 1, 400)))
    levels = np.empty((values.size, marks.size))
    ordered = np.argsort(score)
    place = np.searchsorted(score[ordered], marks, side="right")
    for i, middle in enumerate(mean_rank):
        weight = np.exp(-0.5 * ((rank[ordered] - middle) / width) ** 2)
        levels[i] = np.concatenate([[0.0], np.cumsum(weight)])[place] / weight.sum()
    share = np.array([np.mean(attribute == a) for a in values])
    u = (np.arange(2000) + 0.5) / 2000
    target = share @ np.array([np.interp(u, row, marks) for row in levels])
    near = np.abs(at[:, None] - values[None, :]).argmin(axis=1)
    level = np.array([np.interp(s, marks, levels[k]) for s, k in zip(new, near, strict=True)])
    return np.interp(level, u, target)


def aware(train, test, seed):
    """Yield the name of each repair that needs the attribute, its fairness parameter, and its decisions."""
    import pandas as pd
    from equipy.fairness import FairWasserstein
    from fairlearn.postprocessing import ThresholdOptimizer
    from sklearn.model_selection import StratifiedKFold

    from fairgroups import FairClassifier, ScoreRepair

    (X, a, y), (V, b) = train, test
    score = np.empty(y.size)
    for fit, rest in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
        score[rest] = model().fit(X.iloc[fit], y[fit]).predict_proba(X.iloc[rest])[:, 1]
    new = model().fit(X, y).predict_proba(V)[:, 1]
    yield "no repair", 1.0, new >= 0.5
    mine, theirs = fifths(a, b)
    chosen = ThresholdOptimizer(
        estimator=Given().fit(), constraints="demographic_parity", objective="accuracy_score", prefit=True,
        predict_method="predict_proba",
    )  # fmt: skip
    chosen.fit(score[:, None], y, sensitive_features=mine)
    yield "ThresholdOptimizer", 0.0, chosen.predict(new[:, None], sensitive_features=theirs, random_state=seed)
    for part in (0.0, 0.25, 0.5):
        wasserstein = FairWasserstein()
        wasserstein.fit(score, pd.DataFrame({"g": mine}))
        fair = wasserstein.transform(new, pd.DataFrame({"g": theirs}), epsilon=part)
        yield "equipy", part, np.asarray(fair) >= 0.5
    yield "plain kernel", 0.0, plain_kernel(score, a, new, b) >= 0.5
    for gap in GAPS:
        repair = ScoreRepair(max_gap=gap).fit(score, sensitive=a)
        yield "ScoreRepair", gap, repair.transform(new, sensitive=b) >= 0.5
        whole = FairClassifier(model(), max_gap=gap, judge=False, random_state=seed).fit(X, y, sensitive=a)
        yield "FairClassifier", gap, whole.predict_proba(V, sensitive=b)[:, 1] >= 0.5


def unaware(train, test, seed):
    """Yield the same of methods that need no attribute at prediction."""
    from fairlearn.reductions import DemographicParity, ExponentiatedGradient

    from fairgroups import FairClassifier

    (X, a, y), (V, b) = train, test
    yield "no repair", 1.0, model().fit(X, y).predict_proba(V)[:, 1] >= 0.5
    mine, _ = fifths(a, b)
    for bound in (0.01, 0.05, 0.1):
        reduced = ExponentiatedGradient(model(), DemographicParity(difference_bound=bound), eps=bound, max_iter=15)
        reduced.fit(X, y, sensitive_features=mine)
        yield "ExponentiatedGradient", bound, reduced.predict(V, random_state=seed)
    for gap in GAPS:
        blind = FairClassifier(model(), max_gap=gap, at_predict="without", judge=False, random_state=seed).fit(
            X, y, sensitive=a
        )
        yield "FairClassifier", gap, blind.predict_proba(V)[:, 1] >= 0.5


def compared(folder: Path, name: str, kind, splits: int, ours: tuple[str, ...]) -> None:
    """Print the frontier of every method on one table."""
    from sklearn.model_selection import train_test_split

    X, a, y = read(folder, name)
    found: dict[tuple[str, float], list[tuple[float, float]]] = {}
    for seed in range(splits):
        fit, rest = train_test_split(np.arange(y.size), test_size=0.4, random_state=seed, stratify=y)
        for method, parameter, decision in kind((X.iloc[fit], a[fit], y[fit]), (X.iloc[rest], a[rest]), seed):
            decided = np.asarray(decision).astype(float)
            found.setdefault((method, parameter), []).append(
                (float(np.mean(decided == y[rest])), spread(decided, a[rest]))
            )
    print(f"\n{name}, {kind.__name__}, {splits} splits\n| method | parameter | accuracy | spread | ahead by |")
    print("|---|---|---|---|---|")
    for (method, parameter), values in found.items():
        pairs = np.array(values)
        error = pairs.std(axis=0, ddof=1) / np.sqrt(splits) if splits > 1 else np.zeros(2)
        ahead = ""
        if method not in (*ours, "no repair"):
            differences = []
            for i in range(splits):
                line = sorted((found[key][i][1], found[key][i][0]) for key in found if key[0] == ours[-1])
                line.append((found["no repair", 1.0][i][1], found["no repair", 1.0][i][0]))
                spreads, kept = (np.array(x) for x in zip(*sorted(line), strict=True))
                kept = np.maximum.accumulate(kept)
                differences.append(np.interp(pairs[i, 1], spreads, kept) - pairs[i, 0])
            ahead = f"{np.mean(differences):+.4f} ± {np.std(differences, ddof=1) / np.sqrt(splits):.4f}"
        print(
            f"| {method} | {parameter:g} | {pairs[:, 0].mean():.4f} ± {error[0]:.4f} "
            f"| {pairs[:, 1].mean():.4f} ± {error[1]:.4f} | {ahead} |",
            flush=True,
        )


def main() -> None:
    """Run all tables that are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--tables", nargs="*", default=list(TABLES))
    parser.add_argument("--kinds", nargs="*", default=["aware", "unaware"])
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in asked.tables:
        if not (asked.data / f"{name}.csv").exists():
            print(f"{name}: no table in {asked.data}, left out.")
            continue
        for kind in (aware, unaware):
            if kind.__name__ in asked.kinds:
                ours = ("ScoreRepair", "FairClassifier") if kind is aware else ("FairClassifier",)
                compared(asked.data, name, kind, asked.splits, ours)


if __name__ == "__main__":
    main()
