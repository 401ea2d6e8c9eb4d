"""Nothing is asked for over a network: where there is none everything runs, and no call tries to reach one."""

import shutil
import subprocess
import sys

import pytest

import fairgroups as fg

COMMAND = [
    sys.executable,
    "-m",
    "fairgroups.cli",
    "audit",
    "people.csv",
    "-s",
    "age",
    "-o",
    "ok",
    "--out",
    "a.html",
    "-q",
]


@pytest.fixture
def folder(tmp_path):
    data = fg.make_synthetic(2000)
    rows = "\n".join(f"{x:.1f},{y:.0f}" for x, y in zip(data.sensitive, data.outcome, strict=True))
    (tmp_path / "people.csv").write_text(f"age,ok\n{rows}\n")
    return tmp_path


def test_it_runs_where_there_is_no_network(folder):
    alone = ["unshare", "--user", "--map-root-user", "--net"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no network namespace can be made here")
    done = subprocess.run([*alone, *COMMAND], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (folder / "a.html").stat().st_size > 50_000


def test_no_call_tries_to_reach_one(folder):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    watched = ["strace", "-f", "-qq", "-e", "trace=connect,sendto", "-o", "calls.txt", *COMMAND]
    done = subprocess.run(watched, cwd=folder, capture_output=True, text=True, check=False)
    if not (folder / "calls.txt").exists() or "ptrace" in done.stderr:
        pytest.skip("processes cannot be watched here")
    assert done.returncode == 0, done.stderr
    calls = (folder / "calls.txt").read_text()
    assert "AF_INET" not in calls
