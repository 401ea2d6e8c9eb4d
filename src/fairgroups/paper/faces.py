"""The paper's faces: Tables 2 to 5 and their figures, from tables with skin tone and scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.audits.audit import audit_of_one
from fairgroups.audits.transfer import transfer
from fairgroups.charts.checks import amplification_chart
from fairgroups.charts.line import rate_chart
from fairgroups.charts.plane import side_by_side
from fairgroups.errors import InputError
from fairgroups.grouping.fair_groups import FairGroups
from fairgroups.grouping.fair_kmeans import FairKMeans
from fairgroups.grouping.fixed_groups import FixedGroups
from fairgroups.paper.parts import Figure, Part, Table, number
from fairgroups.partition.partition import Partition
from fairgroups.repair.score_repair import ScoreRepair
from fairgroups.repair.tradeoff import tradeoff
from fairgroups.rows.column_values import numbers
from fairgroups.skin.scales import ITA_CLASSES, LIGHTNESS, LIGHTNESS_AND_HUE
from fairgroups.sources.frames import read_table

__all__ = ["FaceColumns", "face_parts"]

Data = dict[str, NDArray[Any]]
DECISION = "predicted"
# Var Φ on the first set; of the same groups on the second; of the second's own groups; Rand index of the two.
PAPER_ITA = {
    "Fitzpatrick": (0.078, 0.079, 0.079, 1.0),
    "K-Means": (0.089, 0.087, 0.088, 0.869),
    "FairGroups": (0.092, 0.09, 0.093, 0.921),
}
PAPER_PLANE = {"Default": (0.054, 0.082, 0.082, 1.0), "FairGroups": (0.084, 0.102, 0.105, 0.883)}
PAPER_TWO = {
    "L ≤ 60": (0.045, 0.071, 0.071, 1.0),
    "K-Means": (0.067, 0.084, 0.084, 0.938),
    "FairGroups": (0.079, 0.097, 0.101, 0.945),
}
# Accuracy, PR-AUC, HGR of scores and ITA.
PAPER_REPAIR = {
    "No repair": (0.793, 0.824, 0.126),
    "Fitzpatrick": (0.782, 0.815, 0.095),
    "K-Means": (0.783, 0.813, 0.065),
    "FairGroups": (0.781, 0.811, 0.039),
}


@dataclass(frozen=True)
class FaceColumns:
    """What the columns are called: tone, score, the true label and the folds (in the first table only)."""

    lightness: str = "L"
    hue: str = "hue"
    ita: str = "ita"
    score: str = "score"
    truth: str = "attractive"
    fold: str = "fold"


def face_parts(table: Any, second_table: Any, columns: FaceColumns | None) -> Iterator[Part]:
    """Return Tables 2 to 5, each with its figures."""
    columns = columns or FaceColumns()
    first = _read(table, columns, truth=True)
    second = None if second_table is None else _read(second_table, columns, truth=False)
    yield _about(first, second)
    ita = {
        "Fitzpatrick": FixedGroups(ITA_CLASSES),
        "K-Means": FairKMeans(6),
        "FairGroups": FairGroups(6),
    }
    yield _partitions("Table 2: six groups of ITA", "ita", ita, PAPER_ITA, first, second)
    plane = {"Default": LIGHTNESS_AND_HUE, "FairGroups": FairGroups(4)}
    yield _plane("Table 3: four groups of lightness and hue", plane, first, second)
    yield _amplification(first)
    yield _repair(first)
    two = {"L ≤ 60": FixedGroups(LIGHTNESS), "K-Means": FairKMeans(2), "FairGroups": FairGroups(2)}
    yield _partitions("Table 5: two groups of lightness", "L", two, PAPER_TWO, first, second)


def _read(table: Any, columns: FaceColumns, *, truth: bool) -> Data:
    """Read the columns under names of our own; rows with a missing number are left out."""
    wanted = {"L": columns.lightness, "hue": columns.hue, "ita": columns.ita, "score": columns.score}
    if truth:
        wanted |= {"truth": columns.truth, "fold": columns.fold}
    held = read_table(table, list(wanted.values())).columns
    data = {name: numbers(held[column], column) for name, column in wanted.items()}
    data["hue"] = (data["hue"] + 180) % 360 - 180  # 350° and −10° are the same
    whole = np.all([np.isfinite(values) for values in data.values()], axis=0)
    data = {name: values[whole] for name, values in data.items()}
    if whole.sum() < 200:
        raise InputError(f"only {int(whole.sum())} rows have tone and score.", "check the columns' names.")
    if data["score"].min() < 0 or data["score"].max() > 1:
        raise InputError(f"{columns.score!r} must be probabilities between 0 and 1.")
    if truth:
        kinds = set(np.unique(data["truth"]).tolist())
        if kinds == {-1.0, 1.0}:  # as CelebA writes it
            data["truth"] = (data["truth"] + 1) / 2
        elif kinds != {0.0, 1.0}:
            raise InputError(
                f"{columns.truth!r} must hold 0 and 1, both of them.", "name the column of the true label."
            )
    data[DECISION] = (data["score"] >= 0.5).astype(np.int64)
    return data


def _about(first: Data, second: Data | None) -> Part:
    n = f"{first['L'].size:,} faces with a true label"
    n += "" if second is None else f", and {second['L'].size:,} others for the transfer"
    text = [
        (
            f"The tables given hold {n}. The paper has 84,602 of CelebA and 26,906 of FFHQ, and a tone that a "
            "proprietary estimator measured: its numbers cannot be met, only its findings. A decision is a score of "
            "at least 0.5."
        ),
        (
            "The paper's Var Φ of Tables 2, 3 and 5 cannot be variances of decisions together with what it says "
            "besides. With two groups Var Φ = π(1 − π) DI², so 0.045 for L ≤ 60 needs rates that differ by 42 points "
            "at least, yet its text finds Φ of both groups close to 0; and a dependence (HGR) of 0.126 allows a "
            "variance of at most 0.25 · 0.126² = 0.004. Standard deviations would fit better. So √Var Φ is given "
            "beside Var Φ."
        ),
    ]
    return Part("Faces", text)


def _compared(
    key: str | list[str],
    found: dict[str, Any],
    own: dict[str, Any],
    paper: dict[str, Any],
    first: Data,
    second: Data | None,
) -> Table:
    rows = []
    for method, partition in found.items():
        on_first = transfer(partition, first, sensitive=key, outcome=DECISION, own=partition).variance
        told = [number(x) for x in paper[method][:3]] + [f"{paper[method][3]:g}"]
        cells = [method, told[0], number(on_first, 4), number(on_first**0.5)]
        if second is None:
            cells += ["–"] * 6
        else:
            moved = transfer(partition, second, sensitive=key, outcome=DECISION, own=own[method])
            cells += [
                told[1],
                number(moved.variance, 4),
                told[2],
                number(moved.own_variance, 4),
                told[3],
                number(moved.rand),
            ]
        rows.append(tuple(cells))
    names = key if isinstance(key, str) else ", ".join(key)
    n = found["FairGroups"].n_groups
    return Table(
        f"Groups of {names}, found on the first set, on both sets; and the second's own groups.",
        (
            *("Groups by", "Var Φ, paper", "Var Φ, here", "√Var Φ, here", "moved to the second: paper", "here"),
            *("second's own: paper", "here", "Rand of both: paper", "here"),
        ),
        rows,
        f"found = FairGroups({n}).fit(first[{key!r}], first['{DECISION}']).partition_\n"
        f"own = FairGroups({n}).fit(second[{key!r}], second['{DECISION}']).partition_\n"
        f"transfer(found, second, sensitive={key!r}, outcome='{DECISION}', own=own)  # variance, own_variance, rand",
    )


def _partitions(
    title: str, key: str, methods: dict[str, Any], paper: dict[str, Any], first: Data, second: Data | None
) -> Part:
    found = {name: _fitted(method, key, first) for name, method in methods.items()}
    own = {} if second is None else {name: _fitted(method, key, second) for name, method in methods.items()}
    figures = []
    for name, partition in found.items():
        judged = audit_of_one(first, sensitive=key, outcome=DECISION, partition=partition, checks=False)
        caption = f"Groups of {key} by {name}, with intervals that hold for every range at once."
        slug = "".join(letter for letter in name.lower() if letter.isalnum())
        figures.append(Figure(f"{key.lower()}-{slug}", caption, rate_chart(judged, width=620, height=230)))
    variances = {n: transfer(p, first, sensitive=key, outcome=DECISION, own=p).variance for n, p in found.items()}
    order = sorted(variances, key=lambda name: -variances[name])
    pieces = [name for name, partition in found.items() if not partition.connected]
    said = (
        f"Largest Var Φ first: {', '.join(order)}. Of groups that are one segment each, FairGroups is the optimum here."
    )
    if pieces:
        said += f" Groups of {', '.join(pieces)} lie in pieces."
    text = [said]
    return Part(title, text, [_compared(key, found, own, paper, first, second)], figures)


def _fitted(method: Any, key: str, data: Data) -> Partition:
    from sklearn.base import clone

    groups: Partition = clone(method).fit(data[key], data[DECISION]).partition_
    return replace(groups, columns=(key,))


def _plane(title: str, methods: dict[str, Any], first: Data, second: Data | None) -> Part:
    keys = ["L", "hue"]

    def fitted(method: Any, data: Data) -> Partition:
        if isinstance(method, Partition):
            return method
        judged = audit_of_one(data, sensitive=keys, outcome=DECISION, n_groups=method.n_groups, checks=False)
        return judged.partition

    found = {name: fitted(method, first) for name, method in methods.items()}
    own = {} if second is None else {name: fitted(method, second) for name, method in methods.items()}
    judged = [audit_of_one(first, sensitive=keys, outcome=DECISION, partition=p, checks=False) for p in found.values()]
    chart = side_by_side(judged[0], judged[1], titles=("Default", "FairGroups"))
    figure = Figure("plane", "Default groups and FairGroups in the plane, and Φ of each with its interval.", chart)
    return Part(title, [], [_compared(keys, found, own, PAPER_PLANE, first, second)], [figure])


def _amplification(first: Data) -> Part:
    by_label = FairGroups().fit(first["L"], first["truth"].astype(np.int64))
    partition = replace(by_label.partition_, columns=("L",))
    table = {"L": first["L"], "label": first["truth"].astype(np.int64), "model": first[DECISION]}
    judged = audit_of_one(table, sensitive="L", outcome="model", truth="label", partition=partition)
    if judged.checks.amplification is None:
        said = "Along L the label shows one group only: there are no groups to compare the model with the label in."
        return Part("Where the model amplifies the label's bias", [said])
    rows = [
        (
            r.label,
            *(number(100 * x, 1) for x in (r.base_phi, r.model_phi, r.difference)),
            f"{number(100 * r.low, 1)} to {number(100 * r.high, 1)}",
            r.effect,
        )
        for r in judged.checks.amplification.records
    ]
    table_ = Table(
        "Φ of label and model in groups found with the label, in points.",
        ("Group", "Label", "Model", "Model − label", "Interval", "Effect"),
        rows,
        "groups = FairGroups().fit(L, label).partition_\n"
        "audit(first, sensitive='L', outcome='model', truth='label', partition=groups).checks.amplification",
    )
    figure = Figure("amplification", "Rates and Φ of label and model along L.", amplification_chart(judged))
    text = [
        (
            "The paper finds bias significantly amplified for the darkest skin (L under 43). Here intervals are "
            "paired, person by person, and hold for all groups at once; what they do not show is called “not enough "
            "evidence”."
        )
    ]
    return Part("Where the model amplifies the label's bias", text, [table_], [figure])


def _repair(first: Data) -> Part:
    methods = {
        "Fitzpatrick": ITA_CLASSES,
        "K-Means": FairKMeans(6),
        "FairGroups": FairGroups(6),
        "Exact ITA": ScoreRepair(),
    }
    table = {**first, "fold": first["fold"].astype(np.int64), "truth": first["truth"].astype(np.int64)}
    found = tradeoff(
        table,
        score="score",
        sensitive="ita",
        truth="truth",
        fold="fold",
        methods=methods,
        max_gap=0.0,
        kde=True,
    )
    rows, told = [], []
    before = found.value("accuracy")["value"]
    for name in ("No repair", *methods):
        paper = PAPER_REPAIR.get(name)
        held = {
            measure: found.value(measure) if name == "No repair" else found.value(measure, name, 0.0)
            for measure in ("accuracy", "pr_auc", "hgr_kde", "hgr")
        }
        cells = [name]
        for i, measure in enumerate(("accuracy", "pr_auc", "hgr_kde")):
            cells += ["–" if paper is None else number(paper[i]), number(held[measure]["value"])]
        left = held["hgr_kde"]
        rows.append((*cells, number(left["floor"]), number(held["hgr"]["value"]), number(held["hgr"]["floor"])))
        if name != "No repair":
            above = "about what" if left["low"] <= left["floor"] else "more than"
            above = "no more than" if left["value"] <= left["floor"] else above
            told.append(
                f"{name}: {100 * (before - held['accuracy']['value']):.1f} points of accuracy, dependence left "
                f"{left['value']:.3f} ({left['low']:.3f} to {left['high']:.3f}), {above} chance shows"
            )
    table_ = Table(
        "Repair by groups of ITA, full parity asked for; groups and maps learnt on four folds, judged on the fifth.",
        (
            *("Groups by", "Accuracy, paper", "here", "PR-AUC, paper", "here"),
            *("HGR, paper", "HGR by density estimate, here", "by chance", "HGR, here", "by chance"),
        ),
        rows,
        "tradeoff(first, score='score', sensitive='ita', truth='truth', fold='fold', max_gap=0.0,\n"
        "         kde=True, methods={'Fitzpatrick': ITA_CLASSES, 'K-Means': FairKMeans(6),\n"
        "                  'FairGroups': FairGroups(6), 'Exact ITA': ScoreRepair()})",
    )
    figure = Figure(
        "distributions",
        "Each group's distribution of scores before (solid) and after (dashed) the repair by FairGroups.",
        found.distribution_chart("FairGroups", 0.0),
    )
    text = [
        f"What repair costs and leaves here, by the density estimate that the paper uses: {'; '.join(told)}.",
        (
            "The levels differ from the paper's with the tone's estimator, the sample, and the estimator of HGR: "
            "ours takes off what noise adds."
        ),
    ]
    return Part("Table 4: repair by groups of ITA", text, [table_], [figure])
