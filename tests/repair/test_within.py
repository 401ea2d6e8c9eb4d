import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from fairgroups.cli import app


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    age, degree = rng.integers(20, 61, 3000), rng.choice(["none", "school"], 3000)
    score = 1 / (1 + np.exp(-rng.normal((age - 40) / 15 + np.where(degree == "school", 1, -1), 1)))
    path = tmp_path_factory.mktemp("given") / "people.csv"
    rows = {"id": np.arange(3000), "age": age, "degree": degree, "score": score.round(6)}
    pd.DataFrame({**rows, "paid": (rng.random(3000) < score).astype(int)}).to_csv(path, index=False)
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["repair", *map(str, arguments)])


def test_scores_are_made_alike_among_comparable_people(table, tmp_path):
    roles = [table, "--score", "score", "--sensitive", "age", "--given", "degree"]
    done = run(
        *roles,
        "--truth",
        "paid",
        "--out",
        tmp_path / "fair.csv",
        "--model",
        tmp_path / "model.json",
        "--html",
        tmp_path / "page.html",
    )
    assert done.exit_code == 0, done.output
    assert (
        "At equal degree, the share of people in the upper half of those comparable with them varies along age"
        in done.output
    )
    assert "2 strata have maps of their own, with 3,000 of 3,000 people" in done.output
    assert "Decisions that agree with paid" in done.output
    fair = pd.read_csv(tmp_path / "fair.csv")
    for degree in ("none", "school"):
        here = fair[fair.degree == degree]
        assert np.corrcoef(here.age, here.score)[0, 1] > 0.4
        assert abs(np.corrcoef(here.age, here.fair_score)[0, 1]) < 0.06
    apart = fair.groupby("degree").fair_score.mean()
    assert apart["school"] - apart["none"] > 0.2
    again = CliRunner().invoke(
        app, ["apply", str(tmp_path / "model.json"), str(table), "--out", str(tmp_path / "again.csv")]
    )
    assert again.exit_code == 0, again.output
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "fair.csv").read_text()
    quiet = run(*roles, "-q")
    assert quiet.output.count("\n") == 1


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--given", "degree", "--fold", "id"], "--fold does not go with --given"),
        (["--given", "degree", "--private", "1"], "--private does not go with --given"),
        (["--given", "degrees"], "degree"),
        (["--given", "age"], "'age' is the attribute and held equal at once"),
        (["--given", "id", "--given", "degree", "--given", "paid", "--given", "score"], "no stratum of"),
    ],
)
def test_what_does_not_go_together_is_said(table, more, told):
    done = run(table, "--score", "score", "--sensitive", "age", *more)
    assert done.exit_code == 1
    assert told in str(done.exception)


def test_people_without_a_score_are_kept_where_that_is_asked(table, tmp_path):
    rows = pd.read_csv(table)
    rows.loc[:4, "score"] = np.nan
    rows.loc[10:19, "degree"] = None
    rows.to_csv(tmp_path / "holes.csv", index=False)
    roles = [tmp_path / "holes.csv", "--score", "score", "--sensitive", "age", "--given", "degree"]
    done = run(*roles, "--missing", "keep", "--out", tmp_path / "fair.csv")
    assert done.exit_code == 0, done.exception
    assert "10 rows without degree count as a level of its own" in done.output
    assert "(3,000 rows, 5 of them without a fair score)" in done.output
    assert pd.read_csv(tmp_path / "fair.csv").fair_score.isna().tolist() == [True] * 5 + [False] * 2995
