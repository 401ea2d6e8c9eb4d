"""What fair scores cost: accuracy against dependence, for several repairs and gaps, on people left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from fairgroups.errors import InputError
from fairgroups.options import Missing, column_of, columns_of
from fairgroups.partition.given import given_partition
from fairgroups.partition.partition import Partition
from fairgroups.progress import on_two_threads, progress_bar
from fairgroups.repair.chance import chance_shows
from fairgroups.repair.effects import Effect, effects_of
from fairgroups.repair.left import left_of
from fairgroups.repair.quality import BEFORE, GAPS, People, gaps, quality
from fairgroups.repair.score_repair import ScoreRepair
from fairgroups.repair.scored import Scored
from fairgroups.repair.trial import Trial, asked_for, blocks_of, common_groups, folds_of, read_people
from fairgroups.rows.rows import Rows
from fairgroups.sources.frames import build_table

__all__ = ["BEFORE", "Tradeoff", "tradeoff"]

Array = NDArray[np.float64]
POINTS = 200  # of a distribution function in a picture
FEWEST = 100  # people in a group that is part of a gap


@dataclass(frozen=True, repr=False)
class Tradeoff:
    """What each repair gives and costs, judged on people who took no part in it.

    Attributes
    ----------
    records : list of dict
        One for each method, gap and measure of quality: ``method``, ``max_gap``, ``measure``, ``value`` with its
        interval ``low`` to ``high``, ``before`` without repair, the ``change`` from it with ``change_low`` and
        ``change_high`` (paired, person by person), and ``floor``, the 95% quantile of what chance alone shows (NaN
        where it shows nothing). Gaps of all methods are between the same `groups`.
    repairs : dict
        The repair of each (method, max_gap), fitted on everybody, ready to use.
    groups : Partition
        The groups between which gaps are measured.
    effects : dict
        For each (method, max_gap) who gains and who loses: an `Effect` for each group and each tenth of the people.
    distributions : dict
        For each (method, max_gap) the groups' distribution functions before and after, for `distribution_chart`.
    settings : dict
        Columns and options.

    Examples
    --------
    >>> import numpy as np
    >>> from fairgroups import tradeoff
    >>> age = np.arange(400) % 60 + 18
    >>> people = {"age": age, "score": (age + np.arange(400) % 41) / 130}
    >>> found = tradeoff(people, score="score", sensitive="age", max_gap=0.0)
    >>> found.value("hgr")["value"] > 0.5
    True
    """

    records: list[dict[str, Any]]
    repairs: dict[tuple[str, float], ScoreRepair]
    groups: Partition
    effects: dict[tuple[str, float], list[Effect]]
    distributions: dict[tuple[str, float], list[dict[str, Any]]]
    settings: dict[str, Any]
    library: str = ""
    fitted_gaps: dict[tuple[str, float], tuple[float, float]] = field(default_factory=dict)

    def __repr__(self) -> str:
        methods, tried = ", ".join(self.settings["methods"]), ", ".join(f"{gap:g}" for gap in self.settings["max_gap"])
        return (
            f"Tradeoff({self.settings['score']!r} by {self.settings['sensitive']!r}, {self.settings['rows']} rows; "
            f"methods: {methods}; gaps: {tried}; see .table)"
        )

    @property
    def table(self) -> Any:
        """Return one row for each method and gap, a column for each measure, in the library of the data."""
        return self._build(self.wide())

    @property
    def long_table(self) -> Any:
        """Return every record, with intervals and floors, in the library of the data."""
        return self._build(self.records)

    def effects_table(self, method: str | None = None, max_gap: float | None = None) -> Any:
        """Return who gains and who loses by a repair, in the library of the data."""
        name = self.settings["methods"][0] if method is None else method
        gap = self.settings["max_gap"][0] if max_gap is None else max_gap
        if (name, gap) not in self.effects:
            raise InputError(f"there is no repair {name!r} with a gap of {gap}.", f"there are {list(self.effects)}.")
        return self._build([effect.table_row for effect in self.effects[name, gap]])

    def wide(self) -> list[dict[str, Any]]:
        """Return one dict for each method and gap."""
        rows: dict[tuple[str, float], dict[str, Any]] = {}
        for record in self.records:
            key = (record["method"], record["max_gap"])
            row = rows.setdefault(key, {"method": key[0], "max_gap": key[1]})
            row[record["measure"]] = record["value"]
        columns = list(dict.fromkeys(name for row in rows.values() for name in row))
        return [{name: row.get(name, float("nan")) for name in columns} for row in rows.values()]

    def value(self, measure: str, method: str = BEFORE, max_gap: float | None = None) -> dict[str, Any]:
        """Return one record."""
        for record in self.records:
            named = record["measure"] == measure and record["method"] == method
            if named and (max_gap is None or record["max_gap"] == max_gap):
                return record
        raise KeyError(f"there is no {measure!r} of {method!r} at {max_gap!r}.")

    def frontier_chart(self, measure: str = "accuracy", against: str = "hgr") -> Any:
        """Draw what is kept against the dependence that is left, a line for each method."""
        from fairgroups.charts.repair import frontier_chart

        return frontier_chart(self, measure, against)

    def distribution_chart(self, method: str | None = None, max_gap: float | None = None) -> Any:
        """Draw the groups' distribution functions before (solid) and after (dashed)."""
        from fairgroups.charts.repair import distribution_chart

        return distribution_chart(self, method, max_gap)

    def _build(self, rows: list[dict[str, Any]]) -> Any:
        return build_table(rows, self.library)


