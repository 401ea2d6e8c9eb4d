"""Nothing of fewer than ten people can be worked out from a map, groups of all numbers and strips together.

The check is another one than the code's: it looks in what all figures span for every class and every two of few people.
"""

from itertools import combinations

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.evidence.disclosure import Figures, classes_of, rounded_ends


def table(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 301))
    age, race = np.round(rng.normal(45, 14, n)), rng.choice(list("ABCD"), n, p=[0.55, 0.3, 0.12, 0.03])
    p = np.clip(0.2 + 0.5 * (age > 50) + 0.2 * (race == "B"), 0, 1)
    return {"age": age, "race": race, "inc": np.round(rng.lognormal(3, 1, n), 1), "y": (rng.random(n) < p).astype(int)}


def inside(side, values):
    if "levels" in side:
        return np.isin(values, side["levels"])
    low = -np.inf if side["low"] is None else side["low"]
    high = np.inf if side["high"] is None else side["high"]
    return (values >= low) & ((values < high) | ((values == high) & side["high_closed"]))


def figures_of(told, columns):
    """Return the people of every figure of a page, as zeros and ones."""
    n = len(columns[0])
    out = [np.ones(n, dtype=bool)]
    if told["finding"]["range"] is not None:
        out.append(
            np.logical_and.reduce(
                [inside(*one) for one in zip(told["finding"]["range"]["sides"], columns, strict=True)]
            )
        )
        assert out[-1].sum() == told["finding"]["range"]["n"]
    measure = told["explored"]["measures"][0]
    for partition in (told["partition"], *measure["partitions"]):
        for group in partition["groups"]:
            boxes = (
                np.logical_and.reduce([inside(*one) for one in zip(box, columns, strict=True)])
                for box in group["boxes"]
            )
            out.append(np.logical_or.reduce(list(boxes)))
    for cell in measure["curve"]:
        held = np.ones(n, dtype=bool)
        for axis, values in zip("xy", columns, strict=True):
            low, high = cell[f"{axis}_low"], cell[f"{axis}_high"]
            if isinstance(low, str):
                held &= (values >= low) & (values <= high)
            else:
                last = max(one[f"{axis}_high"] for one in measure["curve"])
                held &= (values >= low) & ((values < high) | (high == last))
        if held.sum() == cell["n"]:
            out.append(held)
    for values, strip in zip(columns, measure["band"]["margins"], strict=True):
        if values.dtype.kind == "U":
            levels = sorted(set(values.tolist()))
            out += [values == levels[i] for i, n, _ in strip if n == (values == levels[i]).sum()]
    return np.array(out, dtype=float)


def worked_out(figures, least):
    """Return how many people each class, or two, of few holds that the figures tell of."""
    classes, place = np.unique(figures.T, axis=0, return_inverse=True)
    people = np.bincount(place.ravel())
    _, size, axes = np.linalg.svd(classes.T, full_matrices=True)
    nothing = axes[int((size > 1e-9).sum()) :]
    few = [list(x) for k in (1, 2) for x in combinations(range(people.size), k) if people[list(x)].sum() < least]
    return [int(people[x].sum()) for x in few if np.abs(nothing[:, x].sum(axis=1)).max(initial=0) < 1e-8]


@pytest.mark.parametrize("n_groups", ["auto", 4])
def test_no_page_tells_of_few_by_its_differences(n_groups):
    shown = 0
    for seed in range(100, 110):
        people = table(seed)
        for names in (["age", "race"], ["age", "inc"]):
            found = fg.audit(people, sensitive=names, outcome="y", n_groups=n_groups, checks=False, explore=True)
            told = found.to_dict()
            figures = figures_of(told, [people[name] for name in names])
            assert worked_out(figures, 10) == [], (seed, names)
            assert min(record.n for record in found.records) >= 10
            shown += len(found.plane)
    assert shown > 60  # and there is something to look at


def test_a_range_that_is_named_is_told_beside_the_map():
    named = 0
    for seed, other in ((27, "race"), (123, "race"), (148, "race"), (160, "inc"), (157, "inc"), (200, "race")):
        people = table(seed)
        found = fg.audit(people, sensitive=["age", other], outcome="y", n_groups=2, checks=False).to_dict()
        assert worked_out(figures_of(found, [people["age"], people[other]]), 10) == [], seed
        named += found["finding"]["range"] is not None
    assert named >= 3


def test_compas_tells_of_no_single_person():
    from tests.test_real_data import DATA  # skips where it is not there

    path = DATA / "compas.csv"
    if not path.exists():
        pytest.skip("shared/data/compas.csv is not there")
    import pandas as pd

    people = pd.read_csv(path)
    found = fg.audit(people, sensitive=["age", "race"], outcome="two_year_recid", checks=False, explore=True)
    columns = [people["age"].to_numpy(float), people["race"].to_numpy(dtype=str)]
    figures = np.unique(figures_of(found.to_dict(), columns), axis=0)
    assert worked_out(figures, 10) == []
    assert sum(cell.n for cell in found.plane) > 0.95 * len(people)


def test_classes_are_told_apart_by_every_cut():
    assert classes_of(np.array([0, 0, 1, 1]), np.array([-1, 0, 0, 0])).tolist() == [0, 1, 2, 2]


def test_figures_by_hand():
    """Four cells of 20, 3, 20 and 20 people: two cuts that differ by the three may not both be told."""
    people = np.array([20.0, 3, 20, 20])
    nothing, first, second = (np.array(x) for x in ([-1] * 4, [0, 0, 1, 1], [0, 1, 1, 1]))
    figures = Figures([nothing, first, second], people, 10)
    assert figures.tell(first)
    assert not figures.tell(second)
    assert not figures.of_few().any()
    figures.add(second)
    assert figures.of_few().tolist() == [False, True, False, False]
    rare = np.array([0, 1, 0, 0])
    assert not Figures([nothing, first, rare], people, 10).tell(rare)
    assert not Figures([nothing, first, rare], people, 10).tell(np.array([0, -1, 0, 0]), rest=rare == 1)


def test_ends_of_few_are_rounded_away_and_those_of_many_stay():
    alone, shared = (False, False), (True, True)
    assert rounded_ends(18, 90, shared) == (18, 90)
    assert rounded_ends(19, 80, alone, whole=True) == (15, 85)  # not 80, which lies on a step
    assert rounded_ends(19, 78, alone, parts=100, whole=True) == (15, 80)
    assert rounded_ends(0, 7, alone, whole=True) == (0, 10)
    low, high = rounded_ends(1234.5, 98765.43, alone)
    assert low < 1234.5 - 1 or low == 0
    assert high > 98765.43 + 1
    assert rounded_ends(5, 5, alone) == (5, 5)
