"""Partition: the groups, as a value that everything else passes on.

A partition holds all that assigning a new person to a group needs, and nothing else. It is frozen, compares by value,
and travels as JSON, as a narwhals expression or as SQL.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.errors import InputError, MissingValuesError, SchemaError
from fairgroups.options import MISSING, Missing, one_of
from fairgroups.output import read_text, write_atomically
from fairgroups.partition.membership import absent_expr, absent_sql, inside, inside_expr, inside_sql
from fairgroups.partition.sides import Box, Interval, Levels, Numbers, Side, shortest, side_from_dict
from fairgroups.partition.tiling import check_tiling
from fairgroups.rows.column_kinds import Column, category, number_column
from fairgroups.rows.column_values import one_column
from fairgroups.sources.frames import column_names, read_table

__all__ = ["Partition"]

SCHEMA = "fairgroups/partition"
SCHEMA_VERSION = 1


@dataclass(frozen=True, repr=False)
class Partition:
    """Groups of one or several sensitive attributes; together they hold every value exactly once.

    A group is made of boxes, usually one, and a box has one side for each attribute: an `Interval` of a number, or
    `Levels` of a category. Groups of one attribute are ordered by their smallest value; outermost ranges are open, so
    values beyond those seen belong to them. Build one with `from_edges`, `from_boxes`, by a search, or from JSON.

    Parameters
    ----------
    columns : tuple of str
        The attributes' names.
    groups : tuple of tuples of boxes
        The boxes of each group.
    missing : {"error", "drop", "group"}
        What `assign` does with rows that miss a value: raise, give −1, or give the last group, which exists for that.

    Examples
    --------
    >>> from fairgroups import Interval, Partition
    >>> young_and_old = Partition.from_edges([25, 45], name="age")
    >>> young_and_old.labels
    ('age < 25', '25 ≤ age < 45', 'age ≥ 45')
    >>> young_and_old.assign([24.9, 25, 80]).tolist()
    [0, 1, 2]
    >>> dark_and_yellow = Partition.from_boxes(
    ...     ("L*", "h*"),
    ...     [
    ...         (Interval(high=60), Interval(high=55)),
    ...         (Interval(high=60), Interval(55)),
    ...         (Interval(60), Interval()),
    ...     ],
    ... )
    >>> dark_and_yellow.labels
    ('L* < 60 and h* < 55', 'L* < 60 and h* ≥ 55', 'L* ≥ 60')
    >>> dark_and_yellow.assign([[50, 60], [70, 10]]).tolist()
    [1, 2]
    """

    columns: tuple[str, ...]
    groups: tuple[tuple[Box, ...], ...]
    missing: Missing = "error"

    def __post_init__(self) -> None:
        one_of(self.missing, "missing", MISSING)
        if not self.columns or not self.groups or any(not group for group in self.groups):
            raise InputError("a partition needs at least one column and one group, and each group at least one box.")
        if any(len(box) != len(self.columns) for box in self._boxes):
            raise InputError(f"each box needs one side for each of the {len(self.columns)} columns.")
        check_tiling(self.columns, self._boxes)
        if self.is_line:
            order = list(dict.fromkeys(k for _, k in self._segments))
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
        name : str
            What the attribute is called; used in labels.
        missing
            See `Partition`.

        Returns
        -------
        Partition
        """
        one_of(closed, "closed", ("left", "right"))
        try:
            borders = [float(edge) + 0.0 for edge in edges]
        except (TypeError, ValueError, OverflowError) as error:
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
        return cls((name,), tuple(tuple((part,) for part in group) for group in groups), missing)

    @classmethod
    def from_boxes(
        cls, columns: Sequence[str], boxes: Iterable[Sequence[Side]], *, missing: Missing = "error"
    ) -> Partition:
        """Make each box a group.

        Parameters
        ----------
        columns : sequence of str
            The attributes' names.
        boxes : iterable
            For each group one side for each attribute: an `Interval`, or `Levels` of a category.
        missing
            See `Partition`.

        Returns
        -------
        Partition
        """
        return cls(tuple(columns), tuple((tuple(box),) for box in boxes), missing)

    @property
    def _boxes(self) -> list[Box]:
        return [box for group in self.groups for box in group]

    @property
    def is_line(self) -> bool:
        """Whether the groups are ranges of one number."""
        return len(self.columns) == 1 and isinstance(self.groups[0][0][0], Interval)

    @property
    def n_groups(self) -> int:
        """The number of groups, the one of missing values included."""
        return len(self.groups) + (self.missing == "group")

    @property
    def connected(self) -> bool:
        """Whether every group is in one piece."""
        return all(len(group) == 1 for group in self.groups)

    @property
    def name(self) -> str:
        """The attributes' names, joined."""
        return " × ".join(self.columns)

    @property
    def edges(self) -> tuple[float, ...]:
        """The inner borders of one attribute, from left to right."""
        return tuple(interval.low for interval, _ in self._segments[1:])

    @property
    def labels(self) -> tuple[str, ...]:
        """Each group's name: its conditions."""
        number = [shortest(self._ends(d)) for d in range(len(self.columns))]
        names = [" or ".join(self._describe(box, number) for box in group) for group in self.groups]
        if self.missing == "group":
            names.append(f"{' or '.join(name or 'x' for name in self.columns)} missing")
        return tuple(names)

    def said(self, names: Sequence[str], whole: Sequence[Numbers], *, verb: str = "") -> tuple[str, ...]:
        """Return each group as people say it: ``age 22 to 24``, or ``age is 22 to 24`` with a verb.

        Parameters
        ----------
        names : sequence of str
            What the attributes are called.
        whole : sequence of bool, or of pairs of numbers
            Which of them hold whole numbers only; for one that holds two neighbours only, as 0 and 1, these two.
        verb : str
            Stands between a name and its values, where people "whose" values these are are spoken of.

        Returns
        -------
        tuple of str
        """
        number = [shortest(self._ends(d)) for d in range(len(self.columns))]
        between, joined, other = (f" {verb} ", " and whose ", " or whose ") if verb else (" ", ", ", " or ")

        def box_said(box: Box) -> str:
            conditions = [
                f"{names[d] or 'x'}{' = ' if not verb and side.only(whole[d]) is not None else between}"
                f"{side.said(number[d], whole=whole[d], among=sorted(self._levels(d)))}"
                for d, side in enumerate(box)
                if not self._is_everything(d, side)
            ]
            return joined.join(conditions) or ("all others" if self.missing == "group" else "everybody")

        out = [other.join(box_said(box) for box in group) for group in self.groups]
        if self.missing == "group":
            out.append(f"{' or '.join(name or 'x' for name in names)}{between}missing")
        return tuple(out)

    def _describe(self, box: Box, number: Sequence[Any]) -> str:
        conditions = [
            side.describe(name or "x", number[d])
            for d, (name, side) in enumerate(zip(self.columns, box, strict=True))
            if not self._is_everything(d, side)
        ]
        if conditions:
            return " and ".join(conditions)
        return "everybody" if len(self.columns) > 1 else f"all {self.columns[0] or 'x'}"

    def _ends(self, d: int) -> list[float]:
        sides = [box[d] for box in self._boxes]
        return [x for side in sides if isinstance(side, Interval) for x in (side.low, side.high) if math.isfinite(x)]

    def _levels(self, d: int) -> set[str]:
        return {name for box in self._boxes if isinstance(side := box[d], Levels) for name in side.names}

    def _is_everything(self, d: int, side: Side) -> bool:
        if isinstance(side, Levels):
            return set(side.names) == self._levels(d)
        return side.low == -math.inf and side.high == math.inf

    @property
    def _segments(self) -> list[tuple[Interval, int]]:
        if not self.is_line:
            raise InputError(f"the groups of {self.name} are boxes: they have no order along one number.")
        return sorted((box[0], k) for k, group in enumerate(self.groups) for box in group)  # type: ignore[misc]

    def ranges(self, k: int) -> list[Interval]:
        """Return the ranges of one attribute that make group k; none for the group of missing values."""
        if not self.is_line or k >= len(self.groups):
            return []
        return [box[0] for box in self.groups[k]]  # type: ignore[misc]

    def borders(self, d: int = 0) -> NDArray[np.float64]:
        """Return the first values at which something begins along one attribute, in order; none of a category."""
        starts = {side.start for box in self._boxes if isinstance(side := box[d], Interval)} - {(-math.inf, 1)}
        # "x > b" is "x ≥ the next number after b", so one comparison serves both kinds of border.
        firsts = {x if after == 0 else float(np.nextafter(x, math.inf)) for x, after in starts}
        return np.array(sorted(firsts), dtype=np.float64)

    def assign(self, values: Any) -> NDArray[np.intp]:
        """Return the number of each row's group.

        Parameters
        ----------
        values : array-like, frame or mapping
            The values; of several attributes a frame or mapping by name, or an array with a column for each in order.

        Returns
        -------
        array of int
        """
        return self.codes([self._read(x, d) for d, x in enumerate(self._given_columns(values))])

    def _read(self, values: NDArray[Any], d: int) -> Column:
        name = self.columns[d] or "x"
        return category(values, name) if isinstance(self.groups[0][0][d], Levels) else number_column(values, name)

    def _given_columns(self, values: Any) -> Sequence[NDArray[Any]]:
        if isinstance(values, Mapping) or hasattr(values, "columns"):
            there = list(values) if isinstance(values, Mapping) else column_names(values)
            alone = len(self.columns) == 1 and len(there) == 1  # whatever it is called
            names = [str(there[0])] if alone else list(self.columns)
            table = read_table(values, names).columns
            return [one_column(table[name]) for name in names]
        if len(self.columns) == 1:
            return [one_column(values)]
        array = np.array(values, dtype=object) if isinstance(values, list | tuple) else np.asarray(values)
        if array.ndim != 2 or array.shape[1] != len(self.columns):
            raise InputError(f"{len(self.columns)} columns are needed; got an array of shape {array.shape}.")
        return [array[:, d] for d in range(len(self.columns))]

    def codes(self, columns: Sequence[Column]) -> NDArray[np.intp]:
        """Return the number of each row's group from columns that are read already; see `assign`."""
        absent = np.logical_or.reduce([np.isnan(column.values) for column in columns])
        if self.is_line:
            found = self._owners[np.searchsorted(self.borders(), columns[0].values, side="right")]
        else:
            found = np.full(absent.size, -1, dtype=np.intp)
            for k, group in enumerate(self.groups):
                for box in group:
                    sides = zip(box, columns, strict=True)
                    found[np.logical_and.reduce([inside(side, column) for side, column in sides])] = k
        unknown = ~absent & (found < 0)
        if self.missing == "error" and (unknown.any() or absent.any()):
            self._refuse(unknown, absent, columns)
        if unknown.any() or absent.any():
            found[absent | unknown] = -1 if self.missing == "drop" else len(self.groups)
        return found

    def _refuse(self, unknown: NDArray[np.bool_], absent: NDArray[np.bool_], columns: Sequence[Column]) -> None:
        if unknown.any():
            row = int(unknown.argmax())
            held = [str(c.text[row] if c.levels is not None else c.values[row]) for c in columns]
            raise InputError(
                f"{unknown.sum()} row(s) hold a level that was not seen when the groups were made, the first in row "
                f"{row}: {held}.",
                "fit with missing='drop' or 'group' to treat such rows as missing.",
            )
        raise MissingValuesError(
            f"{absent.sum()} value(s) of {', '.join(repr(name or 'x') for name in self.columns)} are missing (NaN), "
            f"the first in row {absent.argmax()}.",
            "fit with missing='drop' to give them −1, or missing='group' to give them a group.",
        )

    @property
    def _owners(self) -> NDArray[np.intp]:
        return np.array([k for _, k in self._segments], dtype=np.intp)

    def runs(self, ordered: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return where groups begin in sorted values, and which ones, without looking at each value."""
        starts = np.concatenate([[0], np.searchsorted(ordered, self.borders())])
        holds = np.diff(starts, append=ordered.size) > 0
        return starts[holds], self._owners[holds]

    def to_dict(self) -> dict[str, Any]:
        """Return the partition as plain data, ready for JSON."""
        from fairgroups import __version__

        groups = [
            {"label": label, "boxes": [[side.to_dict() for side in box] for box in group]}
            for label, group in zip(self.labels, self.groups, strict=False)
        ]
        about = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, "library_version": __version__}
        return {**about, "columns": list(self.columns), "missing": self.missing, "groups": groups}

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the partition as JSON, and write it to a file if a path is given; `from_json` reads it back, equal."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)
        if path is not None:
            write_atomically(path, text + "\n")
        return text

    @classmethod
    def from_json(cls, text: str | bytes) -> Partition:
        """Build a partition from the JSON that `to_json` returned."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SchemaError(f"this is not JSON: {error}.", "Partition.read takes the path of a file.") from error
        return cls.from_dict(data)

    @classmethod
    def read(cls, path: str | Path) -> Partition:
        """Read a file that `to_json` wrote."""
        return cls.from_json(read_text(path))

    @classmethod
    def from_dict(cls, data: Any) -> Partition:
        """Build a partition from what `to_dict` returned."""
        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            raise SchemaError(f"this is not a partition: its schema is not {SCHEMA!r}.")
        version = data.get("schema_version")
        if not isinstance(version, int) or version > SCHEMA_VERSION:
            newer = "install a newer fairgroups." if isinstance(version, int) else "write it again with to_json."
            fact = f"this partition has schema version {version!r}; this library reads up to {SCHEMA_VERSION}."
            raise SchemaError(fact, newer)
        try:
            groups = tuple(
                tuple(tuple(side_from_dict(side) for side in box) for box in group["boxes"]) for group in data["groups"]
            )
            return cls(tuple(map(str, data["columns"])), groups, data["missing"])
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise SchemaError(f"this partition is damaged: {error}.") from error

    def expr(self, columns: str | Sequence[str] | None = None) -> Any:
        """Return a narwhals expression that gives the group's number, for any frame, lazy or not.

        Missing values give null, or the last group under ``missing="group"``; so do levels never seen.

        Parameters
        ----------
        columns : str or sequence of str, optional
            The columns' names; by default the partition's own.

        Returns
        -------
        narwhals.Expr

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

        names = self._names(columns, "expr")
        sides = self.groups[0][0]
        absent = nw.any_horizontal(
            *(absent_expr(side, name) for side, name in zip(sides, names, strict=True)), ignore_nulls=False
        )
        held = ~absent
        for d, (side, name) in enumerate(zip(sides, names, strict=True)):
            if isinstance(side, Levels):  # a level never seen is in no group
                held = held & inside_expr(Levels(tuple(sorted(self._levels(d)))), name)[0]
        every = [(k, box) for k, group in enumerate(self.groups) for box in group]
        number: Any = nw.lit(every[-1][0])  # boxes hold every value exactly once: what is in no other is in the last
        for k, box in reversed(every[:-1]):
            tests = [part for side, name in zip(box, names, strict=True) for part in inside_expr(side, name)]
            number = nw.when(*tests).then(nw.lit(k)).otherwise(number)
        known = nw.when(held).then(number)
        return known.otherwise(nw.lit(len(self.groups))) if self.missing == "group" else known

    def to_sql(self, columns: str | Sequence[str] | None = None) -> str:
        """Return a CASE expression that gives the group's number, for DuckDB and PostgreSQL.

        Missing values give NULL, or the last group under ``missing="group"``; so do levels never seen.

        Parameters
        ----------
        columns : str or sequence of str, optional
            The columns' names, quoted here whatever they hold; by default the partition's own.

        Returns
        -------
        str
            An expression for a SELECT list.
        """
        names = self._names(columns, "to_sql")
        nobody = str(len(self.groups)) if self.missing == "group" else "NULL"
        absent = " OR ".join(absent_sql(side, name) for side, name in zip(self.groups[0][0], names, strict=True))
        lines = [f"WHEN {absent} THEN {nobody}"]
        for k, group in enumerate(self.groups):
            for box in group:
                tests = [test for side, name in zip(box, names, strict=True) for test in inside_sql(side, name)]
                lines.append(f"WHEN {' AND '.join(tests) or 'TRUE'} THEN {k}")
        body = "\n  ".join(lines)
        return f"CASE\n  {body}\n  ELSE {nobody}\nEND"

    def _names(self, columns: str | Sequence[str] | None, what: str) -> list[str]:
        names = [columns] if isinstance(columns, str) else list(columns if columns is not None else self.columns)
        if len(names) != len(self.columns):
            raise InputError(f"{len(self.columns)} column names are needed; got {len(names)}.")
        if not all(names):
            raise InputError(f"{what} needs the column's name.", f"say partition.{what}('age').")
        return names

    def __repr__(self) -> str:
        return f"Partition({', '.join(self.labels) if len(self.columns) == 1 else '; '.join(self.labels)})"
