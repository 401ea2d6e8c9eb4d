"""Processes that measure photographs end with the one that started them."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("PIL", reason="needs Pillow (the extra skin)")
pytest.importorskip("skimage", reason="needs scikit-image (the extra skin)")

from PIL import Image

from drawn_faces import TONES, draw_face


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_the_one_that_started_it(tmp_path, sign):
    photos = tmp_path / "photos"
    photos.mkdir()
    for i in range(200):
        Image.fromarray(draw_face(TONES[i % 10], seed=i)).save(photos / f"{i:03d}.png")
    command = [sys.executable, "-m", "fairgroups.cli", "skin", str(photos), "--finder", "cascade", "--workers", "2"]
    running = subprocess.Popen(
        [*command, "--out", str(tmp_path / "t.csv")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    journal, deadline = tmp_path / ".t.csv.journal", time.time() + 90
    while time.time() < deadline and not (journal.exists() and journal.read_text().count("\n") >= 3):
        time.sleep(0.05)
    workers = subprocess.run(
        ["pgrep", "-P", str(running.pid)], capture_output=True, text=True, check=False
    ).stdout.split()
    assert len(workers) >= 2
    running.send_signal(sign)  # to the parent alone
    running.wait()
    ended = time.time() + 5
    while time.time() < ended and any(os.path.exists(f"/proc/{pid}") for pid in workers):  # noqa: PTH110
        time.sleep(0.1)
    assert not [pid for pid in workers if os.path.exists(f"/proc/{pid}")]  # noqa: PTH110