def tradeoff(
    data: Any,
    *,
    score: str,
    sensitive: str | Sequence[str],
    truth: str | None = None,
    methods: Mapping[str, Any] | None = None,
    groups: Any = None,
    max_gap: float | Iterable[float] = (0.0, 0.02, 0.05, 0.1),
    threshold: float | None = None,
    fold: str | None = None,
    n_folds: int = 5,
    weight: str | None = None,
    cluster: str | None = None,
    key: str | None = None,
    positive: Any = None,
    missing: Missing = "error",
    level: float = 0.95,
    kde: bool = False,
    seed: int = 0,
    verbose: bool = False,
) -> Tradeoff:
    """Judge repairs on people left out: what they keep of the score and what they leave of the dependence.

    For each fold, groups are found and maps learnt on the others; the fold's own people get fair scores from these.
    All measures are taken on such scores. Intervals come from leaving out a twentieth of the people at a time.

    Parameters
    ----------
    data : frame, mapping or path
        The table.
    score, sensitive, truth : str
        Columns of the score, of the sensitive attribute (or several) and of the true label, or true number. Without it
        only dependence and gaps are measured.
    methods : mapping, optional
        Names and what to compare: a `ScoreRepair`, or groups for one: a `Partition`, borders, or an estimator such as
        ``FairGroups(6)`` or ``FairKMeans(6)`` that is fitted to the scores. By default maps by the exact attribute, and
        by groups.
    groups : Partition or list of borders, optional
        Between whom gaps are measured, for all methods alike. By default the groups of the only method, where it has
        some, or else groups inside which the scores were alike before.
    max_gap : float or iterable of float
        The gaps to try.
    threshold : float, optional
        A score of at least this is a yes: 0.5 for scores between 0 and 1; for others decisions are measured only if a
        threshold is given.
    fold, n_folds : str, int
        Column that says which fold a row belongs to; else folds are made, alike in the attribute.
    weight, cluster : str, optional
        Columns of weights, and of which rows belong together.
    key : str, optional
        Column that says who each row is, to tell people with the same score apart; see `ScoreRepair.transform`.
    positive : label, optional
        Which of two true labels counts as 1.
    missing : {"error", "drop"}
        What to do with missing values.
    level : float
        Of the intervals.
    kde : bool
        Also measure HGR by the density estimate that the paper uses.
    seed : int
        Of folds and blocks.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    Tradeoff

    Examples
    --------
    >>> import numpy as np
    >>> import fairgroups as fg
    >>> rng = np.random.default_rng(0)
    >>> age = rng.uniform(20, 60, 1000)
    >>> score = np.clip(rng.normal(0.1 + age / 100, 0.15), 0, 1)
    >>> people = {"age": age, "score": score, "hired": (rng.random(1000) < score).astype(int)}
    >>> found = fg.tradeoff(people, score="score", sensitive="age", truth="hired", max_gap=0)
    >>> before, after = found.value("hgr"), found.value("hgr", "exact attribute")
    >>> before["value"] > 0.5 > 0.2 > after["value"]
    True
    """
    asked = asked_for(methods)
    asked_gaps = [max_gap] if isinstance(max_gap, int | float | np.number) else max_gap
    wanted = list(dict.fromkeys(float(gap) for gap in asked_gaps))
    _check(wanted, level, threshold, missing)
    attributes = list(columns_of(sensitive, "sensitive"))
    column_of(score, "score")
    roles = {"truth": truth, "weight": weight, "cluster": _one_of(cluster, fold)}
    rows, library, keys = read_people(data, score, attributes, roles, key, positive, missing)
    parts = folds_of(rows, fold, n_folds, seed)
    fold_of = np.empty(rows.n, dtype=np.intp)
    for i, part in enumerate(parts):
        fold_of[part] = i
    people = People(
        score=rows.outcome,
        label=rows.truth,
        attributes=list(rows.columns),
        weight=np.ones(rows.n) if rows.weight is None else rows.weight,
        fold=fold_of,
        threshold=threshold,
        codes=np.zeros(rows.n, dtype=np.intp),
    )
    if threshold is None and people.probable:
        threshold = 0.5
        people = replace(people, threshold=threshold)
    scored = Scored(rows.outcome, rows.truth, _attribute(rows), list(rows.columns), people.weight, keys)
    trial = Trial(people, scored, parts)
    jobs = [(name, repair, gap) for name, repair in asked.items() for gap in wanted]
    blocks = [np.arange(rows.n), *blocks_of(rows, fold, seed)]
    with progress_bar("Repairing", shown=verbose) as advance:

        def run(name: str) -> dict[tuple[str, float], tuple[ScoreRepair, Array]]:
            return {(name, gap): trial.run(name, asked[name], gap) for gap in wanted}  # with the first gap's groups

        every = on_two_threads(run, asked, lambda done: advance(0.5 * done))
        tried = {job: found for part in every for job, found in part.items()}
        if groups is not None:
            common = given_partition(groups, attributes, "drop")
        else:
            common = common_groups(asked, {name: tried[name, wanted[0]][0] for name in asked}, scored)
            common = replace(common, columns=tuple(attributes))
        labels = common.said(attributes, [column.numbers for column in rows.columns])
        people = replace(people, codes=common.assign(scored.sensitive))
        large = trial.people = _of_large_groups(people)

        def measure(fair: Array) -> tuple[list[dict[str, float]], tuple[dict[str, float], dict[str, float]]]:
            return _measured(large, fair, blocks, kde=kde), chance_shows(large, fair, kde=kde)

        scores = [people.score, *(tried[name, gap][1] for name, _, gap in jobs)]
        (before, by_chance), *afters = on_two_threads(measure, scores, lambda done: advance(0.5 + 0.4 * done))
        records = _records(BEFORE, 1.0, before, before, by_chance, level)
        effects, distributions, fitted_gaps = {}, {}, {}
        for (name, repair, gap), (after, by_chance) in zip(jobs, afters, strict=True):
            final, fair = tried[name, gap]
            if len(attributes) > 1 or not final.partition_.name:
                final.partition_ = replace(final.partition_, columns=tuple(attributes))
            final.left_ = left_of(scored, fair, repair.condition, gap, threshold)
            effects[name, gap] = effects_of(people, fair, labels)
            distributions[name, gap] = _distributions(labels, people, fair)
            fitted_gaps[name, gap] = trial.fitted_gaps(final)
            records += _records(name, gap, after, before, by_chance, level)
    settings = {
        "score": score,
        "sensitive": sensitive if isinstance(sensitive, str) else list(sensitive),
        "truth": truth,
        "threshold": threshold,
        "folds": fold or n_folds,
        "level": level,
        "rows": rows.n,
        "max_gap": wanted,
        "methods": list(asked),
        "seed": seed,
        "tied": 1 - np.unique(rows.outcome).size / rows.size,
        "groups": list(labels),
        "too_small": [label for k, label in enumerate(labels) if k in _left_out(people, large)],
    }
    repairs = {job: final for job, (final, _) in tried.items()}
    return Tradeoff(records, repairs, common, effects, distributions, settings, library, fitted_gaps)


