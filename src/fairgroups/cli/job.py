"""One audit from options to files and an exit code: what `fairgroups audit` and `fairgroups run` share."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairgroups.audits.baseline import Change
    from fairgroups.audits.result import Audit
    from fairgroups.report.junit import Outcome

__all__ = ["EXIT", "Ran", "check_outputs", "is_terminal", "run_job"]

EXIT = {None: 0, "kept": 0, "exceeded": 1, "not enough evidence": 3}
SOURCE = ("file", "table", "where", "sql", "memory_limit")
OUTPUTS = ("out", "json", "markdown", "csv", "charts")
OWN = ("name", "edges", "groups", "scales", "repair", "baseline", "max_change", *SOURCE, *OUTPUTS)
GAPS = (0.0, 0.02, 0.05, 0.1, 0.2)
MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class Ran:
    """What came of an audit: its result, changes since the baseline, files written, notes, and the exit code."""

    audit: Audit
    changed: list[Change]
    written: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """Give 1 for an exceeded limit or a worsening, 3 where a limit or a change cannot be judged, else 0."""
        verdicts = {change.verdict for change in self.changed}
        codes = {EXIT[self.audit.gate], 1 if "worse" in verdicts else 3 if "not comparable" in verdicts else 0}
        return next(code for code in (1, 3, 0) if code in codes)

    @property
    def is_gated(self) -> bool:
        """Say whether a limit or a baseline was to be kept."""
        return self.audit.gate is not None or bool(self.changed)

    def tests(self, name: str) -> list[Outcome]:
        """List the audit's tests for a report."""
        from fairgroups.report.junit import audit_tests

        return audit_tests(name, self.audit, self.changed)


def run_job(options: Mapping[str, Any], *, command: str | None, verbose: bool) -> Ran:
    """Run an audit and write what is asked for; `options` are those of the configuration file."""
    from fairgroups.audits.audit import audit
    from fairgroups.audits.baseline import Baseline, changes
    from fairgroups.errors import InputError
    from fairgroups.partition.partition import Partition
    from fairgroups.sources.source import Source

    given = {key: value for key, value in options.items() if value is not None}
    check_outputs([given])
    if isinstance(given["sensitive"], list) and len(given["sensitive"]) == 1:
        given["sensitive"] = given["sensitive"][0]
    if "repair" in given and "out" not in given:
        raise InputError("a repair is shown in the page only.", "say where to write it: --out audit.html")
    if given.get("scales") and not isinstance(given["sensitive"], str):
        raise InputError("scales are borders of one attribute; several were named.", "leave them out.")
    source = Source(*(given.get(key) for key in SOURCE))  # type: ignore[arg-type]
    asked = {key: value for key, value in given.items() if key not in OWN} | {"verbose": verbose}
    asked["n_groups"] = given.get("groups", "auto")
    if "baseline" in given:
        baseline = Baseline.read(given["baseline"])
    missing = given.get("missing", "error")
    if "edges" in given:
        if not isinstance(given["sensitive"], str):
            raise InputError("edges are borders of one attribute; several were named.", "name one sensitive column.")
        asked["partition"] = Partition.from_edges(given["edges"], name=given["sensitive"], missing=missing)
    result = audit(source, **asked)
    changed: list[Change] = []
    if "baseline" in given:
        same = {key: value for key, value in asked.items() if key not in ("n_groups", "partition", "checks")}
        again = audit(source, **{**same, "partition": baseline.partition, "checks": False})
        changed = changes(again, baseline, given.get("max_change", 0.0), own=result)
    scales = {name: Partition.from_edges(edges) for name, edges in given.get("scales", {}).items()}
    notes: list[str] = []
    written = []
    if "json" in given:
        result.to_json(given["json"])
        written.append(f"JSON: {Path(given['json']).resolve()}")
    if "markdown" in given:
        result.to_markdown(given["markdown"])
        written.append(f"Markdown: {Path(given['markdown']).resolve()}")
    if "csv" in given:
        result.to_csv(given["csv"])
        written.append(f"Groups: {Path(given['csv']).resolve()}")
    if "charts" in given:
        made = [file for kind in ("svg", "png") for file in result.save_charts(given["charts"], kind)]
        written.append(f"Charts: {len(made)} files in {Path(given['charts']).resolve()}")
    if "out" in given:
        repaired = _repair(source, given, notes, verbose=verbose) if "repair" in given else None
        result.to_html(given["out"], repair=repaired, scales=scales, command=command)
        written.append(f"Report: {Path(given['out']).resolve()}")
    return Ran(result, changed, written, notes)


def check_outputs(jobs: Sequence[Mapping[str, Any]], *more: Path | None) -> None:
    """Refuse to write over what is read, over each other's files, or into folders that are not there."""
    from fairgroups.errors import InputError

    taken: dict[Path, str] = {}
    for job in jobs:
        for key in ("file", "baseline"):
            if key in job and "://" not in str(job[key]):
                taken[Path(job[key]).resolve()] = "is read"
    outputs = [(key, Path(job[key])) for job in jobs for key in OUTPUTS if job.get(key) is not None]
    for key, path in [*outputs, *(("junit", one) for one in more if one is not None)]:
        target = path.resolve()
        if target in taken:
            raise InputError(f"{path.name!r} {taken[target]} already.", "give every file a name of its own.")
        if key != "charts" and not target.parent.is_dir():
            raise InputError(
                f"there is no folder {str(target.parent)!r} to write {path.name!r} into.", "create it first."
            )
        taken[target] = "is written"


def _repair(source: Any, given: Mapping[str, Any], notes: list[str], *, verbose: bool) -> Any:
    """See what repairs of a score would give and cost, on a million rows at most."""
    from fairgroups.errors import InputError
    from fairgroups.repair.score_repair import ScoreRepair
    from fairgroups.repair.tradeoff import tradeoff
    from fairgroups.sources.source import read_columns

    names = [given["sensitive"]] if isinstance(given["sensitive"], str) else list(given["sensitive"])
    used = [*names, *(given[key] for key in ("repair", "truth", "weight") if key in given)]
    if source.is_database:
        raise InputError("repairs are tried on files.", "export the table to Parquet first.")
    columns, total = read_columns(source, used, most=MOST_ROWS, seed=given.get("seed", 0))
    n = len(next(iter(columns.values())))
    if n < total:
        notes.append(f"The repair was tried on {n:,} of {total:,} rows, drawn at random.")
    return tradeoff(
        columns,
        methods={"FairGroups": ScoreRepair()} if len(names) > 1 else None,  # smooth repairs are for one attribute
        score=given["repair"],
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
    """Say whether a person may be watching."""
    return sys.stderr.isatty()
