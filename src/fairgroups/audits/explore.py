"""What a reader may look at besides the audit's own groups, worked out in advance as plain data for the page.

Other numbers of groups, other ways to make them, other measures, and any range of the attribute.

On the line everything is judged by the band, which holds for all ranges at once, from the cells alone. Of several
attributes it is the same for all boxes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairgroups.audits.groups import records_of, within
from fairgroups.audits.records import Attribute, GroupRecord
from fairgroups.cells.cells import Cells
from fairgroups.cells.space import SpaceCells
from fairgroups.evidence.band import Band
from fairgroups.evidence.bounds import Bounds, plugin_bounds
from fairgroups.evidence.comparison import compare
from fairgroups.evidence.curves import rate_curve
from fairgroups.evidence.disclosure import Figures
from fairgroups.evidence.judge import Evidence, judge
from fairgroups.evidence.plane import Plane
from fairgroups.evidence.rates import GroupRates, group_rates
from fairgroups.evidence.verdict import usual_gap
from fairgroups.grouping.search_options import SearchOptions
from fairgroups.measures import RATES, Direction, Measure
from fairgroups.options import Against
from fairgroups.partition.partition import Partition
from fairgroups.search.group_limits import search
from fairgroups.search.path import Units

if TYPE_CHECKING:
    from fairgroups.audits.assemble import Judged
    from fairgroups.audits.result import Audit

__all__ = ["explore_line", "explore_plane"]

Array = NDArray[np.float64]
MOST_GROUPS = 12
MOST_BINS = 400  # ends that a range may be given
METHODS = {"fair": "FairGroups", "widths": "Equal widths"}
SHOWN = ("label", "n", "counted", "rate", "rate_low", "rate_high", "phi", "low", "high", "verdict")
RANGES = 3  # of a group that a label names


def explore_line(parts: Sequence[Audit], cells: Cells, scales: Mapping[str, Partition]) -> dict[str, Any]:
    """Work out what a reader may ask of an audit of one attribute, from its cells.

    Parameters
    ----------
    parts : sequence of Audit
        The audit of each rate.
    cells : Cells
        The people; measures that follow from counts of yes and no are looked at too.
    scales : mapping
        Names and published or usual groups to compare with.

    Returns
    -------
    dict
        Plain data.
    """
    own = {part.measure.name: part for part in parts}
    cells = cells.also(m for m in RATES.values() if m.name not in ("mean", "calibration"))
    others = [m for name, m in RATES.items() if name not in own and name in cells.moments]
    if any(m.name == "statistical_parity" for m in [*others, *(cells.measures[name] for name in own)]):
        others = [m for m in others if m.name != "mean"]
    measures = [cells.measures[name] for name in own] + others
    found = [_measure(parts[0], own.get(m.name), cells, m, scales) for m in measures]
    return {"kind": "line", "scales": list(scales), "measures": found}


def _measure(
    audit: Audit, mine: Audit | None, cells: Cells, measure: Measure, scales: Mapping[str, Partition]
) -> dict[str, Any]:
    settings = audit.settings
    level = 1 - (1 - settings.level) / max(len(_rates(audit)), 1)
    band = None if mine is None else mine.band
    if band is None:
        # The table is safe for any cells; a simulation, which is a little sharper, would make the reader wait.
        band = Band(cells, measure, level=level, band_width="table")
    bounded = cells[measure].bounded
    direction = mine.measure.direction if mine is not None else measure.direction(favourable=settings.favourable)
    gap = usual_gap(bounded=bounded, overall=band.overall, spread=band.scale or 0.0)
    if mine is not None or (bounded and settings.asked["relevant_gap"] is not None):
        gap = settings.relevant_gap
    chosen = None if mine is None else mine.partition
    fewest = settings.asked["min_cell"]
    paths = _paths(audit, cells, measure, chosen)
    names = dict(METHODS)
    for name, scale in scales.items():
        names[f"scale {name}"] = name
        paths[f"scale {name}"] = [_snapped(scale, cells, settings.missing)]
    rates = [group_rates(cells, partition, measure) for path in paths.values() for partition in path]
    against: Against = "rest" if settings.against == "rest" else "everyone"
    every = iter(
        _set_of(groups, bounds, level, _Told(direction, gap, against, audit.data.attributes))
        for groups, bounds in zip(rates, band.bounds_of_all(rates), strict=True)
    )
    sets = {name: [next(every) for _ in path] for name, path in paths.items()}
    if mine is not None and (settings.inference != "band" or chosen not in paths["fair"]):
        names = {"audit": "This audit's groups", **names}
        sets = {"audit": [_of_audit(mine)], **sets}
    elif mine is not None:
        sets["fair"][paths["fair"].index(mine.partition)] = _of_audit(mine)
    percent = bounded and (measure.binary or audit.data.percent)
    points = within(rate_curve(cells, measure, np.empty(0, dtype=int), min_cell=fewest), audit.data.attributes[0])
    return {
        "name": measure.name,
        "rate": measure.rate if mine is None else mine.measure.rate,
        "percent": percent,
        "direction": direction,
        "gap": gap,
        "overall": band.overall,
        "offset": cells[measure].offset,
        "chosen": {"method": "audit" if "audit" in sets else "fair", "groups": chosen.n_groups if chosen else None},
        "methods": [{"name": names[key], "sets": found} for key, found in sets.items() if found],
        "curve": [asdict(point) for point in points],
        "band": _band(band, cells, measure, fewest, audit.data.attributes[0]),
    }


def _rates(audit: Audit) -> list[str]:
    """Return the rates that the audit looked at together."""
    from fairgroups.measures import MEASURES, parts_of

    asked = audit.settings.asked["measure"]
    return [part.name for part in parts_of(MEASURES[asked])] if asked in MEASURES else [audit.measure.name]


@dataclass(frozen=True)
class _Told:
    """How groups are told of."""

    direction: Direction
    gap: float
    against: Against
    attributes: tuple[Attribute, ...]

    def records(self, evidence: Evidence) -> tuple[GroupRecord, ...]:
        """Return the records of some groups."""
        partition = evidence.groups.partition
        labels = partition.said([a.said for a in self.attributes], [a.numbers for a in self.attributes])
        return records_of(evidence, compare(evidence, self.direction, self.against), self.direction, self.gap, labels)


def _set_of(groups: GroupRates, bounds: Bounds, level: float, told: _Told) -> dict[str, Any]:
    """Return one set of groups as the page shows it."""
    evidence = Evidence(groups, bounds, plugin_bounds(groups, level), 0.0, 0.0, (), (), None)
    return _shown(groups.partition, told.records(evidence), groups.variance)


def _of_audit(audit: Audit) -> dict[str, Any]:
    """Return the audit's own groups, as judged."""
    variance = audit.variance
    if audit.settings.against == "rest":  # beside other groups, whose differences from everybody it is of
        variance = float(np.nansum([r.share * (r.rate - audit.overall) ** 2 for r in audit.records]))
    return _shown(audit.partition, audit.records, variance)


