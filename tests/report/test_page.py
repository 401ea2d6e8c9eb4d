import html.parser

import numpy as np
import pytest

from fairgroups import Partition, audit, make_synthetic

HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(1)> "quoted" \u202e 🎉 {{ 7*7 }}'
DATA = make_synthetic(3000, seed=1)


class Tags(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found, self.attributes, self.text = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data)


def page(table, sensitive="tone", outcome="approved", **options):
    return audit(table, sensitive=sensitive, outcome=outcome, **options).to_html()


def test_the_page_tells_the_story():
    text = "".join(Tags(page({"tone": DATA.sensitive, "approved": DATA.outcome}, max_gap=0.2)).text)
    assert "Fairness audit of approved by tone" in text
    assert "disadvantaged" in text
    assert "The groups were found by searching these same rows" in text
    assert "shown to be exceeded" in text
    assert "This is not a finding of fairness" in text


@pytest.mark.parametrize("letter", ["\x00", "\x01", "\x1b", "\n", "\r", "\u2028", "\ufffe"])
def test_control_characters_do_no_harm(letter):
    name = f"a{letter}b"
    assert "<svg" in page({name: DATA.sensitive, "y": DATA.outcome}, name, "y")


def test_nothing_in_the_data_can_act():
    text = page({HOSTILE: DATA.sensitive, "a" + HOSTILE: DATA.outcome}, HOSTILE, "a" + HOSTILE)
    tags = Tags(text)
    assert tags.found.count("script") == 5  # the data and our own four
    assert "img" not in tags.found
    assert not [name for name, _ in tags.attributes if name.startswith("on")]
    assert not [value for name, value in tags.attributes if name in ("src", "href") and value[:1] != "#"]
    assert "default-src 'none'" in text
    assert "{{ 7*7 }}" in "".join(tags.text)


@pytest.mark.parametrize(
    "table",
    [
        {"tone": [1.0], "approved": [1]},
        {"tone": np.arange(50.0), "approved": np.ones(50)},
        {"tone": np.arange(200.0), "approved": np.arange(200.0) ** 2},
        {"tone": np.ones(20), "approved": np.tile([0, 1], 10)},
    ],
)
def test_odd_data_makes_a_page(table):
    assert page(table).count("<svg") >= 2


def test_many_groups_and_empty_groups():
    table = {"tone": DATA.sensitive, "approved": DATA.outcome}
    many = Partition.from_edges(np.linspace(2.5, 97.5, 39), name="tone")
    assert page(table, partition=many).count("<tr><td") == 40
    assert "not enough evidence" in page(table, partition=Partition.from_edges([1000], name="tone"))


def test_equalized_odds_show_both_rates():
    rng = np.random.default_rng(0)
    x, truth = rng.random(3000), rng.integers(0, 2, 3000)
    table = {"x": x, "y": rng.random(3000) < np.where(x < 0.4, 0.3, 0.6), "t": truth}
    found = audit(table, sensitive="x", outcome="y", truth="t", measure="equalized_odds").to_html()
    assert found.count("<table>") == 2
    assert "<h3>True positive rate</h3>" in found
    assert "<h3>False positive rate</h3>" in found


def test_other_measures_see_outcomes_as_they_are():
    rng = np.random.default_rng(0)
    score, truth = rng.normal(50, 5, 2000), rng.normal(48, 5, 2000)
    found = audit(
        {"x": rng.random(2000), "s": score, "t": truth},
        sensitive="x",
        outcome="s",
        truth="t",
        checks=False,
        explore=True,
    )
    overall = {one["name"]: one["overall"] for one in found.explored["measures"]}
    assert overall["mean"] == pytest.approx(score.mean())
    assert overall["calibration"] == pytest.approx(truth.mean() - score.mean())
