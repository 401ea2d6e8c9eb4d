"""Audit: what an audit found. Everything a report shows is in here."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairgroups import __version__
from fairgroups.checks.run import Checks
from fairgroups.evidence.band import Band
from fairgroups.evidence.gaps import Spread
from fairgroups.evidence.judge import How
from fairgroups.evidence.verdict import Gate
from fairgroups.grouping.selection import Selection
from fairgroups.measures import Direction, Measure
from fairgroups.output import write_atomically
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.rows.rows import Rows
from fairgroups.sources.frames import Table

if TYPE_CHECKING:
    from fairgroups.repair.tradeoff import Tradeoff

__all__ = ["Audit", "Material", "Replication"]

SCHEMA = "fairgroups/audit"
SCHEMA_VERSION = 2


@dataclass(frozen=True)
class Replication:
    """The groups that the other half of the rows found, judged on the half that found those shown.

    `records` are as those of an `Audit`; `rand` says how far the two sets of groups agree on who belongs together.
    """

    records: list[dict[str, Any]]
    partition: Partition | BoxPartition
    rand: float


@dataclass(frozen=True)
class Material:
    """What an audit rests on, for whoever wants to look further.

    `rows` are all people, `judging` those on whom the groups were judged, `how` the way they were; `offset` was taken
    off the outcomes; `steps` are the groups that the search found with 1, 2, … of them, in several dimensions.
    """

    rows: Rows
    judging: Rows
    how: How
    favourable: bool | None
    offset: float = 0.0
    steps: tuple[BoxPartition, ...] = ()


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    Attributes
    ----------
    records : list of dict
        One per group: ``label``, ``n`` people, ``counted`` of them in the measure's denominator, ``share``,
        ``rate`` with ``rate_low`` and ``rate_high``, ``phi`` with ``low``
        and ``high``, ``detectable``, the smallest harmful Φ that would have been shown (NaN where none could),
        ``violation``, the share times the size of Φ (Kearns et al.), ``ratio`` to the best group's rate with
        ``ratio_low`` and ``ratio_high``, and ``verdict``.
    partition : Partition or BoxPartition
        The groups.
    conclusion : str
        The finding in plain words.
    overall : float
        Everybody's rate.
    variance, explained : float
        Var Φ, and the share of all dependence on the attribute that the groups capture.
    variance_interval, gap : Spread
        Var Φ and the difference between the highest and the lowest rate, with intervals that hold although the groups
        were searched for.
    path : list of float
        The largest variance with 1, 2, … groups; empty when the groups were given.
    selection : Selection or None
        How the number of groups was chosen, with the whole curve.
    gate : str or None
        With a limit: "kept", "exceeded" or "not enough evidence".
    band : Band or None
        Judges any other range: ``audit.band.interval(20, 30)``. None for inference other than ``"band"``.
    curve : list of dict
        The rate along the attribute, or over the plane of the first two, for charts.
    detectable : list of dict
        For ranges with a ``share`` of the people, the smallest difference from everybody, ``gap``, that this sample
        would have shown.
    replication : Replication or None
        With cross-fitting: the other half's groups.
    checks : Checks
        Second opinions: permutation test, monotonicity, stability of borders, amplification.
    notes : list of str
        What a reader should know.
    parts : tuple of Audit
        For measures of several rates, such as equalized odds: one audit for each rate, in the same groups. The audit
        itself is the first of them, with the joint conclusion.
    settings, data : dict
        What was asked, and what was read.
    material : Material
        The rows, for charts and pages that look further.

    Examples
    --------
    >>> import fairgroups as fg
    >>> data = fg.make_synthetic(5000)
    >>> found = fg.audit({"L": data.sensitive, "Y": data.outcome}, sensitive="L", outcome="Y", checks=False)
    >>> found.records[0]["verdict"], found.partition.n_groups
    ('disadvantaged', 5)
    """

    records: list[dict[str, Any]]
    partition: Partition | BoxPartition
    measure: Measure
    direction: Direction
    conclusion: str
    overall: float
    variance: float
    variance_interval: Spread
    gap: Spread
    explained: float
    path: list[float]
    selection: Selection | None
    gate: Gate | None
    band: Band | None
    curve: list[dict[str, float]]
    detectable: list[dict[str, float]]
    replication: Replication | None
    checks: Checks
    notes: list[str]
    settings: dict[str, Any]
    data: dict[str, Any]
    table: Table = field(repr=False)
    material: Material = field(repr=False)
    parts: tuple[Audit, ...] = ()

    @property
    def groups(self) -> Any:
        """Give the groups as a table, in the library of the data that was audited."""
        return self.table.build({key: [record[key] for record in self.records] for key in self.records[0]})

    @property
    def tables(self) -> dict[str, Any]:
        """Give every table of the audit, in the library of the data that was audited.

        ``groups``; ``selection``, the curve that the number of groups was chosen on; ``detectable``; ``replication``,
        the other half's groups; ``borders`` with their intervals; ``amplification``. What does not apply is absent.
        """
        checks = self.checks
        found = {
            "groups": self.records,
            "selection": None if self.selection is None else self.selection.curve,
            "detectable": self.detectable,
            "replication": None if self.replication is None else self.replication.records,
            "borders": None if checks.stability is None else checks.stability.cuts,
            "amplification": None if checks.amplification is None else checks.amplification.records,
        }
        return {
            name: self.table.build({key: [row[key] for row in rows] for key in rows[0]})
            for name, rows in found.items()
            if rows
        }

    def to_dict(self) -> dict[str, Any]:
        """Give the whole audit as plain data; NaN becomes None."""
        plain: dict[str, Any] = _plain(
            {
                "schema": SCHEMA,
                "schema_version": SCHEMA_VERSION,
                "library_version": __version__,
                "conclusion": self.conclusion,
                "gate": self.gate,
                "overall_rate": self.overall,
                "variance": self.variance,
                "variance_interval": asdict(self.variance_interval),
                "gap": asdict(self.gap),
                "explained": self.explained,
                "path": self.path,
                "selection": None if self.selection is None else asdict(self.selection),
                "groups": self.records,
                "partition": self.partition.to_dict(),
                "detectable": self.detectable,
                "replication": self.replication
                and {
                    "groups": self.replication.records,
                    "partition": self.replication.partition.to_dict(),
                    "rand": self.replication.rand,
                },
                "checks": asdict(self.checks),
                "curve": self.curve,
                "notes": self.notes,
                "settings": self.settings,
                "data": self.data,
                "parts": [part.to_dict() for part in self.parts],
            }
        )
        return plain

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the audit as JSON, to a file if a path is given, and give the text."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)
        if path is not None:
            write_atomically(path, text + "\n")
        return text

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        repair: Tradeoff | None = None,
        scales: Mapping[str, Partition] | None = None,
        command: str | None = None,
    ) -> str:
        """Write the audit as one HTML page that works offline, to a file if a path is given, and give the text.

        Parameters
        ----------
        path : path, optional
            Where to write it.
        repair : Tradeoff, optional
            What `tradeoff` found for repairs of the score: gets a section of its own.
        scales : mapping, optional
            Names and published or usual groups, such as ``{"law": Partition.from_edges([25, 45])}``, that a reader may
            compare the groups with.
        command : str, optional
            The command line that made it, to be shown.
        """
        from fairgroups.report.page import render

        text = render(self, repair=repair, scales=scales, command=command)
        if path is not None:
            write_atomically(path, text)
        return text

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Write the audit as Markdown for a model card, to a file if a path is given, and give the text."""
        from fairgroups.report.markdown import render_markdown

        text = render_markdown(self)
        if path is not None:
            write_atomically(path, text)
        return text

    def to_csv(self, path: str | Path | None = None) -> str:
        """Write the groups as CSV, to a file if a path is given, and give the text; of several rates, one by one."""
        from fairgroups.report.groups_csv import groups_as_csv

        text = groups_as_csv(self)
        if path is not None:
            write_atomically(path, text)
        return text

    def save_charts(self, folder: str | Path, format: Literal["svg", "png"] = "svg") -> list[Path]:  # noqa: A002
        """Write every chart into a folder, which is made if need be, and give the files."""
        from fairgroups.report.pictures import save_pictures

        return save_pictures(self, Path(folder), format)

    def _repr_html_(self) -> str:
        from fairgroups.report.card import render_card

        return render_card(self)

    def __repr__(self) -> str:
        return f"Audit({self.conclusion!r})"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
