"""What would have been shown, and when that is enough to say that there is no difference."""

import numpy as np
import pytest

import fairgroups as fg


@pytest.mark.parametrize("checks", [True, False])
def test_halves_never_say_that_there_is_no_difference(checks):
    """What a half would have found is not known, so nothing is ruled out; the band says so where it can."""
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 12, 2000), rng.integers(0, 12, 2000)
    table = {
        "c": np.array([f"c{i:02}" for i in first], dtype=object),
        "d": np.array([f"d{i:02}" for i in second], dtype=object),
        "ok": (rng.random(2000) < np.where(first < 6, 0.45, 0.35)).astype(int),
    }
    found = fg.audit(table, sensitive=["c", "d"], outcome="ok", n_groups=2, checks=checks)
    assert found.settings.inference == "crossfit"
    assert found.detectable == ()
    assert found.verdict != "no difference found"


def test_plenty_of_people_alike_are_no_difference():
    rng = np.random.default_rng(1)
    table = {"x": rng.integers(0, 40, 40_000), "ok": rng.random(40_000) < 0.3}
    found = fg.audit(table, sensitive="x", outcome="ok")
    assert found.verdict == "no difference found"
    assert found.detectable[-1].difference < 0.05