def _shown(partition: Partition, records: Sequence[GroupRecord], variance: float) -> dict[str, Any]:
    out = []
    for k, record in enumerate(records):
        row = {key: getattr(record, key) for key in SHOWN} | {"label": _label(partition, k, record.label)}
        ends = [(part.low, part.high) for part in partition.ranges(k)]
        parts = [[float(x) if np.isfinite(x) else None for x in pair] for pair in ends]
        out.append(row | {"usual": [record.plugin_low, record.plugin_high], "parts": parts})
    return {"groups": out, "variance": variance}


def _label(partition: Partition, k: int, label: str) -> str:
    """Name a group, and of one with many ranges the first few."""
    ranges = partition.ranges(k)
    if len(ranges) <= RANGES:
        return label
    return f"{' or '.join(label.split(' or ')[:RANGES])} and {len(ranges) - RANGES} more ranges"


def _paths(audit: Audit, cells: Cells, measure: Measure, chosen: Partition | None) -> dict[str, list[Partition]]:
    """Return the groups of each method, for one group, two groups, …."""
    asked, settings = audit.settings.asked, audit.settings
    options = SearchOptions(**{name: asked[name] for name in ("min_group_size", "min_denominator", "min_cell")})
    limits = options.limits([cells[measure].map(lambda x: x[: len(cells)])], int(cells.rows.sum()))
    most = min(max(MOST_GROUPS, 0 if chosen is None else chosen.n_groups), len(Units.of(cells, measure)))
    missing = settings.missing
    path = search(cells, measure, most, monotonic=asked["monotonic"], limits=limits)
    fair = [path.partition(k, missing=missing) for k in range(1, len(path) + 1)]
    people, fewest = _people(cells, measure), asked["min_cell"]
    fair = [one for one in fair if one.n_groups == 1 or _least(people, one, cells) >= fewest]
    if chosen is not None and not settings.groups_given and settings.inference != "crossfit":
        others = [one for one in fair if one.n_groups != chosen.n_groups]
        fair = sorted([*others, chosen], key=lambda one: one.n_groups)
    attribute = audit.data.attributes[0]
    widths: dict[int, Partition] = {}  # stretches of few people are joined, so that some numbers come twice
    for k in range(1, most + 1):
        even = np.linspace(attribute.low, attribute.high, k + 1)[1:-1]
        borders = _borders(cells, people, fewest, np.ceil(even) if attribute.whole else even)
        widths.setdefault(len(borders), Partition.from_edges(borders, name=cells.name, missing=missing))
    return {
        "fair": fair or [Partition.from_edges([], name=cells.name, missing=missing)],
        "widths": list(widths.values()),
    }


