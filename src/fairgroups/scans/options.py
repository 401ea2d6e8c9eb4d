"""ScanOptions: everything that can be asked of a scan, once; see `fairgroups.audits.options`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from fairgroups.audits.options import AuditOptions, option
from fairgroups.errors import InputError
from fairgroups.options import (
    FEWEST_TOLD,
    at_least_zero,
    column_of,
    columns_of,
    flags_of,
    level_of,
    number_of,
    one_of,
    title_of,
    unit_of,
    whole_number,
)

if TYPE_CHECKING:
    from fairgroups.measures import Measure

__all__ = ["PAIRS", "ScanOptions"]

PAIRS = ("auto", "all", "none")
_AUDITS = {f.name: f for f in fields(AuditOptions)}


def _same(name: str) -> Any:
    """Return an option that an audit has, too."""
    known = _AUDITS[name]
    return option(known.default, known.metadata["kind"], known.metadata["help"], known.metadata["words"])


@dataclass(frozen=True)
class ScanOptions:
    """Everything that can be asked of a scan; see `scan` for each."""

    outcome: str = option(NO_DEFAULT, "column", "Column of the decision or score that is looked at.")
    attributes: str | Sequence[str] | None = option(
        None, "columns", "Look at this column only; repeat the option for several. Default: all columns."
    )
    without: str | Sequence[str] | None = option(
        None, "columns", "Do not look at this column; repeat the option for several."
    )
    pairs: Literal["auto", "all", "none"] | bool = option(
        "auto",
        "words",
        "Also look at boxes of two columns: of all pairs, none, or auto: all of up to twelve columns, and beyond "
        "those of the ten most striking.",
        PAIRS,
    )
    given: str | Sequence[str] | None = _same("given")
    truth: str | None = option(None, "column", "Column of the true label, for measures that need it.")
    weight: str | None = _same("weight")
    cluster: str | None = _same("cluster")
    measure: str | Measure = option(
        "auto",
        "text",
        "auto, statistical_parity (share of yes), equal_opportunity (true positive rate), predictive_equality (false "
        "positive rate), error_rate, precision, mean or calibration.",
    )
    favourable: bool | None = _same("favourable")
    positive: Any = _same("positive")
    threshold: float | None = _same("threshold")
    missing: Literal["error", "drop"] = option(
        "error",
        "words",
        "Rows without outcome, truth, weight or cluster: error, or drop. An attribute that is not known is looked at.",
        ("error", "drop"),
    )
    level: float = _same("level")
    min_cell: int = option(FEWEST_TOLD, "count", "Fewest people of any range or box that is looked at or shown.")
    max_gap: float | None = option(
        None, "number", "Limit on the difference of every range and box, 0.1 for 10 points; sets the exit code."
    )
    max_harm: float | None = option(
        None, "number", "Limit on every difference to people's harm; advantages do not count. Sets the exit code."
    )
    title: str | None = _same("title")
    label: Mapping[str, str] | None = _same("label")
    unit: str = _same("unit")
    audits: bool = option(False, "flag", "Also audit every attribute that is shown, so that the page can open it.")
    verbose: bool = _same("verbose")

    def __post_init__(self) -> None:
        for name in ("outcome", "truth", "weight", "cluster"):
            value = getattr(self, name)
            if value is not None or name == "outcome":
                column_of(value, name)
        for name in ("attributes", "without", "given"):
            self.names(name)
        if self.attributes is not None and not self.names("attributes"):
            raise InputError("`attributes` names no column.", "leave it out to look at all of them.")
        if not isinstance(self.pairs, bool):
            one_of(self.pairs, "pairs", PAIRS)
        one_of(self.missing, "missing", ("error", "drop"))
        if self.threshold is not None:
            if self.positive is not None:
                raise InputError("`threshold` makes yes and no of a score; `positive` is for labels.", "leave one out.")
            number_of(self.threshold, "threshold")
        level_of(self.level)
        whole_number(self.min_cell, "min_cell", 2)
        for name in ("max_gap", "max_harm"):
            if getattr(self, name) is not None:
                at_least_zero(getattr(self, name), name)
        flags_of(self)
        title_of(self.title)
        unit_of(self.unit)
        if self.label is not None and not isinstance(self.label, Mapping):
            raise InputError(f"`label` must map columns to what they are called; got {self.label!r}.")
        twice = next((name for name in self.names("given") if name == self.outcome), None)
        if twice is not None:
            raise InputError(f"{twice!r} is the outcome, and cannot be held equal at the same time.", "leave it out.")

    def names(self, option_name: str) -> tuple[str, ...]:
        """Return the columns that an option names."""
        value = getattr(self, option_name)
        return () if value is None else columns_of(value, option_name)

    def called(self, name: str) -> str:
        """Return what a column is called."""
        return (self.label or {}).get(name, name if name.strip() else "the column without a name")

    @property
    def roles(self) -> tuple[str, ...]:
        """The columns that play another part."""
        return tuple(name for name in (self.outcome, self.truth, self.weight, self.cluster) if name is not None)

    @property
    def which_pairs(self) -> Literal["auto", "all", "none"]:
        """Which pairs are looked at, as a word."""
        if isinstance(self.pairs, bool):
            return "all" if self.pairs else "none"
        return self.pairs

    @property
    def changed(self) -> dict[str, Any]:
        """The options that are not at their defaults, in order."""
        given = [(f, getattr(self, f.name)) for f in fields(self)]
        return {f.name: value for f, value in given if f.default is NO_DEFAULT or value != f.default}

    def call(self) -> str:
        """Return the Python call that repeats the scan."""
        unsaid = ("verbose", "audits")
        shown = [f"{name}={_written(value)}" for name, value in self.changed.items() if name not in unsaid]
        return f"fairgroups.scan(data, {', '.join(shown)})"


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return repr(dict(value))
    if isinstance(value, str | int | float | bool):
        return repr(value)
    return repr(list(value)) if isinstance(value, Sequence) else repr(getattr(value, "name", "…"))
