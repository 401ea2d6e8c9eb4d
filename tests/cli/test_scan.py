"""fairgroups scan, and scans in fairgroups.toml."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import fairgroups as fg
from fairgroups.cli import app


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.integers(18, 80, 1500), "team": rng.choice(["a", "b"], 1500)})
    table["hired"] = (rng.random(1500) < 0.4 - 0.25 * (table["age"] > 60)).astype(int)
    table.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_a_table_in_the_terminal_and_files(people, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)  # which may be that of the terminal in which tests run
    folder = people.parent
    outputs = ["--out", folder / "s.html", "--json", folder / "s.json", "--markdown", folder / "s.md"]
    done = run("scan", people, "--outcome", "hired", "--favourable", *outputs, "--csv", folder / "s.csv")
    assert done.exit_code == 0, done.output
    assert "1 of the 2 columns is shown to be related to hired" in done.output
    assert "disadvantaged" in done.output
    assert any(block in done.output for block in "▁▂▃▄▅▆▇█")
    assert json.loads((folder / "s.json").read_text())["schema"] == "fairgroups.scan"
    assert (folder / "s.html").read_text().startswith("<!doctype html>")
    again = run("report", folder / "s.json", "--out", folder / "again.html")
    assert again.exit_code == 0, again.output
    assert "1 of the 2 columns" in again.output
    assert (folder / "again.html").exists()


@pytest.mark.parametrize("columns", [60, 80, 100, 140, 200])
def test_tables_lose_nothing_however_little_room_there_is(people, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    scan = run("scan", people, "--outcome", "hired", "--unit", "applicants").output
    audit = run("audit", people, "--sensitive", "age", "--outcome", "hired").output
    found = fg.scan(pd.read_csv(people), outcome="hired")
    for word in (f"{found.attributes[0].worst.n:,}", "applicants", "lower", "interval", "verdict"):
        assert re.search(rf"(?<!\w){word}(?!\w)", scan), (columns, word)
    assert re.search(r"[+−][\d.]+ +to\s+[+−][\d.]+|[+−][\d.]+ to", scan)
    for text in (scan, audit):
        table = [line for line in text.splitlines() if re.search(r"\d\.\d%", line) and len(line) < 260]
        assert table
        assert not any(re.search(r"[+−]\d+\.(?!\d)", line) for line in table)


def test_exit_codes_follow_the_limit(people):
    assert run("scan", people, "-o", "hired", "--max-gap", "0.01", "-q").exit_code == 1
    assert run("scan", people, "-o", "hired", "--max-gap", "0.9", "-q").exit_code == 0
    assert run("scan", people, "-o", "hired", "--max-gap", "0.3", "-q").exit_code == 3


def test_wrong_input_is_told(people):
    from fairgroups.errors import InputError

    assert isinstance(run("scan", people, "-o", "hird").exception, InputError)
    assert isinstance(run("scan", people, "-o", "hired", "--out", people).exception, InputError)


def test_run_lists_scans(people):
    config = people.parent / "fairgroups.toml"
    config.write_text(
        '[defaults]\ndata = "people.csv"\noutcome = "hired"\nfavourable = true\nchecks = false\n'
        '[[audits]]\nname = "by age"\nsensitive = "age"\n'
        '[[scans]]\nname = "all"\npairs = "none"\nmax_gap = 0.01\nout = "all.html"\n',
        encoding="utf-8",
    )
    done = run("run", config, "--junit", people.parent / "t.xml")
    assert done.exit_code == 1, done.output
    assert "== all" in done.output
    assert "2 audit(s) and scan(s): " in done.output
    assert (people.parent / "all.html").exists()
    assert "max_gap 0.01 for all ranges and boxes" in (people.parent / "t.xml").read_text()
    assert run("run", config, "--only", "by age", "-q").exit_code == 0


def test_names_cannot_speak_to_the_terminal(tmp_path):
    rng = np.random.default_rng(0)
    evil = "\x1b[31mred\x1b]0;owned\x07"
    people = {evil: rng.integers(0, 50, 600), "sex": rng.choice(["f", "m\x1b[5m"], 600), "y": rng.integers(0, 2, 600)}
    people["y"] = (people[evil] > 25).astype(int) ^ (rng.random(600) < 0.2)
    people["one\x1b[33m"] = np.ones(600)
    pd.DataFrame(people).to_csv(tmp_path / "people.csv", index=False)
    for command in (["scan"], ["audit", "-s", "sex"]):
        name, *more = command
        found = CliRunner().invoke(app, [name, str(tmp_path / "people.csv"), *more, "--outcome", "y"])
        assert found.exit_code == 0, found.output
        assert "\x1b]" not in found.output
        assert "\x1b[3" not in found.output
        assert "\x1b[5" not in found.output
