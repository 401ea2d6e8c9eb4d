"""What fair scores cost: accuracy against dependence, for several groupings and gaps, on people left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit
from sklearn.base import clone

from fairgroups.errors import InputError
from fairgroups.options import Missing, whole_number
from fairgroups.progress import progress_bar
from fairgroups.reading import read_rows
from fairgroups.repair.quality import BEFORE, People, floors, gaps, quality
from fairgroups.repair.score_repair import ScoreRepair
from fairgroups.repair.transport import largest_gap
from fairgroups.rows.columns import is_missing, one_column
from fairgroups.rows.person_keys import read_keys
from fairgroups.rows.roles import Roles
from fairgroups.rows.rows import Rows
from fairgroups.rows.split import deal_rows
from fairgroups.sources.frames import build_table, read_table

__all__ = ["BEFORE", "Tradeoff", "tradeoff"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
BLOCKS = 20
POINTS = 200  # of a distribution function in a picture


@dataclass(frozen=True)
class Tradeoff:
    """What each repair gives and costs, judged on people who took no part in it.

    Attributes
    ----------
    records : list of dict
        One for each method, gap and measure of quality: ``method``, ``max_gap``, ``measure``, ``value`` with its
        interval ``low`` to ``high``, ``before`` without repair (for gaps, on the method's groups), the ``change`` from
        it with ``change_low`` and ``change_high`` (paired, person by person), and ``floor``, the 95% quantile of what
        chance alone shows (NaN where it shows nothing).
    repairs : dict
        The repair of each (method, max_gap), fitted on everybody, ready to use.
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
    >>> found = tradeoff(people, score="score", sensitive="age", max_gap=0.0, n_permutations=0)
    >>> found.value("hgr")["value"] > 0.5
    True
    """

    records: list[dict[str, Any]]
    repairs: dict[tuple[str, float], ScoreRepair]
    distributions: dict[tuple[str, float], list[dict[str, Any]]]
    settings: dict[str, Any]
    library: str = ""
    fitted_gaps: dict[tuple[str, float], tuple[float, float]] = field(default_factory=dict)

    @property
    def table(self) -> Any:
        """Return one row for each method and gap, a column for each measure, in the library of the data."""
        return self._build(self.wide())

    @property
    def long_table(self) -> Any:
        """Return every record, with intervals and floors, in the library of the data."""
        return self._build(self.records)

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
    n_permutations: int = 49,
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
        Columns of the score, of the sensitive attribute (or several) and of the true label. Without a label only
        dependence and gaps are measured.
    methods : mapping, optional
        Names and what to compare: a `ScoreRepair`, or groups for one: a `Partition`, borders, or an estimator such as
        ``FairGroups(6)`` or ``FairKMeans(6)`` that is fitted to the scores. By default `FairGroups`, group-wise and
        smooth.
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
    n_permutations, seed : int
        For the floors; the seed also of folds and blocks.
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
    >>> before, after = found.value("hgr"), found.value("hgr", "FairGroups")
    >>> before["value"] > 0.5 > 0.2 > after["value"]
    True
    """
    asked = _asked(methods)
    wanted = [float(max_gap)] if isinstance(max_gap, int | float | np.number) else [float(gap) for gap in max_gap]
    _check(wanted, level, threshold, missing)
    attributes = [sensitive] if isinstance(sensitive, str) else list(sensitive)
    roles = {"truth": truth, "weight": weight, "cluster": _one_of(cluster, fold)}
    rows, library, keys = _read(data, score, attributes, roles, key, positive, missing)
    parts = _folds(rows, fold, n_folds, seed)
    fold_of = np.empty(rows.n, dtype=np.intp)
    for i, part in enumerate(parts):
        fold_of[part] = i
    people = People(
        score=rows.outcome,
        label=rows.truth,
        attributes=[column.values for column in rows.columns if column.levels is None],
        weight=np.ones(rows.n) if rows.weight is None else rows.weight,
        fold=fold_of,
        threshold=threshold,
    )
    if threshold is None and people.probable:
        threshold = 0.5
        people = replace(people, threshold=threshold)
    trial = _Trial(people, _attribute(rows), keys, parts)
    blocks = [np.arange(rows.n), *_blocks(rows, fold, seed)]
    repairs, distributions, fitted_gaps = {}, {}, {}
    before = [quality(people, people.score, block, debias=i == 0) for i, block in enumerate(blocks)]
    chance = floors(people, people.score, np.zeros(rows.n, dtype=np.intp), n_permutations, seed)
    records = _records(BEFORE, 1.0, before, before, chance, level)
    jobs = [(name, repair, gap) for name, repair in asked.items() for gap in wanted]
    with progress_bar("Repairing", shown=verbose) as advance:
        for done, (name, repair, gap) in enumerate(jobs, 1):
            final, fair = trial.run(name, repair, gap)
            if len(attributes) > 1 or not final.partition_.name:
                final.partition_ = replace(final.partition_, columns=tuple(attributes))
            codes = final.assign(trial.attribute)
            repairs[name, gap] = final
            distributions[name, gap] = _distributions(final, people, fair, codes)
            fitted_gaps[name, gap] = trial.fitted_gaps(final, codes)
            first = [b | gaps(people, people.score, codes, block) for b, block in zip(before, blocks, strict=True)]
            after = [
                quality(people, fair, block, debias=i == 0) | gaps(people, fair, codes, block)
                for i, block in enumerate(blocks)
            ]
            records += _records(name, gap, after, first, floors(people, fair, codes, n_permutations, seed), level)
            advance(done / len(jobs))
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
    }
    return Tradeoff(records, repairs, distributions, settings, library, fitted_gaps)


