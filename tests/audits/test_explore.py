"""What a reader may look at besides the audit's own groups: every number of boxes is judged by one band."""

import numpy as np
import pytest

import fairgroups as fg


def explored(**options):
    rng = np.random.default_rng(0)
    n = 4000
    table = {"x": rng.random(n), "y": rng.random(n), "t": rng.integers(0, 2, n)}
    table["ok"] = (rng.random(n) < 0.4 + 0.15 * np.where((table["x"] < 0.5) == (table["y"] < 0.5), 1, -1)).astype(int)
    return fg.audit(table, sensitive=["x", "y"], outcome="ok", checks=False, **options)


def test_every_number_of_boxes_is_there_and_covered_by_the_band():
    audit = explored()
    (measure,) = audit.explored["measures"]
    (fair,) = measure["methods"]
    assert [len(one["groups"]) for one in fair["sets"]] == list(range(1, audit.partition.n_groups + 1))
    for one in fair["sets"]:
        assert sum(group["n"] for group in one["groups"]) == 4000
    assert [group["low"] for group in fair["sets"][-1]["groups"]] == pytest.approx([r.low for r in audit.records])


def test_the_map_holds_everybody():
    band = explored().explored["measures"][0]["band"]
    assert band["totals"]["n"] == 4000
    assert 3850 < sum(band["sums"]["n"]) <= 4000  # but for a few who could be told by what else is shown
    assert sum(band["sums"]["a"]) <= band["totals"]["a"]
    assert all(n >= 10 for n in band["sums"]["n"])
    assert all(n >= 10 for margin in band["margins"] for _, n, _ in margin)


def test_cross_fitting_has_no_band_to_draw_boxes_with():
    audit = explored(inference="crossfit", n_groups=3)
    assert audit.explored["measures"][0]["band"] is None


def small_groups(found, fewest=10):
    """Every set that a reader may choose, but for the audit's own groups and scales: groups of few people."""
    for measure in found.explored["measures"]:
        for way in measure["methods"]:
            for one in way["sets"]:
                for group in one["groups"]:
                    if min(group["n"], group["counted"] + 0.5) < fewest:
                        yield measure["name"], way["name"], len(one["groups"]), group["label"], group["n"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"truth": "t", "measure": "equalized_odds"},
        {"min_group_size": 2},
        {"weight": "w"},
        {"outcome": "amount"},
        {"sensitive": ["age", "team"]},
        {"min_cell": 40},
    ],
)
def test_no_set_tells_of_few_people(options):
    rng = np.random.default_rng(0)
    n = 3000
    age = np.round(18 + rng.exponential(12, n))  # a few old people
    table = {"age": age, "y": rng.random(n) < 0.3 + 0.2 * (age < 25), "t": rng.random(n) < 0.4}
    table |= {"w": rng.uniform(0.5, 2, n), "amount": rng.normal(age, 5), "team": rng.choice(list("abcd"), n)}
    asked = {"sensitive": "age", "outcome": "y", "explore": True, "checks": False, **options}
    found = fg.audit(table, **asked)
    assert list(small_groups(found, asked.get("min_cell", 10))) == []
    ways = {way["name"]: way["sets"] for way in found.explored["measures"][0]["methods"]}
    if "Equal widths" in ways:
        sizes = [len(one["groups"]) for one in ways["Equal widths"]]
        assert sizes == sorted(set(sizes))
        assert sizes[-1] >= 4
        low, high = found.data.attributes[0].low, found.data.attributes[0].high
        borders = [part[0] for one in ways["Equal widths"] for g in one["groups"] for part in g["parts"] if part[0]]
        assert all(low < border < high for border in borders)


def test_groups_of_few_people_are_pointed_out():
    rng = np.random.default_rng(0)
    age = np.append(rng.integers(20, 60, 500), [80, 81, 82])
    table = {"age": age, "y": rng.integers(0, 2, 503)}
    found = fg.audit(table, sensitive="age", outcome="y", partition=[40, 75], checks=False)
    assert any("Fewer than 10 people are in age 75 or over" in note for note in found.notes)
    found = fg.audit(table, sensitive="age", outcome="y", partition=[40], checks=False)
    assert not any("Fewer than" in note for note in found.notes)


def test_a_group_of_missing_values_stands_beside_every_set():
    data = fg.make_synthetic(3000, seed=3)
    table = {"x": np.where(np.arange(3000) % 7, data.sensitive, np.nan), "y": data.outcome}
    audit = fg.audit(table, sensitive="x", outcome="y", missing="group", explore=True, checks=False)
    (measure,) = audit.explored["measures"]
    sizes = [len(one["groups"]) for one in measure["methods"][0]["sets"]]
    assert sizes == list(range(2, sizes[-1] + 1))
    assert audit.partition.n_groups in sizes
    assert all("missing" in one["groups"][-1]["label"] for one in measure["methods"][0]["sets"])
    rare = fg.audit(table, sensitive="x", outcome="y", missing="group", explore=True, checks=False, min_cell=400)
    assert rare.explored["measures"][0]["methods"][0]["sets"]
