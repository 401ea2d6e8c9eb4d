"""fairgroups repair --given: scores made alike among comparable people, and what that gives, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairgroups.repair.left import Left
    from fairgroups.repair.score_repair import ScoreRepair
    from fairgroups.repair.stratified_repair import StratifiedRepair

__all__ = ["repaired_within"]


def repaired_within(
    columns: dict[str, Any],
    roles: dict[str, Any],
    wished: ScoreRepair,
    key: str | None,
    positive: Any,
    threshold: float | None,
) -> tuple[list[str], StratifiedRepair]:
    """Learn a repair within strata of the factors.

    Parameters
    ----------
    columns : dict
        The people, by column.
    roles : dict
        Which columns are score, sensitive, given, truth and weight.
    wished : ScoreRepair
        What is done in each stratum.
    key : str or None
        The column that says who each row is.
    positive : label or None
        Which of two true labels counts as yes.
    threshold : float or None
        A score of at least this is a yes.

    Returns
    -------
    what to tell, a line each, the finding first; and the fitted repair
    """
    import numpy as np

    from fairgroups.repair.stratified_repair import StratifiedRepair
    from fairgroups.repair.trial import is_label
    from fairgroups.words import listed, plain_points

    def frame(names: list[str]) -> Any:
        return {name: columns[name] for name in names}

    truth = roles["truth"]
    label = None if truth is None else columns[truth]
    if truth is not None and positive is not None:
        label = is_label(label, positive, truth)
    who = {"sensitive": frame(roles["sensitive"]), "given": frame(roles["given"])}
    keys = None if key is None else columns[key]
    weight = None if roles["weight"] is None else columns[roles["weight"]]
    score = columns[roles["score"]]
    fitted = StratifiedRepair(wished).fit(score, label, **who, sample_weight=weight, key=keys)
    fair = fitted.transform(score, **who, key=keys)
    equal, along = listed(roles["given"]), listed(roles["sensitive"])
    strata = (
        f"{len(fitted.repairs_)} strata of {equal} have maps of their own ({100 * fitted.apart_:.0f}% of the people)"
    )
    lines = []
    if fitted.left_ is None:
        lines.append(f"There are too few people to judge what the repair leaves at equal {equal}.")
    else:
        lines += _told(fitted.left_, equal, along)
    lines.append(f"{strata}; people of smaller strata share the maps of everybody.")
    values = np.asarray(score, dtype=np.float64)
    at = 0.5 if threshold is None and np.nanmin(values) >= 0 and np.nanmax(values) <= 1 else threshold
    if at is not None:
        up, down = (int(np.sum(x)) for x in ((fair >= at) & (values < at), (fair < at) & (values >= at)))
        lines.append(f"At {at:g} decisions change for {up:,} people from no to yes, and for {down:,} from yes to no.")
        if label is not None and set(np.unique(np.asarray(label, dtype=np.float64))) <= {0.0, 1.0}:
            yes = np.asarray(label, dtype=np.float64)
            before, after = (float(np.mean((x >= at) == yes)) for x in (values, fair))
            lines.append(
                f"Right decisions, among the people of the fit: {plain_points(before, percent=True)}% before, "
                f"{plain_points(after, percent=True)}% after."
            )
    return lines, fitted


def _told(left: Left, equal: str, along: str) -> list[str]:
    """Say what is left among comparable people, on people left out."""
    from fairgroups.report.repair_page import stretches_left

    def said(x: float) -> str:
        return f"{100 * x:.1f}"

    first = (
        f"At equal {equal}, who stands in the upper half of those comparable varies along {along} by "
        f"{said(left.before.sd)} points (standard deviation) before the repair and {said(left.after.sd)} after it, on "
        f"{left.people:,} people left out."
    )
    more = (
        f"Largest difference between tenths of {along}: {said(left.before.gap)} points before, {said(left.after.gap)} "
        f"after. Maximal correlation: {left.before.hgr:.2f} before, {left.after.hgr:.2f} after; chance alone shows up "
        f"to {left.after.floor:.2f}."
    )
    return [first, more, *stretches_left(left)]
