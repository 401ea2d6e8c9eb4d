import numpy as np
import pandas as pd
import polars as pl
from scipy.sparse import csr_matrix

from fairgroups.repair.row_keys import row_keys


def test_rows_are_written_alike_whatever_holds_them():
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan], "c": ["x", None]})
    expected = ["1.0\x1f0.5\x1fx", "2.0\x1f\x1f"]
    assert row_keys(frame).tolist() == expected
    assert row_keys(pl.from_pandas(frame)).tolist() == expected
    assert row_keys(frame.astype({"a": float})).tolist() == expected
    numbers = np.array([[1.0, 0.0], [2.0, 3.0]])
    assert row_keys(csr_matrix(numbers)).tolist() == row_keys(numbers).tolist() == ["1.0\x1f0.0", "2.0\x1f3.0"]
