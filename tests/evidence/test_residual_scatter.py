"""How far values scatter, and what a few extreme ones do."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.cells.cells import Cells
from fairgroups.evidence.residual_scatter import spread_of_most, standard_deviation


@pytest.mark.parametrize("kind", ["normal", "exponential", "trend", "lognormal"])
def test_usual_values_scatter_as_they_do(kind):
    rng = np.random.default_rng(0)
    x = rng.integers(18, 80, 5000)
    y = {
        "normal": rng.normal(50, 9, 5000),
        "exponential": rng.exponential(20, 5000),
        "trend": x + rng.normal(0, 5, 5000),
        "lognormal": rng.lognormal(10, 0.7, 5000),
    }[kind]
    moments = Cells.from_arrays(x, y, measure="mean")["mean"]
    assert spread_of_most(moments) == pytest.approx(standard_deviation(moments))


def test_one_mistyped_amount_makes_no_difference_vanish():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, 4000)
    pay = rng.lognormal(10.3, 0.4, 4000) * np.where(age < 25, 0.75, 1.0)
    clean = fg.audit({"age": age, "pay": pay}, sensitive="age", outcome="pay", favourable=True, checks=False)
    assert clean.verdict == "different"
    pay[7] = 1e8
    found = fg.audit({"age": age, "pay": pay}, sensitive="age", outcome="pay", favourable=True, checks=False)
    assert found.verdict == "not enough evidence"
    assert any("A few extreme outcomes" in note for note in found.notes)
    assert not any("A few extreme outcomes" in note for note in clean.notes)
    assert found.settings.relevant_gap == pytest.approx(clean.settings.relevant_gap, rel=0.3)
    named = fg.audit({"age": age, "pay": pay}, sensitive="age", outcome="pay", partition=[25], checks=False)
    assert {record.verdict for record in named.records} == {"not enough evidence"}
