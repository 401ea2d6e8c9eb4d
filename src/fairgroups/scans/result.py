"""Scan: what a scan found, as plain typed data. Everything a report shows is in here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from fairgroups.audits.document import schema_of
from fairgroups.audits.json_file import Written
from fairgroups.evidence.limit_verdict import LimitVerdict, worst_limit
from fairgroups.measures import Direction
from fairgroups.output import write_atomically
from fairgroups.scans.columns import ColumnCheck
from fairgroups.scans.conclusion import conclude
from fairgroups.scans.records import ScanLimit, ScannedAttribute, Step
from fairgroups.sources.frames import build_table

__all__ = ["Scan", "ScanFacts", "scan_schema"]


@dataclass(frozen=True)
class ScanFacts:
    """What was read, and how it was looked at.

    Attributes
    ----------
    source : str
        Where the data came from.
    outcome : str
        The outcome.
    n, dropped : int
        People, and rows that were left out for want of an outcome.
    overall : float
        Everybody's rate.
    percent : bool
        Whether it is a share.
    unit, rate : str
        What the rows are, and what the rate is called.
    direction : {"better", "worse", "neutral"}
        What a higher rate means for a person.
    given : tuple of str
        What is held equal.
    strata : int
        In how many strata; 0 without.
    alone : int
        How many people have nobody alike to be compared with.
    constant : bool
        Whether all have the same outcome.
    level : float
        Confidence level of everything together.
    min_cell : int
        Fewest people of a range or box.
    pairs : {"auto", "all", "none"}
        Which pairs were asked for.
    looked_at_pairs : int
        How many were looked at.
    p_value : float
        How often chance alone makes something, a column or a pair, as striking as the most striking of them.
    converted : tuple of str
        What was decided and converted when the table was read, in words.
    library : str
        The data-frame library that tables are given back in.
    """

    source: str
    outcome: str
    n: int
    dropped: int
    overall: float
    percent: bool
    unit: str
    rate: str
    direction: Direction
    given: tuple[str, ...]
    strata: int
    level: float
    min_cell: int
    pairs: Literal["auto", "all", "none"]
    looked_at_pairs: int
    p_value: float = 1.0
    converted: tuple[str, ...] = ()
    alone: int = 0
    constant: bool = False
    library: str = field(default="", metadata={"plain": False})

    @property
    def percent_level(self) -> str:
        """The level as it is written."""
        return f"{100 * self.level:.12g}%"

    @property
    def everybody(self) -> str:
        """What all rows together are called."""
        return "everybody" if self.unit == "people" else f"all {self.unit}"


@dataclass(frozen=True, eq=False, repr=False)
class Scan(Written):
    """What a scan found.

    Attributes
    ----------
    title : str or None
        What the report is called.
    data : ScanFacts
        What was read, and how.
    columns : tuple of ColumnCheck
        Every column: how it was read, and what was done with it.
    attributes : tuple of ScannedAttribute
        Every attribute that was looked at, the most striking first.
    pairs : tuple of ScannedAttribute
        Pairs that show more than each of their attributes alone, the most striking first.
    steps : tuple of Step
        The shortest list: each differs most among people alike in all before it, until nothing more is shown.
    limits : tuple of ScanLimit
        Whether each limit that was set is kept, and who exceeds it.
    call : str
        The Python call that repeats it.

    Examples
    --------
    >>> import fairgroups as fg
    >>> people = fg.make_synthetic(4000)
    >>> table = {"tone": people.sensitive, "letter": ["a", "b"] * 2000, "approved": people.outcome}
    >>> found = fg.scan(table, outcome="approved")
    >>> [one.said for one in found.shown]
    ['tone']
    """

    NOUN: ClassVar[str] = "scan"
    SCHEMA: ClassVar[str] = "fairgroups.scan"
    VERSION: ClassVar[int] = 5

    title: str | None
    data: ScanFacts
    columns: tuple[ColumnCheck, ...]
    attributes: tuple[ScannedAttribute, ...]
    pairs: tuple[ScannedAttribute, ...]
    steps: tuple[Step, ...]
    limits: tuple[ScanLimit, ...]
    call: str

    @property
    def shown(self) -> tuple[ScannedAttribute, ...]:
        """The attributes that are shown to matter."""
        return tuple(one for one in self.attributes if one.shown)

    @property
    def verdict(self) -> Literal["different", "not enough evidence"]:
        """Whether anything is shown to differ."""
        anything = self.steps or self.shown or any(pair.shown for pair in self.pairs)
        return "different" if anything else "not enough evidence"

    @property
    def conclusion(self) -> str:
        """The finding in plain words."""
        return conclude(self)

    @property
    def limit(self) -> LimitVerdict | None:
        """The worst of the answers to the limits."""
        return worst_limit([one.verdict for one in self.limits])

    def to_frame(self) -> Any:
        """Return the ranking as a table in the caller's library; a dict of lists where the data came from a file."""
        return build_table([_row(one) for one in (*self.attributes, *self.pairs)], self.data.library)

    def to_html(self, path: str | Path | None = None, *, command: str | None = None) -> str:
        """Return the scan as one HTML page that works offline, and write it to a file if a path is given."""
        from fairgroups.report.scan_page import render_scan

        return _written(render_scan(self, command=command), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Return the scan as Markdown, and write it to a file if a path is given."""
        from fairgroups.report.scan_markdown import scan_as_markdown

        return _written(scan_as_markdown(self), path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the ranking as CSV, and write it to a file if a path is given."""
        from fairgroups.report.groups_csv import as_csv

        return _written(as_csv([_row(one) for one in (*self.attributes, *self.pairs)]), path)

    def plot(self) -> Any:
        """Draw the ranked overview: the rate along each attribute and its most different place, on one scale."""
        from fairgroups.charts.scan import overview_chart

        return overview_chart(self)

    def __repr__(self) -> str:
        return f"Scan({self.conclusion!r})"

    def _repr_html_(self) -> str:
        from fairgroups.report.scan_page import scan_card

        return scan_card(self)


def _row(one: ScannedAttribute) -> dict[str, Any]:
    worst = one.worst
    return {
        "attribute": " × ".join(one.names) + (" (known or not)" if one.missing else ""),
        "place": one.place,
        "n": worst.n,
        "share": worst.share,
        "rate": worst.rate,
        "raw": worst.raw,
        "difference": worst.phi,
        "low": worst.low,
        "high": worst.high,
        "p_value": one.p_value,
        "verdict": one.verdict,
        "beyond": ", ".join(one.beyond),
        "alike": ", ".join(one.alike),
        "step": one.step,
        "remains": one.remains,
        "protected": ", ".join(one.protected),
    }


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        write_atomically(path, text)
    return text


def scan_schema() -> dict[str, Any]:
    """Return the JSON schema of what `Scan.to_json` writes; the package holds it as scan.schema.json too."""
    defs: dict[str, Any] = {}
    schema_of(Scan, defs)
    own = defs.pop("Scan")
    about = {"schema": {"const": Scan.SCHEMA}, "schema_version": {"const": Scan.VERSION}}
    properties = {**about, "library_version": {"type": "string"}, **own["properties"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scan by fairgroups",
        "description": f"What to_json writes, schema version {Scan.VERSION}. A number that does not exist is null.",
        **own,
        "properties": properties,
        "required": list(properties),
        "$defs": defs,
    }
