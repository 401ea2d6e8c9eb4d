"""fairgroups audit, fairgroups demo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairgroups.cli.job import Ran

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit
    from fairgroups.partition.partition import Partition

__all__ = ["EXIT_HELP", "audit", "demo", "read_borders", "read_count", "read_edges", "read_size", "say"]

EXIT_HELP = (
    "Exit codes: 0 the audit ran and, with --max-gap, the limit is kept; 1 the limit is exceeded, or a group is worse "
    "off than in the baseline; "
    "2 wrong usage or input; 3 not enough evidence to say whether the limit is kept; 70 a fault of the program."
)


def audit(
    file: Annotated[
        str,
        typer.Argument(
            help="A CSV, Parquet, JSON-lines or Arrow file, a folder, a 'pattern*', or a database: "
            "postgresql://host/db, file.duckdb, file.sqlite.",
            show_default=False,
        ),
    ],
    sensitive: Annotated[
        list[str],
        typer.Option("--sensitive", "-s", help="Column of a sensitive attribute; say it again for several at once."),
    ],
    outcome: Annotated[str, typer.Option("--outcome", "-o", help="Column of the decision or score that is audited.")],
    table: Annotated[str | None, typer.Option(help="Table of a database.")] = None,
    where: Annotated[str | None, typer.Option(help='Only rows with this, in SQL: "year = 2025".')] = None,
    sql: Annotated[str | None, typer.Option(help="Read this query instead; files are called data in it.")] = None,
    memory_limit: Annotated[str | None, typer.Option(help="The most memory that reading may use: 1GB.")] = None,
    truth: Annotated[
        str | None, typer.Option(help="Column of the true label; the outcome's differences are compared with its.")
    ] = None,
    compare_with: Annotated[
        str | None, typer.Option(help="Column of another model's outcome, to compare with instead of the truth.")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of row weights.")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Column that says which rows belong together, such as a person's number.")
    ] = None,
    id: Annotated[  # noqa: A002
        str | None, typer.Option(help="Column of people's ids: the same person is always in the same half or fold.")
    ] = None,
    measure: Annotated[
        str,
        typer.Option(
            help="auto, statistical_parity, equal_opportunity, predictive_equality, equalized_odds, error_rate, "
            "precision, mean or calibration."
        ),
    ] = "auto",
    against: Annotated[str, typer.Option(help="Compare each group with everyone, or with the rest.")] = "everyone",
    groups: Annotated[str, typer.Option(help="Number of groups, or auto: as many as the data calls for.")] = "auto",
    selection: Annotated[
        str, typer.Option(help="How auto chooses: auto, band, cv (cross-validation) or bic.")
    ] = "auto",
    max_groups: Annotated[int, typer.Option(help="The most groups that auto may choose.", min=1)] = 20,
    edges: Annotated[
        str | None, typer.Option(help="Judge these groups instead of searching: borders such as 25,45.")
    ] = None,
    monotonic: Annotated[
        str | None, typer.Option(help="increasing, decreasing or either: rates must follow the attribute.")
    ] = None,
    min_group_size: Annotated[
        str, typer.Option(help="Least rows in a group, a share of them below 1, or auto.")
    ] = "auto",
    positive: Annotated[str | None, typer.Option(help="Which of two labels of the outcome counts as yes.")] = None,
    favourable: Annotated[
        bool | None,
        typer.Option("--favourable/--unfavourable", help="Whether the outcome is good to receive.", show_default=False),
    ] = None,
    missing: Annotated[str, typer.Option(help="Missing values: error, drop or group.")] = "error",
    inference: Annotated[str, typer.Option(help="band, crossfit or plugin.")] = "band",
    level: Annotated[float, typer.Option(help="Confidence level.")] = 0.95,
    relevant_gap: Annotated[
        float | None,
        typer.Option(
            help="An interval around 0 within ± this means no relevant difference; 0.05, or 5 points, for rates."
        ),
    ] = None,
    max_gap: Annotated[
        float | None, typer.Option(help="Limit on every group's difference, 0.1 for 10 points; sets the exit code.")
    ] = None,
    budget: Annotated[
        float, typer.Option(help="Seconds that an exact search over several attributes may take, about.")
    ] = 10.0,
    seed: Annotated[int, typer.Option(help="For halves, folds and simulations.", min=0)] = 0,
    checks: Annotated[
        bool,
        typer.Option(
            "--checks/--no-checks", help="Permutation test, monotonicity, stability of borders, model against truth."
        ),
    ] = True,
    out: Annotated[Path | None, typer.Option(help="Write an HTML page here.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write the result as JSON here.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write Markdown for a model card here.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the groups as CSV here.")] = None,
    charts: Annotated[Path | None, typer.Option(help="Write every chart into this folder, as SVG and PNG.")] = None,
    repair: Annotated[
        str | None, typer.Option(help="Column of a score: the page shows what repairing it would give and cost.")
    ] = None,
    scale: Annotated[
        list[str] | None, typer.Option(help="Usual groups to compare with in the page: 'law=25,45'; may be said again.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="JSON of an earlier audit: exit with 1 if a group is shown to be worse off.")
    ] = None,
    max_change: Annotated[
        float, typer.Option(help="By how much a group's difference may grow since the baseline.", min=0)
    ] = 0.0,
    junit: Annotated[Path | None, typer.Option(help="Write a test report here, as JUnit XML.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the conclusion only.")] = False,
) -> None:
    """Audit a table: find the groups that the outcome treats differently and say what may be concluded."""
    from fairgroups.cli.job import check_outputs, is_terminal, run_job
    from fairgroups.output import write_atomically
    from fairgroups.report.junit import render_junit
    from fairgroups.report.sections import shell_call

    options = {
        "file": file,
        "table": table,
        "where": where,
        "sql": sql,
        "memory_limit": memory_limit,
        "sensitive": sensitive[0] if len(sensitive) == 1 else sensitive,
        "outcome": outcome,
        "truth": truth,
        "compare_with": compare_with,
        "weight": weight,
        "cluster": cluster,
        "id": id,
        "measure": measure,
        "against": against,
        "groups": read_count(groups),
        "selection": selection,
        "max_groups": max_groups,
        "edges": None if edges is None else read_borders(edges),
        "monotonic": monotonic,
        "min_group_size": read_size(min_group_size),
        "positive": positive,
        "favourable": favourable,
        "missing": missing,
        "inference": inference,
        "level": level,
        "relevant_gap": relevant_gap,
        "max_gap": max_gap,
        "seed": seed,
        "budget": budget,
        "checks": checks,
        "scales": dict(_scale(text) for text in scale or []),
        "repair": repair,
        "baseline": baseline,
        "max_change": max_change,
        "out": out,
        "json": json,
        "markdown": markdown,
        "csv": csv,
        "charts": charts,
    }
    check_outputs([{key: value for key, value in options.items() if value is not None}], junit)
    ran = run_job(options, command=shell_call(sys.argv[1:]), verbose=not quiet and is_terminal())
    if junit is not None:
        write_atomically(junit, render_junit(ran.tests(f"{outcome} by {' and '.join(sensitive)}")))
    say(ran, quiet=quiet)
    raise typer.Exit(ran.exit_code)


def demo(
    out: Annotated[Path, typer.Option(help="Where to write the report.")] = Path("fairgroups-demo.html"),
) -> None:
    """Train a model on the Adult census data without the age, and audit its decisions by age."""
    from fairgroups.audits.audit import audit as run
    from fairgroups.datasets.adult import adult_decisions

    typer.echo("Training a model on the Adult census data, without age, sex and race: some ten seconds …")
    decisions = adult_decisions()
    typer.echo("Auditing its decisions by age: who is predicted to earn over 50 000 dollars?")
    result = run(decisions, sensitive="age", outcome="predicted_over_50k", truth="income_over_50k")
    result.to_html(out, command="fairgroups demo")
    say(Ran(result, [], [f"Report: {out.resolve()}"]), quiet=False)


def read_borders(text: str, option: str = "--edges") -> list[float]:
    """Read borders that a user typed."""
    from fairgroups.errors import InputError

    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{option} must be numbers with commas between them; got {text!r}.", "25,45") from None


def _scale(text: str) -> tuple[str, list[float]]:
    from fairgroups.errors import InputError

    name, _, borders = text.rpartition("=")
    if not name.strip():
        raise InputError(f"--scale is a name and borders; got {text!r}.", "--scale 'law=25,45'")
    return name, read_borders(borders, "--scale")


def read_edges(edges: str, names: list[str], missing: str) -> Partition:
    """Read borders of one attribute that a user typed, as groups."""
    from fairgroups.errors import InputError
    from fairgroups.partition.partition import Partition

    if len(names) > 1:
        raise InputError("--edges are borders of one attribute; several were named.", "name one --sensitive column.")
    return Partition.from_edges(read_borders(edges), name=names[0], missing=missing)  # type: ignore[arg-type]


def read_count(text: str) -> Any:
    """Read a number of groups that a user typed."""
    from fairgroups.errors import InputError

    if text == "auto":
        return text
    try:
        return int(text)
    except ValueError:
        raise InputError(f"--groups must be a whole number or 'auto'; got {text!r}.") from None


def read_size(text: str) -> Any:
    """Read a least size that a user typed."""
    from fairgroups.errors import InputError

    if text == "auto":
        return text
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"--min-group-size must be a number or 'auto'; got {text!r}.") from None
    return int(value) if value.is_integer() else value


def say(ran: Ran, *, quiet: bool) -> None:
    """Print what an audit found, and where it was written."""
    from fairgroups.audits.conclusion import gate_line

    result = ran.audit
    typer.echo("")
    typer.echo(result.conclusion)
    if not quiet:
        for part in result.parts or (result,):
            _print_table(part)
    if gate := gate_line(result):
        typer.echo(gate)
    if ran.changed:
        _say_changes(ran)
    for note in ran.notes:
        typer.echo(f"Note: {note}")
    for line in ran.written:
        typer.echo(line)


def _say_changes(ran: Ran) -> None:
    from fairgroups.words import points

    percent = bool(ran.audit.data["percent"])
    worse = [change for change in ran.changed if change.verdict == "worse"]
    for change in worse:
        ends = " to ".join(points(x, percent=percent) for x in (change.low, change.high))
        typer.echo(
            f"Worse than the baseline: {change.label}, {points(change.before, percent=percent)} then, "
            f"{points(change.after, percent=percent)} now (change to its harm {ends})."
        )
    for change in (change for change in ran.changed if change.verdict == "not comparable"):
        typer.echo(f"Cannot be compared with the baseline: {change.label}.")
    if not worse:
        typer.echo("No group is shown to be worse off than in the baseline.")


def _least(record: dict[str, Any], *, percent: bool) -> str:
    """Say from which difference on a group that is not shown to differ would have been."""
    from fairgroups.words import points

    if record["verdict"] not in ("not enough evidence", "no relevant difference"):
        return ""
    known = record["detectable"] == record["detectable"]
    return f" (shown from {points(record['detectable'], percent=percent).lstrip('+')})" if known else ""


def _print_table(result: Audit) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from fairgroups.audits.conclusion import second_opinions
    from fairgroups.words import amount, counted, points

    percent = bool(result.data["percent"])
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("group", min_width=12, overflow="fold")
    for heading in ("people", "rate", "diff.", f"{100 * result.settings['level']:g} % interval"):
        table.add_column(heading, justify="right", overflow="fold")
    table.add_column("verdict", min_width=13, overflow="fold")
    colours = {"disadvantaged": "red", "below": "red", "advantaged": "blue", "above": "blue"}
    for r in result.records:
        low, high = points(r["low"], percent=percent), points(r["high"], percent=percent)
        colour = colours.get(r["verdict"], "default")
        table.add_row(
            escape(r["label"]),
            counted(r),
            amount(r["rate"], percent=percent),
            points(r["phi"], percent=percent),
            f"{low} to {high}",
            f"[{colour}]{r['verdict']}[/]{_least(r, percent=percent)}",
        )
    console.print(table)
    higher = result.settings["higher_is"]
    reading = "" if higher == "neutral" else f" A higher rate is read as {higher} for the person"
    if reading:
        reading += "; --unfavourable turns this round." if higher == "better" else "."
    whom = "everybody" if result.settings["against"] == "everyone" else "the rest"
    said = (
        f"Everybody: {amount(result.overall, percent=percent)} ({result.data['rows_judged']:,} rows). "
        f"Rate: {escape(result.measure.rate)}. Diff.: from {whom}{', in points' if percent else ''}.{reading}"
    )
    console.print(said, soft_wrap=True)
    for line in second_opinions(result):
        console.print(escape(line), soft_wrap=True)
    for note in result.notes:
        console.print(f"Note: {escape(note)}", soft_wrap=True)
