import numpy as np
import pytest

from fairgroups import InputError, Partition, ScoreRepair
from fairgroups.repair.group_maps import learn_groups


def test_rows_come_back_group_by_group_from_low_to_high():
    repair = ScoreRepair([40])
    repair.partition_ = Partition.from_edges([40])
    score, codes = np.array([0.4, 0.3, 0.2, 0.1, 0.9]), np.array([0, 1, 0, 1, -1])
    maps, order = learn_groups(repair, score, codes, None, np.ones(5), np.ones(5, dtype=np.intp))
    assert order.tolist() == [2, 0, 3, 1, 4]
    assert maps.groups.tolist() == [0, 1]
    assert (maps.low, maps.high) == (0.1, 0.4)
    nobody = np.full(5, -1)
    with pytest.raises(InputError, match="no row with a known group"):
        learn_groups(repair, score, nobody, None, np.ones(5), np.ones(5, dtype=np.intp))
