import numpy as np
import pytest

from fairgroups.cells.cells import Cells
from fairgroups.evidence.band import Band
from fairgroups.evidence.limit_verdict import (
    limit_of_groups,
    limit_of_harm,
    limit_of_ratios,
    wide_ranges,
    worst_limit,
)


def test_the_limit_of_groups():
    low, high = np.array([-0.2, 0.01]), np.array([-0.1, 0.03])
    assert limit_of_groups(low, high, 0.05) == "exceeded"
    assert limit_of_groups(low, high, 0.1) == "not enough evidence"
    assert limit_of_groups(low, high, 0.2) == "kept"
    assert limit_of_groups(np.array([np.nan]), np.array([np.nan]), 0.2) == "not enough evidence"
    assert limit_of_groups(np.array([-0.01]), np.array([0.01]), 0.0) == "not enough evidence"


@pytest.mark.parametrize("direction", ["better", "worse"])
def test_advantages_are_no_harm(direction):
    """Of a rate that is better to have only being lower harms, of one that is worse only being higher."""
    low, high = np.array([0.1]), np.array([0.3])
    harmed = direction == "worse"
    assert limit_of_harm(low, high, direction, 0.05) == ("exceeded" if harmed else "kept")
    assert limit_of_harm(-high, -low, direction, 0.05) == ("kept" if harmed else "exceeded")


def test_ratios_count_whichever_rate_is_smaller():
    """Every ratio inside the interval keeps the limit, or none does, or it is not known."""
    rng = np.random.default_rng(0)
    for _ in range(500):
        low, high = np.sort(rng.uniform(0, 2.5, 2))
        least = rng.uniform(0.1, 0.95)
        inside = np.linspace(low, high, 2001)
        smaller = np.minimum(inside, 1 / np.maximum(inside, 1e-12))
        keeps = smaller >= least
        if np.abs(smaller - least).min() < 2e-3:
            continue  # at the very edge
        wanted = "kept" if keeps.all() else "exceeded" if not keeps.any() else "not enough evidence"
        assert limit_of_ratios(np.array([low]), np.array([high]), least) == wanted


def test_wide_ranges_hold_a_tenth_of_the_people():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 20, 2000)
    band = Band(Cells.from_arrays(x, rng.integers(0, 2, 2000)), "statistical_parity")
    bounds = wide_ranges(band)
    assert bounds is not None
    people = [len(x[(x >= a) & (x <= b)]) for a in range(20) for b in range(a, 20)]
    assert len(bounds.low) <= sum(p >= 200 for p in people)


def test_the_worst_answer_counts():
    assert worst_limit(["kept", None, "exceeded", "not enough evidence"]) == "exceeded"
    assert worst_limit(["kept", "not enough evidence"]) == "not enough evidence"
    assert worst_limit([None]) is None