def _people(cells: Cells, measure: Measure) -> Array:
    """Return how many people of each cell count."""
    return np.minimum(cells.rows, cells[measure].effective_size)[: len(cells)]


def _least(people: Array, partition: Partition, cells: Cells) -> float:
    """Return how many people the smallest group of known values holds."""
    known = partition.n_groups - (partition.missing == "group")
    return float(np.bincount(partition.assign(cells.first), people, partition.n_groups)[:known].min())


def _borders(cells: Cells, people: Array, fewest: int, even: Array) -> list[float]:
    """Return borders of stretches of equal width, joined where they hold few people; between cells of many values."""
    if not cells.distinct:
        even = cells.first[np.minimum(np.searchsorted(cells.first, even), len(cells) - 1)]
    before = np.concatenate([[0.0], np.cumsum(people)])
    kept, done = [], 0.0
    for border in np.unique(even).tolist():
        held = before[np.searchsorted(cells.first, border)]
        if held - done >= fewest and before[-1] - held >= fewest:
            kept.append(border)
            done = held
    return kept


def _snapped(scale: Partition, cells: Cells, missing: Any) -> Partition:
    """Return a usual scale with the attribute's name; where cells hold several values, with borders between cells."""
    scale = replace(scale, columns=(cells.name,), missing=missing)
    if cells.distinct:
        return scale
    borders = cells.first[np.minimum(np.searchsorted(cells.first, scale.borders()), len(cells) - 1)]
    return Partition.from_edges(np.unique(borders), name=cells.name, missing=scale.missing)


def _band(band: Band, cells: Cells, measure: Measure, fewest: int, attribute: Attribute) -> dict[str, Any]:
    """Return what it takes to judge any range that begins and ends between a few hundred stretches."""
    n = len(cells)
    moments = cells[measure]
    first = _stretches(np.minimum(cells.rows, moments.effective_size)[:n], fewest)
    if cells.missing:
        first = np.append(first, n)

    def joined(x: NDArray[Any]) -> list[Any]:
        return list(np.add.reduceat(x, first).tolist())

    inner = first[first < n]
    sums = {"n": cells.rows, "b": moments.b, "a": moments.a, "noise": moments.noise}
    if not band.bounded:
        sums |= {"bb": moments.bb, "ab": moments.ab, "aa": moments.aa}
    return {
        "first": np.append(attribute.low, cells.first[inner[1:]]).tolist(),
        "last": np.append(cells.last[inner[1:] - 1], attribute.high).tolist(),
        "sums": {key: joined(x) for key, x in sums.items()},
        **_widths(band),
    }


