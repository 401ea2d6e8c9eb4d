"""Factors that make people comparable: numbers cut into parts, levels of a category; strata of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError
from fairgroups.quoting import sql_number, sql_text
from fairgroups.rows.column_kinds import Column

__all__ = ["Factor", "levels_within", "strata_of", "strata_sql"]

Array = NDArray[np.float64]
BETWEEN, MISSING = "\x1f", "missing"
BOOLEANS = {"True": "true", "False": "false"}  # as engines write them


@dataclass(frozen=True)
class Factor:
    """One factor: borders of a number, cut into parts, or levels of a category."""

    name: str
    borders: tuple[float, ...] | None

    @classmethod
    def of(cls, column: Column, n_parts: int) -> Factor:
        """Cut a number into parts of about equally many people; a category stays as it is."""
        if column.levels is not None:
            return cls(column.name, None)
        known = column.values[~np.isnan(column.values)]
        distinct = np.unique(known)
        if distinct.size <= n_parts:
            return cls(column.name, tuple(distinct[1:].tolist()))
        cuts = np.quantile(known, np.arange(1, n_parts) / n_parts, method="higher")
        return cls(column.name, tuple(np.unique(cuts[cuts > distinct[0]]).tolist()))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Factor:
        """Build it from plain data."""
        borders = data["borders"]
        return cls(str(data["name"]), None if borders is None else tuple(float(x) for x in borders))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"name": self.name, "borders": None if self.borders is None else list(self.borders)}

    def said(self, column: Column) -> list[str]:
        """Return the part of each person, as text; of those without the factor, ``missing``."""
        if self.borders is None:
            if column.levels is None:
                raise InputError(f"the factor {self.name!r} was a category in fitting, and holds numbers now.")
            texts = (MISSING if text is None else str(text) for text in column.text.tolist())
            return [BOOLEANS.get(text, text) for text in texts]
        if column.levels is not None:
            raise InputError(f"the factor {self.name!r} was a number in fitting, and holds text now.")
        part = np.searchsorted(np.array(self.borders), column.values, side="right")
        return [MISSING if np.isnan(x) else str(k) for x, k in zip(column.values, part, strict=True)]

    def to_sql(self, value: str) -> str:
        """Write the part of a person, given how the factor is written: as a number, or as text."""
        if self.borders is None:
            cases = " ".join(f"WHEN {sql_text(x)} THEN {sql_text(y)}" for x, y in BOOLEANS.items())
            return f"CASE {value} {cases} ELSE COALESCE({value}, {sql_text(MISSING)}) END"
        passed = [f"CASE WHEN {value} >= {sql_number(border)} THEN 1 ELSE 0 END" for border in self.borders]
        absent = f"{value} IS NULL OR {value} = CAST('NaN' AS DOUBLE PRECISION)"
        part = f"CAST({' + '.join(passed) or '0'} AS VARCHAR)"
        return f"CASE WHEN {absent} THEN {sql_text(MISSING)} ELSE {part} END"


def strata_of(factors: Sequence[Factor], columns: Sequence[Column]) -> NDArray[np.object_]:
    """Return the stratum of each person, by name."""
    said = [factor.said(column) for factor, column in zip(factors, columns, strict=True)]
    return np.array([BETWEEN.join(parts) for parts in zip(*said, strict=True)], dtype=object)


def strata_sql(factors: Sequence[Factor], values: Sequence[str]) -> str:
    """Write the name of a person's stratum, given how each factor is written."""
    parts = [factor.to_sql(value) for factor, value in zip(factors, values, strict=True)]
    return " || chr(31) || ".join(parts)


def levels_within(strata: NDArray[Any], score: Array, weight: Array) -> Array:
    """Return for each person the share of their stratum below their score, half of those who share it included."""
    _, code = np.unique(strata.astype(str), return_inverse=True)
    out = np.full(score.size, np.nan)
    for k in range(int(code.max()) + 1 if code.size else 0):
        rows = np.flatnonzero((code == k) & ~np.isnan(score))
        if not rows.size or not weight[rows].sum() > 0:
            continue
        _, place = np.unique(score[rows], return_inverse=True)
        mass = np.bincount(place.ravel(), weight[rows])
        out[rows] = ((np.cumsum(mass) - mass / 2) / mass.sum())[place.ravel()]
    return out
