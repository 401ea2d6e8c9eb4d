import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from fairgroups import OutputError, audit, make_synthetic
from fairgroups.cli import app


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    data = make_synthetic(4000, seed=1)
    path = tmp_path_factory.mktemp("data") / "people.csv"
    frame = pd.DataFrame({"age": data.sensitive, "hired": data.outcome, "label": np.where(data.outcome, "yes", "no")})
    frame.to_csv(path, index=False)
    return path


def call(*arguments):
    """Run the real program, as a shell would."""
    return subprocess.run(
        [sys.executable, "-m", "fairgroups.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
    )


def test_audit_prints_a_conclusion_and_a_table_and_writes_files(table, tmp_path):
    out, data = tmp_path / "audit.html", tmp_path / "audit.json"
    done = call("audit", table, "--sensitive", "age", "--outcome", "hired", "--out", out, "--json", data)
    assert done.returncode == 0, done.stderr
    assert "People whose age is under" in done.stdout
    assert "have a lower positive rate for hired" in done.stdout
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert len(json.loads(data.read_text(encoding="utf-8"))["records"]) == 5


def test_quiet_still_says_what_nobody_should_miss(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.random(1000), "grade": rng.integers(1, 6, 1000)})
    frame.loc[:199, "x"] = np.nan
    frame.to_csv(tmp_path / "rows.csv", index=False)
    done = call("audit", tmp_path / "rows.csv", "-s", "x", "-o", "grade", "--missing", "drop", "-q", "--no-checks")
    assert done.returncode == 0, done.stderr
    assert "200 rows (20%) were left out because values are missing." in done.stdout
    assert "averaged as amounts" in done.stdout


def test_second_opinions_come_after_the_table(tmp_path):
    rng = np.random.default_rng(0)
    x = np.repeat(rng.random(900), 3)
    frame = pd.DataFrame(
        {"x": x, "who": np.repeat(np.arange(900), 3), "label": rng.random(2700) < 0.3 + 0.3 * (x > 0.5)}
    )
    frame["model"] = frame["label"] ^ (rng.random(2700) < 0.1)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    done = call("audit", tmp_path / "rows.csv", "-s", "x", "-o", "model", "--truth", "label", "--cluster", "who")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.strip().splitlines()
    assert lines[0].startswith("People whose x is ")
    for said in ("Number of groups: 2", "Overall trend: ", "Monotonicity: ", "belong to 900 clusters"):
        assert any(said in line for line in lines[1:]), said
    quick = call("audit", tmp_path / "rows.csv", "-s", "x", "-o", "model", "--no-checks", "--n-groups", "3")
    assert "Permutation" not in quick.stdout
    odds = call(
        "audit", tmp_path / "rows.csv", "-s", "x", "-o", "model", "--truth", "label", "--measure", "equalized_odds"
    )
    assert "True positive rate: " in odds.stdout
    assert odds.stdout.count("verdict") == 2
    wrong = call("audit", tmp_path / "rows.csv", "-s", "x", "-o", "model", "--n-groups", "many")
    assert wrong.returncode == 2
    assert "--n-groups must be a whole number or 'auto'" in wrong.stderr


