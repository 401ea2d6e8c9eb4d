"""Keys made of rows: people with the same score are told apart by what else is known of them."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.rows.column_values import is_missing
from fairgroups.sources.frames import column_names, read_table

__all__ = ["row_keys"]


def row_keys(X: Any) -> NDArray[np.object_]:
    """Return one text for each row of a frame or array: all its values, numbers written alike whatever their kind.

    Parameters
    ----------
    X : frame or array
        The rows.

    Returns
    -------
    array of object
    """
    if hasattr(X, "columns"):
        table = read_table(X, column_names(X)).columns
        columns = [np.asarray(values, dtype=object).tolist() for values in table.values()]
    else:
        dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        columns = [dense.reshape(len(dense), -1)[:, d].tolist() for d in range(dense.reshape(len(dense), -1).shape[1])]
    texts = [[_said(value) for value in column] for column in columns]
    return np.array(["\x1f".join(row) for row in zip(*texts, strict=True)], dtype=object)


def _said(value: Any) -> str:
    if isinstance(value, Real):
        return "" if value != value else repr(float(value))  # noqa: PLR0124
    return "" if is_missing(value) else str(value)
