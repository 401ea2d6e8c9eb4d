"""What pages say of factors that were held equal."""

import numpy as np
import pytest

import fairgroups as fg
from fairgroups.report.reasons_section import CAUTION, held_equal, reasons_lines, reasons_table


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 6_000
    z, k = rng.normal(size=n), rng.integers(0, 4, n)
    age = np.round(40 + 6 * z + 2 * k + 9 * rng.normal(size=n))
    y = rng.random(n) < np.clip(0.3 + 0.1 * z + 0.05 * k - 0.15 * (age < 34), 0, 1)
    return {"age": age, "z": z, "<b>k</b>": k, "y": y}


def test_table_lines_and_caution(table):
    audit = fg.audit(table, sensitive="age", outcome="y", given=["z", "<b>k</b>"], favourable=True, checks=False)
    told = reasons_table(audit)
    assert len(told["rows"]) == len(audit.records)
    assert [len(row) for row in told["rows"]] == [len(told["heads"])] * len(told["rows"])
    lines = reasons_lines(audit)
    assert lines[-1] == CAUTION
    assert "bins of about equally many" in lines[0]
    assert "(4 values)" in lines[0]
    assert any("they would be" in line and "without z" in line for line in lines)
    page = audit.to_html()
    assert "<b>k</b>" not in page
    assert page.count("does not mean “justified”") == 1
    assert "Ratio to" not in page.split('<h2 id="how">')[0]
    markdown = audit.to_markdown()
    assert "| Group | Difference from everybody |" in markdown


def test_how_a_model_is_told(table):
    audit = fg.audit(table, sensitive="age", outcome="y", given=["z", "<b>k</b>"], how="model", checks=False)
    assert "scores of a cross-fitted model" in held_equal(audit.reasons)


def test_one_group_has_no_table(table):
    rng = np.random.default_rng(1)
    audit = fg.audit({**table, "y": rng.random(6_000) < 0.5}, sensitive="age", outcome="y", given="z", checks=False)
    assert reasons_table(audit) is None
    assert "at equal z" in audit.conclusion
    assert "At equal z" in audit.to_html()
    assert "Held equal" in audit.to_markdown()


def test_the_terminal_says_it(table, tmp_path, monkeypatch):
    import csv

    from typer.testing import CliRunner

    from fairgroups.cli import app

    path = tmp_path / "people.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "z", "k", "y"])
        columns = (table["age"], table["z"].round(2), table["<b>k</b>"], table["y"].astype(int))
        writer.writerows(zip(*columns, strict=True))
    monkeypatch.chdir(tmp_path)
    words = ["audit", "people.csv", "-s", "age", "-o", "y", "--given", "z", "--given", "k", "--favourable"]
    result = CliRunner().invoke(app, [*words, "--json", "a.json"])
    assert result.exit_code == 0, result.output
    assert "at equal z and k" in result.output.replace("\n", " ")
    assert "Held equal:" in result.output
    assert fg.read_audit(tmp_path / "a.json").reasons is not None
    bad = CliRunner().invoke(app, [*words, "--min-ratio", "0.8"])
    assert isinstance(bad.exception, fg.InputError)
    for more in (["--scales", "law=40"], ["--repair", "y", "--out", "a.html"]):
        assert "does not go with factors" in str(CliRunner().invoke(app, [*words, *more]).exception), more
