"""fairgroups repair: fair scores, and what they give and cost."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairgroups.cli.apply import write_fair
from fairgroups.cli.parameters import read_borders, read_number

if TYPE_CHECKING:
    from fairgroups.repair.tradeoff import Tradeoff

__all__ = ["repair"]

METHOD = "repair"
TRIED = (0.0, 0.02, 0.05, 0.1, 0.2)
MOST_ROWS = 1_000_000
MANY_SHARE = 0.02  # of all people one score
PRIVATELY = (
    "Learnt and judged from one noisy histogram (ε = {}): what is said here, the repair and the page tell next to "
    "nothing of any single person. The table of fair scores holds the people themselves."
)


def repair(
    data: Annotated[Path, typer.Argument(help="A CSV or Parquet file.", show_default=False)],
    score: Annotated[str, typer.Option(help="Column of the score to repair.")],
    sensitive: Annotated[
        list[str],
        typer.Option(
            "--sensitive", "-s", help="Column of a sensitive attribute; repeat the option for several at once."
        ),
    ],
    truth: Annotated[str | None, typer.Option(help="Column of the true label, to say what the repair costs.")] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of a factor that may rightly matter: scores are made alike among people of equal factors. "
            "Repeat the option for several."
        ),
    ] = None,
    max_gap: Annotated[
        float, typer.Option(help="How far two groups may differ at any threshold: 0.02 for 2 points.")
    ] = 0.0,
    out: Annotated[Path | None, typer.Option(help="Write the table with fair scores here (.csv or .parquet).")] = None,
    model: Annotated[Path | None, typer.Option(help="Write the repair here, as JSON for `fairgroups apply`.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page on what the repair gives and costs here.")] = None,
    n_groups: Annotated[
        str,
        typer.Option(
            help="exact: no groups, the maps follow the attribute itself; auto: groups inside which scores are alike; "
            "or a number of groups."
        ),
    ] = "exact",
    partition: Annotated[str | None, typer.Option(help="Use these groups: borders such as 25,45.")] = None,
    min_group_size: Annotated[
        str, typer.Option(help="With a number of groups: least rows in one, or a share of them below 1.")
    ] = "0.05",
    cost: Annotated[
        str, typer.Option(help="w2: the least squared change; w1: the least change, the fewest decisions changed.")
    ] = "w2",
    relaxation: Annotated[
        str, typer.Option(help="How --max-gap is used: gap, or geodesic (all scores move the same share).")
    ] = "gap",
    condition: Annotated[
        str | None, typer.Option(help="positives (equal opportunity) or both (equalized odds); needs --truth.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="A score of at least this is a yes; 0.5 for scores between 0 and 1.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            help="Column that says who each row is, to tell people with the same score apart; by default, where many "
            "share one, all other columns do."
        ),
    ] = None,
    fold: Annotated[str | None, typer.Option(help="Column of folds for the judgement; else five are made.")] = None,
    weight: Annotated[str | None, typer.Option(help="Column of row weights.")] = None,
    positive: Annotated[str | None, typer.Option(help="Which of two labels of the truth counts as yes.")] = None,
    into: Annotated[str, typer.Option(help="What the new column is called.")] = "fair_score",
    missing: Annotated[
        str, typer.Option(help="Rows with missing values: error, or keep (without a fair score).")
    ] = "error",
    private: Annotated[
        float | None,
        typer.Option(
            help="Learn from one noisy histogram, so that no single person shows in the repair: ε, as 1; less is more "
            "private."
        ),
    ] = None,
    known_range: Annotated[
        str | None, typer.Option(help="With --private: the least and the largest value of the attribute, as 18,90.")
    ] = None,
    score_range: Annotated[
        str | None, typer.Option(help="With --private: the least and the largest score there may be; 0,1 if not said.")
    ] = None,
    seed: Annotated[int, typer.Option(help="For folds and for people with the same score.", min=0)] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the finding only.")] = False,
) -> None:
    """Make scores fair: find groups, learn the maps, and say on people left out what that gives and costs."""
    from fairgroups.errors import InputError
    from fairgroups.options import one_of
    from fairgroups.output import check_apart
    from fairgroups.repair.file import check_target
    from fairgroups.repair.score_repair import ScoreRepair
    from fairgroups.repair.tradeoff import tradeoff
    from fairgroups.repair.within import repair_within
    from fairgroups.report.repair_page import (
        CAUTION,
        effect_rows,
        render_repair,
        repair_finding,
        repair_notes,
        small_groups,
    )
    from fairgroups.report.within_page import render_within, within_finding, within_lines

    one_of(missing, "missing", ("error", "keep"))
    twice = next((name for i, name in enumerate(sensitive) if name in sensitive[:i]), None)
    if twice is not None:
        raise InputError(f"--sensitive names {twice!r} twice.", "name every attribute once.")
    if condition is not None and truth is None:
        raise InputError(f"--condition {condition} needs the true label.", "name its column: --truth")
    if given:
        _refuse_with_factors({"--fold": fold, "--private": private})
    names = [*sensitive, *(given or ()), *(name for name in (score, truth, weight, fold, key) if name is not None)]
    if out is not None:
        check_target(data, out, into, key)
    check_apart([path for path in (out, model, html) if path is not None], [data])
    if private is None and (known_range or score_range):
        raise InputError("--known-range and --score-range go with --private.", "leave them out, or say --private 1")
    if private is None:
        people = _read(data, names, score, [x for x in (truth, weight, fold) if x is not None], key, seed)
    elif len(sensitive) > 1 or weight or fold or partition or missing != "error":
        raise InputError(
            "--private is for one attribute, without weights, folds, given groups and missing values.",
            "leave these options out.",
        )
    else:
        roles = (score, sensitive[0], truth)
        people = _read_privately(data, *roles, positive, private, known_range, score_range, seed)
        positive = None
    wished = ScoreRepair(
        _groups(n_groups, partition, min_group_size, sensitive),
        cost=cost,  # type: ignore[arg-type]
        relaxation=relaxation,  # type: ignore[arg-type]
        condition=condition,  # type: ignore[arg-type]
        random_state=seed,
    )
    used = {"score": score, "sensitive": list(sensitive), "key": people.key, "row": people.row, "into": into}
    if given:
        wished.set_params(max_gap=max_gap, missing="error" if missing == "error" else "drop")
        with _as_typed():
            within = repair_within(
                people.columns,
                wished,
                score=score,
                sensitive=sensitive,
                given=given,
                truth=truth,
                weight=weight,
                key=people.key,
                positive=positive,
                threshold=threshold,
                keep_missing=missing == "keep",
            )
        pages = _page(html, lambda: render_within(within, people.notes))
        written = [*pages, *_written(within.repair, data, model, out, {**used, "given": list(given)}, missing)]
        more = [] if quiet else [*within_lines(within), *people.notes, f"Note: {CAUTION}"]
        _say([within_finding(within), *more], written)
        return
    gaps = sorted({max_gap, *TRIED}) if html is not None else [max_gap]
    with _as_typed():
        found = tradeoff(
            people.columns,
            score=score,
            sensitive=sensitive[0] if len(sensitive) == 1 else sensitive,
            truth=truth,
            methods={METHOD: wished},
            max_gap=gaps,
            threshold=threshold,
            fold=fold,
            weight=weight,
            key=people.key,
            positive=positive,
            missing="error" if missing == "error" else "drop",
            seed=seed,
            verbose=not quiet and sys.stderr.isatty(),
        )
    fitted = found.repairs[METHOD, max_gap]
    notes = [*people.notes, *repair_notes(fitted, people.key), *small_groups(found)]
    if threshold is None and not effect_rows(found, METHOD, max_gap):
        notes.append("Say from which score on the decision is yes, --threshold, to see who gains and who loses.")
    pages = _page(html, lambda: render_repair(found, METHOD, max_gap, notes))
    written = [*pages, *_written(fitted, data, model, out, used, missing)]
    _say([repair_finding(found, METHOD, max_gap)], [])
    if not quiet:
        _print(found, max_gap)
    _say([] if quiet else [f"Note: {note}" for note in (*notes, CAUTION)], written)


@contextmanager
def _as_typed() -> Iterator[None]:
    """Turn hints of Python's options into those of the command line."""
    from fairgroups.errors import InputError, MissingValuesError

    try:
        yield
    except MissingValuesError as error:
        raise InputError(error.fact, "--missing keep leaves these rows in the table, without a fair score.") from error


