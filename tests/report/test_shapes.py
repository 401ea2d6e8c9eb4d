"""An audit as Markdown, CSV, charts, a card, tests."""

import csv
import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from fairgroups import InputError, audit, make_synthetic
from fairgroups.report.junit import audit_tests, error_test, render_junit

DATA = make_synthetic(4000, seed=2)
HOSTILE = '=cmd|"a" <b>&`x` *y* [z](w)\n'


@pytest.fixture(scope="module")
def found():
    return audit({"tone": DATA.sensitive, "approved": DATA.outcome}, sensitive="tone", outcome="approved", max_gap=0.1)


@pytest.fixture(scope="module")
def odd():
    table = {HOSTILE: DATA.sensitive, "y" + HOSTILE: DATA.outcome}
    return audit(table, sensitive=HOSTILE, outcome="y" + HOSTILE, n_groups=2, checks=False)


def test_markdown(found, odd, tmp_path):
    text = found.to_markdown(tmp_path / "card.md")
    assert (tmp_path / "card.md").read_text(encoding="utf-8") == text
    assert text.startswith("# Fairness audit of approved by tone\n")
    assert text.count("\n| ") == len(found.records) + 1
    assert "What cannot be concluded" in text
    assert "shown to be exceeded" in text
    told = odd.to_markdown().split("```")[0]
    assert "<b>" not in told
    assert r"\|" in told
    assert all(line.count("|") - line.count(r"\|") == 7 for line in told.splitlines() if line.startswith("| "))


def test_csv(found, odd, tmp_path):
    rows = list(csv.DictReader(io.StringIO(found.to_csv(tmp_path / "groups.csv"))))
    assert [float(row["phi"]) for row in rows] == [r.phi for r in found.records]
    assert {row["measure"] for row in rows} == {"statistical_parity"}
    assert next(csv.DictReader(io.StringIO(odd.to_csv())))["label"].startswith("'=cmd")


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_charts(found, tmp_path, kind):
    files = found.save_charts(tmp_path / "new" / "charts", kind)
    assert {file.stem for file in files} >= {"rate-statistical_parity", "people", "number-of-groups", "borders"}
    begins = {"svg": b"<svg", "png": b"\x89PNG"}[kind]
    assert all(file.read_bytes().startswith(begins) for file in files)


def test_charts_go_into_a_folder(found, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="not a folder"):
        found.save_charts(tmp_path / "file")
    with pytest.raises(InputError, match="'svg' or 'png'"):
        found.save_charts(tmp_path, "gif")


def test_a_card_for_notebooks(found, odd):
    text = found._repr_html_()
    assert found.records[0].verdict in text
    assert "<script" not in text
    assert len(text) < 20_000
    assert "<b>" not in odd._repr_html_()


def test_junit(found, odd):
    text = render_junit(
        [
            *audit_tests("one", found, []),
            *audit_tests("two\x00", odd, []),
            error_test("three", "the scan", InputError("no")),
        ]
    )
    root = ET.fromstring(text)
    assert [suite.get("name") for suite in root] == ["one", "two\ufffd", "three"]
    one, two, three = root
    assert int(one.get("tests")) == len(found.records) + 2  # the limit and the finding
    assert int(one.get("failures")) >= 2
    assert [case.get("name").split(":")[-1] for case in two] == [" positive rate (no limit set)"] * 2 + ["the finding"]
    assert int(two.get("skipped")) == 3
    assert three[0][0].tag == "error"


def test_everybody_is_no_test():
    rng = np.random.default_rng(1)
    alone = audit({"x": rng.random(3000), "y": rng.random(3000) < 0.4}, sensitive="x", outcome="y", checks=False)
    assert len(alone.records) == 1
    assert [(what, state) for _, what, state, _ in audit_tests("a", alone, ())] == [
        ("the finding", "passed" if alone.verdict == "no difference found" else "skipped")
    ]


def test_equalized_odds_have_every_shape():
    rng = np.random.default_rng(0)
    table = {"x": rng.random(2000), "y": rng.integers(0, 2, 2000), "t": rng.integers(0, 2, 2000)}
    both = audit(table, sensitive="x", outcome="y", truth="t", measure="equalized_odds", n_groups=2, checks=False)
    assert both.to_markdown().count("## ") >= 4
    assert {row["measure"] for row in csv.DictReader(io.StringIO(both.to_csv()))} == {
        "equal_opportunity",
        "predictive_equality",
    }
    assert both._repr_html_()