@dataclass
class _Trial:
    """The people, their folds, and the groups found so far: the same for every gap."""

    people: People
    attribute: NDArray[Any]
    keys: NDArray[Any] | None
    parts: list[Codes]
    groups: dict[tuple[str, int], Any] = field(default_factory=dict)

    def run(self, name: str, repair: ScoreRepair, gap: float) -> tuple[ScoreRepair, Array]:
        """Return the repair of everybody, and the scores that people left out get from the repairs of the others."""
        everybody = np.arange(self.people.score.size)
        fair = np.empty(everybody.size)
        for i, part in enumerate(self.parts):
            fitted = self._fit(name, repair, gap, i, np.setdiff1d(everybody, part))
            keys = None if self.keys is None else self.keys[part]
            fair[part] = fitted.transform(self.people.score[part], sensitive=self.attribute[part], key=keys)
        return self._fit(name, repair, gap, -1, everybody), fair

    def fitted_gaps(self, final: ScoreRepair, codes: Codes) -> tuple[float, float]:
        """Return the largest gap between the groups of the repair, before and after it, among the people of the fit."""
        people, known = self.people, codes >= 0
        fair = final.transform(people.score, sensitive=self.attribute, key=self.keys)
        of = codes[known], people.weight[known]
        return largest_gap(people.score[known], *of), largest_gap(fair[known], *of)

    def _fit(self, name: str, repair: ScoreRepair, gap: float, left_out: int, index: Codes) -> ScoreRepair:
        known = (name, left_out) in self.groups
        options = {"partition": self.groups[name, left_out]} if known else {}
        fitted: ScoreRepair = clone(repair).set_params(max_gap=gap, **options)
        people = self.people
        fitted.fit(
            people.score[index],
            None if people.label is None else people.label[index],
            sensitive=self.attribute[index],
            sample_weight=people.weight[index],
            key=None if self.keys is None else self.keys[index],
        )
        self.groups[name, left_out] = fitted.partition_
        return fitted


def _read(
    data: Any,
    score: str,
    attributes: list[str],
    roles: dict[str, str | None],
    key: str | None,
    positive: Any,
    missing: Missing,
) -> tuple[Rows, str, NDArray[Any] | None]:
    """Return the rows, the library of the data, and the keys of the rows that are kept."""
    named = [name for name in (*roles.values(), key) if name is not None]
    table = read_table(data, [score, *attributes, *named])
    columns = dict(table.columns)
    truth = roles["truth"]
    if truth is not None and positive is not None:
        columns[truth] = _is_label(columns[truth], positive, truth)
    wanted = Roles.of(attributes, score, **roles, missing=missing)
    with read_rows(columns, wanted) as reading:
        rows = reading.rows
    if rows.truth is not None and not np.isin(rows.truth, (0.0, 1.0)).all():
        raise InputError("the true label must be yes or no.", "turn it into 0 and 1, or leave truth out.")
    keys = None
    if key is not None:
        held = one_column(columns[key])
        keys = np.array(read_keys(held if rows.index is None else held[rows.index], rows.n), dtype=object)
    return rows, table.library, keys


