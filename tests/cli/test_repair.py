import json
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from fairgroups import FairGroups, InputError, ScoreRepair
from fairgroups.cli import app, main


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 70, 3000)
    score = np.round(np.clip(rng.normal(0.1 + age / 100, 0.15), 0, 1), 3)
    return pd.DataFrame(
        {"id": [f"{i:05d}" for i in range(3000)], "age": age, "score": score, "hired": (rng.random(3000) < score) * 1,
         "note": ["=1+1, \"quoted\"\nü"] * 3000}
    )  # fmt: skip


@pytest.fixture
def table(people, tmp_path):
    people.to_csv(tmp_path / "people.csv", index=False)
    people.to_parquet(tmp_path / "people.parquet")
    return tmp_path / "people.csv"


BASIC = ("--score", "score", "--sensitive", "age", "--n-groups", "3")


def test_repair_writes_all_it_is_asked_for(table, people, tmp_path):
    out, model, page = tmp_path / "fair.parquet", tmp_path / "repair.json", tmp_path / "page.html"
    found = run("repair", table, *BASIC, "--truth", "hired", "--max-gap", "0.02", "--key", "id", "--out", out,
                "--model", model, "--html", page)  # fmt: skip
    assert found.exit_code == 0, found.output
    assert "groups of age differ by up to" in found.output
    fair = pd.read_parquet(out)
    repair = ScoreRepair.read(model)
    expected = repair.transform(people["score"], sensitive=people["age"], key=people["id"].to_numpy())
    assert (fair["fair_score"] == expected).all()
    text = page.read_text(encoding="utf-8")
    assert "Among people who took no part in learning it" in text
    assert text.count("<svg") == 6  # three pictures, each for a desk and for a telephone
    assert json.loads(model.read_text())["columns"]["key"] == "id"


def test_apply_copies_the_rest_as_it_is(table, people, tmp_path):
    model = tmp_path / "repair.json"
    assert run("repair", table, *BASIC, "--model", model, "-q").exit_code == 0
    for target in ("new.csv", "new.csv.gz", "new.tsv"):
        found = run("apply", model, table, "--out", tmp_path / target)
        assert found.exit_code == 0, found.output
        new = pd.read_csv(tmp_path / target, dtype=str, sep="\t" if "tsv" in target else ",")
        old = pd.read_csv(table, dtype=str)
        assert list(new.columns) == [*old.columns, "fair_score"]
        assert new[list(old.columns)].equals(old)
        expected = ScoreRepair.read(model).transform(people["score"], sensitive=people["age"])
        assert (new["fair_score"].astype(float) == expected).all()
    renamed = people.rename(columns={"score": "s", "age": 'a"ge'})
    renamed.to_parquet(tmp_path / "renamed.parquet")
    found = run("apply", model, tmp_path / "renamed.parquet", "--score", "s", "-s", 'a"ge', "--into", "x",
                "--out", tmp_path / "renamed.csv")  # fmt: skip
    assert found.exit_code == 0, found.output
    assert (pd.read_csv(tmp_path / "renamed.csv", dtype=str)["x"].astype(float) == expected).all()


def test_exact_geodesic_odds_and_borders(table):
    for options in (
        ("--n-groups", "exact"),
        ("--n-groups", "auto"),
        ("--relaxation", "geodesic", "--max-gap", "0.1"),
        ("--condition", "both", "--truth", "hired"),
        ("--partition", "30,50", "--cost", "w1"),
    ):
        found = run("repair", table, *BASIC, *options)
        assert found.exit_code == 0, found.output
        assert ("cannot be below" in found.output) == ("both" in options)


