"""Odd columns give the same on every engine, or one clear error; no engine's own error comes through."""

import sqlite3
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import engine_tables as engines
from fairgroups import Cells, FairGroups, InputError, MissingValuesError, ScoreRepair, Source, audit

LAZY = ["polars_lazy", "duckdb", "ibis", "dask", "pyspark"]
RNG = np.random.default_rng(0)
N = 3000
AGE = RNG.integers(18, 80, N)
YES = (RNG.random(N) < 0.3 + 0.3 * (AGE > 45)).astype(int)
OPTIONS = {"sensitive": "age", "outcome": "y", "checks": False}

pytestmark = pytest.mark.filterwarnings("ignore")


def lazily(engine, columns, tmp_path):
    people = pd.DataFrame(columns)
    people.to_parquet(tmp_path / "people.parquet")
    return people, getattr(engines, f"as_{engine}")(people, tmp_path / "people.parquet")


def same(found, known, close=1e-6):
    assert found.partition == known.partition
    assert [r.verdict for r in found.records] == [r.verdict for r in known.records]
    assert found.overall == pytest.approx(known.overall, rel=close)
    for key in ("n", "rate", "phi", "low", "high"):
        assert [getattr(r, key) for r in found.records] == pytest.approx(
            [getattr(r, key) for r in known.records], rel=close, abs=1e-9
        )


OUTCOMES = {
    "one and two": YES + 1.0,
    "ratings": np.clip(RNG.integers(1, 5, N) + YES, 1, 5).astype(float),
    "half and one": 0.5 + 0.5 * YES,
    "near one": 1 - 0.5 * (RNG.random(N) < 0.05 + 0.1 * YES),
    "int8": (RNG.integers(0, 60, N) + 30 * YES).astype(np.int8),
    "uint8 of 0 and 1": YES.astype(np.uint8),
    "int32": (RNG.integers(0, 10**6, N) + 10**6 * YES).astype(np.int32),
    "int64": RNG.integers(0, 10**10, N) + 10**10 * YES,
    "far from 0": 1e8 + RNG.random(N),
    "the attribute": AGE.astype(float),
    "true and false": YES == 1,
}


@pytest.mark.parametrize("engine", LAZY)
@pytest.mark.parametrize("name", OUTCOMES)
def test_outcomes_of_all_kinds(engine, name, tmp_path):
    people, frame = lazily(engine, {"age": AGE, "y": OUTCOMES[name]}, tmp_path)
    same(audit(frame, **OPTIONS), audit(people, **OPTIONS), close=1e-4)


@pytest.mark.parametrize("engine", LAZY)
def test_missing_and_odd_weights(engine, tmp_path):
    weight = RNG.uniform(1, 2, N)
    weight[[3, 700]] = np.nan
    people, frame = lazily(engine, {"age": AGE, "y": YES, "w": weight, "zero": 0.0 * AGE, "text": ["a"] * N}, tmp_path)
    with pytest.raises(MissingValuesError, match="'w' holds 2"):
        audit(frame, weight="w", **OPTIONS)
    found, known = (audit(table, weight="w", missing="drop", **OPTIONS) for table in (frame, people))
    same(found, known, close=1e-3)
    assert found.data.dropped == known.data.dropped == {"w": 2}
    for name, said in (("zero", "are zero"), ("text", "must hold numbers")):
        with pytest.raises(InputError, match=said):
            audit(frame, weight=name, **OPTIONS)