def _say(lines: list[str], written: list[str]) -> None:
    for line in (*lines, *written):
        typer.echo(line)


def _page(html: Path | None, render: Callable[[], str]) -> list[str]:
    """Write the page where one is asked for, and say so."""
    from fairgroups.output import write_atomically

    if html is None:
        return []
    write_atomically(html, render())
    return [f"Page: {html.resolve()}"]


def _refuse_with_factors(options: dict[str, Any]) -> None:
    from fairgroups.errors import InputError

    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name} does not go with --given.", "leave one of the two out.")


def _written(
    fitted: Any, data: Path, model: Path | None, out: Path | None, used: dict[str, Any], missing: str
) -> list[str]:
    """Write the repair and the table, before anything is printed: the reader of the output may go away."""
    from fairgroups.output import write_atomically

    said = []
    if model is not None:
        write_atomically(model, json.dumps({**fitted.to_dict(), "columns": used}, ensure_ascii=False) + "\n")
        said.append(f"Repair: {model.resolve()}")
    if out is not None:
        said.append(write_fair(fitted, data, out, used, missing))
    return said


def _groups(n_groups: str, partition: str | None, min_group_size: str, sensitive: list[str]) -> Any:
    """Return what says who is to be treated alike."""
    from fairgroups.errors import InputError
    from fairgroups.grouping.fair_groups import FairGroups
    from fairgroups.partition.given import given_partition

    if partition is not None and len(sensitive) > 1:
        raise InputError("--partition is for one attribute.", "leave it out, or repair by one attribute at a time.")
    if partition is not None:
        partition = partition.removeprefix(f"{sensitive[0]}=")
        return given_partition(read_borders(partition, "--partition"), sensitive, "error")
    if n_groups in ("exact", "auto"):
        return {"exact": "auto", "auto": "groups"}[n_groups]
    count = read_number("--n-groups", n_groups, whole=True)
    return FairGroups(count, min_group_size=read_number("--min-group-size", min_group_size))