def _of_large_groups(people: People) -> People:
    """Leave people of small groups out of the gaps, which chance alone would make large; if two others remain."""
    count = np.bincount(people.codes[people.codes >= 0])
    large = np.flatnonzero(count >= FEWEST)
    return people if large.size < 2 else replace(people, codes=np.where(np.isin(people.codes, large), people.codes, -1))


def _left_out(people: People, large: People) -> set[int]:
    """Return the groups that are left out of the gaps."""
    return set(people.codes.tolist()) - set(large.codes.tolist())


def _measured(people: People, fair: Array, blocks: list[NDArray[np.intp]], *, kde: bool) -> list[dict[str, float]]:
    """Measure scores on everybody, and without each block of people; one group alone has no gaps."""
    several = np.unique(people.codes[people.codes >= 0]).size > 1
    return [
        quality(people, fair, block, debias=i == 0, kde=kde) | (gaps(people, fair, block) if several else {})
        for i, block in enumerate(blocks)
    ]


def _check(wanted: list[float], level: float, threshold: Any, missing: str) -> None:
    if missing == "group":
        raise InputError("repairs are judged on people whose attribute is known.", "missing='drop' leaves others out.")
    if not wanted:
        raise InputError("`max_gap` holds no gap.", "max_gap=(0, 0.05)")
    if not 0.5 <= level < 1:
        raise InputError(f"`level` must be between 0.5 and 1; got {level!r}.")
    if threshold is not None and not (isinstance(threshold, int | float | np.number) and np.isfinite(threshold)):
        raise InputError(f"`threshold` must be a number; got {threshold!r}.")


