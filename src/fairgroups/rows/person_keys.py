"""Who a person is: keys as text, and numbers drawn from them that are the same wherever and whenever."""

from __future__ import annotations

import hashlib
from typing import Any

from fairgroups.errors import InputError
from fairgroups.rows.column_values import is_missing, one_column

__all__ = ["LOTS", "digits_of", "read_keys", "uniform_of"]

LOTS = 20  # people who are counted are counted by twentieths, which make two halves of ten parts each


def read_keys(key: Any, n: int | None = None) -> list[str]:
    """Read keys as text: one for each of n rows, none missing; whole numbers are written without a point."""
    values = one_column(key)
    if n is not None and values.size != n:
        raise InputError(f"there are {n} rows and {values.size} keys.", "pass one key per row.")
    out = []
    for i, value in enumerate(values.tolist()):
        if is_missing(value):
            raise InputError(f"the key of row {i} is missing.", "a key says who a person is: give everybody one.")
        if isinstance(value, float):
            if not value.is_integer():
                raise InputError(
                    f"keys must be text or whole numbers; row {i} has {value!r}.", "turn the column into text."
                )
            value = int(value)  # noqa: PLW2901
        out.append(str(value))
    return out


def uniform_of(seed: int, key: str) -> float:
    """Return a number between 0 and 1 from the first six digits of an MD5 sum, as SQL can too."""
    return (int(digits_of(seed, key), 16) + 0.5) / 16**6


def digits_of(seed: int, key: str) -> str:
    """Return the first six digits of the MD5 sum of a key and a seed."""
    return hashlib.md5(f"{seed}:{key}".encode(), usedforsecurity=False).hexdigest()[:6]
