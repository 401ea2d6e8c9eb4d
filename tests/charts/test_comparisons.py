import numpy as np
import pytest

import fairgroups as fg
from fairgroups.charts.style import to_svg

RNG = np.random.default_rng(0)
TABLE = {"age": RNG.integers(18, 80, 2000), "t": RNG.integers(0, 3, 2000), "ok": RNG.integers(0, 2, 2000)}


def test_every_group_and_period_is_drawn():
    found = fg.audit(TABLE, sensitive="age", outcome="ok", partition=[40], by="t", checks=False)
    told = fg.since_baseline(found, found, fg.compare_to_baseline(found, found))
    for word in ("since", "over_time"):
        drawn = to_svg(told.plot(word), 330)
        assert all(record.label in drawn for record in found.records)
        assert 'width="3' in drawn


def test_what_is_not_there_is_said():
    found = fg.audit(TABLE, sensitive="age", outcome="ok", checks=False)
    for word in ("since", "over_time"):
        with pytest.raises(fg.InputError):
            found.plot(word)
