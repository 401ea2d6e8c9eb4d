import numpy as np
import pytest

import fairgroups as fg

RNG = np.random.default_rng(1)
PEOPLE = 500
TIMES = RNG.integers(1, 9, PEOPLE)
IDS = {
    "numbers": np.arange(PEOPLE) + 1000,
    "scattered": RNG.choice(10**8, PEOPLE, replace=False),
    "texts": np.array([f"P{i}" for i in range(PEOPLE)], dtype=object),
}


def panel(ids, **more):
    person = np.repeat(ids, TIMES)
    return {"person": person, **more, "y": RNG.random(person.size) < np.repeat(RNG.beta(0.4, 0.4, PEOPLE), TIMES)}


def told(table, **options):
    found = fg.scan(table, outcome="y", pairs="none", **options)
    return {check.name: (check.used, check.told) for check in found.columns}


@pytest.mark.parametrize("kind", IDS)
def test_people_with_several_rows_are_told(kind):
    age, sex = np.repeat(RNG.integers(18, 70, PEOPLE), TIMES), np.repeat(RNG.choice(["f", "m"], PEOPLE), TIMES)
    used, said = told(panel(IDS[kind], age=age, sex=sex))["person"]
    assert not used
    assert "cluster=" in said
    alone = told(panel(IDS[kind], age=age))["person"][1]
    assert "cluster=" in alone
    used, _ = told(panel(IDS["numbers"], age=age, sex=sex), attributes=["person", "age", "sex"])["person"]
    assert used, "what was asked for is looked at"


def test_a_number_whose_rows_differ_names_nobody():
    n = int(TIMES.sum())
    found = told(panel(IDS["numbers"], age=RNG.integers(18, 70, n), sex=RNG.choice(["f", "m"], n)))
    assert found["person"] == (True, "")


def test_who_said_whose_rows_are_one_is_not_told_again():
    age = np.repeat(RNG.integers(18, 70, PEOPLE), TIMES)
    table = panel(IDS["numbers"], age=age, case=np.repeat(IDS["scattered"], TIMES))
    assert "cluster=" not in told(table, cluster="person")["case"][1]
