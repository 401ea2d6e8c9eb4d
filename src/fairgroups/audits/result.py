"""Audit: what an audit found, as plain typed data. Everything a report shows is in here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from fairgroups.audits.comparisons import InClasses, OverTime
from fairgroups.audits.document import schema_of
from fairgroups.audits.json_file import Written, loaded
from fairgroups.audits.measurement_error import Corrected
from fairgroups.audits.rates import RateColumn, rate_rows
from fairgroups.audits.reasons import Reasons
from fairgroups.audits.records import (
    DataFacts,
    Detectable,
    Finding,
    GroupRecord,
    Limit,
    RateName,
    Replication,
    Settings,
    SinceBaseline,
)
from fairgroups.cells.cells import Cells
from fairgroups.checks.run import Checks
from fairgroups.evidence.added import Added
from fairgroups.evidence.band import Band
from fairgroups.evidence.curves import Stretch
from fairgroups.evidence.limit_verdict import LimitVerdict, worst_limit
from fairgroups.evidence.plane import PlaneCell
from fairgroups.evidence.spread_of_groups import Spread
from fairgroups.evidence.verdict import Headline
from fairgroups.grouping.number_of_groups import Selection
from fairgroups.output import read_text, write_atomically
from fairgroups.partition.partition import Partition
from fairgroups.sources.frames import build_table

if TYPE_CHECKING:
    from fairgroups.repair.tradeoff import Tradeoff

__all__ = ["Audit", "JointAudit", "audit_schema", "read_audit"]

SCHEMA_VERSION = 11
Plot = Literal[
    "rate",
    "differences",
    "people",
    "selection",
    "borders",
    "together",
    "amplification",
    "reasons",
    "equal",
    "corrected",
    "since",
    "over_time",
]


class _Pages(Written):
    """The doors of an audit: as JSON, and as pages and files made of it."""

    NOUN = "audit"
    VERSION = SCHEMA_VERSION
    explored: dict[str, Any] | None
    explore: Callable[..., Any]

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        repair: Tradeoff | None = None,
        command: str | None = None,
    ) -> str:
        """Return the audit as one HTML page that works offline, and write it to a file if a path is given.

        Parameters
        ----------
        path : path, optional
            Where to write it.
        repair : Tradeoff, optional
            What `tradeoff` found for repairs of the score: gets a section of its own.
        command : str, optional
            The command line that made it, to be shown.

        Returns
        -------
        str
        """
        from fairgroups.report.page import render

        told = self if self.explored is not None else self.explore()
        return _kept(render(told, repair=repair, command=command), path)  # type: ignore[arg-type]

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Return the audit as Markdown for a model card, and write it to a file if a path is given."""
        from fairgroups.report.markdown import render_markdown

        return _kept(render_markdown(self), path)  # type: ignore[arg-type]

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the groups as CSV, of several rates one by one, and write them to a file if a path is given."""
        from fairgroups.report.groups_csv import groups_as_csv

        return _kept(groups_as_csv(self), path)  # type: ignore[arg-type]

    def save_charts(self, folder: str | Path, format: Literal["svg", "png"] = "svg") -> list[Path]:  # noqa: A002
        """Write every chart into a folder, which is made if need be, and return the files."""
        from fairgroups.report.pictures import save_pictures

        return save_pictures(self, Path(folder), format)  # type: ignore[arg-type]


def _by_period(audit: Audit) -> list[dict[str, Any]]:
    assert audit.over_time is not None
    labels = [record.label for record in audit.records]
    return [
        {"period": period.label, "label": label, **asdict(group)}
        for period in audit.over_time.periods
        for label, group in zip(labels, period.groups, strict=True)
    ]


def _kept(text: str, path: str | Path | None) -> str:
    if path is not None:
        write_atomically(path, text)
    return text


@dataclass(frozen=True, repr=False, eq=False)
class Audit(_Pages):
    """What an audit found.

    Attributes
    ----------
    conclusion : str
        The finding in plain words.
    finding : Finding
        The same as facts: the verdict, the groups that differ, the range or the trend that shows it.
    records : tuple of GroupRecord
        What is known of each group: people, rate, difference with its interval, verdict.
    partition : Partition
        The groups.
    measure : RateName
        Which rate, and what a higher one means for a person.
    overall : float
        Everybody's rate.
    variance, explained : float
        Var Φ, and the share of all dependence on the attribute that the groups capture.
    variance_interval, rate_range : Spread
        Var Φ and the difference between the highest and the lowest rate, with intervals that hold although the groups
        were searched for.
    variance_path : tuple of float
        The largest variance with 1, 2, … groups; empty when the groups were given.
    selection : Selection or None
        How the number of groups was chosen, with the whole curve.
    limits : tuple of Limit
        The limits that were set, and whether each is kept; `limit` is the worst of them.
    rates : tuple of RateColumn
        With a truth: every rate of the groups side by side.
    curve : tuple of Stretch
        The rate along one attribute, for charts.
    plane : tuple of PlaneCell
        The rate over the plane of the first two of several attributes.
    detectable : tuple of Detectable
        For some shares of the people, the smallest difference from everybody that is shown in 80% of such samples.
    added : tuple of Added
        Of several attributes: whether each makes a difference among people alike in the others.
    reasons : Reasons or None
        With factors held equal: what of each group's difference goes with them.
    classes : tuple of InClasses
        With `scales`: the same people in classes named in advance.
    since : SinceBaseline or None
        What has changed since an earlier audit: see `compare_to_baseline`.
    over_time : OverTime or None
        With `by`: the groups from period to period.
    corrected : Corrected or None
        With `reliability` or `error`: each group's difference by the true values of the attribute.
    replication : Replication or None
        With cross-fitting: the other half's groups.
    checks : Checks
        Second opinions: permutation, monotonicity, stability of borders, amplification.
    notes : tuple of str
        What a reader should know.
    settings, data
        How the audit was made, and what was read.
    explored : dict or None
        What the page's explorer shows, where it was worked out: `explore`.
    band : Band or None
        Judges any other range, or box: ``audit.band.interval(20, 30)``, ``audit.band.interval(age=(20, 30))``. None for
        inference other than ``"band"``, and for an audit that was read from JSON.
    cells : Cells or None
        The people by value of one attribute; None for several, and for an audit that was read from JSON.

    Examples
    --------
    >>> import fairgroups as fg
    >>> data = fg.make_synthetic(5000)
    >>> found = fg.audit({"L": data.sensitive, "Y": data.outcome}, sensitive="L", outcome="Y", checks=False)
    >>> found.records[0].verdict, found.partition.n_groups
    ('lower', 5)
    >>> fg.Audit.from_json(found.to_json()).conclusion == found.conclusion
    True
    """

    SCHEMA: ClassVar[str] = "fairgroups/audit"

    conclusion: str
    finding: Finding
    records: tuple[GroupRecord, ...]
    partition: Partition
    measure: RateName
    overall: float
    variance: float
    variance_interval: Spread
    rate_range: Spread
    explained: float
    variance_path: tuple[float, ...]
    selection: Selection | None
    limits: tuple[Limit, ...]
    rates: tuple[RateColumn, ...]
    curve: tuple[Stretch, ...]
    plane: tuple[PlaneCell, ...]
    detectable: tuple[Detectable, ...]
    added: tuple[Added, ...]
    reasons: Reasons | None
    corrected: Corrected | None
    replication: Replication | None
    checks: Checks
    notes: tuple[str, ...]
    settings: Settings
    data: DataFacts
    classes: tuple[InClasses, ...] = ()
    over_time: OverTime | None = None
    since: SinceBaseline | None = None
    explored: dict[str, Any] | None = None
    band: Band | None = field(default=None, metadata={"plain": False})
    cells: Cells | None = field(default=None, metadata={"plain": False})

    @property
    def parts(self) -> tuple[Audit, ...]:
        """The audit of each rate: this one."""
        return (self,)

    @property
    def verdict(self) -> Headline:
        """What was found, in a word."""
        return self.finding.verdict

    @property
    def limit(self) -> LimitVerdict | None:
        """With a limit: "kept", "exceeded" or "not enough evidence"."""
        return worst_limit([one.verdict for one in self.limits])

    @property
    def groups(self) -> Any:
        """The groups as a table, in the library of the data that was audited."""
        return self.tables["groups"]

    @property
    def tables(self) -> dict[str, Any]:
        """Every table of the audit, in the library of the data that was audited.

        ``groups``; ``selection``, the curve that the number of groups was chosen on; ``detectable``; ``replication``,
        the other half's groups; ``added``, what each of several attributes adds; ``reasons``, what goes with factors;
        ``corrected``, differences by the true values; ``classes``, those of scales; ``since``, what has changed since
        the baseline; ``over_time``, groups by period; ``borders``; ``amplification``; ``rates``, every rate of each
        group. What does not apply is absent.
        """
        checks = self.checks
        rows: dict[str, Sequence[Any]] = {
            "groups": self.records,
            "selection": () if self.selection is None else self.selection.curve,
            "detectable": self.detectable,
            "added": self.added,
            "reasons": () if self.reasons is None else self.reasons.groups,
            "corrected": () if self.corrected is None else self.corrected.groups,
            "classes": [{"scale": one.name, **asdict(r)} for one in self.classes for r in one.records],
            "since": () if self.since is None else self.since.changes,
            "over_time": () if self.over_time is None else _by_period(self),
            "replication": () if self.replication is None else self.replication.records,
            "borders": () if checks.stability is None else checks.stability.cuts,
            "amplification": () if checks.amplification is None else checks.amplification.records,
            "rates": rate_rows(self.records, self.rates),
        }
        return {
            name: build_table([row if isinstance(row, dict) else asdict(row) for row in records], self.data.library)
            for name, records in rows.items()
            if records
        }

    def explore(self) -> Audit:
        """Return the audit with what the page's explorer shows, worked out from the audit's cells.

        Returns
        -------
        Audit
            The same audit; `explored` is filled unless neither cells nor an earlier exploration are at hand.
        """
        from fairgroups.audits.explore import explore_line

        if self.cells is None:
            return self
        scales = {one.name: one.partition for one in self.classes}
        return replace(self, explored=explore_line((self,), self.cells, scales))

    def plot(self, what: Plot = "rate") -> Any:
        """Return a picture of the audit, as an Altair chart.

        Parameters
        ----------
        what : str
            ``"rate"``: the rate along the attribute, or over the plane, with the groups; ``"differences"``: each
            group's difference with its interval; ``"people"``: how many there are along the attribute;
            ``"selection"``: what the number of groups was chosen on; ``"borders"``: where resampled borders fall;
            ``"together"``: how surely two people share a group; ``"amplification"``: the model against its labels;
            ``"reasons"``: what of differences goes with the factors; ``"equal"``: the rate at equal factors;
            ``"corrected"``: differences by the true values, over the reliability of the measured ones; ``"since"``:
            differences in the baseline and now; ``"over_time"``: differences from period to period.

        Returns
        -------
        altair.Chart
        """
        from fairgroups.charts.audit import chart_of

        return chart_of(self, what)

    def _repr_html_(self) -> str:
        from fairgroups.report.card import render_card

        return render_card(self)

    def __repr__(self) -> str:
        return f"Audit({self.conclusion!r})"


@dataclass(frozen=True, repr=False, eq=False)
class JointAudit(_Pages):
    """What an audit of several rates at once found, such as equalized odds: an `Audit` for each, in the same groups.

    Attributes
    ----------
    conclusion : str
        The finding in plain words, rate by rate.
    parts : tuple of Audit
        One for each rate.
    explored : dict or None
        What the page's explorer shows.

    Examples
    --------
    >>> import fairgroups as fg
    >>> data = fg.make_synthetic(5000)
    >>> table = {"L": data.sensitive, "Y": data.outcome, "T": data.outcome}
    >>> asked = {"sensitive": "L", "outcome": "Y", "truth": "T", "measure": "equalized_odds", "checks": False}
    >>> [part.measure.name for part in fg.audit(table, **asked).parts]
    ['equal_opportunity', 'predictive_equality']
    """

    SCHEMA: ClassVar[str] = "fairgroups/joint-audit"

    conclusion: str
    parts: tuple[Audit, ...]
    explored: dict[str, Any] | None = None

    @property
    def limit(self) -> LimitVerdict | None:
        """The worst of the rates' answers to the limits."""
        return worst_limit([part.limit for part in self.parts])

    @property
    def verdict(self) -> Headline:
        """What was found in any of the rates, in a word: the strongest."""
        order: tuple[Headline, ...] = ("different", "depends", "not enough evidence", "no difference found")
        return next(one for one in order if any(part.verdict == one for part in self.parts))

    @property
    def partition(self) -> Partition:
        """The groups."""
        return self.parts[0].partition

    @property
    def settings(self) -> Settings:
        """How the audit was made."""
        return self.parts[0].settings

    @property
    def data(self) -> DataFacts:
        """What was read."""
        return self.parts[0].data

    def explore(self) -> JointAudit:
        """Return the audit with what the page's explorer shows; see `Audit.explore`."""
        from fairgroups.audits.explore import explore_line

        cells = self.parts[0].cells
        if cells is None:
            return self
        scales = {one.name: one.partition for one in self.parts[0].classes}
        return replace(self, explored=explore_line(self.parts, cells, scales))

    def _repr_html_(self) -> str:
        return "".join(part._repr_html_() for part in self.parts)

    def __repr__(self) -> str:
        return f"JointAudit({self.conclusion!r})"