@pytest.mark.parametrize(("limit", "code"), [("0.9", 0), ("0.1", 1), ("0.36", 3)])
def test_exit_codes(table, limit, code):
    done = call("audit", table, "-s", "age", "-o", "hired", "--max-gap", limit, "-q", "--n-groups", "3")
    assert done.returncode == code, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv", "-s", "age", "-o", "hired"], "there is no file"),
        (["TABLE", "-s", "aeg", "-o", "hired"], "did you mean 'age'"),
        (["TABLE", "-s", "age", "-o", "label", "--positive", "maybe"], "no label of"),
        (["TABLE", "-s", "age", "-o", "hired", "--partition", "a,b"], "--partition must be numbers"),
        (["TABLE", "-s", "age", "-o", "hired", "--min-group-size", "some"], "--min-group-size must be"),
        (["TABLE", "-s", "age", "-o", "hired", "--out", "/dev/null/such/x.html"], "nothing can be written into"),
        (["TABLE", "-s", "age", "-o", "hired", "--out", "/proc/x.html"], "cannot write '/proc/x.html'"),
        (["TABLE", "-s", "age"], "--outcome"),
        (["TABLE", "-s", "label", "-o", "hired", "--partition", "3"], "is a category"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_why(table, arguments, message):
    done = call("audit", *[str(table) if a == "TABLE" else a for a in arguments])
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_options_reach_the_audit(table, tmp_path):
    data = tmp_path / "a.json"
    done = CliRunner().invoke(
        app,
        ["audit", str(table), "-s", "age", "-o", "label", "--positive", "yes", "--partition", "25,45", "--unfavourable"]
        + ["--level", "0.9", "--relevant-gap", "0.1", "--json", str(data), "--inference", "plugin"],
    )
    assert done.exit_code == 0, done.output
    found = json.loads(data.read_text(encoding="utf-8"))
    assert [g["label"] for g in found["records"]] == ["age under 25", "age 25 to under 45", "age 45 or over"]
    assert found["records"][0]["verdict"] == "advantaged"
    assert (found["settings"]["level"], found["settings"]["relevant_gap"]) == (0.9, 0.1)


def test_monotonic_and_size(table, tmp_path):
    data = tmp_path / "a.json"
    arguments = ["audit", str(table), "-s", "age", "-o", "hired", "--monotonic", "increasing", "--json", str(data)]
    assert CliRunner().invoke(app, [*arguments, "--min-group-size", "0.1"]).exit_code == 0
    sizes = [g["n"] for g in json.loads(data.read_text(encoding="utf-8"))["records"]]
    assert min(sizes) >= 400


def test_help_and_version():
    assert "audit" in call("--help").stdout
    assert "Exit codes" in call("audit", "--help").stdout
    assert call("--version").stdout.startswith("fairgroups 0.")


def test_any_locale(table):
    done = subprocess.run(
        [sys.executable, "-m", "fairgroups.cli", "audit", str(table), "-s", "age", "-o", "hired"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "LANG": "C"},
    )
    assert "−" in done.stdout.decode("utf-8")


def test_demo(tmp_path):
    out = tmp_path / "demo.html"
    done = call("demo", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "disadvantaged" in done.stdout
    assert str(out) in done.stdout
    assert out.stat().st_size > 20_000


def test_a_file_is_replaced_whole_or_not_at_all(table, tmp_path, monkeypatch):
    target = tmp_path / "audit.json"
    target.write_text("old")
    found = audit(table, sensitive="age", outcome="hired")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OutputError, match="cannot write .*disk full"):
        found.to_json(target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_reader_who_leaves_does_not_change_the_exit_code(table):
    """As in `fairgroups audit … | head`: 1 would say that a limit is exceeded."""
    command = [
        sys.executable,
        "-m",
        "fairgroups.cli",
        "audit",
        str(table),
        "-s",
        "age",
        "-o",
        "label",
        "--positive",
        "yes",
    ]
    for more, wanted in (([], 0), (["--max-gap", "0.9"], 0), (["--help"], 0)):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([*command, *more], stdout=writer, stderr=subprocess.PIPE, check=False)
        os.close(writer)
        assert done.returncode == wanted, done.stderr


def test_classes_named_in_advance(tmp_path):
    rng = np.random.default_rng(0)
    age, sex = rng.integers(20, 60, 3000), rng.choice(["f", "m"], 3000)
    hired = (rng.random(3000) < 0.5 - 0.2 * ((age >= 40) & (sex == "f"))).astype(int)
    path = tmp_path / "people.csv"
    path.write_text("age,sex,hired\n" + "\n".join(f"{a},{s},{h}" for a, s, h in zip(age, sex, hired, strict=True)))
    done = CliRunner().invoke(
        app,
        ["audit", str(path), "-s", "age", "-s", "sex", "-o", "hired", "--partition", "age=40", "--favourable", "-q"],
    )
    assert done.exit_code == 0, done.output
    assert "People whose age is 40 or over and whose sex is f are disadvantaged" in done.output
    alone = CliRunner().invoke(
        app,
        ["audit", str(path), "-s", "sex", "-o", "hired", "--unit", "applicants", "--label", "hired=Hired", "-q"]
        + ["--title", "Hiring", "--min-ratio", "0.99", "--markdown", str(tmp_path / "a.md")],
    )
    assert alone.exit_code == 1, alone.output
    assert "Applicants whose sex is f have a lower rate of hired" in alone.output
    assert (tmp_path / "a.md").read_text().startswith("# Hiring")
    wrong = CliRunner().invoke(app, ["audit", str(path), "-s", "age", "-s", "sex", "-o", "hired", "--partition", "40"])
    assert "of which column" in str(wrong.exception)


def test_a_baseline_of_another_attribute_is_told_first_and_ages_may_be_of_another_day(tmp_path):
    rng = np.random.default_rng(0)
    years = rng.integers(1940, 2004, 600)
    frame = pd.DataFrame({"dob": [f"{y}-05-01" for y in years], "ok": years > 1980, "pay": rng.random(600)})
    frame.to_csv(tmp_path / "p.csv", index=False)
    then, now = "age(dob, 2024-01-01)", "age(dob, 2025-01-01)"
    old = tmp_path / "old.json"
    asked = ("audit", tmp_path / "p.csv", "-o", "ok", "-q", "--no-checks", "--strict")
    assert call(*asked, "-s", then, "--json", old).returncode == 0
    done = call(*asked, "-s", now, "--baseline", old)
    assert done.returncode in (0, 1), done.stderr
    assert "baseline" in done.stdout
    done = call(*asked, "-s", "pay", "--baseline", old)
    assert done.returncode == 2
    assert "is of age(dob, 2024-01-01), and this audit of pay" in " ".join(done.stderr.split())
