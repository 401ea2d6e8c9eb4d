"""`make fuzz`: random instances against brute force written anew, damaged files and documents, for a given time.

python scripts/fuzz.py [--seconds 600] [--seed 0]

Each part has its own way of knowing the right answer: all partitions of few cells, all tilings of a small grid, a
linear programme, the document before it was damaged. What is wrong, crashes, or takes over ten seconds (an audit: over
thirty) is printed with its seed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import fairgroups as fg
from fairgroups import _kernels

SLOW = 10.0


def line(rng: np.random.Generator) -> str | None:
    """Consecutive groups against every way to cut."""
    n = int(rng.integers(2, 10))
    b = rng.integers(1, 6, n).astype(float)
    a = np.array([rng.integers(0, k + 1) for k in b.astype(int)], dtype=float)
    if rng.random() < 0.3:
        a = rng.normal(0, 3, n).round(1)
    rows, least, most = rng.integers(1, 4, n).astype(float), float(rng.integers(0, 5)), int(rng.integers(1, 5))
    found = _kernels.best_segments(a, b, rows, most, least, 0.0)
    centred = a - b * a.sum() / b.sum()
    for k in range(1, most + 1):
        best = -1.0
        for cut in itertools.combinations(range(1, n), k - 1):
            parts = list(zip((0, *cut), (*cut, n), strict=True))
            if all(rows[i:j].sum() >= least for i, j in parts):
                best = max(best, sum(centred[i:j].sum() ** 2 / b[i:j].sum() for i, j in parts))
        if best < 0:
            if len(found) >= k:
                return f"{k} groups found where none are allowed: {a, b, rows, least}"
            continue
        parts = list(zip((0, *found[k - 1]), (*found[k - 1], n), strict=True))
        got = sum(centred[i:j].sum() ** 2 / b[i:j].sum() for i, j in parts)
        if abs(got - best) > 1e-9 * (1 + best):
            return f"{k} groups: {got} for {best}: {a, b, rows, least}"
    return None


def _tilings(box: tuple[int, int, int, int], k: int) -> list[list[tuple[int, int, int, int]]]:
    """Every way to cut a box into k by straight cuts, each through a whole box."""
    if k == 1:
        return [[box]]
    x0, x1, y0, y1 = box
    out = []
    for left in range(1, k):
        halves = [((x0, x, y0, y1), (x, x1, y0, y1)) for x in range(x0 + 1, x1)]
        halves += [((x0, x1, y0, y), (x0, x1, y, y1)) for y in range(y0 + 1, y1)]
        for one, other in halves:
            out += [p + q for p in _tilings(one, left) for q in _tilings(other, k - left)]
    return out


def boxes(rng: np.random.Generator) -> str | None:
    """Boxes of a small grid against every way to cut it."""
    shape = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    b = rng.integers(1, 5, shape).astype(float)
    a = rng.integers(0, 5, shape) * b / 4
    k = int(rng.integers(1, min(4, b.size) + 1))
    ones = np.ones(b.size)
    axes = [(shape[0], False), (shape[1], False)]
    found = _kernels.best_boxes(a.ravel(), b.ravel(), ones, axes, k, 0.0, 0.0, 0, lambda _: None)
    centred = a - b * a.sum() / b.sum()

    def total(tiling: list[tuple[int, int, int, int]]) -> float:
        return sum(centred[x0:x1, y0:y1].sum() ** 2 / b[x0:x1, y0:y1].sum() for x0, x1, y0, y1 in tiling)

    best = max(total(tiling) for tiling in _tilings((0, shape[0], 0, shape[1]), k))
    got = total([(x[0], x[1], y[0], y[1]) for x, y in found[k - 1][1]])
    return None if abs(got - best) < 1e-9 * (1 + best) else f"{k} boxes: {got} for {best}: {a, b}"


def repair(rng: np.random.Generator) -> str | None:
    """Compare the cost of fair scores of two groups with that of a linear programme."""
    from scipy.optimize import linprog

    n = int(rng.integers(4, 8))
    scores = [np.sort(rng.random(n)), np.sort(rng.random(n))]
    score, group = np.concatenate(scores), np.repeat([0.0, 1.0], n)
    fitted = fg.ScoreRepair([0.5], cost="w1", max_gap=0.0).fit(score, sensitive=group)
    fair = np.asarray(fitted.transform(score, sensitive=group))
    # Both groups get the same values t_1 ≤ … ≤ t_n: the least Σ |t − s| is a linear programme in t and the distances.
    costs = np.concatenate([np.zeros(n), np.ones(2 * n)])
    rows, bounds = [], []
    for g, i, sign in itertools.product((0, 1), range(n), (1.0, -1.0)):
        row = np.zeros(3 * n)
        row[i], row[n + g * n + i] = sign, -1.0
        rows.append(row)
        bounds.append(sign * scores[g][i])
    for i in range(n - 1):
        row = np.zeros(3 * n)
        row[i], row[i + 1] = 1.0, -1.0
        rows.append(row)
        bounds.append(0.0)
    best = linprog(costs, A_ub=np.array(rows), b_ub=np.array(bounds), bounds=[(None, None)] * n + [(0, None)] * 2 * n)
    paid, apart = float(np.abs(fair - score).sum()), np.abs(np.sort(fair[:n]) - np.sort(fair[n:])).max()
    if apart > 1e-9:
        return f"scores of the groups are still {apart} apart: {scores}"
    return None if abs(paid - best.fun) < 1e-7 else f"fair scores cost {paid}, and {best.fun} is least: {scores}"


def loaders(rng: np.random.Generator) -> str | None:
    """Documents of ours, damaged: read, or refused in words."""
    data = fg.make_synthetic(300, seed=int(rng.integers(1000)))
    table = {"x": data.sensitive, "y": data.outcome}
    audit = fg.audit(table, sensitive="x", outcome="y", checks=False)
    fitted = fg.ScoreRepair([40.0]).fit(data.sensitive / 100, sensitive=data.sensitive)
    kinds: list[tuple[str, Callable[[str], object]]] = [
        (audit.to_json(), fg.Audit.from_json),
        (audit.partition.to_json(), fg.Partition.from_json),
        (fitted.to_json(), fg.ScoreRepair.from_json),
    ]
    text, read = kinds[int(rng.integers(3))]
    damaged = _damaged(text, random.Random(int(rng.integers(2**31))))
    try:
        read(damaged)
    except fg.FairGroupsError:
        return None
    return None


def _damaged(text: str, rnd: random.Random) -> str:
    if rnd.random() < 0.3:
        at = rnd.randrange(len(text))
        return (
            text[:at] + rnd.choice(["", "}", "\x00", "9" * 400, '"', "null", "[", "-"]) + text[at + rnd.randrange(4) :]
        )
    held = json.loads(text)
    odd = [None, -1, 1e308, "x", [], {}, True, "9" * 50, [[1]], float("1e400"), 2**70, {"a": 1}]

    def walk(value: object) -> object:
        if isinstance(value, dict):
            key = rnd.choice(list(value)) if value else None
            return {k: (rnd.choice(odd) if k == key and rnd.random() < 0.15 else walk(v)) for k, v in value.items()}
        if isinstance(value, list):
            kept = [walk(v) for v in value]
            return kept[: rnd.randrange(len(kept))] if kept and rnd.random() < 0.05 else kept
        return rnd.choice(odd) if rnd.random() < 0.01 else value

    return json.dumps(walk(held))


def files(rng: np.random.Generator) -> str | None:
    """Tables of noise and of half-right text: an audit, or a sentence."""
    rnd = random.Random(int(rng.integers(2**31)))
    ages, answers = ["", "20", "34,5", "1.234", "x", "-9", "1e400", "٣"], ["0", "1", "ja", "no", ""]
    mark, size = rnd.choice(",;|"), rnd.randrange(1, 60)
    rows = [f"{rnd.choice(ages)}{mark}{rnd.choice(answers)}" for _ in range(size)]
    head = rnd.choice(["age,ok\n", "age;ok\n", "age,ok", "", '"age","ok"\n', "age,ok,ok\n"])
    text = head + rnd.choice(["\n", "\r\n"]).join(rows)
    raw = bytearray(text.encode(rnd.choice(["utf-8", "utf-16", "cp1252", "utf-8-sig"]), "replace"))
    for _ in range(rnd.choice([0, 0, 1, 5])):
        if raw:
            raw[rnd.randrange(len(raw))] = rnd.randrange(256)
    with tempfile.TemporaryDirectory() as folder:
        path = (
            Path(folder)
            / f"people{rnd.choice(['.csv', '.csv', '.tsv', '.xlsx', '.parquet', '.json', '.csv.gz', '.dta'])}"
        )
        path.write_bytes(bytes(raw))
        try:
            fg.audit(path, sensitive="age", outcome="ok", missing="drop", checks=False)
        except fg.FairGroupsError:
            return None
    return None


def _column(rng: np.random.Generator, n: int, most: int) -> np.ndarray:
    """Return a sensitive column of some kind, with so many levels at most; holes, ties, constants are among them."""
    amount = np.round(np.exp(rng.normal(8, 1.5, n)), 2)
    holes = rng.random(n) < 0.1
    kinds: list[Callable[[], np.ndarray]] = [
        lambda: rng.integers(18, 90, n),
        lambda: rng.normal(50, 10, n),
        lambda: np.where(rng.random(n) < 0.4, 0, amount),
        lambda: rng.choice(list("ABCDE"), n, p=[0.4, 0.3, 0.2, 0.07, 0.03]),
        lambda: np.array([f"lev<{k}>" for k in rng.integers(0, most, n)], dtype=object),
        lambda: rng.random(n) < 0.3,
        lambda: np.where(holes, np.nan, rng.normal(size=n)),
        lambda: np.where(holes, None, rng.choice(["x", "y", "z"], n)),
        lambda: rng.normal(size=n) * 1e14,
        lambda: np.full(n, 3.0),
        lambda: rng.integers(0, 3, n),
    ]
    return kinds[int(rng.integers(len(kinds)))]()


OPTIONS: tuple[tuple[float, Callable[[np.random.Generator], dict[str, object]]], ...] = (
    (0.5, lambda rng: {"missing": str(rng.choice(["drop", "group"]))}),
    (0.5, lambda rng: {"favourable": bool(rng.integers(2))}),
    (0.2, lambda _: {"weight": "weight"}),
    (0.2, lambda _: {"cluster": "cluster"}),
    (0.2, lambda _: {"given": "level"}),
    (0.2, lambda _: {"by": "year"}),
    (0.2, lambda _: {"max_gap": 0.1}),
    (0.1, lambda _: {"max_harm": 0.05}),
    (0.1, lambda _: {"min_ratio": 0.8}),
    (0.2, lambda rng: {"against": str(rng.choice(["rest", "everyone"]))}),
    (0.2, lambda rng: {"n_groups": int(rng.integers(1, 7))}),
    (0.1, lambda rng: {"selection": str(rng.choice(["bic", "cv"]))}),
    (0.3, lambda rng: {"truth": "truth", "measure": str(rng.choice([*fg.MEASURES]))}),
    (0.1, lambda rng: {"inference": str(rng.choice(["crossfit", "plugin"]))}),
    (0.1, lambda _: {"reliability": 0.8}),
    (0.1, lambda rng: {"monotonic": str(rng.choice(["increasing", "either"]))}),
    (0.2, lambda _: {"explore": True}),
    (0.1, lambda _: {"n_cells": 8}),
    (0.1, lambda _: {"scales": {"law": [30, 50]}}),
    (0.1, lambda _: {"compare_with": "truth"}),
)


def audits(rng: np.random.Generator) -> str | None:
    """Columns of every kind with any options: an audit that JSON gives back and a page shows, or a sentence."""
    n = int(rng.choice([5, 30, 80, 200, 700]))
    names = [f"x{i}" for i in range(int(rng.choice([1, 1, 2, 2, 3, 4])))]
    table: dict[str, np.ndarray] = {
        name: _column(rng, n, 4 if i else 25)  # boxes of several such categories take long
        for i, name in enumerate(names)
    }
    yes = rng.random(n) < 0.3 + 0.3 * (np.arange(n) < n * rng.choice([0.0, 0.3]))
    outcomes = [yes.astype(int), rng.normal(30 + 30 * yes, 5), np.where(yes, "yes", "no")]
    table |= {
        "y": outcomes[int(rng.integers(3))],
        "truth": (rng.random(n) < 0.5).astype(int),
        "weight": rng.gamma(4, 0.25, n),
        "level": rng.choice(list("uvw"), n),
        "cluster": rng.integers(0, max(2, n // 3), n),
        "year": rng.integers(2019, 2023, n),
    }
    options: dict[str, object] = {"budget": 0.5}  # seconds of each search
    for chance, option in OPTIONS:
        if rng.random() < chance:
            options |= option(rng)
    if len(names) > 2:
        options.pop("inference", None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fg.FairnessWarning)
            found = fg.audit(table, sensitive=names if len(names) > 1 else names[0], outcome="y", **options)
    except fg.FairGroupsError as error:
        # Groups that were found lie on the grid: only borders that somebody names may not.
        return f"{options}: {error}" if "inside a cell" in str(error) and "scales" not in options else None
    if type(found).from_json(found.to_json()) != found:
        return f"JSON does not give the audit back: {options}"
    with tempfile.TemporaryDirectory() as folder:
        found.to_html(Path(folder) / "page.html")
        page = (Path(folder) / "page.html").read_text(encoding="utf-8")
    found.to_markdown()
    if "lev<" in page:
        return f"a level is not escaped: {options}"
    odd = [word for word in ("nan", "inf", "None") if f" {word} " in f" {found.conclusion} ".replace("%", " ")]
    return f"{odd} in {found.conclusion!r}: {options}" if odd else None


PARTS = {"line": line, "boxes": boxes, "repair": repair, "loaders": loaders, "files": files, "audits": audits}


class Slow(Exception):  # noqa: N818  it is a finding
    """An instance took too long."""


def _late(*_: object) -> None:
    raise Slow


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--seed", type=int, default=0)
    asked = arguments.parse_args()
    until = time.monotonic() + asked.seconds
    done: Counter[str] = Counter()
    wrong: list[str] = []
    signal.signal(signal.SIGALRM, _late)
    seed = asked.seed
    while time.monotonic() < until:
        for name, part in PARTS.items():
            for _ in range(20 if name in ("line", "boxes") else 1):
                seed += 1
                signal.setitimer(signal.ITIMER_REAL, 3 * SLOW if name == "audits" else SLOW)
                try:
                    said = part(np.random.default_rng(seed))
                except Slow:
                    said = "took too long"
                except Exception:  # noqa: BLE001  whatever it is, it is a finding
                    said = traceback.format_exc(limit=-3)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                done[name] += 1
                if said:
                    wrong.append(f"{name}, seed {seed}: {said}")
                    print(wrong[-1], flush=True)
    print(", ".join(f"{n:,} of {name}" for name, n in done.items()), f"; {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
