"""Does a model amplify the differences that are in its labels, or another model's? One partition, two outcomes.

For a group k the difference D = Φ(model) − Φ(base) is the group's mean of model − base, minus everybody's: one number
for each row, so that what the two outcomes share drops out. M = (Φ(model) + Φ(base))/2 tells whether D makes Φ larger:
Φ(model)² − Φ(base)² = 2 D M. So the model amplifies where D and M are shown to have the same sign, and dampens where
they are shown to have opposite signs. Both have intervals that hold at once for all groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairgroups.cells.cells import Cells
from fairgroups.cells.sample import Sample
from fairgroups.evidence.band import Band
from fairgroups.evidence.bounds import fixed_bounds
from fairgroups.evidence.curves import Stretch, rate_curve
from fairgroups.evidence.rates import group_rates
from fairgroups.measures import Measure
from fairgroups.partition.partition import Partition

__all__ = ["BASE", "PAIR", "Amplification", "AmplificationRecord", "Effect", "amplification"]

Array = NDArray[np.float64]
Effect = Literal["amplifies", "dampens", "shifts", "keeps", "not enough evidence"]


@dataclass(frozen=True)
class AmplificationRecord:
    """One group: Φ of the base and of the model, their difference with its interval, and the effect.

    "amplifies" or "dampens" where the size of Φ is shown to grow or to shrink, "shifts" where Φ is shown to change but
    not whether its size grows, "keeps" where any change is within the relevant gap, else "not enough evidence".
    """

    label: str
    n: int
    base_phi: float
    model_phi: float
    difference: float
    low: float
    high: float
    effect: Effect


@dataclass(frozen=True)
class Amplification:
    """How a model's differences between groups compare with those of its labels, or of another model.

    Attributes
    ----------
    model, base : str
        Names of the two columns.
    records : tuple of AmplificationRecord
        One per group.
    base_variance, model_variance : float
        Var Φ of the two outcomes in these groups.
    curves : dict
        The rate of each along the attribute, for charts; empty for several attributes.
    """

    model: str
    base: str
    records: tuple[AmplificationRecord, ...]
    base_variance: float
    model_variance: float
    curves: dict[str, list[Stretch]]

    def named(self, labels: Sequence[str]) -> Amplification:
        """Return the same with other names of the groups."""
        records = (replace(record, label=label) for record, label in zip(self.records, labels, strict=True))
        return replace(self, records=tuple(records))


def amplification(
    sample: Sample,
    partition: Partition,
    *,
    names: tuple[str, str] = ("model", "base"),
    level: float = 0.95,
    relevant_gap: float = 0.05,
    judged: int | None = None,
) -> Amplification:
    """Compare two outcomes of the same rows.

    Parameters
    ----------
    sample : Sample
        The data: the outcome is the model's, the base the label or a first model's; `PAIR` is among its measures.
    partition : Partition
        The groups: any on the line, for the band holds for all ranges; of several attributes groups that were not
        found on these rows.
    names : pair of str
        What the two outcomes are called.
    level : float
        How often all intervals are to hold at once.
    relevant_gap : float
        A change within ± this is of no concern.
    judged : int, optional
        See `fixed_bounds`.

    Returns
    -------
    Amplification
    """
    # Most of the error that may be made goes to D; the sign of M is rarely in doubt.
    each = (1 - 0.8 * (1 - level), 1 - 0.2 * (1 - level))
    people = sample.cells if sample.is_line else sample.rows
    found = [group_rates(people, partition, m) for m in PAIR]
    if sample.is_line:
        bounds = [
            Band(sample.cells, m, level=part, band_width="table").bounds(g)
            for m, part, g in zip(PAIR, each, found, strict=True)
        ]
    else:
        bounds = [
            fixed_bounds(g, part, None if g.sums.bounded else 0.0, judged=judged)
            for part, g in zip(each, found, strict=True)
        ]
    curves = _curves(sample.cells) if sample.is_line else {}
    apart, middle = found
    model_phi, base_phi = middle.phi + apart.phi / 2, middle.phi - apart.phi / 2
    ends = (bounds[0].low, bounds[0].high, bounds[1].low, bounds[1].high)
    columns = (partition.labels, apart.rows, base_phi, model_phi, apart.phi, *ends)
    records = tuple(
        AmplificationRecord(
            label=label,
            n=int(n),
            base_phi=float(b),
            model_phi=float(m),
            difference=float(d),
            low=float(low),
            high=float(high),
            effect=_effect(low, high, m_low, m_high, relevant_gap),
        )
        for label, n, b, m, d, low, high, m_low, m_high in zip(*columns, strict=True)
    )
    base_variance, model_variance = (float(np.nansum(apart.share * phi**2)) for phi in (base_phi, model_phi))
    return Amplification(*names, records, base_variance, model_variance, curves)


def _difference(model: Array, base: Array | None) -> tuple[Array, Array]:
    assert base is not None
    return model - base, np.ones_like(model)


def _mean(model: Array, base: Array | None) -> tuple[Array, Array]:
    assert base is not None
    return (model + base) / 2, np.ones_like(model)


def _other(model: Array, base: Array | None) -> tuple[Array, Array]:
    assert base is not None
    return base, np.ones_like(model)


#: The base alone.
BASE = Measure("base", rate="base", columns=_other, needs_truth=True, binary=False, of_base=True, centred=True)

#: The model minus the base, and the middle of both.
PAIR = (
    Measure("difference", rate="difference", columns=_difference, needs_truth=True, binary=False, of_base=True),
    Measure("middle", rate="mean of both", columns=_mean, needs_truth=True, binary=False, of_base=True, centred=True),
)


def _curves(cells: Cells) -> dict[str, list[Stretch]]:
    none = np.empty(0, dtype=np.intp)
    apart, middle = (rate_curve(cells, m, none, most=40) for m in PAIR)
    return {
        name: [replace(m, rate=m.rate + sign * d.rate / 2) for m, d in zip(middle, apart, strict=True)]
        for name, sign in (("model", 1), ("base", -1))
    }


def _effect(low: float, high: float, m_low: float, m_high: float, relevant_gap: float) -> Effect:
    if low > 0 or high < 0:
        if m_low > 0 or m_high < 0:
            return "amplifies" if (low > 0) == (m_low > 0) else "dampens"
        return "shifts"
    return "keeps" if -relevant_gap <= low and high <= relevant_gap else "not enough evidence"
