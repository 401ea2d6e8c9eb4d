import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from fairgroups import BlindRepair, InputError
from fairgroups.cli import app
from fairgroups.repair.blind_file import apply_blind_to_file


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    old = 1 / (1 + np.exp(-2 * x))
    group = (rng.random(2000) < old).astype(int)
    score = 1 / (1 + np.exp(-x - rng.normal(size=2000)))
    frame = pd.DataFrame({"id": np.arange(2000), "s": score, "young": 1 - old, "old": old, "note": "a,b"})
    frame.to_csv(tmp_path / "people.csv", index=False)
    chances = frame[["young", "old"]].to_numpy()
    repair = BlindRepair().fit(score, groups=group, chances=chances)
    repair.to_json(tmp_path / "blind.json")
    return tmp_path, frame, repair.transform(score, chances=chances), repair


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_apply_without_the_attribute(table):
    folder, frame, fair, _ = table
    named = ("--score", "s", "--chance", "young", "--chance", "old")
    for target in ("out.csv", "out.parquet"):
        done = run("apply", folder / "blind.json", folder / "people.csv", "--out", folder / target, *named)
        assert done.exit_code == 0, done.output
        new = (pd.read_csv if target.endswith("csv") else pd.read_parquet)(folder / target)
        assert list(new.columns) == [*frame.columns, "fair_score"]
        assert (new["id"] == frame["id"]).all()
        assert new["fair_score"].to_numpy() == pytest.approx(fair, abs=1e-9)


def test_bad_input(table):
    folder, frame, _, repair = table
    source, out = folder / "people.csv", folder / "x.csv"
    with pytest.raises(InputError, match="by 2 groups"):
        apply_blind_to_file(repair, source, out, score="s", chances=["old"])
    with pytest.raises(InputError, match="must hold numbers"):
        apply_blind_to_file(repair, source, out, score="note", chances=["young", "old"])
    with pytest.raises(InputError, match="not between 0 and 1"):
        apply_blind_to_file(repair, source, out, score="s", chances=["young", "id"])
    holes = frame.assign(s=frame["s"].where(frame["id"] > 4))
    holes.to_csv(folder / "holes.csv", index=False)
    with pytest.raises(InputError, match="5 row"):
        apply_blind_to_file(repair, folder / "holes.csv", out, score="s", chances=["young", "old"])
    assert not out.exists()
    kept = {"score": "s", "chances": ["young", "old"], "keep_missing": True}
    done = apply_blind_to_file(repair, folder / "holes.csv", out, **kept)
    assert (done.rows, done.without) == (2000, 5)
    assert pd.read_csv(out)["fair_score"].isna().sum() == 5
