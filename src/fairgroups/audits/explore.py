"""What a reader may look at besides the audit's own groups, worked out in advance as plain data for the report.

Other numbers of groups, other ways to make them, other measures, and any range of the attribute.

On the line everything is judged by the band, which holds for all ranges at once. In the plane other numbers of groups
are judged on the half that did not find them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.audits.groups import records_of, scale_against
from fairgroups.cells.cells import Cells
from fairgroups.errors import InputError
from fairgroups.evidence.band import Band
from fairgroups.evidence.curves import rate_curve
from fairgroups.evidence.judge import How, judge
from fairgroups.evidence.rates import Bounds, GroupRates, group_rates, plugin_bounds
from fairgroups.evidence.verdict import verdicts
from fairgroups.grouping.find import Wish
from fairgroups.measures import MEASURES, Measure
from fairgroups.partition.boxes import BoxPartition
from fairgroups.partition.partition import Interval, Partition, shortest
from fairgroups.rows.rows import Rows, check_measure
from fairgroups.search.kmeans import best_clusters
from fairgroups.search.limits import search
from fairgroups.search.path import Units

if TYPE_CHECKING:
    from fairgroups.audits.result import Audit

__all__ = ["explore"]

Array = NDArray[np.float64]
MOST_GROUPS = 12
MOST_BINS = 400  # ends that a range may be given
FEWEST = 10  # people whose rate a reader may ask for
GRID = 100  # the cells of K-Means
METHODS = {"fair": "FairGroups", "kmeans": "K-Means (as in the paper)", "widths": "Equal widths"}
SHOWN = ("label", "n", "counted", "rate", "rate_low", "rate_high", "phi", "low", "high", "verdict")
RANGES = 3  # of a group that a label names


def explore(audit: Audit, scales: Mapping[str, Partition] | None = None) -> dict[str, Any]:
    """Work out what a reader may ask of an audit of one or two attributes.

    Parameters
    ----------
    audit : Audit
        The audit.
    scales : mapping, optional
        Names and published or usual groups to compare with.
    """
    attributes = audit.data["attributes"]
    common = {"level": audit.settings["level"], "against": audit.settings["against"], "attributes": attributes}
    if len(attributes) == 1:
        return common | {"kind": "line", "measures": _line(audit, scales or {})}
    return common | {"kind": "plane", "measures": [_plane(part) for part in audit.parts or (audit,)]}


def _line(audit: Audit, scales: Mapping[str, Partition]) -> list[dict[str, Any]]:
    own = {part.measure.name: part for part in audit.parts or (audit,)}
    centred = audit.material.rows
    plain = replace(centred, outcome=centred.outcome + audit.material.offset)
    out = []
    for measure in [part.measure for part in own.values()] + [m for m in MEASURES.values() if m.name not in own]:
        mine = own.get(measure.name)
        rows = centred if measure is MEASURES["mean"] else plain
        if mine is None and not _fits(measure, rows):
            continue
        try:
            cells = Cells.from_rows(rows, measure=measure, n_cells=audit.settings["n_cells"])
        except InputError:  # nobody counts in it
            continue
        out.append(_measure(audit, mine, rows, cells, measure, scales))
    return out


def _fits(measure: Measure, rows: Rows) -> bool:
    try:
        check_measure(measure, rows)
    except InputError:
        return False
    if measure.name in ("mean", "calibration") and rows.outcome_is_binary:
        return False  # the same as parity, or of no use for decisions
    return rows.truth is not None or not measure.needs_truth


def _measure(
    audit: Audit, mine: Audit | None, rows: Rows, cells: Cells, measure: Measure, scales: Mapping[str, Partition]
) -> dict[str, Any]:
    settings, how = audit.settings, audit.material.how
    band = None if mine is None else mine.band
    if band is None:
        # The table is safe for any cells; a simulation, which is a little sharper, would make the reader wait.
        band = Band(cells, measure, level=how.level, calibration="table")
    offset = audit.material.offset if measure is MEASURES["mean"] else 0.0
    bounded = cells[measure].bounded
    direction = mine.direction if mine is not None else measure.direction(favourable=audit.material.favourable)
    gap = settings["relevant_gap"] if mine is not None or bounded else 0.2 * (band.scale or 0.0)
    chosen = None if mine is None else mine.partition
    paths = _paths(audit, rows, cells, measure, chosen)

    names = dict(METHODS)
    for name, scale in scales.items():
        names[f"scale {name}"] = name
        paths[f"scale {name}"] = [_snapped(scale, cells, audit)]

    def told(groups: GroupRates, bounds: Bounds) -> dict[str, Any]:
        scale = scale_against(groups, settings["against"])
        said = verdicts(bounds.low * scale, bounds.high * scale, direction, gap)
        records = records_of(groups, bounds, list(said), direction, against=settings["against"])
        return _told(groups, records, plugin_bounds(groups, how.level), scale, offset)

    rates = [group_rates(cells, partition, measure) for path in paths.values() for partition in path]
    every = iter([told(*pair) for pair in zip(rates, band.bounds_of_all(rates), strict=True)])
    sets = {name: [next(every) for _ in path] for name, path in paths.items()}
    if mine is not None and (settings["inference"] != "band" or chosen not in paths["fair"]):
        names = {"audit": "This audit's groups", **names}
        sets = {"audit": [_of_audit(mine)], **sets}
    elif mine is not None:
        sets["fair"][paths["fair"].index(mine.partition)] = _of_audit(mine)  # type: ignore[arg-type]
    percent = bounded and (measure.binary or audit.material.rows.outcome_is_binary)
    return {
        "name": measure.name,
        "rate": measure.rate,
        "percent": percent,
        "direction": direction,
        "gap": gap,
        "overall": band.overall + offset,
        "offset": offset,
        "chosen": {"method": "audit" if "audit" in sets else "fair", "groups": chosen.n_groups if chosen else None},
        "methods": [{"name": names[key], "sets": found} for key, found in sets.items() if found],
        "curve": [
            {**point, "rate": point["rate"] + offset}
            for point in rate_curve(cells, measure, np.empty(0, dtype=int))
            if point["n"] >= FEWEST
        ],
        "band": _band(band, cells, measure),
    }


def _told(
    groups: GroupRates, records: list[dict[str, Any]], plain: Bounds, scale: Array, offset: float
) -> dict[str, Any]:
    out = []
    for k, record in enumerate(records):
        shown = {key: record[key] for key in SHOWN} | {"label": _label(groups.partition, k, record["label"])}
        for key in ("rate", "rate_low", "rate_high"):
            shown[key] += offset
        out.append(
            shown | {"usual": [plain.low[k] * scale[k], plain.high[k] * scale[k]], "parts": _parts(groups.partition, k)}
        )
    return {"groups": out, "variance": groups.variance}


def _label(partition: Partition | BoxPartition, k: int, label: str) -> str:
    """Name a group, and of one with many ranges the first few."""
    if isinstance(partition, BoxPartition) or k >= len(partition.groups) or len(partition.groups[k]) <= RANGES:
        return label
    number = shortest(partition.edges)
    some = " or ".join(part.describe(partition.name or "x", number) for part in partition.groups[k][:RANGES])
    return f"{some} and {len(partition.groups[k]) - RANGES} more ranges"


def _of_audit(audit: Audit) -> dict[str, Any]:
    """Give the audit's own groups, as judged."""
    rows, how = audit.material.judging, audit.material.how
    plain = judge(rows, audit.partition, audit.measure, replace(how, inference="plugin"))
    scale = scale_against(plain.groups, audit.settings["against"])
    return _told(plain.groups, audit.records, plain.bounds, scale, 0.0) | {"variance": audit.variance}


