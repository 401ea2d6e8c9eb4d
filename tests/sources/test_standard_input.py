import subprocess
import sys

import pandas as pd
import pytest


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_tables_are_piped_in(tmp_path, kind):
    table = pd.DataFrame({"age": [i % 60 for i in range(500)], "ok": [int(i % 60 > 30) for i in range(500)]})
    path = tmp_path / f"a.{kind}"
    {"csv": lambda: table.to_csv(path, index=False), "parquet": lambda: table.to_parquet(path)}.get(
        kind, lambda: table.to_json(path, orient="records", lines=True)
    )()
    command = [sys.executable, "-m", "fairgroups.cli", "audit", "-", "-s", "age", "-o", "ok", "-q"]
    done = subprocess.run(command, input=path.read_bytes(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"age is" in done.stdout


def test_nothing_piped_in_is_told():
    command = [sys.executable, "-m", "fairgroups.cli", "audit", "-", "-s", "age", "-o", "ok"]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "standard input is empty" in done.stderr
