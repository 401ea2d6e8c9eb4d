import os
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from fairgroups import InputError, Source, audit, reading
from fairgroups.cli import app


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("sources")
    rng = np.random.default_rng(0)
    age = np.round(rng.normal(50, 12, 20_000), 1)
    people = pd.DataFrame({"age": age, "hired": (rng.random(20_000) < 0.3 + 0.2 * (age > 55)).astype(int)})
    people.to_csv(path / "people.csv", index=False)
    people.to_parquet(path / "people.parquet")
    people.to_json(path / "people.jsonl", orient="records", lines=True)
    people.to_feather(path / "people.arrow", compression="uncompressed")
    for year, part in ((2024, people[:10_000]), (2025, people[10_000:])):
        (path / "parts" / f"year={year}").mkdir(parents=True)
        part.to_parquet(path / "parts" / f"year={year}" / "part.parquet")
    with duckdb.connect(str(path / "people.duckdb")) as connection:
        connection.register("people_frame", people)
        connection.execute('CREATE TABLE "x""; DROP TABLE t; --" AS FROM people_frame')
    with sqlite3.connect(path / "people.sqlite") as connection:
        people.to_sql("people", connection, index=False)
    connection.close()
    (path / "cut.parquet").write_bytes((path / "people.parquet").read_bytes()[:5000])
    (path / "bad.csv").write_text("age,hired\n20,1\n30,0,7\n40,1\n")
    (path / "nothing").mkdir()
    return path


OPTIONS = {"sensitive": "age", "outcome": "hired", "checks": False}


@pytest.fixture(scope="module")
def expected(folder):
    return audit(pd.read_parquet(folder / "people.parquet"), **OPTIONS)


@pytest.mark.parametrize(
    ("location", "options"),
    [
        ("people.csv", {}),
        ("people.parquet", {}),
        ("people.jsonl", {}),
        ("people.arrow", {}),
        ("parts", {}),
        ("parts/*/*.parquet", {}),
        ("parts", {"sql": "SELECT * FROM data WHERE year > 2000"}),
        ("parts", {"where": "year IN (2024, 2025)", "memory_limit": "500MB"}),
        ("people.duckdb", {"table": 'x"; DROP TABLE t; --'}),
    ],
)
def test_every_kind_of_source_gives_the_same(folder, expected, location, options):
    if location.endswith("arrow"):
        pytest.importorskip("pyarrow")
    source = Source(folder / location if "*" not in location else f"{folder}/{location}", **options)
    found = audit(source, **OPTIONS)
    assert found.partition == expected.partition
    assert found.records == expected.records


@pytest.mark.filterwarnings("ignore")
def test_sqlite_by_ibis(folder, expected):
    pytest.importorskip("ibis")
    for source in (
        Source(folder / "people.sqlite", table="people"),
        Source(f"sqlite:///{folder}/people.sqlite", "people"),
    ):
        assert audit(source, **OPTIONS).records == expected.records
    some = audit(Source(folder / "people.sqlite", sql="SELECT age, hired FROM people", where="age < 60"), **OPTIONS)
    assert some.data.rows < 20_000


def test_large_files_are_counted_where_they_are(folder, expected, monkeypatch):
    monkeypatch.setattr(reading, "LARGE", 1000)
    found = audit(folder / "people.parquet", **OPTIONS)
    assert found.records == expected.records
    assert found.to_dict()["data"] == {**expected.to_dict()["data"], "source": "people.parquet", "library": ""}


@pytest.mark.parametrize(
    ("location", "options", "message"),
    [
        ("cut.parquet", {}, "cannot read 'cut.parquet'"),
        ("bad.csv", {}, "line 3|Expected Number of Columns|cannot read 'bad.csv'"),
        ("none.csv", {}, "there is no file"),
        ("none*.csv", {}, "No files found|no file"),
        ("nothing", {}, "holds no .csv"),
        ("people.csv", {"table": "people"}, "is no database"),
        ("people.duckdb", {}, "name its table"),
        ("people.duckdb", {"table": "nobody"}, "nobody does not exist"),
        ("none.duckdb", {"table": "people"}, "there is no file"),
        ("parts", {"where": "yeer = 2025"}, "check the query"),
        ("parts", {"sql": "DROP everything"}, "begin with SELECT"),
        ("people.xlsx", {}, "there is no file"),
    ],
)
def test_faults_are_told(folder, location, options, message):
    with pytest.raises(InputError, match=message):
        audit(Source(folder / location, **options), **OPTIONS)
    with pytest.raises(InputError, match="did you mean 'hired'"):
        audit(Source(folder / "parts"), sensitive="age", outcome="hird")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:s3cret@host/db",
        "postgresql://ann:s3:cr@et@host:5432/db?sslmode=require",
        "postgresql://host/db?user=ann&password=s3cret",
    ],
)
def test_passwords_are_never_shown(address):
    source = Source(address, table="loans")
    assert "s3" not in repr(source)
    assert "host" in repr(source)


def test_an_unreachable_server_is_told_without_the_password(monkeypatch):
    pytest.importorskip("psycopg")
    pytest.importorskip("ibis.backends.postgres")
    monkeypatch.setenv("PGPASSWORD", "0ther")
    with pytest.raises(InputError, match="cannot read 'postgresql://ann:") as error:
        audit(Source("postgresql://ann:s3cret@127.0.0.1:1/db", table="loans"), **OPTIONS)
    assert "s3cret" not in str(error.value)
    assert "0ther" not in str(error.value)


def test_the_command_line_reads_them_too(folder, tmp_path):
    arguments = ["audit", str(folder / "parts"), "-s", "age", "-o", "hired", "--where", "year = 2025", "--no-checks"]
    found = CliRunner().invoke(app, [*arguments, "--json", str(tmp_path / "found.json")])
    assert found.exit_code == 0, found.output
    assert "10,000 rows" in found.output
    database = ["audit", str(folder / "people.duckdb"), "--table", 'x"; DROP TABLE t; --', "-s", "age", "-o", "hired"]
    assert CliRunner().invoke(app, [*database, "--no-checks"]).exit_code == 0
    assert os.listdir(tmp_path) == ["found.json"]  # noqa: PTH208
