import numpy as np

from fairgroups.rows.missing_codes import codes_of


def test_codes_stand_far_from_all_others():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, 3000).astype(float)
    age[:60], age[60:100] = 999, -9
    assert sorted(codes_of(age)) == [(-9.0, 40), (999.0, 60)]
    income = np.round(rng.lognormal(10.5, 0.5, 3000))
    income[:60] = -9
    assert codes_of(income) == [(-9.0, 60)]


def test_numbers_that_belong_there_are_none():
    rng = np.random.default_rng(0)
    assert codes_of(rng.integers(-9, 80, 3000).astype(float)) == []
    assert codes_of(rng.integers(0, 100, 3000).astype(float)) == []
    assert codes_of(np.array([np.nan, 1.0, 2.0])) == []


def test_people_count_not_rows():
    assert codes_of(np.array([-9.0, 18, 19, 20, 21, 60]), np.array([50.0, 9, 9, 9, 9, 9])) == [(-9.0, 50)]
