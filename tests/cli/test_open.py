import subprocess
import sys

import pytest
from typer.testing import CliRunner

from fairgroups.cli import app


@pytest.mark.parametrize(("file", "said"), [("none.csv", "there is no file"), ("photo.png", "no table")])
def test_what_cannot_be_opened(tmp_path, file, said):
    (tmp_path / "photo.png").write_bytes(b"x")
    done = CliRunner().invoke(app, ["open", str(tmp_path / file), "--no-browser"])
    assert said in str(done.exception)


def test_it_tells_its_address_and_ends_when_asked():
    pytest.importorskip("uvicorn")
    command = [sys.executable, "-u", "-m", "fairgroups.cli", "open", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        assert line.startswith("The page is open at http://127.0.0.1:")
        assert len(line.split("/")[3]) >= 30
        process.terminate()
        process.wait(10)
