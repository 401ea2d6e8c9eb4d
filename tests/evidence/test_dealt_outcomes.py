"""People whose outcomes are dealt out again: sums, scales and intervals of regions."""

import numpy as np
import pytest

from fairgroups.errors import InputError
from fairgroups.evidence.dealt_outcomes import Dealt
from fairgroups.measures import RATES
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.rows import Rows

PARITY, MEAN = RATES["statistical_parity"], RATES["mean"]


def dealt_of(outcome, strata=None, measure=PARITY, **more):
    n = len(outcome)
    rows = Rows.from_columns([Column("", np.zeros(n))], np.asarray(outcome, dtype=float), **more)
    strata = np.zeros(n, dtype=int) if strata is None else strata
    place = np.random.default_rng(5).integers(0, 2**63, n).astype(np.uint64)
    return Dealt.of(rows, measure, strata, place)


def test_what_is_left_adds_up_to_nothing_in_every_stratum():
    rng = np.random.default_rng(0)
    strata = rng.integers(0, 4, 300)
    dealt = dealt_of(rng.random(300) < 0.3, strata)
    assert np.allclose(np.bincount(dealt.strata, dealt.left), 0)
    assert np.all(np.diff(dealt.strata) >= 0)
    assert dealt.yes.sum() == np.count_nonzero(dealt.left > 0)


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(1)
    outcome, strata, codes = rng.random(200) < 0.4, rng.integers(0, 3, 200), rng.integers(0, 6, 200)
    rows = Rows.from_columns([Column("", np.zeros(200))], outcome.astype(float))
    place = codes.astype(np.uint64)
    one = Dealt.of(rows, PARITY, strata, place)
    order = rng.permutation(200)
    other = Dealt.of(rows.take(order), PARITY, strata[order], place[order])
    assert np.array_equal(one.left, other.left)
    assert np.array_equal(codes[one.rows], codes[order][other.rows])


def test_of_very_many_people_some_stand_for_all():
    rng = np.random.default_rng(6)
    dealt = dealt_of(rng.random(400_000) < 0.5, rng.integers(0, 2, 400_000))
    some = dealt.some()
    assert some.n < 200_000
    assert some.yes.sum() / some.n == pytest.approx(0.5, abs=0.01)
    small = dealt_of(rng.random(1000) < 0.5)
    assert small.some() is small


def test_nobody_who_counts_is_told():
    rows = Rows.from_columns([Column("", np.zeros(4))], np.array([1.0, 0.0, 1.0, 0.0]), truth=np.zeros(4))
    with pytest.raises(InputError, match="no row counts in this measure"):
        Dealt.of(rows, RATES["equal_opportunity"], np.zeros(4, dtype=int), np.arange(4, dtype=np.uint64))
