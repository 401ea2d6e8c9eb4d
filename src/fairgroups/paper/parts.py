"""What a reproduction is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Figure", "Part", "Table", "number"]


@dataclass(frozen=True)
class Table:
    """Numbers: `rows` of texts under `header`, and the `calls` that gave them.

    Examples
    --------
    >>> from fairgroups.paper import Table
    >>> Table("Two numbers.", ("a", "b"), [("1", "2")], "f(1)").header
    ('a', 'b')
    """

    caption: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    calls: str


@dataclass(frozen=True)
class Figure:
    """A chart: `name` for a file, `caption` for a reader.

    Examples
    --------
    >>> from fairgroups.paper import Figure
    >>> Figure("rates", "Rates by age.", chart=None).name
    'rates'
    """

    name: str
    caption: str
    chart: Any


@dataclass(frozen=True)
class Part:
    """A piece of the paper: what it says (`text`), its tables and figures.

    Examples
    --------
    >>> from fairgroups.paper import Part
    >>> Part("Table 1", ["What it says."]).tables
    []
    """

    title: str
    text: list[str]
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)


def number(value: float, digits: int = 3) -> str:
    """Write a number with so many digits after the point, and a dash where there is none."""
    return "–" if value != value else f"{value:.{digits}f}".replace("-", "−")  # noqa: PLR0124  NaN is not itself
