"""A Spark worker that dies while people are counted: others do its work, and the counts are right."""

import shutil
import subprocess
import sys

import pytest

SCRIPT = """
import os, signal, subprocess, sys, threading, time
import pyspark
from pyspark.sql import SparkSession
from fairgroups import Cells

os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_HOME": os.path.dirname(pyspark.__file__)}
session = (
    SparkSession.builder.master("local-cluster[2,1,700]")  # two workers, each a process of its own
    .config("spark.ui.enabled", "false")
    .config("spark.executor.memory", "700m")
    .config("spark.sql.shuffle.partitions", "4")
    .getOrCreate()
)
people = session.range(0, 12_000_000, 1, 24).selectExpr("(id * 7919) % 60 + 20 AS age", "id % 3 = 0 AS hired")
people.count()  # both workers are up
driver = session.sparkContext._gateway.proc.pid
done = threading.Event()

def kill():
    time.sleep(0.7)
    found = subprocess.run(["pgrep", "-P", str(driver), "-f", "CoarseGrained"], capture_output=True, text=True)
    worker = int(found.stdout.split()[0])
    assert not done.is_set(), "the count was over before a worker was killed"
    os.kill(worker, signal.SIGKILL)
    print("killed", flush=True)

thread = threading.Thread(target=kill)
thread.start()
cells = Cells.from_frame(people, sensitive="age", outcome="hired")
done.set()
thread.join()
print("rows", cells.rows.tolist() == [200_000] * 60, cells["statistical_parity"].a.sum())
session.stop()
"""


def test_a_worker_that_is_killed_changes_nothing():
    pytest.importorskip("pyspark")
    for program in ("java", "pgrep"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300, check=False)
    assert "killed" in done.stdout, done.stderr[-3000:]
    assert "rows True 4000000.0" in done.stdout, done.stderr[-3000:]
    assert "Lost executor" in done.stderr
