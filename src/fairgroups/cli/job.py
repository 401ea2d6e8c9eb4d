"""One audit from options to files and an exit code: what `fairgroups audit` and `fairgroups run` share."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairgroups.audits.options import AuditOptions, option
from fairgroups.cli.exit_codes import exit_code_of

if TYPE_CHECKING:
    from fairgroups.audits.records import Change
    from fairgroups.audits.result import Audit, JointAudit
    from fairgroups.report.junit import Outcome
    from fairgroups.scans.result import Scan
    from fairgroups.sources.source import Source

__all__ = ["AuditRun", "JobOptions", "TableOptions", "check_outputs", "is_terminal", "run_job", "write_outputs"]

OUTPUTS = ("out", "json", "markdown", "csv", "charts")
KINDS = {"out": "an HTML page", "json": "JSON", "markdown": "Markdown", "csv": "CSV", "junit": "a test report"}
ENDINGS = {".html": "out", ".htm": "out", ".json": "json", ".md": "markdown", ".csv": "csv", ".xml": "junit"}
ENDINGS |= {".svg": "charts", ".png": "charts"}
GAPS = (0.0, 0.02, 0.05, 0.1, 0.2)
MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class TableOptions:
    """Where the table is, and what is written."""

    data: str = option(
        NO_DEFAULT,
        "column",
        "A CSV, Excel, Parquet, JSON-lines, Arrow, Stata, SAS or SPSS file, - for standard input, a folder, a "
        "'pattern*', or a database: postgresql://host/db, file.duckdb, file.sqlite.",
    )
    table: str | None = option(None, "column", "Table of a database.")
    where: str | None = option(None, "column", 'Only rows with this, in SQL: "year = 2025".')
    sql: str | None = option(None, "column", "Read this query instead; files are called data in it.")
    sheet: str | None = option(None, "column", "Sheet of a workbook; the first that is filled, unless said.")
    na: Sequence[str] | None = option(None, "texts", "What stands for a missing value: unknown,.,-9")
    decimal: str | None = option(None, "words", "Mark of decimals in numbers written as text: . or ,", (".", ","))
    encoding: str | None = option(None, "column", "Character encoding of a text file, if it looks wrong: cp1250")
    strict: bool = option(False, "flag", "Refuse files that must be converted to be read.")
    memory_limit: str | None = option(None, "column", "The most memory that reading may use: 1GB.")
    out: Path | None = option(None, "file", "Write an HTML page here.")
    json: Path | None = option(None, "file", "Write the result as JSON here.")
    markdown: Path | None = option(None, "file", "Write Markdown for a model card here.")
    csv: Path | None = option(None, "file", "Write the groups, or the ranking of a scan, as CSV here.")

    @property
    def source(self) -> Source:
        """The table."""
        from fairgroups.sources.source import Source

        return Source(
            self.data,
            self.table,
            self.where,
            self.sql,
            self.memory_limit,
            self.sheet,
            self.na or (),
            self.decimal,
            self.strict,
            self.encoding,
        )


@dataclass(frozen=True)
class JobOptions(TableOptions):
    """Where the table is, what is written, and what else is asked of the job around an audit."""

    charts: Path | None = option(None, "file", "Write every chart into this folder, as SVG and PNG.")
    repair: str | None = option(
        None, "column", "Column of a score: the page shows what repairing it would give and cost."
    )
    baseline: Path | None = option(
        None, "file", "JSON of an earlier audit: exit with 1 if a group is shown to be worse off."
    )
    max_change: float = option(0.0, "number", "By how much a group's difference may grow since the baseline.")


@dataclass(frozen=True)
class AuditRun:
    """What came of an audit: its result, changes since the baseline, files written, notes, and the exit code."""

    audit: Audit | JointAudit
    changed: list[Change]
    written: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """1 for an exceeded limit or a worsening, 3 where a limit or a change cannot be judged, else 0."""
        return exit_code_of(self.audit.limit, self.changed)

    @property
    def is_limited(self) -> bool:
        """Whether a limit or a baseline was to be kept."""
        return self.audit.limit is not None or bool(self.changed)

    def tests(self, name: str) -> list[Outcome]:
        """Return the audit's tests for a report."""
        from fairgroups.report.junit import audit_tests

        return audit_tests(name, self.audit, self.changed)