def _parts(partition: Partition | BoxPartition, k: int) -> list[list[float | None]]:
    """Give the ranges of a group; None for an end that is open."""
    if isinstance(partition, BoxPartition) or k >= len(partition.groups):
        return []
    ends = [(part.low, part.high) for part in partition.groups[k] if isinstance(part, Interval)]
    return [[float(x) if np.isfinite(x) else None for x in pair] for pair in ends]


def _paths(audit: Audit, rows: Rows, cells: Cells, measure: Measure, chosen: Any) -> dict[str, list[Partition]]:
    """Give the groups of each method, for one group, two groups, …."""
    settings = audit.settings
    wish = Wish(min_group_size=settings["min_group_size"], min_denominator=settings["min_denominator"])
    limits = wish.limits([cells[measure].map(lambda x: x[: len(cells)])], int(cells.rows.sum()))
    most = min(max(MOST_GROUPS, 0 if chosen is None else chosen.n_groups), len(Units.of(cells, measure)))
    missing = settings["missing"]
    path = search(cells, measure, most, monotonic=settings["monotonic"], limits=limits)
    fair = [path.partition(k, missing=missing) for k in range(1, len(path) + 1)]
    if chosen is not None and not settings["groups_given"] and chosen.n_groups <= len(fair):
        fair[chosen.n_groups - 1] = chosen if settings["inference"] != "crossfit" else fair[chosen.n_groups - 1]
    grid = Cells.from_rows(rows, measure=measure, edges=_edges(cells, GRID))
    clusters = best_clusters(grid, measure, most)
    widths = [Partition.from_edges(_edges(cells, k)[1:], name=cells.name, missing=missing) for k in range(1, most + 1)]
    return {
        "fair": fair or [Partition.from_edges([], name=cells.name, missing=missing)],
        "kmeans": [clusters.partition(k, missing=missing) for k in range(1, len(clusters) + 1)],
        "widths": widths if cells.high > cells.low else widths[:1],
    }