def _stretches(people: Array, fewest: int) -> NDArray[np.intp]:
    """Return the first cell of each of at most 400 stretches, none of so few people that it tells of one of them."""
    share = max(fewest, int(people.sum()) // MOST_BINS)
    if people.size <= MOST_BINS:
        share = fewest
    first, held = [0], 0.0
    for i, n in enumerate(people.tolist()):
        if held >= share:
            first.append(i)
            held = 0.0
        held += n
    if held < fewest and len(first) > 1:
        first.pop()  # what is left over joins the last
    return np.array(first, dtype=np.intp)


def explore_plane(parts: Sequence[Audit], judged: Judged) -> tuple[dict[str, Any], tuple[Audit, ...]]:
    """Judge the groups of each smaller number, and give what it takes to judge any box that a reader draws.

    Where a band judged the groups it holds for all of these at once; cross-fitting judges them on the half that did not
    find them. The audits are given back with a map that beside all this tells of no few people.
    """
    steps = () if judged.result is None else judged.result.steps
    steps = tuple(step for step in steps if step.n_groups < judged.partition.n_groups)
    banded = judged.inference.inference == "band"
    inference = judged.inference if banded else replace(judged.inference, judged=sum(s.n_groups for s in steps) or None)
    least, space = judged.inference.min_cell, judged.judging.space
    measures, mapped = [], []
    for part, measure, own in zip(parts, judged.sample.measures, judged.evidence, strict=False):
        sets: list[tuple[Partition, dict[str, Any]]] = []
        against: Against = "rest" if part.settings.against == "rest" else "everyone"
        told = _Told(part.measure.direction, part.settings.relevant_gap, against, part.data.attributes)
        for step in steps:
            if own.band is None:
                evidence = judge(judged.judging, step, measure, inference)
                one = _shown(step, told.records(evidence), evidence.groups.variance)
            else:
                groups = group_rates(judged.sample.rows, step, measure)
                one = _set_of(groups, own.band.bounds(groups), own.level, told)
            if all(min(group["n"], group["counted"]) >= least for group in one["groups"]):
                sets.append((step, one))
        found = None if part.finding.range is None or own.differs is None else own.differs.region
        plane = Plane.of(space, measure, least, (part.partition, *(step for step, _ in sets)), found)
        may_be_told = [cuts.partition for cuts in plane.cuts]
        sets = [(step, one) for step, one in sets if step in may_be_told]
        mapped.append(replace(part, plane=tuple(plane.cells)))
        measures.append(
            {
                "name": part.measure.name,
                "rate": part.measure.rate,
                "percent": part.data.percent,
                "direction": part.measure.direction,
                "gap": part.settings.relevant_gap,
                "offset": own.groups.sums.offset,
                "overall": part.overall,
                "chosen": {"method": "fair", "groups": part.partition.n_groups},
                "methods": [{"name": METHODS["fair"], "sets": [*(one for _, one in sets), _of_audit(part)]}],
                "partitions": [step.to_dict() for step in (*(step for step, _ in sets), part.partition)],
                "curve": [asdict(cell) for cell in plane.cells],
                "ends": [plane.ends_along(d) for d in (0, 1)],
                "band": None if own.band is None else _box_band(own.band, space, measure, plane, least),
            }
        )
    return {"kind": "plane", "scales": [], "measures": measures}, tuple(mapped)


def _strips(plane: Plane, least: int) -> list[list[tuple[int, int, float]]]:
    """Return the cells of each attribute alone; where they would tell of few, beside all else, of the cells drawn."""
    some = plane.counted > 0
    every = [plane.drawn_at, *(cut for cuts in plane.cuts for cut in cuts.all()), *plane.at[:2]]
    figures = Figures([cut[some] for cut in every], plane.counted[some], least)
    for cuts in plane.cuts:
        figures.add(cuts.group[some])
    out = []
    for d in (0, 1):
        at, margin = plane.at[d][some], sorted(plane.margins[d], key=lambda one: -one[1])
        while margin:  # the smaller half is left out until they may be told
            told = np.isin(at, [i for i, _, _ in margin])
            if figures.tell(np.where(told, at, -1), rest=~told):
                break
            margin = margin[: len(margin) // 2]
        known = {i for i, _, _ in margin}
        out.append(sorted([*margin, *(one for one in plane.drawn_along(d) if one[0] not in known)]))
    return out


def _box_band(band: Band, space: SpaceCells, measure: Measure, plane: Plane, least: int) -> dict[str, Any]:
    """Return what it takes to judge any box of the map's cells; those of few people are joined, as in the map."""
    moments = space[measure]
    keys = ("b", "a", "noise") if band.bounded else ("b", "a", "noise", "bb", "ab", "aa")
    sums = {key: getattr(plane.sums, key).tolist() for key in keys}
    totals = {"n": int(space.rows.sum()), **{key: float(getattr(moments, key).sum()) for key in keys}}
    return {
        **_widths(band),
        "places": plane.places[:, :2].reshape(-1, 4).tolist(),
        "sums": {"n": plane.n.tolist(), **sums},
        "totals": totals,
        "margins": _strips(plane, least),
        "hidden": plane.hidden,
    }


def _widths(band: Band) -> dict[str, Any]:
    return {
        "size": band.n,
        "rate": band.quantiles.rate,
        "phi": band.quantiles.phi,
        "penalty": band.quantiles.penalty,
        "least": float(np.sqrt(2 * np.log(2 / (1 - band.level)))),
        "equal": band.equal_weights,
        "bounded": band.bounded,
        "scale": band.scale,
    }
