"""What the headline finds: false alarms and power of the whole audit, beside peers that search without groups given.

python benchmarks/headlines.py [RUNS]

`fairaudit` (Cherian and Candès) flags ranges by a bootstrap; AIF360's multi-dimensional subset scan has no test of its
own and gets a permutation test with 19 deals. Both are given the same 30 values. Each data set has 2 000 people at a
rate of 0.3; one stretch of values differs, at a place drawn anew.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout

import numpy as np
from numpy.typing import NDArray

import fairgroups as fg

N, RATE, VALUES, LEVEL = 2000, 0.3, 30, 0.05
CASES = {
    "no effect": None,
    "3 %, +25 points": (0.03, 0.25),
    "10 %, +15": (0.10, 0.15),
    "27 %, +8": (0.27, 0.08),
    "50 %, +6": (0.50, 0.06),
}
WANTED = {"no effect": 0.05, "3 %, +25 points": 0.55, "10 %, +15": 0.70, "27 %, +8": 0.65, "50 %, +6": 0.52}
Array = NDArray[np.float64]
Finder = Callable[[Array, Array, int], bool]


def people(seed: int, effect: tuple[float, float] | None) -> tuple[Array, Array]:
    rng = np.random.default_rng([seed, 0 if effect is None else round(1000 * effect[0])])
    x = rng.integers(0, VALUES, N)
    rate = np.full(N, RATE)
    if effect is not None:
        width = max(1, round(effect[0] * VALUES))
        start = int(rng.integers(0, VALUES - width + 1))
        rate[(x >= start) & (x < start + width)] += effect[1]
    return x.astype(float), (rng.random(N) < rate).astype(float)


def the_audit(x: Array, y: Array, _: int) -> bool:
    found = fg.audit({"x": x, "y": y}, sensitive="x", outcome="y", checks=False)
    return found.verdict in ("different", "depends")


def fairaudit(x: Array, y: Array, seed: int) -> bool:
    from fairaudit.auditor import Auditor
    from fairaudit.groups import get_rectangles
    from fairaudit.metrics import Metric

    groups = get_rectangles(x[:, None])
    groups = groups[:, groups.sum(axis=0) < x.size]
    outcome = y[:, None]
    auditor = Auditor(x[:, None], outcome, outcome, Metric("statistical_parity"))
    auditor.calibrate_groups(
        alpha=LEVEL, type="interval", groups=groups, epsilon=0.0, bootstrap_params={"seed": seed, "B": 300}
    )
    return any(bool(np.any(auditor.query_group(g)[0])) for g in range(groups.shape[1]))


def mdss(x: Array, y: Array, seed: int) -> bool:
    import pandas as pd
    from aif360.detectors.mdss.MDSS import MDSS
    from aif360.detectors.mdss.ScoringFunctions import Bernoulli

    frame = pd.DataFrame({"x": x})
    expected = pd.Series(np.full(x.size, y.mean()))

    def score(outcome: Array) -> float:
        best = 0.0
        for direction in ("positive", "negative"):
            scan = MDSS(Bernoulli(direction=direction))
            best = max(best, scan.scan(frame, expected, pd.Series(outcome), 1e-17, 2, seed=seed)[1])
        return best

    rng = np.random.default_rng(seed)
    seen = score(y)
    deals = [score(rng.permutation(y)) for _ in range(19)]
    return (1 + sum(deal >= seen for deal in deals)) / 20 <= LEVEL


def share(find: Finder, effect: tuple[float, float] | None, runs: int) -> float:
    found = 0
    for seed in range(runs):
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            found += find(*people(seed, effect), seed)
    return found / runs


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    few = max(runs // 20, 5)
    print(f"Share of data sets in which something is found; {runs} runs, peers {few}.\n")
    print(f"| | {' | '.join(CASES)} |")
    print(f"|---|{'---|' * len(CASES)}")
    print(f"| wanted | at most {WANTED['no effect']} | {' | '.join(str(WANTED[c]) for c in list(CASES)[1:])} |")
    for name, find, n in (
        ("fairgroups, the headline", the_audit, runs),
        ("fairaudit", fairaudit, few),
        ("AIF360's MDSS", mdss, few),
    ):
        try:
            cells = [f"{share(find, effect, n):.3f}" for effect in CASES.values()]
        except ImportError as error:
            cells = [f"not installed ({error.name})"] + [""] * (len(CASES) - 1)
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
