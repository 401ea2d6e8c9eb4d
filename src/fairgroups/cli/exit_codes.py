"""Exit codes: what the command line says to a script, and the gravest of several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairgroups.audits.records import Change
    from fairgroups.evidence.limit_verdict import LimitVerdict

__all__ = ["FAULT", "INTERRUPTED", "OF_AUDITS", "OF_SCANS", "WRONG_INPUT", "exit_code_of", "gravest"]

KEPT, EXCEEDED, WRONG_INPUT, NOT_ENOUGH, FAULT, INTERRUPTED = 0, 1, 2, 3, 70, 130
OF_AUDITS = (
    "Exit codes: 0 the audit ran and limits, if any, are kept; 1 a limit is exceeded, or a group is worse "
    "off than in the baseline; "
    "2 wrong usage or input; 3 not enough evidence to say whether the limit is kept; 70 a fault of the program."
)
OF_SCANS = (
    "Exit codes: 0 the scan ran and, with --max-gap, the limit is kept; 1 the limit is exceeded; 2 wrong usage or "
    "input; 3 not enough evidence to say whether the limit is kept; 70 a fault of the program."
)


def exit_code_of(limit: LimitVerdict | None, changes: Sequence[Change] = ()) -> int:
    """Return 1 for an exceeded limit or a worsening, 3 where a limit or a change cannot be judged, else 0.

    Parameters
    ----------
    limit : {"kept", "exceeded", "not enough evidence"}, optional
        Whether the limits are kept; None where none was given.
    changes : sequence of Change
        What changed since the baseline.

    Returns
    -------
    int
    """
    verdicts = {change.verdict for change in changes}
    if limit == "exceeded" or "worse" in verdicts:
        return EXCEEDED
    return NOT_ENOUGH if limit == "not enough evidence" or "not comparable" in verdicts else KEPT


def gravest(codes: Iterable[int]) -> int:
    """Return the code of several jobs together: one that failed, else one that exceeds a limit, else one unjudged."""
    order = (WRONG_INPUT, EXCEEDED, NOT_ENOUGH, KEPT)
    return min(codes, key=order.index)
