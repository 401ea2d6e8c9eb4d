"""Past the paper: its method on one side of each table, ours on the other."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from fairgroups.audits.audit import audit_of_one
from fairgroups.datasets.synthetic import make_synthetic
from fairgroups.evidence.agreement import rand_index
from fairgroups.grouping.fair_groups import FairGroups
from fairgroups.grouping.fixed_groups import FixedGroups
from fairgroups.paper.parts import Figure, Part, Table, number
from fairgroups.partition.partition import Partition

__all__ = ["beyond_parts"]


def beyond_parts(seed: int, draws: int) -> Iterator[Part]:
    """Return what goes past the paper."""
    yield _grid(seed)
    yield _number_of_groups(seed, min(draws, 20))
    yield _intervals(seed, draws)
    yield _plane(seed)
    yield _smooth(seed)


def _grid(seed: int) -> Part:
    rows = []
    for kind in ("uniform", "clipped"):
        data = make_synthetic(50_000, kind, seed=seed)
        for m in (20, 50, 100, None):
            values = data.sensitive if m is None else np.floor(np.minimum(data.sensitive, 99.999) * m / 100) * 100 / m
            start = time.perf_counter()
            found = FairGroups(5).fit(values, data.outcome)
            taken = time.perf_counter() - start
            assert isinstance(found.partition_, Partition)
            # On the grid a border is the left end of a cell: the same border on the values themselves.
            placed = FixedGroups(list(found.partition_.edges)).fit(data.sensitive, data.outcome)
            rand = rand_index(placed.partition_, data.partition, data.sensitive)
            edges = ", ".join(f"{edge:.4g}" for edge in found.partition_.edges)
            name = "no grid (ours)" if m is None else f"grid of {m} cells (paper's family)"
            rows.append((kind, name, edges, number(placed.variance_, 5), number(rand, 4), f"{1000 * taken:.0f} ms"))
    table = Table(
        "Five groups of 50,000 people; the true borders are 20, 30, 55 and 88.",
        ("L", "Candidates for borders", "Borders found", "Var Φ", "Rand index with the truth", "Time"),
        rows,
        "FairGroups(5).fit(L, Y)  # every distinct value a candidate\nFairGroups(5).fit(floor(L / width) * width, Y)",
    )
    text = ["A grid can only be as good as its nearest lines; a finer one costs the paper's enumeration M⁴ steps."]
    return Part("Grid against no grid", text, [table])


def _number_of_groups(seed: int, draws: int) -> Part:
    rows = []
    for kind, n in (("uniform", 10_000), ("clipped", 10_000), ("none", 10_000)):
        counts: dict[str, Counter[int]] = {"band": Counter(), "cv": Counter(), "bic": Counter()}
        for i in range(draws):
            if kind == "none":
                rng = np.random.default_rng([seed, 11, i])
                sensitive, outcome = rng.uniform(0, 100, n), (rng.random(n) < 0.4).astype(int)
            else:
                data = make_synthetic(n, kind, seed=1000 * seed + i)  # type: ignore[arg-type]
                sensitive, outcome = data.sensitive, data.outcome
            for criterion, counter in counts.items():
                counter[FairGroups(selection=criterion).fit(sensitive, outcome).n_groups_] += 1  # type: ignore[arg-type]
        truth = "1 (no difference)" if kind == "none" else "5"
        rows.append((kind, truth, "given by the user", *(_shares(counter) for counter in counts.values())))
    table = Table(
        f"The number of groups chosen in {draws} draws of 10,000 people: how often each.",
        ("L", "True number", "Paper", "By the band (ours)", "By cross-validation", "By BIC"),
        rows,
        'FairGroups(selection="band").fit(L, Y).n_groups_  # the default; also "cv" and "bic"',
    )
    text = ["The paper leaves the choice of K to future work."]
    return Part("How many groups", text, [table])


def _shares(counter: Counter[int]) -> str:
    return ", ".join(f"{k}: {n}" for k, n in sorted(counter.items()))


def _intervals(seed: int, draws: int) -> Part:
    """Draw data without any difference, and data with one; count what each kind of interval says."""
    alarms = {"plugin": 0, "band": 0}
    missed = dict.fromkeys(alarms, 0)
    groups = dict.fromkeys(alarms, 0)
    for i in range(draws):
        rng = np.random.default_rng([seed, 13, i])
        x = rng.uniform(0, 100, 5000)
        fair = (rng.random(5000) < 0.4).astype(int)
        rate = np.where(x < 30, 0.3, 0.5)
        unfair = (rng.random(5000) < rate).astype(int)
        for how in alarms:
            asked = {"sensitive": "x", "outcome": "y", "n_groups": 5, "inference": how, "checks": False}
            said = audit_of_one({"x": x, "y": fair}, **asked)
            alarms[how] += any(r.low > 0 or r.high < 0 for r in said.records)
            said = audit_of_one({"x": x, "y": unfair}, **asked)
            group = said.partition.assign(x)
            for k, record in enumerate(said.records):
                true = rate[group == k].mean() - rate.mean()
                groups[how] += 1
                missed[how] += not record.low <= true <= record.high
    names = {"plugin": "the paper's: groups taken as given", "band": "the band (ours)"}
    rows = [
        (names[how], f"{100 * alarms[how] / draws:.0f}%", f"{100 * (1 - missed[how] / groups[how]):.1f}%")
        for how in alarms
    ]
    table = Table(
        f"Five groups searched for in 5,000 people, {draws} draws; intervals of 95%.",
        ("Intervals", "False alarms without any difference", "Intervals that hold the truth, where there is one"),
        rows,
        'audit(table, sensitive="x", outcome="y", n_groups=5, inference="plugin")  # or "band", the default',
    )
    text = [
        (
            "Groups that were chosen to look different do look different: intervals that take them as given raise an "
            "alarm nearly every time where nothing is. A false alarm is any group whose interval leaves out 0."
        )
    ]
    return Part("Intervals that do not cry wolf", text, [table])


def _plane(seed: int) -> Part:
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng([seed, 17])
    n = 20_000
    x = rng.uniform(0, 1, (n, 2))
    y = (rng.random(n) < 0.35 + 0.3 * ((x[:, 0] > 0.5) ^ (x[:, 1] > 0.5))).astype(int)
    table = {"first": x[:, 0], "second": x[:, 1], "y": y}
    ours = audit_of_one(table, sensitive=["first", "second"], outcome="y", n_groups=4, checks=False)
    tree = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(x, y).apply(x)
    one = FairGroups(4).fit(x[:, 0], y)

    def variance(groups: Any) -> float:
        rates = [(np.mean(groups == k), y[groups == k].mean()) for k in np.unique(groups)]
        return float(sum(share * (rate - y.mean()) ** 2 for share, rate in rates))

    exact = variance(ours.partition.assign(x))
    rows = [
        ("one attribute, four groups (paper's first family)", number(one.variance_, 5)),
        ("greedy tree of scikit-learn, four leaves", number(variance(tree), 5)),
        ("boxes exact on a grid, borders polished (ours)", number(exact, 5)),
        ("the true groups: a chequerboard of four squares", number(variance(2 * (x[:, 0] > 0.5) + (x[:, 1] > 0.5)), 5)),
    ]
    table_ = Table(
        "Two attributes that matter only together: 20,000 people, four groups.",
        ("Groups by", "Var Φ"),
        rows,
        'audit(table, sensitive=["first", "second"], outcome="y", n_groups=4)',
    )
    from fairgroups.charts.plane import plane_chart

    figure = Figure("chequerboard", "The boxes found.", plane_chart(ours, width=300, height=260))
    text = [
        (
            "The paper searches a grid in two dimensions exhaustively. Here the boxes are exact on a finer grid, and "
            "each border is then moved to the data's best value, one at a time: near the best over all values, not "
            "always at it."
        )
    ]
    return Part("Exact in two dimensions", text, [table_], [figure])


def _smooth(seed: int) -> Part:
    from fairgroups.repair.score_repair import ScoreRepair
    from fairgroups.repair.tradeoff import tradeoff

    rng = np.random.default_rng([seed, 19])
    n = 8000
    x = rng.uniform(0, 100, n)
    merit = rng.normal(0, 1, n)
    score = 1 / (1 + np.exp(-(merit + (x - 50) / 40 + 0.3 * rng.normal(0, 1, n))))
    table = {"x": x, "score": score, "y": (rng.random(n) < 1 / (1 + np.exp(-merit))).astype(int)}
    methods = {
        "six groups, each its own map (paper)": ScoreRepair(FairGroups(6)),
        "groups alike in the whole distribution (ours)": ScoreRepair("groups"),
        "maps that follow the exact attribute (ours)": ScoreRepair(),
    }
    found = tradeoff(table, score="score", sensitive="x", truth="y", methods=methods, max_gap=0.0)
    rows: list[tuple[str, ...]] = [
        ("no repair", number(found.value("accuracy")["value"]), number(found.value("hgr")["value"]), "–", "–")
    ]
    for name in methods:
        held = [found.value(measure, name, 0.0) for measure in ("accuracy", "hgr")]
        jump = _largest_jump(found.repairs[name, 0.0], x)
        rows.append((name, *(number(h["value"]) for h in held), number(held[1]["floor"]), number(jump)))
    table_ = Table(
        "Scores that rise with the attribute, 8,000 people, judged on people left out.",
        ("Repair", "Accuracy", "Dependence left (HGR)", "by chance alone", "Largest jump of a score at a border"),
        rows,
        "tradeoff(table, score='score', sensitive='x', truth='y', methods={'exact': ScoreRepair()})",
    )
    text = [
        (
            "Two people who differ by a hair in the attribute should not differ by a jump in their repaired scores. "
            "Dependence at or below what chance alone shows is none that could be told."
        )
    ]
    return Part("Repair without jumps", text, [table_])


def _largest_jump(repair: Any, values: Any) -> float:
    """Move a person of middling score along the attribute in small steps: the largest change in one of them."""
    steps = np.linspace(values.min(), values.max(), 4001)
    fair = np.asarray(repair.transform(np.full(steps.size, 0.5), sensitive=steps), dtype=np.float64)
    return float(np.abs(np.diff(fair)).max())
