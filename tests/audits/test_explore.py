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
    assert sum(band["sums"]["n"]) == band["totals"]["n"] == 4000
    assert sum(band["sums"]["a"]) == pytest.approx(band["totals"]["a"])
    assert all(n >= 10 for n in band["sums"]["n"])
    assert all(n >= 10 for margin in band["margins"] for _, n, _ in margin)


def test_cross_fitting_has_no_band_to_draw_boxes_with():
    audit = explored(inference="crossfit", n_groups=3)
    assert audit.explored["measures"][0]["band"] is None
