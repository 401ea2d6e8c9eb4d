"""Pictures of reasons."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.charts.classes import drawn_rates
from fairgroups.charts.reasons import WITH, WITHOUT
from fairgroups.charts.style import to_svg


@pytest.fixture(scope="module")
def audit():
    rng = np.random.default_rng(0)
    z = rng.integers(0, 8, 4_000)
    age = np.round(30 + 3 * z + 8 * rng.normal(size=4_000))
    y = rng.random(4_000) < np.clip(0.2 + 0.06 * z - 0.15 * (age < 35), 0, 1)
    return fg.audit({"age": age, "z": z, "y": y}, sensitive="age", outcome="y", given="z", checks=False)


def test_both_bars_begin_at_zero_and_the_interval_is_read_off_the_axis(audit):
    chart = audit.plot("reasons").to_dict(validate=False)
    values = next(v for layer in chart["layer"] for v in [layer.get("data", {}).get("values", [])] if len(v) > 1)
    for one in audit.reasons.groups:
        mine = {v["part"]: v for v in values if v["label"] == one.label}
        assert mine[WITH]["value"] == pytest.approx(100 * one.explained)
        assert mine[WITHOUT]["value"] == pytest.approx(100 * one.unexplained)
        assert mine[WITH]["value"] + mine[WITHOUT]["value"] == pytest.approx(mine[WITH]["whole"])
        assert mine[WITHOUT]["low"] == pytest.approx(100 * one.unexplained_low)
        assert mine[WITHOUT]["high"] == pytest.approx(100 * one.unexplained_high)


def test_the_first_picture_shows_what_the_verdicts_speak_of(audit):
    """With factors held equal: a group that is lower lies below the line of no difference."""
    drawn = drawn_rates(audit)
    sides = {"lower": -1, "higher": 1, "disadvantaged": -1, "advantaged": 1}
    judged = [(one, sides[one["verdict"]]) for one in drawn if one["verdict"] in sides]
    assert judged
    for one, side in judged:
        assert side * one["rate"] > 0
        assert side * one["rate_low"] > 0
        assert side * one["rate_high"] > 0
    assert [one["rate"] for one in drawn] == pytest.approx([100 * record.phi for record in audit.records])


def test_pictures_are_drawn(audit, tmp_path):
    for what in ("reasons", "equal"):
        assert to_svg(audit.plot(what)).startswith("<svg")
    names = {path.stem for path in audit.save_charts(tmp_path)}
    assert {"reasons-statistical_parity", "equal-statistical_parity"} <= names


def test_without_factors_there_is_nothing_to_draw():
    data = fg.make_synthetic(1_000)
    plain = fg.audit({"x": data.sensitive, "y": data.outcome}, sensitive="x", outcome="y", checks=False)
    with pytest.raises(fg.InputError, match="equal factors"):
        plain.plot("reasons")
