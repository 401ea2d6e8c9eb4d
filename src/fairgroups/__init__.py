"""fairgroups: who is treated differently when the sensitive attribute is a number.

Public names load on first use, so that ``import fairgroups`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from fairgroups.audits.audit import audit
    from fairgroups.audits.baseline import Baseline, Change, changes
    from fairgroups.audits.compare import drift, transfer
    from fairgroups.audits.result import Audit
    from fairgroups.cells.cells import Cells
    from fairgroups.datasets.adult import load_adult, make_synthetic
    from fairgroups.errors import ColumnError, FairGroupsError, InputError, MissingValuesError, OutputError, SchemaError
    from fairgroups.evidence.agreement import adjusted_rand_index, rand_index
    from fairgroups.evidence.band import Band
    from fairgroups.evidence.rates import group_rates
    from fairgroups.grouping.fair_groups import FairGroups, FairKMeans, FixedGroups
    from fairgroups.measures import EQUALIZED_ODDS, MEASURES, JointMeasure, Measure
    from fairgroups.partition.boxes import BoxPartition, Levels
    from fairgroups.partition.partition import Interval, Partition
    from fairgroups.repair.dependence import correlation_ratio, gedi, hgr
    from fairgroups.repair.fair_classifier import FairClassifier
    from fairgroups.repair.score_repair import ScoreRepair
    from fairgroups.repair.tradeoff import Tradeoff, tradeoff
    from fairgroups.sources.source import Source

_HOME = {
    "Audit": "audits.result",
    "audit": "audits.audit",
    "Baseline": "audits.baseline",
    "Change": "audits.baseline",
    "changes": "audits.baseline",
    "BoxPartition": "partition.boxes",
    "Levels": "partition.boxes",
    "Cells": "cells.cells",
    "drift": "audits.compare",
    "transfer": "audits.compare",
    "load_adult": "datasets.adult",
    "make_synthetic": "datasets.adult",
    "ColumnError": "errors",
    "FairGroupsError": "errors",
    "InputError": "errors",
    "MissingValuesError": "errors",
    "OutputError": "errors",
    "SchemaError": "errors",
    "adjusted_rand_index": "evidence.agreement",
    "rand_index": "evidence.agreement",
    "Band": "evidence.band",
    "group_rates": "evidence.rates",
    "FairGroups": "grouping.fair_groups",
    "FairKMeans": "grouping.fair_groups",
    "FixedGroups": "grouping.fair_groups",
    "EQUALIZED_ODDS": "measures",
    "JointMeasure": "measures",
    "MEASURES": "measures",
    "Measure": "measures",
    "Interval": "partition.partition",
    "Partition": "partition.partition",
    "FairClassifier": "repair.fair_classifier",
    "correlation_ratio": "repair.dependence",
    "gedi": "repair.dependence",
    "hgr": "repair.dependence",
    "ScoreRepair": "repair.score_repair",
    "Source": "sources.source",
    "Tradeoff": "repair.tradeoff",
    "tradeoff": "repair.tradeoff",
}

__all__ = [
    "EQUALIZED_ODDS",
    "MEASURES",
    "Audit",
    "Band",
    "Baseline",
    "BoxPartition",
    "Cells",
    "Change",
    "ColumnError",
    "FairClassifier",
    "FairGroups",
    "FairGroupsError",
    "FairKMeans",
    "FixedGroups",
    "InputError",
    "Interval",
    "JointMeasure",
    "Levels",
    "Measure",
    "MissingValuesError",
    "OutputError",
    "Partition",
    "SchemaError",
    "ScoreRepair",
    "Source",
    "Tradeoff",
    "__version__",
    "adjusted_rand_index",
    "audit",
    "changes",
    "correlation_ratio",
    "drift",
    "gedi",
    "group_rates",
    "hgr",
    "load_adult",
    "make_synthetic",
    "rand_index",
    "tradeoff",
    "transfer",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'fairgroups' has no attribute {name!r}")
    value = getattr(import_module(f"fairgroups.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
