"""How people, rates and differences are named, whatever was found."""

import numpy as np
import pytest

import fairgroups as fg

RNG = np.random.default_rng(0)
AGE = RNG.integers(18, 70, 4000)
SEX = RNG.choice(["f", "m"], 4000)
YES = RNG.random(4000) < 0.3 + 0.3 * (AGE < 30) * (SEX == "f")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sensitive": "age", "partition": [30]}, "People whose age is under 30"),
        ({"sensitive": "age", "partition": [30], "unit": "towns"}, "Towns whose age is under 30"),
        ({"sensitive": "age", "partition": [30], "label": {"age": "Age (years)"}}, "People whose age is under 30"),
        ({"sensitive": "sex"}, "People whose sex is f"),
        ({"sensitive": ["age", "sex"], "n_groups": 2}, "People whose age is under 3"),
    ],
)
def test_who_is_named(options, said):
    table = {"age": AGE, "sex": SEX, "yes": YES}
    found = fg.audit(table, outcome="yes", favourable=False, checks=False, **options)
    assert found.conclusion.startswith(said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "for the rest"),
        ({"against": "everyone"}, "for everybody"),
        ({"against": "everyone", "unit": "shops"}, "for all shops"),
    ],
)
def test_with_whom_they_are_compared(options, said):
    found = fg.audit({"age": AGE, "yes": YES}, sensitive="age", outcome="yes", partition=[30], checks=False, **options)
    assert said in found.conclusion
