"""How groups are to be judged, as options."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fairgroups.cells.cells import Cells
from fairgroups.cells.space import SpaceCells
from fairgroups.evidence.band import Band
from fairgroups.evidence.matched_band import MatchedBand
from fairgroups.measures import Measure
from fairgroups.options import (
    BAND_WIDTHS,
    FEWEST_TOLD,
    INFERENCES,
    BandWidth,
    Inference,
    level_of,
    one_of,
    seed_of,
    whole_number,
)

__all__ = ["InferenceOptions"]


@dataclass(frozen=True)
class InferenceOptions:
    """How groups are to be judged.

    `judged` intervals hold at once where there are more than these groups'; `named` says that the groups were named in
    advance, so that only they are compared. No rate that is drawn or written, but those of groups, stands for fewer
    people than `min_cell`.
    """

    inference: Inference = "band"
    level: float = 0.95
    band_width: BandWidth = "auto"
    seed: int = 0
    judged: int | None = None
    named: bool = False
    min_cell: int = FEWEST_TOLD

    def __post_init__(self) -> None:
        one_of(self.inference, "inference", INFERENCES)
        level_of(self.level)
        one_of(self.band_width, "band_width", BAND_WIDTHS)
        seed_of(self.seed)
        whole_number(self.min_cell, "min_cell")

    def each(self, n_rates: int) -> InferenceOptions:
        """Return the options of each of several rates, whose intervals are to hold at once."""
        return replace(self, level=1 - (1 - self.level) / n_rates)

    def band(self, cells: Cells | SpaceCells, measure: Measure) -> Band:
        """Return the band of some cells."""
        kind = MatchedBand if measure.name in cells.matching else Band
        return kind(cells, measure, level=self.level, band_width=self.band_width, seed=self.seed)
