"""Every type that a function of fairgroups returns, in one documented place."""

from __future__ import annotations

from fairgroups.audits.comparisons import InClasses, OverTime, Period, PeriodChange, PeriodGroup
from fairgroups.audits.drift import Drift, DriftRecord
from fairgroups.audits.measurement_error import Corrected, CorrectedGroup, IfReliability
from fairgroups.audits.rates import GroupRate, RateColumn
from fairgroups.audits.reasons import GroupReasons, Reasons
from fairgroups.audits.records import (
    Attribute,
    Bin,
    Change,
    DataFacts,
    Detectable,
    Finding,
    GroupRecord,
    Limit,
    RateName,
    Replication,
    Settings,
    SinceBaseline,
)
from fairgroups.audits.result import Audit, JointAudit
from fairgroups.audits.transfer import Transfer
from fairgroups.checks.amplification import Amplification, AmplificationRecord
from fairgroups.checks.monotonicity import Monotonicity, Violation
from fairgroups.checks.permutation import Permutation
from fairgroups.checks.run import Checks
from fairgroups.checks.stability import Cut, Stability
from fairgroups.datasets.synthetic import Synthetic
from fairgroups.evidence.added import Added
from fairgroups.evidence.band import RangeEvidence
from fairgroups.evidence.band_width import Quantiles
from fairgroups.evidence.bounds import Bounds
from fairgroups.evidence.curves import Stretch
from fairgroups.evidence.matched_band import MatchedBand
from fairgroups.evidence.plane import PlaneCell
from fairgroups.evidence.rates import GroupRates
from fairgroups.evidence.spread_of_groups import Spread
from fairgroups.evidence.trend import Trend
from fairgroups.grouping.number_of_groups import Selection, SelectionStep
from fairgroups.repair.dependence import Dependence
from fairgroups.repair.tradeoff import Tradeoff
from fairgroups.rows.strata import Factor
from fairgroups.scans.columns import ColumnCheck
from fairgroups.scans.records import CurvePart, Difference, ScanLimit, ScannedAttribute, Step
from fairgroups.scans.result import Scan, ScanFacts

__all__ = [
    "Added",
    "Amplification",
    "AmplificationRecord",
    "Attribute",
    "Audit",
    "Bin",
    "Bounds",
    "Change",
    "Checks",
    "ColumnCheck",
    "Corrected",
    "CorrectedGroup",
    "CurvePart",
    "Cut",
    "DataFacts",
    "Dependence",
    "Detectable",
    "Difference",
    "Drift",
    "DriftRecord",
    "Factor",
    "Finding",
    "GroupRate",
    "GroupRates",
    "GroupReasons",
    "GroupRecord",
    "IfReliability",
    "InClasses",
    "JointAudit",
    "Limit",
    "MatchedBand",
    "Monotonicity",
    "OverTime",
    "Period",
    "PeriodChange",
    "PeriodGroup",
    "Permutation",
    "PlaneCell",
    "Quantiles",
    "RangeEvidence",
    "RateColumn",
    "RateName",
    "Reasons",
    "Replication",
    "Scan",
    "ScanFacts",
    "ScanLimit",
    "ScannedAttribute",
    "Selection",
    "SelectionStep",
    "Settings",
    "SinceBaseline",
    "Spread",
    "Stability",
    "Step",
    "Stretch",
    "Synthetic",
    "Tradeoff",
    "Transfer",
    "Trend",
    "Violation",
]