def run_job(given: Mapping[str, Any], *, command: str | None, verbose: bool) -> AuditRun:
    """Run an audit and write what is asked for.

    Parameters
    ----------
    given : mapping
        Options of the records `JobOptions` and `AuditOptions`, read; what was not said is absent.
    command : str or None
        The command line that made it, to be shown in the page.
    verbose : bool
        Show progress bars.

    Returns
    -------
    AuditRun
    """
    from fairgroups.audits.audit import audit
    from fairgroups.audits.baseline import compare_to_baseline, since_baseline
    from fairgroups.audits.result import Audit, JointAudit
    from fairgroups.errors import InputError

    job = JobOptions(**{f.name: given[f.name] for f in fields(JobOptions) if f.name in given})
    asked = {f.name: given[f.name] for f in fields(AuditOptions) if f.name in given}
    check_outputs([given])
    if job.repair is not None and job.out is None:
        raise InputError("a repair is shown in the page only.", "say where to write it: --out audit.html")
    if job.repair is not None and (asked.get("given") or asked.get("expected")):
        raise InputError(
            "--repair does not go with factors that are held equal (--given, --expected).",
            "run it beside this audit, without factors.",
        )
    baseline = None if job.baseline is None else _baseline(job.baseline, AuditOptions(**asked).roles.sensitive)
    asked |= {"verbose": verbose, "explore": job.out is not None or job.json is not None}
    result = audit(job.source, **asked)
    changed: list[Change] = []
    if baseline is not None:
        if isinstance(result, JointAudit):
            raise InputError("audits of several rates have no baseline.", "make one for each rate.")
        own = ("n_groups", "partition", "checks", "explore", "scales", "by")
        same = {key: value for key, value in asked.items() if key not in own}
        whom = baseline.settings
        same |= {"reference": whom.reference} if whom.against == "reference" else {"against": whom.against}
        again = audit(job.source, **{**same, "partition": baseline.partition, "checks": False})
        assert isinstance(again, Audit)
        changed = compare_to_baseline(again, baseline, job.max_change, own=result)
        result = since_baseline(result, baseline, changed)
    notes: list[str] = []
    repaired = _repair(job, given, notes, verbose=verbose) if job.repair is not None else None
    more = {} if repaired is None else {"repair": repaired}
    written = write_outputs(result, {key: getattr(job, key) for key in OUTPUTS}, command=command, **more)
    return AuditRun(result, changed, written, notes)


def _baseline(path: Path, sensitive: tuple[str, ...]) -> Audit:
    """Read the baseline; refuse one of other attributes before anything is done. An age may be that of another day."""
    from fairgroups.audits.result import Audit, read_audit
    from fairgroups.errors import InputError
    from fairgroups.sources.ages import age_column

    def on_any_day(name: str) -> str:
        age = age_column(name, sure=False)
        return name if age is None else f"age({age.birth})"

    read = read_audit(path)
    if not isinstance(read, Audit):
        raise InputError(
            f"the baseline {path.name!r} is an audit of several rates, which have no baseline.",
            "make one for each rate.",
        )
    found = read
    columns = found.partition.columns
    if [on_any_day(name) for name in columns] != [on_any_day(name) for name in sensitive]:
        raise InputError(
            f"the baseline {path.name!r} is of {' and '.join(columns)}, and this audit of {' and '.join(sensitive)}.",
            "name the attribute of the baseline, or leave the baseline out.",
        )
    settings = replace(found.settings, sensitive=sensitive)
    return replace(found, partition=replace(found.partition, columns=sensitive), settings=settings)


