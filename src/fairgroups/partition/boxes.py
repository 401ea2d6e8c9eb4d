"""BoxPartition: groups of several attributes, each a box; the plane's and space's counterpart of `Partition`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError, MissingValuesError, SchemaError
from fairgroups.partition.partition import Interval, dump, header, shortest
from fairgroups.rows.columns import is_missing, numbers, one_column
from fairgroups.rows.rows import Missing
from fairgroups.sources.frames import read_table
from fairgroups.sql import sql_number, sql_value

__all__ = ["BoxPartition", "Levels"]


@dataclass(frozen=True, order=True)
class Levels:
    """Some levels of a category.

    Examples
    --------
    >>> from fairgroups import Levels
    >>> Levels(("Female",)).describe("sex")
    'sex = Female'
    """

    names: tuple[str, ...]

    def describe(self, name: str) -> str:
        """Write the set as a person reads it: ``sex = Female``."""
        if len(self.names) == 1:
            return f"{name} = {self.names[0]}"
        return f"{name} in {{{', '.join(self.names)}}}"


Side = Interval | Levels


@dataclass(frozen=True, repr=False)
class BoxPartition:
    """Groups of several sensitive attributes: boxes that together hold every value exactly once.

    Parameters
    ----------
    columns : tuple of str
        The attributes' names.
    groups : tuple of tuples
        For each group one side per attribute: an `Interval`, or `Levels` of a category.
    missing : {"error", "drop", "group"}
        What `assign` does with rows that miss a value: raise, give −1, or give the last group, which exists for that.

    Examples
    --------
    >>> from fairgroups import BoxPartition, Interval
    >>> dark_and_yellow = BoxPartition(
    ...     ("L*", "h*"),
    ...     (
    ...         (Interval(high=60), Interval(high=55)),
    ...         (Interval(high=60), Interval(55)),
    ...         (Interval(60), Interval()),
    ...     ),
    ... )
    >>> dark_and_yellow.labels
    ('L* < 60 and h* < 55', 'L* < 60 and h* ≥ 55', 'L* ≥ 60')
    >>> dark_and_yellow.assign([[50, 60], [70, 10]]).tolist()
    [1, 2]
    """

    columns: tuple[str, ...]
    groups: tuple[tuple[Side, ...], ...]
    missing: Missing = "error"

    def __post_init__(self) -> None:
        if self.missing not in ("error", "drop", "group"):
            raise InputError(f"`missing` must be 'error', 'drop' or 'group'; got {self.missing!r}.")
        if not self.groups or any(len(box) != len(self.columns) for box in self.groups):
            raise InputError(f"each group needs one side for each of the {len(self.columns)} columns.")
        # On the grid of all borders, every cell must lie in exactly one box.
        probes = [self._probes(d) for d in range(len(self.columns))]
        for cell in itertools.product(*probes):
            n_boxes = sum(all(_holds(side, at) for side, at in zip(box, cell, strict=True)) for box in self.groups)
            if n_boxes != 1:
                said = ", ".join(f"{name} = {at}" for name, at in zip(self.columns, cell, strict=True))
                raise InputError(f"the boxes must hold every value exactly once; {said} lies in {n_boxes} of them.")

    def _probes(self, d: int) -> list[Any]:
        sides = [box[d] for box in self.groups]
        if isinstance(sides[0], Levels):
            return sorted({name for side in sides if isinstance(side, Levels) for name in side.names})
        ends = sorted(
            {x for side in sides if isinstance(side, Interval) for x in (side.low, side.high)} - {-math.inf, math.inf}
        )
        between = [(x + y) / 2 for x, y in itertools.pairwise(ends)]
        return [-math.inf if not ends else ends[0] - 1, *ends, *between, *([ends[-1] + 1] if ends else [])]

    @property
    def n_groups(self) -> int:
        """Count the groups, the one of missing values included."""
        return len(self.groups) + (self.missing == "group")

    @property
    def connected(self) -> bool:
        """Say whether every group is in one piece: boxes are."""
        return True

    @property
    def name(self) -> str:
        """Give the attributes' names, joined."""
        return " × ".join(self.columns)

    @property
    def labels(self) -> tuple[str, ...]:
        """Give each group's name: its conditions."""
        number = [
            shortest([x for box in self.groups if isinstance(box[d], Interval) for x in _finite_ends(box[d])])
            for d in range(len(self.columns))
        ]
        said = []
        for box in self.groups:
            parts = [
                side.describe(name) if isinstance(side, Levels) else side.describe(name, number[d])
                for d, (name, side) in enumerate(zip(self.columns, box, strict=True))
                if not self._is_everything(d, side)
            ]
            said.append(" and ".join(parts) or "everybody")
        return (*said, f"{' or '.join(self.columns)} missing") if self.missing == "group" else tuple(said)

    def _is_everything(self, d: int, side: Side) -> bool:
        if isinstance(side, Levels):
            return set(side.names) == set(self._probes(d))
        return side.low == -math.inf and side.high == math.inf

    def assign(self, values: Any) -> NDArray[np.intp]:
        """Give the number of each row's group.

        Parameters
        ----------
        values : frame, mapping, or array-like of shape (n, p)
            The attributes, by name or in the order of `columns`.
        """
        return self.assign_columns(self._columns_of(values))

    def assign_columns(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.intp]:
        """Give the number of each row's group from ready columns: floats, or text (None if missing) for categories."""
        # Categories as numbers: their levels' places, NaN where missing, −1 where never seen.
        numbered: list[NDArray[np.float64]] = []
        places: list[dict[Any, float]] = []
        for d, x in enumerate(columns):
            known = self._probes(d) if isinstance(self.groups[0][d], Levels) else []
            places.append({level: float(i) for i, level in enumerate(known)} | {None: math.nan})
            numbered.append(np.array([places[d].get(v, -1.0) for v in x.tolist()]) if known else x)
        absent = np.logical_or.reduce([np.isnan(x) for x in numbered])
        codes = np.full(absent.size, -1, dtype=np.intp)
        for k, box in enumerate(self.groups):
            inside = ~absent
            for side, x, place in zip(box, numbered, places, strict=True):
                if isinstance(side, Levels):
                    inside &= np.isin(x, [place[name] for name in side.names])
                else:
                    inside &= _inside(side, x)
            codes[inside] = k
        unknown = ~absent & (codes < 0)
        if unknown.any() and self.missing == "error":
            row = int(unknown.argmax())
            raise InputError(
                f"{unknown.sum()} row(s) hold a level that was not seen when the groups were made, the first in row "
                f"{row}: {[str(x[row]) for x in columns]}.",
                "fit with missing='drop' or 'group' to treat such rows as missing.",
            )
        if absent.any() and self.missing == "error":
            raise MissingValuesError(
                f"{absent.sum()} row(s) miss a value of {', '.join(self.columns)}, the first is row {absent.argmax()}.",
                "fit with missing='drop' to give them −1, or missing='group' to give them a group.",
            )
        if self.missing == "group":
            codes[absent | unknown] = len(self.groups)
        return codes

    def _columns_of(self, values: Any) -> list[NDArray[Any]]:
        if isinstance(values, list | tuple):
            values = np.array(values, dtype=object)
        if isinstance(values, np.ndarray):
            if values.ndim != 2 or values.shape[1] != len(self.columns):
                raise InputError(f"{len(self.columns)} columns are needed; got an array of shape {values.shape}.")
            given: Sequence[Any] = [values[:, d] for d in range(len(self.columns))]
        else:
            table = read_table(values, list(self.columns)).columns
            given = [one_column(table[name]) for name in self.columns]
        out = []
        for d, x in enumerate(given):
            if isinstance(self.groups[0][d], Levels):
                said = x
                out.append(np.array([None if is_missing(v) else str(v) for v in said.tolist()], dtype=object))
            else:
                out.append(numbers(x, self.columns[d]))
        return out

    def to_dict(self) -> dict[str, Any]:
        """Give the partition as plain data, ready for JSON."""
        groups = [
            {"label": label, "boxes": [[_side_to_dict(side) for side in box]]}
            for label, box in zip(self.labels, self.groups, strict=False)
        ]
        return {**header(), "columns": list(self.columns), "missing": self.missing, "groups": groups}

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the partition as JSON, to a file if a path is given; `Partition.from_json` reads it back, equal."""
        return dump(self.to_dict(), path)

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> BoxPartition:
        """Build a partition from the checked content of a JSON document."""
        try:
            groups = tuple(tuple(_side_from_dict(side) for side in group["boxes"][0]) for group in data["groups"])
            return cls(tuple(map(str, data["columns"])), groups, missing=data["missing"])
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise SchemaError(f"this partition is damaged: {error}.") from error

    def expr(self, columns: Sequence[str] | None = None) -> Any:
        """Write a narwhals expression that gives the group's number, for any frame, lazy or not.

        Missing values give null, or the last group under ``missing="group"``.

        Parameters
        ----------
        columns : sequence of str, optional
            The columns' names; by default the partition's own.
        """
        import narwhals as nw

        names = list(columns if columns is not None else self.columns)
        if len(names) != len(self.columns):
            raise InputError(f"{len(self.columns)} column names are needed; got {len(names)}.")
        absent = nw.lit(False)
        for d, name in enumerate(names):
            column = nw.col(name)
            categorical = isinstance(self.groups[0][d], Levels)
            missing = column.is_null() if categorical else column.is_null() | column.cast(nw.Float64).is_nan()
            absent = absent | missing
        number: Any = nw.lit(None, nw.Int64)
        for k, box in enumerate(self.groups):
            inside = ~absent
            for name, side in zip(names, box, strict=True):
                inside = inside & _expr_test(name, side)
            number = nw.when(inside).then(nw.lit(k)).otherwise(number)
        return nw.when(absent).then(nw.lit(len(self.groups))).otherwise(number) if self.missing == "group" else number

    def to_sql(self, columns: Sequence[str] | None = None) -> str:
        """Write a CASE expression that gives the group's number, for DuckDB and PostgreSQL.

        Parameters
        ----------
        columns : sequence of str, optional
            The columns' names, quoted here whatever they hold; by default the partition's own.
        """
        names = list(columns if columns is not None else self.columns)
        if len(names) != len(self.columns):
            raise InputError(f"{len(self.columns)} column names are needed; got {len(names)}.")
        absent = str(len(self.groups)) if self.missing == "group" else "NULL"
        nothing = []
        for d, name in enumerate(names):
            quoted = '"' + name.replace('"', '""') + '"'
            if isinstance(self.groups[0][d], Levels):
                nothing.append(f"{quoted} IS NULL")
            else:
                nothing.append(f"{sql_value(name)} IS NULL OR {sql_value(name)} = CAST('NaN' AS DOUBLE PRECISION)")
        lines = [f"WHEN {' OR '.join(nothing)} THEN {absent}"]
        for k, box in enumerate(self.groups):
            tests = [test for name, side in zip(names, box, strict=True) for test in _sql_tests(name, side)]
            lines.append(f"WHEN {' AND '.join(tests) or 'TRUE'} THEN {k}")
        body = "\n  ".join(lines)
        return f"CASE\n  {body}\n  ELSE {absent}\nEND"

    def __repr__(self) -> str:
        return f"BoxPartition({'; '.join(self.labels)})"


def _expr_test(name: str, side: Side) -> Any:
    """Write whether a value lies on one side of a box, as a narwhals expression."""
    import narwhals as nw

    if isinstance(side, Levels):
        return nw.col(name).cast(nw.String).is_in([str(level) for level in side.names])
    value = nw.col(name).cast(nw.Float64)
    low = nw.lit(True) if side.low == -math.inf else (value >= side.low if side.low_closed else value > side.low)
    if side.high == math.inf:
        return low
    return low & (value <= side.high if side.high_closed else value < side.high)


def _finite_ends(side: Side) -> list[float]:
    return [x for x in (side.low, side.high) if math.isfinite(x)] if isinstance(side, Interval) else []


def _holds(side: Side, at: Any) -> bool:
    if isinstance(side, Levels):
        return at in side.names
    above = side.low < at or (side.low == at and side.low_closed) or side.low == -math.inf
    return above and (at < side.high or (side.high == at and side.high_closed))


def _inside(side: Interval, x: NDArray[np.float64]) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = np.ones(x.shape, dtype=bool)
    if side.low > -math.inf:
        inside &= x >= side.low if side.low_closed else x > side.low
    if side.high < math.inf:
        inside &= x <= side.high if side.high_closed else x < side.high
    return inside


def _side_to_dict(side: Side) -> dict[str, Any]:
    return {"levels": list(side.names)} if isinstance(side, Levels) else side.to_dict()


def _side_from_dict(data: Mapping[str, Any]) -> Side:
    if "levels" in data:
        return Levels(tuple(str(name) for name in data["levels"]))
    return Interval.from_dict(data)


def _sql_tests(name: str, side: Side) -> list[str]:
    if isinstance(side, Levels):
        quoted = '"' + name.replace('"', '""') + '"'
        levels = ", ".join("'" + level.replace("'", "''") + "'" for level in side.names)
        if set(side.names) <= {"True", "False"}:  # SQL writes truth in small letters
            return [f"lower(CAST({quoted} AS VARCHAR)) IN ({levels.lower()})"]
        return [f"CAST({quoted} AS VARCHAR) IN ({levels})"]
    value, tests = sql_value(name), []
    if side.low > -math.inf:
        tests.append(f"{value} {'>=' if side.low_closed else '>'} {sql_number(side.low)}")
    if side.high < math.inf:
        tests.append(f"{value} {'<=' if side.high_closed else '<'} {sql_number(side.high)}")
    return tests
