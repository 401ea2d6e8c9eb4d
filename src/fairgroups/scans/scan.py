"""scan(): a table in, a `Scan` out: which of all its columns matter. Python and the command line use this function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.audits.audit import audit_of_one
from fairgroups.audits.notes import averaged_labels, codes_among
from fairgroups.audits.result import Audit
from fairgroups.errors import FairGroupsError, InputError
from fairgroups.evidence.dealt_outcomes import FEWEST
from fairgroups.evidence.many_attributes import fitting
from fairgroups.measures import JointMeasure, Measure, resolve_any
from fairgroups.options import rates_apart, refuse_unknown, taking
from fairgroups.progress import progress_bar
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.column_values import is_missing, numbers
from fairgroups.rows.rows import Rows, check_measure, refuse_exposure
from fairgroups.rows.strata import nothing_to_compare, refuse_names
from fairgroups.rows.weights import weighted_sums
from fairgroups.scans.columns import OTHERS, ColumnCheck, ScannedColumn, apart, unknown_column
from fairgroups.scans.options import ScanOptions
from fairgroups.scans.ranking import Ranking
from fairgroups.scans.records import ScanLimit, ScannedAttribute
from fairgroups.scans.result import Scan, ScanFacts
from fairgroups.scans.scanned_cells import Scene, bits_of
from fairgroups.scans.table import ScanTable
from fairgroups.sources.ages import age_column
from fairgroups.words import how_many, thousands

__all__ = ["scan"]

MOST_OF_ONE = 0.4  # of the rows, that one cluster may have
MOST_AUDITS = 12


@taking(ScanOptions)
def scan(data: Any, **asked: Any) -> Scan:
    """Look at every column of a table, and say by which attributes anyone is treated differently.

    One error is shared by everything that is looked at: if nobody is treated differently, then with the confidence
    asked for nothing at all is shown, whatever the number of columns and however they go together.

    Parameters
    ----------
    data : frame, mapping, path or Source
        A data frame of any library, a mapping of column names to values, or a file; see `Source`. The columns that are
        looked at are read into memory.
    outcome : str
        Column of the decision or score that is looked at.
    attributes, without : str or list of str, optional
        Look at these columns only, or not at those. All others are looked at: numbers, categories, dates, yes and no.
    pairs : {"auto", "all", "none"} or bool
        Whether boxes of two columns are looked at, too: of all pairs, or of none. ``"auto"``: of all pairs of up to
        twelve columns; of more, those of the ten that are the most striking alone.
    given : str or list of str, optional
        Factors at equal values of which people are compared, such as education.
    truth, weight, cluster : str, optional
        Column names: the true label for measures that need it, row weights, which rows belong together.
    measure : str or Measure
        ``"auto"`` is statistical parity for yes/no outcomes and the mean for numbers.
    favourable : bool, optional
        Whether the outcome is good to receive: the worst-off are then named first.
    positive : label, optional
        Which of two labels of the outcome counts as 1.
    threshold : float, optional
        Numbers of the outcome of at least this count as yes, others as no.
    missing : {"error", "drop"}
        What to do with rows that miss the outcome. That an attribute is not known is looked at as well.
    level : float
        Confidence level of everything together.
    min_cell : int
        Fewest people of any range or box that is looked at or shown.
    max_gap, max_harm : float, optional
        Limits on the differences of all ranges and boxes, and on those to people's harm.
    title : str, optional
        What the report is called.
    label : mapping, optional
        What columns are called in the report.
    unit : str
        What the rows are, in the plural.
    audits : bool
        Also audit every attribute that is shown, so that the page can open it.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    Scan
        What was found, as plain data.

    Raises
    ------
    InputError
        Where the data or an option cannot be used; it says what to do.

    Examples
    --------
    >>> import numpy as np
    >>> import fairgroups as fg
    >>> rng = np.random.default_rng(0)
    >>> age, tenure = rng.integers(18, 70, 4000), rng.integers(0, 30, 4000)
    >>> team = rng.choice(["north", "south", "west"], 4000)
    >>> hired = rng.random(4000) < np.where(age > 55, 0.2, 0.4)
    >>> found = fg.scan({"age": age, "tenure": tenure, "team": team, "hired": hired}, outcome="hired", favourable=True)
    >>> [one.names for one in found.shown], found.attributes[0].worst.verdict
    ([('age',)], 'disadvantaged')
    """
    refuse_unknown("scan", ScanOptions, asked)
    options = ScanOptions(**asked)
    call, options = options.call(), _with_ages(options)
    table = ScanTable.read(data, options)
    with table.naming_rows():
        rows = table.people(options)
    measure = resolve_any(options.measure, outcome_is_binary=rows.outcome_is_binary)
    if isinstance(measure, JointMeasure):
        raise InputError(
            f"a scan looks at one rate, and {measure.name!r} is two.",
            "use equal_opportunity or predictive_equality, one after the other.",
        )
    check_measure(measure, rows)
    refuse_exposure(rows, measure)
    if rows.outcome_is_binary and measure.binary:
        rates_apart(options, "max_gap", "max_harm")
    _check_dominance(rows, options)
    direction = measure.direction(favourable=options.favourable)
    if options.max_harm is not None and direction == "neutral":
        raise InputError(
            "`max_harm` needs to know what harms a person.",
            "say whether the outcome is good to receive: favourable=True or False (--favourable, --unfavourable).",
        )
    checked, factors = table.checked(rows, options), table.factors(rows, options)
    refuse_names(factors, rows.n)
    used = [column for column in checked if column.check.used]
    if not used:
        reasons = (f"{column.name}: {column.check.told.rstrip('.').replace('Left out: ', '')}" for column in checked)
        why = "; ".join(reasons) or "the table has no other column"
        raise InputError(
            f"no column is left to look at ({why[:300]}).",
            "name attributes that vary; one that is named is looked at whatever it decides.",
        )
    columns = tuple(used) + tuple(x for x in map(unknown_column, used) if x is not None)
    scene = Scene(rows, measure, columns, factors, direction, options.level, options.min_cell, options.label or {})
    copies, counted = _copies(used, rows), _counted(rows, measure, factors, table.n)
    checks, n_used = [column.check for column in checked], len(used)
    del checked, used, columns  # their values, in the order of the table
    scene = scene.in_order()
    narrow = scene.without_a_place()
    checks = [_no_place(check, options) if check.name in narrow else check for check in checks]
    scene = scene.only([i for i, column in enumerate(scene.columns) if column.name not in narrow])
    if not scene.columns:
        raise InputError(
            f"no range of any column holds {options.min_cell} of the {rows.n} {options.unit} and leaves as many.",
            "pass more rows, or lower min_cell (--min-cell).",
        )
    alone = _alone(scene) if factors else 0
    with progress_bar(f"Looking at {n_used} columns", shown=options.verbose) as progress:
        seen = Ranking.of(scene, options, progress)
    attributes = seen.attributes(options)
    if options.audits:
        known, found = table.without_codes(checks), []
        with progress_bar("Auditing each attribute", shown=options.verbose) as progress:
            for i, one in enumerate(attributes):
                found.append(_with_audit(one, i, known, options, counted))
                progress((i + 1) / len(attributes))
        attributes = tuple(found)
    pairs = seen.pairs(options)
    shown = bool(seen.listed) or any(one.shown for one in (*attributes, *pairs))
    facts = ScanFacts(
        source=table.source,
        outcome=options.called(options.outcome) + ("" if options.threshold is None else f" ≥ {options.threshold:.10g}"),
        n=rows.n,
        overall=scene.overall,
        percent=bool(rows.outcome_is_binary and measure.binary),
        unit=options.unit,
        rate=measure.rate,
        direction=direction,
        given=tuple(options.called(name) for name in options.names("given")),
        strata=seen.dealt.n_strata if factors else 0,
        alone=alone,
        constant=not seen.dealt.scatter.any(),
        level=options.level,
        min_cell=options.min_cell,
        pairs=options.which_pairs,
        looked_at_pairs=seen.n_pairs,
        p_value=fitting(seen.p_value, options.level, shown=shown),
        converted=tuple(dict.fromkeys([*table.told, *rows.told, *copies, *_remarks(rows, measure, factors)])),
        dropped=table.n - rows.size,
        library=table.library,
    )
    return Scan(
        title=options.title,
        data=facts,
        columns=tuple(checks),
        attributes=attributes,
        pairs=pairs,
        steps=seen.steps(options),
        limits=_limits(seen, options, [*attributes, *pairs], checks),
        call=call,
    )


def _with_ages(options: ScanOptions) -> ScanOptions:
    """Return options in which ages of people whose date of birth is known are called so."""
    asked = (*options.names("attributes"), *options.names("given"))
    ages = {name: age.label for name in asked if (age := age_column(name, sure=False))}
    return replace(options, label=ages | dict(options.label or {})) if ages else options


def _alone(scene: Scene) -> int:
    """Count people with nobody alike to compare them with; refuse factors that leave nothing to compare."""
    dealt = scene.dealt()
    if not dealt.scatter.any() and scene.without_factors().dealt().scatter.any():
        raise nothing_to_compare([column.name for column in scene.factors])
    sizes = np.bincount(dealt.strata)
    return int(np.count_nonzero(sizes == 1))


def _check_dominance(rows: Rows, options: ScanOptions) -> None:
    """Refuse weights of which a few are nearly all, and a cluster that is: they tell nothing of chance."""
    if rows.cluster is not None:
        largest = float(np.bincount(rows.cluster).max()) / rows.size
        if largest > MOST_OF_ONE:
            raise InputError(
                f"one {options.cluster!r} has {100 * largest:.0f}% of the rows: what these share would pass for a "
                "difference.",
                "check the column; else leave these rows out, and look at them by themselves.",
            )
    if rows.weight is None:
        return
    size = float(rows.weight.sum()) ** 2 / float(np.sum(rows.weight**2))
    if size < FEWEST <= rows.size:
        raise InputError(
            f"a few rows weigh nearly as much as all others: {thousands(rows.size)} rows tell as much as {size:.1f} of "
            "equal weight would, too few for a scan.",
            f"look at the largest values of {options.weight!r}, or leave the weights out.",
        )


def _no_place(check: ColumnCheck, options: ScanOptions) -> ColumnCheck:
    return check.left_out(f"no range of it holds {options.min_cell} rows and leaves as many.")


def _limits(
    seen: Ranking, options: ScanOptions, printed: Sequence[ScannedAttribute], checks: Sequence[ColumnCheck]
) -> tuple[ScanLimit, ...]:
    """Return whether limits are kept; never against a difference that is printed, nor where a column was left out.

    A column that decides the outcome may be a copy of it, or what decides; and texts that look like numbers were not
    looked at.
    """
    unseen = any(check.same_as == options.outcome or check.looks_like for check in checks)
    worse = seen.scene.direction == "worse"
    places = [place for one in printed for place in (one.worst, *one.more)]
    out = []
    for limit in seen.limits(options):
        harm = limit.name == "max_harm"
        told = places if limit.place is None else [*places, limit.place]
        ends = [(p.low if worse else -p.high) if harm else max(p.low, -p.high) for p in told]
        if max(ends) > limit.value:
            limit = replace(limit, verdict="exceeded", place=told[int(np.argmax(ends))])  # noqa: PLW2901
        elif unseen and limit.verdict == "kept":
            limit = replace(limit, verdict="not enough evidence")  # noqa: PLW2901
        out.append(limit)
    return tuple(out)


def _copies(columns: Sequence[ScannedColumn], rows: Rows) -> list[str]:
    """Say that every row has a copy, if that is so: people who are counted twice make chance look small."""
    if rows.cluster is not None or rows.weight is not None:
        return []
    times = np.unique(bits_of([rows.outcome, *(column.values for column in columns)]), return_counts=True)[1]
    each = int(np.gcd.reduce(times))
    if each == 1 or times.size < FEWEST:
        return []
    hint = "leave the copies out, or say which rows are one person's: cluster= (--cluster)."
    return [f"Every row stands in the table {each} times, which makes chance look smaller than it is: {hint}"]


def _remarks(rows: Rows, measure: Measure, factors: Sequence[Column]) -> list[str]:
    """Say what of the outcome and of the factors may be meant otherwise."""
    said = averaged_labels(rows) if measure.name == "mean" and not rows.outcome_is_binary else []
    said += codes_among(factors, rows.count)
    for column in factors:
        absent = int(np.count_nonzero(np.isnan(column.values)))
        if absent:
            said.append(f"{column.name}: {how_many(absent, 'row')} without it are held against one another.")
    return said


def _counted(rows: Rows, measure: Measure, factors: Sequence[Column], n: int) -> NDArray[np.bool_]:
    """Return which rows of the table count in the rate, those of whom some factor is not known left out."""
    _, b = weighted_sums(rows, measure)
    known = b > 0
    for column in factors:
        known = known & ~np.isnan(column.values)
    counted = np.zeros(n, dtype=bool)
    counted[np.arange(n) if rows.index is None else rows.index] = known
    return counted


def _rare_joined(values: Any, counted: NDArray[np.bool_], fewest: int) -> Any:
    """Return a category whose rare levels are one, with the next rarest where even together they are too few."""
    items = ["" if is_missing(x) else str(x) for x in np.ma.filled(np.ma.asarray(values, dtype=object), None).tolist()]
    people: Mapping[str, int] = Counter(item for item, counts in zip(items, counted.tolist(), strict=True) if counts)
    levels = sorted({item for item in items if item}, key=lambda level: (people.get(level, 0), level))
    rare: set[str] = set()
    held = 0
    for level in levels:
        if people.get(level, 0) >= fewest and (not rare or held >= fewest):
            break
        rare.add(level)
        held += people.get(level, 0)
    if not rare:
        return values
    rest = apart(OTHERS, tuple(levels))
    return np.array([None if not item else rest if item in rare else item for item in items], dtype=object)


def _as_levels(values: Any, name: str) -> Any:
    """Return a number of 0 and 1 only as true and false, a category: there is nothing between them."""
    found = numbers(values, name)
    known = ~np.isnan(found)
    if not np.array_equal(np.unique(found[known]), [0.0, 1.0]):
        return values
    levels = np.full(found.shape, None, dtype=object)
    levels[known] = found[known] == 1
    return levels


def _with_audit(
    one: ScannedAttribute, i: int, table: ScanTable, options: ScanOptions, counted: NDArray[np.bool_]
) -> ScannedAttribute:
    """Add the audit of one attribute; where it cannot be had, the page does without."""
    if not one.shown or i >= MOST_AUDITS or one.kind == "date" or one.missing:
        return one
    roles = ("outcome", "given", "truth", "weight", "cluster", "positive", "threshold")
    same = (*roles, "measure", "favourable", "level", "unit", "label", "min_cell")
    asked = {name: getattr(options, name) for name in same if getattr(options, name) is not None}
    name = one.names[0]
    if "label" in asked:
        known = {name, *options.names("given"), options.outcome}
        asked["label"] = {column: said for column, said in asked["label"].items() if column in known}
    columns = dict(table.columns)
    if one.kind == "category":
        columns[name] = _rare_joined(columns[name], counted, options.min_cell)
    elif one.kind == "number":
        columns[name] = _as_levels(columns[name], name)
    try:
        found: Audit = audit_of_one(columns, sensitive=name, missing="drop", checks=False, **asked)
    except FairGroupsError:
        return one
    return replace(one, audit=found)
