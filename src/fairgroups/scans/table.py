"""The table of a scan: which columns are looked at, which play another part, and the people whose outcome is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.engines.columns import collect, under_names
from fairgroups.errors import ColumnError, InputError
from fairgroups.options import Missing
from fairgroups.progress import on_two_threads
from fairgroups.quoting import quoted
from fairgroups.rows.column_kinds import Column, factor
from fairgroups.rows.column_values import one_column
from fairgroups.rows.rows import Rows
from fairgroups.scans.columns import ColumnCheck, ScannedColumn, read_column, unreadable
from fairgroups.scans.copies import without_copies
from fairgroups.scans.options import ScanOptions
from fairgroups.scans.persons import telling_of_persons
from fairgroups.sources.ages import age_column
from fairgroups.sources.frames import Table, ages_asked, column_names, is_lazy, library_beside, read_table, with_ages
from fairgroups.sources.source import OpenTable, Source

__all__ = ["ScanTable"]

MOST_ATTRIBUTES = 2_000


@dataclass(frozen=True)
class ScanTable:
    """The columns of the table that the scan needs, raw."""

    columns: dict[str, NDArray[Any]]
    attributes: tuple[str, ...]
    source: str
    library: str
    told: tuple[str, ...] = ()
    opened: OpenTable | None = None  # closed, and asked no more than how its rows are numbered

    def naming_rows(self) -> AbstractContextManager[None]:
        """Name rows in errors as the user sees them."""
        return nullcontext() if self.opened is None else self.opened.naming_rows()

    @property
    def n(self) -> int:
        """Count the rows."""
        return len(next(iter(self.columns.values())))

    @classmethod
    def read(cls, data: Any, options: ScanOptions) -> ScanTable:
        """Read the columns that are needed, of any table."""
        if isinstance(data, str | Path | Source):
            source = data if isinstance(data, Source) else Source(data)
            some: Sequence[str] = ()
            if options.names("attributes") or options.names("without"):  # others may be such as cannot be read
                with source.opened(as_text=True) as plain:
                    _, some = _wanted(list(plain.relation.columns), options)
            with source.opened(some, verbose=options.verbose) as opened:
                relation = opened.relation
                attributes, wanted = _wanted(list(relation.columns), options)
                if source.is_database and not hasattr(relation, "fetchnumpy"):
                    held = dict(_collected(relation, wanted).columns)
                else:
                    held = dict(relation.project(", ".join(map(quoted, wanted))).fetchnumpy())
                types = dict(zip(relation.columns, map(str, getattr(relation, "types", ())), strict=False))
            zoned = [name for name in attributes if types.get(name) == "TIMESTAMP WITH TIME ZONE"]
            told = [*opened.told, *(f"{name}: its times have a zone, and are told in UTC." for name in zoned)]
            return cls(held, attributes, source.said, "", tuple(told), opened)
        try:
            names = list(data) if isinstance(data, Mapping) else column_names(data)
        except TypeError:
            raise InputError(
                f"cannot read a table from {type(data).__name__!r}.",
                "pass a data frame, a mapping of column names to values, or the path of a CSV or Parquet file.",
            ) from None
        except Exception as error:  # whatever a library says of names that come twice
            raise InputError(
                f"cannot read the table: {' '.join(str(error).split())[:200]}", "use each column name once."
            ) from error
        attributes, wanted = _wanted(names, options)
        if is_lazy(data):
            found = _collected(data, wanted)
            return cls(dict(found.columns), attributes, "a table in another engine", found.library, found.told)
        try:
            table = read_table(data, wanted)
        except (TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"cannot read the table: {' '.join(str(error).split())[:200]}") from error
        held = {
            name: values for name in wanted if (values := _array(name, table.columns[name], attributes)) is not None
        }
        sizes = {name: len(values) for name, values in held.items()}
        if len(set(sizes.values())) > 1:
            raise InputError(f"columns differ in length: {sizes}.", "pass columns of one table.")
        return cls(held, attributes, "a table in memory", table.library, table.told)

    def people(self, options: ScanOptions) -> Rows:
        """Return the people whose outcome is known."""
        outcome = self.columns[options.outcome]
        used = {role: getattr(options, role) for role in ("truth", "weight", "cluster") if getattr(options, role)}
        roles: dict[str, Any] = {role: self.columns[name] for role, name in used.items()}
        someone = Column("", np.zeros(len(outcome)))
        missing: Missing = "drop" if options.missing == "drop" else "group"
        names = {"outcome": options.outcome, **used}
        asked = {"positive": options.positive, "threshold": options.threshold}
        return Rows.from_columns([someone], outcome, **roles, **asked, missing=missing, names=names).centred()

    def checked(self, rows: Rows, options: ScanOptions) -> list[ScannedColumn]:
        """Return the columns that may be looked at, of those people; each says whether it is."""

        def read(name: str) -> ScannedColumn:
            known = name in self.columns
            return read_column(self._of(name, rows), name) if known else unreadable(name, rows.size)

        asked = options.names("attributes")
        columns = without_copies(on_two_threads(read, self.attributes), rows.outcome, options.outcome, asked)
        if options.cluster is not None:
            return columns
        return telling_of_persons(columns, {name: self._of(name, rows) for name in self.columns}, asked)

    def without_codes(self, checks: Sequence[ColumnCheck]) -> ScanTable:
        """Return the table with codes and words that stand for nothing taken as missing."""
        columns = dict(self.columns)
        for check in checks:
            raw = columns.get(check.name)
            if check.used and check.kind == "number" and raw is not None and (check.codes or raw.dtype.kind in "OUT"):
                columns[check.name] = read_column(raw, check.name).values
        return replace(self, columns=columns)

    def factors(self, rows: Rows, options: ScanOptions) -> tuple[Column, ...]:
        """Return what is held equal."""
        return tuple(factor(self._of(name, rows), name) for name in options.names("given"))

    def _of(self, name: str, rows: Rows) -> NDArray[Any]:
        raw = self.columns[name]
        return raw if rows.index is None else raw[rows.index]


def _array(name: str, values: Any, attributes: Sequence[str]) -> NDArray[Any] | None:
    """Return a column as an array; None for an attribute that is none."""
    try:
        found = one_column(values)
    except Exception as error:  # whatever a library says of values it cannot give
        if name in attributes:
            return None
        raise InputError(f"{name!r} cannot be read: {' '.join(str(error).split())[:200]}") from error
    return found


def _collected(frame: Any, wanted: Sequence[str]) -> Table:
    import narwhals as nw

    ages = ages_asked(wanted, column_names(frame))
    ours = {f"c{i}": ages[name].birth if name in ages else name for i, name in enumerate(wanted)}
    held = collect(nw.from_native(under_names(frame, ours)))
    columns = {name: held[new] for new, name in zip(ours, wanted, strict=True)}
    return with_ages(columns, library_beside(frame), ages)


def _wanted(names: Sequence[str], options: ScanOptions) -> tuple[tuple[str, ...], list[str]]:
    """Return the columns to look at, and all that are needed."""
    given, asked = options.names("given"), options.names("attributes")
    for name in (*options.roles, *given, *asked, *options.names("without")):
        if name not in names and ((age := age_column(name)) is None or age.birth not in names):
            raise ColumnError(name, names)
    other = {*options.roles, *given}
    for name in asked:
        if name in other:
            raise InputError(f"{name!r} cannot be looked at and play another part.", "leave it out of one of them.")
    left = {*other, *options.names("without")}
    attributes = tuple(name for name in (asked or names) if name not in left)
    if not attributes:
        both = [name for name in asked if name in options.names("without")]
        hint = f"{both[0]!r} is both asked for and left out." if both else "pass a table with more columns."
        raise InputError("there is no column to look at besides the outcome.", hint)
    if len(attributes) > MOST_ATTRIBUTES:
        raise InputError(
            f"the table has {len(attributes):,} columns to look at; at most {MOST_ATTRIBUTES:,} are.",
            "name those that may matter: attributes= (--attributes).",
        )
    return attributes, list(dict.fromkeys([*options.roles, *given, *attributes]))
