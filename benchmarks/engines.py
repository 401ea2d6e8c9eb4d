"""Large tables counted where they lie, against DuckDB's own GROUP BY of the same cells: the limit is two scans.

    python benchmarks/engines.py [--rows 1000000 10000000 100000000] [--spark]

Each audit runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from operator import itemgetter
from pathlib import Path

import duckdb

GROUP_BY = """
SELECT CAST(floor((tone - lo) * (65536 / (hi - lo))) AS INTEGER) AS key, approved, count(*), min(tone), max(tone)
FROM people, (SELECT 0.0 AS lo, 100.0 AS hi) GROUP BY key, approved
"""

CHILD = """
import json, resource, sys, time
import fairgroups as fg
path, engine = sys.argv[1:]
if engine == "polars":
    import polars as pl
    table = pl.scan_parquet(path)
elif engine == "spark":
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    table = spark.read.parquet(path)
else:
    table = fg.Source(path, memory_limit="500MB")
start = time.perf_counter()
found = fg.audit(table, sensitive="tone", outcome="approved", checks=False)
taken = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"seconds": taken, "peak": peak, "groups": len(found.records), "rows": found.data.rows}))
"""


def make(path: Path, n: int) -> None:
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '2GB'")
        connection.execute(
            f"""COPY (SELECT tone, CAST(random() < 0.3 + 0.1 * CAST(tone > 60 AS INTEGER) AS INTEGER) AS approved
            FROM (SELECT random() * 100 AS tone FROM range({n}))) TO '{path}' (FORMAT parquet)"""
        )


def group_by(path: Path) -> float:
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '500MB'")
        connection.execute(f"CREATE VIEW people AS FROM '{path}'")
        start = time.perf_counter()
        connection.execute(GROUP_BY).fetchall()
        return time.perf_counter() - start


def audited(path: Path, engine: str) -> dict:
    done = subprocess.run([sys.executable, "-c", CHILD, str(path), engine], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 10_000_000])
    arguments.add_argument("--spark", action="store_true")
    chosen = arguments.parse_args()
    print("| rows | engine | audit, seconds | DuckDB's GROUP BY | ratio | per million rows | peak memory, MB |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for n in chosen.rows:
            path = Path(folder) / "people.parquet"
            make(path, n)
            for engine in ("duckdb", "polars", *(("spark",) if chosen.spark else ())):
                if engine == "polars" and n > 20_000_000:
                    continue
                # In turns, and the middle one of each: the machine's mood then counts for both alike.
                runs = [(group_by(path), audited(path, engine)) for _ in range(3)]
                limit = statistics.median(limit for limit, _ in runs)
                found = sorted((found for _, found in runs), key=itemgetter("seconds"))[1]
                assert found["rows"] == n
                print(
                    f"| {n:,} | {engine} | {found['seconds']:.2f} | {limit:.2f} | {found['seconds'] / limit:.2f} × "
                    f"| {found['seconds'] / n * 1e6:.3f} | {found['peak']:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
