import numpy as np
import pytest

from fairgroups import InputError
from fairgroups.repair.score_table import ScoreTable
from fairgroups.rows.column_kinds import Column

RNG = np.random.default_rng(0)
AGE = RNG.integers(20, 60, 3000).astype(float)
SCORE = np.round(RNG.random(3000), 2)


def test_shares_are_those_of_each_cell():
    table = ScoreTable.of([Column("age", AGE)], SCORE, [np.ones(3000)], 512)
    assert table.n_cells == 40
    assert table.weight.sum() == 3000
    assert table.atoms.all()  # two digits: everybody shares a score
    for cell in (0, 17, 39):
        here = SCORE[20 + cell == AGE]
        for k in (0, 30, table.knots.size - 1):
            assert table.at[0, cell, k] == pytest.approx(np.mean(here <= table.knots[k]))
            assert table.below[0, cell, k] == pytest.approx(np.mean(here < table.knots[k]))
    assert table.share.sum() == pytest.approx(1)


def test_many_scores_are_counted_at_quantiles():
    score = RNG.random(3000)
    table = ScoreTable.of([Column("age", AGE)], score, [np.ones(3000)], 512)
    assert 300 < table.knots.size < 600
    assert table.knots[0] == score.min()
    assert table.knots[-1] == score.max()
    assert not table.atoms.any()
    assert (np.diff(table.at[0], axis=1) >= 0).all()


def test_parts_weights_missing_and_several_attributes():
    label = RNG.random(3000) < 0.4
    weight = RNG.uniform(0.5, 2, 3000)
    sex = Column("sex", RNG.integers(0, 2, 3000).astype(float), ("f", "m"))
    age = Column("age", np.where(np.arange(3000) < 30, np.nan, AGE))
    table = ScoreTable.of([age, sex], SCORE, [weight * label, weight * ~label], 512)
    assert table.absent
    assert table.weight.shape == (2, table.n_cells + 1)
    assert table.weight.sum() == pytest.approx(weight.sum())
    assert table.weight[:, -1].sum() == pytest.approx(weight[:30].sum())
    assert (table.people <= 3000).all()
    with pytest.raises(InputError, match="nobody's attribute"):
        ScoreTable.of([Column("age", np.full(5, np.nan))], np.ones(5), [np.ones(5)], 512)
    many = Column("town", np.arange(400.0), tuple(str(i) for i in range(400)))
    with pytest.raises(InputError, match="at most"):
        ScoreTable.of([many], np.ones(400), [np.ones(400)], 512)