@pytest.mark.parametrize("engine", LAZY)
def test_missing_values_everywhere(engine, tmp_path):
    age, y = AGE.astype(float), YES.astype(float)
    age[5], y[[7, 9]] = np.nan, np.nan
    sex = np.where(np.arange(N) % 50 == 0, None, np.where(RNG.random(N) < 0.5, "f", "m"))
    people, frame = lazily(engine, {"age": age, "y": y, "sex": sex}, tmp_path)
    with pytest.raises(MissingValuesError):
        audit(frame, **OPTIONS)
    for missing in ("drop", "group"):
        chosen = people if missing == "drop" else people[people["y"].notna()].reset_index(drop=True)
        (tmp_path / missing).mkdir()
        _, lazy = lazily(engine, chosen.to_dict("series"), tmp_path / missing)
        same(audit(lazy, missing=missing, **OPTIONS), audit(chosen, missing=missing, **OPTIONS))
    both = audit(frame, sensitive=["age", "sex"], outcome="y", missing="drop", n_groups=2, n_cells=10, checks=False)
    assert both.data.rows == N - 3 - 60


@pytest.mark.parametrize("engine", LAZY)
@pytest.mark.parametrize("name", ["a.b", "a`b", "*", "^a$", "x0", "fairgroups_digits", 'q"; --', "who", "lot"])
def test_names_that_mean_something_elsewhere(engine, name, tmp_path):
    if engine == "pyspark" and name == "*":
        pytest.skip("Spark cannot read a Parquet file with such a column")
    columns = {name: AGE, "y": YES, "id of\nx": np.arange(N), "other": AGE[::-1]}
    people, frame = lazily(engine, columns, tmp_path)
    options = {"sensitive": name, "outcome": "y", "checks": False}
    same(audit(frame, **options), audit(people, **options))
    swapped = {"sensitive": "other", "outcome": "y", "inference": "crossfit", "key": name, "checks": False}
    same(audit(frame, **swapped), audit(people, **swapped))


@pytest.mark.parametrize("engine", LAZY)
def test_given_groups_of_a_continuous_attribute(engine, tmp_path):
    people, frame = lazily(engine, {"age": AGE + RNG.random(N), "y": YES}, tmp_path)
    same(audit(frame, partition=[30, 50], **OPTIONS), audit(people, partition=[30, 50], **OPTIONS))


@pytest.mark.parametrize("engine", LAZY)
def test_what_cannot_be_used_is_refused(engine, tmp_path):
    columns = {
        "age": AGE,
        "y": YES,
        "score": RNG.random(N),
        "huge": AGE * 1e160,
        "far": np.where(AGE > 50, 1.7e308, -1.7e308),
        "tiny": AGE * 5e-324,
        "when": pd.date_range("2020-01-01", periods=N),
        "kind": [f"k{i % 100}" for i in range(N)],
    }
    _, frame = lazily(engine, columns, tmp_path)
    cases = [
        ({"sensitive": "age", "outcome": "huge"}, "too large"),
        ({"sensitive": "far", "outcome": "y"}, "rescale"),
        ({"sensitive": "tiny", "outcome": "y"}, "rescale"),
        ({"sensitive": "when", "outcome": "y"}, "holds dates or durations"),
        ({"sensitive": "age", "outcome": "when"}, "holds dates or durations"),
        ({"sensitive": ["age", "kind"], "outcome": "y"}, "at most 63"),
        ({"sensitive": "age", "outcome": "y", "n_cells": -3}, "n_cells"),
        ({"sensitive": "age", "outcome": "y", "n_cells": 1.5}, "n_cells"),
        ({"sensitive": 3, "outcome": "y"}, "name of a column"),
        ({"sensitive": "age", "outcome": "y", "key": 3}, "name of a column"),
    ]
    for options, said in cases:
        with pytest.raises(InputError, match=said):
            audit(frame, checks=False, **options)
    with pytest.raises(InputError):
        FairGroups(2).fit(lazily(engine, {"y": YES}, tmp_path)[1], "y")


def test_ids_deal_halves_and_folds_inside_halves(tmp_path):
    people, frame = lazily(
        "polars_lazy", {"age": AGE, "y": YES, "z": RNG.integers(0, 9, N), "who": np.arange(N)}, tmp_path
    )
    for options in (
        {"sensitive": ["age", "z"], "max_groups": 3},
        {"sensitive": "age", "selection": "cv", "inference": "crossfit"},
    ):
        found, known = (audit(table, outcome="y", key="who", checks=False, **options) for table in (frame, people))
        assert [r.verdict for r in found.records] == [r.verdict for r in known.records]


