"""The people of the engines' tests, and a PostgreSQL server of our own."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

N = 200_000


@pytest.fixture(autouse=True)
def nobody_is_read(monkeypatch):
    """Small tables are counted as well: that is what is tested here."""
    monkeypatch.setattr("fairgroups.reading.FEW_ROWS", 0)


def draw(n=N, seed=0):
    rng = np.random.default_rng(seed)
    age = np.round(rng.normal(50, 12, n), 2)
    truth = (rng.random(n) < 0.5).astype(int)
    chosen = (rng.random(n) < 0.3 + 0.1 * (age > 55) + 0.05 * truth).astype(int)
    return pd.DataFrame(
        {
            "age": age,
            "chosen": chosen,
            "truth": truth,
            "score": np.clip(rng.normal(0.4 + 0.1 * (age > 55), 0.2), 0, 1),
            "weight": rng.uniform(1, 2, n),
            "sex": rng.choice(["f", "m"], n),
            "who": [f"p{i}" for i in range(n)],
        }
    )


@pytest.fixture(scope="session")
def people():
    return draw()


@pytest.fixture(scope="session")
def parquet(people, tmp_path_factory):
    path = tmp_path_factory.mktemp("people") / "people.parquet"
    people.to_parquet(path)
    return path


@pytest.fixture(scope="session")
def server(people):
    """A PostgreSQL server of our own with the people in it, and its address."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin")) or [Path(shutil.which("initdb") or "/absent").parent]
    if not Path(programs[-1], "initdb").exists():
        pytest.skip("PostgreSQL is not installed")
    psycopg = pytest.importorskip("psycopg")
    pytest.importorskip("ibis.backends.postgres")
    folder = Path(tempfile.mkdtemp())  # pytest's own folders are deleted by the next runs beside this one
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []  # the server refuses to run as root
    if as_user:
        folder.chmod(0o777)
    port = 54_000 + os.getpid() % 1000

    def run(name, *arguments):
        subprocess.run([*as_user, f"{programs[-1]}/{name}", "-D", str(folder / "db"), *arguments], check=True,
                       capture_output=True)  # fmt: skip

    run("initdb", "-A", "trust", "-U", "postgres")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    run("pg_ctl", "-o", options, "-w", "-l", str(folder / "log"), "start")
    address = f"postgresql://postgres:s3cret@127.0.0.1:{port}/postgres"
    try:
        with psycopg.connect(address) as connection:
            connection.execute(
                'create table "pe""ople; --" (age double precision, chosen int, truth int, score double precision, '
                "weight double precision, sex text, who text)"
            )
            with connection.cursor().copy('copy "pe""ople; --" from stdin') as copy:
                for row in people.itertuples(index=False):
                    copy.write_row(row)
            connection.execute('create view everybody as select * from "pe""ople; --"')
        yield address
    finally:
        run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