def _one_of(cluster: str | None, fold: str | None) -> str | None:
    if cluster is not None and fold is not None:
        raise InputError("`cluster` and `fold` were both named.", "a fold column already keeps rows together.")
    return cluster or fold


def _attribute(rows: Rows) -> NDArray[Any]:
    if len(rows.columns) == 1:
        (column,) = rows.columns
        return column.values if column.levels is None else column.text
    table = np.empty((rows.n, len(rows.columns)), dtype=object)
    for d, column in enumerate(rows.columns):
        table[:, d] = column.values if column.levels is None else column.text
    return table


def _records(
    method: str,
    gap: float,
    after: list[dict[str, float]],
    before: list[dict[str, float]],
    chance: tuple[dict[str, float], dict[str, float]],
    level: float,
) -> list[dict[str, Any]]:
    """Say what each measure is, and what it was; the first of the lists is on everybody, the others leave some out.

    Dependence without some people is given with its noise: taking the noise off cuts small values to 0, and such
    jumps would spoil the interval. It reaches up to the floor at least, since less cannot be told from nothing.
    A gap is the largest of many differences, which noise makes larger: its interval begins where the noise that chance
    alone shows is taken off, square by square.
    """
    out = []
    for name, value in after[0].items():
        low, high = _interval([one[name] for one in after], level)
        changes = [one[name] - other[name] for one, other in zip(after, before, strict=True)]
        change_low, change_high = _interval(changes, level)
        floor = min(chance[0].get(name, float("nan")), 1.0)  # no gap is larger
        if name in GAPS or name == "selection_gap":
            low = float(np.sqrt(max(max(low, 0.0) ** 2 - chance[1].get(name, 0.0) ** 2, 0.0)))
        known = ("hgr", "decision_dependence", "selection_sd")
        least = floor if name in known and floor == floor else 0.0  # noqa: PLR0124
        out.append(
            {
                "method": method,
                "max_gap": gap,
                "measure": name,
                "value": value,
                "low": low if name == "r2" else max(low, 0.0),
                "high": high if name in ("mean_change", "mean_error") else min(max(high, least), 1.0),
                "before": before[0][name],
                "change": changes[0],
                "change_low": change_low,
                "change_high": change_high,
                "floor": floor,
            }
        )
    return out


def _interval(values: list[float], level: float) -> tuple[float, float]:
    """Return the interval of the delete-a-group jackknife around the first value."""
    whole, left_out = values[0], np.array(values[1:])
    g = left_out.size
    error = float(np.sqrt((g - 1) / g * np.sum((left_out - left_out.mean()) ** 2)))
    reach = float(stdtrit(g - 1, 0.5 + level / 2)) * error
    return whole - reach, whole + reach


def _distributions(labels: tuple[str, ...], people: People, fair: Array) -> list[dict[str, Any]]:
    """Return each group's distribution function before and after, at scores spread over the range."""
    marks = np.linspace(min(people.score.min(), fair.min()), max(people.score.max(), fair.max()), POINTS)
    out = []
    for k, label in enumerate(labels):
        rows = np.flatnonzero(people.codes == k)
        for when, values in (("before", people.score), ("after", fair)):
            if rows.size:
                order = rows[np.argsort(values[rows], kind="stable")]
                below = np.concatenate([[0.0], np.cumsum(people.weight[order])])
                share = below[np.searchsorted(values[order], marks, side="right")] / below[-1]
                out.append({"group": label, "when": when, "score": marks.tolist(), "share": share.tolist()})
    return out