def test_unknown_text_in_files_is_missing(tmp_path):
    told = pd.DataFrame(
        {"age": AGE, "y": [None if i % 3 == 0 else "yes" for i in range(N)], "who": ["a", None, "b"] * (N // 3)}
    )
    told["yes"] = YES
    for write, name in ((told.to_parquet, "told.parquet"), (told.to_csv, "told.csv")):
        write(tmp_path / name)
        with pytest.raises(MissingValuesError, match="'y' holds 1000"):
            audit(tmp_path / name, positive="yes", **OPTIONS)
        with pytest.raises(MissingValuesError, match="'who' holds 1000"):
            audit(tmp_path / name, sensitive=["age", "who"], outcome="yes")
        with pytest.raises(MissingValuesError, match="'who' holds 1000"):
            audit(tmp_path / name, sensitive="age", outcome="yes", cluster="who")


def test_long_ids_in_csv_files_stay_apart(tmp_path):
    people = pd.DataFrame({"age": AGE, "y": YES, "who": [str(10**20 + i) for i in range(N)]})
    people.to_csv(tmp_path / "people.csv", index=False)
    options = {**OPTIONS, "inference": "crossfit", "key": "who"}
    same(audit(tmp_path / "people.csv", **options), audit(people, **options))


def test_sqlite_columns_hold_what_they_like(tmp_path):
    pytest.importorskip("ibis.backends.sqlite")
    path = tmp_path / "people.sqlite"
    score = RNG.random(N)
    with sqlite3.connect(path) as connection:
        connection.execute("create table a (age, y, n integer)")
        rows = [
            (int(a), 1 if i == 0 else float(v), int(a) if i else "abc")
            for i, (a, v) in enumerate(zip(AGE, score, strict=True))
        ]
        connection.executemany("insert into a values (?, ?, ?)", rows)
        connection.execute("insert into a values (null, null, null)")
    known = audit({"age": AGE, "y": np.where(np.arange(N) == 0, 1.0, score)}, **OPTIONS)
    for options in ({"table": "a"}, {"sql": "select * from a order by age;"}):
        found = audit(Source(path, **options), missing="drop", **OPTIONS)
        assert found.overall == pytest.approx(known.overall)
    with pytest.raises(InputError, match="must hold numbers"):
        audit(Source(path, table="a"), sensitive="n", outcome="y", missing="drop")


def test_the_users_connection_is_left_alone(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    people = pd.DataFrame({"age": AGE, "score": RNG.random(N)})
    repair = ScoreRepair([40]).fit(people["score"], sensitive=people["age"])
    people.to_parquet(tmp_path / "people.parquet")
    with duckdb.connect(str(tmp_path / "own.duckdb")) as connection:
        connection.execute("create table t as select * from read_parquet(?)", [str(tmp_path / "people.parquet")])
        before = connection.execute("select count(*) from duckdb_views() where not internal").fetchall()
        assert len(repair.transform(connection.table("t"), sensitive="age").fetchall()) == N
        assert connection.execute("select count(*) from duckdb_views() where not internal").fetchall() == before
    with duckdb.connect(str(tmp_path / "own.duckdb"), read_only=True) as connection:
        assert len(repair.transform(connection.table("t"), sensitive="age").fetchall()) == N
        with pytest.raises(InputError, match="already"):
            repair.transform(connection.sql("select age, score as fair_score from t"), sensitive="age")
        with pytest.raises(InputError, match="must hold numbers"):
            ScoreRepair([40]).fit(connection.sql("select age, 'a' as score from t"), sensitive="age")


@pytest.mark.parametrize(
    "sql",
    [
        "COPY (SELECT 1) TO 'p.csv'; SELECT * FROM data",
        "SELECT * FROM data; COPY (SELECT 1) TO 'p.csv'",
        "ATTACH 'new.duckdb'",
        "CREATE TABLE t AS SELECT 1",
        "WITH a AS (SELECT 1) INSERT INTO data SELECT * FROM a",
        "",
    ],
)
def test_queries_only_read(sql, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"age": AGE, "y": YES}).to_csv("people.csv", index=False)
    with pytest.raises(InputError):
        audit(Source("people.csv", sql=sql), **OPTIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
    fine = "SELECT age, y FROM data WHERE 'a;b' <> \"age\"::text -- it; all\n;"
    assert audit(Source("people.csv", sql=fine), **OPTIONS).data.rows == N


@pytest.mark.parametrize(
    "address",
    ["https://user:S3CRET@example.com/x.csv", "s3://k:S3CRET@b/x", "mysql://u:S3CRET@h/d", "POSTGRESQL://u:S3CRET@127.0.0.1:1/d",
     "postgresql+psycopg://u:S3CRET@h/d", "postgresql://ann:S3@CRET:ET/x@127.0.0.1:1/db"],
)  # fmt: skip
def test_passwords_are_never_shown(address):
    source = Source(address, table="t")
    with pytest.raises(InputError) as wrong:
        audit(source, **OPTIONS)
    for text in (str(wrong.value), repr(source), source.name):
        assert "CRET" not in text


def test_folders_of_several_kinds_are_refused(tmp_path):
    people = pd.DataFrame({"age": AGE, "y": YES})
    people.to_parquet(tmp_path / "a.parquet")
    people.to_parquet(tmp_path / "b.pq")
    (tmp_path / "._a.parquet").write_bytes(b"junk")
    assert audit(tmp_path, **OPTIONS).data.rows == 2 * N
    people.to_csv(tmp_path / "c.csv")
    with pytest.raises(InputError, match="1 CSV file"):
        audit(tmp_path, **OPTIONS)


@pytest.mark.parametrize("seed", range(10))
def test_equal_cells_give_equal_groups(seed):
    polars = pytest.importorskip("polars")
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, N)
    frame = polars.DataFrame({"age": age, "y": age + rng.normal(size=N)})
    eager, lazy = (Cells.from_frame(table, sensitive="age", outcome="y") for table in (frame, frame.lazy()))
    assert np.allclose(eager["mean"].a, lazy["mean"].a, rtol=1e-12)
    assert audit(frame, **OPTIONS).partition == audit(frame.lazy(), **OPTIONS).partition


MIXED = {
    "whole": RNG.integers(0, 9, N),
    "real": RNG.choice([0.5, 1.25, 7.0], N),
    "truth": RNG.random(N) < 0.4,
    "text": RNG.choice(["a", "b", "c"], N),
    "money": [Decimal(int(x)) / 4 for x in RNG.integers(10, 90, N)],
    "y": YES,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", LAZY)
def test_mixed_kinds_mean_the_same(engine, tmp_path):
    """Numbers, true and false, categories and decimals are what they are in memory; text alone is a category."""
    people, frame = lazily(engine, MIXED, tmp_path)
    cases = ["whole", "real", "truth", ["whole", "truth"], ["real", "text"]]
    if engine != "dask":  # which turns decimals of pandas into text when it is given them
        cases += ["money", ["money", "truth"], ["text", "money"]]
    for sensitive in cases:
        options = {"sensitive": sensitive, "outcome": "y", "n_groups": 2, "checks": False}
        found, known = (audit(table, **options) for table in (frame, people))
        assert found.partition == known.partition, sensitive
        assert [r.n for r in found.records] == [r.n for r in known.records], sensitive
    found, known = (audit(table, sensitive="text", outcome="y", checks=False) for table in (frame, people))
    assert found.partition == known.partition
    assert [(r.label, r.n) for r in found.records] == [(r.label, r.n) for r in known.records]
    assert found.settings.groups_given
