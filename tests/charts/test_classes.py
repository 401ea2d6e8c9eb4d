import numpy as np

import fairgroups as fg
from fairgroups.charts.classes import class_chart
from fairgroups.charts.style import VERDICT_COLOURS, to_svg


def test_each_class_is_drawn_in_the_colour_of_its_verdict():
    rng = np.random.default_rng(0)
    sex = np.array(["women", "men"])[rng.integers(0, 2, 2000)]
    table = {"sex": sex, "hired": (rng.random(2000) < np.where(sex == "women", 0.2, 0.5)).astype(float)}
    found = fg.audit(table, sensitive="sex", outcome="hired", favourable=True)
    svg = to_svg(class_chart(found))
    assert "sex women" in svg
    assert VERDICT_COLOURS["disadvantaged"].lower() in svg.lower()
    assert to_svg(found.plot()).startswith("<svg")
    page = found.to_html()
    assert "sex women" in page