def audit_schema() -> dict[str, Any]:
    """Return the JSON schema of what `to_json` writes, of one rate or of several.

    The package holds it as audit.schema.json too.
    """
    defs: dict[str, Any] = {}
    every = []
    for kind in (Audit, JointAudit):
        schema_of(kind, defs)
        about = {"schema": {"const": kind.SCHEMA}, "schema_version": {"const": SCHEMA_VERSION}}
        about["library_version"] = {"type": "string"}
        own = defs[kind.__name__]
        properties = about | own["properties"]
        every.append({**own, "properties": properties, "required": list(properties)})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An audit by fairgroups",
        "description": f"What to_json writes, schema version {SCHEMA_VERSION}. A number that does not exist is null.",
        "oneOf": every,
        "$defs": defs,
    }


def read_audit(path: str | Path) -> Audit | JointAudit:
    """Read the JSON of an audit, of one rate or of several.

    Parameters
    ----------
    path : path
        A file that `to_json` (``--json``) wrote.

    Returns
    -------
    Audit or JointAudit

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import fairgroups as fg
    >>> data = fg.make_synthetic(2000)
    >>> found = fg.audit({"L": data.sensitive, "Y": data.outcome}, sensitive="L", outcome="Y", checks=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = found.to_json(Path(folder) / "audit.json")
    ...     fg.read_audit(Path(folder) / "audit.json") == found
    True
    """
    data = loaded(read_text(path))
    joint = isinstance(data, Mapping) and data.get("schema") == JointAudit.SCHEMA
    return (JointAudit if joint else Audit).from_dict(data)