def _check(wanted: list[float], level: float, threshold: Any, missing: str) -> None:
    if missing == "group":
        raise InputError("repairs are judged on people whose attribute is known.", "missing='drop' leaves others out.")
    if not wanted:
        raise InputError("`max_gap` holds no gap.", "max_gap=(0, 0.05)")
    if not 0.5 <= level < 1:
        raise InputError(f"`level` must be between 0.5 and 1; got {level!r}.")
    if threshold is not None and not (isinstance(threshold, int | float | np.number) and np.isfinite(threshold)):
        raise InputError(f"`threshold` must be a number; got {threshold!r}.")


def _is_label(column: Any, positive: Any, name: str) -> NDArray[Any]:
    """Turn a true label into 0 and 1."""
    values = [None if is_missing(x) else x for x in one_column(column).tolist()]
    yes = [None if x is None else float(x == positive or str(x) == str(positive)) for x in values]
    if 1.0 not in yes:
        raise InputError(f"{name!r} never holds {positive!r}.", f"it holds {sorted({str(x) for x in values})[:5]}.")
    return np.array([np.nan if x is None else x for x in yes])


def _one_of(cluster: str | None, fold: str | None) -> str | None:
    if cluster is not None and fold is not None:
        raise InputError("`cluster` and `fold` were both named.", "a fold column already keeps rows together.")
    return cluster or fold


def _asked(methods: Mapping[str, Any] | None) -> dict[str, ScoreRepair]:
    if methods is None:
        return {"FairGroups": ScoreRepair(), "FairGroups, smooth": ScoreRepair(smooth=True)}
    if not methods or not isinstance(methods, Mapping):
        raise InputError("`methods` must be names with what to compare.", 'methods={"scale": [25, 45]}')
    if BEFORE in methods:
        raise InputError(f"{BEFORE!r} is in the comparison already.", "give the method another name.")
    return {str(n): m if isinstance(m, ScoreRepair) else ScoreRepair(m) for n, m in methods.items()}


def _folds(rows: Rows, fold: str | None, n_folds: int, seed: int) -> list[Codes]:
    if fold is None:
        whole_number(n_folds, "n_folds", 2)
        return deal_rows(rows, int(n_folds), seed)
    assert rows.cluster is not None
    parts = [np.flatnonzero(rows.cluster == i) for i in range(int(rows.cluster.max()) + 1)]
    if len(parts) < 2:
        raise InputError(f"the column {fold!r} holds one fold only.", "at least two are needed.")
    return parts


def _blocks(rows: Rows, fold: str | None, seed: int) -> list[Codes]:
    """Deal people into blocks, to be left out one at a time."""
    rng = np.random.default_rng(seed)
    if rows.cluster is None or fold is not None:
        of = rng.permutation(np.arange(rows.n) % min(BLOCKS, rows.n))
    else:
        n = int(rows.cluster.max()) + 1
        of = rng.permutation(np.arange(n) % min(BLOCKS, n))[rows.cluster]
    return [np.flatnonzero(of != i) for i in range(int(of.max()) + 1)]


def _attribute(rows: Rows) -> NDArray[Any]:
    if len(rows.columns) == 1:
        return rows.sensitive
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
        floor = chance[0].get(name, float("nan"))
        if name.endswith("_gap"):
            low = float(np.sqrt(max(max(low, 0.0) ** 2 - chance[1].get(name, 0.0) ** 2, 0.0)))
        least = floor if name in ("hgr", "decision_dependence") and floor == floor else 0.0  # noqa: PLR0124
        out.append(
            {
                "method": method,
                "max_gap": gap,
                "measure": name,
                "value": value,
                "low": max(low, 0.0),
                "high": high if name == "mean_change" else min(max(high, least), 1.0),
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


def _distributions(repair: ScoreRepair, people: People, fair: Array, codes: Codes) -> list[dict[str, Any]]:
    """Return each group's distribution function before and after, at scores spread over the range."""
    marks = np.linspace(min(people.score.min(), fair.min()), max(people.score.max(), fair.max()), POINTS)
    out = []
    for k, label in enumerate(repair.partition_.labels):
        rows = np.flatnonzero(codes == k)
        for when, values in (("before", people.score), ("after", fair)):
            if rows.size:
                order = rows[np.argsort(values[rows], kind="stable")]
                below = np.concatenate([[0.0], np.cumsum(people.weight[order])])
                share = below[np.searchsorted(values[order], marks, side="right")] / below[-1]
                out.append({"group": label, "when": when, "score": marks.tolist(), "share": share.tolist()})
    return out
