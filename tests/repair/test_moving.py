import numpy as np
import pytest

from fairgroups import InputError, ScoreRepair
from fairgroups.repair.moving import cells_of, move_people
from fairgroups.rows.column_kinds import Column

RNG = np.random.default_rng(0)
AGE = RNG.uniform(20, 70, 800)
SCORE = RNG.normal(AGE / 20, 1)


def test_people_stand_between_cells_and_the_unknown_nowhere():
    repair = ScoreRepair(missing="drop").fit(SCORE, sensitive=AGE)
    cells = cells_of(repair, [Column("", np.array([45.0, np.nan]))], np.zeros(2, dtype=np.intp))
    assert sum(share[0] for _, share in cells) == pytest.approx(1)
    assert all(cell[1] == -1 for cell, _ in cells)
    fair = move_people(repair.maps_, np.array([2.0, 2.0]), cells, np.full(2, 0.5))
    assert np.isfinite(fair[0])
    assert np.isnan(fair[1])
    with pytest.raises(InputError, match="nobody's attribute was missing"):
        ScoreRepair(missing="group").fit(SCORE, sensitive=AGE).transform([1.0], sensitive=[np.nan])


@pytest.mark.filterwarnings("ignore::fairgroups.FairnessWarning")
def test_groups_that_were_not_seen_have_no_row():
    repair = ScoreRepair([40]).fit(SCORE, sensitive=AGE)
    (cell, share), *others = cells_of(repair, [], np.array([0, 1, -1]))
    assert cell.tolist() == [0, 1, -1]
    assert share.tolist() == [1, 1, 1]
    assert not others