@dataclass(frozen=True)
class _People:
    """Whom the repair is learnt from: columns by name, who each row is, the columns that make the key, and notes."""

    columns: dict[str, Any]
    key: str | None
    row: list[str]
    notes: list[str]


def _read(data: Path, names: list[str], score: str, others: list[str], key: str | None, seed: int) -> _People:
    """Read the people; where many share a score, they are told apart by all else that is known of them."""
    from fairgroups.quoting import WHOLE_ROW
    from fairgroups.sources.source import Source, read_columns

    row: list[str] = []
    told: list[str] = []
    columns, total = read_columns(
        Source(data), names, text=[] if key is None else [key], most=MOST_ROWS, seed=seed, told=told
    )
    if key is None and _tied(columns[score]) > MANY_SHARE:
        with Source(data).opened() as table:
            row = [name for name in table.relation.columns if name not in others]
        columns, total = read_columns(Source(data), names, row=row, most=MOST_ROWS, seed=seed)
        key = WHOLE_ROW
    n = len(next(iter(columns.values())))
    drawn = f"The groups, the maps and this judgement rest on {n:,} of {total:,} rows, drawn at random."
    return _People(columns, key, row, [*([drawn] if n < total else []), *(f"Read: {line}" for line in told)])


def _read_privately(
    data: Path,
    score: str,
    sensitive: str,
    truth: str | None,
    positive: str | None,
    epsilon: float,
    known_range: str | None,
    score_range: str | None,
    seed: int,
) -> _People:
    """Read people that stand for the entries of a noisy histogram."""
    import numpy as np

    from fairgroups.errors import InputError
    from fairgroups.repair.noisy_scores import private_scores
    from fairgroups.repair.trial import is_label
    from fairgroups.sources.source import Source, read_columns

    names = [score, sensitive, *([] if truth is None else [truth])]
    columns, _ = read_columns(Source(data), names, most=MOST_ROWS, seed=seed)
    if score_range is None and np.any(np.abs(np.ma.compressed(np.ma.asarray(columns[score])) - 0.5) > 0.5):
        raise InputError(
            f"the scores in {score!r} do not lie between 0 and 1.",
            "say the least and the largest score that there may be: --score-range 0,100",
        )
    label = None
    if truth is not None:
        label = columns[truth] if positive is None else is_label(columns[truth], positive, truth)
    noisy = private_scores(
        columns[score],
        columns[sensitive],
        label,
        private=epsilon,
        known_range=read_borders(known_range, "--known-range") if known_range else (),
        score_range=read_borders(score_range or "0,1", "--score-range"),
    )
    found = dict(zip(names, (noisy["score"], noisy["sensitive"], noisy.get("y")), strict=False))
    return _People(found, None, [], [PRIVATELY.format(f"{epsilon:g}")])


def _tied(score: Any) -> float:
    """Return the largest share of rows with one score."""
    import numpy as np

    _, count = np.unique(np.ma.compressed(np.ma.asarray(score)), return_counts=True)
    return float(count.max() / len(score)) if count.size else 0.0


def _print(found: Tradeoff, max_gap: float) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from fairgroups.cli.printing import plain
    from fairgroups.report.repair_page import before_and_after, effect_rows

    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    level = f"{100 * found.settings['level']:g}% interval"
    for i, heading in enumerate(("measure", "before", "after", level, f"change ({level})", "by chance")):
        table.add_column(heading, justify="left" if i == 0 else "right", overflow="fold")
    for row in before_and_after(found, METHOD, max_gap):
        table.add_row(*(row[key] for key in ("name", "before", "after", "interval", "change", "floor")))
    console.print(table)
    labels = [label for label in found.settings["groups"] if label not in found.settings["too_small"]]
    between = f"Gaps are between these groups: {plain('; '.join(labels))}. " if len(labels) > 1 else ""
    parts = found.settings["folds"]
    means = (
        f", gaps in each of {parts} parts of them by itself: chance makes those larger"
        if isinstance(parts, int)
        else ""
    )
    console.print(f"{between}All measured on people left out of the fit{means}.", soft_wrap=True)
    effects = effect_rows(found, METHOD, max_gap)
    if effects:
        table = Table(
            box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), title="Who gains, who loses", title_justify="left"
        )
        for i, (_, heading) in enumerate(effects[0]):
            table.add_column(heading, justify="left" if i == 0 else "right", overflow="fold")
        for effect in effects:
            table.add_row(*(plain(text) for text, _ in effect))
        console.print(table)
