"""fairgroups: who is treated differently when the sensitive attribute is a number.

Public names load on first use, so that ``import fairgroups`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from fairgroups import skin
    from fairgroups.audits.audit import audit
    from fairgroups.audits.baseline import compare_to_baseline, since_baseline
    from fairgroups.audits.drift import drift
    from fairgroups.audits.records import Change
    from fairgroups.audits.result import Audit, JointAudit, read_audit
    from fairgroups.audits.transfer import transfer
    from fairgroups.cells.cells import Cells
    from fairgroups.cells.space import SpaceCells
    from fairgroups.datasets.adult import load_adult
    from fairgroups.datasets.synthetic import make_synthetic
    from fairgroups.errors import (
        ColumnError,
        FairGroupsError,
        FairnessWarning,
        InputError,
        MissingValuesError,
        OutputError,
        SchemaError,
    )
    from fairgroups.evidence.agreement import adjusted_rand_index, rand_index
    from fairgroups.evidence.band import Band
    from fairgroups.evidence.rates import group_rates
    from fairgroups.grouping.fair_groups import FairGroups
    from fairgroups.grouping.fair_kmeans import FairKMeans
    from fairgroups.grouping.fixed_groups import FixedGroups
    from fairgroups.measures import EQUALIZED_ODDS, MEASURES, JointMeasure, Measure
    from fairgroups.partition.partition import Partition
    from fairgroups.partition.sides import Interval, Levels
    from fairgroups.repair.blind_repair import BlindRepair
    from fairgroups.repair.dependence import correlation_ratio, gedi, hgr
    from fairgroups.repair.fair_classifier import FairClassifier
    from fairgroups.repair.fair_regressor import FairRegressor
    from fairgroups.repair.left import Left
    from fairgroups.repair.noisy_scores import private_scores
    from fairgroups.repair.score_repair import ScoreRepair
    from fairgroups.repair.stratified_repair import StratifiedRepair
    from fairgroups.repair.tradeoff import Tradeoff, tradeoff
    from fairgroups.scans.result import Scan
    from fairgroups.scans.scan import scan
    from fairgroups.sources.source import Source

_ROOMS = {
    "audits.audit": ["audit"],
    "audits.baseline": ["compare_to_baseline", "since_baseline"],
    "audits.drift": ["drift"],
    "audits.records": ["Change"],
    "audits.transfer": ["transfer"],
    "audits.result": ["Audit", "JointAudit", "read_audit"],
    "cells.cells": ["Cells"],
    "cells.space": ["SpaceCells"],
    "datasets.adult": ["load_adult"],
    "datasets.synthetic": ["make_synthetic"],
    "errors": [
        "ColumnError",
        "FairGroupsError",
        "FairnessWarning",
        "InputError",
        "MissingValuesError",
        "OutputError",
        "SchemaError",
    ],
    "evidence.agreement": ["adjusted_rand_index", "rand_index"],
    "evidence.band": ["Band"],
    "evidence.rates": ["group_rates"],
    "grouping.fair_groups": ["FairGroups"],
    "grouping.fair_kmeans": ["FairKMeans"],
    "grouping.fixed_groups": ["FixedGroups"],
    "measures": ["EQUALIZED_ODDS", "MEASURES", "JointMeasure", "Measure"],
    "partition.partition": ["Partition"],
    "partition.sides": ["Interval", "Levels"],
    "repair.dependence": ["correlation_ratio", "gedi", "hgr"],
    "repair.blind_repair": ["BlindRepair"],
    "repair.fair_classifier": ["FairClassifier"],
    "repair.fair_regressor": ["FairRegressor"],
    "repair.left": ["Left"],
    "repair.noisy_scores": ["private_scores"],
    "repair.score_repair": ["ScoreRepair"],
    "repair.stratified_repair": ["StratifiedRepair"],
    "repair.tradeoff": ["Tradeoff", "tradeoff"],
    "scans.result": ["Scan"],
    "scans.scan": ["scan"],
    "sources.source": ["Source"],
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "EQUALIZED_ODDS",
    "MEASURES",
    "Audit",
    "Band",
    "BlindRepair",
    "Cells",
    "Change",
    "ColumnError",
    "FairClassifier",
    "FairGroups",
    "FairGroupsError",
    "FairKMeans",
    "FairRegressor",
    "FairnessWarning",
    "FixedGroups",
    "InputError",
    "Interval",
    "JointAudit",
    "JointMeasure",
    "Left",
    "Levels",
    "Measure",
    "MissingValuesError",
    "OutputError",
    "Partition",
    "Scan",
    "SchemaError",
    "ScoreRepair",
    "Source",
    "SpaceCells",
    "StratifiedRepair",
    "Tradeoff",
    "__version__",
    "adjusted_rand_index",
    "audit",
    "compare_to_baseline",
    "correlation_ratio",
    "drift",
    "gedi",
    "group_rates",
    "hgr",
    "load_adult",
    "make_synthetic",
    "private_scores",
    "rand_index",
    "read_audit",
    "scan",
    "since_baseline",
    "skin",
    "tradeoff",
    "transfer",
]


def __getattr__(name: str) -> Any:
    if name == "skin":
        return import_module("fairgroups.skin")
    if name not in _HOME:
        raise AttributeError(f"module 'fairgroups' has no attribute {name!r}")
    value = getattr(import_module(f"fairgroups.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
