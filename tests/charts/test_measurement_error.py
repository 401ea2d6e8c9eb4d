"""The picture of differences over the reliability of the measured values."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups import InputError
from fairgroups.charts.style import to_svg


def audit(**options):
    rng = np.random.default_rng(0)
    true = rng.normal(size=3000)
    table = {"tone": true + 0.5 * rng.normal(size=3000), "y": rng.random(3000) < np.where(true < -0.5, 0.2, 0.6)}
    return fg.audit(table, sensitive="tone", outcome="y", checks=False, n_groups=2, **options)


def test_a_line_for_each_group_and_a_mark_at_its_reliability():
    found = audit(reliability=0.8)
    drawn = found.plot("corrected").to_dict(validate=False)
    assert len(drawn["layer"]) == 4
    assert "tone under" in to_svg(found.plot("corrected"))


def test_without_error_there_is_none():
    with pytest.raises(InputError, match="no differences by true values"):
        audit().plot("corrected")
