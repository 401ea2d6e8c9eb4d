"""Repairs of one noisy histogram: as good as plain ones, and made of nothing else."""

import json
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import fairgroups as fg
from fairgroups.cli import app
from fairgroups.repair.noisy_scores import private_scores

RANGE = {"private": 1.0, "known_range": (18, 80)}
pytestmark = pytest.mark.usefixtures("known_noise")


def people(n, seed):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 81, n)
    score = np.clip(rng.normal(0.2 + age / 200, 0.12), 0, 1)
    return age, score, (rng.random(n) < score).astype(float)


def largest_gap(score, age):
    """The largest difference between nine-year stretches, at four thresholds."""
    found = []
    for threshold in np.quantile(score, (0.3, 0.5, 0.7, 0.9)):
        rates = [(score[(age >= a) & (age < a + 9)] >= threshold).mean() for a in range(18, 81, 9)]
        found.append(max(rates) - min(rates))
    return max(found)


@pytest.mark.parametrize(("n", "epsilon", "allowed"), [(50_000, 1.0, 0.05), (5000, 1.0, 0.09), (5000, 0.3, 0.15)])
def test_repairs_hold_for_people_who_were_not_there(n, epsilon, allowed):
    age, score, _ = people(n, 1)
    noisy = private_scores(score, age, private=epsilon, known_range=(18, 80))
    repair = fg.ScoreRepair(judge=False).fit(noisy["score"], sensitive=noisy["sensitive"])
    new_age, new_score, _ = people(50_000, 2)
    assert largest_gap(new_score, new_age) > 0.6
    assert largest_gap(repair.transform(new_score, sensitive=new_age), new_age) < allowed


def test_people_are_neither_made_nor_lost():
    """Most entries are empty: cut off at zero, their noise would make thousands of people."""
    rng = np.random.default_rng(0)
    score, age = rng.normal(0.5, 0.01, 20_000), rng.integers(18, 81, 20_000)
    sizes = [private_scores(score, age, **RANGE)["score"].size for _ in range(5)]
    assert np.abs(np.array(sizes) - 20_000).max() < 600


def test_labels_come_along():
    age, score, label = people(20_000, 3)
    noisy = private_scores(score, age, label, **RANGE)
    assert set(noisy) == {"score", "sensitive", "y"}
    assert set(np.unique(noisy["y"])) == {0.0, 1.0}
    assert noisy["y"].mean() == pytest.approx(label.mean(), abs=0.02)
    old = noisy["sensitive"] >= 60
    assert noisy["y"][old].mean() == pytest.approx(label[age >= 60].mean(), abs=0.03)
    assert np.all(noisy["sensitive"] == np.floor(noisy["sensitive"]))
    fg.ScoreRepair(condition="positives", judge=False).fit(noisy["score"], noisy["y"], sensitive=noisy["sensitive"])


def test_one_person_changes_one_entry_by_one():
    """What privacy rests on: without noise, histograms of tables that differ by a person differ by one."""
    import fairgroups.repair.noisy_scores as room

    age, score, _ = people(3000, 4)
    seen = []
    drawn = room.two_sided_geometric
    risen = room._risen
    try:
        room.two_sided_geometric = lambda _, n: np.zeros(n, dtype=np.int64)
        room._risen = lambda row: seen[-1].append(row) or risen(row)
        for rows in (slice(None), slice(1, None)):
            seen.append([])
            room.private_scores(np.append(score[rows], [0.5] * 1000), np.append(age[rows], [40] * 1000), **RANGE)
    finally:
        room.two_sided_geometric, room._risen = drawn, risen
    first, second = (np.array(one) for one in seen)
    assert first.shape == second.shape
    assert np.abs(first - second).sum() == 1


def test_other_units_and_numbers_that_are_not_whole():
    rng = np.random.default_rng(5)
    x = rng.random(20_000)
    score = 300 + 500 * np.clip(rng.normal(0.3 + x / 3, 0.1), 0, 1)
    noisy = private_scores(score, x, private=1, known_range=(0, 1), score_range=(300, 800))
    repair = fg.ScoreRepair(judge=False).fit(noisy["score"], sensitive=noisy["sensitive"])
    fair = repair.transform(score, sensitive=x)
    assert abs(fair[x < 0.3].mean() - fair[x > 0.7].mean()) < 8
    assert score[x > 0.7].mean() - score[x < 0.3].mean() > 50


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"private": 0}, "at least 0.01"),
        ({"private": "much"}, "must be a number"),
        ({"known_range": None}, "the smallest and the largest"),
        ({"known_range": (80, 18)}, "the smallest and the largest"),
        ({"known_range": (1, 2, 3)}, "the smallest and the largest"),
        ({"score_range": (0, np.inf)}, "must be a number"),
        ({"sensitive": np.array(["a", "b"] * 50)}, "one attribute of numbers"),
        ({"sensitive": np.where(np.arange(100) == 3, np.nan, 30.0)}, "attribute of everybody"),
    ],
)
def test_what_cannot_be_private_is_told(change, said):
    asked = {"score": np.linspace(0, 1, 100), "sensitive": np.arange(100) % 60 + 18, **RANGE, **change}
    with pytest.raises(fg.InputError, match=said):
        private_scores(asked.pop("score"), asked.pop("sensitive"), **asked)


def test_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    age, score, label = people(4000, 6)
    rows = "\n".join(f"{a},{s:.5f},{'yes' if y else 'no'}" for a, s, y in zip(age, score, label, strict=True))
    (tmp_path / "p.csv").write_text(f"age,score,hired\n{rows}\n")
    command = ["repair", "p.csv", "--score", "score", "-s", "age", "--truth", "hired", "--positive", "yes"]
    private = ["--private", "1", "--known-range", "18,80", "--model", "m.json", "--html", "p.html", "--out", "f.csv"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = CliRunner().invoke(app, [*command, *private])
    assert done.exit_code == 0, done.output
    assert "one noisy histogram (ε = 1)" in done.output
    assert "noisy histogram" in (tmp_path / "p.html").read_text()
    assert json.loads((tmp_path / "m.json").read_text())["columns"]["score"] == "score"
    assert (tmp_path / "f.csv").read_text().count("\n") == 4001
    for more, said in (
        (["--private", "1"], "known_range"),
        (["--known-range", "18,80"], "go with --private"),
        (["--private", "1", "--known-range", "18,80", "--weight", "age"], "without weights"),
    ):
        refused = CliRunner().invoke(app, [*command, *more])
        assert refused.exit_code != 0
        assert said in refused.output + str(refused.exception)