def _edges(cells: Cells, n: int) -> Array:
    """Give the lower ends of stretches of equal width; where cells hold several values, at a cell's first one."""
    even = np.linspace(cells.low, cells.high, n + 1)[:-1]
    if cells.distinct:
        return np.unique(even)
    return np.unique(cells.first[np.minimum(np.searchsorted(cells.first, even), len(cells) - 1)])


def _snapped(scale: Partition, cells: Cells, audit: Audit) -> Partition:
    scale = Partition(scale.groups, name=cells.name, missing=audit.settings["missing"])
    if cells.distinct:
        return scale
    borders = cells.first[np.minimum(np.searchsorted(cells.first, scale.firsts()[0]), len(cells) - 1)]
    return Partition.from_edges(np.unique(borders), name=cells.name, missing=scale.missing)


def _band(band: Band, cells: Cells, measure: Measure) -> dict[str, Any]:
    """Give what it takes to judge any range that begins and ends between a few hundred stretches."""
    n = len(cells)
    moments = cells[measure]
    first = _stretches(cells.rows[:n])
    if cells.missing:
        first = np.append(first, n)

    def joined(x: NDArray[Any]) -> list[Any]:
        return list(np.add.reduceat(x, first).tolist())

    inner = first[first < n]
    sums = {"n": cells.rows, "b": moments.b, "a": moments.a, "noise": moments.noise}
    if not band.bounded:
        sums |= {"bb": moments.bb, "ab": moments.ab, "aa": moments.aa}
    return {
        "first": cells.first[inner].tolist(),
        "last": np.append(cells.last[inner[1:] - 1], cells.last[n - 1]).tolist(),
        "sums": {key: joined(x) for key, x in sums.items()},
        "size": band.n,
        "rate": band.quantiles.rate,
        "phi": band.quantiles.phi,
        "least": float(np.sqrt(2 * np.log(2 / (1 - band.level)))),
        "equal": band.equal_weights,
        "bounded": band.bounded,
        "scale": band.scale,
    }


def _stretches(people: NDArray[np.int64]) -> NDArray[np.intp]:
    """Give the first cell of each of at most 400 stretches, none of so few people that it would tell of one of them."""
    share = max(FEWEST, int(people.sum()) // MOST_BINS)
    if people.size <= MOST_BINS:
        share = FEWEST
    first, held = [0], 0
    for i, n in enumerate(people.tolist()):
        if held >= share:
            first.append(i)
            held = 0
        held += n
    if held < FEWEST and len(first) > 1:
        first.pop()  # what is left over joins the last
    return np.array(first, dtype=np.intp)


def _plane(audit: Audit) -> dict[str, Any]:
    """Judge the groups of each smaller number on the half that did not find them, all of them at once."""
    material = audit.material
    steps = [step for step in material.steps if step.n_groups < audit.partition.n_groups]
    how: How = replace(material.how, judged=sum(step.n_groups for step in steps) or None)
    sets = []
    for step in steps:
        found = judge(material.judging, step, audit.measure, how)
        scale = scale_against(found.groups, audit.settings["against"])
        ends = found.bounds.low * scale, found.bounds.high * scale
        said = list(verdicts(*ends, audit.direction, audit.settings["relevant_gap"]))
        records = records_of(found.groups, found.bounds, said, audit.direction, against=audit.settings["against"])
        sets.append(_told(found.groups, records, plugin_bounds(found.groups, how.level), scale, material.offset))
    return {
        "name": audit.measure.name,
        "rate": audit.measure.rate,
        "percent": bool(audit.data["percent"]),
        "direction": audit.direction,
        "overall": audit.overall,
        "chosen": {"method": "fair", "groups": audit.partition.n_groups},
        "methods": [{"name": METHODS["fair"], "sets": [*sets, _of_audit(audit)]}],
        "partitions": [*steps, audit.partition],
        "curve": audit.curve,
    }
