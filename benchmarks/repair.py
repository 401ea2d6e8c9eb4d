"""Fair scores against fairlearn's ThresholdOptimizer, equipy and a linear programme: same data, same gap, one run.

    python benchmarks/repair.py [--splits 8]

Accuracy and gap are on held-out rows at the threshold .5, differences in accuracy paired by split.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, csr_matrix, hstack, vstack
from sklearn.base import BaseEstimator
from timing import best_time

from fairgroups import Partition, ScoreRepair

EDGES = [20.0, 40.0, 60.0, 80.0]
GROUPS = Partition.from_edges(EDGES, name="tone")
N = 25_000


def draw(seed: int):
    """Calibrated scores that depend on the attribute: 25 000 rows to fit on, as many to judge."""
    rng = np.random.default_rng(seed)
    tone = rng.uniform(0, 100, 2 * N)
    score = 1 / (1 + np.exp(-rng.normal((tone - 45) / 40, 0.9)))
    label = (rng.random(2 * N) < score).astype(int)
    return tone, score, label


def spread(decision, codes):
    rates = [decision[codes == k].mean() for k in range(len(EDGES) + 1)]
    return max(rates) - min(rates)


def ours(cost):
    def fit(score, _, tone, gap):
        repair = ScoreRepair(GROUPS, max_gap=gap, cost=cost, judge=False).fit(score, sensitive=tone)
        return lambda s, t, _: repair.transform(s, sensitive=t) >= 0.5

    return fit


class Given(BaseEstimator):
    """A classifier that gives the scores it is given."""

    def fit(self, *_):
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])

    def __sklearn_is_fitted__(self):
        return True


def fairlearn(score, label, tone, gap):
    from fairlearn.postprocessing import ThresholdOptimizer
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Model(ClassifierMixin, Given, BaseEstimator):
        pass

    model = ThresholdOptimizer(
        estimator=Model().fit(),
        constraints="demographic_parity",
        objective="accuracy_score",
        prefit=True,
        predict_method="predict_proba",
        **({"tol": gap} if gap else {}),
    )
    model.fit(score[:, None], label, sensitive_features=GROUPS.assign(tone))
    return lambda s, t, seed: model.predict(s[:, None], sensitive_features=GROUPS.assign(t), random_state=seed) == 1


def equipy(score, _, tone, __):
    from equipy.fairness import FairWasserstein

    model = FairWasserstein()
    model.fit(score, GROUPS.assign(tone)[:, None])
    return lambda s, t, _: np.asarray(model.transform(s, GROUPS.assign(t)[:, None])).ravel() >= 0.5


def programme(score, _, tone, gap):
    """Choose for each person the chance of a yes: the most right for calibrated scores, groups at most the gap apart.

    The optimum takes the highest scores of each group; new people are judged by the group's lowest score taken.
    """
    codes, k = GROUPS.assign(tone), len(EDGES) + 1
    n = score.size
    rate = coo_matrix((1 / np.bincount(codes)[codes], (codes, np.arange(n))), (k, n)).tocsr()
    one = csr_matrix(-np.ones((k, 1)))
    found = linprog(
        np.concatenate([1 - 2 * score, [0.0]]),
        A_ub=vstack([hstack([rate, one]), hstack([-rate, -one])]),  # c ≤ rate ≤ c + gap
        b_ub=np.concatenate([np.full(k, gap), np.zeros(k)]),
        bounds=(0, 1),
        method="highs",
    )
    taken = np.bincount(codes, found.x[:n]) / np.bincount(codes)
    border = np.array([np.quantile(score[codes == j], 1 - taken[j]) for j in range(k)])
    return lambda s, t, _: s >= border[GROUPS.assign(t)]


METHODS = {
    "fairgroups W2": ours("w2"),
    "fairgroups W1": ours("w1"),
    "fairlearn ThresholdOptimizer": fairlearn,
    "equipy": equipy,
    "linear programme (HiGHS)": programme,
}


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--splits", type=int, default=6)
    splits = arguments.parse_args().splits
    warnings.simplefilter("ignore")
    for gap in (0.0, 0.05):
        table = {name: [] for name in METHODS}
        for seed in range(splits):
            tone, score, label = draw(seed)
            fit, rest = slice(0, N), slice(N, None)
            codes, raw = GROUPS.assign(tone[rest]), score[rest] >= 0.5
            for name, method in METHODS.items():
                if name == "equipy" and gap:  # its ε is a share of the way, not a gap
                    continue
                start = time.perf_counter()
                decide = method(score[fit], label[fit], tone[fit], gap)
                taken = time.perf_counter() - start
                decision = decide(score[rest], tone[rest], seed)
                table[name].append(
                    ((decision == label[rest]).mean(), spread(decision, codes), (decision != raw).mean(), taken)
                )
        before = [draw(seed) for seed in range(splits)]
        plain = np.mean([np.mean((s[N:] >= 0.5) == y[N:]) for _, s, y in before])
        gaps = np.mean([spread(s[N:] >= 0.5, GROUPS.assign(t[N:])) for t, s, _ in before])
        print(f"\nLargest gap allowed {gap:g}; no repair: accuracy {plain:.4f}, gap {gaps:.3f}; {splits} splits\n")
        print("| | accuracy | W2 ahead by (paired, ± 2 SE) | gap held out | decisions changed | fit, seconds | ratio |")
        print("|---|---|---|---|---|---|---|")
        ours_first = np.array(table["fairgroups W2"])
        for name, rows in table.items():
            if not rows:
                continue
            values = np.array(rows)
            ahead = ours_first[:, 0] - values[:, 0]
            error = 2 * ahead.std(ddof=1) / np.sqrt(splits)
            taken = values[:, 3].min()
            print(
                f"| {name} | {values[:, 0].mean():.4f} | {ahead.mean():+.4f} ± {error:.4f} "
                f"| {values[:, 1].mean():.4f} | {values[:, 2].mean():.4f} "
                f"| {taken:.3f} | {taken / ours_first[:, 3].min():.1f} × |"
            )
    rng = np.random.default_rng(0)
    tone = rng.uniform(0, 20, 1_000_000)
    score = np.clip(rng.normal(0.3 + tone / 60, 0.1), 0, 1)
    repair = ScoreRepair(list(range(1, 20)), max_gap=0.02, judge=False)
    fit = best_time(lambda: repair.fit(score, sensitive=tone), 3)
    transform = best_time(lambda: repair.transform(score, sensitive=tone), 3)
    print(f"\n1 000 000 rows, 20 groups: fit {fit:.2f} s, transform {transform:.2f} s")


if __name__ == "__main__":
    main()
