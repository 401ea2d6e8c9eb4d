"""Records of a scan."""

import math

from fairgroups.partition.sides import Interval
from fairgroups.scans.records import Difference, ScannedAttribute


def test_an_attribute_that_is_not_shown_has_no_verdict():
    worst = Difference("Age under 30", (Interval(high=30.0),), 50, 0.1, 0.2, -0.1, -0.1, -0.15, -0.05, "lower")
    shown = ScannedAttribute(("age",), "Age", "number", worst, (), True, 0.01)
    assert worst.shown
    assert (shown.place, shown.verdict) == ("under 30", "lower")
    hidden = ScannedAttribute(("age", "sex"), "Age × sex", "number", worst, (), False, 0.2)
    assert (hidden.place, hidden.verdict) == ("Age under 30", "not enough evidence")
    assert math.isnan(hidden.detectable)