def hostile(arguments, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["fairgroups", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code, capsys.readouterr().err


def test_bad_input_says_what_to_do_and_leaves_files_alone(table, people, tmp_path, capsys, monkeypatch):
    model, out = tmp_path / "repair.json", tmp_path / "out.csv"
    run("repair", table, *BASIC, "--model", model, "-q")
    out.write_text("old")
    holes = people.astype({"score": object})
    holes.loc[3, "score"] = None
    holes.to_csv(tmp_path / "holes.csv", index=False)
    holes.loc[3, "score"] = "much"
    holes.to_csv(tmp_path / "words.csv", index=False)
    (tmp_path / "broken.json").write_text('{"schema": "fairgroups/repair", "schema_version": 1}')
    cases = [
        (("apply", model, tmp_path / "holes.csv", "--out", out), "1 row(s) can have no fair score: 1 with no score"),
        (("apply", model, tmp_path / "words.csv", "--out", out), "'score' must hold numbers; it holds 'much'"),
        (("apply", model, tmp_path / "none.csv", "--out", out), "there is no file"),
        (("apply", tmp_path / "none.json", table, "--out", out), "there is no file"),
        (("apply", tmp_path / "broken.json", table, "--out", out), "cannot be read"),
        (("apply", table, table, "--out", out), "not JSON"),
        (("apply", model, table, "--out", table), "would replace the file"),
        (("apply", model, table, "--out", tmp_path / "x.docx"), "cannot tell the format"),
        (("apply", model, table, "--out", "/dev/null/x.csv"), "nothing can be written into"),
        (("apply", model, table, "--score", "scor", "--out", out), "did you mean 'score'"),
        (("apply", model, table, "--into", "AGE", "--out", out), "has a column 'AGE' already"),
        (("repair", table, *BASIC, "--max-gap", "2"), "between 0 and 1"),
        (("repair", table, *BASIC, "--condition", "both"), "needs the true label"),
        (("repair", tmp_path / "holes.csv", *BASIC), "missing"),
        (("repair", table, *BASIC, "--cost", "w3"), "`cost` must be"),
    ]
    for arguments, message in cases:
        code, said = hostile(arguments, capsys, monkeypatch)
        assert code == 2, (arguments, said)
        assert message in said, (arguments, said)
        assert "Traceback" not in said
    assert out.read_text() == "old"
    assert not list(tmp_path.glob(".*.part"))
    kept = run("apply", model, tmp_path / "holes.csv", "--out", out, "--missing", "keep")
    assert kept.exit_code == 0
    assert "1 of them without a fair score" in kept.output
    assert pd.read_csv(out)["fair_score"].isna().sum() == 1


def test_a_big_file_is_judged_on_a_sample(table, monkeypatch):
    monkeypatch.setattr(sys.modules["fairgroups.cli.repair"], "MOST_ROWS", 1000)
    found = [run("repair", table, *BASIC).output for _ in range(2)]
    assert "rest on 1,000 of 3,000 rows, drawn at random" in found[0]
    assert found[0] == found[1]


def test_hostile_columns_and_categories(people, tmp_path):
    odd = people.assign(fairgroups_0=1, fairgroups_score=2, place=3, sex=np.where(people["age"] % 2, "m ", "f"))
    odd["flag"] = odd["age"] % 3 == 0
    for kind in ("csv", "parquet"):
        source = tmp_path / f"odd.{kind}"
        odd.to_csv(source, index=False) if kind == "csv" else odd.to_parquet(source)
        for attribute in (["age", "sex"], ["age", "flag"]):
            chosen = [part for name in attribute for part in ("-s", name)]
            found = run("repair", source, "--score", "score", *chosen, "--n-groups", "3", "--key", "id",
                        "--out", tmp_path / "fair.csv", "--model", tmp_path / "m.json")  # fmt: skip
            assert found.exit_code == 0, found.output
            fair = pd.read_csv(tmp_path / "fair.csv")
            repair = ScoreRepair.read(tmp_path / "m.json")
            expected = repair.transform(odd["score"], sensitive=odd[attribute], key=odd["id"].to_numpy())
            assert np.allclose(fair["fair_score"], expected, atol=0), (kind, attribute)
    found = run(
        "apply", tmp_path / "m.json", source, "-s", "age", "-s", "sex", "-s", "flag", "--out", tmp_path / "x.csv"
    )
    assert isinstance(found.exception, InputError)


def test_a_missing_key_is_no_key(people, tmp_path):
    short = people.assign(score=people["score"].round(1))
    short.loc[5, "id"] = ""
    short.to_csv(tmp_path / "short.csv", index=False)
    found = run("repair", tmp_path / "short.csv", *BASIC, "--key", "id")
    assert "key of row 5 is missing" in str(found.exception)
    assert run("repair", tmp_path / "short.csv", *BASIC, "--model", tmp_path / "m.json").exit_code == 0
    found = run("apply", tmp_path / "m.json", tmp_path / "short.csv", "--key", "id", "--out", tmp_path / "o.csv")
    assert "1 with no id" in str(found.exception)


def test_a_full_disk_leaves_the_old_file(people, tmp_path):
    """A limit on the size of files stands for a disk that is full."""
    people.to_csv(tmp_path / "people.csv", index=False)
    out, model = tmp_path / "out.csv", tmp_path / "m.json"
    assert run("repair", tmp_path / "people.csv", *BASIC, "--model", model, "-q").exit_code == 0
    out.write_text("old")
    limited = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)); "
        "sys.argv = ['fairgroups', *sys.argv[1:]]; from fairgroups.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, "apply", str(model), str(tmp_path / "people.csv"), "--out", str(out)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "cannot write 'out.csv'" in done.stderr
    assert out.read_text() == "old"
    assert not list(tmp_path.glob(".*.part"))


