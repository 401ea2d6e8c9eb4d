import numpy as np

from fairgroups.evidence.verdict import verdicts


def judge(low, high, direction="better"):
    return verdicts(np.array([low]), np.array([high]), direction, 0.05)[0]


def test_the_rule():
    assert judge(-0.3, -0.1) == "disadvantaged"
    assert judge(0.1, 0.3) == "advantaged"
    assert judge(-0.04, 0.05) == "no relevant difference"
    assert judge(-0.04, 0.06) == "not enough evidence"
    assert judge(np.nan, np.nan) == "not enough evidence"
    assert judge(-0.02, -0.01) == "disadvantaged"


def test_directions():
    assert judge(0.1, 0.3, "worse") == "disadvantaged"
    assert judge(-0.3, -0.1, "worse") == "advantaged"
    assert judge(0.1, 0.3, "neutral") == "higher"
    assert judge(-0.3, -0.1, "neutral") == "lower"
