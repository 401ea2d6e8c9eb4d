"""Pages of hostile and odd data: right, and nothing in them acts."""

import re

import numpy as np
import pytest

from fairgroups import audit, make_synthetic

HOSTILE = '{{ 7*7 }}</script><script>window.pwned=1</script><img src=x onerror="window.pwned=1"> "q" \u202e 🎉 ${7*7}'
DATA = make_synthetic(3000, seed=1)
LONG = "an attribute with a long name " * 333


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("name", [HOSTILE, LONG, "العمر\u200f", "\u2028", "__proto__", "constructor"])
def test_names_do_nothing(open_page, name, several):
    table = {
        name: DATA.sensitive,
        "a" + name: DATA.outcome,
        "k" + name: np.where(DATA.sensitive > 40, name, "b" + name),
    }
    sensitive = [name, "k" + name] if several else name
    more = {"n_cells": 8} if several else {"scales": {name: [30]}}
    result = audit(table, sensitive=sensitive, outcome="a" + name, n_groups=3, checks=not several, **more)
    with open_page(result, command=f"fairgroups audit {name}") as opened:
        page = opened.page
        assert opened.complaints == []
        assert page.evaluate("window.pwned") is None
        assert page.locator("img").count() == 0
        assert page.locator("#now-groups tr").count() == 3
        if name == HOSTILE:
            assert "{{ 7*7 }}" in page.locator("h1").text_content()
        if name == LONG:
            assert len(page.locator("h1").text_content()) < 300
    assert len(result.to_html()) < 1_500_000
    assert "\u202e" not in result.to_html()


ODD = {
    "one row": ({"x": [1.0], "y": [1]}, {}),
    "two rows": ({"x": [1.0, 2.0], "y": [0, 1]}, {}),
    "a single class": ({"x": np.arange(50.0), "y": np.ones(50)}, {}),
    "one value": ({"x": np.ones(20), "y": np.tile([0, 1], 10)}, {}),
    "one group": ({"x": DATA.sensitive, "y": DATA.outcome}, {"n_groups": 1}),
    "forty groups": ({"x": DATA.sensitive, "y": DATA.outcome}, {"partition": list(np.linspace(2.5, 97.5, 39))}),
    "a group of nobody": ({"x": DATA.sensitive, "y": DATA.outcome}, {"partition": [1000.0]}),
    "missing values": (
        {"x": np.where(np.arange(3000) % 7, DATA.sensitive, np.nan), "y": DATA.outcome},
        {"missing": "group"},
    ),
    "amounts": ({"x": np.arange(300.0), "y": np.arange(300.0) ** 2}, {}),
    "far values": ({"x": np.append(DATA.sensitive, 1e12), "y": np.append(DATA.outcome, 1)}, {}),
    "dates as numbers": ({"x": 20_000_000 + np.arange(3000) % 31, "y": DATA.outcome}, {}),
    "times": ({"x": 1.7e12 + np.arange(3000), "y": DATA.outcome}, {}),
    "crossfit": ({"x": DATA.sensitive, "y": DATA.outcome}, {"inference": "crossfit"}),
    "plugin": ({"x": DATA.sensitive, "y": DATA.outcome}, {"inference": "plugin"}),
    "monotonic": ({"x": DATA.sensitive, "y": DATA.outcome}, {"monotonic": "increasing"}),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_data(open_page, name):
    table, options = ODD[name]
    result = audit(table, sensitive="x", outcome="y", **options)
    with open_page(result, width=700) as opened:
        page = opened.page
        assert opened.complaints == []
        assert page.locator("#now-groups tr").count() == len(result.records)
        first = page.locator("#now-groups tr").first.locator("td").nth(1).text_content()
        assert int(re.sub(r"\D", "", first.split("of")[-1])) == result.records[0].n
        for value in ("0", "1"):
            page.locator("#from").fill(value)
            page.locator("#to").fill("60")
        for index in range(page.locator("#method option").count()):
            page.locator("#method").select_option(index=index)
        assert opened.complaints == []


def test_three_attributes_have_no_explorer(open_page):
    rng = np.random.default_rng(0)
    table = {**{name: rng.random(400) for name in "abc"}, "y": rng.integers(0, 2, 400)}
    result = audit(table, sensitive=list("abc"), outcome="y", n_groups=2, n_cells=4, checks=False)
    with open_page(result, ready=False) as opened:
        assert opened.complaints == []
        assert opened.page.locator("#explore").count() == 0
        assert opened.page.locator("svg").count() >= 2


def test_nobody_alone_can_be_asked_for(open_page):
    rng = np.random.default_rng(0)
    table = {"x": np.append(rng.integers(20, 60, 500), 96), "y": rng.integers(0, 2, 501)}
    with open_page(audit(table, sensitive="x", outcome="y", checks=False)) as opened:
        opened.page.locator("#from").fill("90")
        opened.page.locator("#to").fill("100")
        told = opened.page.locator("#picked").text_content()
        assert "1 person" not in told
        assert "the closest range around yours" in told
        sizes = opened.page.evaluate(
            "JSON.parse(document.getElementById('explorer-data').textContent).measures[0].band.sums.n"
        )
        assert min(sizes) >= 10


def test_intervals_of_another_kind_are_the_audits_own(open_page):
    result = audit(
        {"x": DATA.sensitive, "y": DATA.outcome}, sensitive="x", outcome="y", inference="plugin", checks=False
    )
    with open_page(result) as opened:
        shown = opened.page.locator("#now-groups tr").first.locator("td").nth(4).text_content()
        table = opened.page.locator("table").first.locator("tbody tr").first.locator("td").nth(4).text_content()
        assert shown == table
        assert opened.page.locator("#method option").first.text_content() == "This audit's groups"


def test_without_scripts_the_pictures_stand_still(browser, tmp_path):
    result = audit({"x": DATA.sensitive, "y": DATA.outcome}, sensitive="x", outcome="y", checks=False)
    result.to_html(tmp_path / "audit.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "audit.html").as_uri())
    assert page.locator(".still svg").first.is_visible()
    assert page.locator("#explore").is_hidden()
    assert page.locator("#to-explore").is_hidden()
    context.close()
