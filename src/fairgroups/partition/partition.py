"""Partition: the groups, as a value that everything else passes on.

A partition holds all that assigning a new value to its group needs, and nothing else. It is frozen, compares by
value, and travels as JSON or as an SQL expression.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError, MissingValuesError, SchemaError
from fairgroups.output import write_atomically
from fairgroups.rows.columns import column_of_numbers
from fairgroups.rows.rows import Missing
from fairgroups.sql import sql_number, sql_value

if TYPE_CHECKING:
    from fairgroups.partition.boxes import BoxPartition

__all__ = ["Interval", "Partition"]

SCHEMA = "fairgroups/partition"
SCHEMA_VERSION = 1


@dataclass(frozen=True, order=True)
class Interval:
    """A range of values, with the side that each end belongs to.

    Examples
    --------
    >>> from fairgroups import Interval
    >>> Interval(25, 45).describe("age")
    '25 ≤ age < 45'
    """

    low: float = -math.inf
    high: float = math.inf
    low_closed: bool = True
    high_closed: bool = False

    def __post_init__(self) -> None:
        if self.low == -math.inf:
            object.__setattr__(self, "low_closed", False)
        if self.high == math.inf:
            object.__setattr__(self, "high_closed", False)

    def to_dict(self) -> dict[str, Any]:
        """Give the range as plain data; an open end is None."""
        return {
            "low": self.low if math.isfinite(self.low) else None,
            "high": self.high if math.isfinite(self.high) else None,
            "low_closed": self.low_closed,
            "high_closed": self.high_closed,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Interval:
        """Build a range from what `to_dict` gave."""
        return cls(
            -math.inf if data["low"] is None else float(data["low"]),
            math.inf if data["high"] is None else float(data["high"]),
            bool(data["low_closed"]),
            bool(data["high_closed"]),
        )

    def describe(self, name: str, number: Any = "{:g}".format) -> str:
        """Write the range as a person reads it: ``27 ≤ age < 41``."""
        below, above = ("≤" if self.low_closed else "<"), ("≤" if self.high_closed else "<")
        if self.low == -math.inf and self.high == math.inf:
            return f"all {name}"
        if self.low == -math.inf:
            return f"{name} {above} {number(self.high)}"
        if self.high == math.inf:
            return f"{name} {'≥' if self.low_closed else '>'} {number(self.low)}"
        return f"{number(self.low)} {below} {name} {above} {number(self.high)}"


@dataclass(frozen=True, repr=False)
class Partition:
    """Groups of one sensitive attribute: each an interval, or a union of intervals; together they are the whole line.

    Groups are ordered by their smallest value and numbered from 0. The outermost ones are open-ended, so values
    beyond those seen belong to them. Build one with `from_edges`, by a search, or from JSON.

    Parameters
    ----------
    groups : tuple of tuples of Interval
        The intervals of each group.
    name : str
        What the attribute is called; used in labels.
    missing : {"error", "drop", "group"}
        What `assign` does with NaN: raise, give −1, or give the last group, which exists for that.

    Examples
    --------
    >>> from fairgroups import Partition
    >>> young_and_old = Partition.from_edges([25, 45], name="age")
    >>> young_and_old.labels
    ('age < 25', '25 ≤ age < 45', 'age ≥ 45')
    >>> young_and_old.assign([24.9, 25, 80]).tolist()
    [0, 1, 2]
    """

    groups: tuple[tuple[Interval, ...], ...]
    name: str = ""
    missing: Missing = "error"

    def __post_init__(self) -> None:
        if self.missing not in ("error", "drop", "group"):
            raise InputError(f"`missing` must be 'error', 'drop' or 'group'; got {self.missing!r}.")
        segments = sorted((interval, k) for k, group in enumerate(self.groups) for interval in group)
        if not segments or any(not group for group in self.groups):
            raise InputError("a partition needs at least one group, and each group at least one interval.")
        for interval, _ in segments:
            if not interval.low < interval.high and not (
                interval.low == interval.high and interval.low_closed and interval.high_closed
            ):
                raise InputError(f"{interval} holds no value.")
        ends = [interval for interval, _ in segments]
        meets = all(x.high == y.low and x.high_closed != y.low_closed for x, y in pairwise(ends))
        if ends[0].low != -math.inf or ends[-1].high != math.inf or not meets:
            raise InputError(
                "the intervals of a partition must cover every number exactly once, from −inf to inf.",
                "let the first begin at −inf, the last end at inf, and each begin where the one before ends.",
            )
        order = list(dict.fromkeys(k for _, k in segments))
        if order != sorted(order):
            raise InputError("groups must be ordered by their smallest value.")

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[float],
        *,
        closed: Literal["left", "right"] = "left",
        owners: Sequence[int] | None = None,
        name: str = "",
        missing: Missing = "error",
    ) -> Partition:
        """Cut the line at `edges`.

        Parameters
        ----------
        edges : iterable of float
            Inner borders, increasing; k borders make k + 1 intervals.
        closed : {"left", "right"}
            ``"left"``: a border is the first value of the group to its right, [a, b). ``"right"``: it is the last
            value of the group to its left, (a, b], as in "L* ≤ 60".
        owners : sequence of int, optional
            For each interval the number of its group, for groups made of several intervals.
        name, missing
            See `Partition`.
        """
        if closed not in ("left", "right"):
            raise InputError(f"`closed` must be 'left' or 'right'; got {closed!r}.")
        try:
            borders = [float(edge) + 0.0 for edge in edges]
        except ValueError as error:
            raise InputError(f"borders must be numbers: {error}.") from error
        if any(not math.isfinite(x) for x in borders) or any(not x < y for x, y in pairwise(borders)):
            raise InputError(f"edges must be finite and increasing; got {borders}.", "sort them and drop repeats.")
        left = closed == "left"
        ends = [-math.inf, *borders, math.inf]
        segments = [Interval(low, high, low_closed=left, high_closed=not left) for low, high in pairwise(ends)]
        codes = list(range(len(segments))) if owners is None else list(owners)
        if len(codes) != len(segments):
            raise InputError(f"{len(segments)} intervals need as many owners; got {len(codes)}.")
        rank = {k: i for i, k in enumerate(dict.fromkeys(codes))}
        groups: list[list[Interval]] = [[] for _ in rank]
        for segment, code in zip(segments, codes, strict=True):
            into = groups[rank[code]]
            if into and into[-1].high == segment.low:  # a border inside a group is no border
                last = into.pop()
                segment = Interval(last.low, segment.high, last.low_closed, segment.high_closed)  # noqa: PLW2901
            into.append(segment)
        return cls(tuple(map(tuple, groups)), name=name, missing=missing)

    @property
    def n_groups(self) -> int:
        """Count the groups, the one of missing values included."""
        return len(self.groups) + (self.missing == "group")

    @property
    def connected(self) -> bool:
        """Say whether every group is one interval."""
        return all(len(group) == 1 for group in self.groups)

    @property
    def edges(self) -> tuple[float, ...]:
        """Give the inner borders, from left to right."""
        return tuple(interval.low for interval, _ in self._segments[1:])

    @property
    def labels(self) -> tuple[str, ...]:
        """Give each group's name: the interval itself."""
        name = self.name or "x"
        number = shortest(self.edges)
        said = [" or ".join(part.describe(name, number) for part in group) for group in self.groups]
        if self.missing == "group":
            said.append(f"{name} missing")
        return tuple(said)

    @property
    def _segments(self) -> list[tuple[Interval, int]]:
        return sorted((interval, k) for k, group in enumerate(self.groups) for interval in group)

    def assign(self, values: Any) -> NDArray[np.intp]:
        """Give the number of each value's group."""
        numbers = column_of_numbers(values, self.name or "x")
        firsts, owners = self.firsts()
        codes = owners[np.searchsorted(firsts, numbers, side="right")]
        absent = np.isnan(numbers)
        if absent.any():
            if self.missing == "error":
                raise MissingValuesError(
                    f"{absent.sum()} value(s) of {self.name or 'x'!r} are missing (NaN), the first in row "
                    f"{absent.argmax()}.",
                    "fit with missing='drop' to give them −1, or missing='group' to give them a group.",
                )
            codes[absent] = -1 if self.missing == "drop" else len(self.groups)
        return codes

    def runs(self, ordered: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Say where groups begin in values sorted from low to high, and which ones: without looking at each value."""
        firsts, owners = self.firsts()
        starts = np.concatenate([[0], np.searchsorted(ordered, firsts)])
        holds = np.diff(starts, append=ordered.size) > 0
        return starts[holds], owners[holds]

    def firsts(self) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Give the first value of each segment but the first, and the group of each segment."""
        segments = self._segments
        # "x > b" is "x ≥ the next number after b", so one search serves both kinds of border.
        firsts = [x.low if x.low_closed else np.nextafter(x.low, math.inf) for x, _ in segments[1:]]
        return np.array(firsts, dtype=np.float64), np.array([k for _, k in segments], dtype=np.intp)

    def to_dict(self) -> dict[str, Any]:
        """Give the partition as plain data, ready for JSON."""
        groups = [
            {"label": label, "boxes": [[part.to_dict()] for part in group]}
            for label, group in zip(self.labels, self.groups, strict=False)
        ]
        return {**header(), "columns": [self.name], "missing": self.missing, "groups": groups}

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the partition as JSON, to a file if a path is given; `from_json` reads it back, equal."""
        return dump(self.to_dict(), path)

    @classmethod
    def from_json(cls, text: str | bytes | Path) -> Partition | BoxPartition:
        """Read a partition that `to_json` wrote, from its text or from a `Path`.

        One of several attributes comes back as a `BoxPartition`.
        """
        try:
            data = json.loads(text.read_text(encoding="utf-8") if isinstance(text, Path) else text)
        except (ValueError, RecursionError) as error:
            raise SchemaError(f"this is not JSON: {error}.") from error
        return cls.from_dict(data)

    @classmethod
    def from_dict(cls, data: Any) -> Partition | BoxPartition:
        """Build a partition from what `to_dict` gave."""
        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            raise SchemaError(f"this is not a partition: its schema is not {SCHEMA!r}.")
        version = data.get("schema_version")
        if not isinstance(version, int) or version > SCHEMA_VERSION:
            raise SchemaError(
                f"this partition has schema version {version!r}; this library reads up to {SCHEMA_VERSION}.",
                "install a newer fairgroups.",
            )
        try:
            if len(data["columns"]) > 1:
                from fairgroups.partition.boxes import BoxPartition

                return BoxPartition.from_plain(data)
            (name,) = data["columns"]
            groups = tuple(tuple(Interval.from_dict(box) for (box,) in group["boxes"]) for group in data["groups"])
            return cls(groups, name=str(name), missing=data["missing"])
        except (KeyError, TypeError, ValueError) as error:
            raise SchemaError(f"this partition is damaged: {error}.") from error

    def expr(self, column: str | None = None) -> Any:
        """Write a narwhals expression that gives the group's number, for any frame, lazy or not.

        Missing values give null, or the last group under ``missing="group"``.

        Parameters
        ----------
        column : str, optional
            The column's name; by default the partition's own.

        Examples
        --------
        >>> import narwhals as nw
        >>> import polars as pl
        >>> from fairgroups import Partition
        >>> people = pl.LazyFrame({"age": [20, 30, None]})
        >>> groups = Partition.from_edges([25], name="age")
        >>> nw.from_native(people).with_columns(group=groups.expr()).collect()["group"].to_list()
        [0, 1, None]
        """
        import narwhals as nw

        name = column if column is not None else self.name
        if not name:
            raise InputError("expr needs the column's name.", "say partition.expr('age').")
        firsts, owners = self.firsts()
        value = nw.col(name).cast(nw.Float64)
        number = nw.lit(int(owners[0]))
        for first, owner in zip(firsts.tolist(), owners[1:].tolist(), strict=True):
            number = nw.when(value >= first).then(nw.lit(owner)).otherwise(number)
        known = nw.when(~value.is_null() & ~value.is_nan()).then(number)
        return known.otherwise(nw.lit(len(self.groups))) if self.missing == "group" else known

    def to_sql(self, column: str | None = None) -> str:
        """Write a CASE expression that gives the group's number, for DuckDB and PostgreSQL.

        Parameters
        ----------
        column : str, optional
            The column's name, quoted here whatever it holds; by default the partition's own.

        Returns
        -------
        str
            An expression for a SELECT list. Missing values give NULL, or the last group under ``missing="group"``.
        """
        name = column if column is not None else self.name
        if not name:
            raise InputError("to_sql needs the column's name.", "say partition.to_sql('age').")
        value = sql_value(name)
        absent = str(len(self.groups)) if self.missing == "group" else "NULL"
        lines = [f"WHEN {value} IS NULL OR {value} = CAST('NaN' AS DOUBLE PRECISION) THEN {absent}"]
        segments = self._segments
        lines += [
            f"WHEN {value} {'<=' if part.high_closed else '<'} {sql_number(part.high)} THEN {k}"
            for part, k in segments[:-1]
        ]
        body = "\n  ".join(lines)
        return f"CASE\n  {body}\n  ELSE {segments[-1][1]}\nEND"

    def __repr__(self) -> str:
        return f"Partition({', '.join(self.labels)})"


def header() -> dict[str, Any]:
    """Give the fields that say what a JSON document is and who wrote it."""
    from fairgroups import __version__

    return {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, "library_version": __version__}


def dump(data: dict[str, Any], path: str | Path | None) -> str:
    """Write plain data as JSON, to a file if a path is given."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    if path is not None:
        write_atomically(path, text + "\n")
    return text


def shortest(borders: Sequence[float]) -> Any:
    """Choose how to write borders: exactly where they are short, else with six digits or as many as tell them apart."""
    digits = next((d for d in range(6, 18) if len({f"{x:.{d}g}" for x in borders}) == len(set(borders))), 17)

    def number(x: float) -> str:
        if x == int(x) and abs(x) < 1e15:
            text = str(int(x))
        elif len(repr(abs(x))) <= 9:
            text = repr(x)
        else:
            text = f"{x:.{max(digits, len(str(int(abs(x)))))}g}"
        return text.replace("-", "−") if abs(x) < 1e15 and "e" not in text else text

    return number
