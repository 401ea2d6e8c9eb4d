"""audit(): a table in, an `Audit` out. Python and the command line use this one function."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fairgroups import __version__
from fairgroups.cells import Cells
from fairgroups.errors import InputError
from fairgroups.evidence.band import Band, Calibration
from fairgroups.evidence.calibration import from_table
from fairgroups.evidence.likelihood import kl
from fairgroups.evidence.rates import (
    Bounds,
    GroupRates,
    explained_share,
    fixed_bounds,
    group_rates,
    plugin_bounds,
    rate_curve,
    rate_ratios,
    residual_scale,
)
from fairgroups.evidence.verdict import Gate, gate, verdicts
from fairgroups.files import write_atomically
from fairgroups.measures import Direction, Measure
from fairgroups.partition import Partition
from fairgroups.report.words import conclude
from fairgroups.rows import Missing, Rows, Table, read_table
from fairgroups.search.monotone import Monotonic
from fairgroups.search.options import check_n_groups, limits_of, search
from fairgroups.search.path import Limits, Units
from fairgroups.search.path import Path as GroupPath

__all__ = ["Audit", "audit"]

Inference = Literal["band", "split", "plugin"]
SCHEMA = "fairgroups/audit"
SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Audit:
    """What an audit found. Everything a report shows is in here.

    Attributes
    ----------
    records : list of dict
        One per group: ``label``, ``n``, ``share``, ``rate`` with ``rate_low`` and ``rate_high``, ``phi`` with ``low``
        and ``high``, ``ratio`` to the best group's rate with ``ratio_low`` and ``ratio_high``, and ``verdict``.
    partition : Partition
        The groups.
    conclusion : str
        The finding in plain words.
    overall : float
        Everybody's rate.
    variance, explained : float
        Var Φ, and the share of all dependence on the attribute that the groups capture.
    path : list of float
        The largest variance with 1, 2, … groups; empty when the groups were given.
    gate : str or None
        With a limit: "kept", "exceeded" or "not enough evidence".
    band : Band or None
        Judges any other range: ``audit.band.interval(20, 30)``. None for inference other than ``"band"``.
    curve : list of dict
        The rate along the attribute, for charts.
    notes : list of str
        What a reader should know.
    settings, data : dict
        What was asked, and what was read.
    """

    records: list[dict[str, Any]]
    partition: Partition
    measure: Measure
    direction: Direction
    conclusion: str
    overall: float
    variance: float
    explained: float
    path: list[float]
    gate: Gate | None
    band: Band | None
    curve: list[dict[str, float]]
    notes: list[str]
    settings: dict[str, Any]
    data: dict[str, Any]
    table: Table = field(repr=False)

    @property
    def groups(self) -> Any:
        """Give the groups as a table, in the library of the data that was audited."""
        return self.table.build({key: [record[key] for record in self.records] for key in self.records[0]})

    def to_dict(self) -> dict[str, Any]:
        """Give the whole audit as plain data; NaN becomes None."""
        plain: dict[str, Any] = _plain(
            {
                "schema": SCHEMA,
                "schema_version": SCHEMA_VERSION,
                "library_version": __version__,
                "conclusion": self.conclusion,
                "gate": self.gate,
                "overall_rate": self.overall,
                "variance": self.variance,
                "explained": self.explained,
                "path": self.path,
                "groups": self.records,
                "partition": self.partition.to_dict(),
                "curve": self.curve,
                "notes": self.notes,
                "settings": self.settings,
                "data": self.data,
            }
        )
        return plain

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the audit as JSON, to a file if a path is given, and give the text."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)
        if path is not None:
            write_atomically(path, text + "\n")
        return text

    def to_html(self, path: str | Path | None = None) -> str:
        """Write the audit as one HTML page that works offline, to a file if a path is given, and give the text."""
        from fairgroups.report.page import render

        text = render(self)
        if path is not None:
            write_atomically(path, text)
        return text

    def __repr__(self) -> str:
        return f"Audit({self.conclusion!r})"


def audit(
    data: Any,
    *,
    sensitive: str,
    outcome: str,
    truth: str | None = None,
    weight: str | None = None,
    measure: str | Measure = "auto",
    n_groups: int = 5,
    monotonic: Monotonic | None = None,
    min_group_size: float | Literal["auto"] = "auto",
    min_denominator: float = 0.0,
    n_cells: int | None = None,
    partition: Partition | None = None,
    favourable: bool | None = None,
    positive: Any = None,
    missing: Missing = "error",
    inference: Inference = "band",
    calibration: Calibration = "auto",
    level: float = 0.95,
    relevant_gap: float | None = None,
    max_gap: float | None = None,
    seed: int = 0,
) -> Audit:
    """Find the groups of a numeric attribute that an outcome treats differently, and say what may be concluded.

    Parameters
    ----------
    data : frame, mapping or path
        A data frame of any library, a mapping of column names to values, or a CSV or Parquet file.
    sensitive, outcome, truth, weight : str
        Column names: the attribute, the decision or score that is audited, the true label for measures that need
        it, and row weights.
    measure : str or Measure
        ``"auto"`` is statistical parity for yes/no outcomes and the mean for numbers. See `fairgroups.MEASURES`.
    n_groups : int
        How many groups to look for; fewer if the data cannot give as many.
    monotonic, n_cells, min_denominator
        See `FairGroups`.
    min_group_size : int, float or "auto"
        Least rows in a group, or their share. ``"auto"``: as many as any verdict needs.
    partition : Partition, optional
        Judge these groups instead of searching.
    favourable : bool, optional
        Whether the outcome is good to receive. False turns verdicts round: to be predicted a criminal harms.
    positive : label, optional
        Which of two labels of the outcome counts as 1.
    missing : {"error", "drop", "group"}
        What to do with missing values.
    inference : {"band", "split", "plugin"}
        ``"band"``: intervals that hold for all ranges at once, so also for groups found on the same rows.
        ``"split"``: find the groups on one random half of the rows and judge them on the other.
        ``"plugin"``: the paper's intervals, which treat the groups as given and cry wolf; for comparison.
    calibration : {"auto", "table", "simulate"}
        See `Band`.
    level : float
        Confidence level of the intervals.
    relevant_gap : float, optional
        Differences within ± this are of no concern: 0.05 for rates, a fifth of a standard deviation otherwise.
    max_gap : float, optional
        A limit on the size of every group's Φ; the result's `gate` says whether it is kept.
    seed : int
        For the split and for simulated calibration.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import fairgroups as fg
    >>> people = fg.make_synthetic(4000)
    >>> table = {"tone": people.sensitive, "approved": people.outcome}
    >>> found = fg.audit(table, sensitive="tone", outcome="approved", n_groups=3)
    >>> [record["verdict"] for record in found.records]
    ['disadvantaged', 'not enough evidence', 'advantaged']
    """
    if inference not in ("band", "split", "plugin"):
        raise InputError(f"`inference` must be 'band', 'split' or 'plugin'; got {inference!r}.")
    _check_numbers(level=level, relevant_gap=relevant_gap, max_gap=max_gap)
    names = {"sensitive": sensitive, "outcome": outcome, "truth": truth, "weight": weight}
    named = {role: name for role, name in names.items() if name is not None}
    table = read_table(data, list(named.values()))
    rows = Rows.from_arrays(
        **{role: table.columns[name] for role, name in named.items()},
        positive=positive,
        missing=missing,
        names=named,
    )
    finding, judging = (rows, rows)
    if inference == "split" and partition is None:
        finding, judging = _halves(rows, seed)
    cells = Cells.from_rows(finding, measure=measure, n_cells=n_cells)
    (used,) = cells.measures.values()
    notes: list[str] = []
    path: GroupPath | None = None
    if partition is None:
        path = _find(cells, used, n_groups, monotonic, min_group_size, min_denominator, notes)
        partition = path.partition(len(path), missing=missing)
    if judging is not finding:
        cells = Cells.from_rows(judging, measure=used)
    groups = group_rates(cells, partition, used)
    band = Band(cells, used, level=level, calibration=calibration, seed=seed) if inference == "band" else None
    bounds = _bounds(groups, cells, used, inference, level, band)
    moments = cells[used]
    gap = relevant_gap if relevant_gap is not None else (0.05 if moments.bounded else 0.2 * residual_scale(moments))
    direction = used.direction(favourable=favourable)
    said = verdicts(bounds.low, bounds.high, direction, gap)
    records = _records(groups, bounds, said, direction, bounded=moments.bounded)
    notes += _notes(rows, moments.bounded, weight, inference, partition, searched=path is not None)
    return Audit(
        records=records,
        partition=partition,
        measure=used,
        direction=direction,
        conclusion=conclude(records, used, level, percent=moments.bounded),
        overall=groups.overall,
        variance=groups.variance,
        explained=explained_share(cells, used, groups.variance),
        path=[] if path is None else [float(v) for v in path.variance],
        gate=None if max_gap is None else gate(bounds.low, bounds.high, max_gap),
        band=band,
        curve=rate_curve(cells, used),
        notes=notes,
        settings={
            **names,
            "measure": used.name,
            "rate": used.rate,
            "higher_is": direction,
            "n_groups": n_groups if path is not None else partition.n_groups,
            "groups_given": path is None,
            "monotonic": monotonic,
            "min_group_size": min_group_size,
            "min_denominator": min_denominator,
            "n_cells": n_cells,
            "positive": None if positive is None else str(positive),
            "missing": missing,
            "inference": inference,
            "band_quantiles": None if band is None else vars(band.quantiles),
            "level": level,
            "relevant_gap": gap,
            "max_gap": max_gap,
            "seed": seed,
        },
        data={
            "source": str(data) if isinstance(data, str | Path) else type(data).__name__,
            "rows": rows.n,
            "rows_judged": judging.n,
            "dropped": dict(rows.dropped),
            "low": cells.low,
            "high": cells.high,
            "distinct_values": len(cells) if cells.distinct else None,
            "percent": moments.bounded,
        },
        table=table,
    )


def _halves(rows: Rows, seed: int) -> tuple[Rows, Rows]:
    if rows.n < 2:
        raise InputError("a split needs at least two rows.", "use inference='band'.")
    order = np.random.default_rng(seed).permutation(rows.n)
    middle = rows.n // 2
    return rows.take(np.sort(order[:middle])), rows.take(np.sort(order[middle:]))


def _find(
    cells: Cells,
    measure: Measure,
    n_groups: int,
    monotonic: Monotonic | None,
    min_group_size: float | Literal["auto"],
    min_denominator: float,
    notes: list[str],
) -> GroupPath:
    """Search for the groups; where the data cannot give as many as asked for, take what it can give and say so."""
    n_units = len(Units.of(cells, measure))
    asked = n_groups
    if isinstance(n_groups, int | np.integer) and n_groups > n_units >= 1:
        n_groups = n_units
    check_n_groups(n_groups, cells, measure)
    if min_group_size == "auto":
        limits = _smallest_judgeable(cells, measure, n_groups)
        limits = Limits(limits.rows, max(limits.b, limits_of(1, min_denominator, 1).b))
    else:
        limits = limits_of(min_group_size, min_denominator, int(cells.rows.sum()))
    path = search(cells, measure, n_groups, monotonic=monotonic, limits=limits)
    if len(path) == 0:
        raise InputError(
            f"the {int(cells.rows.sum())} rows do not make one group of at least {limits.rows:g} rows and "
            f"B ≥ {limits.b:g}.",
            "lower min_group_size or min_denominator.",
        )
    if path.note:
        notes.append(path.note[0].upper() + path.note[1:])
    elif len(path) < asked:
        notes.append(
            f"{asked} groups were asked for; the data gives {len(path)} "
            f"({n_units} distinct values that count, at least {max(limits.rows, limits.b):g} rows a group)."
        )
    return path


def _smallest_judgeable(cells: Cells, measure: Measure, n_groups: int) -> Limits:
    """Find the least B with which a group of extreme rate could get a verdict; smaller groups say nothing."""
    moments = cells[measure]
    total = float(moments.b.sum())
    size = total**2 / float(moments.bb.sum())
    rate = float(moments.a.sum()) / total
    if moments.bounded and 0 < rate < 1:
        q = from_table(size, rate, 0.95).phi
        n = np.arange(1.0, max(size / (2 * n_groups), 1.0) + 1)[:100_000]
        strongest = n * np.max(kl(np.array([0.0, 1.0]), np.array(rate)))
        enough = strongest > (q + np.sqrt(2 * (1 + np.log(size / n)))) ** 2 / 2
        least = float(n[enough][0]) if enough.any() else float(n[-1])
    else:
        least = 30.0
    least = max(1.0, math.floor(min(least, size / (2 * n_groups))))
    return Limits(rows=1, b=least * total / size * (1 - 1e-9))


def _bounds(
    groups: GroupRates, cells: Cells, measure: Measure, inference: Inference, level: float, band: Band | None
) -> Bounds:
    if band is not None:
        return band.bounds(groups)
    if inference == "split":
        moments = cells[measure]
        return fixed_bounds(groups, level, None if moments.bounded else residual_scale(moments))
    return plugin_bounds(groups, level)


def _records(
    groups: GroupRates, bounds: Bounds, said: list[Any], direction: Direction, *, bounded: bool
) -> list[dict[str, Any]]:
    ratio, ratio_low, ratio_high = rate_ratios(
        groups.rate, bounds, lowest_is_best=direction == "worse", bounded=bounded
    )
    columns: dict[str, Any] = {
        "label": groups.partition.labels,
        "n": groups.rows,
        "share": groups.share,
        "rate": groups.rate,
        "rate_low": bounds.rate_low,
        "rate_high": bounds.rate_high,
        "phi": groups.phi,
        "low": bounds.low,
        "high": bounds.high,
        "ratio": ratio,
        "ratio_low": ratio_low,
        "ratio_high": ratio_high,
        "verdict": said,
    }
    plain = {
        key: values.tolist() if isinstance(values, np.ndarray) else list(values) for key, values in columns.items()
    }
    return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]


def _notes(
    rows: Rows, bounded: bool, weight: str | None, inference: Inference, partition: Partition, *, searched: bool
) -> list[str]:
    notes = []
    if rows.dropped:
        said = ", ".join(f"{n} for {name!r}" for name, n in rows.dropped.items())
        notes.append(f"{sum(rows.dropped.values())} rows with missing values were left out ({said}).")
    if not bounded:
        notes.append("The outcome is not between 0 and 1: intervals take it as sub-Gaussian with an estimated scale.")
    if weight is not None:
        notes.append("Weights enter the intervals by the effective number of rows.")
    if inference == "split" and searched:
        notes.append("Groups were found on one half of the rows; counts, rates and intervals are of the other half.")
    if inference == "plugin" and searched:
        notes.append(
            "Plug-in intervals treat the groups as given although they were searched for: they are too narrow, "
            "and on data without discrimination they raise false alarms more often than not."
        )
    if not partition.connected:
        notes.append("Some groups are made of several ranges; their intervals add up those of the ranges.")
    if partition.n_groups == 1:
        notes.append("There is one group only, so nothing is compared.")
    return notes


def _check_numbers(*, level: float, relevant_gap: float | None, max_gap: float | None) -> None:
    if not 0.5 <= level <= 0.995:
        raise InputError(f"`level` must lie between 0.5 and 0.995; got {level!r}.", "0.95 is customary.")
    for name, value in (("relevant_gap", relevant_gap), ("max_gap", max_gap)):
        if value is not None and not value >= 0:
            raise InputError(f"`{name}` must be a number of at least 0; got {value!r}.")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
