import duckdb
import numpy as np
import pytest

from fairgroups.repair.axes import Axis
from fairgroups.repair.axes_sql import attributes_sql, corners_sql, search_sql


def test_search_counts_the_borders_below():
    borders = np.array([1.0, 2.0, 2.5])
    for value in (-9.0, 1.0, 1.5, 2.5, 7.0):
        ((found,),) = duckdb.sql(f"SELECT {search_sql(f'{value}e0', borders)}").fetchall()
        assert found == np.searchsorted(borders, value)


@pytest.mark.parametrize("size", [1, 3])
def test_corners_of_a_number_and_a_category(size):
    axes = [Axis("age", centres=np.arange(1.0, size + 1)), Axis("sex", levels=("f", "m"))]
    found = corners_sql(axes, "g", apart=True)
    assert len(found) == min(size, 2)
    assert found[0].name == "g"
    assert ("fairgroups_side_0" in found[0].cell) == (size > 1)
    assert f"THEN {2 * size} " in found[0].cell  # those without an attribute are apart
    assert len(attributes_sql(axes, ["age", "s'x"])) == 3
