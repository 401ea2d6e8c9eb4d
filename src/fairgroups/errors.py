"""What can go wrong, as a tree.

::

    FairGroupsError
    ├── OutputError (OSError)           a file cannot be written; what was there before is intact
    └── InputError (ValueError)         the data or an option cannot be used; says what to do
        ├── ColumnError (KeyError)      a column is not there
        ├── MissingValuesError          values are missing and no policy was chosen
        ├── NeedsRows                   counts cannot answer; reading then takes the rows
        └── SchemaError                 a JSON file is not ours, or newer than this library

    FairnessWarning (UserWarning)       a repair leaves more than chance explains
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

__all__ = [
    "ColumnError",
    "FairGroupsError",
    "FairnessWarning",
    "InputError",
    "MissingValuesError",
    "NeedsRows",
    "OutputError",
    "SchemaError",
]


class FairGroupsError(Exception):
    """Any error that fairgroups raises on purpose.

    Examples
    --------
    >>> import fairgroups as fg
    >>> try:
    ...     fg.Partition.from_edges([3, 1])
    ... except fg.FairGroupsError as error:
    ...     print(str(error).splitlines()[0])
    edges must be finite and increasing; got [3.0, 1.0].
    """


class FairnessWarning(UserWarning):
    """A repair leaves more dependence on the attribute than chance and the allowed gap explain.

    Examples
    --------
    >>> import warnings
    >>> import fairgroups as fg
    >>> warnings.simplefilter("error", fg.FairnessWarning)  # to stop a pipeline there
    >>> warnings.simplefilter("default", fg.FairnessWarning)
    """


class OutputError(FairGroupsError, OSError):
    """A file cannot be written; what was there before is intact.

    Examples
    --------
    >>> import fairgroups as fg
    >>> issubclass(fg.OutputError, OSError)
    True
    """


class InputError(FairGroupsError, ValueError):
    """The data or an option cannot be used as given.

    Examples
    --------
    >>> import fairgroups as fg
    >>> try:
    ...     fg.make_synthetic(0)
    ... except fg.InputError as error:
    ...     print(str(error).splitlines()[0])
    `n` must be at least 1; got 0.
    """

    def __init__(self, fact: str, hint: str | None = None, *, row: int | None = None, shown: str | None = None) -> None:
        self.hint = hint
        self.row = row  # which row of the data, from 0; the fact says ⟨row⟩ where it is to be named
        self._fact = fact
        where = f"row {row} (the first row is 0)" if shown is None else shown
        self.fact = fact if row is None else fact.replace("⟨row⟩", where)
        super().__init__(self.fact if hint is None else f"{self.fact}\nHint: {hint}")

    def with_row(self, shown: str) -> InputError:
        """Return the same error with its row named as the user sees it: "row 14 of the sheet"."""
        if self.row is None:
            return self
        return type(self)(self._fact, self.hint, row=self.row, shown=shown)


def _plain(name: str) -> str:
    """Return a name without what people forget: capitals, spaces, dashes."""
    return re.sub(r"[\W_]+", "", name).casefold()


NUMBERED = "names are text: give numbered columns names first, such as data.columns = [f'c{i}' for i in data.columns]."


class ColumnError(InputError, KeyError):
    """A column that was named is not in the data.

    Examples
    --------
    >>> import fairgroups as fg
    >>> try:
    ...     fg.audit({"age": [1], "hired": [1]}, sensitive="agee", outcome="hired")
    ... except fg.ColumnError as error:
    ...     print(str(error).splitlines()[0])
    there is no column 'agee' in the data.
    """

    def __init__(self, name: str, available: Iterable[Any]) -> None:
        columns = [str(column) for column in available]
        plain = {_plain(column): column for column in reversed(columns)}
        near = [plain[_plain(name)]] if _plain(name) in plain else difflib.get_close_matches(name, columns, n=1)
        near = near or [column for column in columns if _plain(name) and _plain(column).startswith(_plain(name))]
        shown = ", ".join(columns[:30]) + (", …" if len(columns) > 30 else "")
        hint = f"did you mean {near[0]!r}? The columns are: {shown}" if near else f"the columns are: {shown}"
        joined = next((mark for mark in (",", ";", "\t", "|") if len(columns) == 1 and mark in columns[0]), None)
        if joined is not None and not near:
            hint = (
                f"the only column is {columns[0]!r}; if that is the first line of a file, its rows do not all have as "
                "many parts."
            )
        if not columns:
            hint = "the table has no columns."
        if name in columns:  # and not among the names themselves
            hint = NUMBERED
        super().__init__(f"there is no column {name!r} in the data.", hint)

    __str__ = ValueError.__str__  # KeyError would show the message's repr


class MissingValuesError(InputError):
    """Values are missing and the policy is to stop.

    Examples
    --------
    >>> import fairgroups as fg
    >>> try:
    ...     fg.audit({"age": [1.0, float("nan")], "hired": [0, 1]}, sensitive="age", outcome="hired")
    ... except fg.MissingValuesError as error:
    ...     print(str(error).splitlines()[0])
    'age' holds 1 missing value(s) (NaN), the first in row 1 (the first row is 0).
    """


class NeedsRows(InputError):  # noqa: N818  it is caught, and rows are read instead
    """Counts of people cannot answer what is asked: the rows themselves are needed."""


class SchemaError(InputError):
    """A JSON document is not one of ours, is damaged, or was written by a newer version.

    Examples
    --------
    >>> import fairgroups as fg
    >>> try:
    ...     fg.Partition.from_json('{}')
    ... except fg.SchemaError as error:
    ...     print(str(error).splitlines()[0])
    this is not a partition: its schema is not 'fairgroups/partition'.
    """