def test_a_kill_while_writing_leaves_the_old_file(people, tmp_path):
    many = pd.concat([people] * 100)
    many.to_parquet(tmp_path / "many.parquet")
    out, model = tmp_path / "out.csv", tmp_path / "m.json"
    people.to_csv(tmp_path / "people.csv", index=False)
    assert run("repair", tmp_path / "people.csv", *BASIC, "--model", model, "-q").exit_code == 0
    out.write_text("old")
    writing = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "fairgroups.cli",
            "apply",
            str(model),
            str(tmp_path / "many.parquet"),
            "--out",
            str(out),
        ],
        stdout=subprocess.DEVNULL,
    )
    while writing.poll() is None and not list(tmp_path.glob(".out.csv.*")):
        time.sleep(0.01)
    assert writing.poll() is None, "it was done too soon to be killed"
    writing.kill()
    writing.wait()
    assert out.read_text() == "old"


def test_people_with_the_same_score_are_told_apart_by_their_rows(tmp_path):
    """Deciles without a key: all else that the table tells of a person decides, the same in every format."""
    rng = np.random.default_rng(0)
    n = 3000
    age = rng.integers(18, 70, n)
    people = pd.DataFrame({"name": [f"p{i}" for i in range(n)], "age": age, "size": rng.normal(size=n).round(3)})
    people["decile"] = np.clip(np.round(rng.normal(8 - age / 12, 2)), 1, 10).astype(int)
    people.to_csv(tmp_path / "p.csv", index=False)
    people.to_parquet(tmp_path / "p.parquet")
    model = tmp_path / "m.json"
    found = run(
        "repair", tmp_path / "p.csv", "--score", "decile", "-s", "age", "--out", tmp_path / "a.csv", "--model", model
    )
    assert found.exit_code == 0, found.output
    assert "all else that the table tells of them" in " ".join(found.output.split())
    assert "More is left" not in found.output
    for source, target in (("p.csv", "b.parquet"), ("p.parquet", "c.csv"), ("p.parquet", "d.parquet")):
        assert run("apply", model, tmp_path / source, "--out", tmp_path / target).exit_code == 0
    fair = [
        (pd.read_csv if name.endswith("csv") else pd.read_parquet)(tmp_path / name)["fair_score"]
        for name in ("a.csv", "b.parquet", "c.csv", "d.parquet")
    ]
    for one in fair[1:]:
        assert np.allclose(one, fair[0])
    assert fair[0].nunique() > 100
    people.drop(columns="size").to_csv(tmp_path / "less.csv", index=False)
    assert run("apply", model, tmp_path / "less.csv", "--out", tmp_path / "x.csv").exit_code != 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--model", "people.csv"], "is read already"),
        (["--html", "people.csv"], "is read already"),
        (["--model", "x.json", "--html", "x.json"], "is written already"),
        (["--private", "1", "--known-range", "18,70", "--score", "percent"], "--score-range 0,100"),
        (["-s", "age"], "twice"),
        (["--score", "holes"], "--missing keep"),
    ],
)
def test_nothing_is_written_over_and_hints_can_be_followed(people, tmp_path, monkeypatch, more, said):
    monkeypatch.chdir(tmp_path)
    holes = people["score"].where(people["age"] > 20)
    people.assign(percent=100 * people["score"], holes=holes).to_csv("people.csv", index=False)
    before = (tmp_path / "people.csv").read_bytes()
    groups = ["--n-groups", "exact"] if "--private" in more else ["--n-groups", "3"]
    score = [] if "--score" in more else ["--score", "score"]
    told = run("repair", "people.csv", *score, "-s", "age", *groups, *more)
    assert told.exit_code == 2 or isinstance(told.exception, InputError)
    assert said in str(told.exception or told.output)
    assert (tmp_path / "people.csv").read_bytes() == before
    assert not (tmp_path / "x.json").exists()


def test_groups_of_one_category_are_its_levels(tmp_path):
    rng = np.random.default_rng(0)
    sex, score = rng.choice(["m", "f"], 300), rng.random(300)
    with pytest.raises(InputError, match="along a number"):
        ScoreRepair(FairGroups(2)).fit(score, sensitive=sex)
    named = pd.DataFrame({"sex": sex, "s": score})
    named.to_csv(tmp_path / "p.csv", index=False)
    assert run("repair", tmp_path / "p.csv", "--score", "s", "-s", "sex", "--n-groups", "auto").exit_code == 0
    assert run("repair", tmp_path / "p.csv", "--score", "s", "-s", "sex", "--n-groups", "2").exit_code != 0
