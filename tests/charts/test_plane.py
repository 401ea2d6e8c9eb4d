import numpy as np
import pandas as pd
import pytest

from fairgroups import Interval, Partition, audit
from fairgroups.charts.plane import plane_chart, side_by_side
from fairgroups.charts.style import to_svg


def table(n=3000):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"L": rng.normal(60, 10, n), "h": rng.normal(55, 8, n), "b": rng.random(n)})
    frame["sex"] = rng.choice(["f", "m"], n)
    frame["ok"] = rng.random(n) < np.where((frame.L < 55) & (frame.h < 60), 0.2, 0.7)
    return frame


def boxes_of(chart):
    spec = chart.to_dict()
    planes = spec.get("hconcat", [spec])
    return [[v for layer in p["layer"] for v in layer["data"]["values"] if "number" in v] for p in planes]


@pytest.mark.parametrize(
    ("columns", "n_planes"),
    [(["L", "h"], 1), (["L", "sex"], 1), (["sex", "L"], 1), (["L", "h", "b"], 3), (["L", "h", "sex"], 2)],
)
def test_planes_show_every_box(columns, n_planes):
    found = audit(table(), sensitive=columns, outcome="ok", n_groups=3)
    planes = boxes_of(plane_chart(found))
    assert len(planes) == n_planes
    assert {box["number"] for plane in planes for box in plane} == {"1", "2", "3"}
    svg = to_svg(plane_chart(found))
    assert all(name in svg for name in columns)
    assert "<svg" in found.to_html()


def test_two_partitions_side_by_side():
    frame = table()
    default = Partition.from_boxes(
        ("L", "h"),
        tuple((x, y) for x in (Interval(high=60), Interval(60)) for y in (Interval(high=55), Interval(55))),
    )
    one = audit(frame, sensitive=["L", "h"], outcome="ok", partition=default)
    two = audit(frame, sensitive=["L", "h"], outcome="ok", n_groups=4)
    svg = to_svg(side_by_side(one, two, ("Default", "FairGroups")))
    assert "Default" in svg
    assert "FairGroups" in svg
    assert two.variance > one.variance
