"""Ctrl-C, also while the program starts, is said by the exit code 130 and by no "fault"."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import fairgroups as fg


@pytest.mark.parametrize("after", [0.25, 0.5, 0.8, 1.2, 1.8])
def test_stopped_at_any_time(after, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "people.csv"
    x = rng.normal(size=60_000)
    np.savetxt(path, np.c_[x, rng.random(60_000) < 0.5], delimiter=",", header="x,y", comments="", fmt="%.4f")
    command = [sys.executable, "-m", "fairgroups.cli", "audit", str(path), "-s", "x", "-o", "y", "--out", "a.html"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert "fault of fairgroups" not in error
    assert process.returncode in (0, 130, -signal.SIGINT), error
    assert list(tmp_path.glob("*.tmp*")) == []


def test_a_name_that_is_too_long_is_told():
    with pytest.raises(fg.InputError, match="cannot be opened"):
        fg.audit("a" * 5000 + ".csv", sensitive="x", outcome="y")


def test_numbers_too_large_in_a_file_are_told():
    data = fg.make_synthetic(500)
    found = fg.audit({"x": data.sensitive, "y": data.outcome}, sensitive="x", outcome="y", checks=False).to_dict()
    found["variance"] = 10**400
    with pytest.raises(fg.SchemaError, match="too large"):
        fg.Audit.from_dict(found)


SEARCHES = {
    "line": "x = np.arange(150_000.0); fg.FairGroups(20).fit(x, x**2 + rng.normal(0, 1e5, x.size))",
    "boxes": "fg.FairGroups(60, budget=60).fit(rng.random((20_000, 2)), rng.integers(0, 2, 20_000))",
    "band": "fg.audit({'x': rng.random(300_000), 'y': rng.integers(0, 2, 300_000)}, sensitive='x', outcome='y', "
    "band_width='simulate', checks=False)",
    "model": "n = 9**5; fg.audit({'x': rng.random(n), 'f': rng.random(n), 'y': rng.integers(0, 2, n)}, sensitive='x', "
    "outcome='y', given='f', how='model')",
    "scan": "n = 60_000; fg.scan({**{f'c{i}': rng.random(n) for i in range(30)}, 'y': rng.integers(0, 2, n)}, "
    "outcome='y', pairs=True)",
    "boxes' band": "n = 60_000; fg.audit({**{k: rng.random(n) for k in 'abc'}, 'y': rng.integers(0, 2, n)}, "
    "sensitive=['a', 'b', 'c'], outcome='y', band_width='simulate')",
    "repair": "n = 2_000_000; x = rng.random(n); fg.ScoreRepair().fit(rng.random(n) * (1 + x), sensitive=x)",
    "tradeoff": "n = 200_000; x = rng.random(n); s = rng.random(n) * (1 + x); "
    "fg.tradeoff(s, sensitive=x, truth=s > rng.random(n))",
}


@pytest.mark.parametrize("name", SEARCHES)
def test_long_computations_answer(name):
    begin = "import numpy as np, fairgroups as fg\nrng = np.random.default_rng(0)\nprint('go', flush=True)\n"
    code = f"{begin}{SEARCHES[name]}\n"
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}  # a shell's background work is deaf
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", code], **pipes, **heard)
    process.stdout.readline()
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=30)  # about a second where nothing else runs
    finally:
        process.kill()
    assert process.returncode in (0, 1, 130, -signal.SIGINT)
