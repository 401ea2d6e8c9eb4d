"""audit(): a table in, an `Audit` out. Python and the command line use this one function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fairgroups.audits.assemble import HeldEqual, Judged, assemble
from fairgroups.audits.explore import explore_line, explore_plane
from fairgroups.audits.options import AuditOptions
from fairgroups.audits.rates import other_measures
from fairgroups.audits.result import Audit, JointAudit
from fairgroups.cells.sample import Sample
from fairgroups.checks.run import compared
from fairgroups.errors import InputError
from fairgroups.evidence.any_difference import AnyDifference
from fairgroups.evidence.at_equal import judge_at_equal
from fairgroups.evidence.judge import Evidence, judge
from fairgroups.grouping.boxes import MOST_AXES
from fairgroups.grouping.comparable_people import find_alike, without_each
from fairgroups.grouping.crossfit import cross_fit
from fairgroups.grouping.find import find
from fairgroups.grouping.narrow import MANY, Narrowed, sets_of
from fairgroups.grouping.refine import find_finely
from fairgroups.measures import JointMeasure, Measure, parts_of, resolve_any
from fairgroups.options import Missing, refuse_unknown, taking
from fairgroups.partition.given import given_partition
from fairgroups.reading import Reading, read_rows
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.noisy_histogram import private_rows
from fairgroups.rows.rows import Rows, refuse_exposure
from fairgroups.words import how_many, listed, sentence

__all__ = ["audit", "audit_of_one"]

MOST_CLASSES = 40  # of several categories crossed; of more, boxes are searched for


@taking(AuditOptions)
def audit(data: Any, **asked: Any) -> Audit | JointAudit:
    """Find the groups of numeric attributes that an outcome treats differently, and say what may be concluded.

    Parameters
    ----------
    data : frame, mapping, path or Source
        A data frame of any library, a mapping of column names to values, or a file; see `Source` for folders, patterns
        and databases. Lazy frames (Polars, DuckDB, Ibis, Dask, PySpark …), databases and files of more than two million
        rows are counted where they are: in up to 65 536 cells, and value by value at the borders of groups.
    sensitive : str or list of str
        The column of the sensitive attribute, or several: groups are then boxes, and text columns are categories. Of
        more than three, the one or two by which people differ most are found first; see `scan`.
    outcome, truth, weight : str
        Column names: the decision or score that is audited, the true label for measures that need it, row weights.
    compare_with : str, optional
        Another outcome of the same people, such as a first model's: does this one amplify its differences? Where
        `truth` is given, the outcome is compared with it by default.
    reliability : float or "cluster", optional
        How reliable the attribute's values are: the share of their variance that is not error of measurement. Each
        group's difference is then also told by the *true* values, with a curve over other reliabilities: see
        `Audit.corrected`. ``"cluster"`` tells it from several rows of each cluster.
    error : str or float, optional
        The same by the standard deviation of the error: a column with that of each value, or one number for all.
    cluster : str, optional
        Column that says which rows belong together, such as several photographs of one person.
    key : str, optional
        Column that says who each person is: where people are dealt into halves or folds, their key and the seed decide,
        so that the same person is always in the same one.
    given : str or list of str, optional
        Factors at equal values of which people are compared, such as education: what of a difference is left among
        comparable people? The result's `reasons` split each group's difference in two.
    expected : str, optional
        Column of the outcome that a model of your own expects: people are compared at equal values of it.
    how : {"auto", "strata", "model"} or estimator
        Whether people are compared within strata of the factors, numbers in bins of which there are more the more
        people there are; or within strata of the scores of a cross-fitted model, scikit-learn's gradient boosting or an
        estimator of your own. ``"auto"``: strata, unless people are too few for so many factors.
    seek : {"unexplained", "raw"}
        With factors: whether the groups searched for differ in what the factors leave unexplained, or, as without them,
        in their rates, whose differences are then split.
    measure : str or Measure
        ``"auto"`` is statistical parity for yes/no outcomes and the mean for numbers. See `fairgroups.MEASURES`.
        ``"equalized_odds"`` looks at true and false positive rates at once, in a `JointAudit` of two `parts`.
    against : {"auto", "everyone", "rest"}
        Whether a group's rate is compared with everyone's or with that of the people outside the group. ``"auto"``: two
        groups that were named in advance with each other, others with everyone.
    reference : str, optional
        Compare with this group instead, one of those named in advance: its label, as "25 to 44", or "best".
    n_groups : int or "auto"
        How many groups to look for; fewer if the data cannot give as many. ``"auto"``: as many as the data calls for,
        and one group is the answer where no range is shown to differ.
    selection, max_groups, monotonic, n_cells, min_denominator, budget
        See `FairGroups`.
    min_group_size : int, float or "auto"
        Least rows in a group, or their share. ``"auto"``: as many as any verdict needs.
    partition : Partition, list of borders or mapping, optional
        Judge these groups, named in advance, instead of searching. Of several attributes a mapping of columns to
        borders, ``{"age": [40]}``: classes are crossed, and every level of a category is one. A category alone needs
        none.
    scales : mapping, optional
        Classes of the attribute that are judged besides, as named in advance: ``{"law": [40, 62]}``, or partitions.
        See `Audit.classes`.
    by : str, optional
        Column of periods, such as a year: the groups found in all rows are followed from period to period. See
        `Audit.over_time`.
    favourable : bool, optional
        Whether the outcome is good to receive: every measure follows from it. Where it is not said, groups are called
        higher or lower, and nobody is called disadvantaged.
    positive : label, optional
        Which label of the outcome counts as 1; all others count as 0.
    threshold : float, optional
        Make decisions of a score: outcomes of at least this count as yes, others as no.
    missing : {"error", "drop", "group"}
        What to do with missing values.
    inference : {"band", "crossfit", "plugin"}
        ``"band"``: intervals that hold for all ranges at once, so also for groups found on the same rows.
        Of several attributes for all boxes at once, with borders on a grid of cells.
        ``"crossfit"``: each half of the rows finds groups, and the other half judges them.
        ``"plugin"``: the paper's intervals, which treat the groups as given and raise false alarms; for comparison.
    band_width : {"auto", "table", "simulate"}
        See `Band`.
    level : float
        Confidence level of the intervals.
    min_cell : int
        Fewest people that any rate along the attributes stands for, in page and JSON alike: curves, maps and bars of
        fewer are joined with their neighbours.
    private : float, optional
        Make everything of one noisy histogram of yes/no outcomes along one attribute, so that no single person shows
        (differential privacy): ε, such as 1. Intervals allow for the noise.
    known_range : pair of float, optional
        With `private`: the smallest and largest value that the attribute may have, known without looking.
    relevant_gap : float, optional
        Differences within ± this are of no concern: for rates 0.05, or a fifth of the rarer of yes and no where that is
        less; otherwise a fifth of a standard deviation, that of most rows where a few extreme values make most of it.
    max_gap, max_harm, min_ratio : float, optional
        Limits: on the size of every group's difference, on those to a group's harm, and on the ratio of every group's
        rate to the best one, such as 0.8. The result's `limits` say whether each is kept.
    title : str, optional
        What the report is called.
    label : mapping, optional
        What columns are called in the report: ``{"age": "Age (years)"}``.
    unit : str
        What the rows are, in the plural: people, towns, claims.
    checks : bool
        Also run the test of monotonicity, the resampling of borders, the comparison with the truth and, with
        ``inference="crossfit"`` of several attributes, a permutation test.
    explore : bool
        Also work out what the page's explorer shows, so that it is in the JSON and in pages made from it.
    seed : int
        For halves, folds, and simulations.
    verbose : bool
        Show a progress bar where something takes long.

    Returns
    -------
    Audit or JointAudit
        What was found, as plain data.

    Raises
    ------
    InputError
        Where the data or an option cannot be used; it says what to do.

    Examples
    --------
    >>> import fairgroups as fg
    >>> people = fg.make_synthetic(10_000)
    >>> table = {"tone": people.sensitive, "approved": people.outcome}
    >>> found = fg.audit(table, sensitive="tone", outcome="approved", favourable=True)
    >>> [record.verdict for record in found.records]
    ['disadvantaged', 'disadvantaged', 'not enough evidence', 'advantaged', 'advantaged']
    """
    refuse_unknown("audit", AuditOptions, asked)
    named = options = AuditOptions(**asked)
    how: dict[str, Any] = {
        name: getattr(options, name) for name in ("n_cells", "partition", "scales", "seed", "verbose")
    }
    how["raw"] = options.at_equal and options.seek == "raw" and options.partition is None
    with read_rows(data, options.roles, **how) as found_rows:
        reading = found_rows if options.private is None else _hidden(found_rows, options)
        rows = reading.rows.centred()
        used = resolve_any(options.measure, outcome_is_binary=rows.outcome_is_binary)
        if len(rows.columns) > MANY and options.partition is None and options.inference == "band":
            narrowed = Narrowed.of(rows, parts_of(used), options.level)
            rows, options = _narrowed(rows, narrowed, options, reading)
        else:
            narrowed = None
        sample = Sample(rows, _summed(rows, used, options), options.n_cells)
        judged = replace(_judged(reading, sample, used, options), narrowed=narrowed)
    parts = tuple(assemble(judged, part, i, options, reading, named) for i, part in enumerate(parts_of(used)))
    told = None
    if not options.at_equal and judged.sample.is_line and options.explore:
        scales = {one.name: one.partition for one in parts[0].classes}
        told = explore_line(parts, judged.sample.cells, scales)
    elif not options.at_equal and len(rows.columns) == 2 and not judged.named:
        told, parts = explore_plane(parts, judged)  # later the rows are gone, and it costs little
    found = parts[0] if len(parts) == 1 else _joint(parts)
    return found if told is None else replace(found, explored=told)


def _hidden(reading: Reading, options: AuditOptions) -> Reading:
    """Return a noisy histogram in place of the people."""
    assert options.private is not None
    assert options.known_range is not None
    if reading.frame is not None:
        raise InputError("`private` needs the rows in memory.", "collect the table first.")
    given = [options.partition, *(options.scales or {}).values()]
    named = [given_partition(one, options.roles.sensitive, "error") for one in given if one is not None]
    borders = [float(border) for one in named for border in one.borders()]
    rows = private_rows(reading.rows, options.private, options.known_range, borders)
    note = (
        "Everything here was computed from one noisy histogram, one with random noise added "
        f"(ε = {options.private:g}): what is shown is at most {math.exp(options.private):.3g} times as likely with any "
        f"one of the {options.unit} as without. Counts are approximate, and intervals are widened accordingly. Rows "
        "with missing values are left out, and not counted. Each further audit of the same data adds its ε."
    )
    return replace(reading, rows=rows, notes=[note])


def _narrowed(rows: Rows, narrowed: Narrowed, options: AuditOptions, reading: Reading) -> tuple[Rows, AuditOptions]:
    """Return the one or two of many attributes by which people differ most, and a level that pays for the choice."""
    n = len(rows.columns)
    names = [narrowed.names[i] for i in narrowed.chosen]
    error = (1 - options.level) / sets_of(n)
    digits = max(4, 1 - math.floor(math.log10(error)))
    level = round(1 - math.floor(error * 10**digits) / 10**digits, digits)
    reading.notes.append(
        f"Of {n} attributes, those by which people differ most were looked for first: {listed(names)}. Intervals are "
        f"at {100 * level:.{digits}g}%, so that with {100 * options.level:g}% they hold over all {sets_of(n)} sets of "
        "one or two attributes; scan() ranks them all."
    )
    kept = replace(rows, columns=tuple(rows.columns[i] for i in narrowed.chosen))
    return kept, replace(options, sensitive=names if len(names) > 1 else names[0], level=level)


def audit_of_one(data: Any, **asked: Any) -> Audit:
    """Return the audit of one rate; see `audit`."""
    found = audit(data, **asked)
    assert isinstance(found, Audit)
    return found


def _summed(rows: Rows, used: Measure | JointMeasure, options: AuditOptions) -> tuple[Measure, ...]:
    """Return every measure that anybody will ask for, so that the rows are summed once."""
    measures = [*parts_of(used), *(compared(rows) if options.checks else ())]
    if rows.truth is not None or (options.explore and rows.is_line):
        measures += other_measures(rows, tuple(measure.name for measure in measures))
    return tuple(measures)


def _judged(reading: Reading, sample: Sample, measure: Measure | JointMeasure, options: AuditOptions) -> Judged:
    """Find the groups, unless they are given, and judge them."""
    roles, inference, parts = options.roles, options.judging, parts_of(measure)
    columns = sample.rows.columns
    missing = roles.missing
    if missing == "group" and not sample.rows.absent.any():
        missing = "error"  # nobody to group
    if options.at_equal:
        return _judged_at_equal(reading, sample, measure, options, missing)
    each = inference.each(len(parts))
    groups = options.partition
    if groups is None and _are_classes(columns, options):
        groups = {}
        if options.n_groups != "auto":
            reading.notes.append("The levels of one category are groups as they are: `n_groups` was not used.")
    if groups is not None:
        partition = given_partition(groups, roles.sensitive, missing, [column.levels for column in columns])
        named = replace(each, named=True)
        evidence = [judge(sample, partition, part, named) for part in parts]
        return Judged(sample, sample, partition, None, named, evidence)
    if inference.inference == "band" and not sample.is_line and not _can_be_banded(sample):
        inference = replace(inference, inference="crossfit")
        reading.notes.append(
            "The categories have so many levels that there are too many boxes for intervals that hold for all of them, "
            "so people set aside judged the groups."
        )
    if inference.inference == "crossfit":
        if not sample.is_line and options.checks:  # half of the error is left to the permutation test
            inference = replace(inference, level=1 - (1 - inference.level) / 2)
        shown, other, rand = cross_fit(sample, measure, options.search, inference, missing)
        partition = shown.result.partition
        return Judged(sample, shown.judging, partition, shown.result, shown.inference, shown.evidence, other, rand)
    for part in parts:
        refuse_exposure(sample.rows, part)
    sample, result = find_finely(reading, sample, measure, options.search, inference, missing)
    known = result.differs or (None,) * len(parts)
    evidence = [judge(sample, result.partition, part, each, one) for part, one in zip(parts, known, strict=True)]
    return Judged(sample, sample, result.partition, result, each, evidence)


def _judged_at_equal(
    reading: Reading, sample: Sample, measure: Measure | JointMeasure, options: AuditOptions, missing: Missing
) -> Judged:
    """Find the groups, unless they are given, and judge them among people alike in the factors."""
    rows, parts, each = sample.rows, parts_of(measure), options.judging.each(len(parts_of(measure)))
    for part in parts:
        refuse_exposure(rows, part)
    if rows.absent.any():  # whose outcomes would colour what people alike have
        raise InputError(
            f"{how_many(int(rows.absent.sum()), 'row')} of missing {listed(options.roles.sensitive)} cannot be a group "
            "where people are compared at equal factors.",
            "missing='drop' leaves them out; an audit without factors compares them with the others.",
        )
    if not sample.is_line and not _can_be_banded(sample):
        raise InputError(
            "there are too many attributes, or categories of too many levels, to compare every box at equal factors.",
            "use fewer attributes.",
        )
    groups = options.partition
    if groups is None and _are_classes(rows.columns, options):
        groups = {}
    result, borders = None, None
    known: tuple[AnyDifference | None, ...] = (None,) * len(parts)
    if groups is not None:
        partition = given_partition(groups, options.roles.sensitive, missing, [c.levels for c in rows.columns])
        each = replace(each, named=True)
        borders = partition.borders() if sample.is_line else None
    elif options.seek == "raw":
        sample, result = find_finely(reading, sample, measure, options.search, options.judging, missing)
        rows, partition = sample.rows, result.partition
        borders = partition.borders() if sample.is_line else None
    alike = find_alike(rows, parts, options.how)
    matched = alike.sample(sample, parts, borders)
    if groups is None and options.seek == "unexplained":
        result = find(matched, measure, options.search, options.judging, missing)
        partition, known = result.partition, result.differs or known
    others = without_each(rows, parts, alike, options.how) if partition.n_groups > 1 else None
    evidence: list[Evidence] = [
        judge_at_equal(sample, matched, partition, part, each, one) for part, one in zip(parts, known, strict=True)
    ]
    held = HeldEqual(matched, alike, others)
    return Judged(sample, sample, partition, result, each, evidence, held=held)


def _are_classes(columns: Sequence[Column], options: AuditOptions) -> bool:
    """Whether all attributes are categories whose levels, crossed, are classes that a person can read."""
    sizes = [0 if column.levels is None else len(column.levels) for column in columns]
    return all(sizes) and (len(sizes) == 1 or (options.n_groups == "auto" and math.prod(sizes) <= MOST_CLASSES))


def _can_be_banded(sample: Sample) -> bool:
    """Whether every box of the attributes can be looked at."""
    return len(sample.rows.columns) <= MOST_AXES and sample.space.can_be_banded


def _joint(parts: tuple[Audit, ...]) -> JointAudit:
    conclusion = " ".join(f"{sentence(part.measure.rate)}: {part.conclusion}" for part in parts)
    return JointAudit(conclusion, parts)
