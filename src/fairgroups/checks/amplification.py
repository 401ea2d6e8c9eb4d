"""Does a model amplify the differences that are in its labels, or another model's? One partition, two outcomes.

For a group k the difference D = Φ(model) − Φ(base) is the group's mean of model − base, minus everybody's: one number
for each row, so that what the two outcomes share drops out. M = (Φ(model) + Φ(base))/2 tells whether D makes Φ larger:
Φ(model)² − Φ(base)² = 2 D M. So the model amplifies where D and M are shown to have the same sign, and dampens where
they are shown to have opposite signs. Both have intervals that hold at once for all groups.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
from fairgroups.evidence.band import Band
from fairgroups.evidence.curves import rate_curve
from fairgroups.evidence.rates import fixed_bounds, group_rates, group_rates_of_rows
from fairgroups.measures import Measure
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Partition
from fairgroups.rows.rows import Rows

__all__ = ["Amplification", "Effect", "amplification"]

Array = NDArray[np.float64]
Effect = Literal["amplifies", "dampens", "shifts", "keeps", "not enough evidence"]


@dataclass(frozen=True)
class Amplification:
    """How a model's differences between groups compare with those of its labels, or of another model.

    Attributes
    ----------
    model, base : str
        Names of the two columns.
    records : list of dict
        One per group: ``label``, ``n``, ``base_phi``, ``model_phi``, their ``difference`` with ``low`` and ``high``,
        and ``effect``: "amplifies" or "dampens" where the size of Φ is shown to grow or to shrink, "shifts" where Φ is
        shown to change but not whether its size grows, "keeps" where any change is within the relevant gap, else
        "not enough evidence".
    base_variance, model_variance : float
        Var Φ of the two outcomes in these groups.
    curves : dict
        The rate of each along the attribute, for charts; empty for several attributes.
    """

    model: str
    base: str
    records: list[dict[str, Any]]
    base_variance: float
    model_variance: float
    curves: dict[str, list[dict[str, float]]]


def amplification(
    rows: Rows,
    partition: Partition | BoxPartition,
    *,
    names: tuple[str, str] = ("model", "base"),
    level: float = 0.95,
    relevant_gap: float = 0.05,
    judged: int | None = None,
) -> Amplification:
    """Compare two outcomes of the same rows.

    Parameters
    ----------
    rows : Rows
        The data: its outcome is the model's, and its base the other one, the label or a first model's.
    partition : Partition or BoxPartition
        The groups: any on the line, for the band holds for all ranges; in several dimensions groups that were not
        found on these rows.
    names : pair of str
        What the two outcomes are called.
    level : float
        How often all intervals are to hold at once.
    relevant_gap : float
        A change within ± this is of no concern.
    judged : int, optional
        See `fixed_bounds`.
    """
    # Most of the error that may be made goes to D; the sign of M is rarely in doubt.
    each = (1 - 0.8 * (1 - level), 1 - 0.2 * (1 - level))
    both = replace(rows, truth=rows.base)
    curves: dict[str, list[dict[str, float]]] = {}
    if len(rows.columns) == 1:
        assert isinstance(partition, Partition)
        cells = Cells.from_rows(both, measure=[_APART, _MIDDLE])
        found = [group_rates(cells, partition, m) for m in (_APART, _MIDDLE)]
        bounds = [
            Band(cells, m, level=part, calibration="table").bounds(g)
            for m, part, g in zip((_APART, _MIDDLE), each, found, strict=True)
        ]
        curves = _curves(cells)
    else:
        assert isinstance(partition, BoxPartition)
        found = [group_rates_of_rows(both, partition, m) for m in (_APART, _MIDDLE)]
        bounds = [
            fixed_bounds(g, part, None if g.sums.bounded else 0.0, judged=judged)
            for part, g in zip(each, found, strict=True)
        ]
    apart, middle = found
    model_phi, base_phi = middle.phi + apart.phi / 2, middle.phi - apart.phi / 2
    ends = (bounds[0].low, bounds[0].high, bounds[1].low, bounds[1].high)
    columns = (partition.labels, apart.rows, base_phi, model_phi, apart.phi, *ends)
    records = [
        {
            "label": label,
            "n": int(n),
            "base_phi": float(b),
            "model_phi": float(m),
            "difference": float(d),
            "low": float(low),
            "high": float(high),
            "effect": _effect(low, high, m_low, m_high, relevant_gap),
        }
        for label, n, b, m, d, low, high, m_low, m_high in zip(*columns, strict=True)
    ]
    base_variance, model_variance = (float(np.nansum(apart.share * phi**2)) for phi in (base_phi, model_phi))
    return Amplification(*names, records, base_variance, model_variance, curves)


def _difference(model: Array, base: Array | None) -> tuple[Array, Array]:
    assert base is not None
    return model - base, np.ones_like(model)


def _mean(model: Array, base: Array | None) -> tuple[Array, Array]:
    assert base is not None
    return (model + base) / 2, np.ones_like(model)


_APART = Measure("difference", rate="difference", columns=_difference, higher="neutral", needs_truth=True, binary=False)
_MIDDLE = Measure("middle", rate="mean of both", columns=_mean, higher="neutral", needs_truth=True, binary=False)


def _curves(cells: Cells) -> dict[str, list[dict[str, float]]]:
    none = np.empty(0, dtype=np.intp)
    apart, middle = (rate_curve(cells, m, none, most=40) for m in (_APART, _MIDDLE))
    return {
        name: [{**m, "rate": m["rate"] + sign * d["rate"] / 2} for m, d in zip(middle, apart, strict=True)]
        for name, sign in (("model", 1), ("base", -1))
    }


def _effect(low: float, high: float, m_low: float, m_high: float, relevant_gap: float) -> Effect:
    if low > 0 or high < 0:
        if m_low > 0 or m_high < 0:
            return "amplifies" if (low > 0) == (m_low > 0) else "dampens"
        return "shifts"
    return "keeps" if -relevant_gap <= low and high <= relevant_gap else "not enough evidence"
