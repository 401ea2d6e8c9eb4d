"""One direction, one palette: whatever the measure and wherever it is drawn, orange is harm and blue is advantage."""

from typing import get_args

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.charts.style import VERDICT_COLOURS, VERDICT_SHAPES, rate_colours
from fairgroups.evidence.verdict import Verdict, verdicts
from fairgroups.measures import MEASURES, RATES, Direction, parts_of

DIRECTED = ("statistical_parity", "equal_opportunity", "predictive_equality", "mean")


def test_every_verdict_has_a_colour_and_a_shape():
    assert set(VERDICT_COLOURS) == set(VERDICT_SHAPES) == set(get_args(Verdict))


@pytest.mark.parametrize("direction", get_args(Direction))
def test_a_rate_has_the_colour_of_the_verdict_that_it_would_get(direction):
    low, _, high = rate_colours(direction)
    lower, higher = verdicts(np.array([-0.3, 0.2]), np.array([-0.2, 0.3]), direction, 0.05)
    assert (low, high) == (VERDICT_COLOURS[lower], VERDICT_COLOURS[higher])


@pytest.mark.parametrize("favourable", [True, False, None])
def test_measures_of_one_decision_never_contradict_each_other(favourable):
    said = {name: measure.direction(favourable=favourable) for name, measure in RATES.items()}
    if favourable is None:
        assert set(said.values()) == {"neutral"}
        return
    assert {said[name] for name in DIRECTED} == {"better" if favourable else "worse"}
    assert said["error_rate"] == said["precision"] == "neutral"
    assert said["calibration"] == ("worse" if favourable else "better")  # truth minus score: it promises too little


def people(n=6000):
    """Return people of whom the young are selected more often, whatever they merit."""
    rng = np.random.default_rng(0)
    table = {"age": rng.integers(20, 60, n), "income": rng.integers(0, 100, n), "merit": rng.integers(0, 2, n)}
    chance = 0.2 + 0.3 * table["merit"] + 0.35 * (table["age"] < 35)
    return table | {"picked": (rng.random(n) < chance).astype(int)}


@pytest.mark.parametrize("favourable", [True, False, None])
@pytest.mark.parametrize("sensitive", ["age", ["age", "income"]], ids=["line", "plane"])
def test_the_generated_table_of_verdicts(favourable, sensitive):
    """Those picked more often are advantaged by a good outcome and disadvantaged by a bad one, by every measure."""
    table = people()
    of_the_young = set()
    for name in MEASURES:
        if name in ("mean", "calibration"):
            continue
        found = fg.audit(
            table,
            sensitive=sensitive,
            outcome="picked",
            truth="merit",
            measure=name,
            partition={"age": [35], "income": [50]} if isinstance(sensitive, list) else [35],
            favourable=favourable,
            checks=False,
        )
        for part in found.parts:
            young = [r.verdict for r in part.records if r.label.startswith("age under 35")]
            directed = part.measure.name in DIRECTED
            wanted = {True: "advantaged", False: "disadvantaged", None: "higher"}[favourable] if directed else None
            for verdict in young:
                assert verdict not in ("disadvantaged", "advantaged") or verdict == wanted
                of_the_young |= {verdict} if directed else set()
        assert len(parts_of(MEASURES[name])) == len(found.parts)
    assert of_the_young == {{True: "advantaged", False: "disadvantaged", None: "higher"}[favourable]}


def test_notebooks_show_pictures_without_a_network():
    data = fg.make_synthetic(500)
    found = fg.audit({"x": data.sensitive, "y": data.outcome}, sensitive="x", outcome="y", checks=False)
    chart = found.plot()
    assert chart._repr_mimebundle_()["image/svg+xml"].startswith("<svg")
    assert "_repr_mimebundle_" not in str(chart.to_dict())


def test_a_picture_is_the_same_each_time():
    """Gradients are numbered by what is drawn, not by how much was drawn before."""
    rng = np.random.default_rng(0)
    table = {"a": rng.random(2000), "b": rng.random(2000), "y": rng.integers(0, 2, 2000)}
    found = fg.audit(table, sensitive=["a", "b"], outcome="y", checks=False)
    first, second = found.to_html(), found.to_html()
    assert first == second
    assert fg.Audit.from_json(found.to_json()).to_html() == fg.Audit.from_json(found.to_json()).to_html()
