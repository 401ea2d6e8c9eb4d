"""The table of a scan: which columns are looked at."""

import numpy as np
import pytest

from fairgroups import scan
from fairgroups.errors import InputError
from fairgroups.scans.options import ScanOptions
from fairgroups.scans.table import ScanTable

DATA = {name: np.arange(30.0) for name in ("a", "b", "c", "w", "y")}


def test_all_columns_but_those_with_another_part():
    assert ScanTable.read(DATA, ScanOptions(outcome="y", weight="w", given="a")).attributes == ("b", "c")
    assert ScanTable.read(DATA, ScanOptions(outcome="y", without=["a", "w"])).attributes == ("b", "c")
    assert ScanTable.read(DATA, ScanOptions(outcome="y", attributes="c")).attributes == ("c",)
    assert list(ScanTable.read(DATA, ScanOptions(outcome="y", attributes="c")).columns) == ["y", "c"]


def test_a_database(tmp_path):
    import duckdb

    with duckdb.connect(str(tmp_path / "d.duckdb")) as connection:
        connection.execute("CREATE TABLE people AS SELECT range AS a, range % 7 AS b, range % 2 AS y FROM range(100)")
    from fairgroups import Source

    table = ScanTable.read(Source(tmp_path / "d.duckdb", table="people"), ScanOptions(outcome="y"))
    assert table.n == 100
    assert table.attributes == ("a", "b")


def test_attributes_cannot_play_two_parts():
    with pytest.raises(InputError, match="another part"):
        ScanTable.read(DATA, ScanOptions(outcome="y", weight="w", attributes=["w"]))


def test_more_columns_than_anybody_scans_are_told():
    table = {f"c{i}": [0, 1] * 20 for i in range(2002)}
    with pytest.raises(InputError, match="2,001 columns to look at; at most 2,000"):
        scan(table, outcome="c0")
