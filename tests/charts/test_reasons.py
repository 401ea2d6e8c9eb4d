"""Pictures of reasons."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.charts.reasons import WITH, WITHOUT
from fairgroups.charts.style import to_svg


@pytest.fixture(scope="module")
def audit():
    rng = np.random.default_rng(0)
    z = rng.integers(0, 8, 4_000)
    age = np.round(30 + 3 * z + 8 * rng.normal(size=4_000))
    y = rng.random(4_000) < np.clip(0.2 + 0.06 * z - 0.15 * (age < 35), 0, 1)
    return fg.audit({"age": age, "z": z, "y": y}, sensitive="age", outcome="y", given="z", checks=False)


def test_bars_begin_where_the_others_end(audit):
    chart = audit.plot("reasons").to_dict(validate=False)
    values = next(v for layer in chart["layer"] for v in [layer.get("data", {}).get("values", [])] if len(v) > 1)
    for one in audit.reasons.groups:
        mine = {v["part"]: v for v in values if v["label"] == one.label}
        assert mine[WITH]["from"] == 0
        assert mine[WITH]["to"] == mine[WITHOUT]["from"] == pytest.approx(100 * one.explained)
        assert mine[WITHOUT]["to"] == pytest.approx(100 * one.difference)
        assert mine[WITHOUT]["low"] <= mine[WITHOUT]["to"] <= mine[WITHOUT]["high"]


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
