"""The page of a scan."""

import re

import numpy as np

import fairgroups as fg
from fairgroups.report.scan_page import checks_said


def made(**more):
    rng = np.random.default_rng(0)
    n = 1500
    table = {
        "age": rng.integers(18, 80, n),
        "row": np.arange(n),
        "</script><script>alert(1)</script>": rng.normal(size=n),
    }
    table["hired"] = rng.random(n) < 0.4 - 0.2 * (table["age"] > 60)
    return fg.scan(table | more, outcome="hired")


def test_the_page_holds_what_matters_and_nothing_runs():
    found = made()
    page = found.to_html()
    assert found.conclusion.split(".")[0] in page.replace("&#39;", "'")
    assert "<script" not in page
    assert "http://" not in re.sub(r"http://www.w3.org/\S+", "", page)
    assert page.count('<details class="attribute">') == len(found.attributes)
    assert "numbers the rows" in page


def test_every_column_that_was_not_taken_as_it_is_is_told():
    lines = checks_said(made(empty=np.full(1500, np.nan)))
    assert [line.split(":")[0] for line in lines] == ["row", "empty"]


def test_the_page_without_a_finding():
    rng = np.random.default_rng(1)
    page = fg.scan({"x": rng.normal(size=300), "y": rng.random(300) < 0.5}, outcome="y").to_html()
    assert "None is shown to be related to y." in page
    assert "The short list" not in page
