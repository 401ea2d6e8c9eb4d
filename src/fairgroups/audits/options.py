"""AuditOptions: everything that can be asked of an audit, once.

The signature of `audit`, the command line, fairgroups.toml and its schema, the settings in the JSON and "how to repeat
it" all follow from this record: a new option is one more field. It is light to import, so that the command line can be
drawn up from it; what checks and uses the options is imported when they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from fairgroups.errors import InputError
from fairgroups.options import (
    AGAINST,
    BAND_WIDTHS,
    CRITERIA,
    FEWEST_TOLD,
    HOW,
    INFERENCES,
    MISSING,
    MONOTONIC,
    MOST_GROUPS,
    SEEK,
    Against,
    BandWidth,
    Criterion,
    Inference,
    Missing,
    Monotonic,
    Seek,
    at_least_zero,
    ends_of,
    epsilon_of,
    flags_of,
    number_of,
    one_of,
    share_of,
    title_of,
    unit_of,
)

if TYPE_CHECKING:
    from fairgroups.evidence.inference_options import InferenceOptions
    from fairgroups.grouping.search_options import SearchOptions
    from fairgroups.measures import JointMeasure, Measure
    from fairgroups.partition.partition import Partition
    from fairgroups.rows.roles import Roles

__all__ = ["AuditOptions", "Kind", "option"]

Kind = Literal[
    "column",
    "columns",
    "text",
    "words",
    "flag",
    "count",
    "seed",
    "number",
    "any number",
    "texts",
    "share",
    "auto count",
    "auto size",
    "reliability",
    "borders",
    "ends",
    "file",
    "scales",
    "labels",
]


def option(default: Any, kind: Kind, what: str, words: Sequence[str] = ()) -> Any:
    """Return the field of an option: its default, of which kind it is, what it means, and the words it may take."""
    about = {"kind": kind, "help": what, "words": tuple(words)}
    return field(default=default, metadata=about, kw_only=True)


@dataclass(frozen=True)
class AuditOptions:
    """Everything that can be asked of an audit; see `audit` for each."""

    sensitive: str | Sequence[str] = option(
        NO_DEFAULT, "columns", "Column of a sensitive attribute; repeat the option for several at once."
    )
    outcome: str = option(NO_DEFAULT, "column", "Column of the decision or score that is audited.")
    truth: str | None = option(
        None, "column", "Column of the true label; the outcome's differences are compared with those of the label."
    )
    compare_with: str | None = option(
        None, "column", "Column of another model's outcome, to compare with instead of the truth."
    )
    weight: str | None = option(None, "column", "Column of row weights.")
    cluster: str | None = option(
        None, "column", "Column that several rows share, such as the number of a person: intervals allow for it."
    )
    key: str | None = option(
        None, "column", "Column of a number for each person: the same person is always in the same half or fold."
    )
    reliability: float | Literal["cluster"] | None = option(
        None,
        "reliability",
        "How reliable the attribute's values are, up to 1, or cluster: told from several rows of each cluster. "
        "Differences are then given by the true values, too.",
    )
    error: str | float | None = option(
        None,
        "text",
        "Standard deviation of the error in the attribute's values, in its unit: a column, or a number for all.",
    )
    given: str | Sequence[str] | None = option(
        None, "columns", "Column of a factor: people are compared at equal values of it; repeat the option for several."
    )
    expected: str | None = option(
        None, "column", "Column of the outcome that a model of your own expects: people are compared at equal values."
    )
    how: Any = option(
        "auto", "words", "How factors are held equal: strata of them, model (cross-fitted scores), or auto.", HOW
    )
    seek: Seek = option(
        "unexplained",
        "words",
        "With factors: search groups that differ in what these leave unexplained, or raw and split the difference.",
        SEEK,
    )
    measure: str | Measure | JointMeasure = option(
        "auto",
        "text",
        "auto, statistical_parity (share of yes), equal_opportunity (true positive rate), predictive_equality (false "
        "positive rate), equalized_odds (both), error_rate, precision, mean or calibration.",
    )
    against: Against = option(
        "auto",
        "words",
        "Compare each group with everyone or with the rest; auto: two groups named in advance with each other, others "
        "with everyone.",
        AGAINST,
    )
    reference: str | None = option(
        None, "column", "Compare with this group, of groups named in advance: its label, or best."
    )
    n_groups: int | Literal["auto"] = option(
        "auto", "auto count", "Number of groups, or auto: as many as the data calls for."
    )
    selection: Criterion = option(
        "auto", "words", "How auto chooses: auto, band, cv (cross-validation) or bic.", CRITERIA
    )
    max_groups: int = option(MOST_GROUPS, "count", "The most groups that auto may choose; of boxes 8.")
    monotonic: Monotonic | None = option(
        None, "words", "increasing, decreasing or either: rates must follow the attribute.", MONOTONIC
    )
    min_group_size: float | Literal["auto"] = option(
        "auto", "auto size", "Least rows in a group, a share of them below 1, or auto: as many as any verdict needs."
    )
    min_denominator: float = option(
        0.0, "number", "Fewest of a group who count in the rate, such as those with truth = yes for equal_opportunity."
    )
    n_cells: int | None = option(None, "count", "Search on so many cells instead of every distinct value.")
    budget: float = option(10.0, "number", "Seconds that an exact search over several attributes may take, about.")
    partition: Partition | Sequence[float] | Mapping[str, Sequence[float]] | None = option(
        None,
        "borders",
        "Judge these groups, named in advance, instead of searching: borders such as 25,45; of several attributes "
        "age=40; the option may be repeated.",
    )
    scales: Mapping[str, Partition | Sequence[float]] | None = option(
        None, "scales", "Judge these classes, too, as named in advance: 'law=40,62'; the option may be repeated."
    )
    by: str | None = option(
        None, "column", "Column of periods, such as a year: the groups are followed from one to the next."
    )
    favourable: bool | None = option(
        None, "flag", "Whether the outcome is good to receive; if not given, rates are called higher or lower only."
    )
    positive: Any = option(None, "text", "Which label of the outcome counts as yes; all others then count as no.")
    threshold: float | None = option(
        None, "any number", "Make decisions of a score: outcomes of at least this count as yes."
    )
    missing: Missing = option("error", "words", "Missing values: error, drop or group.", MISSING)
    inference: Inference = option("band", "words", "band, crossfit or plugin.", INFERENCES)
    band_width: BandWidth = option(
        "auto", "words", "Where the band's width comes from: auto, table or simulate.", BAND_WIDTHS
    )
    level: float = option(0.95, "share", "Confidence level.")
    min_cell: int = option(
        FEWEST_TOLD, "count", "Fewest people that any rate along the attributes stands for, in page and JSON alike."
    )
    private: float | None = option(
        None,
        "number",
        "Compute everything from one noisy histogram, so that no single person shows: ε, as 1; less is more private.",
    )
    known_range: Sequence[float] | None = option(
        None, "ends", "With --private: the smallest and largest value that the attribute may have, as 18,90."
    )
    relevant_gap: float | None = option(
        None,
        "number",
        "An interval around 0 within ± this means no relevant difference; for rates 0.05 (5 points), or less where "
        "yes or no is rare.",
    )
    max_gap: float | None = option(
        None, "number", "Limit on every group's difference, 0.1 for 10 points; sets the exit code."
    )
    max_harm: float | None = option(
        None, "number", "Limit on every group's difference to its harm; advantages do not count. Sets the exit code."
    )
    min_ratio: float | None = option(
        None, "number", "Limit on the ratio of every group's rate to the best one, such as 0.8. Sets the exit code."
    )
    title: str | None = option(None, "column", "Title of the report.")
    label: Mapping[str, str] | None = option(
        None, "labels", "What a column is called in the report: age='Age (years)'; the option may be repeated."
    )
    unit: str = option("people", "column", "What the rows are, in the plural: people, towns, claims.")
    checks: bool = option(True, "flag", "Monotonicity, stability of borders, model against truth.")
    explore: bool = option(
        False, "flag", "Work out what the page's explorer shows, so that JSON and pages made from it hold it."
    )
    seed: int = option(0, "seed", "For halves, folds and simulations.")
    verbose: bool = option(False, "flag", "Show a progress bar where something takes long.")

    def __post_init__(self) -> None:
        self.roles, self.search, self.judging  # noqa: B018  each part checks itself
        for name in ("relevant_gap", "max_gap", "max_harm"):
            if getattr(self, name) is not None:
                at_least_zero(getattr(self, name), name)
        if self.min_ratio is not None:
            share_of(self.min_ratio, "min_ratio", "0.8 is the four-fifths rule of thumb.")
        flags_of(self)
        title_of(self.title)
        unit_of(self.unit)
        if self.label is not None and not isinstance(self.label, Mapping):
            raise InputError(f"`label` must map columns to what they are called; got {self.label!r}.")
        if self.reference is not None and self.against != "auto":
            raise InputError("groups are compared with a reference or against others, not both.", "leave one out.")
        for borders in (self.partition, *(self.scales.values() if isinstance(self.scales, Mapping) else ())):
            if isinstance(borders, list | tuple) and not borders:
                raise InputError("classes need a border: none was given.", "such as [40, 62]; or leave them out.")
        self._check_private()
        self._check_comparisons()
        self._check_reasons()
        self._check_error()
        if self.threshold is not None:
            if self.positive is not None and self.truth is None:
                raise InputError("`threshold` makes yes and no of a score; `positive` is for labels.", "leave one out.")
            number_of(self.threshold, "threshold")

    def _check_private(self) -> None:
        """Refuse what would need more of the people than one noisy histogram tells."""
        if self.private is None:
            if self.known_range is not None:
                raise InputError("`known_range` goes with `private`.", "leave it out, or say private=1 (--private 1).")
            return
        epsilon_of(self.private)
        ends_of(self.known_range, "known_range")
        refused = ("given", "expected", "by", "weight", "cluster", "key", "reliability", "error", "compare_with")
        for name in refused:
            if getattr(self, name):
                raise InputError(f"`{name}` does not go with `private`.", "leave one of them out.")
        if len(self.roles.sensitive) > 1 or self.missing == "group" or self.inference != "band" or self.n_cells:
            raise InputError(
                "`private` is for one attribute, judged by the band, without a group of missing values.",
                "leave it out.",
            )

    def _check_comparisons(self) -> None:
        """Refuse scales and periods where they cannot be judged."""
        if self.scales is not None:
            if not isinstance(self.scales, Mapping):
                raise InputError(f"`scales` must map names to borders; got {self.scales!r}.", "{'law': [40, 62]}")
            if len(self.roles.sensitive) > 1:
                raise InputError("scales are borders of one attribute; several were named.", "leave them out.")
            if self.n_cells is not None:
                raise InputError("borders of scales may lie inside cells (`n_cells`).", "leave one of them out.")
        for name in ("scales", "by"):
            if getattr(self, name) is not None and self.at_equal:
                raise InputError(
                    f"`{name}` does not go with factors that are held equal (`given`, `expected`).",
                    "run it beside this audit, without factors.",
                )

    def _check_reasons(self) -> None:
        """Refuse what does not go with factors that are held equal."""
        one_of(self.seek, "seek", SEEK)
        if self.how != "auto":
            from fairgroups.grouping.comparable_people import check_how

            check_how(self.how)
        if self.given == "" or self.expected == "":
            raise InputError("`given` and `expected` name columns; an empty name is none.", "leave it out.")
        if not self.at_equal:
            if self.how != "auto" or self.seek != "unexplained":
                raise InputError(
                    "`how` and `seek` are about factors that are held equal, and none is named.",
                    "name them: given=['education'] (--given education).",
                )
            return
        refused = {
            "inference": self.inference != "band",
            "reference": self.reference is not None,
            "min_ratio": self.min_ratio is not None,
            "compare_with": self.compare_with is not None,
        }
        for name, asked in refused.items():
            if asked:
                raise InputError(
                    f"`{name}` does not go with comparisons at equal factors (`given`, `expected`).",
                    "leave it out, or run an audit without factors beside this one.",
                )

    def _check_error(self) -> None:
        """Refuse what does not go with an attribute that was measured with error."""
        if not self.with_error:
            return
        if self.reliability is not None and self.error is not None:
            raise InputError("the error follows from `reliability`, or `error` says it, not both.", "leave one out.")
        if self.reliability == "cluster":
            if self.cluster is None:
                raise InputError(
                    "the reliability is to be told from rows of the same cluster, and none is named.",
                    "name the column: cluster='person' (--cluster person).",
                )
        elif self.reliability is not None and not (
            isinstance(self.reliability, int | float) and 0.05 <= self.reliability <= 1
        ):
            raise InputError(
                f"`reliability` must be a number from 0.05 to 1, or 'cluster'; got {self.reliability!r}.",
                "0.8 says that a fifth of the variance of the values is error.",
            )
        spread = self.error_spread
        if spread is not None and not 0 <= spread < float("inf"):
            raise InputError(f"`error` must be a standard deviation, 0 or more; got {self.error!r}.")
        if len(self.roles.sensitive) > 1:
            raise InputError(
                "the error of measurement can be taken out for one attribute at a time.",
                "audit each by itself, or leave `reliability` and `error` out.",
            )
        if self.at_equal:
            raise InputError(
                "`reliability` and `error` do not go with comparisons at equal factors (`given`, `expected`).",
                "run two audits.",
            )

    @property
    def with_error(self) -> bool:
        """Whether the attribute was measured with error."""
        return self.reliability is not None or self.error is not None

    @property
    def error_spread(self) -> float | None:
        """The standard deviation of the error, where it is one number for all."""
        try:
            return None if self.error is None else float(self.error)
        except (TypeError, ValueError):
            return None  # a column

    @property
    def at_equal(self) -> bool:
        """Whether people are compared at equal factors."""
        return bool(self.given) or self.expected is not None

    @property
    def roles(self) -> Roles:
        """Which column is what."""
        from fairgroups.rows.roles import Roles

        same = ("truth", "weight", "cluster", "key", "positive", "threshold", "missing", "given", "expected", "by")
        others = {name: getattr(self, name) for name in same}
        if self.error is not None and self.error_spread is None:
            others["error"] = self.error
        return Roles.of(self.sensitive, self.outcome, base=self.compare_with or self.truth, **others)

    @property
    def search(self) -> SearchOptions:
        """What is asked of the groups."""
        from fairgroups.grouping.search_options import SearchOptions

        asked = {f.name: getattr(self, f.name) for f in fields(SearchOptions)}
        return SearchOptions(**{**asked, "against": "everyone"} if self.at_equal else asked)

    @property
    def judging(self) -> InferenceOptions:
        """How groups are judged."""
        from fairgroups.evidence.inference_options import InferenceOptions

        same = [f.name for f in fields(InferenceOptions) if f.name not in ("judged", "named")]
        return InferenceOptions(**{name: getattr(self, name) for name in same})

    @property
    def changed(self) -> dict[str, Any]:
        """The options that are not at their defaults, in order; those without a default among them."""
        given = [(f, getattr(self, f.name)) for f in fields(self)]
        return {f.name: value for f, value in given if f.default is NO_DEFAULT or not _same(value, f.default)}

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain data: measures by name, groups as partitions are written."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name != "verbose"}

    def call(self) -> str:
        """Return the Python call that repeats the audit; what cannot be written is three dots."""
        unsaid = ("verbose", "explore")  # they change nothing that was found
        shown = [f"{name}={_written(value)}" for name, value in self.changed.items() if name not in unsaid]
        return f"fairgroups.audit(data, {', '.join(shown)})"


def _same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, str | int | float | bool) and value == default)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return str(getattr(value, "name", value))


def _written(value: Any) -> str:
    from fairgroups.measures import MEASURES, JointMeasure, Measure
    from fairgroups.partition.partition import Partition

    if isinstance(value, Measure | JointMeasure):
        return repr(value.name) if MEASURES.get(value.name) == value else "…"
    if isinstance(value, Partition):
        plain = value.is_line and Partition.from_edges(value.edges, name=value.name) == value
        return repr(list(value.edges)) if plain else f"fairgroups.Partition.from_dict({value.to_dict()!r})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{str(name)!r}: {_written(one)}" for name, one in value.items()) + "}"
    return repr(_plain(value))