def write_outputs(
    result: Audit | JointAudit | Scan,
    outputs: Mapping[str, Path | None],
    *,
    command: str | None = None,
    **more: Any,
) -> list[str]:
    """Write the files that are asked for; return a line for each."""
    written = []
    if (path := outputs.get("json")) is not None:
        result.to_json(path)
        written.append(f"JSON: {Path(path).resolve()}")
    if (path := outputs.get("markdown")) is not None:
        result.to_markdown(path)
        written.append(f"Markdown: {Path(path).resolve()}")
    if (path := outputs.get("csv")) is not None:
        result.to_csv(path)
        written.append(f"CSV: {Path(path).resolve()}")
    if (path := outputs.get("charts")) is not None:
        made = [file for kind in ("svg", "png") for file in result.save_charts(path, kind)]  # type: ignore[union-attr]
        written.append(f"Charts: {len(made)} files in {Path(path).resolve()}")
    if (path := outputs.get("out")) is not None:
        result.to_html(path, command=command, **more)
        written.append(f"Report: {Path(path).resolve()}")
    return written


def check_outputs(jobs: Sequence[Mapping[str, Any]], *more: Path | None) -> None:
    """Refuse to write over what is read, over each other's files, or into folders that are not there."""
    from fairgroups.errors import InputError
    from fairgroups.output import check_place, real_path

    taken: dict[Path, str] = {}
    for job in jobs:
        for key in ("data", "baseline"):
            if job.get(key) is not None and "://" not in str(job[key]):
                taken[real_path(job[key])] = "is read"
    outputs = [(key, Path(job[key])) for job in jobs for key in OUTPUTS if job.get(key) is not None]
    for key, path in [*outputs, *(("junit", one) for one in more if one is not None)]:
        meant = ENDINGS.get(path.suffix.lower())
        if meant is not None and key not in (meant, "charts"):
            raise InputError(
                f"--{key} writes {KINDS.get(key, 'something else')}, and {path.name!r} is named as something else is.",
                f"use --{meant} {path.name}, or another name" if meant != "charts" else "use --charts FOLDER",
            )
        target = real_path(path)
        if target in taken:
            raise InputError(f"{path.name!r} {taken[target]} already.", "give every file a name of its own.")
        if key != "charts":
            check_place(path)
        taken[target] = "is written"


def _repair(job: JobOptions, given: Mapping[str, Any], notes: list[str], *, verbose: bool) -> Any:
    """See what repairs of a score would give and cost, on a million rows at most."""
    from fairgroups.errors import InputError
    from fairgroups.repair.score_repair import ScoreRepair
    from fairgroups.repair.tradeoff import tradeoff
    from fairgroups.sources.source import read_columns

    names = [given["sensitive"]] if isinstance(given["sensitive"], str) else list(given["sensitive"])
    used = [*names, str(job.repair), *(given[key] for key in ("truth", "weight") if key in given)]
    if job.source.is_database:
        raise InputError("repairs are tried on files.", "export the table to Parquet first.")
    columns, total = read_columns(job.source, used, most=MOST_ROWS, seed=given.get("seed", 0))
    n = len(next(iter(columns.values())))
    if n < total:
        notes.append(f"The repair was tried on {n:,} of {total:,} rows, drawn at random.")
    return tradeoff(
        columns,
        methods={"exact attribute": ScoreRepair()},
        score=str(job.repair),
        sensitive=given["sensitive"],
        truth=given.get("truth"),
        weight=given.get("weight"),
        positive=given.get("positive"),
        missing="error" if given.get("missing", "error") == "error" else "drop",
        level=given.get("level", 0.95),
        max_gap=GAPS,
        seed=given.get("seed", 0),
        verbose=verbose,
    )


def is_terminal() -> bool:
    """Whether a person may be watching."""
    return sys.stderr.isatty()
