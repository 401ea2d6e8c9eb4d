import numpy as np
import pytest

from fairgroups import Partition, audit, make_synthetic
from fairgroups.charts.checks import amplification_chart, selection_chart, stability_chart, together_chart
from fairgroups.charts.line import phi_chart, rate_chart, trend_ends
from fairgroups.charts.style import VERDICT_COLOURS, to_svg

DATA = make_synthetic(3000, seed=1)


@pytest.fixture(scope="module")
def found():
    return audit({"tone": DATA.sensitive, "approved": DATA.outcome}, sensitive="tone", outcome="approved")


def test_the_rate_chart_shows_every_group_and_the_curve(found):
    spec = rate_chart(found).to_dict()
    values = [layer["data"]["values"] for layer in spec["layer"] if "values" in layer.get("data", {})]
    assert any(len(v) == len(found.records) and "rate_low" in v[0] for v in values)
    drawn = [point for point in found.curve if point.n >= 10]  # a dot tells of nobody alone
    assert any(len(v) == len(drawn) for v in values)
    assert "tone" in to_svg(rate_chart(found))


def test_the_phi_chart_shows_every_interval(found):
    svg = to_svg(phi_chart(found))
    for record in found.records:
        assert record.label.replace("<", "&lt;") in svg
    for verdict in {r.verdict for r in found.records}:
        assert VERDICT_COLOURS[verdict].lower() in svg.lower()


def test_charts_leave_out_groups_without_anybody():
    given = Partition.from_edges([50, 1000], name="tone")
    empty = audit(
        {"tone": DATA.sensitive, "approved": DATA.outcome}, sensitive="tone", outcome="approved", partition=given
    )
    assert np.isnan(empty.records[2].rate)
    shown = phi_chart(empty).to_dict()["layer"][1]["data"]["values"]
    assert [value["label"] for value in shown] == ["tone under 50", "tone 50 to under 1000"]
    assert to_svg(rate_chart(empty)).startswith("<svg")


def test_pictures_of_the_checks(found):
    values = selection_chart(found).to_dict()["layer"][1]["data"]["values"]
    assert [v["k"] for v in values if v["chosen"]] == [len(found.records)]
    assert "Number of groups" in to_svg(selection_chart(found))
    drawn = to_svg(stability_chart(found))
    assert all(f"{cut.cut:.4g}" in drawn for cut in found.checks.stability.cuts)
    assert "in one group" in to_svg(together_chart(found))
    with pytest.raises(ValueError, match="no other outcome"):
        amplification_chart(found)
    rng = np.random.default_rng(0)
    table = {"tone": DATA.sensitive, "z": rng.random(3000), "approved": DATA.outcome, "label": rng.integers(0, 2, 3000)}
    for sensitive in ("tone", ["tone", "z"]):
        compared = audit(table, sensitive=sensitive, outcome="approved", truth="label", n_groups=2)
        svg = to_svg(amplification_chart(compared))
        assert "approved" in svg
        assert "label" in svg
    given = audit(table, sensitive="tone", outcome="approved", partition=[50], checks=False)
    for chart in (selection_chart, stability_chart, together_chart):
        with pytest.raises(ValueError, match="were not|was given"):
            chart(given)


def test_a_trend_that_is_all_that_is_shown_is_drawn_at_both_ends(found):
    assert trend_ends(found) == []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x = np.round(18 + 50 * rng.random(1445))
        table = {"age": x, "approved": rng.random(1445) < 0.45 - 0.14 * (x - 18) / 50}
        weak = audit(table, sensitive="age", outcome="approved", checks=False)
        if weak.verdict == "depends":
            break
    first, last = trend_ends(weak)
    assert first["from"] <= first["to"] < last["from"] <= last["to"]
    assert (first["rate"], last["rate"]) == (weak.finding.trend.lower_rate, weak.finding.trend.upper_rate)
    assert 0.2 < np.mean(x <= first["to"]) < 0.3
    assert 0.2 < np.mean(x >= last["from"]) < 0.3
    assert "both ends, between which the rate falls" in weak.to_html()
