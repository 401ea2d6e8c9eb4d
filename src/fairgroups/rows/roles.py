"""Roles: which column of a table is what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairgroups.errors import InputError
from fairgroups.options import MISSING, Missing, column_of, columns_of, one_of

__all__ = ["Roles"]

USER_WORD = {"base": "compare_with"}


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what they are, which label means yes, and what is done with missing values.

    Attributes
    ----------
    sensitive : tuple of str
        The sensitive attributes.
    outcome, truth, base, weight, cluster, key, expected, error, by : str or None
        The outcome, its true label, another outcome that is compared with, row weights, which rows belong together,
        who a person is, the outcome that a model of the user's expects, the standard deviation of the error with
        which the attribute was measured, and of which period each row is.
    given : tuple of str
        Factors at equal values of which people are compared.
    positive : label or None
        Which label counts as 1.
    threshold : float or None
        Outcomes of at least this count as 1, others as 0.
    missing : {"error", "drop", "group"}
        What to do with missing values.
    """

    sensitive: tuple[str, ...]
    outcome: str
    truth: str | None = None
    base: str | None = None
    weight: str | None = None
    cluster: str | None = None
    key: str | None = None
    positive: Any = None
    missing: Missing = "error"
    given: tuple[str, ...] = ()
    expected: str | None = None
    error: str | None = None
    threshold: float | None = None
    by: str | None = None

    def __post_init__(self) -> None:
        one_of(self.missing, "missing", MISSING)
        if not self.sensitive:
            raise InputError("name at least one sensitive column.")
        for role, name in (*((("sensitive", name)) for name in self.sensitive), ("outcome", self.outcome)):
            _check_name(role, name)
        if self.truth is None and self.outcome in self.sensitive:
            raise InputError(
                f"{self.outcome!r} is the outcome, and goes with itself.",
                "name another column to tell people apart by.",
            )
        if self.weight is not None and self.weight == self.outcome:
            raise InputError(f"{self.weight!r} is the outcome, and cannot be the weight as well.", "leave one out.")
        for role, column in {**self.named, "key": self.key, "by": self.by}.items():
            if column is not None:
                _check_name(role, column)
        for name in (*self.given, *((self.expected,) if self.expected else ())):
            _check_name("given", name)
            if name in self.sensitive or name == self.outcome or (name == self.expected and name in self.given):
                raise InputError(
                    f"{name!r} is audited, and cannot be held equal at the same time.",
                    "leave it out of `given` and `expected` (--given, --expected).",
                )

    @classmethod
    def of(cls, sensitive: str | Sequence[str], outcome: str, **others: Any) -> Roles:
        """Return the roles; one attribute may be named alone, and what is None is left out."""
        given = others.pop("given", None)
        alike = () if given is None else columns_of(given, "given")
        return cls(columns_of(sensitive, "sensitive"), outcome, given=alike, **others)

    @property
    def named(self) -> dict[str, str]:
        """The columns besides the attributes and the key that are named, by role."""
        roles = ("outcome", "truth", "base", "weight", "cluster", "expected", "error")
        return {role: name for role in roles if (name := getattr(self, role)) is not None}

    @property
    def columns(self) -> list[str]:
        """Every column that is named, once."""
        alone = [name for name in (self.key, self.by) if name]
        return list(dict.fromkeys([*self.sensitive, *self.given, *self.named.values(), *alone]))


def _check_name(role: str, name: Any) -> None:
    column_of(name, USER_WORD.get(role, role))
