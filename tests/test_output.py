"""Files are whole or not there, and nothing is left beside them."""

import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import fairgroups as fg
from fairgroups.output import (
    check_place,
    check_table_path,
    own_folder,
    read_text,
    replacing,
    write_atomically,
    write_table,
)

SLOW_WRITER = """
import sys, time
from fairgroups.output import replacing
with replacing(sys.argv[1]) as temporary:
    temporary.write_text("half")
    print("begun", flush=True)
    time.sleep(60)
"""


def killed_writer(target):
    writer = subprocess.Popen([sys.executable, "-c", SLOW_WRITER, str(target)], stdout=subprocess.PIPE)
    assert writer.stdout.readline() == b"begun\n"
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    target = tmp_path / "page [1].html"
    target.write_text("old")
    killed_writer(target)
    assert target.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2
    write_atomically(target, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["page [1].html"]
    assert target.read_text() == "new"


def test_folders_of_killed_runs_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    process = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    dead = tmp_path / f"fairgroups-{int(process.stdout)}-abc"
    young, mine = tmp_path / f"fairgroups-{int(process.stdout)}-new", tmp_path / f"fairgroups-{os.getpid()}-mine"
    for folder in (dead, young, mine):
        folder.mkdir()
        (folder / "people.csv").write_text("a copy")
    for folder in (dead, mine):
        os.utime(folder, (0, 0))
    with own_folder() as folder:
        assert folder.is_dir()
        assert not dead.exists()
        assert young.exists()
        assert mine.exists()
    assert not folder.exists()


def test_a_writer_at_work_is_left_alone(tmp_path):
    with replacing(tmp_path / "a.txt") as first:
        write_atomically(tmp_path / "a.txt", "second")
        assert first.exists()
        first.write_text("first")
    assert (tmp_path / "a.txt").read_text() == "first"


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(target):
        _ = 1 / 0
    assert target.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_atomically(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_new_files_have_usual_rights(tmp_path):
    mask = os.umask(0o022)
    try:
        write_atomically(tmp_path / "a.txt", "text")
    finally:
        os.umask(mask)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o644


def test_folders_are_made(tmp_path):
    write_atomically(tmp_path / "one/two/a.txt", "text")
    assert read_text(tmp_path / "one/two/a.txt") == "text"


def test_places_that_cannot_be_written_are_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(fg.InputError, match="is a folder"):
        check_place(tmp_path)
    with pytest.raises(fg.InputError, match="nothing can be written"):
        check_place(tmp_path / "file/a.txt")
    with pytest.raises(fg.InputError, match="csv or .parquet"):
        check_table_path(tmp_path / "a.xlsx")
    with pytest.raises(fg.InputError, match="no file"):
        read_text(tmp_path / "none")


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_come_back(tmp_path, suffix):
    names = np.array(["a", "", 'c "d"'], dtype=object)
    write_table(tmp_path / f"t{suffix}", {"n": np.array([1.5, np.nan, 3]), 'odd "name"': names, "k": np.arange(3)})
    read = pd.read_csv if suffix == ".csv" else pd.read_parquet
    found = read(tmp_path / f"t{suffix}")
    assert list(found.columns) == ["n", 'odd "name"', "k"]
    assert found["n"].isna().tolist() == [False, True, False]
    assert found['odd "name"'].isna().tolist() == [False, True, False]
    assert found["k"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("wrong", ['{"schema": 1}', "x" * 5000, "a\0b"])
def test_a_text_in_place_of_a_path_is_told(wrong):
    with pytest.raises(fg.InputError):
        fg.read_audit(wrong)
