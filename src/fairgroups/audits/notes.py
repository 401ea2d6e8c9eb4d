"""What a reader of an audit should know: codes among the values, cells that were joined, labels that were averaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairgroups.audits.groups import notes_on
from fairgroups.cells.sample import Sample
from fairgroups.evidence.judge import Evidence
from fairgroups.evidence.residual_scatter import spread_of_most
from fairgroups.measures import Measure
from fairgroups.reading import Reading
from fairgroups.rows.column_kinds import Column
from fairgroups.rows.missing_codes import codes_of
from fairgroups.rows.rows import Rows
from fairgroups.words import listed

if TYPE_CHECKING:
    from fairgroups.audits.assemble import Judged

__all__ = ["averaged_labels", "codes_among", "notes_of"]

MOST_LABELS = 10  # so few whole numbers may be labels
FEW_CLASSES = 6


def notes_of(judged: Judged, measure: Measure, evidence: Evidence, reading: Reading) -> list[str]:
    """List what a reader should know of the data, the search and the intervals."""
    sample, result = judged.sample, judged.result
    notes = [
        *codes_among((*sample.rows.columns, *sample.rows.factors), sample.rows.count),
        *reading.notes,
        *(() if result is None else result.notes),
    ]
    hidden = sample.rows.blur is not None
    if (
        result is not None
        and sample.is_line
        and sample.rows.count is not None
        and not (hidden or sample.cells.distinct)
    ):
        loss = sample.cells.loss(measure, judged.partition.n_groups)
        notes.append(
            f"The people were counted in {len(sample.cells):,} cells of {sample.rows.name}, value by value at the "
            f"borders of groups; borders inside other cells could add at most {100 * loss:.2g}% of the outcome's "
            "variance to that of Φ."
        )
    if result is not None and evidence.band is not None and not sample.is_line:
        notes += [note for note in (_how_fine(sample),) if note]
    if judged.held is not None and judged.held.alike.how == "strata" and judged.held.alike.strata.thin:
        notes.append(
            "The rows are few for so many factors: numbers were cut so coarsely, or levels are so rare, that what is "
            "held equal still varies inside strata. how='model' (--how model) compares by a model's scores instead."
        )
    if measure.name == "mean":
        notes += averaged_labels(sample.rows) if not evidence.groups.bounded else []
    if not evidence.groups.bounded and sample.is_line and spread_of_most(sample.cells[measure]) < evidence.spread:
        notes.append(
            "A few extreme outcomes scatter further than all others together, and widen every interval: check whether "
            "these are mistakes."
        )
    searched = result is not None
    inference = judged.inference.inference
    notes += notes_on(
        sample.rows, evidence.groups, inference, judged.partition, searched=searched, chosen=judged.chosen
    )
    return [*notes, *_crossed(judged, evidence), *_small(judged, evidence)]


def _crossed(judged: Judged, evidence: Evidence) -> list[str]:
    """Say how to see what many crossed classes share, where none of them is shown to differ alone."""
    columns, n_groups = judged.sample.rows.columns, judged.partition.n_groups
    crossed = judged.named and len(columns) > 1 and all(column.levels is not None for column in columns)
    if not crossed or n_groups < FEW_CLASSES or np.any((evidence.bounds.low > 0) | (evidence.bounds.high < 0)):
        return []
    shows = "put together, n_groups=4 (--n-groups 4), and in a scan of the columns (fairgroups scan)."
    return [f"{n_groups} crossed classes are judged one by one. What many of them share shows where they are {shows}"]


def _small(judged: Judged, evidence: Evidence) -> list[str]:
    """Say which groups are so small that their rates tell of single people."""
    fewest, groups = judged.inference.min_cell, evidence.groups
    if groups.rows.sum() < 2 * fewest:  # whoever looks at so few people knows it
        return []
    columns = judged.sample.rows.columns
    labels = groups.partition.said([c.name for c in columns], [c.numbers for c in columns])
    small = [label for label, n in zip(labels, groups.rows.tolist(), strict=True) if 0 < n < fewest]
    if not small:
        return []
    said = (
        f"Fewer than {fewest} people are in {listed(small[:5])}{', and others' if len(small) > 5 else ''}: such a rate "
        "tells of single people. Mind who reads it, or join groups."
    )
    return [said]


def _how_fine(sample: Sample) -> str:
    """Say where borders of boxes may lie."""
    cells = sample.space
    people = cells.rows[: len(cells)].reshape(cells.shape)
    said = []
    for d, axis in enumerate(cells.axes):
        if axis.size < 2:
            continue
        each = people.sum(axis=tuple(i for i in range(people.ndim) if i != d))
        if axis.levels is not None:
            said.append(f"between levels of {axis.name}")
        elif axis.distinct:
            said.append(f"at every value of {axis.name}")
        else:
            most = 100 * each.max() / each.sum()
            said.append(f"between {axis.size} cells of {axis.name} (at most {most:.2g}% of the rows each)")
    return f"Borders of groups may lie {listed(said)}; the intervals hold for all such boxes." if said else ""


def averaged_labels(rows: Rows) -> list[str]:
    """Say that few whole numbers are averaged, in case they are labels."""
    values = np.unique(rows.outcome)
    if values.size > MOST_LABELS or np.any(values != np.rint(values)):
        return []
    listed = ", ".join(f"{value:g}" for value in values)
    said = f"The outcome's values {listed} were averaged as amounts. "
    odd = values[(values != 0) & (values != 1)]
    if values.size == 3 and odd.size == 1:
        code = f"{odd[0]:g}"
        said += f"If {code} stands for a missing value, say so: --na {code} (na=['{code}'] of Source). "
    return [said + "If they are labels of classes, say which one counts as yes: --positive (positive=)."]


def codes_among(columns: Sequence[Column], count: NDArray[np.float64] | None) -> list[str]:
    """Say which numbers look as if they stood for something else."""
    said = []
    for column in columns:
        codes = [] if column.levels is not None or column.last is not None else codes_of(column.values, count)
        for code, n in codes:
            said.append(
                f"{n:,} rows share {column.name} = {code:g}, far from all others. If it stands for a missing value, "
                f"say so: --na {code:g} (na=['{code:g}'] of Source)."
            )
    return said
