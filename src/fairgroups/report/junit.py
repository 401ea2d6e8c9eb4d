"""Audits as JUnit XML, which continuous integration shows: one test for each group and limit."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairgroups.evidence.limit_verdict import limit_of_groups
from fairgroups.scans.conclusion import limit_lines
from fairgroups.words import clean, points, size

if TYPE_CHECKING:
    from fairgroups.audits.records import Change
    from fairgroups.audits.result import Audit, JointAudit
    from fairgroups.scans.result import Scan

__all__ = ["Outcome", "audit_tests", "error_test", "render_junit", "scan_tests"]

Outcome = tuple[str, str, str, str]  # suite, test, "passed", "failure", "skipped" or "error", what is to be said


def audit_tests(name: str, audit: Audit | JointAudit, changed: Sequence[Change]) -> list[Outcome]:
    """List the tests of an audit: the limit for every group and for all, and no worsening since the baseline.

    Without a limit and a baseline nothing is demanded: groups that differ, or cannot be judged, are skipped tests.
    """
    tests: list[Outcome] = []
    for part in audit.parts:
        percent = part.data.percent
        limit = next((one.value for one in part.limits if one.name == "max_gap"), None)
        for record in part.records:
            ends = f"{points(record.low, percent=percent)} to {points(record.high, percent=percent)}"
            said = f"difference {points(record.phi, percent=percent)} ({ends}): {record.verdict}"
            what = f"{record.label}: {part.measure.rate}"
            if record.alone:  # everybody: nothing is compared
                continue
            if limit is not None:
                kept = limit_of_groups(np.array([record.low]), np.array([record.high]), limit)
                state = {"kept": "passed", "exceeded": "failure"}.get(kept, "skipped")
                tests.append((name, f"{what} within {size(limit, percent=percent)}", state, said))
            elif not changed and not part.limits:
                fine = record.verdict in ("no relevant difference", "no difference found", "reference")
                tests.append((name, f"{what} (no limit set)", "passed" if fine else "skipped", said))
        for one in part.limits:
            state = {"kept": "passed", "exceeded": "failure"}.get(one.verdict, "skipped")
            what = f"{part.measure.rate}: {one.name} {one.value:g} for all groups and ranges"
            tests.append((name, what, state, f"{one.verdict}. {part.conclusion}"))
    tests.append(
        (name, "the finding", "passed" if audit.verdict == "no difference found" else "skipped", audit.conclusion)
    )
    percent = audit.data.percent
    for change in changed:
        state = {"worse": "failure", "not comparable": "skipped"}.get(change.verdict, "passed")
        ends = f"{points(change.low, percent=percent)} to {points(change.high, percent=percent)}"
        said = f"change to its harm {points(change.harm, percent=percent)} ({ends}): {change.verdict}"
        tests.append((name, f"{change.label}: not worse than the baseline", state, said))
    return tests


def scan_tests(name: str, scan: Scan) -> list[Outcome]:
    """List the tests of a scan: every limit, and without one each attribute that is shown to matter, skipped."""
    percent = scan.data.percent
    tests: list[Outcome] = []
    for one, told in zip(scan.limits, limit_lines(scan), strict=True):
        state = {"kept": "passed", "exceeded": "failure"}.get(one.verdict, "skipped")
        what = f"{one.name} {one.value:g} for all ranges and boxes"
        tests.append((name, what, state, f"{one.verdict}. {told} {scan.conclusion}"))
    for attribute in scan.attributes if not scan.limits else ():
        worst = attribute.worst
        ends = f"{points(worst.low, percent=percent)} to {points(worst.high, percent=percent)}"
        said = f"{worst.label}: {points(worst.phi, percent=percent)} ({ends}), {worst.verdict}"
        tests.append((name, f"{attribute.said} (no limit set)", "skipped", said))
    tests.append((name, "the finding", "skipped", scan.conclusion))
    return tests


def error_test(name: str, what: str, error: Exception) -> Outcome:
    """Tell of an audit, or a scan, that could not be made."""
    return (name, what, "error", str(error))


def render_junit(tests: Sequence[Outcome]) -> str:
    """Write tests as XML."""
    root = ET.Element("testsuites", name="fairgroups")
    for suite in dict.fromkeys(test[0] for test in tests):
        mine = [test for test in tests if test[0] == suite]
        counts = {kind: str(sum(test[2] == state for test in mine)) for kind, state in _COUNTED.items()}
        node = ET.SubElement(root, "testsuite", {"name": clean(suite), "tests": str(len(mine)), **counts})
        for _, test, state, said in mine:
            case = ET.SubElement(node, "testcase", name=clean(test), classname=clean(suite))
            if state != "passed":
                ET.SubElement(case, state, message=clean(" ".join(said.split())))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}
